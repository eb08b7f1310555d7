//! What operations do to the world, as far as moving them is concerned.

use std::ops::{BitOr, BitOrAssign};

use flambeau_ir::Prim;
use flambeau_ir::prim::{Coeffects, Effects};

use crate::tree::Expr;

/// A set of: reads, allocates, has effects; names a mutable variable, assigns one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Class(u8);

impl Class {
    /// Nothing: may be moved anywhere that its operands reach.
    pub const PURE: Class = Class(0);
    /// Depends on what effects change.
    pub const READ: Class = Class(1);
    /// Allocates, or polls: a point where other threads, signal handlers and finalisers run.
    pub const ALLOC: Class = Class(2);
    /// Anything.
    pub const EFFECT: Class = Class(4);
    /// Names a mutable variable.
    pub const VARIABLE: Class = Class(8);
    /// Assigns a mutable variable.
    pub const ASSIGN: Class = Class(16);

    /// Whether both have an element in common.
    pub fn has(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the order of the two is observable. Reads and allocations don't commute: the window between a
    /// read and a write that depends on it must stay free of allocations (soundness row 12).
    pub fn conflicts(self, other: Class) -> bool {
        let opposite = |class: Class| {
            let mut opposite = Class::PURE;
            if class.has(Class::READ) {
                opposite |= Class::EFFECT | Class::ALLOC;
            }
            if class.has(Class::ALLOC) {
                opposite |= Class::EFFECT | Class::READ;
            }
            if class.has(Class::EFFECT) {
                opposite |= Class::EFFECT | Class::READ | Class::ALLOC;
            }
            if class.has(Class::VARIABLE) {
                opposite |= Class::ASSIGN;
            }
            if class.has(Class::ASSIGN) {
                opposite |= Class::VARIABLE;
            }
            opposite
        };
        opposite(self).has(other)
    }
}

impl BitOr for Class {
    type Output = Class;

    fn bitor(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }
}

impl BitOrAssign for Class {
    fn bitor_assign(&mut self, other: Class) {
        self.0 |= other.0;
    }
}

/// The class of an operation, its operands not counted.
pub fn class(operation: &Expr) -> Class {
    match operation {
        Expr::Prim { prim, .. } => {
            let (effects, coeffects) = prim.effects();
            let class = match effects {
                Effects::None => Class::PURE,
                Effects::Generative => Class::ALLOC,
                Effects::Arbitrary => Class::EFFECT,
            };
            if coeffects == Coeffects::Has { class | Class::READ } else { class }
        }
        Expr::Closures { .. } => Class::ALLOC,
        // What is allocated before may be interrupted, and the handler then sees what was assigned before.
        Expr::Assign { .. } => Class::ASSIGN | Class::EFFECT,
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
        Expr::Prim { prim, .. } => matches!(prim, Prim::CCall(_)),
        _ => false,
    }
}

/// Whether the expression has atoms for operands and no code inside.
pub fn is_operation(expr: &Expr) -> bool {
    !matches!(
        expr,
        Expr::Let { .. }
            | Expr::LetMut { .. }
            | Expr::Seq(..)
            | Expr::If { .. }
            | Expr::Switch { .. }
            | Expr::StringSwitch { .. }
            | Expr::Catch { .. }
            | Expr::Try { .. }
    )
}

/// Whether an operation gives its value to the place where it stands, and so may stand elsewhere.
pub fn is_movable(operation: &Expr) -> bool {
    match operation {
        Expr::Prim { .. } | Expr::Closures { .. } | Expr::Offset { .. } | Expr::SlotLoad { .. } => {
            !class(operation).has(Class::EFFECT)
        }
        Expr::Int(_) | Expr::Float(_) | Expr::Symbol(_) | Expr::Var(_) => true,
        _ => false,
    }
}
