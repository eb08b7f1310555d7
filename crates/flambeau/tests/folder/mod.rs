//! A folder with sources, in which flambeau is run.

// Each test program uses what it needs of this.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder of its own for each test.
pub struct Folder(TempDir);

impl Folder {
    /// With these files.
    pub fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        for (name, contents) in files {
            let path = folder.path(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
            fs::write(path, contents).expect("a file can be written");
        }
        folder
    }

    /// Of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Whether there is a file of that name.
    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Runs a program with variables of the environment.
    pub fn command(&self, program: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .envs(variables.iter().copied())
            .current_dir(self.0.path())
            .output()
            .expect("the program runs")
    }

    /// Runs flambeau with variables of the environment.
    pub fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_flambeau"), variables, arguments)
    }

    /// Runs flambeau.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(&[], arguments)
    }

    /// Runs flambeau without descriptions of the standard library.
    pub fn flambeau(&self, arguments: &[&str]) -> Output {
        self.run_with(&[("FLAMBEAU_FLAGS", "-flambeau-no-library")], arguments)
    }

    /// A flambeau with descriptions of the standard library, as users have it.
    #[track_caller]
    pub fn tool(&self) -> String {
        check_status(&self.run(&["toolchain", "tools"]), 0);
        self.path("tools/bin/flambeau").to_str().expect("text").to_owned()
    }

    /// Compiles without descriptions of the standard library; gives the intermediate code of the last unit.
    #[track_caller]
    pub fn compile(&self, arguments: &[&str]) -> String {
        let output = self.flambeau(&[&["-flambeau-verify", "-dflambeau", "-c"], arguments].concat());
        check_status(&output, 0);
        text(&output.stderr)
    }

    /// Links, and gives what the program prints.
    #[track_caller]
    pub fn link_and_run(&self, arguments: &[&str]) -> String {
        let output = self.flambeau(&[arguments, &["-o", "program"]].concat());
        check_status(&output, 0);
        let output = self.command(self.path("program").to_str().expect("a name"), &[], &[]);
        check_status(&output, 0);
        text(&output.stdout)
    }
}

/// What a program printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Fails with what was printed if the status is another.
#[track_caller]
pub fn check_status(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// Fails unless all that was printed.
#[track_caller]
pub fn check_contains(haystack: &[u8], needles: &[&str]) {
    let haystack = text(haystack);
    for needle in needles {
        assert!(haystack.contains(needle), "{needle:?} is not in:\n{haystack}");
    }
}
