//! Blocks in blocks, with reads of something mutable between them, which one branch alone passes to a call: what sinks,
//! and in which order.

use super::prims::CHANGING;
use flambeau_ir::prim::Mutability;
use flambeau_ir::term::Switch;
use flambeau_ir::{ApplyCont, ContHandler, Dbg, Expr, Item, Prim, Simple, Terminator};
use smallvec::smallvec;

use super::control::with_target;
use super::types::Type;
use super::{Generator, Scope};

impl Generator {
    /// `join k (x) { let inner = … let p = … let outer = … switch … { 0 -> yes, _ -> no } }`
    pub(super) fn nested_allocations(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let cont = self.unit.new_continuation("k");
        let (mut inside, mut run) = (with_target(scope, cont, &[Type::Int]), Vec::new());
        let mutable = self.force(&mut inside, &mut run, Type::Block);
        let mut blocks: Vec<Simple> = Vec::new();
        for _ in 0..2 + self.random.below(3) {
            if !blocks.is_empty() && !self.one_in(4) {
                self.read_field(&mut inside, &mut run, mutable);
            }
            let mut fields = vec![self.force(&mut inside, &mut run, Type::Int)];
            while !blocks.is_empty() && fields.len() < 3 && !self.one_in(3) {
                fields.push(self.random.pick(&blocks));
            }
            let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
            blocks.push(self.let_(&mut inside, &mut run, prim, &fields, Type::Any));
        }
        let handlers = vec![
            self.branch_of_nested(&inside, mutable, &blocks, ApplyCont { cont, args: smallvec![] }),
            self.branch_of_nested(&inside, mutable, &[], ApplyCont { cont, args: smallvec![] }),
        ];
        let jump = |cont| ApplyCont { cont, args: smallvec![] };
        let arms = vec![(0, jump(handlers[0].cont))];
        let default = Some(jump(handlers[1].cont));
        let scrutinee = self.force(&mut inside, &mut run, Type::Naked);
        run.push(Item::LetCont { recursive: false, handlers });
        let switch = Switch { scrutinee, arms, default, dbg: Dbg::NONE, cases: None };
        let body = Box::new(Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) });
        let params = self.params(scope, &[Type::Int]);
        items.push(Item::Join { cont, params, body });
    }

    fn read_field(&mut self, scope: &mut Scope, items: &mut Vec<Item>, block: Simple) {
        let field = self.random.below(2) as u32;
        let mutability = self.random.pick(CHANGING);
        self.let_(scope, items, Prim::BlockLoad { field, mutability }, &[block], Type::Int);
    }

    /// A branch which passes on some of the blocks, now and then after it has inspected one or read something.
    fn branch_of_nested(
        &mut self,
        scope: &Scope,
        mutable: Simple,
        blocks: &[Simple],
        mut end: ApplyCont,
    ) -> ContHandler {
        let (mut inside, mut run) = (scope.clone(), Vec::new());
        if self.one_in(3) {
            self.read_field(&mut inside, &mut run, mutable);
        }
        if let Some(last) = blocks.last() {
            if self.one_in(4) {
                let inspected = self.random.pick(blocks);
                self.let_(&mut inside, &mut run, Prim::IsInt, &[inspected], Type::Naked);
            }
            let mut args = vec![*last];
            if self.one_in(3) {
                args.push(self.random.pick(blocks));
            }
            self.call_outside(&mut inside, &mut run, args);
        }
        end.args = smallvec![self.force(&mut inside, &mut run, Type::Int)];
        let cont = self.unit.new_continuation("branch");
        let body = Expr { items: run, terminator: Terminator::ApplyCont(end) };
        ContHandler { cont, params: smallvec![], body }
    }
}
