//! Jump threading: a jump to a continuation that does little but branch on what the jump passes is redirected to the
//! branch taken. `docs/passes/thread.md` shows it.
//!
//! A function that returns a boolean or an option, inlined into a test of its result, becomes a continuation with one
//! jump for each exit of the function and a switch in its handler. Such a *fork* is a run of pure bindings and
//! bindings of continuations that ends in a switch. For a jump whose arguments decide the switch, the continuations
//! that the fork binds, its arms, move out of the handler to where the fork's continuation is bound: what they used of
//! the handler's parameters and bindings becomes parameters of theirs. Then the jump evaluates the bindings itself, and
//! jumps where the switch would.
//!
//! Arms are moved, not copied, so code grows by the fork's bindings alone.

use flambeau_ir::copy::Copier;
use flambeau_ir::stack::deep;
use flambeau_ir::tags;
use flambeau_ir::{
    ApplyCont, CodeId, ContHandler, Continuation, Expr, IntKind, Item, Named, Prim, Rewrite, Rewrites,
    Simple, StaticDef, Switch, Symbol, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::dead_joins::drop_dead_joins;
use known::Values;

mod exits;
mod known;

/// More bindings than these are not evaluated at each jump.
const BINDINGS: usize = 8;
/// More bindings than these are not evaluated at a jump that does not decide the switch.
const TESTS: usize = 2;
/// Arms that use more of the handler's variables than these stay.
const MORE_PARAMS: usize = 12;
/// Arms of more items than these together stay: they are copied once for each fork that they are in.
const ARMS: usize = 2_000;
/// What follows a join with more items than these is not searched for uses of the parameters.
const REST: usize = 1_000;
/// Threading makes constants meet further switches: how often a function is analysed again.
const ROUNDS: u32 = 3;

/// Threads jumps in all functions of a unit, and returns in which there were any, the entry without a code. On entry
/// and on exit the unit is well-formed.
pub fn threaded_in(unit: &mut Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let statics = static_blocks(unit);
    let mut changed_in = Vec::new();
    unit.rewrite_bodies(|unit, code, body| {
        let changed = thread_in(body, code, &statics, unit, rewrites);
        changed_in.extend(changed.then_some(code));
        changed
    });
    changed_in
}

/// The tags of static blocks.
fn static_blocks(unit: &Unit) -> FxHashMap<Symbol, u8> {
    let tag = |def: &StaticDef| match def {
        StaticDef::Block { symbol, tag, .. } => Some((*symbol, *tag)),
        _ => None,
    };
    unit.statics
        .iter()
        .filter_map(|item| tag(&item.def))
        .filter(|(_, tag)| *tag < tags::FIRST_SPECIAL)
        .collect()
}

fn thread_in(
    body: &mut Expr,
    code: Option<CodeId>,
    statics: &FxHashMap<Symbol, u8>,
    unit: &mut Unit,
    rewrites: &mut Rewrites,
) -> bool {
    let mut changed = false;
    for _ in 0..ROUNDS {
        let facts = Facts::of(body);
        let forks = FxHashMap::default();
        let mut threading =
            Threading { unit, rewrites, code, statics, facts, forks, granted: None, threaded: 0 };
        *body = threading.expr(body.take());
        let threaded = threading.threaded > 0;
        let left = exits::thread(body, code, statics, unit, rewrites);
        if !threaded && !left {
            break;
        }
        drop_dead_joins(body);
        changed = true;
    }
    changed
}

/// The arguments of a jump.
type Args = SmallVec<[Simple; 2]>;

/// What jumps pass, and which variables are blocks.
#[derive(Default)]
struct Facts {
    jumps: FxHashMap<Continuation, Vec<Args>>,
    /// Return continuations of calls and exception handlers: their parameters are fixed.
    fixed: FxHashSet<Continuation>,
    blocks: FxHashMap<Variable, u8>,
    /// Outcomes of comparisons, as values.
    tests: FxHashSet<Variable>,
}

impl Facts {
    fn of(body: &Expr) -> Facts {
        let mut facts = Facts::default();
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| facts.item(item));
            facts.terminator(&expr.terminator);
        });
        facts.fix(body);
        facts
    }

    /// Records the continuations of a term whose parameters are fixed.
    fn fix(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let { named: Named::Prim { exn: Some(exn), .. }, .. } = item {
                    self.fixed.insert(exn.cont);
                }
            }
            match &expr.terminator {
                Terminator::Apply(apply) => self.fixed.extend([apply.ret, apply.exn.cont]),
                Terminator::Raise { handler, .. } => self.fixed.extend([handler.cont]),
                Terminator::Try { handler, .. } => self.fixed.extend([handler.cont]),
                _ => {}
            }
        });
    }

    fn item(&mut self, item: &Item) {
        if let Item::Let { var, named: Named::Prim { prim, .. }, .. } = item {
            if let Prim::MakeBlock { tag, .. } = prim
                && *tag < tags::FIRST_SPECIAL
            {
                self.blocks.insert(*var, *tag);
            }
            if matches!(prim, Prim::Tag | Prim::IntCompare3 { .. } | Prim::FloatCompare3) {
                self.tests.insert(*var);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        let mut note = |jump: &ApplyCont| self.jumps.entry(jump.cont).or_default().push(jump.args.clone());
        match terminator {
            Terminator::ApplyCont(jump) => note(jump),
            Terminator::Switch(switch) => switch.for_each_jump(&mut note),
            Terminator::StringSwitch(switch) => switch.for_each_jump(&mut note),
            _ => {}
        }
    }
}

/// A handler that branches on its parameters, its arms bound outside.
#[derive(Clone)]
struct Fork {
    params: SmallVec<[Variable; 2]>,
    bindings: Vec<Item>,
    switch: Switch,
}

impl Fork {
    fn into_expr(self) -> Expr {
        Expr { items: self.bindings, terminator: Terminator::Switch(Box::new(self.switch)) }
    }
}

struct Threading<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    statics: &'a FxHashMap<Symbol, u8>,
    facts: Facts,
    /// The forks in scope to which jumps may be threaded.
    forks: FxHashMap<Continuation, Fork>,
    /// The last one that was asked about when its join was moved.
    granted: Option<Continuation>,
    threaded: u32,
}

impl Threading<'_> {
    fn expr(&mut self, expr: Expr) -> Expr {
        deep(|| self.run(expr))
    }

    fn run(&mut self, expr: Expr) -> Expr {
        let mut out = Vec::with_capacity(expr.items.len());
        let mut items = expr.items.into_iter();
        let mut terminator = expr.terminator;
        while let Some(item) = items.next() {
            match item {
                Item::Join { cont, params, body } => {
                    if self.is_fork(cont, &params, items.as_slice(), &terminator) {
                        let rest = Expr { items: items.collect(), terminator };
                        let fork = self.split(params.clone(), rest, &mut out);
                        self.forks.insert(cont, fork.clone());
                        let body = Box::new(self.expr(*body));
                        self.forks.remove(&cont);
                        out.push(Item::Join { cont, params, body });
                        let rest = self.expr(fork.into_expr());
                        out.extend(rest.items);
                        return Expr { items: out, terminator: rest.terminator };
                    }
                    if self.is_followed_by_fork(cont, &params, items.as_slice(), &terminator)
                        && self.allows(cont)
                        && let Some(Item::Join { cont: next, params: results, body: rest }) = items.next()
                    {
                        // The next join's body alone needs the parameters: this join is moved to its beginning, where
                        // it is a fork.
                        self.granted = Some(cont);
                        self.threaded += 1;
                        let mut inside = vec![Item::Join { cont, params, body }];
                        inside.extend(rest.items);
                        let body = self.expr(Expr { items: inside, terminator: rest.terminator });
                        out.push(Item::Join { cont: next, params: results, body: Box::new(body) });
                        continue;
                    }
                    out.push(Item::Join { cont, params, body: Box::new(self.expr(*body)) });
                }
                Item::LetCont { recursive, handlers } => self.handlers(recursive, handlers, &mut out),
                item => out.push(item),
            }
        }
        let (first, terminator) = {
            let end = std::mem::replace(&mut terminator, Terminator::Unreachable);
            self.terminator(end)
        };
        out.extend(first);
        Expr { items: out, terminator }
    }

    fn handlers(&mut self, recursive: bool, handlers: Vec<ContHandler>, out: &mut Vec<Item>) {
        let mut done = Vec::with_capacity(handlers.len());
        for ContHandler { cont, params, body } in handlers {
            let body = if !recursive && self.is_fork(cont, &params, &body.items, &body.terminator) {
                let fork = self.split(params.clone(), body, out);
                self.forks.insert(cont, fork.clone());
                fork.into_expr()
            } else {
                body
            };
            done.push(ContHandler { cont, params, body: self.expr(body) });
        }
        out.push(Item::LetCont { recursive, handlers: done });
    }

    /// Whether some jump to `cont` decides where the handler branches, and that is to be threaded.
    fn is_fork(&mut self, cont: Continuation, params: &[Variable], items: &[Item], end: &Terminator) -> bool {
        self.may_fork(cont, params, items, end) && self.allows(cont)
    }

    /// Whether the jumps to a continuation may be threaded.
    fn allows(&mut self, cont: Continuation) -> bool {
        self.granted == Some(cont) || self.rewrites.allow(Rewrite::Threading(cont), self.unit, self.code)
    }

    /// Whether the handler begins with a join, `let y = match x with …`, whose body would be such a fork, and what
    /// follows that join does not need the parameters.
    fn is_followed_by_fork(
        &self,
        cont: Continuation,
        params: &[Variable],
        items: &[Item],
        end: &Terminator,
    ) -> bool {
        let Some((Item::Join { body, .. }, rest)) = items.split_first() else { return false };
        let (inside, end_inside) = (&body.items[..], &body.terminator);
        let forks = self.may_fork(cont, params, inside, end_inside)
            || self.is_followed_by_fork(cont, params, inside, end_inside);
        forks && !may_use(params, rest, end)
    }

    /// Whether some jump to `cont` decides where the handler branches, and that can be threaded.
    fn may_fork(&self, cont: Continuation, params: &[Variable], items: &[Item], end: &Terminator) -> bool {
        let Terminator::Switch(switch) = end else { return false };
        let Some(jumps) = self.facts.jumps.get(&cont) else { return false };
        let shaped = is_short(items);
        let threads = |args: &Args| {
            self.choose(params, args, items, switch).is_some() || self.is_tested(params, args, items)
        };
        shaped && jumps.iter().any(threads) && self.arms_may_move(params, items)
    }

    fn arms_may_move(&self, params: &[Variable], items: &[Item]) -> bool {
        let own = own_variables(params, items);
        let mut used = FxHashSet::default();
        let (mut size, mut fixed) = (0, false);
        for handler in arms(items) {
            handler.body.walk(&mut |expr| size += 1 + expr.items.len());
            if size > ARMS {
                return false;
            }
            fixed |= self.facts.fixed.contains(&handler.cont);
            handler.body.for_each_simple_deep(&mut |simple| {
                used.extend(simple.as_var().filter(|var| own.contains(var)));
            });
        }
        let exceptional = arms(items).any(|handler| self.unit.continuations[handler.cont].is_exn);
        !exceptional && used.len() <= MORE_PARAMS && (used.is_empty() || !fixed)
    }

    /// Moves the arms of a fork to `out`; returns the fork.
    fn split(&mut self, params: SmallVec<[Variable; 2]>, rest: Expr, out: &mut Vec<Item>) -> Fork {
        let own = own_variables(&params, &rest.items);
        let mut seen = FxHashSet::default();
        let mut more = SmallVec::<[Variable; 2]>::new();
        for handler in arms(&rest.items) {
            handler.body.for_each_simple_deep(&mut |simple| {
                more.extend(simple.as_var().filter(|var| own.contains(var) && seen.insert(*var)));
            });
        }
        let moved: Vec<Continuation> = arms(&rest.items).map(|handler| handler.cont).collect();
        let mut bindings = Vec::new();
        for item in rest.items {
            let Item::LetCont { recursive, handlers } = item else {
                bindings.push(item);
                continue;
            };
            let handlers =
                handlers.into_iter().map(|handler| self.move_arm(handler, &moved, &more)).collect();
            self.handlers(recursive, handlers, out);
        }
        let Terminator::Switch(mut switch) = rest.terminator else {
            unreachable!("a fork ends in a switch");
        };
        let jumps = switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default);
        for jump in jumps.filter(|jump| moved.contains(&jump.cont)) {
            jump.args.extend(more.iter().map(|var| Simple::Var(*var)));
        }
        Fork { params, bindings, switch: *switch }
    }

    /// An arm with what it uses of the fork as parameters.
    fn move_arm(&mut self, arm: ContHandler, moved: &[Continuation], more: &[Variable]) -> ContHandler {
        if more.is_empty() {
            return arm;
        }
        let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
        for cont in moved {
            copier.add_arguments(*cont, more);
        }
        let mut params: SmallVec<[Variable; 2]> =
            arm.params.iter().map(|param| copier.bind_variable(*param)).collect();
        params.extend(more.iter().map(|var| copier.bind_variable(*var)));
        let body = copier.expr(&arm.body);
        // The copy's continuations have new names.
        self.facts.fix(&body);
        arm.body.dismantle();
        ContHandler { cont: arm.cont, params, body }
    }

    /// The jump that the switch of a handler takes, with such arguments.
    fn choose<'s>(
        &self,
        params: &[Variable],
        args: &[Simple],
        items: &[Item],
        switch: &'s Switch,
    ) -> Option<&'s ApplyCont> {
        let mut values = Values::new(self.statics, &self.facts.blocks);
        values.bind(params, args);
        if values.is_empty() {
            return None;
        }
        values.evaluate(items);
        values.taken(switch)
    }

    /// Whether the handler does no more than test the outcome of a comparison that a jump passes: where that is
    /// computed, it is not needed as a value.
    fn is_tested(&self, params: &[Variable], args: &[Simple], items: &[Item]) -> bool {
        let bindings = items.iter().filter(|item| matches!(item, Item::Let { .. })).count();
        let is_test = |arg: &Simple| arg.as_var().is_some_and(|var| self.facts.tests.contains(&var));
        let tested = |param: &Variable| {
            items.iter().any(|item| {
                matches!(item, Item::Let { named: Named::Prim { prim, args, .. }, .. }
                    if is_test_of_outcome(prim) && args.contains(&(*param).into()))
            })
        };
        bindings <= TESTS && params.iter().zip(args).any(|(param, arg)| is_test(arg) && tested(param))
    }

    fn terminator(&mut self, terminator: Terminator) -> (Vec<Item>, Terminator) {
        let mut items = Vec::new();
        let terminator = match terminator {
            Terminator::ApplyCont(jump) => {
                let jump = self.follow(jump, &mut items);
                match self.test_here(&jump, &mut items) {
                    Some(switch) => self.switch(switch, &mut items),
                    None => Terminator::ApplyCont(jump),
                }
            }
            Terminator::Switch(switch) => self.switch(*switch, &mut items),
            Terminator::StringSwitch(mut switch) => {
                for jump in switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default) {
                    self.arm(jump, &mut items);
                }
                Terminator::StringSwitch(switch)
            }
            Terminator::Try { body, handler } => {
                Terminator::Try { body: Box::new(self.expr(*body)), handler }
            }
            end @ (Terminator::Apply(_) | Terminator::Raise { .. } | Terminator::Unreachable) => end,
        };
        (items, terminator)
    }

    fn switch(&mut self, mut switch: Switch, items: &mut Vec<Item>) -> Terminator {
        for jump in switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default) {
            self.arm(jump, items);
        }
        Terminator::Switch(Box::new(switch))
    }

    /// The switch of a fork instead of a jump to it that passes the outcome of a comparison.
    fn test_here(&mut self, jump: &ApplyCont, items: &mut Vec<Item>) -> Option<Switch> {
        let fork = self.forks.get(&jump.cont)?;
        if !self.is_tested(&fork.params, &jump.args, &fork.bindings) {
            return None;
        }
        let fork = fork.clone();
        let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
        copier.substitute_variables(&fork.params, &jump.args);
        let copy = copier.expr(&fork.into_expr());
        let Terminator::Switch(switch) = copy.terminator else { return None };
        items.extend(copy.items);
        self.threaded += 1;
        Some(*switch)
    }

    /// Threads an arm of a switch: through a continuation of its own where something is to be evaluated.
    fn arm(&mut self, jump: &mut ApplyCont, out: &mut Vec<Item>) {
        let mut items = Vec::new();
        let to = self.follow(jump.clone(), &mut items);
        let terminator = match self.test_here(&to, &mut items) {
            Some(switch) => self.switch(switch, &mut items),
            None if items.is_empty() => {
                *jump = to;
                return;
            }
            None => Terminator::ApplyCont(to),
        };
        let cont = self.unit.new_continuation("edge");
        let body = Expr { items, terminator };
        out.push(Item::let_cont(cont, body));
        *jump = ApplyCont::plain(cont);
    }

    /// The final target of a jump, and in `items` what is evaluated on the path. Forks are not in scope in their own
    /// arms, so this ends.
    fn follow(&mut self, mut jump: ApplyCont, items: &mut Vec<Item>) -> ApplyCont {
        while let Some(fork) = self.forks.get(&jump.cont) {
            let Some(chosen) = self.choose(&fork.params, &jump.args, &fork.bindings, &fork.switch) else {
                break;
            };
            let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
            copier.substitute_variables(&fork.params, &jump.args);
            let end = Terminator::ApplyCont(chosen.clone());
            let copy = copier.expr(&Expr { items: fork.bindings.clone(), terminator: end });
            let Terminator::ApplyCont(next) = copy.terminator else { break };
            items.extend(copy.items);
            self.threaded += 1;
            jump = next;
        }
        jump
    }
}

/// Whether an operation looks at the outcome of a comparison.
fn is_test_of_outcome(prim: &Prim) -> bool {
    matches!(prim, Prim::Untag | Prim::PhysEqual { .. } | Prim::IntCompare { kind: IntKind::Tagged, .. })
}

/// Whether the rest of a run uses variables, as far as that is found out in a reasonable time.
fn may_use(vars: &[Variable], items: &[Item], end: &Terminator) -> bool {
    let mut is_used = false;
    let mut looked_at = 0;
    let mut look = |simple: Simple| is_used |= simple.as_var().is_some_and(|var| vars.contains(&var));
    let mut pending: SmallVec<[&Expr; 8]> = SmallVec::new();
    let (mut items, mut end) = (items, end);
    loop {
        looked_at += 1 + items.len();
        for item in items {
            item.for_each_simple(&mut look);
            item.for_each_child(&mut |child| pending.push(child));
        }
        end.for_each_simple(&mut look);
        pending.extend(end.child());
        match pending.pop() {
            Some(next) if looked_at <= REST => (items, end) = (&next.items, &next.terminator),
            next => return is_used || next.is_some(),
        }
    }
}

/// Whether a run, up to the switch that ends it, may be evaluated at each jump, its arms apart.
fn is_short(items: &[Item]) -> bool {
    let mut bindings = 0;
    items.iter().all(|item| match item {
        Item::Let { named, .. } => {
            bindings += 1;
            bindings <= BINDINGS && is_pure(named)
        }
        Item::LetCont { .. } => true,
        Item::Join { .. } | Item::LetClosures { .. } => false,
    })
}

fn is_pure(named: &Named) -> bool {
    match named {
        Named::Simple(_) => true,
        Named::Prim { prim, .. } => prim.can_duplicate(),
    }
}

/// The continuations that a fork binds.
fn arms(items: &[Item]) -> impl Iterator<Item = &ContHandler> {
    items.iter().flat_map(|item| match item {
        Item::LetCont { handlers, .. } => handlers.as_slice(),
        _ => &[],
    })
}

/// The variables that a fork binds, its arms apart.
fn own_variables(params: &[Variable], items: &[Item]) -> FxHashSet<Variable> {
    let bound = items.iter().filter_map(|item| match item {
        Item::Let { var, .. } => Some(*var),
        _ => None,
    });
    params.iter().copied().chain(bound).collect()
}
