//! Partial inlining (features B15): the beginning of a function, where it decides whether there is much to do, replaces
//! a call of a function that is not inlined itself. Where there is much to do, the function is called as before.
//!
//! Nothing is outlined, so code grows by the tests alone: the function decides once more. What is evaluated twice are
//! reads and arithmetic, and nothing happens in between.

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, ContHandler, Continuation, ExnCont, Expr, Item, Named, Rewrite,
    Terminator, Unit,
};

use rustc_hash::FxHashSet;

use super::Refusal;
use crate::run::Rest;
use crate::{Simplifier, size};

impl Simplifier<'_> {
    /// Replaces a call whose inlining was refused by the beginning of the function: returns what the run continues
    /// with.
    pub(crate) fn entered(&mut self, apply: &Apply, refusal: &Refusal) -> Option<Rest> {
        let code = refusal.code?;
        let too_much = matches!(
            refusal.reason.as_ref()?,
            Reason::TooLarge { .. }
                | Reason::NothingKnown { .. }
                | Reason::NotBeneficial(_)
                | Reason::OutweighsCall(_)
        );
        let arguments = self.arguments_of(apply);
        let limit = arguments.guard;
        let may_be = arguments.policy == Policy::Threshold
            && apply.inlined == InlineAttribute::Default
            && !self.unit.codes[code].recursive
            // The toplevel runs once.
            && self.function.current.is_some();
        if !too_much || !may_be {
            return None;
        }
        let size = self.guard_size(code).filter(|size| *size <= limit)?;
        if size > self.function.budget.min(self.global.budgets.inlining)
            || !self.allow(Rewrite::PartialInlining)
        {
            return None;
        }
        self.function.budget -= size;
        self.global.budgets.inlining -= size;
        let mut body = self.copy_guard(apply, code)?;
        complete(&mut body, apply);
        self.body_in_place(apply, body)
    }

    /// Why a call stays that follows an inlined beginning of its callee: the decision on it is the same in each round.
    pub(super) fn entered_before(&mut self, apply: &Apply, code: CodeId) -> Option<Reason> {
        if apply.inlined != InlineAttribute::Entered {
            return None;
        }
        let size = self.guard_size(code)?;
        Some(Reason::Entered { size, limit: self.arguments_of(apply).guard })
    }

    /// The size of a function's guard, if it has one.
    fn guard_size(&mut self, code: CodeId) -> Option<u32> {
        if !self.global.guards.contains_key(&code) {
            let guard = guard_of(self.unit, code);
            let guard = guard.and_then(|guard| size::of(&guard, LARGEST_GUARD).map(|size| (guard, size)));
            self.global.guards.insert(code, guard);
        }
        self.global.guards.get(&code)?.as_ref().map(|(_, size)| *size)
    }

    /// A copy of the guard with the arguments of a call.
    fn copy_guard(&mut self, apply: &Apply, code: CodeId) -> Option<Expr> {
        let (mut guard, size) = self.global.guards.remove(&code)??;
        // What is copied is the body of a code.
        std::mem::swap(&mut guard, &mut self.unit.codes[code].body);
        let copy = self.copy_body(apply, code);
        std::mem::swap(&mut guard, &mut self.unit.codes[code].body);
        self.global.guards.insert(code, Some((guard, size)));
        copy
    }
}

/// Larger guards are not considered.
const LARGEST_GUARD: u32 = 100;

/// The body of a function with a call instead of all that does much; `None` unless some path through it does little and
/// some path does much.
fn guard_of(unit: &mut Unit, code: CodeId) -> Option<Expr> {
    let slow = unit.new_continuation("slow");
    let data = &unit.codes[code];
    if loops(&data.body) {
        return None;
    }
    let mut guard = Guard { ret: data.ret, slow, does_little: false, does_much: false, left: LARGEST_GUARD };
    let mut body = guard.run(&data.body.items, &data.body.terminator)?;
    if !guard.does_little || !guard.does_much {
        return None;
    }
    leave_to_function(&mut body, &mut FxHashSet::from_iter([slow]), slow);
    // See `complete`.
    let call = Apply {
        inlined: InlineAttribute::Entered,
        ..Apply::plain(None, CallKind::Direct(code), Vec::new(), data.ret, ExnCont::plain(data.exn))
    };
    let call = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(call)) };
    body.items.insert(0, Item::let_cont(slow, call));
    Some(body)
}

/// What decides only between ways to the call of the function is left to the function. `calls` are the continuations
/// that lead to that call alone.
fn leave_to_function(expr: &mut Expr, calls: &mut FxHashSet<Continuation>, slow: Continuation) {
    for item in &mut expr.items {
        match item {
            Item::LetCont { handlers, .. } => {
                for handler in handlers {
                    leave_to_function(&mut handler.body, calls, slow);
                    if leads_to(&handler.body, calls) {
                        calls.insert(handler.cont);
                        handler.body = Expr {
                            items: Vec::new(),
                            terminator: Terminator::ApplyCont(ApplyCont::plain(slow)),
                        };
                    }
                }
            }
            Item::Join { body, .. } => leave_to_function(body, calls, slow),
            Item::Let { .. } | Item::LetClosures { .. } => {}
        }
    }
}

/// Whether a run ends in some of these continuations on all paths.
fn leads_to(expr: &Expr, conts: &FxHashSet<Continuation>) -> bool {
    let mut leads = !expr.items.iter().any(|item| matches!(item, Item::Join { .. }));
    expr.terminator.for_each_cont_use(&mut |cont, _| leads &= conts.contains(&cont));
    leads
}

/// Whether there is a loop in a body: compared with that the call costs nothing.
fn loops(body: &Expr) -> bool {
    let mut loops = false;
    body.walk(&mut |expr| {
        loops |= expr.items.iter().any(|item| matches!(item, Item::LetCont { recursive: true, .. }));
    });
    loops
}

/// Puts the call itself into the copy of a guard that replaces it.
fn complete(body: &mut Expr, apply: &Apply) {
    body.walk_mut(&mut |expr| {
        if let Terminator::Apply(call) = &mut expr.terminator {
            **call = Apply { inlined: InlineAttribute::Entered, ..apply.clone() };
        }
    });
}

/// The construction of a guard.
struct Guard {
    ret: Continuation,
    /// Where the function is called.
    slow: Continuation,
    /// Some path returns.
    does_little: bool,
    /// Some path calls the function.
    does_much: bool,
    /// How many more items are considered.
    left: u32,
}

impl Guard {
    /// What replaces a run in the guard; `None` if the run does much.
    fn run(&mut self, items: &[Item], terminator: &Terminator) -> Option<Expr> {
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.left = self.left.checked_sub(1)?;
            match item {
                Item::Let { named: Named::Simple(_), .. } => out.push(item.clone()),
                Item::Let { named: Named::Prim { prim, exn, .. }, .. } => {
                    let repeatable = prim.can_duplicate();
                    if exn.is_some() || !repeatable && !self.returns(&items[index..], terminator) {
                        return None;
                    }
                    out.push(item.clone());
                }
                Item::LetClosures { .. } | Item::LetCont { recursive: true, .. } => return None,
                Item::Join { cont, params, body } => {
                    let body = Box::new(self.run(&body.items, &body.terminator)?);
                    let rest = self.run_or_slow(&items[index + 1..], terminator);
                    out.push(Item::Join { cont: *cont, params: params.clone(), body });
                    out.extend(rest.items);
                    return Some(Expr { items: out, terminator: rest.terminator });
                }
                Item::LetCont { recursive: false, handlers } => {
                    let handlers = handlers.iter().map(|handler| self.handler(handler)).collect();
                    out.push(Item::LetCont { recursive: false, handlers });
                }
            }
        }
        match terminator {
            Terminator::ApplyCont(jump) => self.does_little |= jump.cont == self.ret,
            Terminator::Switch(switch) => {
                switch.for_each_jump(&mut |jump| self.does_little |= jump.cont == self.ret);
            }
            _ => return None,
        }
        Some(Expr { items: out, terminator: terminator.clone() })
    }

    fn handler(&mut self, handler: &ContHandler) -> ContHandler {
        ContHandler {
            cont: handler.cont,
            params: handler.params.clone(),
            body: self.run_or_slow(&handler.body.items, &handler.body.terminator),
        }
    }

    fn run_or_slow(&mut self, items: &[Item], terminator: &Terminator) -> Expr {
        let does_little = self.does_little;
        self.run(items, terminator).unwrap_or_else(|| {
            self.does_little = does_little;
            self.does_much = true;
            let jump = ApplyCont::plain(self.slow);
            Expr { items: Vec::new(), terminator: Terminator::ApplyCont(jump) }
        })
    }

    /// Whether a run executes some primitives and returns: after one with an effect the function can no longer be
    /// called instead.
    fn returns(&self, items: &[Item], terminator: &Terminator) -> bool {
        let is_plain = |item: &Item| {
            matches!(item, Item::Let { named: Named::Simple(_) | Named::Prim { exn: None, .. }, .. })
        };
        items.iter().all(is_plain)
            && matches!(terminator, Terminator::ApplyCont(jump) if jump.cont == self.ret)
    }
}
