//! `cargo xtask fuzz`: random programs, which `ocamlc`, the stock `ocamlopt` and flambeau with every set of flags
//! must agree on; and random terms of the IR, which passes and lowering must keep.
//!
//! `ocamlc` is the oracle. A program on which the stock native compiler disagrees with it is not settled by the
//! language (or a generator's mistake): it is counted and left out. Programs are compiled in batches, one call of each
//! compiler for all of them, because starting compilers and linkers is most of the cost; a batch that shows anything is
//! taken apart. Of programs made of shapes, costs are compared with the stock compiler's too. `docs/fuzzing.md` says
//! more.

mod builds;
mod costs;
mod ir;
mod minimise;
mod planted;
mod programs;
mod report;

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;
use flambeau_fuzzgen::{Options as Shape, Program};

use xtask_support::ocaml::bounds::Bounds;

use builds::Compilers;
use programs::Fuzzer;
use xtask_support::checks::Tally;
use xtask_support::env::{self, Stock};
use xtask_support::queue;

/// The options of `cargo xtask fuzz`.
#[derive(Args)]
pub struct Options {
    /// Stop after this many seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Stop after this many programs (instead of after some seconds)
    #[arg(long)]
    programs: Option<u64>,
    /// Terms of the IR instead of programs, this many: units against every pass, functions against lowering
    #[arg(long, value_name = "TERMS", conflicts_with_all = ["programs", "planted"])]
    ir: Option<u64>,
    /// How many programs and terms it takes to find each planted miscompilation
    #[arg(long)]
    planted: bool,
    /// The seed of the first program; the others follow [default: from the clock]
    #[arg(long)]
    seed: Option<u64>,
    /// How many batches at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
    /// How many programs are compiled in one call
    #[arg(long, default_value_t = 16)]
    batch: u64,
    /// Only one level or random set of flags for each batch, and the stock native compiler only for what differs
    #[arg(long)]
    quick: bool,
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
    /// Compare only results, not costs
    #[arg(long)]
    no_costs: bool,
    /// Of 100 builds of programs made of shapes, how many are profiled by callgrind
    #[arg(long, default_value_t = 20)]
    profiled: u64,
    /// Only programs made of shapes (every other eight seeds)
    #[arg(long)]
    shapes: bool,
    /// Only programs with a shape whose name contains this text: for a large --batch
    #[arg(long, value_name = "TEXT")]
    shape: Option<String>,
    /// Print the source of a program of this seed, and do nothing else
    #[arg(long, value_name = "SEED")]
    print: Option<u64>,
}

/// Runs the fuzzer; whether all compilers agreed.
///
/// # Errors
///
/// Fails if a compiler is missing or cannot be run, or if what was found cannot be written.
pub fn run(options: &Options) -> Result<bool> {
    if let Some(seed) = options.print {
        for (name, text) in Program::generate(seed, &shape(&Stock::find()?)?).files() {
            println!("(* {name} *)\n{text}");
        }
        return Ok(true);
    }
    let (first, jobs) = (options.seed.unwrap_or_else(seed_of_clock), queue::workers(options.jobs));
    println!("fuzz: from seed {first}");
    if let Some(terms) = options.ir {
        return Ok(ir::run(first, terms, jobs, options.differences));
    }
    let given = options
        .flambeau
        .as_ref()
        .map(|path| std::fs::canonicalize(path).with_context(|| format!("no {}", path.display())));
    let given = given.transpose()?;
    if options.planted {
        return planted::run(first, jobs, given);
    }
    let flambeau = match given {
        Some(path) => path,
        None if env::stand_in().is_some() => env::flambeau()?,
        None => {
            xtask_support::setup::run()?;
            env::flambeau()?
        }
    };
    let stock = Stock::find()?;
    let fuzzer = Fuzzer {
        shape: shape(&stock)?,
        compilers: Compilers { stock, flambeau, variables: vec![] },
        first,
        last: options.programs.map_or(u64::MAX, |n| first.saturating_add(n)),
        deadline: options.programs.is_none().then(|| Instant::now() + Duration::from_secs(options.seconds)),
        jobs,
        batch: options.batch.max(1),
        most_differences: options.differences.max(1),
        raw: options.raw,
        quick: options.quick,
        unsettled: options.unsettled,
        costs: !options.no_costs,
        profiled: options.profiled,
        shapes: options.shapes || options.shape.is_some(),
        with_shape: options.shape.clone().unwrap_or_default(),
    };
    let report = fuzzer.run()?;
    report.print();
    Ok(report.is_good())
}

/// What programs are like that this OCaml compiles.
fn shape(stock: &Stock) -> Result<Shape> {
    Ok(Shape { ocaml5: Bounds::parse(">= 5.0")?.hold(&stock.version)?, ..Shape::default() })
}

/// Seeds name files: short ones are easier to talk about.
fn seed_of_clock() -> u64 {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    u64::try_from(clock % 1_000_000_000).unwrap_or_default()
}

/// A run of this many seconds as one part of `cargo xtask test`, with the compiler of the target folder: programs for
/// most of the time, then terms of the IR.
///
/// The seed comes from the clock, so that each run sees new programs; it is printed, and a failure names its own.
///
/// # Errors
///
/// Fails if a compiler is missing or cannot be run, or if what was found cannot be written.
pub fn checks(seconds: u64, jobs: usize) -> Result<Tally> {
    let first = seed_of_clock();
    println!("fuzz: from seed {first}");
    let mut tally = Tally::default();
    let terms = Duration::from_secs(seconds / 6);
    ir::checks(first, Instant::now() + terms, jobs, &mut tally)?;
    let stock = Stock::find()?;
    let fuzzer = Fuzzer {
        shape: shape(&stock)?,
        compilers: Compilers { stock, flambeau: env::flambeau()?, variables: vec![] },
        first,
        last: u64::MAX,
        deadline: Some(Instant::now() + Duration::from_secs(seconds).saturating_sub(terms)),
        jobs,
        batch: 12,
        most_differences: 3,
        raw: false,
        quick: false,
        unsettled: false,
        // Other code may still cost more than the stock compiler's: docs/fuzzing.md.
        costs: false,
        profiled: 0,
        shapes: false,
        with_shape: String::new(),
    };
    let report = fuzzer.run()?;
    println!("fuzz: {}", report.summary());
    report.tally(&mut tally);
    Ok(tally)
}
