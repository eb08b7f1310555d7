//! What a run of the fuzzer saw.

use std::time::Duration;

use flambeau_fuzzgen::{Coverage, Program};

use super::builds::Verdict;
use crate::checks::Tally;
use crate::process;

/// Constructs this much rarer than the average are named.
const RARE: u64 = 50;

/// Counts and differences.
pub struct Report {
    /// Programs that all compilers agreed on.
    pub agreed: u64,
    /// Programs that the oracle's compiler refused, with one message.
    invalid: (u64, String),
    /// Programs that took too long.
    too_long: u64,
    /// Programs on which stock native code disagrees with bytecode, with one difference.
    unsettled: (u64, String),
    /// Programs on which flambeau differs, by seed, with what is known of them.
    pub differences: Vec<(u64, String)>,
    coverage: Coverage,
    nodes: u64,
    /// Of the whole run.
    pub elapsed: Duration,
}

impl Report {
    /// Nothing seen yet.
    pub fn new() -> Report {
        Report {
            agreed: 0,
            invalid: (0, String::new()),
            too_long: 0,
            unsettled: (0, String::new()),
            differences: vec![],
            coverage: Coverage::new(),
            nodes: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// Counts a program.
    pub fn add(&mut self, program: &Program, verdict: &Verdict) {
        let example = |text: &str| format!("seed {}: {}", program.seed, process::tail(text, 12));
        match verdict {
            Verdict::Agree => self.agreed += 1,
            Verdict::Invalid(message) => self.invalid = (self.invalid.0 + 1, example(message)),
            Verdict::TooLong => self.too_long += 1,
            Verdict::Unsettled(detail) => self.unsettled = (self.unsettled.0 + 1, example(detail)),
            Verdict::Differs => {}
        }
        if matches!(verdict, Verdict::Agree | Verdict::Differs) {
            self.nodes += program.size() as u64;
            for (construct, count) in &program.coverage {
                *self.coverage.entry(construct).or_default() += count;
            }
        }
    }

    fn programs(&self) -> u64 {
        self.agreed + self.invalid.0 + self.too_long + self.unsettled.0 + self.differences.len() as u64
    }

    /// Programs that could be compared must be most of them, or the fuzzer is blind.
    fn is_blind(&self) -> bool {
        self.agreed * 10 < self.programs() * 8 - self.differences.len() as u64 * 8
    }

    /// No difference, and not blind.
    pub fn is_good(&self) -> bool {
        self.differences.is_empty() && !self.is_blind()
    }

    /// As checks: each program that could be compared is one.
    pub fn tally(self, tally: &mut Tally) {
        tally.passed += self.agreed as usize;
        if self.is_blind() {
            tally.fail("fuzz is blind", self.summary());
        }
        for (seed, text) in self.differences {
            tally.fail(format!("fuzz, seed {seed}"), text);
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} programs in {:.0} s ({:.1} a second): {} agree, {} differ; left out: {} unsettled, {} too long, {} invalid",
            self.programs(),
            self.elapsed.as_secs_f64(),
            self.programs() as f64 / self.elapsed.as_secs_f64().max(0.001),
            self.agreed,
            self.differences.len(),
            self.unsettled.0,
            self.too_long,
            self.invalid.0
        )
    }

    /// Prints counts and coverage; the differences were printed when they were found.
    pub fn print(&self) {
        for (what, (count, example)) in
            [("stock native code and bytecode disagree", &self.unsettled), ("invalid", &self.invalid)]
        {
            if *count > 0 {
                println!("{what} ({count} programs), for example {example}");
            }
        }
        let total: u64 = self.coverage.values().sum();
        let mean = total / (self.coverage.len() as u64).max(1);
        println!("coverage: {} constructs, {total} uses, {} nodes", self.coverage.len(), self.nodes);
        let mut rows: Vec<(&str, u64)> = self.coverage.iter().map(|(k, v)| (*k, *v)).collect();
        rows.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for row in rows.chunks(3) {
            let cells: Vec<String> =
                row.iter().map(|(name, count)| format!("{name:width$} {count:>8}")).collect();
            println!("  {}", cells.join("   "));
        }
        let rare: Vec<&str> =
            rows.iter().filter(|(_, count)| count * RARE < mean).map(|(name, _)| *name).collect();
        if !rare.is_empty() {
            println!("rare: {}", rare.join(", "));
        }
        for (seed, _) in &self.differences {
            println!("difference: seed {seed}");
        }
        println!("{}", self.summary());
        if self.is_blind() {
            println!("the fuzzer is blind: most programs could not be compared");
        }
    }
}
