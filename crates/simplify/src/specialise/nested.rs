//! A function with those whose closures it allocates, and in these what they have captured.

use flambeau_ir::{CodeId, Item, Named, Prim, Simple, Unit, ValueSlot, Variable};
use rustc_hash::FxHashMap;

/// Which functions a function and those nested in it allocate closures of, and what these load from their closures.
pub struct Nested {
    /// The function itself, first, and those nested in it.
    pub codes: Vec<CodeId>,
    /// What the closures capture; nothing where two sets capture different values in one slot.
    captured: FxHashMap<ValueSlot, Option<Simple>>,
    /// The variables that are loaded from closures.
    loaded: FxHashMap<Variable, ValueSlot>,
}

impl Nested {
    pub fn of(unit: &Unit, code: CodeId) -> Nested {
        let mut nested =
            Nested { codes: vec![code], captured: FxHashMap::default(), loaded: FxHashMap::default() };
        let mut next = 0;
        while let Some(at) = nested.codes.get(next).copied() {
            unit.codes[at].body.walk(&mut |expr| expr.items.iter().for_each(|item| nested.note(item)));
            next += 1;
        }
        nested
    }

    fn note(&mut self, item: &Item) {
        match item {
            Item::Let {
                var, named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. }, ..
            } => {
                self.loaded.insert(*var, *value);
            }
            Item::LetClosures { set, .. } => {
                for (slot, value) in &set.values {
                    let captured = self.captured.entry(*slot).or_insert(Some(*value));
                    *captured = captured.filter(|known| known == value);
                }
                for (_, code) in &set.functions {
                    if !self.codes.contains(code) {
                        self.codes.push(*code);
                    }
                }
            }
            _ => {}
        }
    }

    /// The value of the outermost function that a value of a nested one is, as far as that is known.
    pub fn outermost(&self, mut value: Simple) -> Simple {
        // Each step goes one function outwards.
        for _ in &self.codes {
            match value.as_var().and_then(|var| self.outer(var)) {
                Some(outer) => value = outer,
                None => break,
            }
        }
        value
    }

    /// What a variable that is loaded from a closure was captured as.
    fn outer(&self, var: Variable) -> Option<Simple> {
        *self.captured.get(self.loaded.get(&var)?)?
    }
}
