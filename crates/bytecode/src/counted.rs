//! Loops that count: `for`, which bytecode tests and counts in fewer instructions than `while`.
//!
//! Such a loop adds one to a parameter at the end of each iteration, or subtracts it, unless that is the last number.
//! What the other parameters are then is assigned in the last iteration, too; so what comes behind the loop reads them
//! there.

use flambeau_cmm::tree::{Expr, ExprId, Handler, Var};
use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::{IntKind, Prim};

use crate::body::{Context, Frame};
use crate::term::{Term, TermId};
use crate::unit::{Leaf, Translation};

/// An iteration of a loop, taken apart.
struct Iteration<'a> {
    /// What is bound in it, and to what.
    bound: Vec<(Var, ExprId)>,
    /// What is done for its effect.
    effects: Vec<ExprId>,
    /// The test at the end.
    cond: &'a Expr,
    /// The arms.
    then_: ExprId,
    else_: ExprId,
}

/// How a loop counts.
struct Count<'a> {
    /// Which parameter counts.
    counter: usize,
    last: ExprId,
    up: bool,
    /// What is passed to the next iteration.
    nexts: &'a [ExprId],
    /// What follows the last iteration.
    end: ExprId,
}

impl<'a> Translation<'a> {
    /// A loop that counts.
    pub fn counted(&mut self, handlers: &[Handler], entry: ExprId, context: Context) -> Option<TermId> {
        let [handler] = handlers else { return None };
        let Expr::Exit { label, args: first } = self.tree(entry) else { return None };
        let iteration = self.iteration(handler)?;
        let count = self.count(handler, &iteration)?;
        let mut steps = iteration.bound.iter().map(|(_, def)| def).chain(&iteration.effects);
        if *label != handler.label || steps.any(|step| self.exits_to(*step, *label)) {
            return None;
        }
        let to = self.expr(count.last, Context::Value);
        let mut frames = Vec::new();
        let (mut from, mut others) = (None, Vec::new());
        for (index, ((param, _), first)) in handler.params.iter().zip(first).enumerate() {
            let first = self.expr(*first, Context::Value);
            let ident = self.ident_like(*param);
            let leaf = if index == count.counter {
                from = Some((ident, first));
                Leaf::Ident(ident)
            } else {
                frames.push(Frame::LetMut(ident, first));
                others.push((ident, count.nexts[index]));
                Leaf::Looping(ident)
            };
            self.vars[param.0 as usize] = Some(leaf);
        }
        let (ident, from) = from?;
        let body = self.counted_body(handler, &others);
        let whole = self.push(Term::For { ident, from, to, up: count.up, body });
        for (ident, next) in others {
            if let Expr::Var(var) = self.tree(next)
                && !self.is_outside(next, handler, &iteration)
            {
                self.vars[var.0 as usize] = Some(Leaf::Looping(ident));
            }
        }
        let end = self.expr(count.end, context);
        let whole = self.push(Term::Seq(whole, end));
        Some(self.close(frames, whole))
    }

    /// The steps of an iteration, and what they leave to the next one.
    fn counted_body(&mut self, handler: &Handler, others: &[(crate::term::Ident, ExprId)]) -> TermId {
        let (mut frames, mut id) = (Vec::new(), handler.body);
        while let Some(next) = self.step(id, &mut frames) {
            id = next;
        }
        let mut assigned = Vec::new();
        for (ident, next) in others {
            assigned.push((*ident, self.expr(*next, Context::Value)));
        }
        self.assign_all(assigned, &mut frames);
        let nothing = self.push(Term::Int(0));
        self.close(frames, nothing)
    }

    fn iteration(&self, handler: &Handler) -> Option<Iteration<'a>> {
        let (mut bound, mut effects, mut id) = (Vec::new(), Vec::new(), handler.body);
        loop {
            match self.tree(id) {
                Expr::Let { var, def, body } | Expr::LetMut { var, def, body, .. } => {
                    bound.push((*var, *def));
                    id = *body;
                }
                Expr::Seq(first, rest) => {
                    effects.push(*first);
                    id = *rest;
                }
                Expr::If { cond, then_, else_, .. } => {
                    let cond = self.tree(*cond);
                    return Some(Iteration { bound, effects, cond, then_: *then_, else_: *else_ });
                }
                _ => return None,
            }
        }
    }

    fn count(&self, handler: &Handler, iteration: &Iteration<'a>) -> Option<Count<'a>> {
        let Expr::Prim { prim, args, .. } = iteration.cond else { return None };
        let (end, next) = match prim {
            Prim::PhysEqual { negated: false } | Prim::IntCompare { op: IntCmp::Eq, .. } => {
                (iteration.then_, iteration.else_)
            }
            Prim::PhysEqual { negated: true } | Prim::IntCompare { op: IntCmp::Ne, .. } => {
                (iteration.else_, iteration.then_)
            }
            _ => return None,
        };
        let Expr::Exit { label, args: nexts } = self.tree(next) else { return None };
        let counter =
            handler.params.iter().position(|(param, _)| *self.tree(args[0]) == Expr::Var(*param))?;
        if *label != handler.label || !self.is_outside(args[1], handler, iteration) {
            return None;
        }
        let up = self.counts_up(handler.params[counter].0, nexts[counter], iteration)?;
        let is_passed = |id: ExprId| {
            let passed =
                |next: &ExprId| matches!(self.tree(*next), Expr::Var(_)) && self.tree(*next) == self.tree(id);
            nexts.iter().enumerate().any(|(index, next)| index != counter && passed(next))
        };
        let is_known = |id: &ExprId| self.is_outside(*id, handler, iteration) || is_passed(*id);
        let ends_so = match self.tree(end) {
            Expr::Exit { args, .. } => args.iter().all(is_known),
            _ => is_known(&end),
        };
        ends_so.then_some(Count { counter, last: args[1], up, nexts, end })
    }

    /// Whether what is passed to the next iteration is one more than a parameter; one less, if it is not.
    fn counts_up(&self, param: Var, next: ExprId, iteration: &Iteration<'a>) -> Option<bool> {
        let sum = match self.tree(next) {
            Expr::Var(var) => {
                let (_, def) = iteration.bound.iter().find(|(bound, _)| bound == var)?;
                self.tree(*def)
            }
            sum => sum,
        };
        let Expr::Prim { prim: Prim::IntArith { op, kind: IntKind::Tagged | IntKind::Naked }, args, .. } =
            sum
        else {
            return None;
        };
        let by = match self.tree(args[1]) {
            Expr::Int(n) if *self.tree(args[0]) == Expr::Var(param) => *n,
            _ => return None,
        };
        match (op, by) {
            (IntOp::Add, 1) | (IntOp::Sub, -1) => Some(true),
            (IntOp::Sub, 1) | (IntOp::Add, -1) => Some(false),
            _ => None,
        }
    }

    /// Whether an expression is a leaf that is the same in each iteration, and behind the loop.
    fn is_outside(&self, id: ExprId, handler: &Handler, iteration: &Iteration<'a>) -> bool {
        match self.tree(id) {
            Expr::Int(_) => true,
            Expr::Var(var) => {
                let is_bound = iteration.bound.iter().any(|(bound, _)| bound == var);
                let is_param = handler.params.iter().any(|(param, _)| param == var);
                !is_bound && !is_param && self.vars[var.0 as usize].is_some_and(Leaf::is_lasting)
            }
            _ => false,
        }
    }
}
