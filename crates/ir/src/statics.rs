//! Static data: what the linker places.

use serde::{Deserialize, Serialize};

use crate::{BoxedKind, Const, SetOfClosures, Symbol};

/// One item of static data and its symbol or symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Whether other units may refer to it.
    pub exported: bool,
    /// What it is.
    pub def: StaticDef,
}

/// The shapes of static data. All contents are known at link time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StaticDef {
    /// A block of values.
    Block { symbol: Symbol, tag: u8, fields: Vec<StaticField> },
    /// A boxed double, by its bits.
    Float { symbol: Symbol, bits: u64 },
    /// A boxed int32.
    Int32 { symbol: Symbol, value: i32 },
    /// A boxed int64.
    Int64 { symbol: Symbol, value: i64 },
    /// A boxed nativeint.
    Nativeint { symbol: Symbol, value: i64 },
    /// A string. `mutable`: it may be assigned (literals under `-unsafe-string`), so its contents are only what it
    /// begins with.
    String { symbol: Symbol, mutable: bool, contents: Vec<u8> },
    /// A flat array or record of doubles, by their bits. `mutable`: an array that may be assigned, and is no other.
    FloatArray { symbol: Symbol, mutable: bool, elements: Vec<u64> },
    /// A set of closures whose captured values, if any, are constants and symbols: one symbol for each
    /// function, in order.
    Closures { symbols: Vec<Symbol>, set: SetOfClosures },
    /// A block whose fields are `()` until the unit's entry code fills them; a root for the GC. The last `private` ones
    /// are read by this unit alone.
    Preallocated { symbol: Symbol, tag: u8, size: u32, private: u32 },
}

impl StaticDef {
    /// The number in it, if it is a boxed number.
    #[must_use]
    pub fn number(&self) -> Option<(BoxedKind, Const)> {
        Some(match self {
            StaticDef::Float { bits, .. } => (BoxedKind::Float, Const::NakedFloat(*bits)),
            StaticDef::Int32 { value, .. } => (BoxedKind::Int32, Const::NakedInt32(*value)),
            StaticDef::Int64 { value, .. } => (BoxedKind::Int64, Const::NakedInt64(*value)),
            StaticDef::Nativeint { value, .. } => (BoxedKind::Nativeint, Const::NakedNativeint(*value)),
            _ => return None,
        })
    }
}

/// A field of a static block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StaticField {
    /// The address of static data.
    Symbol(Symbol),
    /// A tagged integer.
    Immediate(i64),
}

impl StaticField {
    /// The field as an atom.
    #[must_use]
    pub fn simple(self) -> crate::Simple {
        match self {
            StaticField::Symbol(s) => crate::Simple::Symbol(s),
            StaticField::Immediate(n) => crate::Simple::Const(Const::Tagged(n)),
        }
    }
}
