//! Queries of the passes that move code out of loops.

use flambeau_ir::prim::Classes;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CodeId, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrite, Rewrites, Terminator, Unit,
};
use flambeau_simplify::waiting::waiting_loops;
use rustc_hash::FxHashSet;

/// A pass that rewrites loops, in one function.
pub struct Rewriting<'a> {
    pub unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    /// The loops that wait, by their first continuations. A loop with others in it is never copied.
    waiting: FxHashSet<Continuation>,
}

impl Rewriting<'_> {
    /// What an iteration of a loop does to the memory.
    pub fn iteration(&self, handler: &ContHandler) -> Iteration {
        Iteration::of(handler.cont, &handler.body, &self.waiting)
    }

    /// The function that the loop is in, nothing for the entry.
    pub fn function(&self) -> Option<CodeId> {
        self.code
    }

    /// Asks for permission to rewrite a loop.
    pub fn allow(&mut self, rewrite: Rewrite) -> bool {
        self.rewrites.allow(rewrite, self.unit, self.code)
    }
}

/// Rewrites the loops of all functions of a unit, inner ones first: `one` is passed a run that ends by entering a loop
/// and the index of the loop among its items, and returns whether it changed it. The result says in which functions
/// some were, the entry without a code.
pub fn rewrite(
    unit: &mut Unit,
    rewrites: &mut Rewrites,
    one: impl Fn(&mut Rewriting, &mut Expr, usize) -> bool,
) -> Vec<Option<CodeId>> {
    let mut changed_in = Vec::new();
    // The code of the toplevel runs once, but its loops may be long.
    unit.rewrite_bodies(|unit, code, body| {
        let waiting = waiting_loops(body);
        let mut rewriting = Rewriting { unit, rewrites, code, waiting };
        let mut changed = false;
        inner_first(body, &mut |run| {
            if let Some(index) = entered(run) {
                changed |= one(&mut rewriting, run, index);
            }
        });
        if changed {
            changed_in.push(code);
        }
        changed
    });
    changed_in
}

/// Calls a function on each run of a term, on those nested in it first.
fn inner_first(expr: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    deep(|| {
        for item in &mut expr.items {
            match item {
                Item::Join { body, .. } => inner_first(body, f),
                Item::LetCont { handlers, .. } => {
                    handlers.iter_mut().for_each(|handler| inner_first(&mut handler.body, f));
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        if let Terminator::Try { body, .. } = &mut expr.terminator {
            inner_first(body, f);
        }
        f(expr);
    });
}

/// The item of a run that binds the loop of one continuation which the run ends by entering, if that is its only
/// entry.
pub fn entered(expr: &Expr) -> Option<usize> {
    let Terminator::ApplyCont(entry) = &expr.terminator else { return None };
    let index = expr.items.iter().position(|item| match item {
        Item::LetCont { recursive: true, handlers } => handlers.len() == 1 && handlers[0].cont == entry.cont,
        _ => false,
    })?;
    (!is_used(&expr.items[index + 1..], entry.cont)).then_some(index)
}

/// Whether items jump to a continuation.
fn is_used(items: &[Item], cont: Continuation) -> bool {
    let mut used = false;
    for item in items {
        item.for_each_child(&mut |child| {
            child.walk(&mut |expr| {
                expr.terminator.for_each_cont_use(&mut |by, _| used |= by == cont);
            });
        });
    }
    used
}

/// What an iteration of a loop does to the memory.
pub struct Iteration {
    writes: Classes,
}

impl Iteration {
    /// Of the loop of one continuation. Where it waits, or a loop in it, others write what it waits for.
    pub fn of(cont: Continuation, body: &Expr, waiting: &FxHashSet<Continuation>) -> Iteration {
        let contents = |cont| if waiting.contains(&cont) { Classes::CONTENTS } else { Classes::NONE };
        let mut writes = contents(cont);
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Let { named: Named::Prim { prim, .. }, .. } => writes |= prim.effects().writes(),
                    Item::LetCont { handlers, .. } => {
                        handlers.first().into_iter().for_each(|first| writes |= contents(first.cont));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } | Item::Join { .. } => {}
                }
            }
            if let Terminator::Apply(_) = &expr.terminator {
                writes |= Classes::ALL;
            }
        });
        Iteration { writes }
    }

    /// Whether an operation may be executed before the loop instead of in each iteration.
    pub fn leaves(&self, prim: &Prim) -> bool {
        prim.leaves(self.writes)
    }

    /// Whether an operation does nothing new after the first iteration.
    pub fn repeats(&self, prim: &Prim) -> bool {
        prim.is_repetition(self.writes)
    }
}
