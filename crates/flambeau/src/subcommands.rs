//! The subcommands of Flambeau: their names can't be arguments of `ocamlopt`.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser, Subcommand};

use crate::doctor::DoctorArguments;
use crate::init::InitArguments;
use crate::manual::Shell;
use crate::opt::OptArguments;
use crate::perf::ProfileArguments;
use crate::recompile::RecompileArguments;
use crate::reports::ReportArguments;
use crate::{doctor, init, library, manual, opt, perf, recompile, reports, run, toolchain};

/// What `flambeau -V` prints.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (OCaml ", env!("FLAMBEAU_OCAML_VERSION"), ")");

/// What a newcomer does, before all commands are listed.
const BEGINNING: &str = "\
Flambeau is an optimising ocamlopt: it takes all arguments of ocamlopt, and compiles what ocamlopt compiles.

To begin with:
  flambeau -o hello hello.ml       compile a program
  flambeau -O3 -o hello hello.ml   optimise it more
  flambeau run hello.ml            compile it and run it
  flambeau toolchain DIR           make a folder for the PATH, so that dune, ocamlfind and make use flambeau
  flambeau init                    let the dune project here be compiled by flambeau, optimised
  flambeau doctor                  say what keeps the project here from being fast, and what to do
  flambeau report FILES            say what costs most in a program compiled with -inlining-report, and what to change
  flambeau profile run PROGRAM     find out where its time goes, for flambeau report --profile";

/// What follows the list of commands.
const END: &str = "\
`flambeau -help` lists the flags of the compiler. FLAMBEAU_FLAGS holds flags for every compilation of a build.";

/// The command line of the subcommands.
#[derive(Parser)]
#[command(
    name = "flambeau",
    version = VERSION,
    help_template = "{before-help}{usage-heading} {usage}\n       flambeau FLAGS FILES\n\n{all-args}{after-help}",
    before_help = BEGINNING,
    after_help = END
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a program of one file and run it
    Run {
        /// Flags of the compiler, the source (.ml), and arguments of the program
        #[arg(
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "FLAGS FILE ARGUMENTS"
        )]
        words: Vec<OsString>,
    },
    /// Say what keeps a project or an installation from being optimised, and what to do about it
    Doctor(DoctorArguments),
    /// Write what a dune project needs to be compiled by flambeau, optimised
    Init(InitArguments),
    /// Show what costs most and why, what the inliner decided, or how two builds differ
    Report(ReportArguments),
    /// Find out where the time of a program goes
    Profile(ProfileArguments),
    /// Show which compiler made .cmx and .cmxa files, with which settings, and what they let others know
    Info {
        /// Descriptions of units (.cmx) and libraries (.cmxa)
        #[arg(required = true, value_name = "FILES")]
        files: Vec<PathBuf>,
    },
    /// Compile installed libraries once more, by flambeau, from the typed trees (.cmt) beside them
    Recompile(RecompileArguments),
    /// Make a folder whose bin/, first on the PATH, makes dune, ocamlfind, ocamlbuild and make use flambeau
    Toolchain {
        /// The folder
        folder: PathBuf,
    },
    /// Add to this executable what flambeau finds out about OCaml's standard library, so that its functions are inlined
    Stdlib {
        /// Find it out again even if it is there
        #[arg(long)]
        force: bool,
    },
    /// Print the manual page
    Man,
    /// Print what a shell needs to complete flambeau's commands and flags
    Completion {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Read, verify, optimise and print intermediate code
    Opt(OptArguments),
}

/// The command line, for those who describe it.
pub fn command_line() -> clap::Command {
    let mut command = Arguments::command();
    command.build();
    command
}

/// What the first word of the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum First {
    /// To be ocamlopt.
    Compiler,
    /// A command of ours, or help.
    Command,
    /// Nothing: ocamlopt does not know what to do with such a word either.
    Unknown(String),
}

/// What a process called by that path with that first word is to be. Under the name of ocamlopt it is nothing else.
fn first(
    program: &Path,
    word: Option<&OsString>,
    at_terminal: bool,
    is_there: impl Fn(&str) -> bool,
) -> First {
    let is_ocamlopt =
        program.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("ocamlopt"));
    let word = word.map(|word| word.to_str());
    match word {
        _ if is_ocamlopt => First::Compiler,
        // Without arguments ocamlopt does nothing, and says nothing: that helps nobody who has just typed the name.
        None => {
            if at_terminal {
                First::Command
            } else {
                First::Compiler
            }
        }
        Some(Some("-V" | "-h" | "help")) => First::Command,
        Some(Some(word)) if is_word(word) => match command_line().find_subcommand(word) {
            Some(_) => First::Command,
            None if is_there(word) => First::Compiler,
            None => First::Unknown(word.to_owned()),
        },
        Some(_) => First::Compiler,
    }
}

/// Whether it looks like the name of a command: it has no extension, by which ocamlopt knows what a file is.
fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// The command whose name is most like a word, if one is.
fn similar(word: &str) -> Option<String> {
    let commands = command_line();
    let names = commands.get_subcommands().map(|command| command.get_name());
    let likeness = names.map(|name| (strsim::jaro(word, name), name)).filter(|(likeness, _)| *likeness > 0.7);
    likeness.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name.to_owned())
}

/// Carries out a command of ours, if the process was called with one.
pub fn run_if_called() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let program = words.next().map(PathBuf::from).unwrap_or_default();
    let word = words.next();
    let at_terminal = std::io::stdout().is_terminal();
    match first(&program, word.as_ref(), at_terminal, |word| Path::new(word).exists()) {
        First::Compiler => None,
        First::Unknown(word) => {
            eprintln!("flambeau: don't know what to do with {word}");
            if let Some(name) = similar(&word) {
                eprintln!("Hint: Did you mean {name}?");
            }
            eprintln!("Usage: ocamlopt <options> <files>, or a command: `flambeau help` lists them.");
            Some(ExitCode::from(2))
        }
        First::Command if word.is_none() => {
            let _ = command_line().print_help();
            Some(ExitCode::SUCCESS)
        }
        First::Command => Some(match carry_out(Arguments::parse().command) {
            Ok(status) => status,
            Err(error) => {
                eprintln!("flambeau: {error:#}");
                ExitCode::from(2)
            }
        }),
    }
}

fn carry_out(command: Command) -> Result<ExitCode> {
    match command {
        Command::Run { words } => return run::run(&words),
        Command::Doctor(arguments) => return doctor::run(&arguments),
        Command::Profile(arguments) => return perf::run(&arguments),
        Command::Info { files } => return info(&files),
        Command::Init(arguments) => init::run(&arguments)?,
        Command::Opt(arguments) => opt::run(arguments)?,
        Command::Report(arguments) => reports::run(arguments)?,
        Command::Recompile(arguments) => recompile::run(&arguments)?,
        Command::Stdlib { force } => add_library(force)?,
        Command::Toolchain { folder } => toolchain::make(&folder)?,
        Command::Man => print!("{}", manual::page(&command_line(), &manual::flags()?)),
        Command::Completion { shell } => {
            print!("{}", manual::completion(shell, &command_line(), &manual::flags()?));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The OCaml side reads descriptions: it has the types of what is in them.
fn info(files: &[PathBuf]) -> Result<ExitCode> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    let status = Process::new(own).arg("-flambeau-info").args(files).env_remove("FLAMBEAU_FLAGS").status()?;
    Ok(ExitCode::from(if status.success() { 0 } else { 2 }))
}

/// Adds the library to the executable that is running.
fn add_library(afresh: bool) -> Result<()> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    library::install(&own, afresh)?;
    println!("The library is in {}", own.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(program: &str, word: &str) -> First {
        first(Path::new(program), Some(&word.into()), false, |word| word == "there")
    }

    #[test]
    fn the_first_word_says_what_the_process_is() {
        for word in ["-V", "-h", "help", "run", "doctor", "toolchain"] {
            assert_eq!(of("bin/flambeau", word), First::Command, "{word}");
        }
        for word in ["-O3", "x.ml", "-version", "-help", "there", "X", "./run", ""] {
            assert_eq!(of("bin/flambeau", word), First::Compiler, "{word}");
        }
        assert_eq!(of("flambeau", "tolchain"), First::Unknown("tolchain".into()));
        assert_eq!(of("/usr/bin/ocamlopt.opt", "run"), First::Compiler);
        assert_eq!(first(Path::new("flambeau"), None, true, |_| false), First::Command);
        assert_eq!(first(Path::new("flambeau"), None, false, |_| false), First::Compiler);
    }

    #[test]
    fn near_misses_have_a_suggestion() {
        for (word, name) in
            [("tolchain", "toolchain"), ("reports", "report"), ("docter", "doctor"), ("rum", "run")]
        {
            assert_eq!(similar(word).as_deref(), Some(name));
        }
        assert_eq!(similar("xyzzy"), None);
    }
}
