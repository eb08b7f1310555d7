//! The search of policy *benefit* inside a function that is not worth inlining by itself (manual 21.3.2, 21.3.6;
//! features B4).
//!
//! It visits the calls in the order of evaluation, and descends into the functions that they call, up to a depth. All
//! that it visits counts against one quota, whether or not it is kept, and with the first body that does not fit it
//! ends. So what it visits does not depend on what operations cost, and what is visited with a smaller quota is a
//! prefix of what is visited with a larger one. A call inside is kept if that is better than the call; so each cost
//! that rises, and each further body that is visited, can only make the function as a whole better. For the same reason
//! nothing is concluded from what a call inside returns.

use flambeau_ir::{Apply, CallKind, CodeId};
use smallvec::SmallVec;

use super::measure::Inside;
use crate::{Simplifier, size};

/// A search in progress.
pub struct Search {
    /// The functions that are being evaluated, from the outside.
    codes: SmallVec<[CodeId; 4]>,
    /// How deep calls in the innermost are, besides what they are already.
    base: u32,
    /// The depth up to which calls are visited.
    deepest: u32,
    /// The quota that is left.
    quota: f64,
    /// What the benefit counts where the search began.
    hotness: f64,
    /// A call was too deep.
    limited: bool,
    /// The quota was used up.
    cut: bool,
}

impl Search {
    /// A search that visits nothing.
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

    /// A search inside a function that is called, through so many more calls.
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

    /// Whether it ended before all calls had been visited.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Whether a deeper one would see more.
    pub fn goes_on(&self) -> bool {
        self.limited && !self.cut
    }
}

impl Default for Search {
    fn default() -> Search {
        Search::nothing()
    }
}

impl Simplifier<'_> {
    /// Evaluates the function of a call in a body that is measured: what it costs, if that is better than the call.
    pub(super) fn measured_inside(&mut self, apply: &Apply) -> Option<Inside> {
        if self.search()?.cut {
            return None;
        }
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) => self.imported(name, apply)?,
            _ => return None,
        };
        let data = &self.unit.codes[code];
        let (stub, fits) = (data.attributes.stub, data.params.len() == apply.args.len());
        if !fits
            || data.recursive
            || self.global.in_progress.contains(&code)
            || self.search()?.codes.contains(&code)
        {
            return None;
        }
        let forced = self.attribute(apply, code).ok()?;
        if self.ends_backtraces(code) {
            return None;
        }
        let search = self.search()?;
        let depth = search.base + u32::from(apply.depth);
        if depth > search.deepest {
            search.limited = true;
            return None;
        }
        let size = self.declared_size(code)?;
        let cost = if stub { 0.0 } else { f64::from(size) };
        if cost > self.search()?.quota || self.pay_for_speculation(size).is_err() {
            self.search()?.cut = true;
            return None;
        }
        let mut search = std::mem::take(self.search()?);
        search.quota -= cost;
        let base = std::mem::replace(&mut search.base, depth + u32::from(!stub));
        search.codes.push(code);
        let inner = self.measure_body(apply, code, &mut search);
        search.base = base;
        search.codes.pop();
        let benefit = self.arguments_of(apply).costs.worth(&inner.measure.removed) * search.hotness;
        *self.search()? = search;
        let is_better = f64::from(inner.measure.size) - benefit <= f64::from(size::call(apply));
        (forced.is_some() || is_better).then_some(inner)
    }

    /// The search that the present evaluation is part of.
    fn search(&mut self) -> Option<&mut Search> {
        self.function.measured.as_mut().map(|counts| &mut counts.search)
    }
}
