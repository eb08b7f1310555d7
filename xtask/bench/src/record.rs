//! What a run of the benchmarks found: the form in which it is kept, and the history of such records.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::compilers::{Column, Maker};
use super::scaling::Growth;
use super::stats;
use xtask_support::cache::Key;
use xtask_support::env;

/// Changes whenever the meaning of a figure does: records of another format are no measure for new ones.
const FORMAT: u32 = 1;

/// One run of `cargo xtask bench`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    format: u32,
    /// When it began, in seconds since 1970.
    pub time: u64,
    pub machine: Machine,
    /// The commit of this repository; a `+` says that files were changed since.
    pub commit: String,
    /// The version of OCaml.
    pub ocaml: String,
    /// How often each program was compiled and run.
    pub runs: usize,
    /// The compilers; the first is the stock one, to which all ratios are.
    pub columns: Vec<Column>,
    /// The programs of `bench/programs`.
    pub programs: Vec<Entry>,
    /// The large programs of `--macro`.
    #[serde(default)]
    pub large: Vec<Entry>,
    /// The generated units of `--scaling`.
    #[serde(default)]
    pub scaling: Vec<Growth>,
    /// Parts that were taken from earlier records.
    #[serde(skip)]
    pub taken: Vec<Taken>,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Programs,
    Large,
    Scaling,
}

/// A part of a record that is another record's.
#[derive(Clone, Debug)]
pub struct Taken {
    pub part: Part,
    /// When and of which commit it was measured.
    pub time: u64,
    pub commit: String,
}

/// What times can be compared on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub name: String,
    pub processor: String,
    pub cores: usize,
}

/// A program, and what each compiler made of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub group: String,
    /// One for each column; nothing where there is nothing to measure (no such program in C).
    pub figures: Vec<Option<Figures>>,
}

/// What was measured of one program by one compiler.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Processor time (user and system) of each run, in seconds.
    pub seconds: Vec<f64>,
    /// Words allocated: in the minor heap, and in the major one without being promoted.
    pub words: Option<f64>,
    /// Instructions in user mode, where the machine counts them.
    pub instructions: Option<f64>,
    /// Those of them that are OCaml code, without the runtime and libraries in C.
    #[serde(default)]
    pub ocaml: Option<f64>,
    /// Instructions of a run that does nothing.
    #[serde(default)]
    pub start: Option<f64>,
    /// Bytes of code in the program's own objects.
    pub text: Option<f64>,
    /// Bytes of initialised data: constants, closures, and the tables of frames.
    #[serde(default)]
    pub data: Option<f64>,
    /// Processor time of each compilation without linking, in seconds.
    pub compile: Vec<f64>,
    /// The part of it that was our middle-end, in seconds of the clock.
    pub middle: Vec<f64>,
    /// Peak memory of a compilation, in bytes.
    pub memory: Option<f64>,
    /// Why the figures are worth nothing: it did not compile, or printed something else than it should.
    pub failure: Option<String>,
}

/// A figure that compilers are compared by. Less is better in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Metric {
    Time,
    Words,
    Instructions,
    Ocaml,
    Start,
    Text,
    Data,
    Compile,
    Memory,
}

impl Metric {
    pub const ALL: [Metric; 9] = [
        Metric::Time,
        Metric::Words,
        Metric::Instructions,
        Metric::Ocaml,
        Metric::Start,
        Metric::Text,
        Metric::Data,
        Metric::Compile,
        Metric::Memory,
    ];

    /// Its name in full.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Time => "run time",
            Metric::Words => "allocation",
            Metric::Instructions => "instructions",
            Metric::Ocaml => "instructions of OCaml code",
            Metric::Start => "instructions to start",
            Metric::Text => "text size",
            Metric::Data => "data size",
            Metric::Compile => "compile time",
            Metric::Memory => "compiler memory",
        }
    }

    /// Its name in the head of a narrow column.
    pub fn short(self) -> &'static str {
        match self {
            Metric::Time => "time",
            Metric::Words => "alloc",
            Metric::Instructions => "instr",
            Metric::Ocaml => "ocaml",
            Metric::Start => "start",
            Metric::Text => "text",
            Metric::Data => "data",
            Metric::Compile => "comp",
            Metric::Memory => "mem",
        }
    }

    /// One figure in parts of another. Fewer than a million words, a few milliseconds' work for the memory manager,
    /// count as a million: the ratio of two things that don't matter must not move a mean.
    pub fn quotient(self, value: f64, base: f64) -> f64 {
        let least = if self == Metric::Words { 1e6 } else { f64::MIN_POSITIVE };
        value.max(least) / base.max(least)
    }

    /// The figure itself: of what was measured several times, the least.
    pub fn of(self, figures: &Figures) -> Option<f64> {
        if figures.failure.is_some() {
            return None;
        }
        match self {
            Metric::Time => stats::minimum(&figures.seconds),
            Metric::Words => figures.words,
            Metric::Instructions => figures.instructions,
            Metric::Ocaml => figures.ocaml,
            Metric::Start => figures.start,
            Metric::Text => figures.text,
            Metric::Data => figures.data,
            Metric::Compile => stats::minimum(&figures.compile),
            Metric::Memory => figures.memory,
        }
    }

    /// How far single measurements of it are apart, relatively; 0 for what is the same each time.
    pub fn noise(self, figures: &Figures) -> f64 {
        match self {
            Metric::Time => stats::noise(&figures.seconds),
            Metric::Compile => stats::noise(&figures.compile),
            Metric::Words
            | Metric::Instructions
            | Metric::Ocaml
            | Metric::Start
            | Metric::Text
            | Metric::Data
            | Metric::Memory => 0.0,
        }
    }
}

impl Entry {
    /// A column's figures.
    pub fn figures(&self, column: usize) -> Option<&Figures> {
        self.figures.get(column)?.as_ref()
    }

    /// A column's figure.
    pub fn value(&self, column: usize, metric: Metric) -> Option<f64> {
        metric.of(self.figures(column)?)
    }

    /// A column's figure in parts of another one's.
    pub fn ratio_to(&self, base: usize, column: usize, metric: Metric) -> Option<f64> {
        Some(metric.quotient(self.value(column, metric)?, self.value(base, metric)?))
    }

    /// A column's figure in parts of the stock compiler's.
    pub fn ratio(&self, column: usize, metric: Metric) -> Option<f64> {
        self.ratio_to(0, column, metric)
    }
}

impl Record {
    /// A record of this machine and moment, with no figures yet.
    pub fn new(columns: Vec<Column>, runs: usize, ocaml: &str) -> Record {
        Record {
            format: FORMAT,
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            machine: Machine::this(),
            commit: commit(),
            ocaml: ocaml.to_owned(),
            runs,
            columns,
            programs: Vec::new(),
            large: Vec::new(),
            scaling: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// A record for the page: what was not measured this time is taken from the last time that it was, by the same
    /// compilers.
    pub fn completed(&self, history: &[Record]) -> Record {
        let mut whole = self.clone();
        for old in history.iter().rev().filter(|old| old.columns == self.columns) {
            let mut taken = |part| {
                whole.taken.push(Taken { part, time: old.time, commit: old.commit.clone() });
            };
            if whole.programs.is_empty() && !old.programs.is_empty() {
                whole.programs.clone_from(&old.programs);
                taken(Part::Programs);
            }
            if whole.large.is_empty() && !old.large.is_empty() {
                whole.large.clone_from(&old.large);
                taken(Part::Large);
            }
            if whole.scaling.is_empty() && !old.scaling.is_empty() {
                whole.scaling.clone_from(&old.scaling);
                taken(Part::Scaling);
            }
        }
        whole
    }

    /// All programs, small and large.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.programs.iter().chain(&self.large)
    }

    /// The columns that make OCaml programs, beside the stock one.
    pub fn compared(&self) -> Vec<usize> {
        (1..self.columns.len()).filter(|column| self.columns[*column].maker != Maker::C).collect()
    }

    /// Gives the failures, each with the names of program and column.
    pub fn failures(&self) -> Vec<String> {
        let mut all = Vec::new();
        for entry in self.entries() {
            for (column, figures) in self.columns.iter().zip(&entry.figures) {
                if let Some(why) = figures.as_ref().and_then(|figures| figures.failure.as_ref()) {
                    all.push(format!("{} by {}: {why}", entry.name, column.name));
                }
            }
        }
        all
    }
}

impl Machine {
    /// The one we run on.
    pub fn this() -> Machine {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let described = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Machine {
            name: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            processor: processor_of(&described).unwrap_or("unknown").to_owned(),
            cores,
        }
    }

    /// The file with the history of this machine.
    fn history(&self, folder: &Path) -> PathBuf {
        let key = Key::new("machine").with(&self.name).with(&self.processor).with(self.cores.to_string());
        folder.join(format!("{}.jsonl", &key.name()[..16]))
    }
}

/// The processor's name, from `/proc/cpuinfo`.
fn processor_of(described: &str) -> Option<&str> {
    let line = described.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

fn commit() -> String {
    let git = |arguments: &[&str]| {
        env::line_of(Command::new("git").args(arguments).current_dir(env::root())).unwrap_or_default()
    };
    let changed = if git(&["status", "--porcelain", "--untracked-files=no"]).is_empty() { "" } else { "+" };
    format!("{}{changed}", git(&["rev-parse", "--short", "HEAD"]))
}

/// The records of a machine, oldest first. Lines that can't be understood are those of other versions of this
/// command, and left out.
pub fn history(folder: &Path, machine: &Machine) -> Vec<Record> {
    let text = fs::read_to_string(machine.history(folder)).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str::<Record>(line).ok())
        .filter(|record| record.format == FORMAT)
        .collect()
}

/// Adds a record to the history of its machine: one line.
pub fn append(folder: &Path, record: &Record) -> Result<()> {
    let file = record.machine.history(folder);
    let mut line = serde_json::to_string(record)?;
    line.push('\n');
    fs::create_dir_all(folder)
        .and_then(|()| OpenOptions::new().create(true).append(true).open(&file))
        .and_then(|mut history| history.write_all(line.as_bytes()))
        .with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A record with the given run times, by program and column; the columns are stock, flambda1, flambeau, C.
    pub fn sample(programs: &[(&str, &str, [Option<f64>; 4])]) -> Record {
        let columns = [
            ("stock", Maker::Stock),
            ("flambda1 -O3", Maker::Flambda1),
            ("flambeau", Maker::Flambeau),
            ("gcc -O2", Maker::C),
        ];
        let columns = columns.map(|(name, maker)| Column {
            name: name.into(),
            maker,
            compiler: PathBuf::from("cc"),
            flags: vec![],
            no_library: false,
        });
        let mut record = Record::new(columns.to_vec(), 3, "4.13.1");
        for (name, group, times) in programs {
            let figures = times.map(|time| {
                time.map(|time| Figures {
                    seconds: vec![time * 1.02, time, time * 1.01],
                    words: Some(time * 1e8),
                    text: Some(1000.0),
                    compile: vec![0.1, 0.11],
                    middle: vec![0.01],
                    memory: Some(3e7),
                    ..Figures::default()
                })
            });
            record.programs.push(Entry {
                name: (*name).into(),
                group: (*group).into(),
                figures: figures.to_vec(),
            });
        }
        record
    }

    #[test]
    fn what_does_not_matter_has_the_ratio_one() {
        let record = sample(&[("a", "g", [Some(1.0), None, Some(0.5), None])]);
        let mut entry = record.programs[0].clone();
        assert_eq!(entry.ratio(2, Metric::Time), Some(0.5));
        assert_eq!(entry.ratio(1, Metric::Time), None);
        for (column, words) in [(0, 5000.0), (2, 10.0)] {
            if let Some(figures) = &mut entry.figures[column] {
                figures.words = Some(words);
            }
        }
        assert_eq!(entry.ratio(2, Metric::Words), Some(1.0));
    }

    #[test]
    fn a_failure_has_no_figures() {
        let mut record = sample(&[("a", "g", [Some(1.0), None, Some(0.5), None])]);
        if let Some(figures) = &mut record.programs[0].figures[2] {
            figures.failure = Some("printed nothing".into());
        }
        assert_eq!(record.programs[0].value(2, Metric::Time), None);
        assert_eq!(record.failures(), ["a by flambeau: printed nothing"]);
    }

    #[test]
    fn the_history_is_read_back() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let record = sample(&[("a", "g", [Some(1.0), None, Some(0.5), None])]);
        append(folder.path(), &record)?;
        append(folder.path(), &record)?;
        let file = record.machine.history(folder.path());
        let mut text = fs::read_to_string(&file)?;
        text.push_str("{\"format\": 0}\nnothing\n");
        fs::write(&file, text)?;
        let read = history(folder.path(), &record.machine);
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].programs[0].value(2, Metric::Time), Some(0.5));
        let other = Machine { name: "other".into(), ..record.machine };
        assert!(history(folder.path(), &other).is_empty());
        Ok(())
    }

    #[test]
    fn what_was_not_measured_is_taken_from_before() {
        let old = sample(&[("a", "g", [Some(1.0), None, Some(0.5), None])]);
        let older = sample(&[("b", "g", [Some(1.0), None, Some(0.5), None])]);
        let mut other = old.clone();
        other.columns.pop();
        let names = |record: &Record| -> Vec<String> {
            record.programs.iter().map(|entry| entry.name.clone()).collect()
        };
        let whole = sample(&[]).completed(&[older, old.clone(), other]);
        assert_eq!(names(&whole), ["a"]);
        assert!(whole.taken.len() == 1 && whole.taken[0].part == Part::Programs);
        assert_eq!(names(&old.completed(&[whole])), ["a"]);
    }

    #[test]
    fn the_processor_is_named() {
        assert_eq!(processor_of("processor\t: 0\nmodel name\t: A B\n"), Some("A B"));
        assert_eq!(processor_of(""), None);
    }
}
