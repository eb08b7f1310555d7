//! The names that identifiers are printed with.

use std::collections::hash_map::Entry;

use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::naming::Naming;
use crate::{CodeId, Continuation, FunctionSlot, Symbol, Unit, ValueSlot, Variable};

/// Names assigned to identifiers of one sort, no two the same.
struct Namer<E> {
    /// Names are unique by the numbers of what has them.
    numbered: bool,
    given: FxHashMap<E, String>,
    taken: FxHashSet<String>,
    /// For a name without its number, the next number to try. It only grows, so that many identifiers of
    /// one name take linear time.
    next: FxHashMap<String, u32>,
}

impl<E: EntityRef + std::hash::Hash> Namer<E> {
    fn new(numbered: bool) -> Self {
        let (given, taken, next) = Default::default();
        Namer { numbered, given, taken, next }
    }

    /// The name of an identifier; at its first occurrence `wanted`, numbered if that is taken.
    fn get(&mut self, entity: E, wanted: impl FnOnce() -> String) -> &str {
        match self.given.entry(entity) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) if self.numbered => entry.insert(format!("{}#{}", wanted(), entity.index())),
            Entry::Vacant(entry) => {
                let name = unique(wanted(), &self.taken, &mut self.next);
                self.taken.insert(name.clone());
                entry.insert(name)
            }
        }
    }
}

/// The name, numbered if it is taken.
fn unique(wanted: String, taken: &FxHashSet<String>, next: &mut FxHashMap<String, u32>) -> String {
    // There is no empty name.
    let wanted = if wanted.is_empty() { "x".to_owned() } else { wanted };
    if !taken.contains(&wanted) {
        return wanted;
    }
    let base = without_number(&wanted);
    let next = next.entry(base.to_owned()).or_insert(1);
    loop {
        let name = format!("{base}_{next}");
        *next += 1;
        if !taken.contains(&name) {
            return name;
        }
    }
}

/// `x` for `x_12`.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((base, digits))
            if !base.is_empty() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            base
        }
        _ => name,
    }
}

/// The names of a unit.
pub(super) struct Names<'u> {
    unit: &'u Unit,
    variables: Namer<Variable>,
    continuations: Namer<Continuation>,
    symbols: Namer<Symbol>,
    /// Symbols of this unit that no static defines.
    undefined: Vec<Symbol>,
    codes: Namer<CodeId>,
    function_slots: Namer<FunctionSlot>,
    value_slots: Namer<ValueSlot>,
}

impl<'u> Names<'u> {
    /// Names all codes and symbols: in the order of the text, so that the text read back yields the same
    /// names, whatever the order of the table.
    pub(super) fn new(unit: &'u Unit, numbered: bool) -> Self {
        let mut names = Names {
            unit,
            variables: Namer::new(numbered),
            continuations: Namer::new(numbered),
            symbols: Namer::new(numbered),
            undefined: Vec::new(),
            codes: Namer::new(numbered),
            function_slots: Namer::new(numbered),
            value_slots: Namer::new(numbered),
        };
        for id in unit.codes.keys() {
            names.code(id);
        }
        for (symbol, data) in &unit.symbols {
            if !data.is_local {
                names.symbol(symbol);
            }
        }
        for symbol in unit.statics.iter().flat_map(|item| item.def.symbols()) {
            names.symbol(*symbol);
        }
        for (symbol, data) in &unit.symbols {
            if data.is_local && !names.symbols.given.contains_key(&symbol) {
                names.undefined.push(symbol);
                names.symbol(symbol);
            }
        }
        names
    }

    /// Forgets the names of variables and continuations: every function begins anew.
    pub(super) fn begin_function(&mut self) {
        // Not `clear`, whose time is that of the largest function so far.
        self.variables = Namer::new(self.variables.numbered);
        self.continuations = Namer::new(self.continuations.numbered);
    }

    pub(super) fn variable(&mut self, variable: Variable) -> &str {
        let data = self.unit.variables.get(variable);
        self.variables
            .get(variable, || data.map_or_else(|| variable.to_string(), |data| data.name.to_string()))
    }

    pub(super) fn continuation(&mut self, continuation: Continuation) -> &str {
        let data = self.unit.continuations.get(continuation);
        self.continuations
            .get(continuation, || data.map_or_else(|| continuation.to_string(), |data| data.name.to_string()))
    }

    /// Whether the continuation has been named in this function.
    pub(super) fn names_continuation(&self, continuation: Continuation) -> bool {
        self.continuations.given.contains_key(&continuation)
    }

    pub(super) fn symbol(&mut self, symbol: Symbol) -> &str {
        let unit = self.unit;
        self.symbols.get(symbol, || match unit.symbols.get(symbol) {
            Some(data) if data.is_local => short_linkage(&data.linkage_name, &unit.naming).to_owned(),
            Some(data) => data.linkage_name.clone(),
            None => symbol.to_string(),
        })
    }

    pub(super) fn code(&mut self, code: CodeId) -> &str {
        let unit = self.unit;
        self.codes.get(code, || match unit.codes.get(code) {
            Some(data) => short_linkage(&data.linkage_name, &unit.naming).to_owned(),
            None => code.to_string(),
        })
    }

    pub(super) fn function_slot(&mut self, slot: FunctionSlot) -> &str {
        let name = self.unit.function_slots.get(slot);
        self.function_slots.get(slot, || name.map_or_else(|| slot.to_string(), Clone::clone))
    }

    pub(super) fn value_slot(&mut self, slot: ValueSlot) -> &str {
        let name = self.unit.value_slots.get(slot);
        self.value_slots.get(slot, || name.map_or_else(|| slot.to_string(), Clone::clone))
    }

    /// Whether the symbol's name determines its linkage name.
    pub(super) fn has_usual_linkage(&mut self, symbol: Symbol) -> bool {
        let data = &self.unit.symbols[symbol];
        let name = self.symbol(symbol).to_owned();
        if data.is_local {
            self.unit.naming.local(&name) == data.linkage_name
        } else {
            name == data.linkage_name
        }
    }

    /// Whether the code's name determines its linkage name.
    pub(super) fn code_has_usual_linkage(&mut self, code: CodeId) -> bool {
        let name = self.code(code).to_owned();
        self.unit.naming.local(&name) == self.unit.codes[code].linkage_name
    }

    /// The symbols which the text must declare, in the order in which it does.
    pub(super) fn declared_symbols(&mut self) -> Vec<Symbol> {
        let undefined: FxHashSet<Symbol> = self.undefined.iter().copied().collect();
        let (locals, mut list): (Vec<Symbol>, Vec<Symbol>) =
            self.unit.symbols.keys().partition(|&symbol| self.unit.symbols[symbol].is_local);
        list.extend(
            locals
                .into_iter()
                .filter(|symbol| undefined.contains(symbol) || !self.has_usual_linkage(*symbol)),
        );
        list
    }
}

/// What a text calls that which has a linkage name.
fn short_linkage<'n>(linkage: &'n str, naming: &Naming) -> &'n str {
    naming.name_of(linkage).unwrap_or(linkage)
}
