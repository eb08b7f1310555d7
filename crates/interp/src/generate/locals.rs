//! Local functions that call themselves and each other, mostly in tail position, and whose calls mostly return to one
//! continuation: loops as programs have them.

use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute, Switch};
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeAttributes, CodeId, ContHandler, Continuation, Dbg, Expr,
    FunctionKind, IntKind, Item, Kind, Prim, SetOfClosures, Simple, Terminator, ValueSlot, Variable,
};

use super::control::with_target;
use super::types::Type;
use super::{Counter, Generator, Scope, Target};

/// A local function that may be called.
#[derive(Clone)]
pub(super) struct Local {
    code: CodeId,
    closure: Simple,
    /// Of the parameters after the counter.
    types: Vec<Type>,
    result: Type,
    /// Takes the result.
    ret: Continuation,
    /// What the counter is next, in a function of the set.
    next: Option<Variable>,
}

impl Generator {
    /// `let rec f i … = … and g i … = … in let r = … f 3 … in …`
    pub(super) fn local_functions(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        let result = self.types(1).pop().unwrap_or(Type::Int);
        let mut captured = Vec::new();
        for n in 0..self.random.below(3) {
            let ty = self.random.pick(&[Type::Int, Type::Any, Type::Block]);
            let value = self.force(scope, items, ty);
            captured.push((self.unit.value_slots.push(format!("c{n}")), value, ty));
        }
        let count = 1 + self.random.below(4) / 2;
        let heads: Vec<_> = (0..count).map(|_| self.local_head(result)).collect();
        let functions = heads.iter().map(|(code, _)| (self.unit.codes[*code].function_slot, *code)).collect();
        let values = captured.iter().map(|(slot, value, _)| (*slot, *value)).collect();
        let vars: Vec<_> = heads.iter().map(|_| self.variable(Type::Any)).collect();
        let dbg = self.location();
        let set = SetOfClosures { functions, values };
        items.push(Item::LetClosures { vars: vars.as_slice().into(), set, dbg });
        let slots: Vec<_> = captured.iter().map(|(slot, _, ty)| (*slot, *ty)).collect();
        for (code, _) in &heads {
            self.local_body(scope, size / 2, *code, &heads, &slots, result);
        }

        let after = self.unit.new_continuation("after");
        let mut inside = with_target(scope, after, &[result]);
        inside.locals = heads
            .iter()
            .zip(&vars)
            .map(|((code, types), var)| Local {
                code: *code,
                closure: Simple::Var(*var),
                types: types.clone(),
                result,
                ret: after,
                next: None,
            })
            .collect();
        if self.one_in(6) {
            inside.vars.push((vars[0], Type::Any));
        }
        let body = Box::new(match self.random.below(4) {
            0 => self.expr(inside, size / 2),
            1 if self.options.tries => self.local_call_in_try(inside, size),
            _ => self.local_calls(inside),
        });
        let params = self.params(scope, &[result]);
        items.push(Item::Join { cont: after, params, body });
    }

    fn local_head(&mut self, result: Type) -> (CodeId, Vec<Type>) {
        let types = self.types(2);
        let params: Vec<_> = std::iter::once(Type::Int).chain(types.iter().copied()).collect();
        let params = params.iter().map(|ty| self.variable(*ty)).collect();
        let name = format!("local{}", self.unit.codes.len());
        let code = Code {
            linkage_name: format!("camlRandom__{name}"),
            params,
            my_closure: self.unit.new_value("env"),
            function_slot: self.unit.function_slots.push(name),
            ret: self.unit.new_continuation("return"),
            exn: self.unit.new_exn_continuation("raise"),
            result: result.kind(),
            kind: FunctionKind::Curried,
            recursive: true,
            attributes: CodeAttributes::default(),
            dbg: Dbg::NONE,
            body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
        };
        (self.unit.codes.push(code), types)
    }

    /// Counts down, as loops do.
    fn local_body(
        &mut self,
        outer: &Scope,
        size: usize,
        id: CodeId,
        heads: &[(CodeId, Vec<Type>)],
        slots: &[(ValueSlot, Type)],
        result: Type,
    ) {
        let code = &self.unit.codes[id];
        let (env, from, counter) = (code.my_closure, code.function_slot, Simple::Var(code.params[0]));
        let types = heads.iter().find(|(code, _)| *code == id).map(|(_, types)| types.clone());
        let types = std::iter::once(Type::Int).chain(types.unwrap_or_default());
        let ret = code.ret;
        let mut scope = Scope {
            operations: Vec::new(),
            vars: code.params.iter().copied().zip(types).collect(),
            targets: vec![Target { cont: ret, types: vec![result], counter: Counter::None }],
            handler: (code.exn, Vec::new()),
            closures: outer.closures.iter().filter(|(c, _)| c.as_var().is_none()).copied().collect(),
            recursion: None,
            locals: Vec::new(),
            callable: outer.callable,
        };
        if self.one_in(8) {
            scope.vars.push((env, Type::Any));
        }
        let mut items = Vec::new();
        for &(value, ty) in slots {
            let prim = Prim::ProjectValueSlot { function: from, value };
            self.let_(&mut scope, &mut items, prim, &[Simple::Var(env)], ty);
        }
        let kind = IntKind::Tagged;
        let sub = Prim::IntArith { op: IntOp::Sub, kind };
        let next = self.let_(&mut scope, &mut items, sub, &[counter, Simple::tagged(1)], Type::Int);
        let le = Prim::IntCompare { op: IntCmp::Le, kind };
        let is_over = self.let_(&mut scope, &mut items, le, &[counter, Simple::tagged(0)], Type::Naked);
        let (stop, go) = (self.unit.new_continuation("stop"), self.unit.new_continuation("go"));
        let stop_body = self.leave(&mut scope.clone());
        for (code, types) in heads {
            let mut closure = Simple::Var(env);
            if *code != id {
                let to = self.unit.codes[*code].function_slot;
                let prim = Prim::ProjectFunctionSlot { from, to };
                let var = self.variable(Type::Any);
                let args = [closure].as_slice().into();
                let named = flambeau_ir::Named::Prim { prim, args, exn: None };
                items.push(Item::Let { var, named, dbg: Dbg::NONE });
                closure = Simple::Var(var);
            }
            scope.locals.push(Local {
                code: *code,
                closure,
                types: types.clone(),
                result,
                ret,
                next: next.as_var(),
            });
        }
        let in_try = self.options.tries && self.one_in(5);
        let go_body = if in_try { self.local_call_in_try(scope, size) } else { self.expr(scope, size) };
        let handler = |cont, body| ContHandler { cont, params: Default::default(), body };
        let handlers = vec![handler(stop, stop_body), handler(go, go_body)];
        items.push(Item::LetCont { recursive: false, handlers });
        let arm = |cont| ApplyCont { cont, args: Default::default() };
        let arms = vec![(0, arm(go)), (1, arm(stop))];
        let dbg = self.location();
        let switch = Switch { scrutinee: is_over, arms, default: None, dbg, cases: None };
        self.unit.codes[id].body = Expr { items, terminator: Terminator::Switch(Box::new(switch)) };
    }

    /// Calls from one or two call sites.
    fn local_calls(&mut self, mut scope: Scope) -> Expr {
        let mut items = Vec::new();
        if self.one_in(2) {
            let terminator = self.local_call(&mut scope, &mut items);
            return Expr { items, terminator };
        }
        let scrutinee = self.force(&mut scope, &mut items, Type::Naked);
        let conts = [self.unit.new_continuation("one"), self.unit.new_continuation("two")];
        let handlers = conts.map(|cont| {
            let mut items = Vec::new();
            let terminator = self.local_call(&mut scope.clone(), &mut items);
            ContHandler { cont, params: Default::default(), body: Expr { items, terminator } }
        });
        items.push(Item::LetCont { recursive: false, handlers: handlers.into() });
        let [one, two] = conts.map(|cont| ApplyCont { cont, args: Default::default() });
        let switch =
            Switch { scrutinee, arms: vec![(0, one)], default: Some(two), dbg: Dbg::NONE, cases: None };
        Expr { items, terminator: Terminator::Switch(Box::new(switch)) }
    }

    /// `try … f 3 … with …`
    fn local_call_in_try(&mut self, scope: Scope, size: usize) -> Expr {
        let cont = self.unit.new_exn_continuation("h");
        let extra = self.types(2);
        let mut in_handler = scope.clone();
        let params = self.handler_params(&mut in_handler, &extra);
        let body = self.expr(in_handler, size / 3);
        let handlers = vec![ContHandler { cont, params, body }];
        let mut inside = Scope { handler: (cont, extra), ..scope };
        let handler = self.exn(&inside);
        let mut run = Vec::new();
        self.c_call(&mut inside, &mut run, "int_in_try", &[(Simple::tagged(0), Type::Int)], Type::Int, true);
        let calls = self.local_calls(inside);
        run.extend(calls.items);
        let body = Box::new(Expr { items: run, terminator: calls.terminator });
        let items = vec![Item::LetCont { recursive: false, handlers }];
        Expr { items, terminator: Terminator::Try { body, handler } }
    }

    /// A call of a local function.
    pub(super) fn local_call(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Terminator {
        let at = self.random.below(scope.locals.len());
        let Local { code, closure, types, result, ret, next } = scope.locals[at].clone();
        let start = self.random.below(5) as i64;
        let mut args = vec![next.map_or(Simple::tagged(start), Simple::Var)];
        for ty in &types {
            args.push(self.force(scope, items, *ty));
        }
        let values = types.iter().chain([&result]).all(|ty| ty.kind() == Kind::Value);
        let kind = if values && self.one_in(4) { CallKind::Generic } else { CallKind::Direct(code) };
        let exn = self.exn(scope);
        let mut apply = Box::new(Apply {
            callee: Some(closure),
            kind,
            args,
            types: Vec::new(),
            ret,
            exn,
            dbg: self.location(),
            inlined: InlineAttribute::Default,
            specialised: SpecialiseAttribute::Default,
            depth: 0,
            origin: None,
            heat: self.heat(),
        });
        if !self.one_in(8) {
            return Terminator::Apply(apply);
        }
        // Not in tail position.
        let cont = self.unit.new_continuation("result");
        apply.ret = cont;
        let body = Box::new(Expr { items: Vec::new(), terminator: Terminator::Apply(apply) });
        let params = self.params(scope, &[result]);
        items.push(Item::Join { cont, params, body });
        Terminator::ApplyCont(self.jump(scope, items))
    }
}
