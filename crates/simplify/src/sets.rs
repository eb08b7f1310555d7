//! The sets of closures of a unit, by their codes.

use flambeau_ir::{CodeId, SetOfClosures};
use rustc_hash::FxHashMap;

use crate::Functions;

/// What is known of the sets that bind each code.
#[derive(Default)]
pub struct Sets(FxHashMap<CodeId, Bound>);

struct Bound {
    /// How many sets bind it.
    by: u32,
    /// Whether all of them capture nothing.
    closed: bool,
    functions: Functions,
}

impl Sets {
    /// Notes a set.
    pub fn note(&mut self, set: &SetOfClosures) {
        let functions = Functions::from(&set.functions[..]);
        let closed = set.values.is_empty();
        for (_, code) in &set.functions {
            let bound =
                self.0.entry(*code).or_insert_with(|| Bound { by: 0, closed, functions: functions.clone() });
            bound.by += 1;
            bound.closed &= closed;
            bound.functions = functions.clone();
        }
    }

    /// How many sets bind a code. One that two bind knows nothing of what it captures.
    pub fn binders(&self, code: CodeId) -> u32 {
        self.0.get(&code).map_or(0, |bound| bound.by)
    }

    /// Whether a code captures nothing: it can be simplified wherever its set is made. Where it is only called directly
    /// there may be no set any more.
    pub fn is_closed(&self, code: CodeId) -> bool {
        self.0.get(&code).is_none_or(|bound| bound.closed)
    }

    /// The functions of the set that a code is of.
    pub fn functions(&self, code: CodeId) -> Option<&Functions> {
        self.0.get(&code).map(|bound| &bound.functions)
    }
}
