//! Primitives on numbers.

use flambeau_ir::prim::{FloatCmp, FloatOp, IntCmp, IntOp, ShiftOp};
use flambeau_ir::{IntKind, Item, Kind, Prim, Simple};

use super::types::{BOXED, Type};
use super::{Generator, Scope};

const INT_OPS: [IntOp; 6] = [IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::And, IntOp::Or, IntOp::Xor];
const INT_CMPS: [IntCmp; 7] =
    [IntCmp::Eq, IntCmp::Ne, IntCmp::Lt, IntCmp::Le, IntCmp::Gt, IntCmp::Ge, IntCmp::UnsignedLt];
const FLOAT_CMPS: [FloatCmp; 10] = [
    FloatCmp::Eq,
    FloatCmp::Ne,
    FloatCmp::Lt,
    FloatCmp::NotLt,
    FloatCmp::Gt,
    FloatCmp::NotGt,
    FloatCmp::Le,
    FloatCmp::NotLe,
    FloatCmp::Ge,
    FloatCmp::NotGe,
];

fn type_of(kind: IntKind) -> Type {
    match kind {
        IntKind::Tagged => Type::Int,
        IntKind::Naked => Type::Naked,
        IntKind::Int32 => Type::Int32,
        IntKind::Int64 => Type::Int64,
        IntKind::Nativeint => Type::Native,
    }
}

impl Generator {
    fn int_kind(&mut self) -> IntKind {
        let kinds = [
            IntKind::Tagged,
            IntKind::Tagged,
            IntKind::Naked,
            IntKind::Int64,
            IntKind::Int32,
            IntKind::Nativeint,
        ];
        let count = if self.options.numbers { kinds.len() } else { 3 };
        kinds[self.random.below(count)]
    }

    pub(super) fn apply_prim(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        prim: Prim,
        types: &[Type],
        ty: Type,
    ) -> Simple {
        let args: Vec<_> = types.iter().map(|ty| self.force(scope, items, *ty)).collect();
        self.let_(scope, items, prim, &args, ty)
    }

    /// On integers.
    pub(super) fn integers(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let kind = self.int_kind();
        let ty = type_of(kind);
        let (prim, args, result): (Prim, Vec<Type>, Type) = match self.random.below(13) {
            0..4 => (Prim::IntArith { op: self.random.pick(&INT_OPS), kind }, vec![ty, ty], ty),
            4..7 => (Prim::IntCompare { op: self.random.pick(&INT_CMPS), kind }, vec![ty, ty], Type::Naked),
            7 => (Prim::IntCompare3 { kind }, vec![ty, ty], Type::Int),
            8 => {
                let op = self.random.pick(&[ShiftOp::Lsl, ShiftOp::Lsr, ShiftOp::Asr]);
                let amount = self.random.below(32) as i64;
                let amount =
                    if kind == IntKind::Tagged { Simple::tagged(amount) } else { Simple::naked_imm(amount) };
                let shifted = self.force(scope, items, ty);
                self.let_(scope, items, Prim::IntShift { op, kind }, &[shifted, amount], ty);
                return;
            }
            9 => return self.division(scope, items, kind),
            10 => (Prim::Tag, vec![Type::Naked], Type::Int),
            11 => (Prim::Untag, vec![Type::Int], Type::Naked),
            _ if matches!(kind, IntKind::Tagged | IntKind::Naked) => {
                (Prim::ByteSwap16, vec![Type::Naked], Type::Naked)
            }
            _ => (Prim::ByteSwap { kind }, vec![ty], ty),
        };
        self.apply_prim(scope, items, prim, &args, result);
    }

    /// A division behind its check.
    fn division(&mut self, scope: &mut Scope, items: &mut Vec<Item>, kind: IntKind) {
        let ty = type_of(kind);
        let divisor = self.force(scope, items, ty);
        self.let_(scope, items, Prim::CheckZero { kind }, &[divisor], Type::Int);
        let dividend = self.force(scope, items, ty);
        let prim = if self.one_in(2) { Prim::IntDiv { kind } } else { Prim::IntMod { kind } };
        self.let_(scope, items, prim, &[dividend, divisor], ty);
    }

    /// On floats, boxed numbers and between numbers.
    pub(super) fn floats(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        const NAKED: [Kind; 5] = [
            Kind::NakedFloat,
            Kind::NakedImmediate,
            Kind::NakedInt32,
            Kind::NakedInt64,
            Kind::NakedNativeint,
        ];
        let boxed = self.random.pick(&BOXED);
        let op = self.random.pick(&[FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div]);
        let (prim, args, result) = match self.random.below(14) {
            0..3 => (Prim::FloatArith { op }, vec![Type::Float; 2], Type::Float),
            3 => (Prim::FloatNeg, vec![Type::Float], Type::Float),
            4 => (Prim::FloatAbs, vec![Type::Float], Type::Float),
            5 | 6 => {
                let op = self.random.pick(&FLOAT_CMPS);
                (Prim::FloatCompare { op }, vec![Type::Float; 2], Type::Naked)
            }
            7 => (Prim::FloatCompare3, vec![Type::Float; 2], Type::Int),
            8 | 9 => (Prim::Box(boxed), vec![Type::naked(boxed)], Type::Boxed(boxed)),
            10 | 11 => (Prim::Unbox(boxed), vec![Type::Boxed(boxed)], Type::naked(boxed)),
            _ => {
                let (from, to) = (self.random.pick(&NAKED), self.random.pick(&NAKED));
                (Prim::NumConv { from, to }, vec![Type::of_kind(from)], Type::of_kind(to))
            }
        };
        self.apply_prim(scope, items, prim, &args, result);
    }
}
