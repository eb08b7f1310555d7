//! Joins that nothing reaches any more, and handlers that nothing jumps to: what stands in them would still count as a
//! use for the analyses of the passes that follow.

use flambeau_ir::{ContHandler, Continuation, Expr, Item, Terminator};
use rustc_hash::FxHashSet;

/// Drops them, and what only they reached. Those that allocate closures stay: their codes have no other set.
pub fn drop_dead_joins(body: &mut Expr) {
    while drop_unused(body) {}
}

/// Drops what is not used now; whether there was any.
fn drop_unused(body: &mut Expr) -> bool {
    let mut dropped = false;
    let mut used: FxHashSet<Continuation> = FxHashSet::default();
    body.for_each_cont_use_deep(&mut |cont, _| {
        used.insert(cont);
    });
    body.walk_mut(&mut |expr| {
        dropped |= drop_rest(expr, &used);
        for item in &mut expr.items {
            if let Item::LetCont { recursive: false, handlers } = item {
                let is_live =
                    |handler: &ContHandler| used.contains(&handler.cont) || handler.body.makes_closures();
                let (live, dead) = std::mem::take(handlers).into_iter().partition(is_live);
                *handlers = live;
                let dead: Vec<ContHandler> = dead;
                dropped |= !dead.is_empty();
                dead.into_iter().for_each(|handler| handler.body.dismantle());
            }
        }
        expr.items.retain(|item| !matches!(item, Item::LetCont { handlers, .. } if handlers.is_empty()));
    });
    dropped
}

/// Drops what follows a join that nothing reaches; whether there was one.
fn drop_rest(expr: &mut Expr, used: &FxHashSet<Continuation>) -> bool {
    let mut dropped = false;
    let is_dead = |item: &Item| matches!(item, Item::Join { cont, .. } if !used.contains(cont));
    while let Some(at) = expr.items.iter().position(is_dead) {
        let mut rest = expr.items.split_off(at).into_iter();
        let Some(Item::Join { cont, params, body }) = rest.next() else { break };
        let end = std::mem::replace(&mut expr.terminator, Terminator::Unreachable);
        let rest = Expr { items: rest.collect(), terminator: end };
        if rest.makes_closures() {
            expr.terminator = rest.terminator;
            expr.items.push(Item::Join { cont, params, body });
            expr.items.extend(rest.items);
            break;
        }
        rest.dismantle();
        expr.terminator = body.terminator;
        expr.items.extend(body.items);
        dropped = true;
    }
    dropped
}
