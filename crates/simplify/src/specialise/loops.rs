//! Functions that call what they are passed in loops of their own: sorts, folds over a structure by a local function.
//! Where a call says which function it passes, the whole is inlined for it, nested functions and all, though it is
//! large: each of these calls becomes a direct one, which may be inlined (features C1).

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::{Apply, CallKind, CodeId, Expr, Simple, Terminator, Unit};
use flambeau_types::Ty;

use super::DEEPEST;
use super::nested::Nested;
use super::types::comparison;
use crate::{Simplifier, call_patterns};

/// Larger functions are not inlined for what they are passed.
pub const LARGEST_WITH_LOOPS: u32 = 1_000;
/// Up to this size a function that is passed is small.
const SMALL: u32 = 60;
/// What each of the calls may cost in size.
const CALL: u32 = 200;

impl Simplifier<'_> {
    /// Whether a call passes functions to one that calls them in its loops so often that it is inlined for that.
    pub(crate) fn calls_known_in_loops(&mut self, apply: &Apply, code: CodeId) -> Option<Reason> {
        let stays = self.is_measuring()
            || self.rewrites.stubs_only
            || self.arguments().policy != Policy::Threshold
            || self.unit.codes[code].recursive
            || apply.depth > DEEPEST
            || !apply.args.iter().any(|arg| self.has_functions(*arg))
            || self.is_in_cold(apply);
        if stays {
            return None;
        }
        let size = self.whole_size(code, LARGEST_WITH_LOOPS)?;
        let counts = calls_in_loops(self.unit, code);
        let known = apply.args.iter().zip(&counts).filter(|(arg, _)| self.disappears_where_called(**arg));
        let called: u32 = known.map(|(_, count)| count).sum();
        let consumed = call_patterns::consumed(&self.unit.codes[code]);
        let sequences = consumed.iter().filter(|param| {
            apply.args.get(param.index).is_some_and(|arg| self.is_sequence(*arg, param.args))
        });
        let calls = called + sequences.count() as u32;
        if calls == 0 || size > calls.saturating_mul(CALL) || size > self.global.budgets.loops {
            return None;
        }
        Some(Reason::CallsInLoops { calls, size })
    }

    /// Whether a value is a known function that is small and calls nothing itself: then a call of it is much beside
    /// what it does.
    pub(crate) fn disappears_where_called(&self, value: Simple) -> bool {
        let Ty::Closure(known) = self.env.ty(value) else { return false };
        known.code().is_some_and(|code| {
            let is_small = self.whole_size(code, SMALL).is_some();
            is_small && self.body(code).is_some_and(|body| !calls_something(body))
        })
    }
}

/// Whether a body calls a function, or the runtime's comparison of values of any type.
fn calls_something(body: &Expr) -> bool {
    let mut calls = false;
    body.walk(&mut |expr| {
        calls |= matches!(expr.terminator, Terminator::Apply(_))
            || expr.items.iter().any(|item| comparison(item).is_some());
    });
    calls
}

/// Whether a function calls something that it is passed in loops, so often that it may be inlined for that.
#[must_use]
pub fn gains_from_functions(unit: &Unit, code: CodeId) -> bool {
    !unit.codes[code].recursive && calls_in_loops(unit, code).iter().any(|calls| *calls > 0)
}

/// In how many places a function calls each of its parameters in loops: of its own, or in functions whose closures it
/// allocates, if there is a loop among them.
fn calls_in_loops(unit: &Unit, code: CodeId) -> Vec<u32> {
    let params = &unit.codes[code].params;
    let mut counts = vec![0; params.len()];
    let nested = Nested::of(unit, code);
    let mut loops = false;
    for &at in &nested.codes {
        let data = &unit.codes[at];
        let is_nested = at != code;
        loops |= is_nested && data.recursive;
        data.body.walk_repeated(&mut |expr, in_loop| {
            loops |= in_loop;
            if let Terminator::Apply(apply) = &expr.terminator
                && apply.kind == CallKind::Generic
                && let Some(callee) = apply.callee.map(|callee| nested.outermost(callee))
                && let Some(param) = params.iter().position(|param| callee == Simple::Var(*param))
            {
                counts[param] += u32::from(in_loop || is_nested);
            }
        });
    }
    if loops { counts } else { Vec::new() }
}
