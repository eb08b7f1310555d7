//! Recursive functions that combine the results of their calls of themselves, as those that count do.

use flambeau_ir::prim::IntOp;
use flambeau_ir::{Expr, IntKind, Prim, Simple};

use super::types::Type;
use super::{Generator, Scope};

impl Generator {
    /// `f (d - 1) + x + f (d - 1) - y`, which is returned: where what is combined comes before the last call, the
    /// function may get an accumulator.
    pub(super) fn sum_of_calls(&mut self, scope: &mut Scope) -> Expr {
        let mut items = Vec::new();
        let mut terms = Vec::new();
        for _ in 0..=self.random.below(3) {
            if self.one_in(2) {
                terms.push(self.force(scope, &mut items, Type::Int));
            }
            if self.one_in(6) {
                let shown = self.force(scope, &mut items, Type::Int);
                self.c_call(scope, &mut items, "observe", &[(shown, Type::Int)], Type::Int, false);
            }
            terms.extend(self.result_of_recursion(scope, &mut items));
        }
        // As a front end loads behind a call what is only used there.
        if self.one_in(2) {
            terms.push(self.force(scope, &mut items, Type::Int));
        }
        let op = self.random.pick(&[IntOp::Add, IntOp::Add, IntOp::Mul, IntOp::And, IntOp::Or, IntOp::Xor]);
        let mut sum = terms.swap_remove(self.random.below(terms.len()));
        while !terms.is_empty() {
            let term = terms.swap_remove(self.random.below(terms.len()));
            let op = match op {
                IntOp::Add if self.one_in(4) => IntOp::Sub,
                _ if self.one_in(12) => IntOp::Add,
                op => op,
            };
            let args = if self.one_in(2) { [sum, term] } else { [term, sum] };
            let prim = Prim::IntArith { op, kind: IntKind::Tagged };
            sum = self.let_(scope, &mut items, prim, &args, Type::Int);
        }
        let ret = scope.targets[0].cont;
        Expr { items, terminator: self.returning(ret, sum) }
    }

    /// What such a function returns without calling itself.
    pub(super) fn end_of_sum(&mut self, scope: &Scope, depth: Simple) -> Expr {
        let value = if self.one_in(3) { depth } else { Simple::tagged(self.random.below(4) as i64 - 1) };
        Expr { items: Vec::new(), terminator: self.returning(scope.targets[0].cont, value) }
    }
}
