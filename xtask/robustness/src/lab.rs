//! A fresh folder with both compilers at hand.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use xtask_support::checks::diff;
use xtask_support::env::{self, Stock};
use xtask_support::process::{self, Exit, Outcome};
use xtask_support::shell;

/// Long enough for any small compilation on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Which compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The stock `ocamlopt`.
    Stock,
    /// The compiler under test.
    Flambeau,
}

/// Both orders of the two compilers, for what mixes them.
pub const BOTH_ORDERS: [(By, By); 2] = [(By::Flambeau, By::Stock), (By::Stock, By::Flambeau)];

/// A folder to work in, and the compilers.
pub struct Lab {
    folder: TempDir,
    /// The stock compilers.
    pub stock: Stock,
    /// The compiler under test.
    pub flambeau: PathBuf,
}

impl Lab {
    /// A laboratory with an empty folder.
    pub fn new(stock: &Stock, flambeau: &Path) -> Result<Lab> {
        Ok(Lab {
            folder: tempfile::Builder::new().prefix("flambeau-robustness-").tempdir()?,
            stock: stock.clone(),
            flambeau: flambeau.to_path_buf(),
        })
    }

    /// Another one, for a check that compiles the same files again.
    pub fn another(&self) -> Result<Lab> {
        Lab::new(&self.stock, &self.flambeau)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let file = self.file(name);
        fs::write(&file, content).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        let file = self.file(name);
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    }

    /// Copies files of `tests/robustness` into the folder.
    pub fn take(&self, names: &[&str]) -> Result<()> {
        for name in names {
            let source = env::root().join("tests/robustness").join(name);
            fs::copy(&source, self.file(name))
                .with_context(|| format!("cannot copy {}", source.display()))?;
        }
        Ok(())
    }

    /// Whether a file is there.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }

    /// The path of a compiler.
    pub fn compiler(&self, by: By) -> &Path {
        match by {
            By::Stock => &self.stock.ocamlopt,
            By::Flambeau => &self.flambeau,
        }
    }

    /// A command that runs in the folder. Its temporary files go to a folder of the laboratory's.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        shell::clean(&mut command).current_dir(self.folder());
        command
    }

    /// Runs a compiler, whatever comes of it.
    pub fn try_compile(&self, by: By, arguments: &[&str]) -> Result<Outcome> {
        process::run(self.command(self.compiler(by)).args(arguments), LIMIT)
    }

    /// Runs a compiler that must succeed.
    pub fn compile(&self, by: By, arguments: &[&str]) -> Result<Outcome> {
        self.try_compile(by, arguments)?.expect_success(&format!("{by:?}: ocamlopt {}", arguments.join(" ")))
    }

    /// Runs another program that must succeed.
    pub fn tool(&self, program: &str, arguments: &[&str]) -> Result<Outcome> {
        process::run(self.command(program).args(arguments), LIMIT)?
            .expect_success(&format!("{program} {}", arguments.join(" ")))
    }

    /// Runs a program of the folder, which must succeed and print this.
    pub fn expect_output(&self, program: &str, expected: &str) -> Result<()> {
        let outcome = process::run(&mut self.command(self.file(program)), LIMIT)?.expect_success(program)?;
        if outcome.out() != expected {
            bail!("{}", diff(program, expected, &outcome.out()));
        }
        Ok(())
    }

    /// Runs the compiler under test, which must refuse: with an exit code (not a signal, not a crash of the
    /// compiler itself), with a text that names each of `names` and matches one of `causes`.
    pub fn expect_refusal(&self, arguments: &[&str], names: &[&str], causes: &[&str]) -> Result<Outcome> {
        let outcome = self.try_compile(By::Flambeau, arguments)?;
        refusal(&outcome, names, causes).with_context(|| format!("ocamlopt {}", arguments.join(" ")))?;
        Ok(outcome)
    }

    /// None of these files may be there.
    pub fn expect_absent(&self, names: &[&str]) -> Result<()> {
        for name in names {
            if self.has(name) {
                bail!("{name} was left behind");
            }
        }
        Ok(())
    }
}

/// Whether a compiler refused its input by an error that names one of the causes.
pub fn refusal(outcome: &Outcome, names: &[&str], causes: &[&str]) -> Result<()> {
    let text = outcome.err();
    match outcome.exit {
        Exit::Code(0) => bail!("accepted; it printed: {}", outcome.all_output()),
        Exit::Code(_) => {}
        Exit::Signal(_) | Exit::Timeout => bail!("ended by {}: {text}", outcome.exit),
    }
    let lower = text.to_lowercase();
    if lower.contains("panicked") || lower.contains("fatal error: exception") {
        bail!("refused by a crash, not by an error: {text}");
    }
    // OCaml breaks long lines where it likes.
    let flat = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in names {
        if !flat.contains(&name.to_lowercase()) {
            bail!("the error does not name {name}: {text}");
        }
    }
    if !causes.iter().any(|cause| flat.contains(&cause.to_lowercase())) {
        bail!("the error does not name the cause ({}): {text}", causes.join(" / "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(exit: Exit, stderr: &str) -> Outcome {
        Outcome { exit, stdout: vec![], stderr: stderr.into(), cpu: Duration::ZERO, memory: 0 }
    }

    #[test]
    fn a_refusal_has_a_code_a_name_and_a_cause() {
        let check = |exit, text: &str| refusal(&outcome(exit, text), &["a.cmx"], &["corrupt"]);
        assert!(check(Exit::Code(2), "Error: a.cmx is\n corrupt").is_ok());
        assert!(check(Exit::Code(0), "a.cmx corrupt").is_err());
        assert!(check(Exit::Signal(11), "a.cmx corrupt").is_err());
        assert!(check(Exit::Code(2), "b.cmx corrupt").is_err());
        assert!(check(Exit::Code(2), "a.cmx").is_err());
        assert!(check(Exit::Code(2), "Fatal error: exception a.cmx corrupt").is_err());
        assert!(check(Exit::Code(101), "thread panicked: a.cmx corrupt").is_err());
    }
}
