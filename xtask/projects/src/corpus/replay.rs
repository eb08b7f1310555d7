//! Compiling the recorded units of a package again, with one compiler and its flags.
//!
//! Where units are to find the `.cmx` of our own, they are compiled in a copy of the tree, where they replace what
//! stock made of them. Otherwise their results go to a folder of their own, and the tree stays as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::command::Unit;
use super::measure::Measure;
use super::record::Recorded;
use super::settings::{Library, Setting};
use xtask_support::env::{self, Stock};
use xtask_support::process::{self, Outcome};
use xtask_support::shell;

/// One compilation. Stock takes less than a minute for any unit of the corpus.
const LIMIT: Duration = Duration::from_secs(300);

/// A unit that was not compiled.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The first lines of what the compiler printed, or how it ended.
    pub message: String,
    /// What a user would have got: the unit compiled by the stock middle end.
    pub is_fallback: bool,
    /// What shows it again.
    pub command: String,
}

/// What came of a unit.
pub type Replayed = Result<Measure, Failure>;

/// Where units of a package are compiled with one setting.
pub struct Replay<'a> {
    setting: &'a Setting,
    compiler: PathBuf,
    /// The tree in which the build ran.
    tree: &'a Path,
    /// The one in which it is repeated.
    copy: PathBuf,
    /// For results that do not go into the tree.
    results: PathBuf,
    failed: bool,
}

impl<'a> Replay<'a> {
    /// Begins to compile the units of a package again.
    pub fn new(recorded: &'a Recorded, setting: &'a Setting, stock: &Stock) -> Result<Replay<'a>> {
        let name = setting.name.replace(['/', ' '], "-");
        let work = recorded.tree.parent().context("a tree without folder")?.join("replay").join(name);
        if work.exists() {
            fs::remove_dir_all(&work)?;
        }
        let results = work.join("results");
        fs::create_dir_all(&results)?;
        let mut copy = recorded.tree.clone();
        if setting.library == Library::Ours {
            copy = work.join("tree");
            let mut command = Command::new("cp");
            // What is written anew is removed first, so that files can be shared.
            command.arg("-al").arg(&recorded.tree).arg(&copy);
            process::run(&mut command, LIMIT)?.expect_success("copying a tree")?;
        }
        let compiler = if setting.is_stock { stock.ocamlopt.clone() } else { env::flambeau()? };
        Ok(Replay { setting, compiler, tree: &recorded.tree, copy, results, failed: false })
    }

    /// Compiles a unit.
    pub fn compile(&mut self, unit: &Unit) -> Result<Replayed> {
        let unit = self.moved(unit);
        let output = match self.setting.library {
            Library::Ours => unit.output.clone(),
            Library::Stock => {
                let name = Path::new(&unit.output).file_name().unwrap_or_default();
                self.results.join(name).to_string_lossy().into_owned()
            }
        };
        let written = Path::new(&unit.folder).join(&output);
        for end in ["o", "cmx"] {
            remove(&with_end(&written, end))?;
        }
        let outcome = self.run(&unit, &output)?;
        if self.setting.library == Library::Ours {
            // Where there is no `.mli` it is made anew, and flags that we left out may be in its digest.
            self.put_back(&written, &["cmi"])?;
        }
        if outcome.exit.is_success() {
            let measure = Measure::of_object(&with_end(&written, "o"))?;
            return Ok(Ok(Measure { seconds: outcome.cpu.as_secs_f64(), memory: outcome.memory, ..measure }));
        }
        self.failed = true;
        if self.setting.library == Library::Ours {
            self.put_back(&written, &["o", "cmx"])?;
        }
        Ok(Err(Failure {
            message: message(&outcome),
            is_fallback: outcome.err().contains("internal compiler error"),
            command: self.shown(&unit, &output),
        }))
    }

    /// The unit as it is in the copy of the tree.
    fn moved(&self, unit: &Unit) -> Unit {
        let (from, to) = (self.tree.to_string_lossy(), self.copy.to_string_lossy());
        let moved = |text: &String| text.replace(&*from, &to);
        Unit {
            folder: moved(&unit.folder),
            source: moved(&unit.source),
            output: moved(&unit.output),
            arguments: unit.arguments.iter().map(moved).collect(),
            is_named_otherwise: unit.is_named_otherwise,
        }
    }

    fn words(&self, unit: &Unit, output: &str) -> Vec<String> {
        let verified: &[&str] =
            if self.setting.is_stock { &[] } else { &["-flambeau-verify", "-flambeau-strict"] };
        unit.words(&[self.setting.flags, verified].concat(), &format!("{output}.cmx"))
    }

    fn run(&self, unit: &Unit, output: &str) -> Result<Outcome> {
        let mut command = Command::new(&self.compiler);
        shell::clean(&mut command)
            .args(self.words(unit, output))
            .current_dir(&unit.folder)
            .env_remove("FLAMBEAU_FLAGS");
        process::run(&mut command, LIMIT)
    }

    /// The command, for the shell.
    fn shown(&self, unit: &Unit, output: &str) -> String {
        let words: Vec<String> = self.words(unit, output).iter().map(|word| quoted(word)).collect();
        format!("cd {} && {} {}", quoted(&unit.folder), self.compiler.display(), words.join(" "))
    }

    /// Puts what the build made of a unit back, for those that need it.
    fn put_back(&self, written: &Path, ends: &[&str]) -> Result<()> {
        let Ok(below) = written.strip_prefix(&self.copy) else { return Ok(()) };
        for end in ends {
            let original = with_end(&self.tree.join(below), end);
            let copy = with_end(written, end);
            if original.exists() {
                remove(&copy)?;
                fs::hard_link(original, copy)?;
            } else if *end != "cmi" {
                remove(&copy)?;
            }
        }
        Ok(())
    }

    /// Removes what was made, unless a failure is to be looked at there.
    pub fn finish(self) -> Result<()> {
        if !self.failed
            && let Some(work) = self.results.parent()
        {
            fs::remove_dir_all(work)?;
        }
        Ok(())
    }
}

/// A path with another end; names may hold dots.
fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(".");
    text.push(end);
    PathBuf::from(text)
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

/// The message of a compilation that failed, for the report.
fn message(outcome: &Outcome) -> String {
    let printed = outcome.all_output();
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).take(4).collect();
    if lines.is_empty() {
        outcome.exit.to_string()
    } else {
        format!("{}: {}", outcome.exit, lines.join(" | "))
    }
}

/// A word of the shell.
fn quoted(word: &str) -> String {
    let is_plain =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_shell() {
        assert_eq!(quoted("-I"), "-I");
        assert_eq!(quoted("a b'c"), "'a b'\\''c'");
    }

    #[test]
    fn names_keep_their_dots() {
        assert_eq!(with_end(Path::new("a/x.pp"), "cmx"), Path::new("a/x.pp.cmx"));
    }
}
