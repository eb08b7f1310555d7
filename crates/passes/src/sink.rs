//! Sinks allocations that only one way out of a branch needs (deliverable E2 of the features): a loop's boxed accumulator
//! that only its exit returns is allocated at the exit.
//!
//! An allocation moves from a run into the one handler, or the one arm of the final switch, which uses it, and on from
//! there. It never moves into a loop, a `try` or the body of a `Join`, nor past an effect, a call, or a read of a mutable
//! block: allocations are points where signals and other threads come in, and what is written in one step stays so
//! (soundness rows 12 and 14). Handlers run at most once for each time that their run does, so nothing is allocated twice.
//!
//! A *diamond* moves as an allocation does: a `Join` which gives one value by a branch whose arms only allocate, as a loop's
//! parameter that was taken apart is made whole again.

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use flambeau_ir::prim::{Coeffects, Effects};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrites, Simple, Terminator, Unit,
    Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Sinks allocations in all functions of a unit.
pub fn sink(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, _, body| sink_in(body, unit, rewrites))
}

/// A run of items, or an arm of a final switch.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place(u32);
entity_impl!(Place);

struct PlaceData {
    parent: Option<Place>,
    depth: u32,
    /// Whether what is allocated in the parent may be allocated here instead.
    open: bool,
}

/// What might be sunk.
struct Candidate {
    var: Variable,
    home: Place,
    operands: SmallVec<[Simple; 4]>,
}

#[derive(Default)]
struct Sinking {
    places: PrimaryMap<Place, PlaceData>,
    /// The innermost place that sees all uses of a variable.
    uses: FxHashMap<Variable, Place>,
    /// Where each allocation is to go.
    goals: FxHashMap<Variable, Place>,
}

fn sink_in(body: &mut Expr, unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut sinking = Sinking::default();
    let mut candidates = Vec::new();
    sinking.look(body, None, true, &mut candidates);
    // Uses before definitions: what sinks takes what it is made of along.
    while let Some(Candidate { var, home, operands }) = candidates.pop() {
        let goal = sinking
            .goal(var, home)
            .filter(|_| rewrites.allow(|| format!("sink: allocation of {}", unit.variables[var].name)));
        if let Some(goal) = goal {
            sinking.goals.insert(var, goal);
        }
        for operand in operands {
            sinking.note(operand, goal.unwrap_or(home));
        }
    }
    if sinking.goals.is_empty() {
        return false;
    }
    let mut next = 0;
    sinking.rebuild(body, &mut next, SmallVec::new(), unit);
    true
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

/// What a run computes in one item that may be moved: an allocation, or a diamond.
fn movable(item: &Item) -> Option<Variable> {
    match item {
        Item::Let { var, named: Named::Prim { prim, .. }, .. } if is_movable(prim) => Some(*var),
        Item::Join { cont, params, body } => match params[..] {
            [param] if is_diamond(body, &mut SmallVec::from_slice(&[*cont])) => Some(param),
            _ => None,
        },
        _ => None,
    }
}

/// Whether no allocation may move past it.
fn is_barrier(item: &Item) -> bool {
    if movable(item).is_some() {
        return false;
    }
    match item {
        Item::Let { named: Named::Simple(_), .. } | Item::LetClosures { .. } => false,
        Item::Let { named: Named::Prim { prim, .. }, .. } => match prim {
            Prim::CheckBound { .. } | Prim::CheckZero { .. } => false,
            Prim::BlockLoad { .. } | Prim::BlockLoadFloat { .. } | Prim::BlockLoadComputed => {
                prim.effects().1 == Coeffects::Has
            }
            _ => prim.effects().0 == Effects::Arbitrary,
        },
        Item::Join { .. } => true,
        Item::LetCont { .. } => false,
    }
}

impl Sinking {
    fn place(&mut self, parent: Option<Place>, open: bool) -> Place {
        let depth = parent.map_or(0, |p| self.places[p].depth + 1);
        self.places.push(PlaceData { parent, depth, open })
    }

    /// Numbers the places in preorder, notes uses, and collects what might be sunk.
    fn look(&mut self, expr: &Expr, parent: Option<Place>, open: bool, candidates: &mut Vec<Candidate>) {
        let place = self.place(parent, open);
        let after = expr.items.iter().rposition(is_barrier).map_or(0, |last| last + 1);
        for (index, item) in expr.items.iter().enumerate() {
            let movable = movable(item);
            let mut operands = SmallVec::new();
            item.for_each_simple(&mut |simple| operands.push(simple));
            // A diamond has no places of its own.
            if let Item::Join { body, .. } = item
                && movable.is_some()
            {
                body.for_each_simple_deep(&mut |simple| operands.push(simple));
            }
            if let Some(var) = movable
                && index >= after
            {
                candidates.push(Candidate { var, home: place, operands });
            } else {
                operands.into_iter().for_each(|operand| self.note(operand, place));
            }
            if movable.is_some() {
                continue;
            }
            match item {
                Item::Join { body, .. } => deep(|| self.look(body, Some(place), false, candidates)),
                Item::LetCont { recursive, handlers } => {
                    for handler in handlers {
                        deep(|| self.look(&handler.body, Some(place), !recursive, candidates));
                    }
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        match &expr.terminator {
            Terminator::Switch(switch) => {
                self.note(switch.scrutinee, place);
                switch.for_each_jump(&mut |jump| {
                    let arm = self.place(Some(place), true);
                    jump.for_each_simple(&mut |simple| self.note(simple, arm));
                });
            }
            terminator => {
                terminator.for_each_simple(&mut |simple| self.note(simple, place));
                if let Some(body) = terminator.child() {
                    deep(|| self.look(body, Some(place), false, candidates));
                }
            }
        }
    }

    fn note(&mut self, simple: Simple, place: Place) {
        if let Simple::Var(var) = simple {
            let common = self.uses.get(&var).map_or(place, |other| self.common(*other, place));
            self.uses.insert(var, common);
        }
    }

    /// The innermost place around both.
    fn common(&self, mut a: Place, mut b: Place) -> Place {
        while a != b {
            let up = |p: Place| self.places[p].parent.unwrap_or(p);
            if self.places[a].depth >= self.places[b].depth { a = up(a) } else { b = up(b) }
        }
        a
    }

    /// How far an allocation can sink towards its uses.
    fn goal(&self, var: Variable, home: Place) -> Option<Place> {
        let mut goal = *self.uses.get(&var)?;
        let mut place = goal;
        while place != home {
            let data = &self.places[place];
            let parent = data.parent?;
            if !data.open {
                goal = parent;
            }
            place = parent;
        }
        (goal != home).then_some(goal)
    }

    /// Rebuilds a run with what sank into it first. `next` is the number of its place.
    fn rebuild(&mut self, expr: &mut Expr, next: &mut usize, first: SmallVec<[Item; 1]>, unit: &mut Unit) {
        *next += 1;
        let items = std::mem::take(&mut expr.items);
        let mut sunk: FxHashMap<Place, SmallVec<[Item; 1]>> = FxHashMap::default();
        let mut out: Vec<Item> = Vec::with_capacity(items.len() + first.len());
        for item in first.into_iter().chain(items) {
            if let Some(var) = movable(&item)
                && let Some(goal) = self.goals.get(&var)
                && goal.index() != *next - 1
            {
                sunk.entry(*goal).or_default().push(item);
                continue;
            }
            out.push(item);
        }
        for item in &mut out {
            if movable(item).is_some() {
                continue;
            }
            match item {
                Item::Join { body, .. } => deep(|| self.rebuild(body, next, SmallVec::new(), unit)),
                Item::LetCont { handlers, .. } => {
                    for handler in handlers {
                        let first = self.take(&mut sunk, *next);
                        deep(|| self.rebuild(&mut handler.body, next, first, unit));
                    }
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        expr.items = out;
        match &mut expr.terminator {
            Terminator::Switch(switch) => {
                let mut handlers = Vec::new();
                let arms = switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default);
                for jump in arms {
                    let first = self.take(&mut sunk, *next);
                    *next += 1;
                    if !first.is_empty() {
                        let cont = unit.new_continuation("arm");
                        wrap(jump, cont, first.into_vec(), &mut handlers);
                    }
                }
                if !handlers.is_empty() {
                    expr.items.push(Item::LetCont { recursive: false, handlers });
                }
            }
            Terminator::Try { body, .. } => deep(|| self.rebuild(body, next, SmallVec::new(), unit)),
            _ => {}
        }
    }

    /// What goes into the place of that number or into one inside it, the place being a child of the one rebuilt.
    fn take(&self, sunk: &mut FxHashMap<Place, SmallVec<[Item; 1]>>, child: usize) -> SmallVec<[Item; 1]> {
        let child = Place::new(child);
        let inside = |goal: Place| {
            let mut place = goal;
            while self.places[place].depth > self.places[child].depth {
                match self.places[place].parent {
                    Some(parent) => place = parent,
                    None => break,
                }
            }
            place == child
        };
        let mut goals: SmallVec<[Place; 2]> = sunk.keys().copied().filter(|goal| inside(*goal)).collect();
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
