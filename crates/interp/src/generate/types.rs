//! What generated variables hold: finer than kinds, so that nearly all runs are defined.

use flambeau_ir::prim::{ArrayKind, BigarrayKind, Mutability, NativeRepr};
use flambeau_ir::{BoxedKind, Kind, Subkind};

/// The type of a generated variable. Blocks, arrays and float blocks have [`LENGTH`] elements, strings
/// [`BYTES`] bytes, bigarrays [`SIDE`] elements in each of two dimensions, or `BYTES` in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// A tagged integer.
    Int,
    /// An untagged one.
    Naked,
    Int32,
    Int64,
    Native,
    Float,
    /// Any value: it is never inspected.
    Any,
    /// A block of integers; the last field is never assigned, the first is assigned by the outside too.
    Block,
    /// A block of integers that is never assigned.
    Tuple,
    Boxed(BoxedKind),
    /// A float record or array; whether it is mutable.
    Floats(bool),
    /// An array of integers.
    Array(ArrayKind),
    String,
    Bytes,
    Bigarray(BigarrayKind),
    /// A function of that shape.
    Fun(Shape),
    /// A mutable block that mostly does not escape.
    Local(LocalBlock),
    /// A mutable block of numbers, which are naked or not.
    Numbers {
        naked: bool,
    },
    /// A mutable array of int64s: of their boxes, or of floats with their bits.
    NumberArray {
        naked: bool,
    },
}

/// What a block holds that does not escape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LocalBlock {
    /// Integers.
    Ints,
    /// Naked floats.
    Floats,
    /// One of `Ints`, and an integer.
    Nested,
}

/// The functions that are called through closures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Int → Int.
    Unary,
    /// Int → Int → Int.
    Binary,
    /// Int → `Unary`: over-applied it is a `Binary`.
    Maker,
    /// Block → Int → Int.
    OfBlock,
    /// Int * Int → Int, tupled.
    Pair,
    /// Any kinds: only called directly.
    Direct,
}

pub(super) const LENGTH: usize = 3;
pub(super) const BYTES: i64 = 16;
pub(super) const SIDE: i64 = 2;

pub(super) const BOXED: [BoxedKind; 4] =
    [BoxedKind::Float, BoxedKind::Int32, BoxedKind::Int64, BoxedKind::Nativeint];

/// The kinds of bigarrays, with the numbers that `caml_ba_create` takes.
pub(super) const BIGARRAYS: [(BigarrayKind, i64); 12] = [
    (BigarrayKind::Float32, 0),
    (BigarrayKind::Float64, 1),
    (BigarrayKind::Sint8, 2),
    (BigarrayKind::Uint8, 3),
    (BigarrayKind::Sint16, 4),
    (BigarrayKind::Uint16, 5),
    (BigarrayKind::Int32, 6),
    (BigarrayKind::Int64, 7),
    (BigarrayKind::CamlInt, 8),
    (BigarrayKind::NativeInt, 9),
    (BigarrayKind::Complex32, 10),
    (BigarrayKind::Complex64, 11),
];

/// Bigarrays of bytes are bigstrings: of one dimension.
pub(super) fn is_bigstring(kind: BigarrayKind) -> bool {
    matches!(kind, BigarrayKind::Sint8 | BigarrayKind::Uint8)
}

impl Type {
    pub(super) fn kind(self) -> Kind {
        match self {
            Type::Naked => Kind::NakedImmediate,
            Type::Int32 => Kind::NakedInt32,
            Type::Int64 => Kind::NakedInt64,
            Type::Native => Kind::NakedNativeint,
            Type::Float => Kind::NakedFloat,
            _ => Kind::Value,
        }
    }

    pub(super) fn subkind(self) -> Subkind {
        match self {
            Type::Int => Subkind::Immediate,
            Type::Boxed(kind) => Subkind::Boxed(kind),
            _ => Subkind::Any,
        }
    }

    /// The type of an unboxed number.
    pub(super) fn naked(kind: BoxedKind) -> Type {
        match kind {
            BoxedKind::Float => Type::Float,
            BoxedKind::Int32 => Type::Int32,
            BoxedKind::Int64 => Type::Int64,
            BoxedKind::Nativeint => Type::Native,
        }
    }

    /// A type of what is only known to be of a kind.
    pub(super) fn of_kind(kind: Kind) -> Type {
        match kind {
            Kind::Value => Type::Any,
            Kind::NakedImmediate => Type::Naked,
            Kind::NakedFloat => Type::Float,
            Kind::NakedInt32 => Type::Int32,
            Kind::NakedInt64 => Type::Int64,
            Kind::NakedNativeint => Type::Native,
        }
    }

    /// How a C function takes it.
    pub(super) fn repr(self) -> NativeRepr {
        match self {
            Type::Naked => NativeRepr::Untagged,
            Type::Int32 => NativeRepr::Unboxed(BoxedKind::Int32),
            Type::Int64 => NativeRepr::Unboxed(BoxedKind::Int64),
            Type::Native => NativeRepr::Unboxed(BoxedKind::Nativeint),
            Type::Float => NativeRepr::Unboxed(BoxedKind::Float),
            _ => NativeRepr::Value,
        }
    }

    /// The mutability of an allocation of it.
    pub(super) fn mutability(self) -> Mutability {
        match self {
            Type::Tuple | Type::Floats(false) => Mutability::Immutable,
            _ => Mutability::Mutable,
        }
    }
}

impl Shape {
    pub(super) fn params(self) -> &'static [Type] {
        match self {
            Shape::Unary | Shape::Maker => &[Type::Int],
            Shape::Binary | Shape::Pair => &[Type::Int, Type::Int],
            Shape::OfBlock => &[Type::Block, Type::Int],
            Shape::Direct => &[],
        }
    }

    pub(super) fn result(self) -> Type {
        if self == Shape::Maker { Type::Fun(Shape::Unary) } else { Type::Int }
    }
}
