//! The OCaml side's names of the numbers of an assembly program: made from the tables of `codes.rs`.

use std::fmt::Write;

use expect_test::expect_file;
use flambeau_assembler::codes::TABLES;

const KEYWORDS: &[&str] = &["and", "or", "type"];

/// `CfiStartproc` as `cfi_startproc`.
fn lower_case(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    if KEYWORDS.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

fn ocaml() -> String {
    let mut text = String::from(
        "(** The numbers by which an assembly program is written. Made from the tables in crates/assembler/src/codes.rs by\n    \
         [UPDATE_EXPECT=1 cargo test -p flambeau-assembler --test codes]: not to be changed here. *)\n",
    );
    for (table, names) in TABLES {
        let table = lower_case(table);
        let (first, rest) = table.split_at(1);
        writeln!(text, "\nmodule {}{rest} = struct", first.to_uppercase()).expect("a string");
        for (number, name) in names.iter().enumerate() {
            writeln!(text, "  let {} = {number}", lower_case(name)).expect("a string");
        }
        writeln!(text, "end").expect("a string");
    }
    text
}

#[test]
fn both_sides_have_the_same_numbers() {
    expect_file!["../../../ocaml/architecture/amd64/assembly_codes.ml"].assert_eq(&ocaml());
}
