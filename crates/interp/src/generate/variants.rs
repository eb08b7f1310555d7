//! Variants that flow through joins, loops and calls, and are matched on there: what unboxing takes apart.
//!
//! The type is one, as a declaration of the source has it: immediates 0 and 1, or 0 only (an option); blocks of tag 0
//! and one field; maybe blocks of tag 1 with two. Fields are integers, boxed numbers, or tuples.

use flambeau_ir::prim::{IntCmp, IntOp, Mutability};
use flambeau_ir::term::Switch;
use flambeau_ir::{
    ApplyCont, CallKind, Code, CodeAttributes, CodeId, ContHandler, Continuation, Dbg, Expr, FunctionKind,
    IntKind, Item, Prim, Simple, Terminator,
};
use smallvec::smallvec;

use super::calls::Call;
use super::types::{BOXED, Type};
use super::{Counter, Generator, Scope, Target};

/// A type of variants.
#[derive(Clone, Copy)]
struct Variant {
    /// Whether 1 is one.
    two_immediates: bool,
    /// Whether there are blocks of tag 1.
    two_blocks: bool,
    /// What blocks hold first.
    field: Type,
}

impl Variant {
    fn fields(self, tag: u8) -> Vec<Type> {
        if tag == 0 { vec![self.field] } else { vec![Type::Int, self.field] }
    }
}

impl Generator {
    fn variant_type(&mut self) -> Variant {
        let field = match self.random.below(4) {
            0 if self.options.numbers => Type::Boxed(self.random.pick(&BOXED)),
            1 => Type::Tuple,
            _ => Type::Int,
        };
        Variant { two_immediates: self.one_in(2), two_blocks: self.one_in(2), field }
    }

    /// A value of the type; `current` is one that there is already.
    fn variant_value(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        ty: Variant,
        current: Option<Simple>,
    ) -> Simple {
        match self.random.below(6) {
            0 => Simple::tagged(if ty.two_immediates { self.random.below(2) as i64 } else { 0 }),
            1 if let Some(current) = current => current,
            n => {
                let tag = u8::from(n >= 4 && ty.two_blocks);
                let fields: Vec<Simple> =
                    ty.fields(tag).into_iter().map(|ty| self.field_value(scope, items, ty)).collect();
                let prim = Prim::MakeBlock { tag, mutability: Mutability::Immutable };
                self.let_(scope, items, prim, &fields, Type::Any)
            }
        }
    }

    /// The value of a field, mostly allocated for it, so that the number or block is not shared.
    fn field_value(&mut self, scope: &mut Scope, items: &mut Vec<Item>, ty: Type) -> Simple {
        match ty {
            Type::Boxed(kind) if !self.one_in(3) => {
                let contents = self.force(scope, items, Type::naked(kind));
                self.let_(scope, items, Prim::Box(kind), &[contents], ty)
            }
            _ => self.force(scope, items, ty),
        }
    }

    /// Branches on the cases of a value. Each reads from it, and passes another value to `cont`.
    fn match_variant(
        &mut self,
        scope: &Scope,
        items: &mut Vec<Item>,
        ty: Variant,
        value: Simple,
        cont: Continuation,
    ) -> Terminator {
        let arm = |cont: Continuation| ApplyCont { cont, args: smallvec![] };
        let tags: &[u8] = if ty.two_blocks { &[0, 1] } else { &[0] };
        let mut handlers = Vec::new();
        for tag in tags {
            let (mut inside, mut run) = (scope.clone(), Vec::new());
            for (field, ty) in ty.fields(*tag).into_iter().enumerate() {
                if self.one_in(3) {
                    continue;
                }
                let mutability = if self.one_in(2) { Mutability::Unknown } else { Mutability::Immutable };
                let prim = Prim::BlockLoad { field: field as u32, mutability };
                let loaded = self.let_(&mut inside, &mut run, prim, &[value], ty);
                if let Simple::Var(var) = loaded {
                    self.open(&mut inside, &mut run, var, ty);
                }
                if ty == Type::Int {
                    self.observe(&mut inside, &mut run, loaded, ty);
                }
            }
            handlers.push(self.variant_arm(inside, run, ty, value, cont));
        }
        let (inside, run) = (scope.clone(), Vec::new());
        let int = self.variant_arm(inside, run, ty, value, cont);
        let mut outer = scope.clone();
        let blocks = if let [_, second] = &handlers[..] {
            let (mut inside, mut run) = (outer.clone(), Vec::new());
            let scrutinee = self.let_(&mut inside, &mut run, Prim::GetTag, &[value], Type::Naked);
            let (first, second) = (arm(handlers[0].cont), arm(second.cont));
            let default = (!self.one_in(2)).then(|| second.clone());
            let mut arms = vec![(0, first)];
            if default.is_none() {
                arms.push((1, second));
            }
            let cases = default.is_some().then_some(2);
            let switch = Switch { scrutinee, arms, default, dbg: Dbg::NONE, cases };
            let body = Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) };
            let cont = self.unit.new_continuation("blocks");
            Some(ContHandler { cont, params: smallvec![], body })
        } else {
            None
        };
        let (first, last) = (arm(handlers[0].cont), arm(int.cont));
        handlers.push(int);
        items.push(Item::LetCont { recursive: false, handlers });
        let block = match blocks {
            Some(handler) => {
                let block = arm(handler.cont);
                items.push(Item::LetCont { recursive: false, handlers: vec![handler] });
                block
            }
            None => first,
        };
        let by_immediate = !ty.two_immediates && self.one_in(2);
        let (prim, args) = if by_immediate {
            (Prim::PhysEqual { negated: false }, vec![value, Simple::tagged(0)])
        } else {
            (Prim::IsInt, vec![value])
        };
        let scrutinee = self.let_(&mut outer, items, prim, &args, Type::Naked);
        let switch =
            Switch { scrutinee, arms: vec![(0, block)], default: Some(last), dbg: Dbg::NONE, cases: None };
        Terminator::Switch(Box::new(switch))
    }

    fn variant_arm(
        &mut self,
        mut scope: Scope,
        mut items: Vec<Item>,
        ty: Variant,
        value: Simple,
        cont: Continuation,
    ) -> ContHandler {
        for _ in 0..self.random.below(2) {
            self.prim(&mut scope, &mut items);
        }
        let next = self.variant_value(&mut scope, &mut items, ty, Some(value));
        let body = Expr { items, terminator: self.returning(cont, next) };
        ContHandler { cont: self.unit.new_continuation("arm"), params: smallvec![], body }
    }

    /// `join k (v) { match … { … -> k (v1) … } } match v …`
    pub(super) fn join_of_variant(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let ty = self.variant_type();
        let value = self.variant_value(scope, items, ty, None);
        let value = self.matched(scope, items, ty, value);
        self.matched(scope, items, ty, value);
    }

    /// Matches on a value, and gives the next one.
    fn matched(&mut self, scope: &mut Scope, items: &mut Vec<Item>, ty: Variant, value: Simple) -> Simple {
        let cont = self.unit.new_continuation("next");
        let mut run = Vec::new();
        let terminator = self.match_variant(scope, &mut run, ty, value, cont);
        let body = Box::new(Expr { items: run, terminator });
        // Not for everybody: what looks like any value might be compared or stored.
        let param =
            if self.one_in(3) { self.params(scope, &[Type::Any])[0] } else { self.variable(Type::Any) };
        items.push(Item::Join { cont, params: smallvec![param], body });
        param.into()
    }

    /// A loop that counts down and matches on a value in each iteration; its result is the last value.
    pub(super) fn loop_of_variant(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let ty = self.variant_type();
        let (after, head) = (self.unit.new_continuation("after"), self.unit.new_continuation("head"));
        let mut inside = scope.clone();
        let counter = self.params(&mut inside, &[Type::Int])[0];
        let value = self.variable(Type::Any);
        let mut run = Vec::new();
        if self.options.mark_iterations {
            let arg = (Simple::Var(counter), Type::Int);
            self.c_call(&mut inside, &mut run, "int_iteration", &[arg], Type::Int, false);
        }
        if self.one_in(4) {
            self.observe(&mut inside, &mut run, value.into(), Type::Any);
        }
        let le = Prim::IntCompare { op: IntCmp::Le, kind: IntKind::Tagged };
        let args = [Simple::Var(counter), Simple::tagged(0)];
        let is_over = self.let_(&mut inside, &mut run, le, &args, Type::Naked);
        let (mut body, mut again) = (inside.clone(), Vec::new());
        let sub = Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged };
        let args = [Simple::Var(counter), Simple::tagged(1)];
        let next = self.let_(&mut body, &mut again, sub, &args, Type::Int);
        let mut new = self.matched(&mut body, &mut again, ty, value.into());
        if self.one_in(3) {
            new = self.matched(&mut body, &mut again, ty, new);
        }
        let jump = |cont, args| ApplyCont { cont, args };
        let terminator = Terminator::ApplyCont(jump(head, smallvec![next, new]));
        let go = self.unit.new_continuation("go");
        let go_handler =
            ContHandler { cont: go, params: smallvec![], body: Expr { items: again, terminator } };
        run.push(Item::LetCont { recursive: false, handlers: vec![go_handler] });
        let arms = vec![(0, jump(go, smallvec![]))];
        let default = Some(jump(after, smallvec![Simple::Var(value)]));
        let switch = Switch { scrutinee: is_over, arms, default, dbg: Dbg::NONE, cases: None };
        let body = Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) };
        let handlers = vec![ContHandler { cont: head, params: smallvec![counter, value], body }];
        let (mut first, mut before) = (scope.clone(), Vec::new());
        let initial = self.variant_value(&mut first, &mut before, ty, None);
        before.push(Item::LetCont { recursive: true, handlers });
        let start = Simple::tagged(self.random.below(5) as i64);
        let enter = Terminator::ApplyCont(jump(head, smallvec![start, initial]));
        let body = Box::new(Expr { items: before, terminator: enter });
        let result = self.variable(Type::Any);
        items.push(Item::Join { cont: after, params: smallvec![result], body });
        self.matched(scope, items, ty, result.into());
    }

    /// Calls of a function that counts down, matches on a value, and calls itself with the next one.
    pub(super) fn function_of_variant(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let ty = self.variant_type();
        let function = self.variant_function(ty);
        for _ in 0..=self.random.below(2) {
            let mut value = self.variant_value(scope, items, ty, None);
            if self.one_in(2) {
                value = self.matched(scope, items, ty, value);
            }
            let count = self.force(scope, items, Type::Int);
            let result = self.call_with(scope, items, function, count, value);
            self.observe(scope, items, result, Type::Int);
        }
    }

    fn call_with(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        function: CodeId,
        count: Simple,
        value: Simple,
    ) -> Simple {
        let kind = CallKind::Direct(function);
        let call = Call { callee: None, kind, args: vec![count, value], result: Type::Int };
        self.join_call(scope, items, call)
    }

    /// `let rec f n v = let d = n land 3 in match v … -> v'; if d <= 0 then … else f (d - 1) v'`
    fn variant_function(&mut self, ty: Variant) -> CodeId {
        let (count, value) = (self.variable(Type::Int), self.variable(Type::Any));
        let slot = self.unit.function_slots.push("of_variant".into());
        let code = Code {
            linkage_name: format!("camlRandom__of_variant_{}", slot.as_u32()),
            params: smallvec![count, value],
            my_closure: self.unit.new_value("env"),
            function_slot: slot,
            ret: self.unit.new_continuation("return"),
            exn: self.unit.new_exn_continuation("raise"),
            result: Type::Int.kind(),
            kind: FunctionKind::Curried,
            recursive: true,
            attributes: CodeAttributes::default(),
            dbg: Dbg::NONE,
            body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
        };
        let (ret, exn) = (code.ret, code.exn);
        let id = self.unit.codes.push(code);
        let mut scope = Scope {
            operations: Vec::new(),
            vars: vec![(count, Type::Int)],
            targets: vec![Target { cont: ret, types: vec![Type::Int], counter: Counter::None }],
            handler: (exn, Vec::new()),
            closures: Vec::new(),
            recursion: None,
            locals: Vec::new(),
            callable: 0,
        };
        let mut items = Vec::new();
        let mut int = |g: &mut Generator, prim, a, b: i64, ty| {
            g.let_(&mut scope, &mut items, prim, &[a, Simple::tagged(b)], ty)
        };
        let kind = IntKind::Tagged;
        let depth = int(self, Prim::IntArith { op: IntOp::And, kind }, count.into(), 3, Type::Int);
        let less = int(self, Prim::IntArith { op: IntOp::Sub, kind }, depth, 1, Type::Int);
        let is_over = int(self, Prim::IntCompare { op: IntCmp::Le, kind }, depth, 0, Type::Naked);
        let mut next = Simple::Var(value);
        for _ in 0..=self.random.below(2) {
            next = self.matched(&mut scope, &mut items, ty, next);
        }
        let (stop, go) = (self.unit.new_continuation("stop"), self.unit.new_continuation("go"));
        let stop_body = self.leave(&mut scope.clone());
        let mut run = Vec::new();
        let result = self.call_with(&mut scope, &mut run, id, less, next);
        let go_body = Expr { items: run, terminator: self.returning(ret, result) };
        let handler = |cont, body| ContHandler { cont, params: smallvec![], body };
        items.push(Item::LetCont {
            recursive: false,
            handlers: vec![handler(stop, stop_body), handler(go, go_body)],
        });
        let arm = |cont| ApplyCont { cont, args: smallvec![] };
        let arms = vec![(0, arm(go)), (1, arm(stop))];
        let switch = Switch { scrutinee: is_over, arms, default: None, dbg: Dbg::NONE, cases: None };
        self.unit.codes[id].body = Expr { items, terminator: Terminator::Switch(Box::new(switch)) };
        id
    }
}
