//! What floats: values without effect, and allocations.

use std::ops::Range;

use flambeau_flow::{Location, Run};
use flambeau_ir::prim::Classes;
use flambeau_ir::stack::deep;
use flambeau_ir::{Continuation, Expr, Item, Named, Prim, Simple, Terminator, Variable};
use smallvec::SmallVec;

use super::Function;

/// An item that may be moved.
pub(super) struct Floating<'e> {
    /// What it binds.
    pub(super) vars: SmallVec<[Variable; 1]>,
    /// The run that it is in.
    pub(super) home: Run,
    /// The positions of it and of what is nested in it; operands are used at these.
    pub(super) positions: Range<u32>,
    /// Where it is in its run.
    pub(super) index: usize,
    /// What it computes.
    pub(super) kind: FloatingKind<'e>,
}

/// What a floating item computes.
pub(super) enum FloatingKind<'e> {
    /// A value, without effect.
    Value { prim: &'e Prim, args: &'e [Simple] },
    /// A block, or a set of closures; or one value by a *diamond*: a `Join` whose branches only allocate, as a loop's
    /// unboxed parameter is boxed again.
    Allocation {
        /// It is the box of a number.
        is_number: bool,
        /// It is a set of closures, of which there is one.
        is_set: bool,
    },
}

impl Floating<'_> {
    pub(super) fn at(&self) -> Location {
        Location { run: self.home, position: self.positions.start }
    }
}

/// Finds what floats, in the order of the text.
pub(super) fn collect<'e>(function: &Function<'_, 'e>) -> Vec<Floating<'e>> {
    let mut found = Vec::new();
    for (home, term) in function.terms.iter() {
        let Some(term) = term else { continue };
        for (index, item) in term.items.iter().enumerate() {
            let Some((vars, kind)) = floats(item) else { continue };
            let Some(bound) = function.values.definition(vars[0]) else { continue };
            let positions = match item {
                // Its parameter is bound where it ends.
                Item::Join { cont, .. } => match function.flow.block_of(*cont) {
                    Some(block) => function.flow.blocks()[block].bound_at..bound.position,
                    None => continue,
                },
                _ => bound.position..bound.position + 1,
            };
            found.push(Floating { vars, home, positions, index, kind });
        }
    }
    found.sort_by_key(|floating| floating.positions.start);
    found
}

/// What an item binds and computes, if it may be moved.
fn floats(item: &Item) -> Option<(SmallVec<[Variable; 1]>, FloatingKind<'_>)> {
    if let Some(vars) = allocates(item) {
        let is_number =
            matches!(item, Item::Let { named: Named::Prim { prim: Prim::Box(_) | Prim::Rebox(_), .. }, .. });
        let is_set = matches!(item, Item::LetClosures { .. });
        return Some((vars, FloatingKind::Allocation { is_number, is_set }));
    }
    match item {
        Item::Let { var, named: Named::Prim { prim, args, .. }, .. } if prim.leaves(Classes::NONE) => {
            Some((SmallVec::from_slice(&[*var]), FloatingKind::Value { prim, args }))
        }
        _ => None,
    }
}

/// The variables that an item binds, if all that it does is to allocate.
pub(super) fn allocates(item: &Item) -> Option<SmallVec<[Variable; 1]>> {
    match item {
        Item::Let { var, named: Named::Prim { prim, .. }, .. } if prim.is_movable_allocation() => {
            Some(SmallVec::from_slice(&[*var]))
        }
        Item::LetClosures { vars, .. } => Some(vars.clone()),
        Item::Join { cont, params, body } if params.len() == 1 => {
            is_diamond(body, &mut SmallVec::from_slice(&[*cont])).then(|| params.iter().copied().collect())
        }
        _ => None,
    }
}

/// Whether a term only computes one of the values that its continuation takes, without effect: it may
/// continue with `conts`, and it binds continuations of its own.
fn is_diamond(body: &Expr, conts: &mut SmallVec<[Continuation; 4]>) -> bool {
    let (mark, mut pure) = (conts.len(), true);
    for item in &body.items {
        pure &= match item {
            Item::Let { named: Named::Prim { prim, .. }, .. } => {
                prim.is_movable_allocation() || prim.leaves(Classes::ALL)
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
