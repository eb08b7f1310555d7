//! Joins that nothing reaches any more, and handlers that nothing jumps to: what stands in them would still count as a
//! use for the analyses of the passes that follow.

use flambeau_ir::{Expr, Item};
use rustc_hash::FxHashSet;

/// Drops them, once: what only they reached stays.
pub fn drop_dead_joins(body: &mut Expr) {
    let mut used = FxHashSet::default();
    body.for_each_cont_use_deep(&mut |cont, _| {
        used.insert(cont);
    });
    body.walk_mut(&mut |expr| {
        let is_dead = |item: &Item| matches!(item, Item::Join { cont, .. } if !used.contains(cont));
        while let Some(at) = expr.items.iter().position(is_dead) {
            let rest = expr.items.split_off(at);
            let mut rest = rest.into_iter();
            let Some(Item::Join { body, .. }) = rest.next() else { return };
            let end = std::mem::replace(&mut expr.terminator, body.terminator);
            Expr { items: rest.collect(), terminator: end }.dismantle();
            expr.items.extend(body.items);
        }
        for item in &mut expr.items {
            if let Item::LetCont { recursive: false, handlers } = item {
                let (live, dead) =
                    std::mem::take(handlers).into_iter().partition(|handler| used.contains(&handler.cont));
                *handlers = live;
                let dead: Vec<flambeau_ir::ContHandler> = dead;
                dead.into_iter().for_each(|handler| handler.body.dismantle());
            }
        }
        expr.items.retain(|item| !matches!(item, Item::LetCont { handlers, .. } if handlers.is_empty()));
    });
}
