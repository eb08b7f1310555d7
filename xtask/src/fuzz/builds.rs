//! Compiling and running random programs with each compiler and each set of flags.

use std::collections::BTreeMap;
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

/// The levels of optimisation: every program is compiled at each of them. What else must change nothing is spread
/// over them.
const LEVELS: &[&[&str]] = &[&[], &["-O2", "-flambeau-verify"], &["-O3", "-g"], &["-Oclassic"]];

/// What random sets of flags are made of. `-unsafe` is not among them: programs step out of bounds.
const FLAGS: &[&[&str]] = &[
    &["-g"],
    &["-O2"],
    &["-O3"],
    &["-Oclassic"],
    &["-inline", "0"],
    &["-inline", "1"],
    &["-inline", "200"],
    &["-rounds", "3"],
    &["-unbox-closures"],
    &["-no-unbox-free-vars-of-closures"],
    &["-no-unbox-specialised-args"],
    &["-remove-unused-arguments"],
    &["-inline-max-unroll", "3"],
    &["-inline-max-depth", "4"],
    &["-opaque"],
    &["-function-sections"],
    &["-linscan"],
    &["-compact"],
    &["-nodynlink"],
    &["-principal"],
    &["-strict-sequence"],
    &["-flambeau-verify"],
    &["-flambeau-no-simplify"],
    &["-flambeau-fuel", "0"],
    &["-flambeau-fuel", "7"],
    &["-flambeau-fuel", "100"],
];

/// Flags of the stock native compiler, one set for each batch: what it does must not depend on them either.
const STOCK_FLAGS: &[&[&str]] = &[&[], &["-g"], &["-O3"], &["-inline", "0"], &["-inline", "200"]];

/// Makes flambeau tell which constructs it saw.
const COVERAGE_FLAG: &str = "-dflambeau-coverage";
/// What it tells of a unit ends with a line that begins like this.
const LAST: &str = "fuel ";

/// The compilers that are compared.
#[derive(Clone)]
pub struct Compilers {
    /// The oracle, and the stock native compiler.
    pub stock: Stock,
    /// The one under test.
    pub flambeau: PathBuf,
    /// Variables of its environment.
    pub variables: Vec<(String, String)>,
}

/// Flags of a compiler.
pub type Flags = Vec<String>;

/// The sets of flags for a batch.
pub struct Settings {
    /// Of the stock native compiler.
    pub stock: Flags,
    /// Of flambeau, one set for each build.
    pub flambeau: Vec<Flags>,
}

impl Settings {
    /// Every level and a random set; or, where that takes too long, one of them.
    pub fn new(seed: u64, quick: bool) -> Settings {
        let mut rng = Rng::new(seed ^ 0xf1a6);
        let owned = |flags: &[&str]| flags.iter().map(|f| (*f).to_owned()).collect::<Flags>();
        let mut flambeau: Vec<Flags> = LEVELS.iter().map(|flags| owned(flags)).collect();
        let level = rng.below(2 * LEVELS.len());
        if quick && let Some(flags) = LEVELS.get(level) {
            return Settings { stock: Flags::new(), flambeau: vec![owned(flags)] };
        }
        let mut random = Flags::new();
        for _ in 0..rng.range(2, 5) {
            let flags = *rng.pick(FLAGS);
            // Given twice, some flags are errors.
            if !random.iter().any(|f| f == flags[0]) {
                random.extend(owned(flags));
            }
        }
        if quick {
            flambeau.clear();
        }
        flambeau.push(random);
        let stock = *rng.pick::<&[&str]>(STOCK_FLAGS);
        Settings { stock: owned(stock), flambeau }
    }
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
pub fn behaviour(
    compiler: &Path,
    variables: &[(String, String)],
    programs: &[&Program],
    flags: &[String],
) -> Result<Behaviour> {
    let place = tempfile::Builder::new().prefix("flambeau-fuzz-").tempdir()?;
    let mut command = Command::new(compiler);
    clean(&mut command)
        .current_dir(place.path())
        .args(["-w", "-a"])
        .envs(variables.iter().cloned())
        .args(flags)
        .arg(RUNTIME_FILE);
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
    let oracle = behaviour(&compilers.stock.ocamlc, &[], programs, &[])?;
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
    flags: &[String],
) -> Result<Option<Difference>> {
    let stock = behaviour(&compilers.stock.ocamlopt, &[], programs, flags)?;
    Ok(compare(oracle, &stock).map(|(kind, detail)| Difference { flags: flags.to_vec(), kind, detail }))
}

/// Whether flambeau with these flags agrees with the oracle.
pub fn agrees(
    compilers: &Compilers,
    programs: &[&Program],
    oracle: &Behaviour,
    flags: &Flags,
) -> Result<Option<Difference>> {
    let ours = behaviour(&compilers.flambeau, &compilers.variables, programs, flags)?;
    Ok(compare(oracle, &ours).map(|(kind, detail)| Difference { flags: flags.clone(), kind, detail }))
}

/// Whether the stock native compiler, with those of the flags that it knows, fails as flambeau does.
pub fn stock_fails_too(
    compilers: &Compilers,
    programs: &[&Program],
    oracle: &Behaviour,
    difference: &Difference,
) -> Result<bool> {
    if !matches!(difference.kind, Kind::Compiler(_)) {
        return Ok(false);
    }
    let seen = settled(compilers, programs, oracle, &of_stock(&difference.flags))?;
    Ok(seen.is_some_and(|seen| seen.kind == difference.kind))
}

/// Those flags that are not flambeau's own.
fn of_stock(flags: &Flags) -> Flags {
    let is_number = |flag: &String| flag.parse::<u64>().is_ok();
    let mut kept = Flags::new();
    let mut own = false;
    for flag in flags {
        own = flag.starts_with("-flambeau-") || own && is_number(flag);
        if !own {
            kept.push(flag.clone());
        }
    }
    kept
}

/// The same, and what flambeau saw of its languages.
pub fn agrees_with_coverage(
    compilers: &Compilers,
    programs: &[&Program],
    oracle: &Behaviour,
    flags: &Flags,
) -> Result<(Option<Difference>, Languages)> {
    let mut told = flags.clone();
    told.push(COVERAGE_FLAG.into());
    let ours = behaviour(&compilers.flambeau, &compilers.variables, programs, &told)?;
    let difference =
        compare(oracle, &ours).map(|(kind, detail)| Difference { flags: flags.clone(), kind, detail });
    Ok((difference, languages(&ours.messages)))
}

/// How often each construct of each language occurs, and each rewrite: `lambda try`, `ir Box`, `rewrite convert`.
pub type Languages = BTreeMap<String, u64>;

/// Reads what [`COVERAGE_FLAG`] prints for each unit. The first unit is the runtime, which says nothing of a program.
fn languages(messages: &str) -> Languages {
    let mut seen = Languages::new();
    let mut of_runtime = true;
    for line in messages.lines() {
        let Some((name, count)) = line.rsplit_once(": ") else { continue };
        let Ok(count) = count.parse::<u64>() else { continue };
        if !of_runtime {
            *seen.entry(name.to_owned()).or_default() += count;
        }
        of_runtime &= !name.starts_with(LAST);
    }
    seen
}

/// What the stock compilers agree on for programs that are compiled as one; otherwise why there is nothing to
/// compare with.
///
/// Where the stock native compiler itself fails on a single program (`Selection.size_expr`: a reference that is never
/// used, in a field of a new block), the oracle's word is enough.
pub fn reference(
    compilers: &Compilers,
    programs: &[&Program],
    stock: &[String],
) -> Result<Result<Behaviour, Verdict>> {
    let oracle = match oracle(compilers, programs)? {
        Ok(oracle) => oracle,
        Err(verdict) => return Ok(Err(verdict)),
    };
    Ok(match settled(compilers, programs, &oracle, stock)? {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stock_compiler_gets_its_own_flags() {
        let flags = |text: &str| text.split(' ').map(str::to_owned).collect::<Flags>();
        let given = flags("-g -flambeau-fuel 7 -inline 200 -flambeau-verify -nodynlink");
        assert_eq!(of_stock(&given), flags("-g -inline 200 -nodynlink"));
    }
}
