//! Calls.

use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, ExnCont, Expr, Heat, Item, Prim, Simple, Terminator, Variable,
};
use smallvec::SmallVec;

use super::types::{Shape, Type};
use super::{Counter, Generator, Scope};

/// A call but for where it returns to.
pub(super) struct Call {
    pub callee: Option<Simple>,
    pub kind: CallKind,
    pub args: Vec<Simple>,
    pub result: Type,
}

impl Generator {
    /// A call whose result is bound in the remainder of the run.
    pub(super) fn call_item(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let call = self.call(scope, items);
        self.join_call(scope, items, call);
    }

    pub(super) fn join_call(&mut self, scope: &mut Scope, items: &mut Vec<Item>, call: Call) -> Simple {
        let (cont, ty) = (self.unit.new_continuation("result"), call.result);
        let exn = self.exn(scope);
        let apply = Terminator::Apply(Box::new(self.apply(call, cont, exn)));
        let params = self.params(scope, &[ty]);
        let result = Simple::Var(params[0]);
        let body = Box::new(Expr { items: Vec::new(), terminator: apply });
        items.push(Item::Join { cont, params, body });
        result
    }

    /// A direct call of a function that needs no closure, or whose closure this is.
    pub(super) fn call_code(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        code: CodeId,
        closure: Option<Simple>,
    ) -> Simple {
        let call = self.call_of(scope, items, code, closure);
        self.join_call(scope, items, call)
    }

    fn apply(&mut self, call: Call, ret: Continuation, exn: ExnCont) -> Apply {
        let Call { callee, kind, args, .. } = call;
        let inlined = match self.random.below(8) {
            0 => InlineAttribute::Always,
            1 => InlineAttribute::Never,
            2 => InlineAttribute::Unroll(2),
            _ => InlineAttribute::Default,
        };
        let specialised = SpecialiseAttribute::Default;
        let dbg = self.location();
        Apply {
            callee,
            kind,
            args,
            types: Vec::new(),
            ret,
            exn,
            dbg,
            inlined,
            specialised,
            depth: 0,
            origin: None,
            heat: self.heat(),
        }
    }

    /// Whatever a profile says, the program does the same.
    pub(super) fn heat(&mut self) -> Heat {
        if self.one_in(4) { self.random.pick(&Heat::COUNTED) } else { Heat::Unknown }
    }

    /// A call that returns to a continuation in scope, maybe in tail position.
    pub(super) fn call_terminator(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Terminator {
        let call = self.call(scope, items);
        let takes = |types: &[Type]| matches!(types, [ty] if *ty == call.result || *ty == Type::Any && call.result.kind() == ty.kind());
        let takers: Vec<_> = scope
            .targets
            .iter()
            .filter(|target| matches!(target.counter, Counter::None) && takes(&target.types))
            .map(|target| target.cont)
            .collect();
        if takers.is_empty() {
            self.join_call(scope, items, call);
            return Terminator::ApplyCont(self.jump(scope, items));
        }
        let ret = self.random.pick(&takers);
        let exn = self.exn(scope);
        Terminator::Apply(Box::new(self.apply(call, ret, exn)))
    }

    /// A function calls itself, less deep.
    fn recursive_call(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        code: CodeId,
        counter: Variable,
    ) -> Call {
        let closure = scope.closures.iter().find(|(_, c)| *c == code).map(|(closure, _)| *closure);
        let mut call = self.call_of(scope, items, code, closure);
        call.args[0] = Simple::Var(counter);
        call
    }

    /// What a function returns that calls itself, less deep.
    pub(super) fn result_of_recursion(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Option<Simple> {
        let (code, counter) = scope.recursion?;
        let call = self.recursive_call(scope, items, code, counter);
        Some(self.join_call(scope, items, call))
    }

    /// A function calls itself twice, as one that folds over a tree does.
    pub(super) fn recurse_twice(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        for _ in 0..2 {
            self.result_of_recursion(scope, items);
        }
    }

    fn call(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Call {
        if let Some((code, counter)) = scope.recursion
            && self.one_in(4)
        {
            return self.recursive_call(scope, items, code, counter);
        }
        let choice = self.random.below(10);
        if self.options.functions > 1 && choice < 4 {
            let closed = (0..scope.callable).filter(|i| self.plans[*i].is_named() && !self.one_in(3));
            let closed = closed.map(|i| (None, CodeId::from_u32(i as u32))).collect::<Vec<_>>();
            let closures = scope.closures.iter().map(|(closure, code)| (Some(*closure), *code));
            let callable = scope.callable as u32;
            let all: Vec<_> =
                closed.into_iter().chain(closures.filter(|(_, code)| code.as_u32() < callable)).collect();
            if !all.is_empty() {
                let (closure, code) = self.random.pick(&all);
                return self.call_of(scope, items, code, closure);
            }
        }
        if self.options.closures && choice < 8 {
            return self.generic(scope, items);
        }
        let count = 1 + self.random.below(3);
        let args: Vec<_> = (0..count).map(|_| self.force(scope, items, Type::Any)).collect();
        let (callee, kind) = match self.random.below(4) {
            0 => (None, CallKind::DirectExternal("int_external".into())),
            1 => {
                let method = Simple::tagged(self.random.below(1000) as i64);
                let public = self.one_in(2);
                (Some(method), if public { CallKind::MethodPublic } else { CallKind::MethodSelf })
            }
            _ => (Some(Simple::Symbol(self.symbols.outside)), CallKind::Generic),
        };
        Call { callee, kind, args, result: Type::Int }
    }

    /// A call of a function of the unit: by its name, or through its closure if it is called through that alone.
    fn call_of(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        code: CodeId,
        callee: Option<Simple>,
    ) -> Call {
        let plan = &self.plans[code.as_u32() as usize];
        let (params, result, named) = (plan.params.clone(), plan.result, !plan.passed || callee.is_none());
        let args: Vec<_> = params.iter().map(|ty| self.force(scope, items, *ty)).collect();
        if named {
            return Call { callee, kind: CallKind::Direct(code), args, result };
        }
        Call { callee, kind: CallKind::Generic, args: vec![self.pair(scope, items, &args)], result }
    }

    /// A tuple of arguments.
    fn pair(&mut self, scope: &mut Scope, items: &mut Vec<Item>, args: &[Simple]) -> Simple {
        let mutability = flambeau_ir::prim::Mutability::Immutable;
        self.let_(scope, items, Prim::MakeBlock { tag: 0, mutability }, args, Type::Any)
    }

    /// A call of an unknown function: with all arguments, too few or too many, or by the outside.
    fn generic(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Call {
        let shapes = [Shape::Unary, Shape::Binary, Shape::Maker, Shape::OfBlock, Shape::Pair];
        let known: Vec<_> = shapes.into_iter().filter(|s| self.has(scope, *s)).collect();
        if known.is_empty() {
            let args = vec![self.force(scope, items, Type::Any)];
            let callee = Some(Simple::Symbol(self.symbols.outside));
            return Call { callee, kind: CallKind::Generic, args, result: Type::Int };
        }
        let shape = self.random.pick(&known);
        let callee = self.force(scope, items, Type::Fun(shape));
        let params = shape.params();
        let mut args: Vec<_> = params.iter().map(|ty| self.force(scope, items, *ty)).collect();
        let mut result = shape.result();
        match shape {
            Shape::Pair => args = vec![self.pair(scope, items, &args)],
            Shape::Binary | Shape::OfBlock if self.one_in(3) => {
                args.pop();
                result = Type::Fun(Shape::Unary);
            }
            Shape::Maker if self.one_in(2) => {
                args.push(self.force(scope, items, Type::Int));
                result = Type::Int;
            }
            Shape::Unary if self.one_in(3) => {
                args.insert(0, callee);
                let callee = Some(Simple::Symbol(self.symbols.callback));
                return Call { callee, kind: CallKind::Generic, args, result };
            }
            _ => {}
        }
        Call { callee: Some(callee), kind: CallKind::Generic, args, result }
    }

    /// Whether there is a function of that shape.
    fn has(&self, scope: &Scope, shape: Shape) -> bool {
        scope.vars.iter().any(|(_, ty)| *ty == Type::Fun(shape))
            || self.plans[..scope.callable].iter().any(|plan| plan.shape == shape && plan.symbol.is_some())
    }

    /// A call of a function of the outside, whose result is bound in the remainder of the run.
    pub(super) fn call_outside(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        args: Vec<Simple>,
    ) -> Simple {
        let callee = Some(Simple::Symbol(self.symbols.outside));
        self.join_call(scope, items, Call { callee, kind: CallKind::Generic, args, result: Type::Int })
    }

    /// Shows a value to the outside.
    pub(super) fn observe(&mut self, scope: &mut Scope, items: &mut Vec<Item>, value: Simple, ty: Type) {
        self.c_call(scope, items, "observe", &[(value, ty)], Type::Int, false);
    }

    /// A jump that passes a value to a continuation.
    pub(super) fn returning(&mut self, cont: Continuation, value: Simple) -> Terminator {
        let args: SmallVec<[Simple; 2]> = SmallVec::from_slice(&[value]);
        Terminator::ApplyCont(flambeau_ir::ApplyCont { cont, args })
    }
}
