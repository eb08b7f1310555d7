//! A compilation unit: the tables that identifiers index, the code, the static data.

use std::ops::Range;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::imports::Origins;
use crate::naming::Naming;
use crate::term::{InlineAttribute, SpecialiseAttribute};
use crate::{
    ArgType, CodeId, Continuation, Dbg, Expr, FunctionSlot, Heat, Imports, Kind, LocTable, SetOfClosures,
    Static, StaticDef, Subkind, Symbol, ValueSlot, Variable,
};

/// A compilation unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name of the module.
    pub name: String,
    /// How its linkage names are formed.
    pub naming: Naming,
    /// Of how many units of the source it was made ([`crate::merge`]).
    pub parts: u32,
    /// The module block.
    pub module_symbol: Symbol,
    /// All variables.
    pub variables: PrimaryMap<Variable, VariableData>,
    /// All continuations.
    pub continuations: PrimaryMap<Continuation, ContinuationData>,
    /// All symbols, of this unit and of others.
    pub symbols: PrimaryMap<Symbol, SymbolData>,
    /// All functions.
    pub codes: PrimaryMap<CodeId, Code>,
    /// The names of all function slots.
    pub function_slots: PrimaryMap<FunctionSlot, String>,
    /// The names of all value slots.
    pub value_slots: PrimaryMap<ValueSlot, String>,
    /// Static data, the module block included.
    pub statics: Vec<Static>,
    /// What runs when the program starts: ends in `ret`, with any value.
    pub entry: Entry,
    /// Source locations.
    pub locs: LocTable,
    /// What other units let be inlined here.
    pub imports: Imports,
    /// The arguments of the inliner of units that code here comes from.
    pub origins: Origins,
}

/// The code that initialises the unit.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Takes one value, which is ignored.
    pub ret: Continuation,
    /// Takes an exception.
    pub exn: Continuation,
    /// The code.
    pub body: Expr,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableData {
    /// For people.
    pub name: Arc<str>,
    /// How it is held.
    pub kind: Kind,
    /// What the front end says of it, when it is a value.
    pub subkind: Subkind,
    /// Its type over the type variables of the functions of the source that it is in, if such a variable stands in it:
    /// `List`s of them, functions of them. What a type variable is follows from the types of a call's arguments. A copy
    /// of the variable has none: in a copy of the function a type variable may be something else.
    pub shape: Option<Box<ArgType>>,
}

impl VariableData {
    /// Adds to the numbers of the type variables in its type, so that those of another unit are others. Returns a
    /// number from which on none of them has one.
    pub fn shift_type_variables(&mut self, by: u32) -> u32 {
        let mut end = 0;
        if let Some(shape) = &mut self.shape {
            shape.variables_mut(&mut |number| {
                *number = number.saturating_add(by);
                end = end.max(number.saturating_add(1));
            });
        }
        end
    }
}

/// A continuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinuationData {
    /// For people.
    pub name: Arc<str>,
    /// Whether it is an exception continuation.
    pub is_exn: bool,
    /// How often it is jumped to, as far as a profile says.
    pub heat: Heat,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolData {
    /// The linker's name in full.
    pub linkage_name: String,
    /// Whether this unit defines it.
    pub is_local: bool,
}

/// How a function takes its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FunctionKind {
    /// Arguments are passed one by one.
    Curried,
    /// Arguments are passed as one tuple; the code takes its fields.
    Tupled,
}

/// What the source says of a function, and what passes say of it to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CodeAttributes {
    /// `[@inline]`
    pub inline: InlineAttribute,
    /// `[@specialise]`
    pub specialise: SpecialiseAttribute,
    /// It is a functor.
    pub is_functor: bool,
    /// Always to be inlined (features A7).
    pub stub: bool,
    /// `[@poll error]`: the code generator refuses it if it polls, so nothing is inlined there that might.
    pub no_poll: bool,
    /// Its set of closures is never copied, nor sent to other units: functions that take its closure as an argument
    /// know its slots (`docs/passes/parameters.md`).
    pub sole: bool,
    /// A call of it never returns: each path through its body ends in a `raise`, or in a call that never returns. A
    /// fact about the body, which no pass makes untrue.
    pub no_return: bool,
    /// Of a tupled function: other units may call it by its label and pass the fields, since what they know of the
    /// module block names it. No pass gives it other parameters.
    #[serde(skip)]
    pub exported: bool,
    /// How often it is called, as far as a profile says. It is known in the unit itself alone.
    #[serde(skip)]
    pub heat: Heat,
}

/// No pass gives a function more parameters than this: on every target so many come in registers, so that a tail
/// call stays one.
pub const MOST_PARAMETERS: usize = 8;

/// No pass adds more parameters than this to those that a function has: what comes as a parameter and is needed
/// after a call is saved around it, where a closure is one thing to save.
pub const MOST_NEW_PARAMETERS: usize = 3;

/// A function. Closed: free of variables but its parameters and `my_closure`.
#[derive(Clone, Debug)]
pub struct Code {
    /// The linker's name of the code.
    pub linkage_name: String,
    /// Parameters, at least one.
    pub params: SmallVec<[Variable; 4]>,
    /// The closure through which it was called. Not passed in direct calls if the body does not use it.
    pub my_closure: Variable,
    /// The slot that `my_closure` is of.
    pub function_slot: FunctionSlot,
    /// Takes the result, of kind `result`.
    pub ret: Continuation,
    /// Takes the exception, without extra arguments.
    pub exn: Continuation,
    /// The kind of the result.
    pub result: Kind,
    /// Curried or tupled.
    pub kind: FunctionKind,
    /// Whether it may call itself, or another function of its set that calls it.
    pub recursive: bool,
    /// What the source says.
    pub attributes: CodeAttributes,
    /// The location of the definition.
    pub dbg: Dbg,
    /// The body.
    pub body: Expr,
}

impl Code {
    /// Whether a generic call with so many arguments, of a closure of this code, runs the code with just them. A call
    /// that contradicts the code's kinds takes the generic path (soundness row 44).
    #[must_use]
    pub fn takes_values(&self, variables: &PrimaryMap<Variable, VariableData>, arguments: usize) -> bool {
        self.kind == FunctionKind::Curried && self.params.len() == arguments && self.is_of_values(variables)
    }

    /// Whether all that direct calls pass and get is values.
    #[must_use]
    pub fn is_of_values(&self, variables: &PrimaryMap<Variable, VariableData>) -> bool {
        let is_value = |param: &Variable| variables[*param].kind == Kind::Value;
        self.params.iter().all(is_value) && self.result == Kind::Value
    }

    /// Whether the body mentions the closure that it is called with.
    #[must_use]
    pub fn uses_closure(&self) -> bool {
        let mut uses = false;
        self.body.for_each_simple_deep(&mut |simple| uses |= simple == self.my_closure.into());
        uses
    }
}

impl Unit {
    /// The number of fields of the module block, and how many of them, the last ones, other units do not read.
    fn module_fields(&self) -> (u32, u32) {
        let fields = self.statics.iter().find_map(|item| match item.def {
            StaticDef::Preallocated { symbol, size, private, .. } if symbol == self.module_symbol => {
                Some((size, private))
            }
            _ => None,
        });
        fields.unwrap_or((0, 0))
    }

    /// The number of fields of the module block.
    pub fn module_size(&self) -> u32 {
        self.module_fields().0
    }

    /// The fields of the module block that other units do not read.
    pub fn private_fields(&self) -> Range<u32> {
        let (size, private) = self.module_fields();
        size.saturating_sub(private)..size
    }

    /// Each body, that of the entry last.
    pub fn bodies(&self) -> impl Iterator<Item = &Expr> {
        self.codes.values().map(|code| &code.body).chain([&self.entry.body])
    }

    /// Each body with its code; that of the entry, without one, last.
    pub fn bodies_by_code(&self) -> impl Iterator<Item = (Option<CodeId>, &Expr)> {
        self.codes.iter().map(|(id, code)| (Some(id), &code.body)).chain([(None, &self.entry.body)])
    }

    /// Each set of closures, static ones first, with the function that allocates it: none of a static one, nor of what
    /// the entry allocates.
    pub fn for_each_set(&self, f: &mut impl FnMut(Option<CodeId>, &SetOfClosures)) {
        for item in &self.statics {
            if let StaticDef::Closures { set, .. } = &item.def {
                f(None, set);
            }
        }
        for (code, data) in &self.codes {
            data.body.for_each_set(&mut |set| f(Some(code), set));
        }
        self.entry.body.for_each_set(&mut |set| f(None, set));
    }

    /// Rewrites each body, that of the entry last, with the rest of the unit in sight; whether anything changed. The
    /// body that is being rewritten is taken away from the unit.
    pub fn rewrite_bodies(
        &mut self,
        mut rewrite: impl FnMut(&mut Unit, Option<CodeId>, &mut Expr) -> bool,
    ) -> bool {
        let mut changed = false;
        for code in self.codes.keys().map(Some).chain([None]).collect::<Vec<_>>() {
            let mut body = self.body_mut(code).take();
            changed |= rewrite(self, code, &mut body);
            *self.body_mut(code) = body;
        }
        changed
    }

    /// The body of a code; of the entry, without one.
    pub fn body_mut(&mut self, code: Option<CodeId>) -> &mut Expr {
        match code {
            Some(code) => &mut self.codes[code].body,
            None => &mut self.entry.body,
        }
    }

    /// What a body is called in traces: the linker's name of its code, or `entry`.
    pub fn place_name(&self, code: Option<CodeId>) -> &str {
        code.map_or("entry", |code| &self.codes[code].linkage_name)
    }

    /// An empty unit: its entry does nothing, its module block has `size` fields.
    pub fn new(name: impl Into<String>, naming: Naming, size: u32) -> Unit {
        let name = name.into();
        let mut symbols = PrimaryMap::new();
        let module_symbol =
            symbols.push(SymbolData { linkage_name: naming.prefix().to_owned(), is_local: true });
        let mut continuations = PrimaryMap::new();
        let ret = continuations.push(ContinuationData {
            name: "return".into(),
            is_exn: false,
            heat: Heat::Unknown,
        });
        let exn =
            continuations.push(ContinuationData { name: "raise".into(), is_exn: true, heat: Heat::Unknown });
        let body = Expr::unreachable();
        Unit {
            name,
            naming,
            parts: 1,
            module_symbol,
            variables: PrimaryMap::new(),
            continuations,
            symbols,
            codes: PrimaryMap::new(),
            function_slots: PrimaryMap::new(),
            value_slots: PrimaryMap::new(),
            statics: vec![Static {
                exported: true,
                def: StaticDef::Preallocated { symbol: module_symbol, tag: 0, size, private: 0 },
            }],
            entry: Entry { ret, exn, body },
            locs: LocTable::default(),
            imports: Imports::default(),
            origins: Origins::new(),
        }
    }

    /// A fresh variable of kind `Value` about which nothing is known.
    pub fn new_value(&mut self, name: impl Into<Arc<str>>) -> Variable {
        self.new_variable(name, Kind::Value, Subkind::Any)
    }

    /// A fresh variable.
    pub fn new_variable(&mut self, name: impl Into<Arc<str>>, kind: Kind, subkind: Subkind) -> Variable {
        self.variables.push(VariableData { name: name.into(), kind, subkind, shape: None })
    }

    /// A fresh variable of the name, kind and subkind of another.
    pub fn new_variable_like(&mut self, variable: Variable) -> Variable {
        self.variables.push(VariableData { shape: None, ..self.variables[variable].clone() })
    }

    /// A fresh ordinary continuation.
    pub fn new_continuation(&mut self, name: impl Into<Arc<str>>) -> Continuation {
        self.continuations.push(ContinuationData { name: name.into(), is_exn: false, heat: Heat::Unknown })
    }

    /// A fresh exception continuation.
    pub fn new_exn_continuation(&mut self, name: impl Into<Arc<str>>) -> Continuation {
        self.continuations.push(ContinuationData { name: name.into(), is_exn: true, heat: Heat::Unknown })
    }

    /// The kind of an atom.
    pub fn kind_of(&self, simple: crate::Simple) -> Kind {
        match simple {
            crate::Simple::Var(v) => self.variables[v].kind,
            crate::Simple::Symbol(_) => Kind::Value,
            crate::Simple::Const(c) => c.kind(),
        }
    }
}

/// Names for static data that passes create: `stem_number`, none twice in a unit.
#[derive(Debug, Default)]
pub struct FreshSymbols {
    taken: FxHashSet<String>,
    last: u32,
}

impl FreshSymbols {
    /// Fresh symbols for a unit as it is now.
    pub fn of(unit: &Unit) -> FreshSymbols {
        let symbols = unit.symbols.values().map(|data| data.linkage_name.clone());
        // A function `lifted` of the source is `lifted_` and its stamp.
        let taken = symbols.chain(unit.codes.values().map(|code| code.linkage_name.clone())).collect();
        FreshSymbols { taken, last: 0 }
    }

    /// A new symbol of the unit, which other units do not see.
    pub fn make(&mut self, unit: &mut Unit, stem: &str) -> Symbol {
        loop {
            self.last += 1;
            let linkage_name = unit.naming.local(&format!("{stem}_{}", self.last));
            if self.taken.insert(linkage_name.clone()) {
                return unit.symbols.push(SymbolData { linkage_name, is_local: true });
            }
        }
    }
}
