//! Random units: well-formed by construction, nearly always defined, nearly always terminating.
//!
//! Variables have types ([`types::Type`]) that say more than kinds, and a value of every type can be generated
//! ([`Generator::force`]); so a generator of a primitive, a call or a jump asks for operands and gets
//! them. Loops and recursion count down. Every operation has a location of its own, by which
//! [`crate::history`] identifies it.

mod calls;
mod carried;
mod control;
mod counts;
mod functions;
mod joins;
mod local_blocks;
mod locals;
mod nested;
mod number_arrays;
mod number_blocks;
mod numbers;
mod prims;
pub mod random;
mod saved;
mod sums;
mod types;
mod variants;

use flambeau_ir::prim::{ArrayKind, External, NativeRepr};
use flambeau_ir::{
    BoxedKind, CodeId, Const, Continuation, Dbg, ExnCont, Item, Kind, Named, Naming, Prim, Simple, StaticDef,
    Symbol, Unit, Variable,
};
use smallvec::SmallVec;

use functions::Plan;
use random::Random;
use types::{BIGARRAYS, LENGTH, Type, is_bigstring};

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Items in one run, at most, and how deep terms nest: each nesting halves it.
    pub size: usize,
    /// Functions, at most. With 1 there is exactly one, of two integers, and an entry code that does nothing:
    /// it is for [`crate::run_code`].
    pub functions: usize,
    /// Recursive functions that return integers do nothing but combine the results of their calls of themselves.
    pub sums: bool,
    /// Recursive continuations.
    pub loops: bool,
    /// Handlers.
    pub tries: bool,
    /// Many points that may raise, with few different extra arguments.
    pub raising: bool,
    /// An effect in each iteration, so that the history distinguishes iterations.
    pub mark_iterations: bool,
    /// Closures, and calls through them.
    pub closures: bool,
    /// Local functions that are loops.
    pub local_functions: bool,
    /// Stores.
    pub mutation: bool,
    /// Naked and boxed numbers other than integers of 63 bits.
    pub numbers: bool,
    /// Arrays.
    pub arrays: bool,
    /// Strings and bytes.
    pub strings: bool,
    /// Bigarrays and bigstrings.
    pub bigarrays: bool,
    /// Branches.
    pub switches: bool,
    /// Many blocks which mostly do not escape.
    pub local_blocks: bool,
    /// Operands that are poison, terms that are never reached: rarely read or reached, though not never.
    pub undefined: bool,
}

impl Default for Options {
    /// All of the language, in small units.
    fn default() -> Self {
        Options {
            size: 8,
            functions: 5,
            sums: false,
            loops: true,
            tries: true,
            raising: false,
            mark_iterations: false,
            closures: true,
            local_functions: true,
            mutation: true,
            numbers: true,
            arrays: true,
            strings: true,
            bigarrays: true,
            switches: true,
            local_blocks: false,
            undefined: true,
        }
    }
}

impl Options {
    /// One function, without calls of functions of the unit, for lowering: the order of all operations that are not
    /// pure is visible in [`crate::history`].
    #[must_use]
    pub fn one_function(size: usize) -> Options {
        Options {
            size,
            functions: 1,
            mark_iterations: true,
            closures: false,
            local_functions: false,
            undefined: false,
            ..Options::default()
        }
    }
}

/// A continuation that may be jumped to.
#[derive(Clone)]
struct Target {
    cont: Continuation,
    /// Without the counter of a loop.
    types: Vec<Type>,
    counter: Counter,
}

/// The first parameter of a loop.
#[derive(Clone, Copy)]
enum Counter {
    /// It is no loop.
    None,
    /// From outside: any start.
    Start,
    /// From inside: one less.
    Next(Variable),
}

/// What may be named at a point.
#[derive(Clone)]
struct Scope {
    vars: Vec<(Variable, Type)>,
    /// The first is the function's return continuation.
    targets: Vec<Target>,
    /// The innermost handler and the types of its extra arguments.
    handler: (Continuation, Vec<Type>),
    /// Closures of known codes.
    closures: Vec<(Simple, CodeId)>,
    /// The operations that were executed on every path to here, of those that may be merged with a later one.
    operations: Vec<(Prim, SmallVec<[Simple; 2]>, Type)>,
    /// The function itself, and the counter to call it with.
    recursion: Option<(CodeId, Variable)>,
    /// Functions around here, or of the same set.
    locals: Vec<locals::Local>,
    /// Codes from this one on are not called: so the only recursion is that which counts down.
    callable: usize,
}

/// Symbols that every unit has.
struct Symbols {
    strings: Vec<Symbol>,
    /// The format of decimals.
    decimal: Symbol,
    boxed: [Symbol; 4],
    floats: Symbol,
    tuple: Symbol,
    /// The dimensions of bigstrings and of other bigarrays.
    dimensions: [Symbol; 2],
    /// A function of the outside, and one which calls its argument.
    outside: Symbol,
    callback: Symbol,
}

struct Generator {
    random: Random,
    options: Options,
    unit: Unit,
    symbols: Symbols,
    plans: Vec<Plan>,
    sets: Vec<functions::PlannedSet>,
    locations: u32,
    /// How many items may still be generated in this function.
    budget: usize,
}

/// The unit of that number, of options that vary with it: small and large ones, with and without assignments.
#[must_use]
pub fn varied(seed: u64) -> Unit {
    unit(seed, &options_of(seed))
}

/// The same, where recursive functions combine the results of their calls.
#[must_use]
pub fn sums(seed: u64) -> Unit {
    unit(seed, &Options { sums: true, ..options_of(seed) })
}

fn options_of(seed: u64) -> Options {
    Options {
        size: 2 + (seed % 9) as usize,
        raising: seed % 5 == 4,
        mutation: seed % 7 != 6,
        ..Options::default()
    }
}

/// The unit of that number.
#[must_use]
pub fn unit(seed: u64, options: &Options) -> Unit {
    let mut unit = Unit::new("Random", Naming::usual("camlRandom"), 4);
    unit.statics[0].exported = true;
    // Some have fields that other units do not know.
    if let StaticDef::Preallocated { private, .. } = &mut unit.statics[0].def {
        *private = (seed % 3) as u32;
    }
    let symbols = functions::symbols(&mut unit);
    let random = Random::new(seed);
    let mut generator = Generator {
        random,
        options: *options,
        unit,
        symbols,
        plans: Vec::new(),
        sets: Vec::new(),
        locations: 0,
        budget: 0,
    };
    generator.functions();
    generator.entry();
    generator.unit
}

impl Generator {
    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn location(&mut self) -> Dbg {
        self.locations += 1;
        Dbg(self.locations)
    }

    fn variable(&mut self, ty: Type) -> Variable {
        self.unit.new_variable("v", ty.kind(), ty.subkind())
    }

    fn params(&mut self, scope: &mut Scope, types: &[Type]) -> SmallVec<[Variable; 2]> {
        let bind = |ty: &Type| {
            let var = self.variable(*ty);
            scope.vars.push((var, *ty));
            var
        };
        types.iter().map(bind).collect()
    }

    /// A constant of a type that has some.
    fn constant(&mut self, ty: Type) -> Option<Const> {
        const FLOATS: [f64; 8] = [0.0, -0.0, 1.0, -2.5, f64::INFINITY, f64::NAN, 1e-310, 3.0];
        let small = self.random.below(7) as i64 - 2;
        let any = if self.random.one_in(6) { self.random.bits() as i64 } else { small };
        let wide = if self.options.raising { small & 1 } else { any };
        Some(match ty {
            Type::Int | Type::Any => Const::Tagged(wide >> 1),
            Type::Naked => Const::NakedImmediate(wide >> 1),
            Type::Int32 => Const::NakedInt32(any as i32),
            Type::Int64 => Const::NakedInt64(any),
            Type::Native => Const::NakedNativeint(any),
            Type::Float => Const::NakedFloat(self.random.pick(&FLOATS).to_bits()),
            _ => return None,
        })
    }

    fn symbol_of(&mut self, scope: &Scope, ty: Type) -> Option<Symbol> {
        let symbols = &self.symbols;
        Some(match ty {
            Type::String => self.random.pick(&symbols.strings),
            Type::Boxed(BoxedKind::Float) => symbols.boxed[0],
            Type::Boxed(BoxedKind::Int32) => symbols.boxed[1],
            Type::Boxed(BoxedKind::Int64) => symbols.boxed[2],
            Type::Boxed(BoxedKind::Nativeint) => symbols.boxed[3],
            Type::Floats(false) => symbols.floats,
            Type::Tuple => symbols.tuple,
            Type::Fun(shape) => {
                let plans = self.plans[..scope.callable].iter().filter(|plan| plan.shape == shape);
                let known: Vec<_> = plans.filter_map(|plan| plan.symbol).collect();
                if known.is_empty() {
                    return None;
                }
                self.random.pick(&known)
            }
            _ => return None,
        })
    }

    /// An operand that is there, recent variables first.
    fn operand(&mut self, scope: &Scope, ty: Type) -> Option<Simple> {
        if self.options.undefined && self.one_in(400) {
            return Some(Simple::Const(Const::Poison(ty.kind())));
        }
        // A block that does not escape is no value like others, as a rule.
        let leaks = self.options.local_blocks && self.one_in(60);
        let may_leak = |t: Type| match t {
            Type::Local(_) => leaks,
            Type::Numbers { .. } | Type::NumberArray { .. } => false,
            _ => true,
        };
        let fits = |t: Type| t == ty || ty == Type::Any && t.kind() == Kind::Value && may_leak(t);
        let found: Vec<_> = scope.vars.iter().filter(|(_, t)| fits(*t)).map(|(var, _)| *var).collect();
        let prefer_constant = found.is_empty() || self.one_in(8);
        if prefer_constant {
            if let Some(constant) = self.constant(ty) {
                return Some(Simple::Const(constant));
            }
            if let Some(symbol) = self.symbol_of(scope, ty) {
                return Some(Simple::Symbol(symbol));
            }
        }
        if found.is_empty() {
            return None;
        }
        let back = self.random.below(found.len()).min(self.random.below(found.len()));
        Some(Simple::Var(found[found.len() - 1 - back]))
    }

    /// An operand, generated if there is none.
    fn force(&mut self, scope: &mut Scope, items: &mut Vec<Item>, ty: Type) -> Simple {
        if let Some(operand) = self.operand(scope, ty) {
            return operand;
        }
        let mutability = ty.mutability();
        let (prim, args) = match ty {
            Type::Local(local) => {
                let prim = self.make_local_block(local);
                let fields: Vec<_> = local.fields().iter().map(|ty| self.force(scope, items, *ty)).collect();
                return self.let_(scope, items, prim, &fields, ty);
            }
            Type::Numbers { naked } => return self.make_numbers(scope, items, naked),
            Type::NumberArray { naked } => return self.make_number_array(scope, items, naked),
            Type::Block | Type::Tuple => {
                (Prim::MakeBlock { tag: self.random.below(3) as u8, mutability }, [Type::Int; LENGTH])
            }
            Type::Floats(_) if self.one_in(2) => {
                (Prim::MakeArray { kind: ArrayKind::Float, mutability }, [Type::Float; LENGTH])
            }
            Type::Floats(_) => (Prim::MakeFloatBlock { mutability }, [Type::Float; LENGTH]),
            Type::Array(kind) => (Prim::MakeArray { kind, mutability }, [Type::Int; LENGTH]),
            Type::Boxed(kind) => {
                let contents = self.force(scope, items, Type::naked(kind));
                return self.let_(scope, items, Prim::Box(kind), &[contents], ty);
            }
            Type::Bytes => {
                let length = Simple::tagged(types::BYTES);
                if self.one_in(2) {
                    let words = types::BYTES as u32 / 8 + 1;
                    return self.let_(scope, items, Prim::MakeBytes { words }, &[length], ty);
                }
                return self.c_call(scope, items, "caml_create_bytes", &[(length, Type::Int)], ty, true);
            }
            Type::Bigarray(kind) => {
                let number = BIGARRAYS.iter().find(|(k, _)| *k == kind).map_or(0, |(_, number)| *number);
                let dimensions = self.symbols.dimensions[usize::from(!is_bigstring(kind))];
                let args = [
                    (Simple::tagged(number), Type::Int),
                    (Simple::tagged(0), Type::Int),
                    (Simple::Symbol(dimensions), Type::Any),
                ];
                return self.c_call(scope, items, "caml_ba_create", &args, ty, true);
            }
            // Constants, and functions, of which there is none that fits: it won't be called.
            _ => return Simple::Const(Const::Poison(ty.kind())),
        };
        let args = args.map(|ty| self.force(scope, items, ty));
        self.let_(scope, items, prim, &args, ty)
    }

    /// The innermost handler, with extra arguments. All types of those have constants.
    fn exn(&mut self, scope: &Scope) -> ExnCont {
        let (cont, types) = scope.handler.clone();
        let raising = self.options.raising;
        let mut extra = |ty: &Type| match (ty, raising) {
            (Type::Int, true) => Simple::tagged(self.random.below(2) as i64),
            _ => self.operand(scope, *ty).unwrap_or(Simple::Const(Const::Poison(ty.kind()))),
        };
        let extra_args = types.iter().map(&mut extra).collect();
        ExnCont { cont, extra_args }
    }

    /// Binds the result of a primitive.
    fn let_(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        prim: Prim,
        args: &[Simple],
        ty: Type,
    ) -> Simple {
        let exn = prim.may_raise().then(|| Box::new(self.exn(scope)));
        let var = self.variable(ty);
        // The results of what is for its effect are of no interest, and Cmm has none.
        if !prim.is_for_effect() {
            scope.vars.push((var, ty));
        }
        // A part of a result is gone with the next allocation.
        if prim.can_merge() && !matches!(prim, Prim::LoadResult { .. }) {
            scope.operations.push((prim.clone(), args.into(), ty));
        }
        let dbg = self.location();
        items.push(Item::Let { var, named: Named::Prim { prim, args: args.into(), exn }, dbg });
        Simple::Var(var)
    }

    /// Repeats one of the latest operations, perhaps of a run around: what was computed already, but may have to stay
    /// in its scope. A quotient and a remainder are parts of one division.
    fn again(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let latest = &scope.operations[scope.operations.len().saturating_sub(6)..];
        if latest.is_empty() {
            return;
        }
        let (prim, args, ty) = self.random.pick(latest);
        let prim = match prim {
            Prim::IntDiv { kind } if self.one_in(2) => Prim::IntMod { kind },
            Prim::IntMod { kind } if self.one_in(2) => Prim::IntDiv { kind },
            same => same,
        };
        self.let_(scope, items, prim, &args, ty);
    }

    /// Calls a C function.
    fn c_call(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        name: &str,
        args: &[(Simple, Type)],
        ty: Type,
        alloc: bool,
    ) -> Simple {
        let external = External {
            name: name.to_owned(),
            args: args.iter().map(|(_, ty)| ty.repr()).collect(),
            result: ty.repr(),
            no_result: ty.repr() == NativeRepr::Value && name == "observe",
            alloc,
            tested: false,
        };
        let args: Vec<_> = args.iter().map(|(arg, _)| *arg).collect();
        self.let_(scope, items, Prim::CCall(Box::new(external)), &args, ty)
    }
}
