//! Functions of other units, as bytes until somebody wants to inline them.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::Origin;

/// The functions that may be inlined from other units.
#[derive(Clone, Default)]
pub struct Imports {
    functions: FxHashMap<Rc<str>, Blob>,
    closures: FxHashMap<String, Function>,
    fields: FxHashMap<String, FxHashMap<u32, Function>>,
    damaged: Vec<Damage>,
    taken: Cell<u64>,
}

/// What a static closure of another unit runs: a code that takes its arguments one by one, all of them values, and not
/// its closure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The linker's name of the code.
    pub code: Rc<str>,
    /// How many arguments it takes.
    pub arity: usize,
}

/// A function as [`crate::transfer::export`] wrote it.
#[derive(Clone, Debug)]
pub struct Blob {
    unit: Rc<str>,
    /// What was written.
    pub bytes: Rc<[u8]>,
    /// By the numbers that it has for them, the arguments of the inliner that it comes with.
    pub origins: Rc<[Option<Origin>]>,
}

/// A function that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The name of the unit that it is of.
    pub unit: String,
    /// What is wrong.
    pub cause: String,
}

impl Imports {
    /// Adds functions of a unit, each with the linker's name of its code. `origins`: by the numbers that the functions have
    /// for them, arguments of the inliner that are in the importing unit; none where there is no limit.
    pub fn add(
        &mut self,
        unit: &str,
        functions: impl IntoIterator<Item = (String, Vec<u8>)>,
        origins: &[Option<Origin>],
    ) {
        let (unit, origins): (Rc<str>, Rc<[Option<Origin>]>) = (unit.into(), origins.into());
        for (code, bytes) in functions {
            let blob = Blob { unit: unit.clone(), bytes: bytes.into(), origins: origins.clone() };
            self.functions.insert(code.into(), blob);
        }
    }

    /// The function of that code.
    pub fn get(&self, code: &str) -> Option<Blob> {
        let blob = self.functions.get(code)?;
        self.taken.set(self.taken.get() + 1);
        Some(blob.clone())
    }

    /// How often functions were asked for, and there.
    pub fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Tells what the closure of that symbol is.
    pub fn add_closure(&mut self, symbol: &str, code: &str, arity: usize) {
        self.closures.insert(symbol.to_owned(), Function { code: code.into(), arity });
    }

    /// What the closure of that symbol is, if it is a known one.
    pub fn closure(&self, symbol: &str) -> Option<&Function> {
        self.closures.get(symbol)
    }

    /// Tells what the closure in a field of a module is, by the symbol of that.
    pub fn add_field(&mut self, module: &str, field: u32, code: &str, arity: usize) {
        let function = Function { code: code.into(), arity };
        match self.fields.get_mut(module) {
            Some(fields) => fields.insert(field, function),
            None => self.fields.entry(module.to_owned()).or_default().insert(field, function),
        };
    }

    /// What the closure in a field of a module is, if it is a known one.
    pub fn field(&self, module: &str, field: u32) -> Option<&Function> {
        self.fields.get(module)?.get(&field)
    }

    /// Notes that the function of that code can't be read.
    pub fn report(&mut self, code: &str, cause: impl fmt::Display) {
        if let Some(blob) = self.functions.remove(code) {
            let cause = format!("function {code}: {cause}");
            self.damaged.push(Damage { unit: blob.unit.to_string(), cause });
        }
    }

    /// Verifies all functions; what is wrong with some is noted.
    pub fn check(&mut self) {
        let mut codes: Vec<Rc<str>> = self.functions.keys().cloned().collect();
        codes.sort();
        for code in codes {
            let Some(blob) = self.get(&code) else { continue };
            if let Err(error) = crate::transfer::check(&blob.bytes, blob.origins.len()) {
                self.report(&code, error);
            }
        }
    }

    /// The functions that could not be read.
    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }
}

impl fmt::Debug for Imports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} functions of other units", self.functions.len())
    }
}
