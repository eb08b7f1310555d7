//! Groups of recursive functions that pass each other functions in all arrangements: specialising them ends, and
//! preserves what they do (features C2).

use std::fmt::Write;

use flambeau_fuzzgen::Rng;
use flambeau_interp::{Options, Verdict, check};
use flambeau_ir::{Rewrites, parser, printer, verify};

/// A group of functions, each of which takes functions and a number, calls some of the first, and then others of the
/// group with the first in any order.
fn group(rng: &mut Rng) -> String {
    const KNOWN: [&str; 3] = ["$a_closure", "$b_closure", "$c_closure"];
    let (functions, params) = (1 + rng.below(4), 2 + rng.below(4));
    // Now and then a parameter is changed as it is passed on.
    let changes = rng.chance(30);
    let mut text = String::from(
        "unit \"T\" prefix \"camlT\" module $camlT
         static exported $camlT = preallocated[0] size 1
         static exported $a_closure = closures (a) code a (x) -> return { let y = add.int (x, 1) return (y) }
         static exported $b_closure = closures (b) code b (x) -> return { let y = mul.int (x, 3) return (y) }
         static exported $c_closure = closures (c) code c (x) -> return { let y = xor.int (x, 5) return (y) }\n",
    );
    let names = |prefix: &str, suffix: &str, count: usize| -> String {
        (0..count).map(|n| format!("{prefix}{n}{suffix}")).collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(
        text,
        "static exported {} = closures ({})",
        names("$f", "_closure", functions),
        names("f", "", functions)
    );
    for function in 0..functions {
        let _ = writeln!(
            text,
            "code f{function} ({}, n) -> return [rec] {{ let t = phys_ne (n, 0) cont more {{
               let m = sub.int (n, 1) let r0 = call p{} (n)",
            names("p", "", params),
            rng.below(params)
        );
        let calls = 1 + rng.below(2);
        for call in 1..=calls {
            let mut order: Vec<usize> = (0..params).collect();
            for at in 0..params {
                order.swap(at, rng.below(params));
            }
            let mut pass = |param: usize| match rng.below(8) {
                0 if changes => KNOWN[rng.below(3)].to_owned(),
                1 if changes => format!("p{}", rng.below(params)),
                _ => format!("p{param}"),
            };
            let args: Vec<String> = order.into_iter().map(&mut pass).collect();
            let _ = writeln!(
                text,
                "let s{call} = call code f{} ({}, m) let r{call} = add.int (r{}, s{call})",
                rng.below(functions),
                args.join(", "),
                call - 1
            );
        }
        let _ = writeln!(text, "let q = call p{} (r{calls}) return (q) }}", rng.below(params));
        let _ = writeln!(text, "switch t {{ 0 -> return ({function}), _ -> more }} }}");
    }
    let known: Vec<&str> = (0..params).map(|_| KNOWN[rng.below(3)]).collect();
    let _ = writeln!(
        text,
        "entry -> return {{ let r = call code f0 ({}, 5) do block_store.root_init[0] ($camlT, r) return (0) }}",
        known.join(", ")
    );
    text
}

#[test]
fn specialising_ends_and_keeps_what_groups_do() {
    let (mut specialised, mut several) = (0, 0);
    for seed in 0..400 {
        let text = group(&mut Rng::new(seed));
        let before = parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify::verify(&before), Ok(()), "{text}");
        let mut unit = before.clone();
        let mut sizes = Vec::new();
        let mut rewrites = Rewrites { trace: Some(Vec::new()), ..Rewrites::default() };
        for _ in 0..6 {
            flambeau_simplify::simplify(&mut unit, &mut rewrites);
            assert_eq!(verify::verify(&unit), Ok(()), "{}", printer::print_unit(&unit));
            sizes.push(unit.codes.len());
        }
        match check::compare(&before, &unit, &Options::default()) {
            Ok(Verdict::Same(_)) => {}
            other => panic!("seed {seed}: {other:?}\n{}", printer::print_unit(&unit)),
        }
        // Four functions in four arrangements each.
        assert!(sizes.iter().all(|size| *size <= before.codes.len() + 16), "seed {seed}: {sizes:?}");
        assert_eq!(sizes[4], sizes[5], "seed {seed}: {sizes:?}");
        let count = rewrites
            .trace
            .iter()
            .flatten()
            .filter(|line| line.rewrite == flambeau_ir::Rewrite::Specialisation)
            .count();
        specialised += usize::from(count > 0);
        // More copies than functions in the group.
        several += usize::from(sizes[0] > 2 * before.codes.len() - 3);
    }
    assert!(
        specialised > 100 && several > 20,
        "{specialised} groups were specialised, {several} in several arrangements"
    );
}
