//! Functions of other units, to be inlined: read when a call of one is considered for the first time.
//!
//! While the simplifier runs, such a function is a code of the unit like others; but nobody refers to it, so that at
//! the end it is removed with all that is not used.

use std::rc::Rc;

use flambeau_ir::imports::{Callee, Function};
use flambeau_ir::transfer::{self, Importer};
use flambeau_ir::{
    Apply, CallKind, CodeId, Kind, Prim, Rewrite, SetOfClosures, Simple, Static, StaticDef, Symbol, Unit,
};
use flambeau_types::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Simplifier;

/// The functions of other units that were asked for.
#[derive(Debug, Default)]
pub struct Imported {
    importer: Importer,
    /// By the linker's names; nothing for those that can't be had.
    codes: FxHashMap<String, Option<CodeId>>,
    /// Those of these that need their closure.
    in_closures: FxHashSet<CodeId>,
    /// The unit's own closures of some.
    copies: FxHashMap<String, Option<Symbol>>,
}

impl Imported {
    /// The function of that name, if it was asked for and imported.
    pub(crate) fn known(&self, name: &str) -> Option<CodeId> {
        self.codes.get(name).copied().flatten()
    }

    /// The symbol of what another unit calls by that name.
    pub(crate) fn symbol(&mut self, unit: &mut Unit, name: &str) -> Symbol {
        self.importer.other_symbol(unit, name)
    }
}

impl Simplifier<'_> {
    /// The function that a call of another unit runs, if it was exported by that unit and takes as many arguments as
    /// are passed, and its closure if it needs that.
    pub(crate) fn imported(&mut self, name: &str, apply: &Apply) -> Option<CodeId> {
        let code = self.imported_code(name, apply.args.len())?;
        // The function of the stock object that calls itself through its closure is called by that, and not by the body
        // that is here, which uses none.
        let fits = match apply.callee {
            Some(_) => !self.unit.codes[code].recursive,
            None => !self.is_in_closure(code),
        };
        fits.then_some(code)
    }

    /// The function of another unit with that name, if it was exported by the unit and takes so many arguments, and not
    /// its closure.
    pub(crate) fn imported_function(&mut self, name: &str, args: usize) -> Option<CodeId> {
        self.imported_code(name, args).filter(|code| !self.is_in_closure(*code))
    }

    /// Whether a function of another unit reads what its closure has captured. It can be inlined; a copy of it that has
    /// a closure of its own would have to capture that, too.
    pub(crate) fn is_in_closure(&self, code: CodeId) -> bool {
        self.global.imported.in_closures.contains(&code)
    }

    fn imported_code(&mut self, name: &str, args: usize) -> Option<CodeId> {
        let known = self.global.imported.codes.get(name).copied();
        let code = known.unwrap_or_else(|| {
            let code = self.import(name);
            self.global.imported.codes.insert(name.to_owned(), code);
            code
        })?;
        let data = &self.unit.codes[code];
        (data.params.len() == args).then_some(code)
    }

    /// What a closure of another unit runs, if that is known.
    pub(crate) fn closure_of_other_unit(&self, closure: Simple) -> Option<&Function> {
        let Simple::Symbol(symbol) = closure else { return None };
        let data = &self.unit.symbols[symbol];
        if data.is_local { None } else { self.unit.imports.closure(&data.linkage_name) }
    }

    /// Reads what is exported by the unit that defines a symbol, if it is another one.
    fn find_unit_of(&mut self, symbol: Symbol) {
        let data = &self.unit.symbols[symbol];
        if !data.is_local {
            self.unit.imports.find_unit_of(&data.linkage_name, &mut self.unit.origins);
        }
    }

    /// Makes a call of a function of another unit direct. Returns the arguments beyond those that it takes.
    pub(crate) fn resolve_elsewhere(&mut self, apply: &mut Apply) -> Option<Vec<Simple>> {
        let Function { code, arity } = self.function_of_other_unit(apply.callee?)?.clone();
        if apply.args.len() < arity || !self.allow(Rewrite::ExternalCall) {
            return None;
        }
        apply.kind = CallKind::DirectExternal(code.to_string());
        apply.callee = None;
        (apply.args.len() > arity).then(|| apply.args.split_off(arity))
    }

    /// Makes a call of a closure of another unit whose function is known direct. Returns the arguments beyond those
    /// that it takes.
    pub(crate) fn resolve_object(&mut self, apply: &mut Apply, callee: &Callee) -> Option<Vec<Simple>> {
        if apply.args.len() < callee.arity || !self.allow(Rewrite::ExternalCall) {
            return None;
        }
        apply.kind = CallKind::DirectExternal(callee.code.to_string());
        if !callee.needs_closure {
            apply.callee = None;
        }
        (apply.args.len() > callee.arity).then(|| apply.args.split_off(callee.arity))
    }

    /// The function that a closure of another unit runs, or one that is read from a field of its module.
    fn function_of_other_unit(&mut self, closure: Simple) -> Option<&Function> {
        let closure = self.env.canonical(closure);
        if let Simple::Symbol(symbol) = closure {
            self.find_unit_of(symbol);
            return self.closure_of_other_unit(closure);
        }
        let definition = self.env.definition(closure)?;
        let (Prim::BlockLoad { field, .. }, [Simple::Symbol(module)]) =
            (&definition.prim, &definition.args[..])
        else {
            return None;
        };
        let (field, module) = (*field, *module);
        self.find_unit_of(module);
        self.unit.imports.field(&self.unit.symbols[module].linkage_name, field)
    }

    /// What is known of a field of another unit's module: which function it is.
    pub(crate) fn function_in_field(&mut self, field: u32, module: Simple) -> Ty {
        let Simple::Symbol(module) = module else { return Ty::Unknown };
        if self.unit.symbols[module].is_local {
            return Ty::Unknown;
        }
        self.find_unit_of(module);
        match self.unit.imports.field(&self.unit.symbols[module].linkage_name, field).cloned() {
            Some(Function { code, arity }) => {
                Ty::Elsewhere(Rc::new(Callee { code, arity, needs_closure: false }))
            }
            None => Ty::Unknown,
        }
    }

    /// A closure of this unit that behaves as one of another unit, whose code it has a copy of.
    pub(crate) fn copied_closure(&mut self, closure: Simple) -> Option<Symbol> {
        let function = self.function_of_other_unit(closure)?.clone();
        self.copy_of_function(&function)
    }

    /// A closure of this unit that runs what one of another unit runs.
    pub(crate) fn copy_of_function(&mut self, function: &Function) -> Option<Symbol> {
        let Function { code: name, arity } = function.clone();
        if let Some(known) = self.global.imported.copies.get(&*name) {
            return *known;
        }
        let copy = self.copy_closure(&name, arity);
        self.global.imported.copies.insert(name.to_string(), copy);
        copy
    }

    fn copy_closure(&mut self, name: &str, arity: usize) -> Option<Symbol> {
        if let Some(symbol) = self.global.imported.importer.existing_copy(self.unit, name) {
            return Some(symbol);
        }
        let code = self.import(name)?;
        if !self.unit.codes[code].takes_values(&self.unit.variables, arity) || self.is_in_closure(code) {
            return None;
        }
        let symbol = self.global.imported.importer.copy_symbol(self.unit, name);
        let data = &mut self.unit.codes[code];
        data.linkage_name = transfer::own_name(&self.unit.naming, name, data.function_slot);
        let functions = [(data.function_slot, code)].into_iter().collect();
        let set = SetOfClosures { functions, values: Vec::new() };
        let first = self.unit.statics.len();
        let def = StaticDef::Closures { symbols: vec![symbol], set };
        self.unit.statics.push(Static { exported: false, def });
        self.type_statics_from(first);
        self.note_static_closures(first);
        Some(symbol)
    }

    /// Functions that were imported along with others become functions of the unit.
    fn note_static_closures(&mut self, first: usize) {
        for item in &self.unit.statics[first..] {
            let StaticDef::Closures { symbols, set } = &item.def else { continue };
            self.global.sets.note(set, None);
            for ((_, code), symbol) in set.functions.iter().zip(symbols) {
                if !self.scan_closure(*code) {
                    self.global.code_symbols.insert(*code, *symbol);
                }
            }
        }
    }

    fn import(&mut self, name: &str) -> Option<CodeId> {
        self.unit.imports.find_unit_of(name, &mut self.unit.origins);
        let blob = self.unit.imports.get(name)?;
        let first = self.unit.codes.next_key();
        let first_static = self.unit.statics.len();
        let code =
            match transfer::import(self.unit, &blob.bytes, &mut self.global.imported.importer, &blob.origins)
            {
                Ok(code) => code,
                Err(error) => {
                    self.unit.imports.report(name, error);
                    return None;
                }
            };
        self.type_statics_from(first_static);
        self.note_static_closures(first_static);
        // It was simplified where it comes from, with its functions.
        let mut next = first;
        while next != self.unit.codes.next_key() {
            self.global.done.insert(next);
            next = CodeId::from_u32(next.as_u32() + 1);
        }
        let data = &self.unit.codes[code];
        if data.uses_closure() {
            self.global.imported.in_closures.insert(code);
        }
        let is_value = |variable| self.unit.variables[variable].kind == Kind::Value;
        (data.result == Kind::Value && data.params.iter().copied().all(is_value)).then_some(code)
    }
}
