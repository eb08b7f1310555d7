//! The places of a body, how control comes to each, and how far an allocation can sink towards its uses.

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use flambeau_ir::stack::deep;
use flambeau_ir::{Continuation, Expr, Item, Simple, Terminator, Variable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::movable::{self, Crossing};

/// The point of a run at which what sinks to its beginning stands: before its first item.
const BEGINNING: u32 = 0;

/// The point of an item of a run, or of what ends it. What is put before an item stands at the same point as that item,
/// after whatever stands at an earlier one.
fn point_of(index: usize) -> u32 {
    index as u32 + 1
}

/// From a jump to where its continuation is bound no more places than these are looked at, nor more jumps of a place that might
/// leave a loop.
const FAR: usize = 200;

/// A run of items, or an arm of a final switch. Numbered in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(u32);
entity_impl!(Place);

/// Whether what is allocated in the parent may be allocated in a place instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entrance {
    Open,
    /// The only handler of a loop: only in a place inside that leaves the loop.
    Loop,
    Closed,
}

struct PlaceData {
    parent: Option<Place>,
    depth: u32,
    /// The point of the parent's run at which the item stands that it is part of, or the end.
    at: u32,
    entrance: Entrance,
    /// One past the last place inside.
    end: u32,
    /// What its run does before it ends.
    crossing: Crossing,
    /// What may happen between the run that binds it and itself.
    entered: Crossing,
    /// The point of its first call, where an allocation may stand that has moved past reads.
    before_call: Option<u32>,
}

/// Where a continuation is bound.
#[derive(Clone, Copy)]
struct Binding {
    run: Place,
    /// The handler.
    body: Place,
    is_loop: bool,
}

/// A jump, a return of a call, or a raise.
struct Jump {
    from: Place,
    to: Continuation,
    /// What happens on the way, besides what the run does.
    crossing: Crossing,
}

/// What might be sunk.
pub struct Candidate {
    /// What it binds.
    pub vars: SmallVec<[Variable; 1]>,
    /// The run in which it is.
    pub home: Place,
    /// The point there at which it stands.
    pub point: u32,
    /// What it uses.
    pub operands: SmallVec<[Simple; 4]>,
    /// What comes after it in the run.
    after: Crossing,
}

/// Where an allocation is to go.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Into this run.
    pub place: Place,
    /// Just before the first call there, so that what uses it must not stand at an earlier point; else at the beginning.
    pub before_call: bool,
}

/// What is known of a body.
#[derive(Default)]
pub struct Ways {
    places: PrimaryMap<Place, PlaceData>,
    /// The innermost place that sees all uses of a variable, and the point of the first.
    uses: FxHashMap<Variable, (Place, u32)>,
    bindings: FxHashMap<Continuation, Binding>,
    /// In the order of their places.
    jumps: Vec<Jump>,
}

impl Ways {
    /// Looks through a body, for what might be sunk, too.
    pub fn of(body: &Expr) -> (Ways, Vec<Candidate>) {
        let mut ways = Ways::default();
        let mut candidates = Vec::new();
        ways.look(body, None, Entrance::Open, &mut candidates);
        if !candidates.is_empty() {
            ways.jumps.sort_by_key(|jump| jump.from);
            ways.follow();
        }
        (ways, candidates)
    }

    /// Whether what sinks into a run past reads stands just before this item of it.
    pub fn is_before_call(&self, place: Place, index: usize) -> bool {
        self.places[place].before_call == Some(point_of(index))
    }

    /// The point at which an allocation stands that was moved.
    pub fn point(&self, goal: Goal) -> u32 {
        let call = self.places[goal.place].before_call.filter(|_| goal.before_call);
        call.unwrap_or(BEGINNING)
    }

    /// Whether a place is another, or inside it.
    pub fn is_inside(&self, place: Place, other: Place) -> bool {
        (other.index() as u32..self.places[other].end).contains(&(place.index() as u32))
    }

    fn place(&mut self, parent: Option<(Place, u32)>, entrance: Entrance) -> Place {
        let depth = parent.map_or(0, |(parent, _)| self.places[parent].depth + 1);
        let place = self.places.push(PlaceData {
            parent: parent.map(|(parent, _)| parent),
            depth,
            at: parent.map_or(0, |(_, at)| at),
            entrance,
            end: 0,
            crossing: Crossing::Nothing,
            entered: Crossing::Nothing,
            before_call: None,
        });
        self.places[place].end = place.index() as u32 + 1;
        place
    }

    /// Numbers the places, and notes what they do, jump to and use.
    fn look(
        &mut self,
        expr: &Expr,
        parent: Option<(Place, u32)>,
        entrance: Entrance,
        candidates: &mut Vec<Candidate>,
    ) {
        let place = self.place(parent, entrance);
        self.places[place].before_call = movable::before_call(expr).map(point_of);
        let crossings: Vec<Crossing> = suffixes(expr);
        self.places[place].crossing = crossings[0];
        for (index, item) in expr.items.iter().enumerate() {
            self.item(item, (place, point_of(index)), crossings[index + 1], candidates);
        }
        self.end(&expr.terminator, (place, point_of(expr.items.len())), candidates);
        self.places[place].end = self.places.len() as u32;
    }

    fn item(&mut self, item: &Item, here: (Place, u32), after: Crossing, candidates: &mut Vec<Candidate>) {
        let (place, point) = here;
        let mut operands = SmallVec::new();
        item.for_each_simple(&mut |simple| operands.push(simple));
        if let Some(vars) = movable::movable(item) {
            // A diamond has no places of its own.
            if let Item::Join { body, .. } = item {
                body.for_each_simple_deep(&mut |simple| operands.push(simple));
            }
            candidates.push(Candidate { vars, home: place, point, operands, after });
            return;
        }
        operands.into_iter().for_each(|operand| self.note(operand, place, point));
        match item {
            Item::Let { named, .. } => {
                if let Some(exn) = named.exn() {
                    self.jump(place, exn.cont, Crossing::Nothing);
                }
            }
            Item::Join { body, .. } => {
                deep(|| self.look(body, Some(here), Entrance::Closed, candidates));
            }
            Item::LetCont { recursive, handlers } => {
                let entrance = match (recursive, handlers.len()) {
                    (false, _) => Entrance::Open,
                    (true, 1) => Entrance::Loop,
                    (true, _) => Entrance::Closed,
                };
                for handler in handlers {
                    let body = Place::new(self.places.len());
                    let binding = Binding { run: place, body, is_loop: *recursive };
                    self.bindings.insert(handler.cont, binding);
                    deep(|| self.look(&handler.body, Some(here), entrance, candidates));
                }
            }
            Item::LetClosures { .. } => {}
        }
    }

    fn end(&mut self, terminator: &Terminator, here: (Place, u32), candidates: &mut Vec<Candidate>) {
        let (place, point) = here;
        if let Terminator::Switch(switch) = terminator {
            self.note(switch.scrutinee, place, point);
            switch.for_each_jump(&mut |jump| {
                let arm = self.place(Some(here), Entrance::Open);
                jump.for_each_simple(&mut |simple| self.note(simple, arm, BEGINNING));
                self.jump(arm, jump.cont, Crossing::Nothing);
            });
            return;
        }
        terminator.for_each_simple(&mut |simple| self.note(simple, place, point));
        match terminator {
            Terminator::ApplyCont(jump) => self.jump(place, jump.cont, Crossing::Nothing),
            Terminator::StringSwitch(switch) => {
                switch.for_each_jump(&mut |jump| self.jump(place, jump.cont, Crossing::Nothing));
            }
            Terminator::Apply(apply) => {
                self.jump(place, apply.ret, Crossing::Effects);
                self.jump(place, apply.exn.cont, Crossing::Effects);
            }
            Terminator::Raise { handler, .. } => self.jump(place, handler.cont, Crossing::Nothing),
            Terminator::Try { body, handler } => {
                self.jump(place, handler.cont, Crossing::Effects);
                deep(|| self.look(body, Some(here), Entrance::Closed, candidates));
            }
            Terminator::Switch(_) | Terminator::Unreachable => {}
        }
    }

    fn jump(&mut self, from: Place, to: Continuation, crossing: Crossing) {
        self.jumps.push(Jump { from, to, crossing });
    }

    /// Notes a use.
    pub fn note(&mut self, simple: Simple, place: Place, point: u32) {
        if let Simple::Var(var) = simple {
            let here = (place, point);
            let common = self.uses.get(&var).map_or(here, |other| self.common(*other, here));
            self.uses.insert(var, common);
        }
    }

    /// The innermost place around both, and the point of the first of them.
    fn common(&self, mut a: (Place, u32), mut b: (Place, u32)) -> (Place, u32) {
        while a.0 != b.0 {
            let up = |(place, point): (Place, u32)| {
                let data = &self.places[place];
                data.parent.map_or((place, point), |parent| (parent, data.at))
            };
            if self.places[a.0].depth >= self.places[b.0].depth { a = up(a) } else { b = up(b) }
        }
        (a.0, a.1.min(b.1))
    }

    /// Finds out what may happen between the run that binds a handler and the handler: what the places do from which it is
    /// jumped to, and what may have happened before those.
    fn follow(&mut self) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            // From those bound last, which come first when the program runs.
            for index in (0..self.jumps.len()).rev() {
                let Jump { from, to, mut crossing } = self.jumps[index];
                let Some(Binding { run, body, .. }) = self.bindings.get(&to).copied() else { continue };
                let mut steps = 0;
                let mut place = from;
                while place != run && crossing < Crossing::Effects {
                    let data = &self.places[place];
                    crossing = crossing.max(data.crossing).max(data.entered);
                    steps += 1;
                    match data.parent {
                        Some(parent) if steps < FAR => place = parent,
                        _ => crossing = Crossing::Effects,
                    }
                }
                let entered = &mut self.places[body].entered;
                if crossing > *entered {
                    *entered = crossing;
                    changed = true;
                }
            }
        }
    }

    /// How far an allocation can sink towards its uses.
    pub fn goal(&self, candidate: &Candidate) -> Option<Goal> {
        let uses = candidate.vars.iter().filter_map(|var| self.uses.get(var).copied());
        let mut used = uses.reduce(|a, b| self.common(a, b))?;
        let mut path: SmallVec<[(Place, u32); 8]> = SmallVec::new();
        while used.0 != candidate.home {
            path.push(used);
            let data = &self.places[used.0];
            used = (data.parent?, data.at);
        }
        let mut goal = None;
        let mut past = candidate.after;
        // The loops that have been entered and not left for good.
        let mut inside: SmallVec<[Place; 2]> = SmallVec::new();
        for (place, first_use) in path.into_iter().rev() {
            let data = &self.places[place];
            past = past.max(data.entered);
            if past == Crossing::Effects || data.entrance == Entrance::Closed {
                break;
            }
            inside.retain(|turning| !self.leaves(place, *turning));
            if data.entrance == Entrance::Loop {
                inside.push(place);
            }
            // Just before the call wherever its uses allow that, so that what it is made of may follow it past reads.
            let before_call = data.before_call.is_some_and(|call| call <= first_use);
            if inside.is_empty() && (before_call || past < Crossing::Reads) {
                goal = Some(Goal { place, before_call });
            }
            past = past.max(data.crossing);
        }
        goal
    }

    /// Whether control, once in a place of a loop, does not turn any more.
    fn leaves(&self, place: Place, turning: Place) -> bool {
        let outer = self.places[turning].depth;
        let first = self.jumps.partition_point(|jump| jump.from < place);
        let jumps = self.jumps[first..].iter().take_while(|jump| self.is_inside(jump.from, place));
        jumps.enumerate().all(|(count, jump)| {
            // Where nothing binds it, it is of the function.
            let stays = self.bindings.get(&jump.to).is_some_and(|binding| {
                let depth = self.places[binding.run].depth + u32::from(binding.is_loop);
                (outer..self.places[place].depth).contains(&depth)
            });
            count < FAR && !stays
        })
    }
}

/// What a run does from each of its items on, and at the end.
fn suffixes(expr: &Expr) -> Vec<Crossing> {
    let mut crossings = vec![Crossing::Nothing; expr.items.len() + 1];
    for (index, item) in expr.items.iter().enumerate().rev() {
        crossings[index] = crossings[index + 1].max(movable::crossing(item));
    }
    crossings
}
