//! Functions of other units, as bytes until they are wanted for inlining.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Origin;
use crate::inlining::Rounds;

/// The arguments of the inliner of other units.
pub type Origins = PrimaryMap<Origin, Rounds>;

/// Where to find what units export that the source does not mention: adds the exports of the unit that defines a
/// linker's name, if there is more of them.
pub type Library = Rc<dyn Fn(&str, &mut Imports, &mut Origins)>;

/// The functions that may be inlined from other units.
#[derive(Clone, Default)]
pub struct Imports {
    functions: FxHashMap<Rc<str>, Blob>,
    closures: FxHashMap<String, Function>,
    fields: FxHashMap<String, FxHashMap<u32, Function>>,
    /// Functions of units that no field of their modules holds, by the symbols of the modules.
    inner: FxHashMap<String, Vec<Function>>,
    made: FxHashMap<String, FxHashMap<Vec<u32>, Made>>,
    /// The structures that are parts of modules, where all of them is static, by the symbols of the modules.
    structures: FxHashMap<String, FxHashMap<Vec<u32>, Known>>,
    /// The objects that fields of modules hold, by the symbols of the modules.
    objects: FxHashMap<String, Shape>,
    /// The objects that functions return, by the names of their codes.
    results: FxHashMap<String, Shape>,
    /// The codes of functions of which it was found that they never return.
    no_return: FxHashSet<String>,
    library: Option<Library>,
    /// The names for which the library was asked.
    asked: FxHashSet<String>,
    damaged: Vec<Damage>,
    taken: Cell<u64>,
    /// The functions that were asked for, by the linker's names of their codes, if that is to be recorded.
    record: Option<Record>,
}

/// The linker's names of functions that were asked for.
pub type Record = Rc<RefCell<BTreeSet<String>>>;

/// What a static closure of another unit runs: a code that takes its arguments one by one, all of them values, and not
/// its closure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The linker's name of the code.
    pub code: Rc<str>,
    /// How many arguments it takes.
    pub arity: usize,
}

/// The function that a closure of another unit runs: a code that takes its arguments one by one, all of them values,
/// and then its closure if it needs that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callee {
    /// The linker's name of the code.
    pub code: Rc<str>,
    /// How many arguments it takes, without the closure.
    pub arity: usize,
    /// Whether a direct call passes the closure.
    pub needs_closure: bool,
}

/// What is known of an object that another unit allocates when the program runs: which functions its closures run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Nothing.
    Unknown,
    /// A closure.
    Function(Rc<Callee>),
    /// An immutable block, with its first fields.
    Block(Rc<[Shape]>),
    /// What a call returned of the function with that name of the linker, or a part of it: a field, a field of that,
    /// and so on.
    Result(Rc<str>, Rc<[u32]>),
}

impl Shape {
    /// Whether something is known of a closure in it.
    pub fn is_known(&self) -> bool {
        match self {
            Shape::Unknown => false,
            Shape::Function(_) | Shape::Result(..) => true,
            Shape::Block(fields) => fields.iter().any(Shape::is_known),
        }
    }

    /// What is known of a field.
    #[must_use]
    pub fn field(&self, field: u32) -> Shape {
        match self {
            Shape::Block(fields) => fields.get(field as usize).cloned().unwrap_or(Shape::Unknown),
            Shape::Result(code, path) => {
                Shape::Result(code.clone(), path.iter().copied().chain([field]).collect())
            }
            Shape::Unknown | Shape::Function(_) => Shape::Unknown,
        }
    }
}

/// The result of a function of another unit, a functor perhaps, for static arguments, or a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The linker's name of the function's code.
    pub code: Rc<str>,
    /// Its arguments; the parts of the result of one application share them.
    pub args: Rc<[Known]>,
    /// The part: a field of the result, a field of that, and so on.
    pub path: Vec<u32>,
}

/// A static value of another unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known {
    /// What has that name of the linker.
    Symbol(Rc<str>),
    /// An immediate.
    Immediate(i64),
    /// A closure, with its symbol if it has one.
    Closure(Function, Option<Rc<str>>),
    /// A structure, or what behaves as one.
    Structure(Vec<Known>),
    /// What was made there.
    Made(Made),
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

/// A function, or a whole unit, that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The name of the unit that it is of.
    pub unit: String,
    /// What is wrong.
    pub cause: String,
}

impl Imports {
    /// Sets where to find more.
    pub fn set_library(&mut self, library: Library) {
        self.library = Some(library);
    }

    /// Records from now on which functions are asked for.
    pub fn record_to(&mut self, record: Record) {
        self.record = Some(record);
    }

    fn record(&self, code: &str) {
        if let Some(record) = &self.record {
            record.borrow_mut().insert(code.to_owned());
        }
    }

    /// Asks the library, if there is one, for the unit that defines that name of the linker, if nothing is known of
    /// what has it; once for each name.
    pub fn find_unit_of(&mut self, name: &str, origins: &mut Origins) {
        self.record(name);
        let is_known = self.functions.contains_key(name)
            || self.closures.contains_key(name)
            || self.fields.contains_key(name);
        if is_known || self.asked.contains(name) {
            return;
        }
        if let Some(library) = self.library.clone() {
            self.asked.insert(name.to_owned());
            library(name, self, origins);
        }
    }

    /// Adds functions of a unit, each with the linker's name of its code. `origins`: by the numbers that the functions
    /// have for them, arguments of the inliner that are in the importing unit; none where there is no limit.
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
        self.record(code);
        let blob = self.functions.get(code)?;
        self.taken.set(self.taken.get() + 1);
        Some(blob.clone())
    }

    /// Whether the function of that code may be inlined.
    pub fn offers(&self, code: &str) -> bool {
        self.functions.contains_key(code)
    }

    /// How often functions were asked for, and there.
    pub fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Records what the closure of that symbol is.
    pub fn add_closure(&mut self, symbol: &str, code: &str, arity: usize) {
        self.closures.insert(symbol.to_owned(), Function { code: code.into(), arity });
    }

    /// What the closure of that symbol is, if it is a known one.
    pub fn closure(&self, symbol: &str) -> Option<&Function> {
        self.closures.get(symbol)
    }

    /// Records what the closure in a field of a module is, by the symbol of that.
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

    /// Records a function of a unit that no field of its module holds.
    pub fn add_inner(&mut self, module: &str, code: &str, arity: usize) {
        let function = Function { code: code.into(), arity };
        self.inner.entry(module.to_owned()).or_default().push(function);
    }

    /// The function of a unit whose code has a linker's name of that prefix and a number: in a field of its module, or
    /// one of those beside them that were recorded.
    pub fn named(&self, module: &str, prefix: &str) -> Option<&Function> {
        let fields = self.fields.get(module).into_iter().flat_map(FxHashMap::values);
        let mut functions = fields.chain(self.inner.get(module).into_iter().flatten());
        functions.find(|function| {
            let stamp = function.code.strip_prefix(prefix);
            stamp.is_some_and(|stamp| !stamp.is_empty() && stamp.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }

    /// Records what is a part of a module: of the one with that symbol, the field that the path leads to.
    pub fn add_made(&mut self, module: &str, path: Vec<u32>, made: Made) {
        self.made.entry(module.to_owned()).or_default().insert(path, made);
    }

    /// Records which objects the fields of a module hold.
    pub fn add_objects(&mut self, module: &str, objects: Shape) {
        self.objects.insert(module.to_owned(), objects);
    }

    /// The object in a field of a module, or in a field of that, and so on.
    pub fn object(&self, module: &str, path: &[u32]) -> Shape {
        let module = self.objects.get(module).cloned().unwrap_or(Shape::Unknown);
        path.iter().fold(module, |shape, field| shape.field(*field))
    }

    /// Records which object the function with that code returns.
    pub fn add_result(&mut self, code: &str, result: Shape) {
        self.results.insert(code.to_owned(), result);
    }

    /// The object that the function with that code returns.
    pub fn result(&self, code: &str) -> Option<&Shape> {
        self.results.get(code)
    }

    /// Records that a function with that code never returns.
    pub fn add_no_return(&mut self, code: &str) {
        if !self.no_return.contains(code) {
            self.no_return.insert(code.to_owned());
        }
    }

    /// Whether the function with that code is known to return never.
    pub fn never_returns(&self, code: &str) -> bool {
        self.no_return.contains(code)
    }

    /// How a part of a module was built.
    pub fn made(&self, module: &str, path: &[u32]) -> Option<&Made> {
        self.made.get(module)?.get(path)
    }

    /// Records what a structure is that is a part of a module: of the one with that symbol, the field that the path
    /// leads to.
    pub fn add_structure(&mut self, module: &str, path: Vec<u32>, structure: Known) {
        self.structures.entry(module.to_owned()).or_default().insert(path, structure);
    }

    /// The structure that is a part of a module, if all of it is static.
    pub fn structure(&self, module: &str, path: &[u32]) -> Option<&Known> {
        self.structures.get(module)?.get(path)
    }

    /// Notes that the function of that code can't be read.
    pub fn report(&mut self, code: &str, cause: impl fmt::Display) {
        if let Some(blob) = self.functions.remove(code) {
            let cause = format!("function {code}: {cause}");
            self.damaged.push(Damage { unit: blob.unit.to_string(), cause });
        }
    }

    /// Records that nothing of a unit can be read.
    pub fn report_unit(&mut self, unit: &str, cause: impl fmt::Display) {
        self.damaged.push(Damage { unit: unit.to_owned(), cause: cause.to_string() });
    }

    /// Verifies all functions; errors are recorded.
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
