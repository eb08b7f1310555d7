//! Hashing by the runtime's function `caml_hash`, of values whose shape is known (features D15): the same number
//! without a look at tags, and without the block, if there is one only to be hashed.

use flambeau_ir::prim::{External, IntOp, NativeRepr, ShiftOp};
use flambeau_ir::{BoxedKind, Const, IntKind, Kind, Prim, Simple, Subkind, Unit, Variable, tags};
use flambeau_types::{Operands, Ty};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::prims::Outcome;

/// What is mixed into the number, in order.
pub(crate) enum Part {
    /// The header of a block, without its colour.
    Header(i64),
    /// An immediate.
    Immediate(Simple),
    /// A boxed number.
    Boxed(BoxedKind, Simple),
    /// A string.
    String(Simple),
}

/// The lowest 32 bits.
const WORD: i64 = 0xffff_ffff;
/// The bits that the runtime's numbers have.
const RESULT: i64 = 0x3fff_ffff;

impl Simplifier<'_> {
    /// `caml_hash (count, limit, seed, value)`.
    pub(crate) fn hash(&mut self, args: &[Simple]) -> Option<Outcome> {
        let [count, limit, seed, value] = args else { return None };
        let constant = |simple: &Simple| match self.env.constant(*simple, Kind::Value) {
            Some(Const::Tagged(n)) => usize::try_from(n).ok(),
            _ => None,
        };
        let parts = self.hashed_parts(*value, constant(count)?, constant(limit)?)?;
        let (lets, hash) = hash_of_parts(self.unit, *seed, parts);
        Some(Outcome::Several(lets, Prim::Tag, Operands::from_slice(&[hash])))
    }

    /// The parts of a value that are hashed if `count` leaves and `limit` values are looked at, when all are known. The
    /// fields of a block are looked at after all that stands beside it.
    fn hashed_parts(&self, value: Simple, count: usize, limit: usize) -> Option<SmallVec<[Part; 4]>> {
        let (mut parts, mut leaves) = (SmallVec::new(), 0);
        let mut values: SmallVec<[Simple; 8]> = SmallVec::from_iter([value]);
        let mut next = 0;
        while let Some(value) = values.get(next).copied() {
            next += 1;
            if let Some(leaf) = self.hashed_leaf(value) {
                leaves += 1;
                parts.push(leaf);
                continue;
            }
            let ty = self.env.ty(value);
            let block = ty.as_block().filter(|block| block.exact && block.tag < tags::FIRST_SPECIAL)?;
            if block.fields.is_empty() || values.len() + block.fields.len() > limit {
                return None;
            }
            parts.push(Part::header(block.fields.len(), block.tag));
            for field in &block.fields {
                values.push(match field {
                    Ty::Is(atom) => *atom,
                    field => Simple::Const(field.as_const(Kind::Value)?),
                });
            }
        }
        (leaves <= count).then_some(parts)
    }

    fn hashed_leaf(&self, value: Simple) -> Option<Part> {
        match self.env.ty(value) {
            Ty::Variant(variant) if variant.is_immediate() => Some(Part::Immediate(value)),
            Ty::Boxed(kind, _) => Some(Part::Boxed(kind, value)),
            _ => None,
        }
    }
}

impl Part {
    /// The header of a block of that size and tag.
    pub(crate) fn header(size: usize, tag: u8) -> Part {
        Part::Header((size as i64) << 10 | i64::from(tag))
    }
}

/// The hash, as an untagged integer, that the runtime computes of parts in that order, and what computes it.
pub(crate) fn hash_of_parts(
    unit: &mut Unit,
    seed: Simple,
    parts: impl IntoIterator<Item = Part>,
) -> (Vec<(Variable, Prim, Operands)>, Simple) {
    let (mut lets, mixed) = mixed_parts(unit, seed, parts);
    let (last, hash) = last_of_mixed(unit, mixed);
    lets.extend(last);
    (lets, hash)
}

/// The hash of parts before the last step, a machine integer, and what computes it.
pub(crate) fn mixed_parts(
    unit: &mut Unit,
    seed: Simple,
    parts: impl IntoIterator<Item = Part>,
) -> (Vec<(Variable, Prim, Operands)>, Simple) {
    let mut mixer = Mixer { unit, lets: Vec::new() };
    let mut hash = mixer.untagged(seed);
    for part in parts {
        hash = match part {
            Part::Header(header) => mixer.mix(hash, constant_word(header)),
            Part::Immediate(value) => mixer.mix_immediate(hash, value),
            Part::Boxed(kind, value) => mixer.mix_boxed(hash, kind, value),
            Part::String(value) => mixer.mix_by_runtime(hash, "string", NativeRepr::Value, value),
        };
    }
    (mixer.lets, hash)
}

/// What the last step makes of the hash of parts, an untagged integer, and what computes it.
pub(crate) fn last_of_mixed(unit: &mut Unit, mixed: Simple) -> (Vec<(Variable, Prim, Operands)>, Simple) {
    let mut mixer = Mixer { unit, lets: Vec::new() };
    let hash = mixer.last(mixed);
    (mixer.lets, hash)
}

fn constant_word(n: i64) -> Simple {
    Simple::Const(Const::NakedNativeint(n))
}

/// A word of 32 bits as the constant with these lowest bits that instructions can hold: one with a sign.
fn short(word: u32) -> Simple {
    constant_word(i64::from(word.cast_signed()))
}

/// Computes with unsigned words of 32 bits in machine integers, whose upper bits mean nothing.
struct Mixer<'u> {
    unit: &'u mut Unit,
    lets: Vec<(Variable, Prim, Operands)>,
}

impl Mixer<'_> {
    fn let_(&mut self, kind: Kind, prim: Prim, args: &[Simple]) -> Simple {
        let var = self.unit.new_variable("hash", kind, Subkind::Any);
        self.lets.push((var, prim, Operands::from_slice(args)));
        var.into()
    }

    fn arith(&mut self, op: IntOp, x: Simple, y: Simple) -> Simple {
        self.let_(Kind::NakedNativeint, Prim::IntArith { op, kind: IntKind::Nativeint }, &[x, y])
    }

    fn shift(&mut self, op: ShiftOp, x: Simple, by: i64) -> Simple {
        let prim = Prim::IntShift { op, kind: IntKind::Nativeint };
        self.let_(Kind::NakedNativeint, prim, &[x, Simple::naked_imm(by)])
    }

    fn times(&mut self, x: Simple, by: u32) -> Simple {
        self.arith(IntOp::Mul, x, short(by))
    }

    /// The word, with upper bits that are zero.
    fn word(&mut self, x: Simple) -> Simple {
        self.arith(IntOp::And, x, constant_word(WORD))
    }

    fn right(&mut self, x: Simple, by: i64) -> Simple {
        let word = self.word(x);
        self.shift(ShiftOp::Lsr, word, by)
    }

    fn rotated(&mut self, x: Simple, by: i64) -> Simple {
        let left = self.shift(ShiftOp::Lsl, x, by);
        let right = self.right(x, 32 - by);
        self.arith(IntOp::Or, left, right)
    }

    fn converted(&mut self, x: Simple, from: Kind, to: Kind) -> Simple {
        self.let_(to, Prim::NumConv { from, to }, &[x])
    }

    fn untagged(&mut self, value: Simple) -> Simple {
        let naked = self.let_(Kind::NakedImmediate, Prim::Untag, &[value]);
        self.converted(naked, Kind::NakedImmediate, Kind::NakedNativeint)
    }

    /// `MIX` of the runtime.
    fn mix(&mut self, hash: Simple, word: Simple) -> Simple {
        let word = self.times(word, 0xcc9e_2d51);
        let word = self.rotated(word, 15);
        let word = self.times(word, 0x1b87_3593);
        let hash = self.arith(IntOp::Xor, hash, word);
        let hash = self.rotated(hash, 13);
        let hash = self.times(hash, 5);
        self.arith(IntOp::Add, hash, short(0xe654_6b64))
    }

    /// `caml_hash_mix_intnat` of the machine word that the value is.
    fn mix_immediate(&mut self, hash: Simple, value: Simple) -> Simple {
        let n = self.untagged(value);
        let n = self.shift(ShiftOp::Lsl, n, 1);
        let word = self.arith(IntOp::Or, n, constant_word(1));
        let folded = self.folded(word);
        self.mix(hash, folded)
    }

    fn mix_boxed(&mut self, hash: Simple, kind: BoxedKind, value: Simple) -> Simple {
        let number = self.let_(kind.naked(), Prim::Unbox(kind), &[value]);
        match kind {
            BoxedKind::Float => {
                self.mix_by_runtime(hash, "double", NativeRepr::Unboxed(BoxedKind::Float), number)
            }
            BoxedKind::Int32 => {
                let word = self.converted(number, Kind::NakedInt32, Kind::NakedNativeint);
                self.mix(hash, word)
            }
            BoxedKind::Int64 => {
                let number = self.converted(number, Kind::NakedInt64, Kind::NakedNativeint);
                let high = self.shift(ShiftOp::Lsr, number, 32);
                let word = self.arith(IntOp::Xor, high, number);
                self.mix(hash, word)
            }
            BoxedKind::Nativeint => {
                let word = self.folded(number);
                self.mix(hash, word)
            }
        }
    }

    /// The halves of a machine word as one, the same for what fits into 32 bits.
    fn folded(&mut self, word: Simple) -> Simple {
        let high = self.shift(ShiftOp::Asr, word, 32);
        let sign = self.shift(ShiftOp::Asr, word, 63);
        let folded = self.arith(IntOp::Xor, high, sign);
        self.arith(IntOp::Xor, folded, word)
    }

    /// A function of the runtime that mixes what is passed so.
    fn mix_by_runtime(&mut self, hash: Simple, what: &str, repr: NativeRepr, value: Simple) -> Simple {
        let hash = self.word(hash);
        let hash = self.converted(hash, Kind::NakedNativeint, Kind::NakedImmediate);
        let external = External {
            name: format!("caml_hash_mix_{what}"),
            args: vec![NativeRepr::Untagged, repr],
            result: NativeRepr::Untagged,
            no_result: false,
            alloc: false,
            tested: false,
        };
        let mixed = self.let_(Kind::NakedImmediate, Prim::CCall(Box::new(external)), &[hash, value]);
        self.converted(mixed, Kind::NakedImmediate, Kind::NakedNativeint)
    }

    /// `FINAL_MIX` of the runtime, and the bits that are kept.
    fn last(&mut self, mut hash: Simple) -> Simple {
        for (shift, factor) in [(16, Some(0x85eb_ca6b)), (13, Some(0xc2b2_ae35)), (16, None)] {
            let high = self.right(hash, shift);
            hash = self.arith(IntOp::Xor, hash, high);
            if let Some(factor) = factor {
                hash = self.times(hash, factor);
            }
        }
        let hash = self.arith(IntOp::And, hash, constant_word(RESULT));
        self.converted(hash, Kind::NakedNativeint, Kind::NakedImmediate)
    }
}
