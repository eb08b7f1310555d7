//! `cargo xtask demo`: four programs of `examples/`, compiled by the stock compiler and by flambeau.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use xtask_support::checks::diff;
use xtask_support::env::{self, Stock};
use xtask_support::shell;
use xtask_support::{figures, process, setup};

/// The programs, and what each shows.
const EXAMPLES: &[(&str, &str)] = &[
    ("raytracer", "floats, records, closures"),
    ("json", "strings, variants, a parser"),
    ("queens", "recursion, integers, lists"),
    ("interpreter", "maps, functors, an evaluator"),
];
/// The fastest of so many runs counts: the others waited for something else.
const RUNS: usize = 3;
const LIMIT: Duration = Duration::from_secs(120);

/// What one compiler made of a program.
struct Measure {
    compile: Duration,
    run: Duration,
    /// Words allocated in both heaps; what was promoted counts once.
    words: f64,
    stdout: String,
}

/// Compiles and runs all examples, and shows a table; whether all printed what they should.
pub fn run() -> Result<bool> {
    setup::run()?;
    let stock = Stock::find()?;
    let flambeau = env::flambeau()?;
    println!(
        "{:<12} {:^26}   {:^26}   {:^26}",
        "", "run time, s", "allocated, million words", "compile time, s"
    );
    let columns = format!("{:>9} {:>9} {:>6}", "stock", "flambeau", "ratio");
    println!("{:<12} {columns}   {columns}   {columns}", "program");
    let mut good = true;
    for (name, shows) in EXAMPLES {
        let examples = env::root().join("examples");
        let expected = fs::read_to_string(examples.join(format!("{name}.expected")))
            .with_context(|| format!("the expected output of examples/{name}.ml"))?;
        let source = examples.join(format!("{name}.ml"));
        let theirs = measure(&stock.ocamlopt, &source)?;
        let ours = measure(&flambeau, &source)?;
        println!(
            "{name:<12} {}   {}   {}   {shows}",
            columns_of(theirs.run.as_secs_f64(), ours.run.as_secs_f64(), 2),
            columns_of(theirs.words / 1e6, ours.words / 1e6, 1),
            columns_of(theirs.compile.as_secs_f64(), ours.compile.as_secs_f64(), 2),
        );
        for (compiler, measure) in [("stock", theirs), ("flambeau", ours)] {
            if measure.stdout != expected {
                good = false;
                println!("{}", diff(&format!("{name} by {compiler}"), &expected, &measure.stdout));
            }
        }
    }
    println!(
        "{}",
        if good {
            "All programs printed what they should."
        } else {
            "Some programs printed something else than they should."
        }
    );
    Ok(good)
}

/// The stock compiler's figure, ours, and the ratio.
fn columns_of(theirs: f64, ours: f64, digits: usize) -> String {
    let ratio = figures::ratio(ours, theirs);
    format!("{theirs:>9.digits$} {ours:>9.digits$} {ratio:>6}")
}

/// Compiles a program in a fresh folder and runs it.
fn measure(compiler: &Path, source: &Path) -> Result<Measure> {
    let temporary = tempfile::Builder::new().prefix("flambeau-demo-").tempdir()?;
    fs::copy(source, temporary.path().join("demo.ml"))
        .with_context(|| format!("cannot copy {}", source.display()))?;
    let mut compile = Duration::MAX;
    for _ in 0..RUNS {
        let mut command = Command::new(compiler);
        shell::clean(&mut command).current_dir(temporary.path());
        command.args(["-o", "demo.exe", "demo.ml"]);
        let outcome = process::run(&mut command, LIMIT)?.expect_success(&format!(
            "{} {}",
            compiler.display(),
            source.display()
        ))?;
        compile = compile.min(outcome.cpu);
    }
    let mut result = Measure { compile, run: Duration::MAX, words: 0.0, stdout: String::new() };
    for _ in 0..RUNS {
        let mut command = Command::new(temporary.path().join("demo.exe"));
        figures::count_words(shell::clean(&mut command));
        let outcome = process::run(&mut command, LIMIT)?
            .expect_success(&format!("the program made from {}", source.display()))?;
        result.run = result.run.min(outcome.cpu);
        result.words = figures::words(&outcome.err())?;
        result.stdout = outcome.out();
    }
    Ok(result)
}
