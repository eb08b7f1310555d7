//! Files of `tests/fl`: what a test is given, a line `===>`, and what comes of it, which `UPDATE_EXPECT=1` writes.

use std::path::{Path, PathBuf};

/// The line before what comes of it.
pub const MARK: &str = "===>\n";

/// A folder of `tests/fl`.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fl").join(name)
}

/// Compares what comes of each file of a folder with what it says, or writes that into it. What differs is returned.
pub fn differences(name: &str, outcome: impl Fn(&str) -> Result<String, String>) -> Vec<String> {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let folder = folder(name);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no tests in {}", folder.display());
    let mut differences = Vec::new();
    for file in &files {
        assert!(file.extension().is_some_and(|e| e == "fl"), "nobody reads {}", file.display());
        let text = std::fs::read_to_string(file).expect("a readable file");
        let (input, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        match outcome(input) {
            Err(error) => differences.push(format!("{}: {error}", file.display())),
            Ok(outcome) if outcome == expected => {}
            Ok(outcome) if update => {
                std::fs::write(file, format!("{input}{MARK}{outcome}")).expect("a writable file");
            }
            Ok(outcome) => differences.push(format!("{}:\n{outcome}", file.display())),
        }
    }
    differences
}

/// Fails with what differs, if anything does.
pub fn accept(differences: &[String]) {
    assert!(differences.is_empty(), "differences (UPDATE_EXPECT=1 accepts):\n{}", differences.join("\n"));
}
