//! Primitives of constants, exactly as the machine computes them (soundness row 22). Nothing is folded whose result
//! OCaml leaves open (shifts out of range) or whose bits are the processor's (NaN).

use flambeau_ir::prim::{FloatCmp, FloatOp, ShiftOp};
use flambeau_ir::{Const, IntKind, Kind, Prim};
use flambeau_types::machine::{arith, compare, width, wrap, wrap63};

/// A constant of a kind of integers.
#[must_use]
pub fn int(kind: IntKind, n: i64) -> Const {
    match kind {
        IntKind::Tagged => Const::Tagged(n),
        IntKind::Naked => Const::NakedImmediate(n),
        IntKind::Int32 => Const::NakedInt32(n as i32),
        IntKind::Int64 => Const::NakedInt64(n),
        IntKind::Nativeint => Const::NakedNativeint(n),
    }
}

/// The integer that a constant is, sign-extended.
#[must_use]
pub fn as_int(c: Const) -> Option<i64> {
    match c {
        Const::Tagged(n) | Const::NakedImmediate(n) | Const::NakedInt64(n) | Const::NakedNativeint(n) => {
            Some(n)
        }
        Const::NakedInt32(n) => Some(i64::from(n)),
        Const::NakedFloat(_) | Const::Poison(_) => None,
    }
}

fn as_float(c: Const) -> Option<f64> {
    match c {
        Const::NakedFloat(bits) => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// A shift by an amount within the width.
#[must_use]
pub fn shift(op: ShiftOp, kind: IntKind, a: i64, amount: i64) -> Option<i64> {
    if !(0..i64::from(width(kind))).contains(&amount) {
        return None;
    }
    let bits = match kind {
        IntKind::Tagged | IntKind::Naked => a as u64 & (u64::MAX >> 1),
        IntKind::Int32 => u64::from(a as u32),
        IntKind::Int64 | IntKind::Nativeint => a as u64,
    };
    Some(match op {
        ShiftOp::Lsl => wrap(kind, a << amount),
        ShiftOp::Asr => a >> amount,
        ShiftOp::Lsr => wrap(kind, (bits >> amount) as i64),
    })
}

fn compare_floats(op: FloatCmp, a: f64, b: f64) -> bool {
    let (holds, negated) = match op {
        FloatCmp::Eq => (a == b, false),
        FloatCmp::Ne => (a == b, true),
        FloatCmp::Lt => (a < b, false),
        FloatCmp::NotLt => (a < b, true),
        FloatCmp::Gt => (a > b, false),
        FloatCmp::NotGt => (a > b, true),
        FloatCmp::Le => (a <= b, false),
        FloatCmp::NotLe => (a <= b, true),
        FloatCmp::Ge => (a >= b, false),
        FloatCmp::NotGe => (a >= b, true),
    };
    holds != negated
}

fn three_way(less: bool, greater: bool) -> Const {
    Const::Tagged(i64::from(greater) - i64::from(less))
}

fn boolean(b: bool) -> Const {
    Const::NakedImmediate(i64::from(b))
}

fn convert(from: Const, to: Kind) -> Option<Const> {
    if let Some(x) = as_float(from) {
        // Truncation of what does not fit is the processor's.
        let limit = if to == Kind::NakedInt32 { 2_147_483_647.0 } else { 4e18 };
        if x.is_nan() || x.abs() >= limit {
            return None;
        }
        return match to {
            Kind::NakedFloat => Some(from),
            _ => of_int(x as i64, to),
        };
    }
    of_int(as_int(from)?, to)
}

fn of_int(n: i64, to: Kind) -> Option<Const> {
    Some(match to {
        Kind::NakedImmediate => Const::NakedImmediate(wrap63(n)),
        Kind::NakedInt32 => Const::NakedInt32(n as i32),
        Kind::NakedInt64 => Const::NakedInt64(n),
        Kind::NakedNativeint => Const::NakedNativeint(n),
        Kind::NakedFloat => Const::NakedFloat((n as f64).to_bits()),
        Kind::Value => return None,
    })
}

/// The result of a pure C function of unboxed numbers, where it is the same on all machines: what IEEE 754 defines
/// exactly.
fn c_function(name: &str, args: &[Const]) -> Option<Const> {
    let result = match (name, args) {
        ("caml_int64_bits_of_float_unboxed", [Const::NakedFloat(bits)]) => {
            return Some(Const::NakedInt64(*bits as i64));
        }
        ("caml_int64_float_of_bits_unboxed", [Const::NakedInt64(bits)]) => {
            return Some(Const::NakedFloat(*bits as u64));
        }
        ("sqrt", [x]) => as_float(*x)?.sqrt(),
        ("floor", [x]) => as_float(*x)?.floor(),
        ("ceil", [x]) => as_float(*x)?.ceil(),
        ("caml_trunc", [x]) => as_float(*x)?.trunc(),
        ("fmod", [x, y]) => as_float(*x)? % as_float(*y)?,
        ("pow", [x, y]) => exact_power(as_float(*x)?, as_float(*y)?)?,
        _ => return None,
    };
    (!result.is_nan()).then(|| Const::NakedFloat(result.to_bits()))
}

/// A power of integers that a float holds exactly: there no library rounds.
fn exact_power(x: f64, y: f64) -> Option<f64> {
    let is_small = |n: f64| n.fract() == 0.0 && n.abs() <= 65536.0;
    if !is_small(x) || !is_small(y) || x == 0.0 || !(0.0..=53.0).contains(&y) {
        return None;
    }
    let power = (x as i64).checked_pow(y as u32)?;
    (power.unsigned_abs() <= 1 << 53).then_some(power as f64)
}

/// The result of a primitive without effect, all of whose operands are constants.
#[must_use]
pub fn fold(prim: &Prim, args: &[Const]) -> Option<Const> {
    match (prim, args) {
        (Prim::IntArith { op, kind }, [a, b]) => {
            Some(int(*kind, arith(*op, *kind, as_int(*a)?, as_int(*b)?)))
        }
        (Prim::IntShift { op, kind }, [a, b]) => {
            shift(*op, *kind, as_int(*a)?, as_int(*b)?).map(|n| int(*kind, n))
        }
        (Prim::IntDiv { kind }, [a, b]) => {
            let b = as_int(*b).filter(|b| *b != 0)?;
            Some(int(*kind, wrap(*kind, as_int(*a)?.wrapping_div(b))))
        }
        (Prim::IntMod { kind }, [a, b]) => {
            let b = as_int(*b).filter(|b| *b != 0)?;
            Some(int(*kind, wrap(*kind, as_int(*a)?.wrapping_rem(b))))
        }
        (Prim::IntCompare { op, .. }, [a, b]) => Some(boolean(compare(*op, as_int(*a)?, as_int(*b)?))),
        (Prim::IntCompare3 { .. }, [a, b]) => {
            let (a, b) = (as_int(*a)?, as_int(*b)?);
            Some(three_way(a < b, a > b))
        }
        (Prim::ByteSwap { kind }, [a]) => match kind {
            IntKind::Int32 => Some(Const::NakedInt32((as_int(*a)? as i32).swap_bytes())),
            IntKind::Int64 | IntKind::Nativeint => Some(int(*kind, as_int(*a)?.swap_bytes())),
            IntKind::Tagged | IntKind::Naked => None,
        },
        (Prim::ByteSwap16, [a]) => Some(Const::NakedImmediate(i64::from((as_int(*a)? as u16).swap_bytes()))),
        (Prim::PopCount { kind }, [a]) => {
            let ones = as_int(*a)? as u64 & (u64::MAX >> (64 - width(*kind)));
            Some(Const::NakedImmediate(i64::from(ones.count_ones())))
        }
        (Prim::FloatArith { op }, [a, b]) => {
            let (a, b) = (as_float(*a)?, as_float(*b)?);
            let result = match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
            };
            (!result.is_nan()).then(|| Const::NakedFloat(result.to_bits()))
        }
        (Prim::FloatNeg, [Const::NakedFloat(bits)]) => Some(Const::NakedFloat(bits ^ (1 << 63))),
        (Prim::FloatAbs, [Const::NakedFloat(bits)]) => Some(Const::NakedFloat(bits & !(1 << 63))),
        (Prim::FloatCompare { op }, [a, b]) => {
            Some(boolean(compare_floats(*op, as_float(*a)?, as_float(*b)?)))
        }
        (Prim::FloatCompare3, [a, b]) => {
            let (a, b) = (as_float(*a)?, as_float(*b)?);
            Some(match (a.is_nan(), b.is_nan()) {
                (true, true) => Const::Tagged(0),
                (true, false) => Const::Tagged(-1),
                (false, true) => Const::Tagged(1),
                (false, false) => three_way(a < b, a > b),
            })
        }
        (Prim::Tag, [Const::NakedImmediate(n)]) => Some(Const::Tagged(*n)),
        (Prim::Untag, [Const::Tagged(n)]) => Some(Const::NakedImmediate(*n)),
        (Prim::NumConv { to, .. }, [a]) => convert(*a, *to),
        (Prim::CCall(external), args) if external.is_pure() => c_function(&external.name, args),
        (Prim::IsInt, [Const::Tagged(_)]) => Some(boolean(true)),
        (Prim::PhysEqual { negated }, [Const::Tagged(a), Const::Tagged(b)]) => {
            Some(boolean((a == b) != *negated))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flambeau_ir::prim::IntOp;

    #[test]
    fn integers_wrap_at_their_widths() {
        let max = (1 << 62) - 1;
        assert_eq!(arith(IntOp::Add, IntKind::Tagged, max, 1), -(1 << 62));
        assert_eq!(arith(IntOp::Mul, IntKind::Int32, 1 << 30, 4), 0);
        assert_eq!(arith(IntOp::Sub, IntKind::Int64, i64::MIN, 1), i64::MAX);
        assert_eq!(shift(ShiftOp::Lsr, IntKind::Tagged, -1, 1), Some(max));
        assert_eq!(shift(ShiftOp::Lsr, IntKind::Int32, -1, 28), Some(15));
        assert_eq!(shift(ShiftOp::Lsl, IntKind::Tagged, 1, 62), Some(-(1 << 62)));
        assert_eq!(shift(ShiftOp::Lsl, IntKind::Tagged, 1, 63), None);
        assert_eq!(shift(ShiftOp::Lsr, IntKind::Tagged, -1, 0), Some(-1));
    }

    #[test]
    fn division_of_the_least_integer_wraps() {
        let div = |kind, a, b| fold(&Prim::IntDiv { kind }, &[int(kind, a), int(kind, b)]);
        assert_eq!(div(IntKind::Tagged, -(1 << 62), -1), Some(Const::Tagged(-(1 << 62))));
        assert_eq!(div(IntKind::Int32, i64::from(i32::MIN), -1), Some(Const::NakedInt32(i32::MIN)));
        assert_eq!(div(IntKind::Int64, i64::MIN, -1), Some(Const::NakedInt64(i64::MIN)));
        assert_eq!(div(IntKind::Tagged, -7, 2), Some(Const::Tagged(-3)));
        assert_eq!(div(IntKind::Tagged, 7, 0), None);
    }

    #[test]
    fn floats_keep_their_bits() {
        let f = |x: f64| Const::NakedFloat(x.to_bits());
        let op = |op, a, b| fold(&Prim::FloatArith { op }, &[f(a), f(b)]);
        assert_eq!(op(FloatOp::Add, -0.0, 0.0), Some(f(0.0)));
        assert_eq!(op(FloatOp::Mul, -0.0, 1.0), Some(f(-0.0)));
        assert_eq!(op(FloatOp::Div, 0.0, 0.0), None);
        assert_eq!(fold(&Prim::FloatNeg, &[f(0.0)]), Some(f(-0.0)));
        let not_lt = Prim::FloatCompare { op: FloatCmp::NotLt };
        assert_eq!(fold(&not_lt, &[f(f64::NAN), f(1.0)]), Some(Const::NakedImmediate(1)));
        assert_eq!(fold(&Prim::FloatCompare3, &[f(f64::NAN), f(1.0)]), Some(Const::Tagged(-1)));
    }

    #[test]
    fn powers_are_exact_or_unknown() {
        assert_eq!(exact_power(2.0, 3.0), Some(8.0));
        assert_eq!(exact_power(-3.0, 3.0), Some(-27.0));
        assert_eq!(exact_power(7.0, 0.0), Some(1.0));
        assert_eq!(exact_power(2.0, 53.0), Some(9_007_199_254_740_992.0));
        assert_eq!(exact_power(3.0, 34.0), None);
        assert_eq!(exact_power(2.0, -1.0), None);
        assert_eq!(exact_power(2.0, 0.5), None);
        assert_eq!(exact_power(-0.0, 3.0), None);
    }

    #[test]
    fn conversions_wrap_and_truncate() {
        let conv = |c, to| fold(&Prim::NumConv { from: Const::kind(c), to }, &[c]);
        assert_eq!(conv(Const::NakedInt64(1 << 31), Kind::NakedInt32), Some(Const::NakedInt32(i32::MIN)));
        assert_eq!(conv(Const::NakedInt64(i64::MAX), Kind::NakedImmediate), Some(Const::NakedImmediate(-1)));
        assert_eq!(
            conv(Const::NakedFloat((-1.9f64).to_bits()), Kind::NakedImmediate),
            Some(Const::NakedImmediate(-1))
        );
        assert_eq!(conv(Const::NakedFloat(f64::NAN.to_bits()), Kind::NakedInt64), None);
        assert_eq!(conv(Const::NakedFloat(1e300f64.to_bits()), Kind::NakedInt64), None);
    }
}
