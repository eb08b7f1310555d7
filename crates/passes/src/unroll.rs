//! Unrolling: a small loop of few iterations, whose number is known, becomes that many copies of its body
//! without a loop. It may count, or go down a block that is known, as a list that is allocated where it is used.
//! `docs/passes/unroll.md` shows it.
//!
//! The number of iterations decides only whether it is worth it: the last copy still jumps to the loop, and it is the
//! simplifier that finds that jump unreachable.

use flambeau_ir::copy::Copier;
use flambeau_ir::prim::Mutability;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    ApplyCont, CodeId, Const, ContHandler, Continuation, Expr, Heat, Item, Named, Prim, Rewrite, Rewrites,
    Simple, StaticDef, Terminator, Unit, Variable,
};
use flambeau_simplify::{fold, size};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::loops::{self, Rewriting};

/// What is known of the parameters of a loop at the beginning of an iteration: constants, and blocks whose fields are
/// known.
type Known = SmallVec<[Option<Simple>; 2]>;

/// Unrolls loops in all functions of a unit, and returns in which functions, the entry without a code. On entry and on
/// exit the unit is well-formed.
pub fn unrolled_in(unit: &mut Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let limit = rewrites.inlining.of(rewrites.round).unrolled;
    if limit == 0 {
        return Vec::new();
    }
    let blocks = Blocks::of(unit);
    loops::rewrite(unit, rewrites, |rewriting, expr, index| {
        unroll_entered(rewriting, &blocks, limit, expr, index)
    })
}

/// The blocks of a unit that are not assigned: fields by what they are bound to.
struct Blocks(FxHashMap<Simple, SmallVec<[Simple; 2]>>);

impl Blocks {
    fn of(unit: &Unit) -> Blocks {
        let mut blocks = FxHashMap::default();
        for item in &unit.statics {
            if let StaticDef::Block { symbol, fields, .. } = &item.def {
                blocks.insert(Simple::Symbol(*symbol), fields.iter().map(|field| field.simple()).collect());
            }
        }
        for body in unit.bodies() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    if let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item
                        && let Prim::MakeBlock { mutability: Mutability::Immutable, .. } = prim
                    {
                        blocks.insert((*var).into(), args.iter().copied().collect());
                    }
                }
            });
        }
        Blocks(blocks)
    }

    /// Whether it is a constant, or one of the blocks.
    fn is_known(&self, simple: Simple) -> bool {
        matches!(simple, Simple::Const(_)) || self.0.contains_key(&simple)
    }

    /// Whether one of them is allocated in the function.
    fn are_made_here(&self, args: &[Simple]) -> bool {
        args.iter().any(|arg| arg.as_var().is_some() && self.0.contains_key(arg))
    }

    /// What an operation on what is known gives.
    fn evaluate(&self, prim: &Prim, args: &[Simple]) -> Option<Simple> {
        let is_block = |simple: &Simple| self.0.contains_key(simple);
        match (prim, args) {
            (Prim::BlockLoad { field, .. }, [block]) => self.0.get(block)?.get(*field as usize).copied(),
            (Prim::IsInt, [block]) if is_block(block) => Some(Const::NakedImmediate(0).into()),
            (Prim::PhysEqual { negated }, [a, b]) if is_block(a) != is_block(b) => {
                Some(Const::NakedImmediate(i64::from(*negated)).into())
            }
            _ => {
                let constant =
                    |arg: &Simple| if let Simple::Const(known) = arg { Some(*known) } else { None };
                let args: SmallVec<[Const; 2]> = args.iter().map(constant).collect::<Option<_>>()?;
                fold::fold(prim, &args).map(Simple::Const)
            }
        }
    }
}

/// Unrolls the loop that a run ends by entering.
fn unroll_entered(
    rewriting: &mut Rewriting,
    blocks: &Blocks,
    limit: u32,
    expr: &mut Expr,
    index: usize,
) -> bool {
    let (Item::LetCont { handlers, .. }, Terminator::ApplyCont(entry)) =
        (&expr.items[index], &mut expr.terminator)
    else {
        return false;
    };
    // Where a profile says that the loop is not hot, nothing is gained.
    if matches!(rewriting.unit.continuations[handlers[0].cont].heat, Heat::Never | Heat::Warm) {
        return false;
    }
    let Some(iterations) = iterations(blocks, limit, &handlers[0], &entry.args) else { return false };
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

/// The copies of a body may be so many times as large as what is left of them.
const RAW: u32 = 4;

/// The number of iterations of a loop that is entered with `args`, if it is known, and what is left of all of them is
/// not too large.
fn iterations(blocks: &Blocks, limit: u32, repeated: &ContHandler, args: &[Simple]) -> Option<u32> {
    let mut known: Known = args.iter().map(|arg| Some(*arg).filter(|arg| blocks.is_known(*arg))).collect();
    if known.iter().all(Option::is_none) || !is_plain(&repeated.body, blocks.are_made_here(args)) {
        return None;
    }
    let raw = size::of(&repeated.body, limit)?.max(1);
    let mut left = limit;
    for iteration in 1..=RAW * limit / raw {
        let mut walk = Iteration::new(blocks, repeated, &known);
        walk.run(&repeated.body);
        left = left.checked_sub(walk.size)?;
        match walk.next {
            None => return Some(iteration),
            Some(next) if next.iter().all(Option::is_none) => return None,
            Some(next) => known = next,
        }
    }
    None
}

/// Whether a body is straight code: next to a call, a handler or another loop the cost of an iteration does not
/// matter, though what is allocated to be gone through does.
fn is_plain(body: &Expr, with_calls: bool) -> bool {
    let mut plain = true;
    body.walk(&mut |expr| {
        plain &= match &expr.terminator {
            Terminator::Apply(apply) => with_calls || apply.inlined == InlineAttribute::Cold,
            Terminator::Try { .. } => false,
            _ => true,
        };
        for item in &expr.items {
            plain &= !matches!(item, Item::LetClosures { .. } | Item::LetCont { recursive: true, .. });
        }
    });
    plain
}

/// What one iteration computes from what is known at its beginning.
struct Iteration<'e> {
    blocks: &'e Blocks,
    repeated: Continuation,
    known: FxHashMap<Variable, Simple>,
    handlers: FxHashMap<Continuation, &'e Expr>,
    reached: FxHashSet<Continuation>,
    /// Of what is left of the iteration.
    size: u32,
    /// What is known at the beginning of the next iteration; `None` as long as no jump to it is met.
    next: Option<Known>,
}

impl<'e> Iteration<'e> {
    fn new(blocks: &'e Blocks, repeated: &ContHandler, known: &Known) -> Iteration<'e> {
        Iteration {
            blocks,
            repeated: repeated.cont,
            known: repeated
                .params
                .iter()
                .zip(known)
                .filter_map(|(param, known)| Some((*param, (*known)?)))
                .collect(),
            handlers: FxHashMap::default(),
            reached: FxHashSet::default(),
            size: 0,
            next: None,
        }
    }

    /// Evaluates a run as far as it may be executed.
    fn run(&mut self, expr: &'e Expr) {
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                    let args: Option<SmallVec<[Simple; 2]>> =
                        args.iter().map(|arg| self.value(*arg)).collect();
                    match args.and_then(|args| self.blocks.evaluate(prim, &args)) {
                        Some(value) => {
                            self.known.insert(*var, value);
                        }
                        None => self.size += size::item(item),
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
                let value = self.value(switch.scrutinee).and_then(as_int);
                if value.is_none() {
                    self.size += size::terminator(&expr.terminator);
                }
                for (_, arm) in switch.arms.iter().filter(|(key, _)| value.is_none_or(|value| *key == value))
                {
                    self.jump(arm);
                }
                let is_default = value.is_none_or(|value| switch.arms.iter().all(|(key, _)| *key != value));
                switch.default.iter().filter(|_| is_default).for_each(|arm| self.jump(arm));
            }
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::StringSwitch(switch) => {
                self.size += size::terminator(&expr.terminator);
                switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default).for_each(|arm| self.jump(arm));
            }
            Terminator::Apply(apply) => {
                self.size += size::terminator(&expr.terminator);
                self.reach(apply.ret);
            }
            // Nothing of the iteration follows these.
            Terminator::Raise { .. } | Terminator::Try { .. } | Terminator::Unreachable => {
                self.size += size::terminator(&expr.terminator);
            }
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
        } else {
            self.reach(jump.cont);
        }
    }

    /// Goes on with a continuation whose parameters are not known.
    fn reach(&mut self, cont: Continuation) {
        if cont == self.repeated {
            self.next = Some(Known::new());
        } else if self.reached.insert(cont)
            && let Some(handler) = self.handlers.get(&cont)
        {
            self.run(handler);
        }
    }

    fn value(&self, simple: Simple) -> Option<Simple> {
        let known = match simple {
            Simple::Var(var) => self.known.get(&var).copied().unwrap_or(simple),
            simple => simple,
        };
        Some(known).filter(|known| self.blocks.is_known(*known))
    }
}

fn as_int(simple: Simple) -> Option<i64> {
    if let Simple::Const(known) = simple { fold::as_int(known) } else { None }
}
