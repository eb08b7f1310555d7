//! Static data and symbols.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

use super::{Verifier, cause};
use crate::printer::{FunctionId, Place};
use crate::{Simple, StaticDef, StaticField, Symbol};

impl Verifier<'_> {
    pub(super) fn static_data(&mut self) {
        let unit = self.unit;
        self.function = FunctionId::Unit;
        let mut defined: SecondaryMap<Symbol, bool> = SecondaryMap::new();
        for item in &unit.statics {
            self.place = Place::Static(item);
            for &symbol in item.def.symbols() {
                match unit.symbols.get(symbol) {
                    None => self.error(cause!["the symbol ", symbol, " is not in the unit's table"]),
                    Some(data) if !data.is_local => {
                        self.error(cause!["the symbol ", symbol, " of another unit is defined"]);
                    }
                    Some(_) => {}
                }
                if std::mem::replace(&mut defined[symbol], true) {
                    self.error(cause!["the symbol ", symbol, " is defined a second time"]);
                }
            }
            self.static_def(&item.def);
            self.module_block(item);
        }
        self.place = Place::Head;
        for (symbol, data) in &unit.symbols {
            if data.is_local && !defined[symbol] {
                self.error(cause!["the symbol ", symbol, " of this unit is not defined"]);
            }
        }
        if unit.symbols.get(unit.module_symbol).is_none_or(|data| !data.is_local) {
            self.error(cause!["the module block's symbol is of another unit"]);
        }
        self.linkage_names();
    }

    fn static_def(&mut self, def: &StaticDef) {
        match def {
            StaticDef::Block { tag, fields, .. } => {
                self.check_tag(*tag);
                for field in fields {
                    match *field {
                        StaticField::Immediate(n) => self.check_immediate(n),
                        StaticField::Symbol(symbol) => {
                            self.use_simple(symbol.into());
                        }
                    }
                }
            }
            StaticDef::Preallocated { tag, .. } => self.check_tag(*tag),
            StaticDef::Closures { set, .. } => {
                for &(slot, value) in &set.values {
                    if let Simple::Var(variable) = value {
                        self.error(cause!["the static set of closures captures ", variable, " in ", slot]);
                    }
                }
                if !set.values.iter().any(|(_, value)| value.as_var().is_some()) {
                    self.captured_values(set);
                }
            }
            StaticDef::Float { .. }
            | StaticDef::Int32 { .. }
            | StaticDef::Int64 { .. }
            | StaticDef::Nativeint { .. }
            | StaticDef::String { .. }
            | StaticDef::FloatArray { .. } => {}
        }
    }

    fn module_block(&mut self, item: &crate::Static) {
        let module = self.unit.module_symbol;
        if !item.def.symbols().contains(&module) {
            return;
        }
        if !item.exported {
            self.error(cause!["the module block ", module, " is not exported"]);
        }
        if !matches!(item.def, StaticDef::Block { .. } | StaticDef::Preallocated { .. }) {
            self.error(cause!["the module block ", module, " is no block"]);
        }
    }

    /// Symbols and codes share the linker's names.
    fn linkage_names(&mut self) {
        let unit = self.unit;
        let mut names = FxHashSet::default();
        for (symbol, data) in &unit.symbols {
            if !names.insert(&data.linkage_name) {
                self.error(cause!["the linkage name of ", symbol, " is that of another symbol"]);
            }
        }
        for (id, code) in &unit.codes {
            if !names.insert(&code.linkage_name) {
                self.error(cause!["the linkage name of the code ", id, " is that of another symbol or code"]);
            }
        }
    }
}
