//! Joins that optimisers look for: of boxes and blocks allocated just to be passed, of truth values, and the small
//! loops of imperative programs. By chance they are rare.

use flambeau_ir::prim::{IntCmp, IntOp, Mutability};
use flambeau_ir::term::Switch;
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Prim, Simple, Terminator, Variable,
};
use smallvec::smallvec;

use super::types::{BOXED, LENGTH, Type};
use super::{Generator, Scope};

impl Generator {
    /// `join k (p) { switch … { 0 -> k (box …), _ -> k (box …) } }`, and `p` is unboxed or projected from.
    pub(super) fn join_of_box(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let ty = match self.random.below(5) {
            0 | 1 if self.options.numbers => Type::Boxed(self.random.pick(&BOXED)),
            _ => Type::Tuple,
        };
        let cont = self.unit.new_continuation("boxed");
        let handlers: Vec<ContHandler> = (0..2)
            .map(|_| {
                let (mut inside, mut run) = (scope.clone(), Vec::new());
                let mut arg = self.fresh(&mut inside, &mut run, ty);
                // One of which nothing is known, as of the result of a call.
                if self.one_in(4) {
                    arg = self.let_(&mut inside, &mut run, Prim::Opaque, &[arg], ty);
                }
                let terminator = Terminator::ApplyCont(ApplyCont { cont, args: smallvec![arg] });
                let body = Expr { items: run, terminator };
                ContHandler { cont: self.unit.new_continuation("side"), params: smallvec![], body }
            })
            .collect();
        let arm = |cont: Continuation| ApplyCont { cont, args: smallvec![] };
        let (left, right) = (arm(handlers[0].cont), arm(handlers[1].cont));
        let (mut inside, mut run) = (scope.clone(), Vec::new());
        let scrutinee = self.force(&mut inside, &mut run, Type::Naked);
        run.push(Item::LetCont { recursive: false, handlers });
        let switch =
            Switch { scrutinee, arms: vec![(0, left)], default: Some(right), dbg: Dbg::NONE, cases: None };
        let body = Box::new(Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) });
        let params = self.params(scope, &[ty]);
        let param = params[0];
        items.push(Item::Join { cont, params, body });
        self.open(scope, items, param, ty);
    }

    /// A box or block, most of the time allocated here.
    pub(super) fn fresh(&mut self, scope: &mut Scope, items: &mut Vec<Item>, ty: Type) -> Simple {
        match ty {
            Type::Boxed(kind) if !self.one_in(4) => {
                let contents = self.force(scope, items, Type::naked(kind));
                self.let_(scope, items, Prim::Box(kind), &[contents], ty)
            }
            Type::Tuple if !self.one_in(4) => {
                let fields = [Type::Int; LENGTH].map(|ty| self.force(scope, items, ty));
                let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
                self.let_(scope, items, prim, &fields, ty)
            }
            _ => self.force(scope, items, ty),
        }
    }

    /// Unboxes a box or loads from a block, and shows the result.
    pub(super) fn open(&mut self, scope: &mut Scope, items: &mut Vec<Item>, var: Variable, ty: Type) {
        let (prim, found) = match ty {
            Type::Boxed(kind) => (Prim::Unbox(kind), Type::naked(kind)),
            Type::Tuple => {
                let field = self.random.below(LENGTH) as u32;
                (Prim::BlockLoad { field, mutability: Mutability::Immutable }, Type::Int)
            }
            _ => return,
        };
        let found_there = self.let_(scope, items, prim, &[Simple::Var(var)], found);
        self.c_call(scope, items, "observe", &[(found_there, found)], Type::Int, false);
    }

    /// `join k (p) { switch a < b { 0 -> k (0), _ -> k (1) } }`, or with the arms exchanged.
    pub(super) fn join_of_bool(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let (cont, negated, tagged) = (self.unit.new_continuation("bool"), self.one_in(2), self.one_in(2));
        let (mut inside, mut run) = (scope.clone(), Vec::new());
        let args = [Type::Int; 2].map(|ty| self.force(&mut inside, &mut run, ty));
        let op = self.random.pick(&[IntCmp::Lt, IntCmp::Eq, IntCmp::Ge]);
        let prim = Prim::IntCompare { op, kind: IntKind::Tagged };
        let scrutinee = self.let_(&mut inside, &mut run, prim, &args, Type::Naked);
        let jump = |n: i64| {
            let arg = if tagged { Simple::tagged(n) } else { Simple::naked_imm(n) };
            ApplyCont { cont, args: smallvec![arg] }
        };
        let (zero, one) = if negated { (jump(1), jump(0)) } else { (jump(0), jump(1)) };
        let switch =
            Switch { scrutinee, arms: vec![(0, zero)], default: Some(one), dbg: Dbg::NONE, cases: None };
        let body = Box::new(Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) });
        let ty = if tagged { Type::Int } else { Type::Naked };
        let params = self.params(scope, &[ty]);
        let param = Simple::Var(params[0]);
        items.push(Item::Join { cont, params, body });
        self.c_call(scope, items, "observe", &[(param, ty)], Type::Int, false);
    }

    /// A loop that counts down, with one entry and one back edge: what it computes is often the same in each iteration.
    pub(super) fn small_loop(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let (after, head) = (self.unit.new_continuation("after"), self.unit.new_continuation("head"));
        let mut inside = scope.clone();
        let params = self.params(&mut inside, &[Type::Int]);
        let counter = Simple::Var(params[0]);
        let mut run = Vec::new();
        if self.options.mark_iterations {
            self.c_call(&mut inside, &mut run, "int_iteration", &[(counter, Type::Int)], Type::Int, false);
        }
        // As `for` loops do, which test at the end of an iteration.
        if self.one_in(2) {
            for _ in 0..=self.random.below(4) {
                self.prim(&mut inside, &mut run);
            }
        }
        let naked = |op| Prim::IntCompare { op, kind: IntKind::Tagged };
        let args = [counter, Simple::tagged(0)];
        let is_over = self.let_(&mut inside, &mut run, naked(IntCmp::Le), &args, Type::Naked);
        let mut again = Vec::new();
        for _ in 0..=self.random.below(4) {
            self.prim(&mut inside, &mut again);
        }
        let sub = Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged };
        let next = self.let_(&mut inside, &mut again, sub, &[counter, Simple::tagged(1)], Type::Int);
        let jump = |cont, args| ApplyCont { cont, args };
        let go = self.unit.new_continuation("go");
        let body = Expr { items: again, terminator: Terminator::ApplyCont(jump(head, smallvec![next])) };
        run.push(Item::LetCont {
            recursive: false,
            handlers: vec![ContHandler { cont: go, params: Default::default(), body }],
        });
        let arms = vec![(0, jump(go, smallvec![]))];
        let default = Some(jump(after, smallvec![]));
        let switch = Switch { scrutinee: is_over, arms, default, dbg: Dbg::NONE, cases: None };
        let body = Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) };
        let handlers = vec![ContHandler { cont: head, params, body }];
        let start = Simple::tagged(self.random.below(4) as i64);
        let enter = Terminator::ApplyCont(jump(head, smallvec![start]));
        let body = Expr { items: vec![Item::LetCont { recursive: true, handlers }], terminator: enter };
        items.push(Item::Join { cont: after, params: Default::default(), body: Box::new(body) });
    }
}
