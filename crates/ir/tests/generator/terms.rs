//! Random runs, items and terminators.

use cranelift_entity::EntityRef;
use flambeau_ir::prim::BigarrayKind;
use flambeau_ir::term::{RaiseKind, StringSwitch};
use flambeau_ir::{
    Apply, ApplyCont, ArgType, CallKind, ContHandler, Continuation, Elements, ExnCont, Expr, Hashed,
    HashedShape, Item, Kind, Leaf, Named, Origin, Simple, Switch, Terminator, Variable,
};

use super::{Generator, Scope, Target, inline_attribute, specialise_attribute};

impl Generator {
    /// A run that begins with these items.
    pub(super) fn expr(&mut self, mut scope: Scope, mut items: Vec<Item>, depth: usize) -> Expr {
        for _ in 0..self.random.below(6) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            items.push(self.item(&mut scope, depth));
        }
        Expr { items, terminator: self.terminator(&scope, depth) }
    }

    fn item(&mut self, scope: &mut Scope, depth: usize) -> Item {
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            0 => {
                let kind = self.kind();
                let named = Named::Simple(self.simple(scope, kind));
                let (var, dbg) = (self.variable(kind), self.dbg());
                scope.variables.push(var);
                Item::Let { var, named, dbg }
            }
            1..4 => self.prim_item(scope),
            4 | 5 => self.call_item(scope),
            6 => {
                let (cont, params, target) = self.handler(false);
                let mut inner = scope.clone();
                inner.targets.push(target);
                let body = Box::new(self.expr(inner, Vec::new(), depth - 1));
                scope.variables.extend(&params);
                Item::Join { cont, params: params.into(), body }
            }
            7 => {
                let (cont, params, target) = self.handler(true);
                let inner = scope.clone();
                let body = Box::new(self.try_run(inner, target, depth - 1));
                scope.variables.extend(&params);
                Item::Join { cont, params: params.into(), body }
            }
            _ => self.let_cont(scope, depth),
        }
    }

    fn let_cont(&mut self, scope: &mut Scope, depth: usize) -> Item {
        let recursive = self.random.one_in(2);
        let heads: Vec<_> = (0..=self.random.below(3)).map(|_| self.handler(false)).collect();
        let mut outer = scope.clone();
        outer.targets.extend(heads.iter().map(|(_, _, target)| target.clone()));
        let handlers = heads.into_iter().map(|(cont, params, _)| {
            let mut inner = if recursive { outer.clone() } else { scope.clone() };
            inner.variables.extend(&params);
            let body = self.expr(inner, Vec::new(), depth - 1);
            ContHandler { cont, params: params.into(), body }
        });
        let handlers = handlers.collect();
        *scope = outer;
        Item::LetCont { recursive, handlers }
    }

    /// The head of a continuation with a handler.
    fn handler(&mut self, is_exn: bool) -> (Continuation, Vec<Variable>, Target) {
        let mut kinds: Vec<_> = (0..self.random.below(3)).map(|_| self.kind()).collect();
        let name = self.name();
        let cont = if is_exn {
            kinds.insert(0, Kind::Value);
            self.unit.new_exn_continuation(name)
        } else {
            self.unit.new_continuation(name)
        };
        self.unit.continuations[cont].heat = self.heat();
        let params = kinds.iter().map(|&kind| self.variable(kind)).collect();
        (cont, params, Target { cont, kinds })
    }

    /// A run that ends in a `try` under that handler.
    fn try_run(&mut self, scope: Scope, handler: Target, depth: usize) -> Expr {
        let extra = handler.kinds[1..].to_vec();
        let extra_args = extra.iter().map(|&kind| self.simple(&scope, kind)).collect();
        let outer = std::mem::replace(&mut self.handler, (handler.cont, extra));
        let body = Box::new(self.expr(scope, Vec::new(), depth));
        self.handler = outer;
        let handler = ExnCont { cont: handler.cont, extra_args };
        Expr { items: Vec::new(), terminator: Terminator::Try { body, handler } }
    }

    /// A call whose result is bound in the remainder of the run.
    fn call_item(&mut self, scope: &mut Scope) -> Item {
        let cont = self.unit.new_continuation("k");
        let (apply, kind) = self.apply(scope, cont);
        let param = self.variable(kind);
        scope.variables.push(param);
        let terminator = Terminator::Apply(Box::new(apply));
        let body = Box::new(Expr { items: Vec::new(), terminator });
        Item::Join { cont, params: [param].into_iter().collect(), body }
    }

    /// A call that returns there, and the kind of its result.
    fn apply(&mut self, scope: &Scope, ret: Continuation) -> (Apply, Kind) {
        let codes: Vec<_> = self.unit.codes.keys().collect();
        let code = self.random.pick(&codes);
        let (kind, kinds, result) = match self.random.below(6) {
            0 => (CallKind::Generic, vec![Kind::Value; 1 + self.random.below(3)], Kind::Value),
            1 => (CallKind::MethodPublic, vec![Kind::Value], Kind::Value),
            2 => (CallKind::MethodSelf, vec![Kind::Value; 2], Kind::Value),
            3 => (CallKind::MethodCached, vec![Kind::Value; 3], Kind::Value),
            4 => (CallKind::DirectExternal(self.name()), vec![self.kind()], self.kind()),
            _ => {
                let data = &self.unit.codes[code];
                let kinds = data.params.iter().map(|&param| self.unit.variables[param].kind).collect();
                (CallKind::Direct(code), kinds, data.result)
            }
        };
        let needless = match kind {
            CallKind::Direct(code) => !self.uses_closure[code.index()],
            CallKind::DirectExternal(_) => true,
            _ => false,
        };
        let is_direct = matches!(kind, CallKind::Direct(_) | CallKind::DirectExternal(_));
        let callee = match self.simple(scope, Kind::Value) {
            _ if needless && self.random.one_in(2) => None,
            // A function is called with its own closure only.
            Simple::Symbol(_) if is_direct => Some(Simple::UNIT),
            closure => Some(closure),
        };
        let args = kinds.iter().map(|&kind| self.simple(scope, kind)).collect();
        let mut types = Vec::new();
        if self.random.one_in(4) {
            let (compare, equal) = (self.simple(scope, Kind::Value), self.simple(scope, Kind::Value));
            let elements =
                self.random.pick(&[Elements::Any, Elements::Values, Elements::Floats, Elements::MaybeBoxes]);
            let leaf = HashedShape::Leaf(self.random.pick(&Leaf::ALL));
            let tag = self.random.below(4) as u8;
            let block = |fields| HashedShape::Block(tag, fields);
            let hashed = Hashed(match self.random.below(4) {
                0 => vec![],
                1 => vec![leaf],
                2 => vec![leaf.clone(), block(vec![leaf])],
                _ => vec![HashedShape::Block(4, vec![block(vec![leaf.clone()]), leaf])],
            });
            let total = self.random.one_in(2);
            let compared = ArgType::Compared { compare, equal, total, elements, hashed };
            let list = ArgType::Block(vec![compared.clone(), ArgType::Enclosing(0)]);
            let array = ArgType::Array(Box::new(compared.clone()));
            let function = ArgType::Function(vec![ArgType::Immediate, array.clone()], Box::new(array));
            let kind = self.random.pick(&[BigarrayKind::Float64, BigarrayKind::Uint8]);
            let bigarray = ArgType::Bigarray { kind, fortran: self.random.one_in(2) };
            types = vec![ArgType::Unknown, bigarray, compared, list, ArgType::Immediate, function];
            types.truncate(kinds.len());
        }
        let (exn, dbg) = (self.exn(scope), self.dbg());
        let inlined = inline_attribute(&mut self.random);
        let specialised = specialise_attribute(&mut self.random);
        let depth = if self.random.one_in(4) { self.random.below(256) as u8 } else { 0 };
        let origin = self.random.one_in(4).then(|| Origin::new(self.random.below(2)));
        let heat = self.heat();
        (
            Apply { callee, kind, args, types, ret, exn, dbg, inlined, specialised, depth, origin, heat },
            result,
        )
    }

    fn terminator(&mut self, scope: &Scope, depth: usize) -> Terminator {
        match self.random.below(9) {
            0 => Terminator::Unreachable,
            1 => {
                let kinds = [RaiseKind::Regular, RaiseKind::Reraise, RaiseKind::NoTrace];
                let (kind, exn) = (self.random.pick(&kinds), self.simple(scope, Kind::Value));
                let (handler, dbg) = (Box::new(self.exn(scope)), self.dbg());
                Terminator::Raise { kind, exn, handler, dbg }
            }
            2 => {
                let scrutinee = self.simple(scope, Kind::NakedImmediate);
                let count = 1 + self.random.below(4) as i64;
                let first = self.random.below(9) as i64 - 5;
                let arms = (0..count).map(|n| (first + n * 2, self.jump(scope))).collect();
                let default = if self.random.one_in(2) { Some(self.jump(scope)) } else { None };
                let cases =
                    default.is_some().then(|| self.random.below(300) as u32).filter(|cases| *cases > 9);
                let dbg = self.dbg();
                Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg, cases }))
            }
            3 => {
                let scrutinee = self.simple(scope, Kind::Value);
                let mut values: Vec<_> = (0..self.random.below(4)).map(|_| self.random.bytes()).collect();
                values.sort();
                values.dedup();
                let arms = values.into_iter().map(|value| (value, self.jump(scope))).collect();
                let (default, dbg) = (Some(self.jump(scope)), self.dbg());
                Terminator::StringSwitch(Box::new(StringSwitch { scrutinee, arms, default, dbg }))
            }
            4 | 5 => {
                let one_param: Vec<_> =
                    scope.targets.iter().filter(|target| target.kinds.len() == 1).collect();
                let target = self.random.pick(&one_param).clone();
                let (apply, kind) = self.apply(scope, target.cont);
                if kind == target.kinds[0] {
                    Terminator::Apply(Box::new(apply))
                } else {
                    Terminator::ApplyCont(self.jump(scope))
                }
            }
            6 if depth > 0 => {
                // A handler that does nothing but is bound in a group.
                Terminator::ApplyCont(self.jump(scope))
            }
            _ => Terminator::ApplyCont(self.jump(scope)),
        }
    }

    fn jump(&mut self, scope: &Scope) -> ApplyCont {
        let target = self.random.pick(&scope.targets);
        let args = target.kinds.iter().map(|&kind| self.simple(scope, kind)).collect();
        ApplyCont { cont: target.cont, args }
    }

    pub(super) fn exn(&mut self, scope: &Scope) -> ExnCont {
        let (cont, kinds) = self.handler.clone();
        let extra_args = kinds.iter().map(|&kind| self.simple(scope, kind)).collect();
        ExnCont { cont, extra_args }
    }
}
