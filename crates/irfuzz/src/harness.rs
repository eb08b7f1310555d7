//! One pass on one random unit, and on many.

use std::iter;
use std::panic::{self, AssertUnwindSafe};

use flambeau_interp::check::Tally;
use flambeau_interp::{Options, Verdict, check, generate};
use flambeau_ir::rewrite::Done;
use flambeau_ir::{Fuel, Rewrites, Unit, alpha, parser, printer, verify};
use flambeau_passes::schedule::Step;
use flambeau_passes::{Conditions, Pass};

use crate::run::Found;
use crate::shrink::shrink;

/// All that is under test: each pass of the optimiser by itself, the schedules, and what does nothing.
#[must_use]
pub fn all_passes() -> Vec<Pass> {
    let mut all = flambeau_passes::PASSES.to_vec();
    all.push(Pass { name: "schedule 1", run: |unit, rewrites| schedule(unit, rewrites, 1) });
    all.push(Pass { name: "schedule 3", run: |unit, rewrites| schedule(unit, rewrites, 3) });
    all.push(REREAD);
    all
}

fn schedule(unit: &mut Unit, rewrites: &mut Rewrites, level: u32) -> bool {
    let run = |changed, step: &&Step| (step.pass.run)(unit, rewrites) | changed;
    flambeau_passes::schedule(Conditions::level(level)).iter().fold(false, run)
}

/// Items and terminators of the original; most units need some hundred.
const FUEL: u64 = 5_000;

/// How many events a unit may lose while it shrinks, so that those that are left have the answers that they had.
const MOST_EARLIER: usize = 12;

/// How units are run.
fn options(earlier: usize) -> Options {
    Options { fuel: FUEL, meddle: true, earlier, ..Options::default() }
}

/// How random units are generated; by default, they have all of the language.
pub type UnitOptions = generate::Options;

/// Applies a pass with this much fuel; gives the result, and the trace of its rewrites.
///
/// # Errors
/// When it panics, when the verifier refuses what comes out, when it changes something and does not say so, or when it
/// says so and had no fuel.
pub fn apply(pass: &Pass, unit: &Unit, fuel: Fuel) -> Result<(Unit, Vec<Done>), String> {
    let mut changed = unit.clone();
    let mut rewrites = Rewrites { fuel, trace: Some(vec![]), ..Rewrites::default() };
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (pass.run)(&mut changed, &mut rewrites)));
    let said = outcome.map_err(|cause| format!("panic: {}", message(&*cause)))?;
    if let Err(errors) = verify::verify(&changed) {
        return Err(format!("the result is not well-formed: {}", errors[0]));
    }
    if !said && let Err(difference) = alpha::compare(unit, &changed) {
        return Err(format!("it says that it changed nothing: {difference}"));
    }
    Ok((changed, rewrites.trace.unwrap_or_default()))
}

/// What a panic said.
pub(crate) fn message(cause: &(dyn std::any::Any + Send)) -> &str {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Applies a pass and compares runs of the unit before and after it. Gives the trace of its rewrites too.
///
/// # Errors
/// What the pass did wrong.
pub fn test_pass(pass: &Pass, unit: &Unit, fuel: Fuel) -> Result<(Verdict, Vec<Done>), String> {
    let (changed, trace) = apply(pass, unit, fuel)?;
    compare(unit, &changed, 0).map(|verdict| (verdict, trace))
}

/// Compares runs before and after a pass, where the outside counts so many events before their first.
fn compare(before: &Unit, after: &Unit, earlier: usize) -> Result<Verdict, String> {
    let compared = panic::catch_unwind(AssertUnwindSafe(|| check::compare(before, after, &options(earlier))));
    let verdict = compared.map_err(|cause| format!("panic while it runs: {}", message(&*cause)))?;
    verdict.map_err(|difference| difference.to_string())
}

/// What a pass does wrong with this much fuel, if anything, where the outside counts so many events before the first.
fn wrong_after(pass: &Pass, unit: &Unit, fuel: Fuel, earlier: usize) -> Option<String> {
    apply(pass, unit, fuel).and_then(|(changed, _)| compare(unit, &changed, earlier)).err()
}

/// The least fuel with which a pass goes wrong, and the line of the trace for the rewrite that it needs.
fn bisect(pass: &Pass, unit: &Unit, earlier: usize) -> Option<(u64, String)> {
    let wrong = |fuel| wrong_after(pass, unit, Fuel::limited(fuel), earlier).is_some();
    if wrong(0) {
        return Some((0, "without any optional rewrite".to_owned()));
    }
    let (mut low, mut high) = (0, 1);
    while !wrong(high) {
        (low, high) = (high, high * 2);
        if high > 1 << 24 {
            return None;
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if wrong(middle) { high = middle } else { low = middle }
    }
    // The result is known to be wrong, so it is not verified.
    let mut rewrites = Rewrites { fuel: Fuel::limited(high), trace: Some(vec![]), ..Rewrites::default() };
    let mut changed = unit.clone();
    let _ = panic::catch_unwind(AssertUnwindSafe(|| (pass.run)(&mut changed, &mut rewrites)));
    let last = rewrites.trace.and_then(|trace| trace.last().map(ToString::to_string));
    Some((high, last.unwrap_or_else(|| format!("rewrite {high}"))))
}

/// Tests a pass on this many units, in a test of the pass. Gives the counts, which are checked: of the units, most
/// must have run to their ends.
///
/// # Panics
/// With the smallest unit found, if the pass does something wrong; if most runs could not be compared.
#[must_use]
pub fn check(pass: &Pass, units: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..units {
        let unit = generate::varied(seed);
        let Ok((verdict, _)) = test_pass(pass, &unit, Fuel::unlimited()) else {
            panic!("{}", difference(pass, seed, &unit).text)
        };
        tally.add(&verdict);
    }
    assert!(tally.same * 100 >= units * 80, "a blind fuzzer: {tally}");
    tally
}

/// A difference that a pass makes: the unit is shrunk, and the rewrite found.
pub(crate) fn difference(pass: &Pass, seed: u64, unit: &Unit) -> Found {
    let wrong = |unit: &Unit, earlier| wrong_after(pass, unit, Fuel::unlimited(), earlier);
    let kind = wrong(unit, 0).map(|cause| kind_of(&cause));
    let mut earlier = 0;
    let small = shrink(unit, &mut |candidate| {
        let is_as_wrong = |cause: String| Some(kind_of(&cause)) == kind;
        match apply(pass, candidate, Fuel::unlimited()) {
            Err(cause) => is_as_wrong(cause),
            Ok((changed, _)) => {
                let differs =
                    |earlier: &usize| compare(candidate, &changed, *earlier).err().is_some_and(is_as_wrong);
                let found = iter::once(earlier).chain(0..MOST_EARLIER).find(differs);
                earlier = found.unwrap_or(earlier);
                found.is_some()
            }
        }
    });
    let cause = wrong(&small, earlier).unwrap_or_else(|| "not seen again".to_owned());
    let rewrite = bisect(pass, &small, earlier)
        .map_or_else(|| "no fuel shows it".to_owned(), |(fuel, rewrite)| format!("fuel {fuel}: {rewrite}"));
    let after = match apply(pass, &small, Fuel::unlimited()) {
        Ok((after, _)) => printer::print_unit(&after),
        Err(cause) => format!("// {cause}\n"),
    };
    let text = format!(
        "// {}, unit {seed}, after {earlier} events: {cause}\n// {rewrite}\n{}\n===>\n{after}",
        pass.name,
        printer::print_unit(&small)
    );
    Found { seed, what: pass.name.to_owned(), text, sizes: (size(unit), size(&small)) }
}

/// The beginning of a cause: it stays while the unit shrinks.
fn kind_of(cause: &str) -> String {
    kind(cause).to_owned()
}

fn kind(cause: &str) -> &str {
    if cause.starts_with("event") { "event" } else { cause.split(':').next().unwrap_or(cause) }
}

/// How many items and terminators a unit has.
pub(crate) fn size(unit: &Unit) -> usize {
    let mut size = 0;
    for body in unit.bodies() {
        body.walk(&mut |expr| size += expr.items.len() + 1);
    }
    size
}

/// Prints the unit and parses it again: a pass that must change nothing.
pub const REREAD: Pass = Pass { name: "print and parse", run: reread };

fn reread(unit: &mut Unit, _: &mut Rewrites) -> bool {
    match parser::parse_unit(&printer::print_unit(unit)) {
        Ok(again) => *unit = again,
        Err(error) => panic!("what was printed can't be read: {error}"),
    }
    false
}
