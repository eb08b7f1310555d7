//! Each `tests/fl/ir/*.fl` is a unit, a line `===>`, and what comes of it: the unit as the printer writes it,
//! or the errors of the verifier or the parser. `UPDATE_EXPECT=1` writes what came into the files.

use std::path::Path;

use flambeau_ir::{alpha, parser, printer, verify};

const MARK: &str = "===>\n";

#[test]
fn fl_files_are_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fl/ir");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("tests/fl/ir exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "fl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no tests in {}", folder.display());
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a readable file");
        let (input, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let outcome = outcome(input);
        if update {
            std::fs::write(file, format!("{input}{MARK}{outcome}")).expect("a writable file");
        } else if outcome != expected {
            failures.push(format!("{}:\n{outcome}", file.display()));
        }
    }
    assert!(failures.is_empty(), "differences (UPDATE_EXPECT=1 accepts):\n{}", failures.join("\n"));
}

/// What comes of a unit. What is printed must read back as the same unit and print the same again.
fn outcome(input: &str) -> String {
    let unit = match parser::parse_unit(input) {
        Ok(unit) => unit,
        Err(error) => return format!("{error}\n"),
    };
    if let Err(errors) = verify::verify(&unit) {
        return errors.iter().map(|error| format!("{error}\n")).collect();
    }
    let printed = printer::print_unit(&unit);
    let again = match parser::parse_unit(&printed) {
        Ok(again) => again,
        Err(error) => panic!("what was printed does not parse: {error}\n{printed}"),
    };
    if let Err(difference) = alpha::compare(&unit, &again) {
        panic!("what was printed is another unit: {difference}\n{printed}");
    }
    assert_eq!(printed, printer::print_unit(&again), "printing is not stable");
    printed
}
