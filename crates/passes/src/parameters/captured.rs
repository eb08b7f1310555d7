//! Lambda lifting: the functions of a set of closures that are only called take what they use of what the set captures
//! as parameters. So nothing is captured; the closures are static data that nobody needs.
//!
//! Each call stands in the function that binds the set, where the captured values are in scope, or in a function of
//! the set, which has them as its own parameters: it takes all that the functions that it calls take.

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::{
    CallKind, Code, CodeId, Expr, Item, Kind, Named, Prim, Rewrites, SetOfClosures, Simple, Subkind,
    Terminator, Unit, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;

use super::known::Known;
use super::{MOST, MOST_NEW};

/// A set of closures whose functions are lifted.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SetId(u32);
entity_impl!(SetId, "set");

/// What replaces the captured values of a set.
struct Lifted {
    values: FxHashMap<ValueSlot, Simple>,
    /// What each function takes, in the order of the set, with its parameter.
    params: FxHashMap<CodeId, Vec<(ValueSlot, Variable)>>,
}

/// Lifts the functions of all sets of which that can be done; whether there was one.
pub(super) fn captured(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let known = Known::of(unit);
    let mut sets: Vec<SetOfClosures> = Vec::new();
    let bodies = unit.codes.values().map(|code| &code.body).chain([&unit.entry.body]);
    bodies.for_each(|body| {
        body.for_each_set(&mut |set| {
            if !set.values.is_empty() && set.functions.iter().all(|(_, code)| known.is_known(*code)) {
                sets.push(set.clone());
            }
        });
    });
    let mut lifting = Lifting { known, set_of: SecondaryMap::new(), sets: PrimaryMap::new() };
    for set in sets {
        if let Some(lifted) = lifting.lifted(unit, &set, rewrites) {
            let id = lifting.sets.push(lifted);
            set.functions.iter().for_each(|(_, code)| lifting.set_of[*code] = Some(id));
        }
    }
    if lifting.sets.is_empty() {
        return false;
    }
    unit.rewrite_bodies(|_, code, body| {
        lifting.body(code, body);
        true
    });
    for lifted in lifting.sets.values() {
        for (code, params) in &lifted.params {
            unit.codes[*code].params.extend(params.iter().map(|(_, param)| *param));
        }
    }
    true
}

struct Lifting {
    known: Known,
    set_of: SecondaryMap<CodeId, Option<SetId>>,
    sets: PrimaryMap<SetId, Lifted>,
}

impl Lifting {
    /// Decides on a set.
    fn lifted(&self, unit: &mut Unit, set: &SetOfClosures, rewrites: &mut Rewrites) -> Option<Lifted> {
        let functions: Vec<CodeId> = set.functions.iter().map(|(_, code)| *code).collect();
        let needs = self.needs(unit, set, &functions);
        let fits = functions.iter().zip(&needs).all(|(code, needs)| {
            let code = &unit.codes[*code];
            let (params, unused) = (code.params.len(), unused(code));
            needs.len() <= MOST_NEW + unused && params - unused + needs.len() <= MOST
        });
        let first = *functions.first()?;
        if !fits || !rewrites.allow(|| format!("parameters: captured by {}", unit.place_name(Some(first)))) {
            return None;
        }
        let values: FxHashMap<ValueSlot, Simple> = set.values.iter().copied().collect();
        let mut params = FxHashMap::default();
        for (code, needs) in functions.iter().zip(needs) {
            let mut param = |slot: ValueSlot| {
                let subkind = match values[&slot] {
                    Simple::Var(var) => unit.variables[var].subkind,
                    Simple::Symbol(_) | Simple::Const(_) => Subkind::Any,
                };
                let name = unit.value_slots[slot].clone();
                (slot, unit.new_variable(name, Kind::Value, subkind))
            };
            params.insert(*code, needs.into_iter().map(&mut param).collect());
        }
        Some(Lifted { values, params })
    }

    /// The captured values that each function of a set uses, those that the functions which it calls use included.
    fn needs(&self, unit: &Unit, set: &SetOfClosures, functions: &[CodeId]) -> Vec<Vec<ValueSlot>> {
        let position = |code: CodeId| functions.iter().position(|c| *c == code);
        let mut used = vec![vec![false; set.values.len()]; functions.len()];
        let mut calls: Vec<(usize, usize)> = Vec::new();
        for (caller, code) in functions.iter().enumerate() {
            unit.codes[*code].body.walk(&mut |expr| {
                for item in &expr.items {
                    if let Item::Let {
                        named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. },
                        ..
                    } = item
                        && let Some(index) = set.values.iter().position(|(slot, _)| slot == value)
                    {
                        used[caller][index] = true;
                    }
                }
                if let Terminator::Apply(apply) = &expr.terminator
                    && let CallKind::Direct(callee) = apply.kind
                    && let Some(callee) = position(callee)
                {
                    calls.push((caller, callee));
                }
            });
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(caller, callee) in &calls {
                let wanted = used[callee].clone();
                for (used, wanted) in used[caller].iter_mut().zip(wanted) {
                    changed |= wanted && !*used;
                    *used |= wanted;
                }
            }
        }
        let slots = |used: Vec<bool>| {
            let slots =
                set.values.iter().zip(used).filter(|((_, value), used)| *used && value.as_var().is_some());
            slots.map(|((slot, _), _)| *slot).collect()
        };
        used.into_iter().map(slots).collect()
    }

    /// Of the closure that an atom is, the set if that is lifted.
    fn set(&self, atom: Simple) -> Option<&Lifted> {
        self.set_of[self.known.closure(atom)?].map(|id| &self.sets[id])
    }

    /// Rewrites the body of a code, or of the entry.
    fn body(&self, code: Option<CodeId>, body: &mut Expr) {
        body.walk_mut(&mut |expr| {
            expr.items.retain_mut(|item| self.item(code, item));
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && let Some(set) = self.set_of[callee]
            {
                let lifted = &self.sets[set];
                apply.callee = None;
                apply.args.extend(lifted.params[&callee].iter().map(|(slot, _)| lifted.value(code, *slot)));
            }
        });
    }

    /// Rewrites an item; whether it stays.
    fn item(&self, code: Option<CodeId>, item: &mut Item) -> bool {
        match item {
            Item::LetClosures { vars, set, .. } => {
                if self.set(vars[0].into()).is_some() {
                    set.values.clear();
                }
                true
            }
            Item::Let { named, .. } => match named {
                Named::Simple(atom) => self.set(*atom).is_none(),
                Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, args, .. } => {
                    if let Some(lifted) = self.set(args[0]) {
                        *named = Named::Simple(lifted.value(code, *value));
                    }
                    true
                }
                Named::Prim { prim: Prim::ProjectFunctionSlot { .. }, args, .. } => {
                    self.set(args[0]).is_none()
                }
                Named::Prim { .. } => true,
            },
            Item::Join { .. } | Item::LetCont { .. } => true,
        }
    }
}

impl Lifted {
    /// What a captured value is in a function: its parameter in one of the set, else what is captured.
    fn value(&self, code: Option<CodeId>, slot: ValueSlot) -> Simple {
        let own = code.and_then(|code| self.params.get(&code));
        match own.and_then(|params| params.iter().find(|(s, _)| *s == slot)) {
            Some((_, param)) => (*param).into(),
            None => self.values[&slot],
        }
    }
}

/// How many parameters the body of a function does not mention.
fn unused(code: &Code) -> usize {
    let mut unused: Vec<Variable> = code.params.to_vec();
    code.body.for_each_simple_deep(&mut |atom| unused.retain(|param| atom != Simple::Var(*param)));
    unused.len()
}
