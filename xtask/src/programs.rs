//! The program tests: every program of `tests/programs`, compiled by `ocamlc`, by the stock `ocamlopt` and by
//! flambeau, must do the same.
//!
//! `tests/programs/README.md` describes the layout and the directives.

mod program;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use regex::Regex;
use serde::{Deserialize, Serialize};

use xtask_support::cache::{self, Key};
use xtask_support::checks::{Tally, diff};
use xtask_support::env::{self, Stock};
use xtask_support::process::{self, Exit};
use xtask_support::{queue, shell, trees};

use program::{Directives, Program};

/// Flags to call flambeau with.
struct Setting {
    /// Its name in reports.
    name: &'static str,
    /// Its flags; a setting with `-g` is compared with the stock compiler's `-g`, others with its default.
    flags: &'static [&'static str],
}

/// Every program is tested in each of these settings. A new optimisation level is one line here.
const SETTINGS: &[Setting] = &[
    Setting { name: "plain", flags: &[] },
    Setting { name: "-g", flags: &["-g"] },
    Setting { name: "-O3 -flambeau-verify", flags: &["-O3", "-flambeau-verify"] },
    Setting { name: "-flambeau-whole-program", flags: &["-flambeau-verify", "-flambeau-whole-program"] },
    Setting { name: "-g -flambeau-no-inline", flags: &["-g", NO_INLINE] },
    // What stock's own .cmx files tell of its units is all that is known of the standard library here.
    Setting { name: "-g -flambeau-no-library", flags: &["-g", "-flambeau-no-library"] },
];

/// Bytecode does what that of `ocamlc` does: so these are compared with `ocamlc`.
const BYTECODE_SETTINGS: &[Setting] = &[
    Setting { name: "-flambeau-bytecode", flags: &["-flambeau-bytecode", "-flambeau-verify"] },
    Setting { name: "-flambeau-bytecode -g -O3", flags: &["-flambeau-bytecode", "-g", "-O3"] },
];

/// With it, backtraces are those of stock; without, calls that were tail calls may show too.
const NO_INLINE: &str = "-flambeau-no-inline";

/// Compiling a test program takes a second at the most; a busy machine gets some more.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);
/// Changes whenever the meaning of a cached reference result does.
const CACHE_VERSION: &str = "reference-2";
/// What the caller of the program tests may choose.
pub struct Options<'a> {
    /// Only the programs whose name matches.
    pub filter: Option<&'a Regex>,
    /// How many programs at once.
    pub jobs: usize,
    /// How long a program may run.
    pub limit: Duration,
}

/// What compiling and running a program showed.
#[derive(Debug, Serialize, Deserialize)]
struct Behaviour {
    compiled: Exit,
    /// What the compiler printed.
    messages: String,
    /// The `.cmi` files that the compiler wrote, each with what names its contents.
    interfaces: BTreeMap<String, String>,
    /// Nothing when the compiler failed.
    run: Option<Run>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Run {
    exit: Exit,
    stdout: String,
    stderr: String,
}

/// A compiler with the flags of one build.
struct Build<'a> {
    compiler: &'a Path,
    bytecode: bool,
    flags: Vec<&'a str>,
    /// Run the program with backtraces.
    backtrace: bool,
}

impl Build<'_> {
    /// Compiles and runs a program in a fresh folder. The file names are the same for every compiler, so that
    /// messages can be compared.
    fn behaviour(&self, program: &Program, limit: Duration) -> Result<Behaviour> {
        let temporary = tempfile::Builder::new().prefix("flambeau-test-").tempdir()?;
        for file in &program.files {
            fs::copy(program.folder.join(file), temporary.path().join(file))
                .with_context(|| format!("cannot copy {file}"))?;
        }
        let mut command = Command::new(self.compiler);
        shell::clean(&mut command).current_dir(temporary.path());
        command.args(&self.flags).args(&program.directives.flags);
        command.args(library_flags(&program.directives.packages, self.bytecode)?);
        if self.bytecode && program.order.iter().any(|file| file.ends_with(".c")) {
            command.arg("-custom");
        }
        command.args(&program.order).args(["-o", "program.exe"]);
        let compilation = process::run(&mut command, COMPILE_LIMIT)?;
        let mut behaviour = Behaviour {
            compiled: compilation.exit,
            messages: compilation.all_output(),
            interfaces: interfaces(temporary.path())?,
            run: None,
        };
        if compilation.exit.is_success() {
            let mut command = Command::new(temporary.path().join("program.exe"));
            shell::clean(&mut command).current_dir(temporary.path());
            if self.backtrace {
                command.env("OCAMLRUNPARAM", "b");
            }
            let run = process::run(&mut command, limit)?;
            // Whether a frame is physical is the inliner's business (even `-inline 0` inlines the smallest
            // functions); which frames there are, and where, is not.
            let frames = |text: String| if self.backtrace { text.replace(" (inlined)", "") } else { text };
            behaviour.run =
                Some(Run { exit: run.exit, stdout: frames(run.out()), stderr: frames(run.err()) });
        }
        Ok(behaviour)
    }

    /// The behaviour of a program, remembered for as long as the program and the compiler stay the same: for the
    /// compilers that are not under test.
    fn remembered(&self, program: &Program, limit: Duration, folder: &Path) -> Result<Behaviour> {
        let mut key = program
            .key(Key::new(CACHE_VERSION))?
            .with_tool(self.compiler)?
            .with([u8::from(self.backtrace)])
            .with(format!("{limit:?}"));
        for flag in &self.flags {
            key = key.with(flag);
        }
        // A timeout may be the machine's fault.
        let keep = |behaviour: &Behaviour| {
            behaviour.compiled != Exit::Timeout
                && behaviour.run.as_ref().is_none_or(|run| run.exit != Exit::Timeout)
        };
        cache::remember(folder, key, keep, || self.behaviour(program, limit))
    }
}

/// The `.cmi` files in a folder, each with what names its contents: another compiler's modules may be compiled against
/// them, and are linked with ours only if both wrote the same bytes.
fn interfaces(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut interfaces = BTreeMap::new();
    for file in trees::files_of(folder)? {
        if file.extension().is_some_and(|extension| extension == "cmi") {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            interfaces.insert(name, Key::new("interface").with(fs::read(&file)?).name());
        }
    }
    Ok(interfaces)
}

/// The flags that link libraries. Those of OCaml's own distribution are named as the compiler finds them
/// itself, so that flambeau takes its own builds of them.
fn library_flags(packages: &[String], bytecode: bool) -> Result<Vec<String>> {
    let extension = if bytecode { "cma" } else { "cmxa" };
    let own = |name: &str| format!("{name}.{extension}");
    let mut flags: Vec<String> = Vec::new();
    for package in packages {
        let of_package = match package.as_str() {
            "unix" | "str" | "dynlink" => vec![own(package)],
            "threads" | "threads.posix" => {
                flags.extend(["-I".into(), "+threads".into()]);
                vec![own("unix"), own("threads")]
            }
            _ => bail!("no rule for linking the package {package}"),
        };
        // A library that is linked twice is an error of the compiler.
        for library in of_package {
            if !flags.contains(&library) {
                flags.push(library);
            }
        }
    }
    Ok(flags)
}

/// Tests all programs that the options choose.
pub fn run(options: &Options<'_>) -> Result<Tally> {
    let stock = Stock::find()?;
    let flambeau = env::flambeau()?;
    let folder = env::cache("programs")?;
    let mut all = Program::all(&env::root().join("tests/programs"))?;
    // Smallest programs of differences that were found.
    all.extend(Program::all(&env::root().join("tests/regress"))?);
    all.retain(|program| options.filter.is_none_or(|filter| filter.is_match(&program.name)));
    let mut total = Tally::default();
    let (programs, others) = for_version(all, &stock.version)?;
    if !others.is_empty() {
        total.skipped.push(format!("not for OCaml {}: {}", stock.version, others.join(", ")));
    }
    let mut settings = Vec::new();
    for setting in SETTINGS {
        if env::stand_in().is_some() && !accepts(&flambeau, setting.flags)? {
            total.skipped.push(format!(
                "programs with {}: {} does not know the flag",
                setting.name,
                flambeau.display()
            ));
        } else {
            settings.push(setting);
        }
    }
    let tallies = queue::map(options.jobs, "programs", &programs, |program| {
        let mut tally = Tally::default();
        let bench = Bench {
            stock: &stock,
            flambeau: &flambeau,
            settings: &settings,
            cache: &folder,
            limit: options.limit,
        };
        if let Err(error) = bench.test(program, &mut tally) {
            tally.fail(&program.name, format!("{error:#}"));
        }
        tally
    });
    for tally in tallies {
        total.add(tally);
    }
    Ok(total)
}

/// The programs for a version of OCaml, and the names of the others.
fn for_version(programs: Vec<Program>, version: &str) -> Result<(Vec<Program>, Vec<String>)> {
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    for program in programs {
        if program.directives.versions.hold(version)? {
            chosen.push(program);
        } else {
            others.push(program.name);
        }
    }
    Ok((chosen, others))
}

/// Whether a compiler that replaces flambeau accepts these flags.
fn accepts(compiler: &Path, flags: &[&str]) -> Result<bool> {
    let mut command = Command::new(compiler);
    shell::clean(&mut command).args(flags).arg("-version");
    Ok(process::run(&mut command, COMPILE_LIMIT)?.exit.is_success())
}

/// What every program is tested with.
struct Bench<'a> {
    stock: &'a Stock,
    flambeau: &'a Path,
    settings: &'a [&'a Setting],
    cache: &'a Path,
    limit: Duration,
}

impl Bench<'_> {
    fn test(&self, program: &Program, tally: &mut Tally) -> Result<()> {
        let directives = &program.directives;
        let stock = |debug: bool| {
            // Backtraces name functions that an inliner may take away: the reference keeps them all.
            let flags = match (debug, directives.backtrace) {
                (false, false) => vec![],
                (false, true) => vec!["-inline", "0"],
                (true, false) => vec!["-g"],
                (true, true) => vec!["-g", "-inline", "0"],
            };
            Build {
                compiler: &self.stock.ocamlopt,
                bytecode: false,
                flags,
                backtrace: debug && directives.backtrace,
            }
            .remembered(program, self.limit, self.cache)
        };
        let plain = stock(false)?;
        let debug = stock(true)?;
        // A directive that does not describe the program, or a program whose behaviour is not settled by the
        // language, makes every comparison below worthless: say so first.
        let name = |what: &str| format!("{} [{what}]", program.name);
        for (what, behaviour) in [("stock", &plain), ("stock -g", &debug)] {
            tally.record(name(what), as_announced(behaviour, directives));
        }
        if !directives.no_bytecode && !directives.unstable_bytecode {
            let bytecode =
                Build { compiler: &self.stock.ocamlc, bytecode: true, flags: vec!["-g"], backtrace: false }
                    .remembered(program, self.limit, self.cache)?;
            let parts = Parts {
                // The bytecode compiler has warnings and backtraces of its own.
                messages: false,
                stdout: !directives.backtrace,
                stderr: !directives.backtrace,
            };
            tally.record(
                name("ocamlc and stock"),
                compare(&bytecode, &plain, parts)
                    .map_err(|difference| format!("expected: ocamlc; actual: stock ocamlopt\n{difference}")),
            );
            self.test_bytecode(program, &bytecode, tally)?;
        }
        for setting in self.settings {
            // Without debug information there is no backtrace to compare.
            if directives.backtrace && !setting.flags.contains(&"-g") {
                continue;
            }
            let inlines = !setting.flags.contains(&NO_INLINE);
            if !inlines && !directives.backtrace {
                continue;
            }
            let with_debug = setting.flags.contains(&"-g");
            let build = Build {
                compiler: self.flambeau,
                bytecode: false,
                flags: setting.flags.to_vec(),
                backtrace: with_debug && directives.backtrace,
            };
            let mut ours = build.behaviour(program, self.limit)?;
            let reference = if with_debug { &debug } else { &plain };
            if inlines
                && build.backtrace
                && let (Some(expected), Some(actual)) = (&reference.run, &mut ours.run)
            {
                actual.stdout = without_new_frames(&expected.stdout, &actual.stdout);
                actual.stderr = without_new_frames(&expected.stderr, &actual.stderr);
            }
            let parts = Parts { messages: true, stdout: true, stderr: directives.stderr || build.backtrace };
            tally.record(
                name(setting.name),
                compare(reference, &ours, parts).map_err(|difference| {
                    let mut again = String::new();
                    for word in setting.flags.iter().chain(&[program.name.as_str()]) {
                        let _ = write!(again, " {word}");
                    }
                    format!("{difference}flambeau{again}")
                }),
            );
        }
        Ok(())
    }

    /// Tests a program in bytecode against that of `ocamlc`. Backtraces are not compared.
    fn test_bytecode(&self, program: &Program, reference: &Behaviour, tally: &mut Tally) -> Result<()> {
        // A program that replaces flambeau may be no ocamlc.
        let directives = &program.directives;
        if directives.backtrace || directives.unstable_bytecode || env::stand_in().is_some() {
            return Ok(());
        }
        for setting in BYTECODE_SETTINGS {
            let flags = setting.flags.to_vec();
            let build = Build { compiler: self.flambeau, bytecode: true, flags, backtrace: false };
            let ours = build.behaviour(program, self.limit)?;
            let parts = Parts { messages: false, stdout: true, stderr: program.directives.stderr };
            let flags = setting.flags.join(" ");
            tally.record(
                format!("{} [{}]", program.name, setting.name),
                compare(reference, &ours, parts)
                    .map_err(|difference| format!("{difference}flambeau {flags} {}", program.name)),
            );
        }
        Ok(())
    }
}

/// What a program printed, less the frames of backtraces that are not expected where they stand: a function that is
/// inlined in place of a tail call has a frame which that call would have taken away.
fn without_new_frames(expected: &str, actual: &str) -> String {
    let mut expected = expected.lines().peekable();
    let mut kept = String::new();
    for line in actual.split_inclusive('\n') {
        if expected.peek().copied() == Some(line.trim_end_matches('\n')) {
            expected.next();
        } else if line.starts_with("Called from ") {
            continue;
        }
        kept.push_str(line);
    }
    kept
}

/// Whether a reference compiler compiles the program, and it exits as its directive says.
fn as_announced(behaviour: &Behaviour, directives: &Directives) -> Result<(), String> {
    let exit = directives.exit;
    match &behaviour.run {
        None => Err(format!("the compiler: {}\n{}", behaviour.compiled, behaviour.messages)),
        Some(run) if run.exit != Exit::Code(exit) => Err(format!(
            "the program: {}; its directive says exit code {exit}\n{}{}",
            run.exit,
            process::tail(&run.stdout, 5),
            process::tail(&run.stderr, 20)
        )),
        Some(run) if !run.stderr.is_empty() && !directives.stderr && !directives.backtrace => Err(format!(
            "the program prints to stderr, and has no directive for that:\n{}",
            process::tail(&run.stderr, 20)
        )),
        Some(_) => Ok(()),
    }
}

/// What is compared beside the exit codes.
#[derive(Clone, Copy)]
struct Parts {
    messages: bool,
    stdout: bool,
    stderr: bool,
}

/// Whether two builds of a program behave alike.
fn compare(expected: &Behaviour, actual: &Behaviour, parts: Parts) -> Result<(), String> {
    let mut differences = String::new();
    if expected.compiled != actual.compiled {
        let _ = writeln!(
            differences,
            "compiler, expected: {}; actual: {}\n{}",
            expected.compiled,
            actual.compiled,
            process::tail(&actual.messages, 30)
        );
    } else if parts.messages && expected.messages != actual.messages {
        differences.push_str(&diff("compiler's messages", &expected.messages, &actual.messages));
    }
    if expected.compiled == actual.compiled {
        for (name, contents) in &expected.interfaces {
            if actual.interfaces.get(name) != Some(contents) {
                let _ = writeln!(differences, "{name}: not the bytes that were expected");
            }
        }
    }
    if let (Some(expected), Some(actual)) = (&expected.run, &actual.run) {
        if expected.exit != actual.exit {
            let _ = writeln!(differences, "program, expected: {}; actual: {}", expected.exit, actual.exit);
            if !parts.stderr {
                differences.push_str(&process::tail(&actual.stderr, 10));
            }
        }
        if parts.stdout && expected.stdout != actual.stdout {
            differences.push_str(&diff("stdout", &expected.stdout, &actual.stdout));
        }
        if parts.stderr && expected.stderr != actual.stderr {
            differences.push_str(&diff("stderr", &expected.stderr, &actual.stderr));
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_may_be_added_but_nothing_else() {
        let expected = "Raised at A\nCalled from B\nend\n";
        assert_eq!(
            without_new_frames(expected, "Raised at A\nCalled from X\nCalled from B\nend\n"),
            expected
        );
        assert_ne!(without_new_frames(expected, "Raised at A\nend\n"), expected);
        assert_ne!(without_new_frames(expected, "Raised at A\nCalled from B\nother\nend\n"), expected);
    }

    fn behaviour(exit: i32, stdout: &str, stderr: &str) -> Behaviour {
        Behaviour {
            compiled: Exit::Code(0),
            messages: String::new(),
            interfaces: BTreeMap::from([("a.cmi".to_owned(), "0".to_owned())]),
            run: Some(Run { exit: Exit::Code(exit), stdout: stdout.into(), stderr: stderr.into() }),
        }
    }

    #[test]
    fn every_part_that_is_compared_can_fail() {
        let all = Parts { messages: true, stdout: true, stderr: true };
        let good = behaviour(0, "a\n", "b\n");
        assert_eq!(compare(&good, &behaviour(0, "a\n", "b\n"), all), Ok(()));
        assert!(compare(&good, &behaviour(1, "a\n", "b\n"), all).is_err());
        assert!(compare(&good, &behaviour(0, "c\n", "b\n"), all).is_err());
        assert!(compare(&good, &behaviour(0, "a\n", "c\n"), all).is_err());
        let mut failed = behaviour(0, "", "");
        failed.compiled = Exit::Code(2);
        failed.run = None;
        assert!(compare(&good, &failed, all).is_err());
        let mut other = behaviour(0, "a\n", "b\n");
        other.interfaces.insert("a.cmi".to_owned(), "1".to_owned());
        assert!(compare(&good, &other, all).is_err());
        let mut warned = behaviour(0, "a\n", "b\n");
        warned.messages = "Warning".into();
        assert!(compare(&good, &warned, all).is_err());
    }

    #[test]
    fn what_the_directives_announce_is_checked() {
        let quiet = Directives::default();
        assert!(as_announced(&behaviour(0, "", ""), &quiet).is_ok());
        assert!(as_announced(&behaviour(2, "", ""), &quiet).is_err());
        assert!(as_announced(&behaviour(0, "", "noise"), &quiet).is_err());
        let noisy = Directives { stderr: true, ..Directives::default() };
        assert!(as_announced(&behaviour(0, "", "noise"), &noisy).is_ok());
    }
}
