//! The log of what the inliner decided: reports, warnings and traces all read it (design.md 4).
//!
//! A decision is about one call, in one round; or, on functions, about one declaration. It has the numbers that it was
//! taken on, so that a report can say what would have changed it.

use serde::{Deserialize, Serialize};

use crate::loc::{Dbg, LocTable};

/// A source location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The source file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The first character, from 0 in its line.
    pub start: u32,
    /// The character after the last one, counted from the beginning of the first line.
    pub end: u32,
    /// The enclosing definitions as backtraces show them (`Stdlib__List.map.(fun)`).
    pub scope: String,
}

/// Counts of operations that are not there any more (reference: flambda2-inlining, "Removed operations").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// Direct calls.
    pub calls: u32,
    /// Allocations.
    pub allocations: u32,
    /// Primitives.
    pub primitives: u32,
    /// Branches.
    pub branches: u32,
    /// Indirect calls that became direct.
    pub indirect_calls: u32,
    /// Polymorphic comparisons that became monomorphic.
    pub polymorphic_compares: u32,
}

impl Removed {
    /// Adds what else disappeared.
    pub fn add(&mut self, other: &Removed) {
        let Removed { calls, allocations, primitives, branches, indirect_calls, polymorphic_compares } =
            other;
        self.calls += calls;
        self.allocations += allocations;
        self.primitives += primitives;
        self.branches += branches;
        self.indirect_calls += indirect_calls;
        self.polymorphic_compares += polymorphic_compares;
    }
}

/// The numbers of a decision: inlined if `size - benefit <= allowance`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The size of the body at the call, after what is known there simplified it.
    pub size: u32,
    /// What disappeared.
    pub removed: Removed,
    /// What that is worth.
    pub benefit: f64,
    /// What the difference may be: the threshold, or the size of the call.
    pub allowance: f64,
    /// How many calls in the body are counted as inlined (policy *benefit*).
    #[serde(default)]
    pub inside: u32,
    /// The search for such calls ended with its quota, or with what a unit may spend on evaluations.
    #[serde(default)]
    pub cut: bool,
}

impl Evaluation {
    /// The size less the benefit.
    #[must_use]
    pub fn difference(&self) -> f64 {
        f64::from(self.size) - self.benefit
    }

    /// By how much the difference is more than it may be.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.difference() - self.allowance
    }

    /// Whether it is one for inlining.
    #[must_use]
    pub fn suffices(&self) -> bool {
        self.difference() <= self.allowance
    }
}

/// The policies of the inliner (features B4–B6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Decided at the definition by size.
    Classic,
    /// Flambda 1: the benefit against the growth.
    Benefit,
    /// Flambda 2: the size less the benefit against a threshold.
    #[default]
    Threshold,
}

/// Why a call was, or was not, inlined (or specialised).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Inlined: an attribute of the call asks for it.
    AttributeOfCall,
    /// Inlined: an attribute of the function asks for it.
    AttributeOfFunction,
    /// Inlined: `[@unrolled n]`, or the depth of unrolling, allows it so many times more.
    Unrolled {
        /// How many more times.
        left: u32,
    },
    /// Inlined: a stub always is.
    Stub,
    /// Inlined: a small function, as recorded at its declaration.
    Small {
        /// Its size.
        size: u32,
        /// Up to which it is small.
        limit: u32,
    },
    /// Inlined: a functor applied at the toplevel.
    Functor,
    /// Inlined: this is the only use of the function.
    SingleUse,
    /// Inlined: the benefit is large enough.
    Beneficial(Evaluation),
    /// Inlined: it calls functions that it is passed here in loops of its own.
    CallsInLoops {
        /// In how many places.
        calls: u32,
        /// Its size, with the functions whose closures it allocates.
        size: u32,
    },
    /// Inlined: a loop calls it in each iteration, through a closure that it gives itself.
    Awaited,
    /// Inlined: it prints by a format that is known, with all arguments of that.
    KnownFormat {
        /// Its size.
        size: u32,
    },
    /// The beginning of the function is inlined, which decides whether there is much to do.
    Entered {
        /// The size of that.
        size: u32,
        /// Up to which it is small.
        limit: u32,
    },
    /// Specialised for arguments that stay the same.
    Specialised {
        /// The names of the parameters.
        parameters: Vec<String>,
        /// The size of what was copied.
        size: u32,
    },

    /// Not inlined: `-flambeau-no-inline`.
    Disabled,
    /// Not inlined: an attribute of the call forbids it.
    ForbiddenByCall,
    /// Not inlined: an attribute of the function forbids it.
    ForbiddenByFunction,
    /// Not inlined: inside a stub nothing is.
    InStub,
    /// Not inlined: the caller must not poll (`[@poll error]`).
    InNoPoll,
    /// Not inlined: which function is called is not known.
    UnknownFunction,
    /// Not inlined: it needs what the function has captured, which bytecode can't read from outside.
    Captured,
    /// Not inlined: the function is of another unit, which does not offer its body (too large, opaque, or made by
    /// another compiler).
    NoBody,
    /// Not inlined: it is recursive, and unrolling is not allowed (any more).
    Recursive,
    /// Not inlined: too large, as recorded at its declaration.
    TooLarge {
        /// Its size; `None` if it was not measured to the end.
        size: Option<u32>,
        /// Above which a function is large.
        limit: u32,
    },
    /// Not inlined: nothing useful is known of the arguments.
    NothingKnown {
        /// The size of the function.
        size: u32,
    },
    /// Not inlined: the benefit is too small.
    NotBeneficial(Evaluation),
    /// Not inlined: a small function that on each path calls others, loops or allocates closures, of which too little
    /// disappears.
    OutweighsCall(Evaluation),
    /// Not inlined: so deep in inlined code nothing is.
    TooDeep {
        /// The greatest depth.
        limit: u32,
    },
    /// Not inlined: the function that calls has grown as much as it may.
    FunctionBudget {
        /// What it may still grow by.
        left: u32,
        /// The size of what is called.
        size: u32,
    },
    /// Not inlined: the unit has grown as much as it may (features G6).
    UnitBudget {
        /// What it may still grow by.
        left: u32,
        /// The size of what is called.
        size: u32,
    },
    /// Not inlined: in the unit so much has been evaluated that only what is small without a look is inlined (features
    /// G6).
    SpeculationBudget {
        /// What may still be evaluated.
        left: u32,
        /// The size of what is called.
        size: u32,
    },
    /// Not inlined: the body catches exceptions, whose backtraces would change (`-g`).
    KeepsBacktraces,
    /// Not inlined: it allocates closures, and a flag forbids that.
    MakesClosures,
    /// Not inlined: the call is in a functor, which could not be evaluated in other units any more. The body reads what
    /// a closure of another functor captured.
    TiesFunctor,
    /// Not inlined: a functor applied at the toplevel, whose result is known without.
    Evaluated,
    /// Not inlined: the call stands where each path ends in an error.
    Cold,
    /// Not inlined: the arguments do not fit the function.
    Arguments,
}

impl Reason {
    /// Whether it is one for inlining (or specialising).
    #[must_use]
    pub fn is_favourable(&self) -> bool {
        use Reason::*;
        matches!(
            self,
            AttributeOfCall
                | AttributeOfFunction
                | Unrolled { .. }
                | Stub
                | Small { .. }
                | Functor
                | SingleUse
                | Beneficial(_)
                | CallsInLoops { .. }
                | Awaited
                | KnownFormat { .. }
                | Entered { .. }
                | Specialised { .. }
        )
    }
}

/// What was decided of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The run of the simplifier, from 0.
    pub round: u32,
    /// The linker's name of the function in which the call stands; `None` at the toplevel.
    pub function: Option<String>,
    /// Where: the call in the source of this unit first, then the locations in the functions inlined there, inwards.
    /// Empty if unknown.
    pub places: Vec<Place>,
    /// The linker's name of what is called; `None` if unknown.
    pub callee: Option<String>,
    /// How deep in inlined code the call stands.
    pub depth: u32,
    /// What and why.
    pub reason: Reason,
}

/// All decisions on a unit, in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecisionLog {
    /// The policy.
    pub policy: Policy,
    /// The decisions.
    pub decisions: Vec<Decision>,
}

/// What the user is warned of, by the numbers of the stock compiler's warnings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// 55: an attribute could not be obeyed; why.
    InliningImpossible(String),
    /// 59: a value that is taken to be immutable is assigned (manual 21.14).
    AssignmentToImmutable,
}

impl Warning {
    /// The warning's number.
    #[must_use]
    pub fn number(&self) -> u32 {
        match self {
            Warning::InliningImpossible(_) => 55,
            Warning::AssignmentToImmutable => 59,
        }
    }
}

/// The source locations that a [`Dbg`] stands for, from the outermost inwards.
#[must_use]
pub fn places(locs: &LocTable, dbg: Dbg) -> Vec<Place> {
    let mut places = Vec::new();
    let mut pending = vec![dbg];
    while let Some(dbg) = pending.pop() {
        match locs.inlined(dbg) {
            Some(inlined) => pending.extend([inlined.inner, inlined.call]),
            None => places.extend(locs.get(dbg).map(|loc| Place {
                file: loc.file.clone(),
                line: loc.line,
                start: loc.char_start,
                end: loc.char_end,
                scope: loc.scope.clone(),
            })),
        }
    }
    places
}
