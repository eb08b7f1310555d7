//! The table of a corpus, and the same as data.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::measure::Measure;
use super::outliers;
use super::settings::{BASES, Setting};
use xtask_support::checks::Tally;

/// A unit that was not compiled.
#[derive(Serialize)]
pub struct Failure {
    /// Of the corpus.
    pub package: String,
    /// Its source.
    pub unit: String,
    /// The setting.
    pub level: String,
    /// What was printed.
    pub message: String,
    /// Stock's middle end would have compiled it.
    pub is_fallback: bool,
    /// What shows it again.
    pub command: String,
}

/// A setting on the units that it compiled, and its base on the same units.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Pair {
    /// Ours.
    pub ours: Measure,
    /// Stock.
    pub stock: Measure,
}

/// A setting on one unit, and its base on the same.
#[derive(Serialize)]
pub struct UnitPair {
    /// Of the corpus.
    pub package: String,
    /// Its source.
    pub unit: String,
    /// The setting.
    pub level: String,
    /// Ours.
    pub ours: Measure,
    /// Stock.
    pub stock: Measure,
}

/// What was found.
#[derive(Default, Serialize)]
pub struct Report {
    /// Lines of the units that were compiled.
    pub lines: usize,
    /// The measures of the units together, by package, then by level.
    pub packages: BTreeMap<String, BTreeMap<String, Pair>>,
    /// The measures of each unit.
    pub units: Vec<UnitPair>,
    /// Units that some level did not compile.
    pub failures: Vec<Failure>,
    /// Packages that could not be had or built, and why.
    pub left_out: BTreeMap<String, String>,
    /// Units that stock did not compile again, by package: what the build made for them is gone.
    pub not_repeated: BTreeMap<String, usize>,
}

impl Report {
    /// Enters what a setting made of a unit.
    pub fn add(&mut self, unit: UnitPair) {
        let pair =
            self.packages.entry(unit.package.clone()).or_default().entry(unit.level.clone()).or_default();
        pair.ours += unit.ours;
        pair.stock += unit.stock;
        self.units.push(unit);
    }

    /// Prints the ratios to stock of each level: of the whole corpus, then of each package.
    pub fn print(&self, levels: &[Setting]) {
        println!(
            "{:<24} {:<14} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7}",
            "", "level", "units", "text", "data", "frames", "time", "memory"
        );
        let mut all: BTreeMap<String, Pair> = BTreeMap::new();
        for by_level in self.packages.values() {
            for (level, pair) in by_level {
                let sum = all.entry(level.clone()).or_default();
                sum.ours += pair.ours;
                sum.stock += pair.stock;
            }
        }
        print_levels("the whole corpus", &all, levels);
        for (package, by_level) in &self.packages {
            print_levels(package, by_level, levels);
        }
        outliers::print(&self.units);
        for failure in &self.failures {
            let kind = if failure.is_fallback { "FALLBACK" } else { "FAILURE" };
            println!("{kind} {} {} at {}: {}", failure.package, failure.unit, failure.level, failure.message);
            println!("  {}", failure.command);
        }
        for (package, why) in &self.left_out {
            println!("left out: {package}: {why}");
        }
        for (package, count) in &self.not_repeated {
            println!(
                "not repeated: {package}: {count} units, which {} does not compile after the build either",
                BASES[0].name
            );
        }
        println!("{} lines, {} failures", self.lines, self.failures.len());
    }

    /// The compilations as checks.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally { passed: self.units.len(), ..Tally::default() };
        for Failure { package, unit, level, message, command, .. } in &self.failures {
            tally.fail(format!("corpus: {package} {unit} at {level}"), format!("{message}\n{command}"));
        }
        for (package, why) in &self.left_out {
            let reason = why.lines().next().unwrap_or_default();
            tally.skipped.push(format!("corpus: {package}: {reason}"));
        }
        tally
    }

    /// Writes the whole as JSON.
    pub fn write(&self, file: &Path) -> Result<()> {
        fs::write(file, serde_json::to_vec_pretty(self)?)?;
        println!("written: {}", file.display());
        Ok(())
    }
}

fn print_levels(title: &str, by_level: &BTreeMap<String, Pair>, levels: &[Setting]) {
    for level in levels {
        let Some(Pair { ours, stock }) = by_level.get(level.name) else { continue };
        let ratio = |ours: u64, stock: u64| ours as f64 / stock.max(1) as f64;
        println!(
            "{title:<24} {:<14} {:>6} {:>7.3} {:>7.3} {:>7.3} {:>7.2} {:>7.2}",
            level.name,
            ours.units,
            ratio(ours.text, stock.text),
            ratio(ours.data, stock.data),
            ratio(ours.frames, stock.frames),
            ours.seconds / stock.seconds.max(1e-9),
            ratio(ours.memory, stock.memory),
        );
    }
}
