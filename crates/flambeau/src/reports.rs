//! Reports of the inliner: the files of `-inlining-report`, and the command that shows them (features B12).

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use flambeau_ir::{Rewrites, Unit};
use flambeau_report::ranked::Filter;
use flambeau_report::remarks::Kind;
use flambeau_report::terminal::Palette;
use flambeau_report::{Build, Report, diff, html, json, org, ranked, sarif, sources, terminal};

use crate::perf;
use crate::settings::Settings;

/// The version of Flambeau that is recorded in reports.
const COMPILER: &str = concat!("flambeau ", env!("CARGO_PKG_VERSION"));

/// The files that `-inlining-report` asks for: what their names end in, and their contents; and prints the remarks that
/// `-flambeau-remarks` asks for. Takes the log.
///
/// # Errors
/// If the report can't be written as JSON.
pub fn of_unit(
    unit: &Unit,
    settings: &Settings,
    rewrites: &mut Rewrites,
) -> Result<Vec<(String, String)>, String> {
    let log = rewrites.decisions.take().unwrap_or_default();
    let source = settings.source.clone();
    let build = Build { compiler: COMPILER.into(), source, level: settings.level, arguments: arguments() };
    let trace = rewrites.trace.as_deref().unwrap_or_default();
    let mut report = Report::new(unit, build, log, rewrites.round, trace);
    sources::read(&mut report, Path::new("."));
    if !settings.remarks.is_empty() {
        let filter = Filter::of_kinds(&settings.remarks);
        eprint!("{}", ranked::lines(std::slice::from_ref(&report), &filter));
    }
    if !settings.report {
        return Ok(Vec::new());
    }
    let text = json::write(&report).map_err(|error| error.to_string())?;
    Ok(org::files(&report).chain([(json::SUFFIX.to_owned(), text)]).collect())
}

/// The arguments of this process, the flags of the environment, and the settings that it has for all compilers.
fn arguments() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let flags = std::env::var("FLAMBEAU_FLAGS").unwrap_or_default();
    let settings = std::env::var("OCAMLPARAM").ok().filter(|text| !text.is_empty());
    words
        .chain(flags.split_whitespace().map(str::to_owned))
        .chain(settings.map(|text| format!("OCAMLPARAM={text}")))
        .collect()
}

/// How a report is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// What costs most first, with causes and remedies
    #[default]
    Ranked,
    /// A line for each remark, as editors read them
    Lines,
    /// Each call and what was decided of it
    Tree,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// As data (docs/reports.md)
    Json,
    /// One page with the source, which needs no other file
    Html,
}

/// The arguments of `flambeau report`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ReportArguments {
    #[command(subcommand)]
    command: Option<ReportCommand>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// How many remarks are explained (ranked)
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Only of source files whose names contain this; may be repeated
    #[arg(long, value_name = "TEXT")]
    file: Vec<String>,
    /// Only in functions whose names contain this; may be repeated
    #[arg(long, value_name = "TEXT")]
    function: Vec<String>,
    /// Only of this kind (remains, missed, done) or name (boxing, closure, …); may be repeated
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Rank by where a program's time went: a file of `flambeau profile run`
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write it to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Files that -inlining-report wrote (.flambeau-report.json), or folders with such files anywhere below
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum ReportCommand {
    /// What is different between the reports of two builds
    Diff {
        /// The first build: a file or a folder
        first: PathBuf,
        /// The second one
        second: PathBuf,
        /// How it is shown
        #[arg(long, value_enum, default_value_t)]
        format: DiffFormat,
        /// Write it to this file
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// How a difference is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// For people
    #[default]
    Text,
    /// As data (docs/reports.md)
    Json,
    /// One page, what costs more or less first
    Html,
}

/// `flambeau report`.
///
/// # Errors
/// If a report can't be read, or the output can't be written.
pub fn run(arguments: ReportArguments) -> Result<()> {
    match arguments.command {
        Some(ReportCommand::Diff { first, second, format, output }) => {
            let differences = diff::diff(&load(&[first])?, &load(&[second])?);
            let text = match format {
                DiffFormat::Text => diff::render(&differences),
                DiffFormat::Json => diff::json(&differences).map_err(|error| anyhow::anyhow!("{error}"))?,
                DiffFormat::Html => html::render_diff(&differences),
            };
            put(output.as_deref(), &text)
        }
        None => show(&arguments),
    }
}

fn show(arguments: &ReportArguments) -> Result<()> {
    let mut reports = load(&arguments.files)?;
    let output = arguments.output.as_deref();
    let samples = arguments.profile.as_deref().map(perf::read).transpose()?;
    let measured = samples.map(|samples| samples.weigh(&mut reports));
    let text = match arguments.format {
        Format::Ranked => {
            ranked::render(&reports, &filter(arguments), measured.as_ref(), arguments.top, palette(output))
        }
        Format::Lines => ranked::lines(&reports, &filter(arguments)),
        Format::Sarif => sarif::render(&reports, &filter(arguments)),
        Format::Tree => terminal::render(&reports, palette(output)),
        Format::Html => html::render(&reports),
        Format::Json => json_of(&reports)?,
    };
    put(output, &text)
}

/// Which remarks are wanted. A word that is no kind is the name of an operation.
fn filter(arguments: &ReportArguments) -> Filter {
    let kind = |word: &String| Kind::ALL.into_iter().find(|kind| kind.name() == word);
    Filter {
        files: arguments.file.clone(),
        functions: arguments.function.clone(),
        kinds: arguments.kind.iter().filter_map(kind).collect(),
        names: arguments.kind.iter().filter(|word| kind(word).is_none()).cloned().collect(),
    }
}

/// One report is an object, several are an array.
fn json_of(reports: &[Report]) -> Result<String> {
    let texts: Result<Vec<String>> = reports
        .iter()
        .map(|report| json::write(report).map_err(|error| anyhow::anyhow!("{error}")))
        .collect();
    Ok(match texts?.as_slice() {
        [one] => one.clone(),
        several => format!("[\n{}]\n", several.join(",\n")),
    })
}

fn load(paths: &[PathBuf]) -> Result<Vec<Report>> {
    json::load(paths).map_err(|error| anyhow::anyhow!("{error}"))
}

/// Colours are for people who look, and have not said that they want none (<https://no-color.org>).
fn palette(output: Option<&Path>) -> Palette {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Palette { colours: output.is_none() && !unwanted && std::io::stdout().is_terminal() }
}

/// Writes to the file atomically, or to the standard output if there is no file.
fn put(output: Option<&Path>, text: &str) -> Result<()> {
    let Some(path) = output else {
        return std::io::stdout().write_all(text.as_bytes()).context("writing to the standard output");
    };
    // A pipe or a device can't be replaced by a file.
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()));
    }
    let Some(name) = path.file_name() else { bail!("{}: not the name of a file", path.display()) };
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The temporary file may not exist; the first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}
