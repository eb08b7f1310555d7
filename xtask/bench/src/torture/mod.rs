//! `--torture`: units that are hard on a compiler, and how much more than the stock one ours takes for each. What is
//! promised: no more than [`MOST`] times the time (features G6), and bounds of memory and code for the units that made
//! copies without end.

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
pub use shapes::{SHAPES, Shape};
use xtask_support::env::{self, Stock};
use xtask_support::process;

/// Times of the stock compiler's that a unit may take at most.
const MOST: f64 = 3.0;
/// Times of the stock compiler's memory that a unit may take where it is bounded.
const MOST_MEMORY: f64 = 2.0;
/// And of its code.
pub const MOST_TEXT: f64 = 3.0;
/// Memory that the compilers of small units may take more, in bytes: an empty one takes as much.
const MORE_MEMORY: f64 = 16e6;
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

impl Cost {
    /// The cost of one compilation and then of another.
    fn and(self, other: Cost) -> Cost {
        Cost {
            seconds: self.seconds + other.seconds,
            memory: self.memory.max(other.memory),
            text: self.text + other.text,
        }
    }
}

/// A unit by both compilers: the stock one's cost, then ours.
pub type Pair = [Cost; 2];

/// Measures all shapes whose name matches, prints a table, and returns whether none is above the bound.
///
/// # Errors
///
/// Fails if a compiler is missing, or if a shape fails as in [`pair`].
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
        println!("{}", row(shape, &stock, &ours));
        ratios.push(ours.seconds / stock.seconds);
        over.extend(above(shape, &stock, &ours));
    }
    if let Some(mean) = stats::geometric_mean(ratios) {
        println!("{:<58}{mean:>6.2}", "geometric mean");
    }
    for line in &over {
        println!("ABOVE {line}");
    }
    Ok(over.is_empty())
}

/// The bounds that a unit does not keep.
fn above(shape: &Shape, stock: &Cost, ours: &Cost) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |what: &str, most: f64, more: f64, stock: f64, ours: f64| {
        if ours > most * stock + more {
            found.push(format!(
                "{most} times the stock compiler's {what}: {} {:.2}",
                shape.name,
                ours / stock
            ));
        }
    };
    check("time", MOST, 0.0, stock.seconds, ours.seconds);
    if shape.all_bounded {
        check("memory", MOST_MEMORY, MORE_MEMORY, stock.memory, ours.memory);
        check("code", MOST_TEXT, 0.0, stock.text, ours.text);
    }
    found
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

/// Compiles the unit of a shape by both, alternately, and sees to it that both programs print the same.
///
/// # Errors
///
/// Fails if a compiler or a program fails, or if the two programs print different things.
pub fn pair(shape: &Shape, size: usize, compilers: [&Path; 2], runs: usize) -> Result<Pair> {
    let source = (shape.source)(size);
    let library = shape.library.map(|library| library(size));
    let mut costs: [Option<Cost>; 2] = [None; 2];
    let mut printed: [String; 2] = Default::default();
    for run in 0..runs.max(1) {
        for (which, compiler) in compilers.into_iter().enumerate() {
            let temporary = tempfile::Builder::new().prefix("flambeau-torture-").tempdir()?;
            fs::write(temporary.path().join("unit.ml"), &source)?;
            let mut cost = Cost { seconds: 0.0, memory: 0.0, text: 0.0 };
            if let Some(library) = &library {
                fs::write(temporary.path().join("library.ml"), library)?;
                cost = compile(compiler, temporary.path(), "library")?;
            }
            cost = cost.and(compile(compiler, temporary.path(), "unit")?);
            costs[which] = Some(match costs[which] {
                Some(least) if least.seconds <= cost.seconds => least,
                _ => cost,
            });
            if run == 0 {
                let units: &[&str] =
                    if library.is_some() { &["library.cmx", "unit.cmx"] } else { &["unit.cmx"] };
                printed[which] = output(compiler, temporary.path(), units)?;
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

/// Compiles a unit of a folder.
fn compile(compiler: &Path, folder: &Path, unit: &str) -> Result<Cost> {
    let mut command = Command::new("prlimit");
    // Flambeau makes itself a large stack; without one, the stock compiler dies of what nests deeply.
    let stack = getrlimit(Resource::Stack).maximum.map_or("unlimited".into(), |most| most.to_string());
    command
        .args([&format!("--stack={stack}:"), "--"])
        .arg(compiler)
        .args(FLAGS)
        .arg(format!("{unit}.ml"))
        .current_dir(folder);
    let outcome = process::run(clean(&mut command), LIMIT)?.expect_success("it does not compile")?;
    Ok(Cost {
        seconds: outcome.cpu.as_secs_f64(),
        memory: outcome.memory as f64,
        text: compilers::text_size(&folder.join(format!("{unit}.o")))? as f64,
    })
}

/// Links what was compiled, and runs it: what it prints.
fn output(compiler: &Path, folder: &Path, units: &[&str]) -> Result<String> {
    let mut link = Command::new(compiler);
    clean(link.args(units).args(["-o", "unit.exe"]).current_dir(folder));
    process::run(&mut link, LIMIT)?.expect_success("it does not link")?;
    Ok(process::run(clean(&mut Command::new(folder.join("unit.exe"))), RUN_LIMIT)?
        .expect_success("it does not run")?
        .out())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_memory_and_code_are_for_some() {
        let cost = |seconds, memory, text| Cost { seconds, memory, text };
        let stock = cost(1.0, 100e6, 1000.0);
        let of = |name: &str| SHAPES.iter().find(|shape| shape.name == name).expect("a known shape");
        let many = cost(3.5, 400e6, 4000.0);
        assert_eq!(above(of("groups of another unit"), &stock, &many).len(), 3);
        assert_eq!(above(of("monads"), &stock, &many).len(), 1);
        assert!(above(of("groups of another unit"), &stock, &cost(2.9, 210e6, 2900.0)).is_empty());
        let both = cost(1.0, 3.0, 10.0).and(cost(2.0, 2.0, 5.0));
        assert!(both.seconds > 2.9 && both.memory < 3.1 && both.text > 14.0);
    }
}
