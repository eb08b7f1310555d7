//! Laws on random well-formed units.

mod generator;

use flambeau_ir::remap::{self, Remap};
use flambeau_ir::{Continuation, Unit, Variable, alpha, parser, printer, renumber, verify};
use generator::Random;

const UNITS: u64 = 150;

#[test]
fn the_verifier_accepts_them() {
    for seed in 0..UNITS {
        let unit = generator::unit(seed);
        if let Err(errors) = verify::verify(&unit) {
            panic!("unit {seed}: {}\n{}", errors[0], printer::print_unit(&unit));
        }
    }
}

#[test]
fn parsing_inverts_printing() {
    for seed in 0..UNITS {
        let unit = generator::unit(seed);
        let text = printer::print_unit(&unit);
        let again = match parser::parse_unit(&text) {
            Ok(again) => again,
            Err(error) => panic!("unit {seed}: {error}\n{text}"),
        };
        if let Err(difference) = alpha::compare(&unit, &again) {
            panic!("unit {seed}: {difference}\n{text}");
        }
        assert_eq!(text, printer::print_unit(&again), "unit {seed}: printing is not stable");
        assert_eq!(verify::verify(&again), Ok(()), "unit {seed}");
    }
}

#[test]
fn numbers_and_tables_survive_in_numbered_text() {
    let numbered = printer::Options { locations: true, numbered: true };
    for seed in 0..UNITS {
        let unit = generator::unit(seed);
        let text = printer::print_unit_with(&unit, numbered);
        let again = match parser::parse_unit(&text) {
            Ok(again) => again,
            Err(error) => panic!("unit {seed}: {error}\n{text}"),
        };
        assert_eq!(text, printer::print_unit_with(&again, numbered), "unit {seed}");
        assert_eq!(printer::print_unit(&unit), printer::print_unit(&again), "unit {seed}: names are lost");
        assert_eq!(unit.variables.len(), again.variables.len());
        assert_eq!(unit.continuations.len(), again.continuations.len());
        for (variable, data) in &unit.variables {
            let again = &again.variables[variable];
            assert!(again == data || &*again.name == "unused", "unit {seed}: {variable} {data:?} {again:?}");
        }
        for (symbol, data) in &unit.symbols {
            assert_eq!(*data, again.symbols[symbol], "unit {seed}");
        }
    }
}

/// Puts a variable and a continuation that nothing mentions before each that there is.
struct WithGaps;

impl Remap for WithGaps {
    fn variable(&mut self, variable: &mut Variable) {
        *variable = Variable::from_u32(2 * variable.as_u32() + 1);
    }

    fn continuation(&mut self, continuation: &mut Continuation) {
        *continuation = Continuation::from_u32(2 * continuation.as_u32() + 1);
    }
}

fn with_gaps(unit: &mut Unit) {
    let Unit { codes, entry, .. } = unit;
    for code in codes.values_mut() {
        code.params.iter_mut().chain([&mut code.my_closure]).for_each(|variable| WithGaps.variable(variable));
        [&mut code.ret, &mut code.exn].into_iter().for_each(|cont| WithGaps.continuation(cont));
        remap::expr(&mut WithGaps, &mut code.body);
    }
    [&mut entry.ret, &mut entry.exn].into_iter().for_each(|cont| WithGaps.continuation(cont));
    remap::expr(&mut WithGaps, &mut entry.body);
    for (_, data) in std::mem::take(&mut unit.variables) {
        unit.new_value("dead");
        unit.variables.push(data);
    }
    for (_, data) in std::mem::take(&mut unit.continuations) {
        unit.new_continuation("dead");
        unit.continuations.push(data);
    }
}

#[test]
fn compaction_keeps_what_is_mentioned() {
    let numbered = printer::Options { locations: true, numbered: true };
    for seed in 0..UNITS {
        let mut unit = generator::unit(seed);
        renumber::compact(&mut unit);
        let text = printer::print_unit_with(&unit, numbered);
        with_gaps(&mut unit);
        assert_ne!(printer::print_unit_with(&unit, numbered), text, "unit {seed}");
        renumber::compact(&mut unit);
        assert_eq!(printer::print_unit_with(&unit, numbered), text, "unit {seed}");
        assert_eq!(verify::verify(&unit), Ok(()), "unit {seed}");
    }
}

#[test]
fn comparison_tells_units_apart() {
    let units: Vec<_> = (0..40).map(generator::unit).collect();
    for (i, a) in units.iter().enumerate() {
        for (j, b) in units.iter().enumerate() {
            let same_text = printer::print_unit(a) == printer::print_unit(b);
            assert_eq!(alpha::compare(a, b).is_ok(), i == j || same_text, "units {i} and {j}");
        }
    }
}

/// Text with a byte changed, removed or doubled: any answer, but no panic.
#[test]
fn damaged_text_never_panics() {
    for seed in 0..UNITS {
        let text = printer::print_unit(&generator::unit(seed % 20)).into_bytes();
        let mut random = Random::new(seed);
        for _ in 0..5 {
            let mut damaged = text.clone();
            let at = random.below(damaged.len());
            match random.below(3) {
                0 => damaged[at] = random.pick(b"(){}[],:=->|/@#$`\" \n0aZ_*'.\\\xff"),
                1 => drop(damaged.drain(at..(at + 1 + random.below(9)).min(text.len()))),
                _ => damaged.insert(at, damaged[at]),
            }
            let damaged = String::from_utf8_lossy(&damaged).into_owned();
            match parser::parse_unit(&damaged) {
                Ok(unit) => drop((printer::print_unit(&unit), verify::verify(&unit))),
                Err(error) => drop(error.to_string()),
            }
        }
    }
}
