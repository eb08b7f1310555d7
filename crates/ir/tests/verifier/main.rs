//! For each of the verifier's checks, a unit that fails it alone. `UPDATE_EXPECT=1` blesses.

mod calls;
mod closures;
mod continuations;
mod kinds;
mod scope;
mod statics;

use cranelift_entity::EntityRef;
use expect_test::{Expect, expect};
use flambeau_ir::{CodeId, Const, Expr, Item, Named, Prim, Terminator, Unit, parser, verify};

/// A unit with these parts, which bring their own entry if they need one.
fn unit(parts: &str) -> Unit {
    let entry = if parts.contains("entry") { "" } else { "entry -> k { k (0) }" };
    let module =
        if parts.contains("$camlM =") { "" } else { "static exported $camlM = preallocated[0] size 0" };
    let text = format!("unit \"M\" prefix \"camlM\" module $camlM\n{module}\n{parts}\n{entry}");
    parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn errors(unit: &Unit) -> String {
    let errors = verify::verify(unit).expect_err("the verifier rejects this");
    errors.iter().map(|error| format!("{error}\n")).collect()
}

/// The verifier rejects the unit with these parts.
#[track_caller]
fn rejects(parts: &str, expected: Expect) {
    expected.assert_eq(&errors(&unit(parts)));
}

/// The verifier rejects a unit that can't be written as text.
#[track_caller]
fn rejects_changed(parts: &str, change: impl FnOnce(&mut Unit), expected: Expect) {
    let mut unit = unit(parts);
    verify::verify(&unit).expect("the unit is well-formed before the change");
    change(&mut unit);
    expected.assert_eq(&errors(&unit));
}

#[track_caller]
fn accepts(parts: &str) {
    if let Err(errors) = verify::verify(&unit(parts)) {
        panic!("{}", errors[0]);
    }
}

/// The first code.
fn f() -> CodeId {
    CodeId::new(0)
}

/// The second code.
fn g() -> CodeId {
    CodeId::new(1)
}

// ---- the report

#[test]
fn at_most_twenty_errors() {
    let many: String = (0..100).map(|n| format!("let a{n}: float# = 1 ")).collect();
    let errors =
        verify::verify(&unit(&format!("code f (x) -> k {{ {many} k (x) }}"))).expect_err("kinds differ");
    assert_eq!(errors.len(), 20);
}

#[test]
fn messages_use_the_names_of_the_text() {
    let mut unit = unit("code f (x, y: float#) -> k { let z = x let z_1 = add.int (z, y) k (z_1) }");
    // Both are now called `z`; the printer calls them `z` and `z_1`.
    for data in unit.variables.values_mut() {
        if &*data.name == "z_1" {
            data.name = "z".into();
        }
    }
    expect![[r#"
        in code f: operand 2, `y`, is of kind `float#` instead of `val`
          at: let z_1 = add.int (z, y)
    "#]]
    .assert_eq(&errors(&unit));
}

#[test]
fn deep_and_wrong() {
    let mut body = Expr { items: Vec::new(), terminator: Terminator::Unreachable };
    let mut unit = unit("");
    let wrong = unit.new_value("wrong");
    let prim = Prim::Tag;
    let named = Named::Prim { prim, args: [Const::UNIT.into()].into_iter().collect(), exn: None };
    body.items.push(Item::Let { var: wrong, named, dbg: flambeau_ir::Dbg::NONE });
    for _ in 0..50_000 {
        let cont = unit.new_continuation("j");
        let join = Item::Join { cont, params: Default::default(), body: Box::new(body) };
        body = Expr { items: vec![join], terminator: Terminator::Unreachable };
    }
    unit.entry.body = body;
    let errors = errors(&unit);
    // Dropping it would overflow the stack.
    unit.entry.body.dismantle();
    expect![[r#"
        in the entry: operand 1, `0`, is of kind `val` instead of `int#`
          at: let wrong = tag (0)
    "#]]
    .assert_eq(&errors);
}
