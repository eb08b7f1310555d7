//! Putting functions into a unit.

use std::sync::Arc;

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

use super::{ImportError, Place, Portable};
use crate::naming::Naming;
use crate::remap::{self, Remap};
use crate::{
    CallKind, Code, CodeId, Continuation, ContinuationData, Dbg, FunctionSlot, Heat, Inlined, Origin, Static,
    StaticDef, Symbol, SymbolData, Unit, ValueSlot, Variable,
};

/// Puts a function that [`export`](fn@super::export) wrote into the unit: as a code that nobody refers to, to be copied
/// from. What it makes of the tables of the unit needs no undoing. `origins`: what the arguments of its unit and of
/// those that parts of it come from are here.
///
/// # Errors
/// When the bytes are damaged; what was put into the unit's tables until then does not count.
pub fn import(
    unit: &mut Unit,
    bytes: &[u8],
    importer: &mut Importer,
    origins: &[Option<Origin>],
) -> Result<CodeId, ImportError> {
    let (portable, rest) =
        postcard::take_from_bytes::<Portable>(bytes).map_err(|error| ImportError(error.to_string()))?;
    if !rest.is_empty() {
        return Err(ImportError("bytes left over".into()));
    }
    let Portable {
        strings,
        symbols,
        called,
        closures,
        variables,
        shapes,
        continuations,
        function_slots,
        value_slots,
        places,
        statics,
        functions,
    } = portable;
    let count = functions.len();
    if count == 0 {
        return Err(ImportError("no function".into()));
    }
    let strings: Vec<Arc<str>> = strings.into_iter().map(Into::into).collect();
    let name = |number: u32| {
        strings.get(number as usize).cloned().ok_or_else(|| ImportError(format!("no string {number}")))
    };
    let mut import = Import {
        called: &called,
        origins,
        codes: Vec::new(),
        variables: Vec::with_capacity(variables.len()),
        continuations: Vec::with_capacity(continuations.len()),
        function_slots: Vec::with_capacity(function_slots.len()),
        value_slots: Vec::with_capacity(value_slots.len()),
        symbols: Vec::with_capacity(symbols.len()),
        dbgs: vec![Dbg::NONE],
        missing: None,
    };
    let mut is_copy = vec![false; symbols.len()];
    for symbol in statics.iter().flat_map(StaticDef::symbols) {
        match is_copy.get_mut(symbol.index()) {
            Some(flag) if !*flag => *flag = true,
            _ => return Err(ImportError(format!("no symbol {}", symbol.index()))),
        }
    }
    let mut fresh = Vec::with_capacity(symbols.len());
    for (name, is_copy) in symbols.iter().zip(is_copy) {
        let (symbol, is_new) = importer.symbol(unit, name, is_copy);
        import.symbols.push(symbol);
        fresh.push(is_new);
    }
    for (number, kind, subkind) in variables {
        import.variables.push(unit.new_variable(name(number)?, kind, subkind));
    }
    let mut type_variables = *importer.type_variables.get_or_insert_with(|| {
        unit.variables.values_mut().fold(0, |end, data| end.max(data.shift_type_variables(0)))
    });
    let first_type_variable = type_variables;
    for (variable, shape) in shapes {
        let variable = import.variables.get(variable.index());
        let variable = *variable.ok_or_else(|| ImportError("no variable with that type".into()))?;
        let data = &mut unit.variables[variable];
        data.shape = Some(Box::new(shape));
        type_variables = type_variables.max(data.shift_type_variables(first_type_variable));
    }
    importer.type_variables = Some(type_variables);
    for (number, is_exn) in continuations {
        let data = ContinuationData { name: name(number)?, is_exn, heat: Heat::Unknown };
        import.continuations.push(unit.continuations.push(data));
    }
    for number in function_slots {
        import.function_slots.push(unit.function_slots.push(name(number)?.to_string()));
    }
    for number in value_slots {
        import.value_slots.push(unit.value_slots.push(name(number)?.to_string()));
    }
    for place in &places {
        let dbg = import.place(unit, place, &name)?;
        import.dbgs.push(dbg);
    }
    let first = unit.codes.next_key().index();
    import.codes = (0..count).map(|index| CodeId::new(first + index)).collect();
    for def in &statics {
        let StaticDef::Closures { symbols, set } = def else { continue };
        // The functions of closures that are there already are those.
        let Some(known) = symbols.first().and_then(|first| import.symbols.get(first.index())) else {
            continue;
        };
        let Some(known) = importer.closures.get(known) else { continue };
        for ((_, code), known) in set.functions.iter().zip(known) {
            if let Some(entry) = import.codes.get_mut(code.index()) {
                *entry = *known;
            }
        }
    }
    let mut codes = Vec::with_capacity(count);
    for (index, mut function) in functions.into_iter().enumerate() {
        function.remap(&mut import);
        let mut linkage_name = name(function.linkage_name)?.to_string();
        if index > 0 {
            // A function whose closure the inlined one allocates belongs to this unit.
            linkage_name = own_name(&unit.naming, &linkage_name, function.function_slot);
        }
        codes.push(Code {
            linkage_name,
            params: function.params,
            my_closure: function.my_closure,
            function_slot: function.function_slot,
            ret: function.ret,
            exn: function.exn,
            result: function.result,
            kind: function.kind,
            recursive: function.recursive,
            attributes: function.attributes,
            dbg: function.dbg,
            body: function.body,
        });
    }
    let mut new_statics = Vec::new();
    for mut def in statics {
        let is_new = def.symbols().iter().all(|symbol| fresh.get(symbol.index()) == Some(&true));
        remap::static_def(&mut import, &mut def);
        if is_new {
            importer.note_closures(&def);
            new_statics.push(Static { exported: false, def });
        }
    }
    if let Some(what) = import.missing {
        return Err(ImportError(what));
    }
    unit.statics.extend(new_statics);
    for (symbol, code, arity) in &closures {
        let name = code.index().checked_sub(count).and_then(|index| called.get(index));
        let (Some(symbol), Some(code)) = (symbols.get(symbol.index()), name) else {
            return Err(ImportError("a closure without symbol or code".into()));
        };
        unit.imports.add_closure(symbol, code, *arity as usize);
    }
    codes.into_iter().for_each(|code| {
        unit.codes.push(code);
    });
    Ok(CodeId::new(first))
}

/// What several imports into one unit share.
#[derive(Debug, Default)]
pub struct Importer {
    /// By the linker's names; empty until it is needed.
    symbols: FxHashMap<String, Symbol>,
    /// The functions of sets of closures, by their first symbols.
    closures: FxHashMap<Symbol, Vec<CodeId>>,
    /// A number from which on no type variable of the unit has one: those of what is imported are others.
    type_variables: Option<u32>,
}

impl Importer {
    fn note_closures(&mut self, def: &StaticDef) {
        if let StaticDef::Closures { symbols, set } = def
            && let Some(first) = symbols.first()
        {
            self.closures.insert(*first, set.functions.iter().map(|(_, code)| *code).collect());
        }
    }

    /// The symbol of the unit's copy of what another unit calls by that name, created if there is none.
    pub fn copy_symbol(&mut self, unit: &mut Unit, name: &str) -> Symbol {
        self.symbol(unit, name, true).0
    }

    /// The symbol of what another unit calls by that name, itself.
    pub fn other_symbol(&mut self, unit: &mut Unit, name: &str) -> Symbol {
        self.symbol(unit, name, false).0
    }

    /// A copy's symbol, if the unit has it already, of an earlier round for example.
    pub fn existing_copy(&mut self, unit: &Unit, name: &str) -> Option<Symbol> {
        self.note_symbols(unit);
        self.symbols.get(&copy_name(unit, name)).copied()
    }

    fn note_symbols(&mut self, unit: &Unit) {
        if self.symbols.is_empty() {
            self.symbols
                .extend(unit.symbols.iter().map(|(symbol, data)| (data.linkage_name.clone(), symbol)));
            unit.statics.iter().for_each(|item| self.note_closures(&item.def));
        }
    }

    /// A symbol, or that of the unit's copy of the data; whether it is new.
    fn symbol(&mut self, unit: &mut Unit, name: &str, is_copy: bool) -> (Symbol, bool) {
        self.note_symbols(unit);
        let linkage_name = if is_copy { copy_name(unit, name) } else { name.to_owned() };
        if let Some(known) = self.symbols.get(&linkage_name) {
            return (*known, false);
        }
        let data = SymbolData { linkage_name: linkage_name.clone(), is_local: is_copy };
        let symbol = unit.symbols.push(data);
        self.symbols.insert(linkage_name, symbol);
        (symbol, true)
    }
}

/// The linker's name of a unit's copy of data that another unit calls by that name.
fn copy_name(unit: &Unit, name: &str) -> String {
    unit.naming.local(&format!("from_{name}"))
}

/// A name for a unit's copy of a code of another unit, unique because slots are never reused. `naming`: the unit's.
#[must_use]
pub fn own_name(naming: &Naming, name: &str, slot: FunctionSlot) -> String {
    naming.local(&format!("{}_from_{}", naming.base(name), slot.index()))
}

/// From the tables of a [`Portable`] to those of a unit.
struct Import<'p> {
    called: &'p [String],
    origins: &'p [Option<Origin>],
    codes: Vec<CodeId>,
    variables: Vec<Variable>,
    continuations: Vec<Continuation>,
    function_slots: Vec<FunctionSlot>,
    value_slots: Vec<ValueSlot>,
    symbols: Vec<Symbol>,
    dbgs: Vec<Dbg>,
    /// Something was in no table.
    missing: Option<String>,
}

impl Import<'_> {
    fn place(
        &self,
        unit: &mut Unit,
        place: &Place,
        name: &impl Fn(u32) -> Result<Arc<str>, ImportError>,
    ) -> Result<Dbg, ImportError> {
        match place {
            Place::Source(file, scope, extent) => Ok(unit
                .locs
                .push_foreign(extent.location(name(*file)?.to_string(), name(*scope)?.to_string()))),
            Place::Inlined(Inlined { call, inner }) => {
                let known = |dbg: &Dbg| self.dbgs.get(dbg.0 as usize).copied();
                match (known(call), known(inner)) {
                    (Some(call), Some(inner)) => Ok(unit.locs.inline(call, inner)),
                    _ => Err(ImportError("an inlined place of later ones".into())),
                }
            }
        }
    }
}

/// Replaces an index by the entry of a table at it.
fn look_up<T: EntityRef>(table: &[T], index: &mut T, missing: &mut Option<String>, what: &str) {
    match table.get(index.index()) {
        Some(entry) => *index = *entry,
        None => *missing = Some(format!("no {what} {}", index.index())),
    }
}

impl Remap for Import<'_> {
    fn variable(&mut self, variable: &mut Variable) {
        look_up(&self.variables, variable, &mut self.missing, "variable");
    }

    fn continuation(&mut self, cont: &mut Continuation) {
        look_up(&self.continuations, cont, &mut self.missing, "continuation");
    }

    fn symbol(&mut self, symbol: &mut Symbol) {
        look_up(&self.symbols, symbol, &mut self.missing, "symbol");
    }

    fn code(&mut self, code: &mut CodeId) {
        look_up(&self.codes, code, &mut self.missing, "function");
    }

    fn call(&mut self, kind: &mut CallKind) {
        let CallKind::Direct(code) = kind else { return };
        match code.index().checked_sub(self.codes.len()) {
            None => self.code(code),
            Some(index) => match self.called.get(index) {
                Some(name) => *kind = CallKind::DirectExternal(name.clone()),
                None => self.missing = Some(format!("no function {}", code.index())),
            },
        }
    }

    fn function_slot(&mut self, slot: &mut FunctionSlot) {
        look_up(&self.function_slots, slot, &mut self.missing, "function slot");
    }

    fn value_slot(&mut self, slot: &mut ValueSlot) {
        look_up(&self.value_slots, slot, &mut self.missing, "value slot");
    }

    fn origin(&mut self, origin: &mut Option<Origin>) {
        let Some(number) = *origin else { return };
        match self.origins.get(number.index()) {
            Some(known) => *origin = *known,
            None => self.missing = Some(format!("no arguments {}", number.index())),
        }
    }

    fn dbg(&mut self, dbg: &mut Dbg) {
        match self.dbgs.get(dbg.0 as usize) {
            Some(known) => *dbg = *known,
            None => self.missing = Some(format!("no place {}", dbg.0)),
        }
    }
}
