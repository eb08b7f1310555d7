//! Compiling and running the programs by all compilers.
//!
//! The compilers alternate, program by program and round by round: whatever else the machine does, and however
//! its clock changes, meets all of them alike. What one compilation or run costs is processor time, which a busy
//! machine disturbs less than the clock on the wall.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;

use super::compilers::{self, Column, Maker};
use super::corpus::Program;
use super::instructions;
use super::record::{Entry, Figures};
use xtask_support::process::Outcome;
use xtask_support::shell;
use xtask_support::{figures, process};

/// A program that takes a second with the stock compiler must not hold up the rest for longer.
const LIMIT: Duration = Duration::from_secs(60);

/// Measures programs; `rounds` times each.
pub fn measure(programs: &[Program], columns: &[Column], rounds: usize) -> Result<Vec<Entry>> {
    let temporary = tempfile::Builder::new().prefix("flambeau-bench-").tempdir()?;
    let count_instructions = instructions::can_be_counted();
    let mut entries: Vec<Entry> = programs.iter().map(|program| entry(program, columns)).collect();
    let bar = ProgressBar::new((rounds * programs.len()) as u64);
    for round in 0..rounds {
        for (program, entry) in programs.iter().zip(&mut entries) {
            for offset in 0..columns.len() {
                // Another one begins each time, so that none always runs after the same neighbour.
                let index = (offset + round) % columns.len();
                let Some(figures) = &mut entry.figures[index] else { continue };
                if figures.failure.is_some() {
                    continue;
                }
                let one = One {
                    program,
                    column: &columns[index],
                    folder: folder(temporary.path(), index, program),
                };
                let outcome =
                    if round == 0 { one.first(figures, count_instructions) } else { one.again(figures) };
                if let Err(error) = outcome {
                    figures.failure = Some(format!("{error:#}"));
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(entries)
}

/// The entry of a program, with no figures yet.
fn entry(program: &Program, columns: &[Column]) -> Entry {
    let figures = columns
        .iter()
        .map(|column| {
            let exists = column.maker != Maker::C || program.in_c.is_some();
            exists.then(Figures::default)
        })
        .collect();
    Entry { name: program.name.clone(), group: program.group.clone(), figures }
}

/// Where a column compiles a program. The paths are of the same length for all columns.
fn folder(temporary: &Path, column: usize, program: &Program) -> PathBuf {
    temporary.join(format!("{column:02}")).join(&program.name)
}

/// One program by one compiler.
struct One<'a> {
    program: &'a Program,
    column: &'a Column,
    folder: PathBuf,
}

impl One<'_> {
    /// The first time: the executable is made, and what is the same each time is measured.
    fn first(&self, figures: &mut Figures, count_instructions: bool) -> Result<()> {
        let name = &self.program.name;
        let source = if self.column.maker == Maker::C {
            self.program.in_c.as_deref().context("there is no such program in C")?
        } else {
            &self.program.source
        };
        fs::create_dir_all(&self.folder)?;
        fs::copy(source, self.folder.join(source.file_name().context("a source without name")?))?;
        self.compile(figures)?;
        self.column.link(&self.folder, name)?;
        figures.text = Some(compilers::text_size(&self.folder.join(format!("{name}.o")))? as f64);
        self.run(figures)?;
        if count_instructions {
            figures.instructions = Some(instructions::count(&self.executable(), LIMIT)?);
        }
        Ok(())
    }

    /// Once more, for the times.
    fn again(&self, figures: &mut Figures) -> Result<()> {
        self.compile(figures)?;
        self.run(figures)
    }

    fn executable(&self) -> PathBuf {
        self.folder.join(format!("{}.exe", self.program.name))
    }

    fn compile(&self, figures: &mut Figures) -> Result<()> {
        let compilation = self.column.compile(&self.folder, &self.program.name)?;
        figures.compile.push(compilation.seconds);
        figures.middle.extend(compilation.middle);
        let least = figures.memory.unwrap_or(f64::INFINITY);
        figures.memory = Some(least.min(compilation.memory as f64));
        Ok(())
    }

    fn run(&self, figures: &mut Figures) -> Result<()> {
        let outcome = run(&self.executable())?;
        if outcome.out() != self.program.expected {
            bail!("it printed something else than it should");
        }
        figures.seconds.push(outcome.cpu.as_secs_f64());
        if self.column.maker != Maker::C {
            figures.words = Some(figures::words(&outcome.err())?);
        }
        Ok(())
    }
}

/// Runs an executable; the runtime's counters are on its standard error.
fn run(executable: &Path) -> Result<Outcome> {
    let mut command = Command::new(executable);
    figures::count_words(shell::clean(&mut command));
    process::run(&mut command, LIMIT)?.expect_success("it does not run")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With gcc instead of every compiler: what is wrong is reported, and nothing else stops.
    #[test]
    fn a_wrong_result_is_a_failure() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let source = folder.path().join("p.c");
        fs::write(&source, "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }\n")?;
        let program = |name: &str, expected: &str| Program {
            name: name.into(),
            group: "g".into(),
            source: source.clone(),
            expected: expected.into(),
            in_c: Some(source.clone()),
        };
        let columns = [Column::new(Maker::C, PathBuf::from("gcc"), "-O2")];
        let entries = measure(&[program("p", "1\n"), program("p", "2\n")], &columns, 2)?;
        let figures = |index: usize| entries[index].figures(0).cloned().unwrap_or_default();
        assert_eq!((figures(0).seconds.len(), figures(0).compile.len()), (2, 2));
        assert_eq!(figures(0).failure, None);
        assert!(figures(1).failure.is_some_and(|why| why.contains("printed")));
        Ok(())
    }
}
