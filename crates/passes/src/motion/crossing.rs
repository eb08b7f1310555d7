//! What an allocation may be moved past.

use flambeau_ir::prim::{Coeffects, Effects};
use flambeau_ir::{Expr, Item, Named, Prim, Terminator};

use super::floating::allocates;

/// What an allocation moves past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Crossing {
    /// Nothing that a signal or another thread could tell from its absence.
    #[default]
    Nothing,
    /// Reads of mutable blocks.
    Reads,
    /// Writes, calls and the like.
    Effects,
}

/// What moving past an item is.
pub(super) fn crossing(item: &Item) -> Crossing {
    match item {
        Item::Let { named: Named::Simple(_), .. } | Item::LetClosures { .. } | Item::LetCont { .. } => {
            Crossing::Nothing
        }
        Item::Let { named: Named::Prim { prim, .. }, .. } => match prim {
            Prim::CheckBound { .. } | Prim::CheckZero { .. } => Crossing::Nothing,
            Prim::BlockLoad { .. } | Prim::BlockLoadFloat { .. } | Prim::BlockLoadComputed
                if prim.effects().1 == Coeffects::Has =>
            {
                Crossing::Reads
            }
            _ if prim.effects().0 == Effects::Arbitrary => Crossing::Effects,
            _ => Crossing::Nothing,
        },
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
