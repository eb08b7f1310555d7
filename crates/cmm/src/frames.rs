//! Expressions with a hole, in a list: how long runs of bindings are built, from the end and without
//! recursion.

use crate::tree::*;

/// An expression with one sub-expression left out.
#[derive(Debug)]
pub enum Frame {
    /// The body of a `Let` is missing.
    Let { var: Var, def: ExprId },
    /// The body of a `LetMut` is missing.
    LetMut { var: Var, ty: Machtype, def: ExprId },
    /// What follows is missing.
    Seq { first: ExprId },
    /// The definition is missing.
    LetOf { var: Var, body: ExprId },
    /// What is executed first is missing.
    SeqOf { rest: ExprId },
    /// The body of a `Catch` is missing.
    CatchBody { recursive: bool, handlers: Vec<Handler> },
    /// The code of the only handler of a `Catch` is missing.
    CatchHandler { label: Label, params: Vec<(Var, Machtype)>, body: ExprId },
}

/// Fills the hole of the last frame with `expr`, the hole of the last but one with the result, and so on.
pub fn close(tree: &mut Tree, frames: Vec<Frame>, expr: ExprId) -> ExprId {
    frames.into_iter().rev().fold(expr, |hole, frame| {
        let filled = match frame {
            // `let x = e in x` is `e`: what leaves a function stays in tail position (pitfall 38).
            Frame::Let { var, def } if is_var(tree, hole, var) => return def,
            Frame::LetOf { var, body } if is_var(tree, body, var) => return hole,
            Frame::Let { var, def } => Expr::Let { var, def, body: hole },
            Frame::LetMut { var, ty, def } => Expr::LetMut { var, ty, def, body: hole },
            Frame::Seq { first } => Expr::Seq(first, hole),
            Frame::LetOf { var, body } => Expr::Let { var, def: hole, body },
            Frame::SeqOf { rest } => Expr::Seq(hole, rest),
            Frame::CatchBody { recursive, handlers } => Expr::Catch { recursive, handlers, body: hole },
            Frame::CatchHandler { label, params, body } => {
                Expr::Catch { recursive: false, handlers: vec![Handler { label, params, body: hole }], body }
            }
        };
        tree.push(filled)
    })
}

fn is_var(tree: &Tree, expr: ExprId, var: Var) -> bool {
    tree.exprs[expr.0 as usize] == Expr::Var(var)
}
