//! Handlers that begin by testing which exception they have. A raise of a known exception in the same function goes
//! where the tests would: to an *arm* of theirs, which receives what it needs of the exception, so that neither the
//! exception nor its identity is needed on that path.
//!
//! Such a *fork* is a run of pure bindings and of continuations, the arms, that ends in a switch. Its arms move out of
//! it, to where a raise can name them: what they use of the fork becomes parameters of theirs. They keep their names,
//! because what the pre-pass found is found by these; the fork gets new ones. A variable that several arms use is bound
//! in each of them, by a copy of the parameter that the downward pass resolves.

use std::rc::Rc;

use flambeau_ir::copy::Copier;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, Const, ContHandler, Continuation, Dbg, Expr, Item, Kind, Named, Simple, Switch, Terminator,
    Variable,
};
use rustc_hash::FxHashSet;

use crate::Simplifier;
use crate::continuations::ContState;
use crate::prims::Reached;
use crate::run::Params;

/// More bindings than these are not evaluated at each raise.
const BINDINGS: usize = 8;
/// Tests behind more tests than these stay where they are.
const DEPTH: u32 = 8;

/// The tests of a handler, its arms bound outside.
pub struct Fork {
    params: Params,
    /// The bindings, and the switch.
    tests: Expr,
}

impl Simplifier<'_> {
    /// Moves the arms of a handler that begins with tests to `arms`, each a group of its own; returns what is left.
    pub(crate) fn split_fork(&mut self, handler: ContHandler, arms: &mut Vec<ContHandler>) -> ContHandler {
        deep(|| self.split_at(handler, DEPTH, arms))
    }

    fn split_at(&mut self, handler: ContHandler, depth: u32, moved: &mut Vec<ContHandler>) -> ContHandler {
        let ContHandler { cont, params, body } = handler;
        if depth == 0 || self.is_measuring() || !self.is_fork(&body) {
            return ContHandler { cont, params, body };
        }
        let bound = body.items.iter().filter_map(|item| match item {
            Item::Let { var, .. } => Some(*var),
            _ => None,
        });
        let own: FxHashSet<Variable> = params.iter().copied().chain(bound).collect();
        let Terminator::Switch(mut switch) = body.terminator else { unreachable!("a fork ends in a switch") };
        let mut bindings = Vec::new();
        for item in body.items {
            let Item::LetCont { handlers, .. } = item else {
                bindings.push(item);
                continue;
            };
            for arm in handlers {
                let used = used_of(&arm.body, &own);
                let jumps = switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default);
                for jump in jumps.filter(|jump| jump.cont == arm.cont) {
                    jump.args.extend(used.iter().map(|var| Simple::Var(*var)));
                }
                let arm = self.arm_outside(arm, &used);
                let arm = self.split_at(arm, depth - 1, moved);
                moved.push(arm);
            }
        }
        let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
        let params: Params = params.iter().map(|param| copier.bind_variable(*param)).collect();
        let tests = copier.expr(&Expr { items: bindings, terminator: Terminator::Switch(switch) });
        self.function.forks.insert(cont, Rc::new(Fork { params: params.clone(), tests: tests.clone() }));
        ContHandler { cont, params, body: tests }
    }

    /// Whether a handler is a fork, whose arms nothing but its switch jumps to. What is to be simplified at its only
    /// use can't be used by each raise.
    fn is_fork(&self, body: &Expr) -> bool {
        let Terminator::Switch(switch) = &body.terminator else { return false };
        let mut has_pending = false;
        switch.for_each_jump(&mut |jump| {
            has_pending |= matches!(self.function.conts.get(&jump.cont), Some(ContState::Pending(_)));
        });
        if has_pending {
            return false;
        }
        let mut bindings = 0;
        body.items.iter().all(|item| match item {
            Item::Let { named, .. } => {
                bindings += 1;
                let is_pure = match named {
                    Named::Simple(_) => true,
                    Named::Prim { prim, .. } => prim.can_duplicate(),
                };
                is_pure && bindings <= BINDINGS
            }
            Item::LetCont { recursive: false, handlers } => handlers
                .iter()
                .all(|arm| self.function.analysis.uses(arm.cont).count == uses(switch, arm.cont)),
            Item::LetCont { recursive: true, .. } | Item::LetClosures { .. } | Item::Join { .. } => false,
        })
    }

    /// An arm with what it uses of its fork as parameters.
    fn arm_outside(&mut self, mut arm: ContHandler, used: &[Variable]) -> ContHandler {
        let analysis = Rc::make_mut(&mut self.function.analysis);
        analysis.note_open(arm.cont);
        let mut copies = Vec::with_capacity(used.len());
        for &var in used {
            let param = self.unit.new_variable_like(var);
            Rc::make_mut(&mut self.function.analysis).note_first_loads(param, var, &arm.body);
            arm.params.push(param);
            copies.push(Item::Let { var, named: Named::Simple(param.into()), dbg: Dbg::NONE });
        }
        arm.body.items.splice(0..0, copies);
        arm
    }

    /// Where a jump to a handler leads, as far as its tests are decided here. The bindings of the tests come to stand
    /// here; those that nothing needs are dropped.
    pub(crate) fn through_forks(&mut self, mut jump: ApplyCont, dbg: Dbg, out: &mut Vec<Item>) -> ApplyCont {
        while let Some(fork) = self.function.forks.get(&jump.cont).cloned() {
            let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
            copier.substitute_variables(&fork.params, &jump.args);
            let tests = copier.expr(&fork.tests);
            for item in tests.items {
                match item {
                    Item::Let { var, named: Named::Simple(simple), .. } => {
                        let simple = self.env.canonical(simple);
                        self.env.bind_alias(var, simple);
                    }
                    Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                        if self.primitive(var, prim, args, None, dbg, out) != Reached::Yes {
                            return jump;
                        }
                    }
                    Item::LetClosures { .. } | Item::Join { .. } | Item::LetCont { .. } => return jump,
                }
            }
            let Terminator::Switch(switch) = tests.terminator else { return jump };
            let Some(Const::NakedImmediate(n)) = self.env.constant(switch.scrutinee, Kind::NakedImmediate)
            else {
                return jump;
            };
            let arm = switch.arms.into_iter().find(|(value, _)| *value == n).map(|(_, jump)| jump);
            match arm.or(switch.default) {
                Some(next) => jump = next,
                None => return jump,
            }
        }
        jump
    }
}

/// How often a switch jumps to a continuation.
fn uses(switch: &Switch, cont: Continuation) -> u32 {
    let mut count = 0;
    switch.for_each_jump(&mut |jump| count += u32::from(jump.cont == cont));
    count
}

/// Those of the variables that a term uses, in the order in which it does.
fn used_of(body: &Expr, own: &FxHashSet<Variable>) -> Vec<Variable> {
    let mut used = Vec::new();
    body.for_each_simple_deep(&mut |simple| {
        if let Simple::Var(var) = simple
            && own.contains(&var)
            && !used.contains(&var)
        {
            used.push(var);
        }
    });
    used
}
