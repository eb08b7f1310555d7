//! Loops that hold one immutable block in two variables: a list or option that some iterations allocate anew, a pair or
//! boxed number that each allocates anew, and what was saved of them. The events after the loop show whether a pass
//! duplicated a block.

use flambeau_ir::prim::{IntCmp, IntOp, Mutability};
use flambeau_ir::term::Switch;
use flambeau_ir::{
    ApplyCont, BoxedKind, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Prim, Simple, Terminator,
    Variable,
};
use smallvec::smallvec;

use super::types::{LENGTH, Type};
use super::{Generator, Scope};

/// What the loop holds.
#[derive(Clone, Copy)]
enum Held {
    /// An immediate, or a block of an integer and another one.
    List,
    /// A number or block which is always there.
    Box(Type),
}

impl Generator {
    /// `cont rec head (counter, value, saved) { … }`, and what is there after it.
    pub(super) fn loop_with_saved(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let held = match self.random.below(4) {
            0 => Held::Box(Type::Tuple),
            1 if self.options.numbers => Held::Box(Type::Boxed(BoxedKind::Float)),
            _ => Held::List,
        };
        let (after, head) = (self.unit.new_continuation("after"), self.unit.new_continuation("head"));
        let (mut first, mut before) = (scope.clone(), Vec::new());
        let initial = self.initial(&mut first, &mut before, held);
        let saved_first = if self.one_in(2) { initial } else { self.initial(&mut first, &mut before, held) };
        let handler = self.handler_with_saved(&first, held, head, after);
        before.push(Item::LetCont { recursive: true, handlers: vec![handler] });
        let start = Simple::tagged(self.random.below(6) as i64);
        let enter = ApplyCont { cont: head, args: smallvec![start, initial, saved_first] };
        let body = Box::new(Expr { items: before, terminator: Terminator::ApplyCont(enter) });
        let (value, saved) = (self.variable(Type::Any), self.variable(Type::Any));
        items.push(Item::Join { cont: after, params: smallvec![value, saved], body });
        if !self.one_in(4) {
            self.show_contents(scope, items, held, value);
        }
        for var in [value, saved] {
            if !self.one_in(5) {
                self.observe(scope, items, var.into(), Type::Any);
            }
        }
    }

    /// One iteration: it ends where it begins, or where it would go on.
    fn handler_with_saved(
        &mut self,
        scope: &Scope,
        held: Held,
        head: Continuation,
        after: Continuation,
    ) -> ContHandler {
        let (mut inside, mut run) = (scope.clone(), Vec::new());
        let counter = self.params(&mut inside, &[Type::Int])[0];
        let (value, saved) = (self.variable(Type::Any), self.variable(Type::Any));
        let ends_first = self.one_in(2);
        let le = Prim::IntCompare { op: IntCmp::Le, kind: IntKind::Tagged };
        let args = [Simple::Var(counter), Simple::tagged(0)];
        let is_over = self.let_(&mut inside, &mut run, le, &args, Type::Naked);
        let (mut body, mut items) = (inside, Vec::new());
        if self.one_in(4) {
            self.observe(&mut body, &mut items, value.into(), Type::Any);
        }
        self.show_contents(&mut body, &mut items, held, value);
        if self.one_in(3) {
            self.prim(&mut body, &mut items);
        }
        let next = match held {
            Held::List => self.sometimes(&mut body, &mut items, counter, held, value),
            Held::Box(_) if self.one_in(3) => self.sometimes(&mut body, &mut items, counter, held, value),
            Held::Box(_) => self.allocated(&mut body, &mut items, held, counter, value),
        };
        let kept = match self.random.below(4) {
            0 => saved.into(),
            1 => next,
            _ => {
                let other = if self.one_in(2) { next } else { value.into() };
                self.chosen(&mut body, &mut items, counter, |_, _, _| other, saved.into())
            }
        };
        let sub = Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged };
        let args = [Simple::Var(counter), Simple::tagged(1)];
        let less = self.let_(&mut body, &mut items, sub, &args, Type::Int);
        let again = ApplyCont { cont: head, args: smallvec![less, next, kept] };
        let terminator = if ends_first {
            let go = self.unit.new_continuation("go");
            let go_body = Expr { items, terminator: Terminator::ApplyCont(again) };
            let handlers = vec![ContHandler { cont: go, params: smallvec![], body: go_body }];
            run.push(Item::LetCont { recursive: false, handlers });
            let end = ApplyCont { cont: after, args: smallvec![value.into(), saved.into()] };
            branch(is_over, ApplyCont { cont: go, args: smallvec![] }, end)
        } else {
            run.append(&mut items);
            branch(is_over, again, ApplyCont { cont: after, args: smallvec![next, kept] })
        };
        ContHandler {
            cont: head,
            params: smallvec![counter, value, saved],
            body: Expr { items: run, terminator },
        }
    }

    /// The initial value: mostly allocated for the loop, and now and then shown before it.
    fn initial(&mut self, scope: &mut Scope, items: &mut Vec<Item>, held: Held) -> Simple {
        let initial = match held {
            Held::List if self.one_in(2) => return Simple::tagged(0),
            Held::List => {
                let make = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
                let head = self.force(scope, items, Type::Int);
                self.let_(scope, items, make, &[head, Simple::tagged(0)], Type::Any)
            }
            Held::Box(ty) => self.fresh(scope, items, ty),
        };
        if self.one_in(3) {
            self.observe(scope, items, initial, Type::Any);
        }
        initial
    }

    /// Loads from the value, if it is a block.
    fn show_contents(&mut self, scope: &mut Scope, items: &mut Vec<Item>, held: Held, value: Variable) {
        let Held::Box(ty) = held else {
            let load = |this: &mut Self, scope: &mut Scope, items: &mut Vec<Item>| {
                let prim = Prim::BlockLoad { field: 0, mutability: Mutability::Unknown };
                this.let_(scope, items, prim, &[Simple::Var(value)], Type::Int)
            };
            let is_int = self.let_(scope, items, Prim::IsInt, &[Simple::Var(value)], Type::Naked);
            let found = self.join_of_two(scope, items, is_int, load, Simple::tagged(-1), Type::Int);
            return self.observe(scope, items, found, Type::Int);
        };
        self.open(scope, items, value, ty);
    }

    /// The value, or in some iterations another one.
    fn sometimes(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        counter: Variable,
        held: Held,
        value: Variable,
    ) -> Simple {
        let make = |this: &mut Self, scope: &mut Scope, items: &mut Vec<Item>| {
            this.allocated(scope, items, held, counter, value)
        };
        self.chosen(scope, items, counter, make, value.into())
    }

    /// Another value, which may hold the last one.
    fn allocated(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        held: Held,
        counter: Variable,
        value: Variable,
    ) -> Simple {
        let make = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
        match held {
            Held::List => {
                let tail = if self.one_in(3) { Simple::tagged(0) } else { value.into() };
                self.let_(scope, items, make, &[counter.into(), tail], Type::Any)
            }
            Held::Box(Type::Boxed(kind)) => {
                let naked = Type::naked(kind);
                let contents = self.let_(scope, items, Prim::Unbox(kind), &[Simple::Var(value)], naked);
                let sum = self.let_(scope, items, Prim::FloatNeg, &[contents], naked);
                self.let_(scope, items, Prim::Box(kind), &[sum], Type::Any)
            }
            Held::Box(_) => {
                let fields: Vec<Simple> = (0..LENGTH as u32)
                    .map(|field| {
                        let load = Prim::BlockLoad { field, mutability: Mutability::Immutable };
                        if self.one_in(2) {
                            self.let_(scope, items, load, &[Simple::Var(value)], Type::Int)
                        } else {
                            counter.into()
                        }
                    })
                    .collect();
                self.let_(scope, items, make, &fields, Type::Any)
            }
        }
    }

    /// In some iterations what `make` gives, in others `other`.
    fn chosen(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        counter: Variable,
        make: impl FnOnce(&mut Self, &mut Scope, &mut Vec<Item>) -> Simple,
        other: Simple,
    ) -> Simple {
        let (op, n) = (self.random.pick(&[IntCmp::Eq, IntCmp::Ne, IntCmp::Lt]), self.random.below(4) as i64);
        let compare = Prim::IntCompare { op, kind: IntKind::Tagged };
        let args = [Simple::Var(counter), Simple::tagged(n)];
        let test = self.let_(scope, items, compare, &args, Type::Naked);
        self.join_of_two(scope, items, test, make, other, Type::Any)
    }

    /// `join k (p) { switch test { 0 -> k (…), _ -> k (other) } }`: `p`, which is of the type.
    fn join_of_two(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        test: Simple,
        make: impl FnOnce(&mut Self, &mut Scope, &mut Vec<Item>) -> Simple,
        other: Simple,
        ty: Type,
    ) -> Simple {
        let (cont, arm) = (self.unit.new_continuation("k"), self.unit.new_continuation("arm"));
        let (mut inside, mut run) = (scope.clone(), Vec::new());
        let one = make(self, &mut inside, &mut run);
        let body = Expr { items: run, terminator: self.returning(cont, one) };
        let handlers = vec![ContHandler { cont: arm, params: smallvec![], body }];
        let terminator = branch(
            test,
            ApplyCont { cont: arm, args: smallvec![] },
            ApplyCont { cont, args: smallvec![other] },
        );
        let items_inside = vec![Item::LetCont { recursive: false, handlers }];
        let param = self.variable(ty);
        let body = Box::new(Expr { items: items_inside, terminator });
        items.push(Item::Join { cont, params: smallvec![param], body });
        param.into()
    }
}

fn branch(scrutinee: Simple, zero: ApplyCont, other: ApplyCont) -> Terminator {
    let switch =
        Switch { scrutinee, arms: vec![(0, zero)], default: Some(other), dbg: Dbg::NONE, cases: None };
    Terminator::Switch(Box::new(switch))
}
