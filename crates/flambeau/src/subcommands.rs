//! Commands of our own: words that can't be arguments of `ocamlopt`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use crate::{run, toolchain};

/// An optimising OCaml compiler. With the arguments of ocamlopt it is ocamlopt.
#[derive(Parser)]
#[command(name = "flambeau", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read, verify and print intermediate code
    Opt {
        /// A file of intermediate code (.fl)
        file: PathBuf,
    },
    /// Compile a program of one file and run it
    Run {
        /// The source (.ml)
        file: PathBuf,
        /// Arguments of the program
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Make a folder whose bin/, first on the PATH, makes dune, ocamlfind and make use flambeau
    Toolchain {
        /// The folder
        folder: PathBuf,
    },
}

/// The words that begin a command of ours.
const WORDS: &[&str] = &["opt", "run", "toolchain", "help"];

/// Whether the process was called with one of our commands. Under the name of ocamlopt it never is.
pub fn is_called() -> bool {
    let mut arguments = std::env::args_os();
    let name = arguments.next().map(PathBuf::from);
    let is_ocamlopt = name
        .as_deref()
        .and_then(|path| path.file_name()?.to_str())
        .is_some_and(|name| name.starts_with("ocamlopt"));
    !is_ocamlopt && arguments.next().is_some_and(|word| WORDS.iter().any(|w| word == *w))
}

/// Runs the command that the process was called with.
pub fn run() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Opt { file } => opt(&file).map(|()| ExitCode::SUCCESS),
        Command::Run { file, arguments } => run::run(&file, &arguments),
        Command::Toolchain { folder } => toolchain::make(&folder).map(|()| ExitCode::SUCCESS),
    };
    match result {
        Ok(status) => status,
        Err(error) => {
            eprintln!("flambeau: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Reads, verifies and prints intermediate code.
fn opt(file: &Path) -> Result<()> {
    let source = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let unit = flambeau_ir::parser::parse_unit(&source)
        .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    if let Err(errors) = flambeau_ir::verify::verify(&unit) {
        for error in &errors {
            eprintln!("{}: {error}", file.display());
        }
        anyhow::bail!("{} errors in {}", errors.len(), file.display());
    }
    print!("{}", flambeau_ir::printer::print_unit(&unit));
    Ok(())
}
