//! What handlers load from their parameters before anything else happens.

use flambeau_ir::{Expr, Item, Prim, Variable};
use smallvec::SmallVec;

use super::{Analysis, Asked, Walk};
use crate::beginning::for_each_first_load;

/// At most so many loads are recorded of a parameter, and none in a handler with more parameters than this.
const MOST: usize = 32;

impl Analysis {
    /// What the handler loads from its parameter before anything else happens, each once.
    pub fn first_loads(&self, param: Variable) -> SmallVec<[Prim; 2]> {
        self.first_loads.get(&param).cloned().unwrap_or_default()
    }

    /// Records what a handler that was created in the downward pass begins with loading from a parameter: what its body
    /// loads from a variable that becomes a copy of that.
    pub fn note_first_loads(&mut self, param: Variable, var: Variable, body: &Expr) {
        for_each_first_load(&body.items, &mut |from, prim| {
            if from == var {
                self.note_first_load(param, prim);
            }
        });
    }

    fn note_first_load(&mut self, param: Variable, prim: &Prim) {
        let loads = self.first_loads.entry(param).or_default();
        if loads.len() < MOST && !loads.contains(prim) {
            loads.push(prim.clone());
        }
    }
}

impl Walk<'_> {
    /// Records what a handler with these parameters begins with loading from them.
    pub(super) fn beginning(&mut self, params: &[Variable], items: &[Item]) {
        if self.asked != Asked::Everything || params.is_empty() || params.len() > MOST {
            return;
        }
        let analysis = &mut self.analysis;
        for_each_first_load(items, &mut |from, prim| {
            if params.contains(&from) {
                analysis.note_first_load(from, prim);
            }
        });
    }
}
