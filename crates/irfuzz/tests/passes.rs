//! Passes on random units: right ones pass, wrong ones are found, and the smallest unit that shows it is small.

use flambeau_ir::{Rewrites, Unit};
use flambeau_irfuzz::{Config, Pass, Report, all_passes, check, planted, run};

fn units(passes: &[Pass], terms: u64) -> Report {
    let config =
        Config { first: 0, terms, deadline: None, jobs: 1, passes, lowering: false, most_differences: 1 };
    run(&config, &|_| {})
}

#[test]
fn passes_keep_what_units_do() {
    for pass in all_passes() {
        println!("{}: {}", pass.name, check(&pass, 60));
    }
}

#[test]
fn planted_bugs_are_found() {
    for pass in planted::PASSES {
        let report = units(std::slice::from_ref(pass), 6_000);
        let found = report.found.first().unwrap_or_else(|| panic!("{}: not found: {report}", pass.name));
        println!(
            "{}: found after {} units; shrunk from {} to {} items and terminators",
            pass.name,
            found.seed + 1,
            found.sizes.0,
            found.sizes.1
        );
        let (before, after) = found.sizes;
        assert!(after < 60 && after <= before, "{}", found.text);
    }
}

/// A pass that changes something must say so: the runner would not verify the result.
#[test]
fn silence_about_changes_is_found() {
    fn silent(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
        (planted::PASSES[4].run)(unit, rewrites);
        false
    }
    let report = units(&[Pass { name: "silent", run: silent }], 6_000);
    assert!(report.found[0].text.contains("changed nothing"), "{}", report.found[0].text);
}

#[test]
fn panics_are_found() {
    fn panics(_: &mut Unit, _: &mut Rewrites) -> bool {
        panic!("on purpose")
    }
    let report = units(&[Pass { name: "panics", run: panics }], 1);
    assert!(report.found[0].text.contains("on purpose"), "{}", report.found[0].text);
}
