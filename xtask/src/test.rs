//! `cargo xtask test`: all checks that a change must pass.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use regex::Regex;

use crate::{bootstrap, programs, stability};
use xtask_projects::corpus;
use xtask_support::checks::Tally;
use xtask_support::setup::{self, Profile};
use xtask_support::{process, queue};

/// Cargo builds the workspace in here; nothing in it is allowed to hang.
const CARGO_LIMIT: Duration = Duration::from_secs(1800);

/// The time for new random programs.
const FUZZ_SECONDS: u64 = 60;

/// The most time for a sample of real code; most machines need half of it.
const CORPUS_MINUTES: u64 = 6;

/// The options of `cargo xtask test`.
#[derive(Args)]
pub struct Options {
    /// Only the programs and the checks of robustness and stability whose name matches (leaves out the unit tests
    /// unless --only names them)
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// Only these parts
    #[arg(long, value_enum)]
    only: Vec<Part>,
    /// How many programs to test at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds that a test program may run
    #[arg(long, default_value_t = 10)]
    timeout: u64,
    /// Build flambeau without link-time optimisation: it is there sooner, and makes the same code
    #[arg(long)]
    quick_build: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Format, lints, and the tests of the crates
    Unit,
    /// Every program of tests/programs and tests/regress
    Programs,
    /// New random programs and terms, for a minute
    Fuzz,
    /// Damaged inputs, full disks, huge units, every way of linking
    Robustness,
    /// A sample of OCaml's own sources and of small packages, each unit at one level
    Corpus,
    /// Renaming, moving and laying out files anew changes no code, nor does what flambeau was compiled by
    Stability,
}

/// Runs the chosen parts; whether all checks held.
pub fn run(options: &Options) -> Result<bool> {
    let start = Instant::now();
    setup::run_with(if options.quick_build { Profile::Quick } else { Profile::Release })?;
    let wanted = |part: Part| {
        if options.only.is_empty() {
            part != Part::Unit || options.filter.is_none()
        } else {
            options.only.contains(&part)
        }
    };
    let filter = options.filter.as_ref();
    let jobs = queue::workers(options.jobs);
    let mut total = Tally::default();
    let mut times = vec![format!("setup {:.0} s", start.elapsed().as_secs_f64())];
    let mut part = |name: &str, wanted: bool, checks: &dyn Fn() -> Result<Tally>| -> Result<()> {
        if !wanted {
            println!("{name}: left out");
            return Ok(());
        }
        let start = Instant::now();
        let tally = checks()?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {} passed, {} failed, {seconds:.0} s", tally.passed, tally.failures.len());
        times.push(format!("{name} {seconds:.0} s"));
        total.add(tally);
        Ok(())
    };
    part("unit", wanted(Part::Unit), &unit)?;
    part("programs", wanted(Part::Programs), &|| {
        programs::run(&programs::Options { filter, jobs, limit: Duration::from_secs(options.timeout) })
    })?;
    part("fuzz", wanted(Part::Fuzz) && filter.is_none(), &|| xtask_fuzz::checks(FUZZ_SECONDS, jobs))?;
    part("robustness", wanted(Part::Robustness), &|| xtask_robustness::checks(filter, jobs))?;
    part("stability", wanted(Part::Stability), &|| {
        let mut tally = stability::checks(filter, jobs)?;
        tally.add(bootstrap::checks(filter)?);
        Ok(tally)
    })?;
    part("corpus", wanted(Part::Corpus) && filter.is_none(), &|| corpus::checks(CORPUS_MINUTES, jobs))?;
    if total.passed + total.failures.len() == 0 {
        total.fail("nothing was tested", "no check matches these options");
    }
    println!("times: {}", times.join(", "));
    total.print();
    Ok(total.is_good())
}

/// Format, lints, and the tests of the crates.
fn unit() -> Result<Tally> {
    let mut tally = Tally::default();
    let mut step = |arguments: &[&str]| -> Result<Option<String>> {
        let name = format!("cargo {}", arguments.join(" "));
        let mut cargo = setup::cargo();
        // As the first stage, or the OCaml side would be compiled once more.
        cargo.args(arguments).env(setup::BOOTSTRAP, "");
        let outcome = process::run(without_cargo(&mut cargo), CARGO_LIMIT)?;
        if outcome.exit.is_success() {
            tally.pass();
            return Ok(Some(outcome.out()));
        }
        let output = outcome.all_output();
        let failed: String = tests_failed(&output).map(|test| format!("failed: {test}\n")).collect();
        tally.fail(name, format!("{}\n{failed}{}", outcome.exit, process::tail(&output, 60)));
        Ok(None)
    };
    step(&["fmt", "--all", "--check"])?;
    step(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    // Links of comments that lead nowhere (Cargo.toml denies them).
    step(&["doc", "--workspace", "--no-deps", "--document-private-items"])?;
    // Most of that profile is built already, for xtask and the first stage. Without --no-fail-fast, one crate's failure
    // would hide those of the others.
    if let Some(output) = step(&["test", "--profile", "quick", "--workspace", "--no-fail-fast"])? {
        let passed = tests_passed(&output).context("cannot understand cargo test's output")?;
        tally.passed += passed;
    }
    Ok(tally)
}

/// Cargo describes the package that they belong to in the environment of the programs that it runs; a cargo below
/// it must not take that for its own package, or it builds everything anew.
fn without_cargo(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_") && text != "CARGO_TARGET_DIR" && text != "CARGO_HOME" {
            command.env_remove(&name);
        }
    }
    command
}

/// How many tests ran in all of the crates, from the lines `test result: ok. N passed; …`.
fn tests_passed(output: &str) -> Option<usize> {
    let mut sum = None;
    for line in output.lines() {
        if let Some(rest) = line.trim().strip_prefix("test result: ok. ") {
            let count: usize = rest.split(' ').next()?.parse().ok()?;
            sum = Some(sum.unwrap_or(0) + count);
        }
    }
    sum
}

/// The tests that failed, from the lines `test NAME ... FAILED`: in the output of all crates they are far from its end.
fn tests_failed(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| line.trim().strip_prefix("test ")?.strip_suffix(" ... FAILED"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_that_failed_have_names() {
        let output = "test a ... ok\ntest m::b ... FAILED\ntest result: FAILED. 1 passed\n";
        assert_eq!(super::tests_failed(output).collect::<Vec<_>>(), ["m::b"]);
    }

    #[test]
    fn counts_of_all_crates_are_added() {
        let output = "x\ntest result: ok. 3 passed; 0 failed;\n\ntest result: ok. 4 passed; 0\n";
        assert_eq!(super::tests_passed(output), Some(7));
        assert_eq!(super::tests_passed("no tests"), None);
    }
}
