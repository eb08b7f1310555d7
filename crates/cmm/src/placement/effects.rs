//! What operations do to the world, as far as moving them is concerned.

use std::ops::BitOrAssign;

use flambeau_ir::Prim;
use flambeau_ir::prim::Effects;

use crate::tree::Expr;

/// What an operation, or several of them, do: to the world, and to mutable variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Class {
    effects: Effects,
    /// A mutable variable is named.
    names: bool,
    /// A mutable variable is assigned.
    assigns: bool,
}

impl Class {
    /// Nothing: may be moved anywhere that its operands reach.
    pub const PURE: Class = Class::of(Effects::NONE);
    /// Depends on what effects change.
    pub const READ: Class = Class::of(Effects::READ);
    /// Allocates, or polls: a point where other threads, signal handlers and finalisers run.
    pub const ALLOC: Class = Class::of(Effects::ALLOCATION);
    /// Names a mutable variable.
    pub const VARIABLE: Class = Class { names: true, ..Class::PURE };
    /// Anything.
    const EFFECT: Class = Class::of(Effects::ANY);

    const fn of(effects: Effects) -> Class {
        Class { effects, names: false, assigns: false }
    }

    /// Whether the order of the two is observable.
    pub fn conflicts(self, other: Class) -> bool {
        !self.effects.commutes_with(other.effects)
            || self.names && other.assigns
            || self.assigns && other.names
    }

    /// Whether it has no order with anything.
    pub fn is_pure(self) -> bool {
        !self.names && !self.assigns && self.effects.commutes_with_all()
    }
}

impl BitOrAssign for Class {
    fn bitor_assign(&mut self, other: Class) {
        self.effects = self.effects.or(other.effects);
        self.names |= other.names;
        self.assigns |= other.assigns;
    }
}

/// The class of an operation, its operands not counted.
pub fn class(operation: &Expr) -> Class {
    match operation {
        Expr::Prim { prim, .. } => Class::of(prim.effects()),
        Expr::Closures { .. } | Expr::Functions { .. } => Class::ALLOC,
        // What is allocated before may be interrupted, and the handler then sees what was assigned before.
        Expr::Assign { .. } => Class { assigns: true, ..Class::EFFECT },
        Expr::Checked { prim, .. } => Class::of(prim.effects().raising()),
        Expr::DirectCall { .. } | Expr::GenericCall { .. } | Expr::Send { .. } | Expr::Raise { .. } => {
            Class::EFFECT
        }
        _ => Class::PURE,
    }
}

/// Whether what is needed after an operation is saved around it.
pub fn is_call(operation: &Expr) -> bool {
    match operation {
        Expr::DirectCall { .. } | Expr::GenericCall { .. } | Expr::Send { .. } => true,
        Expr::Prim { prim, .. } => prim.is_c_call(),
        _ => false,
    }
}

/// Whether an operation returns its value to the program point where it stands, and so may stand elsewhere.
pub fn is_movable(operation: &Expr) -> bool {
    match operation {
        // The back end loads operands of an allocation after it: the collector has not looked at the slots.
        Expr::Prim { prim: Prim::LoadResult { .. }, .. } => false,
        Expr::Prim { .. }
        | Expr::Closures { .. }
        | Expr::Offset { .. }
        | Expr::SlotLoad { .. }
        | Expr::IsClosureOf { .. }
        | Expr::Functions { .. }
        | Expr::Member { .. } => !class(operation).effects.has_effect(),
        Expr::Int(_)
        | Expr::Float(_)
        | Expr::Symbol(_)
        | Expr::Var(_)
        | Expr::Boxed { .. }
        | Expr::Code(_) => true,
        _ => false,
    }
}

/// The function of the runtime system that says whether the operands of an operation are equal, if that is a three-way
/// comparison of strings: it looks at whole words, and at none where the lengths differ.
pub fn equality(operation: &Expr) -> Option<&'static str> {
    match operation {
        Expr::Prim { prim: Prim::CCall(external), .. } => match external.name.as_str() {
            "caml_string_compare" => Some("caml_string_equal"),
            "caml_bytes_compare" => Some("caml_bytes_equal"),
            _ => None,
        },
        _ => None,
    }
}
