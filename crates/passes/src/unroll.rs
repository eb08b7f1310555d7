//! Unrolling: a small loop of few iterations, whose number is known, becomes that many copies of its body
//! without a loop.
//! `docs/passes/unroll.md` shows it.
//!
//! The number of iterations decides only whether it is worth it: the last copy still jumps to the loop, and it is the
//! simplifier that finds that jump unreachable.

use flambeau_ir::copy::Copier;
use flambeau_ir::{
    ApplyCont, Const, ContHandler, Continuation, Expr, Heat, Item, Named, Rewrite, Rewrites, Simple,
    Terminator, Unit, Variable,
};
use flambeau_simplify::{fold, size};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::loops::{self, Rewriting};

/// All iterations together are not larger than this, before they are simplified.
const LARGE: u32 = 300;

/// What is known of the parameters of a loop at the beginning of an iteration.
type Known = SmallVec<[Option<Const>; 2]>;

/// Unrolls loops in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn unroll(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    loops::rewrite(unit, rewrites, unroll_entered)
}

/// Unrolls the loop that a run ends by entering.
fn unroll_entered(rewriting: &mut Rewriting, expr: &mut Expr, index: usize) -> bool {
    let (Item::LetCont { handlers, .. }, Terminator::ApplyCont(entry)) =
        (&expr.items[index], &mut expr.terminator)
    else {
        return false;
    };
    // Where a profile says that the loop is not hot, nothing is gained.
    if matches!(rewriting.unit.continuations[handlers[0].cont].heat, Heat::Never | Heat::Warm) {
        return false;
    }
    let Some(iterations) = iterations(&handlers[0], &entry.args) else { return false };
    if !rewriting.allow(Rewrite::Unrolling(entry.cont)) {
        return false;
    }
    let repeated = handlers[0].clone();
    for _ in 0..iterations {
        let iteration = iteration(rewriting.unit, &repeated, entry.cont);
        entry.cont = iteration.cont;
        expr.items.push(Item::LetCont { recursive: false, handlers: vec![iteration] });
    }
    true
}

/// An iteration of a loop which continues with `next` instead of another iteration.
fn iteration(unit: &mut Unit, repeated: &ContHandler, next: Continuation) -> ContHandler {
    let cont = unit.new_continuation("iteration");
    let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
    copier.substitute_continuation(repeated.cont, next);
    let params = repeated.params.iter().map(|param| copier.bind_variable(*param)).collect();
    ContHandler { cont, params, body: copier.expr(&repeated.body) }
}

/// The number of iterations of a loop that is entered with `args`, if it is known and all of them are not too large.
fn iterations(repeated: &ContHandler, args: &[Simple]) -> Option<u32> {
    let mut known: Known = args.iter().map(|arg| constant(*arg)).collect();
    if known.iter().all(Option::is_none) || !is_plain(&repeated.body) {
        return None;
    }
    let size = size::of(&repeated.body, LARGE)?.max(1);
    for iteration in 1..=LARGE / size {
        let mut walk = Iteration::new(repeated, &known);
        walk.run(&repeated.body);
        match walk.next {
            None => return Some(iteration),
            Some(next) if next.iter().all(Option::is_none) => return None,
            Some(next) => known = next,
        }
    }
    None
}

/// Whether a body is straight code: next to a call, a handler or another loop the cost of an iteration does not
/// matter.
fn is_plain(body: &Expr) -> bool {
    let mut plain = true;
    body.walk(&mut |expr| {
        plain &= !matches!(expr.terminator, Terminator::Apply(_) | Terminator::Try { .. });
        for item in &expr.items {
            plain &= !matches!(item, Item::LetClosures { .. } | Item::LetCont { recursive: true, .. });
        }
    });
    plain
}

fn constant(simple: Simple) -> Option<Const> {
    if let Simple::Const(constant) = simple { Some(constant) } else { None }
}

/// What one iteration computes from what is known at its beginning.
struct Iteration<'e> {
    repeated: Continuation,
    known: FxHashMap<Variable, Const>,
    handlers: FxHashMap<Continuation, &'e Expr>,
    reached: FxHashSet<Continuation>,
    /// What is known at the beginning of the next iteration; `None` as long as no jump to it is met.
    next: Option<Known>,
}

impl<'e> Iteration<'e> {
    fn new(repeated: &ContHandler, known: &Known) -> Iteration<'e> {
        Iteration {
            repeated: repeated.cont,
            known: repeated
                .params
                .iter()
                .zip(known)
                .filter_map(|(param, known)| Some((*param, (*known)?)))
                .collect(),
            handlers: FxHashMap::default(),
            reached: FxHashSet::default(),
            next: None,
        }
    }

    /// Evaluates a run as far as it may be executed.
    fn run(&mut self, expr: &'e Expr) {
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                    let args: Option<SmallVec<[Const; 2]>> =
                        args.iter().map(|arg| self.value(*arg)).collect();
                    if let Some(value) = args.and_then(|args| fold::fold(prim, &args)) {
                        self.known.insert(*var, value);
                    }
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { cont, body, .. } => {
                    self.run(body);
                    if !self.reached.contains(cont) {
                        return;
                    }
                }
                Item::LetCont { handlers, .. } => {
                    self.handlers.extend(handlers.iter().map(|handler| (handler.cont, &handler.body)));
                }
            }
        }
        match &expr.terminator {
            Terminator::Switch(switch) => {
                let value = self.value(switch.scrutinee).and_then(fold::as_int);
                for (_, arm) in switch.arms.iter().filter(|(key, _)| value.is_none_or(|value| *key == value))
                {
                    self.jump(arm);
                }
                let is_default = value.is_none_or(|value| switch.arms.iter().all(|(key, _)| *key != value));
                switch.default.iter().filter(|_| is_default).for_each(|arm| self.jump(arm));
            }
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::StringSwitch(switch) => {
                switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default).for_each(|arm| self.jump(arm));
            }
            // In straight code, nothing of the iteration follows these.
            Terminator::Apply(_)
            | Terminator::Raise { .. }
            | Terminator::Try { .. }
            | Terminator::Unreachable => {}
        }
    }

    fn jump(&mut self, jump: &ApplyCont) {
        if jump.cont == self.repeated {
            let args: Known = jump.args.iter().map(|arg| self.value(*arg)).collect();
            match &mut self.next {
                None => self.next = Some(args),
                Some(next) => {
                    for (known, arg) in next.iter_mut().zip(args) {
                        *known = known.filter(|known| Some(*known) == arg);
                    }
                }
            }
        } else if self.reached.insert(jump.cont)
            && let Some(handler) = self.handlers.get(&jump.cont)
        {
            self.run(handler);
        }
    }

    fn value(&self, simple: Simple) -> Option<Const> {
        match simple {
            Simple::Const(constant) => Some(constant),
            Simple::Var(var) => self.known.get(&var).copied(),
            Simple::Symbol(_) => None,
        }
    }
}
