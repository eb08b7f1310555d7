//! What loops allocate at run time: `tests/allocation`.

use std::path::Path;
use std::process::Command;

#[test]
fn loops_allocate_nothing() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/allocation/loops.ml");
    // Iterators of the standard library are inlined, so flambeau needs its library.
    let toolchain = tempfile::tempdir().expect("a temporary folder");
    let stdlib = Command::new(env!("CARGO_BIN_EXE_flambeau"))
        .arg("toolchain")
        .arg(toolchain.path())
        .output()
        .expect("flambeau runs");
    assert!(stdlib.status.success(), "{}", String::from_utf8_lossy(&stdlib.stderr));
    for level in ["-O2", "-O3"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = folder.path().join("loops.ml");
        std::fs::copy(&source, &copy).expect("the source can be copied");
        let output = Command::new(toolchain.path().join("bin/flambeau"))
            .args([level, "-flambeau-verify", "loops.ml", "-o", "loops"])
            .current_dir(folder.path())
            .output()
            .expect("flambeau runs");
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(folder.path().join("loops")).output().expect("the program runs");
        assert!(output.status.success());
        let printed = String::from_utf8(output.stdout).expect("text");
        let mut lines = 0;
        for line in printed.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, allocated, limit] = words[..] else { panic!("{level}: {line}") };
            let number = |text: &str| text.parse::<i64>().expect("a number");
            assert!(number(allocated) <= number(limit), "{level}: {name} allocates {allocated} words");
            lines += 1;
        }
        assert!(lines > 10, "{level}: {printed}");
    }
}
