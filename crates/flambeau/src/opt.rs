//! `flambeau opt FILE.fl`: reads, verifies, optimises and prints intermediate code.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;
use flambeau_ir::saved::Context as Saved;
use flambeau_ir::{Fuel, Rewrites, Unit, parser, printer, verify};
use flambeau_passes::schedule::{self, Step};
use flambeau_passes::{Conditions, PASSES, Pass};

use crate::runner::title_after;
use crate::saved;
use crate::settings::Settings;

/// The arguments of `flambeau opt`.
#[derive(Args)]
pub struct OptArguments {
    /// A file of intermediate code (.fl)
    #[arg(required_unless_present = "schedule")]
    file: Option<PathBuf>,
    /// Apply this pass; may be repeated, passes run in the order given
    #[arg(long = "pass", value_name = "NAME", value_parser = pass_names())]
    passes: Vec<String>,
    /// Apply all passes of this level, as a compilation does, after those given; of what -flambeau-save-ir wrote, all
    /// other settings are those of its compilation
    #[arg(short = 'O', value_name = "LEVEL")]
    level: Option<u32>,
    /// Leave this pass out of those of the level; may be repeated
    #[arg(long, value_name = "NAME", value_parser = pass_names())]
    skip: Vec<String>,
    /// Print the unit to the standard error each time that this pass has run; may be repeated
    #[arg(long, value_name = "NAME", value_parser = pass_names())]
    dump_after: Vec<String>,
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
    if arguments.schedule {
        print!("{}", schedule::print(Conditions::level(arguments.level.unwrap_or(1))));
        return Ok(());
    }
    let file = arguments.file.as_deref().unwrap_or(Path::new(""));
    let (unit, saved) = read(file)?;
    Run::new(&arguments, unit, saved).and_then(Run::passes).with_context(|| file.display().to_string())
}

/// What `--pass` may be.
fn pass_names() -> PossibleValuesParser {
    PASSES.iter().map(|pass| pass.name).collect::<Vec<_>>().into()
}

/// Reads and verifies a unit.
fn read(file: &Path) -> Result<(Unit, Saved)> {
    let source = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let (unit, saved) =
        parser::parse_saved(&source).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    if let Err(errors) = verify::verify(&unit) {
        for error in &errors {
            eprintln!("{}: {error}", file.display());
        }
        anyhow::bail!("{} errors in {}", errors.len(), file.display());
    }
    Ok((unit, saved))
}

/// The settings of a unit at a level: those that its compilation saved, but for the level.
fn settings(saved: &Saved, level: Option<u32>, skip: &[String]) -> Result<Settings> {
    let mut texts = saved.settings.clone();
    if let Some(level) = level {
        texts.retain(|(name, _)| name != "level");
        texts.push(("level".into(), level.to_string()));
    }
    texts.extend(skip.iter().map(|pass| ("skip".to_owned(), pass.clone())));
    Settings::read(&texts).map_err(anyhow::Error::msg)
}

/// Passes to be applied to a unit.
struct Run<'a> {
    arguments: &'a OptArguments,
    unit: Unit,
    steps: Vec<&'a Step>,
    rewrites: Rewrites,
    check: Option<flambeau_interp::Options>,
}

impl<'a> Run<'a> {
    fn new(arguments: &'a OptArguments, mut unit: Unit, saved: Saved) -> Result<Run<'a>> {
        let OptArguments { level, skip, fuel, rewrites, check_against_interp, .. } = arguments;
        let settings = settings(&saved, *level, skip)?;
        let fuel = fuel.map_or_else(Fuel::unlimited, Fuel::limited);
        let rewrites = Rewrites { trace: rewrites.then(Vec::new), ..settings.rewrites(fuel) };
        let steps = if level.is_some() { settings.steps() } else { Vec::new() };
        let options = flambeau_interp::Options { fuel: arguments.interp_fuel, ..Default::default() };
        saved::restore(&mut unit, saved).map_err(anyhow::Error::msg)?;
        Ok(Run { arguments, unit, steps, rewrites, check: check_against_interp.then_some(options) })
    }

    /// Applies the passes that are named, then those of the level, and prints what becomes of the unit.
    fn passes(mut self) -> Result<()> {
        if let Some(options) = &self.check {
            print_run("before all passes", &flambeau_interp::run(&self.unit, options));
        }
        let named =
            self.arguments.passes.iter().filter_map(|name| PASSES.iter().find(|pass| pass.name == *name));
        for pass in named {
            self.pass(pass, &format!("after {}", pass.name))?;
        }
        let steps = std::mem::take(&mut self.steps);
        for (done, step) in steps.iter().enumerate() {
            self.pass(&step.pass, &title_after(&steps, done))?;
        }
        print!("{}", printer::print_unit(&self.unit));
        Ok(())
    }

    /// Applies a pass, verifies the result and compares what it does. `title` is that of a dump.
    fn pass(&mut self, pass: &Pass, title: &str) -> Result<()> {
        let name = pass.name;
        let before = self.check.is_some().then(|| self.unit.clone());
        (pass.run)(&mut self.unit, &mut self.rewrites);
        for done in self.rewrites.trace.iter_mut().flat_map(std::mem::take) {
            eprintln!("{done}");
        }
        if self.arguments.dump_after.iter().any(|wanted| wanted == name) {
            eprintln!("// {title}\n{}", printer::print_unit(&self.unit));
        }
        if let Err(errors) = verify::verify(&self.unit) {
            anyhow::bail!("pass {name} made what is not well-formed: {}", errors[0]);
        }
        if let (Some(options), Some(before)) = (&self.check, before) {
            let verdict = flambeau_interp::check::compare(&before, &self.unit, options);
            match verdict.with_context(|| format!("pass {name}"))? {
                flambeau_interp::Verdict::Same(runs) => print_run(&format!("after {name}"), &runs.1),
                other => eprintln!("after {name}: not comparable, {other:?}"),
            }
        }
        Ok(())
    }
}

/// Prints what a run took, to the standard error.
fn print_run(when: &str, run: &flambeau_interp::Run) {
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
