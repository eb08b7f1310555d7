//! The text of `.fl` files, damaged: every answer is right but a panic, or memory without bound.

use std::path::Path;

use flambeau_fuzzgen::damage;
use flambeau_ir::{parser, printer, verify};

/// The `.fl` files of the repository.
fn files() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fl");
    let mut files = vec![];
    for folder in ["ir", "convert"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder can be read");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|e| e == "fl"));
        files.extend(paths.iter().map(|path| std::fs::read(path).expect("the file can be read")));
    }
    // Long files take the time of many short ones.
    files.retain(|file| file.len() < 8000);
    files
}

#[test]
fn damaged_files_are_survived() {
    let valid = files();
    assert!(valid.len() > 5, "too few .fl files");
    let mut accepted = 0;
    damage::survive(3, &valid, 12_000, 64 << 20, |bytes| {
        match parser::parse_unit(&String::from_utf8_lossy(bytes)) {
            Ok(unit) => {
                accepted += 1;
                drop((printer::print_unit(&unit), verify::verify(&unit)));
            }
            Err(error) => drop(error.to_string()),
        }
    });
    assert!(accepted > 100, "only {accepted} were accepted");
}
