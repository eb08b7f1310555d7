//! Random units behave the same before and after lowering.

mod oracle;

use oracle::{Verdict, compare, generate};

/// Sizes from small to large, so that what fails first is small.
fn sweep(seeds: u64) {
    let (mut same, mut timeouts) = (0, 0);
    for seed in 0..seeds {
        let size = 1 + (seed * 40 / seeds) as usize;
        let unit = generate::unit(seed, size);
        let interrupt = (seed % 3 == 0).then(|| 1 + (seed / 3 % 20) as u32);
        for arguments in [[0, 1], [5, -3], [2, 2]] {
            let verdict = std::panic::catch_unwind(|| compare(&unit, arguments, interrupt))
                .unwrap_or_else(|_| Err("panic".to_owned()));
            match verdict {
                Ok(Verdict::Same) => same += 1,
                Ok(Verdict::Timeout) => timeouts += 1,
                Err(problem) => {
                    let before = flambeau_ir::printer::print_unit(&unit);
                    let after = flambeau_cmm::print(&flambeau_cmm::lower(&unit));
                    panic!("seed {seed}, arguments {arguments:?}: {problem}\n\n{before}\n\n{after}");
                }
            }
        }
    }
    println!("{same} runs agree, {timeouts} can't be compared");
    assert!(same > timeouts, "the generator makes too few runs that stop");
}

/// A few by default, a second's work; `FLAMBEAU_SEEDS` for more.
#[test]
fn random_units_behave_the_same() {
    let seeds = std::env::var("FLAMBEAU_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    sweep(seeds.unwrap_or(1500));
}
