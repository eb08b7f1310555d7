//! Comparison of units up to the numbering of identifiers and to the names of what has no linkage name.
//!
//! Two units are the same if a one-to-one renaming of variables, continuations and slots takes one to the
//! other. Symbols are identified by their linkage names, codes and statics by their positions. What is in a table
//! without being mentioned does not count, symbols apart; nor does what is meaningless (the subkind of a
//! naked variable).
//!
//! This walks terms by itself and shares nothing with the printer but the words of a difference found, so
//! that comparing a unit with its printed and parsed form checks both.

mod terms;

use std::fmt;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::printer::{FunctionId, Part, Place, describe};
use crate::{
    CodeId, Continuation, Dbg, FunctionSlot, Kind, SetOfClosures, Simple, Static, StaticDef, StaticField,
    Symbol, Unit, ValueSlot, Variable,
};

/// Compares two units.
///
/// # Errors
/// With the first difference, in the order of the text.
pub fn compare(left: &Unit, right: &Unit) -> Result<(), Box<Difference>> {
    let mut comparer = Comparer::new(left, right);
    comparer.units().map_err(|what| Box::new(comparer.difference(what)))
}

/// Where two units differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// The name of the code in the left unit, `entry`, or nothing.
    pub function: String,
    /// The line in the left unit, if it is one.
    pub left: String,
    /// The line in the right unit, if it is one.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { what, function, left, right } = self;
        f.write_str(what)?;
        if !function.is_empty() {
            write!(f, " in {function}")?;
        }
        if left.is_empty() && right.is_empty() {
            Ok(())
        } else {
            write!(f, "\n  left:  {left}\n  right: {right}")
        }
    }
}

impl std::error::Error for Difference {}

/// What differs; the position is in the comparer.
type Same = Result<(), &'static str>;

/// Differs in that unless the condition holds.
fn same(condition: bool, what: &'static str) -> Same {
    if condition { Ok(()) } else { Err(what) }
}

/// A one-to-one renaming, built as pairs are met.
struct Renaming<E> {
    to_right: FxHashMap<E, E>,
    to_left: FxHashMap<E, E>,
}

impl<E: Copy + Eq + Hash> Renaming<E> {
    fn new() -> Self {
        Renaming { to_right: FxHashMap::default(), to_left: FxHashMap::default() }
    }

    /// Whether the pair agrees with the pairs met before.
    fn pair(&mut self, left: E, right: E) -> bool {
        *self.to_right.entry(left).or_insert(right) == right
            && *self.to_left.entry(right).or_insert(left) == left
    }
}

/// The state of a comparison.
struct Comparer<'u> {
    left: &'u Unit,
    right: &'u Unit,
    variables: Renaming<Variable>,
    continuations: Renaming<Continuation>,
    function_slots: Renaming<FunctionSlot>,
    value_slots: Renaming<ValueSlot>,
    function: FunctionId,
    places: [Place<'u>; 2],
}

impl<'u> Comparer<'u> {
    fn new(left: &'u Unit, right: &'u Unit) -> Self {
        Comparer {
            left,
            right,
            variables: Renaming::new(),
            continuations: Renaming::new(),
            function_slots: Renaming::new(),
            value_slots: Renaming::new(),
            function: FunctionId::Unit,
            places: [Place::Head; 2],
        }
    }

    fn difference(&self, what: &str) -> Difference {
        let line = |unit: &Unit, place: Place<'_>| {
            let (function, mut lines) = describe(unit, self.function, &[(place, &[] as &[Part])]);
            (function, lines.pop().map_or_else(String::new, |(line, _)| line))
        };
        let (function, left) = line(self.left, self.places[0]);
        let (_, right) = line(self.right, self.places[1]);
        Difference { what: format!("different {what}"), function, left, right }
    }

    fn units(&mut self) -> Same {
        let (left, right) = (self.left, self.right);
        same(left.name == right.name, "names of units")?;
        same(left.naming == right.naming, "prefixes")?;
        self.symbol(left.module_symbol, right.module_symbol)?;
        same(symbols(left) == symbols(right), "symbols")?;
        same(left.statics.len() == right.statics.len(), "numbers of statics")?;
        for (a, b) in left.statics.iter().zip(&right.statics) {
            self.static_item(a, b)?;
        }
        same(left.codes.len() == right.codes.len(), "numbers of codes")?;
        for id in left.codes.keys() {
            self.function = FunctionId::Code(id);
            self.places = [Place::Head; 2];
            self.code(&left.codes[id], &right.codes[id])?;
        }
        self.function = FunctionId::Entry;
        self.places = [Place::Head; 2];
        self.continuation(left.entry.ret, right.entry.ret)?;
        self.continuation(left.entry.exn, right.entry.exn)?;
        self.expr(&left.entry.body, &right.entry.body)?;
        self.function = FunctionId::Unit;
        self.places = [Place::Head; 2];
        let same_locations = left.locs.len() == right.locs.len()
            && (0..left.locs.len() as u32).all(|n| {
                left.locs.get(Dbg(n)) == right.locs.get(Dbg(n))
                    && left.locs.inlined(Dbg(n)) == right.locs.inlined(Dbg(n))
            });
        same(same_locations, "locations")?;
        same(left.origins == right.origins, "arguments of other units")
    }

    fn code(&mut self, a: &'u crate::Code, b: &'u crate::Code) -> Same {
        same(a.linkage_name == b.linkage_name, "linkage names of codes")?;
        self.function_slot(a.function_slot, b.function_slot)?;
        self.variables(&a.params, &b.params)?;
        self.variable(a.my_closure, b.my_closure)?;
        self.continuation(a.ret, b.ret)?;
        self.continuation(a.exn, b.exn)?;
        same(a.result == b.result, "kinds of results")?;
        same(a.kind == b.kind && a.recursive == b.recursive && a.attributes == b.attributes, "attributes")?;
        same(a.dbg == b.dbg, "locations of codes")?;
        self.expr(&a.body, &b.body)
    }

    fn static_item(&mut self, a: &Static, b: &Static) -> Same {
        same(a.exported == b.exported, "visibilities of statics")?;
        self.lists(a.def.symbols(), b.def.symbols(), "symbols of statics", |this, a, b| this.symbol(*a, *b))?;
        match (&a.def, &b.def) {
            (
                StaticDef::Block { tag: tag_a, fields: fields_a, .. },
                StaticDef::Block { tag: tag_b, fields: fields_b, .. },
            ) => {
                same(tag_a == tag_b, "tags of statics")?;
                self.lists(fields_a, fields_b, "fields of statics", |this, a, b| match (a, b) {
                    (StaticField::Symbol(a), StaticField::Symbol(b)) => this.symbol(*a, *b),
                    _ => same(a == b, "fields of statics"),
                })
            }
            (StaticDef::Float { bits: a, .. }, StaticDef::Float { bits: b, .. }) => {
                same(a == b, "static floats")
            }
            (StaticDef::Int32 { value: a, .. }, StaticDef::Int32 { value: b, .. }) => {
                same(a == b, "static int32s")
            }
            (StaticDef::Int64 { value: a, .. }, StaticDef::Int64 { value: b, .. }) => {
                same(a == b, "static int64s")
            }
            (StaticDef::Nativeint { value: a, .. }, StaticDef::Nativeint { value: b, .. }) => {
                same(a == b, "static nativeints")
            }
            (
                StaticDef::String { mutable: mutable_a, contents: a, .. },
                StaticDef::String { mutable: mutable_b, contents: b, .. },
            ) => same(mutable_a == mutable_b && a == b, "static strings"),
            (
                StaticDef::FloatArray { mutable: mutable_a, elements: a, .. },
                StaticDef::FloatArray { mutable: mutable_b, elements: b, .. },
            ) => same(mutable_a == mutable_b && a == b, "static float arrays"),
            (StaticDef::Closures { set: a, .. }, StaticDef::Closures { set: b, .. }) => {
                self.set_of_closures(a, b)
            }
            (
                StaticDef::Preallocated { tag: tag_a, size: size_a, private: private_a, .. },
                StaticDef::Preallocated { tag: tag_b, size: size_b, private: private_b, .. },
            ) => same((tag_a, size_a, private_a) == (tag_b, size_b, private_b), "preallocated blocks"),
            _ => Err("shapes of statics"),
        }
    }

    fn set_of_closures(&mut self, a: &SetOfClosures, b: &SetOfClosures) -> Same {
        self.lists(&a.functions, &b.functions, "functions of sets", |this, a, b| {
            this.function_slot(a.0, b.0)?;
            this.code_id(a.1, b.1)
        })?;
        self.lists(&a.values, &b.values, "captured values", |this, a, b| {
            this.value_slot(a.0, b.0)?;
            this.simple(a.1, b.1)
        })
    }

    // ---- identifiers

    fn lists<T>(
        &mut self,
        a: &[T],
        b: &[T],
        what: &'static str,
        mut each: impl FnMut(&mut Self, &T, &T) -> Same,
    ) -> Same {
        same(a.len() == b.len(), what)?;
        a.iter().zip(b).try_for_each(|(a, b)| each(self, a, b))
    }

    fn variables(&mut self, a: &[Variable], b: &[Variable]) -> Same {
        self.lists(a, b, "numbers of variables", |this, a, b| this.variable(*a, *b))
    }

    fn variable(&mut self, a: Variable, b: Variable) -> Same {
        same(self.variables.pair(a, b), "variables")?;
        let (a, b) = (&self.left.variables[a], &self.right.variables[b]);
        same(a.kind == b.kind && (a.kind != Kind::Value || a.subkind == b.subkind), "kinds of variables")?;
        same(a.shape == b.shape, "shapes of variables")
    }

    fn continuation(&mut self, a: Continuation, b: Continuation) -> Same {
        same(self.continuations.pair(a, b), "continuations")?;
        let (a, b) = (&self.left.continuations[a], &self.right.continuations[b]);
        same(a.is_exn == b.is_exn, "sorts of continuations")
    }

    fn symbol(&mut self, a: Symbol, b: Symbol) -> Same {
        same(self.left.symbols[a] == self.right.symbols[b], "symbols")
    }

    fn code_id(&mut self, a: CodeId, b: CodeId) -> Same {
        same(a == b, "codes")
    }

    fn function_slot(&mut self, a: FunctionSlot, b: FunctionSlot) -> Same {
        same(self.function_slots.pair(a, b), "function slots")
    }

    fn value_slot(&mut self, a: ValueSlot, b: ValueSlot) -> Same {
        same(self.value_slots.pair(a, b), "value slots")
    }

    fn simple(&mut self, a: Simple, b: Simple) -> Same {
        match (a, b) {
            (Simple::Var(a), Simple::Var(b)) => self.variable(a, b),
            (Simple::Symbol(a), Simple::Symbol(b)) => self.symbol(a, b),
            (Simple::Const(a), Simple::Const(b)) => same(a == b, "constants"),
            _ => Err("atoms"),
        }
    }

    fn simples(&mut self, a: &[Simple], b: &[Simple]) -> Same {
        self.lists(a, b, "numbers of operands", |this, a, b| this.simple(*a, *b))
    }
}

/// All symbols of the table, in an order of their own.
fn symbols(unit: &Unit) -> Vec<(&str, bool)> {
    let mut list: Vec<_> =
        unit.symbols.values().map(|data| (&data.linkage_name[..], data.is_local)).collect();
    list.sort_unstable();
    list
}
