//! Sets of closures, their slots, and projections.

use cranelift_entity::SecondaryMap;

use super::{Verifier, cause};
use crate::printer::{FunctionId, Part, Place};
use crate::{Expr, FunctionSlot, Item, Kind, SetOfClosures, StaticDef, ValueSlot};

/// The number of a set of closures, from 1; 0 for a slot that is in none.
type SetNumber = u32;

/// Which set each slot is in.
#[derive(Default)]
pub(super) struct Slots {
    sets: SetNumber,
    functions: SecondaryMap<FunctionSlot, SetNumber>,
    values: SecondaryMap<ValueSlot, SetNumber>,
}

impl Slots {
    /// Whether both functions are in one set.
    pub(super) fn same_set(&self, a: FunctionSlot, b: FunctionSlot) -> bool {
        self.functions[a] != 0 && self.functions[a] == self.functions[b]
    }
}

impl<'u> Verifier<'u> {
    /// Enters the slots of all static sets.
    pub(super) fn static_sets(&mut self) {
        let unit = self.unit;
        self.function = FunctionId::Unit;
        for item in &unit.statics {
            if let StaticDef::Closures { symbols, set } = &item.def {
                self.place = Place::Static(item);
                self.set_of_closures(set, symbols.len());
                let codes = set.functions.iter().map(|(_, code)| *code);
                self.static_closures.extend(
                    symbols.iter().copied().zip(codes).filter(|(_, code)| unit.codes.is_valid(*code)),
                );
            }
        }
    }

    /// Enters the slots of all sets in a term.
    pub(super) fn dynamic_sets(&mut self, body: &'u Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::LetClosures { vars, set, .. } = item {
                    self.place = Place::Item(item);
                    self.set_of_closures(set, vars.len());
                }
            }
        });
        self.place = Place::Head;
    }

    fn set_of_closures(&mut self, set: &SetOfClosures, bound: usize) {
        let unit = self.unit;
        self.slots.sets += 1;
        let number = self.slots.sets;
        if set.functions.is_empty() {
            self.error(cause!["a set of closures has at least one function"]);
        }
        if set.functions.len() != bound {
            let closures = Part::count(set.functions.len(), "closure");
            let cause = cause![closures, " bound to ", Part::count(bound, "name")];
            self.error(cause);
        }
        for &(slot, code) in &set.functions {
            match unit.codes.get(code) {
                None => self.error(cause!["the code ", code, " is not in the unit's table"]),
                Some(data) if data.function_slot != slot => {
                    self.error(cause!["the code ", code, " is not of the function slot ", slot]);
                }
                Some(_) => {}
            }
            if unit.function_slots.get(slot).is_none() {
                self.error(cause!["the function slot ", slot, " is not in the unit's table"]);
            } else if std::mem::replace(&mut self.slots.functions[slot], number) != 0 {
                self.error(cause!["the function slot ", slot, " is bound a second time"]);
            }
        }
        for &(slot, _) in &set.values {
            if unit.value_slots.get(slot).is_none() {
                self.error(cause!["the value slot ", slot, " is not in the unit's table"]);
            } else if std::mem::replace(&mut self.slots.values[slot], number) != 0 {
                self.error(cause!["the value slot ", slot, " is bound a second time"]);
            }
        }
    }

    /// The captured values: of kind value, and in scope.
    pub(super) fn captured_values(&mut self, set: &SetOfClosures) {
        for &(slot, value) in &set.values {
            self.expect_kind(value, Kind::Value, || cause!["the value of the slot ", slot]);
        }
    }

    /// A function slot that a set has.
    pub(super) fn known_function_slot(&mut self, slot: FunctionSlot) {
        if self.slots.functions[slot] == 0 {
            self.error(cause!["no set of closures has the function slot ", slot]);
        }
    }

    pub(super) fn project_value(&mut self, function: FunctionSlot, value: ValueSlot) {
        self.known_function_slot(function);
        let set = self.slots.functions[function];
        if set != 0 && self.slots.values[value] != set {
            self.error(cause!["the set of closures of ", function, " has no value slot ", value]);
        }
    }

    pub(super) fn project_function(&mut self, from: FunctionSlot, to: FunctionSlot) {
        self.known_function_slot(from);
        self.known_function_slot(to);
        let known = self.slots.functions[from] != 0 && self.slots.functions[to] != 0;
        if known && !self.slots.same_set(from, to) {
            self.error(cause!["the function slots ", from, " and ", to, " are in different sets"]);
        }
    }
}
