//! The OCaml side's names of what high-level Cmm is written with: generated from the tables of `codes.rs`.

use std::fmt::Write;

use expect_test::expect_file;
use flambeau_cmm::codes::TABLES;

/// `MakeBlock` as `Make_block`.
fn constructor(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            text.push('_');
            text.push(letter.to_ascii_lowercase());
        } else {
            text.push(letter);
        }
    }
    text
}

fn ocaml() -> String {
    let mut text = String::from(
        "(** The numbers by which high-level Cmm is written. Made from the tables in crates/cmm/src/codes.rs by\n    \
         [UPDATE_EXPECT=1 cargo test -p flambeau-cmm --test codes]: not to be changed here. *)\n\n\
         let unknown r what = Byte_reader.malformed r (\"no such \" ^ what)\n",
    );
    for (table, names) in TABLES {
        writeln!(text, "\ntype {table} =").expect("a string");
        for name in *names {
            writeln!(text, "  | {}", constructor(name)).expect("a string");
        }
        writeln!(text, "\nlet {table} r : {table} =\n  match Byte_reader.byte r with").expect("a string");
        for (number, name) in names.iter().enumerate() {
            writeln!(text, "  | {number} -> {}", constructor(name)).expect("a string");
        }
        writeln!(text, "  | _ -> unknown r \"{}\"", table.replace('_', " ")).expect("a string");
    }
    text
}

#[test]
fn both_sides_have_the_same_numbers() {
    expect_file!["../../../ocaml/back/cmm_codes.ml"].assert_eq(&ocaml());
}
