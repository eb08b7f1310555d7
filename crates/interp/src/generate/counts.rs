//! Counts of the ones of an integer, as programs have them: loops that take the last one or the last bit away, and sums
//! of parts. Some only look like counts.

use flambeau_ir::prim::{IntCmp, IntOp, ShiftOp};
use flambeau_ir::term::Switch;
use flambeau_ir::{ApplyCont, ContHandler, Dbg, Expr, IntKind, Item, Prim, Simple, Terminator};
use smallvec::smallvec;

use super::numbers::{constant, shift_amount, type_of};
use super::types::Type;
use super::{Generator, Scope};

/// One in so many is no count.
const LOOKS_LIKE_ONE: usize = 5;

/// Where an operation goes.
type Place<'a> = (&'a mut Scope, &'a mut Vec<Item>);

impl Generator {
    /// A count of any form, whose result is shown.
    pub(super) fn count_of_ones(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let kinds = [IntKind::Tagged, IntKind::Naked, IntKind::Int64, IntKind::Nativeint];
        let kind = if self.options.numbers { self.random.pick(&kinds) } else { IntKind::Tagged };
        let ty = type_of(kind);
        let of = self.force(scope, items, ty);
        let (count, ty) = if self.options.loops && self.one_in(2) {
            (self.count_in_steps(scope, items, kind, of), Type::Int)
        } else {
            (self.count_by_sums(scope, items, kind, of), ty)
        };
        self.c_call(scope, items, "observe", &[(count, ty)], Type::Int, false);
    }

    /// `join done (n) { cont rec head (x, n) { switch x != 0 { 0 -> done (n), _ -> go } } head (of, n) }`
    fn count_in_steps(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        kind: IntKind,
        of: Simple,
    ) -> Simple {
        let by_bits = kind == IntKind::Tagged && self.one_in(2);
        let (done, head) = (self.unit.new_continuation("done"), self.unit.new_continuation("head"));
        let begin = self.force(scope, items, Type::Int);
        let mut inside = scope.clone();
        let params = self.params(&mut inside, &[type_of(kind), Type::Int]);
        let (x, n) = (Simple::Var(params[0]), Simple::Var(params[1]));
        let mut run = Vec::new();
        let test = Prim::IntCompare { op: IntCmp::Ne, kind };
        let more = self.let_(&mut inside, &mut run, test, &[x, constant(kind, 0)], Type::Naked);
        let mut step = Vec::new();
        let looks_like_one = self.one_in(LOOKS_LIKE_ONE);
        let (taken, rest) = if by_bits {
            let bit = self.arith((&mut inside, &mut step), IntOp::And, kind, [x, constant(kind, 1)]);
            let amount = if looks_like_one { 2 } else { 1 };
            (bit, self.shift_right((&mut inside, &mut step), kind, x, amount))
        } else {
            let less = self.arith((&mut inside, &mut step), IntOp::Sub, kind, [x, constant(kind, 1)]);
            let rest = self.arith((&mut inside, &mut step), IntOp::And, kind, [x, less]);
            (Simple::tagged(if looks_like_one { 2 } else { 1 }), rest)
        };
        let sum = self.arith((&mut inside, &mut step), IntOp::Add, IntKind::Tagged, [n, taken]);
        let jump = |cont, args| ApplyCont { cont, args };
        let go = self.unit.new_continuation("go");
        let body = Expr { items: step, terminator: Terminator::ApplyCont(jump(head, smallvec![rest, sum])) };
        let again = ContHandler { cont: go, params: Default::default(), body };
        run.push(Item::LetCont { recursive: false, handlers: vec![again] });
        let arms = vec![(0, jump(done, smallvec![n]))];
        let switch = Switch {
            scrutinee: more,
            arms,
            default: Some(jump(go, smallvec![])),
            dbg: Dbg::NONE,
            cases: None,
        };
        let body = Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) };
        let handlers = vec![ContHandler { cont: head, params, body }];
        let body = Expr {
            items: vec![Item::LetCont { recursive: true, handlers }],
            terminator: Terminator::ApplyCont(jump(head, smallvec![of, begin])),
        };
        let params = self.params(scope, &[Type::Int]);
        let count = Simple::Var(params[0]);
        items.push(Item::Join { cont: done, params, body: Box::new(body) });
        count
    }

    /// Sums of pairs of bits, of groups of four, of bytes, and of all bytes by a multiplication.
    fn count_by_sums(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        kind: IntKind,
        of: Simple,
    ) -> Simple {
        let mut pairs = 0x5555_5555_5555_5555;
        if self.one_in(LOOKS_LIKE_ONE) {
            pairs ^= 1 << self.random.below(62);
        }
        let mut x = of;
        for (n, mask) in [(1, pairs), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)] {
            let mask = constant(kind, mask);
            let shifted = self.shift_right((scope, items), kind, x, n);
            let low = self.arith((scope, items), IntOp::And, kind, [x, mask]);
            let high = self.arith((scope, items), IntOp::And, kind, [shifted, mask]);
            x = self.arith((scope, items), IntOp::Add, kind, [low, high]);
        }
        let ones = constant(kind, 0x0101_0101_0101_0101);
        let bytes = self.arith((scope, items), IntOp::Mul, kind, [x, ones]);
        self.shift_right((scope, items), kind, bytes, 56)
    }

    fn arith(&mut self, (scope, items): Place, op: IntOp, kind: IntKind, args: [Simple; 2]) -> Simple {
        self.let_(scope, items, Prim::IntArith { op, kind }, &args, type_of(kind))
    }

    fn shift_right(&mut self, (scope, items): Place, kind: IntKind, of: Simple, amount: i64) -> Simple {
        let prim = Prim::IntShift { op: ShiftOp::Lsr, kind };
        self.let_(scope, items, prim, &[of, shift_amount(kind, amount)], type_of(kind))
    }
}
