//! Fuel: bisecting a miscompilation to one rewrite.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::decision::{DecisionLog, Reason};
use crate::inlining::Rounds;
use crate::rewrite::{Done, Rewrite};
use crate::{CodeId, Dbg, Machine, Unit};

/// Every rewrite that can be left out asks for one unit before it happens (`-flambeau-fuel N`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    limit: u64,
    used: u64,
}

impl Default for Fuel {
    fn default() -> Self {
        Fuel::unlimited()
    }
}

impl Fuel {
    /// Fuel that never runs out.
    #[must_use]
    pub fn unlimited() -> Fuel {
        Fuel { limit: u64::MAX, used: 0 }
    }

    /// Fuel for `limit` rewrites.
    #[must_use]
    pub fn limited(limit: u64) -> Fuel {
        Fuel { limit, used: 0 }
    }

    /// The same limit, when so many rewrites have been done already.
    #[must_use]
    pub fn after(self, used: u64) -> Fuel {
        Fuel { used, ..self }
    }

    /// Asks for one unit. Once it has answered no, it always does.
    pub fn burn(&mut self) -> bool {
        if self.used >= self.limit {
            return false;
        }
        self.used += 1;
        true
    }

    /// Whether there is none left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used >= self.limit
    }

    /// How many rewrites have happened.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }
}

/// Permission for rewrites, and the record of those that happened (`-dflambeau-rewrites`).
#[derive(Clone, Debug, Default)]
pub struct Rewrites {
    /// What is left.
    pub fuel: Fuel,
    /// What was done, in order, if that is wanted.
    pub trace: Option<Vec<Done>>,
    /// What the inliner decided, if that is wanted.
    pub decisions: Option<DecisionLog>,
    /// Calls with an attribute that could not be obeyed so far, and why.
    pub unmet: FxHashMap<Dbg, Reason>,
    /// Assignments to what is taken to be immutable.
    pub assignments: BTreeSet<Dbg>,
    /// How many times the simplifier has run.
    pub round: u32,
    /// What attributes may still copy in the unit of what attributes have copied before; `None` before the first round,
    /// which grants it.
    pub multiplied: Option<u32>,
    /// The linkage names of the functions in which loops were inverted, the entry without one: what one simplification
    /// passes instead of a record shows the next one where else that record need not be.
    pub rotated: BTreeSet<Option<String>>,
    /// What copies of functions of functors may still add to the unit; `None` before the first round, which grants it.
    pub instances: Option<u32>,
    /// After how many of these the pass `parameters` follows, which allocates no closures for functions that are only
    /// called; `None`: after all.
    pub lifting_rounds: Option<u32>,
    /// Backtraces are wanted (`-g`): a `raise` that records one does not become a jump.
    pub keep_backtraces: bool,
    /// Domains run OCaml code at the same time (OCaml 5): the slots of results are those of the domain, not static.
    pub several_domains: bool,
    /// Functions that other units call return parts although no call of this unit takes them (`-O3`).
    pub exported_parts: bool,
    /// The unit is compiled for what others inline of it, not for its object: a copy of a function for an argument
    /// would keep what calls it from them, and they make their own (`docs/inlining.md`).
    pub described: bool,
    /// What closures capture is captured as it is (`-no-unbox-free-vars-of-closures`).
    pub boxed_captures: bool,
    /// Captured values are passed to functions at direct calls wherever that can be (`-unbox-closures`).
    pub unboxed_closures: bool,
    /// No function is copied for the parts of arguments (`-no-unbox-specialised-args`).
    pub boxed_arguments: bool,
    /// No function is inlined but stubs (`-flambeau-no-inline`).
    pub stubs_only: bool,
    /// Allocations of the same contents do not become one, nor one that is executed each time static data
    /// (`-flambeau-keep-sharing`).
    pub keep_sharing: bool,
    /// What code is generated for.
    pub machine: Machine,
    /// What the inliner decides by.
    pub inlining: Rounds,
}

impl Rewrites {
    /// Whether a closure that is created in this round for calls alone will not be allocated.
    #[must_use]
    pub fn lifts_closures(&self) -> bool {
        self.lifting_rounds.is_none_or(|rounds| self.round < rounds)
    }

    /// Whether no call that stays in this round is inlined or replaced in a later one, in an object of our own.
    #[must_use]
    pub fn is_last_round(&self) -> bool {
        self.lifting_rounds.is_some_and(|rounds| rounds > 0 && self.round >= rounds)
    }

    /// Asks whether a rewrite that can be left out may happen in a function, the entry without a code. Only what
    /// changes the term asks, and only when all else that it needs holds: each unit of fuel is one step of a
    /// bisection.
    pub fn allow(&mut self, rewrite: Rewrite, unit: &Unit, code: Option<CodeId>) -> bool {
        self.record(|number| Done::new(number, rewrite, unit, code))
    }

    /// Asks whether a rewrite of a whole unit, or of one that is being built, may happen.
    pub fn allow_in_unit(&mut self, rewrite: Rewrite) -> bool {
        self.record(|number| Done::in_unit(number, rewrite))
    }

    fn record(&mut self, done: impl FnOnce(u64) -> Done) -> bool {
        if !self.fuel.burn() {
            return false;
        }
        if let Some(trace) = &mut self.trace {
            trace.push(done(self.fuel.used));
        }
        true
    }
}
