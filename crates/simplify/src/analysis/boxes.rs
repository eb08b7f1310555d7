//! Which parameters of loops may be passed unboxed, as their parts alone, so that an existing box is never allocated a
//! second time.
//!
//! A parameter that is passed as its parts alone is *rebuilt*: where the boxed value is needed, it is allocated from
//! the parts. That keeps identity, sharing and the number of allocations only if each incoming value was never
//! allocated before, and is allocated once at most afterwards. A *station* is where a value may become a box: an
//! allocation in the source, or one iteration's remade parameter. So
//!
//! - each value that flows into a remade parameter is an immediate, an allocation of the function, or another remade
//!   parameter, directly or through joins that do not need it boxed;
//! - on each path a station either needs its boxed value or passes its value on to one other station.
//!
//! Neither condition matters for a value that is only projected from, wherever it flows. Where they fail because boxes
//! that exist come, too, each is passed beside its parts ([`LoopBox::Available`]): if the loop is entered with it and
//! each iteration allocates another one; of numbers, wherever it comes from. Then an immediate *travels* in its place
//! for a number that has not been boxed yet, through joins, too.
//!
//! Rebuilt boxes are allocated at the beginning of the handler, and sink from there (the pass `motion`). That is no
//! more than the source allocates if each iteration of the source allocates, or if a single path that leaves the loop
//! needs the box and nothing on the path keeps the allocation from sinking.

use flambeau_ir::{Const, Simple, Variable};
use flambeau_types::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::iterations::{Iterations, LoopParam};
use super::{Flow, Source};
use crate::unboxing::is_small;

/// How often, for each flow, program points and variables may be visited.
const WORK: usize = 64;

/// How often candidates that others depend on may be refused, before all that are observed are refused.
const ROUNDS: usize = 16;

/// On how many paths that leave a loop a number may be boxed: each is code, and `motion` moves a box to no more.
const MOST_EXITS: usize = 3;

/// How a parameter of a loop is passed unboxed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopBox {
    /// As its parts alone: the boxed value is allocated where it is needed.
    Rebuilt,
    /// As its parts, and the box beside them if there is one already.
    Available,
}

/// A parameter of a loop that could be passed unboxed.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// There is one shape of block, or a number.
    is_simple: bool,
    is_number: bool,
    is_always_allocated: bool,
}

impl Candidate {
    /// The candidate for a parameter of that type.
    pub fn of(ty: &Ty, loop_param: &LoopParam) -> Option<Candidate> {
        let is_simple = match ty {
            Ty::Boxed(..) => true,
            // Static floats are not known to be never assigned: if some are allocated as such, all are of that type.
            Ty::Floats(_) if loop_param.is_allocated => true,
            Ty::Variant(_) if ty.as_block().is_some() => true,
            Ty::Variant(_) if loop_param.is_allocated => false,
            _ => return None,
        };
        let is_number = matches!(ty, Ty::Boxed(..));
        let is_always_allocated = loop_param.is_always_allocated;
        is_small(ty).then_some(Candidate { is_simple, is_number, is_always_allocated })
    }
}

/// What flows from one variable into another.
#[derive(Clone, Copy)]
struct Pass {
    /// The other variable.
    other: Variable,
    place: u32,
    /// The value enters the loop whose parameter it becomes.
    enters: bool,
}

/// Flows, by one of their ends.
type Passes = FxHashMap<Variable, SmallVec<[Pass; 2]>>;

/// Where values move on to another station.
type Moves = FxHashMap<Variable, SmallVec<[u32; 2]>>;

/// The successors of each block; with the loop whose next iteration the edge begins, if it does.
type Successors = FxHashMap<u32, SmallVec<[(u32, Option<usize>); 2]>>;

/// What was decided.
pub struct Unboxed {
    /// The parameters of loops to be passed unboxed, each with the representative of all that it depends on.
    pub params: Vec<(Variable, LoopBox, Variable)>,
    /// What is passed without a box, beside its parts, to those that take a box if there is one.
    pub travelling: FxHashSet<Variable>,
}

/// The search.
pub struct Boxes<'a> {
    iterations: &'a Iterations,
    flows: &'a [Flow],
    outs: Passes,
    ins: Passes,
    /// The blocks that need a variable boxed, whatever is decided for others.
    uses: FxHashMap<Variable, SmallVec<[u32; 2]>>,
    /// The variables that may be needed boxed, under whatever name.
    observed: FxHashSet<Variable>,
    /// The blocks from which loops may be continued.
    going_on: FxHashMap<usize, FxHashSet<u32>>,
    next: Successors,
    candidates: FxHashMap<Variable, Candidate>,
    /// The candidates that are still assumed to be passed unboxed.
    unboxed: FxHashMap<Variable, LoopBox>,
    /// The blocks that need a variable boxed.
    needs: FxHashMap<Variable, SmallVec<[u32; 2]>>,
    work: usize,
}

impl<'a> Boxes<'a> {
    /// The search in a function.
    pub fn of(
        iterations: &'a Iterations,
        flows: &'a [Flow],
        uses: Vec<(Variable, u32)>,
        going_on: FxHashMap<usize, FxHashSet<u32>>,
        candidates: FxHashMap<Variable, Candidate>,
    ) -> Boxes<'a> {
        let mut wholes = Boxes {
            iterations,
            flows,
            outs: Passes::default(),
            ins: Passes::default(),
            uses: FxHashMap::default(),
            observed: FxHashSet::default(),
            going_on,
            next: Successors::default(),
            unboxed: candidates.keys().map(|param| (*param, LoopBox::Rebuilt)).collect(),
            candidates,
            needs: FxHashMap::default(),
            work: WORK * (flows.len() + iterations.places.len()),
        };
        for flow in flows {
            if let Source::Atom(Simple::Var(from)) = flow.from {
                let (place, enters) = (flow.place, wholes.enters(flow));
                wholes.outs.entry(from).or_default().push(Pass { other: flow.to, place, enters });
                wholes.ins.entry(flow.to).or_default().push(Pass { other: from, place, enters });
            }
        }
        for (var, place) in uses {
            wholes.uses.entry(var).or_default().push(place);
        }
        wholes.observe();
        wholes.connect();
        wholes
    }

    /// The parameters to be passed unboxed.
    pub fn solve(mut self) -> Unboxed {
        for round in 0.. {
            self.find_needs();
            let refused = self.refused();
            if refused.is_empty() {
                break;
            }
            if round == ROUNDS {
                // The conditions apply to observed variables only.
                let observed = &self.observed;
                self.unboxed.retain(|param, _| !observed.contains(param));
                break;
            }
            for (param, boxed) in refused {
                match boxed {
                    Some(boxed) => self.unboxed.insert(param, boxed),
                    None => self.unboxed.remove(&param),
                };
            }
        }
        let webs = self.webs();
        let params = self.unboxed.iter().map(|(param, boxed)| (*param, *boxed, webs[param])).collect();
        Unboxed { params, travelling: self.travelling() }
    }

    fn travelling(&mut self) -> FxHashSet<Variable> {
        let available = self.unboxed.iter().filter(|(_, boxed)| **boxed == LoopBox::Available);
        let params = available.map(|(param, _)| *param).collect();
        let moves = self.moves();
        self.travelling_to(params, &moves)
    }

    /// What is passed by iterations to parameters that take the box beside the parts, and has none on the way:
    /// allocations of which nothing else needs the box, and parameters of joins that nothing needs boxed.
    fn travelling_to(&mut self, params: Vec<Variable>, moves: &Moves) -> FxHashSet<Variable> {
        let mut travelling: FxHashSet<Variable> = FxHashSet::default();
        let mut pending = params;
        while let Some(to) = pending.pop() {
            let from: SmallVec<[Pass; 2]> = self.ins.get(&to).cloned().unwrap_or_default();
            for pass in from.into_iter().filter(|pass| !pass.enters) {
                let var = pass.other;
                let is_allocated = self.iterations.allocated.contains(&var);
                let is_join = !is_allocated && self.ins.contains_key(&var) && !self.needs.contains_key(&var);
                let stays = self.unboxed.contains_key(&var)
                    || self.iterations.is_param_of_loop(var)
                    || travelling.contains(&var);
                let Some(moved) = moves.get(&var).filter(|_| !stays && (is_allocated || is_join)) else {
                    continue;
                };
                if !self.is_allocated_twice(var, moved, is_allocated) {
                    travelling.insert(var);
                    pending.push(var);
                }
            }
        }
        travelling
    }

    /// Whether a flow comes from outside the loop whose parameter it defines.
    fn enters(&self, flow: &Flow) -> bool {
        let around = self.iterations.places[flow.place as usize];
        self.iterations.loop_of(flow.to).is_some_and(|home| !self.iterations.is_inside(around, home))
    }

    /// Finds the variables that are needed boxed somewhere, and those that flow there.
    fn observe(&mut self) {
        let mut pending: Vec<Variable> = self.uses.keys().copied().collect();
        while let Some(var) = pending.pop() {
            if self.observed.insert(var) {
                pending.extend(self.ins.get(&var).into_iter().flatten().map(|pass| pass.other));
            }
        }
    }

    fn connect(&mut self) {
        for (from, to) in &self.iterations.enters {
            self.next.entry(*from).or_default().push((*to, None));
        }
        for (from, cont) in &self.iterations.jumps {
            if let Some(to) = self.iterations.handlers.get(cont) {
                let begins = self.iterations.heads.get(cont).copied();
                self.next.entry(*from).or_default().push((*to, begins));
            }
        }
    }

    /// Finds where variables are needed boxed, for the parameters now assumed to be unboxed.
    fn find_needs(&mut self) {
        self.needs.clone_from(&self.uses);
        // A loop's parameter that is not unboxed is boxed wherever it is observed.
        let is_boxed = |param: &Variable| {
            self.iterations.is_param_of_loop(*param)
                && !self.unboxed.contains_key(param)
                && self.observed.contains(param)
        };
        let boxed: Vec<Variable> = self.ins.keys().copied().filter(is_boxed).collect();
        for param in &boxed {
            self.needs.entry(*param).or_default();
        }
        let mut pending: Vec<Variable> = self.uses.keys().copied().chain(boxed).collect();
        // The value that a loop is entered with is boxed if it is passed beside the parts.
        for (param, _) in self.unboxed.iter().filter(|(_, boxed)| **boxed == LoopBox::Available) {
            for pass in self.ins.get(param).into_iter().flatten().filter(|pass| pass.enters) {
                if !self.is_available(pass.other) {
                    self.needs.entry(pass.other).or_default().push(pass.place);
                    pending.push(pass.other);
                }
            }
        }
        let mut seen: FxHashSet<Variable> = FxHashSet::default();
        while let Some(var) = pending.pop() {
            if self.unboxed.contains_key(&var) || !seen.insert(var) {
                continue;
            }
            for pass in self.ins.get(&var).into_iter().flatten() {
                self.needs.entry(pass.other).or_default().push(pass.place);
                pending.push(pass.other);
            }
        }
    }

    /// The parameters for which a condition fails, and how they may be passed instead, if not boxed.
    fn refused(&mut self) -> Vec<(Variable, Option<LoopBox>)> {
        let moves = self.moves();
        let real = self.real(&moves);
        // Some flow of a box, at the entry or at another block.
        let mut boxed: FxHashMap<Variable, bool> = FxHashMap::default();
        for flow in self.flows {
            let Some(how) = self.unboxed.get(&flow.to) else { continue };
            if !self.observed.contains(&flow.to) || self.is_never_box(flow.from) {
                continue;
            }
            let is_box = match flow.from {
                Source::Atom(Simple::Var(from)) => real.contains(&from),
                Source::Atom(_) | Source::Unknown => true,
            };
            let enters = self.enters(flow);
            if is_box && !(enters && *how == LoopBox::Available) {
                let only_enters = boxed.entry(flow.to).or_insert(true);
                *only_enters &= enters;
            }
        }
        let mut refused = Vec::new();
        let params: Vec<Variable> = self.unboxed.keys().copied().collect();
        for param in params {
            let Some(candidate) = self.candidates.get(&param).copied() else { continue };
            if !self.observed.contains(&param) {
                continue;
            }
            let moved = moves.get(&param);
            let is_remade = candidate.is_simple && candidate.is_always_allocated && moved.is_none();
            let moves_on = moved.is_some();
            let flows = boxed.get(&param);
            let is_right = if !self.is_available(param) {
                flows.is_none() && self.is_cheap(param, candidate, moves_on)
            } else if candidate.is_number {
                self.may_travel(param, &moves)
            } else {
                flows.is_none() && is_remade && self.is_boxed_at_exits(param, false)
            };
            if !is_right {
                let may_be_available = candidate.is_number || flows == Some(&true) && is_remade;
                let available = !self.is_available(param) && may_be_available;
                refused.push((param, available.then_some(LoopBox::Available)));
            }
        }
        refused
    }

    /// Whether a variable is a loop's parameter that is passed with its box beside it.
    fn is_available(&self, var: Variable) -> bool {
        self.unboxed.get(&var) == Some(&LoopBox::Available)
    }

    fn is_never_box(&self, from: Source) -> bool {
        matches!(from, Source::Atom(Simple::Const(Const::Tagged(_) | Const::Poison(_))))
    }

    /// Where a value moves on to another station.
    fn moves(&self) -> Moves {
        let mut moves = Moves::default();
        let mut pending = Vec::new();
        for (param, boxed) in self.unboxed.iter().filter(|(param, _)| self.observed.contains(param)) {
            for pass in self.ins.get(param).into_iter().flatten() {
                if *boxed == LoopBox::Rebuilt || !pass.enters || self.is_available(pass.other) {
                    moves.entry(pass.other).or_default().push(pass.place);
                    pending.push(pass.other);
                }
            }
        }
        let mut seen: FxHashSet<Variable> = FxHashSet::default();
        while let Some(var) = pending.pop() {
            // What is needed boxed arrives boxed: that is a need at its source.
            if self.unboxed.contains_key(&var) || self.needs.contains_key(&var) || !seen.insert(var) {
                continue;
            }
            for pass in self.ins.get(&var).into_iter().flatten() {
                moves.entry(pass.other).or_default().push(pass.place);
                pending.push(pass.other);
            }
        }
        moves
    }

    /// The variables that may be existing boxes where they flow to a station.
    fn real(&mut self, moves: &Moves) -> FxHashSet<Variable> {
        let mut real: FxHashSet<Variable> = FxHashSet::default();
        let mut pending: Vec<Variable> = Vec::new();
        for (var, moved) in moves {
            let is_allocated = self.iterations.allocated.contains(var);
            let is_station = is_allocated || self.unboxed.contains_key(var);
            let is_known = is_station || self.iterations.bound.contains_key(var);
            let is_boxed =
                !is_station && (self.needs.contains_key(var) || self.iterations.is_param_of_loop(*var));
            if !is_known || is_boxed || self.is_allocated_twice(*var, moved, is_allocated) {
                pending.push(*var);
            }
        }
        for flow in self.flows {
            let comes_boxed = match flow.from {
                Source::Unknown | Source::Atom(Simple::Symbol(_)) => true,
                Source::Atom(Simple::Var(from)) => !self.iterations.bound.contains_key(&from),
                Source::Atom(Simple::Const(_)) => false,
            };
            if comes_boxed && !self.unboxed.contains_key(&flow.to) {
                pending.push(flow.to);
            }
        }
        while let Some(var) = pending.pop() {
            if !real.insert(var) {
                continue;
            }
            let outs = self.outs.get(&var).into_iter().flatten().map(|pass| pass.other);
            pending.extend(outs.filter(|to| !self.unboxed.contains_key(to)));
        }
        real
    }

    /// Whether a path may both need a value boxed and move it, or move it twice; or, for an allocation of the source,
    /// whether it would stay where it is, and be allocated again.
    fn is_allocated_twice(&mut self, var: Variable, moved: &[u32], is_allocated: bool) -> bool {
        let home = self.iterations.loop_of(var);
        let needs = self.needs.get(&var).cloned().unwrap_or_default();
        let all: SmallVec<[u32; 4]> = moved.iter().chain(&needs).copied().collect();
        for (index, place) in moved.iter().enumerate() {
            let reached = self.reach(*place, home);
            let again = all
                .iter()
                .enumerate()
                .any(|(i, other)| reached.contains(other) || i != index && other == place);
            if again || self.work == 0 {
                return true;
            }
        }
        for place in &needs {
            let reached = self.reach(*place, home);
            if moved.iter().any(|other| reached.contains(other)) || self.work == 0 {
                return true;
            }
        }
        is_allocated && !needs.is_empty() && !self.sinks(var, &needs)
    }

    /// The blocks that are reachable from another one within the same iteration of a loop.
    fn reach(&mut self, from: u32, home: Option<usize>) -> FxHashSet<u32> {
        let mut reached: FxHashSet<u32> = FxHashSet::default();
        let mut pending: Vec<u32> = vec![from];
        while let Some(place) = pending.pop() {
            for (to, begins) in self.next.get(&place).into_iter().flatten() {
                self.work = self.work.saturating_sub(1);
                let same_iteration = begins.is_none() || *begins != home;
                if same_iteration && reached.insert(*to) {
                    pending.push(*to);
                }
            }
        }
        reached
    }

    /// Whether reallocating a parameter's box allocates no more than the source.
    fn is_cheap(&mut self, param: Variable, candidate: Candidate, moves_on: bool) -> bool {
        let Some(needs) = self.needs.get(&param).cloned() else { return true };
        let is_kept = self.is_kept(param, &needs);
        if candidate.is_always_allocated && !moves_on && (candidate.is_simple || !is_kept) {
            return true;
        }
        !is_kept && self.sinks(param, &needs)
    }

    /// Whether a number may be passed with its box, if there is one, beside it: the box is made once at most, and
    /// iterations pass numbers that they need not box.
    fn may_travel(&mut self, param: Variable, moves: &Moves) -> bool {
        self.is_boxed_at_exits(param, true)
            && !moves.get(&param).is_some_and(|moved| self.is_allocated_twice(param, moved, false))
            && self
                .travelling_to(vec![param], moves)
                .iter()
                .any(|var| self.iterations.allocated.contains(var))
    }

    /// Whether only paths that leave the loop need a box, few of them and one each at most, and nothing that is
    /// executed before keeps the allocation from sinking there. The box of a number sinks past all that a loop does.
    fn is_boxed_at_exits(&mut self, param: Variable, is_number: bool) -> bool {
        let mut needs = self.needs.get(&param).cloned().unwrap_or_default();
        needs.sort_unstable();
        needs.dedup();
        needs.len() <= MOST_EXITS
            && !self.is_kept(param, &needs)
            && self.exclude_each_other(param, &needs)
            && (is_number || needs.iter().all(|goal| self.sinks_to(param, *goal)))
    }

    /// Whether no path of one iteration leads through two of some blocks.
    fn exclude_each_other(&mut self, param: Variable, places: &[u32]) -> bool {
        let home = self.iterations.loop_of(param);
        places.len() <= 1
            || places.iter().all(|place| {
                let reached = self.reach(*place, home);
                !places.iter().any(|other| reached.contains(other))
            })
    }

    /// Whether a parameter is needed boxed where its loop continues.
    fn is_kept(&self, param: Variable, needs: &[u32]) -> bool {
        let Some(home) = self.iterations.loop_of(param) else { return true };
        needs.iter().any(|place| {
            let here = self.iterations.places[*place as usize];
            if here == Some(home) {
                // Nothing is known of a loop for which there was no time.
                self.going_on.get(&home).is_none_or(|marked| marked.contains(place))
            } else {
                self.iterations.is_inside(here, home)
            }
        })
    }

    /// Whether a single block needs a variable boxed, and nothing executed before keeps the allocation from sinking
    /// there.
    fn sinks(&mut self, var: Variable, needs: &[u32]) -> bool {
        match needs {
            [goal, others @ ..] => others.iter().all(|need| need == goal) && self.sinks_to(var, *goal),
            [] => false,
        }
    }

    /// Whether nothing executed before a block keeps the allocation of a variable from sinking there.
    fn sinks_to(&mut self, var: Variable, goal: u32) -> bool {
        let Some(first) = self.iterations.bound.get(&var).copied().filter(|first| *first != goal) else {
            return false;
        };
        let home = self.iterations.loop_of(var);
        let mut before: FxHashSet<u32> = FxHashSet::default();
        let mut pending = vec![first];
        let mut back: FxHashMap<u32, SmallVec<[u32; 2]>> = FxHashMap::default();
        while let Some(place) = pending.pop() {
            if place == goal || !before.insert(place) {
                continue;
            }
            for (to, begins) in self.next.get(&place).into_iter().flatten() {
                self.work = self.work.saturating_sub(1);
                if begins.is_none() || *begins != home {
                    back.entry(*to).or_default().push(place);
                    pending.push(*to);
                }
            }
        }
        let mut on_path: FxHashSet<u32> = FxHashSet::default();
        let mut pending = vec![goal];
        while let Some(place) = pending.pop() {
            for from in back.get(&place).into_iter().flatten() {
                if on_path.insert(*from) {
                    pending.push(*from);
                }
            }
        }
        on_path.iter().all(|place| !self.iterations.disturbed.contains(place)) && self.work > 0
    }

    /// For each variable the representative of all variables that values flow between.
    fn webs(&self) -> FxHashMap<Variable, Variable> {
        let mut leaders: FxHashMap<Variable, Variable> = FxHashMap::default();
        for flow in self.flows {
            if let Source::Atom(Simple::Var(from)) = flow.from {
                let (a, b) = (leader(&mut leaders, from), leader(&mut leaders, flow.to));
                leaders.insert(a, b);
            }
        }
        self.unboxed.keys().map(|param| (*param, leader(&mut leaders, *param))).collect()
    }
}

/// The representative of a variable's set, among disjoint sets.
fn leader(leaders: &mut FxHashMap<Variable, Variable>, var: Variable) -> Variable {
    let mut top = var;
    while let Some(next) = leaders.get(&top).filter(|next| **next != top) {
        top = *next;
    }
    let mut here = var;
    while here != top {
        here = leaders.insert(here, top).unwrap_or(top);
    }
    top
}
