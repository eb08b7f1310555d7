//! Strings whose contents are known (features D10).
//!
//! A string that is a literal of the source never changes; what reads it as `bytes` is kept all the same, since some
//! programs assign what `Bytes.unsafe_of_string` gives them.

use std::cmp::Ordering;

use flambeau_ir::prim::{StringKind, Width, loaded_from};
use flambeau_ir::term::StringSwitch;
use flambeau_ir::{ApplyCont, Const, Kind, Prim, Simple};
use flambeau_types::Ty;

use crate::prims::Outcome;
use crate::{Simplifier, fold};

impl Simplifier<'_> {
    pub(crate) fn string_length(&self, string: Simple) -> Outcome {
        match self.env.ty(string) {
            Ty::String(bytes) => Outcome::Atom(Simple::tagged(bytes.len() as i64)),
            _ => self.integer(&Prim::StringLength, &[string]),
        }
    }

    pub(crate) fn string_load(
        &self,
        kind: StringKind,
        width: Width,
        string: Simple,
        index: Simple,
    ) -> Outcome {
        if kind == StringKind::String
            && let Ty::String(bytes) = self.env.ty(string)
            && let Some(c) = self.env.constant(index, Kind::Value).and_then(|i| contents(&bytes, width, i))
        {
            return Outcome::Atom(c.into());
        }
        self.integer(&Prim::StringLoad { string: kind, width }, &[string, index])
    }

    /// The order of two strings, if it is known. `of_strings`: they are nothing else, so that a value is equal to
    /// itself.
    pub(crate) fn order_of_strings(&self, x: Simple, y: Simple, of_strings: bool) -> Option<Ordering> {
        match (self.env.ty(x), self.env.ty(y)) {
            _ if of_strings && x == y => Some(Ordering::Equal),
            (Ty::String(a), Ty::String(b)) => Some(a.cmp(&b)),
            _ => None,
        }
    }

    /// The jump that a switch reduces to, if the string is known.
    pub(crate) fn known_string_arm<'s>(&self, switch: &'s StringSwitch) -> Option<&'s ApplyCont> {
        let Ty::String(bytes) = self.env.ty(switch.scrutinee) else { return None };
        let arm = switch.arms.iter().find(|(contents, _)| **contents == *bytes).map(|(_, jump)| jump);
        arm.or(switch.default.as_ref())
    }
}

/// What is read at an index. The machine that compiles has the order of bytes of the one that runs.
fn contents(bytes: &[u8], width: Width, index: Const) -> Option<Const> {
    let index = fold::as_int(index)?;
    let start = usize::try_from(index).ok()?;
    let loaded = loaded_from(bytes, width, index);
    let read = loaded.get(start..start.checked_add(width.bytes() as usize)?)?;
    Some(match width {
        Width::W8 => Const::NakedImmediate(i64::from(read[0])),
        Width::W16 => Const::NakedImmediate(i64::from(u16::from_ne_bytes(read.try_into().ok()?))),
        Width::W32 => Const::NakedInt32(i32::from_ne_bytes(read.try_into().ok()?)),
        Width::W64 => Const::NakedInt64(i64::from_ne_bytes(read.try_into().ok()?)),
    })
}
