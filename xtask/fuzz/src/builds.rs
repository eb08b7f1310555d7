//! Compiling and running random programs with each compiler and each set of flags.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use flambeau_fuzzgen::{Program, RUNTIME, RUNTIME_FILE, Rng};
use tempfile::TempDir;

use super::costs::{self, Costs, Excess, Measure};

use xtask_support::checks;
use xtask_support::env::Stock;
use xtask_support::process::{self, Exit};
use xtask_support::shell::clean;

/// A batch compiles in a few seconds on a busy machine.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);
/// A program that takes longer is none for us: most take a millisecond.
const RUN_LIMIT: Duration = Duration::from_secs(10);

/// The levels of optimisation: every program is compiled at each of them. What else must change nothing is spread
/// over them.
const NATIVE_LEVELS: &[&[&str]] = &[&[], &["-O2", "-flambeau-verify"], &["-O3", "-g"], &["-Oclassic"]];
const LEVELS: &[&[&str]] = &[
    &[],
    &["-O2", "-flambeau-verify"],
    &["-O3", "-g"],
    &["-Oclassic"],
    &[BYTECODE, "-O3", "-flambeau-verify"],
];

/// Makes bytecode, of which native code says nothing about costs.
const BYTECODE: &str = "-flambeau-bytecode";

/// What random sets of flags are made of. `-unsafe` is not among them: general programs step out of bounds.
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
    &["-flambeau-whole-program"],
    &["-flambeau-whole-program", "-flambeau-whole-stdlib"],
    &["-flambeau-no-simplify"],
    &["-flambeau-no-inline"],
    &["-flambeau-fuel", "0"],
    &["-flambeau-fuel", "7"],
    &["-flambeau-fuel", "100"],
];

/// Flags of the stock native compiler, one set for each batch: what it does must not depend on them either.
const STOCK_FLAGS: &[&[&str]] = &[&[], &["-g"], &["-O3"], &["-inline", "0"], &["-inline", "200"]];

/// Makes flambeau print which constructs it saw.
const COVERAGE_FLAG: &str = "-dflambeau-coverage";
/// The coverage that flambeau prints of a unit ends with a line that begins like this.
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

/// Which compiler makes what of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixture {
    /// All of it is flambeau's.
    Ours,
    /// The runtime and the first unit are the stock compiler's.
    LibraryByStock,
    /// All but the runtime and the first unit are the stock compiler's.
    UsersByStock,
    /// Flambeau only links.
    Linked,
}

impl Mixture {
    const MIXED: [Mixture; 3] = [Mixture::LibraryByStock, Mixture::UsersByStock, Mixture::Linked];
}

/// How flambeau is asked to build.
#[derive(Clone, Debug, PartialEq)]
pub struct Build {
    /// Flags, of both compilers if they are not flambeau's own.
    pub flags: Flags,
    /// Who compiles what.
    pub mixture: Mixture,
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.flags.join(" "))?;
        f.write_str(match self.mixture {
            Mixture::Ours => "",
            Mixture::LibraryByStock => " (the first units compiled by stock)",
            Mixture::UsersByStock => " (all but the first units compiled by stock)",
            Mixture::Linked => " (compiled by stock, linked by flambeau)",
        })
    }
}

/// How the programs of a batch are built.
pub struct Settings {
    /// Flags of the stock native compiler.
    pub stock: Flags,
    /// Of flambeau.
    pub flambeau: Vec<Build>,
}

impl Settings {
    /// Every level, a random set of flags and a mixture of compilers; or, where that takes too long, one of them.
    /// `in_bounds`: the programs never step out of bounds.
    pub fn new(seed: u64, quick: bool, in_bounds: bool) -> Settings {
        let mut rng = Rng::new(seed ^ 0xf1a6);
        let owned = |flags: &[&str]| flags.iter().map(|f| (*f).to_owned()).collect::<Flags>();
        let ours = |flags| Build { flags, mixture: Mixture::Ours };
        let mut flambeau: Vec<Build> = LEVELS.iter().map(|flags| ours(owned(flags))).collect();
        let level = rng.below(2 * LEVELS.len());
        if quick && let Some(flags) = LEVELS.get(level) {
            return Settings { stock: Flags::new(), flambeau: vec![ours(owned(flags))] };
        }
        let mut random = Flags::new();
        for _ in 0..rng.range(2, 5) {
            let flags = *rng.pick(FLAGS);
            // Given twice, some flags are errors.
            if !random.iter().any(|f| f == flags[0]) {
                random.extend(owned(flags));
            }
        }
        if in_bounds && rng.chance(50) {
            random.push("-unsafe".into());
        }
        let mixed =
            Build { flags: owned(rng.pick::<&[&str]>(NATIVE_LEVELS)), mixture: *rng.pick(&Mixture::MIXED) };
        let other = if quick && rng.chance(35) { mixed.clone() } else { ours(random) };
        if quick {
            flambeau = vec![other];
        } else {
            flambeau.extend([other, mixed]);
        }
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
    /// How flambeau built it.
    pub build: Build,
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
    /// What a kernel costs, compared with what the stock compiler makes of it.
    Cost(Measure, String),
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
    /// What the programs and their kernels cost.
    pub costs: Costs,
}

/// What is done with the programs beside running them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing.
    Run,
    /// The sizes of objects are read too, and what programs say of their words.
    Costs,
    /// Instructions are counted as well, which takes fifty times as long.
    Profile,
}

/// Compiles and runs programs as one.
pub fn behaviour(
    compiler: &Path,
    variables: &[(String, String)],
    programs: &[&Program],
    flags: &[String],
    look: Look,
) -> Result<Behaviour> {
    let temporary = sources(programs)?;
    let mut command = compilation(compiler, variables, temporary.path(), flags);
    command.arg(RUNTIME_FILE);
    for program in programs {
        command.args(program.files().into_iter().map(|(name, _)| name));
    }
    command.args(["-o", EXECUTABLE]);
    let outcome = process::run(&mut command, COMPILE_LIMIT)?;
    run(temporary.path(), outcome.exit, outcome.all_output(), look)
}

/// Compiles and runs programs as one, as [`Build`] says.
pub fn built(compilers: &Compilers, programs: &[&Program], build: &Build, look: Look) -> Result<Behaviour> {
    let (stock, ours) = (&compilers.stock.ocamlopt, &compilers.flambeau);
    let (first, others) = match build.mixture {
        Mixture::Ours => return behaviour(ours, &compilers.variables, programs, &build.flags, look),
        Mixture::LibraryByStock => (stock, ours),
        Mixture::UsersByStock => (ours, stock),
        Mixture::Linked => (stock, stock),
    };
    let temporary = sources(programs)?;
    let with = |compiler: &Path| {
        let flags = if compiler == ours { build.flags.clone() } else { of_stock(&build.flags) };
        compilation(compiler, &compilers.variables, temporary.path(), &flags)
    };
    let (mut early, mut late, mut objects) = (vec![RUNTIME_FILE.to_owned()], vec![], vec![]);
    for program in programs {
        let library = program.units.first().map_or("", |unit| &unit.name);
        for (name, _) in program.files() {
            // A program of one unit is a user of the runtime.
            let is_library = program.units.len() > 1 && name.starts_with(library);
            if let Some(unit) = name.strip_suffix(".ml") {
                objects.push(format!("{unit}.cmx"));
            }
            if is_library { early.push(name) } else { late.push(name) }
        }
    }
    let mut messages = String::new();
    let runtime = RUNTIME_FILE.replace(".ml", ".cmx");
    let linking = [vec!["-o".to_owned(), EXECUTABLE.to_owned(), runtime], objects].concat();
    let compiling = |files: Vec<String>| [vec!["-c".to_owned()], files].concat();
    let steps = [(first, compiling(early)), (others, compiling(late)), (ours, linking)];
    for (compiler, arguments) in steps {
        let step = process::run(with(compiler).args(arguments), COMPILE_LIMIT)?;
        messages.push_str(&step.all_output());
        if !step.exit.is_success() {
            return run(temporary.path(), step.exit, messages, look);
        }
    }
    run(temporary.path(), Exit::Code(0), messages, look)
}

/// Programs are small: without it hardly one would ever see the garbage collector where it does not ask for it, and
/// what is live there would not matter. No runtime has a smaller minor heap, in words.
const MANY_COLLECTIONS: &str = "s=4k";

/// The executable of a batch.
const EXECUTABLE: &str = "program.exe";

/// A folder with the sources of programs.
fn sources(programs: &[&Program]) -> Result<TempDir> {
    let temporary = tempfile::Builder::new().prefix("flambeau-fuzz-").tempdir()?;
    fs::write(temporary.path().join(RUNTIME_FILE), RUNTIME)?;
    for program in programs {
        for (name, text) in program.files() {
            fs::write(temporary.path().join(&name), text).with_context(|| format!("cannot write {name}"))?;
        }
    }
    Ok(temporary)
}

/// The call of a compiler, without files.
fn compilation(compiler: &Path, variables: &[(String, String)], folder: &Path, flags: &[String]) -> Command {
    let mut command = Command::new(compiler);
    clean(&mut command).current_dir(folder).args(["-w", "-a"]).envs(variables.iter().cloned()).args(flags);
    command
}

/// Runs what was compiled, if it was.
fn run(folder: &Path, compiled: Exit, messages: String, look: Look) -> Result<Behaviour> {
    let mut behaviour = Behaviour {
        compiled,
        messages,
        exit: Exit::Code(0),
        stdout: String::new(),
        stderr: String::new(),
        costs: Costs::new(),
    };
    if compiled.is_success() {
        let executable = folder.join(EXECUTABLE);
        let mut command = Command::new(&executable);
        clean(&mut command).current_dir(folder).env("OCAMLRUNPARAM", MANY_COLLECTIONS);
        let run = process::run(&mut command, RUN_LIMIT)?;
        behaviour.exit = run.exit;
        behaviour.stdout = run.out();
        behaviour.stderr = run.err();
        if look != Look::Run && run.exit != Exit::Timeout {
            behaviour.costs = costs::measured(folder, &executable, &behaviour.stderr, look == Look::Profile)?;
        }
    }
    Ok(behaviour)
}

/// What the oracle says; otherwise why it says nothing.
pub fn oracle(compilers: &Compilers, programs: &[&Program]) -> Result<Result<Behaviour, Verdict>> {
    let oracle = behaviour(&compilers.stock.ocamlc, &[], programs, &[], Look::Run)?;
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
    let stock = behaviour(&compilers.stock.ocamlopt, &[], programs, flags, Look::Run)?;
    let build = Build { flags: flags.to_vec(), mixture: Mixture::Ours };
    Ok(compare(oracle, &stock).map(|(kind, detail)| Difference { build, kind, detail }))
}

/// Whether what flambeau builds agrees with the oracle.
pub fn agrees(
    compilers: &Compilers,
    programs: &[&Program],
    oracle: &Behaviour,
    build: &Build,
) -> Result<Option<Difference>> {
    let ours = built(compilers, programs, build, Look::Run)?;
    Ok(differs(oracle, &ours, build))
}

/// How a behaviour differs from the oracle's.
pub fn differs(oracle: &Behaviour, ours: &Behaviour, build: &Build) -> Option<Difference> {
    compare(oracle, ours).map(|(kind, detail)| Difference { build: build.clone(), kind, detail })
}

/// What flambeau's code costs more than the stock compiler's, with the flags that matter to both.
pub fn excesses(
    compilers: &Compilers,
    programs: &[&Program],
    build: &Build,
    ours: &Behaviour,
    look: Look,
) -> Result<Vec<Excess>> {
    if build.flags.iter().any(|flag| flag == BYTECODE) {
        return Ok(vec![]);
    }
    let stock = baseline(compilers, programs, build, look)?;
    Ok(if stock.exit == ours.exit && stock.stdout == ours.stdout {
        costs::excesses(&ours.costs, &stock.costs)
    } else {
        vec![]
    })
}

/// What the stock compiler makes of programs with those flags of a build that change what code costs in words.
pub fn baseline(
    compilers: &Compilers,
    programs: &[&Program],
    build: &Build,
    look: Look,
) -> Result<Behaviour> {
    behaviour(&compilers.stock.ocamlopt, &[], programs, &costs::flags_that_matter(&build.flags), look)
}

/// Whether a difference is seen in a program, which is what else it may be.
pub fn still_differs(
    compilers: &Compilers,
    program: &Program,
    oracle: &Behaviour,
    difference: &Difference,
) -> Result<Option<Difference>> {
    let Kind::Cost(measure, kernel) = &difference.kind else {
        let seen = agrees(compilers, &[program], oracle, &difference.build)?;
        return Ok(seen.filter(|seen| seen.kind == difference.kind));
    };
    let look = if measure.needs_profile() { Look::Profile } else { Look::Costs };
    let ours = built(compilers, &[program], &difference.build, look)?;
    if differs(oracle, &ours, &difference.build).is_some() {
        return Ok(None);
    }
    let all = excesses(compilers, &[program], &difference.build, &ours, look)?;
    let same = all.into_iter().find(|e| e.measure == *measure && e.kernel == *kernel);
    Ok(same.map(|excess| excess.difference(&difference.build)))
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
    let seen = settled(compilers, programs, oracle, &of_stock(&difference.build.flags))?;
    Ok(seen.is_some_and(|seen| seen.kind == difference.kind))
}

/// The flags that are not flambeau's own.
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

/// What flambeau builds, and what it saw of its languages.
pub fn built_with_coverage(
    compilers: &Compilers,
    programs: &[&Program],
    build: &Build,
    look: Look,
) -> Result<(Behaviour, Languages)> {
    let mut with_coverage = build.clone();
    with_coverage.flags.push(COVERAGE_FLAG.into());
    let ours = built(compilers, programs, &with_coverage, look)?;
    let languages = languages(&ours.messages);
    Ok((ours, languages))
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
