//! What is known of the integers of loops and joins decides checks of bounds and comparisons (features D11, D17; the
//! manual: "does not yet"). `docs/passes/bounds.md` shows it.
//!
//! The facts, and what follows from them, are the environment's (`flambeau_types`), which the simplifier queries, too.
//! The simplifier visits a loop once, and so knows of its parameters only what holds of all integers; here a loop is
//! analysed with the bounds that its parameters have at the entries, and again without those that a back edge does not
//! preserve, until all are preserved.
//!
//! Lengths are compared as variables: whether two reads of a length have the same result is left to the simplifier.

mod outline;

use flambeau_ir::prim::{ArrayKind, Classes};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CodeId, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple, Subkind, Switch,
    Terminator, Unit, Variable,
};
use flambeau_types::{Bounds, Definition, Env, IntSet, Mark, Operands, Relations, Ty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use outline::Outline;

/// The number of steps of the analysis of a function, for each of its items and besides (features G6).
const BUDGET: (u32, u32) = (40, 4_000);
/// How often a loop is analysed before the bounds of a parameter that back edges do not preserve are dropped, and
/// before all bounds are.
const ROUNDS: (u32, u32) = (3, 6);

/// Decides checks and comparisons in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn bounds(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    decide_all(unit, rewrites).0
}

/// Whether anything was decided, and the functions in which comparisons were, the entry without a code: there, branches
/// have become known.
pub fn decide_all(unit: &mut Unit, rewrites: &mut Rewrites) -> (bool, Vec<Option<CodeId>>) {
    let mut env = Env::with_capacity(unit.variables.len(), 0);
    let mut compared = Vec::new();
    let changed = unit.rewrite_bodies(|unit, code, body| {
        let has_removed = remove_unknown_zeros(body, unit, code, rewrites);
        // Comparisons outside loops the simplifier has decided as far as they are.
        let (mut has_check, mut has_comparison, mut has_loop, mut items) = (false, false, false, 0);
        let mut shortens = false;
        body.walk(&mut |expr| {
            items += expr.items.len() as u32;
            for item in &expr.items {
                has_check |= is_check(item);
                has_comparison |= question_of(item).is_some();
                shortens |= does_shorten(item);
                has_loop |= matches!(item, Item::LetCont { recursive: true, .. });
            }
        });
        let mut decided = Decided::default();
        if has_check || has_comparison && has_loop {
            let mark = env.mark();
            let mut search = Search::new(unit, &mut env, budget(items), !shortens);
            search.bind_params(code);
            search.expr(body);
            let results = search.decided;
            env.undo(mark);
            decided = decide(body, &results, unit, code, rewrites);
        }
        if decided.comparisons {
            compared.push(code);
        }
        decided.checks || decided.comparisons || has_removed
    });
    (changed, compared)
}

/// The greatest dividend of each division of a function of which no dividend is negative, by what it is bound to.
pub(crate) fn dividends(
    body: &Expr,
    unit: &Unit,
    code: Option<CodeId>,
    env: &mut Env,
) -> FxHashMap<Variable, i64> {
    let (mut items, mut shortens) = (0, false);
    body.walk(&mut |expr| {
        items += expr.items.len() as u32;
        shortens |= expr.items.iter().any(does_shorten);
    });
    let mark = env.mark();
    let mut search = Search::new(unit, env, budget(items), !shortens);
    search.bind_params(code);
    search.expr(body);
    let dividends = search.dividends;
    env.undo(mark);
    dividends
}

/// The budget of a function of so many items.
fn budget(items: u32) -> u32 {
    items.saturating_mul(BUDGET.0).saturating_add(BUDGET.1)
}

/// What was decided in a function.
#[derive(Default)]
struct Decided {
    checks: bool,
    comparisons: bool,
}

/// The rewrite by which something decided becomes its result.
fn rewrite_to(result: Simple) -> Rewrite {
    if result == Simple::UNIT { Rewrite::BoundsCheck } else { Rewrite::KnownComparison }
}

/// Removes the checks of divisors that only fail for a known zero (`-unsafe`) where the divisor is still not known.
fn remove_unknown_zeros(body: &mut Expr, unit: &Unit, code: Option<CodeId>, rewrites: &mut Rewrites) -> bool {
    let mut changed = false;
    body.walk_mut(&mut |expr| {
        for item in &mut expr.items {
            if let Item::Let { named, .. } = item
                && let Named::Prim { prim: Prim::CheckZero { if_known: true, .. }, args, .. } = named
                && matches!(args[..], [Simple::Var(_)])
                && rewrites.allow(Rewrite::UnsafeDivision, unit, code)
            {
                *named = Named::Simple(Simple::UNIT);
                changed = true;
            }
        }
    });
    changed
}

/// Whether an item makes arrays or strings shorter.
fn does_shorten(item: &Item) -> bool {
    matches!(item, Item::Let { named: Named::Prim { prim: Prim::CCall(external), .. }, .. } if external.shortens())
}

/// A primitive that reads a length, under one name for all that read the same.
fn reader_of_length(prim: &Prim) -> Option<Prim> {
    match prim {
        Prim::ArrayLength { .. } => Some(Prim::ArrayLength { kind: ArrayKind::Generic }),
        Prim::StringLength => Some(Prim::StringLength),
        _ => None,
    }
}

fn is_check(item: &Item) -> bool {
    matches!(item, Item::Let { named: Named::Prim { prim: Prim::CheckBound { .. }, .. }, .. })
}

/// The variable that a check or a comparison of integers is bound to.
fn question_of(item: &Item) -> Option<Variable> {
    match item {
        Item::Let {
            var,
            named: Named::Prim { prim: Prim::CheckBound { .. } | Prim::IntCompare { .. }, .. },
            ..
        } => Some(*var),
        _ => None,
    }
}

/// Replaces checks and comparisons by the outcomes that were proved.
fn decide(
    body: &mut Expr,
    results: &FxHashMap<Variable, Simple>,
    unit: &Unit,
    code: Option<CodeId>,
    rewrites: &mut Rewrites,
) -> Decided {
    let mut decided = Decided::default();
    body.walk_mut(&mut |expr| {
        for item in &mut expr.items {
            let result = question_of(item).and_then(|var| results.get(&var));
            if let Some(result) = result
                && let Item::Let { named, .. } = item
                && rewrites.allow(rewrite_to(*result), unit, code)
            {
                *named = Named::Simple(*result);
                *(if *result == Simple::UNIT { &mut decided.checks } else { &mut decided.comparisons }) =
                    true;
            }
        }
    });
    decided
}

/// What is known where a continuation is entered.
#[derive(Clone)]
struct Entry {
    /// When it was bound, and the trail of that point.
    time: u32,
    mark: Mark,
    params: SmallVec<[Variable; 2]>,
    /// What the edges seen have in common; nothing where there was none.
    relations: Option<Relations>,
    /// Edges to an exception handler are not followed.
    is_opaque: bool,
}

/// A loop that is being analysed.
struct Iteration {
    cont: Continuation,
    /// The bounds assumed of its parameters.
    bounds: Vec<Bounds>,
    /// Those of the assumed bounds that the back edges preserve.
    kept: Vec<Bounds>,
    /// The first time: bounds that back edges do not preserve are loosened, not dropped.
    is_first: bool,
}

struct Search<'u> {
    unit: &'u Unit,
    env: &'u mut Env,
    /// The remaining budget of steps.
    budget: u32,
    /// Whether each array and string has one length in the function.
    lengths_stay: bool,
    entries: FxHashMap<Continuation, Entry>,
    /// What entries were before edges to them were seen: a loop may be analysed again.
    history: Vec<(Continuation, Entry)>,
    iterations: Vec<Iteration>,
    /// The results of checks and comparisons that are decided, as of the last time that they were met.
    decided: FxHashMap<Variable, Simple>,
    /// The greatest dividends of divisions without negative ones, as of the last time that they were met.
    dividends: FxHashMap<Variable, i64>,
}

impl<'u> Search<'u> {
    fn new(unit: &'u Unit, env: &'u mut Env, budget: u32, lengths_stay: bool) -> Search<'u> {
        Search {
            unit,
            env,
            budget,
            lengths_stay,
            entries: FxHashMap::default(),
            history: Vec::new(),
            iterations: Vec::new(),
            decided: FxHashMap::default(),
            dividends: FxHashMap::default(),
        }
    }

    /// Takes from the budget; returns whether anything is left.
    fn spend(&mut self, amount: u32) -> bool {
        self.budget = self.budget.saturating_sub(amount);
        self.budget > 0
    }

    fn bind_params(&mut self, code: Option<CodeId>) {
        let Some(code) = code.map(|code| &self.unit.codes[code]) else { return };
        self.bind(code.my_closure);
        for param in &code.params {
            let is_int = self.unit.variables[*param].subkind == Subkind::Immediate;
            let ty = if is_int { Ty::tagged(IntSet::OCAML) } else { Ty::Unknown };
            self.env.bind(*param, ty);
        }
    }

    fn bind(&mut self, var: Variable) {
        self.env.bind(var, Ty::Unknown);
    }

    fn expr(&mut self, expr: &Expr) {
        deep(|| {
            self.spend(expr.items.len() as u32);
            // Handlers come after all edges to them.
            let mut groups = Vec::new();
            for item in &expr.items {
                match item {
                    Item::Let { var, named, .. } => self.binding(*var, named),
                    Item::LetClosures { vars, .. } => vars.iter().for_each(|var| self.bind(*var)),
                    Item::Join { cont, params, body } => {
                        self.declare(*cont, params);
                        let mark = self.env.mark();
                        self.expr(body);
                        self.env.undo(mark);
                        self.enter(*cont);
                    }
                    Item::LetCont { recursive, handlers } => {
                        for handler in handlers {
                            self.declare(handler.cont, &handler.params);
                        }
                        groups.push((*recursive, handlers, self.env.mark()));
                    }
                }
            }
            self.terminator(&expr.terminator);
            for (recursive, handlers, mark) in groups.into_iter().rev() {
                self.env.undo(mark);
                self.group(recursive, handlers);
            }
        });
    }

    fn binding(&mut self, var: Variable, named: &Named) {
        let (prim, args) = match named {
            Named::Simple(simple) => {
                let simple = self.env.canonical(*simple);
                return self.env.bind_alias(var, simple);
            }
            Named::Prim { prim, args, .. } => (prim, args),
        };
        let args: Operands = args.iter().map(|arg| self.env.canonical(*arg)).collect();
        if self.lengths_stay
            && let Some(reader) = reader_of_length(prim)
        {
            return self.length(var, reader, args);
        }
        if let (Prim::IntDiv { kind } | Prim::IntMod { kind }, [dividend, _]) = (prim, &args[..]) {
            match self.env.operand(*dividend, *kind) {
                Some((0.., greatest)) => self.dividends.insert(var, greatest),
                _ => self.dividends.remove(&var),
            };
        }
        let result = match (prim, &args[..]) {
            (Prim::CheckBound { width }, [length, index]) => {
                let passes = self.env.is_in_bounds(*length, *index, *width);
                self.env.assume_in_bounds(*length, *index, *width);
                Some(passes.then_some(Simple::UNIT))
            }
            (Prim::IntCompare { op, kind }, [x, y]) => {
                let outcome = self.env.decide(*op, *kind, *x, *y);
                Some(outcome.map(|holds| Simple::naked_imm(i64::from(holds))))
            }
            _ => None,
        };
        match result {
            Some(Some(result)) => {
                self.decided.insert(var, result);
                return self.env.bind_alias(var, result);
            }
            Some(None) => {
                self.decided.remove(&var);
            }
            None => {}
        }
        let ty = self.env.integer_result(prim, &args).unwrap_or(Ty::Unknown);
        self.env.bind(var, ty);
        if prim.leaves(Classes::ALL) {
            self.env.define(var, Definition { prim: prim.clone(), args: args.clone() });
        }
        self.env.learn_result(var, prim, &args);
    }

    /// The length of an array or a string: the result of an earlier read of it.
    fn length(&mut self, var: Variable, reader: Prim, args: Operands) {
        let key = (reader, args, 0);
        match self.env.cse(&key) {
            Some(known) if known == Simple::Var(var) => {}
            Some(known) => self.env.bind_alias(var, known),
            None => {
                let (reader, args, memory) = key;
                let ty = self.env.integer_result(&reader, &args).unwrap_or(Ty::Unknown);
                self.env.bind(var, ty);
                self.env.add_cse(reader, args, memory, var.into());
            }
        }
    }

    fn declare(&mut self, cont: Continuation, params: &SmallVec<[Variable; 2]>) {
        let entry = Entry {
            time: self.env.now(),
            mark: self.env.mark(),
            params: params.clone(),
            relations: None,
            is_opaque: self.unit.continuations[cont].is_exn,
        };
        self.entries.insert(cont, entry);
    }

    fn group(&mut self, recursive: bool, handlers: &[ContHandler]) {
        match handlers {
            [handler] if recursive => self.follow_loop(handler),
            _ => {
                for handler in handlers {
                    let mark = self.env.mark();
                    if recursive {
                        handler.params.iter().for_each(|param| self.bind(*param));
                    } else {
                        self.enter(handler.cont);
                    }
                    self.expr(&handler.body);
                    self.env.undo(mark);
                }
            }
        }
    }

    /// Assumes what all edges to a continuation have in common, and binds its parameters.
    fn enter(&mut self, cont: Continuation) {
        let Some(entry) = self.entries.remove(&cont) else { return };
        let relations = entry.relations.unwrap_or_default();
        self.env.assume_facts(&relations);
        entry.params.iter().for_each(|param| self.bind(*param));
        for (param, bounds) in entry.params.iter().zip(&relations.bounds) {
            self.env.assume_bounds(*param, bounds);
        }
    }

    /// Analyses a loop until the bounds assumed of its parameters are preserved by all back edges.
    fn follow_loop(&mut self, handler: &ContHandler) {
        let Some(entry) = self.entries.remove(&handler.cont) else { return };
        let relations = entry.relations.unwrap_or_default();
        self.env.assume_facts(&relations);
        let mut bounds = relations.bounds;
        bounds.resize(handler.params.len(), Bounds::default());
        let outline = Outline::of(handler);
        // What is older than the loop has one length in all iterations, wherever that is read first.
        let mut lengths: SmallVec<[Variable; 2]> = SmallVec::new();
        for (var, reader, of) in outline.lengths {
            let of = self.env.canonical(of);
            let is_older = matches!(of, Simple::Var(of) if self.env.is_bound_by(of, self.env.now()));
            let key = (reader, Operands::from_slice(&[of]), 0);
            if self.lengths_stay && is_older && self.env.cse(&key).is_none() {
                self.length(var, key.0, key.1);
                lengths.push(var);
            }
        }
        for (index, bounds) in bounds.iter_mut().enumerate() {
            bounds.add_limits(&outline.limits[index]);
            bounds.add_lengths(&lengths);
            bounds.forget_start(outline.directions[index]);
        }
        let (mark, past) = (self.env.mark(), self.history.len());
        for round in 0.. {
            if round >= ROUNDS.1 || !self.spend(1) {
                bounds.fill(Bounds::default());
            }
            for (param, bounds) in handler.params.iter().zip(&bounds) {
                self.bind(*param);
                self.env.assume_bounds(*param, bounds);
            }
            let (cont, kept) = (handler.cont, bounds.clone());
            let iteration = Iteration { cont, bounds: bounds.clone(), kept, is_first: round == 0 };
            self.iterations.push(iteration);
            self.expr(&handler.body);
            self.env.undo(mark);
            let Some(iteration) = self.iterations.pop() else { return };
            let lost = |index: usize| iteration.kept[index] != iteration.bounds[index];
            if !(0..bounds.len()).any(lost) {
                return;
            }
            for (index, bounds) in bounds.iter_mut().enumerate() {
                let gives_up = round >= ROUNDS.0 && lost(index);
                *bounds = if gives_up { Bounds::default() } else { iteration.kept[index].clone() };
            }
            for (cont, entry) in self.history.drain(past..).rev() {
                self.entries.insert(cont, entry);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::ApplyCont(jump) => self.edge(jump.cont, &jump.args),
            Terminator::Switch(switch) => self.switch(switch),
            Terminator::StringSwitch(switch) => {
                switch.for_each_jump(&mut |jump| self.edge(jump.cont, &jump.args));
            }
            Terminator::Apply(apply) => self.edge(apply.ret, &[]),
            Terminator::Try { body, .. } => self.expr(body),
            Terminator::Raise { .. } | Terminator::Unreachable => {}
        }
    }

    fn switch(&mut self, switch: &Switch) {
        let mut others = self.env.switched(switch.scrutinee);
        let mut arms: SmallVec<[_; 4]> = SmallVec::new();
        for (value, jump) in &switch.arms {
            others = others.without(*value);
            arms.push((IntSet::one(*value), jump));
        }
        arms.extend(switch.default.as_ref().map(|jump| (others, jump)));
        for (set, jump) in arms {
            let mark = self.env.mark();
            // An arm that is never taken says nothing of its continuation.
            if !set.is_empty() && self.env.assume(switch.scrutinee, &set) {
                self.edge(jump.cont, &jump.args);
            }
            self.env.undo(mark);
        }
    }

    /// An edge to a continuation; without arguments where nothing is known of them.
    fn edge(&mut self, cont: Continuation, args: &[Simple]) {
        if !self.spend(1) {
            self.give_up(cont);
            return;
        }
        if let Some(iteration) = self.iterations.iter_mut().rev().find(|i| i.cont == cont) {
            for (index, kept) in iteration.kept.iter_mut().enumerate() {
                let arg = args.get(index).copied();
                if iteration.is_first {
                    self.env.loosen_bounds(kept, arg);
                } else {
                    self.env.retain_bounds(kept, arg);
                }
            }
            return;
        }
        // The function's own continuations have no entry.
        let Some(entry) = self.entries.get_mut(&cont).filter(|entry| !entry.is_opaque) else { return };
        if !self.iterations.is_empty() {
            self.history.push((cont, entry.clone()));
        }
        match &mut entry.relations {
            None => entry.relations = Some(self.env.relations(entry.mark, entry.time, args, true)),
            Some(relations) => self.env.join_relations(relations, args),
        }
    }

    /// Gives up: nothing is known where the continuation is entered.
    fn give_up(&mut self, cont: Continuation) {
        if let Some(iteration) = self.iterations.iter_mut().rev().find(|i| i.cont == cont) {
            iteration.kept.fill(Bounds::default());
        } else if let Some(entry) = self.entries.get_mut(&cont) {
            self.history.push((cont, entry.clone()));
            entry.relations = Some(Relations::default());
        }
    }
}
