//! Decisions depend on the code alone (features B17): a file that is moved, renamed, or laid out differently, or
//! that is compiled after another one, gives the same assembly, but for the unit's name and for source locations.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use flambeau_fuzzgen::{Options as Shape, Program, RUNTIME, RUNTIME_FILE};
use regex::Regex;

use xtask_support::checks::{self, Tally};
use xtask_support::shell;
use xtask_support::{env, process, queue};

/// How many random programs are tried.
const RANDOM: usize = 30;
/// How long a compilation may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);
/// Each source is compiled with two of these sets, its neighbour with the other two.
const FLAGS: [[&[&str]; 2]; 2] = [[&[], &["-O3", "-g"]], [&["-g"], &["-O3"]]];
/// A source file that nothing else of its program needs.
struct Subject {
    /// Of the file, without extension.
    name: String,
    text: String,
}

/// What is done to a file that must not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// It is in another folder, and the compiler is started elsewhere.
    Moved,
    /// The other name comes elsewhere in an order of names. It has the same length, because constants have the name in
    /// them (of exceptions, of files), and so their sizes.
    Renamed,
    /// Blank lines and comments stand between the lines.
    Spaced,
    /// The compiler has compiled another file before it.
    Second,
}

const CHANGES: &[Change] = &[Change::Moved, Change::Renamed, Change::Spaced, Change::Second];

/// Checks the benchmark programs and some random ones whose name matches.
pub fn checks(filter: Option<&Regex>, jobs: usize) -> Result<Tally> {
    let compiler = env::flambeau()?;
    // What random programs print with is compiled once for all.
    let library = tempfile::Builder::new().prefix("flambeau-stability-").tempdir()?;
    fs::write(library.path().join(RUNTIME_FILE), RUNTIME)?;
    compile(&compiler, library.path(), &[RUNTIME_FILE])?;
    let stock = env::Stock::find()?.ocamlopt;
    // On some random programs OCaml's front end fails (docs/fuzzing.md).
    let subjects = subjects(|subject| assembly(&stock, library.path(), subject, &[], None).is_ok());
    let mut subjects: Vec<(usize, Subject)> = subjects?.into_iter().enumerate().collect();
    subjects.retain(|(_, subject)| {
        filter.is_none_or(|filter| filter.is_match(&format!("stability-{}", subject.name)))
    });
    let outcomes = queue::map(jobs, "stability", &subjects, |(number, subject)| {
        check(&compiler, library.path(), subject, &FLAGS[number % FLAGS.len()])
    });
    let mut tally = Tally::default();
    for ((_, subject), outcome) in subjects.iter().zip(outcomes) {
        tally.record(format!("stability-{}", subject.name), outcome.map_err(|error| format!("{error:#}")));
    }
    Ok(tally)
}

/// `compiles`: whether a random one can be compiled.
fn subjects(compiles: impl Fn(&Subject) -> bool) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    let mut files = env::files_below(&env::root().join("bench/programs"))?;
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "ml")) {
        let name = file.file_stem().context("a file without name")?.to_string_lossy().into_owned();
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        subjects.push(Subject { name, text });
    }
    let random = (0..)
        .map(|seed| Program::generate(seed, &Shape::default()))
        .filter(|program| program.units.len() == 1)
        .map(|program| Subject {
            name: format!("random_{}", program.seed),
            text: program.units[0].body.to_text(),
        })
        .filter(compiles);
    subjects.extend(random.take(RANDOM));
    Ok(subjects)
}

/// All changes with each set of flags; the first difference is the error.
fn check(compiler: &Path, library: &Path, subject: &Subject, sets: &[&[&str]]) -> Result<()> {
    for flags in sets {
        let expected = assembly(compiler, library, subject, flags, None)?;
        for change in CHANGES {
            let actual = assembly(compiler, library, subject, flags, Some(*change))?;
            if expected != actual {
                bail!("{change:?}, {}\n{}", flags.join(" "), checks::diff("assembly", &expected, &actual));
            }
        }
    }
    Ok(())
}

/// The assembly that the compiler makes of a file, without the name of the unit and source locations.
fn assembly(
    compiler: &Path,
    library: &Path,
    subject: &Subject,
    flags: &[&str],
    change: Option<Change>,
) -> Result<String> {
    let temporary = tempfile::Builder::new().prefix("flambeau-stability-").tempdir()?;
    let mut name = subject.name.clone();
    let mut text = subject.text.clone();
    let mut folder = PathBuf::new();
    let mut before = None;
    match change {
        Some(Change::Moved) => folder = PathBuf::from("another/folder"),
        Some(Change::Renamed) => name = other_name(&name),
        Some(Change::Spaced) => text = spaced(&text),
        Some(Change::Second) => before = Some("first.ml"),
        None => {}
    }
    fs::create_dir_all(temporary.path().join(&folder))?;
    let source = folder.join(format!("{name}.ml"));
    fs::write(temporary.path().join(&source), text)?;
    let source = source.to_string_lossy();
    let library = library.to_string_lossy();
    let mut arguments = vec!["-I", &*library, "-S"];
    arguments.extend(flags);
    if let Some(first) = before {
        fs::write(
            temporary.path().join(first),
            "let f x = List.map (fun y -> x + y) [ 1; 2 ]\nlet () = assert (f 1 <> [])\n",
        )?;
        arguments.push(first);
    }
    arguments.push(&source);
    compile(compiler, temporary.path(), &arguments)?;
    let assembly = temporary.path().join(folder).join(format!("{name}.s"));
    let assembly =
        fs::read_to_string(&assembly).with_context(|| format!("cannot read {}", assembly.display()))?;
    Ok(normalised(&assembly, &name))
}

fn compile(compiler: &Path, folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(compiler);
    shell::own_flags(shell::clean(&mut command)).current_dir(folder);
    process::run(command.args(["-w", "-a", "-c"]).args(arguments), LIMIT)?
        .expect_success("it does not compile")?;
    Ok(())
}

/// The text with comments and blank lines after each line that ends outside of comments and strings.
fn spaced(text: &str) -> String {
    let mut result = String::with_capacity(text.len() * 2);
    let mut at = Nesting::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        result.push_str(line);
        at.pass(line);
        if at == Nesting::default() && line.ends_with('\n') {
            let _ = match index % 3 {
                0 => writeln!(result),
                1 => writeln!(result, "   (* {index} lines were before this one *)"),
                _ => writeln!(result, "\n(* a comment\n   of several lines *)\n\n"),
            };
        }
    }
    result
}

/// What is open at a position of a source text: comments and strings.
#[derive(Debug, Default, PartialEq)]
struct Nesting {
    /// How many comments are open.
    comments: usize,
    /// What ends the string that is open.
    string: Option<String>,
}

impl Nesting {
    /// Advances over a piece of text that ends where a line does.
    fn pass(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let mut step = c.len_utf8();
            if let Some(end) = &self.string {
                if rest.starts_with(end.as_str()) {
                    step = end.len();
                    self.string = None;
                } else if end == "\"" && c == '\\' {
                    step += rest[step..].chars().next().map_or(0, char::len_utf8);
                }
            } else if rest.starts_with("(*") && !rest.starts_with("(*)") {
                self.comments += 1;
                step = 2;
            } else if rest.starts_with("*)") && self.comments > 0 {
                self.comments -= 1;
                step = 2;
            } else if rest.starts_with("'\"'") {
                step = 3;
            } else if rest.starts_with("'\\\"'") {
                step = 4;
            } else if c == '"' {
                self.string = Some("\"".into());
            } else if c == '{' {
                let name = rest[1..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').count();
                if rest[1 + name..].starts_with('|') {
                    self.string = Some(format!("|{}}}", &rest[1..=name]));
                    step = name + 2;
                }
            }
            rest = &rest[step..];
        }
    }
}

/// Another name of the same length.
fn other_name(name: &str) -> String {
    name.chars()
        .rev()
        .map(|c| if c.is_ascii_alphabetic() { 'z' } else { c })
        .enumerate()
        .map(|(index, c)| if index == 0 { 'y' } else { c })
        .collect()
}

/// Assembly without the name of its unit, the numbers of labels, and without source locations: lines of the source, the
/// constants that `assert` and incomplete matches raise with, and the descriptors of backtraces.
fn normalised(assembly: &str, name: &str) -> String {
    let unit = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    // Exceptions have the name of their unit in theirs.
    let renamed =
        assembly.replace(&format!("caml{unit}"), "camlUNIT").replace(&format!("\"{unit}."), "\"UNIT.");
    let renamed = with_labels_in_order(&renamed);
    let lines: Vec<&str> = renamed.lines().collect();
    // The string that names the file is a datum, a line or two of `.ascii`, with its padding.
    let file = format!("\"{name}.ml\"");
    let mut result = String::with_capacity(renamed.len());
    let mut of_file: Vec<String> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.contains(".ascii") && line.replace("another/folder/", "").contains(&file) {
            let label = lines[..index].iter().rev().find_map(|line| line.strip_suffix(':'));
            of_file.extend(label.map(str::to_owned));
        }
    }
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index].trim();
        index += 1;
        if line.starts_with(".file") || line.starts_with(".loc") {
            continue;
        }
        if line.strip_suffix(':').is_some_and(|label| label.ends_with("frametable")) {
            // Only source locations are left from here on, and the offsets of what is live, which the code itself
            // shows.
            break;
        }
        if line.strip_prefix(".quad").is_some_and(|datum| of_file.iter().any(|label| label == datum.trim())) {
            result.push_str("LOCATION\n");
            // Its line and its column.
            index += 2;
            continue;
        }
        if let Some(label) = line.strip_suffix(':')
            && of_file.iter().any(|file| file == label)
        {
            // Its header holds its length.
            if let Some(header) = result.rfind("\n.quad") {
                result.truncate(header);
            }
            result.push_str("\nFILE\n");
            while index < lines.len() && !lines[index].trim_start().starts_with(".byte") {
                index += 1;
            }
            index += 1;
            continue;
        }
        result.push_str(line);
        result.push('\n');
    }
    result
}

/// Numbers local labels as they occur: the first number depends on what the process compiled before.
fn with_labels_in_order(assembly: &str) -> String {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut result = String::with_capacity(assembly.len());
    let mut pieces = assembly.split(".L");
    result.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let (number, rest) = piece.split_at(end);
        let next = numbers.len();
        let _ = write!(result, ".L{}{rest}", numbers.entry(number).or_insert(next));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_between_lines_only() {
        let text = "let a = \"x\n y\" (* z\n *)\nlet b = {q|\n|} |q}\nlet c = '\"'\n";
        let spaced = spaced(text);
        assert!(spaced.contains("\"x\n y\" (* z\n *)\n"), "{spaced}");
        assert!(spaced.contains("{q|\n|} |q}\n"), "{spaced}");
        assert!(spaced.lines().count() > text.lines().count() + 2);
    }

    #[test]
    fn only_names_and_locations_are_taken_out() {
        let assembly = |unit: &str, file: &str, line: u32, code: &str| {
            format!(
                "\t.file \"\"\ncaml{unit}__f:\n\t.loc 1 {line}\n\t{code}\n\t.quad 2812\n\t.globl caml{unit}__1\ncaml{unit}__1:\n\t.ascii \"{file}.ml\"\n\t\
                 .space 2\n\t.byte 2\n\t.quad caml{unit}__1\n\t.quad {line}\n\t.quad 7\n\t.quad 9\ncaml{unit}__frametable:\n\t.quad {line}\n"
            )
        };
        let one = normalised(&assembly("Abc", "abc", 3, "ret"), "abc");
        assert_eq!(one, normalised(&assembly("Xyz_", "xyz_", 5, "ret"), "xyz_"));
        assert_ne!(one, normalised(&assembly("Abc", "abc", 3, "nop"), "abc"));
        assert!(one.contains(".quad 9"));
    }
}
