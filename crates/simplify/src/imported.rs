//! Functions of other units, to be inlined: read when a call of one is considered for the first time.
//!
//! While the simplifier runs, such a function is a code of the unit like others; but nobody refers to it, so that at
//! the end it goes with all that is not used.

use flambeau_ir::imports::Function;
use flambeau_ir::transfer::{self, Importer};
use flambeau_ir::{Apply, CallKind, CodeId, Kind, Simple};
use rustc_hash::FxHashMap;

use crate::Simplifier;

/// The functions of other units that were asked for.
#[derive(Debug, Default)]
pub struct Imported {
    importer: Importer,
    /// By the linker's names; nothing for those that can't be had.
    codes: FxHashMap<String, Option<CodeId>>,
}

impl Simplifier<'_> {
    /// The function that a call of another unit runs, if it came with that unit and takes what it is given.
    pub(crate) fn imported(&mut self, name: &str, apply: &Apply) -> Option<CodeId> {
        let known = self.imported.codes.get(name).copied();
        let code = known.unwrap_or_else(|| {
            let code = self.import(name);
            self.imported.codes.insert(name.to_owned(), code);
            code
        })?;
        let data = &self.unit.codes[code];
        (data.params.len() == apply.args.len()).then_some(code)
    }

    /// What a closure of another unit runs, if that is known.
    pub(crate) fn closure_of_other_unit(&self, closure: Simple) -> Option<&Function> {
        let Simple::Symbol(symbol) = closure else { return None };
        let data = &self.unit.symbols[symbol];
        if data.is_local { None } else { self.unit.imports.closure(&data.linkage_name) }
    }

    /// Makes a call of a function of another unit direct. Gives the arguments beyond those that it takes.
    pub(crate) fn resolve_elsewhere(&mut self, apply: &mut Apply) -> Option<Vec<Simple>> {
        let Function { code, arity } = self.closure_of_other_unit(apply.callee?)?.clone();
        if apply.args.len() < arity || !self.allow("direct call of a function of another unit") {
            return None;
        }
        apply.kind = CallKind::DirectExternal(code.to_string());
        apply.callee = None;
        (apply.args.len() > arity).then(|| apply.args.split_off(arity))
    }

    fn import(&mut self, name: &str) -> Option<CodeId> {
        let bytes = self.unit.imports.get(name)?;
        let places = self.rewrites.keep_backtraces;
        let first = self.unit.codes.next_key();
        let first_static = self.unit.statics.len();
        let code = match transfer::import(self.unit, &bytes, &mut self.imported.importer, places) {
            Ok(code) => code,
            Err(error) => {
                self.unit.imports.report(name, error);
                return None;
            }
        };
        self.type_statics_from(first_static);
        // It was simplified where it comes from, with its functions.
        let mut next = first;
        while next != self.unit.codes.next_key() {
            self.done.insert(next);
            next = CodeId::from_u32(next.as_u32() + 1);
        }
        let data = &self.unit.codes[code];
        let is_value = |variable| self.unit.variables[variable].kind == Kind::Value;
        (data.result == Kind::Value && data.params.iter().copied().all(is_value)).then_some(code)
    }
}
