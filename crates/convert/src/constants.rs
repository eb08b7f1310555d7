//! Structured constants become static data.

use flambeau_ir::{Simple, Static, StaticDef, StaticField, Symbol};
use flambeau_lambda::term::{Constant, Constants, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::Converter;
use crate::env::{Info, Val};

/// Immutable constants that have a symbol already: equal constants share it. Floats are compared by bits. Strings are
/// shared where they are immutable, as in the stock compiler.
#[derive(Debug)]
pub(crate) struct ConstantTable {
    symbols: FxHashMap<Key, Symbol>,
    /// The number of the last one.
    last: u32,
    /// Stamps of identifiers with the name of constants: functions of that name have such linkage names.
    taken: FxHashSet<u32>,
}

/// Constants are called so, with a number; the stock helpers name theirs by a bare number.
const NAME: &str = "const";

impl ConstantTable {
    /// No constants yet, in a unit of that term.
    pub(crate) fn new(term: &Term) -> ConstantTable {
        let taken = term.idents.iter().filter(|(name, _)| name == NAME).map(|(_, stamp)| *stamp).collect();
        ConstantTable { symbols: FxHashMap::default(), last: 0, taken }
    }

    fn fresh_name(&mut self) -> String {
        loop {
            self.last += 1;
            if !self.taken.contains(&self.last) {
                return format!("{NAME}_{}", self.last);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Float(u64),
    Int32(i32),
    Int64(i64),
    Nativeint(i64),
    String(Vec<u8>),
    Block(u8, Vec<Word>),
    FloatArray(Vec<u64>),
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Word {
    Symbol(Symbol),
    Immediate(i64),
}

impl Converter<'_> {
    /// The value of a constant.
    pub fn constant(&mut self, constants: &Constants) -> Val {
        let mut values: Vec<Simple> = Vec::with_capacity(constants.steps.len());
        for step in &constants.steps {
            let simple = match step {
                Constant::Int(n) => Simple::tagged(*n),
                Constant::Float(bits) => {
                    let bits = *bits;
                    self.shared(Key::Float(bits), |symbol| StaticDef::Float { symbol, bits })
                }
                Constant::Int32(value) => {
                    let value = *value;
                    self.shared(Key::Int32(value), |symbol| StaticDef::Int32 { symbol, value })
                }
                Constant::Int64(value) => {
                    let value = *value;
                    self.shared(Key::Int64(value), |symbol| StaticDef::Int64 { symbol, value })
                }
                Constant::Nativeint(value) => {
                    let value = *value;
                    self.shared(Key::Nativeint(value), |symbol| StaticDef::Nativeint { symbol, value })
                }
                Constant::String { contents, shared } => {
                    let (mutable, data) = (!*shared, contents.clone());
                    let def = |symbol| StaticDef::String { symbol, mutable, contents: data };
                    if *shared {
                        self.shared(Key::String(contents.clone()), def)
                    } else {
                        self.fresh_static(def)
                    }
                }
                Constant::Block { tag, fields } => {
                    let fields: Vec<Simple> = fields.iter().map(|i| values[*i as usize]).collect();
                    self.static_block(*tag, &fields).unwrap_or(Simple::UNIT)
                }
                Constant::FloatArray(elements) => {
                    let elements = elements.clone();
                    self.shared(Key::FloatArray(elements.clone()), |symbol| StaticDef::FloatArray {
                        symbol,
                        mutable: false,
                        elements,
                    })
                }
            };
            values.push(simple);
        }
        let info = match constants.steps.last() {
            Some(Constant::Float(bits)) => {
                Info::Boxed(flambeau_ir::BoxedKind::Float, flambeau_ir::Const::NakedFloat(*bits).into())
            }
            Some(Constant::Int32(n)) => {
                Info::Boxed(flambeau_ir::BoxedKind::Int32, flambeau_ir::Const::NakedInt32(*n).into())
            }
            Some(Constant::Int64(n)) => {
                Info::Boxed(flambeau_ir::BoxedKind::Int64, flambeau_ir::Const::NakedInt64(*n).into())
            }
            Some(Constant::Nativeint(n)) => {
                Info::Boxed(flambeau_ir::BoxedKind::Nativeint, flambeau_ir::Const::NakedNativeint(*n).into())
            }
            _ => Info::Unknown,
        };
        Val { simple: values.last().copied().unwrap_or(Simple::UNIT), info }
    }

    /// An immutable static block, if all fields are known at link time.
    pub fn static_block(&mut self, tag: u8, fields: &[Simple]) -> Option<Simple> {
        let fields: Vec<StaticField> =
            fields.iter().map(|simple| static_field(*simple)).collect::<Option<_>>()?;
        let key = Key::Block(
            tag,
            fields
                .iter()
                .map(|field| match field {
                    StaticField::Symbol(symbol) => Word::Symbol(*symbol),
                    StaticField::Immediate(n) => Word::Immediate(*n),
                })
                .collect(),
        );
        Some(self.shared(key, |symbol| StaticDef::Block { symbol, tag, fields }))
    }

    fn shared(&mut self, key: Key, def: impl FnOnce(Symbol) -> StaticDef) -> Simple {
        if let Some(symbol) = self.constants.symbols.get(&key) {
            return Simple::Symbol(*symbol);
        }
        let simple = self.fresh_static(def);
        if let Simple::Symbol(symbol) = simple {
            self.constants.symbols.insert(key, symbol);
        }
        simple
    }

    fn fresh_static(&mut self, def: impl FnOnce(Symbol) -> StaticDef) -> Simple {
        let name = self.constants.fresh_name();
        let symbol = self.fresh_symbol(self.unit.naming.local(&name));
        self.unit.statics.push(Static { exported: false, def: def(symbol) });
        Simple::Symbol(symbol)
    }
}

/// The atom as a word of static data.
pub(crate) fn static_field(simple: Simple) -> Option<StaticField> {
    match simple {
        Simple::Symbol(symbol) => Some(StaticField::Symbol(symbol)),
        Simple::Const(flambeau_ir::Const::Tagged(n)) => Some(StaticField::Immediate(n)),
        _ => None,
    }
}
