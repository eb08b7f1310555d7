//! What a run loads before anything else happens: whoever begins the run may as well load that.

use flambeau_ir::{Continuation, Expr, Item, Named, Prim, Simple, Terminator, Variable};
use rustc_hash::FxHashSet;

/// Items further on are none of the beginning.
const LONGEST: usize = 48;

/// Visits each load from a variable that a run begins with, in order: on each path through the run it is done, and may
/// as well be done before what precedes it.
pub fn for_each_first_load(items: &[Item], visit: &mut dyn FnMut(Variable, &Prim)) {
    for item in items.iter().take(LONGEST) {
        match item {
            Item::Let { named: Named::Prim { prim, args, exn }, .. } => {
                let is_load =
                    matches!(prim, Prim::Unbox(_) | Prim::BlockLoad { .. } | Prim::BlockLoadFloat { .. });
                if let ([Simple::Var(var)], true) = (&args[..], is_load && exn.is_none()) {
                    visit(*var, prim);
                }
            }
            // What is evaluated now comes first. Only what each path computes is sure to be.
            Item::Join { body, .. } => for_each_first_load(&body.items, visit),
            _ => {}
        }
        if !may_precede_load(item) {
            break;
        }
    }
}

/// Whether a load behind an item may as well be in front of it.
fn may_precede_load(item: &Item) -> bool {
    match item {
        Item::Let { named: Named::Prim { prim, exn, .. }, .. } => exn.is_none() && prim.can_duplicate(),
        Item::Let { named: Named::Simple(_), .. } | Item::LetCont { .. } => true,
        Item::Join { cont, body, .. } => only_computes(*cont, body),
        Item::LetClosures { .. } => false,
    }
}

/// Whether a term does nothing but to compute what it passes to a continuation, to which each path leads.
fn only_computes(cont: Continuation, body: &Expr) -> bool {
    let (mut computes, mut items) = (true, 0);
    let mut inside: FxHashSet<Continuation> = FxHashSet::default();
    inside.insert(cont);
    body.walk(&mut |expr| {
        for item in &expr.items {
            items += 1;
            computes &= match item {
                Item::LetCont { recursive, handlers } => {
                    inside.extend(handlers.iter().map(|handler| handler.cont));
                    !recursive
                }
                Item::Join { cont, .. } => inside.insert(*cont),
                _ => may_precede_load(item),
            };
        }
        computes &= items <= LONGEST
            && matches!(
                expr.terminator,
                Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_)
            );
    });
    body.for_each_cont_use_deep(&mut |used, _| computes &= inside.contains(&used));
    computes
}
