//! The passes over the intermediate language, one file or folder each, and the schedule that they run in.
//!
//! A pass is a plain function over a unit which says whether it changed anything. Dumping, timing, verifying and
//! checking against the interpreter are the runner's business, never a pass's. Every rewrite that can be left out
//! asks [`Rewrites::allow`] first.

pub mod accumulate;
pub mod bounds;
pub mod carried;
pub mod contify;
mod dead_joins;
pub mod decimal;
pub mod divisions;
pub mod extensions;
pub mod immediates;
pub mod loopify;
mod loops;
pub mod motion;
pub mod naked_fields;
pub mod outline;
pub mod parameters;
pub mod peel;
pub mod popcount;
mod quotients;
mod recursion;
pub mod remainders;
pub mod representations;
pub mod rotate;
pub mod scalar_replacement;
pub mod schedule;
pub mod split;
pub mod static_arrays;
pub mod thread;
pub mod unread;
pub mod unroll;
pub mod untuple;

use std::collections::BTreeSet;

use flambeau_ir::{Code, CodeId, Rewrites, Unit};

pub use schedule::{Conditions, schedule};

/// The linker's names of functions, which they keep when dead ones are removed; the entry has none.
fn names_of<'u>(
    unit: &'u Unit,
    codes: &'u [Option<CodeId>],
) -> impl Iterator<Item = Option<String>> + use<'u> {
    codes.iter().map(|code| code.map(|code| unit.codes[code].linkage_name.clone()))
}

/// The functions of these names that still are in a unit, the entry without a code.
fn named(unit: &Unit, names: &BTreeSet<Option<String>>) -> Vec<Option<CodeId>> {
    if names.is_empty() {
        return Vec::new();
    }
    let is_named =
        |(id, code): (CodeId, &Code)| names.contains(&Some(code.linkage_name.clone())).then_some(Some(id));
    let entry = names.contains(&None).then_some(None);
    entry.into_iter().chain(unit.codes.iter().filter_map(is_named)).collect()
}

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// For the command line, dumps and tests.
    pub name: &'static str,
    /// Applies the pass; returns whether anything may have changed.
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
    OUTLINE,
    PARAMETERS,
    UNREAD,
    NAKED_FIELDS,
    THREAD,
    ACCUMULATE,
    LATE_THREAD,
    POPCOUNT,
    UNROLL,
    LATE_LOOPS,
    PEEL,
    ROTATE,
    LATE_ROTATE,
    INVERT,
    SPLIT,
    UNTUPLE,
    REPRESENTATIONS,
    BOUNDS,
    LATE_BOUNDS,
    DIVISIONS,
    REMAINDERS,
    EXTENSIONS,
    DECIMAL,
    MOTION,
    DEAD_CODE,
];

const CONTIFY: Pass = Pass { name: "contify", run: contify::contify };
const ACCUMULATE: Pass = Pass { name: "accumulate", run: accumulate::accumulate };
const LOOPIFY: Pass = Pass { name: "loopify", run: loopify::loopify };
const SCALAR_REPLACEMENT: Pass =
    Pass { name: "scalar_replacement", run: scalar_replacement::scalar_replacement };
const IMMEDIATES: Pass = Pass { name: "immediates", run: immediates::immediates };
const PARAMETERS: Pass = Pass { name: "parameters", run: parameters::parameters };
const NAKED_FIELDS: Pass = Pass { name: "naked_fields", run: naked_fields::naked_fields };
const OUTLINE: Pass = Pass { name: "outline", run: outline::outline };
const PEEL: Pass = Pass { name: "peel", run: peel::peel };
const ROTATE: Pass =
    Pass { name: "rotate", run: |unit, rewrites| !rotate::rotated_in(unit, rewrites).is_empty() };
/// Loop inversion after the last round, which inlines what allocates a block in each iteration: only functions with
/// inverted loops pay. Parts are passed first to the next iteration, then through joins to where the loop is left, then
/// once each.
const LATE_ROTATE: Pass = Pass {
    name: "late_rotate",
    run: |unit, rewrites| {
        let new = rotate::rotated_in(unit, rewrites);
        flambeau_simplify::revisit(unit, rewrites, &new);
        for _ in 0..2 {
            let rotated = named(unit, &rewrites.rotated);
            flambeau_simplify::revisit(unit, rewrites, &rotated);
        }
        !rewrites.rotated.is_empty()
    },
};
const INVERT: Pass = Pass { name: "invert", run: rotate::invert_recursive };
/// Function splitting: where a call is decided by its caller, more is known of it, and of what is behind it then.
const SPLIT: Pass = Pass {
    name: "split",
    run: |unit, rewrites| {
        let decided = split::split_in(unit, rewrites);
        let names = names_of(unit, &decided).collect();
        flambeau_simplify::revisit(unit, rewrites, &decided);
        let decided_before = named(unit, &names);
        flambeau_simplify::revisit(unit, rewrites, &decided_before);
        !decided.is_empty()
    },
};
/// Representations after the last round: code that is inlined was small, and only those functions that were changed
/// pay.
const REPRESENTATIONS: Pass = Pass {
    name: "representations",
    run: |unit, rewrites| {
        let changed = representations::copied_in(unit, rewrites);
        flambeau_simplify::revisit(unit, rewrites, &changed);
        !changed.is_empty()
    },
};
const BOUNDS: Pass = Pass { name: "bounds", run: bounds::bounds };
const MOTION: Pass = Pass { name: "motion", run: motion::motion };
const DIVISIONS: Pass = Pass { name: "divisions", run: divisions::divisions };
const REMAINDERS: Pass = Pass { name: "remainders", run: remainders::remainders };
const EXTENSIONS: Pass = Pass { name: "extensions", run: extensions::extensions };
const DECIMAL: Pass = Pass { name: "decimal", run: decimal::decimal };
const POPCOUNT: Pass = Pass { name: "popcount", run: popcount::popcount };
const UNROLL: Pass =
    Pass { name: "unroll", run: |unit, rewrites| !unroll::unrolled_in(unit, rewrites).is_empty() };
const THREAD: Pass =
    Pass { name: "thread", run: |unit, rewrites| !thread::threaded_in(unit, rewrites).is_empty() };
/// Threading after the last round, which inlines what gives truth values and options: only functions with such jumps
/// pay. What is stored for a jump is at hand where that leads.
const LATE_THREAD: Pass = Pass {
    name: "late_thread",
    run: |unit, rewrites| {
        let changed = thread::threaded_in(unit, rewrites);
        flambeau_simplify::revisit(unit, rewrites, &changed);
        !changed.is_empty()
    },
};
const UNTUPLE: Pass = Pass { name: "untuple", run: untuple::untuple };
const UNREAD: Pass = Pass { name: "unread", run: unread::unread };
const STATIC_ARRAYS: Pass = Pass { name: "static_arrays", run: static_arrays::static_arrays };
const SIMPLIFY: Pass = Pass { name: "simplify", run: flambeau_simplify::simplify };
const DEAD_CODE: Pass = Pass { name: "dead-code", run: flambeau_simplify::dead_code::dead_code };

/// What the last round shows of loops: those that it made go down known blocks are unrolled, those into which it
/// inlined what allocates a block for the next iteration are simplified once more. Only functions that have such loops
/// pay. `docs/passes/loops.md` shows it.
const LATE_LOOPS: Pass = Pass {
    name: "late_loops",
    run: |unit, rewrites| {
        let mut changed = unroll::unrolled_in(unit, rewrites);
        let carried = carried::functions(unit, rewrites);
        changed.extend(carried.into_iter().filter(|code| !changed.contains(code)).collect::<Vec<_>>());
        flambeau_simplify::revisit(unit, rewrites, &changed);
        !changed.is_empty()
    },
};

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

/// Bounds after the last round: where a comparison is decided its branches are known, and only those functions pay for
/// it.
const LATE_BOUNDS: Pass = Pass {
    name: "late_bounds",
    run: |unit, rewrites| {
        let (changed, compared) = bounds::decide_all(unit, rewrites);
        flambeau_simplify::revisit(unit, rewrites, &compared);
        changed
    },
};
