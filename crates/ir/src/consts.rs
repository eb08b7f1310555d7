//! Constants and atoms.

use serde::{Deserialize, Serialize};

use crate::{Kind, Symbol, Variable};

/// A constant that fits in a register. Floats are bit patterns: equality is by bits (soundness row 21).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Const {
    /// A tagged OCaml integer, represented untagged (63 significant bits).
    Tagged(i64),
    /// An untagged OCaml integer (63 significant bits).
    NakedImmediate(i64),
    /// The bits of an unboxed double.
    NakedFloat(u64),
    /// An unboxed `int32`.
    NakedInt32(i32),
    /// An unboxed `int64`.
    NakedInt64(i64),
    /// An unboxed `nativeint` (64-bit targets).
    NakedNativeint(i64),
    /// Never meaningfully read: an arbitrary value of its kind.
    Poison(Kind),
}

impl Const {
    /// `()`, `false`, `[]`, `None`…: the immediate 0.
    pub const UNIT: Const = Const::Tagged(0);

    /// The kind of the constant.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Const::Tagged(_) => Kind::Value,
            Const::NakedImmediate(_) => Kind::NakedImmediate,
            Const::NakedFloat(_) => Kind::NakedFloat,
            Const::NakedInt32(_) => Kind::NakedInt32,
            Const::NakedInt64(_) => Kind::NakedInt64,
            Const::NakedNativeint(_) => Kind::NakedNativeint,
            Const::Poison(kind) => kind,
        }
    }
}

/// An atom: what operands are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Simple {
    /// A variable.
    Var(Variable),
    /// The address of a symbol, of kind `Value`.
    Symbol(Symbol),
    /// A constant.
    Const(Const),
}

impl Simple {
    /// The immediate 0.
    pub const UNIT: Simple = Simple::Const(Const::UNIT);

    /// A tagged integer.
    #[must_use]
    pub fn tagged(n: i64) -> Simple {
        Simple::Const(Const::Tagged(n))
    }

    /// An untagged integer.
    #[must_use]
    pub fn naked_imm(n: i64) -> Simple {
        Simple::Const(Const::NakedImmediate(n))
    }

    /// The variable, if it is one.
    #[must_use]
    pub fn as_var(self) -> Option<Variable> {
        match self {
            Simple::Var(v) => Some(v),
            _ => None,
        }
    }
}

impl From<Variable> for Simple {
    fn from(v: Variable) -> Self {
        Simple::Var(v)
    }
}

impl From<Symbol> for Simple {
    fn from(s: Symbol) -> Self {
        Simple::Symbol(s)
    }
}

impl From<Const> for Simple {
    fn from(c: Const) -> Self {
        Simple::Const(c)
    }
}
