//! What an allocation may be moved past.

use flambeau_ir::prim::Crossing;
use flambeau_ir::{Expr, Item, Named, Terminator};

/// What moving past an item is, of which what is nested in it does `nested`.
pub(super) fn of_item(item: &Item, nested: Crossing) -> Crossing {
    match item {
        Item::Let { named: Named::Simple(_), .. } | Item::LetClosures { .. } | Item::LetCont { .. } => {
            Crossing::Nothing
        }
        Item::Let { named: Named::Prim { prim, .. }, .. } => prim.crossing(),
        Item::Join { .. } => nested,
    }
}

/// What moving past the end of a run in the body of a `Join` is.
pub(super) fn of_end(terminator: &Terminator) -> Crossing {
    match terminator {
        Terminator::Apply(_) | Terminator::Try { .. } => Crossing::Effects,
        Terminator::ApplyCont(_)
        | Terminator::Switch(_)
        | Terminator::StringSwitch(_)
        | Terminator::Raise { .. }
        | Terminator::Unreachable => Crossing::Nothing,
    }
}

/// Where, in a run, an allocation may stand that has moved past reads: just before a call, nothing but reads before it.
pub(super) fn before_call(expr: &Expr, crossings: &[Crossing]) -> Option<usize> {
    for (index, (item, crossing)) in expr.items.iter().zip(crossings).enumerate() {
        match item {
            Item::Join { body, .. } if body.items.is_empty() && ends_in_call(body) => return Some(index),
            _ if *crossing == Crossing::Effects => return None,
            _ => {}
        }
    }
    ends_in_call(expr).then_some(expr.items.len())
}

/// Whether a run ends by a call.
pub(super) fn ends_in_call(expr: &Expr) -> bool {
    matches!(expr.terminator, Terminator::Apply(_))
}
