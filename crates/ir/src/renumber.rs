//! Removing codes and static data: what comes after them in their tables is renumbered. Slots, variables and
//! continuations need no removing, because what is in a table without being mentioned does not count.

use crate::remap::{self, Remap};
use crate::{CodeId, Symbol, Unit};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// What is to be removed.
pub struct Removal {
    codes: SecondaryMap<CodeId, bool>,
    statics: Vec<bool>,
}

impl Removal {
    /// Nothing yet.
    pub fn new(unit: &Unit) -> Removal {
        Removal { codes: SecondaryMap::new(), statics: vec![false; unit.statics.len()] }
    }

    /// Removes a code, which nothing that stays mentions.
    pub fn code(&mut self, code: CodeId) {
        self.codes[code] = true;
    }

    /// Removes the static data of that number with its symbols, which nothing that stays mentions.
    pub fn static_data(&mut self, index: usize) {
        self.statics[index] = true;
    }

    /// Does so.
    pub fn apply(self, unit: &mut Unit) {
        let mut renumbering = Renumbering { codes: SecondaryMap::new(), symbols: SecondaryMap::new() };
        let mut codes: PrimaryMap<CodeId, _> = PrimaryMap::new();
        for (id, code) in std::mem::take(&mut unit.codes) {
            if self.codes[id] {
                code.body.dismantle();
            } else {
                renumbering.codes[id] = codes.push(code).into();
            }
        }
        unit.codes = codes;
        let mut removed: SecondaryMap<Symbol, bool> = SecondaryMap::new();
        let mut doomed = self.statics.iter();
        unit.statics.retain(|item| {
            let stays = !doomed.next().copied().unwrap_or(false);
            item.def.symbols().iter().for_each(|&symbol| removed[symbol] = !stays);
            stays
        });
        let mut symbols: PrimaryMap<Symbol, _> = PrimaryMap::new();
        for (id, data) in std::mem::take(&mut unit.symbols) {
            if !removed[id] {
                renumbering.symbols[id] = symbols.push(data).into();
            }
        }
        unit.symbols = symbols;
        renumbering.unit(unit);
    }
}

/// The new numbers of what stays.
struct Renumbering {
    codes: SecondaryMap<CodeId, PackedOption<CodeId>>,
    symbols: SecondaryMap<Symbol, PackedOption<Symbol>>,
}

impl Remap for Renumbering {
    fn code(&mut self, code: &mut CodeId) {
        *code = self.codes[*code].expect("a code that was removed has no mention");
    }

    fn symbol(&mut self, symbol: &mut Symbol) {
        *symbol = self.symbols[*symbol].expect("a symbol that was removed has no mention");
    }
}

impl Renumbering {
    fn unit(&mut self, unit: &mut Unit) {
        self.symbol(&mut unit.module_symbol);
        for item in &mut unit.statics {
            remap::static_def(self, &mut item.def);
        }
        for code in unit.codes.values_mut() {
            remap::expr(self, &mut code.body);
        }
        remap::expr(self, &mut unit.entry.body);
    }
}
