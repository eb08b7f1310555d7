//! The subcommands of Flambeau: their names can't be arguments of `ocamlopt`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_ir::{Fuel, Rewrites};
use flambeau_passes::schedule::lifting_rounds;
use flambeau_passes::{Conditions, PASSES, Pass, schedule};

use crate::reports::ReportArguments;
use crate::{library, reports, run, toolchain};

/// An optimising OCaml compiler. With the arguments of ocamlopt it is ocamlopt.
#[derive(Parser)]
#[command(name = "flambeau", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read, verify, optimise and print intermediate code
    Opt {
        /// A file of intermediate code (.fl)
        #[arg(required_unless_present = "schedule")]
        file: Option<PathBuf>,
        /// Apply this pass; may be repeated, passes run in the order given
        #[arg(long = "pass", value_name = "NAME", value_parser = pass_names())]
        passes: Vec<String>,
        /// Apply all passes of this level, as a compilation does, after those given
        #[arg(short = 'O', value_name = "LEVEL")]
        level: Option<u32>,
        /// Show what a compilation of the level given with -O runs (1 without), and why; read no file
        #[arg(long)]
        schedule: bool,
        /// How many rewrites may happen in all
        #[arg(long, value_name = "N")]
        fuel: Option<u64>,
        /// Print each rewrite, with its number
        #[arg(long)]
        rewrites: bool,
        /// Run it before and after each pass, which must not change its behaviour; print what each run took
        #[arg(long)]
        check_against_interp: bool,
        /// How many steps a run may take
        #[arg(long, default_value_t = 10_000_000)]
        interp_fuel: u64,
    },
    /// Compile a program of one file and run it
    Run {
        /// The source (.ml)
        file: PathBuf,
        /// Arguments of the program
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Show what the inliner decided and what remains in each function, or how two builds differ
    Report(ReportArguments),
    /// Add to this executable what flambeau finds out about OCaml's standard library, so that its functions are inlined
    Stdlib {
        /// Find it out again even if it is there
        #[arg(long)]
        force: bool,
    },
    /// Make a folder whose bin/, first on the PATH, makes dune, ocamlfind and make use flambeau
    Toolchain {
        /// The folder
        folder: PathBuf,
    },
}

/// The names of the subcommands.
const NAMES: &[&str] = &["opt", "report", "run", "stdlib", "toolchain", "help"];

/// Whether the process was called with one of our commands. Under the name of ocamlopt it never is.
pub fn is_called() -> bool {
    let mut arguments = std::env::args_os();
    let name = arguments.next().map(PathBuf::from);
    let is_ocamlopt = name
        .as_deref()
        .and_then(|path| path.file_name()?.to_str())
        .is_some_and(|name| name.starts_with("ocamlopt"));
    !is_ocamlopt && arguments.next().is_some_and(|word| NAMES.iter().any(|name| word == *name))
}

/// Runs the command that the process was called with.
pub fn run() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Opt { schedule: true, level, .. } => {
            print!("{}", flambeau_passes::schedule::print(Conditions::level(level.unwrap_or(1))));
            Ok(ExitCode::SUCCESS)
        }
        Command::Opt { file, passes, level, fuel, rewrites, check_against_interp, interp_fuel, .. } => {
            let steps = level.map(|level| schedule(Conditions::level(level))).unwrap_or_default();
            let named = passes.iter().filter_map(|name| PASSES.iter().find(|pass| pass.name == *name));
            let passes: Vec<&Pass> = named.chain(steps.iter().map(|step| &step.pass)).collect();
            let check = check_against_interp
                .then(|| flambeau_interp::Options { fuel: interp_fuel, ..Default::default() });
            let rewrites = Rewrites {
                fuel: fuel.map_or_else(Fuel::unlimited, Fuel::limited),
                trace: rewrites.then(Vec::new),
                inlining: level.map(|level| Rounds::new(Choice::default(), level)).unwrap_or_default(),
                lifting_rounds: level.map(|_| lifting_rounds(&steps)),
                ..Rewrites::default()
            };
            opt(&file.unwrap_or_default(), &passes, rewrites, check.as_ref()).map(|()| ExitCode::SUCCESS)
        }
        Command::Run { file, arguments } => run::run(&file, &arguments),
        Command::Report(arguments) => reports::run(arguments).map(|()| ExitCode::SUCCESS),
        Command::Stdlib { force } => add_library(force).map(|()| ExitCode::SUCCESS),
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

/// Adds the library to the executable that is running.
fn add_library(afresh: bool) -> Result<()> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    library::install(&own, afresh)?;
    println!("The library is in {}", own.display());
    Ok(())
}

/// What `--pass` may be.
fn pass_names() -> PossibleValuesParser {
    PASSES.iter().map(|pass| pass.name).collect::<Vec<_>>().into()
}

/// Reads, verifies, optimises and prints intermediate code.
fn opt(
    file: &Path,
    passes: &[&Pass],
    mut rewrites: Rewrites,
    check: Option<&flambeau_interp::Options>,
) -> Result<()> {
    let source = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let mut unit = flambeau_ir::parser::parse_unit(&source)
        .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    if let Err(errors) = flambeau_ir::verify::verify(&unit) {
        for error in &errors {
            eprintln!("{}: {error}", file.display());
        }
        anyhow::bail!("{} errors in {}", errors.len(), file.display());
    }
    if let Some(options) = check {
        tell_run("before all passes", &flambeau_interp::run(&unit, options));
    }
    for pass in passes {
        let name = pass.name;
        let before = check.map(|options| (options, unit.clone()));
        (pass.run)(&mut unit, &mut rewrites);
        for done in rewrites.trace.iter_mut().flat_map(std::mem::take) {
            eprintln!("{done}");
        }
        if let Err(errors) = flambeau_ir::verify::verify(&unit) {
            anyhow::bail!("{}: pass {name} made what is not well-formed: {}", file.display(), errors[0]);
        }
        if let Some((options, before)) = before {
            let verdict = flambeau_interp::check::compare(&before, &unit, options);
            match verdict.with_context(|| format!("{}: pass {name}", file.display()))? {
                flambeau_interp::Verdict::Same(runs) => tell_run(&format!("after {name}"), &runs.1),
                other => eprintln!("after {name}: not comparable, {other:?}"),
            }
        }
    }
    print!("{}", flambeau_ir::printer::print_unit(&unit));
    Ok(())
}

/// Prints what a run took, to the standard error.
fn tell_run(when: &str, run: &flambeau_interp::Run) {
    let stats = &run.stats;
    eprintln!(
        "{when}: {:?}\n  {} steps, {} events, {} objects of {} words, {} direct and {} generic calls, {} raises, \
         stack of {} frames",
        run.stop,
        stats.steps,
        run.events.len(),
        stats.objects,
        stats.words,
        stats.direct_calls,
        stats.generic_calls,
        stats.raises,
        stats.depth,
    );
}
