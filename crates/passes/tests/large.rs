//! Large units: passes take near-linear time, and nesting overflows no stack.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use flambeau_ir::{Item, Rewrites, Unit, parser, verify};
use flambeau_passes::{PASSES, Pass};

/// What takes minutes if it is quadratic takes less than that, even on a slow and busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Applies each pass alone, then all in order. Gives how many loops and codes come of that.
fn check(text: &str) -> (usize, usize) {
    let unit = parser::parse_unit(text).unwrap_or_else(|error| panic!("{error}"));
    for pass in PASSES {
        let mut unit = unit.clone();
        apply(pass, &mut unit);
        dismantle(unit);
    }
    let mut unit = unit;
    PASSES.iter().for_each(|pass| apply(pass, &mut unit));
    let mut loops = 0;
    let codes = unit.codes.values().map(|code| &code.body);
    codes.chain([&unit.entry.body]).for_each(|body| {
        body.walk(&mut |expr| {
            let is_loop = |item: &&Item| matches!(item, Item::LetCont { recursive: true, .. });
            loops += expr.items.iter().filter(is_loop).count();
        });
    });
    let codes = unit.codes.len();
    dismantle(unit);
    (loops, codes)
}

fn apply(pass: &Pass, unit: &mut Unit) {
    let begin = Instant::now();
    (pass.run)(unit, &mut Rewrites::default());
    let time = begin.elapsed();
    println!("{}: {time:?}", pass.name);
    verify::verify(unit).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert!(time < LIMIT, "{} takes {time:?}", pass.name);
}

/// Drops the unit without recursion, which would overflow the stack.
fn dismantle(unit: Unit) {
    unit.entry.body.dismantle();
    unit.codes.into_iter().for_each(|(_, code)| code.body.dismantle());
}

const HEAD: &str =
    "unit \"T\" prefix \"camlT\" module $camlT\nstatic exported $camlT = preallocated[0] size 1\n";

/// One function with many local ones.
#[test]
fn many_local_functions() {
    let (mut text, mut calls) = (HEAD.to_owned(), String::new());
    for n in 0..20_000 {
        let _ = writeln!(
            text,
            "code f{n} (i) closure me -> return [rec] {{ let x = project_value[f{n}, x{n}] (me)
            let i' = add.int (i, x)  let stop = lt.int (i', 0)
            cont again {{ call code f{n} via me (i') -> return }}
            switch stop {{ 0 -> again, 1 -> return (i') }} }}"
        );
        let _ = writeln!(
            calls,
            "let c{n} = closures (f{n}) {{ x{n} = x }}  let r{n} = call code f{n} via c{n} (x)"
        );
    }
    let _ = writeln!(text, "code f (x) -> return {{ {calls} return (x) }}");
    text.push_str("entry -> return { call code f (1) -> return }\n");
    text.push_str("static exported $f_closure = closures (f)\n");
    assert_eq!(check(&text), (20_000, 1));
}

/// A local function in a local function in…: each captures what the next one needs.
#[test]
fn deeply_nested_functions() {
    let depth = 20_000;
    let mut text = HEAD.to_owned();
    for n in 0..depth {
        let next = n + 1;
        let _ = writeln!(
            text,
            "code f{n} (i) closure me -> return {{ let x = project_value[f{n}, x{n}] (me)
            let c = closures (f{next}) {{ x{next} = x }}  call code f{next} via c (i) -> return }}"
        );
    }
    let _ = writeln!(text, "code f{depth} (i) closure me -> return {{ return (i) }}");
    text.push_str("entry -> return { let x = opaque (1)  let c = closures (f0) { x0 = x }\n");
    text.push_str("call code f0 via c (x) -> return }\n");
    assert_eq!(check(&text), (0, 0), "all are in the entry");
}
