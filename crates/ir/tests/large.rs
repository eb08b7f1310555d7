//! Units that are long, deep or wide: everything works on them, in time that would show if it were not linear.

use flambeau_ir::{Expr, Item, Naming, Terminator, Unit, alpha, parser, printer, verify};

/// Reads the entry of that body, checks it, prints it, reads that and compares.
fn round_trip(body: &str) {
    let head = "unit \"M\" prefix \"camlM\" module $camlM static exported $camlM = preallocated[0] size 0";
    let mut unit = parser::parse_unit(&format!("{head} {body}")).unwrap_or_else(|error| panic!("{error}"));
    if let Err(errors) = verify::verify(&unit) {
        panic!("{}", errors[0]);
    }
    let text = printer::print_unit(&unit);
    let mut again = parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}"));
    let difference = alpha::compare(&unit, &again);
    dismantle(&mut unit);
    dismantle(&mut again);
    assert_eq!(difference, Ok(()));
}

/// Empties the unit without recursion, which would overflow the stack.
fn dismantle(unit: &mut Unit) {
    let empty = || Expr { items: Vec::new(), terminator: Terminator::Unreachable };
    std::mem::replace(&mut unit.entry.body, empty()).dismantle();
    for code in unit.codes.values_mut() {
        std::mem::replace(&mut code.body, empty()).dismantle();
    }
}

#[test]
fn long_runs() {
    let mut body = "entry -> k { let x = 1 ".to_owned();
    for n in 0..50_000 {
        body += &format!("let a{n} = add.int (x, {n}) let b{n} = call a{n} (x) ");
    }
    round_trip(&(body + "k (x) }"));
}

#[test]
fn one_name_for_all() {
    let mut unit = Unit::new("M", Naming::usual("camlM"), 0);
    for _ in 0..100_000 {
        let var = unit.new_value("x");
        let named = flambeau_ir::Named::Simple(flambeau_ir::Simple::UNIT);
        unit.entry.body.items.push(Item::Let { var, named, dbg: flambeau_ir::Dbg::NONE });
    }
    let text = printer::print_unit(&unit);
    assert!(text.contains("let x_99999 = 0\n"));
}

#[test]
fn many_codes_and_statics() {
    let mut body = String::new();
    for n in 0..10_000 {
        body += &format!(
            "static $c{n} = closures (f{n}) static $s{n} = block[0] ($c{n}, {n})
             code f{n} (x) -> k [rec] {{ call code f{n} (x) -> k }} "
        );
    }
    round_trip(&(body + "entry -> k { k (0) }"));
}

#[test]
fn one_long_cycle_of_calls() {
    let codes: Vec<_> = (0..10_000).map(|n| format!("f{n}")).collect();
    let symbols: Vec<_> = codes.iter().map(|code| format!("$c{code}")).collect();
    let mut body = format!("static {} = closures ({}) ", symbols.join(", "), codes.join(", "));
    for n in 0..codes.len() {
        let next = &codes[(n + 1) % codes.len()];
        body += &format!("code f{n} (x) -> k [rec] {{ call code {next} (x) -> k }} ");
    }
    round_trip(&(body + "entry -> k { k (0) }"));
}

#[test]
fn deep_joins() {
    deep(|n| (format!("join j{n} {{ "), "} unreachable ".to_owned()));
}

#[test]
fn deep_continuations() {
    deep(|n| (format!("cont rec j{n} {{ "), format!("}} j{n} ")));
}

#[test]
fn deep_tries() {
    deep(|n| (format!("join exn h{n} (e{n}) {{ try h{n} {{ "), format!("}} }} raise e{n} ")));
}

/// 50,000 levels.
fn deep(level: impl Fn(usize) -> (String, String)) {
    let (before, after): (Vec<_>, Vec<_>) = (0..50_000).map(level).unzip();
    let after: String = after.into_iter().rev().collect();
    round_trip(&format!("entry -> k {{ {} k (0) {after} }}", before.concat()));
}
