//! The OCaml side's names of the numbers in a request: made from the tables of `numbers.rs` and `prim.rs`.

use expect_test::expect_file;
use flambeau_lambda::numbers::tables;
use flambeau_wire::numbers::modules;

#[test]
fn both_sides_have_the_same_numbers() {
    let sources = "crates/lambda/src/numbers.rs and prim.rs";
    let ocaml = modules("a request", sources, ("flambeau-lambda", "numbers"), tables());
    expect_file!["../../../ocaml/front/lambda_numbers.ml"].assert_eq(&ocaml);
}
