//! `cargo xtask corpus`: half a million lines of real code, each unit compiled at every level, beside stock's `.cmx`
//! and beside our own: nothing may be refused, and sizes, times and memory are counted beside stock's
//! (`docs/corpus.md`).

mod command;
mod measure;
mod ocaml;
mod outliers;
mod packages;
mod record;
mod replay;
mod report;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Args;
use regex::Regex;

use command::Unit;
use packages::{Origin, PACKAGES, Package, QUICK};
use record::Recorded;
use replay::{Replay, Replayed};
use report::{Failure, Report, UnitPair};
use settings::{BASES, Setting};
use xtask_support::checks::Tally;
use xtask_support::env::Stock;
use xtask_support::{apt, env, queue, setup};

/// The options of `cargo xtask corpus`.
#[derive(Args)]
pub struct Options {
    /// Only the packages whose name matches
    #[arg(long, value_name = "REGEX")]
    packages: Option<Regex>,
    /// Only these levels, separated by commas
    #[arg(long)]
    levels: Option<String>,
    /// Only a sample, for about so many minutes: of packages in an order of chance, each unit at one of the levels
    #[arg(long, value_name = "MINUTES")]
    sample: Option<u64>,
    /// The seed of the random choice of a sample [default: another one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// How many compilations at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
}

/// Compiles the corpus; whether nothing failed.
///
/// # Errors
///
/// Fails if the set-up fails, if a level is not known, or if the report cannot be written.
pub fn run(options: &Options) -> Result<bool> {
    setup::run()?;
    let levels = settings::chosen(options.levels.as_deref())?;
    let packages: Vec<&Package> = PACKAGES
        .iter()
        .filter(|package| options.packages.as_ref().is_none_or(|filter| filter.is_match(package.name)))
        .collect();
    let mut corpus = Corpus {
        stock: Stock::find()?,
        jobs: queue::workers(options.jobs),
        sample: options.sample.map(|minutes| Sample::new(minutes, options.seed)),
        report: Report::default(),
    };
    for package in corpus.in_order(packages) {
        if corpus.sample.as_ref().is_some_and(Sample::is_over) {
            break;
        }
        match record::recorded(package, &corpus.stock) {
            Ok(recorded) => corpus.package(package.name, &recorded, &levels)?,
            Err(error) => {
                println!("{}: left out: {error:#}", package.name);
                corpus.report.left_out.insert(package.name.to_owned(), format!("{error:#}"));
            }
        }
        // So that what was found is not lost with what is still to be done.
        corpus.report.write(&env::cache("corpus")?.join("report.json"))?;
    }
    corpus.report.print(&levels);
    Ok(corpus.report.failures.is_empty() && corpus.report.lines > 0)
}

/// The checks of a sample, for at most about so many minutes, that asks for nothing that is not installed but sources:
/// what cannot be had is left out, and the tally says so.
///
/// # Errors
///
/// Fails if the stock compiler is missing, or if a file of the results cannot be read or written.
pub fn checks(minutes: u64, jobs: usize) -> Result<Tally> {
    let levels = settings::chosen(None)?;
    let sample = Sample::new(minutes, None);
    let mut corpus = Corpus { stock: Stock::find()?, jobs, sample: Some(sample), report: Report::default() };
    for package in QUICK {
        let recorded = match package.origin {
            _ if corpus.sample.as_ref().is_some_and(Sample::is_over) => {
                Err(anyhow!("the time of the sample was over"))
            }
            Origin::Debian(_) if !apt::has_build_dependencies(package.name)? => {
                Err(anyhow!("what its build needs is not installed"))
            }
            _ => record::recorded(package, &corpus.stock),
        };
        match recorded {
            Ok(recorded) => corpus.package(package.name, &recorded, &levels)?,
            Err(error) => {
                corpus.report.left_out.insert(package.name.to_owned(), format!("{error:#}"));
            }
        }
    }
    Ok(corpus.report.tally())
}

/// A part of the corpus that is chosen by chance.
struct Sample {
    end: Instant,
    seed: u64,
}

impl Sample {
    fn new(minutes: u64, seed: Option<u64>) -> Sample {
        let now = || {
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs()
        };
        let seed = seed.unwrap_or_else(now);
        println!("a sample of {minutes} minutes; to repeat it: --sample {minutes} --seed {seed}");
        Sample { end: Instant::now() + Duration::from_secs(60 * minutes), seed }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// A number that follows from the seed and from `n`, and looks like chance (`SplitMix64`'s finaliser).
    fn chance(&self, n: usize) -> u64 {
        let mut z = self.seed.wrapping_add((n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Whether a unit is compiled at a level, of so many.
    fn has(&self, unit: usize, level: usize, levels: usize) -> bool {
        !self.is_over() && self.chance(unit) % levels as u64 == level as u64
    }
}

struct Corpus {
    stock: Stock,
    jobs: usize,
    sample: Option<Sample>,
    report: Report,
}

impl Corpus {
    /// The packages of a sample are in an order of chance.
    fn in_order(&self, packages: Vec<&'static Package>) -> Vec<&'static Package> {
        let mut numbered: Vec<_> = packages.into_iter().enumerate().collect();
        if let Some(sample) = &self.sample {
            numbered.sort_by_key(|(n, _)| sample.chance(*n));
        }
        numbered.into_iter().map(|(_, package)| package).collect()
    }

    /// Compiles the units of a package at all levels.
    fn package(&mut self, name: &str, recorded: &Recorded, levels: &[Setting]) -> Result<()> {
        println!("{name}: {} units", recorded.units.len());
        let settings: Vec<&Setting> = BASES.iter().chain(levels).collect();
        let outcomes =
            queue::map(self.jobs, name, &settings, |setting| self.replay(recorded, setting, levels));
        let outcomes: Vec<Vec<Option<Replayed>>> = outcomes.into_iter().collect::<Result<_>>()?;
        let (bases, outcomes) = outcomes.split_at(BASES.len());
        for (index, unit) in recorded.units.iter().enumerate() {
            let mut is_compiled = false;
            for (level, outcomes) in levels.iter().zip(outcomes) {
                let (Some(stock), Some(ours)) = (&bases[level.base()][index], &outcomes[index]) else {
                    continue;
                };
                match (stock, ours) {
                    (Err(_), _) => {}
                    (Ok(stock), Ok(ours)) => {
                        is_compiled = true;
                        self.report.add(UnitPair {
                            package: name.to_owned(),
                            unit: unit.source.clone(),
                            level: level.name.to_owned(),
                            ours: *ours,
                            stock: *stock,
                        });
                    }
                    (Ok(_), Err(failure)) => {
                        is_compiled = true;
                        println!("  {} at {}: {}", unit.source, level.name, failure.message);
                        self.report.failures.push(Failure {
                            package: name.to_owned(),
                            unit: unit.source.clone(),
                            level: level.name.to_owned(),
                            message: failure.message.clone(),
                            is_fallback: failure.is_fallback,
                            command: failure.command.clone(),
                        });
                    }
                }
            }
            if is_compiled {
                self.report.lines += lines_of(unit);
            } else if bases.iter().any(|outcomes| matches!(outcomes[index], Some(Err(_)))) {
                *self.report.not_repeated.entry(name.to_owned()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Compiles units with one setting; none of those that are not in the sample.
    fn replay(
        &self,
        recorded: &Recorded,
        setting: &Setting,
        levels: &[Setting],
    ) -> Result<Vec<Option<Replayed>>> {
        let is_wanted = |unit: usize| {
            let has = |level: usize| {
                self.sample.as_ref().is_none_or(|sample| sample.has(unit, level, levels.len()))
            };
            match BASES.iter().position(|base| base == setting) {
                Some(base) => (0..levels.len()).any(|level| levels[level].base() == base && has(level)),
                None => levels.iter().position(|level| level == setting).is_some_and(has),
            }
        };
        let mut replay = Replay::new(recorded, setting, &self.stock)?;
        let outcomes = (recorded.units.iter().enumerate())
            .map(|(index, unit)| if is_wanted(index) { replay.compile(unit).map(Some) } else { Ok(None) })
            .collect::<Result<_>>()?;
        replay.finish()?;
        Ok(outcomes)
    }
}

/// The lines of a unit's source.
fn lines_of(unit: &Unit) -> usize {
    let source: PathBuf = Path::new(&unit.folder).join(&unit.source);
    fs::read(source).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_each_unit_at_one_level_and_all_levels() {
        let sample = Sample { end: Instant::now() + Duration::from_secs(3600), seed: 7 };
        let mut at_level = [0; 5];
        for unit in 0..500 {
            let levels: Vec<usize> = (0..5).filter(|level| sample.has(unit, *level, 5)).collect();
            assert_eq!(levels.len(), 1, "unit {unit}");
            at_level[levels[0]] += 1;
        }
        assert!(at_level.iter().all(|count| *count > 50), "{at_level:?}");
    }

    #[test]
    fn a_seed_repeats_a_sample() {
        let sample = |seed| Sample { end: Instant::now(), seed };
        let of = |seed| (0..100).map(|n| sample(seed).chance(n)).collect::<Vec<_>>();
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(!sample(1).has(0, 0, 1), "its time is over");
    }
}
