//! Bytes of a few words (features D1, D2): what the runtime's functions do to them takes less than the call of these.
//! `String.make 1 c` is an allocation and a store, a copy of four characters a load and a store.

use flambeau_ir::prim::{External, IntOp, NativeRepr, StringKind, Width};
use flambeau_ir::{Const, IntKind, Kind, Prim, Simple, Subkind, Variable};
use flambeau_types::{Operands, Ty};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::prims::Outcome;

/// More words are not set to zero one by one.
const WORDS: i64 = 4;
/// Longer copies are left to the runtime.
const COPIED: i64 = 16;
/// In so many pieces, each of which is in a register until all are loaded.
const PIECES: usize = 3;

type Lets = Vec<(Variable, Prim, Operands)>;

impl Simplifier<'_> {
    /// A call of a function of the runtime that makes bytes, fills them or copies them, if few are meant.
    pub(crate) fn call_on_bytes(&mut self, external: &External, args: &[Simple]) -> Option<Outcome> {
        if external.tested || external.args.iter().any(|repr| *repr != NativeRepr::Value) {
            return None;
        }
        match (external.name.as_str(), args) {
            ("caml_create_bytes", [length]) => self.make_bytes(*length),
            ("caml_fill_bytes", [bytes, index, length, character]) => {
                self.fill_bytes(*bytes, *index, *length, *character)
            }
            ("caml_blit_bytes" | "caml_blit_string", [from, at, to, index, length]) => {
                self.copy_bytes((*from, *at), (*to, *index), *length)
            }
            _ => None,
        }
    }

    fn make_bytes(&self, length: Simple) -> Option<Outcome> {
        let (least, most) = self.env.ints(length, IntKind::Tagged)?.bounds()?;
        let words = most / 8 + 1;
        let are_so_many = least >= 0 && words <= WORDS && least / 8 + 1 == words;
        let prim = Prim::MakeBytes { words: u32::try_from(words).ok()? };
        are_so_many.then(|| Outcome::Prim(prim, Operands::from_slice(&[length])))
    }

    fn tagged_constant(&self, length: Simple) -> Option<i64> {
        match self.env.constant(length, Kind::Value)? {
            Const::Tagged(length) => Some(length),
            _ => None,
        }
    }

    fn fill_bytes(
        &mut self,
        bytes: Simple,
        index: Simple,
        length: Simple,
        character: Simple,
    ) -> Option<Outcome> {
        match self.tagged_constant(length)? {
            0 => Some(Outcome::Atom(Simple::UNIT)),
            1 => {
                let mut lets = Lets::new();
                let character = self.bound(&mut lets, Kind::NakedImmediate, Prim::Untag, &[character]);
                let store = Prim::StringStore { string: StringKind::Bytes, width: Width::W8 };
                let operands = Operands::from_slice(&[bytes, index, character]);
                Some(Outcome::Several(lets, store, operands))
            }
            _ => None,
        }
    }

    /// Everything is loaded before anything is stored: the two may be parts of the same bytes.
    fn copy_bytes(
        &mut self,
        from: (Simple, Simple),
        to: (Simple, Simple),
        length: Simple,
    ) -> Option<Outcome> {
        let length = self.tagged_constant(length)?;
        if length == 0 {
            return Some(Outcome::Atom(Simple::UNIT));
        }
        let pieces = pieces(length)?;
        // Only a literal is known never to change.
        let is_literal = matches!(self.env.ty(from.0), Ty::String(_));
        let read = if is_literal { StringKind::String } else { StringKind::Bytes };
        let mut lets = Lets::new();
        let mut loaded: SmallVec<[Simple; PIECES]> = SmallVec::new();
        for (offset, width) in &pieces {
            let index = self.advanced(&mut lets, from.1, *offset);
            let load = Prim::StringLoad { string: read, width: *width };
            loaded.push(self.bound(&mut lets, width.kind(), load, &[from.0, index]));
        }
        for ((offset, width), contents) in pieces.iter().zip(loaded) {
            let index = self.advanced(&mut lets, to.1, *offset);
            let store = Prim::StringStore { string: StringKind::Bytes, width: *width };
            self.bound(&mut lets, Kind::Value, store, &[to.0, index, contents]);
        }
        let (_, last, operands) = lets.pop()?;
        Some(Outcome::Several(lets, last, operands))
    }

    /// An index so much further.
    fn advanced(&mut self, lets: &mut Lets, index: Simple, offset: i64) -> Simple {
        if offset == 0 {
            return index;
        }
        let add = Prim::IntArith { op: IntOp::Add, kind: IntKind::Tagged };
        self.bound(lets, Kind::Value, add, &[index, Simple::tagged(offset)])
    }

    fn bound(&mut self, lets: &mut Lets, kind: Kind, prim: Prim, args: &[Simple]) -> Simple {
        let var = self.unit.new_variable("bytes", kind, Subkind::Any);
        lets.push((var, prim, Operands::from_slice(args)));
        var.into()
    }
}

/// At which offsets, and how wide, so many bytes are copied; none if these are too many.
fn pieces(length: i64) -> Option<SmallVec<[(i64, Width); PIECES]>> {
    if !(0..=COPIED).contains(&length) {
        return None;
    }
    let mut pieces = SmallVec::new();
    let mut offset = 0;
    for width in [Width::W64, Width::W32, Width::W16, Width::W8] {
        while length - offset >= i64::from(width.bytes()) {
            pieces.push((offset, width));
            offset += i64::from(width.bytes());
        }
    }
    (pieces.len() <= PIECES).then_some(pieces)
}
