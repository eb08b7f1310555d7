//! Which parameters are called in loops, and which functions make and consume sequences.

use flambeau_ir::decision::Policy;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeId, ContHandler, Continuation, Expr, Item, Simple, Terminator,
    Variable,
};
use flambeau_types::Ty;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Found;
use crate::continuations::ContState;
use crate::{Simplifier, size};

/// Functions up to this size are inlined in versions.
const LARGEST_CALLED: u32 = 80;
/// Through so many functions a sequence is followed to the one that consumes it.
const HANDED_ON: u32 = 2;
/// Loops up to this size have versions.
pub(super) const LARGEST_LOOP: u32 = 400;

/// A parameter of a loop with which nothing is done but calling it, and passing it on.
#[derive(Clone, Copy, Debug)]
pub struct CalledParam {
    /// Which of the parameters it is.
    pub index: usize,
    /// With how many arguments.
    pub args: usize,
}

impl Simplifier<'_> {
    /// The parameters of a loop for which it has versions.
    pub(crate) fn called_params(&mut self, handler: &ContHandler) -> SmallVec<[CalledParam; 1]> {
        if self.has_no_versions() {
            return SmallVec::new();
        }
        let analysis = &self.function.analysis;
        let is_candidate = |param: &Variable| {
            analysis.loop_param(*param).is_called
                && analysis.only_value(*param).is_none()
                && matches!(analysis.ty(*param), Ty::Unknown)
        };
        let params = handler.params.iter().enumerate().filter(|(_, param)| is_candidate(param));
        let params: SmallVec<[(usize, Variable); 1]> = params.map(|(index, param)| (index, *param)).collect();
        if params.is_empty() || size::of(&handler.body, LARGEST_LOOP).is_none() {
            return SmallVec::new();
        }
        let called = |(index, param)| Some(CalledParam { index, args: args_in_loop(handler, index, param)? });
        let called: SmallVec<[CalledParam; 1]> = params.into_iter().filter_map(called).collect();
        self.function.has_called_params |= !called.is_empty();
        called
    }

    /// Whether nothing has versions here.
    pub(super) fn has_no_versions(&self) -> bool {
        self.is_measuring()
            || self.function.in_instance
            || self.rewrites.stubs_only
            || self.arguments().policy == Policy::Classic
    }

    /// Whether a closure that a loop calls with so many arguments is of a pattern for which that has a version.
    pub(crate) fn is_sequence(&mut self, closure: Simple, args: usize) -> bool {
        let pattern = self.pattern(closure, Some(args), &mut Found::default());
        pattern.is_some_and(|pattern| self.goes_on(&pattern.call))
    }

    /// Whether a call makes a sequence, and what comes after it passes that to a loop that consumes it, or makes
    /// another sequence of it.
    pub(crate) fn makes_consumed(&mut self, apply: &Apply, code: CodeId) -> bool {
        let Some(ContState::Pending(handler)) = self.function.conts.get(&apply.ret) else { return false };
        let [result] = handler.params[..] else { return false };
        let is_captured = handler.rest.items.as_slice().iter().any(|item| match item {
            Item::LetClosures { set, .. } => {
                set.values.iter().any(|(_, value)| *value == result.into())
                    && set.functions.iter().all(|(_, code)| self.waiting_function(*code).is_some())
            }
            _ => false,
        });
        let consumer = match &handler.rest.terminator {
            Terminator::Apply(next) => {
                let index = next.args.iter().position(|arg| *arg == result.into());
                index.map(|index| (index, (**next).clone()))
            }
            _ => None,
        };
        let Some(call) = self.returned_sequence(code) else { return false };
        let is_consumed = is_captured
            || consumer.is_some_and(|(index, next)| {
                self.callee_of(&next).is_some_and(|code| self.consumes(code, index, HANDED_ON))
            });
        is_consumed && self.goes_on(&call)
    }

    /// Whether a function has a loop, or versions, for what it is passed in a position, or hands it on to one that has,
    /// through so many others.
    fn consumes(&mut self, code: CodeId, index: usize, through: u32) -> bool {
        if is_called(&consumed(&self.unit.codes[code]), index)
            || is_called(&self.called_params_of_function(code), index)
        {
            return true;
        }
        let Some(param) = self.unit.codes[code].params.get(index).copied().filter(|_| through > 0) else {
            return false;
        };
        let mut handed_on: SmallVec<[(Apply, usize); 1]> = SmallVec::new();
        self.unit.codes[code].body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let Some(at) = apply.args.iter().position(|arg| *arg == param.into())
            {
                handed_on.push(((**apply).clone(), at));
            }
        });
        handed_on.into_iter().any(|(apply, at)| {
            self.callee_of(&apply).is_some_and(|callee| self.consumes(callee, at, through - 1))
        })
    }

    /// What the closure calls that a function allocates and returns, if it does nothing else.
    fn returned_sequence(&self, code: CodeId) -> Option<Apply> {
        let data = &self.unit.codes[code];
        let mut found = None;
        self.body(code)?.walk(&mut |expr| {
            if let Terminator::ApplyCont(to) = &expr.terminator
                && to.cont == data.ret
                && let [Simple::Var(result)] = to.args[..]
            {
                for item in &expr.items {
                    if let Item::LetClosures { vars, set, .. } = item
                        && let Some(at) = vars.iter().position(|var| *var == result)
                    {
                        found = self.waiting_function(set.functions[at].1).map(|waiting| waiting.call);
                    }
                }
            }
        });
        found
    }

    /// The function that a call calls, if its body is at hand.
    pub(super) fn callee_of(&mut self, call: &Apply) -> Option<CodeId> {
        match &call.kind {
            CallKind::Direct(code) => Some(*code),
            CallKind::DirectExternal(name) => self.imported(name, call),
            _ => None,
        }
    }

    /// Whether what the closures of a pattern call, by this call, gives closures again, and can be inlined: it is not
    /// recursive but through these.
    pub(super) fn goes_on(&mut self, call: &Apply) -> bool {
        let Some(code) = self.callee_of(call) else { return false };
        self.simplify_callee(code);
        let data = &self.unit.codes[code];
        let may_be_inlined = data.attributes.inline != InlineAttribute::Never
            && self.global.done.contains(&code)
            && !self.global.in_progress.contains(&code)
            && self.whole_size(code, LARGEST_CALLED).is_some()
            && !self.makes_sole_set(code)
            && !self.ends_backtraces(code)
            && !self.calls_its_group(code, &call.kind);
        may_be_inlined && self.makes_closures(code)
    }

    /// Whether a function calls itself, or one of its set, other than through the closures that it makes.
    fn calls_its_group(&self, code: CodeId, kind: &CallKind) -> bool {
        let group = self.global.sets.functions(code);
        let is_own = |other: CodeId| {
            other == code || group.is_some_and(|group| group.iter().any(|(_, member)| *member == other))
        };
        let Some(body) = self.body(code) else { return true };
        let mut calls = false;
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator {
                calls |= apply.kind == *kind;
                calls |= matches!(apply.kind, CallKind::Direct(callee) if is_own(callee));
            }
        });
        calls
    }
}

/// The parameters that loops call, by the continuations of these.
type CalledInLoops = FxHashMap<Continuation, SmallVec<[CalledParam; 1]>>;

/// Whether the parameter in that position is one of these.
pub(super) fn is_called(called: &[CalledParam], index: usize) -> bool {
    called.iter().any(|called| called.index == index)
}

/// The parameters of a function that loops of its own take and call.
pub fn consumed(code: &Code) -> Vec<CalledParam> {
    let called = called_in_loops(&code.body);
    let mut consumed = Vec::new();
    if called.is_empty() {
        return consumed;
    }
    code.body.walk(&mut |expr| {
        let Terminator::ApplyCont(jump) = &expr.terminator else { return };
        for param in called.get(&jump.cont).into_iter().flatten() {
            let passed = jump.args.get(param.index);
            let own = code.params.iter().position(|own| passed == Some(&Simple::Var(*own)));
            consumed.extend(own.map(|index| CalledParam { index, ..*param }));
        }
    });
    consumed
}

/// The parameters of a recursive function that it calls, if nothing else is done with them but passing them on to calls
/// of itself, and to loops that only call them.
pub fn called_params_of(code: &Code, id: CodeId) -> SmallVec<[CalledParam; 1]> {
    let loops = called_in_loops(&code.body);
    let params = code.params.iter().enumerate();
    let called = |(index, param): (usize, &Variable)| {
        let args = args_of_calls(&code.body, *param, &|passed| match passed {
            Passing::Jump(cont, at) => loops.get(&cont).is_some_and(|called| is_called(called, at)),
            Passing::Call(kind, at) => *kind == CallKind::Direct(id) && at == index,
        })?;
        Some(CalledParam { index, args })
    };
    params.filter_map(called).collect()
}

/// Whether a recursive function has versions for what it is passed.
#[must_use]
pub fn consumes_sequences(code: &Code, id: CodeId) -> bool {
    code.recursive && !called_params_of(code, id).is_empty()
}

fn called_in_loops(body: &Expr) -> CalledInLoops {
    let mut called = CalledInLoops::default();
    body.walk(&mut |expr| {
        for item in &expr.items {
            let Item::LetCont { recursive: true, handlers } = item else { continue };
            let [handler] = &handlers[..] else { continue };
            let params = handler.params.iter().enumerate();
            let params = params.filter_map(|(index, param)| {
                Some(CalledParam { index, args: args_in_loop(handler, index, *param)? })
            });
            let params: SmallVec<[CalledParam; 1]> = params.collect();
            if !params.is_empty() {
                called.insert(handler.cont, params);
            }
        }
    });
    called
}

/// With how many arguments a parameter of a loop is called, if nothing else is done with it but passing it on to the
/// next iteration.
fn args_in_loop(handler: &ContHandler, index: usize, param: Variable) -> Option<usize> {
    args_of_calls(
        &handler.body,
        param,
        &|passed| matches!(passed, Passing::Jump(cont, at) if cont == handler.cont && at == index),
    )
}

/// Where an argument is passed: to which continuation or function, and as which of the arguments.
enum Passing<'a> {
    Jump(Continuation, usize),
    Call(&'a CallKind, usize),
}

/// With how many arguments a variable is called, in one place, if nothing else is done with it but passing it on where
/// that is allowed.
fn args_of_calls(body: &Expr, var: Variable, may_pass: &dyn Fn(Passing<'_>) -> bool) -> Option<usize> {
    let var = Simple::Var(var);
    let mut counts: SmallVec<[usize; 2]> = SmallVec::new();
    let mut others = 0;
    body.walk(&mut |expr| {
        let mut count = |simple: Simple| others += usize::from(simple == var);
        expr.items.iter().for_each(|item| item.for_each_simple(&mut count));
        match &expr.terminator {
            Terminator::Apply(apply) => {
                if apply.kind == CallKind::Generic && apply.callee == Some(var) {
                    counts.push(apply.args.len());
                } else {
                    apply.callee.into_iter().for_each(&mut count);
                }
                let args = apply.args.iter().enumerate();
                let args =
                    args.filter(|(at, arg)| **arg != var || !may_pass(Passing::Call(&apply.kind, *at)));
                args.for_each(|(_, arg)| count(*arg));
                apply.for_each_comparator(&mut count);
                apply.exn.for_each_simple(&mut count);
            }
            Terminator::ApplyCont(ApplyCont { cont, args }) => {
                let args = args.iter().enumerate();
                let args = args.filter(|(at, arg)| **arg != var || !may_pass(Passing::Jump(*cont, *at)));
                args.for_each(|(_, arg)| count(*arg));
            }
            terminator => terminator.for_each_simple(&mut count),
        }
    });
    match counts[..] {
        [count] if others == 0 => Some(count),
        _ => None,
    }
}
