//! `cargo xtask bench`: what stock `ocamlopt`, Flambda 1 and flambeau make of the same programs: how fast they
//! run, what they allocate, how large they are and what compiling them costs. `docs/bench.md` explains the figures.

#![allow(clippy::cast_precision_loss, reason = "figures are counts far below 2^52")]

mod callgrind;
mod check;
mod compilers;
mod corpus;
pub mod instructions;
mod large;
mod measure;
mod micro;
mod page;
mod plots;
mod projects;
mod recipes;
mod record;
mod scaling;
pub mod small_units;
mod stats;
mod summary;
mod table;
pub mod torture;
pub mod units;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use regex::Regex;
use serde::de::DeserializeOwned;

use self::check::Regression;
use self::compilers::Column;
use self::corpus::Program;
use self::record::{Machine, Metric, Record};
use xtask_support::env::{self, Stock};
use xtask_support::ocaml::flambda1;
use xtask_support::setup;

/// The options of `cargo xtask bench`.
#[derive(Args)]
pub struct Options {
    /// How often each program is compiled and run by each compiler
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Only the programs, small or large, or units of --torture, whose name matches
    #[arg(long, value_name = "REGEX")]
    programs: Option<Regex>,
    /// Flags for the stock compiler
    #[arg(long, value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    stock_flags: String,
    /// Flags for flambeau; each time that this is given, flambeau is measured with them [default: once, without any]
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    flambeau_flags: Vec<String>,
    /// Leave Flambda 1 out (its first use builds it, in some minutes)
    #[arg(long)]
    no_flambda1: bool,
    /// Measure flambeau also without its library: of the standard library nothing is inlined then
    #[arg(long, conflicts_with_all = ["torture", "units", "large", "scaling", "all", "page"])]
    no_library: bool,
    /// How compile times grow with the size of units, instead of the programs
    #[arg(long)]
    scaling: bool,
    /// Large programs, compiled by each compiler, instead of the small ones
    #[arg(long = "macro")]
    large: bool,
    /// Small functions, each measured for itself: none may allocate more than by the stock compiler
    #[arg(long, conflicts_with_all = ["torture", "units", "scaling", "large", "all", "check", "json", "page"])]
    micro: bool,
    /// With --micro or --macro: count instructions, by callgrind. No function of --micro may take more than 1.1 times
    /// the stock compiler's
    #[arg(long)]
    instructions: bool,
    /// Units that are hard on a compiler: none may take more than three times the stock compiler's time
    #[arg(long, conflicts_with_all = ["scaling", "large", "all", "check", "json"])]
    torture: bool,
    /// A project of 500 small units, a command each: it may take 1.3 times the stock compiler's time
    #[arg(long, conflicts_with_all = ["torture", "scaling", "large", "all", "check", "json"])]
    units: bool,
    /// Everything: the programs, --macro and --scaling
    #[arg(long)]
    all: bool,
    /// Compare with the last figures of this machine; a regression beyond noise is a failure, and not recorded
    #[arg(long)]
    check: bool,
    /// Measure nothing: make the page again from what was recorded on this machine
    #[arg(long, conflicts_with_all = ["scaling", "large", "all", "check", "json"])]
    page: bool,
    /// Write the figures to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures all that the options choose; whether every program did what it should.
///
/// # Errors
///
/// Fails if the options contradict each other, or if what the measurements need is missing.
pub fn run(options: &Options) -> Result<bool> {
    if options.runs == 0 {
        bail!("--runs 0 measures nothing");
    }
    if options.instructions && !(options.micro || options.large || options.all) {
        bail!("--instructions is for --micro and --macro");
    }
    if options.page {
        let history = record::history(&history_folder(), &Machine::this());
        let last = history.last().context("nothing was recorded on this machine")?;
        show(last, &history)?;
        return Ok(true);
    }
    setup::run()?;
    if options.torture {
        return torture::run(options.runs, options.programs.as_ref());
    }
    if options.units {
        return small_units::run(options.runs, &options.flambeau_flags);
    }
    let stock = Stock::find()?;
    if options.micro {
        let flambda1 = if options.no_flambda1 { None } else { flambda1::built(&stock)? };
        let columns =
            Column::all(&stock, &options.stock_flags, flambda1, &micro_flags(options), options.no_library)?;
        return micro::run(&columns, options.programs.as_ref(), options.instructions);
    }
    let flambda1 = if options.no_flambda1 { None } else { Some(flambda1::compiler(&stock)?) };
    let columns =
        Column::all(&stock, &options.stock_flags, flambda1, &options.flambeau_flags, options.no_library)?;
    let mut record = Record::new(columns, options.runs, &stock.version);
    let filter = options.programs.as_ref();
    let mut programs = Vec::new();
    if options.all || !(options.scaling || options.large) {
        programs = corpus::programs(&env::root().join("bench"), filter)?;
        record.programs = measure::measure(&programs, &record.columns, options.runs)?;
    }
    let mut above = Vec::new();
    if options.all || options.large {
        let measured = large::measure(&stock, &record.columns, options.runs, filter, options.instructions)?;
        (record.large, above) = (measured.entries, measured.above);
    }
    if options.all || options.scaling {
        record.scaling = scaling::measure(&record.columns)?;
    }
    if record.entries().next().is_none() && record.scaling.is_empty() {
        bail!("no program matches the filter: nothing was measured");
    }
    let mut regressions = Vec::new();
    if options.check {
        regressions = checked(&mut record, &programs)?;
    }
    print!("{}", table::print(&record));
    let failures = record.failures();
    for failure in &failures {
        println!("FAILED {failure}");
    }
    for line in &above {
        println!("ABOVE {line}");
    }
    for regression in &regressions {
        println!("WORSE {regression}");
    }
    keep(&record, options, regressions.is_empty())?;
    Ok(failures.is_empty() && regressions.is_empty() && above.is_empty())
}

/// The flags of flambeau's columns in `--micro`.
fn micro_flags(options: &Options) -> Vec<String> {
    if options.flambeau_flags.is_empty() {
        micro::FLAGS.map(str::to_owned).into()
    } else {
        options.flambeau_flags.clone()
    }
}

/// What got worse since the last record of this machine. Programs that seem slower are run again.
fn checked(record: &mut Record, programs: &[Program]) -> Result<Vec<Regression>> {
    let history = record::history(&history_folder(), &record.machine);
    let first = check::compare(record, &history);
    println!("compared with earlier figures: {}", first.compared);
    let suspects: Vec<Program> = programs
        .iter()
        .filter(|program| {
            first.regressions.iter().any(|found| {
                found.program == program.name && found.metric == Metric::Time || found.program == check::ALL
            })
        })
        .cloned()
        .collect();
    if !suspects.is_empty() {
        println!("running again what seems slower: {} programs", suspects.len());
        let more = measure::measure(&suspects, &record.columns, record.runs)?;
        check::add_runs(&mut record.programs, more);
    }
    Ok(check::compare(record, &history).regressions)
}

/// A table in a file.
fn read_toml<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    toml::from_str(&text).with_context(|| format!("cannot understand {}", file.display()))
}

fn history_folder() -> PathBuf {
    env::target().join("bench/history")
}

/// Writes a record to wherever it is kept. With figures that are worse the history stays as it is: they must not
/// become what the next ones are compared with.
fn keep(record: &Record, options: &Options, in_history: bool) -> Result<()> {
    if in_history {
        record::append(&history_folder(), record)?;
    }
    show(record, &record::history(&history_folder(), &record.machine))?;
    if let Some(file) = &options.json {
        fs::write(file, serde_json::to_string_pretty(record)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Writes the page of a record.
fn show(record: &Record, history: &[Record]) -> Result<()> {
    let page = env::target().join("bench/index.html");
    fs::create_dir_all(env::target().join("bench"))?;
    fs::write(&page, page::render(&record.completed(history), history))
        .with_context(|| format!("cannot write {}", page.display()))?;
    println!("{}", page.display());
    Ok(())
}
