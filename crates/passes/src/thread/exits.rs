//! Jumps that continue a loop to leave it: the flag of `while !go do … go := false … done`, set in one iteration and
//! tested at the beginning of the next one.
//!
//! Where a loop begins with tests of its parameters (a *head*: pure bindings, then a switch, whose arms may be heads
//! themselves), and what a jump back to it passes decides that the loop is left, the jump evaluates the bindings
//! and leaves. Where it passes the outcome of a comparison that decides (`go := x < y`), it branches on that instead,
//! and passes a constant where the loop goes on. A jump to the end of an iteration, a continuation that only jumps on
//! to the loop, is as one to the loop. What stays passes the same flag in each iteration, which the simplifier finds
//! out then. Only jumps out of a loop are threaded: one to an arm inside of the loop would be a second entry of a loop.

use flambeau_ir::copy::Copier;
use flambeau_ir::{
    ApplyCont, CodeId, Const, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple,
    Switch, Symbol, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::known::Values;
use super::{Args, Facts, MORE_PARAMS, arms, is_short};

/// Heads are at most that deep in each other.
const DEPTH: u32 = 4;

/// Threads the jumps of a body that leave their loop at its next test; whether there were any.
pub(super) fn thread(
    body: &mut Expr,
    code: Option<CodeId>,
    statics: &FxHashMap<Symbol, u8>,
    unit: &mut Unit,
    rewrites: &mut Rewrites,
) -> bool {
    let facts = Facts::of(body);
    let outcomes = outcomes(body);
    let ends = ends(body);
    let mut leaving = Leaving { unit, rewrites, code, statics, facts, outcomes, ends, threaded: false };
    body.walk_mut(&mut |expr| {
        let mut at = 0;
        while at < expr.items.len() {
            if let Item::LetCont { recursive: true, handlers } = &mut expr.items[at]
                && let [handler] = &mut handlers[..]
            {
                let moved = leaving.loop_of(handler);
                at += moved.len();
                expr.items.splice(at - moved.len()..at - moved.len(), moved);
            }
            at += 1;
        }
    });
    leaving.threaded
}

/// A run of pure bindings that ends in a switch.
struct Head {
    params: SmallVec<[Variable; 2]>,
    bindings: Vec<Item>,
    switch: Switch,
}

/// A continuation that evaluates pure bindings and jumps on to a loop: the end of an iteration.
struct End {
    params: SmallVec<[Variable; 2]>,
    bindings: Vec<Item>,
    to: ApplyCont,
    /// The loop.
    of: Continuation,
}

/// The heads with which a loop begins, the loop's own among them, and the arms of these that leave it.
struct Heads {
    /// The loop.
    of: Continuation,
    heads: FxHashMap<Continuation, Head>,
    /// With what they use of the heads.
    exits: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
    /// What is bound in the loop, itself included.
    bound: FxHashSet<Continuation>,
}

struct Leaving<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    statics: &'a FxHashMap<Symbol, u8>,
    facts: Facts,
    /// Truth values, and the naked ones that they are.
    outcomes: FxHashMap<Variable, Simple>,
    ends: FxHashMap<Continuation, End>,
    threaded: bool,
}

impl Leaving<'_> {
    /// Threads the jumps that continue one loop; returns the arms that they go to, which are out of the loop now.
    fn loop_of(&mut self, handler: &mut ContHandler) -> Vec<Item> {
        if !self.may_leave(handler) {
            return Vec::new();
        }
        let mut heads = self.heads_of(handler);
        let mut to_move: FxHashSet<Continuation> = FxHashSet::default();
        let mut leaves = false;
        handler.body.walk(&mut |expr| {
            expr.terminator.for_each_jump(&mut |jump| {
                let decided = self.decided(&heads, jump);
                for path in decided.iter().filter_map(|args| self.path(&heads, jump.cont, args)) {
                    leaves = true;
                    to_move.extend(heads.exits.contains_key(&path.to.cont).then_some(path.to.cont));
                }
            });
        });
        if !leaves || !self.rewrites.allow(Rewrite::Threading(handler.cont), self.unit, self.code) {
            return Vec::new();
        }
        let moved = self.move_exits(handler, &heads, &to_move);
        if !moved.is_empty() {
            heads = self.heads_of(handler);
        }
        self.redirect(handler, &heads);
        self.threaded = true;
        moved
    }

    /// Whether some jump to the loop passes what may decide its first switch: what costs little to find out.
    fn may_leave(&self, handler: &ContHandler) -> bool {
        let is_head =
            matches!(handler.body.terminator, Terminator::Switch(_)) && is_short(&handler.body.items);
        let mut to = self.ends.iter().filter(|(_, end)| end.of == handler.cont).map(|(cont, _)| *cont);
        is_head && (self.tells(handler.cont) || to.any(|end| self.tells(end)))
    }

    /// Whether some jump passes a constant, a block or an outcome.
    fn tells(&self, cont: Continuation) -> bool {
        let is_known = |arg: &Simple| match arg {
            Simple::Const(_) | Simple::Symbol(_) => true,
            Simple::Var(var) => self.facts.blocks.contains_key(var) || self.outcomes.contains_key(var),
        };
        self.facts.jumps.get(&cont).is_some_and(|jumps| jumps.iter().flatten().any(is_known))
    }

    fn heads_of(&self, handler: &ContHandler) -> Heads {
        let mut heads = Heads {
            of: handler.cont,
            heads: FxHashMap::default(),
            exits: FxHashMap::default(),
            bound: FxHashSet::default(),
        };
        heads.bound.insert(handler.cont);
        heads.bound.extend(bound_in(&handler.body));
        self.add(handler, &FxHashSet::default(), DEPTH, &mut heads);
        heads
    }

    /// Adds a handler as a head, if it is one, and its arms as heads or exits. `outer` is what is bound by the heads
    /// around it.
    fn add(&self, handler: &ContHandler, outer: &FxHashSet<Variable>, depth: u32, heads: &mut Heads) {
        let items = &handler.body.items;
        let Terminator::Switch(switch) = &handler.body.terminator else { return };
        if depth == 0 || !is_short(items) {
            return;
        }
        let mut own = outer.clone();
        own.extend(&handler.params);
        let mut bindings = Vec::new();
        for item in items {
            if let Item::Let { var, .. } = item {
                own.insert(*var);
                bindings.push(item.clone());
            }
        }
        for arm in arms(items) {
            match self.captured(arm, &own, &heads.bound) {
                Some(captured) => _ = heads.exits.insert(arm.cont, captured),
                None => self.add(arm, &own, depth - 1, heads),
            }
        }
        let head = Head { params: handler.params.clone(), bindings, switch: (**switch).clone() };
        heads.heads.insert(handler.cont, head);
    }

    /// What an arm uses of the heads, if it leaves the loop and may be moved out of it.
    fn captured(
        &self,
        arm: &ContHandler,
        own: &FxHashSet<Variable>,
        bound: &FxHashSet<Continuation>,
    ) -> Option<SmallVec<[Variable; 2]>> {
        let mut inside = FxHashSet::default();
        inside.extend(bound_in(&arm.body));
        let mut stays = self.unit.continuations[arm.cont].is_exn;
        arm.body.for_each_cont_use_deep(&mut |cont, _| {
            stays |= bound.contains(&cont) && !inside.contains(&cont);
        });
        let mut seen = FxHashSet::default();
        let mut captured = SmallVec::new();
        arm.body.for_each_simple_deep(&mut |simple| {
            captured.extend(simple.as_var().filter(|var| own.contains(var) && seen.insert(*var)));
        });
        stays |= captured.len() > MORE_PARAMS;
        stays |= !captured.is_empty() && self.facts.fixed.contains(&arm.cont);
        (!stays).then_some(captured)
    }

    /// The arguments with which a jump to a loop leaves it: its own, or with one constant or the other instead of an
    /// outcome.
    fn decided(&self, heads: &Heads, jump: &ApplyCont) -> SmallVec<[Args; 2]> {
        let mut decided = SmallVec::new();
        if self.path(heads, jump.cont, &jump.args).is_some() {
            decided.push(jump.args.clone());
        } else if let Some(test) = self.test(heads, jump) {
            decided.extend(test.args.into_iter().filter(|args| self.path(heads, jump.cont, args).is_some()));
        }
        decided
    }

    /// An outcome that a jump passes and on which it depends whether the loop is left.
    fn test(&self, heads: &Heads, jump: &ApplyCont) -> Option<Test> {
        jump.args.iter().filter_map(|arg| arg.as_var()).find_map(|var| {
            let outcome = *self.outcomes.get(&var)?;
            let with = |n: i64| {
                let by = |arg: &Simple| if *arg == var.into() { Const::Tagged(n).into() } else { *arg };
                jump.args.iter().map(by).collect::<Args>()
            };
            let args = [with(0), with(1)];
            let leaves = args.iter().any(|args| self.path(heads, jump.cont, args).is_some());
            leaves.then_some(Test { outcome, args })
        })
    }

    /// The path that a jump to a loop, or to the end of its iteration, takes, if it leaves the loop.
    fn path<'h>(&'h self, heads: &'h Heads, cont: Continuation, args: &[Simple]) -> Option<Path<'h>> {
        let mut values = Values::new(self.statics, &self.facts.blocks);
        let mut steps = Vec::new();
        let (mut next, mut args) = (cont, args);
        while next != heads.of {
            let end = self.ends.get(&next).filter(|end| end.of == heads.of)?;
            values.bind(&end.params, args);
            values.evaluate(&end.bindings);
            steps.push(Step { params: &end.params, args: args.into(), bindings: &end.bindings });
            (next, args) = (end.to.cont, &end.to.args);
        }
        loop {
            let head = heads.heads.get(&next)?;
            values.bind(&head.params, args);
            values.evaluate(&head.bindings);
            steps.push(Step { params: &head.params, args: args.into(), bindings: &head.bindings });
            let to = values.taken(&head.switch)?;
            if heads.exits.contains_key(&to.cont) || !heads.bound.contains(&to.cont) {
                return Some(Path { steps, to });
            }
            if to.cont == heads.of {
                return None;
            }
            (next, args) = (to.cont, &to.args);
        }
    }

    /// Takes exits out of a loop, with what they use of its heads as parameters.
    fn move_exits(
        &mut self,
        handler: &mut ContHandler,
        heads: &Heads,
        to_move: &FxHashSet<Continuation>,
    ) -> Vec<Item> {
        let mut moved = Vec::new();
        handler.body.walk_mut(&mut |expr| {
            for item in &mut expr.items {
                let Item::LetCont { recursive: false, handlers } = item else { continue };
                let (out, rest): (Vec<_>, Vec<_>) =
                    std::mem::take(handlers).into_iter().partition(|arm| to_move.contains(&arm.cont));
                *handlers = rest;
                moved.extend(out);
            }
            expr.items.retain(|item| !matches!(item, Item::LetCont { handlers, .. } if handlers.is_empty()));
            expr.terminator.for_each_jump_mut(&mut |jump| {
                if to_move.contains(&jump.cont) {
                    jump.args.extend(heads.exits[&jump.cont].iter().map(|var| Simple::Var(*var)));
                }
            });
        });
        moved.into_iter().map(|arm| self.with_params(arm, heads)).collect()
    }

    fn with_params(&mut self, arm: ContHandler, heads: &Heads) -> Item {
        let captured = &heads.exits[&arm.cont];
        // It takes more now.
        self.ends.remove(&arm.cont);
        let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
        let params = arm.params.iter().chain(captured).map(|param| copier.bind_variable(*param)).collect();
        let body = copier.expr(&arm.body);
        // The copy's continuations have new names.
        self.facts.fix(&body);
        arm.body.dismantle();
        let handlers = vec![ContHandler { cont: arm.cont, params, body }];
        Item::LetCont { recursive: false, handlers }
    }

    /// Threads the jumps to a loop that leave it.
    fn redirect(&mut self, handler: &mut ContHandler, heads: &Heads) {
        handler.body.walk_mut(&mut |expr| {
            let Expr { items, terminator } = expr;
            match terminator {
                Terminator::ApplyCont(jump) => {
                    if let Some(threaded) = self.threaded(jump, heads) {
                        items.extend(threaded.items);
                        *terminator = threaded.terminator;
                    }
                }
                Terminator::Switch(switch) => {
                    switch.for_each_jump_mut(&mut |jump| self.leave_from_arm(jump, heads, items));
                }
                Terminator::StringSwitch(switch) => {
                    switch.for_each_jump_mut(&mut |jump| self.leave_from_arm(jump, heads, items));
                }
                _ => {}
            }
        });
    }

    /// Through a continuation of its own where something is to be evaluated.
    fn leave_from_arm(&mut self, jump: &mut ApplyCont, heads: &Heads, out: &mut Vec<Item>) {
        match self.threaded(jump, heads) {
            Some(Expr { items, terminator: Terminator::ApplyCont(to) }) if items.is_empty() => *jump = to,
            Some(threaded) => *jump = self.edge(threaded, out),
            None => {}
        }
    }

    /// A jump to a continuation of its own, which is bound in `out`.
    fn edge(&mut self, body: Expr, out: &mut Vec<Item>) -> ApplyCont {
        let edge = self.unit.new_continuation("edge");
        out.push(Item::let_cont(edge, body));
        ApplyCont::plain(edge)
    }

    /// What replaces a jump that leaves its loop.
    fn threaded(&mut self, jump: &ApplyCont, heads: &Heads) -> Option<Expr> {
        if let Some((items, to)) = self.leave(jump, heads) {
            return Some(Expr { items, terminator: Terminator::ApplyCont(to) });
        }
        let Test { outcome, args } = self.test(heads, jump)?;
        let mut items = Vec::new();
        let [no, yes] = args.map(|args| {
            let jump = ApplyCont { cont: jump.cont, args };
            match self.leave(&jump, heads) {
                Some((evaluated, to)) if evaluated.is_empty() => to,
                Some((evaluated, to)) => {
                    let body = Expr { items: evaluated, terminator: Terminator::ApplyCont(to) };
                    self.edge(body, &mut items)
                }
                None => jump,
            }
        });
        let dbg = heads.heads[&heads.of].switch.dbg;
        let switch = Switch { scrutinee: outcome, arms: vec![(0, no)], default: Some(yes), dbg, cases: None };
        Some(Expr { items, terminator: Terminator::Switch(Box::new(switch)) })
    }

    /// What a jump that leaves its loop evaluates, and where it goes.
    fn leave(&mut self, jump: &ApplyCont, heads: &Heads) -> Option<(Vec<Item>, ApplyCont)> {
        let Path { steps, to } = self.path(heads, jump.cont, &jump.args)?;
        let steps = steps.iter().map(|step| {
            let bindings = Expr { items: step.bindings.to_vec(), terminator: Terminator::Unreachable };
            (step.params.to_vec(), step.args.clone(), bindings)
        });
        let (steps, to) = (steps.collect::<Vec<_>>(), to.clone());
        let mut items = Vec::new();
        // The arguments of the jump itself are of the place where it is. Those of an end of an iteration may be
        // parameters of the loop, which are others from its head on: all of them at once.
        let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
        for (params, args, bindings) in steps {
            let args: Args = args.iter().map(|arg| copier.simple(*arg)).collect();
            copier.substitute_variables(&params, &args);
            items.extend(copier.expr(&bindings).items);
        }
        let args = to.args.iter().map(|arg| copier.simple(*arg)).collect();
        Some((items, ApplyCont { cont: to.cont, args }))
    }
}

/// What a jump comes through on its way out of a loop, and where it leaves it.
struct Path<'h> {
    steps: Vec<Step<'h>>,
    to: &'h ApplyCont,
}

/// An end of an iteration or a head, with what it is passed.
struct Step<'h> {
    params: &'h [Variable],
    args: Args,
    bindings: &'h [Item],
}

/// A truth value that a jump to a loop passes: naked, and the arguments with no and with yes instead.
struct Test {
    outcome: Simple,
    args: [Args; 2],
}

/// The outcomes of comparisons that a body has as values.
fn outcomes(body: &Expr) -> FxHashMap<Variable, Simple> {
    let (mut naked, mut values) = (FxHashSet::default(), FxHashMap::default());
    body.walk(&mut |expr| {
        for item in &expr.items {
            let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
            match prim {
                Prim::IntCompare { .. } | Prim::FloatCompare { .. } | Prim::PhysEqual { .. } => {
                    naked.insert(*var);
                }
                Prim::Tag if args[0].as_var().is_some_and(|var| naked.contains(&var)) => {
                    values.insert(*var, args[0]);
                }
                _ => {}
            }
        }
    });
    values
}

/// The ends of iterations in a body.
fn ends(body: &Expr) -> FxHashMap<Continuation, End> {
    let mut ends: FxHashMap<Continuation, End> = FxHashMap::default();
    let loops = loops(body);
    if loops.is_empty() {
        return ends;
    }
    body.walk(&mut |expr| {
        let mut add = |cont: Continuation, params: &[Variable], items: &[Item], end: &Terminator| {
            let Terminator::ApplyCont(to) = end else { return };
            if !is_short(items) || arms(items).next().is_some() {
                return;
            }
            // Outer ones come first.
            let of =
                if loops.contains(&to.cont) { Some(to.cont) } else { ends.get(&to.cont).map(|end| end.of) };
            if let Some(of) = of {
                let end = End { params: params.into(), bindings: items.to_vec(), to: to.clone(), of };
                ends.insert(cont, end);
            }
        };
        for (at, item) in expr.items.iter().enumerate() {
            match item {
                Item::Join { cont, params, .. } => {
                    add(*cont, params, &expr.items[at + 1..], &expr.terminator);
                }
                Item::LetCont { recursive: false, handlers } => {
                    for ContHandler { cont, params, body } in handlers {
                        add(*cont, params, &body.items, &body.terminator);
                    }
                }
                Item::LetCont { .. } | Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
    });
    ends
}

/// The loops of a body.
fn loops(body: &Expr) -> FxHashSet<Continuation> {
    let mut loops = FxHashSet::default();
    body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::LetCont { recursive: true, handlers } = item {
                loops.extend(handlers.iter().map(|handler| handler.cont));
            }
        }
    });
    loops
}

/// The continuations that a term binds.
fn bound_in(body: &Expr) -> Vec<Continuation> {
    let mut bound = Vec::new();
    body.walk(&mut |expr| {
        for item in &expr.items {
            match item {
                Item::Join { cont, .. } => bound.push(*cont),
                Item::LetCont { handlers, .. } => bound.extend(handlers.iter().map(|handler| handler.cont)),
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
    });
    bound
}
