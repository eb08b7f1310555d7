//! Random terms of the IR against passes and lowering.

use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use flambeau_irfuzz::{Config, Found, Report, all_passes, run as run_terms};

use xtask_support::checks::Tally;
use xtask_support::env;

/// How often a long run prints its progress.
const PROGRESS: Duration = Duration::from_secs(60);

/// Runs this many terms; whether nothing differed.
pub fn run(first: u64, terms: u64, jobs: usize, differences: usize) -> bool {
    // When progress was printed last, and how many differences were.
    let printed = Mutex::new((Duration::ZERO, 0));
    let config = Config {
        first,
        terms,
        deadline: None,
        jobs,
        passes: &all_passes(),
        lowering: true,
        most_differences: differences.max(1),
    };
    let report = run_terms(&config, &|report| {
        let Ok(mut printed) = printed.lock() else { return };
        let (last, shown) = &mut *printed;
        for found in &report.found[*shown..] {
            match keep(found) {
                Ok(text) => println!("{text}"),
                Err(error) => println!("{error:#}\n{}", found.text),
            }
        }
        *shown = report.found.len();
        if report.elapsed >= *last + PROGRESS {
            *last = report.elapsed;
            println!("{report}");
        }
    });
    print_coverage(&report);
    println!("{report}");
    let missing = report.missing();
    if !missing.is_empty() {
        println!("never seen: {}", missing.join(", "));
    }
    if report.is_blind() {
        println!("the fuzzer is blind: most terms could not be compared");
    }
    report.found.is_empty() && !report.is_blind()
}

/// Runs random terms until a time, as checks.
pub fn checks(first: u64, deadline: Instant, jobs: usize, tally: &mut Tally) -> Result<()> {
    let config = Config {
        first,
        terms: u64::MAX / 2,
        deadline: Some(deadline),
        jobs,
        passes: &all_passes(),
        lowering: true,
        most_differences: 3,
    };
    let report = run_terms(&config, &|_| {});
    println!("fuzz: {report}");
    tally.passed += (report.passes.same + report.lowering.0) as usize;
    if report.is_blind() {
        tally.fail("fuzz of the IR is blind", report.to_string());
    }
    for found in &report.found {
        tally.fail(format!("fuzz of the IR, seed {}, {}", found.seed, found.what), keep(found)?);
    }
    Ok(())
}

fn print_coverage(report: &Report) {
    println!("coverage of the IR (in units; executed in runs that were compared):");
    let rows: Vec<String> = report
        .coverage
        .iter()
        .map(|(name, count)| format!("{name:32} {count:>10} {:>12}", report.executed.get(name).unwrap_or(&0)))
        .collect();
    for row in rows.chunks(2) {
        println!("  {}", row.join("   "));
    }
    println!("rewrites:");
    for (kind, count) in &report.rewrites {
        println!("  {kind:60} {count:>10}");
    }
}

/// Writes a difference into the target folder; the report as text.
fn keep(found: &Found) -> Result<String> {
    let folder = env::target().join("fuzz/ir");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join(format!("{}.fl", found.seed));
    fs::write(&file, &found.text)?;
    Ok(format!(
        "\nDIFFERENCE at seed {} ({}), shrunk from {} to {} items and terminators: {}\n{}",
        found.seed,
        found.what,
        found.sizes.0,
        found.sizes.1,
        file.display(),
        found.text
    ))
}
