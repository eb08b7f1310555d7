//! Out of loops: what is the same in each iteration is computed where the loop is entered.
//!
//! What every iteration computes first of all, in the *head* of the loop, may leave it whatever it is: then nothing is
//! computed that would not have been. What stands behind a branch leaves the loop if it may be computed in vain: if it
//! reads nothing, takes few instructions, and its result need not be saved around calls of the loop.

use flambeau_flow::{Block, Location, Loop, Run};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    Continuation, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites, Simple, Terminator, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use super::floating::{Floating, FloatingKind};
use super::{Function, Goal, Plan, Spot, variables};
use crate::loops::Iteration;

/// Decides what leaves loops.
pub(super) fn plan(
    function: &Function,
    waiting: &FxHashSet<Continuation>,
    floating: &[Floating],
    plan: &mut Plan,
    rewrites: &mut Rewrites,
) {
    if function.flow.loops().is_empty() {
        return;
    }
    let loops = function.loops(waiting);
    // Operands come before what is computed from them.
    let mut outermost: FxHashMap<Variable, Loop> = FxHashMap::default();
    for value in floating {
        if let FloatingKind::Value { prim, args } = value.kind
            && let Some(left) = function.leaves(value, prim, args, &loops, &outermost)
        {
            outermost.insert(value.vars[0], left);
        }
    }
    // What is as cheap as a register leaves only the loops that what needs it leaves.
    let mut needed: FxHashMap<Variable, Loop> = FxHashMap::default();
    for value in floating.iter().rev() {
        let FloatingKind::Value { prim, args } = value.kind else { continue };
        let Some(farthest) = outermost.get(&value.vars[0]).copied() else { continue };
        let left = match needed.get(&value.vars[0]).copied() {
            Some(left) if !prim.is_worth_a_register() => left,
            Some(_) => farthest,
            None if prim.is_worth_a_register() => {
                if !rewrites.allow(Rewrite::OutOfLoop(value.vars[0]), function.unit, function.code) {
                    continue;
                }
                farthest
            }
            None => continue,
        };
        for operand in variables(args).filter(|operand| outermost.contains_key(operand)) {
            if function.is_defined_in(operand, left) {
                let outer = needed.get(&operand).copied().unwrap_or(left).min(left);
                needed.insert(operand, outer);
            }
        }
        plan.add(value, smallvec![function.before(left)]);
    }
}

/// What is known of a loop of one continuation with a single entry, at the end of the run that binds it.
struct Repeated {
    iteration: Iteration,
    /// What each iteration computes first of all: the runs, and the position in each up to which it does.
    head: FxHashMap<Run, u32>,
    /// From this position on something in the head may have raised.
    may_raise: u32,
    /// Some iteration may call.
    calls: bool,
}

impl Function<'_, '_> {
    /// The loops that values may leave.
    fn loops(&self, waiting: &FxHashSet<Continuation>) -> FxHashMap<Loop, Repeated> {
        let flow = self.flow;
        let mut found = FxHashMap::default();
        for entered in flow.loops().keys() {
            let mut headers = flow.headers(entered);
            let (Some(header), None) = (headers.next(), headers.next()) else { continue };
            let block = &flow.blocks()[header];
            let (Some(cont), Some(term)) = (block.cont, self.terms[block.code]) else { continue };
            if !self.is_entered_at_end(entered, header, cont) {
                continue;
            }
            let mut head = Head { function: self, reached: FxHashMap::default(), may_raise: u32::MAX };
            head.run(block.code, term);
            let Head { reached, may_raise, .. } = head;
            let iteration = Iteration::of(cont, term, waiting);
            let calls = flow.runs_of(entered).any(|run| self.terms[run].is_some_and(calls));
            found.insert(entered, Repeated { iteration, head: reached, may_raise, calls });
        }
        found
    }

    /// Whether a loop has a single entry, at the end of the run that binds it.
    fn is_entered_at_end(&self, entered: Loop, header: Block, cont: Continuation) -> bool {
        let flow = self.flow;
        let binds = flow.loops()[entered].bound_in;
        let mut outside = flow.predecessors(header).filter(|edge| !flow.is_in_loop(edge.from.run, entered));
        let is_at_end = match self.terms[binds].map(|term| &term.terminator) {
            Some(Terminator::ApplyCont(jump)) => jump.cont == cont,
            _ => false,
        };
        is_at_end && outside.next().is_some() && outside.next().is_none()
    }

    /// The outermost loop that a value may leave, those inside it left before.
    fn leaves(
        &self,
        value: &Floating,
        prim: &Prim,
        args: &[Simple],
        loops: &FxHashMap<Loop, Repeated>,
        outermost: &FxHashMap<Variable, Loop>,
    ) -> Option<Loop> {
        let flow = self.flow;
        let (mut at, mut left) = (value.at(), None);
        while let Some(entered) = flow.runs()[at.run].in_loop.expand()
            && let Some(repeated) = loops.get(&entered)
        {
            let varies = |operand: Variable| match outermost.get(&operand) {
                Some(outer) => flow.is_in_loop(flow.loops()[*outer].bound_in, entered),
                None => self.is_defined_in(operand, entered),
            };
            if variables(args).any(varies) || !repeated.iteration.leaves(prim) {
                break;
            }
            let is_reached = repeated.head.get(&at.run).is_some_and(|end| at.position < *end);
            let is_safe = prim.can_speculate() || at.position < repeated.may_raise;
            if !(is_reached && is_safe || may_be_in_vain(prim, repeated.calls)) {
                break;
            }
            left = Some(entered);
            at = self.before(entered).at;
        }
        left
    }

    /// Whether a variable is bound in a loop.
    fn is_defined_in(&self, variable: Variable, entered: Loop) -> bool {
        let defined = self.values.definition(variable);
        defined.is_some_and(|defined| self.flow.is_in_loop(defined.run, entered))
    }

    /// Where a loop is entered.
    fn before(&self, entered: Loop) -> Goal {
        let flow = self.flow;
        let run = flow.loops()[entered].bound_in;
        let spot = flow.headers(entered).next().and_then(|header| flow.blocks()[header].cont);
        let spot = spot.map_or(Spot::Beginning, Spot::BeforeLoop);
        Goal { at: Location { run, position: flow.runs()[run].terminator }, spot }
    }
}

/// Looks for what each iteration of a loop computes first of all.
struct Head<'h, 'f, 'e> {
    function: &'h Function<'f, 'e>,
    reached: FxHashMap<Run, u32>,
    may_raise: u32,
}

impl Head<'_, '_, '_> {
    fn run(&mut self, run: Run, expr: &Expr) {
        let Function { flow, values, .. } = self.function;
        let mut end = flow.runs()[run].end;
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, .. }, .. } => {
                    if prim.effects().may_not_go_on()
                        && let Some(at) = values.definition(*var)
                    {
                        self.may_raise = self.may_raise.min(at.position);
                    }
                }
                Item::Let { .. } | Item::LetClosures { .. } | Item::LetCont { .. } => {}
                Item::Join { cont, body, .. } => {
                    let Some(block) = flow.block_of(*cont).map(|block| &flow.blocks()[block]) else { break };
                    if let Some(inner) = flow.child_at(run, block.bound_at) {
                        deep(|| self.run(inner, body));
                    }
                    if !always_goes_on(body, *cont) {
                        end = block.start;
                        break;
                    }
                }
            }
        }
        self.reached.insert(run, end);
    }
}

/// Whether a term has no effect, and jumps to a continuation whichever path it takes.
fn always_goes_on(body: &Expr, cont: Continuation) -> bool {
    let mut own = FxHashSet::from_iter([cont]);
    let mut goes_on = true;
    // Continuations are bound before they are used, in this order.
    body.walk(&mut |expr| {
        for item in &expr.items {
            match item {
                Item::Let { named: Named::Prim { prim, .. }, .. } => {
                    goes_on &= prim.can_drop();
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { cont, .. } => {
                    own.insert(*cont);
                }
                Item::LetCont { recursive, handlers } => {
                    goes_on &= !recursive;
                    own.extend(handlers.iter().map(|handler| handler.cont));
                }
            }
        }
        match &expr.terminator {
            Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_) => {
                expr.terminator.for_each_jump(&mut |jump| goes_on &= own.contains(&jump.cont));
            }
            _ => goes_on = false,
        }
    });
    goes_on
}

/// Whether a run calls: what lives across it is saved on the stack.
fn calls(expr: &Expr) -> bool {
    let is_call = |item: &Item| match item {
        Item::Let { named: Named::Prim { prim, .. }, .. } => prim.is_c_call(),
        _ => false,
    };
    matches!(expr.terminator, Terminator::Apply(_)) || expr.items.iter().any(is_call)
}

/// Whether it may be computed before a loop though perhaps no iteration needs it: it takes less time than a call. Where
/// the loop calls, its result is saved on the stack: then it must take longer than to load it back. A result that the
/// collector looks at stays behind its branch, which may be what makes its operands what they must be: the sum of two
/// pointers, which a type that the branch refines has for integers, is none of OCaml's values.
pub(crate) fn may_be_in_vain(prim: &Prim, calls: bool) -> bool {
    prim.can_speculate()
        && prim.signature().result != Kind::Value
        && (prim.is_worth_the_stack() || !calls && !prim.is_c_call())
}
