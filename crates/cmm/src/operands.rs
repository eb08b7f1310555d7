//! The operands of operations: of expressions with no code inside.

use crate::tree::{Expr, ExprId};

impl Expr {
    /// Whether there is no code inside: whatever the expression has inside is an operand.
    pub(crate) fn is_operation(&self) -> bool {
        !matches!(
            self,
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

    /// Each operand, left to right. None for expressions with code inside.
    pub(crate) fn each_operand(&self, mut f: impl FnMut(ExprId)) {
        match self {
            Expr::Assign { value: operand, .. }
            | Expr::Raise { exn: operand, .. }
            | Expr::Offset { pointer: operand, .. }
            | Expr::IsClosureOf { pointer: operand, .. }
            | Expr::SlotLoad { pointer: operand, .. }
            | Expr::Member { set: operand, .. } => f(*operand),
            Expr::Exit { args, .. }
            | Expr::Prim { args, .. }
            | Expr::DirectCall { args, .. }
            | Expr::Closures { values: args, .. }
            | Expr::Functions { values: args, .. }
            | Expr::Checked { args, .. } => args.iter().for_each(|arg| f(*arg)),
            Expr::GenericCall { closure, args, .. } => {
                f(*closure);
                args.iter().for_each(|arg| f(*arg));
            }
            Expr::Send { method, object, args, .. } => {
                f(*method);
                f(*object);
                args.iter().for_each(|arg| f(*arg));
            }
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::Symbol(_)
            | Expr::Var(_)
            | Expr::Boxed { .. }
            | Expr::Code(_)
            | Expr::Unreachable
            | Expr::Let { .. }
            | Expr::LetMut { .. }
            | Expr::Seq(..)
            | Expr::If { .. }
            | Expr::Switch { .. }
            | Expr::StringSwitch { .. }
            | Expr::Catch { .. }
            | Expr::Try { .. } => {}
        }
    }

    /// As [`Expr::each_operand`], to change them.
    pub(crate) fn each_operand_mut(&mut self, mut f: impl FnMut(&mut ExprId)) {
        match self {
            Expr::Assign { value: operand, .. }
            | Expr::Raise { exn: operand, .. }
            | Expr::Offset { pointer: operand, .. }
            | Expr::IsClosureOf { pointer: operand, .. }
            | Expr::SlotLoad { pointer: operand, .. }
            | Expr::Member { set: operand, .. } => f(operand),
            Expr::Exit { args, .. }
            | Expr::Prim { args, .. }
            | Expr::DirectCall { args, .. }
            | Expr::Closures { values: args, .. }
            | Expr::Functions { values: args, .. }
            | Expr::Checked { args, .. } => args.iter_mut().for_each(f),
            Expr::GenericCall { closure, args, .. } => {
                f(closure);
                args.iter_mut().for_each(f);
            }
            Expr::Send { method, object, args, .. } => {
                f(method);
                f(object);
                args.iter_mut().for_each(f);
            }
            _ => {}
        }
    }
}
