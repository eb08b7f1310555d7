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

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{
    CallKind, Code, CodeId, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites, SetOfClosures, Simple, Subkind,
    Terminator, Unit, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::candidates::{Bound, candidates};
use super::known::Known;

/// A set of closures whose functions are only called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// How often sets are separated from those that they would be lifted with.
const MOST_ATTEMPTS: u32 = 4;

/// The values that a function takes, each by the slot in which it was captured first.
type Needs = SmallVec<[ValueSlot; 4]>;

/// Lifts the functions of all sets of which that can be done; returns whether there was one.
pub(super) fn captured(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut stay = EntitySet::new();
    let mut lifting = Lifting::of(unit, &stay);
    for _ in 0..MOST_ATTEMPTS {
        if !lifting.separate(unit, &mut stay) {
            break;
        }
        lifting = Lifting::of(unit, &stay);
    }
    if !lifting.decide(unit, rewrites) {
        return false;
    }
    unit.rewrite_bodies(|_, code, body| {
        lifting.body(code, body);
        true
    });
    for (code, params) in &lifting.params {
        unit.codes[*code].params.extend(params.iter().map(|(_, param)| *param));
    }
    true
}

struct Lifting {
    known: Known,
    sets: PrimaryMap<SetId, Candidate>,
    /// The set of each function.
    set_of: SecondaryMap<CodeId, Option<SetId>>,
    /// What is captured and no closure of one of the sets: each value with the set that captures it.
    values: FxHashMap<ValueSlot, (Simple, SetId)>,
    needs: SecondaryMap<CodeId, Needs>,
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
            sets: PrimaryMap::new(),
            set_of: SecondaryMap::new(),
            values: FxHashMap::default(),
            needs: SecondaryMap::new(),
            lifted: EntitySet::new(),
            params: FxHashMap::default(),
        };
        for Bound { binder, set } in candidates {
            let group = lifting.sets.next_key();
            set.functions.iter().for_each(|(_, code)| lifting.set_of[*code] = Some(group));
            lifting.sets.push(Candidate { set, binder, group });
        }
        lifting.sets.keys().collect::<Vec<_>>().into_iter().for_each(|id| lifting.note_values(id));
        lifting.find_needs(unit);
        lifting
    }

    /// Records what a set captures; the sets of closures that it captures are lifted with it.
    fn note_values(&mut self, id: SetId) {
        for (slot, value) in self.sets[id].set.values.clone() {
            match value.as_var().and_then(|var| self.set_of[self.known.closure(var.into())?]) {
                Some(other) => {
                    let (one, other) = (self.group(id), self.group(other));
                    self.sets[one.max(other)].group = one.min(other);
                }
                None => {
                    self.values.insert(slot, (value, id));
                }
            }
        }
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

    /// Finds what each function takes: what it reads and what the functions that it calls take, but what it binds
    /// itself.
    fn find_needs(&mut self, unit: &Unit) {
        let mut callers: SecondaryMap<CodeId, Vec<CodeId>> = SecondaryMap::new();
        let mut pending: Vec<CodeId> = Vec::new();
        for (id, code) in &unit.codes {
            if self.set_of[id].is_none() {
                continue;
            }
            code.body.walk(&mut |expr| {
                for item in &expr.items {
                    if let Item::Let {
                        named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. },
                        ..
                    } = item
                    {
                        self.need(id, *value);
                    }
                }
                if let Terminator::Apply(apply) = &expr.terminator
                    && let CallKind::Direct(callee) = apply.kind
                    && self.set_of[callee].is_some()
                {
                    callers[callee].push(id);
                }
            });
            pending.push(id);
        }
        while let Some(callee) = pending.pop() {
            let needs = self.needs[callee].clone();
            for caller in &callers[callee] {
                let mut grows = false;
                needs.iter().for_each(|slot| grows |= self.need(*caller, *slot));
                if grows {
                    pending.push(*caller);
                }
            }
        }
    }

    /// Adds to what a function takes a captured value; whether that is new. More than a function can take is not
    /// counted.
    fn need(&mut self, code: CodeId, slot: ValueSlot) -> bool {
        let Some((Simple::Var(_), set)) = self.values.get(&slot) else { return false };
        let needs = &mut self.needs[code];
        let is_new =
            self.sets[*set].binder != Some(code) && needs.len() <= MOST_PARAMETERS && !needs.contains(&slot);
        if is_new {
            needs.push(slot);
        }
        is_new
    }

    /// Of groups whose functions would take too much, notes the functions of the sets that others in the group capture:
    /// without these the others may be lifted. Whether there are such.
    fn separate(&mut self, unit: &Unit, stay: &mut EntitySet<CodeId>) -> bool {
        let mut unfit: EntitySet<SetId> = EntitySet::new();
        for id in self.sets.keys().collect::<Vec<_>>() {
            if !self.sets[id].set.functions.iter().all(|(_, code)| self.fits(unit, *code)) {
                let group = self.group(id);
                unfit.insert(group);
            }
        }
        let mut found = false;
        for (_, code) in self.known.captures().to_vec() {
            if let Some(set) = self.set_of[code]
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
        for (group, functions) in groups {
            let fits = captures.contains(group) && functions.iter().all(|code| self.fits(unit, *code));
            let Some(first) = functions.first().filter(|_| fits) else { continue };
            if rewrites.allow(Rewrite::CapturedParameters, unit, Some(*first)) {
                self.lifted.insert(group);
                functions.iter().for_each(|code| self.make_params(unit, *code));
            }
        }
        // The groups are final from here on.
        self.sets.keys().collect::<Vec<_>>().into_iter().for_each(|id| self.sets[id].group = self.group(id));
        !self.lifted.is_empty()
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
        let params = self.needs[code].iter().map(&mut param).collect();
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
                }
                true
            }
            Item::Let { named, .. } => match named {
                Named::Simple(atom) => !self.is_lifted_closure(*atom),
                Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, args, .. }
                    if self.is_lifted_closure(args[0]) =>
                {
                    // A closure that is lifted, too, needs no name.
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

    /// What a captured value is in a function: its parameter if it takes that, else what is captured.
    fn value(&self, code: Option<CodeId>, slot: ValueSlot) -> Option<Simple> {
        let own = code.and_then(|code| self.params.get(&code));
        match own.and_then(|params| params.iter().find(|(s, _)| *s == slot)) {
            Some((_, param)) => Some((*param).into()),
            None => self.values.get(&slot).map(|(value, _)| *value),
        }
    }
}

/// How many parameters the body of a function does not mention.
fn unused(code: &Code) -> usize {
    let mut unused: Vec<Variable> = code.params.to_vec();
    code.body.for_each_simple_deep(&mut |atom| unused.retain(|param| atom != Simple::Var(*param)));
    unused.len()
}
