//! The OCaml side's names of the numbers of an assembly program: made from the tables of `codes.rs`.

use expect_test::expect_file;
use flambeau_assembler::codes::TABLES;
use flambeau_wire::numbers::modules;

#[test]
fn both_sides_have_the_same_numbers() {
    let sources = "crates/assembler/src/codes.rs";
    let tables = TABLES.iter().copied();
    let ocaml = modules("an assembly program", sources, ("flambeau-assembler", "codes"), tables);
    expect_file!["../../../ocaml/architecture/amd64/assembly_codes.ml"].assert_eq(&ocaml);
}
