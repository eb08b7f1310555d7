//! Scalar replacement (features D7): blocks that never escape become variables.
//!
//! A block is replaced if all that is done with it is to load and store fields, and to test whether it is an immediate,
//! its tag, and whether it is equal to itself; through its own variable, other names of it, and parameters to
//! which no other value flows. Its fields become variables in SSA form: a load is the current value, a store
//! defines a new one; continuations take the fields that are live in them and may have changed; points that may raise
//! pass handlers the current values. See `docs/passes/scalar_replacement.md`.
//!
//! On entry and on exit the unit is well-formed, in any shape; no other pass has to run before.
//!
//! Time is that of two walks and of the search for live fields, which is bounded by a multiple of the size of the
//! function ([`mod@plan`]); all of that once for each level of blocks in blocks, up to [`MAX_ROUNDS`].

mod classes;
mod facts;
mod late_escape;
mod plan;
mod rewrite;

use flambeau_ir::{CodeId, Expr, Item, Named, Rewrites, Unit};

use classes::Classes;
use facts::{Facts, candidate};
use late_escape::split_late_escapes;
use plan::plan;
use rewrite::{Decided, Names, rewrite};

/// A block inside another escapes until the other is replaced. Deeper nesting waits for the next run of the pass.
const MAX_ROUNDS: usize = 4;

/// Replaces the blocks that do not escape, in all functions.
pub fn scalar_replacement(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    !replaced_in(unit, rewrites).is_empty()
}

/// Replaces the blocks that do not escape; the bodies in which there were some, that of the entry without a code.
pub(crate) fn replaced_in(unit: &mut Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let mut pass = Pass::default();
    let mut changed = Vec::new();
    unit.rewrite_bodies(|unit, code, body| {
        let is_changed = pass.function(unit, body, rewrites, code);
        if is_changed {
            changed.push(code);
        }
        is_changed
    });
    changed
}

/// Tables that are reused for each function.
#[derive(Default)]
struct Pass {
    facts: Facts,
    classes: Classes,
    names: Names,
}

impl Pass {
    fn function(
        &mut self,
        unit: &mut Unit,
        body: &mut Expr,
        rewrites: &mut Rewrites,
        code: Option<CodeId>,
    ) -> bool {
        for round in 0..MAX_ROUNDS {
            if !allocates(body) || !self.round(unit, body, rewrites, code, round == 0) {
                return round > 0;
            }
        }
        true
    }

    fn round(
        &mut self,
        unit: &mut Unit,
        body: &mut Expr,
        rewrites: &mut Rewrites,
        code: Option<CodeId>,
        is_first: bool,
    ) -> bool {
        self.analyse(body);
        let is_split = is_first && split_late_escapes(unit, body, &self.classes, rewrites, code);
        if is_split {
            self.analyse(body);
        }
        let Some(plan) = plan(unit, &mut self.facts, &self.classes, rewrites, code) else { return is_split };
        let decided = Decided { facts: &self.facts, classes: &self.classes, plan: &plan };
        rewrite(unit, body, &decided, &mut self.names);
        true
    }

    fn analyse(&mut self, body: &Expr) {
        self.facts.collect(body);
        self.classes.compute(&mut self.facts.uses);
    }
}

/// Whether there is anything that might be replaced.
fn allocates(body: &Expr) -> bool {
    let mut found = false;
    body.walk(&mut |expr| {
        found = found
            || expr.items.iter().any(|item| match item {
                Item::Let { named: Named::Prim { prim, .. }, .. } => candidate(prim).is_some(),
                _ => false,
            });
    });
    found
}
