//! Linker's names as people know them.

/// Decodes bytes beyond ASCII, which are private characters in names (docs/formats.md), as UTF-8 if they are.
#[must_use]
pub fn decoded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        match u32::from(c) {
            n @ 0xE080..=0xE0FF => bytes.push((n & 0xFF) as u8),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What follows the prefix of OCaml's own names; nothing for names of C functions, which may begin alike
/// (`caml_equal`): units have capital letters.
fn of_ocaml(linkage_name: &str) -> Option<&str> {
    let is_of_c = |rest: &str| rest.starts_with(|c: char| c == '_' || c.is_ascii_lowercase());
    linkage_name.strip_prefix("caml").filter(|rest| !is_of_c(rest))
}

/// `camlStdlib__List__map_261` as `Stdlib.List.map`, if the separator is `__`: without the stamp, and without the
/// number of a copy. Names of C functions are as they are.
#[must_use]
pub fn readable(linkage_name: &str, separator: &str) -> String {
    let Some(rest) = of_ocaml(linkage_name) else { return linkage_name.to_owned() };
    match unit_and_name(rest, separator) {
        Some((unit, function)) if !unit.is_empty() && !function.is_empty() => {
            format!("{}.{function}", unit.replace("__", "."))
        }
        _ => rest.to_owned(),
    }
}

/// Splits a linker's name such as `Stdlib__List__map_261` into `Stdlib__List` and `map`. Names of units may contain
/// `__`, but no other separator; names of operators may contain anything, and others may end in `_`, before the stamp.
fn unit_and_name<'n>(rest: &'n str, separator: &str) -> Option<(&'n str, &'n str)> {
    if separator == "__" {
        return without_numbers(rest).rsplit_once(separator);
    }
    rest.split_once(separator).map(|(unit, name)| (unit, without_numbers(name)))
}

/// Whether a function is a copy of one in the source: it was specialised, or a functor was inlined.
#[must_use]
pub fn is_copy(linkage_name: &str) -> bool {
    without_suffix(linkage_name, "d").is_some()
}

/// The unit that a linker's name is of: `Stdlib.List` of `camlStdlib__List__map_261`.
#[must_use]
pub fn unit_of(linkage_name: &str, separator: &str) -> Option<String> {
    let (unit, _) = unit_and_name(of_ocaml(linkage_name)?, separator)?;
    (!unit.is_empty()).then(|| unit.replace("__", "."))
}

/// The unit of a module block: `Stdlib.List` of `camlStdlib__List`.
#[must_use]
pub fn unit_of_module(symbol: &str) -> Option<String> {
    of_ocaml(symbol).filter(|unit| !unit.is_empty()).map(|unit| unit.replace("__", "."))
}

/// A name without what the compiler appends: `_d3` for copies, then one stamp (`_81`, `_c4`).
fn without_numbers(name: &str) -> &str {
    let mut name = name;
    while let Some(shorter) = without_suffix(name, "d") {
        name = shorter;
    }
    without_suffix(name, "").or_else(|| without_suffix(name, "c")).unwrap_or(name)
}

fn without_suffix<'n>(name: &'n str, letter: &str) -> Option<&'n str> {
    let (before, after) = name.rsplit_once('_')?;
    let digits = after.strip_prefix(letter)?;
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (is_number && !before.is_empty()).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_the_compiler_appended() {
        for (linkage_name, expected) in [
            ("camlFoo__map_81", "Foo.map"),
            ("camlFoo__map_81_d12", "Foo.map"),
            ("camlFoo__map_81_d12_d14", "Foo.map"),
            ("camlFoo__fun_c4", "Foo.fun"),
            ("camlFoo__f_1_81", "Foo.f_1"),
            ("camlAst_helper__match__260", "Ast_helper.match_"),
            ("camlAst_helper__match__260_d3", "Ast_helper.match_"),
            ("camlFoo__+!_87", "Foo.+!"),
            ("camlStdlib__List__map_261", "Stdlib.List.map"),
            ("camlFoo", "Foo"),
            ("caml_compare", "caml_compare"),
            ("camlzip_inflate", "camlzip_inflate"),
            ("printf", "printf"),
            ("caml__x_1", "caml__x_1"),
        ] {
            assert_eq!(readable(linkage_name, "__"), expected, "{linkage_name}");
        }
        assert_eq!(unit_of("camlStdlib__List__map_261", "__").as_deref(), Some("Stdlib.List"));
        assert_eq!(unit_of("printf", "__"), None);
        for (linkage_name, expected) in [
            ("camlStdlib__List.map_261", "Stdlib.List.map"),
            ("camlFoo.+._87_d12", "Foo.+."),
            ("camlFoo__Bar", "Foo__Bar"),
        ] {
            assert_eq!(readable(linkage_name, "."), expected, "{linkage_name}");
        }
        assert_eq!(unit_of("camlStdlib__List.map_261", ".").as_deref(), Some("Stdlib.List"));
    }

    #[test]
    fn copies_have_a_letter() {
        assert!(is_copy("camlFoo__map_81_d12"));
        assert!(!is_copy("camlFoo__map_81") && !is_copy("camlFoo__d_12") && !is_copy("camlFoo__fun_c4"));
    }

    #[test]
    fn bytes_beyond_ascii_come_back() {
        assert_eq!(decoded("Foo.\u{E0C3}\u{E0A9}t"), "Foo.ét");
        assert_eq!(decoded("caf\u{E0E9}"), "caf\u{FFFD}", "Latin 1 is no UTF-8");
        assert_eq!(decoded("f"), "f");
    }
}
