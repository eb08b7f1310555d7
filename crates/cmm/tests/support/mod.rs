//! Small units as text, and the text of their Cmm.

// Each test program uses some of these.
#![allow(dead_code)]

use expect_test::Expect;
use flambeau_ir::parser::parse_unit;

/// A unit with those codes and that entry, lowered.
pub fn lower(items: &str) -> String {
    let header =
        "unit \"T\" prefix \"camlT\" module $camlT\nstatic exported $camlT = preallocated[0] size 1\n";
    let unit = parse_unit(&format!("{header}{items}")).unwrap_or_else(|error| panic!("{error}"));
    flambeau_cmm::print(&flambeau_cmm::lower(&unit))
}

/// A function `f` of its parameters and body alone.
#[track_caller]
pub fn check_body(params: &str, body: &str, expected: Expect) {
    let text = lower(&format!(
        "code f ({params}) closure env -> k | kx {{\n{body}\n}}\nentry -> done | failed {{ done (0) }}"
    ));
    let function = text.split_once("(function").and_then(|(_, text)| text.split_once("\n(entry"));
    expected.assert_eq(&format!("(function{}\n", function.expect("there is a function").0));
}

/// All of a unit.
#[track_caller]
pub fn check_unit(items: &str, expected: Expect) {
    expected.assert_eq(&lower(items));
}
