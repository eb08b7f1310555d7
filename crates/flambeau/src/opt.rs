//! `flambeau opt FILE.fl`: reads, verifies, optimises and prints intermediate code.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_ir::{Fuel, Rewrites};
use flambeau_passes::schedule::lifting_rounds;
use flambeau_passes::{Conditions, PASSES, Pass, schedule};

/// The arguments of `flambeau opt`.
#[derive(Args)]
pub struct OptArguments {
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
}

/// `flambeau opt`.
///
/// # Errors
/// When the file can't be read, or the unit is or becomes ill-formed, or a pass changes what it does.
pub fn run(arguments: OptArguments) -> Result<()> {
    let OptArguments { file, passes, level, fuel, rewrites, check_against_interp, interp_fuel, .. } =
        arguments;
    if arguments.schedule {
        print!("{}", flambeau_passes::schedule::print(Conditions::level(level.unwrap_or(1))));
        return Ok(());
    }
    let steps = level.map(|level| schedule(Conditions::level(level))).unwrap_or_default();
    let named = passes.iter().filter_map(|name| PASSES.iter().find(|pass| pass.name == *name));
    let passes: Vec<&Pass> = named.chain(steps.iter().map(|step| &step.pass)).collect();
    let check =
        check_against_interp.then(|| flambeau_interp::Options { fuel: interp_fuel, ..Default::default() });
    let rewrites = Rewrites {
        fuel: fuel.map_or_else(Fuel::unlimited, Fuel::limited),
        trace: rewrites.then(Vec::new),
        inlining: level.map(|level| Rounds::new(Choice::default(), level)).unwrap_or_default(),
        lifting_rounds: level.map(|_| lifting_rounds(&steps)),
        ..Rewrites::default()
    };
    opt(&file.unwrap_or_default(), &passes, rewrites, check.as_ref())
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
