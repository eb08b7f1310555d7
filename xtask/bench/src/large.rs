//! `--macro`: real programs of many units. Each is compiled by every compiler, and then measured at its own work.
//!
//! A project of `projects` is built once, by the stock compiler and its own build system. Its log holds the
//! native commands; they are run again with each compiler instead of the stock one. So all compilers compile the same
//! units with the same arguments, and nothing but that is measured. A project of `recipes` is built as its users build
//! it, by the stock compiler and by flambeau; the libraries that it uses are Debian's, of the stock compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use regex::Regex;

use super::callgrind::{self, Counts};
use super::compilers::{self, Column, Maker};
use super::projects::{self, Project};
use super::recipes::{self, Recipe};
use super::record::{Entry, Figures};
use xtask_support::env::{self, Stock};
use xtask_support::process::{self, Outcome};
use xtask_support::trees;
use xtask_support::{figures, source_tree};

/// Compiling one project, or one run of its work.
const LIMIT: Duration = Duration::from_secs(3600);

/// What was measured, and what is above the bounds of a recipe.
#[derive(Default)]
pub struct Measured {
    pub entries: Vec<Entry>,
    pub above: Vec<String>,
}

/// What each compiler's program of a project does, in the folder where that compiler built it.
struct Work<'a> {
    name: &'a str,
    program: &'a str,
    script: &'a str,
    /// Arguments with which the program does nothing.
    start: Option<&'a str>,
    inputs: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

/// Builds the projects whose name matches with each compiler, and runs them alternately. `instructions`: they are
/// counted, too.
pub fn measure(
    stock: &Stock,
    columns: &[Column],
    rounds: usize,
    filter: Option<&Regex>,
    instructions: bool,
) -> Result<Measured> {
    let mut measured = Measured::default();
    if instructions {
        callgrind::install()?;
    }
    for project in projects::all(stock, filter)? {
        println!("{}: {} native commands by each compiler", project.name, project.commands.len());
        measured.entries.push(of_commands(&project, columns, rounds, instructions)?);
    }
    for recipe in recipes::all(filter)? {
        println!("{}: {}", recipe.name, recipe.does);
        // One that can't be fetched or built says nothing about the others.
        match of_recipe(&recipe, columns, rounds, instructions) {
            Ok((entry, above)) => {
                measured.entries.push(entry);
                measured.above.extend(above);
            }
            Err(error) => measured.above.push(format!("{}: {error:#}", recipe.name)),
        }
    }
    Ok(measured)
}

/// The folder in which a column's compiler builds a project: its path is of the same length for all.
fn build_folder(name: &str, column: usize) -> Result<PathBuf> {
    let folder = env::cache("large")?.join("builds");
    fs::create_dir_all(&folder)?;
    Ok(folder.join(format!("{name}-{column:02}")))
}

fn of_commands(project: &Project, columns: &[Column], rounds: usize, instructions: bool) -> Result<Entry> {
    let mut figures: Vec<Option<Figures>> =
        columns.iter().map(|column| (column.maker != Maker::C).then(Figures::default)).collect();
    let mut folders = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let folder = build_folder(project.name, index)?;
        if let Some(figures) = &mut figures[index] {
            trees::copy_tree(&project.tree, &folder)?;
            record(project.name, column, figures, |figures| compile(project, column, &folder, figures));
        }
        folders.push(folder);
    }
    let (program, script) = (project.executable, project.work.as_str());
    let work = Work { name: project.name, program, script, start: None, inputs: None, folders };
    work.measure(&mut figures, rounds, instructions);
    Ok(Entry { name: project.name.into(), group: "large".into(), figures })
}

fn of_recipe(
    recipe: &Recipe,
    columns: &[Column],
    rounds: usize,
    instructions: bool,
) -> Result<(Entry, Vec<String>)> {
    let source = recipe.prepare()?;
    let inputs = recipe.inputs(&source)?;
    // Flambda 1 can't use the libraries.
    let is_built = |column: &Column| matches!(column.maker, Maker::Stock | Maker::Flambeau);
    let mut figures: Vec<Option<Figures>> =
        columns.iter().map(|column| is_built(column).then(Figures::default)).collect();
    let mut folders = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let folder = build_folder(&recipe.name, index)?;
        if let Some(figures) = &mut figures[index] {
            record(&recipe.name, column, figures, |figures| {
                let (ours, all) = recipe.build(column, &source, &folder)?;
                println!("{} by {}: {ours} of {all} units", recipe.name, column.name);
                add_sizes(figures, &folder.join(&recipe.program))
            });
        }
        folders.push(folder);
    }
    let (program, script) = (recipe.program.as_str(), recipe.work.as_str());
    let start = Some(recipe.start.as_str());
    let work = Work { name: &recipe.name, program, script, start, inputs: Some(inputs), folders };
    work.measure(&mut figures, rounds, instructions);
    let mut above = Vec::new();
    for (index, column) in columns.iter().enumerate().filter(|(_, column)| column.maker == Maker::Flambeau) {
        if let (Some(stock), Some(ours)) = (&figures[0], &figures[index])
            && stock.failure.is_none()
            && ours.failure.is_none()
        {
            above.extend(recipe.above(column, [stock, ours], [&work.folders[0], &work.folders[index]])?);
        }
    }
    Ok((Entry { name: recipe.name.clone(), group: "large".into(), figures }, above))
}

/// Does a step; its error is the failure of the figures.
fn record(name: &str, column: &Column, figures: &mut Figures, step: impl FnOnce(&mut Figures) -> Result<()>) {
    if let Err(error) = step(figures) {
        println!("{name} by {}: {error:#}", column.name);
        figures.failure = Some(format!("{error:#}"));
    }
}

/// The sizes of an executable.
fn add_sizes(figures: &mut Figures, executable: &Path) -> Result<()> {
    figures.text = Some(compilers::text_size(executable)? as f64);
    figures.data = Some(compilers::data_size(executable)? as f64);
    Ok(())
}

impl Work<'_> {
    /// Runs the work of all columns alternately. What the stock compiler's program prints is what the others must
    /// print.
    fn measure(&self, figures: &mut [Option<Figures>], rounds: usize, instructions: bool) {
        let mut expected: Option<String> = None;
        for round in 0..rounds {
            for offset in 0..figures.len() {
                let index = if round == 0 { offset } else { (offset + round) % figures.len() };
                let Some(figures) = figures[index].as_mut().filter(|figures| figures.failure.is_none())
                else {
                    continue;
                };
                match self.run(index) {
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
        for (index, figures) in figures.iter_mut().enumerate() {
            let Some(figures) = figures.as_mut().filter(|figures| instructions && figures.failure.is_none())
            else {
                continue;
            };
            if let Err(error) = self.add_instructions(index, figures) {
                println!("{}: no instructions: {error:#}", self.name);
            }
        }
    }

    /// Does the work with the program of one column; its outcome and the words that it allocated.
    fn run(&self, column: usize) -> Result<(Outcome, f64)> {
        let mut command = self.command(self.script, column, None);
        let outcome = process::run(figures::count_words(&mut command), LIMIT)?.expect_success("its work")?;
        let words = words_of_all(&outcome.err())?;
        Ok((outcome, words))
    }

    /// A script in the folder of a column. `counted`: the program that replaces the column's own.
    fn command(&self, script: &str, column: usize, counted: Option<&Path>) -> Command {
        let folder = &self.folders[column];
        let own = folder.join(self.program);
        recipes::script(script, folder, counted.unwrap_or(&own), self.inputs.as_deref())
    }

    /// Counts the instructions of the work, and of a start.
    fn add_instructions(&self, column: usize, figures: &mut Figures) -> Result<()> {
        let count = |script: &str| -> Result<Counts> {
            let temporary = tempfile::Builder::new().prefix("flambeau-callgrind-").tempdir()?;
            let program =
                callgrind::script_program(&self.folders[column].join(self.program), temporary.path())?;
            let mut command = self.command(script, column, Some(&program));
            process::run(&mut command, LIMIT)?.expect_success("its work under valgrind")?;
            callgrind::of_processes(temporary.path())
        };
        let counts = count(self.script)?;
        figures.instructions = Some(counts.total);
        figures.ocaml = Some(counts.ocaml);
        if let Some(start) = self.start {
            figures.start = Some(count(&format!("\"$PROGRAM\" {start}"))?.total);
        }
        Ok(())
    }
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
    add_sizes(figures, &folder.join(project.executable))
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

/// The allocated words of all processes that printed them on one stream.
fn words_of_all(printed: &str) -> Result<f64> {
    /// The counter that a process prints first.
    const FIRST: &str = "allocated_words:";
    let starts: Vec<usize> = printed.match_indices(FIRST).map(|(start, _)| start).collect();
    if starts.is_empty() {
        bail!("no process printed what it allocated");
    }
    let ends = starts.iter().skip(1).copied().chain([printed.len()]);
    starts.iter().zip(ends).map(|(start, end)| figures::words(&printed[*start..end])).sum()
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
/// and FLAGS. `folder` is where they run; dune logs it by itself.
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
        bail!("the log of the build has no native compilation");
    }
    Ok(commands)
}

/// The folder in which a project is prepared.
pub fn cache_folder(name: &str) -> Result<PathBuf> {
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
