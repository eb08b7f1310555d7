//! `--macro`: real programs of many units. Each is compiled by every compiler, and then timed at its own work.
//!
//! A project is built once, by the stock compiler and its own build system. What that build told are the native
//! commands; they are run again with each compiler in the stock one's place. So all compilers compile the same
//! units with the same arguments, and nothing but that is measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use regex::Regex;

use super::compilers::{self, Column, Maker};
use super::projects::{self, Project};
use super::record::{Entry, Figures};
use crate::env::{self, Stock};
use crate::process::{self, Outcome};
use crate::{allocation, selfbuild, source_tree};

/// Compiling one project, or one run of its work.
const LIMIT: Duration = Duration::from_secs(3600);

/// Builds the projects whose name matches with each compiler, and runs them in turns.
pub fn measure(
    stock: &Stock,
    columns: &[Column],
    rounds: usize,
    filter: Option<&Regex>,
) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for project in projects::all(stock, filter)? {
        println!("{}: {} native commands by each compiler", project.name, project.commands.len());
        entries.push(one(&project, columns, rounds)?);
    }
    Ok(entries)
}

fn one(project: &Project, columns: &[Column], rounds: usize) -> Result<Entry> {
    let mut figures: Vec<Option<Figures>> =
        columns.iter().map(|column| (column.maker != Maker::C).then(Figures::default)).collect();
    let place = env::cache("large")?.join("builds");
    fs::create_dir_all(&place)?;
    let mut folders = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let folder = place.join(format!("{}-{index:02}", project.name));
        if let Some(figures) = &mut figures[index] {
            selfbuild::copy_tree(&project.tree, &folder)?;
            if let Err(error) = compile(project, column, &folder, figures) {
                println!("{} by {}: {error:#}", project.name, column.name);
                figures.failure = Some(format!("{error:#}"));
            }
        }
        folders.push(folder);
    }
    // What the stock compiler's program prints is what the others must print.
    let mut expected: Option<String> = None;
    for round in 0..rounds {
        for turn in 0..columns.len() {
            let index = if round == 0 { turn } else { (turn + round) % columns.len() };
            let Some(figures) = figures[index].as_mut().filter(|figures| figures.failure.is_none()) else {
                continue;
            };
            match work(project, &folders[index]) {
                Ok((outcome, words)) => {
                    figures.seconds.push(outcome.cpu.as_secs_f64());
                    figures.words = Some(words);
                    if *expected.get_or_insert_with(|| outcome.out()) != outcome.out() {
                        figures.failure = Some("it printed something else than the stock one's".into());
                    }
                }
                Err(error) => figures.failure = Some(format!("{error:#}")),
            }
        }
    }
    Ok(Entry { name: project.name.into(), group: "large".into(), figures })
}

/// Runs a project's native commands with a compiler: their processor time and the most memory that one took.
fn compile(project: &Project, column: &Column, folder: &Path, figures: &mut Figures) -> Result<()> {
    let mut seconds = 0.0;
    let mut memory = 0;
    // Dune names the standard library's folder in its commands; Flambda 1 has one of its own.
    let stock = env::Stock::find()?.library.display().to_string();
    let own = env::line_of(Command::new(&column.compiler).arg("-where"))?;
    // All of them first: a unit that is compiled before another one must not see what the stock compiler made of
    // that, and ocamlbuild's log has such units.
    for command in &project.commands {
        remove_targets(folder, command)?;
    }
    for command in &project.commands {
        let mut shell = shell(&command.replace(&stock, &own), folder);
        compilers::clean(&mut shell).env("COMPILER", &column.compiler).env("FLAGS", column.flags.join(" "));
        let outcome = process::run(&mut shell, LIMIT)?.expect_success(&beginning(command))?;
        seconds += outcome.cpu.as_secs_f64();
        memory = memory.max(outcome.memory);
    }
    figures.compile.push(seconds);
    figures.memory = Some(memory as f64);
    figures.text = Some(compilers::text_size(&folder.join(project.executable))? as f64);
    Ok(())
}

/// As much of a command as a message can take: a link names all units.
fn beginning(command: &str) -> String {
    command.chars().take(200).collect()
}

/// Removes what a command is to make: some build systems take the right to write from what they made.
fn remove_targets(folder: &Path, command: &str) -> Result<()> {
    let words: Vec<&str> = command.split([' ', ')']).collect();
    let Some(target) = words.windows(2).find_map(|pair| (pair[0] == "-o").then_some(pair[1])) else {
        return Ok(());
    };
    let inner = command.strip_prefix('(').unwrap_or(command);
    let at = inner.strip_prefix("cd ").and_then(|rest| rest.split_once(" && ")).map_or("", |(at, _)| at);
    let target = folder.join(at).join(target);
    for file in [target.clone(), target.with_extension("o"), target.with_extension("a")] {
        // A program `x.exe` has no `x.o` of its own.
        let is_other = file != target && target.extension().is_none_or(|extension| extension == "exe");
        if !is_other && file.is_file() {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
    }
    Ok(())
}

/// Runs a project's work with the program of one folder; its outcome and the words that it allocated.
fn work(project: &Project, folder: &Path) -> Result<(Outcome, f64)> {
    let mut shell = shell(&project.work, folder);
    allocation::told(shell.env("PROGRAM", folder.join(project.executable)));
    let outcome = process::run(&mut shell, LIMIT)?.expect_success("its work")?;
    let words = words_of_all(&outcome.err())?;
    Ok((outcome, words))
}

/// The allocated words of all processes that told them on one stream.
fn words_of_all(told: &str) -> Result<f64> {
    /// The counter that a process tells first.
    const FIRST: &str = "allocated_words:";
    let starts: Vec<usize> = told.match_indices(FIRST).map(|(start, _)| start).collect();
    if starts.is_empty() {
        bail!("no process told what it allocated");
    }
    let ends = starts.iter().skip(1).copied().chain([told.len()]);
    starts.iter().zip(ends).map(|(start, end)| allocation::words(&told[*start..end])).sum()
}

/// A script, in an environment without what would change the commands in it.
pub fn shell(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder).env("DUNE_CACHE", "disabled");
    // OCaml's makefile gives this variable to the commands of its library.
    command.env("AWK", "awk");
    source_tree::quiet(&mut command);
    command
}

/// The commands of a build's log that compile, archive or link native code, as scripts with the variables COMPILER
/// and FLAGS. `folder` is where they run; dune tells it by itself.
pub fn native_commands(log: &str, folder: Option<&str>, except: &Regex) -> Result<Vec<String>> {
    let compiler = Regex::new(r"^(\(cd \S+ && |touch \S+\s+; if\s+)?(?:\S*/)?ocamlopt(?:\.opt)? (.*)$")?;
    let joined = log.replace("\\\n", " ");
    let mut commands = Vec::new();
    for line in joined.lines() {
        let line = line.strip_prefix("$ ").unwrap_or(line).trim();
        let Some(found) = compiler.captures(line) else { continue };
        let arguments = &found[2];
        let has = |flag: &str| format!(" {arguments}").contains(flag);
        let makes = [" -c ", " -a ", " -o "].into_iter().any(has);
        let is_interface = has(" -c ") && has(".mli");
        if !makes || is_interface || has("# cached") || except.is_match(line) {
            continue;
        }
        // Dune's begins with `(cd …`; ocamlbuild's to make a pack, with `touch …; if`.
        let before = found.get(1).map_or("", |before| before.as_str());
        let before = match folder {
            Some(folder) if !before.starts_with('(') => format!("cd {folder} && {before}"),
            _ => before.to_owned(),
        };
        commands.push(format!("{before}\"$COMPILER\" $FLAGS {arguments}"));
    }
    if commands.is_empty() {
        bail!("the build tells no native compilation");
    }
    Ok(commands)
}

/// Where a project is prepared.
pub fn place(name: &str) -> Result<PathBuf> {
    Ok(env::cache("large")?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_logs_become_scripts() -> Result<()> {
        let log = "$ (cd _build/default && /usr/bin/ocamlopt.opt -w -40 -o a.cmx -c -impl a.ml)
$ (cd _build/default && /usr/bin/ocamlc.opt -w -40 -o a.cmo -c -impl a.ml)
$ (cd _build/default && /usr/bin/ocamlopt.opt -w -40 -o stage1/b.cmx -c -impl b.ml)
/usr/bin/ocamlopt.opt -config
ocamlopt -nostdlib  \\
   -o stdlib__List.cmx -c list.ml
ocamlopt -a -o x.cmxa list.cmx # cached
touch p.mli  ; if  ocamlopt.opt -pack a.cmx -o p.cmx  ; then  rm -f p.mli ; else exit 1; fi
";
        let found = native_commands(log, Some("stdlib"), &Regex::new("stage1")?)?;
        assert_eq!(
            found,
            [
                "(cd _build/default && \"$COMPILER\" $FLAGS -w -40 -o a.cmx -c -impl a.ml)",
                "cd stdlib && \"$COMPILER\" $FLAGS -nostdlib      -o stdlib__List.cmx -c list.ml",
                "cd stdlib && touch p.mli  ; if  \"$COMPILER\" $FLAGS -pack a.cmx -o p.cmx  ; then  rm -f p.mli ; else exit 1; fi",
            ]
        );
        assert!(native_commands("make: nothing", None, &Regex::new("^$")?).is_err());
        Ok(())
    }

    #[test]
    fn targets_are_removed() -> Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("d"))?;
        for file in ["a.cmx", "a.o", "b.o", "p.exe", "p.o"] {
            fs::write(folder.path().join("d").join(file), "")?;
        }
        remove_targets(folder.path(), "(cd d && \"$COMPILER\" $FLAGS -o a.cmx -c -impl a.ml)")?;
        remove_targets(folder.path(), "cd d && \"$COMPILER\" $FLAGS -o p.exe a.cmx")?;
        remove_targets(folder.path(), "cd d && \"$COMPILER\" $FLAGS -c b.ml")?;
        let left = env::files_below(folder.path())?;
        let mut names: Vec<_> = left.iter().filter_map(|file| file.file_name()).collect();
        names.sort();
        assert_eq!(names, ["b.o", "p.o"]);
        Ok(())
    }

    #[test]
    fn words_of_processes_are_added() -> Result<()> {
        let one = "allocated_words: 9\nminor_words: 10\npromoted_words: 3\nmajor_words: 5\n";
        assert!((words_of_all(&one.repeat(3))? - 36.0).abs() < 1e-9);
        assert!(words_of_all("").is_err());
        Ok(())
    }
}
