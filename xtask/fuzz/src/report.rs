//! What a run of the fuzzer saw.

use std::collections::BTreeMap;
use std::time::Duration;

use flambeau_fuzzgen::{Coverage, Program};
use flambeau_interp::coverage as ir;
use flambeau_lambda::coverage as lambda;

use super::builds::{Build, Languages, Verdict};
use super::costs::Excess;
use xtask_support::checks::Tally;
use xtask_support::process;

/// Constructs this much rarer than the average are named.
const RARE: u64 = 50;

/// Costs of one family that are larger than the stock compiler's.
struct Dear {
    count: u64,
    /// Seeds of the first and the last program.
    seeds: (u64, u64),
    /// The worst, in hundredths of the stock compiler's, with its seed and build.
    worst: (u64, u64, String),
}

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
    /// What costs more than the stock compiler's code, by family.
    dear: BTreeMap<String, Dear>,
    coverage: Coverage,
    /// The coverage of Lambda and of the IR, as flambeau reports it.
    languages: Languages,
    nodes: u64,
    /// When progress was printed last.
    printed: Duration,
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
            dear: BTreeMap::new(),
            coverage: Coverage::new(),
            languages: Languages::new(),
            nodes: 0,
            printed: Duration::ZERO,
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

    /// Counts what costs more than it should; whether it is the first of its family.
    pub fn costs_more(&mut self, program: &Program, build: &Build, excess: &Excess) -> bool {
        let seed = program.seed;
        let worst = (excess.hundredths(), seed, build.to_string());
        let row = self.dear.entry(excess.family(program.shape)).or_insert_with(|| Dear {
            count: 0,
            seeds: (seed, seed),
            worst: worst.clone(),
        });
        row.count += 1;
        row.seeds = (row.seeds.0.min(seed), row.seeds.1.max(seed));
        if worst.0 > row.worst.0 {
            row.worst = worst;
        }
        row.count == 1
    }

    /// How many families of findings there are, differences and costs.
    pub fn findings(&self) -> usize {
        self.differences.len() + self.dear.len()
    }

    /// The seed of the first program that showed anything.
    pub fn first_finding(&self) -> Option<u64> {
        let costs = self.dear.values().map(|row| row.seeds.0);
        self.differences.iter().map(|(seed, _)| *seed).chain(costs).min()
    }

    /// Adds what flambeau saw.
    pub fn saw(&mut self, seen: &Languages) {
        for (name, count) in seen {
            *self.languages.entry(name.clone()).or_default() += count;
        }
    }

    /// Prints the summary if that was not done for long.
    pub fn tell_progress(&mut self, elapsed: Duration, interval: Duration) {
        if elapsed >= self.printed + interval {
            self.printed = elapsed;
            self.elapsed = elapsed;
            println!("{}", self.summary());
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
        self.findings() == 0 && !self.is_blind()
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

    /// The counts in one line.
    pub fn summary(&self) -> String {
        format!(
            "{} programs in {:.0} s ({:.1} a second): {} agree, {} differ, {} kinds cost more; left out: {} unsettled, {} too long, {} invalid",
            self.programs(),
            self.elapsed.as_secs_f64(),
            self.programs() as f64 / self.elapsed.as_secs_f64().max(0.001),
            self.agreed,
            self.differences.len(),
            self.dear.len(),
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
        println!("{} nodes", self.nodes);
        print_table("generated", self.coverage.iter().map(|(name, count)| (*name, *count)).collect());
        for language in ["lambda", "ir", "rewrite"] {
            let rows = self.of_language(language);
            let missing = missing(language, &rows);
            print_table(language, rows);
            if !missing.is_empty() {
                println!("  never seen: {}", missing.join(", "));
            }
        }
        for (seed, _) in &self.differences {
            println!("difference: seed {seed}");
        }
        for (family, row) in &self.dear {
            let (hundredths, seed, build) = &row.worst;
            println!(
                "cost: {family}: {} times, seeds {} to {}; the worst {}.{:02} of the stock compiler's at seed {seed}, flambeau {build}",
                row.count,
                row.seeds.0,
                row.seeds.1,
                hundredths / 100,
                hundredths % 100
            );
        }
        println!("{}", self.summary());
        if self.is_blind() {
            println!("the fuzzer is blind: most programs could not be compared");
        }
    }

    fn of_language(&self, language: &str) -> Vec<(&str, u64)> {
        let name = |full: &'_ str| full.strip_prefix(language)?.strip_prefix(' ').map(str::len);
        self.languages
            .iter()
            .filter_map(|(full, count)| Some((&full[full.len() - name(full)?..], *count)))
            .collect()
    }
}

/// The constructs of a language that are in none of the rows.
fn missing(language: &str, rows: &[(&str, u64)]) -> Vec<&'static str> {
    let all: Vec<&'static str> = match language {
        "lambda" => lambda::PRIMITIVES.iter().chain(lambda::CONSTRUCTS).copied().collect(),
        "ir" => ir::PRIMITIVES.iter().chain(ir::CONSTRUCTS).copied().collect(),
        _ => vec![],
    };
    // Rows have data behind the name: `ArrayRef { kind: … }`, `apply of 2`.
    let is = |row: &str, name: &str| {
        row.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(']))
    };
    all.into_iter().filter(|name| !rows.iter().any(|(row, _)| is(row, name))).collect()
}

/// Prints counts, the frequent ones first, and names the rare ones.
fn print_table(title: &str, mut rows: Vec<(&str, u64)>) {
    let total: u64 = rows.iter().map(|(_, count)| count).sum();
    let mean = total / (rows.len() as u64).max(1);
    println!("{title}: {} constructs, {total} uses", rows.len());
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).min(56);
    for row in rows.chunks((150 / (width + 12)).max(1)) {
        let cells: Vec<String> =
            row.iter().map(|(name, count)| format!("{name:width$} {count:>8}")).collect();
        println!("  {}", cells.join("   "));
    }
    let rare: Vec<&str> =
        rows.iter().filter(|(_, count)| count * RARE < mean).map(|(name, _)| *name).collect();
    if !rare.is_empty() {
        println!("  rare: {}", rare.join(", "));
    }
}
