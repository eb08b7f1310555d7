//! Making one unit of several: those of a program, in the order in which they are initialised.
//!
//! Their module blocks become one, of which other units read nothing: field `n` of a unit is field `base + n`. So what
//! the optimiser knows of a module's fields, and what it removes of those that nobody reads, holds across the units. A
//! unit that is mentioned as a whole, say as the argument of a functor, becomes a block of its visible fields, which is
//! built when the initialisation of the unit ends.

use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use crate::prim::{Init, Mutability};
use crate::remap::{self, Remap};
use crate::{
    ApplyCont, Code, CodeId, Continuation, Dbg, Expr, FunctionSlot, Item, Named, Naming, Origin, Prim,
    Simple, Static, StaticDef, Subkind, Symbol, SymbolData, Terminator, Unit, ValueSlot, Variable,
};

/// A unit of the name that does what `parts` do, one after the other. What a part exports, the others read; nothing
/// else does.
///
/// What the parts know of other units, [`Unit::imports`] and [`Unit::origins`], is left out.
#[must_use]
pub fn merge(name: &str, naming: Naming, parts: Vec<Unit>) -> Unit {
    let mut merger = Merger::new(Unit::new(name, naming, 0), &parts);
    let entries: Vec<_> = parts.into_iter().map(|part| merger.add(part)).collect();
    merger.finish(entries)
}

/// What became of a module block.
struct Module {
    /// The first of its fields in the one block.
    base: u32,
    /// How many of its fields other units may read.
    visible: u32,
    /// The field that holds the module as a block of its own, if some part mentions it.
    whole: Option<u32>,
}

/// The initialisation of a part.
struct Part {
    module: Symbol,
    ret: Continuation,
    body: Expr,
}

struct Merger {
    unit: Unit,
    symbols: FxHashMap<String, Symbol>,
    /// The module blocks of the parts, by symbols that nothing mentions in the end.
    modules: FxHashMap<Symbol, Module>,
    /// How many fields the one module block has so far.
    fields: u32,
    /// A number from which on no type variable has one: those of each part are others.
    type_variables: u32,
}

impl Merger {
    fn new(unit: Unit, parts: &[Unit]) -> Merger {
        let own = (unit.naming.prefix().to_owned(), unit.module_symbol);
        let mut merger = Merger {
            unit,
            symbols: FxHashMap::from_iter([own]),
            modules: FxHashMap::default(),
            fields: 0,
            type_variables: 0,
        };
        for part in parts {
            let symbol = merger.symbol(&part.symbols[part.module_symbol].linkage_name, false);
            let size = part.module_size();
            let visible = size - part.private_fields().len() as u32;
            merger.modules.insert(symbol, Module { base: merger.fields, visible, whole: None });
            merger.fields += size;
        }
        merger
    }

    /// The symbol of that name of the linker.
    fn symbol(&mut self, linkage_name: &str, is_local: bool) -> Symbol {
        if let Some(&symbol) = self.symbols.get(linkage_name) {
            self.unit.symbols[symbol].is_local |= is_local;
            return symbol;
        }
        let symbol = self.unit.symbols.push(SymbolData { linkage_name: linkage_name.to_owned(), is_local });
        self.symbols.insert(linkage_name.to_owned(), symbol);
        symbol
    }

    /// Adds all of a part but its initialisation, which is returned.
    fn add(&mut self, mut part: Unit) -> Part {
        let symbols = part.symbols.iter().map(|(symbol, data)| {
            self.symbol(&data.linkage_name, data.is_local && symbol != part.module_symbol)
        });
        let symbols = symbols.collect();
        let first = self.type_variables;
        for data in part.variables.values_mut() {
            self.type_variables = self.type_variables.max(data.shift_type_variables(first));
        }
        let unit = &mut self.unit;
        let mut offsets = Offsets {
            variables: append(&mut unit.variables, part.variables),
            continuations: append(&mut unit.continuations, part.continuations),
            function_slots: append(&mut unit.function_slots, part.function_slots),
            value_slots: append(&mut unit.value_slots, part.value_slots),
            codes: unit.codes.len(),
            symbols,
            dbgs: unit.locs.append(part.locs),
            exn: (part.entry.exn, unit.entry.exn),
        };
        let mut module = part.module_symbol;
        offsets.symbol(&mut module);
        for (_, mut code) in part.codes {
            offsets.code_data(&mut code);
            self.fields_of_parts(&mut code.body);
            self.load_modules(&mut code.body);
            self.unit.codes.push(code);
        }
        let mut body = part.entry.body.take();
        remap::expr(&mut offsets, &mut body);
        self.fields_of_parts(&mut body);
        for mut item in part.statics {
            if item.def.symbols() == [part.module_symbol] {
                continue;
            }
            remap::static_def(&mut offsets, &mut item.def);
            item.exported = false;
            self.static_data(item, &mut body);
        }
        self.load_modules(&mut body);
        let mut ret = part.entry.ret;
        offsets.continuation(&mut ret);
        Part { module, ret, body }
    }

    /// Adds static data. A block with a module of the program in it is filled when the initialisation of its unit,
    /// which is `entry`, begins.
    fn static_data(&mut self, mut item: Static, entry: &mut Expr) {
        let mut has_module = false;
        item.def.for_each_simple(&mut |simple| has_module |= self.module(simple).is_some());
        match &item.def {
            StaticDef::Block { symbol, tag, fields } if has_module => {
                let (symbol, tag, size) = (*symbol, *tag, fields.len() as u32);
                let values: Vec<Simple> = fields.iter().map(|field| field.simple()).collect();
                let stores = (0..).zip(values).map(|(field, value)| self.store(symbol, field, value));
                let stores: Vec<Item> = stores.collect();
                entry.items.splice(0..0, stores);
                item.def = StaticDef::Preallocated { symbol, tag, size, private: size };
            }
            // What is known at link time is substituted, not captured.
            _ => assert!(!has_module, "a static set of closures captures a module"),
        }
        self.unit.statics.push(item);
    }

    /// The part whose module block an atom is.
    fn module(&self, simple: Simple) -> Option<(Symbol, &Module)> {
        let Simple::Symbol(symbol) = simple else { return None };
        Some((symbol, self.modules.get(&symbol)?))
    }

    fn store(&mut self, block: Symbol, field: u32, value: Simple) -> Item {
        let prim = Prim::BlockStore { field, pointer: true, init: Init::Root };
        let var = self.unit.new_variable("store", prim.signature().result, Subkind::Any);
        Item::Let { var, named: prim_of(prim, [block.into(), value]), dbg: Dbg::NONE }
    }

    /// A load of a field of the one module block.
    fn load(&mut self, field: u32) -> (Item, Simple) {
        let var = self.unit.new_value("module");
        let prim = Prim::BlockLoad { field, mutability: Mutability::Immutable };
        let named = prim_of(prim, [self.unit.module_symbol.into()]);
        (Item::Let { var, named, dbg: Dbg::NONE }, var.into())
    }

    /// Loads of fields of the parts' module blocks, and stores to them, are of fields of the one.
    fn fields_of_parts(&self, body: &mut Expr) {
        body.walk_mut(&mut |expr| {
            for item in &mut expr.items {
                let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                let (Prim::BlockLoad { field, .. } | Prim::BlockStore { field, .. }) = prim else { continue };
                if let Some((_, module)) = self.module(args[0]) {
                    *field += module.base;
                    args[0] = self.unit.module_symbol.into();
                }
            }
        });
    }

    /// What still mentions parts needs them as a whole: they are loaded first.
    fn load_modules(&mut self, body: &mut Expr) {
        let mut mentioned = Vec::new();
        let mut seen = FxHashSet::default();
        body.for_each_simple_deep(&mut |simple| {
            mentioned
                .extend(self.module(simple).map(|(symbol, _)| symbol).filter(|symbol| seen.insert(*symbol)));
        });
        if mentioned.is_empty() {
            return;
        }
        let mut loaded = Loaded(FxHashMap::default());
        let mut loads = Vec::with_capacity(mentioned.len());
        for symbol in mentioned {
            let field = self.whole(symbol);
            let (item, value) = self.load(field);
            loads.push(item);
            loaded.0.insert(symbol, value);
        }
        remap::expr(&mut loaded, body);
        body.items.splice(0..0, loads);
    }

    /// The field that holds a part as a whole.
    fn whole(&mut self, module: Symbol) -> u32 {
        let next = self.fields;
        let Some(module) = self.modules.get_mut(&module) else { return next };
        *module.whole.get_or_insert_with(|| {
            self.fields += 1;
            next
        })
    }

    /// Builds the block of a module, if it is mentioned as a whole, and stores it.
    fn build_module(&mut self, module: Symbol, items: &mut Vec<Item>) {
        let Module { base, visible, whole: Some(whole) } = self.modules[&module] else { return };
        let mut args = smallvec![];
        for field in base..base + visible {
            let (item, value) = self.load(field);
            items.push(item);
            args.push(value);
        }
        let block = if args.is_empty() {
            Simple::UNIT
        } else {
            let var = self.unit.new_value("module");
            let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
            items.push(Item::Let { var, named: Named::Prim { prim, args, exn: None }, dbg: Dbg::NONE });
            var.into()
        };
        items.push(self.store(self.unit.module_symbol, whole, block));
    }

    /// The initialisation of the program: that of the parts, one after the other.
    fn finish(mut self, parts: Vec<Part>) -> Unit {
        let mut items = Vec::new();
        for Part { module, ret, body } in parts {
            self.initialise(ret, body, &mut items);
            self.build_module(module, &mut items);
        }
        let end = ApplyCont { cont: self.unit.entry.ret, args: smallvec![Simple::UNIT] };
        self.unit.entry.body = Expr { items, terminator: Terminator::ApplyCont(end) };
        let (symbol, size) = (self.unit.module_symbol, self.fields);
        self.unit.parts = self.modules.len() as u32;
        self.unit.statics[0].def = StaticDef::Preallocated { symbol, tag: 0, size, private: size };
        self.unit
    }

    /// Adds the initialisation of a part to a run: as a part of the run if it ends in one place.
    fn initialise(&mut self, ret: Continuation, mut body: Expr, items: &mut Vec<Item>) {
        let mut uses = 0;
        body.for_each_cont_use_deep(&mut |cont, _| uses += u32::from(cont == ret));
        let ends_there = matches!(&body.terminator, Terminator::ApplyCont(jump) if jump.cont == ret);
        if ends_there && uses == 1 {
            items.append(&mut body.items);
        } else {
            let ignored = self.unit.new_value("initialised");
            items.push(Item::Join { cont: ret, params: smallvec![ignored], body: Box::new(body) });
        }
    }
}

fn prim_of<const N: usize>(prim: Prim, args: [Simple; N]) -> Named {
    Named::Prim { prim, args: args.into_iter().collect(), exn: None }
}

/// Appends a table to another. Gives the number of its first entry there.
fn append<K: EntityRef, V>(table: &mut PrimaryMap<K, V>, more: PrimaryMap<K, V>) -> usize {
    let first = table.len();
    for (_, value) in more {
        table.push(value);
    }
    first
}

/// From the numbers of a part to those of the whole.
struct Offsets {
    variables: usize,
    continuations: usize,
    function_slots: usize,
    value_slots: usize,
    codes: usize,
    symbols: Vec<Symbol>,
    dbgs: Vec<Dbg>,
    /// Exceptions leave the whole where they left the part.
    exn: (Continuation, Continuation),
}

fn shift<K: EntityRef>(key: &mut K, by: usize) {
    *key = K::new(key.index() + by);
}

impl Remap for Offsets {
    fn variable(&mut self, variable: &mut Variable) {
        shift(variable, self.variables);
    }

    fn continuation(&mut self, continuation: &mut Continuation) {
        if *continuation == self.exn.0 {
            *continuation = self.exn.1;
        } else {
            shift(continuation, self.continuations);
        }
    }

    fn symbol(&mut self, symbol: &mut Symbol) {
        *symbol = self.symbols[symbol.index()];
    }

    fn code(&mut self, code: &mut CodeId) {
        shift(code, self.codes);
    }

    fn function_slot(&mut self, slot: &mut FunctionSlot) {
        shift(slot, self.function_slots);
    }

    fn value_slot(&mut self, slot: &mut ValueSlot) {
        shift(slot, self.value_slots);
    }

    fn dbg(&mut self, dbg: &mut Dbg) {
        *dbg = self.dbgs[dbg.0 as usize];
    }

    /// The arguments of the inliner are those of the whole. No pass has run, so no call has others.
    fn origin(&mut self, origin: &mut Option<Origin>) {
        *origin = None;
    }
}

impl Offsets {
    fn code_data(&mut self, code: &mut Code) {
        code.params.iter_mut().for_each(|param| self.variable(param));
        self.variable(&mut code.my_closure);
        self.function_slot(&mut code.function_slot);
        self.continuation(&mut code.ret);
        self.continuation(&mut code.exn);
        self.dbg(&mut code.dbg);
        remap::expr(self, &mut code.body);
    }
}

/// Modules that were loaded.
struct Loaded(FxHashMap<Symbol, Simple>);

impl Remap for Loaded {
    fn simple(&mut self, simple: &mut Simple) {
        if let Simple::Symbol(symbol) = simple
            && let Some(loaded) = self.0.get(symbol)
        {
            *simple = *loaded;
        }
    }
}
