//! `cargo xtask conformance`: OCaml's own test suite, run with the stock native compiler and with flambeau.
//!
//! `ocamltest` takes everything from the folder that `OCAMLSRCDIR` names: for flambeau that is a folder of links
//! to the built source tree, in which `ocamlopt` and `ocamlopt.opt` lead to flambeau.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use regex::Regex;

use xtask_support::env::{self, Stock};
use xtask_support::ocaml::bounds::Bounds;
use xtask_support::{process, queue, setup, source_tree};

/// For all tests of a folder; each test has its own limit, below.
const FOLDER_LIMIT: Duration = Duration::from_secs(3 * 3600);
/// Seconds for one test. The longest take some ten on an idle machine.
const TEST_LIMIT: u32 = 300;
/// Where the differences that can't be helped are explained.
const EXPLANATIONS: &str = "docs/conformance.md";

/// The options of `cargo xtask conformance`.
#[derive(Args)]
pub struct Options {
    /// Only the test folders whose name matches, for example `tests/(basic|lib-).*`
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// How many test folders at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
    /// Run the tests with the stock compiler again, instead of taking the results of an earlier run
    #[arg(long)]
    fresh: bool,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Passed,
    Skipped,
    Failed,
    /// A test that it depends on was skipped or failed.
    NotStarted,
}

/// A test: the file below the test suite's folder, the number of the test in that file, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Test {
    file: String,
    number: String,
    action: String,
}

type Results = BTreeMap<Test, Status>;

/// Runs the tests and prints the differences; whether all of them are explained.
///
/// # Errors
///
/// Fails if OCaml's sources cannot be had or built, if no test folder matches, or if a test cannot be run.
pub fn run(options: &Options) -> Result<bool> {
    setup::run()?;
    let stock = Stock::find()?;
    let tree = source_tree::built(&stock)?;
    let overlay = overlay(&tree, &env::flambeau()?)?;
    let folders = test_folders(&tree, options.filter.as_ref())?;
    if folders.is_empty() {
        bail!("no test folder matches");
    }
    let jobs = queue::workers(options.jobs);
    let runs = env::cache("conformance")?;
    let suite = |name: &str, compilers: &Path, again: bool| -> Result<Results> {
        let logs = runs.join(name);
        fs::create_dir_all(&logs)?;
        let results =
            queue::map(jobs, name, &folders, |folder| run_folder(&tree, compilers, folder, &logs, again));
        let mut all = Results::new();
        for results in results {
            all.extend(results?);
        }
        Ok(all)
    };
    let theirs = suite("stock", &tree, options.fresh)?;
    let ours = suite("flambeau", &overlay, true)?;
    print_totals("stock", &theirs);
    print_totals("flambeau", &ours);
    let path = env::root().join(EXPLANATIONS);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let ran = |file: &str| theirs.keys().any(|test| test.file == file);
    let verdict = judge(&theirs, &ours, &explanations(&text, &stock.version)?, ran);
    verdict.print(&runs.join("flambeau"));
    Ok(verdict.is_good())
}

/// A folder like the built tree, but with flambeau as its native compilers.
fn overlay(tree: &Path, flambeau: &Path) -> Result<PathBuf> {
    let overlay = env::cache("conformance")?.join("overlay");
    if overlay.exists() {
        fs::remove_dir_all(&overlay)?;
    }
    fs::create_dir_all(&overlay)?;
    for entry in fs::read_dir(tree)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != "ocamlopt" && name != "ocamlopt.opt" {
            symlink(entry.path(), overlay.join(&name))?;
        }
    }
    symlink(flambeau, overlay.join("ocamlopt.opt"))?;
    // Tests call `ocamlrun ocamlopt` too: there it must be a bytecode program. Its own name must lead nowhere else
    // than to flambeau, and the exit code must come through.
    let wrapper = overlay.join("flambeau_wrapper.ml");
    let flambeau = flambeau.to_string_lossy();
    fs::write(
        &wrapper,
        format!(
            "let arguments = List.tl (Array.to_list Sys.argv)\n\
             let () = exit (Sys.command (\"exec \" ^ Filename.quote_command {{|{flambeau}|}} arguments))\n"
        ),
    )?;
    let mut compile = Command::new(tree.join("ocamlc.opt"));
    source_tree::quiet(&mut compile)
        .args(["-nostdlib", "-I"])
        .arg(tree.join("stdlib"))
        .arg(&wrapper)
        .arg("-o")
        .arg(overlay.join("ocamlopt"));
    process::run(&mut compile, FOLDER_LIMIT)?.expect_success("the wrapper around flambeau")?;
    Ok(overlay)
}

/// The folders that hold tests, relative to the test suite's own.
fn test_folders(tree: &Path, filter: Option<&Regex>) -> Result<Vec<String>> {
    let mut command = Command::new(tree.join("ocamltest/ocamltest.opt"));
    command.args(["-find-test-dirs", "tests"]).current_dir(tree.join("testsuite"));
    let mut folders: Vec<String> = process::run(&mut command, FOLDER_LIMIT)?
        .expect_success("ocamltest -find-test-dirs")?
        .out()
        .lines()
        .map(str::to_owned)
        .filter(|folder| filter.is_none_or(|filter| filter.is_match(folder)))
        .collect();
    folders.sort();
    Ok(folders)
}

/// Runs the tests of a folder, or takes the results of an earlier run. The log stays in `logs`.
fn run_folder(tree: &Path, compilers: &Path, folder: &str, logs: &Path, again: bool) -> Result<Results> {
    let name = folder.replace('/', "__");
    let log = logs.join(format!("{name}.log"));
    if !again && let Ok(text) = fs::read_to_string(&log) {
        return parse(folder, &text);
    }
    let output = logs.join(name);
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    let variables =
        format!("OCAMLTESTENV=OCAMLTESTDIR={} OCAMLSRCDIR={}", output.display(), compilers.display());
    let mut command = Command::new("nice");
    command
        .args(["make", "--silent", "exec-ocamltest"])
        .arg(format!("DIR={folder}"))
        .arg(format!("TIMEOUT={TEST_LIMIT}"))
        .arg(variables)
        .current_dir(tree.join("testsuite"));
    let outcome = process::run(source_tree::quiet(&mut command), FOLDER_LIMIT)?
        .expect_success(&format!("the tests of {folder}"))?;
    let text = outcome.all_output();
    let results = parse(folder, &text)?;
    fs::write(&log, text)?;
    Ok(results)
}

/// Reads the lines ` ... testing 'FILE' with NUMBER (ACTION) => RESULT` of ocamltest.
fn parse(folder: &str, log: &str) -> Result<Results> {
    let line_of_test = Regex::new(
        r"^ \.\.\. testing '([^']+)'(?: with (?:line )?(\S+) \(([^)]*)\))? => (passed|failed|skipped|n/a|unexpected error)",
    )?;
    let mut results = Results::new();
    for line in log.lines().filter(|line| line.contains("... testing '")) {
        let parts = line_of_test
            .captures(line)
            .with_context(|| format!("cannot understand ocamltest's line: {line}"))?;
        let part = |index: usize| parts.get(index).map_or("", |part| part.as_str()).to_owned();
        let status = match &parts[4] {
            "passed" => Status::Passed,
            "skipped" => Status::Skipped,
            "n/a" => Status::NotStarted,
            _ => Status::Failed,
        };
        let test = Test { file: format!("{folder}/{}", part(1)), number: part(2), action: part(3) };
        // The same test may be reported twice; a failure is never forgotten.
        let entry = results.entry(test).or_insert(status);
        if status == Status::Failed {
            *entry = status;
        }
    }
    if results.is_empty() {
        bail!("no test ran in {folder}: {}", process::tail(log, 10));
    }
    Ok(results)
}

fn print_totals(name: &str, results: &Results) {
    let count = |status| results.values().filter(|found| **found == status).count();
    println!(
        "{name:<9} {} passed, {} skipped, {} failed, {} not started",
        count(Status::Passed),
        count(Status::Skipped),
        count(Status::Failed),
        count(Status::NotStarted)
    );
}

/// A difference that has a reason: in a whole file, or in one of its tests.
#[derive(Debug, PartialEq, Eq)]
struct Explanation {
    file: String,
    number: Option<String>,
    reason: String,
}

impl Explanation {
    fn covers(&self, test: &Test) -> bool {
        self.file == test.file && self.number.as_ref().is_none_or(|number| *number == test.number)
    }
}

/// Reads the list items of the page that are for a version: ``- `tests/FOLDER/FILE [NUMBER]` [(OCaml BOUNDS)]:
/// REASON``.
fn explanations(page: &str, version: &str) -> Result<Vec<Explanation>> {
    let item = Regex::new(r"^- `(tests/[^` ]+)(?: ([0-9.]+))?`(?: \(OCaml ([^)]+)\))?: (.*\S.*)$")?;
    let mut found = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("- `tests/")) {
        let parts = item
            .captures(line)
            .with_context(|| format!("{EXPLANATIONS}: no test, or no reason, in: {line}"))?;
        let bounds =
            parts.get(3).map(|bounds| Bounds::parse(bounds.as_str())).transpose()?.unwrap_or_default();
        if bounds.hold(version)? {
            found.push(Explanation {
                file: parts[1].to_owned(),
                number: parts.get(2).map(|number| number.as_str().to_owned()),
                reason: parts[4].to_owned(),
            });
        }
    }
    Ok(found)
}

/// What the two runs say.
#[derive(Debug, Default)]
struct Verdict {
    /// Tests that pass with stock and not with flambeau, without a reason.
    unexplained: Vec<Test>,
    /// Those with a reason.
    explained: Vec<(Test, String)>,
    /// Tests that only flambeau passes.
    gained: Vec<Test>,
    /// Reasons for differences that are not there.
    stale: Vec<String>,
}

fn judge(
    theirs: &Results,
    ours: &Results,
    explanations: &[Explanation],
    ran: impl Fn(&str) -> bool,
) -> Verdict {
    let mut verdict = Verdict::default();
    let mut used = vec![false; explanations.len()];
    for (test, status) in theirs {
        let our_status = outcome(ours, test);
        match (*status, our_status) {
            (Status::Passed, Status::Passed) => {}
            (Status::Passed, _) => {
                verdict.differs(test, explanations, &mut used);
            }
            (_, Status::Passed) => verdict.gained.push(test.clone()),
            _ => {}
        }
    }
    // A test that the stock run does not know at all, and that fails here: what fails has another name since 5.0.
    for (test, status) in ours {
        if *status == Status::Failed && !theirs.contains_key(test) {
            verdict.differs(test, explanations, &mut used);
        }
    }
    for (explanation, used) in explanations.iter().zip(used) {
        if !used && ran(&explanation.file) {
            verdict.stale.push(explanation.file.clone());
        }
    }
    verdict
}

/// What became of a test. Since 5.0 the tests of a file are listed only if one of them failed.
fn outcome(results: &Results, test: &Test) -> Status {
    let whole = || Test { file: test.file.clone(), number: String::new(), action: String::new() };
    let found =
        results.get(test).or_else(|| results.get(&whole()).filter(|status| **status == Status::Passed));
    found.copied().unwrap_or(Status::NotStarted)
}

impl Verdict {
    /// Enters a difference, with its reason if there is one.
    fn differs(&mut self, test: &Test, explanations: &[Explanation], used: &mut [bool]) {
        let mut reason = None;
        for (explanation, used) in explanations.iter().zip(used) {
            if explanation.covers(test) {
                reason.get_or_insert(&explanation.reason);
                *used = true;
            }
        }
        match reason {
            None => self.unexplained.push(test.clone()),
            Some(reason) => self.explained.push((test.clone(), reason.clone())),
        }
    }

    fn is_good(&self) -> bool {
        self.unexplained.is_empty() && self.stale.is_empty()
    }

    fn print(&self, logs: &Path) {
        let show = |test: &Test| format!("{} {} ({})", test.file, test.number, test.action);
        for test in &self.gained {
            println!("only flambeau passes {}", show(test));
        }
        for (test, reason) in &self.explained {
            println!("explained: {}: {reason}", show(test));
        }
        for file in &self.stale {
            println!("explained in {EXPLANATIONS}, but there is no difference: {file}");
        }
        for test in &self.unexplained {
            println!("UNEXPLAINED {}", show(test));
        }
        if !self.unexplained.is_empty() {
            println!("logs and outputs: {}", logs.display());
        }
        println!("{} explained differences, {} unexplained", self.explained.len(), self.unexplained.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "Running tests from 'tests/x' ...
 ... testing 'a.ml' with 1 (native) => passed
 ... testing 'a.ml' with 2 (bytecode) => skipped (no reason)
 ... testing 'b.ml' with 1.1 (native) => failed (Running ocamlopt: exit 2)
 ... testing 'b.ml' with 1.1.1 (run) => n/a
 ... testing 'c.ml' => unexpected error
";

    fn test(file: &str, number: &str, action: &str) -> Test {
        Test { file: format!("tests/x/{file}"), number: number.into(), action: action.into() }
    }

    #[test]
    fn every_kind_of_result_is_read() -> Result<()> {
        let results = parse("tests/x", LOG)?;
        assert_eq!(results[&test("a.ml", "1", "native")], Status::Passed);
        assert_eq!(results[&test("a.ml", "2", "bytecode")], Status::Skipped);
        assert_eq!(results[&test("b.ml", "1.1", "native")], Status::Failed);
        assert_eq!(results[&test("b.ml", "1.1.1", "run")], Status::NotStarted);
        assert_eq!(results[&test("c.ml", "", "")], Status::Failed);
        assert!(parse("tests/x", " ... testing 'a.ml' with 1 (native) => dunno\n").is_err());
        assert!(parse("tests/x", "make: error\n").is_err());
        Ok(())
    }

    #[test]
    fn a_file_that_passed_stands_for_its_tests() -> Result<()> {
        let theirs = parse("tests/x", LOG)?;
        let ours = parse("tests/x", " ... testing 'a.ml' => passed\n ... testing 'b.ml' => failed\n")?;
        let verdict = judge(&theirs, &ours, &[], |_| true);
        assert_eq!(verdict.unexplained, [test("b.ml", "", "")]);
        assert_eq!(verdict.gained, [test("a.ml", "2", "bytecode")]);
        Ok(())
    }

    #[test]
    fn differences_need_a_reason_and_reasons_a_difference() -> Result<()> {
        let theirs = parse("tests/x", &LOG.replace("failed", "passed").replace("n/a", "passed"))?;
        let ours = parse("tests/x", LOG)?;
        let judge = |page: &str| -> Result<Verdict> {
            Ok(judge(&theirs, &ours, &explanations(page, "5.3.0")?, |_| true))
        };
        let verdict = judge("")?;
        assert_eq!(verdict.unexplained, [test("b.ml", "1.1", "native"), test("b.ml", "1.1.1", "run")]);
        assert!(!verdict.is_good());
        let verdict = judge("- `tests/x/b.ml`: dumps\n")?;
        assert!(verdict.is_good() && verdict.explained.len() == 2);
        assert!(!judge("- `tests/x/b.ml 1.1`: dumps\n")?.is_good());
        let verdict = judge("- `tests/x/b.ml`: dumps\n- `tests/x/a.ml`: old\n")?;
        assert_eq!(verdict.stale, ["tests/x/a.ml"]);
        assert!(!verdict.is_good());
        assert!(judge("- `tests/x/b.ml` (OCaml >= 5.3): dumps\n")?.is_good());
        assert!(!judge("- `tests/x/b.ml` (OCaml < 5.3): dumps\n")?.is_good());
        assert!(judge("- `tests/x/b.ml` (OCaml 5.3): dumps\n").is_err());
        assert!(judge("- `tests/x/b.ml`:\n").is_err());
        Ok(())
    }
}
