//! Scalar replacement on random units with many blocks that do not escape, in loops and under handlers; and with
//! asynchronous exceptions, for which each change is recorded for handlers. Fuel, and large functions.

use std::time::Instant;

use flambeau_interp::check::{Tally, check_pass, compare, report};
use flambeau_interp::{Options, Verdict, generate};
use flambeau_ir::{
    ApplyCont, ContHandler, Dbg, Expr, Fuel, Item, Named, Prim, Rewrites, Terminator, Unit, alpha, parser,
    verify,
};
use flambeau_passes::scalar_replacement::scalar_replacement;

fn seeds() -> u64 {
    std::env::var("FLAMBEAU_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(400)
}

fn options() -> Options {
    Options { fuel: 5_000, meddle: true, ..Options::default() }
}

fn unit(seed: u64) -> Unit {
    let options = generate::Options {
        size: 4 + (seed % 17) as usize,
        raising: seed % 3 == 2,
        arrays: seed % 2 == 1,
        strings: seed % 4 == 2,
        bigarrays: seed % 8 == 3,
        undefined: seed % 4 == 1,
        functions: 3,
        local_blocks: true,
        ..generate::Options::default()
    };
    generate::unit(seed, &options)
}

/// The allocations under handlers, by location: a signal may surface there.
fn allocations(unit: &Unit) -> Vec<u32> {
    let mut found = Vec::new();
    for body in unit.bodies() {
        body.walk(&mut |expr| {
            if let Terminator::Try { body, .. } = &expr.terminator {
                body.walk(&mut |expr| found.extend(expr.items.iter().filter_map(allocation)));
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The location of an allocation.
fn allocation(item: &Item) -> Option<u32> {
    match item {
        Item::Let { named: Named::Prim { prim, .. }, dbg, .. } => {
            (prim.is_allocation() && *dbg != Dbg::NONE).then_some(dbg.0)
        }
        Item::LetClosures { dbg, .. } => Some(dbg.0),
        Item::Let { .. } | Item::Join { .. } | Item::LetCont { .. } => None,
    }
}

#[test]
fn random_units_with_local_blocks() {
    let begin = Instant::now();
    let (mut tally, mut interrupted, mut replaced, mut words) =
        (Tally::default(), Tally::default(), 0, (0, 0));
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
        assert!(
            changed == alpha::compare(&before, &after).is_err(),
            "{}",
            fail(&"it says wrongly whether it changed anything", &after)
        );
        let places = allocations(&after);
        for place in places.iter().step_by(1 + places.len() / 12) {
            match compare(&before, &after, &Options { interrupt: Some(*place), ..options() }) {
                Ok(verdict) => interrupted.add(&verdict),
                Err(difference) => {
                    panic!("{}", fail(&format!("interrupted at {place}: {difference}"), &after))
                }
            }
        }
    }
    println!(
        "{tally}; with interrupts: {interrupted}; {replaced} blocks replaced, {} words \
         of {} not allocated; in {:?}",
        words.0 - words.1,
        words.0,
        begin.elapsed()
    );
    assert!(tally.same * 100 >= seeds() * 80, "a blind fuzzer: {tally}");
    assert!(interrupted.same >= 2 * seeds(), "few interrupts: {interrupted}");
    assert!(replaced >= 8 * seeds(), "only {replaced} blocks replaced");
}

/// The texts about handlers, a signal surfacing at each allocation that is left.
#[test]
fn asynchronous_exceptions_find_present_values() {
    for text in [
        include_str!("../../../tests/fl/scalar_replacement/handler.fl"),
        include_str!("../../../tests/fl/scalar_replacement/handler_extra.fl"),
        include_str!("../../../tests/fl/scalar_replacement/handler_inner.fl"),
        include_str!("../../../tests/fl/scalar_replacement/handler_two.fl"),
    ] {
        let (input, _) = text.split_once("===>").expect("a text and what is expected");
        let mut before = parser::parse_unit(input).unwrap_or_else(|error| panic!("{error}"));
        let mut location = 0;
        for id in before.codes.keys().collect::<Vec<_>>() {
            number(&mut before.codes[id].body, &mut location);
        }
        let mut after = before.clone();
        assert!(scalar_replacement(&mut after, &mut Rewrites::default()));
        let places = allocations(&after);
        assert!(!places.is_empty(), "no allocation is left in\n{text}");
        for place in places {
            let options = Options { interrupt: Some(place), ..Options::default() };
            let ran = flambeau_interp::run(&before, &options);
            assert_ne!(ran.behaviour(), flambeau_interp::run(&before, &Options::default()).behaviour());
            match compare(&before, &after, &options) {
                Ok(Verdict::Same(_)) => {}
                Ok(verdict) => panic!("{}", report(&format!("{verdict:?}"), &before, Some(&after))),
                Err(difference) => panic!("{}", report(&difference, &before, Some(&after))),
            }
        }
    }
}

/// Gives each item a location of its own.
fn number(expr: &mut Expr, location: &mut u32) {
    for item in &mut expr.items {
        *location += 1;
        match item {
            Item::Let { dbg, .. } | Item::LetClosures { dbg, .. } => *dbg = Dbg(*location),
            Item::Join { body, .. } => number(body, location),
            Item::LetCont { handlers, .. } => handlers.iter_mut().for_each(|h| number(&mut h.body, location)),
        }
    }
    if let Terminator::Try { body, .. } = &mut expr.terminator {
        number(body, location);
    }
}

/// A unit of one code `f` and an entry code that calls it.
fn unit_of(code: &str) -> Unit {
    let text = format!(
        r#"unit "T" prefix "camlT" module $camlT
        static exported $camlT = preallocated[0] size 1
        code f (n: int) -> return {{ {code} }}
        entry -> return {{
          let x = call code f (5)
          do c_call["observe"/1] (x)
          return (0)
        }}"#
    );
    let unit = parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}"));
    verify::verify(&unit).unwrap_or_else(|errors| panic!("{}", errors[0]));
    unit
}

/// Applies the pass, which must keep what the unit does; the trace.
fn check(unit: &mut Unit, fuel: Fuel) -> Vec<String> {
    let before = unit.clone();
    let mut rewrites = Rewrites { fuel, trace: Some(Vec::new()), ..Rewrites::default() };
    scalar_replacement(unit, &mut rewrites);
    match compare(&before, unit, &Options::default()) {
        Ok(Verdict::Same(_)) => rewrites.trace.iter().flatten().map(ToString::to_string).collect(),
        Ok(verdict) => panic!("{}", report(&format!("{verdict:?}"), &before, Some(unit))),
        Err(difference) => panic!("{}", report(&difference, &before, Some(unit))),
    }
}

#[test]
fn each_block_asks_for_permission() {
    let code = "let a = make_block.mut[0] (n)
        let b = make_block.mut[0] (a)
        let c = make_block.mut[0] (n)
        let a' = block_load.mut[0] (b)
        do block_store_int[0] (a', 6)
        let x = block_load.mut[0] (a)
        let y = block_load.mut[0] (c)
        let z = add.int (x, y)
        return (z)";
    let trace = check(&mut unit_of(code), Fuel::unlimited());
    let names = ["b", "c", "a"].iter().zip(1..);
    let expected: Vec<_> =
        names.map(|(b, n)| format!("{n}: scalar_replacement: block {b} in camlT__f")).collect();
    assert_eq!(trace, expected);
    for fuel in 0..3 {
        assert_eq!(check(&mut unit_of(code), Fuel::limited(fuel)), expected[..fuel as usize]);
    }
}

/// Many references which all change between many joins: a parameter for each at each would be quadratic.
#[test]
fn large_functions_stay_within_bounds() {
    let count = 2000;
    let mut code = String::new();
    for i in 0..count {
        code += &format!("let r{i} = make_block.mut[0] (n)\n");
    }
    for i in 0..count {
        code += &format!(
            "join k{i} {{ let x{i} = block_load.mut[0] (r{i})  let c{i} = untag (x{i})
               cont a{i} {{ do offset_ref[1] (r{i})  k{i} }}
               and b{i} {{ do c_call[\"observe\"/1] (x{i})  k{i} }}
               switch c{i} {{ 5 -> a{i}, _ -> b{i} }} }}\n"
        );
    }
    for i in 0..count {
        code += &format!("let y{i} = block_load.mut[0] (r{i})  do c_call[\"observe\"/1] (y{i})\n");
    }
    let mut unit = unit_of(&(code + "return (n)"));
    let before = unit.variables.len();
    // Each field has a parameter where its own branch ends, and is known before and after it: that is linear.
    let replaced = check(&mut unit, Fuel::unlimited()).len();
    println!("{replaced} blocks replaced, {} new variables", unit.variables.len() - before);
    assert!((16..=count).contains(&replaced), "{replaced}");
    assert!(unit.variables.len() - before <= 20 * before);
}

/// Nesting has no bound.
#[test]
fn deep_functions() {
    let mut unit = unit_of("let r = make_block.mut[0] (n)  let x = block_load.mut[0] (r)  return (x)");
    let id = unit.codes.keys().next().expect("f");
    let body = unit.codes[id].body.clone();
    let block = body.items.first().cloned().into_iter();
    let last = &body.items[1..];
    let Some(Item::Let { var, .. }) = body.items.first() else { panic!("a block") };
    let var = *var;
    let mut expr = Expr { items: last.to_vec(), terminator: body.terminator.clone() };
    for _ in 0..100_000 {
        let cont = unit.new_continuation("k");
        let to = ApplyCont { cont, args: Default::default() };
        let offset = Named::Prim {
            prim: Prim::OffsetRef { amount: 1 },
            args: [var.into()].into_iter().collect(),
            exn: None,
        };
        let unit_var = unit.new_value("u");
        let items = vec![
            Item::LetCont {
                recursive: false,
                handlers: vec![ContHandler { cont, params: Default::default(), body: expr }],
            },
            Item::Let { var: unit_var, named: offset, dbg: Dbg::NONE },
        ];
        expr = Expr { items, terminator: Terminator::ApplyCont(to) };
    }
    expr.items = block.chain(expr.items).collect();
    std::mem::replace(&mut unit.codes[id].body, expr).dismantle();
    assert!(scalar_replacement(&mut unit, &mut Rewrites::default()));
    verify::verify(&unit).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let body = Expr { items: Vec::new(), terminator: Terminator::Unreachable };
    std::mem::replace(&mut unit.codes[id].body, body).dismantle();
}
