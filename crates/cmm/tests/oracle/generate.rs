//! Random units: one function of two integers, well-formed by construction.

use flambeau_ir::prim::{External, Init, IntCmp, IntOp, Mutability, NativeRepr};
use flambeau_ir::term::{InlineAttribute, RaiseKind, SpecialiseAttribute, Switch};
use flambeau_ir::{
    Apply, ApplyCont, BoxedKind, CallKind, Code, CodeAttributes, Const, ContHandler, Continuation, Dbg,
    ExnCont, Expr, FunctionKind, IntKind, Item, Kind, Named, Prim, Simple, Subkind, Terminator, Unit,
    Variable,
};
use smallvec::SmallVec;

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Int,
    Naked,
    Int64,
    /// A block of three tagged integers.
    Block,
    Boxed,
}

/// A handler that is yet to be given its `try`, or that is around.
type Handler = (Continuation, Vec<Type>);

/// What may be named.
#[derive(Clone)]
struct Scope {
    vars: Vec<(Variable, Type)>,
    conts: Vec<(Continuation, Vec<Type>)>,
    exn: Handler,
}

/// Makes units of a size.
pub struct Generator {
    state: u64,
    unit: Unit,
    ids: u32,
    /// Many points that may raise, with few different extra arguments: to try out the tracking of these.
    raising: bool,
}

/// A random unit.
pub fn unit(seed: u64, size: usize) -> Unit {
    let mut unit = Unit::new("Random", "camlRandom", 0);
    let [x, y, env] = ["x", "y", "env"].map(|name| unit.new_value(name));
    let ret = unit.new_continuation("k");
    let exn = unit.new_exn_continuation("kx");
    let function_slot = unit.function_slots.push("f".into());
    let mut generator = Generator {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        unit,
        ids: 0,
        raising: seed % 2 == 1,
    };
    let scope = Scope {
        vars: vec![(x, Type::Int), (y, Type::Int)],
        conts: vec![(ret, vec![Type::Int])],
        exn: (exn, Vec::new()),
    };
    let body = generator.expr(scope, size, None);
    let mut unit = generator.unit;
    unit.codes.push(Code {
        linkage_name: "camlRandom__f".into(),
        params: SmallVec::from_slice(&[x, y]),
        my_closure: env,
        function_slot,
        ret,
        exn,
        result: Kind::Value,
        kind: FunctionKind::Curried,
        recursive: false,
        attributes: CodeAttributes::default(),
        dbg: Dbg::NONE,
        body,
    });
    let jump = ApplyCont { cont: unit.entry.ret, args: SmallVec::from_slice(&[Simple::UNIT]) };
    unit.entry.body.terminator = Terminator::ApplyCont(jump);
    unit
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn id(&mut self) -> Dbg {
        self.ids += 1;
        Dbg(self.ids)
    }

    fn var(&mut self, ty: Type) -> Variable {
        let kind = match ty {
            Type::Naked => Kind::NakedImmediate,
            Type::Int64 => Kind::NakedInt64,
            _ => Kind::Value,
        };
        self.unit.new_variable("v", kind, Subkind::Any)
    }

    /// An operand, recent variables first.
    fn operand(&mut self, scope: &Scope, ty: Type) -> Option<Simple> {
        let found: Vec<_> = scope.vars.iter().filter(|(_, t)| *t == ty).map(|(var, _)| *var).collect();
        let constant = self.below(5) as i64;
        if found.is_empty() || self.one_in(8) {
            return match ty {
                Type::Int => Some(Simple::tagged(constant)),
                Type::Naked => Some(Simple::naked_imm(constant)),
                Type::Int64 => Some(Simple::Const(Const::NakedInt64(constant))),
                Type::Block | Type::Boxed => found.last().map(|var| Simple::Var(*var)),
            };
        }
        let back = self.below(found.len()).min(self.below(found.len()));
        Some(Simple::Var(found[found.len() - 1 - back]))
    }

    fn exn(&mut self, scope: &Scope) -> ExnCont {
        let (cont, types) = scope.exn.clone();
        let extra_args = types
            .iter()
            .filter_map(|ty| match ty {
                Type::Int if self.raising => Some(Simple::tagged(self.below(2) as i64)),
                _ => self.operand(scope, *ty),
            })
            .collect();
        ExnCont { cont, extra_args }
    }

    fn let_(&mut self, scope: &mut Scope, prim: Prim, args: &[Simple], ty: Type) -> Item {
        let exn = prim.may_raise().then(|| Box::new(self.exn(scope)));
        let var = self.var(ty);
        if !prim.is_for_effect() {
            scope.vars.push((var, ty));
        }
        Item::Let { var, named: Named::Prim { prim, args: args.into(), exn }, dbg: self.id() }
    }

    fn external(&self, alloc: bool) -> Prim {
        Prim::CCall(Box::new(External {
            name: "stub".into(),
            args: vec![NativeRepr::Value],
            result: NativeRepr::Value,
            no_result: false,
            alloc,
        }))
    }

    fn prim(&mut self, scope: &mut Scope, items: &mut Vec<Item>) -> Option<()> {
        let op = [IntOp::Add, IntOp::Sub, IntOp::Xor][self.below(3)];
        let cmp = [IntCmp::Lt, IntCmp::Eq, IntCmp::Ge, IntCmp::UnsignedLt][self.below(4)];
        let mutability = [Mutability::Mutable, Mutability::Immutable][self.below(2)];
        let (prim, types, ty) = match self.below(if self.raising { 30 } else { 20 }) {
            0 => (Prim::IntArith { op, kind: IntKind::Tagged }, vec![Type::Int, Type::Int], Type::Int),
            1 => (Prim::IntArith { op, kind: IntKind::Naked }, vec![Type::Naked, Type::Naked], Type::Naked),
            2 => {
                (Prim::IntCompare { op: cmp, kind: IntKind::Tagged }, vec![Type::Int, Type::Int], Type::Naked)
            }
            3 => (
                Prim::IntCompare { op: cmp, kind: IntKind::Naked },
                vec![Type::Naked, Type::Naked],
                Type::Naked,
            ),
            4 => (Prim::Tag, vec![Type::Naked], Type::Int),
            5 => (Prim::Untag, vec![Type::Int], Type::Naked),
            6 => (Prim::Box(BoxedKind::Int64), vec![Type::Int64], Type::Boxed),
            7 => (Prim::Unbox(BoxedKind::Int64), vec![Type::Boxed], Type::Int64),
            8 => (Prim::IntArith { op, kind: IntKind::Int64 }, vec![Type::Int64, Type::Int64], Type::Int64),
            9 | 10 => (Prim::MakeBlock { tag: 0, mutability }, vec![Type::Int; 3], Type::Block),
            11..=13 => {
                // Field 2 is never assigned.
                let field = self.below(3) as u32;
                let mutability = if field == 2 { mutability } else { Mutability::Mutable };
                (Prim::BlockLoad { field, mutability }, vec![Type::Block], Type::Int)
            }
            14 | 15 => {
                let field = self.below(2) as u32;
                let store = Prim::BlockStore { field, pointer: true, init: Init::Assignment };
                (store, vec![Type::Block, Type::Int], Type::Int)
            }
            16 | 20..25 => (self.external(true), vec![Type::Int], Type::Int),
            17 => (self.external(false), vec![Type::Int], Type::Int),
            18 => {
                let divisor = self.operand(scope, Type::Int64)?;
                let check = Prim::CheckZero { kind: IntKind::Int64 };
                items.push(self.let_(scope, check, &[divisor], Type::Int));
                let dividend = self.operand(scope, Type::Int64)?;
                let div = Prim::IntDiv { kind: IntKind::Int64 };
                items.push(self.let_(scope, div, &[dividend, divisor], Type::Int64));
                return Some(());
            }
            _ => (Prim::ExnState, vec![], Type::Int),
        };
        let args = types.iter().map(|ty| self.operand(scope, *ty)).collect::<Option<Vec<_>>>()?;
        items.push(self.let_(scope, prim, &args, ty));
        Some(())
    }

    fn params(&mut self, scope: &mut Scope, types: &[Type]) -> SmallVec<[Variable; 2]> {
        types
            .iter()
            .map(|ty| {
                let var = self.var(*ty);
                scope.vars.push((var, *ty));
                var
            })
            .collect()
    }

    fn types(&mut self, most: usize) -> Vec<Type> {
        let count = self.below(most + 1);
        (0..count).map(|_| [Type::Int, Type::Int, Type::Naked, Type::Int64][self.below(4)]).collect()
    }

    /// A term. `pending`: a handler whose `try` it has to hold.
    fn expr(&mut self, mut scope: Scope, size: usize, pending: Option<Handler>) -> Expr {
        let mut items = Vec::new();
        let count = self.below(size.min(6) + 2);
        for _ in 0..count {
            if size > 1 && self.one_in(4) {
                self.control(&mut scope, size, &mut items);
            } else {
                self.prim(&mut scope, &mut items);
            }
        }
        let terminator = match pending {
            Some(handler) => self.with_try(&mut scope, size, handler, &mut items),
            None => self.terminator(&mut scope, size, &mut items),
        };
        Expr { items, terminator }
    }

    fn control(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) {
        let cont = self.unit.new_continuation("k");
        match self.below(5) {
            0 | 1 => {
                let types = self.types(2);
                let mut inside = scope.clone();
                inside.conts.push((cont, types.clone()));
                let body = Box::new(self.expr(inside, size / 2, None));
                let params = self.params(scope, &types);
                items.push(Item::Join { cont, params, body });
            }
            2 => {
                let h = self.unit.new_exn_continuation("h");
                let types = self.types(2);
                let mut inside = scope.clone();
                inside.conts.push((cont, vec![Type::Int]));
                // join k (x) { join exn h (e, …) { … try … } … }
                let exn = (h, types.clone());
                let try_ = Box::new(self.expr(inside.clone(), size / 2, Some(exn)));
                let mut in_handler = inside;
                let exn_types: Vec<_> = std::iter::once(Type::Int).chain(types).collect();
                let params = self.params(&mut in_handler, &exn_types);
                let mut rest = self.expr(in_handler, size / 2, None);
                rest.items.insert(0, Item::Join { cont: h, params, body: try_ });
                let params = self.params(scope, &[Type::Int]);
                items.push(Item::Join { cont, params, body: Box::new(rest) });
            }
            3 => {
                let types = self.types(2);
                let mut inside = scope.clone();
                inside.conts.push((cont, types.clone()));
                let params = self.params(&mut inside, &types);
                let mut body = self.expr(inside.clone(), size / 2, None);
                // An effect at the head tells iterations apart.
                let arg = self.operand(&inside, Type::Int).unwrap_or(Simple::UNIT);
                let effect = self.external(false);
                body.items.insert(0, self.let_(&mut inside, effect, &[arg], Type::Int));
                let handlers = vec![ContHandler { cont, params, body }];
                items.push(Item::LetCont { recursive: true, handlers });
                scope.conts.push((cont, types));
            }
            _ => {
                let mut handlers = Vec::new();
                let mut bound = Vec::new();
                for _ in 0..=self.below(3) {
                    let cont = self.unit.new_continuation("k");
                    let types = self.types(2);
                    let mut inside = scope.clone();
                    let params = self.params(&mut inside, &types);
                    let body = self.expr(inside, size / 3, None);
                    handlers.push(ContHandler { cont, params, body });
                    bound.push((cont, types));
                }
                scope.conts.extend(bound);
                items.push(Item::LetCont { recursive: false, handlers });
            }
        }
    }

    fn with_try(
        &mut self,
        scope: &mut Scope,
        size: usize,
        handler: Handler,
        items: &mut Vec<Item>,
    ) -> Terminator {
        if size > 1 && self.one_in(3) {
            // Under another try first.
            let h = self.unit.new_exn_continuation("h");
            let types = self.types(1);
            let mut in_handler = scope.clone();
            let exn_types: Vec<_> = std::iter::once(Type::Int).chain(types.clone()).collect();
            let params = self.params(&mut in_handler, &exn_types);
            let body = self.expr(in_handler, size / 2, None);
            items.push(Item::LetCont {
                recursive: false,
                handlers: vec![ContHandler { cont: h, params, body }],
            });
            return self.try_(scope, size, (h, types), Some(handler));
        }
        self.try_(scope, size, handler, None)
    }

    fn try_(&mut self, scope: &Scope, size: usize, handler: Handler, pending: Option<Handler>) -> Terminator {
        let mut inside = scope.clone();
        inside.exn = handler;
        let exn = self.exn(&Scope { exn: inside.exn.clone(), ..scope.clone() });
        let body = Box::new(self.expr(inside, size / 2, pending));
        Terminator::Try { body, handler: exn }
    }

    fn jump(&mut self, scope: &Scope) -> ApplyCont {
        // The innermost continuations first, lest all leave at once.
        let back = self.below(scope.conts.len()).min(self.below(scope.conts.len()));
        let (cont, types) = scope.conts[scope.conts.len() - 1 - back].clone();
        let args = types.iter().filter_map(|ty| self.operand(scope, *ty)).collect();
        ApplyCont { cont, args }
    }

    fn terminator(&mut self, scope: &mut Scope, size: usize, items: &mut Vec<Item>) -> Terminator {
        match self.below(9) {
            0 | 1 => Terminator::ApplyCont(self.jump(scope)),
            2 => {
                let exn = self.operand(scope, Type::Int).unwrap_or(Simple::UNIT);
                let handler = Box::new(self.exn(scope));
                Terminator::Raise { kind: RaiseKind::Regular, exn, handler, dbg: Dbg::NONE }
            }
            3 | 4 => {
                let takers: Vec<_> =
                    scope.conts.iter().filter(|(_, types)| **types == [Type::Int]).map(|(k, _)| *k).collect();
                let ret = takers[self.below(takers.len())];
                let args = (0..=self.below(2)).filter_map(|_| self.operand(scope, Type::Int)).collect();
                Terminator::Apply(Box::new(Apply {
                    callee: Some(Simple::UNIT),
                    kind: CallKind::Generic,
                    args,
                    ret,
                    exn: self.exn(scope),
                    dbg: self.id(),
                    inlined: InlineAttribute::Default,
                    specialised: SpecialiseAttribute::Default,
                }))
            }
            _ if size > 0 => {
                let mut handlers = Vec::new();
                let mut arms = Vec::new();
                let count = 2 + self.below(3);
                for key in 0..count {
                    if self.one_in(3) {
                        arms.push((key as i64 - 1, self.jump(scope)));
                        continue;
                    }
                    let cont = self.unit.new_continuation("arm");
                    let types = self.types(1);
                    let mut inside = scope.clone();
                    let params = self.params(&mut inside, &types);
                    let body = self.expr(inside, size / 2, None);
                    handlers.push(ContHandler { cont, params, body });
                    let args = types.iter().filter_map(|ty| self.operand(scope, *ty)).collect();
                    arms.push((key as i64 - 1, ApplyCont { cont, args }));
                }
                if !handlers.is_empty() {
                    items.push(Item::LetCont { recursive: false, handlers });
                }
                let scrutinee = self.operand(scope, Type::Naked).unwrap_or(Simple::naked_imm(0));
                let default = Some(self.jump(scope));
                Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg: Dbg::NONE }))
            }
            _ => Terminator::ApplyCont(self.jump(scope)),
        }
    }
}
