//! What a compiler meets outside of tests of the language: damaged inputs, full disks, huge units, and every
//! way of linking.
//!
//! Each check is a function on a [`Lab`], a fresh folder with both compilers at hand.

mod caches;
mod damage;
mod file_system;
mod flags;
mod lab;
mod linking;
mod project;
mod size;
mod torture;

use anyhow::Result;
use clap::Args;
use regex::Regex;

use lab::Lab;
use xtask_support::checks::Tally;
use xtask_support::env::{self, Stock};
use xtask_support::{queue, setup};

/// The options of `cargo xtask robustness`.
#[derive(Args)]
pub struct Options {
    /// Only the checks whose name matches
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// How many checks at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
}

/// What a check found when nothing was wrong.
enum Verdict {
    /// It held.
    Held,
    /// It held, and measured something worth reporting.
    Measured(String),
    /// It can't be made on this machine or with this compiler.
    Skipped(String),
}

/// A check; what does not hold is an error that says so.
struct Check {
    name: &'static str,
    run: fn(&Lab) -> Result<Verdict>,
}

/// Sets up, makes the checks and prints the results; whether all held.
///
/// # Errors
///
/// Fails if the set-up fails, or if a compiler is missing; a check that does not hold is part of the tally.
pub fn run(options: &Options) -> Result<bool> {
    setup::run()?;
    let mut tally = checks(options.filter.as_ref(), queue::workers(options.jobs))?;
    if tally.passed + tally.failures.len() + tally.skipped.len() == 0 {
        tally.fail("nothing was tested", "no check matches the filter");
    }
    tally.print();
    Ok(tally.is_good())
}

/// Makes the checks whose name matches.
///
/// # Errors
///
/// Fails if a compiler is missing; a check that does not hold is part of the tally.
pub fn checks(filter: Option<&Regex>, jobs: usize) -> Result<Tally> {
    let stock = Stock::find()?;
    let flambeau = env::flambeau()?;
    // The long ones first: they would else run alone at the end.
    let all = [
        size::CHECKS,
        torture::CHECKS,
        damage::CHECKS,
        file_system::CHECKS,
        caches::CHECKS,
        project::CHECKS,
        linking::CHECKS,
        flags::CHECKS,
    ];
    let chosen: Vec<&Check> = all
        .into_iter()
        .flatten()
        .filter(|check| filter.is_none_or(|filter| filter.is_match(check.name)))
        .collect();
    let verdicts = queue::map(jobs, "robustness", &chosen, |check| {
        Lab::new(&stock, &flambeau).and_then(|lab| (check.run)(&lab))
    });
    let mut tally = Tally::default();
    for (check, verdict) in chosen.iter().zip(verdicts) {
        match verdict {
            Ok(Verdict::Held) => tally.pass(),
            Ok(Verdict::Measured(what)) => {
                println!("{}: {what}", check.name);
                tally.pass();
            }
            Ok(Verdict::Skipped(why)) => tally.skipped.push(format!("{}: {why}", check.name)),
            Err(error) => tally.fail(check.name, format!("{error:#}")),
        }
    }
    Ok(tally)
}
