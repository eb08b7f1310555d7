//! Random well-formed units: every sort of item, terminator and static, most primitives, names that
//! collide. They are generated for reading and writing, not for running.

mod prims;

use cranelift_entity::EntityRef;
use flambeau_ir::decision::Policy;
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_ir::term::{InlineAttribute, RaiseKind, SpecialiseAttribute, StringSwitch};
use flambeau_ir::{
    Apply, ApplyCont, ArgType, BoxedKind, CallKind, Code, CodeAttributes, CodeId, Const, ContHandler,
    Continuation, Dbg, Elements, ExnCont, Expr, FunctionKind, FunctionSlot, Hashed, HashedShape, Heat, Item,
    Kind, Leaf, Loc, Named, Naming, Origin, SetOfClosures, Simple, Static, StaticDef, StaticField, Subkind,
    Switch, Symbol, SymbolData, Terminator, Unit, ValueSlot, Variable,
};

/// `SplitMix64`: small, and the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(6)).map(|_| self.bits() as u8).collect()
    }
}

const KINDS: [Kind; 6] = [
    Kind::Value,
    Kind::NakedImmediate,
    Kind::NakedFloat,
    Kind::NakedInt32,
    Kind::NakedInt64,
    Kind::NakedNativeint,
];

const NAMES: [&str; 17] = [
    "depth",
    "heat",
    "origin",
    "x",
    "x",
    "x_1",
    "y'",
    "*opt*",
    "raise",
    "",
    "_",
    "+|",
    "é",
    "a.b",
    "poison",
    "x_",
    "back`quote\\",
];

const FLOATS: [u64; 7] = [
    0,
    1 << 63,
    0x3ff8_0000_0000_0000,
    1,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0xfff0_0000_0000_0001,
];

/// A set of closures that the unit will have.
struct PlannedSet {
    codes: Vec<CodeId>,
    values: Vec<ValueSlot>,
    /// The code whose body allocates it; none for static sets.
    home: Option<CodeId>,
}

/// What a continuation takes.
#[derive(Clone)]
struct Target {
    cont: Continuation,
    kinds: Vec<Kind>,
}

/// What is in scope at a point of a function.
#[derive(Clone, Default)]
struct Scope {
    variables: Vec<Variable>,
    targets: Vec<Target>,
}

pub struct Generator {
    random: Random,
    unit: Unit,
    sets: Vec<PlannedSet>,
    /// Whether the codes, by number, use their closures.
    uses_closure: Vec<bool>,
    /// The innermost handler: its continuation, and the kinds of its extra arguments.
    handler: (Continuation, Vec<Kind>),
    /// How many items and terminators may still be generated in this function.
    budget: usize,
}

/// The well-formed unit of that number.
pub fn unit(seed: u64) -> Unit {
    let mut unit = Unit::new("Random", Naming::usual("camlRandom"), 3);
    unit.statics[0].exported = true;
    let handler = (unit.entry.exn, Vec::new());
    let random = Random::new(seed);
    let mut generator =
        Generator { random, unit, sets: Vec::new(), uses_closure: Vec::new(), handler, budget: 0 };
    generator.symbols();
    generator.origins();
    generator.code_heads();
    generator.plan_sets();
    for id in generator.unit.codes.keys().collect::<Vec<_>>() {
        generator.code_body(id);
    }
    let (ret, exn) = (generator.unit.entry.ret, generator.unit.entry.exn);
    let scope =
        Scope { variables: Vec::new(), targets: vec![Target { cont: ret, kinds: vec![Kind::Value] }] };
    generator.handler = (exn, Vec::new());
    generator.budget = 20;
    generator.unit.entry.body = generator.expr(scope, Vec::new(), 3);
    generator.unit
}

impl Generator {
    fn name(&mut self) -> String {
        self.random.pick(&NAMES).to_owned()
    }

    fn variable(&mut self, kind: Kind) -> Variable {
        let boxed = [BoxedKind::Float, BoxedKind::Int32, BoxedKind::Int64, BoxedKind::Nativeint];
        let subkind = match self.random.below(4) {
            0 => Subkind::Immediate,
            1 => Subkind::Boxed(self.random.pick(&boxed)),
            _ => Subkind::Any,
        };
        let name = self.name();
        let is_value = kind == Kind::Value;
        let variable = self.unit.new_variable(name, kind, if is_value { subkind } else { Subkind::Any });
        if is_value && self.random.one_in(8) {
            let element = ArgType::Variable(self.random.below(3) as u32);
            let list = ArgType::Block(vec![element.clone(), ArgType::Enclosing(0)]);
            let shapes = [element.clone(), list, ArgType::Function(vec![element.clone()], Box::new(element))];
            self.unit.variables[variable].shape = Some(Box::new(self.random.pick(&shapes)));
        }
        variable
    }

    fn dbg(&mut self) -> Dbg {
        if self.random.one_in(2) { Dbg::NONE } else { Dbg(self.random.below(9) as u32) }
    }

    // ---- the parts of a unit

    fn symbols(&mut self) {
        for _ in 0..self.random.below(4) {
            let bits = self.random.bits() as u32;
            let linkage_name =
                format!("{}{bits:x}", self.random.pick(&["caml_exn_", "camlRandom__", "odd name"]));
            self.unit.symbols.push(SymbolData { linkage_name, is_local: false });
        }
        for n in 0..self.random.below(6) {
            let prefix =
                self.random.pick(&["camlRandom__data_", "camlRandom__raise", "other$", "camlRandom"]);
            let symbol = self.local_symbol(format!("{prefix}{n}"));
            let exported = self.random.one_in(2);
            let def = self.static_def(symbol);
            self.unit.statics.push(Static { exported, def });
        }
        for _ in 0..self.random.below(4) {
            let (file, scope) = (self.name(), self.name());
            let mut number = || self.random.below(3) as u32;
            let loc = Loc {
                file,
                line: number(),
                char_start: number(),
                char_end: number(),
                start_bol: number(),
                end_bol: number(),
                end_line: number(),
                scope,
            };
            self.unit.locs.push(loc);
        }
    }

    fn origins(&mut self) {
        let choices = [Choice::Measured, Choice::Documented(Policy::Benefit)];
        for choice in choices {
            self.unit.origins.push(Rounds::new(choice, 1 + self.random.below(3) as u32));
        }
    }

    fn local_symbol(&mut self, linkage_name: String) -> Symbol {
        self.unit.symbols.push(SymbolData { linkage_name, is_local: true })
    }

    fn static_def(&mut self, symbol: Symbol) -> StaticDef {
        let random = &mut self.random;
        let bits = random.bits();
        match random.below(8) {
            0 => StaticDef::Float { symbol, bits: random.pick(&FLOATS) },
            1 => StaticDef::Int32 { symbol, value: bits as i32 },
            2 => StaticDef::Int64 { symbol, value: bits as i64 },
            3 => StaticDef::Nativeint { symbol, value: bits as i64 },
            4 => StaticDef::String { symbol, mutable: random.below(2) == 0, contents: random.bytes() },
            5 => {
                let elements = (0..random.below(4)).map(|_| random.pick(&FLOATS)).collect();
                StaticDef::FloatArray { symbol, mutable: random.below(2) == 0, elements }
            }
            6 => {
                let size = random.below(5) as u32;
                let private = random.below(size as usize + 1) as u32;
                StaticDef::Preallocated { symbol, tag: (bits % 246) as u8, size, private }
            }
            _ => {
                let symbols: Vec<_> = self.unit.symbols.keys().collect();
                let fields = (0..random.below(4)).map(|_| match random.below(2) {
                    0 => StaticField::Symbol(random.pick(&symbols)),
                    _ => StaticField::Immediate((random.bits() as i64) >> 2),
                });
                StaticDef::Block { symbol, tag: (bits % 246) as u8, fields: fields.collect() }
            }
        }
    }

    fn code_heads(&mut self) {
        for n in 0..=self.random.below(6) {
            let prefix = self.random.pick(&["camlRandom__f_", "camlRandom__", "other_"]);
            let kinds: Vec<_> = (0..=self.random.below(3)).map(|_| self.kind()).collect();
            let params = kinds.into_iter().map(|kind| self.variable(kind)).collect();
            let (slot, ret, exn) = (self.name(), self.name(), self.name());
            let function_slot = self.unit.function_slots.push(slot);
            let my_closure = self.unit.new_value("my_closure");
            let (ret, exn) = (self.unit.new_continuation(ret), self.unit.new_exn_continuation(exn));
            let (result, dbg, heat) = (self.kind(), self.dbg(), self.heat());
            let random = &mut self.random;
            let code = Code {
                linkage_name: format!("{prefix}{n}"),
                params,
                my_closure,
                function_slot,
                ret,
                exn,
                result,
                kind: if random.one_in(4) { FunctionKind::Tupled } else { FunctionKind::Curried },
                recursive: true,
                attributes: CodeAttributes {
                    inline: inline_attribute(random),
                    specialise: specialise_attribute(random),
                    is_functor: random.one_in(4),
                    stub: random.one_in(4),
                    no_poll: random.one_in(4),
                    sole: random.one_in(16),
                    no_return: random.one_in(16),
                    heat,
                },
                dbg,
                body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
            };
            self.unit.codes.push(code);
            self.uses_closure.push(self.random.one_in(2));
        }
    }

    /// Shares codes out to sets; each set is static or has a home.
    fn plan_sets(&mut self) {
        let codes: Vec<_> = self.unit.codes.keys().collect();
        let mut rest = &codes[..];
        while !rest.is_empty() {
            let (these, others) = rest.split_at(1 + self.random.below(rest.len()));
            rest = others;
            if self.random.one_in(4) {
                continue;
            }
            let names: Vec<_> = (0..self.random.below(3)).map(|_| self.name()).collect();
            let values = names.into_iter().map(|name| self.unit.value_slots.push(name)).collect();
            let home = if self.random.one_in(2) { Some(self.random.pick(&codes)) } else { None };
            let set = PlannedSet { codes: these.to_vec(), values, home };
            if home.is_none() {
                let symbols = these.iter().map(|code| {
                    let linkage_name = format!("camlRandom__closure_{}", code.index());
                    self.unit.symbols.push(SymbolData { linkage_name, is_local: true })
                });
                let symbols = symbols.collect();
                let set = self.set_of_closures(&set, &Scope::default());
                self.unit.statics.push(Static { exported: true, def: StaticDef::Closures { symbols, set } });
            }
            self.sets.push(set);
        }
    }

    fn set_of_closures(&mut self, set: &PlannedSet, scope: &Scope) -> SetOfClosures {
        let functions = set.codes.iter().map(|&code| (self.unit.codes[code].function_slot, code)).collect();
        let values = set.values.iter().map(|&slot| (slot, self.simple(scope, Kind::Value))).collect();
        SetOfClosures { functions, values }
    }

    fn code_body(&mut self, id: CodeId) {
        let code = &self.unit.codes[id];
        let mut scope = Scope {
            variables: code.params.to_vec(),
            targets: vec![Target { cont: code.ret, kinds: vec![code.result] }],
        };
        if self.uses_closure[id.index()] {
            scope.variables.push(code.my_closure);
        }
        self.handler = (code.exn, Vec::new());
        self.budget = 40;
        let mut items = Vec::new();
        let sets = std::mem::take(&mut self.sets);
        for set in sets.iter().filter(|set| set.home == Some(id)) {
            let made = self.set_of_closures(set, &scope);
            let vars: Vec<_> = set.codes.iter().map(|_| self.variable(Kind::Value)).collect();
            scope.variables.extend(&vars);
            let dbg = self.dbg();
            items.push(Item::LetClosures { vars: vars.into(), set: made, dbg });
        }
        self.sets = sets;
        self.unit.codes[id].body = self.expr(scope, items, 4);
    }

    // ---- terms

    /// A run that begins with these items.
    fn expr(&mut self, mut scope: Scope, mut items: Vec<Item>, depth: usize) -> Expr {
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

    fn heat(&mut self) -> Heat {
        if self.random.one_in(4) { self.random.pick(&Heat::COUNTED) } else { Heat::Unknown }
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
            types = vec![ArgType::Unknown, ArgType::Immediate, compared, list, function];
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
                let dbg = self.dbg();
                Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg }))
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

    fn exn(&mut self, scope: &Scope) -> ExnCont {
        let (cont, kinds) = self.handler.clone();
        let extra_args = kinds.iter().map(|&kind| self.simple(scope, kind)).collect();
        ExnCont { cont, extra_args }
    }

    fn kind(&mut self) -> Kind {
        if self.random.one_in(2) { Kind::Value } else { self.random.pick(&KINDS) }
    }

    fn simple(&mut self, scope: &Scope, kind: Kind) -> Simple {
        let fitting: Vec<_> =
            scope.variables.iter().copied().filter(|&v| self.unit.variables[v].kind == kind).collect();
        if !fitting.is_empty() && !self.random.one_in(4) {
            return Simple::Var(self.random.pick(&fitting));
        }
        if kind == Kind::Value && self.random.one_in(3) {
            let symbols: Vec<_> = self.unit.symbols.keys().collect();
            return Simple::Symbol(self.random.pick(&symbols));
        }
        if self.random.one_in(5) {
            return Simple::Const(Const::Poison(kind));
        }
        let bits = self.random.bits() as i64;
        let bits = if self.random.one_in(2) { bits } else { bits >> 58 };
        Simple::Const(match kind {
            Kind::Value => Const::Tagged(bits >> 1),
            Kind::NakedImmediate => Const::NakedImmediate(bits >> 1),
            Kind::NakedFloat if self.random.one_in(2) => Const::NakedFloat(self.random.pick(&FLOATS)),
            Kind::NakedFloat => Const::NakedFloat(bits as u64),
            Kind::NakedInt32 => Const::NakedInt32(bits as i32),
            Kind::NakedInt64 => Const::NakedInt64(bits),
            Kind::NakedNativeint => Const::NakedNativeint(bits),
        })
    }

    /// Function slots of one planned set, and one of its value slots if it has any.
    fn slots(&mut self) -> Option<(FunctionSlot, FunctionSlot, Option<ValueSlot>)> {
        if self.sets.is_empty() {
            return None;
        }
        let set = &self.sets[self.random.below(self.sets.len())];
        let slot = |code: CodeId| self.unit.codes[code].function_slot;
        let from = slot(self.random.pick(&set.codes));
        let to = slot(self.random.pick(&set.codes));
        let value = if set.values.is_empty() { None } else { Some(self.random.pick(&set.values)) };
        Some((from, to, value))
    }
}

fn inline_attribute(random: &mut Random) -> InlineAttribute {
    match random.below(10) {
        0 => InlineAttribute::Always,
        1 => InlineAttribute::Never,
        2 => InlineAttribute::Hint,
        3 => InlineAttribute::Unroll(random.below(9) as u32),
        _ => InlineAttribute::Default,
    }
}

fn specialise_attribute(random: &mut Random) -> SpecialiseAttribute {
    match random.below(6) {
        0 => SpecialiseAttribute::Always,
        1 => SpecialiseAttribute::Never,
        _ => SpecialiseAttribute::Default,
    }
}
