//! Arithmetic, exactly as OCaml defines it: 63 bits, 32 bits, 64 bits, IEEE doubles.

use std::cmp::Ordering;

use flambeau_ir::prim::{FloatCmp, FloatOp, IntCmp, IntOp, ShiftOp};
use flambeau_ir::{IntKind, Kind};

use crate::Trap;
use crate::heap::Value;

/// The low 63 bits, sign-extended.
pub(crate) fn wrap63(n: i64) -> i64 {
    n << 1 >> 1
}

/// The integer in a value of that kind.
pub(crate) fn integer(kind: IntKind, value: Value) -> Result<i64, Trap> {
    match (kind, value) {
        (_, Value::Poison(_)) => Err(Trap::Poison),
        (IntKind::Tagged | IntKind::Naked, Value::Int(n)) => Ok(n),
        (IntKind::Int32, Value::Int32(n)) => Ok(i64::from(n)),
        (IntKind::Int64, Value::Int64(n)) | (IntKind::Nativeint, Value::Nativeint(n)) => Ok(n),
        _ => Err(Trap::WrongShape),
    }
}

/// A value of that kind from an integer, wrapped.
pub(crate) fn make(kind: IntKind, n: i64) -> Value {
    match kind {
        IntKind::Tagged | IntKind::Naked => Value::Int(wrap63(n)),
        IntKind::Int32 => Value::Int32(n as i32),
        IntKind::Int64 => Value::Int64(n),
        IntKind::Nativeint => Value::Nativeint(n),
    }
}

pub(crate) fn arith(op: IntOp, kind: IntKind, a: Value, b: Value) -> Result<Value, Trap> {
    let (a, b) = (integer(kind, a)?, integer(kind, b)?);
    Ok(make(
        kind,
        match op {
            IntOp::Add => a.wrapping_add(b),
            IntOp::Sub => a.wrapping_sub(b),
            IntOp::Mul => a.wrapping_mul(b),
            IntOp::And => a & b,
            IntOp::Or => a | b,
            IntOp::Xor => a ^ b,
        },
    ))
}

/// The number of bits.
fn width(kind: IntKind) -> u32 {
    match kind {
        IntKind::Tagged | IntKind::Naked => 63,
        IntKind::Int32 => 32,
        IntKind::Int64 | IntKind::Nativeint => 64,
    }
}

/// Shifts. An amount outside the width gives an unspecified result, here a poison of the kind.
pub(crate) fn shift(op: ShiftOp, kind: IntKind, a: Value, amount: Value) -> Result<Value, Trap> {
    let a = integer(kind, a)?;
    let amount = integer(IntKind::Naked, amount)?;
    let Some(amount) = u32::try_from(amount).ok().filter(|n| *n < width(kind)) else {
        return Ok(Value::Poison(kind.kind()));
    };
    Ok(make(
        kind,
        match op {
            ShiftOp::Lsl => a.wrapping_shl(amount),
            ShiftOp::Asr => a >> amount,
            ShiftOp::Lsr => {
                let mask = if width(kind) == 64 { u64::MAX } else { (1 << width(kind)) - 1 };
                ((a as u64 & mask) >> amount) as i64
            }
        },
    ))
}

pub(crate) fn divide(quotient: bool, kind: IntKind, a: Value, b: Value) -> Result<Value, Trap> {
    let (a, b) = (integer(kind, a)?, integer(kind, b)?);
    if b == 0 {
        return Err(Trap::DivisionByZero);
    }
    Ok(make(kind, if quotient { a.wrapping_div(b) } else { a.wrapping_rem(b) }))
}

pub(crate) fn compare(op: IntCmp, a: i64, b: i64) -> bool {
    match op {
        IntCmp::Eq => a == b,
        IntCmp::Ne => a != b,
        IntCmp::Lt => a < b,
        IntCmp::Le => a <= b,
        IntCmp::Gt => a > b,
        IntCmp::Ge => a >= b,
        IntCmp::UnsignedLt => (a as u64) < b as u64,
    }
}

/// -1, 0 or 1.
pub(crate) fn sign(ordering: Ordering) -> Value {
    Value::Int(ordering as i64)
}

pub(crate) fn float(value: Value) -> Result<f64, Trap> {
    match value {
        Value::Float(bits) => Ok(f64::from_bits(bits)),
        Value::Poison(_) => Err(Trap::Poison),
        _ => Err(Trap::WrongShape),
    }
}

pub(crate) fn float_arith(op: FloatOp, a: f64, b: f64) -> Value {
    let result = match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
    };
    Value::Float(result.to_bits())
}

#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "the negated comparisons of OCaml, NaN included")]
pub(crate) fn float_compare(op: FloatCmp, a: f64, b: f64) -> bool {
    match op {
        FloatCmp::Eq => a == b,
        FloatCmp::Ne => a != b,
        FloatCmp::Lt => a < b,
        FloatCmp::NotLt => !(a < b),
        FloatCmp::Gt => a > b,
        FloatCmp::NotGt => !(a > b),
        FloatCmp::Le => a <= b,
        FloatCmp::NotLe => !(a <= b),
        FloatCmp::Ge => a >= b,
        FloatCmp::NotGe => !(a >= b),
    }
}

/// OCaml's `compare` on floats: NaN equals itself and is below all others.
pub(crate) fn float_compare3(a: f64, b: f64) -> Value {
    sign(a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())))
}

/// Conversions between naked numbers. A float out of the target's range gives what the hardware pleases.
pub(crate) fn convert(from: Kind, to: Kind, value: Value) -> Result<Value, Trap> {
    let wide = match (from, value) {
        (Kind::NakedFloat, value) => {
            let x = float(value)?;
            let limit = match to {
                Kind::NakedFloat => return Ok(value),
                Kind::NakedInt32 => 2f64.powi(31),
                Kind::NakedImmediate | Kind::Value => 2f64.powi(62),
                Kind::NakedInt64 | Kind::NakedNativeint => 2f64.powi(63),
            };
            if !(x.trunc() >= -limit && x.trunc() < limit) {
                return Ok(Value::Poison(to));
            }
            x.trunc() as i64
        }
        (_, Value::Int(n) | Value::Int64(n) | Value::Nativeint(n)) => n,
        (_, Value::Int32(n)) => i64::from(n),
        (_, Value::Poison(_)) => return Err(Trap::Poison),
        _ => return Err(Trap::WrongShape),
    };
    Ok(match to {
        Kind::NakedFloat => Value::Float((wide as f64).to_bits()),
        Kind::NakedInt32 => Value::Int32(wide as i32),
        Kind::NakedInt64 => Value::Int64(wide),
        Kind::NakedNativeint => Value::Nativeint(wide),
        Kind::NakedImmediate | Kind::Value => Value::Int(wrap63(wide)),
    })
}
