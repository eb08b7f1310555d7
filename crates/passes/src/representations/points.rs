//! Points at which it is not known how an array's elements are represented, and what suffers from it.

use flambeau_ir::prim::Unknown;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    BoxedKind, ContHandler, Continuation, Expr, IntKind, Item, Named, Prim, Simple, Terminator, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How often a loop is taken to be repeated.
const ITERATIONS: u32 = 8;
/// Loops that are nested deeper count no more.
const DEEPEST: u32 = 2;

/// What is done with the value of an element: a set.
type Uses = u8;
/// A float is taken out of its box.
const UNBOXED: Uses = 1;
/// The value is compared with what may be anything.
const COMPARED: Uses = 2;
/// The value is stored in an array of which as little is known.
const STORED: Uses = 4;
/// The value is used as an immediate.
const IMMEDIATE: Uses = 8;

/// About how many instructions fewer an iteration has where the representation is known, by what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gain {
    /// In a flat array: the test, and the box, where nothing else needs it.
    pub flat: u32,
    /// In another: the test.
    pub other: u32,
}

impl Gain {
    /// Of a load whose result is used so. Where all that is done with an element is to pass it on, to a call or a
    /// return, the test is little beside that, and the box stays: that is no reason to copy code.
    fn of_load(uses: Uses) -> Gain {
        let has = |use_: Uses| uses & use_ != 0;
        let flat = match () {
            () if has(UNBOXED | COMPARED) => 10,
            () if has(STORED) => 6,
            () => 0,
        };
        Gain { flat, other: if has(COMPARED | STORED | IMMEDIATE) { 3 } else { 0 } }
    }

    /// Of a store: a float that would be boxed for it is not.
    fn of_store(is_boxed_for_it: bool) -> Gain {
        if is_boxed_for_it { Gain { flat: 8, other: 0 } } else { Gain { flat: 1, other: 1 } }
    }

    /// In so many loops.
    #[must_use]
    pub fn repeated(self, loops: u32) -> Gain {
        let times = ITERATIONS.pow(loops.min(DEEPEST));
        Gain { flat: self.flat * times, other: self.other * times }
    }

    /// Together.
    #[must_use]
    pub fn and(self, other: Gain) -> Gain {
        let Gain { flat, other: values } = other;
        Gain { flat: self.flat.saturating_add(flat), other: self.other.saturating_add(values) }
    }

    /// That of the copy that gains most.
    #[must_use]
    pub fn most(self) -> u32 {
        self.flat.max(self.other)
    }
}

/// An access to an array of which it is not known whether it is flat.
struct Access {
    array: Variable,
    /// What it loads or stores, if that is a variable.
    element: Option<Variable>,
    is_store: bool,
    loops: u32,
}

/// What a term does with arrays of which it is not known whether they are flat.
#[derive(Default)]
pub struct Points {
    accesses: Vec<Access>,
    bound: FxHashSet<Variable>,
    uses: FxHashMap<Variable, Uses>,
    /// The variables that hold a box that was allocated for them.
    boxes: FxHashSet<Variable>,
    /// What the parameter, the second, is passed.
    flows: Vec<(Variable, Variable)>,
    params: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
    /// Handlers of a `try` inside.
    tried: Vec<Continuation>,
    has_closures: bool,
}

impl Points {
    /// The points of a term.
    pub fn of(expr: &Expr) -> Points {
        let mut points = Points::default();
        points.run(expr, 0);
        points.spread();
        points
    }

    /// Whether a second copy of the term may stand beside it. A set of closures is made in one place, and a handler is
    /// that of one `try`.
    pub fn can_be_copied(&self) -> bool {
        !self.has_closures && self.tried.iter().all(|handler| self.params.contains_key(handler))
    }

    /// The arrays from around the term for which it would gain, and how much, those that gain most first.
    pub fn arrays(&self) -> SmallVec<[(Variable, Gain); 2]> {
        let mut arrays: SmallVec<[(Variable, Gain); 2]> = SmallVec::new();
        for access in self.accesses.iter().filter(|access| !self.bound.contains(&access.array)) {
            let gain = self.gain(access).repeated(access.loops);
            match arrays.iter_mut().find(|(array, _)| *array == access.array) {
                Some((_, total)) => *total = total.and(gain),
                None => arrays.push((access.array, gain)),
            }
        }
        arrays.retain(|(_, gain)| gain.most() > 0);
        arrays.sort_by_key(|(_, gain)| std::cmp::Reverse(gain.most()));
        arrays
    }

    fn gain(&self, access: &Access) -> Gain {
        if access.is_store {
            return Gain::of_store(access.element.is_some_and(|element| self.boxes.contains(&element)));
        }
        Gain::of_load(access.element.and_then(|element| self.uses.get(&element).copied()).unwrap_or_default())
    }

    fn run(&mut self, expr: &Expr, loops: u32) {
        deep(|| {
            for item in &expr.items {
                match item {
                    Item::Let { var, named, .. } => self.binding(*var, named, loops),
                    Item::LetClosures { .. } => self.has_closures = true,
                    Item::Join { cont, params, body } => {
                        self.bind(*cont, params);
                        self.run(body, loops);
                    }
                    Item::LetCont { recursive, handlers } => {
                        for ContHandler { cont, params, .. } in handlers {
                            self.bind(*cont, params);
                        }
                        for handler in handlers {
                            self.run(&handler.body, loops + u32::from(*recursive));
                        }
                    }
                }
            }
            expr.terminator.for_each_jump(&mut |jump| {
                let params = self.params.get(&jump.cont).into_iter().flatten();
                let passed = params.zip(&jump.args).filter_map(|(param, arg)| Some((arg.as_var()?, *param)));
                self.flows.extend(passed);
            });
            if let Terminator::Try { handler, body, .. } = &expr.terminator {
                self.tried.push(handler.cont);
                self.run(body, loops);
            }
        });
    }

    fn bind(&mut self, cont: Continuation, params: &SmallVec<[Variable; 2]>) {
        self.bound.extend(params);
        self.params.insert(cont, params.clone());
    }

    fn binding(&mut self, var: Variable, named: &Named, loops: u32) {
        self.bound.insert(var);
        let (prim, args) = match named {
            Named::Simple(simple) => {
                self.flows.extend(simple.as_var().map(|of| (of, var)));
                return;
            }
            Named::Prim { prim, args, .. } => (prim, args),
        };
        if prim.needs_representation() == Some(Unknown::IsFlat)
            && let Some(array) = args[0].as_var()
        {
            let stored = args.get(2);
            let element = stored.map_or(Some(var), |stored| stored.as_var());
            self.accesses.push(Access { array, element, is_store: stored.is_some(), loops });
        }
        if let Prim::Box(BoxedKind::Float) = prim {
            self.boxes.insert(var);
        }
        for (index, arg) in args.iter().enumerate() {
            if let Simple::Var(arg) = arg {
                *self.uses.entry(*arg).or_default() |= use_by(prim, index);
            }
        }
    }

    /// What is done with a parameter is done with what it is passed, and may be a box where that is one.
    fn spread(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to) in &self.flows {
                let uses = self.uses.get(to).copied().unwrap_or_default();
                let known = self.uses.entry(*from).or_default();
                changed |= *known | uses != *known;
                *known |= uses;
                changed |= self.boxes.contains(from) && self.boxes.insert(*to);
            }
        }
    }
}

/// What a primitive does with an operand.
fn use_by(prim: &Prim, index: usize) -> Uses {
    match (prim, prim.needs_representation()) {
        (_, Some(Unknown::Values)) => COMPARED,
        (_, Some(Unknown::IsFlat)) if index == 2 => STORED,
        (Prim::Unbox(BoxedKind::Float), _) => UNBOXED,
        (Prim::Untag | Prim::IsInt | Prim::PhysEqual { .. }, _) => IMMEDIATE,
        (
            Prim::IntArith { kind: IntKind::Tagged, .. }
            | Prim::IntCompare { kind: IntKind::Tagged, .. }
            | Prim::IntCompare3 { kind: IntKind::Tagged },
            _,
        ) => IMMEDIATE,
        _ => 0,
    }
}
