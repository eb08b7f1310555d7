//! Sets of closures that stay, and capture closures that are lifted: they capture what the functions of these take, and
//! hand it on (features E6, OCaml's manual, 21.9.3).
//!
//! What a set captures instead may be more, but at most twice as much, and no more words together than the closures
//! took that are not allocated; and only a set that is bound as often as they are captures more.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Code, CodeId, Dbg, Expr, Item, Kind, Named, Prim, SetOfClosures, Simple, Subkind, Unit, ValueSlot,
    Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::candidates::Bound;

/// A value that a function takes from its closure: the slot in which it was captured first, that in which the set of
/// the function captures it, and what it is in the function.
type Taken = SmallVec<[(ValueSlot, ValueSlot, Variable); 4]>;

/// The sets of closures that stay.
pub(super) struct Kept {
    pub sets: Vec<Bound>,
    /// One more than the number of the set of each function.
    number: SecondaryMap<CodeId, u32>,
    /// What each function takes.
    taken: FxHashMap<CodeId, Taken>,
    /// What each set captures more.
    captured: FxHashMap<usize, Vec<(ValueSlot, Simple)>>,
}

impl Kept {
    pub fn new(sets: Vec<Bound>) -> Kept {
        let mut number = SecondaryMap::new();
        for (index, bound) in (1..).zip(&sets) {
            bound.set.functions.iter().for_each(|(_, code)| number[*code] = index);
        }
        Kept { sets, number, taken: FxHashMap::default(), captured: FxHashMap::default() }
    }

    /// The number of the set of a function.
    pub fn number(&self, code: CodeId) -> Option<usize> {
        (self.number[code] as usize).checked_sub(1)
    }

    /// The sets, each after that of the function that binds it.
    pub fn outermost_first(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.sets.len());
        let mut seen = vec![false; self.sets.len()];
        for number in 0..self.sets.len() {
            let first = order.len();
            let mut next = Some(number);
            while let Some(number) = next.filter(|number| !std::mem::replace(&mut seen[*number], true)) {
                order.push(number);
                next = self.sets[number].binder.and_then(|binder| self.number(binder));
            }
            order[first..].reverse();
        }
        order
    }

    /// What a captured value is in a function of a set that stays, if this takes it.
    pub fn value(&self, code: CodeId, slot: ValueSlot) -> Option<Simple> {
        let taken = self.taken.get(&code)?;
        taken.iter().find(|(first, ..)| *first == slot).map(|(.., var)| (*var).into())
    }

    /// Makes functions of a set take captured values, each given by the slot in which it was captured first and by what
    /// it is where the set is bound; the set captures those that it has not captured yet.
    pub fn take(&mut self, unit: &mut Unit, number: usize, functions: &[(CodeId, Vec<(ValueSlot, Simple)>)]) {
        let set = &self.sets[number].set;
        let mut captured: Vec<(ValueSlot, Simple)> = Vec::new();
        for (code, values) in functions {
            let mut taken = Taken::new();
            for (first, value) in values {
                let own = set.values.iter().chain(&captured).find(|(_, known)| known == value);
                let slot = own.map(|(slot, _)| *slot).unwrap_or_else(|| {
                    let slot = unit.value_slots.push(unit.value_slots[*first].clone());
                    captured.push((slot, *value));
                    slot
                });
                let var = unit.new_variable(unit.value_slots[slot].clone(), Kind::Value, Subkind::Any);
                taken.push((*first, slot, var));
            }
            self.taken.insert(*code, taken);
        }
        self.captured.insert(number, captured);
    }

    /// Adds what a set captures more.
    pub fn extend(&self, set: &mut SetOfClosures) {
        let number = set.functions.first().and_then(|(_, code)| self.number(*code));
        if let Some(captured) = number.and_then(|number| self.captured.get(&number)) {
            set.values.extend(captured.iter().copied());
        }
    }

    /// Reads what a function takes.
    pub fn read(&self, code: CodeId, data: &Code, body: &mut Expr) {
        let Some(taken) = self.taken.get(&code) else { return };
        let reads = taken.iter().map(|(_, value, var)| Item::Let {
            var: *var,
            named: Named::Prim {
                prim: Prim::ProjectValueSlot { function: data.function_slot, value: *value },
                args: SmallVec::from_slice(&[data.my_closure.into()]),
                exn: None,
            },
            dbg: Dbg::NONE,
        });
        body.items.splice(0..0, reads);
    }
}
