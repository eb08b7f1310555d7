//! What an allocation may be moved past.

use flambeau_ir::prim::Crossing;
use flambeau_ir::{Expr, Item, Named, Terminator};

use super::floating::allocates;

/// What moving past an item is.
pub(super) fn crossing(item: &Item) -> Crossing {
    match item {
        Item::Let { named: Named::Simple(_), .. } | Item::LetClosures { .. } | Item::LetCont { .. } => {
            Crossing::Nothing
        }
        Item::Let { named: Named::Prim { prim, .. }, .. } => prim.crossing(),
        Item::Join { .. } if allocates(item).is_some() => Crossing::Nothing,
        Item::Join { .. } => Crossing::Effects,
    }
}

/// Moving past the rest of a run, from each of its items on and at the end.
pub(super) fn suffixes(expr: &Expr) -> Vec<Crossing> {
    let mut crossings = vec![Crossing::Nothing; expr.items.len() + 1];
    for (index, item) in expr.items.iter().enumerate().rev() {
        crossings[index] = crossings[index + 1].max(crossing(item));
    }
    crossings
}

/// Where, in a run, an allocation may stand that has moved past reads: just before a call, nothing but reads before it.
pub(super) fn before_call(expr: &Expr) -> Option<usize> {
    for (index, item) in expr.items.iter().enumerate() {
        match item {
            Item::Join { body, .. } if body.items.is_empty() && ends_in_call(body) => return Some(index),
            item if crossing(item) == Crossing::Effects => return None,
            _ => {}
        }
    }
    ends_in_call(expr).then_some(expr.items.len())
}

/// Whether a run ends by a call.
pub(super) fn ends_in_call(expr: &Expr) -> bool {
    matches!(expr.terminator, Terminator::Apply(_))
}
