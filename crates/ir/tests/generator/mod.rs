//! Random well-formed units: every sort of item, terminator and static, most primitives, names that
//! collide. They are generated for reading and writing, not for running.

mod parts;
mod prims;
mod terms;

use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{
    ArgType, BoxedKind, CodeId, Const, Continuation, Dbg, FunctionSlot, Heat, Kind, Naming, Simple, Subkind,
    Unit, ValueSlot, Variable,
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

    fn heat(&mut self) -> Heat {
        if self.random.one_in(4) { self.random.pick(&Heat::COUNTED) } else { Heat::Unknown }
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
