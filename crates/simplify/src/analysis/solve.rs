//! The least fixpoint of what the walk recorded: what the values that flow into a variable have in common, through
//! loops too.

use std::collections::VecDeque;

use flambeau_ir::{Const, Simple, Variable};
use flambeau_types::{Ty, join};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::boxes::Candidate;
use super::iterations::LoopParam;
use super::knowledge::{Alias, Knowledge};
use super::{Analysis, Asked, Flow, Source, Walk};

impl Walk<'_> {
    /// The least fixpoint: parameters start from nothing.
    pub(super) fn solve(mut self) -> Analysis {
        let (count, hasher) = (self.flows.len(), rustc_hash::FxBuildHasher);
        let mut inflow: FxHashMap<Variable, SmallVec<[Source; 2]>> =
            FxHashMap::with_capacity_and_hasher(count, hasher);
        let mut outflow: FxHashMap<Variable, SmallVec<[Variable; 2]>> =
            FxHashMap::with_capacity_and_hasher(count, hasher);
        for Flow { to, from, .. } in &self.flows {
            inflow.entry(*to).or_default().push(*from);
            if let Source::Atom(Simple::Var(from)) = from {
                outflow.entry(*from).or_default().push(*to);
            }
        }
        let mut queue: VecDeque<Variable> = VecDeque::new();
        let mut seen = FxHashSet::default();
        for Flow { to, .. } in &self.flows {
            if seen.insert(*to) {
                self.analysis.known.insert(*to, Knowledge::BOTTOM);
                queue.push_back(*to);
            }
        }
        if self.asked == Asked::Everything {
            spread(&mut self.analysis.projected, &inflow);
            spread(&mut self.analysis.called, &inflow);
            self.analysis.needed_boxed = self.iterations.used_boxed().collect();
            spread(&mut self.analysis.needed_boxed, &inflow);
        }
        while let Some(var) = queue.pop_front() {
            seen.remove(&var);
            let Knowledge { mut ty, mut alias, mut may_be_poison } = Knowledge::BOTTOM;
            for source in &inflow[&var] {
                let known = match source {
                    Source::Unknown => Knowledge::TOP,
                    Source::Atom(simple) => self.atom(*simple, var),
                };
                ty = join(&ty, &known.ty, &|_| Ty::Unknown).widen();
                may_be_poison |= known.may_be_poison;
                alias = match (alias, known.alias) {
                    (Alias::Bottom, x) | (x, Alias::Bottom) => x,
                    (Alias::Is(a), Alias::Is(b)) if a == b => Alias::Is(a),
                    _ => Alias::Top,
                };
            }
            let known = self.analysis.known.get_mut(&var).expect("entered above");
            if known.alias == Alias::Top {
                alias = Alias::Top;
            }
            let new = Knowledge { ty, alias, may_be_poison };
            if *known != new {
                *known = new;
                for next in outflow.get(&var).into_iter().flatten() {
                    if seen.insert(*next) {
                        queue.push_back(*next);
                    }
                }
            }
        }
        if self.asked == Asked::Everything {
            self.solve_iterations();
            let unboxed = self.analysis.loop_params.iter().filter(|(_, param)| param.boxed.is_some());
            self.analysis.unboxed_in_loops = unboxed.map(|(param, _)| *param).collect();
            spread(&mut self.analysis.unboxed_in_loops, &inflow);
        }
        self.analysis
    }

    /// Finds what loops do with their parameters, from what all values of these have in common.
    fn solve_iterations(&mut self) {
        let known = &self.analysis.known;
        let ints = |var| match &known.get(&var)?.ty {
            Ty::Variant(variant) => Some(variant.ints.clone()),
            _ => None,
        };
        let projected = &self.analysis.projected;
        let candidate = |param: Variable, loop_param: &LoopParam| {
            let known = known.get(&param).filter(|known| !known.may_be_poison || loop_param.has_names)?;
            let is_asked = projected.contains(&param) || loop_param.is_always_allocated;
            is_asked.then(|| Candidate::of(&known.ty, loop_param))?
        };
        (self.analysis.loop_params, self.analysis.travelling) =
            self.iterations.solve(&self.params, &self.flows, &ints, &candidate);
        self.analysis.behind_joins = self.iterations.made_behind_joins(&self.flows);
        self.analysis.allocated = std::mem::take(&mut self.iterations.allocated);
    }

    /// What flows from an atom into the variable `to`.
    fn atom(&self, simple: Simple, to: Variable) -> Knowledge {
        let alias = Alias::Is(simple);
        match simple {
            Simple::Const(Const::Poison(_)) => Knowledge { may_be_poison: true, ..Knowledge::BOTTOM },
            Simple::Var(var) if var == to => Knowledge::BOTTOM,
            Simple::Var(var) if self.analysis.known.contains_key(&var) => {
                let known = self.analysis.known[&var].clone();
                if known.alias == Alias::Top { Knowledge { alias, ..known } } else { known }
            }
            _ => Knowledge { ty: self.env.ty(simple).widen(), alias, may_be_poison: false },
        }
    }
}

/// Adds to a set of variables what flows into them.
fn spread(set: &mut FxHashSet<Variable>, inflow: &FxHashMap<Variable, SmallVec<[Source; 2]>>) {
    let mut queue: Vec<Variable> = set.iter().copied().collect();
    while let Some(var) = queue.pop() {
        for source in inflow.get(&var).into_iter().flatten() {
            if let Source::Atom(Simple::Var(from)) = source
                && set.insert(*from)
            {
                queue.push(*from);
            }
        }
    }
}
