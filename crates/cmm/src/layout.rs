//! Closure layout: where each function slot and each value slot of a set of closures lies.
//!
//! The stock runtime fixes the shape (digest 7, soundness row 40): for each function, in order, its code
//! pointer and closure information (two words, when it takes one argument and is not tupled) or the
//! pointer to `caml_curryN`/`caml_tuplifyN`, closure information and code pointer (three words); before
//! each function but the first, an infix header; after the last, the captured values. Function slots are
//! dense: marshalling and compaction walk them (pitfall 47).

use cranelift_entity::SecondaryMap;
use flambeau_ir::{Code, CodeId, FunctionKind, FunctionSlot, SetOfClosures, Unit, ValueSlot};

/// Where the slots of a unit's sets of closures lie, in words from the start of the block.
///
/// A slot may be in several sets (static and dynamic copies of one). Those must agree on the offsets of the
/// slots that projections name (pitfall 48).
#[derive(Debug, Default)]
pub struct Layout {
    functions: SecondaryMap<FunctionSlot, Place>,
    values: SecondaryMap<ValueSlot, Place>,
    /// By function slot: the size of the whole block.
    block_sizes: SecondaryMap<FunctionSlot, Place>,
    codes: SecondaryMap<FunctionSlot, Option<CodeId>>,
}

/// A number of words on which sets of closures have to agree.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    Nowhere,
    At(u32),
    Disagreement(u32, u32),
}

impl Place {
    fn add(&mut self, words: u32) {
        *self = match *self {
            Place::Nowhere => Place::At(words),
            Place::At(known) if known != words => Place::Disagreement(known, words),
            place => place,
        };
    }

    /// # Panics
    /// When no set has the slot, or sets disagree: the unit is wrong.
    fn get(self, slot: impl std::fmt::Display) -> u32 {
        match self {
            Place::At(words) => words,
            Place::Nowhere => panic!("slot {slot} is in no set of closures"),
            Place::Disagreement(a, b) => {
                panic!("sets of closures disagree on slot {slot}: {a} words in one, {b} in another")
            }
        }
    }
}

/// The arity as the runtime has it: negative for tupled functions.
pub fn arity(code: &Code) -> i32 {
    let count = code.params.len() as i32;
    match code.kind {
        FunctionKind::Curried => count,
        FunctionKind::Tupled => -count,
    }
}

/// The offsets of the functions of a set, one for each in order, then that of the first value slot.
pub fn function_offsets(unit: &Unit, set: &SetOfClosures) -> (Vec<u32>, u32) {
    let mut next = 0;
    let mut offsets = Vec::with_capacity(set.functions.len());
    for (index, (_, code)) in set.functions.iter().enumerate() {
        if index > 0 {
            next += 1;
        }
        offsets.push(next);
        next += if arity(&unit.codes[*code]) == 1 { 2 } else { 3 };
    }
    (offsets, next)
}

impl Layout {
    /// Takes the slots of a set into account.
    pub fn add(&mut self, unit: &Unit, set: &SetOfClosures) {
        let (offsets, first_value) = function_offsets(unit, set);
        for ((slot, code), offset) in set.functions.iter().zip(offsets) {
            self.codes[*slot].get_or_insert(*code);
            self.functions[*slot].add(offset);
            self.block_sizes[*slot].add(first_value + set.values.len() as u32);
        }
        for (offset, (slot, _)) in (first_value..).zip(&set.values) {
            self.values[*slot].add(offset);
        }
    }

    /// Words from the closure of one function to the closure of another in the same set.
    pub fn between(&self, from: FunctionSlot, to: FunctionSlot) -> i32 {
        self.functions[to].get(to) as i32 - self.functions[from].get(from) as i32
    }

    /// Words from the closure of a function to a captured value.
    pub fn to_value(&self, function: FunctionSlot, value: ValueSlot) -> i32 {
        self.values[value].get(value) as i32 - self.functions[function].get(function) as i32
    }

    /// What the closures of a function run, if a set has the function.
    pub fn code(&self, slot: FunctionSlot) -> Option<CodeId> {
        self.codes[slot]
    }

    /// The size of the block that holds the closure of a function, and the closure's offset in it.
    pub fn block(&self, slot: FunctionSlot) -> (u32, u32) {
        (self.block_sizes[slot].get(slot), self.functions[slot].get(slot))
    }
}

/// Where the closures of a unit's object have what they captured, for other units.
#[derive(Debug)]
pub struct CapturedPlaces(Layout);

impl CapturedPlaces {
    /// The places in all sets of the unit, which is lowered as it is.
    #[must_use]
    pub fn of(unit: &Unit) -> CapturedPlaces {
        let mut layout = Layout::default();
        unit.for_each_set(&mut |_, set| layout.add(unit, set));
        CapturedPlaces(layout)
    }

    /// Words from the closure of a function to a captured value, if sets have both, and all of them there.
    #[must_use]
    pub fn of_value(&self, function: FunctionSlot, value: ValueSlot) -> Option<u32> {
        match (self.0.functions[function], self.0.values[value]) {
            (Place::At(closure), Place::At(value)) => value.checked_sub(closure),
            _ => None,
        }
    }
}
