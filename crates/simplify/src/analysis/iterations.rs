//! What the iterations of a loop do with a parameter: whether they allocate its next value, and, in [`super::boxes`],
//! where it is needed boxed. These are the two conditions of the reference under which unboxing it removes allocations:
//! a box that only exits need is allocated there, and one that each iteration needs would be allocated in each.
//!
//! A *block* (`place`) is a run of items up to a `Join` or from there on, or an arm of a switch that passes arguments.
//! It *continues* (`going_on`) a loop if the loop may be continued from it.

use flambeau_ir::{Const, Continuation, Simple, Variable};
use flambeau_types::IntSet;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::boxes::{Boxes, Candidate, LoopBox};
use super::{Flow, Source};
use crate::run::Params;

/// What is known of a parameter of a loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoopParam {
    /// Some iteration allocates what it passes on.
    pub is_allocated: bool,
    /// Every iteration allocates what it passes on, unless it passes an immediate.
    pub is_always_allocated: bool,
    /// It is called, as an unknown function, where the loop goes on.
    pub is_called: bool,
    /// An iteration passes on a closure that has captured it: what that captures would have to be passed, and what this
    /// has captured, and so on.
    is_wrapped: bool,
    /// How the parameter may be passed unboxed, if it may.
    pub boxed: Option<LoopBox>,
    /// Of the parameters that values flow between, all or none are unboxed: the representative of these.
    pub web: Option<Variable>,
    /// All incoming values are allocated in this function, constant, static or poison: the parts have names wherever
    /// they are passed.
    pub has_names: bool,
}

impl LoopParam {
    /// Whether what a closure captures may be passed instead of what it is.
    pub fn may_be_taken_apart(&self) -> bool {
        self.is_allocated && !self.is_wrapped
    }
}

/// How much work the decision may take, for each block: nested loops are traversed once each.
const WORK: usize = 32;

/// How a variable is used boxed.
#[derive(Clone, Copy, Debug)]
pub enum BoxUse {
    /// It is compared with an immediate, which needs only the parts of a variant that has no other immediate.
    Compared(i64),
    /// It escapes.
    Escapes,
}

/// What the walk records.
#[derive(Default)]
pub struct Iterations {
    /// The innermost loop around each block.
    pub(super) places: Vec<Option<usize>>,
    /// The loop around each loop.
    loops: Vec<Option<usize>>,
    /// Pairs of blocks of which the first enters the second, nested in it, without a jump.
    pub(super) enters: Vec<(u32, u32)>,
    pub(super) jumps: Vec<(u32, Continuation)>,
    /// The block of the handler of each continuation.
    pub(super) handlers: FxHashMap<Continuation, u32>,
    /// The loops whose heads are continuations.
    pub(super) heads: FxHashMap<Continuation, usize>,
    /// The parameters of loops.
    params: FxHashSet<Variable>,
    /// Where parameters, copies of them and allocations are bound.
    pub(super) bound: FxHashMap<Variable, u32>,
    /// The variables allocated in the function.
    pub(super) allocated: FxHashSet<Variable>,
    uses: Vec<(Variable, BoxUse, u32)>,
    /// Unknown functions that are called, and where.
    calls: Vec<(Variable, u32)>,
    /// What closures have captured, by the closures.
    captured: Vec<(Variable, Variable)>,
    /// The blocks whose runs have effects, read what may be assigned, or end in a call or a `try`.
    pub(super) disturbed: FxHashSet<u32>,
    /// Parameters that are not unboxed: those of exception handlers.
    never_unboxed: Vec<Variable>,
    /// Whether anything is recorded at all.
    is_asked: bool,
}

impl Iterations {
    /// The empty record of a body that is not traversed yet; `is_asked`: whether iterations are asked for.
    pub fn new(is_asked: bool) -> Iterations {
        Iterations { is_asked, ..Iterations::default() }
    }

    /// Records a block in a loop.
    pub fn place(&mut self, around: Option<usize>) -> u32 {
        if !self.is_asked {
            return 0;
        }
        self.places.push(around);
        self.places.len() as u32 - 1
    }

    /// Records a block that another one enters without a jump.
    pub fn entered(&mut self, from: u32, around: Option<usize>) -> u32 {
        let place = self.place(around);
        if self.is_asked {
            self.enters.push((from, place));
        }
        place
    }

    /// Records a loop, by its number: loops are recorded in order.
    pub fn begin_loop(&mut self, around: Option<usize>) {
        self.loops.push(around);
    }

    /// Records a continuation whose parameters are in scope in the block.
    pub fn handler(&mut self, cont: Continuation, params: &Params, place: u32, head_of: Option<usize>) {
        if !self.is_asked {
            return;
        }
        self.handlers.insert(cont, place);
        self.bound.extend(params.iter().map(|param| (*param, place)));
        if let Some(head_of) = head_of {
            self.heads.insert(cont, head_of);
            self.params.extend(params);
        }
    }

    /// Records a parameter of an exception continuation.
    pub fn of_handler(&mut self, param: Variable) {
        if self.is_asked {
            self.never_unboxed.push(param);
        }
    }

    /// Records another name of a variable.
    pub fn copy(&mut self, var: Variable, place: u32) {
        if self.is_asked {
            self.bound.insert(var, place);
        }
    }

    /// Records a jump or a raise.
    pub fn jump(&mut self, place: u32, cont: Continuation) {
        if self.is_asked {
            self.jumps.push((place, cont));
        }
    }

    /// Records an allocation.
    pub fn allocated(&mut self, var: Variable, place: u32) {
        if self.is_asked {
            self.allocated.insert(var);
            self.bound.insert(var, place);
        }
    }

    /// Records the call of an unknown function.
    pub fn call(&mut self, callee: Variable, place: u32) {
        if self.is_asked {
            self.calls.push((callee, place));
        }
    }

    /// Records that a closure has captured a value.
    pub fn capture(&mut self, closure: Variable, value: Simple) {
        if let Simple::Var(value) = value
            && self.is_asked
        {
            self.captured.push((closure, value));
        }
    }

    /// Records that allocations do not move past what a block executes.
    pub fn disturbs(&mut self, place: u32) {
        if self.is_asked {
            self.disturbed.insert(place);
        }
    }

    /// Records a use of an atom itself, not of one of its parts.
    pub fn boxed_use(&mut self, simple: Simple, how: BoxUse, place: u32) {
        if let Simple::Var(var) = simple
            && self.bound.contains_key(&var)
        {
            self.uses.push((var, how, place));
        }
    }

    /// The parameters and allocations that are used otherwise than by projections.
    pub(super) fn used_boxed(&self) -> impl Iterator<Item = Variable> {
        self.uses.iter().map(|(var, ..)| *var).chain(self.never_unboxed.iter().copied())
    }

    /// The uses of parameters and allocations otherwise than by projections, and where they are.
    pub(super) fn uses_of_boxes(&self) -> impl Iterator<Item = (Variable, u32)> {
        self.uses.iter().map(|(var, _, place)| (*var, *place))
    }

    /// Whether a loop is another one, or nested in it.
    pub(super) fn is_inside(&self, mut inner: Option<usize>, outer: usize) -> bool {
        // Loops are numbered from outside to inside.
        while let Some(this) = inner.filter(|inner| *inner >= outer) {
            if this == outer {
                return true;
            }
            inner = self.loops[this];
        }
        false
    }

    /// The innermost loop around the binding of a variable.
    pub(super) fn loop_of(&self, var: Variable) -> Option<usize> {
        self.places[*self.bound.get(&var)? as usize]
    }

    /// Whether a variable is a parameter of a loop.
    pub(super) fn is_param_of_loop(&self, var: Variable) -> bool {
        self.params.contains(&var)
    }

    /// Decides for the parameters of loops, from what flows into what. `ints` gives the immediates that a variable may
    /// be, if it is a variant, and `candidate` how a parameter could be unboxed. Returns besides what travels to them
    /// without a box ([`super::boxes::Unboxed`]).
    pub fn solve(
        &self,
        params: &FxHashMap<Continuation, &Params>,
        flows: &[Flow],
        ints: &dyn Fn(Variable) -> Option<IntSet>,
        candidate: &dyn Fn(Variable, &LoopParam) -> Option<Candidate>,
    ) -> (FxHashMap<Variable, LoopParam>, FxHashSet<Variable>) {
        let mut loop_params: FxHashMap<Variable, LoopParam> = FxHashMap::default();
        for cont in self.heads.keys() {
            for param in params.get(cont).copied().into_iter().flatten() {
                loop_params.insert(
                    *param,
                    LoopParam { is_always_allocated: true, has_names: true, ..LoopParam::default() },
                );
            }
        }
        if loop_params.is_empty() {
            return (loop_params, FxHashSet::default());
        }
        self.find_allocated(flows, &mut loop_params);
        self.find_functions(flows, &mut loop_params);
        for param in self.nameless(flows) {
            if let Some(loop_param) = loop_params.get_mut(&param) {
                loop_param.has_names = false;
            }
        }
        let candidates: FxHashMap<Variable, Candidate> = loop_params
            .iter()
            .filter_map(|(param, loop_param)| Some((*param, candidate(*param, loop_param)?)))
            .collect();
        if candidates.is_empty() {
            return (loop_params, FxHashSet::default());
        }
        let mut loops: Vec<usize> = candidates.keys().filter_map(|param| self.loop_of(*param)).collect();
        loops.sort_unstable();
        loops.dedup();
        let going_on = self.going_on(&loops);
        let uses = self.uses.iter().filter(|(var, how, _)| match how {
            BoxUse::Compared(n) => {
                ints(*var).is_none_or(|ints| ints.as_one() != Some(*n) && ints.contains(*n))
            }
            BoxUse::Escapes => true,
        });
        let uses = uses.map(|(var, _, place)| (*var, *place)).collect();
        let unboxed = Boxes::of(self, flows, uses, going_on, candidates).solve();
        for (param, boxed, web) in unboxed.params {
            if let Some(loop_param) = loop_params.get_mut(&param) {
                (loop_param.boxed, loop_param.web) = (Some(boxed), Some(web));
            }
        }
        (loop_params, unboxed.travelling)
    }

    /// Finds the parameters that receive allocated values.
    fn find_allocated(&self, flows: &[Flow], loop_params: &mut FxHashMap<Variable, LoopParam>) {
        let mut outflow: FxHashMap<Variable, SmallVec<[Variable; 2]>> = FxHashMap::default();
        // On how many incoming edges values other than allocations and immediates arrive.
        let mut others: FxHashMap<Variable, u32> = FxHashMap::default();
        let mut sometimes: Vec<Variable> = Vec::new();
        for flow in flows {
            let other = others.entry(flow.to).or_insert(0);
            match flow.from {
                Source::Atom(Simple::Var(from)) if self.allocated.contains(&from) => sometimes.push(flow.to),
                Source::Atom(Simple::Var(from)) => {
                    *other += 1;
                    outflow.entry(from).or_default().push(flow.to);
                }
                Source::Atom(Simple::Const(Const::Tagged(_) | Const::Poison(_))) => {}
                Source::Atom(_) | Source::Unknown => *other += 1,
            }
        }
        let mut some: FxHashSet<Variable> = FxHashSet::default();
        while let Some(var) = sometimes.pop() {
            if some.insert(var) {
                sometimes.extend(outflow.get(&var).into_iter().flatten());
            }
        }
        let mut always: FxHashSet<Variable> = FxHashSet::default();
        let mut ready: Vec<Variable> =
            others.iter().filter(|(_, count)| **count == 0).map(|(var, _)| *var).collect();
        while let Some(var) = ready.pop() {
            if !always.insert(var) {
                continue;
            }
            for next in outflow.get(&var).into_iter().flatten() {
                let count = others.entry(*next).or_insert(0);
                *count = count.saturating_sub(1);
                if *count == 0 {
                    ready.push(*next);
                }
            }
        }
        for flow in flows {
            let Some(loop_param) = loop_params.get_mut(&flow.to) else { continue };
            let is_back =
                self.loop_of(flow.to).is_some_and(|l| self.is_inside(self.places[flow.place as usize], l));
            if !is_back {
                continue;
            }
            match flow.from {
                Source::Atom(Simple::Var(from)) => {
                    let allocated = self.allocated.contains(&from);
                    loop_param.is_allocated |= allocated || some.contains(&from);
                    loop_param.is_always_allocated &= allocated || always.contains(&from);
                }
                Source::Atom(Simple::Const(Const::Tagged(_) | Const::Poison(_))) => {}
                Source::Atom(_) | Source::Unknown => loop_param.is_always_allocated = false,
            }
        }
    }

    /// Finds what is called in loops, and what closures wrap that take its place.
    fn find_functions(&self, flows: &[Flow], loop_params: &mut FxHashMap<Variable, LoopParam>) {
        if self.calls.is_empty() && self.captured.is_empty() {
            return;
        }
        let mut sources: FxHashMap<Variable, SmallVec<[Variable; 2]>> = FxHashMap::default();
        for flow in flows {
            if let Source::Atom(Simple::Var(from)) = flow.from {
                sources.entry(flow.to).or_default().push(from);
            }
        }
        // What a variable may be another name of.
        let comes_from = |var: Variable| {
            let mut found: FxHashSet<Variable> = FxHashSet::default();
            let mut pending = vec![var];
            while let Some(var) = pending.pop() {
                if found.insert(var) {
                    pending.extend(sources.get(&var).into_iter().flatten());
                }
            }
            found
        };
        let mut called: Vec<(Variable, u32)> = Vec::new();
        for (callee, place) in &self.calls {
            let params = comes_from(*callee).into_iter().filter(|var| loop_params.contains_key(var));
            called.extend(params.map(|param| (param, *place)));
        }
        let mut loops: Vec<usize> = called.iter().filter_map(|(param, _)| self.loop_of(*param)).collect();
        loops.sort_unstable();
        loops.dedup();
        let going_on = self.going_on(&loops);
        for (param, place) in called {
            let goes_on = self.loop_of(param).and_then(|home| going_on.get(&home));
            if let Some(loop_param) = loop_params.get_mut(&param) {
                loop_param.is_called |= goes_on.is_some_and(|marked| marked.contains(&place));
            }
        }
        let mut captured: FxHashMap<Variable, SmallVec<[Variable; 4]>> = FxHashMap::default();
        for (closure, value) in &self.captured {
            captured.entry(*closure).or_default().push(*value);
        }
        for (param, loop_param) in loop_params.iter_mut().filter(|(_, param)| param.is_allocated) {
            let passed = comes_from(*param);
            let mut values = passed.iter().filter_map(|closure| captured.get(closure)).flatten();
            loop_param.is_wrapped = values.any(|value| comes_from(*value).contains(param));
        }
    }

    /// The variables with an incoming path from where their parts have no names.
    fn nameless(&self, flows: &[Flow]) -> FxHashSet<Variable> {
        let targets: FxHashSet<Variable> = flows.iter().map(|flow| flow.to).collect();
        let mut outflow: FxHashMap<Variable, SmallVec<[Variable; 2]>> = FxHashMap::default();
        let mut pending = self.never_unboxed.clone();
        for flow in flows {
            match flow.from {
                Source::Unknown => pending.push(flow.to),
                Source::Atom(Simple::Var(from)) if self.allocated.contains(&from) => {}
                Source::Atom(Simple::Var(from)) if targets.contains(&from) => {
                    outflow.entry(from).or_default().push(flow.to);
                }
                Source::Atom(Simple::Var(_)) => pending.push(flow.to),
                Source::Atom(Simple::Const(_) | Simple::Symbol(_)) => {}
            }
        }
        let mut nameless = FxHashSet::default();
        while let Some(var) = pending.pop() {
            if nameless.insert(var) {
                pending.extend(outflow.get(&var).into_iter().flatten());
            }
        }
        nameless
    }

    /// The blocks from which each of the loops may be continued, of as many loops as the work allows, inner ones first.
    pub(super) fn going_on(&self, loops: &[usize]) -> FxHashMap<usize, FxHashSet<u32>> {
        let mut back: FxHashMap<u32, SmallVec<[u32; 2]>> = FxHashMap::default();
        let mut starts: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for (place, cont) in &self.jumps {
            if let Some(head) = self.heads.get(cont) {
                starts.entry(*head).or_default().push(*place);
            }
            if let Some(handler) = self.handlers.get(cont) {
                back.entry(*handler).or_default().push(*place);
            }
        }
        for (from, to) in &self.enters {
            back.entry(*to).or_default().push(*from);
        }
        let mut all = FxHashMap::default();
        let mut work = WORK * (self.places.len() + self.jumps.len());
        for index in loops.iter().rev() {
            let mut marked: FxHashSet<u32> = FxHashSet::default();
            let mut pending = starts.get(index).cloned().unwrap_or_default();
            while let Some(place) = pending.pop() {
                work = work.saturating_sub(1);
                if self.is_inside(self.places[place as usize], *index) && marked.insert(place) {
                    pending.extend(back.get(&place).into_iter().flatten());
                }
            }
            if work == 0 {
                break;
            }
            all.insert(*index, marked);
        }
        all
    }
}
