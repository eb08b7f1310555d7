//! Scalar replacement on random units with many blocks that do not escape, in loops and under handlers; and with
//! asynchronous exceptions, for which handlers are told of each change.

use std::time::Instant;

use flambeau_interp::check::{Tally, check_pass, compare, report};
use flambeau_interp::{Options, Verdict, generate};
use flambeau_ir::prim::Effects;
use flambeau_ir::{Dbg, Item, Named, Rewrites, Unit, alpha};
use flambeau_passes::scalar_replacement::scalar_replacement;

fn seeds() -> u64 {
    std::env::var("FLAMBEAU_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1500)
}

fn options() -> Options {
    Options { fuel: 5_000, meddle: true, ..Options::default() }
}

fn unit(seed: u64) -> Unit {
    let options = generate::Options {
        size: 4 + (seed % 11) as usize,
        raising: seed % 3 == 2,
        arrays: seed % 2 == 0,
        strings: seed % 4 == 0,
        bigarrays: seed % 8 == 0,
        undefined: seed % 4 == 1,
        functions: 3,
        local_blocks: true,
        ..generate::Options::default()
    };
    generate::unit(seed, &options)
}

/// The allocations that are left, by location: a signal may surface there.
fn allocations(unit: &Unit) -> Vec<u32> {
    let mut found = Vec::new();
    for body in unit.codes.values().map(|code| &code.body).chain([&unit.entry.body]) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Let { named: Named::Prim { prim, .. }, dbg, .. }
                        if prim.effects().0 == Effects::Generative =>
                    {
                        found.push(*dbg);
                    }
                    Item::LetClosures { dbg, .. } => found.push(*dbg),
                    _ => {}
                }
            }
        });
    }
    found.into_iter().filter(|dbg| *dbg != Dbg::NONE).map(|dbg| dbg.0).collect()
}

#[test]
fn random_units_with_local_blocks() {
    let begin = Instant::now();
    let (mut tally, mut interrupted, mut replaced, mut words) =
        (Tally::default(), Tally::default(), 0, (0, 0));
    let mut uncomparable = 0;
    for seed in 0..seeds() {
        let before = unit(seed);
        let (mut after, mut rewrites, mut changed) = (before.clone(), Rewrites::default(), false);
        let pass = |unit: &mut Unit| {
            changed = scalar_replacement(unit, &mut rewrites);
            after = unit.clone();
        };
        let fail = |message: &dyn std::fmt::Display, after: &Unit| {
            report(&format!("unit {seed}: {message}"), &before, Some(after))
        };
        match check_pass(&before, pass, &options()) {
            Ok(verdict) => {
                tally.add(&verdict);
                if let Verdict::Same(runs) = verdict {
                    words = (words.0 + runs.0.stats.words, words.1 + runs.1.stats.words);
                }
            }
            Err(difference) => panic!("{}", fail(&difference, &after)),
        }
        replaced += rewrites.fuel.used();
        if changed != alpha::compare(&before, &after).is_err() {
            panic!("{}", fail(&"it says wrongly whether it changed anything", &after));
        }
        let places = allocations(&after);
        for place in places.iter().skip(seed as usize % 2).step_by(2) {
            match compare(&before, &after, &Options { interrupt: Some(*place), ..options() }) {
                Ok(verdict) => interrupted.add(&verdict),
                Err(difference) => {
                    panic!("{}", fail(&format!("interrupted at {place}: {difference}"), &after))
                }
            }
        }
        uncomparable += u64::from(places.is_empty());
    }
    println!(
        "{tally}; with interrupts: {interrupted} ({uncomparable} units without); {replaced} blocks replaced, {} words \
         of {} not allocated; in {:?}",
        words.0 - words.1,
        words.0,
        begin.elapsed()
    );
    assert!(tally.same * 100 >= seeds() * 80, "a blind fuzzer: {tally}");
    assert!(replaced >= 3 * seeds(), "only {replaced} blocks replaced");
}
