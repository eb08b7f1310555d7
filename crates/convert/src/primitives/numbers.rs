//! Arithmetic on tagged and boxed integers and on floats.

use flambeau_ir::prim::{FloatOp, IntOp, ShiftOp};
use flambeau_ir::{BoxedKind, Const, IntKind, Kind, Prim, Simple};
use flambeau_lambda::Primitive;
use flambeau_lambda::prim::BoxedInteger;
use flambeau_lambda::term::LocId;

use super::translations::{boxed_kind, int_kind, zero};
use crate::apply::atoms;
use crate::builder::{Converter, Result};
use crate::env::Val;

impl Converter<'_> {
    /// An operation on tagged or boxed integers; `None` for other primitives.
    pub(super) fn integer_operation(
        &mut self,
        prim: &Primitive,
        values: &[Val],
        loc: LocId,
    ) -> Result<Option<Val>> {
        use Primitive as P;
        let simples = atoms(values);
        let tagged = IntKind::Tagged;
        let arith = |this: &mut Self, op, args: &[Simple]| {
            Val::unknown(this.prim("prim", Prim::IntArith { op, kind: tagged }, args, loc))
        };
        let shift = |this: &mut Self, op, args: &[Simple]| {
            Val::unknown(this.prim("prim", Prim::IntShift { op, kind: tagged }, args, loc))
        };
        Ok(Some(match (prim, values) {
            (P::Not, [_]) => arith(self, IntOp::Sub, &[Simple::tagged(1), simples[0]]),
            (P::NegInt, [_]) => arith(self, IntOp::Sub, &[Simple::tagged(0), simples[0]]),
            (P::OffsetInt(n), [_]) => arith(self, IntOp::Add, &[simples[0], Simple::tagged(*n)]),
            (P::AddInt, [_, _]) => arith(self, IntOp::Add, &simples),
            (P::SubInt, [_, _]) => arith(self, IntOp::Sub, &simples),
            (P::MulInt, [_, _]) => arith(self, IntOp::Mul, &simples),
            (P::AndInt, [_, _]) => arith(self, IntOp::And, &simples),
            (P::OrInt, [_, _]) => arith(self, IntOp::Or, &simples),
            (P::XorInt, [_, _]) => arith(self, IntOp::Xor, &simples),
            (P::LslInt, [_, _]) => shift(self, ShiftOp::Lsl, &simples),
            (P::LsrInt, [_, _]) => shift(self, ShiftOp::Lsr, &simples),
            (P::AsrInt, [_, _]) => shift(self, ShiftOp::Asr, &simples),
            (P::DivInt { safe }, [_, _]) => Val::unknown(self.division(true, tagged, &simples, *safe, loc)),
            (P::ModInt { safe }, [_, _]) => Val::unknown(self.division(false, tagged, &simples, *safe, loc)),
            (P::CompareInts, [_, _]) => {
                Val::unknown(self.prim("prim", Prim::IntCompare3 { kind: tagged }, &simples, loc))
            }
            (P::CompareBints(kind), [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                Val::unknown(self.prim("prim", Prim::IntCompare3 { kind: int_kind(*kind) }, &naked, loc))
            }
            (P::Bswap16, [_]) => {
                let naked = self.prim("untagged", Prim::Untag, &simples, loc);
                let swapped = self.prim("swapped", Prim::ByteSwap16, &[naked], loc);
                Val::unknown(self.prim("tagged", Prim::Tag, &[swapped], loc))
            }
            (P::Bbswap(kind), [a]) => {
                let naked = self.unbox(a, boxed_kind(*kind));
                let swapped = self.prim("swapped", Prim::ByteSwap { kind: int_kind(*kind) }, &[naked], loc);
                self.boxed(swapped, boxed_kind(*kind), loc)
            }
            (P::BintOfInt(kind), [_]) => {
                let naked = self.prim("untagged", Prim::Untag, &simples, loc);
                let to = boxed_kind(*kind).naked();
                let converted =
                    self.prim("converted", Prim::NumConv { from: Kind::NakedImmediate, to }, &[naked], loc);
                self.boxed(converted, boxed_kind(*kind), loc)
            }
            (P::IntOfBint(kind), [a]) => {
                let naked = self.unbox(a, boxed_kind(*kind));
                let from = boxed_kind(*kind).naked();
                let converted =
                    self.prim("converted", Prim::NumConv { from, to: Kind::NakedImmediate }, &[naked], loc);
                Val::unknown(self.prim("tagged", Prim::Tag, &[converted], loc))
            }
            (P::CvtBint { from, to }, [a]) => {
                let naked = self.unbox(a, boxed_kind(*from));
                let (from, to_kind) = (boxed_kind(*from).naked(), boxed_kind(*to).naked());
                let converted = if from == to_kind {
                    naked
                } else {
                    self.prim("converted", Prim::NumConv { from, to: to_kind }, &[naked], loc)
                };
                self.boxed(converted, boxed_kind(*to), loc)
            }
            (P::NegBint(kind), [a]) => {
                let naked = self.unbox(a, boxed_kind(*kind));
                let prim = Prim::IntArith { op: IntOp::Sub, kind: int_kind(*kind) };
                let negated = self.prim("negated", prim, &[zero(*kind), naked], loc);
                self.boxed(negated, boxed_kind(*kind), loc)
            }
            (P::AddBint(kind), [a, b]) => self.boxed_arith(IntOp::Add, *kind, a, b, loc),
            (P::SubBint(kind), [a, b]) => self.boxed_arith(IntOp::Sub, *kind, a, b, loc),
            (P::MulBint(kind), [a, b]) => self.boxed_arith(IntOp::Mul, *kind, a, b, loc),
            (P::AndBint(kind), [a, b]) => self.boxed_arith(IntOp::And, *kind, a, b, loc),
            (P::OrBint(kind), [a, b]) => self.boxed_arith(IntOp::Or, *kind, a, b, loc),
            (P::XorBint(kind), [a, b]) => self.boxed_arith(IntOp::Xor, *kind, a, b, loc),
            (P::DivBint { kind, safe }, [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                let quotient = self.division(true, int_kind(*kind), &naked, *safe, loc);
                self.boxed(quotient, boxed_kind(*kind), loc)
            }
            (P::ModBint { kind, safe }, [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                let remainder = self.division(false, int_kind(*kind), &naked, *safe, loc);
                self.boxed(remainder, boxed_kind(*kind), loc)
            }
            (P::LslBint(kind), [a, b]) => self.boxed_shift(ShiftOp::Lsl, *kind, a, b, loc),
            (P::LsrBint(kind), [a, b]) => self.boxed_shift(ShiftOp::Lsr, *kind, a, b, loc),
            (P::AsrBint(kind), [a, b]) => self.boxed_shift(ShiftOp::Asr, *kind, a, b, loc),
            _ => return Ok(None),
        }))
    }

    /// Division, after the check of the divisor. A divisor known to be zero never divides: it raises under `-unsafe`
    /// too, as in the stock compilers, also where it is known only later.
    fn division(&mut self, quotient: bool, kind: IntKind, args: &[Simple], safe: bool, loc: LocId) -> Simple {
        let divisor = constant_integer(args[1]);
        if divisor.is_none_or(|d| d == 0) {
            let if_known = divisor.is_none() && (!safe || self.options.unsafe_);
            self.raising_prim("check", Prim::CheckZero { kind, if_known }, &args[1..], loc);
            if divisor == Some(0) {
                return Const::Poison(kind.kind()).into();
            }
        }
        let prim = if quotient { Prim::IntDiv { kind } } else { Prim::IntMod { kind } };
        self.prim("prim", prim, args, loc)
    }

    fn boxed_arith(&mut self, op: IntOp, kind: BoxedInteger, a: &Val, b: &Val, loc: LocId) -> Val {
        let naked = self.unbox_both(a, b, boxed_kind(kind));
        let result = self.prim("naked", Prim::IntArith { op, kind: int_kind(kind) }, &naked, loc);
        self.boxed(result, boxed_kind(kind), loc)
    }

    fn boxed_shift(&mut self, op: ShiftOp, kind: BoxedInteger, a: &Val, b: &Val, loc: LocId) -> Val {
        let amount = self.prim("untagged", Prim::Untag, &[b.simple], loc);
        let naked = self.unbox(a, boxed_kind(kind));
        let prim = Prim::IntShift { op, kind: int_kind(kind) };
        let result = self.prim("naked", prim, &[naked, amount], loc);
        self.boxed(result, boxed_kind(kind), loc)
    }

    /// An operation on floats; `None` for other primitives.
    pub(super) fn float_operation(
        &mut self,
        prim: &Primitive,
        values: &[Val],
        loc: LocId,
    ) -> Result<Option<Val>> {
        use Primitive as P;
        let float = BoxedKind::Float;
        let binary = |this: &mut Self, op, a: &Val, b: &Val| {
            let naked = this.unbox_both(a, b, float);
            let result = this.prim("naked", Prim::FloatArith { op }, &naked, loc);
            this.boxed(result, float, loc)
        };
        let unary = |this: &mut Self, prim, a: &Val| {
            let naked = this.unbox(a, float);
            let result = this.prim("naked", prim, &[naked], loc);
            this.boxed(result, float, loc)
        };
        Ok(Some(match (prim, values) {
            (P::AddFloat, [a, b]) => binary(self, FloatOp::Add, a, b),
            (P::SubFloat, [a, b]) => binary(self, FloatOp::Sub, a, b),
            (P::MulFloat, [a, b]) => binary(self, FloatOp::Mul, a, b),
            (P::DivFloat, [a, b]) => binary(self, FloatOp::Div, a, b),
            (P::NegFloat, [a]) => unary(self, Prim::FloatNeg, a),
            (P::AbsFloat, [a]) => unary(self, Prim::FloatAbs, a),
            (P::FloatOfInt, [a]) => {
                let naked = self.prim("untagged", Prim::Untag, &[a.simple], loc);
                let prim = Prim::NumConv { from: Kind::NakedImmediate, to: Kind::NakedFloat };
                let converted = self.prim("converted", prim, &[naked], loc);
                self.boxed(converted, float, loc)
            }
            (P::IntOfFloat, [a]) => {
                let naked = self.unbox(a, float);
                let prim = Prim::NumConv { from: Kind::NakedFloat, to: Kind::NakedImmediate };
                let converted = self.prim("converted", prim, &[naked], loc);
                Val::unknown(self.prim("tagged", Prim::Tag, &[converted], loc))
            }
            (P::CompareFloats, [a, b]) => {
                let naked = self.unbox_both(a, b, float);
                Val::unknown(self.prim("prim", Prim::FloatCompare3, &naked, loc))
            }
            _ => return Ok(None),
        }))
    }
}

/// The integer, if the atom is one.
fn constant_integer(simple: Simple) -> Option<i64> {
    match simple {
        Simple::Const(Const::Tagged(n) | Const::NakedImmediate(n)) => Some(n),
        Simple::Const(Const::NakedInt32(n)) => Some(i64::from(n)),
        Simple::Const(Const::NakedInt64(n) | Const::NakedNativeint(n)) => Some(n),
        _ => None,
    }
}
