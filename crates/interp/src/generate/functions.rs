//! The parts of a unit: static data, functions, sets of closures, the entry code.

use flambeau_ir::prim::{Init, IntCmp, IntOp};
use flambeau_ir::term::Switch;
use flambeau_ir::{
    ApplyCont, Code, CodeAttributes, CodeId, Const, ContHandler, Dbg, Expr, FunctionKind, IntKind, Item,
    Prim, SetOfClosures, Simple, Static, StaticDef, StaticField, Symbol, SymbolData, Terminator, Unit,
    ValueSlot,
};

use super::types::{BYTES, SIDE, Shape, Type};
use super::{Counter, Generator, Scope, Symbols, Target};

/// The contents of static strings.
pub(super) const STRINGS: [&[u8; BYTES as usize]; 3] =
    [b"aaaaaaaabbbbbbbb", b"\0\x01\x02\xff\xfe\x80\x7fxyz0123\n\"", b"aaaaaaaabbbbbbbc"];

/// What is settled of a code before there are bodies.
pub(super) struct Plan {
    pub(super) shape: Shape,
    pub(super) params: Vec<Type>,
    pub(super) result: Type,
    /// Whether it is called through its closure alone.
    pub(super) passed: bool,
    /// Whether it needs its closure.
    pub(super) uses_env: bool,
    /// The closure, if it is static.
    pub(super) symbol: Option<Symbol>,
    recursive: bool,
}

impl Plan {
    /// Whether calls may name it without its closure.
    pub(super) fn is_named(&self) -> bool {
        !(self.uses_env || self.passed)
    }
}

/// A set of closures that the unit will have.
pub(super) struct PlannedSet {
    codes: Vec<CodeId>,
    values: Vec<(ValueSlot, Type)>,
    home: Home,
}

/// Where a set is allocated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Static,
    Code(CodeId),
    Entry,
}

fn local(unit: &mut Unit, name: &str) -> Symbol {
    unit.symbols.push(SymbolData { linkage_name: format!("camlRandom__{name}"), is_local: true })
}

/// Adds the symbols that every unit has.
pub(super) fn symbols(unit: &mut Unit) -> Symbols {
    let mut define = |name: &str, def: &dyn Fn(Symbol) -> StaticDef| {
        let symbol = local(unit, name);
        unit.statics.push(Static { exported: false, def: def(symbol) });
        symbol
    };
    let block = |fields: &[i64]| {
        let fields: Vec<_> = fields.iter().map(|n| StaticField::Immediate(*n)).collect();
        move |symbol| StaticDef::Block { symbol, tag: 0, fields: fields.clone() }
    };
    let strings = STRINGS.iter().enumerate().map(|(n, contents)| {
        let contents = contents.to_vec();
        define(&format!("string_{n}"), &|symbol| StaticDef::String {
            symbol,
            mutable: false,
            contents: contents.clone(),
        })
    });
    let strings = strings.collect();
    let decimal =
        define("decimal", &|symbol| StaticDef::String { symbol, mutable: false, contents: b"%d".to_vec() });
    let boxed = [
        define("float", &|symbol| StaticDef::Float { symbol, bits: 1.5f64.to_bits() }),
        define("int32", &|symbol| StaticDef::Int32 { symbol, value: -7 }),
        define("int64", &|symbol| StaticDef::Int64 { symbol, value: 1 << 40 }),
        define("nativeint", &|symbol| StaticDef::Nativeint { symbol, value: -3 }),
    ];
    let elements: Vec<_> = [0.5f64, -0.0, f64::NAN].iter().map(|x| x.to_bits()).collect();
    let floats = define("floats", &|symbol| StaticDef::FloatArray {
        symbol,
        mutable: false,
        elements: elements.clone(),
    });
    let tuple = define("tuple", &block(&[3, -1, 0]));
    let dimensions = [define("bytes", &block(&[BYTES])), define("square", &block(&[SIDE, SIDE]))];
    let mut foreign =
        |name: &str| unit.symbols.push(SymbolData { linkage_name: name.to_owned(), is_local: false });
    let (outside, callback) = (foreign("int_outside"), foreign("callback"));
    Symbols { strings, decimal, boxed, floats, tuple, dimensions, outside, callback }
}

impl Generator {
    pub(super) fn functions(&mut self) {
        let count = match self.options.functions {
            0 | 1 => self.options.functions,
            most => 1 + self.random.below(most),
        };
        for n in 0..count {
            let plan = self.plan(n);
            self.plans.push(plan);
            self.head(n);
        }
        if self.options.closures {
            self.plan_sets();
        }
        for id in self.unit.codes.keys().collect::<Vec<_>>() {
            self.code_body(id);
        }
    }

    fn plan(&mut self, n: usize) -> Plan {
        let shapes = [
            Shape::Unary,
            Shape::Binary,
            Shape::Maker,
            Shape::OfBlock,
            Shape::Pair,
            Shape::Direct,
            Shape::Direct,
        ];
        let shape = match (self.options.functions, n) {
            (1, _) => Shape::Binary,
            // Of this one there is always a closure, for what gives one.
            (_, 0) => Shape::Unary,
            _ => self.random.pick(&shapes),
        };
        let shape = if shape == Shape::Maker && !self.options.closures { Shape::Unary } else { shape };
        let mut choices = vec![Type::Int, Type::Naked, Type::Tuple, Type::Any];
        if self.options.numbers {
            choices.extend([Type::Float, Type::Int64, Type::Int32, Type::Native]);
        }
        let direct = shape == Shape::Direct;
        let mut params = shape.params().to_vec();
        if direct {
            params = (0..=self.random.below(3)).map(|_| self.random.pick(&choices)).collect();
        }
        let result = if direct { self.random.pick(&choices) } else { shape.result() };
        let passed = shape == Shape::Pair && self.one_in(2);
        let recursive = self.options.functions > 1 && !passed && params[0] == Type::Int && self.one_in(2);
        Plan { shape, params, result, passed, uses_env: false, symbol: None, recursive }
    }

    fn head(&mut self, n: usize) {
        let (params, result) = (self.plans[n].params.clone(), self.plans[n].result);
        let params = params.iter().map(|ty| self.variable(*ty)).collect();
        let function_slot = self.unit.function_slots.push(format!("f{n}"));
        let tupled = self.plans[n].shape == Shape::Pair;
        let code = Code {
            linkage_name: format!("camlRandom__f{n}"),
            params,
            my_closure: self.unit.new_value("env"),
            function_slot,
            ret: self.unit.new_continuation("return"),
            exn: self.unit.new_exn_continuation("raise"),
            result: result.kind(),
            kind: if tupled { FunctionKind::Tupled } else { FunctionKind::Curried },
            recursive: self.plans[n].recursive,
            attributes: CodeAttributes { stub: self.one_in(10), ..CodeAttributes::default() },
            dbg: Dbg::NONE,
            body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
        };
        self.unit.codes.push(code);
    }

    /// Shares codes out to sets. A set is static, or allocated in a later code or the entry.
    fn plan_sets(&mut self) {
        let codes: Vec<_> = self.unit.codes.keys().collect();
        let mut rest = &codes[..];
        while !rest.is_empty() {
            let count = (1 + self.random.below(3)).min(rest.len());
            let count = if rest.len() == codes.len() { 1 } else { count };
            let (these, others) = rest.split_at(count);
            rest = others;
            let is_first = these[0].as_u32() == 0;
            let home = match self.random.below(3) {
                _ if is_first => Home::Static,
                0 => Home::Static,
                1 if !others.is_empty() => Home::Code(self.random.pick(others)),
                _ => Home::Entry,
            };
            let types = [Type::Int, Type::Any, Type::Block, Type::Tuple];
            let types = if home == Home::Static { &types[..1] } else { &types };
            let captured = if is_first { 0 } else { self.random.below(3) };
            let values = (0..captured)
                .map(|n| (self.unit.value_slots.push(format!("x{n}")), self.random.pick(types)))
                .collect();
            let set = PlannedSet { codes: these.to_vec(), values, home };
            for code in these {
                let uses_env = !is_first && !self.one_in(3);
                self.plans[code.as_u32() as usize].uses_env = uses_env;
            }
            if home == Home::Static {
                self.static_set(&set);
            }
            self.sets.push(set);
        }
    }

    fn functions_of(&self, set: &PlannedSet) -> smallvec::SmallVec<[(flambeau_ir::FunctionSlot, CodeId); 1]> {
        set.codes.iter().map(|code| (self.unit.codes[*code].function_slot, *code)).collect()
    }

    fn static_set(&mut self, set: &PlannedSet) {
        let mut symbols = Vec::new();
        for code in &set.codes {
            let symbol = local(&mut self.unit, &format!("closure_{}", code.as_u32()));
            self.plans[code.as_u32() as usize].symbol = Some(symbol);
            symbols.push(symbol);
        }
        let value = |_: &(ValueSlot, Type)| Simple::tagged(self.random.below(9) as i64);
        let values: Vec<_> = set.values.iter().map(value).collect();
        let values = set.values.iter().zip(values).map(|((slot, _), value)| (*slot, value)).collect();
        let set = SetOfClosures { functions: self.functions_of(set), values };
        self.unit.statics.push(Static { exported: true, def: StaticDef::Closures { symbols, set } });
    }

    /// Allocates the sets that live here.
    fn allocate_sets(&mut self, scope: &mut Scope, items: &mut Vec<Item>, home: Home) {
        let sets = std::mem::take(&mut self.sets);
        for planned in sets.iter().filter(|set| set.home == home) {
            let values = planned.values.iter().map(|(slot, ty)| (*slot, self.force(scope, items, *ty)));
            let values = values.collect();
            let set = SetOfClosures { functions: self.functions_of(planned), values };
            let types: Vec<_> = planned
                .codes
                .iter()
                .map(|code| Type::Fun(self.plans[code.as_u32() as usize].shape))
                .collect();
            let vars = self.params(scope, &types);
            scope
                .closures
                .extend(vars.iter().map(|var| Simple::Var(*var)).zip(planned.codes.iter().copied()));
            let closure = Simple::Var(vars[0]);
            let function = set.functions[0].0;
            let dbg = self.location();
            items.push(Item::LetClosures { vars: vars.as_slice().into(), set, dbg });
            if self.one_in(3) {
                // As `let rec` does whose right-hand side computes a closure.
                let dummy = self.let_(scope, items, Prim::AllocDummyClosure { function }, &[], types[0]);
                let args = [(dummy, Type::Any), (closure, Type::Any)];
                self.c_call(scope, items, "caml_update_dummy", &args, Type::Any, true);
            }
        }
        self.sets = sets;
    }

    fn code_body(&mut self, id: CodeId) {
        let index = id.as_u32() as usize;
        let code = &self.unit.codes[id];
        let types = self.plans[index].params.clone();
        let result = Target { cont: code.ret, types: vec![self.plans[index].result], counter: Counter::None };
        let mut scope = Scope {
            operations: Vec::new(),
            vars: code.params.iter().copied().zip(types).collect(),
            targets: vec![result],
            handler: (code.exn, Vec::new()),
            closures: Vec::new(),
            recursion: None,
            locals: Vec::new(),
            callable: index,
        };
        self.budget = 12 * self.options.size;
        let mut items = Vec::new();
        self.environment(&mut scope, &mut items, id);
        self.allocate_sets(&mut scope, &mut items, Home::Code(id));
        self.make_local_blocks(&mut scope, &mut items);
        if self.plans[index].recursive {
            self.unit.codes[id].body = self.recursive_body(scope, items, id);
            return;
        }
        let rest = self.expr(scope, self.options.size);
        items.extend(rest.items);
        self.unit.codes[id].body = Expr { items, terminator: rest.terminator };
    }

    /// What a code reads from its closure. Static closures are known everywhere.
    fn environment(&mut self, scope: &mut Scope, items: &mut Vec<Item>, id: CodeId) {
        for (n, plan) in self.plans.iter().enumerate() {
            if let Some(symbol) = plan.symbol {
                scope.closures.push((Simple::Symbol(symbol), CodeId::from_u32(n as u32)));
            }
        }
        let index = id.as_u32() as usize;
        if !self.plans[index].uses_env {
            return;
        }
        let (env, from) = (self.unit.codes[id].my_closure, self.unit.codes[id].function_slot);
        scope.vars.push((env, Type::Any));
        scope.closures.push((Simple::Var(env), id));
        let Some(set) = self.sets.iter().find(|set| set.codes.contains(&id)) else { return };
        let (values, codes) = (set.values.clone(), set.codes.clone());
        for (value, ty) in values {
            let prim = Prim::ProjectValueSlot { function: from, value };
            self.let_(scope, items, prim, &[Simple::Var(env)], ty);
        }
        for code in codes {
            let to = self.unit.codes[code].function_slot;
            let ty = if code < id { Type::Fun(self.plans[code.as_u32() as usize].shape) } else { Type::Any };
            let sibling =
                self.let_(scope, items, Prim::ProjectFunctionSlot { from, to }, &[Simple::Var(env)], ty);
            scope.closures.push((sibling, code));
            if self.one_in(8) {
                self.let_(scope, items, Prim::IsClosureOf { function: to }, &[Simple::Var(env)], Type::Naked);
            }
        }
    }

    /// `let d = n land 3 in if d <= 0 then … else … f (d - 1) …`
    fn recursive_body(&mut self, mut scope: Scope, mut items: Vec<Item>, id: CodeId) -> Expr {
        let param = Simple::Var(self.unit.codes[id].params[0]);
        let kind = IntKind::Tagged;
        let mut int = |g: &mut Generator, op, a, b: i64| {
            let prim = Prim::IntArith { op, kind };
            g.let_(&mut scope, &mut items, prim, &[a, Simple::tagged(b)], Type::Int)
        };
        let depth = int(self, IntOp::And, param, 3);
        let next = int(self, IntOp::Sub, depth, 1);
        let prim = Prim::IntCompare { op: IntCmp::Le, kind };
        let is_over = self.let_(&mut scope, &mut items, prim, &[depth, Simple::tagged(0)], Type::Naked);
        let (stop, go) = (self.unit.new_continuation("stop"), self.unit.new_continuation("go"));
        let is_sum = self.options.sums && self.plans[id.as_u32() as usize].result == Type::Int;
        let stop_body = if is_sum { self.end_of_sum(&scope, depth) } else { self.leave(&mut scope.clone()) };
        scope.recursion = next.as_var().map(|next| (id, next));
        let go_body = if is_sum {
            self.sum_of_calls(&mut scope)
        } else {
            let mut calls = Vec::new();
            if !self.one_in(4) {
                self.recurse_twice(&mut scope, &mut calls);
            }
            let rest = self.expr(scope, self.options.size);
            calls.extend(rest.items);
            Expr { items: calls, terminator: rest.terminator }
        };
        let handler = |cont, body| ContHandler { cont, params: Default::default(), body };
        items.push(Item::LetCont {
            recursive: false,
            handlers: vec![handler(stop, stop_body), handler(go, go_body)],
        });
        let arm = |cont| ApplyCont { cont, args: Default::default() };
        let arms = vec![(0, arm(go)), (1, arm(stop))];
        let dbg = self.location();
        let switch = Switch { scrutinee: is_over, arms, default: None, dbg, cases: None };
        Expr { items, terminator: Terminator::Switch(Box::new(switch)) }
    }

    // ---- the entry

    /// Calls each function that it can, shows what comes back, and does something of its own.
    pub(super) fn entry(&mut self) {
        let (ret, exn) = (self.unit.entry.ret, self.unit.entry.exn);
        let mut scope = Scope {
            operations: Vec::new(),
            vars: Vec::new(),
            targets: vec![Target { cont: ret, types: vec![Type::Any], counter: Counter::None }],
            handler: (exn, Vec::new()),
            closures: Vec::new(),
            recursion: None,
            locals: Vec::new(),
            callable: self.plans.len(),
        };
        if self.options.functions == 1 {
            let unit = Simple::Const(Const::UNIT);
            self.unit.entry.body = Expr { items: Vec::new(), terminator: self.returning(ret, unit) };
            return;
        }
        self.budget = 12 * self.options.size;
        let mut items = Vec::new();
        for (n, plan) in self.plans.iter().enumerate() {
            if let Some(symbol) = plan.symbol {
                scope.closures.push((Simple::Symbol(symbol), CodeId::from_u32(n as u32)));
            }
        }
        self.allocate_sets(&mut scope, &mut items, Home::Entry);
        self.make_local_blocks(&mut scope, &mut items);
        for id in (0..self.plans.len() as u32).map(CodeId::from_u32) {
            let closure = scope.closures.iter().find(|(_, code)| *code == id).map(|(closure, _)| *closure);
            if closure.is_some() || self.plans[id.as_u32() as usize].is_named() {
                self.drive(&mut scope, &mut items, id, closure);
            }
        }
        let module = Simple::Symbol(self.unit.module_symbol);
        for field in 0..4 {
            let value = self.force(&mut scope, &mut items, Type::Any);
            let prim = Prim::BlockStore { field, pointer: true, init: Init::Root };
            self.let_(&mut scope, &mut items, prim, &[module, value], Type::Int);
        }
        let rest = self.expr(scope, self.options.size);
        items.extend(rest.items);
        self.unit.entry.body = Expr { items, terminator: rest.terminator };
    }

    /// A call under a handler, whose result or exception is shown.
    fn drive(&mut self, scope: &mut Scope, items: &mut Vec<Item>, id: CodeId, closure: Option<Simple>) {
        let done = self.unit.new_continuation("done");
        let h = self.unit.new_exn_continuation("h");
        let mut in_handler = scope.clone();
        let params = self.params(&mut in_handler, &[Type::Any]);
        let caught = Simple::Var(params[0]);
        let body = Expr { items: Vec::new(), terminator: self.returning(done, caught) };
        let handlers = vec![ContHandler { cont: h, params, body }];
        let group = Item::LetCont { recursive: false, handlers };

        let mut inside = Scope { handler: (h, Vec::new()), ..scope.clone() };
        let mut run = Vec::new();
        let result = self.call_code(&mut inside, &mut run, id, closure);
        let ty = self.plans[id.as_u32() as usize].result;
        self.observe(&mut inside, &mut run, result, ty);
        let terminator = self.returning(done, Simple::Const(Const::UNIT));
        let body = Box::new(Expr { items: run, terminator });
        let handler = self.exn(&inside);
        let body = Box::new(Expr { items: vec![group], terminator: Terminator::Try { body, handler } });
        let params = self.params(scope, &[Type::Any]);
        let shown = Simple::Var(params[0]);
        items.push(Item::Join { cont: done, params, body });
        self.observe(scope, items, shown, Type::Any);
    }
}
