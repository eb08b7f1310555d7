//! Random functions behave the same before and after lowering.

use flambeau_irfuzz::{Config, run};

/// A few by default, a second's work; `cargo xtask fuzz --ir N` for more.
#[test]
fn random_functions_behave_the_same() {
    let config = Config {
        first: 0,
        terms: 1500,
        deadline: None,
        jobs: 1,
        passes: &[],
        lowering: true,
        most_differences: 1,
    };
    let report = run(&config, &|_| {});
    if let Some(found) = report.found.first() {
        panic!("seed {}:\n{}", found.seed, found.text);
    }
    println!("{report}");
    assert!(!report.is_blind(), "the generator makes too few runs that can be compared: {report}");
}
