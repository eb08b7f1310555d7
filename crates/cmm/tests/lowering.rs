use expect_test::{Expect, expect};
fn check(source: &str, expected: Expect) {
    let unit = flambeau_ir::parser::parse_unit(source).unwrap_or_else(|error| panic!("{error}"));
    expected.assert_eq(&flambeau_cmm::print(&flambeau_cmm::lower(&unit)));
}
#[test]
fn tour() {
    let source =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fl/ir/tour.fl")).unwrap();
    check(&source, expect![""]);
}
