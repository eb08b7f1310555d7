//! What a bisection by fuel relies on (`docs/design/rewrites.md`): each unit of fuel is one step from the program as it
//! came to the program as it is compiled.

use std::collections::BTreeMap;

use flambeau_interp::generate;
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_ir::printer::print_unit;
use flambeau_ir::rewrite::Done;
use flambeau_ir::{Fuel, Rewrites, Unit};
use flambeau_passes::{Conditions, schedule};

/// Random units that are looked at.
const UNITS: u64 = 150;
/// Units with more rewrites are left out: each is a compilation.
const MOST: usize = 120;

/// What `-O3` makes of a unit with so much fuel, and the rewrites that were done.
fn compile(unit: &Unit, fuel: Fuel) -> (Unit, Vec<Done>) {
    let mut unit = unit.clone();
    let inlining = Rounds::new(Choice::Measured, 3);
    let mut rewrites = Rewrites { fuel, inlining, trace: Some(Vec::new()), ..Rewrites::default() };
    for step in schedule(Conditions::level(3)) {
        (step.pass.run)(&mut unit, &mut rewrites);
    }
    (unit, rewrites.trace.unwrap_or_default())
}

/// A rewrite is done before it is known whether anything that stays needs its result: what comes to nothing anyway is
/// dropped with and without it. All other steps change the program.
#[test]
fn steps_of_a_bisection_change_the_program() {
    let (mut steps, mut idle) = (0, BTreeMap::<String, u64>::new());
    for seed in 0..UNITS {
        let unit = generate::varied(seed);
        let (_, all) = compile(&unit, Fuel::unlimited());
        if all.len() > MOST {
            continue;
        }
        let mut before = unit.clone();
        for (n, done) in all.iter().enumerate() {
            let (after, trace) = compile(&unit, Fuel::limited(n as u64 + 1));
            assert_eq!(trace[..], all[..=n], "unit {seed}: fuel changes what comes before it runs out");
            if print_unit(&before) == print_unit(&after) {
                *idle.entry(done.rewrite.kind()).or_default() += 1;
            }
            before = after;
            steps += 1;
        }
    }
    println!("{steps} steps, without change: {idle:?}");
    assert!(steps > 500, "a blind test: {steps} steps");
    assert!(idle.values().sum::<u64>() * 5 < steps, "of {steps} steps too many change nothing: {idle:?}");
}

/// What is the form that terms have asks for no fuel, and what is done once is not done again.
#[test]
fn a_second_compilation_finds_nothing_to_speak_of() {
    let (mut first, mut second) = (0, BTreeMap::<String, u64>::new());
    for seed in 0..UNITS {
        let (once, done) = compile(&generate::varied(seed), Fuel::unlimited());
        first += done.len();
        for done in compile(&once, Fuel::unlimited()).1 {
            *second.entry(done.rewrite.kind()).or_default() += 1;
        }
    }
    println!("{first} rewrites, then {second:?}");
    assert!(second.values().sum::<u64>() * 100 < first as u64, "{first} rewrites, then again {second:?}");
}
