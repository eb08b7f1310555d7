//! The passes over the intermediate language, one file or folder each, and the schedule that they run in.
//!
//! A pass is a plain function over a unit which says whether it changed anything. Dumping, timing, verifying and
//! checking against the interpreter are the runner's business, never a pass's. Every rewrite that can be left out
//! asks [`Rewrites::allow`] first.

pub mod bounds;
pub mod contify;
pub mod immediates;
pub mod loopify;
mod loops;
pub mod motion;
pub mod parameters;
pub mod peel;
mod recursion;
pub mod scalar_replacement;
pub mod static_arrays;
pub mod thread;
pub mod unroll;

use flambeau_ir::{Rewrites, Unit};

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// For the command line, dumps and tests.
    pub name: &'static str,
    /// Applies it; whether anything may have changed.
    pub run: fn(&mut Unit, &mut Rewrites) -> bool,
}

/// All passes, by name: for `flambeau opt` and tests.
pub const PASSES: &[Pass] = &[
    CONTIFY,
    LOOPIFY,
    SCALAR_REPLACEMENT,
    LATE_SCALAR_REPLACEMENT,
    SIMPLIFY,
    STATIC_ARRAYS,
    IMMEDIATES,
    PARAMETERS,
    THREAD,
    UNROLL,
    PEEL,
    BOUNDS,
    LATE_BOUNDS,
    MOTION,
    DEAD_CODE,
];

const CONTIFY: Pass = Pass { name: "contify", run: contify::contify };
const LOOPIFY: Pass = Pass { name: "loopify", run: loopify::loopify };
const SCALAR_REPLACEMENT: Pass =
    Pass { name: "scalar_replacement", run: scalar_replacement::scalar_replacement };
const IMMEDIATES: Pass = Pass { name: "immediates", run: immediates::immediates };
const PARAMETERS: Pass = Pass { name: "parameters", run: parameters::parameters };
const PEEL: Pass = Pass { name: "peel", run: peel::peel };
const BOUNDS: Pass = Pass { name: "bounds", run: bounds::bounds };
const MOTION: Pass = Pass { name: "motion", run: motion::motion };
const UNROLL: Pass = Pass { name: "unroll", run: unroll::unroll };
const THREAD: Pass = Pass { name: "thread", run: thread::thread };
const STATIC_ARRAYS: Pass = Pass { name: "static_arrays", run: static_arrays::static_arrays };
const SIMPLIFY: Pass = Pass { name: "simplify", run: flambeau_simplify::simplify };
const DEAD_CODE: Pass = Pass { name: "dead-code", run: flambeau_simplify::dead_code::dead_code };

/// Scalar replacement after the last round: fields become naked numbers where it replaced something, and only those
/// functions pay for it.
const LATE_SCALAR_REPLACEMENT: Pass = Pass {
    name: "late_scalar_replacement",
    run: |unit, rewrites| {
        let changed = scalar_replacement::replaced_in(unit, rewrites);
        flambeau_simplify::revisit(unit, rewrites, &changed);
        !changed.is_empty()
    },
};

/// Bounds after the last round: where a comparison is decided its branches are known, and only those functions pay for it.
const LATE_BOUNDS: Pass = Pass {
    name: "late_bounds",
    run: |unit, rewrites| {
        let (changed, compared) = bounds::decide_all(unit, rewrites);
        flambeau_simplify::revisit(unit, rewrites, &compared);
        changed
    },
};

/// How many times the simplifier runs at most.
const MAX_ROUNDS: u32 = 8;

/// What a compilation runs, in order. `level` is that of `-O`: without one 1. `rounds` is what `-rounds` says: how many
/// times the simplifier runs, which is twice at least; without it as often as the level says (manual 21.5). `described`: the
/// code is not for this unit, whose object is there, but for others, which call the functions of that object.
pub fn schedule(level: u32, rounds: Option<u32>, described: bool) -> Vec<Pass> {
    // Functions that are loops first: the simplifier knows loops, but nothing of calls.
    let mut passes = vec![CONTIFY, LOOPIFY, SIMPLIFY];
    // The next round is to know that they are static.
    passes.push(STATIC_ARRAYS);
    // What the simplifier brought into sight: blocks that only forwarded loads kept, functions with one caller left,
    // switches on what inlined functions give, what is the same in each turn of a loop.
    // A closure that has become a continuation keeps no block that it captured, so contification comes first; closures
    // that only blocks kept are called by name after scalar replacement.
    passes.extend([CONTIFY, SCALAR_REPLACEMENT, CONTIFY]);
    // What is still a function; the next round knows the parts. Functions of the stock object take what they take there.
    if !described {
        passes.push(PARAMETERS);
    }
    passes.push(THREAD);
    if level >= 3 {
        passes.push(UNROLL);
    }
    passes.extend([PEEL, SIMPLIFY]);
    // Parameters that stand for parts may have parts themselves.
    let rounds = rounds.unwrap_or(level).min(MAX_ROUNDS);
    for _ in 2..rounds {
        // Functions that were specialised in the round before.
        if !described {
            passes.push(PARAMETERS);
        }
        passes.extend([THREAD, SIMPLIFY]);
    }
    // What is still not known of the arguments of comparisons never will be; the tests are for the last round.
    let last = passes.len() - if rounds > 2 { 2 } else { 3 };
    passes.insert(last, IMMEDIATES);
    // Blocks that escaped only through functions which the last rounds put into their places.
    passes.push(LATE_SCALAR_REPLACEMENT);
    // What the simplifier found to be the same is the same here.
    passes.push(LATE_BOUNDS);
    // Last: where a check is gone, nothing keeps a load from leaving a loop, and inside a branch an allocation is in
    // sight of nobody else.
    passes.push(MOTION);
    passes
}
