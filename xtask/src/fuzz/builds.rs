//! Compiling and running random programs with each compiler and each set of flags.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use flambeau_fuzzgen::{Program, RUNTIME, RUNTIME_FILE, Rng};

use crate::checks;
use crate::env::Stock;
use crate::process::{self, Exit};
use crate::programs::clean;

/// A batch compiles in a few seconds on a busy machine.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);
/// A program that takes longer is none for us: most take a millisecond.
const RUN_LIMIT: Duration = Duration::from_secs(10);

/// The sets of flags that every program is compiled with; a random one is added to them.
const SETTINGS: &[&[&str]] = &[&[], &["-g"], &["-flambeau-verify"], &["-O3"]];

/// What random sets of flags are made of. `-unsafe` is not among them: programs step out of bounds.
const FLAGS: &[&[&str]] = &[
    &["-g"],
    &["-O2"],
    &["-O3"],
    &["-Oclassic"],
    &["-inline", "0"],
    &["-inline", "200"],
    &["-rounds", "3"],
    &["-unboxed-types"],
    &["-opaque"],
    &["-function-sections"],
    &["-linscan"],
    &["-compact"],
    &["-nodynlink"],
    &["-unbox-closures"],
    &["-flambeau-verify"],
    &["-flambeau-no-simplify"],
];

/// The compilers that are compared.
pub struct Compilers {
    /// The oracle, and the stock native compiler.
    pub stock: Stock,
    /// The one under test.
    pub flambeau: PathBuf,
}

/// Flags of flambeau.
pub type Flags = Vec<String>;

/// The sets of flags for a batch.
pub fn settings(seed: u64) -> Vec<Flags> {
    let mut rng = Rng::new(seed ^ 0xf1a6);
    let mut all: Vec<Flags> =
        SETTINGS.iter().map(|flags| flags.iter().map(|f| (*f).to_owned()).collect()).collect();
    let mut random = Flags::new();
    for _ in 0..rng.range(2, 4) {
        let flags = *rng.pick(FLAGS);
        // Given twice, some flags are errors.
        if !random.iter().any(|f| f == flags[0]) {
            random.extend(flags.iter().map(|f| (*f).to_owned()));
        }
    }
    all.push(random);
    all
}

/// What came out for a program, or for a batch of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All compilers agree.
    Agree,
    /// The oracle's compiler refuses it: a mistake of the generator.
    Invalid(String),
    /// It takes too long.
    TooLong,
    /// The stock native compiler and `ocamlc` disagree: nothing to compare with.
    Unsettled(String),
    /// Flambeau differs.
    Differs,
}

/// A difference between flambeau and the oracle.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Of flambeau.
    pub flags: Flags,
    /// What to look for when the program shrinks.
    pub kind: Kind,
    /// What was seen.
    pub detail: String,
}

/// Kinds of differences.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The compiler fails, with a message that begins like this.
    Compiler(String),
    /// The program's exit.
    Exit(String),
    /// What it prints.
    Output,
}

/// What a build did.
pub struct Behaviour {
    /// Of the compiler.
    pub compiled: Exit,
    /// Of the compiler.
    pub messages: String,
    /// Of the program.
    pub exit: Exit,
    /// Of the program.
    pub stdout: String,
    /// Of the program, for reports only.
    pub stderr: String,
}

/// Compiles and runs programs as one.
pub fn behaviour(compiler: &Path, programs: &[&Program], flags: &[String]) -> Result<Behaviour> {
    let place = tempfile::Builder::new().prefix("flambeau-fuzz-").tempdir()?;
    let mut command = Command::new(compiler);
    clean(&mut command).current_dir(place.path()).args(["-w", "-a"]).args(flags).arg(RUNTIME_FILE);
    fs::write(place.path().join(RUNTIME_FILE), RUNTIME)?;
    for program in programs {
        for (name, text) in program.files() {
            fs::write(place.path().join(&name), text).with_context(|| format!("cannot write {name}"))?;
            command.arg(name);
        }
    }
    command.args(["-o", "program.exe"]);
    let compilation = process::run(&mut command, COMPILE_LIMIT)?;
    let mut behaviour = Behaviour {
        compiled: compilation.exit,
        messages: compilation.all_output(),
        exit: Exit::Code(0),
        stdout: String::new(),
        stderr: String::new(),
    };
    if compilation.exit.is_success() {
        let mut command = Command::new(place.path().join("program.exe"));
        let run = process::run(clean(&mut command).current_dir(place.path()), RUN_LIMIT)?;
        behaviour.exit = run.exit;
        behaviour.stdout = run.out();
        behaviour.stderr = run.err();
    }
    Ok(behaviour)
}

/// What the oracle says; otherwise why it says nothing.
pub fn oracle(compilers: &Compilers, programs: &[&Program]) -> Result<Result<Behaviour, Verdict>> {
    let oracle = behaviour(&compilers.stock.ocamlc, programs, &[])?;
    Ok(match (oracle.compiled, oracle.exit) {
        (Exit::Timeout, _) | (_, Exit::Timeout) => Err(Verdict::TooLong),
        (compiled, _) if !compiled.is_success() => Err(Verdict::Invalid(oracle.messages)),
        // A stack overflow comes at another depth in native code.
        _ if oracle.stderr.contains("Stack overflow") => Err(Verdict::TooLong),
        _ => Ok(oracle),
    })
}

/// Whether the stock native compiler agrees with the oracle.
pub fn settled(
    compilers: &Compilers,
    programs: &[&Program],
    oracle: &Behaviour,
) -> Result<Option<Difference>> {
    let stock = behaviour(&compilers.stock.ocamlopt, programs, &[])?;
    Ok(compare(oracle, &stock).map(|(kind, detail)| Difference { flags: vec![], kind, detail }))
}

/// Whether flambeau with these flags agrees with the oracle.
pub fn agrees(
    compilers: &Compilers,
    programs: &[&Program],
    oracle: &Behaviour,
    flags: &Flags,
) -> Result<Option<Difference>> {
    let ours = behaviour(&compilers.flambeau, programs, flags)?;
    Ok(compare(oracle, &ours).map(|(kind, detail)| Difference { flags: flags.clone(), kind, detail }))
}

/// What the stock compilers agree on for programs that are compiled as one; otherwise why there is nothing to
/// compare with.
///
/// Where the stock native compiler itself fails on a single program (`Selection.size_expr`: a reference that is never
/// used, in a field of a new block), the oracle's word is enough.
pub fn reference(compilers: &Compilers, programs: &[&Program]) -> Result<Result<Behaviour, Verdict>> {
    let oracle = match oracle(compilers, programs)? {
        Ok(oracle) => oracle,
        Err(verdict) => return Ok(Err(verdict)),
    };
    Ok(match settled(compilers, programs, &oracle)? {
        Some(Difference { kind: Kind::Compiler(_), .. }) if programs.len() == 1 => Ok(oracle),
        Some(difference) => Err(Verdict::Unsettled(difference.detail)),
        None => Ok(oracle),
    })
}

fn compare(expected: &Behaviour, actual: &Behaviour) -> Option<(Kind, String)> {
    if !actual.compiled.is_success() {
        let shown = process::tail(&actual.messages, 30);
        return Some((Kind::Compiler(headline(&actual.messages)), format!("{}\n{shown}", actual.compiled)));
    }
    if expected.exit != actual.exit {
        let detail = format!(
            "expected {}; actual {}\n{}{}",
            expected.exit,
            actual.exit,
            process::tail(&actual.stdout, 3),
            process::tail(&actual.stderr, 5)
        );
        return Some((Kind::Exit(actual.exit.to_string()), detail));
    }
    (expected.stdout != actual.stdout)
        .then(|| (Kind::Output, checks::diff("stdout", &expected.stdout, &actual.stdout)))
}

/// The beginning of a compiler's message, without what changes when the program shrinks: names and numbers.
fn headline(messages: &str) -> String {
    let line = messages
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with("File "))
        .unwrap_or_default();
    line.chars().filter(|c| !c.is_ascii_digit()).take(40).collect()
}
