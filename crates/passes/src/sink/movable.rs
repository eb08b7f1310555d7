//! What may be moved, and what it may be moved past.

use flambeau_ir::prim::{Coeffects, Effects};
use flambeau_ir::stack::deep;
use flambeau_ir::{Continuation, Expr, Item, Named, Prim, Terminator, Variable};
use smallvec::SmallVec;

/// What an allocation moves past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// Nothing that a signal or another thread could tell from its absence.
    Nothing,
    /// Reads of mutable blocks.
    Reads,
    /// Writes, calls and the like.
    Effects,
}

/// What a run computes in one item that may be moved, an allocation or a diamond: the variables that it binds.
pub fn movable(item: &Item) -> Option<SmallVec<[Variable; 1]>> {
    match item {
        Item::Let { var, named: Named::Prim { prim, .. }, .. } if is_movable(prim) => {
            Some(SmallVec::from_slice(&[*var]))
        }
        Item::LetClosures { vars, .. } => Some(vars.clone()),
        Item::Join { cont, params, body } if params.len() == 1 => {
            is_diamond(body, &mut SmallVec::from_slice(&[*cont])).then(|| params.iter().copied().collect())
        }
        _ => None,
    }
}

/// What moving past an item is.
pub fn crossing(item: &Item) -> Crossing {
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
        Item::Join { .. } if movable(item).is_some() => Crossing::Nothing,
        Item::Join { .. } => Crossing::Effects,
    }
}

/// Where, in a run, an allocation may stand that has moved past reads: just before a call, nothing but reads before it.
pub fn before_call(expr: &Expr) -> Option<usize> {
    let is_call = |expr: &Expr| matches!(expr.terminator, Terminator::Apply(_));
    for (index, item) in expr.items.iter().enumerate() {
        match item {
            Item::Join { body, .. } if body.items.is_empty() && is_call(body) => return Some(index),
            item if crossing(item) == Crossing::Effects => return None,
            _ => {}
        }
    }
    is_call(expr).then_some(expr.items.len())
}

/// Whether the allocation may be moved.
fn is_movable(prim: &Prim) -> bool {
    prim.effects() == (Effects::Generative, Coeffects::None)
        && !matches!(prim, Prim::AllocDummyClosure { .. })
}

/// Whether a term only computes one of the values that its continuation takes, without effect: with `conts` it may
/// go on, and it binds continuations of its own.
fn is_diamond(body: &Expr, conts: &mut SmallVec<[Continuation; 4]>) -> bool {
    let (mark, mut pure) = (conts.len(), true);
    for item in &body.items {
        pure &= match item {
            Item::Let { named: Named::Prim { prim, exn: None, .. }, .. } => {
                is_movable(prim) || prim.effects() == (Effects::None, Coeffects::None)
            }
            Item::Let { named: Named::Simple(_), .. } => true,
            Item::LetCont { recursive: false, handlers } => {
                let arms =
                    handlers.iter().all(|h| h.params.is_empty() && deep(|| is_diamond(&h.body, conts)));
                conts.extend(handlers.iter().map(|handler| handler.cont));
                arms
            }
            _ => false,
        };
        if !pure {
            break;
        }
    }
    pure = pure
        && match &body.terminator {
            Terminator::ApplyCont(jump) => conts.contains(&jump.cont),
            Terminator::Switch(switch) => {
                let mut inside = true;
                switch.for_each_jump(&mut |jump| inside &= conts.contains(&jump.cont));
                inside
            }
            _ => false,
        };
    conts.truncate(mark);
    pure
}
