//! Hoists what is the same in each turn of a loop to where the loop is entered, if every turn computes it (features D9).
//! `docs/passes/hoist.md` shows it.
//!
//! Other than `peel`, which copies a turn, this costs no code and takes loops of any size; but it moves only what cannot fail and
//! has no effect, from the *head* of the loop: the items that each turn evaluates first of all, up to a branch. So nothing is
//! computed that would not have been. A load stays if an item before it may raise, which may be what makes it safe.

use flambeau_ir::prim::{Effects, IntOp};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ContHandler, Continuation, Expr, Item, Named, Prim, Rewrites, Simple, Terminator, Unit, Variable,
};
use rustc_hash::FxHashSet;

use crate::loops::{self, Rewriting, Turn};

/// Hoists in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn hoist(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    // Inner loops come first: what leaves them may leave those around them.
    loops::rewrite(unit, rewrites, "hoist", hoist_entered)
}

/// Hoists out of the loop that a run ends by entering.
fn hoist_entered(rewriting: &mut Rewriting, expr: &mut Expr, index: usize) -> bool {
    let Item::LetCont { handlers, .. } = &mut expr.items[index] else { return false };
    let goes = invariants(&handlers[0], rewriting.turn(&handlers[0]));
    if goes.is_empty() || !rewriting.allow(handlers[0].cont) {
        return false;
    }
    let mut out = Vec::with_capacity(goes.len());
    take_out(&mut handlers[0].body, &goes, &mut out);
    let item = expr.items.remove(index);
    expr.items.extend(out);
    expr.items.push(item);
    true
}

/// What of the head of a loop is the same in each turn, and worth a register.
fn invariants(handler: &ContHandler, turn: Turn) -> FxHashSet<Variable> {
    let varies = handler.params.iter().copied().collect();
    let mut head = Head { turn, varies, same: Vec::new(), may_raise: false };
    head.run(&handler.body);
    let candidates: FxHashSet<Variable> = head.same.iter().map(|(var, ..)| *var).collect();
    let mut goes: FxHashSet<Variable> = FxHashSet::default();
    for (var, prim, args) in head.same.into_iter().rev() {
        // What is as cheap as a register goes along with what needs it alone.
        if goes.contains(&var) || is_worth_it(prim) {
            goes.insert(var);
            goes.extend(args.iter().filter_map(|arg| arg.as_var()).filter(|arg| candidates.contains(arg)));
        }
    }
    goes
}

/// What each turn of a loop evaluates first of all.
struct Head<'e> {
    turn: Turn,
    varies: FxHashSet<Variable>,
    /// What is not among them, in order.
    same: Vec<(Variable, &'e Prim, &'e [Simple])>,
    /// Something has been evaluated that may have raised.
    may_raise: bool,
}

impl<'e> Head<'e> {
    fn run(&mut self, expr: &'e Expr) {
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                    let is_safe = is_arithmetic(prim) || !self.may_raise;
                    if is_safe && exn.is_none() && self.turn.leaves(prim) && self.is_invariant(args) {
                        self.same.push((*var, prim, args));
                    } else {
                        self.varies.insert(*var);
                    }
                    let calls = matches!(prim, Prim::CCall(external) if !external.is_pure());
                    self.may_raise |= exn.is_some() || calls;
                }
                // Another name costs nothing where it is.
                Item::Let { var, .. } => {
                    self.varies.insert(*var);
                }
                Item::LetClosures { vars, .. } => self.varies.extend(vars),
                Item::LetCont { .. } => {}
                Item::Join { cont, params, body } => {
                    deep(|| self.run(body));
                    if !always_goes_on(body, *cont) {
                        break;
                    }
                    self.varies.extend(params);
                }
            }
        }
    }

    fn is_invariant(&self, args: &[Simple]) -> bool {
        args.iter().all(|arg| arg.as_var().is_none_or(|arg| !self.varies.contains(&arg)))
    }
}

/// Takes bindings out of the head of a loop.
fn take_out(head: &mut Expr, goes: &FxHashSet<Variable>, out: &mut Vec<Item>) {
    for mut item in std::mem::take(&mut head.items) {
        match &mut item {
            Item::Let { var, .. } if goes.contains(var) => {
                out.push(item);
                continue;
            }
            Item::Join { body, .. } => deep(|| take_out(body, goes, out)),
            _ => {}
        }
        head.items.push(item);
    }
}

/// Whether a term has no effect, and goes on with a continuation whichever way it takes.
fn always_goes_on(body: &Expr, cont: Continuation) -> bool {
    let mut own = FxHashSet::from_iter([cont]);
    let mut goes_on = true;
    // Continuations are bound before they are used, in this order.
    body.walk(&mut |expr| {
        for item in &expr.items {
            match item {
                Item::Let { named: Named::Prim { prim, exn, .. }, .. } => {
                    goes_on &= exn.is_none() && prim.effects().0 != Effects::Arbitrary;
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { cont, .. } => {
                    own.insert(*cont);
                }
                Item::LetCont { recursive, handlers } => {
                    goes_on &= !recursive;
                    own.extend(handlers.iter().map(|handler| handler.cont));
                }
            }
        }
        match &expr.terminator {
            Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_) => {
                expr.terminator.for_each_jump(&mut |jump| goes_on &= own.contains(&jump.cont));
            }
            _ => goes_on = false,
        }
    });
    goes_on
}

/// Whether it reads no memory: what it is given may be anything.
fn is_arithmetic(prim: &Prim) -> bool {
    match prim {
        Prim::IntArith { .. }
        | Prim::IntShift { .. }
        | Prim::IntCompare { .. }
        | Prim::IntCompare3 { .. }
        | Prim::FloatArith { .. }
        | Prim::FloatNeg
        | Prim::FloatAbs
        | Prim::FloatCompare { .. }
        | Prim::FloatCompare3
        | Prim::IsInt
        | Prim::PhysEqual { .. }
        | Prim::ProjectFunctionSlot { .. }
        | Prim::Tag
        | Prim::Untag
        | Prim::NumConv { .. } => true,
        Prim::CCall(external) => external.is_pure(),
        _ => false,
    }
}

/// Whether it takes longer than a move between registers.
fn is_worth_it(prim: &Prim) -> bool {
    match prim {
        Prim::IntArith { op: IntOp::Mul, .. }
        | Prim::FloatArith { .. }
        | Prim::NumConv { .. }
        | Prim::CCall(_) => true,
        _ => !is_arithmetic(prim),
    }
}
