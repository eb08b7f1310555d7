//! Sinks allocations that only one way out of a branch needs (deliverable E2 of the features): a loop's boxed accumulator
//! that only its exit returns is allocated at the exit, a closure that one case of a match passes on in that case.
//!
//! An allocation moves from a run into the one handler, or the one arm of the final switch, which uses it, and on from
//! there. It never moves into a `try` or the body of a `Join`, nor into a loop unless to where that is left for good: so it
//! happens at most as often as before. Nor does it move past an effect or a call, on any way to where it goes
//! (soundness row 14). It moves past reads of mutable blocks only to just before a call: allocations are points where
//! signals and other threads come in, calls are such points too, and what is read and written between two of them stays so
//! (row 12).
//!
//! A *diamond* moves as an allocation does: a `Join` which gives one value by a branch whose arms only allocate, as a loop's
//! parameter that was taken apart is made whole again.

mod movable;
mod ways;

use cranelift_entity::EntityRef;
use flambeau_ir::stack::deep;
use flambeau_ir::{ApplyCont, ContHandler, Continuation, Expr, Item, Rewrites, Terminator, Unit, Variable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use movable::movable;
use ways::{Candidate, Goal, Place, Ways};

/// Sinks allocations in all functions of a unit.
pub fn sink(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, _, body| sink_in(body, unit, rewrites))
}

fn sink_in(body: &mut Expr, unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let (mut ways, mut candidates) = Ways::of(body);
    let mut goals = FxHashMap::default();
    // Uses before definitions: what sinks takes what it is made of along.
    while let Some(candidate) = candidates.pop() {
        let goal = ways.goal(&candidate).filter(|_| {
            let name = &unit.variables[candidate.vars[0]].name;
            rewrites.allow(|| format!("sink: allocation of {name}"))
        });
        let Candidate { vars, home, point, operands, .. } = candidate;
        // What it uses is used from now on where it will stand.
        let (place, point) = goal.map_or((home, point), |goal| (goal.place, ways.point(goal)));
        goals.extend(goal.map(|goal| (vars[0], goal)));
        operands.into_iter().for_each(|operand| ways.note(operand, place, point));
    }
    if goals.is_empty() {
        return false;
    }
    Rebuild { ways, goals, next: 0, unit }.run(body, SmallVec::new());
    true
}

/// What moves into a place, or into one inside it.
type Sunk = SmallVec<[Item; 1]>;

/// Makes the body again, with allocations where they are to go.
struct Rebuild<'u> {
    ways: Ways,
    /// By the first variable of the allocation.
    goals: FxHashMap<Variable, Goal>,
    /// The number of the next place.
    next: usize,
    unit: &'u mut Unit,
}

impl Rebuild<'_> {
    fn goal(&self, item: &Item) -> Option<Goal> {
        movable(item).and_then(|vars| self.goals.get(vars.first()?).copied())
    }

    /// Of a run, with what sinks into it.
    fn run(&mut self, expr: &mut Expr, first: Sunk) {
        let place = Place::new(self.next);
        self.next += 1;
        let mut sunk: FxHashMap<Place, Sunk> = FxHashMap::default();
        let mut before_call = Sunk::new();
        let mut out: Vec<Item> = Vec::with_capacity(expr.items.len() + first.len());
        for item in first {
            match self.goal(&item) {
                Some(goal) if goal.place != place => sunk.entry(goal.place).or_default().push(item),
                Some(goal) if goal.before_call => before_call.push(item),
                _ => out.push(item),
            }
        }
        for (index, item) in std::mem::take(&mut expr.items).into_iter().enumerate() {
            if self.ways.is_before_call(place, index) {
                out.extend(before_call.drain(..));
            }
            match self.goal(&item) {
                Some(goal) => sunk.entry(goal.place).or_default().push(item),
                None => out.push(item),
            }
        }
        out.extend(before_call);
        for item in &mut out {
            if movable(item).is_some() {
                continue;
            }
            match item {
                Item::Join { body, .. } => deep(|| self.run(body, SmallVec::new())),
                Item::LetCont { handlers, .. } => {
                    for handler in handlers {
                        let first = self.take(&mut sunk);
                        deep(|| self.run(&mut handler.body, first));
                    }
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        expr.items = out;
        self.end(expr, sunk);
    }

    /// Of what ends a run.
    fn end(&mut self, expr: &mut Expr, mut sunk: FxHashMap<Place, Sunk>) {
        match &mut expr.terminator {
            Terminator::Switch(switch) => {
                let mut handlers = Vec::new();
                let arms = switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default);
                for jump in arms {
                    let first = self.take(&mut sunk);
                    self.next += 1;
                    if !first.is_empty() {
                        let cont = self.unit.new_continuation("arm");
                        wrap(jump, cont, first.into_vec(), &mut handlers);
                    }
                }
                if !handlers.is_empty() {
                    expr.items.push(Item::LetCont { recursive: false, handlers });
                }
            }
            Terminator::Try { body, .. } => deep(|| self.run(body, SmallVec::new())),
            _ => {}
        }
    }

    /// What goes into the next place, a child of the one rebuilt, or into one inside it.
    fn take(&self, sunk: &mut FxHashMap<Place, Sunk>) -> Sunk {
        let child = Place::new(self.next);
        let inside = |goal: &Place| self.ways.is_inside(*goal, child);
        let mut goals: SmallVec<[Place; 2]> = sunk.keys().copied().filter(inside).collect();
        goals.sort_unstable_by_key(|goal| goal.index());
        goals.into_iter().filter_map(|goal| sunk.remove(&goal)).flatten().collect()
    }
}

/// An arm that computes something before it goes on.
fn wrap(jump: &mut ApplyCont, cont: Continuation, items: Vec<Item>, handlers: &mut Vec<ContHandler>) {
    let target = std::mem::replace(jump, ApplyCont { cont, args: SmallVec::new() });
    let body = Expr { items, terminator: Terminator::ApplyCont(target) };
    handlers.push(ContHandler { cont, params: SmallVec::new(), body });
}
