//! Integers as the machine has them: the extremes and widths of their kinds, arithmetic that wraps around, comparisons.
//! All kinds are held in an `i64`, sign-extended. The interpreter has its own, since it is the oracle.

use flambeau_ir::IntKind;
use flambeau_ir::prim::{IntCmp, IntOp};

/// The value of an OCaml integer of which the top bit is lost.
#[must_use]
pub fn wrap63(n: i64) -> i64 {
    (n << 1) >> 1
}

/// The value of an integer of the kind whose upper bits are lost.
#[must_use]
pub fn wrap(kind: IntKind, n: i64) -> i64 {
    match kind {
        IntKind::Tagged | IntKind::Naked => wrap63(n),
        IntKind::Int32 => i64::from(n as i32),
        IntKind::Int64 | IntKind::Nativeint => n,
    }
}

/// The number of bits of a kind.
#[must_use]
pub fn width(kind: IntKind) -> u32 {
    match kind {
        IntKind::Tagged | IntKind::Naked => 63,
        IntKind::Int32 => 32,
        IntKind::Int64 | IntKind::Nativeint => 64,
    }
}

/// The least and the greatest integer of a kind.
#[must_use]
pub fn extremes(kind: IntKind) -> (i64, i64) {
    match kind {
        IntKind::Tagged | IntKind::Naked => (-(1 << 62), (1 << 62) - 1),
        IntKind::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        IntKind::Int64 | IntKind::Nativeint => (i64::MIN, i64::MAX),
    }
}

/// Arithmetic that can't fail.
#[must_use]
pub fn arith(op: IntOp, kind: IntKind, a: i64, b: i64) -> i64 {
    let result = match op {
        IntOp::Add => a.wrapping_add(b),
        IntOp::Sub => a.wrapping_sub(b),
        IntOp::Mul => a.wrapping_mul(b),
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
    };
    wrap(kind, result)
}

/// The outcome of a comparison. Integers are held sign-extended, so one rule does for all widths.
#[must_use]
pub fn compare(op: IntCmp, a: i64, b: i64) -> bool {
    match op {
        IntCmp::Eq => a == b,
        IntCmp::Ne => a != b,
        IntCmp::Lt => a < b,
        IntCmp::Le => a <= b,
        IntCmp::Gt => a > b,
        IntCmp::Ge => a >= b,
        IntCmp::UnsignedLt => (a as u64) < (b as u64),
    }
}
