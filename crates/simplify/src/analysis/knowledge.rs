//! What the pre-pass knows of variables, without considering branches: types, [widened](Ty::widen) so that loops are
//! soon done.

use std::rc::Rc;

use flambeau_ir::prim::Mutability;
use flambeau_ir::tags;
use flambeau_ir::{FunctionSlot, IntKind, Prim, SetOfClosures, Simple};
use flambeau_types::{Closure, IntSet, Ty};

use crate::Functions;

/// What a variable is only another name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Nothing has come yet.
    Bottom,
    /// This atom, on each incoming path.
    Is(Simple),
    /// It has a value of its own.
    Top,
}

/// What the pre-pass knows of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// What its values have in common, [widened](Ty::widen).
    pub ty: Ty,
    /// What it is a name of.
    pub alias: Alias,
    /// It is possibly poison: what its type claims does not permit reading memory where the source does not.
    pub may_be_poison: bool,
}

impl Knowledge {
    /// Nothing has come yet.
    pub const BOTTOM: Knowledge = Knowledge { ty: Ty::Bottom, alias: Alias::Bottom, may_be_poison: false };
    /// Anything.
    pub const TOP: Knowledge = Knowledge { ty: Ty::Unknown, alias: Alias::Top, may_be_poison: false };
}

impl Knowledge {
    /// Of what is of that type, and has a value of its own.
    pub fn of_ty(ty: Ty) -> Knowledge {
        Knowledge { ty, ..Knowledge::TOP }
    }
}

/// The type of the result of a primitive, as far as its arguments need not be known.
pub fn result(prim: &Prim, args: usize) -> Ty {
    let fields = || std::iter::repeat_n(Ty::Unknown, args);
    match prim {
        Prim::Box(kind) | Prim::Rebox(kind) => Ty::boxed(*kind, Ty::Unknown),
        prim if prim.makes_immutable_floats() => Ty::floats(fields()),
        Prim::MakeBlock { tag, mutability: Mutability::Immutable } if *tag < tags::FIRST_SPECIAL => {
            Ty::block(*tag, fields())
        }
        Prim::Tag
        | Prim::StringLength
        | Prim::ArrayLength { .. }
        | Prim::BigarrayDim { .. }
        | Prim::IntCompare3 { .. }
        | Prim::FloatCompare3
        | Prim::IntArith { kind: IntKind::Tagged, .. }
        | Prim::IntShift { kind: IntKind::Tagged, .. }
        | Prim::IntDiv { kind: IntKind::Tagged }
        | Prim::IntMod { kind: IntKind::Tagged } => Ty::tagged(IntSet::OCAML),
        _ => Ty::Unknown,
    }
}

/// The type of a closure that is allocated in the function.
pub fn closure(slot: FunctionSlot, set: &SetOfClosures, functions: &Functions) -> Ty {
    let values = set.values.iter().map(|(value, _)| (*value, Ty::Unknown)).collect();
    Ty::Closure(Rc::new(Closure { slot, functions: Rc::clone(functions), values }))
}
