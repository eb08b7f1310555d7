//! `cargo xtask walk`: does what a newcomer does. The commands of README.md and of the guide's first chapter are run as
//! they are written (the blocks marked `sh`), one after the other, in this checkout and with an empty home folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use xtask_support::{env, process, setup};

const LIMIT: Duration = Duration::from_secs(3600);

/// The documents, in the order in which they are read.
const DOCUMENTS: &[&str] = &["README.md", "docs/guide/src/getting-started.md"];

/// The options of `cargo xtask walk`.
#[derive(Args)]
pub struct Options {
    /// Begin with a copy of the last commit in which nothing was built
    #[arg(long)]
    from_scratch: bool,
}

/// Runs the commands.
///
/// # Errors
///
/// Fails if a command does, or if there are none.
pub fn run(options: &Options) -> Result<()> {
    setup::run()?;
    let work = tempfile::Builder::new().prefix("flambeau-walk-").tempdir()?;
    for document in DOCUMENTS {
        let place = work.path().join(document.replace('/', "-"));
        let home = place.join("home");
        fs::create_dir_all(&home)?;
        let checkout = if options.from_scratch { clone(&place.join("flambeau"))? } else { env::root() };
        let text = fs::read_to_string(env::root().join(document))
            .with_context(|| format!("cannot read {document}"))?;
        let script = commands(&text);
        if script.is_empty() {
            bail!("{document} has no commands");
        }
        println!("{document}: {} lines of commands", script.lines().count());
        let mut shell = shell(&script, &checkout, &home);
        if options.from_scratch {
            shell.env_remove("CARGO_TARGET_DIR");
        }
        let outcome = process::run(&mut shell, LIMIT)?;
        if !outcome.exit.is_success() {
            bail!("the commands of {document} fail:\n{}\n{}", outcome.out(), outcome.err());
        }
        print!("{}", outcome.out());
    }
    println!("All commands do what they should.");
    Ok(())
}

/// A copy of the last commit.
fn clone(folder: &Path) -> Result<PathBuf> {
    let mut command = Command::new("git");
    command.args(["clone", "--quiet", "--no-hardlinks"]).arg(env::root()).arg(folder);
    process::run(&mut command, LIMIT)?.expect_success("git clone")?;
    Ok(folder.to_owned())
}

/// The blocks that are marked `sh`.
fn commands(text: &str) -> String {
    let mut script = String::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => script.extend([line, "\n"]),
            _ => {}
        }
    }
    script
}

/// A shell that stops at the first command that fails, and says which it was.
fn shell(script: &str, folder: &Path, home: &Path) -> Command {
    let mut command = Command::new("bash");
    command.args(["-e", "-x", "-c", script]).current_dir(folder).env("HOME", home);
    for (name, value) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        // Rust is installed where the user's own home is.
        if std::env::var_os(name).is_none()
            && let Some(own) = std::env::var_os("HOME")
        {
            command.env(name, Path::new(&own).join(value));
        }
    }
    for name in ["FLAMBEAU_FLAGS", "FLAMBEAU", "OCAMLPARAM", "RUSTFLAGS"] {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_marked_blocks() {
        let text = "a\n\n```sh\none\n```\n\n    two\n\n```ocaml\nthree\n```\n```sh\nfour\n```\n";
        assert_eq!(commands(text), "one\nfour\n");
    }
}
