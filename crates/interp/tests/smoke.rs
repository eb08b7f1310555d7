//! Random units are valid, most of them run to their ends, and together they have all of the language.

use std::time::Instant;

use flambeau_interp::check::{Tally, report};
use flambeau_interp::coverage::{self, Coverage};
use flambeau_interp::{Difference, Options, Verdict, check_pass, generate, run};
use flambeau_ir::prim::{IntCmp, IntOp, Mutability};
use flambeau_ir::{Expr, Item, Named, Prim, Simple, Unit, alpha, parser, printer, verify};

/// Units of the smoke run. `FLAMBEAU_SEEDS` for more.
fn seeds() -> u64 {
    std::env::var("FLAMBEAU_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1000)
}

fn options() -> Options {
    Options { fuel: 5_000, meddle: true, ..Options::default() }
}

/// Prints the unit and parses it again: a pass that must change nothing.
fn reread(unit: &mut Unit) {
    *unit = parser::parse_unit(&printer::print_unit(unit)).expect("what was printed can be read");
}

#[test]
fn random_units_run() {
    let begin = Instant::now();
    let (mut tally, mut coverage, mut executed) = (Tally::default(), Coverage::new(), Coverage::new());
    let (mut steps, mut events) = (0, 0);
    for seed in 0..seeds() {
        let unit = generate::varied(seed);
        if let Err(errors) = verify::verify(&unit) {
            panic!("{}", report(&format!("unit {seed}: {}", errors[0]), &unit, None));
        }
        coverage::count(&unit, &mut coverage);
        let pass = |unit: &mut Unit| {
            if seed % 10 == 0 {
                reread(unit);
            }
        };
        let verdict = match check_pass(&unit, pass, &options()) {
            Ok(verdict) => verdict,
            Err(difference) => panic!("{}", report(&format!("unit {seed}: {difference}"), &unit, None)),
        };
        tally.add(&verdict);
        if let Verdict::Same(runs) = verdict {
            steps += runs.0.stats.steps;
            events += runs.0.events.len();
            for (name, count) in Prim::NAMES.iter().zip(runs.0.stats.prims) {
                *executed.entry(name).or_default() += count;
            }
        }
    }
    println!("{tally}; {steps} steps, {events} events in {:?}", begin.elapsed());
    assert!(tally.same * 100 >= seeds() * 85, "a blind fuzzer: {tally}");
    assert!(events as u64 >= 5 * seeds(), "there is little to be observed: {events} events");
    let all = Prim::NAMES.iter().chain(coverage::CONSTRUCTS);
    let missing: Vec<_> = all.filter(|name| !coverage.contains_key(*name)).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
    let missing: Vec<_> = Prim::NAMES.iter().filter(|name| executed[*name] == 0).collect();
    assert!(missing.is_empty(), "never executed in a complete run: {missing:?}");
}

#[test]
fn units_for_lowering_are_valid_too() {
    for seed in 0..200 {
        let unit = generate::unit(seed, &generate::Options::one_function(1 + (seed % 30) as usize));
        verify::verify(&unit).unwrap_or_else(|errors| {
            panic!("{}", report(&format!("unit {seed}: {}", errors[0]), &unit, None))
        });
    }
}

#[test]
fn seeds_alone_decide() {
    for seed in 0..20 {
        assert!(alpha::compare(&generate::varied(seed), &generate::varied(seed)).is_ok());
        let (a, b) = (run(&generate::varied(seed), &options()), run(&generate::varied(seed), &options()));
        assert_eq!(a.behaviour(), b.behaviour());
    }
}

/// Spoils an item, if it can.
type Wrong = fn(&mut Item) -> bool;

/// Changes the first item that it can, in each body.
fn change(unit: &mut Unit, wrong: Wrong) {
    fn go(expr: &mut Expr, wrong: Wrong) -> bool {
        expr.items.iter_mut().any(|item| {
            wrong(item)
                || match item {
                    Item::Join { body, .. } => go(body, wrong),
                    Item::LetCont { handlers, .. } => handlers.iter_mut().any(|h| go(&mut h.body, wrong)),
                    Item::Let { .. } | Item::LetClosures { .. } => false,
                }
        })
    }
    for id in unit.codes.keys().collect::<Vec<_>>() {
        go(&mut unit.codes[id].body, wrong);
    }
    go(&mut unit.entry.body, wrong);
}

fn prim(item: &mut Item) -> Option<(&mut Prim, &mut [Simple])> {
    match item {
        Item::Let { named: Named::Prim { prim, args, .. }, .. } => Some((prim, args)),
        _ => None,
    }
}

fn swap_operands(item: &mut Item) -> bool {
    let Some((Prim::IntArith { op: IntOp::Sub, .. }, args)) = prim(item) else { return false };
    args.swap(0, 1);
    true
}

fn drop_store(item: &mut Item) -> bool {
    let Some((Prim::BlockStore { .. }, _)) = prim(item) else { return false };
    if let Item::Let { named, .. } = item {
        *named = Named::Simple(Simple::UNIT);
    }
    true
}

fn load_other_field(item: &mut Item) -> bool {
    let Some((Prim::BlockLoad { field, .. }, _)) = prim(item) else { return false };
    *field = (*field + 1) % 3;
    true
}

fn negate_comparison(item: &mut Item) -> bool {
    let Some((Prim::IntCompare { op, .. }, _)) = prim(item) else { return false };
    *op = if *op == IntCmp::Lt { IntCmp::Ge } else { IntCmp::Lt };
    true
}

fn copy_instead_of_block(item: &mut Item) -> bool {
    match item {
        Item::Let { named, .. } => {
            let Named::Prim { prim: Prim::Opaque, args, .. } = named else { return false };
            let args = args.clone();
            let prim = Prim::Duplicate { mutability: Mutability::Mutable };
            *named = Named::Prim { prim, args, exn: None };
            true
        }
        _ => false,
    }
}

fn drop_check(item: &mut Item) -> bool {
    let Some((Prim::CheckZero { .. }, _)) = prim(item) else { return false };
    if let Item::Let { named, .. } = item {
        *named = Named::Simple(Simple::UNIT);
    }
    true
}

/// Takes a mutable field for what it may have been before a store.
fn stale_load(item: &mut Item) -> bool {
    let Some((Prim::BlockLoad { mutability: Mutability::Mutable, .. }, _)) = prim(item) else { return false };
    if let Item::Let { named, .. } = item {
        *named = Named::Simple(Simple::tagged(1));
    }
    true
}

/// Wrong passes are found, within few units.
#[test]
fn wrong_passes_are_found() {
    let wrong: [(&str, Wrong); 7] = [
        ("operands swapped", swap_operands),
        ("a store dropped", drop_store),
        ("a load of another field", load_other_field),
        ("a comparison negated", negate_comparison),
        ("a copy instead of a block", copy_instead_of_block),
        ("a check dropped", drop_check),
        ("a stale load", stale_load),
    ];
    for (name, wrong) in wrong {
        let found = (0..300).find(|seed| {
            let result = check_pass(&generate::varied(*seed), |unit| change(unit, wrong), &options());
            matches!(result, Err(Difference::Behaviour(_)))
        });
        println!("{name}: found after {} units", found.expect(name) + 1);
    }
}
