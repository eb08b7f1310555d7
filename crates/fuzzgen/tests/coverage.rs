//! The generator reaches everything that it knows, and a seed names a program.

use flambeau_fuzzgen::{Coverage, Options, Program, constructs};

#[test]
fn every_construct_is_generated() {
    let mut seen = Coverage::new();
    for seed in 0..600 {
        for (construct, count) in Program::generate(seed, &Options::default()).coverage {
            *seen.entry(construct).or_default() += count;
        }
    }
    let missing: Vec<_> = constructs().filter(|c| !seen.contains_key(c)).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

#[test]
fn a_seed_names_a_program() {
    for seed in 0..40 {
        let text = |seed| format!("{:?}", Program::generate(seed, &Options::default()).files());
        assert_eq!(text(seed), text(seed));
        assert_ne!(text(seed), text(seed + 1));
    }
}
