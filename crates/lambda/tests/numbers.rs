//! The OCaml side's names of the numbers in a request: made from the tables of `numbers.rs` and `prim.rs`.

use std::fmt::Write;

use expect_test::expect_file;
use flambeau_lambda::numbers::tables;

const KEYWORDS: &[&str] = &["function", "let", "while", "for", "mutable"];

/// `MakeBlock` as `make_block`.
fn value(name: &str) -> String {
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
        "(** The numbers by which a request is written. Made from the tables in crates/lambda/src/numbers.rs and prim.rs by\n    \
         [UPDATE_EXPECT=1 cargo test -p flambeau-lambda --test numbers]: not to be changed here. *)\n",
    );
    for (table, names) in tables() {
        let (first, rest) = table.split_at(1);
        writeln!(text, "\nmodule {}{rest} = struct", first.to_uppercase()).expect("a string");
        for (number, name) in names.iter().enumerate() {
            writeln!(text, "  let {} = {number}", value(name)).expect("a string");
        }
        writeln!(text, "end").expect("a string");
    }
    text
}

#[test]
fn both_sides_have_the_same_numbers() {
    expect_file!["../../../ocaml/front/lambda_numbers.ml"].assert_eq(&ocaml());
}
