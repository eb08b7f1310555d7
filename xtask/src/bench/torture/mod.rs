//! `--torture`: units that are hard on a compiler, and how much more than the stock one ours takes for each. What is
//! promised: no more than [`MOST`] times the time (features G6).

mod shapes;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use rustix::process::{Resource, getrlimit};

use super::compilers::{self, clean};
use super::stats;
use crate::env::{self, Stock};
use crate::process;
pub use shapes::{SHAPES, Shape};

/// Times of the stock compiler's that a unit may take at most.
const MOST: f64 = 3.0;
/// How long a compilation may take on the clock.
const LIMIT: Duration = Duration::from_secs(600);

/// How long a program may run: each ends at once.
const RUN_LIMIT: Duration = Duration::from_secs(30);

/// The flags of both compilers.
const FLAGS: [&str; 4] = ["-O3", "-w", "-a", "-c"];

/// What compiling a unit costs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Processor time in seconds: of the fastest of the runs.
    pub seconds: f64,
    /// Peak memory in bytes.
    pub memory: f64,
    /// Bytes of code.
    pub text: f64,
}

/// A unit by both compilers: the stock one's cost, then ours.
pub type Pair = [Cost; 2];

/// Measures all shapes whose name matches, prints a table, and tells whether none is above the bound.
pub fn run(runs: usize, filter: Option<&regex::Regex>) -> Result<bool> {
    let compilers = [Stock::find()?.ocamlopt, env::flambeau()?];
    println!(
        "{:<30}{:>9}{:>8}{:>8}   flambeau / stock: time, memory, text",
        "-O3", "stock s", "MB", "text kB"
    );
    let mut over = Vec::new();
    let mut ratios = Vec::new();
    for shape in SHAPES.iter().filter(|shape| filter.is_none_or(|filter| filter.is_match(shape.name))) {
        let [stock, ours] = pair(shape, shape.full, [&compilers[0], &compilers[1]], runs)?;
        let time = ours.seconds / stock.seconds;
        println!("{}", row(shape, &stock, &ours));
        ratios.push(time);
        if time > MOST {
            over.push(format!("{} {time:.2}", shape.name));
        }
    }
    if let Some(mean) = stats::geometric_mean(ratios) {
        println!("{:<58}{mean:>6.2}", "geometric mean");
    }
    for shape in &over {
        println!("ABOVE {MOST} times the stock compiler's time: {shape}");
    }
    Ok(over.is_empty())
}

fn row(shape: &Shape, stock: &Cost, ours: &Cost) -> String {
    let mut text = format!(
        "{:<30}{:>9.2}{:>8.0}{:>8.0}   ",
        format!("{} {}", shape.full, shape.name),
        stock.seconds,
        stock.memory / 1e6,
        stock.text / 1e3
    );
    for ratio in [ours.seconds / stock.seconds, ours.memory / stock.memory, ours.text / stock.text] {
        let _ = write!(text, "{ratio:>9.2}");
    }
    text
}

/// Compiles the unit of a shape by both, in turns, and sees to it that both programs print the same.
pub fn pair(shape: &Shape, size: usize, compilers: [&Path; 2], runs: usize) -> Result<Pair> {
    let source = (shape.source)(size);
    let mut costs: [Option<Cost>; 2] = [None; 2];
    let mut printed: [String; 2] = Default::default();
    for run in 0..runs.max(1) {
        for (which, compiler) in compilers.into_iter().enumerate() {
            let place = tempfile::Builder::new().prefix("flambeau-torture-").tempdir()?;
            fs::write(place.path().join("unit.ml"), &source)?;
            let cost = compile(compiler, place.path())?;
            costs[which] = Some(match costs[which] {
                Some(least) if least.seconds <= cost.seconds => least,
                _ => cost,
            });
            if run == 0 {
                printed[which] = output(compiler, place.path())?;
            }
        }
    }
    if printed[0] != printed[1] {
        anyhow::bail!(
            "{}: the stock compiler's program prints {:?}, ours {:?}",
            shape.name,
            printed[0],
            printed[1]
        );
    }
    let [Some(stock), Some(ours)] = costs else { anyhow::bail!("nothing was measured") };
    Ok([stock, ours])
}

/// Compiles `unit.ml` of a folder.
fn compile(compiler: &Path, folder: &Path) -> Result<Cost> {
    let mut command = Command::new("prlimit");
    // Flambeau makes itself a large stack; without one, the stock compiler dies of what nests deeply.
    let stack = getrlimit(Resource::Stack).maximum.map_or("unlimited".into(), |most| most.to_string());
    command
        .args([&format!("--stack={stack}:"), "--"])
        .arg(compiler)
        .args(FLAGS)
        .arg("unit.ml")
        .current_dir(folder);
    let outcome = process::run(clean(&mut command), LIMIT)?.expect_success("it does not compile")?;
    Ok(Cost {
        seconds: outcome.cpu.as_secs_f64(),
        memory: outcome.memory as f64,
        text: compilers::text_size(&folder.join("unit.o"))? as f64,
    })
}

/// Links what was compiled, and runs it: what it prints.
fn output(compiler: &Path, folder: &Path) -> Result<String> {
    let mut link = Command::new(compiler);
    clean(link.args(["unit.cmx", "-o", "unit.exe"]).current_dir(folder));
    process::run(&mut link, LIMIT)?.expect_success("it does not link")?;
    Ok(process::run(clean(&mut Command::new(folder.join("unit.exe"))), RUN_LIMIT)?
        .expect_success("it does not run")?
        .out())
}
