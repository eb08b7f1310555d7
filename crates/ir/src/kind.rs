//! Kinds: how a value is held in a register; and subkinds: what is known of an OCaml value.

use serde::{Deserialize, Serialize};

/// The kind of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// An OCaml value: a tagged immediate or a pointer; the GC scans it.
    Value,
    /// An untagged OCaml integer: 63 significant bits, sign-extended to the word.
    NakedImmediate,
    /// An unboxed double.
    NakedFloat,
    /// An unboxed `int32`, sign-extended to the word.
    NakedInt32,
    /// An unboxed `int64`.
    NakedInt64,
    /// An unboxed `nativeint`.
    NakedNativeint,
}

/// What the front end says of a variable of kind [`Kind::Value`]. A hint, trusted no further than the
/// stock compiler trusts it (GADTs and `Obj.magic` make it false in code that is never run).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Subkind {
    /// Nothing is known.
    #[default]
    Any,
    /// A tagged immediate.
    Immediate,
    /// A pointer to a boxed number.
    Boxed(BoxedKind),
}

/// The numbers that OCaml boxes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BoxedKind {
    /// `float`
    Float,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `nativeint`
    Nativeint,
}

/// The integers that arithmetic works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum IntKind {
    /// Tagged OCaml integers: operands and results are of kind `Value`; arithmetic is modulo 2^63.
    Tagged,
    /// Untagged OCaml integers, modulo 2^63.
    Naked,
    /// Unboxed `int32`, modulo 2^32.
    Int32,
    /// Unboxed `int64`.
    Int64,
    /// Unboxed `nativeint`.
    Nativeint,
}

impl BoxedKind {
    /// The kind of the contents.
    #[must_use]
    pub fn naked(self) -> Kind {
        match self {
            BoxedKind::Float => Kind::NakedFloat,
            BoxedKind::Int32 => Kind::NakedInt32,
            BoxedKind::Int64 => Kind::NakedInt64,
            BoxedKind::Nativeint => Kind::NakedNativeint,
        }
    }

    /// What has contents of that kind.
    #[must_use]
    pub fn of_naked(kind: Kind) -> Option<BoxedKind> {
        match kind {
            Kind::NakedFloat => Some(BoxedKind::Float),
            Kind::NakedInt32 => Some(BoxedKind::Int32),
            Kind::NakedInt64 => Some(BoxedKind::Int64),
            Kind::NakedNativeint => Some(BoxedKind::Nativeint),
            Kind::Value | Kind::NakedImmediate => None,
        }
    }
}

impl IntKind {
    /// The kind of operands and results.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            IntKind::Tagged => Kind::Value,
            IntKind::Naked => Kind::NakedImmediate,
            IntKind::Int32 => Kind::NakedInt32,
            IntKind::Int64 => Kind::NakedInt64,
            IntKind::Nativeint => Kind::NakedNativeint,
        }
    }
}
