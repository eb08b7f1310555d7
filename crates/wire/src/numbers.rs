//! OCaml's names for numbers that both sides write and read: made from Rust's tables, so that there is one list.

use std::fmt::Write;

/// Words of OCaml that are names of rows, too.
const KEYWORDS: &[&str] = &["and", "for", "function", "let", "mutable", "or", "type", "while"];

/// `MakeBlock` as `make_block`.
fn lower_case(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

fn value(name: &str) -> String {
    let name = lower_case(name);
    if KEYWORDS.contains(&name.as_str()) { name + "_" } else { name }
}

/// `OperandKind` or `operand_kind` as `Operand_kind`.
fn module(table: &str) -> String {
    let name = lower_case(table);
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

/// A file of OCaml: a module for each table, with a number for each of its rows, from 0 on. `sources` says where the
/// tables are, `package` and `test` which test writes the file.
#[must_use]
pub fn modules<'t>(
    what: &str,
    sources: &str,
    (package, test): (&str, &str),
    tables: impl IntoIterator<Item = (&'t str, &'t [&'t str])>,
) -> String {
    let mut text = format!(
        "(** The numbers by which {what} is written. Made from the tables in {sources} by\n    \
         [UPDATE_EXPECT=1 cargo test -p {package} --test {test}]: not to be changed here. *)\n"
    );
    for (table, names) in tables {
        let _ = writeln!(text, "\nmodule {} = struct", module(table));
        for (number, name) in names.iter().enumerate() {
            let _ = writeln!(text, "  let {} = {number}", value(name));
        }
        text.push_str("end\n");
    }
    text
}
