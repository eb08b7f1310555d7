//! The search of policy *benefit* inside a function that is not worth inlining by itself (manual 21.3.2, 21.3.6; features B4).
//!
//! It goes through the calls in the order of evaluation, and into the functions that they call, up to a depth. All that
//! it looks at counts against one quota, whether or not it is kept, and with the first body that does not fit it ends.
//! So what it looks at does not depend on what operations cost, and what a smaller quota looks at is the beginning of what a larger
//! one does. A call inside is kept if that is better than the call; so each cost that rises, and each body that is looked at
//! besides, can only make the whole better. For the same reason nothing is concluded from what a call inside returns.

use flambeau_ir::{Apply, CallKind, CodeId, FunctionKind};
use flambeau_types::Ty;
use smallvec::SmallVec;

use super::speculate::Speculation;
use crate::{Simplifier, size};

/// A search under way.
pub(super) struct Search {
    /// The functions that are being evaluated, from the outside.
    codes: SmallVec<[CodeId; 4]>,
    /// How deep calls in the innermost are, besides what they are already.
    base: u32,
    /// As deep calls are looked at.
    deepest: u32,
    /// What may still be looked at.
    quota: f64,
    /// What the benefit counts where the search began.
    hotness: f64,
    /// A call was too deep.
    limited: bool,
    /// The quota was used up.
    cut: bool,
}

impl Search {
    /// None at all.
    pub fn nothing() -> Search {
        Search {
            codes: SmallVec::new(),
            base: 1,
            deepest: 0,
            quota: 0.0,
            hotness: 0.0,
            limited: false,
            cut: true,
        }
    }

    /// Inside a function that is called, through so many more calls.
    pub fn inside(apply: &Apply, code: CodeId, deeper: u32, quota: f64, hotness: f64) -> Search {
        let depth = u32::from(apply.depth);
        Search {
            codes: SmallVec::from_slice(&[code]),
            base: depth + 1,
            deepest: depth + deeper,
            quota,
            hotness,
            limited: false,
            cut: false,
        }
    }

    /// Whether it ended before all calls had been looked at.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Whether a deeper one would see more.
    pub fn goes_on(&self) -> bool {
        self.limited && !self.cut
    }
}

impl Simplifier<'_> {
    /// Evaluates the function of a call in a body that is being evaluated; whether it is better than the call, and has been
    /// counted in its place.
    pub(super) fn speculate_inside(&mut self, speculation: &mut Speculation, apply: &Apply) -> bool {
        if speculation.search.cut {
            return false;
        }
        let mut apply = apply.clone();
        apply.callee = apply.callee.map(|callee| self.env.canonical(callee));
        let Some(code) = self.function_called(&apply) else { return false };
        let data = &self.unit.codes[code];
        let (stub, fits) = (data.attributes.stub, data.params.len() == apply.args.len());
        if !fits
            || data.recursive
            || self.global.in_progress.contains(&code)
            || speculation.search.codes.contains(&code)
        {
            return false;
        }
        let Ok(forced) = self.attribute(&apply, code) else { return false };
        if self.ends_backtraces(code) {
            return false;
        }
        let search = &mut *speculation.search;
        let depth = search.base + u32::from(apply.depth);
        if depth > search.deepest {
            search.limited = true;
            return false;
        }
        let Some(size) = self.declared_size(code) else { return false };
        let cost = if stub { 0.0 } else { f64::from(size) };
        if cost > search.quota || self.pay_for_speculation(size).is_err() {
            search.cut = true;
            return false;
        }
        search.quota -= cost;
        let base = std::mem::replace(&mut search.base, depth + u32::from(!stub));
        search.codes.push(code);
        let inner = self.speculate_call_inside(speculation, &apply, code);
        let search = &mut *speculation.search;
        search.base = base;
        search.codes.pop();
        let benefit = self.arguments_of(&apply).costs.worth(&inner.measure.removed) * search.hotness;
        let is_better = f64::from(inner.measure.size) - benefit <= f64::from(size::call(&apply));
        if forced.is_none() && !is_better {
            return false;
        }
        speculation.count(inner, apply.kind == CallKind::Generic);
        true
    }

    /// The function that a call runs, if that is known.
    fn function_called(&mut self, apply: &Apply) -> Option<CodeId> {
        match &apply.kind {
            CallKind::Direct(code) => Some(*code),
            CallKind::DirectExternal(name) => self.imported(name, apply),
            CallKind::Generic => {
                let callee = apply.callee?;
                let Ty::Closure(known) = self.env.ty(callee) else {
                    let name = self.closure_of_other_unit(callee)?.code.clone();
                    return self.imported(&name, apply);
                };
                let code = known.code()?;
                let data = &self.unit.codes[code];
                let takes = data.kind == FunctionKind::Curried
                    && data.takes_values(&self.unit.variables, apply.args.len());
                takes.then_some(code)
            }
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => None,
        }
    }
}
