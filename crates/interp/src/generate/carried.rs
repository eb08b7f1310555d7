//! Loops that carry a block: most iterations allocate the next one, and read the last one behind a test.

use flambeau_ir::prim::{IntCmp, IntOp, Mutability};
use flambeau_ir::term::Switch;
use flambeau_ir::{ApplyCont, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Prim, Simple, Terminator};
use smallvec::{SmallVec, smallvec};

use super::types::{LENGTH, Type};
use super::{Generator, Scope};

impl Generator {
    /// `cont rec head (n, t) { switch n <= 0 { 1 -> leave, _ -> go: x = field t, … head (n - 1, (x, …)) } }`, entered
    /// with a block that exists, and left with it now and then.
    pub(super) fn loop_of_block(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let new = |this: &mut Self, name: &str| this.unit.new_continuation(name);
        let (after, head) = (new(self, "after"), new(self, "head"));
        let (leave, go) = (new(self, "leave"), new(self, "go"));
        let (mut entered, mut outside) = (scope.clone(), Vec::new());
        let mut first = self.force(&mut entered, &mut outside, Type::Tuple);
        if self.one_in(2) {
            first = self.let_(&mut entered, &mut outside, Prim::Opaque, &[first], Type::Tuple);
        }
        let whole = self.one_in(4);
        let mut inside = entered.clone();
        let params = self.params(&mut inside, &[Type::Int, Type::Tuple]);
        let (counter, block) = (Simple::Var(params[0]), Simple::Var(params[1]));
        let mut run = Vec::new();
        if self.options.mark_iterations {
            self.c_call(&mut inside, &mut run, "int_iteration", &[(counter, Type::Int)], Type::Int, false);
        }
        let compare = Prim::IntCompare { op: IntCmp::Le, kind: IntKind::Tagged };
        let is_over = self.let_(&mut inside, &mut run, compare, &[counter, Simple::tagged(0)], Type::Naked);
        let result: SmallVec<[Simple; 2]> = if whole { smallvec![block] } else { smallvec![] };
        let mut last = Vec::new();
        if self.one_in(2) {
            self.c_call(&mut inside.clone(), &mut last, "observe", &[(counter, Type::Int)], Type::Int, false);
        }
        let end = Terminator::ApplyCont(ApplyCont { cont: after, args: result });
        let leaves = ContHandler::plain(leave, Expr { items: last, terminator: end });
        let goes_on = self.next_block(inside, (head, counter, block), leave);
        let goes_on = ContHandler::plain(go, goes_on);
        run.extend(
            [leaves, goes_on].map(|handler| Item::LetCont { recursive: false, handlers: vec![handler] }),
        );
        let arms = vec![(0, ApplyCont::plain(go))];
        let default = Some(ApplyCont::plain(leave));
        let switch = Switch { scrutinee: is_over, arms, default, dbg: Dbg::NONE, cases: None };
        let body = Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) };
        let handlers = vec![ContHandler { cont: head, params, body }];
        outside.push(Item::LetCont { recursive: true, handlers });
        let start = Simple::tagged(self.random.below(4) as i64);
        let enter = Terminator::ApplyCont(ApplyCont { cont: head, args: smallvec![start, first] });
        let body = Box::new(Expr { items: outside, terminator: enter });
        let types: &[Type] = if whole { &[Type::Tuple] } else { &[] };
        let results = self.params(scope, types);
        items.push(Item::Join { cont: after, params: results.clone(), body });
        results.iter().for_each(|result| self.open(scope, items, *result, Type::Tuple));
    }

    /// The rest of an iteration: reads the block, and passes the next one to the loop, or leaves.
    fn next_block(
        &mut self,
        mut scope: Scope,
        (head, counter, block): (Continuation, Simple, Simple),
        leave: Continuation,
    ) -> Expr {
        let mut items = Vec::new();
        for _ in 0..=self.random.below(3) {
            let field = self.random.below(LENGTH) as u32;
            let mutability = self.random.pick(&[Mutability::Immutable, Mutability::Unknown]);
            self.let_(&mut scope, &mut items, Prim::BlockLoad { field, mutability }, &[block], Type::Int);
        }
        for _ in 0..self.random.below(3) {
            self.prim(&mut scope, &mut items);
        }
        let sub = Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged };
        let next = self.let_(&mut scope, &mut items, sub, &[counter, Simple::tagged(1)], Type::Int);
        let made = if self.one_in(6) { block } else { self.fresh(&mut scope, &mut items, Type::Tuple) };
        let again = ApplyCont { cont: head, args: smallvec![next, made] };
        if self.one_in(2) {
            return Expr { items, terminator: Terminator::ApplyCont(again) };
        }
        let scrutinee = self.force(&mut scope, &mut items, Type::Naked);
        let arms = vec![(0, ApplyCont::plain(leave))];
        let switch = Switch { scrutinee, arms, default: Some(again), dbg: Dbg::NONE, cases: None };
        Expr { items, terminator: Terminator::Switch(Box::new(switch)) }
    }
}
