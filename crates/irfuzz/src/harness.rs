//! One pass on one random unit, and on many.

use std::panic::{self, AssertUnwindSafe};

use flambeau_interp::check::{Tally, report};
use flambeau_interp::{Options, Verdict, check, generate};
use flambeau_ir::{Unit, alpha, parser, printer, verify};

use crate::shrink::shrink;

/// A pass of the optimiser, or what stands for one.
#[derive(Clone, Copy)]
pub struct Pass {
    /// For reports.
    pub name: &'static str,
    /// Changes a unit; whether it did.
    pub run: fn(&mut Unit) -> bool,
}

/// Items and terminators of the original; most units need some hundred.
const FUEL: u64 = 5_000;

/// How units are run.
fn options() -> Options {
    Options { fuel: FUEL, meddle: true, ..Options::default() }
}

/// How random units are made; by default, all of the language.
pub type UnitOptions = generate::Options;

/// The unit of a seed: small and large ones, with and without assignments.
pub fn unit(seed: u64) -> Unit {
    let options = UnitOptions {
        size: 2 + (seed % 9) as usize,
        raising: seed % 5 == 4,
        mutation: seed % 7 != 6,
        ..UnitOptions::default()
    };
    generate::unit(seed, &options)
}

/// Applies a pass.
///
/// # Errors
/// When it panics, when the verifier refuses what comes out, or when it changes something and does not say so.
pub fn apply(pass: &Pass, unit: &Unit) -> Result<Unit, String> {
    let mut changed = unit.clone();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (pass.run)(&mut changed)));
    let said = outcome.map_err(|cause| format!("panic: {}", message(&*cause)))?;
    if let Err(errors) = verify::verify(&changed) {
        return Err(format!("the result is not well-formed: {}", errors[0]));
    }
    if !said && let Err(difference) = alpha::compare(unit, &changed) {
        return Err(format!("it says that it changed nothing: {difference}"));
    }
    Ok(changed)
}

/// What a panic said.
pub(crate) fn message(cause: &(dyn std::any::Any + Send)) -> &str {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Applies a pass and compares runs of the unit before and after it.
///
/// # Errors
/// What the pass did wrong.
pub fn test_pass(pass: &Pass, unit: &Unit) -> Result<Verdict, String> {
    let changed = apply(pass, unit)?;
    check::compare(unit, &changed, &options()).map_err(|difference| difference.to_string())
}

/// Tests a pass on this many units, in a test of the pass. Gives the counts, which are checked: of the units, most
/// must have run to their ends.
///
/// # Panics
/// With the smallest unit found, if the pass does something wrong; if most runs could not be compared.
pub fn check(pass: &Pass, units: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..units {
        let unit = unit(seed);
        match test_pass(pass, &unit) {
            Ok(verdict) => tally.add(&verdict),
            Err(cause) => {
                let small = shrink(&unit, &mut |candidate| test_pass(pass, candidate).is_err());
                let cause = test_pass(pass, &small).err().unwrap_or(cause);
                let after = apply(pass, &small).ok();
                panic!("{}", report(&format!("{}, unit {seed}: {cause}", pass.name), &small, after.as_ref()));
            }
        }
    }
    assert!(tally.same * 100 >= units * 80, "a blind fuzzer: {tally}");
    tally
}

/// From text and back: what every pass that does nothing must be.
pub fn reread(unit: &mut Unit) -> bool {
    match parser::parse_unit(&printer::print_unit(unit)) {
        Ok(again) => *unit = again,
        Err(error) => panic!("what was printed can't be read: {error}"),
    }
    false
}
