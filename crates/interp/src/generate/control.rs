//! Terms: runs, continuations, loops, handlers.

use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::term::{RaiseKind, StringSwitch, Switch};
use flambeau_ir::{
    ApplyCont, BoxedKind, Const, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Prim, Simple,
    Terminator,
};

use super::types::{LocalBlock, Type};
use super::{Counter, Generator, Scope, Target};

impl Generator {
    /// A term.
    pub(super) fn expr(&mut self, mut scope: Scope, size: usize) -> Expr {
        let mut items = Vec::new();
        self.show_local_blocks(&mut scope, &mut items);
        self.items(&mut scope, size, &mut items);
        let terminator = self.terminator(&mut scope, size, &mut items);
        Expr { items, terminator }
    }

    /// Some items.
    fn items(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        for _ in 0..self.random.below(size.min(8) + 2) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            if size > 1 && self.one_in(4) {
                self.control(scope, size, items);
                self.show_local_blocks(scope, items);
            } else if self.options.functions > 1 && self.one_in(6) {
                self.call_item(scope, items);
            } else {
                self.prim(scope, items);
            }
        }
    }

    fn control(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        match self.random.below(9) {
            8 if self.options.loops && self.one_in(3) => self.loop_with_saved(scope, items),
            5 if self.options.mutation && self.one_in(3) => self.nested_allocations(scope, items),
            8 if self.options.loops && self.one_in(2) => self.loop_of_variant(scope, items),
            8 if self.options.functions > 1 && self.one_in(3) => self.function_of_variant(scope, items),
            8 => self.join_of_variant(scope, items),
            6 if self.options.loops && self.one_in(3) => self.loop_of_block(scope, items),
            6 => self.join_of_box(scope, items),
            7 => self.join_of_bool(scope, items),
            0 if self.options.tries => self.try_with_value(scope, size, items),
            1 if self.options.tries => self.try_with_rest_as_handler(scope, size, items),
            2 if self.options.loops && self.one_in(3) => self.small_loop(scope, items),
            3 if self.one_in(3) => self.count_of_ones(scope, items),
            2 if self.options.loops => self.loop_(scope, size, items),
            3 => self.group(scope, size, items),
            4 if self.options.local_functions => self.local_functions(scope, size, items),
            _ => {
                let (cont, types) = (self.unit.new_continuation("k"), self.types(2));
                let inside = with_target(scope, cont, &types);
                let body = Box::new(self.expr(inside, size / 2));
                let params = self.params(scope, &types);
                items.push(Item::Join { cont, params, body });
            }
        }
    }

    /// Types of parameters; each has constants or is easily made.
    pub(super) fn types(&mut self, most: usize) -> Vec<Type> {
        let mut choices = vec![Type::Int, Type::Int, Type::Naked, Type::Any];
        if self.options.numbers {
            choices.extend([Type::Int64, Type::Float, Type::Int32, Type::Native]);
            choices.extend([Type::Boxed(BoxedKind::Float), Type::Boxed(BoxedKind::Int64), Type::Tuple]);
        }
        if !self.one_in(4) {
            choices.truncate(6);
        }
        if self.options.local_blocks && self.one_in(4) {
            choices.extend([Type::Local(LocalBlock::Ints), Type::Local(LocalBlock::Nested)]);
        }
        (0..self.random.below(most + 1)).map(|_| self.random.pick(&choices)).collect()
    }

    /// `join k (x) { cont exn h (e) { … } … try h { … } }`
    fn try_with_value(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        let (cont, types) = (self.unit.new_continuation("k"), self.types(2));
        let mut inside = with_target(scope, cont, &types);
        let h = self.unit.new_exn_continuation("h");
        let extra = self.types(2);
        let mut in_handler = inside.clone();
        let params = self.handler_params(&mut in_handler, &extra);
        let body = self.expr(in_handler, size / 2);
        let mut run =
            vec![Item::LetCont { recursive: false, handlers: vec![ContHandler { cont: h, params, body }] }];
        self.items(&mut inside, size / 2, &mut run);
        let terminator = self.try_(&inside, size / 2, h, extra);
        let body = Box::new(Expr { items: run, terminator });
        let params = self.params(scope, &types);
        items.push(Item::Join { cont, params, body });
    }

    /// `join exn h (e) { … try h { … } } …`
    fn try_with_rest_as_handler(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        let h = self.unit.new_exn_continuation("h");
        let extra = self.types(2);
        let mut run = Vec::new();
        let mut inside = scope.clone();
        self.items(&mut inside, size / 2, &mut run);
        let terminator = self.try_(&inside, size / 2, h, extra.clone());
        let body = Box::new(Expr { items: run, terminator });
        let params = self.handler_params(scope, &extra);
        items.push(Item::Join { cont: h, params, body });
    }

    pub(super) fn handler_params(
        &mut self,
        scope: &mut Scope,
        extra: &[Type],
    ) -> smallvec::SmallVec<[flambeau_ir::Variable; 2]> {
        let types: Vec<_> = std::iter::once(Type::Any).chain(extra.iter().copied()).collect();
        self.params(scope, &types)
    }

    fn try_(&mut self, scope: &Scope, size: usize, h: Continuation, extra: Vec<Type>) -> Terminator {
        let inside = Scope { handler: (h, extra), ..scope.clone() };
        let handler = self.exn(&inside);
        let body = Box::new(self.expr(inside, size));
        Terminator::Try { body, handler }
    }

    /// A group of continuations that is no loop.
    fn group(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        let (mut handlers, mut bound) = (Vec::new(), Vec::new());
        for _ in 0..=self.random.below(3) {
            let (handler, types) = self.handler(scope, size / 3);
            bound.push(Target { cont: handler.cont, types, counter: Counter::None });
            handlers.push(handler);
        }
        scope.targets.extend(bound);
        items.push(Item::LetCont { recursive: false, handlers });
    }

    fn handler(&mut self, scope: &Scope, size: usize) -> (ContHandler, Vec<Type>) {
        let (cont, types) = (self.unit.new_continuation("k"), self.types(2));
        let mut inside = scope.clone();
        let params = self.params(&mut inside, &types);
        let body = self.expr(inside, size);
        (ContHandler { cont, params, body }, types)
    }

    /// One loop, or two that jump to each other. They count down, but for a few.
    fn loop_(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        let endless = self.one_in(50);
        let heads: Vec<_> = (0..=self.random.below(4) / 3)
            .map(|_| (self.unit.new_continuation("loop"), self.types(2)))
            .collect();
        let mut handlers = Vec::new();
        for (cont, types) in &heads {
            let mut inside = scope.clone();
            let all: Vec<_> = std::iter::once(Type::Int).chain(types.iter().copied()).collect();
            let params = self.params(&mut inside, &all);
            let mut run = Vec::new();
            for (param, ty) in params.iter().zip(&all) {
                if self.one_in(2) {
                    self.open(&mut inside, &mut run, *param, *ty);
                }
            }
            if self.options.mark_iterations {
                let arg = Simple::Var(params[0]);
                self.c_call(&mut inside, &mut run, "int_iteration", &[(arg, Type::Int)], Type::Int, false);
            }
            let step = i64::from(!endless);
            let sub = Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged };
            let (counter, step) = (Simple::Var(params[0]), Simple::tagged(step));
            let next = self.let_(&mut inside, &mut run, sub, &[counter, step], Type::Int);
            let Simple::Var(next) = next else { continue };
            let le = Prim::IntCompare { op: IntCmp::Le, kind: IntKind::Tagged };
            let args = [counter, Simple::tagged(0)];
            let is_over = self.let_(&mut inside, &mut run, le, &args, Type::Naked);
            let stop = self.unit.new_continuation("stop");
            let stop_body = self.expr(inside.clone(), size / 3);
            let go = self.unit.new_continuation("go");
            let mut again = inside.clone();
            again.targets.extend(heads.iter().map(|(cont, types)| Target {
                cont: *cont,
                types: types.clone(),
                counter: Counter::Next(next),
            }));
            let go_body = self.expr(again, size / 2);
            run.push(Item::LetCont {
                recursive: false,
                handlers: vec![
                    ContHandler { cont: go, params: Default::default(), body: go_body },
                    ContHandler { cont: stop, params: Default::default(), body: stop_body },
                ],
            });
            let arm = |cont| ApplyCont { cont, args: Default::default() };
            let terminator = Terminator::Switch(Box::new(Switch {
                scrutinee: is_over,
                arms: vec![(0, arm(go)), (1, arm(stop))],
                default: None,
                dbg: self.location(),
                cases: None,
            }));
            handlers.push(ContHandler { cont: *cont, params, body: Expr { items: run, terminator } });
        }
        items.push(Item::LetCont { recursive: true, handlers });
        let bound = heads.into_iter().map(|(cont, types)| Target { cont, types, counter: Counter::Start });
        scope.targets.extend(bound);
    }

    // ---- terminators

    fn arguments(&mut self, scope: &mut Scope, items: &mut Vec<Item>, target: &Target) -> ApplyCont {
        let first = match target.counter {
            Counter::None => None,
            Counter::Start => Some(Simple::tagged(self.random.below(5) as i64)),
            Counter::Next(next) => Some(Simple::Var(next)),
        };
        let mut args: smallvec::SmallVec<[Simple; 2]> = first.into_iter().collect();
        for ty in &target.types {
            args.push(self.force(scope, items, *ty));
        }
        ApplyCont { cont: target.cont, args }
    }

    /// A jump, to the innermost continuations first, lest all leave at once.
    pub(super) fn jump(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> ApplyCont {
        let count = scope.targets.len();
        let back = self.random.below(count).min(self.random.below(count));
        let target = scope.targets[count - 1 - back].clone();
        self.arguments(scope, items, &target)
    }

    fn terminator(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) -> Terminator {
        if !scope.locals.is_empty() && self.one_in(3) {
            return self.local_call(scope, items);
        }
        match self.random.below(12) {
            0 if self.options.undefined && self.one_in(20) => Terminator::Unreachable,
            1 => {
                let kind = self.random.pick(&[RaiseKind::Regular, RaiseKind::Reraise, RaiseKind::NoTrace]);
                let exn = self.force(scope, items, Type::Any);
                let handler = Box::new(self.exn(scope));
                Terminator::Raise { kind, exn, handler, dbg: Dbg::NONE }
            }
            2..5 => self.call_terminator(scope, items),
            5..7 if self.options.strings && self.options.switches && self.one_in(3) => {
                self.string_switch(scope, items)
            }
            5..11 if size > 0 && self.budget > 0 && self.options.switches => self.switch(scope, size, items),
            _ => Terminator::ApplyCont(self.jump(scope, items)),
        }
    }

    fn switch(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) -> Terminator {
        let (mut handlers, mut arms) = (Vec::new(), Vec::new());
        let first = self.random.below(2) as i64 - 1;
        for key in 0..=self.random.below(4) as i64 {
            if self.one_in(3) {
                arms.push((first + key, self.jump(scope, items)));
                continue;
            }
            let (handler, types) = self.handler(scope, size / 2);
            let target = Target { cont: handler.cont, types, counter: Counter::None };
            arms.push((first + key, self.arguments(scope, items, &target)));
            handlers.push(handler);
        }
        let default = self.jump(scope, items);
        let partial = self.options.undefined && self.one_in(100);
        let scrutinee = self.force(scope, items, Type::Naked);
        if !handlers.is_empty() {
            items.push(Item::LetCont { recursive: false, handlers });
        }
        let default = if partial { None } else { Some(default) };
        Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg: Dbg::NONE, cases: None }))
    }

    fn string_switch(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Terminator {
        let ty = if self.options.mutation && self.one_in(4) { Type::Bytes } else { Type::String };
        let scrutinee = self.force(scope, items, ty);
        let mut keys = super::functions::STRINGS.map(|bytes| bytes.to_vec()).to_vec();
        keys.push(b"other".to_vec());
        keys.sort();
        keys.retain(|_| !self.one_in(3));
        let mut arms = Vec::new();
        for key in keys {
            arms.push((key, self.jump(scope, items)));
        }
        let default = Some(self.jump(scope, items));
        Terminator::StringSwitch(Box::new(StringSwitch { scrutinee, arms, default, dbg: Dbg::NONE }))
    }

    /// The shortest path to the end of a function.
    pub(super) fn leave(&mut self, scope: &mut Scope) -> Expr {
        let mut items = Vec::new();
        let target = scope.targets[0].clone();
        let jump = self.arguments(scope, &mut items, &target);
        Expr { items, terminator: Terminator::ApplyCont(jump) }
    }

    /// Another name of something.
    pub(super) fn alias(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let Some((var, ty)) = (!scope.vars.is_empty()).then(|| self.random.pick(&scope.vars)) else { return };
        let named = match self.constant(ty) {
            Some(constant) if self.one_in(3) => flambeau_ir::Named::Simple(Simple::Const(constant)),
            _ if self.options.undefined && self.one_in(4) => {
                // Bound, and not to be found by operands.
                let poison = flambeau_ir::Named::Simple(Simple::Const(Const::Poison(ty.kind())));
                let (var, dbg) = (self.variable(ty), self.location());
                return items.push(Item::Let { var, named: poison, dbg });
            }
            _ => flambeau_ir::Named::Simple(Simple::Var(var)),
        };
        let (var, dbg) = (self.variable(ty), self.location());
        scope.vars.push((var, ty));
        items.push(Item::Let { var, named, dbg });
    }
}

pub(super) fn with_target(scope: &Scope, cont: Continuation, types: &[Type]) -> Scope {
    let mut inside = scope.clone();
    inside.targets.push(Target { cont, types: types.to_vec(), counter: Counter::None });
    inside
}
