//! The names that identifiers are printed with.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{CodeId, Continuation, FunctionSlot, Symbol, Unit, ValueSlot, Variable};

/// Names given to identifiers of one sort, no two the same.
struct Namer<E> {
    given: FxHashMap<E, String>,
    taken: FxHashSet<String>,
    /// For a name without its number, the next number to try. It only grows, so that many identifiers of
    /// one name take linear time.
    next: FxHashMap<String, u32>,
}

impl<E: Copy + Eq + std::hash::Hash> Namer<E> {
    fn new() -> Self {
        Namer { given: FxHashMap::default(), taken: FxHashSet::default(), next: FxHashMap::default() }
    }

    fn clear(&mut self) {
        self.given.clear();
        self.taken.clear();
        self.next.clear();
    }

    /// The name of an identifier; at its first occurrence `wanted`, numbered if that is taken.
    fn get(&mut self, entity: E, wanted: &str) -> &str {
        if !self.given.contains_key(&entity) {
            let name = self.fresh(wanted);
            self.taken.insert(name.clone());
            self.given.insert(entity, name);
        }
        &self.given[&entity]
    }

    fn fresh(&mut self, wanted: &str) -> String {
        // There is no empty name.
        let wanted = if wanted.is_empty() { "x" } else { wanted };
        if !self.taken.contains(wanted) {
            return wanted.to_owned();
        }
        let base = without_number(wanted);
        let next = self.next.entry(base.to_owned()).or_insert(1);
        loop {
            let name = format!("{base}_{next}");
            *next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
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
    /// Names all codes and symbols: in the order of the text, so that the text read back gives the same
    /// names, whatever the order of the table.
    pub(super) fn new(unit: &'u Unit) -> Self {
        let mut names = Names {
            unit,
            variables: Namer::new(),
            continuations: Namer::new(),
            symbols: Namer::new(),
            undefined: Vec::new(),
            codes: Namer::new(),
            function_slots: Namer::new(),
            value_slots: Namer::new(),
        };
        for (id, code) in &unit.codes {
            names.codes.get(id, short_linkage(&code.linkage_name, &unit.prefix));
        }
        for (symbol, data) in &unit.symbols {
            if !data.is_local {
                names.symbols.get(symbol, &data.linkage_name);
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
        self.variables.clear();
        self.continuations.clear();
    }

    pub(super) fn variable(&mut self, variable: Variable) -> &str {
        let wanted = self.unit.variables.get(variable).map_or("?", |data| &data.name);
        self.variables.get(variable, wanted)
    }

    pub(super) fn continuation(&mut self, continuation: Continuation) -> &str {
        let wanted = self.unit.continuations.get(continuation).map_or("?", |data| &data.name);
        self.continuations.get(continuation, wanted)
    }

    /// Whether the continuation has been named in this function.
    pub(super) fn names_continuation(&self, continuation: Continuation) -> bool {
        self.continuations.given.contains_key(&continuation)
    }

    pub(super) fn symbol(&mut self, symbol: Symbol) -> &str {
        let wanted = match self.unit.symbols.get(symbol) {
            Some(data) if data.is_local => short_linkage(&data.linkage_name, &self.unit.prefix),
            Some(data) => &data.linkage_name,
            None => "?",
        };
        self.symbols.get(symbol, wanted)
    }

    pub(super) fn code(&mut self, code: CodeId) -> &str {
        let wanted = self.unit.codes.get(code).map_or("?", |code| &code.linkage_name);
        self.codes.get(code, wanted)
    }

    pub(super) fn function_slot(&mut self, slot: FunctionSlot) -> &str {
        let wanted = self.unit.function_slots.get(slot).map_or("?", |name| name);
        self.function_slots.get(slot, wanted)
    }

    pub(super) fn value_slot(&mut self, slot: ValueSlot) -> &str {
        let wanted = self.unit.value_slots.get(slot).map_or("?", |name| name);
        self.value_slots.get(slot, wanted)
    }

    /// Whether the symbol's name tells its linkage name.
    pub(super) fn has_usual_linkage(&mut self, symbol: Symbol) -> bool {
        let data = &self.unit.symbols[symbol];
        let name = self.symbol(symbol).to_owned();
        if data.is_local {
            usual_linkage(&name, &self.unit.prefix) == data.linkage_name
        } else {
            name == data.linkage_name
        }
    }

    /// Whether the code's name tells its linkage name.
    pub(super) fn code_has_usual_linkage(&mut self, code: CodeId) -> bool {
        let name = self.code(code).to_owned();
        usual_linkage(&name, &self.unit.prefix) == self.unit.codes[code].linkage_name
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

/// The linkage name of a local symbol or a code unless the text says otherwise.
pub(crate) fn usual_linkage(name: &str, prefix: &str) -> String {
    if name == prefix { name.to_owned() } else { format!("{prefix}__{name}") }
}

/// The name that [`usual_linkage`] takes to this linkage name, if there is one.
fn short_linkage<'n>(linkage: &'n str, prefix: &str) -> &'n str {
    linkage
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix("__"))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(linkage)
}
