//! The typing environment.

mod arrays;
mod differences;
mod integers;
mod relations;
mod results;

use std::rc::Rc;

use cranelift_entity::SecondaryMap;
use flambeau_ir::prim::Prim;
use flambeau_ir::{Const, Kind, Simple, Symbol, Variable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Block, Blocks, Choice, Closure, IntSet, Ty, Variant, meet};
use differences::Differences;
pub use differences::{Direction, Fact, Term};
pub use relations::{Bounds, Relations};
pub use results::length_of_made;

/// Operands of a primitive.
pub type Operands = SmallVec<[Simple; 3]>;

/// How a variable was computed, by a primitive without effect whose operands are still in scope wherever the variable
/// is.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The operation.
    pub prim: Prim,
    /// Its operands.
    pub args: Operands,
}

/// A mark on the trail: what was learnt later can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(usize);

/// The key of a common subexpression: the operation, its operands, and the state of the memory that it reads (0 if it
/// reads none).
pub type CseKey = (Prim, Operands, u32);

/// A step of a body that passes values to a join ([`Env::given`]). Variables and continuations of the body itself are
/// numbered in the order in which they are bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// An operation, as for [`Env::cse`], with so many operands.
    Operation(Prim, u32, usize),
    /// An operand from outside.
    Outer(Simple),
    /// An operand that the body binds.
    Inner(u32),
    /// A handler with so many parameters.
    Handler(usize),
    /// A join with so many parameters.
    Join(usize),
    /// A branch with so many arms, and whether it has a default.
    Switch(usize, bool),
    /// What an arm is for.
    Arm(i64),
    /// A jump, with so many arguments.
    Jump(u32, usize),
}

/// The beginning of a body that is only measured.
pub struct Measuring(usize);

enum Undo {
    Given(Box<[Step]>),
    Ty(Variable, Ty),
    /// The variable's scope has been left.
    Bound(Variable),
    Alias(Variable),
    /// The result of the operation before.
    Cse(CseKey, Option<Simple>),
    /// *x ≤ y + c*
    Fact(Variable, Variable, i64),
    /// The limits of the variable before.
    Limit(Variable, Option<(i64, i64)>),
    Apart((Variable, Variable)),
}

/// How deep types are traversed when variables that are not in scope are removed from them.
const EXPORT_DEPTH: u32 = 4;

/// What is known at a point of the program.
#[derive(Default)]
pub struct Env {
    tys: SecondaryMap<Variable, TyOrUnknown>,
    aliases: SecondaryMap<Variable, Option<Simple>>,
    /// When each variable was bound, 0 if it is not in scope: variables bound before a continuation are in scope in its
    /// handler.
    times: SecondaryMap<Variable, u32>,
    definitions: SecondaryMap<Variable, Option<Rc<Definition>>>,
    symbols: SecondaryMap<Symbol, TyOrUnknown>,
    cse: FxHashMap<CseKey, Simple>,
    given: FxHashMap<Box<[Step]>, SmallVec<[Variable; 2]>>,
    differences: Differences,
    trail: Vec<Undo>,
    now: u32,
    /// How many bodies that are only measured are around the present point.
    measuring: u32,
    /// The definitions that measured bodies have replaced, the latest last.
    replaced: Vec<(Variable, Option<Rc<Definition>>)>,
}

#[derive(Clone)]
struct TyOrUnknown(Ty);

impl Default for TyOrUnknown {
    fn default() -> Self {
        TyOrUnknown(Ty::Unknown)
    }
}

impl Env {
    /// An environment with room for so many variables and symbols.
    #[must_use]
    pub fn with_capacity(variables: usize, symbols: usize) -> Env {
        Env {
            tys: SecondaryMap::with_capacity(variables),
            aliases: SecondaryMap::with_capacity(variables),
            times: SecondaryMap::with_capacity(variables),
            definitions: SecondaryMap::with_capacity(variables),
            symbols: SecondaryMap::with_capacity(symbols),
            ..Env::default()
        }
    }

    /// Records the type of a symbol, for the whole unit.
    pub fn set_symbol(&mut self, symbol: Symbol, ty: Ty) {
        self.symbols[symbol] = TyOrUnknown(ty);
    }

    /// The time of the last binding.
    #[must_use]
    pub fn now(&self) -> u32 {
        self.now
    }

    /// Whether the variable is in scope for what is bound at that time.
    #[must_use]
    pub fn is_bound_by(&self, var: Variable, time: u32) -> bool {
        let bound = self.times[var];
        bound != 0 && bound <= time
    }

    /// Where the trail ends now.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Forgets what was learnt since.
    pub fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            match self.trail.pop() {
                Some(Undo::Ty(var, ty)) => self.tys[var] = TyOrUnknown(ty),
                Some(Undo::Bound(var)) => self.times[var] = 0,
                Some(Undo::Alias(var)) => self.aliases[var] = None,
                Some(Undo::Cse(key, None)) => {
                    self.cse.remove(&key);
                }
                Some(Undo::Cse(key, Some(old))) => {
                    self.cse.insert(key, old);
                }
                Some(Undo::Given(steps)) => {
                    self.given.remove(&steps);
                }
                Some(Undo::Fact(x, y, _)) => self.differences.undo_fact(x, y),
                Some(Undo::Limit(var, old)) => self.differences.undo_limit(var, old),
                Some(Undo::Apart(pair)) => self.differences.undo_apart(pair),
                None => break,
            }
        }
    }

    /// Variables bound before `time` of which something was learnt since the mark, each once, at most `limit`.
    #[must_use]
    pub fn learnt(&self, mark: Mark, time: u32, limit: usize) -> SmallVec<[Variable; 4]> {
        let mut vars = SmallVec::new();
        for undo in &self.trail[mark.0..] {
            if let Undo::Ty(var, _) = undo
                && self.is_bound_by(*var, time)
                && !vars.contains(var)
            {
                vars.push(*var);
                if vars.len() == limit {
                    break;
                }
            }
        }
        vars
    }

    /// Binds a variable.
    pub fn bind(&mut self, var: Variable, ty: Ty) {
        self.enter(var);
        self.set(var, ty);
    }

    /// Binds a variable which is only another name.
    pub fn bind_alias(&mut self, var: Variable, simple: Simple) {
        debug_assert_ne!(simple, Simple::Var(var));
        self.enter(var);
        self.set_alias(var, simple);
    }

    fn enter(&mut self, var: Variable) {
        self.now += 1;
        self.times[var] = self.now;
        self.trail.push(Undo::Bound(var));
        // A body that is measured, and a loop that is analysed again, bind their variables more than once, with more
        // or less known.
        if self.definitions[var].is_some() {
            self.set_definition(var, None);
        }
        self.forget_middle(var);
    }

    /// Records how a variable is computed. It is known beyond the variable's scope, until it is bound again.
    pub fn define(&mut self, var: Variable, definition: Definition) {
        self.set_definition(var, Some(Rc::new(definition)));
    }

    fn set_definition(&mut self, var: Variable, definition: Option<Rc<Definition>>) {
        let old = std::mem::replace(&mut self.definitions[var], definition);
        if self.measuring > 0 {
            self.replaced.push((var, old));
        }
    }

    /// From here on a body is only measured. Its variables may be those of functions that are being simplified.
    #[must_use]
    pub fn begin_measuring(&mut self) -> Measuring {
        self.measuring += 1;
        Measuring(self.replaced.len())
    }

    /// The definitions of variables are as they were before the body was measured.
    pub fn end_measuring(&mut self, begun: Measuring) {
        self.measuring -= 1;
        for (var, old) in self.replaced.drain(begun.0..).rev() {
            self.definitions[var] = old;
        }
    }

    /// How a variable is computed, if that is known.
    #[must_use]
    pub fn definition(&self, simple: Simple) -> Option<Rc<Definition>> {
        self.definitions[simple.as_var()?].clone()
    }

    fn set(&mut self, var: Variable, ty: Ty) {
        let old = std::mem::replace(&mut self.tys[var], TyOrUnknown(ty)).0;
        self.trail.push(Undo::Ty(var, old));
    }

    fn set_alias(&mut self, var: Variable, simple: Simple) {
        if self.aliases[var].is_none() {
            self.aliases[var] = Some(simple);
            self.trail.push(Undo::Alias(var));
        }
    }

    /// The atom that stands for all its aliases.
    #[must_use]
    pub fn canonical(&self, simple: Simple) -> Simple {
        let mut simple = simple;
        while let Simple::Var(var) = simple {
            match self.aliases[var] {
                Some(next) => simple = next,
                None => match &self.tys[var].0 {
                    Ty::Is(next) if *next != simple => simple = *next,
                    _ => break,
                },
            }
        }
        simple
    }

    /// What is known of an atom: never an alias but of a naked float constant.
    #[must_use]
    pub fn ty(&self, simple: Simple) -> Ty {
        match self.canonical(simple) {
            Simple::Const(c) => Ty::of_const(c),
            Simple::Symbol(symbol) => self.symbols[symbol].0.clone(),
            Simple::Var(var) => self.tys[var].0.clone(),
        }
    }

    /// A type, or, if it is an alias, what is known of its atom.
    #[must_use]
    pub fn head(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Is(simple) => self.ty(*simple),
            _ => ty.clone(),
        }
    }

    /// Learns that a value is of a type, too; returns whether it can be.
    pub fn learn(&mut self, simple: Simple, ty: &Ty) -> bool {
        let simple = self.canonical(simple);
        let old = self.ty(simple);
        let new = meet(&old, ty);
        if new == Ty::Bottom {
            return false;
        }
        if let Simple::Var(var) = simple
            && new != old
        {
            self.set(var, new);
        }
        true
    }

    /// Learns that two atoms are the same.
    pub fn learn_equal(&mut self, var: Variable, simple: Simple) {
        let (Simple::Var(var), simple) = (self.canonical(Simple::Var(var)), self.canonical(simple)) else {
            return;
        };
        // What is bound later becomes a name of what was bound before.
        match simple {
            Simple::Var(other) if other == var => {}
            Simple::Var(other) if self.times[other] > self.times[var] => {
                self.set_alias(other, Simple::Var(var));
            }
            _ => self.set_alias(var, simple),
        }
    }

    /// Learns that a value is a block of one of these tags.
    fn learn_tags(&mut self, simple: Simple, tags: &IntSet) -> bool {
        let Ty::Variant(variant) = self.ty(simple) else { return true };
        let Blocks::Known(known) = &variant.blocks else { return true };
        let left: SmallVec<[Block; 1]> =
            known.iter().filter(|block| tags.contains(i64::from(block.tag))).cloned().collect();
        if left.is_empty() {
            return false;
        }
        let new = Ty::Variant(Rc::new(Variant { ints: IntSet::empty(), blocks: Blocks::Known(left) }));
        if let Simple::Var(var) = self.canonical(simple) {
            self.set(var, new);
        }
        true
    }

    /// Replaces what is known of a variable.
    pub fn retype(&mut self, var: Variable, ty: Ty) {
        if let Simple::Var(var) = self.canonical(Simple::Var(var)) {
            self.set(var, ty);
        }
    }

    /// The result of the same operation, if it was computed before.
    #[must_use]
    pub fn cse(&self, key: &CseKey) -> Option<Simple> {
        self.cse.get(key).map(|found| self.canonical(*found))
    }

    /// Records the result of an operation.
    pub fn add_cse(&mut self, prim: Prim, args: Operands, memory: u32, result: Simple) {
        let key = (prim, args, memory);
        let old = self.cse.insert(key.clone(), result);
        self.trail.push(Undo::Cse(key, old));
    }

    /// The available values that the same steps passed to a join before.
    #[must_use]
    pub fn given(&self, steps: &[Step]) -> Option<SmallVec<[Simple; 2]>> {
        let params = self.given.get(steps)?;
        Some(params.iter().map(|param| self.canonical(Simple::Var(*param))).collect())
    }

    /// Records what a body passes to a join.
    pub fn add_given(&mut self, steps: Box<[Step]>, params: SmallVec<[Variable; 2]>) {
        if self.given.insert(steps.clone(), params).is_none() {
            self.trail.push(Undo::Given(steps));
        }
    }

    /// What is known of an atom, expressed over the variables in scope at `time`.
    #[must_use]
    pub fn export(&self, simple: Simple, time: u32) -> Ty {
        self.export_at(&Ty::Is(simple), time, EXPORT_DEPTH)
    }

    /// A type, expressed over the variables in scope at `time`.
    #[must_use]
    pub fn export_ty(&self, ty: &Ty, time: u32) -> Ty {
        self.export_at(ty, time, EXPORT_DEPTH)
    }

    fn export_at(&self, ty: &Ty, time: u32, depth: u32) -> Ty {
        match ty {
            Ty::Is(simple) => {
                let simple = self.canonical(*simple);
                match simple {
                    Simple::Var(var) if !self.is_bound_by(var, time) => {
                        if depth == 0 {
                            Ty::Unknown
                        } else {
                            self.export_at(&self.tys[var].0, time, depth)
                        }
                    }
                    _ => Ty::Is(simple),
                }
            }
            Ty::Bottom | Ty::Unknown | Ty::Int(_) | Ty::String(_) | Ty::Array(_) | Ty::Elsewhere(_) => {
                ty.clone()
            }
            Ty::Instance(symbol, object) => {
                Ty::Instance(*symbol, Rc::new(self.export_at(object, time, depth)))
            }
            _ if depth == 0 => Ty::Unknown,
            Ty::Boxed(kind, contents) => Ty::boxed(*kind, self.export_at(contents, time, depth - 1)),
            Ty::Floats(fields) => Ty::floats(fields.iter().map(|f| self.export_at(f, time, depth - 1))),
            Ty::Closure(closure) => Ty::Closure(Rc::new(self.export_closure(closure, time, depth))),
            Ty::OneOf(choice) => Ty::OneOf(Rc::new(Choice {
                which: self.export_at(&choice.which, time, depth - 1),
                closures: choice.closures.iter().map(|c| self.export_closure(c, time, depth)).collect(),
            })),
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Any => ty.clone(),
                Blocks::Known(known) => {
                    let blocks = known
                        .iter()
                        .map(|block| Block {
                            tag: block.tag,
                            exact: block.exact,
                            fields: block.fields.iter().map(|f| self.export_at(f, time, depth - 1)).collect(),
                        })
                        .collect();
                    Ty::Variant(Rc::new(Variant {
                        ints: variant.ints.clone(),
                        blocks: Blocks::Known(blocks),
                    }))
                }
            },
        }
    }

    fn export_closure(&self, closure: &Closure, time: u32, depth: u32) -> Closure {
        let export = |ty| self.export_at(ty, time, depth - 1);
        Closure {
            slot: closure.slot,
            functions: closure.functions.clone(),
            values: closure.values.iter().map(|(slot, ty)| (*slot, export(ty))).collect(),
        }
    }

    /// The constant that an atom is.
    #[must_use]
    pub fn constant(&self, simple: Simple, kind: Kind) -> Option<Const> {
        match self.canonical(simple) {
            Simple::Const(c) => Some(c),
            canonical => self.ty(canonical).as_const(kind),
        }
    }
}
