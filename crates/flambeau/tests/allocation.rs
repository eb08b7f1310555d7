//! What loops allocate at run time: `tests/allocation`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Flambeau with its library: iterators of the standard library are inlined.
fn toolchain() -> tempfile::TempDir {
    let toolchain = tempfile::tempdir().expect("a temporary folder");
    let stdlib = Command::new(env!("CARGO_BIN_EXE_flambeau"))
        .arg("toolchain")
        .arg(toolchain.path())
        .output()
        .expect("flambeau runs");
    assert!(stdlib.status.success(), "{}", String::from_utf8_lossy(&stdlib.stderr));
    toolchain
}

/// Compiles sources of `tests/allocation` together, runs the program, and checks that what each line measures is within
/// its limit. Returns the number of lines.
fn check(toolchain: &Path, level: &str, sources: &[&str]) -> usize {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/allocation");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names: Vec<PathBuf> =
        sources.iter().filter_map(|source| Path::new(source).file_name()).map(PathBuf::from).collect();
    for (source, name) in sources.iter().zip(&names) {
        std::fs::copy(all.join(source), folder.path().join(name)).expect("the source can be copied");
    }
    let output = Command::new(toolchain.join("bin/flambeau"))
        .args([level, "-flambeau-verify"])
        .args(&names)
        .args(["-o", "program"])
        .current_dir(folder.path())
        .output()
        .expect("flambeau runs");
    assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(folder.path().join("program")).output().expect("the program runs");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");
    for line in printed.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, allocated, limit] = words[..] else { panic!("{level}: {line}") };
        let number = |text: &str| text.parse::<i64>().expect("a number");
        assert!(number(allocated) <= number(limit), "{level}: {name} allocates {allocated} words");
    }
    printed.lines().count()
}

#[test]
fn loops_allocate_nothing() {
    let toolchain = toolchain();
    for level in ["-O2", "-O3"] {
        let sources = ["measure.ml", "loops.ml", "functions.ml"];
        assert_eq!(check(toolchain.path(), level, &sources), 84, "{level}");
    }
    assert_eq!(check(toolchain.path(), "-O3", &["measure.ml", "generic.ml"]), 4);
}

#[test]
fn calls_of_other_units_allocate_nothing() {
    assert_eq!(check(toolchain().path(), "-O3", &["units/parts.ml", "units/main.ml"]), 6);
}
