//! Functions that call what they are passed in loops of their own: sorts, folds over a structure by a local function.
//! Where a call says which function it passes, the whole is inlined for it, nested functions and all, though it is
//! large: each of these calls becomes a direct one, which may be inlined (features C1).

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::{
    Apply, CallKind, CodeId, Expr, Item, Named, Prim, Simple, Terminator, Unit, ValueSlot, Variable,
};
use flambeau_types::Ty;
use rustc_hash::FxHashMap;

use super::DEEPEST;
use super::types::comparison;
use crate::Simplifier;

/// Larger functions are not inlined for what they are passed.
pub const LARGEST_WITH_LOOPS: u32 = 1_000;
/// Up to this size a function that is passed is small.
const SMALL: u32 = 60;
/// What each of the calls may cost in size.
const CALL: u32 = 200;

impl Simplifier<'_> {
    /// Whether a call passes functions to one that calls them in its loops so often that it is inlined for that.
    pub(crate) fn calls_known_in_loops(&self, apply: &Apply, code: CodeId) -> Option<Reason> {
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
        let calls: u32 = known.map(|(_, count)| count).sum();
        if calls == 0 || size > calls.saturating_mul(CALL) || size > self.global.loops_budget {
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
    // The parameters, and what nested functions load them from.
    let mut values: FxHashMap<Variable, usize> =
        params.iter().enumerate().map(|(index, param)| (*param, index)).collect();
    let mut slots: FxHashMap<ValueSlot, usize> = FxHashMap::default();
    let mut loops = false;
    let mut pending = vec![code];
    while let Some(next) = pending.pop() {
        let data = &unit.codes[next];
        let is_nested = next != code;
        loops |= is_nested && data.recursive;
        data.body.walk_in_loops(&mut |expr, in_loop| {
            loops |= in_loop;
            for item in &expr.items {
                match item {
                    Item::Let {
                        var,
                        named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. },
                        ..
                    } => values.extend(slots.get(value).map(|param| (*var, *param))),
                    Item::LetClosures { set, .. } => {
                        let param = |value: Simple| values.get(&value.as_var()?).copied();
                        slots.extend(
                            set.values.iter().filter_map(|(slot, value)| Some((*slot, param(*value)?))),
                        );
                        pending.extend(set.functions.iter().map(|(_, code)| *code));
                    }
                    _ => {}
                }
            }
            if let Terminator::Apply(apply) = &expr.terminator
                && apply.kind == CallKind::Generic
                && let Some(param) = apply.callee.and_then(Simple::as_var).and_then(|var| values.get(&var))
            {
                counts[*param] += u32::from(in_loop || is_nested);
            }
        });
    }
    if loops { counts } else { Vec::new() }
}
