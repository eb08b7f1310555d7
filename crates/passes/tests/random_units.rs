//! Each pass keeps what random units do. `FLAMBEAU_SEEDS` for more of them.

use std::time::Instant;

use flambeau_interp::check::{Tally, check_pass, report};
use flambeau_interp::{Options, generate};
use flambeau_ir::{Fuel, Rewrites, Unit, alpha};
use flambeau_passes::{PASSES, Pass};

/// One unit in so many at least must be changed by a pass, else the test is blind.
const CHANGED_ONE_IN: u64 = 50;

fn seeds() -> u64 {
    std::env::var("FLAMBEAU_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1000)
}

fn options() -> Options {
    Options { fuel: 5_000, meddle: true, ..Options::default() }
}

#[test]
fn passes_keep_behaviour() {
    for pass in PASSES {
        check_on_random_units(pass);
    }
}

/// Permission for all rewrites. What is left of a function when its cold code is cut out is small in few random units,
/// and few gain by knowing how an array is represented.
fn permission(pass: &Pass) -> Rewrites {
    let mut permission = Rewrites::default();
    let eager = [("outline", "inline-guard-size"), ("representations", "representations")];
    for (_, argument) in eager.iter().filter(|(name, _)| *name == pass.name) {
        permission.inlining.set(argument, None, "10000").expect("a size");
    }
    permission
}

fn check_on_random_units(pass: &Pass) {
    let (begin, seeds) = (Instant::now(), seeds());
    let (mut tally, mut changed, mut rewrites) = (Tally::default(), 0, 0);
    for seed in 0..seeds {
        let unit = if pass.name == "accumulate" { generate::sums(seed) } else { generate::varied(seed) };
        let fail = |message: &dyn std::fmt::Display, after: Option<&Unit>| {
            report(&format!("{}, unit {seed}: {message}", pass.name), &unit, after)
        };
        let (mut says_changed, mut permission) = (false, permission(pass));
        let mut after = None;
        let run = |unit: &mut Unit| {
            says_changed = (pass.run)(unit, &mut permission);
            after = Some(unit.clone());
        };
        match check_pass(&unit, run, &options()) {
            Ok(verdict) => tally.add(&verdict),
            Err(difference) => panic!("{}", fail(&difference, after.as_ref())),
        }
        let after = after.expect("the pass was run");
        let is_changed = alpha::compare(&unit, &after).is_err();
        assert!(
            !is_changed || says_changed,
            "{}",
            fail(&"it says wrongly that it changed nothing", Some(&after))
        );
        changed += u64::from(is_changed);
        rewrites += permission.fuel.used();
        // Every rewrite asks.
        let mut none = Rewrites { fuel: Fuel::limited(0), ..Rewrites::default() };
        let mut after = unit.clone();
        assert!(
            !(seed % 10 == 0
                && ((pass.run)(&mut after, &mut none) || alpha::compare(&unit, &after).is_err())),
            "{}",
            fail(&"it changes something without permission", Some(&after))
        );
    }
    println!("{}: {tally}; {changed} changed by {rewrites} rewrites, in {:?}", pass.name, begin.elapsed());
    assert!(tally.same * 100 >= seeds * 85, "{}: a blind fuzzer: {tally}", pass.name);
    assert!(changed * CHANGED_ONE_IN >= seeds, "{}: only {changed} units of {seeds} changed", pass.name);
}

/// What one pass makes, another takes.
#[test]
fn sequences_of_passes_keep_behaviour() {
    let mut tally = Tally::default();
    for seed in 0..seeds() / 2 {
        let unit = generate::varied(seed);
        // Digits of the seed in another order, so that neighbours differ.
        let digits = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16;
        let passes: Vec<&Pass> =
            (0..4).map(|n| &PASSES[(digits >> (8 * n)) as usize % 256 % PASSES.len()]).collect();
        let mut after = None;
        let run = |unit: &mut Unit| {
            passes.iter().for_each(|pass| {
                (pass.run)(unit, &mut Rewrites::default());
            });
            after = Some(unit.clone());
        };
        match check_pass(&unit, run, &options()) {
            Ok(verdict) => tally.add(&verdict),
            Err(difference) => {
                let names: Vec<_> = passes.iter().map(|pass| pass.name).collect();
                panic!("{}", report(&format!("{names:?}, unit {seed}: {difference}"), &unit, after.as_ref()))
            }
        }
    }
    println!("sequences: {tally}");
    assert!(tally.same * 2 * 100 >= seeds() * 85, "a blind fuzzer: {tally}");
}
