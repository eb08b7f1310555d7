//! Into branches: an allocation to the one path that needs it, a cheap value to the arms that do.
//!
//! Uses are decided before definitions, so that the operands of a value that is moved can be moved with it.

use cranelift_entity::SecondaryMap;
use flambeau_flow::{Block, EdgeKind, Location, Run, RunKind};
use flambeau_ir::prim::Crossing;
use flambeau_ir::stack::deep;
use flambeau_ir::{CallKind, Continuation, Prim, Rewrite, Rewrites, Simple, Terminator, Variable};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::floating::{Floating, FloatingKind};
use super::paths::{self, Paths};
use super::{Function, Goal, Plan, Spot, variables};

/// A value is computed in no more arms than these: each is code.
const ARMS: usize = 8;
/// A box, or what a loop's exits need, is made in no more arms than these instead.
const BOXES: usize = 3;
/// A value with more uses than these stays.
const USES: usize = 64;
/// On the paths to an arm in which a box is made no more blocks than these are looked at.
const FAR: usize = 64;
/// No deeper than so many runs inside its own is a value moved.
const DEEP: u32 = 200;

/// Decides what is moved into branches. What leaves a loop stays before it.
pub(super) fn plan(
    function: &Function,
    waiting: &FxHashSet<Continuation>,
    floating: &[Floating],
    plan: &mut Plan,
    rewrites: &mut Rewrites,
) {
    let allocates = floating.iter().any(|floating| matches!(floating.kind, FloatingKind::Allocation { .. }));
    let paths = if allocates { paths::paths(function) } else { SecondaryMap::new() };
    let down = Down { function, paths, waiting, recursion: recursion(function) };
    for floating in floating.iter().rev() {
        if plan.moves.contains_key(&floating.vars[0]) {
            continue;
        }
        let moved = floating.vars[0];
        let (goals, rewrite): (SmallVec<[Goal; 1]>, _) = match floating.kind {
            FloatingKind::Allocation { is_number, is_set } => {
                (down.goals(floating, is_number, is_set, plan), Rewrite::AllocationIntoBranch(moved))
            }
            FloatingKind::Value { prim, args } if is_cheap(prim, args) => {
                (down.arms(floating, prim, args, plan), Rewrite::ValueIntoBranches(moved))
            }
            FloatingKind::Value { .. } => continue,
        };
        if !goals.is_empty() && rewrites.allow(rewrite, function.unit, function.code) {
            plan.add(floating, goals);
        }
    }
}

struct Down<'d, 'f, 'e> {
    function: &'d Function<'f, 'e>,
    paths: Paths,
    /// The loops that wait for others.
    waiting: &'d FxHashSet<Continuation>,
    /// Calls of the function by a closure, and where.
    recursion: Vec<(Variable, Run)>,
}

// ---- allocations

impl Down<'_, '_, '_> {
    /// Where an allocation is moved: towards its uses, as far as all of them are. The box of a number of which nothing
    /// but jumps in branches have a use is made in each of these: a function of the source that returns one of several
    /// numbers boxes it there. So is what the head of a loop allocates for several exits of it.
    fn goals(&self, floating: &Floating, is_number: bool, is_set: bool, plan: &Plan) -> SmallVec<[Goal; 1]> {
        let Function { flow, values, .. } = self.function;
        let mut uses: SmallVec<[Location; 4]> = SmallVec::new();
        floating.vars.iter().for_each(|var| plan.for_each_use(*var, values, &mut |at| uses.push(at)));
        let Some(common) = uses.iter().copied().reduce(|one, other| flow.common(one, other)) else {
            return SmallVec::new();
        };
        if let Some(goal) = self.goal(floating, common, is_number) {
            return SmallVec::from_slice(&[goal]);
        }
        uses.sort_by_key(|at| at.run.as_u32());
        uses.dedup_by_key(|at| at.run);
        let leaves = |at: &Location| paths::leaves(flow, at.run, floating.home);
        let is_for_exits = || flow.runs()[floating.home].header_of().is_some() && uses.iter().all(leaves);
        if uses.len() > BOXES || is_set || !(is_number || is_for_exits()) {
            return SmallVec::new();
        }
        let in_arm = |at: &Location| {
            let goal = self.goal(floating, *at, is_number).filter(|goal| goal.at.run == at.run);
            goal.filter(|_| flow.runs()[at.run].kind == RunKind::Arm)
        };
        let goals: SmallVec<[Goal; 1]> = uses.iter().filter_map(in_arm).collect();
        if goals.len() == uses.len() && self.exclude_each_other(floating, &uses) {
            goals
        } else {
            SmallVec::new()
        }
    }

    /// Whether no path from a value leads through two of some arms without passing the value again: a box made in both
    /// would be two boxes.
    fn exclude_each_other(&self, floating: &Floating, arms: &[Location]) -> bool {
        let flow = self.function.flow;
        let home = flow.block_at(floating.home, floating.positions.start);
        arms.iter().all(|arm| {
            let mut seen: SmallVec<[Block; 8]> = SmallVec::from_slice(&[home]);
            let mut left: SmallVec<[Block; 8]> = SmallVec::from_slice(&[flow.runs()[arm.run].block]);
            while let Some(block) = left.pop() {
                if seen.contains(&block) {
                    continue;
                }
                seen.push(block);
                let comes_from_arm = || {
                    flow.predecessors(block).any(|edge| arms.iter().any(|other| other.run == edge.from.run))
                };
                if seen.len() > FAR || comes_from_arm() {
                    return false;
                }
                left.extend(flow.predecessors(block).map(|edge| edge.from.block));
            }
            true
        })
    }

    /// How far an allocation can move towards where it is used. The box of a number moves past effects, too, as with
    /// the stock compiler, which makes boxes where they are used; but not between a read and a store.
    fn goal(&self, floating: &Floating, mut used: Location, is_number: bool) -> Option<Goal> {
        let Function { flow, .. } = self.function;
        let mut path: SmallVec<[Location; 8]> = SmallVec::new();
        while used.run != floating.home {
            path.push(used);
            flow.runs()[used.run].parent.expand()?;
            used = flow.around(used);
        }
        let mut goal = None;
        let (mut around, mut start) = (floating.home, floating.index + 1);
        let mut past = Crossing::Nothing;
        // The handlers of the loops that have been entered and not left for good.
        let mut inside: SmallVec<[Run; 2]> = SmallVec::new();
        for Location { run, position: first_use } in path.into_iter().rev() {
            let path = &self.paths[run];
            let kind = flow.runs()[run].kind;
            past = past.max(self.paths[around].until(start, kind, path)).max(path.entered);
            (around, start) = (run, 0);
            if past == Crossing::Effects && !is_number {
                break;
            }
            // The code of a `Join` is executed in any case, but branches of it are not.
            if kind == RunKind::Join {
                continue;
            }
            if !paths::is_open(flow, run) {
                break;
            }
            inside.retain(|header| !paths::leaves(flow, run, *header));
            if flow.runs()[run].header_of().is_some() {
                inside.push(run);
            }
            // Just before the call wherever its uses allow that, so that its operands may follow it past reads.
            let before_call = path.before_call.filter(|call| *call <= first_use);
            let is_quiet = || {
                is_number
                    && path.whole() < Crossing::Effects
                    && (self.leaves_function(run) || self.leaves_loop(run, floating.home))
            };
            if inside.is_empty() && (before_call.is_some() || past < Crossing::Reads || is_quiet()) {
                let (position, spot) = match before_call {
                    Some(call) => (call, Spot::BeforeCall),
                    None => (flow.runs()[run].start, Spot::Beginning),
                };
                goal = Some(Goal { at: Location { run, position }, spot });
            }
        }
        goal
    }

    /// Whether a loop that waits for nobody is left where a run ends.
    fn leaves_loop(&self, run: Run, header: Run) -> bool {
        let flow = self.function.flow;
        let data = &flow.runs()[header];
        let waits = || flow.blocks()[data.block].cont.is_none_or(|cont| self.waiting.contains(&cont));
        data.header_of().is_some() && paths::leaves(flow, run, header) && !waits()
    }

    /// Whether control leaves the function where a run ends, but for exceptions.
    fn leaves_function(&self, run: Run) -> bool {
        let jumps = self.function.flow.edges_from(run).iter().filter(|edge| edge.kind != EdgeKind::Raise);
        jumps.into_iter().all(|edge| edge.to.is_none())
    }
}

// ---- cheap values

/// A run that a value may be computed in.
#[derive(Clone, Copy)]
struct Candidate {
    run: Run,
    /// It is in a loop that the value is not in.
    in_loop: bool,
    /// How deep it is inside the value's own run.
    level: u32,
}

impl Candidate {
    fn inside(self, run: Run) -> Candidate {
        Candidate { run, level: self.level + 1, ..self }
    }
}

/// A run directly inside another, with the runs in it that hold uses.
type Used = (Run, SmallVec<[Run; 8]>);

/// The runs in which a value is computed instead.
type Targets = SmallVec<[Run; 4]>;

/// How a run directly inside another is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nested {
    /// The handler that one arm of the switch which ends the outer run jumps to, and nothing else.
    Arm,
    Loop,
    Try,
    Plain,
}

impl Down<'_, '_, '_> {
    /// Where a cheap value is computed instead: in some of the runs inside the one where it is; nowhere if that is
    /// best.
    fn arms(&self, floating: &Floating, prim: &Prim, args: &[Simple], plan: &Plan) -> SmallVec<[Goal; 1]> {
        let mut uses: SmallVec<[Run; 8]> = SmallVec::new();
        plan.for_each_use(floating.vars[0], self.function.values, &mut |at| uses.push(at.run));
        if uses.is_empty() || uses.len() > USES {
            return SmallVec::new();
        }
        let closure = match prim {
            Prim::ProjectValueSlot { .. } => variables(args).next(),
            _ => None,
        };
        let home = Candidate { run: floating.home, in_loop: false, level: 0 };
        let targets = self.inside(closure, home, &uses).filter(|targets| targets.len() <= ARMS);
        let runs = self.function.flow.runs();
        let goal = |run: Run| Goal { at: Location { run, position: runs[run].start }, spot: Spot::Beginning };
        targets.unwrap_or_default().into_iter().map(goal).collect()
    }

    /// Arms inside a run that all uses are in, if not all arms are. `closure`: what the value is captured in.
    fn inside(&self, closure: Option<Variable>, candidate: Candidate, uses: &[Run]) -> Option<Targets> {
        let used = self.split(candidate.run, uses)?;
        let deeper = |next: Candidate, uses: &[Run]| {
            deep(|| (candidate.level < DEEP).then(|| self.inside(closure, next, uses)).flatten())
        };
        let arms = self.function.flow.arms(candidate.run).len();
        if let [(child, within)] = &used[..] {
            let next = candidate.inside(*child);
            return match self.nested(*child) {
                Nested::Try => None,
                Nested::Loop if !self.is_recursive(closure, *child) => None,
                Nested::Loop => deeper(Candidate { in_loop: true, ..next }, within),
                Nested::Arm if candidate.in_loop && arms > 1 => {
                    Some(deeper(next, within).unwrap_or_else(|| SmallVec::from_slice(&[*child])))
                }
                Nested::Arm | Nested::Plain => deeper(next, within),
            };
        }
        if used.len() >= arms || used.iter().any(|(child, _)| self.nested(*child) != Nested::Arm) {
            return None;
        }
        let mut targets = Targets::new();
        for (child, within) in &used {
            let found = deeper(candidate.inside(*child), within);
            targets.extend(found.unwrap_or_else(|| SmallVec::from_slice(&[*child])));
        }
        Some(targets)
    }

    /// The runs directly inside one that hold uses, each with its own; nothing if the run itself has one, or one of its
    /// jumps.
    fn split(&self, run: Run, uses: &[Run]) -> Option<SmallVec<[Used; 4]>> {
        let flow = self.function.flow;
        let mut used: SmallVec<[Used; 4]> = SmallVec::new();
        for &inner in uses {
            let child = flow.child_towards(run, inner)?;
            if flow.runs()[child].kind == RunKind::Arm {
                return None;
            }
            match used.iter_mut().find(|(other, _)| *other == child) {
                Some((_, within)) => within.push(inner),
                None => used.push((child, SmallVec::from_slice(&[inner]))),
            }
        }
        Some(used)
    }

    fn nested(&self, run: Run) -> Nested {
        let flow = self.function.flow;
        let data = &flow.runs()[run];
        match data.kind {
            RunKind::Loop(_) => Nested::Loop,
            RunKind::Try => Nested::Try,
            RunKind::Handler => {
                let mut edges = flow.predecessors(data.block);
                let is_arm = |from: Run| {
                    let from = &flow.runs()[from];
                    from.kind == RunKind::Arm && from.parent == data.parent
                };
                match (edges.next(), edges.next()) {
                    (Some(edge), None) if is_arm(edge.from.run) => Nested::Arm,
                    _ => Nested::Plain,
                }
            }
            RunKind::Body | RunKind::Join | RunKind::Arm => Nested::Plain,
        }
    }

    /// Whether a loop calls the function again by the closure that the value is captured in.
    fn is_recursive(&self, closure: Option<Variable>, child: Run) -> bool {
        let flow = self.function.flow;
        closure.is_some()
            && self.recursion.iter().any(|(by, run)| Some(*by) == closure && flow.is_inside(*run, child))
    }
}

/// Calls of the function by a closure, and where they are.
fn recursion(function: &Function) -> Vec<(Variable, Run)> {
    let mut found = Vec::new();
    for (run, term) in function.terms.iter() {
        if let Some(Terminator::Apply(apply)) = term.map(|term| &term.terminator)
            && let (CallKind::Direct(code), Some(Simple::Var(closure))) = (&apply.kind, apply.callee)
            && Some(*code) == function.code
        {
            found.push((closure, run));
        }
    }
    found
}

/// Whether a value is of at most one variable and constants, and computed as cheaply anywhere else.
fn is_cheap(prim: &Prim, args: &[Simple]) -> bool {
    variables(args).count() <= 1 && prim.is_cheap_anywhere()
}
