//! Bounds checks that cannot fail are left out (features D11; the manual: "does not yet").
//! `docs/passes/bounds.md` shows it.
//!
//! A function is followed along its control flow with what is known of the differences of its integers: from guards and
//! `assert`s, from arithmetic that does not wrap around, from lengths, and from checks that have passed. Where paths meet, a
//! parameter keeps the bounds that hold on each of them. A loop is followed with the bounds that its parameters have at the
//! entries; those that a way back does not keep are dropped, until all are kept.
//!
//! Lengths are compared as variables: whether two reads of a length give the same is for the simplifier to say.

mod arithmetic;
mod differences;

use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, CodeId, Const, ContHandler, Continuation, Expr, IntKind, Item, Named, Prim, Rewrites, Simple,
    Switch, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use differences::{Bounds, Differences, Direction, Fact, Node, Term};

/// What may be looked at in a function, for each of its items and besides (features G6).
const BUDGET: (u32, u32) = (200, 40_000);
/// How often a loop is followed before the bounds of a parameter that ways back do not keep are given up, and all bounds.
const ROUNDS: (u32, u32) = (2, 5);
/// What a way to a continuation brings along: so many facts, the last ones.
const FACTS: usize = 64;

/// Leaves out checks in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn bounds(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, code, body| {
        let changed = remove_unknown_zeros(body, unit, code, rewrites);
        let (mut checks, mut items) = (0, 0);
        body.walk(&mut |expr| {
            items += expr.items.len() as u32;
            checks += expr.items.iter().filter(|item| check_of(item).is_some()).count();
        });
        if checks == 0 {
            return changed;
        }
        let budget = items.saturating_mul(BUDGET.0).saturating_add(BUDGET.1);
        let mut search = Search::new(unit, budget);
        search.expr(body);
        let passed = search.passed;
        remove(body, &passed, unit, code, rewrites) || changed
    })
}

/// Leaves out the checks of divisors that only fail for a known zero (`-unsafe`) where the divisor is still not known.
fn remove_unknown_zeros(body: &mut Expr, unit: &Unit, code: Option<CodeId>, rewrites: &mut Rewrites) -> bool {
    let mut changed = false;
    body.walk_mut(&mut |expr| {
        for item in &mut expr.items {
            if let Item::Let { named, .. } = item
                && let Named::Prim { prim: Prim::CheckZero { if_known: true, .. }, args, .. } = named
                && matches!(args[..], [Simple::Var(_)])
                && rewrites.allow(|| format!("bounds: unsafe division in {}", unit.place_name(code)))
            {
                *named = Named::Simple(Simple::UNIT);
                changed = true;
            }
        }
    });
    changed
}

/// The variable that a bounds check is bound to.
fn check_of(item: &Item) -> Option<Variable> {
    match item {
        Item::Let { var, named: Named::Prim { prim: Prim::CheckBound { .. }, .. }, .. } => Some(*var),
        _ => None,
    }
}

fn remove(
    body: &mut Expr,
    passed: &FxHashSet<Variable>,
    unit: &Unit,
    code: Option<CodeId>,
    rewrites: &mut Rewrites,
) -> bool {
    let mut changed = false;
    body.walk_mut(&mut |expr| {
        for item in &mut expr.items {
            let goes = check_of(item).is_some_and(|var| passed.contains(&var))
                && rewrites.allow(|| format!("bounds: check in {}", unit.place_name(code)));
            if goes && let Item::Let { named, .. } = item {
                *named = Named::Simple(Simple::UNIT);
                changed = true;
            }
        }
    });
    changed
}

/// What is known where a continuation is entered.
#[derive(Clone)]
struct Entry {
    /// When it was bound, and the facts of that place.
    time: Node,
    mark: usize,
    params: SmallVec<[Variable; 2]>,
    /// How many ways to it have been seen.
    ways: u32,
    /// What all of them know.
    facts: Vec<Fact>,
    /// Of each parameter, what all of them pass.
    bounds: SmallVec<[Bounds; 2]>,
    /// Ways to an exception handler are not followed.
    is_opaque: bool,
}

/// A loop that is being followed.
struct Turn {
    cont: Continuation,
    /// What its parameters are taken to be bounded by.
    bounds: SmallVec<[Bounds; 2]>,
    /// What the ways back keep of it.
    kept: SmallVec<[Bounds; 2]>,
}

struct Search<'u> {
    unit: &'u Unit,
    known: Differences,
    /// Outcomes of comparisons.
    tests: FxHashMap<Variable, (IntCmp, Term, Term)>,
    /// Sums that do not wrap around.
    sums: FxHashMap<Term, (Term, Term)>,
    /// Sums with constants that may have wrapped around.
    unsure: FxHashMap<Term, (Term, i64)>,
    entries: FxHashMap<Continuation, Entry>,
    /// What entries were before ways to them were seen: a loop may be followed again.
    history: Vec<(Continuation, Entry)>,
    turns: Vec<Turn>,
    /// Checks that cannot fail, as of the last time that they were met.
    passed: FxHashSet<Variable>,
}

impl<'u> Search<'u> {
    fn new(unit: &'u Unit, budget: u32) -> Search<'u> {
        Search {
            unit,
            known: Differences::new(budget),
            tests: FxHashMap::default(),
            sums: FxHashMap::default(),
            unsure: FxHashMap::default(),
            entries: FxHashMap::default(),
            history: Vec::new(),
            turns: Vec::new(),
            passed: FxHashSet::default(),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        deep(|| {
            self.known.spend(expr.items.len() as u32);
            // Handlers come after all ways to them.
            let mut groups = Vec::new();
            for item in &expr.items {
                match item {
                    Item::Let { var, named, .. } => self.binding(*var, named),
                    Item::LetClosures { vars, .. } => {
                        for var in vars {
                            self.known.bind(*var);
                        }
                    }
                    Item::Join { cont, params, body } => {
                        self.declare(*cont, params);
                        let mark = self.known.mark();
                        self.expr(body);
                        self.known.undo(mark);
                        self.enter(*cont);
                    }
                    Item::LetCont { recursive, handlers } => {
                        for handler in handlers {
                            self.declare(handler.cont, &handler.params);
                        }
                        groups.push((*recursive, handlers, self.known.mark()));
                    }
                }
            }
            self.terminator(&expr.terminator);
            for (recursive, handlers, mark) in groups.into_iter().rev() {
                self.known.undo(mark);
                self.group(recursive, handlers);
            }
        });
    }

    fn declare(&mut self, cont: Continuation, params: &SmallVec<[Variable; 2]>) {
        let entry = Entry {
            time: self.known.now(),
            mark: self.known.mark(),
            params: params.clone(),
            ways: 0,
            facts: Vec::new(),
            bounds: SmallVec::new(),
            is_opaque: self.unit.continuations[cont].is_exn,
        };
        self.entries.insert(cont, entry);
    }

    fn group(&mut self, recursive: bool, handlers: &[ContHandler]) {
        match handlers {
            [handler] if recursive => self.follow_loop(handler),
            _ => {
                for handler in handlers {
                    let mark = self.known.mark();
                    if recursive {
                        self.enter_knowing_nothing(handler);
                    } else {
                        self.enter(handler.cont);
                    }
                    self.expr(&handler.body);
                    self.known.undo(mark);
                }
            }
        }
    }

    fn enter_knowing_nothing(&mut self, handler: &ContHandler) {
        for param in &handler.params {
            self.known.bind(*param);
        }
    }

    /// Takes what all ways to a continuation know to be known, and binds its parameters.
    fn enter(&mut self, cont: Continuation) {
        let Some(entry) = self.entries.remove(&cont) else { return };
        for fact in &entry.facts {
            self.known.assume_fact(*fact);
        }
        for (index, param) in entry.params.iter().enumerate() {
            let param = self.known.bind(*param);
            if let Some(bounds) = entry.bounds.get(index) {
                self.known.assume_bounds(param, bounds);
            }
        }
    }

    /// Follows a loop until the bounds that its parameters are taken to have are kept by all ways back.
    fn follow_loop(&mut self, handler: &ContHandler) {
        let Some(entry) = self.entries.remove(&handler.cont) else { return };
        for fact in &entry.facts {
            self.known.assume_fact(*fact);
        }
        let mut bounds = entry.bounds;
        bounds.resize(handler.params.len(), Bounds::default());
        for (bounds, direction) in bounds.iter_mut().zip(steps(handler)) {
            bounds.forget_start(direction);
        }
        let (mark, past) = (self.known.mark(), self.history.len());
        for round in 0.. {
            if round >= ROUNDS.1 || !self.known.spend(1) {
                bounds.fill(Bounds::default());
            }
            for (param, bounds) in handler.params.iter().zip(&bounds) {
                let param = self.known.bind(*param);
                self.known.assume_bounds(param, bounds);
            }
            let turn = Turn { cont: handler.cont, bounds: bounds.clone(), kept: bounds.clone() };
            self.turns.push(turn);
            self.expr(&handler.body);
            self.known.undo(mark);
            let Some(turn) = self.turns.pop() else { return };
            let lost = |index: usize| turn.kept[index].len() < turn.bounds[index].len();
            if !(0..bounds.len()).any(lost) {
                return;
            }
            for (index, bounds) in bounds.iter_mut().enumerate() {
                let gives_up = round >= ROUNDS.0 && lost(index);
                *bounds = if gives_up { Bounds::default() } else { turn.kept[index].clone() };
            }
            for (cont, entry) in self.history.drain(past..).rev() {
                self.entries.insert(cont, entry);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::ApplyCont(jump) => self.way(jump.cont, &jump.args),
            Terminator::Switch(switch) => self.switch(switch),
            Terminator::StringSwitch(switch) => {
                switch.for_each_jump(&mut |jump| self.way(jump.cont, &jump.args));
            }
            Terminator::Apply(apply) => self.way(apply.ret, &[]),
            Terminator::Try { body, .. } => self.expr(body),
            Terminator::Raise { .. } | Terminator::Unreachable => {}
        }
    }

    fn switch(&mut self, switch: &Switch) {
        let test = switch.scrutinee.as_var().and_then(|var| self.tests.get(&var).copied());
        for (value, ApplyCont { cont, args }) in &switch.arms {
            let mark = self.known.mark();
            match test {
                Some(test) => self.outcome(test, *value != 0),
                None => {
                    if let Some(scrutinee) = self.known.term(switch.scrutinee) {
                        self.known.assume_equal(scrutinee, Term::constant(*value));
                    }
                }
            }
            self.way(*cont, args);
            self.known.undo(mark);
        }
        if let Some(ApplyCont { cont, args }) = &switch.default {
            let mark = self.known.mark();
            if let (Some(test), [(value, _)]) = (test, &switch.arms[..]) {
                self.outcome(test, *value == 0);
            }
            self.way(*cont, args);
            self.known.undo(mark);
        }
    }

    /// A way to a continuation; without arguments where nothing is known of them.
    fn way(&mut self, cont: Continuation, args: &[Simple]) {
        if !self.known.spend(1) {
            self.give_up(cont);
            return;
        }
        let args: SmallVec<[Option<Term>; 2]> = args.iter().map(|arg| self.known.term(*arg)).collect();
        if let Some(turn) = self.turns.iter_mut().rev().find(|turn| turn.cont == cont) {
            for (index, kept) in turn.kept.iter_mut().enumerate() {
                match args.get(index).copied().flatten() {
                    Some(arg) => self.known.retain(kept, arg),
                    None => *kept = Bounds::default(),
                }
            }
            return;
        }
        // The function's own continuations have no entry.
        let Some(entry) = self.entries.get_mut(&cont).filter(|entry| !entry.is_opaque) else { return };
        if !self.turns.is_empty() {
            self.history.push((cont, entry.clone()));
        }
        entry.ways += 1;
        let facts = self.known.since(entry.mark);
        let facts = &facts[facts.len().saturating_sub(FACTS)..];
        if entry.ways == 1 {
            entry.facts = facts.to_vec();
            entry.bounds = args
                .iter()
                .map(|arg| arg.map_or_else(Bounds::default, |arg| self.known.bounds(arg, entry.time)))
                .collect();
            return;
        }
        entry.facts.retain(|fact| facts.contains(fact));
        for (index, bounds) in entry.bounds.iter_mut().enumerate() {
            match args.get(index).copied().flatten() {
                Some(arg) => self.known.join(bounds, arg),
                None => *bounds = Bounds::default(),
            }
        }
    }

    /// No more can be found out: nothing is known where the continuation is entered.
    fn give_up(&mut self, cont: Continuation) {
        if let Some(turn) = self.turns.iter_mut().rev().find(|turn| turn.cont == cont) {
            turn.kept.fill(Bounds::default());
        } else if let Some(entry) = self.entries.get_mut(&cont) {
            self.history.push((cont, entry.clone()));
            entry.ways += 1;
            entry.facts.clear();
            entry.bounds.clear();
        }
    }
}

/// Which way each parameter of a loop goes, if it goes by constant steps one way.
fn steps(handler: &ContHandler) -> SmallVec<[Option<Direction>; 2]> {
    let mut sums: FxHashMap<Variable, (Variable, i64)> = FxHashMap::default();
    let mut ways: SmallVec<[(bool, bool); 2]> = SmallVec::from_elem((true, true), handler.params.len());
    handler.body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let { var, named, .. } = item {
                sums.extend(sum_with_constant(named).map(|sum| (*var, sum)));
            }
        }
        expr.terminator.for_each_jump(&mut |jump| {
            if jump.cont != handler.cont {
                return;
            }
            for ((param, arg), (up, down)) in handler.params.iter().zip(&jump.args).zip(&mut ways) {
                let step = arg.as_var().and_then(|arg| match sums.get(&arg) {
                    Some((of, amount)) => (of == param).then_some(*amount),
                    None => (arg == *param).then_some(0),
                });
                *up &= step.is_some_and(|step| step >= 0);
                *down &= step.is_some_and(|step| step <= 0);
            }
        });
    });
    ways.into_iter()
        .map(|way| match way {
            (true, false) => Some(Direction::Up),
            (false, true) => Some(Direction::Down),
            _ => None,
        })
        .collect()
}

fn sum_with_constant(named: &Named) -> Option<(Variable, i64)> {
    let Named::Prim { prim: Prim::IntArith { op, kind: IntKind::Tagged }, args, .. } = named else {
        return None;
    };
    let constant = |simple: Simple| match simple {
        Simple::Const(Const::Tagged(n)) => Some(n),
        _ => None,
    };
    match (op, args[0], args[1]) {
        (IntOp::Add, Simple::Var(of), n) | (IntOp::Add, n, Simple::Var(of)) => Some((of, constant(n)?)),
        (IntOp::Sub, Simple::Var(of), n) => Some((of, constant(n)?.checked_neg()?)),
        _ => None,
    }
}
