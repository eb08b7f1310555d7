//! Which parameters of joins are allocated behind the join instead of before it.
//!
//! If each path to a join in a loop allocates a block for the join alone, the block may as well be allocated behind it:
//! there is one on each path all the same, and from there it sinks to where it is needed (the pass `motion`). That is
//! worth it if only paths that leave the loop need it, as what a fold returns in the end.

use flambeau_ir::{Simple, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::iterations::Iterations;
use super::{Flow, Source};

/// The blocks that paths pass to a parameter, each allocated for it alone.
type Passed = SmallVec<[Variable; 2]>;

impl Iterations {
    /// The parameters of joins in loops that only paths which leave the loop need, and to which each path passes a
    /// block that it allocates for nothing else.
    pub fn made_behind_joins(&self, flows: &[Flow]) -> FxHashSet<Variable> {
        let mut passed = self.passed_blocks(flows);
        if passed.is_empty() {
            return FxHashSet::default();
        }
        let mut needs: FxHashMap<Variable, SmallVec<[u32; 2]>> = FxHashMap::default();
        for (var, place) in self.uses_of_boxes() {
            needs.entry(var).or_default().push(place);
        }
        let mut loops: Vec<usize> = passed.keys().filter_map(|param| self.loop_of(*param)).collect();
        loops.sort_unstable();
        loops.dedup();
        let going_on = self.going_on(&loops);
        let leaves = |home: usize, place: u32| {
            let around = self.places[place as usize];
            let goes_on = || going_on.get(&home).is_none_or(|marked| marked.contains(&place));
            !self.is_inside(around, home) || around == Some(home) && !goes_on()
        };
        passed.retain(|param, blocks| {
            let needed = needs.get(param).zip(self.loop_of(*param));
            needed.is_some_and(|(places, home)| places.iter().all(|place| leaves(home, *place)))
                && blocks.iter().all(|block| !needs.contains_key(block))
        });
        passed.into_keys().collect()
    }

    /// The parameters of joins in loops that are passed nothing but blocks of the same iteration, which flow nowhere
    /// else, and that flow nowhere themselves.
    fn passed_blocks(&self, flows: &[Flow]) -> FxHashMap<Variable, Passed> {
        // Nothing of what is passed something else, too.
        let mut passed: FxHashMap<Variable, Option<Passed>> = FxHashMap::default();
        let mut flows_on: FxHashMap<Variable, u32> = FxHashMap::default();
        for flow in flows {
            let from = match flow.from {
                Source::Atom(Simple::Var(from)) => Some(from),
                _ => None,
            };
            from.into_iter().for_each(|from| *flows_on.entry(from).or_default() += 1);
            let blocks = passed.entry(flow.to).or_insert_with(|| Some(Passed::new()));
            // The allocation moves past nothing that it may not move past.
            let moves_freely = |from: &Variable| {
                self.allocated.contains(from)
                    && self.bound.get(from) == Some(&flow.place)
                    && !self.disturbed.contains(&flow.place)
            };
            match (from.filter(moves_freely), blocks.as_mut()) {
                (Some(from), Some(blocks)) => blocks.push(from),
                _ => *blocks = None,
            }
        }
        let mut joins = FxHashMap::default();
        for (param, blocks) in passed {
            let Some(blocks) = blocks else { continue };
            let home = self.loop_of(param);
            let is_join = home.is_some() && blocks.len() > 1 && !self.is_param_of_loop(param);
            let are_alone =
                || blocks.iter().all(|block| flows_on[block] == 1 && self.loop_of(*block) == home);
            if is_join && !flows_on.contains_key(&param) && are_alone() {
                joins.insert(param, blocks);
            }
        }
        joins
    }
}
