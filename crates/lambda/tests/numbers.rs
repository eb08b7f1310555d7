//! The OCaml side's names of the numbers in a request: made from the tables of `numbers.rs` and `prim.rs`.

use std::fmt::Write;
use std::fs;

use flambeau_lambda::numbers::tables;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ocaml/front/lambda_numbers.ml");

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
    let wanted = ocaml();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(FILE, &wanted).expect("the file is written");
    }
    let found = fs::read_to_string(FILE).expect("the file is there");
    assert!(found == wanted, "{FILE} is not what the tables make (UPDATE_EXPECT=1 makes it)");
}
