//! `--units`: a project of many small units, each compiled by a command of its own, as build systems do. Here counts
//! what each start of the compiler costs and what it reads of other units. What is promised: no more than [`MOST`]
//! times the stock compiler's time without flags.

mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tempfile::TempDir;

use super::compilers::{self, Column, Maker, clean};
use xtask_support::checks::diff;
use xtask_support::env::{self, Stock};
use xtask_support::{payload, process};

/// How many units the project has.
const COUNT: usize = 500;
/// Times of the stock compiler's that the build may take at most.
const MOST: f64 = 1.3;
/// Units that are compiled besides, to see what reading of so many others costs.
const READERS: [&str; 3] = ["nothing.ml", "mentions.ml", "calls.ml"];
/// How many units these mention.
const MENTIONED: usize = 100;
/// How often these are compiled.
const ROUNDS: usize = 20;
/// How long a command may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// What commands took, in seconds.
#[derive(Clone, Copy)]
struct Cost {
    clock: f64,
    /// User and system.
    processor: f64,
}

impl Cost {
    const NOTHING: Cost = Cost { clock: 0.0, processor: 0.0 };

    fn and(self, other: Cost) -> Cost {
        Cost { clock: self.clock + other.clock, processor: self.processor + other.processor }
    }
}

/// The least of each of the times: other processes only ever add to them.
fn keep_least(least: &mut Option<Cost>, cost: Cost) {
    *least = Some(least.map_or(cost, |least| Cost {
        clock: least.clock.min(cost.clock),
        processor: least.processor.min(cost.processor),
    }));
}

/// What a command of the build makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Product {
    Interface,
    Unit,
    Program,
}

/// A command of the build.
struct Step {
    product: Product,
    arguments: Vec<String>,
    /// The least cost by each compiler so far.
    costs: Vec<Option<Cost>>,
}

/// A project with a folder for each compiler.
pub struct Project<'a> {
    temporary: TempDir,
    count: usize,
    columns: &'a [Column],
    steps: Vec<Step>,
}

/// Bytes of all units of a project.
#[derive(Default)]
struct Bytes {
    /// Of the `.cmx` files.
    cmx: usize,
    /// What of them is our payload.
    payloads: usize,
    /// Of code.
    text: u64,
}

/// The compilers without flags, and ours with other flags.
#[must_use]
pub fn columns(stock: &Path, flambeau: &Path, others: &[String]) -> Vec<Column> {
    let mut columns = vec![
        Column::new(Maker::Stock, stock.to_owned(), ""),
        Column::new(Maker::Flambeau, flambeau.to_owned(), ""),
    ];
    for flags in others.iter().filter(|flags| !flags.trim().is_empty()) {
        columns.push(Column::new(Maker::Flambeau, flambeau.to_owned(), flags));
    }
    columns
}

/// Builds the project so often by the stock compiler, by ours, and by ours with each of these flags, prints what that
/// took, and returns whether the bound is kept.
///
/// # Errors
///
/// Fails if a compiler is missing, if a command fails, or if the programs print different things.
pub fn run(runs: usize, flags: &[String]) -> Result<bool> {
    let default = ["-O3".to_owned()];
    let flags = if flags.is_empty() { &default } else { flags };
    let columns = columns(&Stock::find()?.ocamlopt, &env::flambeau()?, flags);
    let mut project = Project::new(COUNT, &columns)?;
    for _ in 0..runs {
        project.build()?;
    }
    project.same_output()?;
    let kept = project.print_times();
    project.print_bytes()?;
    project.print_reading()?;
    Ok(kept)
}

impl<'a> Project<'a> {
    /// A project of so many units, written but not compiled.
    ///
    /// # Errors
    ///
    /// Fails if the sources cannot be written.
    pub fn new(count: usize, columns: &'a [Column]) -> Result<Project<'a>> {
        let temporary = tempfile::Builder::new().prefix("flambeau-units-").tempdir()?;
        let mut steps = Vec::new();
        let mut step = |product, arguments: Vec<String>| {
            steps.push(Step { product, arguments, costs: vec![None; columns.len()] });
        };
        let mut files = Vec::new();
        for unit in 0..count {
            if let Some(text) = sources::interface(unit) {
                let name = format!("u{unit}.mli");
                step(Product::Interface, vec!["-c".into(), name.clone()]);
                files.push((name, text));
            }
            let name = format!("u{unit}.ml");
            step(Product::Unit, vec!["-c".into(), name.clone()]);
            files.push((name, sources::implementation(unit)));
        }
        step(Product::Unit, vec!["-c".into(), "main.ml".into()]);
        files.push(("main.ml".into(), sources::main(count)));
        let objects = (0..count).map(|unit| format!("u{unit}.cmx"));
        step(
            Product::Program,
            ["-o".into(), "main.exe".into()].into_iter().chain(objects).chain(["main.cmx".into()]).collect(),
        );
        let mentioned = count.min(MENTIONED);
        let readers = [sources::mentions(0), sources::mentions(mentioned), sources::calls(mentioned)];
        files.extend(READERS.map(str::to_owned).into_iter().zip(readers));
        let project = Project { temporary, count, columns, steps };
        for column in 0..columns.len() {
            fs::create_dir(project.folder(column))?;
            for (name, text) in &files {
                fs::write(project.folder(column).join(name), text)?;
            }
        }
        Ok(project)
    }

    fn folder(&self, column: usize) -> PathBuf {
        self.temporary.path().join(column.to_string())
    }

    /// Builds it by all compilers, each command by one after the other, so that what else the machine does meets all
    /// alike.
    ///
    /// # Errors
    ///
    /// Fails if a compiler fails.
    pub fn build(&mut self) -> Result<()> {
        for index in 0..self.steps.len() {
            for offset in 0..self.columns.len() {
                let column = (index + offset) % self.columns.len();
                let cost = self.command(column, &self.steps[index].arguments)?;
                keep_least(&mut self.steps[index].costs[column], cost);
            }
        }
        Ok(())
    }

    /// Runs a compiler in its folder.
    fn command(&self, column: usize, arguments: &[String]) -> Result<Cost> {
        let Column { name, compiler, flags, .. } = &self.columns[column];
        let mut command = Command::new(compiler);
        clean(&mut command).current_dir(self.folder(column)).args(flags).args(["-w", "-a"]).args(arguments);
        let start = Instant::now();
        let outcome = process::run(&mut command, LIMIT)?;
        let clock = start.elapsed().as_secs_f64();
        let outcome = outcome.expect_success(&format!("{name}: {}", arguments.join(" ")))?;
        Ok(Cost { clock, processor: outcome.cpu.as_secs_f64() })
    }

    /// Runs the programs, which must print the same.
    ///
    /// # Errors
    ///
    /// Fails if a program fails, or prints something else than the first.
    pub fn same_output(&self) -> Result<()> {
        let mut printed = Vec::new();
        for column in 0..self.columns.len() {
            let mut program = Command::new(self.folder(column).join("main.exe"));
            let outcome = process::run(clean(&mut program), LIMIT)?;
            printed.push(outcome.expect_success(&self.columns[column].name)?.out());
        }
        for (column, text) in self.columns.iter().zip(&printed) {
            if *text != printed[0] {
                bail!("{}", diff(&column.name, &printed[0], text));
            }
        }
        Ok(())
    }

    /// What the commands of a kind took by a compiler, or all of them.
    fn cost(&self, column: usize, product: Option<Product>) -> Cost {
        self.steps
            .iter()
            .filter(|step| product.is_none_or(|product| product == step.product))
            .filter_map(|step| step.costs[column])
            .fold(Cost::NOTHING, Cost::and)
    }

    /// Prints the times, and returns whether ours without flags is within the bound.
    fn print_times(&self) -> bool {
        println!(
            "{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
            format!("{} units, seconds", self.count),
            "clock",
            "/ stock",
            "user+sys",
            "/ stock",
            ".mli",
            ".ml",
            "link"
        );
        let stock = self.cost(0, None);
        let mut kept = true;
        for (index, column) in self.columns.iter().enumerate() {
            let all = self.cost(index, None);
            let part = |product| self.cost(index, Some(product)).processor;
            println!(
                "{:<24}{:>9.2}{:>9.2}{:>9.2}{:>9.2}{:>9.2}{:>9.2}{:>9.2}",
                column.name,
                all.clock,
                all.clock / stock.clock,
                all.processor,
                all.processor / stock.processor,
                part(Product::Interface),
                part(Product::Unit),
                part(Product::Program)
            );
            kept &= !column.flags.is_empty() || all.clock <= MOST * stock.clock;
        }
        if !kept {
            println!("ABOVE {MOST} times the stock compiler's time");
        }
        kept
    }

    /// Prints what the units take on the disk.
    fn print_bytes(&self) -> Result<()> {
        println!("{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}", "bytes", ".cmx", "a unit", "payloads", "a unit", "text");
        for (index, column) in self.columns.iter().enumerate() {
            let bytes = self.bytes(index)?;
            println!(
                "{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}",
                column.name,
                bytes.cmx,
                bytes.cmx / self.count,
                bytes.payloads,
                bytes.payloads / self.count,
                bytes.text
            );
        }
        Ok(())
    }

    fn bytes(&self, column: usize) -> Result<Bytes> {
        let mut sum = Bytes::default();
        for unit in 0..self.count {
            let cmx = fs::read(self.folder(column).join(format!("u{unit}.cmx")))?;
            sum.cmx += cmx.len();
            sum.payloads += cmx.len() - payload::layout(&cmx)?.digest;
            sum.text += compilers::text_size(&self.folder(column).join(format!("u{unit}.o")))?;
        }
        Ok(sum)
    }

    /// Prints what a unit costs that has nothing in it, and what it costs more for each other unit that it mentions, or
    /// calls a function of.
    fn print_reading(&self) -> Result<()> {
        println!(
            "{:<24}{:>12}{:>18}{:>18}",
            "user+sys, ms", "empty unit", "a unit mentioned", "a unit called"
        );
        let mut costs = vec![[None; READERS.len()]; self.columns.len()];
        for _ in 0..ROUNDS {
            for (column, costs) in costs.iter_mut().enumerate() {
                for (name, least) in READERS.into_iter().zip(costs) {
                    keep_least(least, self.command(column, &["-c".into(), name.into()])?);
                }
            }
        }
        for (column, costs) in self.columns.iter().zip(costs) {
            let [nothing, mentions, calls] = costs.map(|cost| cost.map_or(0.0, |cost| cost.processor * 1e3));
            let each = |cost: f64| (cost - nothing) / self.count.min(MENTIONED) as f64;
            println!("{:<24}{nothing:>12.1}{:>18.2}{:>18.2}", column.name, each(mentions), each(calls));
        }
        Ok(())
    }
}
