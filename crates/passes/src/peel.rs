//! Peeling: the first iteration of a small loop is done before the loop, so that what is the same in each iteration is
//! computed there. `docs/passes/peel.md` shows it.
//!
//! What is invariant may be a load, a bounds check, a division: it must not be done before the loop if the loop is not
//! entered, nor before an effect that comes before it in the iteration. In the peeled iteration it is done when and
//! where the source does it, and in the loop it is a common subexpression: the loop is bound where the first iteration
//! would jump back, so that all that it has computed is in scope in it.

use flambeau_ir::copy::Copier;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ContHandler, Continuation, Expr, Heat, Item, Named, Rewrite, Rewrites, Simple, Terminator, Unit, Variable,
};
use flambeau_simplify::size;
use rustc_hash::FxHashSet;

use crate::loops::{self, Iteration, Rewriting};
use crate::motion::may_be_in_vain;

/// Larger loops are not peeled.
const LARGE: u32 = 80;
/// What is computed anew in each iteration must measure this much.
const WORTH: u32 = 3;

/// Peels loops in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn peel(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    !loops::rewrite(unit, rewrites, peel_entered).is_empty()
}

/// Peels the loop that a run ends by entering.
fn peel_entered(rewriting: &mut Rewriting, expr: &mut Expr, index: usize) -> bool {
    let (Item::LetCont { handlers, .. }, Terminator::ApplyCont(entry)) =
        (&expr.items[index], &expr.terminator)
    else {
        return false;
    };
    if !is_worth_it(&handlers[0], rewriting) || !rewriting.allow(Rewrite::Peeling(entry.cont)) {
        return false;
    }
    peel_off(rewriting.unit, expr, index);
    true
}

/// Does the first iteration of a loop before it, where a run ends by entering the loop of one continuation that one of
/// its items binds.
pub(crate) fn peel_off(unit: &mut Unit, expr: &mut Expr, index: usize) {
    let (Item::LetCont { handlers, .. }, Terminator::ApplyCont(entry)) =
        (&expr.items[index], &expr.terminator)
    else {
        return;
    };
    let ContHandler { cont, params, body } = &handlers[0];
    let cont = *cont;
    let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
    copier.substitute_variables(params, &entry.args);
    let mut first = copier.expr(body);
    lead_out_of_joins(&mut first);
    let mut item = Some(expr.items.remove(index));
    bind_at_back_edge(&mut first, cont, &mut item);
    expr.items.extend(first.items);
    expr.terminator = first.terminator;
}

/// Whether a loop is innermost and small, has one back edge, and computes something invariant.
fn is_worth_it(handler: &ContHandler, rewriting: &Rewriting) -> bool {
    let never_ran = rewriting.unit.continuations[handler.cont].heat == Heat::Never;
    if never_ran || size::of(&handler.body, LARGE).is_none() {
        return false;
    }
    let Some(path) = scope_at_back_edge(handler) else { return false };
    let mut varies: FxHashSet<Variable> = handler.params.iter().copied().collect();
    handler.body.walk(&mut |expr| {
        for item in &expr.items {
            item.for_each_bound(&mut |var| {
                varies.insert(var);
            });
            if let Item::LetCont { handlers, .. } = item {
                handlers.iter().for_each(|handler| varies.extend(&handler.params));
            }
        }
    });
    invariant_size(&path, &rewriting.iteration(handler), varies) >= WORTH
}

/// The items that are in scope where a loop jumps back, inner ones first, if it is innermost and jumps back from one
/// place: else it is not peeled.
pub(crate) fn scope_at_back_edge(handler: &ContHandler) -> Option<Vec<&[Item]>> {
    let ContHandler { cont, body, .. } = handler;
    let (mut innermost, mut back_edges) = (true, 0);
    body.walk(&mut |expr| {
        for item in &expr.items {
            innermost &= !matches!(item, Item::LetClosures { .. } | Item::LetCont { recursive: true, .. });
        }
        match &expr.terminator {
            Terminator::Try { .. } => innermost = false,
            Terminator::ApplyCont(jump) if jump.cont == *cont => {
                back_edges += 1;
                return;
            }
            _ => {}
        }
        expr.terminator.for_each_cont_use(&mut |used, _| innermost &= used != *cont);
    });
    if !innermost || back_edges != 1 {
        return None;
    }
    let mut path = Vec::new();
    path_to_back_edge(body, *cont, &mut path);
    Some(path)
}

/// The items that are in scope where a loop jumps back, inner ones first; nothing if it does so elsewhere. Of what is
/// nested in these items that is only what the bodies of joins begin with, which [`lead_out`] puts before them.
fn path_to_back_edge<'e>(expr: &'e Expr, cont: Continuation, path: &mut Vec<&'e [Item]>) -> bool {
    if matches!(&expr.terminator, Terminator::ApplyCont(jump) if jump.cont == cont) {
        push_scope(&expr.items, path);
        return true;
    }
    for (index, item) in expr.items.iter().enumerate() {
        let mut is_inside = false;
        item.for_each_child(&mut |child| {
            is_inside = is_inside || deep(|| path_to_back_edge(child, cont, path));
        });
        if is_inside {
            push_scope(&expr.items[..index], path);
            return true;
        }
    }
    false
}

fn push_scope<'e>(items: &'e [Item], path: &mut Vec<&'e [Item]>) {
    let mut scope = Vec::new();
    let mut start = 0;
    for (index, item) in items.iter().enumerate() {
        if let Item::Join { body, .. } = item {
            scope.push(&items[start..index]);
            start = index;
            push_leading(body, &mut scope);
        }
    }
    scope.push(&items[start..]);
    path.extend(scope.into_iter().rev());
}

/// The number of bindings that a run begins with.
fn leading(expr: &Expr) -> usize {
    expr.items.iter().take_while(|item| matches!(item, Item::Let { .. })).count()
}

fn push_leading<'e>(body: &'e Expr, scope: &mut Vec<&'e [Item]>) {
    let lead = leading(body);
    scope.push(&body.items[..lead]);
    if let Some(Item::Join { body: inner, .. }) = body.items.get(lead) {
        deep(|| push_leading(inner, scope));
    }
}

/// Puts what the body of a join begins with before the join: it is done at the same time there, and in scope after the
/// join, too.
fn lead_out(body: &mut Expr, out: &mut Vec<Item>) {
    let lead = leading(body);
    out.extend(body.items.drain(..lead));
    if let Some(Item::Join { body: inner, .. }) = body.items.first_mut() {
        deep(|| lead_out(inner, out));
    }
}

/// Leads out of all joins of a term.
fn lead_out_of_joins(expr: &mut Expr) {
    expr.walk_mut(&mut |expr| {
        if !expr.items.iter().any(|item| matches!(item, Item::Join { body, .. } if !body.items.is_empty())) {
            return;
        }
        let mut items = Vec::with_capacity(expr.items.len());
        for mut item in std::mem::take(&mut expr.items) {
            if let Item::Join { body, .. } = &mut item {
                lead_out(body, &mut items);
            }
            items.push(item);
        }
        expr.items = items;
    });
}

/// The size of what a loop computes that is the same in each iteration, is known in the next, and does not leave the
/// loop by itself (`motion`).
fn invariant_size(path: &[&[Item]], iteration: &Iteration, mut varies: FxHashSet<Variable>) -> u32 {
    let mut total = 0;
    // Outer items come before those nested after them, so operands before their uses.
    for item in path.iter().rev().copied().flatten() {
        let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
        let varying = args.iter().any(|arg| arg.as_var().is_some_and(|arg| varies.contains(&arg)));
        let constant = args.iter().all(|arg| matches!(arg, Simple::Const(_)));
        if varying || constant || !iteration.repeats(prim) {
            continue;
        }
        varies.remove(var);
        if !may_be_in_vain(prim, false) {
            total += prim.size(args.len() as u32);
        }
    }
    total
}

/// Binds the loop where the term jumps to it.
fn bind_at_back_edge(expr: &mut Expr, cont: Continuation, item: &mut Option<Item>) {
    expr.walk_mut(&mut |expr| {
        if matches!(&expr.terminator, Terminator::ApplyCont(jump) if jump.cont == cont) {
            expr.items.extend(item.take());
        }
    });
}
