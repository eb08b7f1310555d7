//! `--scaling`: how the time and memory of a compilation grow with the size of the unit.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};

use super::compilers::{Column, Maker, clean};
use super::stats;
use super::units::{SHAPES, Shape};
use xtask_support::process::{self, Exit};

/// The sizes in lines.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// How much of a processor's time one compilation may take, in seconds.
const CPU_LIMIT: u64 = 120;
/// How long it may take on the clock, on a machine that does much else.
const LIMIT: Duration = Duration::from_secs(1200);
/// The signal that ends a process which used up its processor time.
const SIGXCPU: i32 = 24;
/// How much memory it may take, in bytes.
const MEMORY_LIMIT: u64 = 4 << 30;

/// How the cost of compiling units of one shape grows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Growth {
    pub shape: String,
    pub column: String,
    /// The cost of an empty unit: what does not grow.
    pub empty: Cost,
    pub points: Vec<Point>,
}

/// What one compilation took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Processor time in seconds.
    pub seconds: f64,
    /// Peak memory in bytes.
    pub memory: f64,
}

/// The compilation of one unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    pub lines: usize,
    /// Its cost, or what went wrong.
    pub outcome: Result<Cost, String>,
}

impl Growth {
    /// The sizes that compiled, and what they cost more than an empty unit.
    pub fn costs(&self) -> Vec<(f64, Cost)> {
        let more = |cost: &Cost| Cost {
            seconds: (cost.seconds - self.empty.seconds).max(1e-3),
            memory: (cost.memory - self.empty.memory).max(1e5),
        };
        let good = |point: &Point| Some((point.lines as f64, more(point.outcome.as_ref().ok()?)));
        self.points.iter().filter_map(good).collect()
    }

    /// `k` when the time grows as lines^k.
    pub fn exponent_of_time(&self) -> Option<f64> {
        let points: Vec<_> = self.costs().iter().map(|(lines, cost)| (*lines, cost.seconds)).collect();
        stats::exponent(&points)
    }

    /// `k` when the memory grows as lines^k.
    pub fn exponent_of_memory(&self) -> Option<f64> {
        let points: Vec<_> = self.costs().iter().map(|(lines, cost)| (*lines, cost.memory)).collect();
        stats::exponent(&points)
    }
}

/// Measures all shapes by the stock compiler and flambeau.
pub fn measure(columns: &[Column]) -> Result<Vec<Growth>> {
    let mut all = Vec::new();
    for shape in SHAPES {
        for column in columns.iter().filter(|column| matches!(column.maker, Maker::Stock | Maker::Flambeau)) {
            let growth = grow(shape, column)?;
            println!("{}", line(&growth));
            all.push(growth);
        }
    }
    Ok(all)
}

fn grow(shape: &Shape, column: &Column) -> Result<Growth> {
    let empty = compile(column, "")?.unwrap_or_default();
    let mut points = Vec::new();
    for lines in SIZES {
        let outcome = compile(column, &(shape.source)(lines))?;
        let failed = outcome.is_err();
        points.push(Point { lines, outcome });
        // What is too much for one size is too much for the next one.
        if failed {
            break;
        }
    }
    Ok(Growth { shape: shape.name.into(), column: column.name.clone(), empty, points })
}

/// Compiles one unit to an object; its cost, or why it can't be.
fn compile(column: &Column, source: &str) -> Result<Result<Cost, String>> {
    let temporary = tempfile::Builder::new().prefix("flambeau-scaling-").tempdir()?;
    fs::write(temporary.path().join("unit.ml"), source)?;
    let mut command = Command::new("prlimit");
    // Flambeau makes itself a large stack; without one, the stock compiler dies of the large units.
    let stack = getrlimit(Resource::Stack).maximum.map_or("unlimited".into(), |most| most.to_string());
    command.args([&format!("--cpu={CPU_LIMIT}"), &format!("--stack={stack}:"), "--"]);
    command.arg(&column.compiler).args(&column.flags);
    command.args(["-w", "-a", "-c", "unit.ml"]).current_dir(temporary.path());
    let outcome = process::run(clean(&mut command), LIMIT)?;
    Ok(match outcome.exit {
        Exit::Timeout | Exit::Signal(SIGXCPU) => Err(format!("more than {CPU_LIMIT} s")),
        _ if outcome.memory > MEMORY_LIMIT => Err(format!("more than {} GB", MEMORY_LIMIT >> 30)),
        exit if exit.is_success() => {
            Ok(Cost { seconds: outcome.cpu.as_secs_f64(), memory: outcome.memory as f64 })
        }
        exit => Err(match outcome.all_output().lines().last() {
            Some(message) => message.chars().take(100).collect(),
            None => exit.to_string(),
        }),
    })
}

/// One line of the terminal's table.
fn line(growth: &Growth) -> String {
    let mut text = format!("{:<26}{:<14}", growth.shape, growth.column);
    for point in &growth.points {
        let _ = match &point.outcome {
            Ok(cost) => write!(
                text,
                "  {:>6} lines {:>7.2} s {:>5.0} MB",
                point.lines,
                cost.seconds,
                cost.memory / 1e6
            ),
            Err(why) => write!(text, "  {:>6} lines: {why}", point.lines),
        };
    }
    let exponent = |value: Option<f64>| value.map_or("?".into(), |value| format!("{value:.2}"));
    let _ = write!(
        text,
        "  grows as n^{} (time), n^{} (memory)",
        exponent(growth.exponent_of_time()),
        exponent(growth.exponent_of_memory())
    );
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Time that grows as n², and a size that did not compile.
    pub fn sample() -> Growth {
        let cost = |seconds: f64| Ok(Cost { seconds, memory: 2e7 + seconds * 1e6 });
        Growth {
            shape: "one <huge> function".into(),
            column: "flambeau".into(),
            empty: Cost { seconds: 0.05, memory: 2e7 },
            points: vec![
                Point { lines: 1000, outcome: cost(0.15) },
                Point { lines: 10_000, outcome: cost(10.05) },
                Point { lines: 100_000, outcome: Err("more than 120 s".into()) },
            ],
        }
    }

    #[test]
    fn what_does_not_grow_is_taken_off() {
        let growth = sample();
        assert!(growth.exponent_of_time().is_some_and(|k| (k - 2.0).abs() < 1e-9));
        let text = line(&growth);
        assert!(text.contains("100000 lines: more than 120 s") && text.contains("n^2.00 (time)"), "{text}");
    }

    #[test]
    fn growth_is_read_back() -> Result<()> {
        let text = serde_json::to_string(&sample())?;
        let read: Growth = serde_json::from_str(&text)?;
        assert!(read.points[2].outcome.is_err() && read.points[0].outcome.is_ok());
        Ok(())
    }
}
