//! Conversion: each `tests/fl/convert/NAME.ml` is compiled with `-dflambeau`, and the intermediate language
//! printed is compared with `NAME.fl`. `UPDATE_EXPECT=1` writes what is printed.

use std::path::Path;
use std::process::Command;

#[test]
fn conversions_are_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fl/convert");
    let mut sources: Vec<_> = std::fs::read_dir(&folder)
        .expect("tests/fl/convert exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ml"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty(), "no tests in {}", folder.display());
    let mut failures = Vec::new();
    for source in &sources {
        let printed = dump(source);
        let expected_path = source.with_extension("fl");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&expected_path, &printed).expect("the expected file can be written");
            continue;
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if printed != expected {
            failures.push(format!("{}:\n{printed}", source.display()));
        }
    }
    assert!(failures.is_empty(), "differences (UPDATE_EXPECT=1 accepts):\n{}", failures.join("\n"));
}

/// What `-dflambeau -flambeau-verify` prints for a source, which must compile.
fn dump(source: &Path) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = source.file_name().expect("a file name");
    std::fs::copy(source, folder.path().join(name)).expect("the source can be copied");
    let output = Command::new(env!("CARGO_BIN_EXE_flambeau"))
        .args(["-c", "-w", "-a", "-flambeau-verify", "-dflambeau-raw"])
        .arg(name)
        .current_dir(folder.path())
        .output()
        .expect("flambeau runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {text}", source.display());
    text
}
