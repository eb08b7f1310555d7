//! The sets of closures of a unit, by their codes.

use flambeau_ir::{CodeId, SetOfClosures};
use rustc_hash::FxHashMap;

use crate::Functions;

/// What is known of the sets that bind each code.
#[derive(Default)]
pub struct Sets(FxHashMap<CodeId, Bound>);

#[derive(Default)]
struct Bound {
    /// How many sets bind it.
    by: u32,
    /// Whether one of them captures something.
    captures: bool,
    functions: Functions,
}

impl Sets {
    /// Records a set.
    pub fn note(&mut self, set: &SetOfClosures) {
        let functions = Functions::from(&set.functions[..]);
        for (_, code) in &set.functions {
            let bound = self.0.entry(*code).or_default();
            bound.by += 1;
            bound.captures |= !set.values.is_empty();
            bound.functions = Functions::clone(&functions);
        }
    }

    /// How many sets bind a code. Of one that two bind it is not known what it captures.
    pub fn binders(&self, code: CodeId) -> u32 {
        self.0.get(&code).map_or(0, |bound| bound.by)
    }

    /// Whether a code captures nothing: it can be simplified wherever its set is bound. Where it is only called
    /// directly there may be no set any more.
    pub fn is_closed(&self, code: CodeId) -> bool {
        self.0.get(&code).is_none_or(|bound| !bound.captures)
    }

    /// The functions of the set that a code is of.
    pub fn functions(&self, code: CodeId) -> Option<&Functions> {
        self.0.get(&code).map(|bound| &bound.functions)
    }
}
