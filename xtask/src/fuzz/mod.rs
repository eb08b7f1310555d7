//! `cargo xtask fuzz`: random programs, which `ocamlc`, the stock `ocamlopt` and flambeau with every set of flags
//! must agree on.
//!
//! `ocamlc` is the oracle. A program on which the stock native compiler disagrees with it is not settled by the
//! language (or a generator's mistake): it is counted and left out. Programs are compiled in batches, one call
//! of each compiler for all of them, because starting compilers and linkers is most of the cost; a batch that shows
//! anything is taken apart.

mod builds;
mod minimise;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;
use flambeau_fuzzgen::{Options as Shape, Program};

use crate::checks::Tally;
use crate::env::{self, Stock};
use crate::queue;
use builds::{Compilers, Difference, Verdict};
use report::Report;

/// What `cargo xtask fuzz` may be told.
#[derive(Args)]
pub struct Options {
    /// Stop after this many seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Stop after this many programs (instead of after some seconds)
    #[arg(long)]
    programs: Option<u64>,
    /// The seed of the first program; the others follow [default: from the clock]
    #[arg(long)]
    seed: Option<u64>,
    /// How many batches at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
    /// How many programs are compiled in one call
    #[arg(long, default_value_t = 12)]
    batch: u64,
    /// The compiler under test [default: the one of the target folder, built first]
    #[arg(long, value_name = "PATH")]
    flambeau: Option<PathBuf>,
    /// Stop after this many differences
    #[arg(long, default_value_t = 10)]
    differences: usize,
    /// Leave differences as they are: no shrinking, no bisection
    #[arg(long)]
    raw: bool,
    /// Shrink programs too on which the stock native compiler disagrees with ocamlc
    #[arg(long)]
    unsettled: bool,
    /// Print the source of a program of this seed, and do nothing else
    #[arg(long, value_name = "SEED")]
    print: Option<u64>,
}

/// Runs the fuzzer; whether all compilers agreed.
pub fn run(options: &Options) -> Result<bool> {
    if let Some(seed) = options.print {
        for (name, text) in Program::generate(seed, &Shape::default()).files() {
            println!("(* {name} *)\n{text}");
        }
        return Ok(true);
    }
    let flambeau = match &options.flambeau {
        Some(path) => std::fs::canonicalize(path).with_context(|| format!("no {}", path.display()))?,
        None => {
            crate::setup::run()?;
            env::flambeau()?
        }
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    // Seeds name files: short ones are easier to talk about.
    let first = options.seed.unwrap_or(clock % 1_000_000_000);
    let fuzzer = Fuzzer {
        compilers: Compilers { stock: Stock::find()?, flambeau },
        first,
        last: options.programs.map_or(u64::MAX, |n| first.saturating_add(n)),
        deadline: options.programs.is_none().then(|| Instant::now() + Duration::from_secs(options.seconds)),
        jobs: queue::workers(options.jobs),
        batch: options.batch.max(1),
        most_differences: options.differences.max(1),
        raw: options.raw,
        unsettled: options.unsettled,
    };
    println!("fuzz: from seed {first}");
    let report = fuzzer.run()?;
    report.print();
    Ok(report.is_good())
}

/// A run of some seconds as one part of `cargo xtask test`, with the compiler of the target folder.
///
/// The seed comes from the clock, so that each run sees new programs; a failure names its own seed.
#[allow(dead_code, reason = "to be called by `cargo xtask test`")]
pub fn checks(seconds: u64, jobs: usize) -> Result<Tally> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let fuzzer = Fuzzer {
        compilers: Compilers { stock: Stock::find()?, flambeau: env::flambeau()? },
        first: clock % 1_000_000_000,
        last: u64::MAX,
        deadline: Some(Instant::now() + Duration::from_secs(seconds)),
        jobs,
        batch: 12,
        most_differences: 3,
        raw: false,
        unsettled: false,
    };
    let report = fuzzer.run()?;
    let mut tally = Tally::default();
    report.tally(&mut tally);
    Ok(tally)
}

struct Fuzzer {
    compilers: Compilers,
    first: u64,
    last: u64,
    deadline: Option<Instant>,
    jobs: usize,
    batch: u64,
    most_differences: usize,
    raw: bool,
    unsettled: bool,
}

impl Fuzzer {
    fn run(&self) -> Result<Report> {
        let next = AtomicU64::new(self.first);
        let report = Mutex::new(Report::new());
        let folder = env::target().join("fuzz");
        let start = Instant::now();
        thread::scope(|scope| -> Result<()> {
            let workers: Vec<_> = (0..self.jobs)
                .map(|_| {
                    scope.spawn(|| -> Result<()> {
                        while let Some(seeds) = self.take(&next, &report) {
                            self.batch(seeds, &folder, &report)?;
                        }
                        Ok(())
                    })
                })
                .collect();
            for worker in workers {
                worker.join().map_err(|_| anyhow::anyhow!("a worker of the fuzzer panicked"))??;
            }
            Ok(())
        })?;
        let mut report = report.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
        report.elapsed = start.elapsed();
        Ok(report)
    }

    /// The seeds of the next batch; nothing when the run is over.
    fn take(&self, next: &AtomicU64, report: &Mutex<Report>) -> Option<std::ops::Range<u64>> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let enough = report.lock().map_or(true, |r| r.differences.len() >= self.most_differences);
        if late || enough {
            return None;
        }
        let from = next.fetch_add(self.batch, Ordering::SeqCst);
        (from < self.last).then(|| from..self.last.min(from + self.batch))
    }

    fn batch(&self, seeds: std::ops::Range<u64>, folder: &Path, report: &Mutex<Report>) -> Result<()> {
        let flags = builds::settings(seeds.start);
        let mut programs: Vec<Program> =
            seeds.map(|seed| Program::generate(seed, &Shape::default())).collect();
        // A program that ends by an exception ends those after it too: it runs by itself.
        programs.sort_by_key(|p| p.uncaught);
        let together = programs.iter().filter(|p| !p.uncaught).count();
        let (calm, abrupt) = programs.split_at(together);
        let mut groups = vec![calm.iter().collect::<Vec<_>>()];
        groups.extend(abrupt.iter().map(|p| vec![p]));
        for group in groups {
            self.group(group, &flags, folder, report)?;
        }
        Ok(())
    }

    /// Programs that can run one after the other. Those that the stock compilers don't agree on are left out, so
    /// that they don't hide the others from flambeau.
    fn group(
        &self,
        group: Vec<&Program>,
        flags: &[builds::Flags],
        folder: &Path,
        report: &Mutex<Report>,
    ) -> Result<()> {
        let mut settled = group;
        let mut oracle = builds::reference(&self.compilers, &settled)?;
        if oracle.is_err() {
            let mut kept = vec![];
            for program in settled {
                let Err(verdict) = builds::reference(&self.compilers, &[program])? else {
                    kept.push(program);
                    continue;
                };
                with(report, |r| r.add(program, &verdict));
                self.left_out(program, &verdict, folder)?;
            }
            settled = kept;
            oracle = builds::oracle(&self.compilers, &settled)?;
        }
        let Ok(expected) = oracle else {
            // One by one they were fine: they depend on each other, which is our mistake.
            with(report, |r| settled.iter().for_each(|p| r.add(p, &Verdict::TooLong)));
            return Ok(());
        };
        let mut different: Vec<(&Program, Difference)> = vec![];
        for flags in flags {
            if settled.is_empty() || builds::agrees(&self.compilers, &settled, &expected, flags)?.is_none() {
                continue;
            }
            for program in &settled {
                if different.iter().any(|(p, _)| p.seed == program.seed) {
                    continue;
                }
                let Ok(expected) = builds::reference(&self.compilers, &[program])? else { continue };
                if let Some(difference) = builds::agrees(&self.compilers, &[program], &expected, flags)? {
                    different.push((program, difference));
                }
            }
        }
        let agreed = settled.iter().filter(|p| !different.iter().any(|(q, _)| q.seed == p.seed));
        with(report, |r| agreed.for_each(|p| r.add(p, &Verdict::Agree)));
        for (program, difference) in different {
            let place = folder.join(program.seed.to_string());
            let text = minimise::investigate(&self.compilers, program, &difference, &place, self.raw)?;
            println!("{text}");
            with(report, |r| {
                r.add(program, &Verdict::Differs);
                r.differences.push((program.seed, text));
            });
        }
        Ok(())
    }

    /// Keeps a program that could not be compared; it may be a mistake of ours, or of the stock compilers.
    fn left_out(&self, program: &Program, verdict: &Verdict, folder: &Path) -> Result<()> {
        let place = folder.join("left-out").join(program.seed.to_string());
        match verdict {
            Verdict::Unsettled(_) if self.unsettled => {
                let text = minimise::investigate_unsettled(&self.compilers, program, &place)?;
                println!("{text}");
                Ok(())
            }
            Verdict::Unsettled(_) | Verdict::Invalid(_) => minimise::save(program, &place),
            _ => Ok(()),
        }
    }
}

fn with(report: &Mutex<Report>, f: impl FnOnce(&mut Report)) {
    if let Ok(mut report) = report.lock() {
        f(&mut report);
    }
}
