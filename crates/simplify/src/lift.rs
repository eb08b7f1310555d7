//! Static data: what is known of it, and lifting of constants to it.

use flambeau_ir::tags;
use flambeau_ir::{
    BoxedKind, Const, FreshSymbols, FunctionSlot, SetOfClosures, Simple, Static, StaticDef, StaticField,
    Symbol, Unit,
};
use flambeau_types::{Closure, Elements, Ty};
use rustc_hash::FxHashMap;
use std::rc::Rc;

use crate::{Functions, Simplifier};

/// Nothing is known of longer arrays of floats.
const FLOATS: usize = 64;

/// What is immutable and static already: equal data share a symbol.
#[derive(Debug, Default)]
pub struct StaticTable {
    symbols: FxHashMap<Key, Symbol>,
    fresh: FreshSymbols,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Number(Const),
    Block(u8, Vec<(bool, i64)>),
}

fn field_key(field: &StaticField) -> (bool, i64) {
    match field {
        StaticField::Symbol(symbol) => (true, i64::from(symbol.as_u32())),
        StaticField::Immediate(n) => (false, *n),
    }
}

fn key(def: &StaticDef) -> Option<Key> {
    Some(match def {
        StaticDef::Block { tag, fields, .. } => Key::Block(*tag, fields.iter().map(field_key).collect()),
        StaticDef::Float { bits, .. } => Key::Number(Const::NakedFloat(*bits)),
        StaticDef::Int32 { value, .. } => Key::Number(Const::NakedInt32(*value)),
        StaticDef::Int64 { value, .. } => Key::Number(Const::NakedInt64(*value)),
        StaticDef::Nativeint { value, .. } => Key::Number(Const::NakedNativeint(*value)),
        // Arrays may be assigned, strings are the converter's business.
        StaticDef::String { .. }
        | StaticDef::FloatArray { .. }
        | StaticDef::Closures { .. }
        | StaticDef::Preallocated { .. } => return None,
    })
}

impl StaticTable {
    /// The table of what a unit has already. Blocks are not shared with later data: theirs may be assigned (soundness
    /// row 18).
    pub fn of(unit: &Unit) -> StaticTable {
        let mut table = StaticTable::default();
        for item in &unit.statics {
            if let (Some(key @ Key::Number(_)), [symbol]) = (key(&item.def), item.def.symbols()) {
                table.symbols.insert(key, *symbol);
            }
        }
        table.fresh = FreshSymbols::of(unit);
        table
    }
}

impl Simplifier<'_> {
    /// Records in the environment what is known of static data.
    pub(crate) fn type_statics(&mut self) {
        self.type_statics_from(0);
    }

    /// Records in the environment what is known of static data from an index in the table on.
    pub(crate) fn type_statics_from(&mut self, first: usize) {
        for item in &self.unit.statics[first..] {
            match &item.def {
                StaticDef::Closures { symbols, set } => {
                    let functions = Functions::from(&set.functions[..]);
                    for (symbol, (slot, _)) in symbols.iter().zip(&set.functions) {
                        self.env.set_symbol(*symbol, closure_ty(set, &functions, *slot));
                    }
                }
                def => {
                    if let [symbol] = def.symbols() {
                        self.env.set_symbol(*symbol, ty(def));
                    }
                }
            }
        }
    }

    /// The functions of the set that a code is of.
    pub(crate) fn siblings(&self, code: flambeau_ir::CodeId, slot: FunctionSlot) -> Option<Functions> {
        self.global.sets.functions(code).filter(|set| set.iter().any(|(s, _)| *s == slot)).cloned()
    }

    /// A boxed number as static data.
    pub(crate) fn static_number(&mut self, kind: BoxedKind, c: Const) -> Option<Symbol> {
        let def = |symbol| {
            Some(match (kind, c) {
                (BoxedKind::Float, Const::NakedFloat(bits)) => StaticDef::Float { symbol, bits },
                (BoxedKind::Int32, Const::NakedInt32(value)) => StaticDef::Int32 { symbol, value },
                (BoxedKind::Int64, Const::NakedInt64(value)) => StaticDef::Int64 { symbol, value },
                (BoxedKind::Nativeint, Const::NakedNativeint(value)) => {
                    StaticDef::Nativeint { symbol, value }
                }
                _ => return None,
            })
        };
        self.shared(Key::Number(c), def)
    }

    /// An immutable block as static data, if all its fields are constant.
    pub(crate) fn static_block(&mut self, tag: u8, fields: &[Simple]) -> Option<Symbol> {
        let fields: Vec<StaticField> = fields.iter().map(|f| static_field(*f)).collect::<Option<_>>()?;
        let key = Key::Block(tag, fields.iter().map(field_key).collect());
        self.shared(key, |symbol| Some(StaticDef::Block { symbol, tag, fields }))
    }

    fn shared(&mut self, key: Key, def: impl FnOnce(Symbol) -> Option<StaticDef>) -> Option<Symbol> {
        if let Some(symbol) = self.global.statics.symbols.get(&key) {
            return Some(*symbol);
        }
        if self.is_measuring() {
            return None;
        }
        let symbol = self.fresh_symbol();
        let def = def(symbol)?;
        self.env.set_symbol(symbol, ty(&def));
        self.unit.statics.push(Static { exported: false, def });
        self.global.statics.symbols.insert(key, symbol);
        Some(symbol)
    }

    /// A string that never changes, as static data.
    pub(crate) fn static_string(&mut self, contents: Vec<u8>) -> Symbol {
        let symbol = self.fresh_symbol();
        let def = StaticDef::String { symbol, mutable: false, contents };
        self.env.set_symbol(symbol, ty(&def));
        self.unit.statics.push(Static { exported: false, def });
        symbol
    }

    /// Makes a closed set of closures static data.
    pub(crate) fn static_closures(&mut self, set: SetOfClosures) -> Vec<Symbol> {
        let symbols: Vec<Symbol> = set.functions.iter().map(|_| self.fresh_symbol()).collect();
        let functions = Functions::from(&set.functions[..]);
        for (symbol, (slot, _)) in symbols.iter().zip(&set.functions) {
            self.env.set_symbol(*symbol, closure_ty(&set, &functions, *slot));
        }
        let def = StaticDef::Closures { symbols: symbols.clone(), set };
        self.unit.statics.push(Static { exported: false, def });
        symbols
    }

    pub(crate) fn fresh_symbol(&mut self) -> Symbol {
        self.global.statics.fresh.make(self.unit, "lifted")
    }
}

/// What is known of a closure of a static set.
fn closure_ty(set: &SetOfClosures, functions: &Functions, slot: FunctionSlot) -> Ty {
    Ty::Closure(Rc::new(Closure {
        slot,
        functions: Rc::clone(functions),
        values: set.values.iter().map(|(slot, value)| (*slot, Ty::Is(*value))).collect(),
    }))
}

fn ty(def: &StaticDef) -> Ty {
    if let Some((kind, number)) = def.number() {
        return Ty::boxed(kind, Ty::Is(number.into()));
    }
    match def {
        StaticDef::Block { tag, fields, .. } if *tag < tags::FIRST_SPECIAL => {
            Ty::block(*tag, fields.iter().map(|f| Ty::Is(f.simple())))
        }
        StaticDef::String { mutable: false, contents, .. } => Ty::String(contents.as_slice().into()),
        StaticDef::FloatArray { mutable: false, elements, .. } if elements.len() <= FLOATS => {
            Ty::floats(elements.iter().map(|bits| Ty::Is(Const::NakedFloat(*bits).into())))
        }
        StaticDef::FloatArray { .. } => Ty::Array(Elements::Floats),
        _ => Ty::pointer(),
    }
}

/// The atom as a word of static data.
fn static_field(simple: Simple) -> Option<StaticField> {
    match simple {
        Simple::Symbol(symbol) => Some(StaticField::Symbol(symbol)),
        Simple::Const(Const::Tagged(n)) => Some(StaticField::Immediate(n)),
        _ => None,
    }
}
