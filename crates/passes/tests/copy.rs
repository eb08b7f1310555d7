//! `flambeau_ir::copy` on random units: it is here because the generator and the interpreter are.

use flambeau_interp::check::{Tally, compare, report};
use flambeau_interp::{Options, generate};
use flambeau_ir::copy::Copier;
use flambeau_ir::term::{ApplyCont, ContHandler, Switch};
use flambeau_ir::{
    Code, Dbg, ExnCont, Expr, Item, Naming, Simple, Terminator, Unit, alpha, parser, printer, verify,
};

fn options() -> Options {
    Options { fuel: 5_000, meddle: true, ..Options::default() }
}

/// Makes a copy of everything the new unit; slots and codes are those of the original.
fn copy_all(unit: &mut Unit) {
    let codes = std::mem::take(&mut unit.codes);
    let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
    for code in codes.values() {
        unit.codes.push(copier.code(code));
    }
    let (ret, exn) = (copier.bind_continuation(unit.entry.ret), copier.bind_continuation(unit.entry.exn));
    let body = copier.expr(&unit.entry.body);
    unit.entry = flambeau_ir::unit::Entry { ret, exn, body };
}

#[test]
fn a_copy_is_the_same_up_to_names() {
    for seed in 0..300 {
        let unit = generate::unit(seed, &generate::Options::default());
        let mut copy = unit.clone();
        copy_all(&mut copy);
        verify::verify(&copy).unwrap_or_else(|errors| panic!("{}", report(&errors[0], &unit, Some(&copy))));
        alpha::compare(&unit, &copy).unwrap_or_else(|what| panic!("{}", report(&what, &unit, Some(&copy))));
        let fresh = copy.entry.ret != unit.entry.ret && copy.variables.len() > unit.variables.len();
        assert!(fresh, "nothing was renamed");
    }
}

/// A term which copies its codes runs beside the original, which stays.
fn beside(unit: &Unit, body: &Expr) -> Option<(Unit, Expr)> {
    let mut copied = unit.clone();
    let mut copier = Copier::with_sets(
        &mut copied.variables,
        &mut copied.continuations,
        &unit.codes,
        &mut copied.function_slots,
        &mut copied.value_slots,
    );
    let copy = copier.expr(body);
    for code in copier.finish().ok()? {
        copied.codes.push(code);
    }
    let [old, new] = ["old", "new"].map(|name| copied.new_continuation(name));
    let handler = |cont, body| ContHandler { cont, params: Default::default(), body };
    let handlers = vec![handler(old, body.clone()), handler(new, copy)];
    let arm = |cont| ApplyCont { cont, args: Default::default() };
    let switch = Switch {
        scrutinee: Simple::naked_imm(1),
        arms: vec![(0, arm(old)), (1, arm(new))],
        default: None,
        dbg: Dbg::NONE,
        cases: None,
    };
    let items = vec![Item::LetCont { recursive: false, handlers }];
    Some((copied, Expr { items, terminator: Terminator::Switch(Box::new(switch)) }))
}

#[test]
fn copies_with_their_own_sets_behave_alike() {
    let (mut tally, mut new_codes, mut refused) = (Tally::default(), 0, 0);
    for seed in 0..300 {
        let unit = generate::unit(seed, &generate::Options::default());
        let mut copied = unit.clone();
        for id in unit.codes.keys() {
            match beside(&copied, &copied.codes[id].body) {
                Some((unit, body)) => {
                    copied = unit;
                    copied.codes[id].body = body;
                }
                None => refused += 1,
            }
        }
        match beside(&copied, &copied.entry.body) {
            Some((unit, body)) => {
                copied = unit;
                copied.entry.body = body;
            }
            None => refused += 1,
        }
        new_codes += copied.codes.len() - unit.codes.len();
        let verdict = compare(&unit, &copied, &options()).unwrap_or_else(|what| {
            panic!("{}", report(&format!("unit {seed}: {what}"), &unit, Some(&copied)))
        });
        tally.add(&verdict);
    }
    println!("{tally}; {new_codes} codes copied, {refused} terms refused");
    assert!(tally.same >= 250, "a blind test: {tally}");
    assert!(new_codes >= 300, "few sets of closures: {new_codes}");
}

/// The first code of a text, and the unit.
fn unit(text: &str) -> Unit {
    let unit = parser::parse_unit(text).unwrap_or_else(|error| panic!("{error}"));
    verify::verify(&unit).unwrap_or_else(|errors| panic!("{}", errors[0]));
    unit
}

/// Inlining by hand: the callee's exceptions get the extra arguments of the caller's handler.
#[test]
fn raise_points_get_extra_arguments() {
    let mut unit = unit(
        r#"unit "T" prefix "camlT" module $camlT
        static exported $camlT = preallocated[0] size 1
        code f (x) -> return { do check_bound[1] (x, 0)  raise x }
        entry -> return {
          cont exn h (e, y) { return (y) }
          let a = opaque (1)
          try h (a) { call code f (a) -> return | h (a) }
        }"#,
    );
    let code = unit.codes.values().next().expect("f").clone();
    let Terminator::Try { body, .. } = &mut unit.entry.body.terminator else { panic!("a try") };
    let Terminator::Apply(call) = &body.terminator else { panic!("a call") };
    let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
    copier.substitute_continuation(code.ret, call.ret);
    copier.substitute_exn(code.exn, ExnCont::clone(&call.exn));
    copier.substitute_variable(code.params[0], call.args[0]);
    **body = copier.expr(&code.body);
    verify::verify(&unit).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let text = printer::print_unit(&unit);
    assert!(text.contains("do check_bound[1] (a, 0) | h (a)\n    raise a | h (a)"), "{text}");
}

/// A function makes a closure and reads a slot of one which it was passed, perhaps by its caller, who is itself.
#[test]
fn closures_of_unknown_birth_are_not_copied() {
    let unit = unit(
        r#"unit "T" prefix "camlT" module $camlT
        static exported $camlT = preallocated[0] size 1
        code f (x, other) -> return [rec] {
          let g = closures (g) { x }
          let old = project_value[g, x] (other)
          call code f (old, g) -> return
        }
        code g (y) closure me -> return { let x = project_value[g, x] (me)  return (x) }
        entry -> return { return (0) }"#,
    );
    let f = unit.codes.values().find(|code| code.linkage_name == "camlT__f").expect("f");
    assert!(beside(&unit, &f.body).is_none());
}

/// Nesting has no bound, and copies keep what captures their own closures.
#[test]
fn deep_terms_are_copied() {
    let mut unit = Unit::new("T", Naming::usual("camlT"), 1);
    let mut expr = Expr { items: vec![], terminator: Terminator::Unreachable };
    for _ in 0..100_000 {
        let cont = unit.new_continuation("k");
        let items = vec![Item::Join { cont, params: Default::default(), body: Box::new(expr) }];
        expr = Expr { items, terminator: Terminator::Unreachable };
    }
    let copy = Copier::new(&mut unit.variables, &mut unit.continuations).expr(&expr);
    assert_eq!(unit.continuations.len(), 2 + 200_000);
    expr.dismantle();
    copy.dismantle();
}

/// Codes have distinct names when two copies are made of one.
#[test]
fn two_copies_have_two_names() {
    let before = unit(
        r#"unit "T" prefix "camlT" module $camlT
        static exported $camlT = preallocated[0] size 1
        code g (y) closure me -> return { let x = project_value[g, x] (me)  return (x) }
        entry -> return { let v = opaque (1)  let g = closures (g) { x = v }
          do block_store.root_init[0] ($camlT, g)  call code g via g (0) -> return }"#,
    );
    let (mut once, body) = beside(&before, &before.entry.body).expect("a copy");
    let original = before.entry.body.clone();
    once.entry.body = body;
    let (mut twice, body) = beside(&once, &original).expect("a second copy");
    // The original is there once, with the second copy, beside the first one.
    let Item::LetCont { handlers, .. } = &mut twice.entry.body.items[0] else { panic!("the handlers") };
    handlers[0].body = body;
    verify::verify(&twice).unwrap_or_else(|errors| panic!("{}", report(&errors[0], &before, Some(&twice))));
    let names: Vec<_> = twice.codes.values().map(|code: &Code| code.linkage_name.as_str()).collect();
    assert_eq!(names, ["camlT__g", "camlT__g_d1", "camlT__g_d2"]);
}
