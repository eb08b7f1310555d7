//! `--check`: what got worse since the last record of the same machine.
//!
//! # When is a time worse?
//!
//! Times of two days can't be compared: the machine is another one each day (its clock, its neighbours). What can be
//! compared are *ratios to the stock compiler's programs, which alternated with ours within one run*: what slows
//! both down cancels out. So a program is slower if its ratio grew by more than the noise in it:
//!
//! - each of the four times in the two ratios is the fastest of several runs, with the error
//!   [`noise`](crate::stats::noise): how far the median lies above it;
//! - errors of independent factors add up by their squares; twice that sum is the limit, and never less than
//!   [`LEAST_TIME`], because the address of a loop alone moves a time that far.
//!
//! What is beyond the limit is only a suspicion: those programs are run again, and count if they are still beyond
//! it with the old and new times together. One bad minute then can't look like a regression.
//!
//! What is the same in each run (words, instructions, text) is compared itself, and need only be worse by
//! [`LEAST_EXACT`], below which nobody wants to hear of it. Compilations are too short to be compared one by
//! one: their sum is, by the rule for times.

use std::fmt;

use super::compilers::Maker;
use super::record::{Entry, Figures, Metric, Record};

/// Run times that differ by less are equal, whatever the noise is.
const LEAST_TIME: f64 = 0.03;
/// Sums of compile times that differ by less are equal.
const LEAST_COMPILE: f64 = 0.05;
/// Figures without noise that differ by less are equal.
const LEAST_EXACT: f64 = 0.01;
/// How many times its error a difference must be.
const ERRORS: f64 = 2.0;

/// The name of what is compared over all programs.
pub const ALL: &str = "all programs";

/// Something that got worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// The program, or [`ALL`].
    pub program: String,
    pub column: String,
    pub metric: Metric,
    /// By which factor.
    pub factor: f64,
    /// The factor that would have been noise.
    pub limit: f64,
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Regression { program, column, metric, factor, limit } = self;
        let percent = |factor: f64| (factor - 1.0) * 100.0;
        write!(
            f,
            "{program} by {column}: {} {:+.1} % (noise: {:.1} %)",
            metric.title(),
            percent(*factor),
            percent(*limit)
        )
    }
}

/// What a check found.
#[derive(Debug, Default)]
pub struct Verdict {
    pub regressions: Vec<Regression>,
    /// How many pairs of a program and a column had figures to be compared with.
    pub compared: usize,
}

/// A column's figures of one program and those of the stock compiler beside them, in two records.
struct Pair<'a> {
    now: [&'a Figures; 2],
    before: [&'a Figures; 2],
}

/// Compares a record with the last figures of the same thing in the history, which is oldest first.
pub fn compare(record: &Record, history: &[Record]) -> Verdict {
    let mut verdict = Verdict::default();
    for (index, column) in record.columns.iter().enumerate() {
        if column.maker != Maker::Flambeau {
            continue;
        }
        let mut pairs = Vec::new();
        for entry in record.entries() {
            let Some(pair) = pair(record, entry, index, history) else { continue };
            let mut found = |metric, (factor, limit): (f64, f64)| {
                if factor > limit {
                    let (program, column) = (entry.name.clone(), column.name.clone());
                    verdict.regressions.push(Regression { program, column, metric, factor, limit });
                }
            };
            if let Some(change) = pair.time(Metric::Time, LEAST_TIME) {
                found(Metric::Time, change);
            }
            for metric in [Metric::Words, Metric::Instructions, Metric::Text] {
                if let Some(change) = pair.exact(metric) {
                    found(metric, change);
                }
            }
            pairs.push(pair);
        }
        verdict.compared += pairs.len();
        if let Some((factor, limit)) = compile_time(&pairs).filter(|(factor, limit)| factor > limit) {
            verdict.regressions.push(Regression {
                program: ALL.into(),
                column: column.name.clone(),
                metric: Metric::Compile,
                factor,
                limit,
            });
        }
    }
    verdict
}

/// The figures now, and the last ones of the same program by the same two compilers.
fn pair<'a>(record: &'a Record, entry: &'a Entry, column: usize, history: &'a [Record]) -> Option<Pair<'a>> {
    let good = |figures: Option<&'a Figures>| figures.filter(|figures| figures.failure.is_none());
    let now = [good(entry.figures(column))?, good(entry.figures(0))?];
    let name = |record: &'a Record, column: usize| record.columns[column].name.as_str();
    let before = history.iter().rev().find_map(|old| {
        let same = old.ocaml == record.ocaml && name(old, 0) == name(record, 0);
        let column_of_old = old.columns.iter().position(|found| found.name == name(record, column))?;
        let entry = old.entries().find(|found| found.name == entry.name)?;
        let figures = [good(entry.figures(column_of_old))?, good(entry.figures(0))?];
        same.then_some(figures)
    })?;
    Some(Pair { now, before })
}

impl Pair<'_> {
    /// The factor by which a ratio of times grew, and the limit of noise.
    fn time(&self, metric: Metric, least: f64) -> Option<(f64, f64)> {
        let ratio = |[ours, stock]: [&Figures; 2]| Some(metric.of(ours)? / metric.of(stock)?);
        let factor = ratio(self.now)? / ratio(self.before)?;
        let errors = self.now.iter().chain(&self.before).map(|figures| metric.noise(figures));
        Some((factor, limit(errors, least)))
    }

    /// The factor by which a figure without noise grew, and what is too little to be recognised.
    fn exact(&self, metric: Metric) -> Option<(f64, f64)> {
        let factor = metric.quotient(metric.of(self.now[0])?, metric.of(self.before[0])?);
        Some((factor, 1.0 + LEAST_EXACT))
    }
}

/// One plus the error of a product of factors with these errors.
fn limit(errors: impl Iterator<Item = f64>, least: f64) -> f64 {
    1.0 + (ERRORS * errors.map(|error| error * error).sum::<f64>().sqrt()).max(least)
}

/// The factor by which the ratio of the sums of compile times grew, and the limit of noise. The noise of
/// compilations that alternated may have one cause: within a sum, errors are added as they are.
fn compile_time(pairs: &[Pair<'_>]) -> Option<(f64, f64)> {
    let sum = |figures: &dyn Fn(&Pair<'_>) -> Figures| {
        let (mut time, mut error) = (0.0, 0.0);
        for pair in pairs {
            let figures = figures(pair);
            let least = Metric::Compile.of(&figures)?;
            time += least;
            error += least * Metric::Compile.noise(&figures);
        }
        (time > 0.0).then(|| (time, error / time))
    };
    let now = [sum(&|pair| pair.now[0].clone())?, sum(&|pair| pair.now[1].clone())?];
    let before = [sum(&|pair| pair.before[0].clone())?, sum(&|pair| pair.before[1].clone())?];
    let factor = (now[0].0 / now[1].0) / (before[0].0 / before[1].0);
    Some((factor, limit(now.iter().chain(&before).map(|(_, error)| *error), LEAST_COMPILE)))
}

/// Adds the times of more runs of the same programs.
pub fn add_runs(entries: &mut [Entry], more: Vec<Entry>) {
    for new in more {
        let Some(entry) = entries.iter_mut().find(|entry| entry.name == new.name) else { continue };
        for (figures, new) in entry.figures.iter_mut().zip(new.figures) {
            if let (Some(figures), Some(new)) = (figures, new) {
                figures.seconds.extend(new.seconds);
                figures.compile.extend(new.compile);
                figures.middle.extend(new.middle);
                figures.failure = figures.failure.take().or(new.failure);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::sample;
    use super::*;

    fn record(stock: f64, ours: f64) -> Record {
        sample(&[("p", "g", [Some(stock), None, Some(ours), None])])
    }

    fn ours(record: &mut Record) -> &mut Figures {
        record.programs[0].figures[2].as_mut().expect("the sample has this column")
    }

    fn names(verdict: &Verdict) -> Vec<(&str, Metric)> {
        verdict.regressions.iter().map(|found| (found.program.as_str(), found.metric)).collect()
    }

    #[test]
    fn a_slower_machine_is_no_regression() {
        let mut now = record(2.0, 1.0);
        let before = record(1.0, 0.5);
        ours(&mut now).words = ours(&mut before.clone()).words;
        assert_eq!(names(&compare(&now, &[before])), []);
    }

    #[test]
    fn a_slower_program_is_one() {
        let mut now = record(1.0, 0.6);
        ours(&mut now).words = Some(5e7);
        let verdict = compare(&now, &[record(1.0, 0.5)]);
        assert_eq!(names(&verdict), [("p", Metric::Time)]);
        assert!((verdict.regressions[0].factor - 1.2).abs() < 1e-9);
        assert_eq!(verdict.regressions[0].to_string(), "p by flambeau: run time +20.0 % (noise: 4.0 %)");
        // With times so far apart, nothing can be concluded.
        ours(&mut now).seconds = vec![0.6, 0.7, 0.8];
        assert_eq!(names(&compare(&now, &[record(1.0, 0.5)])), []);
    }

    #[test]
    fn more_runs_may_clear_a_suspicion() {
        let mut now = record(1.0, 0.6);
        ours(&mut now).words = Some(5e7);
        add_runs(&mut now.programs, record(1.0, 0.5).programs);
        assert_eq!(ours(&mut now).seconds.len(), 6);
        assert_eq!(names(&compare(&now, &[record(1.0, 0.5)])), []);
    }

    #[test]
    fn figures_without_noise_are_compared_themselves() {
        let mut now = record(1.0, 0.5);
        ours(&mut now).text = Some(1020.0);
        assert_eq!(names(&compare(&now, &[record(1.0, 0.5)])), [("p", Metric::Text)]);
        ours(&mut now).text = Some(1009.0);
        assert_eq!(names(&compare(&now, &[record(1.0, 0.5)])), []);
    }

    #[test]
    fn compile_times_are_compared_in_sum() {
        let mut now = record(1.0, 0.5);
        ours(&mut now).compile = vec![0.15, 0.15];
        assert_eq!(names(&compare(&now, &[record(1.0, 0.5)])), [(ALL, Metric::Compile)]);
        ours(&mut now).compile = vec![0.104, 0.104];
        assert_eq!(names(&compare(&now, &[record(1.0, 0.5)])), []);
    }

    #[test]
    fn the_last_figures_of_the_same_compilers_count() {
        let now = record(1.0, 0.5);
        let mut other = record(1.0, 0.1);
        other.columns[2].name = "flambeau -O3".into();
        let mut failed = record(1.0, 0.1);
        ours(&mut failed).failure = Some("no".into());
        let history = [record(1.0, 0.1), record(1.0, 0.5), other.clone(), failed];
        let verdict = compare(&now, &history);
        assert_eq!((names(&verdict), verdict.compared), (vec![], 1));
        assert_eq!(compare(&now, &[other]).compared, 0);
    }
}
