//! Which functors are inlined wherever they are applied at the toplevel (features B7, G6, G10).
//!
//! A functor that is inlined brings the functors along that its body applies: so what it costs is its size times all
//! its copies, those at the toplevel and those in functors that are inlined there, as often as these are. That is
//! counted at the beginning of a round, from the outside inwards, against a budget of the unit. A functor is inlined
//! in all its applications or in none: it does not matter which of them is seen first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use flambeau_ir::inlining::LARGEST;
use flambeau_ir::{CallKind, CodeId, Expr, Item, Named, Prim, Simple, Terminator, Unit, ValueSlot, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::size;
use crate::uses::Uses;

/// Through how many stubs an application is looked for.
const STUBS: u32 = 2;

/// The decisions on the functors of a unit, for a round.
#[derive(Default)]
pub struct Functors {
    /// Those that nothing is said of come up in the course of the round.
    decided: FxHashMap<CodeId, Decision>,
    /// What is left of the budget.
    left: u32,
}

#[derive(Clone, Copy)]
enum Decision {
    /// Its applications stay calls.
    Stays,
    /// It is inlined.
    Inlined(Copies),
}

/// The copies of a functor that is inlined.
#[derive(Clone, Copy)]
struct Copies {
    /// How many are still to be made.
    left: u32,
    /// How many of all the budget has paid for: one may be in the place of the functor itself.
    paid: u32,
    /// What the budget has paid for each of these.
    price: u32,
    /// How large a copy was when that was paid.
    size: u32,
}

impl Copies {
    /// Copies for which nothing is paid yet.
    fn unforeseen(count: u32) -> Copies {
        Copies { left: count, paid: count, price: 0, size: 0 }
    }
}

impl Functors {
    /// Decides on the functors of a unit that is not simplified yet.
    pub fn of_unit(unit: &Unit, uses: &Uses, budget: u32, indirect: f64) -> Functors {
        let mut plan = Plan::of(unit, uses, indirect);
        let mut functors = Functors { decided: FxHashMap::default(), left: budget };
        while let Some(Reverse((cost, code))) = plan.ready.pop() {
            let functor = &plan.functors[&code];
            let is_inlined = cost <= functors.left;
            if is_inlined {
                functors.left -= cost;
                functors.decided.insert(code, functor.inlined());
            } else if functor.copies > 0 {
                functors.decided.insert(code, Decision::Stays);
            }
            plan.decide(code, is_inlined);
        }
        functors
    }

    /// Whether a functor is inlined where it is applied at the toplevel. `size`: what it has become, which all of its
    /// copies pay for before the first is made. `uses`: how many copies that is if nothing is decided on it yet.
    pub fn is_inlined(&mut self, code: CodeId, size: u32, uses: u32) -> bool {
        let mut copies = match self.decided.get(&code) {
            Some(Decision::Stays) => return false,
            Some(Decision::Inlined(copies)) if copies.left > 0 => *copies,
            Some(Decision::Inlined(_)) => Copies::unforeseen(1),
            None => Copies::unforeseen(uses.max(1)),
        };
        let larger = size.saturating_sub(copies.size);
        let Some(left) = self.left.checked_sub(larger.saturating_mul(copies.paid)) else {
            self.left += copies.price * copies.paid;
            self.decided.insert(code, Decision::Stays);
            return false;
        };
        self.left = left;
        copies.price += larger;
        copies.size += larger;
        self.decided.insert(code, Decision::Inlined(copies));
        true
    }

    /// Records that a functor is inlined in one of its applications; or that it is not, because all that it makes there
    /// is known without.
    pub fn take(&mut self, code: CodeId, is_inlined: bool) {
        if let Some(Decision::Inlined(copies)) = self.decided.get_mut(&code) {
            copies.left = copies.left.saturating_sub(1);
            if !is_inlined && copies.paid > 0 {
                copies.paid -= 1;
                self.left += copies.price;
            }
        }
    }
}

/// The functors that are not decided on yet. Each is after those that apply it; of several the cheapest is first.
struct Plan {
    functors: FxHashMap<CodeId, Functor>,
    /// Those that can be decided on next, with what they cost.
    ready: BinaryHeap<Reverse<(u32, CodeId)>>,
}

/// How a functor is applied.
struct Functor {
    /// Which functors its body applies, and how often.
    applies: FxHashMap<CodeId, u32>,
    /// `None` if it is never inlined.
    size: Option<u32>,
    /// What calls in it are worth that become direct.
    benefit: u32,
    /// How often it is copied if it is inlined.
    copies: u32,
    /// How many uses it has then, other units being one.
    stays: u32,
    /// How many functors apply it that are not decided on.
    undecided: u32,
}

impl Functor {
    /// How many copies are more than there is now.
    fn paid(&self) -> u32 {
        self.copies.saturating_sub(u32::from(self.stays == 0))
    }

    /// What a copy costs: what it is larger than what is gained by it, but half of it at least.
    fn price(&self, size: u32) -> u32 {
        size.saturating_sub(self.benefit).max(size / 2)
    }

    /// What all its copies cost; no budget has what is not to be inlined.
    fn cost(&self) -> u32 {
        match self.size {
            Some(size) if self.copies > 0 && self.copies.saturating_mul(size) <= LARGEST => {
                self.paid() * self.price(size)
            }
            _ => u32::MAX,
        }
    }

    fn inlined(&self) -> Decision {
        let size = self.size.unwrap_or(0);
        Decision::Inlined(Copies { left: self.copies, paid: self.paid(), price: self.price(size), size })
    }
}

impl Plan {
    fn of(unit: &Unit, uses: &Uses, indirect: f64) -> Plan {
        let functors = unit.codes.iter().filter(|(_, code)| code.attributes.is_functor);
        let functors = functors.map(|(id, code)| {
            let functor = Functor {
                applies: applications(unit, &code.body),
                size: size::whole(unit, id, LARGEST).filter(|_| !code.recursive),
                benefit: (f64::from(calls_of_arguments(unit, id)) * indirect) as u32,
                copies: 0,
                stays: uses.of_anyone(id),
                undecided: 0,
            };
            (id, functor)
        });
        let mut plan = Plan { functors: functors.collect(), ready: BinaryHeap::new() };
        let at_toplevel = applications(unit, &unit.entry.body);
        plan.count_callers(at_toplevel.keys().copied().collect());
        plan.apply(&at_toplevel, 1, true);
        plan
    }

    /// Counts by how many others each is applied: the toplevel, and the functors that are reached from there.
    fn count_callers(&mut self, at_toplevel: Vec<CodeId>) {
        let mut reached = FxHashSet::default();
        let mut pending = at_toplevel;
        while let Some(code) = pending.pop() {
            let Some(functor) = self.functors.get_mut(&code) else { continue };
            functor.undecided += 1;
            if reached.insert(code) {
                pending.extend(functor.applies.keys());
            }
        }
    }

    /// Records a decision, which says how often the functors are copied that this one applies.
    fn decide(&mut self, code: CodeId, is_inlined: bool) {
        let Some(functor) = self.functors.get_mut(&code) else { return };
        let applies = std::mem::take(&mut functor.applies);
        let (copies, is_gone) = if is_inlined { (functor.copies, functor.stays == 0) } else { (0, false) };
        self.apply(&applies, copies, is_gone);
    }

    /// Records that the toplevel has so many copies of a body with these applications, and whether the body itself is
    /// gone.
    fn apply(&mut self, applies: &FxHashMap<CodeId, u32>, copies: u32, is_gone: bool) {
        for (code, calls) in applies {
            let Some(functor) = self.functors.get_mut(code) else { continue };
            functor.copies = functor.copies.saturating_add(calls.saturating_mul(copies));
            functor.stays = functor.stays.saturating_sub(if is_gone { *calls } else { 0 });
            functor.undecided -= 1;
            if functor.undecided == 0 {
                self.ready.push(Reverse((functor.cost(), *code)));
            }
        }
    }
}

/// Which functors a body applies, and how often: perhaps by stubs, which pass on the arguments of partial applications.
fn applications(unit: &Unit, body: &Expr) -> FxHashMap<CodeId, u32> {
    let mut applies = FxHashMap::default();
    let mut bodies = vec![(body, STUBS)];
    while let Some((body, stubs)) = bodies.pop() {
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(code) = apply.kind
            {
                let callee = &unit.codes[code];
                if callee.attributes.is_functor {
                    *applies.entry(code).or_insert(0) += 1;
                } else if callee.attributes.stub && stubs > 0 {
                    bodies.push((&callee.body, stubs - 1));
                }
            }
        });
    }
    applies
}

/// How many calls there are, in a functor and the functions that it makes, of functions of the modules that it is
/// applied to.
fn calls_of_arguments(unit: &Unit, functor: CodeId) -> u32 {
    let mut given: FxHashSet<Variable> = unit.codes[functor].params.iter().copied().collect();
    let mut captured: FxHashSet<ValueSlot> = FxHashSet::default();
    let mut calls = 0;
    let mut codes = vec![functor];
    while let Some(code) = codes.pop() {
        let body = &unit.codes[code].body;
        body.walk(&mut |expr| {
            for item in &expr.items {
                note_given(item, &mut given, &mut captured);
            }
            if let Terminator::Apply(apply) = &expr.terminator
                && apply.kind == CallKind::Generic
            {
                calls += u32::from(apply.callee.is_some_and(|callee| is_among(callee, &given)));
            }
        });
        body.for_each_code_made(&mut |code| codes.push(code));
    }
    calls
}

/// Records what an item defines as a part of what a functor is given, and what captures such parts.
fn note_given(item: &Item, given: &mut FxHashSet<Variable>, captured: &mut FxHashSet<ValueSlot>) {
    match item {
        Item::Let { var, named, .. } => {
            let is_given = match named {
                Named::Simple(simple) => is_among(*simple, given),
                Named::Prim { prim: Prim::BlockLoad { .. }, args, .. } => is_among(args[0], given),
                Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. } => captured.contains(value),
                Named::Prim { .. } => false,
            };
            given.extend(is_given.then_some(*var));
        }
        Item::LetClosures { set, .. } => {
            let values = set.values.iter().filter(|(_, value)| is_among(*value, given));
            captured.extend(values.map(|(slot, _)| *slot));
        }
        Item::Join { .. } | Item::LetCont { .. } => {}
    }
}

fn is_among(simple: Simple, variables: &FxHashSet<Variable>) -> bool {
    simple.as_var().is_some_and(|var| variables.contains(&var))
}
