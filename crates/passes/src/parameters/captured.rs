//! Lambda lifting: functions of sets of closures that are only called take what they use of what their sets capture as
//! parameters. So nothing is captured; the closures are static data that nobody needs.
//!
//! A function may use a closure that it has captured: it calls that, or reads what that has captured itself. Sets of
//! which one captures closures of the other are lifted *together* where both can be, and what the function takes is
//! what it reads in the end, wherever that was captured first. Where the closure stays, the function takes it as it is;
//! the set of that is never copied from then on, as the copy would have slots of its own that the function does not
//! know ([`flambeau_ir::CodeAttributes::sole`]).
//!
//! Each call of such a function stands in the function that binds the set which has captured a value first, where the
//! value is in scope, or in a function that takes the value itself: it takes all that the functions that it calls take.
//! A function that others may call too takes it from its closure ([`super::kept`]).

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{
    CallKind, Code, CodeId, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites, SetOfClosures, Simple, Subkind,
    Terminator, Unit, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::candidates::{Bound, candidates};
use super::kept::Kept;
use super::known::Known;

/// A set of closures whose functions are only called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct SetId(u32);
entity_impl!(SetId, "set");

/// A set of closures whose functions are only called, with where it is bound.
struct Candidate {
    set: SetOfClosures,
    /// The function that binds it; `None` is the entry.
    binder: Option<CodeId>,
    /// The first of the sets that are lifted together with it, or one on the path to that.
    group: SetId,
}

/// How many times what a set that stays has captured may grow.
const MOST_GROWTH: usize = 2;

/// How often sets are separated from those that they would be lifted with.
const MOST_ATTEMPTS: u32 = 4;

/// The values that a function takes, each by the slot in which it was captured first.
type Needs = SmallVec<[ValueSlot; 4]>;

/// Lifts the functions of all sets of which that can be done; returns whether there was one.
pub(super) fn captured(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut stay = EntitySet::new();
    let mut lifting = Lifting::of(unit, &stay);
    for _ in 0..MOST_ATTEMPTS {
        if !lifting.separate(unit, &mut stay, rewrites.unboxed_closures) {
            break;
        }
        lifting = Lifting::of(unit, &stay);
    }
    if !lifting.decide(unit, rewrites) {
        return false;
    }
    unit.rewrite_bodies(|unit, code, body| {
        lifting.body(code, body);
        if let Some(code) = code {
            lifting.kept.read(code, &unit.codes[code], body);
        }
        true
    });
    for (code, params) in &lifting.params {
        unit.codes[*code].params.extend(params.iter().map(|(_, param)| *param));
    }
    true
}

struct Lifting {
    known: Known,
    kept: Kept,
    sets: PrimaryMap<SetId, Candidate>,
    /// The set of each function.
    set_of: SecondaryMap<CodeId, Option<SetId>>,
    /// What is captured and no closure of one of the sets: each value with the set that captures it.
    values: FxHashMap<ValueSlot, (Simple, SetId)>,
    needs: SecondaryMap<CodeId, Needs>,
    /// Sets of which captured values are needed where nobody can get them.
    stuck: EntitySet<SetId>,
    /// The groups that are lifted.
    lifted: EntitySet<SetId>,
    /// What each function takes, with its parameter.
    params: FxHashMap<CodeId, Vec<(ValueSlot, Variable)>>,
}

impl Lifting {
    /// Finds the sets whose functions are only called, but those with functions that are to stay; which of them are
    /// lifted together; and what their functions would take.
    fn of(unit: &Unit, stay: &EntitySet<CodeId>) -> Lifting {
        let mut known = Known::with_captures(unit);
        let candidates = candidates(unit, &mut known, stay);
        let mut lifting = Lifting {
            known,
            kept: Kept::new(candidates.kept),
            sets: PrimaryMap::new(),
            set_of: SecondaryMap::new(),
            values: FxHashMap::default(),
            needs: SecondaryMap::new(),
            stuck: EntitySet::new(),
            lifted: EntitySet::new(),
            params: FxHashMap::default(),
        };
        for Bound { binder, set, .. } in candidates.lifted {
            let group = lifting.sets.next_key();
            set.functions.iter().for_each(|(_, code)| lifting.set_of[*code] = Some(group));
            lifting.sets.push(Candidate { set, binder, group });
        }
        lifting.sets.keys().collect::<Vec<_>>().into_iter().for_each(|id| lifting.note_values(id));
        if !lifting.values.is_empty() {
            lifting.find_needs(unit);
        }
        lifting
    }

    /// Records what a set captures; the sets of closures that it captures are lifted with it.
    fn note_values(&mut self, id: SetId) {
        for (slot, value) in self.sets[id].set.values.clone() {
            match value.as_var().and_then(|var| self.set_of[self.known.closure(var.into())?]) {
                Some(other) => self.lift_together(id, other),
                None => {
                    self.values.insert(slot, (value, id));
                }
            }
        }
    }

    fn lift_together(&mut self, one: SetId, other: SetId) {
        let (one, other) = (self.group(one), self.group(other));
        self.sets[one.max(other)].group = one.min(other);
    }

    /// The set that stands for those that are lifted together with one: the first.
    fn group(&mut self, mut id: SetId) -> SetId {
        while self.sets[id].group != id {
            let above = self.sets[self.sets[id].group].group;
            self.sets[id].group = above;
            id = above;
        }
        id
    }

    /// Finds what each function takes: what it reads, what the functions that it calls take, and what the functions of
    /// sets that it binds and that stay take; but what it binds itself.
    fn find_needs(&mut self, unit: &Unit) {
        let mut users: SecondaryMap<CodeId, Vec<Option<CodeId>>> = SecondaryMap::new();
        for (id, body) in unit.bodies_by_code() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    if let Item::Let {
                        named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. },
                        ..
                    } = item
                    {
                        self.need(unit, id, *value);
                    }
                }
                if let Terminator::Apply(apply) = &expr.terminator
                    && let CallKind::Direct(callee) = apply.kind
                    && self.set_of[callee].is_some()
                {
                    users[callee].push(id);
                }
            });
        }
        for bound in &self.kept.sets {
            bound.set.functions.iter().for_each(|(_, code)| users[*code].push(bound.binder));
        }
        let mut pending: Vec<CodeId> = unit.codes.keys().collect();
        while let Some(used) = pending.pop() {
            let needs = self.needs[used].clone();
            for user in &users[used] {
                let mut grows = false;
                needs.iter().for_each(|slot| grows |= self.need(unit, *user, *slot));
                if let Some(user) = user
                    && grows
                {
                    pending.push(*user);
                }
            }
        }
    }

    /// Adds to what a function takes a captured value; whether that is new. More than a function can take is not
    /// counted.
    fn need(&mut self, unit: &Unit, code: Option<CodeId>, slot: ValueSlot) -> bool {
        let Some((Simple::Var(_), set)) = self.values.get(&slot) else { return false };
        if self.sets[*set].binder == code {
            return false;
        }
        let takes = |code: &CodeId| {
            self.set_of[*code].is_some()
                || self.kept.number(*code).is_some()
                    && (!self.needs[*code].is_empty() || unit.codes[*code].uses_closure())
        };
        let Some(code) = code.filter(takes) else {
            self.stuck.insert(*set);
            return false;
        };
        let needs = &mut self.needs[code];
        if needs.contains(&slot) {
            return false;
        }
        let is_counted = needs.len() <= MOST_PARAMETERS;
        if is_counted {
            needs.push(slot);
        }
        let set = *set;
        match self.set_of[code] {
            // It may have come to the closure through another one, of a set that stays.
            Some(own) => self.lift_together(own, set),
            None if is_counted => {}
            None => {
                self.stuck.insert(set);
            }
        }
        is_counted
    }

    /// Of groups that are stuck, or whose functions would take too much, notes the functions of the sets that others in
    /// the group capture: without these the others may be lifted. Whether there are such. `anywhere`: as for
    /// [`Lifting::stuck_groups`].
    fn separate(&mut self, unit: &Unit, stay: &mut EntitySet<CodeId>, anywhere: bool) -> bool {
        let mut unfit = self.stuck_groups(anywhere);
        for id in self.sets.keys().collect::<Vec<_>>() {
            if !self.sets[id].set.functions.iter().all(|(_, code)| self.fits(unit, *code)) {
                let group = self.group(id);
                unfit.insert(group);
            }
        }
        let mut found = false;
        for (by, code) in self.known.captures().to_vec() {
            if let Some(set) = self.set_of[code]
                && self.set_of[by].is_some()
                && unfit.contains(self.group(set))
            {
                found = true;
                stay.insert(code);
            }
        }
        found
    }

    /// Decides on each group of sets; whether one is lifted.
    fn decide(&mut self, unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
        let mut groups: PrimaryMap<SetId, Vec<CodeId>> = self.sets.values().map(|_| Vec::new()).collect();
        let mut captures: EntitySet<SetId> = EntitySet::new();
        for id in self.sets.keys().collect::<Vec<_>>() {
            let group = self.group(id);
            let set = &self.sets[id].set;
            groups[group].extend(set.functions.iter().map(|(_, code)| *code));
            if !set.values.is_empty() {
                captures.insert(group);
            }
        }
        let stuck = self.stuck_groups(rewrites.unboxed_closures);
        for (group, functions) in groups {
            let fits = captures.contains(group)
                && !stuck.contains(group)
                && functions.iter().all(|code| self.fits(unit, *code));
            let Some(first) = functions.first().filter(|_| fits) else { continue };
            if rewrites.allow(Rewrite::CapturedParameters, unit, Some(*first)) {
                self.lifted.insert(group);
                functions.iter().for_each(|code| self.make_params(unit, *code));
            }
        }
        // The groups are final from here on.
        self.sets.keys().collect::<Vec<_>>().into_iter().for_each(|id| self.sets[id].group = self.group(id));
        self.take_from_closures(unit);
        !self.lifted.is_empty()
    }

    /// The groups that can't be lifted, or for which sets that stay would capture too much; sets that are bound more
    /// often may capture more, too, if that is wanted (`anywhere`).
    fn stuck_groups(&mut self, anywhere: bool) -> EntitySet<SetId> {
        let mut stuck = EntitySet::new();
        for set in self.sets.keys().filter(|set| self.stuck.contains(*set)).collect::<Vec<_>>() {
            stuck.insert(self.group(set));
        }
        // How many words more the sets that stay take for each group.
        let mut growth: FxHashMap<SetId, isize> = FxHashMap::default();
        for number in 0..self.kept.sets.len() {
            let mut changes: FxHashMap<SetId, Change> = FxHashMap::default();
            for slot in self.taken_by_set(number) {
                let (value, set) = self.values[&slot];
                let is_near = self.sets[set].binder == self.kept.sets[number].binder;
                let captured = &self.kept.sets[number].set.values;
                if is_near && captured.iter().any(|(_, own)| *own == value) {
                    continue;
                }
                let change = changes.entry(self.group(set)).or_default();
                change.more += 1;
                change.is_far |= !anywhere && (!is_near || self.kept.sets[number].in_loop);
            }
            let values = &self.kept.sets[number].set.values;
            let captured = values.len();
            let closures = values.iter().filter_map(|(_, value)| self.set_of[self.known.closure(*value)?]);
            for set in closures.collect::<SmallVec<[SetId; 4]>>() {
                changes.entry(self.group(set)).or_default().less += 1;
            }
            for (group, change) in changes {
                if !change.fits(captured) {
                    stuck.insert(group);
                }
                *growth.entry(group).or_default() += change.more as isize - change.less as isize;
            }
        }
        for id in self.sets.keys().collect::<Vec<_>>() {
            if let Some(growth) = growth.get_mut(&self.group(id)) {
                *growth -= words(&self.sets[id].set) as isize;
            }
        }
        growth.into_iter().filter(|(_, growth)| *growth > 0).for_each(|(group, _)| {
            stuck.insert(group);
        });
        stuck
    }

    /// What functions of a set that stays take, by the slots in which it was captured first.
    fn taken_by_set(&self, number: usize) -> Needs {
        let mut taken = Needs::new();
        for (_, code) in &self.kept.sets[number].set.functions {
            taken.extend(self.needs[*code].iter().copied());
        }
        taken.sort_unstable();
        taken.dedup();
        taken
    }

    /// Makes the functions of sets that stay take what the functions that are lifted take of them. What a set captures
    /// for that its binder may take from its closure itself, so that comes first.
    fn take_from_closures(&mut self, unit: &mut Unit) {
        for number in self.kept.outermost_first() {
            let Bound { binder, set, .. } = &self.kept.sets[number];
            let is_taken = |slot: &ValueSlot| self.lifted.contains(self.sets[self.values[slot].1].group);
            let value = |slot: &ValueSlot| Some((*slot, self.value(*binder, *slot)?));
            let of_function = |(_, code): &(_, CodeId)| {
                let needs = self.needs[*code].iter().filter(|slot| is_taken(slot));
                (*code, needs.filter_map(value).collect::<Vec<_>>())
            };
            let functions = set.functions.iter().map(of_function);
            let functions: Vec<_> = functions.filter(|(_, values)| !values.is_empty()).collect();
            if !functions.is_empty() {
                self.kept.take(unit, number, &functions);
            }
        }
    }

    /// Whether a function can take what it needs.
    fn fits(&self, unit: &Unit, code: CodeId) -> bool {
        let (needs, code) = (self.needs[code].len(), &unit.codes[code]);
        let (params, unused) = (code.params.len(), unused(code));
        needs <= MOST_NEW_PARAMETERS + unused && params - unused + needs <= MOST_PARAMETERS
    }

    fn make_params(&mut self, unit: &mut Unit, code: CodeId) {
        let mut param = |slot: &ValueSlot| {
            let subkind = match self.values.get(slot) {
                Some((Simple::Var(var), _)) => unit.variables[*var].subkind,
                _ => Subkind::Any,
            };
            let name = unit.value_slots[*slot].clone();
            (*slot, unit.new_variable(name, Kind::Value, subkind))
        };
        // In the same order in all functions, so that those which call each other pass on what they took where it is.
        let mut needs = self.needs[code].clone();
        needs.sort_unstable();
        let params = needs.iter().map(&mut param).collect();
        self.params.insert(code, params);
        for slot in &self.needs[code] {
            let closure = self.values.get(slot).and_then(|(value, _)| self.known.closure(*value));
            closure.into_iter().for_each(|closure| unit.codes[closure].attributes.sole = true);
        }
    }

    /// Whether a code is of a set that is lifted.
    fn is_lifted(&self, code: CodeId) -> bool {
        self.set_of[code].is_some_and(|set| self.lifted.contains(self.sets[set].group))
    }

    /// Whether an atom is a closure that is lifted.
    fn is_lifted_closure(&self, atom: Simple) -> bool {
        self.known.closure(atom).is_some_and(|code| self.is_lifted(code))
    }

    /// Rewrites the body of a code, or of the entry.
    fn body(&self, code: Option<CodeId>, body: &mut Expr) {
        body.walk_mut(&mut |expr| {
            expr.items.retain_mut(|item| self.item(code, item));
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && let Some(params) = self.params.get(&callee)
            {
                apply.callee = None;
                apply.args.extend(params.iter().filter_map(|(slot, _)| self.value(code, *slot)));
            }
        });
    }

    /// Rewrites an item; whether it stays.
    fn item(&self, code: Option<CodeId>, item: &mut Item) -> bool {
        match item {
            Item::LetClosures { vars, set, .. } => {
                if self.is_lifted_closure(vars[0].into()) {
                    set.values.clear();
                } else {
                    set.values.retain(|(_, value)| !self.is_lifted_closure(*value));
                    self.kept.extend(set);
                }
                true
            }
            Item::Let { var, named: Named::Prim { prim: Prim::ProjectValueSlot { .. }, .. }, .. }
                if self.is_lifted_closure((*var).into()) =>
            {
                false
            }
            Item::Let { named, .. } => match named {
                Named::Simple(atom) => !self.is_lifted_closure(*atom),
                Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, args, .. }
                    if self.is_lifted_closure(args[0]) =>
                {
                    let value = self.value(code, *value);
                    value.map(|value| *named = Named::Simple(value)).is_some()
                }
                Named::Prim { prim: Prim::ProjectFunctionSlot { .. }, args, .. } => {
                    !self.is_lifted_closure(args[0])
                }
                Named::Prim { .. } => true,
            },
            Item::Join { .. } | Item::LetCont { .. } => true,
        }
    }

    /// What a captured value is in a function: what it takes, else what is captured.
    fn value(&self, code: Option<CodeId>, slot: ValueSlot) -> Option<Simple> {
        let own = code.and_then(|code| match self.params.get(&code) {
            Some(params) => params.iter().find(|(s, _)| *s == slot).map(|(_, param)| (*param).into()),
            None => self.kept.value(code, slot),
        });
        own.or_else(|| self.values.get(&slot).map(|(value, _)| *value))
    }
}

/// What a set that stays captures more and less if a group is lifted.
#[derive(Default)]
struct Change {
    more: usize,
    less: usize,
    /// The set may be bound more often than what it captures more.
    is_far: bool,
}

impl Change {
    /// Whether it is little enough for a set that has captured so many values.
    fn fits(&self, captured: usize) -> bool {
        self.more <= self.less || !self.is_far && self.more - self.less <= (MOST_GROWTH - 1) * captured
    }
}

/// How many words the closures of a set take.
fn words(set: &SetOfClosures) -> usize {
    if set.values.is_empty() { 0 } else { 3 * set.functions.len() + set.values.len() }
}

/// How many parameters the body of a function does not mention.
fn unused(code: &Code) -> usize {
    let mut unused: Vec<Variable> = code.params.to_vec();
    code.body.for_each_simple_deep(&mut |atom| unused.retain(|param| atom != Simple::Var(*param)));
    unused.len()
}
