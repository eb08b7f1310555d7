//! Many units, on several threads, against passes and lowering.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flambeau_interp::check::Tally;
use flambeau_interp::coverage::{self, Coverage};
use flambeau_interp::{Verdict, generate};
use flambeau_ir::{Fuel, Prim, Unit, printer};
use flambeau_passes::Pass;

use crate::harness::{UnitOptions, difference, message, size, test_pass};
use crate::lowering;
use crate::shrink::shrink;

/// What to run.
pub struct Config<'a> {
    /// The seed of the first unit.
    pub first: u64,
    /// How many terms: units against passes and functions against lowering, taken together.
    pub terms: u64,
    /// No new units after this time.
    pub deadline: Option<Instant>,
    /// Threads.
    pub jobs: usize,
    /// The passes; each unit is used to test one of them, in rotation.
    pub passes: &'a [Pass],
    /// Whether lowering is tested too.
    pub lowering: bool,
    /// Stop after this many differences.
    pub most_differences: usize,
}

/// A difference.
pub struct Found {
    /// The seed of the unit.
    pub seed: u64,
    /// The pass, or `lowering`.
    pub what: String,
    /// What is wrong, and the shrunk unit before and after.
    pub text: String,
    /// The number of items of the unit, and of what it shrank to.
    pub sizes: (usize, usize),
}

/// What a run saw.
#[derive(Default)]
pub struct Report {
    /// Units before and after passes.
    pub passes: Tally,
    /// Functions before and after lowering: runs that agree, and runs that could not be compared.
    pub lowering: (u64, u64),
    /// How many terms were generated: units and functions.
    pub terms: u64,
    /// Items and terminators that were interpreted in runs that could be compared.
    pub steps: u64,
    /// Calls of the outside that were compared.
    pub events: u64,
    /// The constructs and primitives of the units.
    pub coverage: Coverage,
    /// How often primitives were executed in runs that could be compared.
    pub executed: Coverage,
    /// How often each kind of rewrite was done.
    pub rewrites: BTreeMap<String, u64>,
    /// Differences.
    pub found: Vec<Found>,
    /// Of the run.
    pub elapsed: Duration,
}

impl Report {
    /// Most terms could not be compared.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        let passes = self.passes.same + self.passes.traps + self.passes.timeouts;
        let functions = self.lowering.0 + self.lowering.1;
        self.passes.same * 10 < passes * 8 || self.lowering.0 * 10 < functions * 5
    }

    /// The constructs and primitives that no unit had, and the primitives that no comparable run executed.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let all = Prim::NAMES.iter().chain(coverage::CONSTRUCTS);
        let never = all.filter(|name| !self.coverage.contains_key(*name)).map(|name| (*name).to_owned());
        let idle = Prim::NAMES
            .iter()
            .filter(|name| self.executed.get(*name).is_none_or(|n| *n == 0))
            .map(|name| format!("{name} (never executed)"));
        never.chain(idle).collect()
    }

    fn add(&mut self, other: Report) {
        self.passes.same += other.passes.same;
        self.passes.traps += other.passes.traps;
        self.passes.timeouts += other.passes.timeouts;
        self.lowering.0 += other.lowering.0;
        self.lowering.1 += other.lowering.1;
        self.terms += other.terms;
        self.steps += other.steps;
        self.events += other.events;
        for (name, count) in other.coverage {
            *self.coverage.entry(name).or_default() += count;
        }
        for (name, count) in other.executed {
            *self.executed.entry(name).or_default() += count;
        }
        for (name, count) in other.rewrites {
            *self.rewrites.entry(name).or_default() += count;
        }
        self.found.extend(other.found);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64().max(0.001);
        write!(
            f,
            "{} terms in {seconds:.0} s ({:.0} a second): {} differ; units through passes: {}; functions through \
             lowering: {} runs agree, {} not comparable; {} steps, {} events",
            self.terms,
            self.terms as f64 / seconds,
            self.found.len(),
            self.passes,
            self.lowering.0,
            self.lowering.1,
            self.steps,
            self.events
        )
    }
}

/// The number of units between two checks of the clock and of the shared report.
const CHUNK: u64 = 64;

/// Runs the fuzzer. `progress` is called now and then with the number of terms so far.
pub fn run(config: &Config<'_>, progress: &(dyn Fn(&Report) + Sync)) -> Report {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let total = Mutex::new(Report::default());
    // One seed makes one unit for the passes and one function for lowering.
    let each = u64::from(!config.passes.is_empty()) + u64::from(config.lowering);
    let seeds = config.terms.div_ceil(each.max(1));
    thread::scope(|scope| {
        for _ in 0..config.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let from = next.fetch_add(CHUNK, Ordering::SeqCst);
                    let late = config.deadline.is_some_and(|deadline| Instant::now() >= deadline);
                    let enough = with(&total, |t| t.found.len() >= config.most_differences);
                    if from >= seeds || late || enough {
                        return;
                    }
                    let mut report = Report::default();
                    for seed in from..(from + CHUNK).min(seeds) {
                        one(config, config.first + seed, &mut report);
                    }
                    with(&total, |t| {
                        t.add(report);
                        t.elapsed = start.elapsed();
                        progress(t);
                    });
                }
            });
        }
    });
    let mut report = total.into_inner().unwrap_or_default();
    report.elapsed = start.elapsed();
    report
}

fn with<T: Default>(report: &Mutex<Report>, f: impl FnOnce(&mut Report) -> T) -> T {
    report.lock().map(|mut report| f(&mut report)).unwrap_or_default()
}

fn one(config: &Config<'_>, seed: u64, report: &mut Report) {
    if let Some(pass) = config.passes.get(seed as usize % config.passes.len().max(1)) {
        let unit = generate::varied(seed);
        report.terms += 1;
        coverage::count(&unit, &mut report.coverage);
        match test_pass(pass, &unit, Fuel::unlimited()) {
            Ok((verdict, trace)) => {
                report.passes.add(&verdict);
                for done in trace {
                    *report.rewrites.entry(done.rewrite.kind()).or_default() += 1;
                }
                if let Verdict::Same(runs) = verdict {
                    report.steps += runs.0.stats.steps;
                    report.events += runs.0.events.len() as u64;
                    for (name, count) in Prim::NAMES.iter().zip(runs.0.stats.prims) {
                        *report.executed.entry(name).or_default() += count;
                    }
                }
            }
            Err(_) => report.found.push(difference(pass, seed, &unit)),
        }
    }
    if config.lowering {
        report.terms += 1;
        let unit = function(seed);
        for arguments in ARGUMENTS {
            match lowers(&unit, *arguments, interrupt(seed)) {
                Ok(true) => report.lowering.0 += 1,
                Ok(false) => report.lowering.1 += 1,
                Err(cause) => {
                    report.found.push(lowering_difference(seed, *arguments, &unit, &cause));
                    break;
                }
            }
        }
    }
}

/// The arguments of functions that are lowered.
const ARGUMENTS: &[[i64; 2]] = &[[0, 1], [5, -3], [2, 2]];

/// A unit with one function, small or large.
fn function(seed: u64) -> Unit {
    let size = 1 + (seed % 40) as usize;
    let options = UnitOptions { raising: seed % 2 == 1, ..UnitOptions::one_function(size) };
    generate::unit(seed, &options)
}

/// The location of the allocation at which a signal comes, if one does.
fn interrupt(seed: u64) -> Option<u32> {
    seed.is_multiple_of(3).then(|| 1 + (seed / 3 % 20) as u32)
}

/// Whether runs before and after lowering could be compared; an error if they differ.
fn lowers(unit: &Unit, arguments: [i64; 2], interrupt: Option<u32>) -> Result<bool, String> {
    let verdict = panic::catch_unwind(AssertUnwindSafe(|| lowering::compare(unit, arguments, interrupt)));
    match verdict {
        Ok(verdict) => verdict.map(|verdict| matches!(verdict, lowering::Verdict::Same)),
        Err(cause) => Err(format!("panic: {}", message(&*cause))),
    }
}

fn lowering_difference(seed: u64, arguments: [i64; 2], unit: &Unit, cause: &str) -> Found {
    let interrupt = interrupt(seed);
    let small = shrink(unit, &mut |candidate| lowers(candidate, arguments, interrupt).is_err());
    let cause = lowers(&small, arguments, interrupt).err().unwrap_or_else(|| cause.to_owned());
    let after = panic::catch_unwind(AssertUnwindSafe(|| flambeau_cmm::print(&flambeau_cmm::lower(&small))));
    let text = format!(
        "// lowering, arguments {arguments:?}, interruption at {interrupt:?}: {cause}\n{}\n===>\n{}",
        printer::print_unit(&small),
        after.unwrap_or_default()
    );
    Found { seed, what: "lowering".to_owned(), text, sizes: (size(unit), size(&small)) }
}
