//! `--micro`: small functions, each measured for itself. Most are of trials in which flambeau was worse than the stock
//! compiler, or did less than Flambda 1 and 2. The words that each allocates are counted exactly, so that a machine
//! that does other things at the same time gives the same figures. `docs/bench.md` explains them.

mod corpus;
mod outcome;
mod verdict;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use regex::Regex;

use self::corpus::{HARNESS, Program};
use self::outcome::Outcome;
use self::verdict::{Findings, named};
use super::callgrind;
use super::compilers::{Column, Maker};
use xtask_support::cache::{self, Key};
use xtask_support::env;

/// What is measured without `--flambeau-flags`: the default level, and the highest.
pub const FLAGS: [&str; 2] = ["", "-O3"];

/// Measures all programs whose name matches, prints tables, and says whether nothing is worse than by the stock
/// compiler. `columns`: the stock compiler's first.
pub fn run(columns: &[Column], filter: Option<&Regex>, instructions: bool) -> Result<bool> {
    if instructions {
        callgrind::install()?;
    }
    let folder = env::root().join("bench/micro");
    let columns: Vec<Column> = columns.iter().filter(|column| column.maker != Maker::C).cloned().collect();
    let programs = corpus::programs(&folder, filter)?;
    if programs.is_empty() {
        bail!("no program matches the filter: nothing was measured");
    }
    let mut findings = Findings::default();
    for program in &programs {
        let outcomes: Vec<Result<Outcome, String>> = columns
            .iter()
            .map(|column| {
                measured(program, column, &folder.join(HARNESS), instructions)
                    .map_err(|error| format!("{error:#}"))
            })
            .collect();
        print!("{}", table(program, &columns, &outcomes, instructions));
        findings.compare(&program.name, &program.settings, &columns, &outcomes);
    }
    for (title, lines) in
        [("BEHIND", &findings.behind), ("WORSE", &findings.worse), ("WRONG", &findings.wrong)]
    {
        for line in lines {
            println!("{title} {line}");
        }
    }
    println!(
        "{} programs: {} wrong, {} worse than stock, {} behind another optimiser",
        programs.len(),
        findings.wrong.len(),
        findings.worse.len(),
        findings.behind.len()
    );
    Ok(findings.is_good())
}

/// The outcome of a program. That of a compiler which is not ours is kept: it does not change.
fn measured(program: &Program, column: &Column, harness: &Path, instructions: bool) -> Result<Outcome> {
    let measure = || outcome::measure(program, column, harness, instructions);
    if column.maker == Maker::Flambeau {
        return measure();
    }
    let mut key = Key::new("micro 1")
        .with_tool(&column.compiler)?
        .with(column.flags.join(" "))
        .with(&program.settings.flags)
        .with([u8::from(instructions)])
        .with(fs::read(harness)?);
    for source in &program.sources {
        key = key.with(fs::read(source)?);
    }
    cache::remember(&env::cache("micro")?, key, |_| true, measure)
}

/// The tables of a program: words, and instructions if they were counted.
fn table(
    program: &Program,
    columns: &[Column],
    outcomes: &[Result<Outcome, String>],
    instructions: bool,
) -> String {
    let mut text = head(&format!("{}: words", program.name), columns);
    let Some(Ok(stock)) = outcomes.first() else { return text };
    for row in &stock.rows {
        let words = |outcome: &Outcome| named(outcome, &row.name).map(|row| row.words);
        line(&mut text, &row.name, outcomes, words);
    }
    line(&mut text, "(bytes of code)", outcomes, |outcome| Some(outcome.code.text));
    line(&mut text, "(functions)", outcomes, |outcome| Some(outcome.code.functions));
    line(&mut text, "(calls of unknown functions)", outcomes, |outcome| Some(outcome.code.unknown));
    if instructions {
        text.push_str(&head(&format!("{}: instructions", program.name), columns));
        for row in &stock.rows {
            let count = |outcome: &Outcome| named(outcome, &row.name).and_then(|row| row.instructions);
            line(&mut text, &row.name, outcomes, count);
        }
    }
    text.push('\n');
    text
}

fn head(title: &str, columns: &[Column]) -> String {
    let mut text = format!("{title:<62}");
    for column in columns {
        let _ = write!(text, "{:>14}", column.name);
    }
    text.push('\n');
    text
}

/// A line of a figure by all compilers; `!` marks what is more than the stock compiler's.
fn line(
    text: &mut String,
    name: &str,
    outcomes: &[Result<Outcome, String>],
    figure: impl Fn(&Outcome) -> Option<f64>,
) {
    let figures: Vec<Option<f64>> =
        outcomes.iter().map(|outcome| outcome.as_ref().ok().and_then(&figure)).collect();
    let stock = figures.first().copied().flatten();
    let _ = write!(text, "  {name:<60}");
    for value in figures {
        let shown = match (value, stock) {
            (Some(value), Some(stock)) if value > stock => format!("{value:.0}!"),
            (Some(value), _) => format!("{value:.0} "),
            (None, _) => "- ".to_owned(),
        };
        let _ = write!(text, "{shown:>14}");
    }
    text.push('\n');
}
