//! What the text of a loop says of its parameters before it is followed.

use flambeau_ir::prim::IntOp;
use flambeau_ir::{Const, ContHandler, IntKind, Item, Named, Prim, Simple, Variable};
use flambeau_types::Direction;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::reader_of_length;

/// So many constants are tried as bounds of a parameter.
const LIMITS: usize = 8;

/// The outline of a loop.
pub struct Outline {
    /// The direction in which each parameter changes, if it does so by constant steps in one direction.
    pub directions: SmallVec<[Option<Direction>; 2]>,
    /// For each parameter, constants that may bound it: those that it is compared to, and those that are next to them.
    pub limits: SmallVec<[SmallVec<[i64; 4]>; 2]>,
    /// Lengths that are read: their variables, and what they are lengths of.
    pub lengths: Vec<(Variable, Prim, Simple)>,
}

impl Outline {
    /// The outline of a loop of one handler.
    pub fn of(handler: &ContHandler) -> Outline {
        let mut sums: FxHashMap<Variable, (Variable, i64)> = FxHashMap::default();
        let mut limits: SmallVec<[SmallVec<[i64; 4]>; 2]> =
            handler.params.iter().map(|_| SmallVec::new()).collect();
        let mut lengths = Vec::new();
        let mut steps: SmallVec<[(bool, bool); 2]> = SmallVec::from_elem((true, true), handler.params.len());
        handler.body.walk(&mut |expr| {
            for item in &expr.items {
                let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                if let Some(reader) = reader_of_length(prim) {
                    lengths.push((*var, reader, args[0]));
                }
                sums.extend(sum_with_constant(prim, args).map(|sum| (*var, sum)));
                if let Some((compared, n)) = comparison_with_constant(prim, args) {
                    let (of, amount) = sums.get(&compared).copied().unwrap_or((compared, 0));
                    let index = handler.params.iter().position(|param| *param == of);
                    if let Some(limits) =
                        index.map(|index| &mut limits[index]).filter(|known| known.len() < LIMITS)
                        && let Some(limit) = n.checked_sub(amount)
                    {
                        let near = [limit.saturating_sub(1), limit, limit.saturating_add(1)];
                        limits.extend(near);
                        limits.sort_unstable();
                        limits.dedup();
                    }
                }
            }
            expr.terminator.for_each_jump(&mut |jump| {
                if jump.cont != handler.cont {
                    return;
                }
                for ((param, arg), (up, down)) in handler.params.iter().zip(&jump.args).zip(&mut steps) {
                    let step = arg.as_var().and_then(|arg| match sums.get(&arg) {
                        Some((of, amount)) => (of == param).then_some(*amount),
                        None => (arg == *param).then_some(0),
                    });
                    *up &= step.is_some_and(|step| step >= 0);
                    *down &= step.is_some_and(|step| step <= 0);
                }
            });
        });
        let direction = |step| match step {
            (true, false) => Some(Direction::Up),
            (false, true) => Some(Direction::Down),
            _ => None,
        };
        Outline { directions: steps.into_iter().map(direction).collect(), limits, lengths }
    }
}

fn constant(simple: Simple) -> Option<i64> {
    match simple {
        Simple::Const(Const::Tagged(n)) => Some(n),
        _ => None,
    }
}

fn comparison_with_constant(prim: &Prim, args: &[Simple]) -> Option<(Variable, i64)> {
    match (prim, args) {
        (Prim::IntCompare { kind: IntKind::Tagged, .. } | Prim::PhysEqual { .. }, [x, y]) => {
            let (var, n) = if x.as_var().is_some() { (x, y) } else { (y, x) };
            Some((var.as_var()?, constant(*n)?))
        }
        _ => None,
    }
}

fn sum_with_constant(prim: &Prim, args: &[Simple]) -> Option<(Variable, i64)> {
    match (prim, args) {
        (
            Prim::IntArith { op: IntOp::Add, kind: IntKind::Tagged },
            [Simple::Var(of), n] | [n, Simple::Var(of)],
        ) => Some((*of, constant(*n)?)),
        (Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged }, [Simple::Var(of), n]) => {
            Some((*of, constant(*n)?.checked_neg()?))
        }
        _ => None,
    }
}
