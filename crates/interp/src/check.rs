//! The property that every pass must have: the behaviour of a unit does not change.

use std::fmt;

use flambeau_ir::{Unit, printer, verify};
use rustc_hash::FxHashMap;

use crate::{Options, Run, Stop, Trap, run};

/// The factor by which the unit after a pass has more fuel than the unit before it: a pass may add jumps.
const FUEL_FACTOR: u64 = 4;

/// What a comparison found, nothing being wrong.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Both runs are the same, and complete. They are the first and the second.
    Same(Box<(Run, Run)>),
    /// The unit had undefined behaviour before, so it may do anything now.
    Trap(Trap),
    /// The unit did not stop in time: no verdict.
    OutOfFuel,
}

/// What a comparison found to be wrong.
#[derive(Clone, Debug)]
pub enum Difference {
    /// The verifier rejects the result of the pass.
    Invalid(String),
    /// The runs differ.
    Behaviour(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Difference::Invalid(cause) | Difference::Behaviour(cause)) = self;
        f.write_str(cause)
    }
}

impl std::error::Error for Difference {}

/// Counts of verdicts: a check that never completes a run checks nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// [`Verdict::Same`]
    pub same: u64,
    /// [`Verdict::Trap`]
    pub traps: u64,
    /// [`Verdict::OutOfFuel`]
    pub timeouts: u64,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Same(_) => self.same += 1,
            Verdict::Trap(_) => self.traps += 1,
            Verdict::OutOfFuel => self.timeouts += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} completed, {} traps, {} time-outs", self.same, self.traps, self.timeouts)
    }
}

/// Applies a pass to a verified unit. Behaviour must not change and the result must be well-formed; traps
/// and lack of fuel in the original allow anything (but an invalid unit).
///
/// # Errors
/// What the pass did wrong.
pub fn check_pass(
    unit: &Unit,
    pass: impl FnOnce(&mut Unit),
    options: &Options,
) -> Result<Verdict, Difference> {
    let mut changed = unit.clone();
    pass(&mut changed);
    compare(unit, &changed, options)
}

/// Compares the behaviour of a unit before a pass with that of its result.
///
/// # Errors
/// What is wrong with the second unit.
pub fn compare(before: &Unit, after: &Unit, options: &Options) -> Result<Verdict, Difference> {
    if let Err(errors) = verify::verify(after) {
        return Err(Difference::Invalid(format!("the result is not well-formed: {}", errors[0])));
    }
    let first = run(before, options);
    match first.stop {
        Stop::Trap(trap) => return Ok(Verdict::Trap(trap)),
        Stop::OutOfFuel => return Ok(Verdict::OutOfFuel),
        Stop::Return(_) | Stop::Uncaught(_) => {}
    }
    let fuel = options.fuel.saturating_mul(FUEL_FACTOR);
    let second = run(after, &Options { fuel, ..*options });
    if first.behaviour() != second.behaviour() {
        return Err(Difference::Behaviour(describe(&first, &second)));
    }
    match duplicated(&first, &second) {
        Some((old, new)) => Err(Difference::Behaviour(format!(
            "identity: what event {new} shows was one with what event {old} shows, and is another block now"
        ))),
        None => Ok(Verdict::Same(Box::new((first, second)))),
    }
}

/// The two events that showed one object before the pass and two after it, if there are any. Runs with the same
/// behaviour show objects in the same order. A pass may merge two objects without identity, but never duplicate one.
fn duplicated(before: &Run, after: &Run) -> Option<(usize, usize)> {
    let mut became: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for ((event, old), (_, new)) in before.seen.iter().zip(&after.seen) {
        let (first, object) = *became.entry(*old).or_insert((*event, *new));
        if object != *new {
            return Some((first, *event));
        }
    }
    None
}

/// The first thing in which two runs differ.
fn describe(first: &Run, second: &Run) -> String {
    let index = first.events.iter().zip(&second.events).position(|(a, b)| a != b);
    let index = index.unwrap_or_else(|| first.events.len().min(second.events.len()));
    let describe = |run: &Run| match run.events.get(index) {
        Some(event) => format!("{}({})", event.name, event.args.join(", ")),
        None => format!("{:?}", run.stop),
    };
    format!("event {index} was {}\n  and became {}", describe(first), describe(second))
}

/// A unit's text under a message, for a test that fails.
pub fn report(message: &dyn fmt::Display, before: &Unit, after: Option<&Unit>) -> String {
    let mut text = format!("{message}\n\n{}", printer::print_unit(before));
    if let Some(after) = after {
        text.push_str("\n===> \n");
        text.push_str(&printer::print_unit(after));
    }
    text
}
