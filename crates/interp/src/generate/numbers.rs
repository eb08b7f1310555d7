//! Primitives on numbers.

use flambeau_ir::prim::{FloatCmp, FloatOp, IntCmp, IntOp, ShiftOp};
use flambeau_ir::{BoxedKind, Const, IntKind, Item, Kind, Prim, Simple};

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

pub(super) fn type_of(kind: IntKind) -> Type {
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
        let result = self.let_(scope, items, prim, &args, ty);
        self.watch(scope, items, result, ty);
        result
    }

    /// Shows some of the results to the outside: few would get there by chance.
    fn watch(&mut self, scope: &mut Scope, items: &mut Vec<Item>, result: Simple, ty: Type) {
        if self.one_in(6) && matches!(result, Simple::Var(_)) {
            self.c_call(scope, items, "observe", &[(result, ty)], Type::Int, false);
        }
    }

    /// An operation on integers.
    pub(super) fn integers(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let kind = self.int_kind();
        let ty = type_of(kind);
        let (prim, args, result): (Prim, Vec<Type>, Type) = match self.random.below(14) {
            0..4 => (Prim::IntArith { op: self.random.pick(&INT_OPS), kind }, vec![ty, ty], ty),
            4..7 => (Prim::IntCompare { op: self.random.pick(&INT_CMPS), kind }, vec![ty, ty], Type::Naked),
            7 => (Prim::IntCompare3 { kind }, vec![ty, ty], Type::Int),
            8 => {
                let op = self.random.pick(&[ShiftOp::Lsl, ShiftOp::Lsr, ShiftOp::Asr]);
                let amount = self.random.below(32) as i64;
                let shifted = self.force(scope, items, ty);
                let args = [shifted, shift_amount(kind, amount)];
                self.let_(scope, items, Prim::IntShift { op, kind }, &args, ty);
                return;
            }
            9 => return self.division(scope, items, kind),
            10 => (Prim::Tag, vec![Type::Naked], Type::Int),
            11 => (Prim::Untag, vec![Type::Int], Type::Naked),
            12 => (Prim::PopCount { kind }, vec![ty], Type::Naked),
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
        // Divisors that optimisers know tricks for.
        let divisor = if self.one_in(3) {
            let divisors = [1, -1, 2, 3, 7, 8, 10, 16, -2, 64, 1 << 30];
            constant(kind, self.random.pick(&divisors))
        } else {
            self.force(scope, items, ty)
        };
        // A zero that is not known is undefined then.
        let if_known = self.one_in(6);
        self.let_(scope, items, Prim::CheckZero { kind, if_known }, &[divisor], Type::Int);
        let mut dividend = self.force(scope, items, ty);
        // One that is known not to be negative, perhaps.
        if self.one_in(3) {
            let masks = [7, 255, 0xffff, 0x3fff_ffff, i64::from(i32::MAX)];
            let args = [dividend, constant(kind, self.random.pick(&masks))];
            dividend = self.let_(scope, items, Prim::IntArith { op: IntOp::And, kind }, &args, ty);
        }
        let mut prims = [Prim::IntDiv { kind }, Prim::IntMod { kind }];
        if self.one_in(2) {
            prims.reverse();
        }
        // The other one, too, perhaps, at once or a little later.
        let count = if self.one_in(3) { 2 } else { 1 };
        for prim in prims.into_iter().take(count) {
            let mut result = (self.let_(scope, items, prim, &[dividend, divisor], ty), ty);
            // Of most remainders a program asks whether they are a constant.
            if self.one_in(3) {
                let asked = [result.0, constant(kind, self.random.pick(&[0, 0, 1, 3, -1]))];
                let op = self.random.pick(&[IntCmp::Eq, IntCmp::Ne]);
                let prim = Prim::IntCompare { op, kind };
                result = (self.let_(scope, items, prim, &asked, Type::Naked), Type::Naked);
            }
            self.watch(scope, items, result.0, result.1);
        }
    }

    /// An operation on floats or boxed numbers, or from one kind of number to another.
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
            8 if self.one_in(2) => return self.rebox(scope, items, boxed),
            8 | 9 => (Prim::Box(boxed), vec![Type::naked(boxed)], Type::Boxed(boxed)),
            10 | 11 => (Prim::Unbox(boxed), vec![Type::Boxed(boxed)], Type::naked(boxed)),
            12 if self.one_in(2) => return self.narrow(scope, items),
            _ => {
                let (from, to) = (self.random.pick(&NAKED), self.random.pick(&NAKED));
                (Prim::NumConv { from, to }, vec![Type::of_kind(from)], Type::of_kind(to))
            }
        };
        self.apply_prim(scope, items, prim, &args, result);
    }

    /// The box of a number, or what stands for none, beside the number.
    fn rebox(&mut self, scope: &mut Scope, items: &mut Vec<Item>, kind: BoxedKind) {
        let ty = Type::Boxed(kind);
        let boxed = self.force(scope, items, ty);
        let number = self.let_(scope, items, Prim::Unbox(kind), &[boxed], Type::naked(kind));
        let given = if self.one_in(2) { boxed } else { Simple::UNIT };
        let again = self.let_(scope, items, Prim::Rebox(kind), &[number, given], ty);
        self.watch(scope, items, again, ty);
    }

    /// A number at the limits of 32 bits is converted to an int32, perhaps boxed, and extended again.
    fn narrow(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let kind = self.random.pick(&[IntKind::Naked, IntKind::Int64, IntKind::Nativeint]);
        let ty = type_of(kind);
        let number = self.force(scope, items, ty);
        let factors = [0x1234_5678, 1 << 31, (1 << 32) + 1, 3];
        let factor = constant(kind, self.random.pick(&factors));
        let prim = Prim::IntArith { op: IntOp::Mul, kind };
        let large = self.let_(scope, items, prim, &[number, factor], ty);
        let prim = Prim::NumConv { from: kind.kind(), to: Kind::NakedInt32 };
        let mut small = self.let_(scope, items, prim, &[large], Type::Int32);
        if self.one_in(2) {
            let boxed = Type::Boxed(BoxedKind::Int32);
            let kept = self.let_(scope, items, Prim::Box(BoxedKind::Int32), &[small], boxed);
            small = self.let_(scope, items, Prim::Unbox(BoxedKind::Int32), &[kept], Type::Int32);
        }
        let prim = Prim::NumConv { from: Kind::NakedInt32, to: kind.kind() };
        let wide = self.let_(scope, items, prim, &[small], ty);
        self.watch(scope, items, wide, ty);
    }
}

pub(super) fn constant(kind: IntKind, n: i64) -> Simple {
    match kind {
        IntKind::Tagged => Simple::tagged((n << 1) >> 1),
        IntKind::Naked => Simple::naked_imm((n << 1) >> 1),
        IntKind::Int32 => Const::NakedInt32(n as i32).into(),
        IntKind::Int64 => Const::NakedInt64(n).into(),
        IntKind::Nativeint => Const::NakedNativeint(n).into(),
    }
}

/// By how much an integer of the kind is shifted, as such primitives take it.
pub(super) fn shift_amount(kind: IntKind, n: i64) -> Simple {
    if kind == IntKind::Tagged { Simple::tagged(n) } else { Simple::naked_imm(n) }
}
