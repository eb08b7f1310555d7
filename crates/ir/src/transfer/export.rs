//! Taking functions out of a unit.

use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Extent, Function, MAX_DEPTH, Place, Portable};
use crate::prim::Mutability;
use crate::remap::{self, Remap};
use crate::stack::deep;
use crate::{
    CallKind, CodeId, Continuation, Dbg, Expr, FunctionSlot, Inlined, Item, Named, Origin, Prim,
    SetOfClosures, Simple, StaticDef, StaticField, Symbol, Terminator, Unit, ValueSlot, Variable,
};

/// A function that can be exported.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The function as bytes, for [`import`](fn@super::import).
    pub bytes: Vec<u8>,
    /// The symbols mentioned, but for those of what is exported along.
    pub symbols: Vec<Symbol>,
    /// The codes of the unit that are called directly.
    pub called: Vec<CodeId>,
    /// The codes of other units that are, by their names.
    pub called_elsewhere: Vec<String>,
    /// The codes of static closures that are exported along, and of the closures that these allocate.
    pub copies: Vec<CodeId>,
}

/// Where a captured value lies in the closure of a function, in words from that; `None` if that is not for others to
/// know.
pub type PlaceOf<'a> = &'a dyn Fn(FunctionSlot, ValueSlot) -> Option<u32>;

/// A function as bytes; `None` if it can't leave its unit: it calls itself through its closure, or needs slots of sets
/// of closures that it does not allocate whose places are not known, or allocates a set that is to stay the only one,
/// or is nested very deeply. `along`: the static data that is exported with it, by its symbols, instead of being
/// referred to, closures with their functions. `closures`: the functions of static closures that the other unit may
/// know.
pub fn export(
    unit: &Unit,
    code: CodeId,
    along: &FxHashMap<Symbol, &StaticDef>,
    closures: &FxHashMap<Symbol, CodeId>,
    place_of: PlaceOf<'_>,
) -> Option<Exported> {
    let Along { codes: functions, copies, sets } = Along::of(unit, code, along)?;
    if unit.codes[code].recursive && unit.codes[code].uses_closure() {
        return None;
    }
    let mut export = Export {
        unit,
        along,
        closures,
        place_of,
        own_functions: functions.len(),
        functions: functions.iter().enumerate().map(|(index, code)| (*code, CodeId::new(index))).collect(),
        slots_closed: false,
        foreign_slot: false,
        type_variables: FxHashMap::default(),
        portable: Portable {
            strings: Vec::new(),
            symbols: Vec::new(),
            called: Vec::new(),
            closures: Vec::new(),
            variables: Vec::new(),
            shapes: Vec::new(),
            continuations: Vec::new(),
            function_slots: Vec::new(),
            value_slots: Vec::new(),
            places: Vec::new(),
            statics: Vec::new(),
            functions: Vec::new(),
        },
        strings: FxHashMap::default(),
        variables: FxHashMap::default(),
        continuations: FxHashMap::default(),
        function_slots: FxHashMap::default(),
        value_slots: FxHashMap::default(),
        symbols: FxHashMap::default(),
        dbgs: FxHashMap::default(),
        elsewhere: FxHashMap::default(),
        exported: Exported { copies, ..Exported::default() },
    };
    // The slots of the function itself and of the sets that it allocates come first: those are its own.
    export.function_slot(&mut unit.codes[code].function_slot.clone());
    let mut own_set = |set: &SetOfClosures| {
        set.functions.iter().for_each(|(slot, _)| export.function_slot(&mut slot.clone()));
        set.values.iter().for_each(|(slot, _)| export.value_slot(&mut slot.clone()));
    };
    functions.iter().for_each(|code| unit.codes[*code].body.for_each_set(&mut own_set));
    for def in &sets {
        if let StaticDef::Closures { set, .. } = def {
            own_set(set);
        }
    }
    export.slots_closed = true;
    for code in &functions {
        let function = export.function(*code);
        export.portable.functions.push(function);
    }
    // Those whose functions are called directly, and that nothing else mentions.
    sets.iter().flat_map(|def| def.symbols()).for_each(|symbol| export.symbol(&mut symbol.clone()));
    export.finish()
}

/// What is exported along with a function.
struct Along<'u> {
    /// The code, then those of all sets of closures that it allocates, and of those static sets that are exported
    /// along.
    codes: Vec<CodeId>,
    /// Of these, those of the static sets and of what they allocate.
    copies: Vec<CodeId>,
    /// The static sets.
    sets: Vec<&'u StaticDef>,
}

impl<'u> Along<'u> {
    /// `None` if something is nested too deeply, or the code is of a set that is exported along, or a set is to stay
    /// the only one.
    fn of(unit: &Unit, code: CodeId, along: &FxHashMap<Symbol, &'u StaticDef>) -> Option<Along<'u>> {
        let mut homes: FxHashMap<CodeId, &'u StaticDef> = FxHashMap::default();
        for def in along.values() {
            if let StaticDef::Closures { set, .. } = def {
                homes.extend(set.functions.iter().map(|(_, code)| (*code, *def)));
            }
        }
        let mut found = Along { codes: vec![code], copies: Vec::new(), sets: Vec::new() };
        let mut copied: FxHashSet<CodeId> = FxHashSet::default();
        let mut seen = FxHashSet::from_iter([code]);
        let mut defs: FxHashSet<Symbol> = FxHashSet::default();
        let mut next = 0;
        let (mut has_itself, mut is_sole) = (false, false);
        while let Some(&next_code) = found.codes.get(next) {
            next += 1;
            let body = &unit.codes[next_code].body;
            if depth(body) >= MAX_DEPTH {
                return None;
            }
            let mut mentioned: Vec<Symbol> = Vec::new();
            body.for_each_simple_deep(&mut |simple| {
                if let Simple::Symbol(symbol) = simple {
                    mentioned.push(symbol);
                }
            });
            body.walk(&mut |expr| {
                // A nested function may call the one that is exported, which is here.
                if let Terminator::Apply(apply) = &expr.terminator
                    && let CallKind::Direct(called) = apply.kind
                    && called != code
                    && let Some(def) = homes.get(&called)
                {
                    mentioned.extend(def.symbols());
                }
            });
            let mut own_set = |set: &SetOfClosures, codes: &mut Vec<CodeId>| {
                has_itself |= set.functions.iter().any(|(_, made)| *made == code);
                is_sole |= set.functions.iter().any(|(_, made)| unit.codes[*made].attributes.sole);
                codes.extend(set.functions.iter().map(|(_, code)| *code).filter(|code| seen.insert(*code)));
            };
            let first = found.codes.len();
            body.for_each_set(&mut |set| own_set(set, &mut found.codes));
            if copied.contains(&next_code) {
                copied.extend(&found.codes[first..]);
            }
            while let Some(symbol) = mentioned.pop() {
                let Some(&def) = along.get(&symbol) else { continue };
                if !defs.insert(symbol) {
                    continue;
                }
                match def {
                    StaticDef::Closures { symbols, set } if symbols.first() == Some(&symbol) => {
                        let first = found.codes.len();
                        own_set(set, &mut found.codes);
                        copied.extend(&found.codes[first..]);
                        found.sets.push(def);
                        mentioned.extend(set.values.iter().filter_map(|(_, value)| match value {
                            Simple::Symbol(symbol) => Some(*symbol),
                            _ => None,
                        }));
                    }
                    StaticDef::Closures { symbols, .. } => mentioned.extend(symbols.first()),
                    StaticDef::Block { fields, .. } => {
                        mentioned.extend(fields.iter().filter_map(|field| match field {
                            StaticField::Symbol(symbol) => Some(*symbol),
                            StaticField::Immediate(_) => None,
                        }));
                    }
                    _ => {}
                }
            }
        }
        found.copies.extend(found.codes.iter().filter(|code| copied.contains(code)));
        (!has_itself && !is_sole).then_some(found)
    }
}

/// The nesting of a term.
fn depth(body: &Expr) -> u32 {
    let mut deepest = 0;
    let mut pending = vec![(body, 0)];
    while let Some((expr, depth)) = pending.pop() {
        deepest = deepest.max(depth);
        for item in &expr.items {
            item.for_each_child(&mut |child| pending.push((child, depth + 1)));
        }
        pending.extend(expr.terminator.child().map(|child| (child, depth + 1)));
    }
    deepest
}

/// The tables in the making.
struct Export<'u> {
    unit: &'u Unit,
    along: &'u FxHashMap<Symbol, &'u StaticDef>,
    closures: &'u FxHashMap<Symbol, CodeId>,
    place_of: PlaceOf<'u>,
    /// How many functions are exported along.
    own_functions: usize,
    /// These, then the codes of the unit that are called.
    functions: FxHashMap<CodeId, CodeId>,
    /// The codes of other units that are.
    elsewhere: FxHashMap<String, CodeId>,
    /// All sets that are exported along have been seen.
    slots_closed: bool,
    foreign_slot: bool,
    portable: Portable,
    /// Type variables are numbered in the order in which they are met.
    type_variables: FxHashMap<u32, u32>,
    strings: FxHashMap<String, u32>,
    variables: FxHashMap<Variable, Variable>,
    continuations: FxHashMap<Continuation, Continuation>,
    function_slots: FxHashMap<FunctionSlot, FunctionSlot>,
    value_slots: FxHashMap<ValueSlot, ValueSlot>,
    symbols: FxHashMap<Symbol, Symbol>,
    dbgs: FxHashMap<Dbg, Dbg>,
    exported: Exported,
}

impl Export<'_> {
    fn string(&mut self, string: &str) -> u32 {
        if let Some(known) = self.strings.get(string) {
            return *known;
        }
        let number = self.portable.strings.len() as u32;
        self.portable.strings.push(string.to_owned());
        self.strings.insert(string.to_owned(), number);
        number
    }

    fn function(&mut self, code: CodeId) -> Function {
        let unit = self.unit;
        let data = &unit.codes[code];
        let mut function = Function {
            linkage_name: self.string(&data.linkage_name),
            params: data.params.clone(),
            my_closure: data.my_closure,
            function_slot: data.function_slot,
            ret: data.ret,
            exn: data.exn,
            result: data.result,
            kind: data.kind,
            recursive: data.recursive,
            attributes: data.attributes,
            dbg: data.dbg,
            body: data.body.clone(),
        };
        function.body.walk_mut(&mut |expr| expr.items.iter_mut().for_each(|item| self.load_captured(item)));
        function.remap(self);
        function
    }

    /// A value that a closure of this unit has captured, one that the other unit does not allocate, is a field of it.
    fn load_captured(&self, item: &mut Item) {
        if let Item::Let { named: Named::Prim { prim, .. }, .. } = item
            && let Prim::ProjectValueSlot { function, value } = *prim
            && !self.value_slots.contains_key(&value)
            && let Some(field) = (self.place_of)(function, value)
        {
            *prim = Prim::BlockLoad { field, mutability: Mutability::Immutable };
        }
    }

    /// Whether the code is one of those that are written.
    fn goes_along(&self, code: CodeId) -> bool {
        self.functions.get(&code).is_some_and(|number| number.index() < self.own_functions)
    }

    /// The number of a code that is called.
    fn called(&mut self, name: &str) -> CodeId {
        let id = CodeId::new(self.own_functions + self.portable.called.len());
        self.portable.called.push(name.to_owned());
        id
    }

    fn place(&mut self, dbg: Dbg) -> Option<Place> {
        let unit = self.unit;
        if let Some(Inlined { call, inner }) = unit.locs.inlined(dbg) {
            let (mut call, mut inner) = (call, inner);
            deep(|| {
                self.dbg(&mut call);
                self.dbg(&mut inner);
            });
            return Some(Place::Inlined(Inlined { call, inner }));
        }
        let loc = unit.locs.get(dbg)?;
        let (file, scope) = (self.string(&loc.file), self.string(&loc.scope));
        Some(Place::Source(file, scope, Extent::of(loc)))
    }

    fn finish(self) -> Option<Exported> {
        if self.foreign_slot {
            return None;
        }
        let bytes = postcard::to_allocvec(&self.portable).ok()?;
        Some(Exported { bytes, ..self.exported })
    }
}

impl Remap for Export<'_> {
    fn variable(&mut self, variable: &mut Variable) {
        if let Some(known) = self.variables.get(variable) {
            *variable = *known;
            return;
        }
        let data = &self.unit.variables[*variable];
        let name = self.string(&data.name);
        let number = Variable::new(self.portable.variables.len());
        self.portable.variables.push((name, data.kind, data.subkind));
        if let Some(mut shape) = data.shape.as_deref().cloned() {
            shape.variables_mut(&mut |variable| {
                let next = self.type_variables.len() as u32;
                *variable = *self.type_variables.entry(*variable).or_insert(next);
            });
            self.portable.shapes.push((number, shape));
        }
        self.variables.insert(*variable, number);
        *variable = number;
    }

    fn continuation(&mut self, cont: &mut Continuation) {
        if let Some(known) = self.continuations.get(cont) {
            *cont = *known;
            return;
        }
        let data = &self.unit.continuations[*cont];
        let name = self.string(&data.name);
        let number = Continuation::new(self.portable.continuations.len());
        self.portable.continuations.push((name, data.is_exn));
        self.continuations.insert(*cont, number);
        *cont = number;
    }

    fn symbol(&mut self, symbol: &mut Symbol) {
        if let Some(known) = self.symbols.get(symbol) {
            *symbol = *known;
            return;
        }
        let number = Symbol::new(self.portable.symbols.len());
        self.portable.symbols.push(self.unit.symbols[*symbol].linkage_name.clone());
        self.symbols.insert(*symbol, number);
        match self.along.get(symbol) {
            // Exported with the first of its symbols.
            Some(def) if def.symbols().first() != Some(symbol) => {
                def.symbols().iter().take(1).for_each(|first| self.symbol(&mut first.clone()));
            }
            Some(def) => {
                let mut def = (*def).clone();
                deep(|| remap::static_def(self, &mut def));
                self.portable.statics.push(def);
            }
            None => self.exported.symbols.push(*symbol),
        }
        if let Some(code) = self.closures.get(symbol)
            && !self.goes_along(*code)
        {
            let arity = self.unit.codes[*code].params.len() as u32;
            let mut called = *code;
            self.code(&mut called);
            self.portable.closures.push((number, called, arity));
        }
        *symbol = number;
    }

    fn code(&mut self, code: &mut CodeId) {
        if let Some(known) = self.functions.get(code) {
            *code = *known;
            return;
        }
        let unit = self.unit;
        let number = self.called(&unit.codes[*code].linkage_name);
        self.exported.called.push(*code);
        self.functions.insert(*code, number);
        *code = number;
    }

    fn call(&mut self, kind: &mut CallKind) {
        match kind {
            CallKind::Direct(code) => self.code(code),
            CallKind::DirectExternal(name) => {
                let number = match self.elsewhere.get(name) {
                    Some(known) => *known,
                    None => {
                        let number = self.called(name);
                        self.exported.called_elsewhere.push(name.clone());
                        self.elsewhere.insert(name.clone(), number);
                        number
                    }
                };
                *kind = CallKind::Direct(number);
            }
            CallKind::Generic | CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => {}
        }
    }

    fn function_slot(&mut self, slot: &mut FunctionSlot) {
        if let Some(known) = self.function_slots.get(slot) {
            *slot = *known;
            return;
        }
        self.foreign_slot |= self.slots_closed;
        let name = self.string(&self.unit.function_slots[*slot]);
        let number = FunctionSlot::new(self.portable.function_slots.len());
        self.portable.function_slots.push(name);
        self.function_slots.insert(*slot, number);
        *slot = number;
    }

    fn value_slot(&mut self, slot: &mut ValueSlot) {
        if let Some(known) = self.value_slots.get(slot) {
            *slot = *known;
            return;
        }
        self.foreign_slot |= self.slots_closed;
        let name = self.string(&self.unit.value_slots[*slot]);
        let number = ValueSlot::new(self.portable.value_slots.len());
        self.portable.value_slots.push(name);
        self.value_slots.insert(*slot, number);
        *slot = number;
    }

    fn origin(&mut self, origin: &mut Option<Origin>) {
        // The unit's own comes first.
        *origin = Some(Origin::from_u32(origin.map_or(0, |origin| origin.as_u32() + 1)));
    }

    fn dbg(&mut self, dbg: &mut Dbg) {
        if *dbg == Dbg::NONE {
            return;
        }
        if let Some(known) = self.dbgs.get(dbg) {
            *dbg = *known;
            return;
        }
        let Some(place) = self.place(*dbg) else {
            *dbg = Dbg::NONE;
            return;
        };
        self.portable.places.push(place);
        let number = Dbg(self.portable.places.len() as u32);
        self.dbgs.insert(*dbg, number);
        *dbg = number;
    }
}
