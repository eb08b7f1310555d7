//! How soon the fuzzers find miscompilations that were planted in a compiler.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use flambeau_irfuzz::{Config, planted, run as run_terms};

use super::builds::Compilers;
use super::programs::Fuzzer;
use xtask_support::env::{self, Stock};
use xtask_support::{process, setup};

/// A bug that takes more programs than this is as good as not found.
const MOST_PROGRAMS: u64 = 6_000;
/// A bug that takes more terms than this, too.
const MOST_TERMS: u64 = 100_000;
/// The variable that names the bug, read by builds with the feature.
const VARIABLE: &str = "FLAMBEAU_PLANT";

/// Plants the bugs one after another, and prints what it took to find each; whether all were found. `flambeau` was
/// built with the bugs in it; without it, one is built.
pub fn run(first: u64, jobs: usize, flambeau: Option<PathBuf>) -> Result<bool> {
    let flambeau = match flambeau {
        Some(path) => path,
        None => build()?,
    };
    println!("{:20} {:>10} {:>10} {:>10}  shrunk to", "planted bug", "programs", "seconds", "terms");
    let mut all = true;
    for pass in planted::PASSES.iter().chain(planted::FOR_PROGRAMS) {
        let start = Instant::now();
        let is_for_programs = planted::FOR_PROGRAMS.iter().any(|other| other.name == pass.name);
        let stock = Stock::find()?;
        let fuzzer = Fuzzer {
            shape: super::shape(&stock)?,
            compilers: Compilers {
                stock,
                flambeau: flambeau.clone(),
                variables: vec![(VARIABLE.into(), pass.name.into())],
            },
            first,
            last: first + MOST_PROGRAMS,
            deadline: None,
            jobs,
            batch: 24,
            most_differences: 1,
            raw: true,
            quick: true,
            unsettled: false,
            costs: is_for_programs,
            profiled: if is_for_programs { 20 } else { 0 },
            shapes: is_for_programs,
            with_shape: String::new(),
        };
        let report = fuzzer.run()?;
        let seconds = start.elapsed().as_secs();
        let seed = report.first_finding();
        let config = Config {
            first,
            terms: if is_for_programs { 0 } else { MOST_TERMS },
            deadline: None,
            jobs: 1,
            passes: std::slice::from_ref(pass),
            lowering: false,
            most_differences: 1,
        };
        let terms = run_terms(&config, &|_| {});
        let term = terms.found.iter().min_by_key(|found| found.seed);
        let shown = |seed: Option<u64>| seed.map_or("not found".into(), |s| (s - first + 1).to_string());
        let of_terms = if is_for_programs { "-".into() } else { shown(term.map(|found| found.seed)) };
        println!(
            "{:20} {:>10} {seconds:>10} {:>10}  {}",
            pass.name,
            shown(seed),
            of_terms,
            term.map_or(String::new(), |found| format!("{} of {} items", found.sizes.1, found.sizes.0))
        );
        all &= seed.is_some() && (term.is_some() || is_for_programs);
    }
    Ok(all)
}

/// Builds the compiler with the bugs in it, in a folder of its own.
fn build() -> Result<PathBuf> {
    let folder = env::target().join("planted");
    process::run_visible(
        setup::cargo()
            .args(["build", "--release", "--package", "flambeau", "--features", "planted-bugs"])
            .arg("--target-dir")
            .arg(&folder),
    )?;
    let path = folder.join("release/flambeau");
    std::fs::canonicalize(&path).with_context(|| format!("no {}", path.display()))
}
