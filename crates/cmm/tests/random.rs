//! Random units behave the same before and after lowering.

mod oracle;

use flambeau_interp::generate;
use oracle::{Verdict, compare};

/// Sizes from small to large, so that what fails first is small.
fn sweep(seeds: u64) {
    let (mut same, mut incomparable) = (0, 0);
    for seed in 0..seeds {
        let size = 1 + (seed * 40 / seeds) as usize;
        let options = generate::Options { raising: seed % 2 == 1, ..generate::Options::one_function(size) };
        let unit = generate::unit(seed, &options);
        let interrupt = (seed % 3 == 0).then(|| 1 + (seed / 3 % 20) as u32);
        for arguments in [[0, 1], [5, -3], [2, 2]] {
            let verdict = std::panic::catch_unwind(|| compare(&unit, arguments, interrupt))
                .unwrap_or_else(|_| Err("panic".to_owned()));
            match verdict {
                Ok(Verdict::Same) => same += 1,
                Ok(Verdict::Incomparable) => incomparable += 1,
                Err(problem) => {
                    let before = flambeau_ir::printer::print_unit(&unit);
                    let after = flambeau_cmm::print(&flambeau_cmm::lower(&unit));
                    panic!("seed {seed}, arguments {arguments:?}: {problem}\n\n{before}\n\n{after}");
                }
            }
        }
    }
    println!("{same} runs agree, {incomparable} can't be compared");
    assert!(same > incomparable, "the generator makes too few runs that can be compared");
}

/// A few by default, a second's work; `FLAMBEAU_SEEDS` for more.
#[test]
fn random_units_behave_the_same() {
    let seeds = std::env::var("FLAMBEAU_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    sweep(seeds.unwrap_or(1500));
}
