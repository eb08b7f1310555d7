//! From a request to a reply: the stages of the middle-end, and the one runner that dumps, times, counts and
//! verifies around them. No stage does any of this by itself.
//!
//! No panic leaves the middle end: it becomes a reply which says in which unit, function and pass it happened.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::time::Instant;

use flambeau_cmm::encode::{self, Writer};
use flambeau_convert::{Converted, convert};
use flambeau_interp::coverage as ir_coverage;
use flambeau_ir::decision::{DecisionLog, Warning};
use flambeau_ir::{Dbg, Fuel, Rewrites, Unit, printer, verify};
use flambeau_lambda::{Request, coverage as lambda_coverage, decode, printer as lambda_printer};
use flambeau_passes::Conditions;
use flambeau_passes::schedule::{Step, lifting_rounds};
use rustc_hash::FxHashSet;

use crate::library::{in_place, stock_object};
use crate::settings::Settings;
use crate::{other_units, profiles, reports};

/// The magic and the version of a reply.
const MAGIC: &[u8] = b"FLBR";
const VERSION: u64 = 4;

/// The variable of the environment that names a stage which is to panic, so that tests can see what happens then. The
/// OCaml side reads it for its own stages (`ocaml/driver/errors.ml`).
const FAIL_VARIABLE: &str = "FLAMBEAU_FAIL_IN";

/// The first byte of a reply: the outcome of the request.
const COMPILED: u8 = 0;
const FAILED: u8 = 1;
const BAD_OPTION: u8 = 2;

/// Why a unit could not be compiled.
#[derive(Clone, Debug, Default)]
struct Failure {
    /// The command line is at fault: an option has a value that means nothing.
    is_of_options: bool,
    unit: String,
    function: String,
    pass: String,
    message: String,
}

/// A unit that was compiled.
struct Compiled {
    /// What is to be written beside the output: what the names end in, and the contents.
    files: Vec<(String, String)>,
    payload: Vec<u8>,
    /// The number of the location, the number of the warning, and its text if that is not fixed.
    warnings: Vec<(u64, u64, String)>,
    cmm: flambeau_cmm::tree::Tree,
}

thread_local! {
    /// Where the middle-end is: for the report if it panics.
    static AT: RefCell<Failure> = RefCell::default();
}

/// Answers a request. `find_unit`: for a name of the linker, the unit that defines it (`docs/formats.md`).
///
/// The dumps and the trace of rewrites are in the reply whether the unit was compiled or not: failures are investigated
/// with them.
pub fn reply(request: &[u8], find_unit: fn(&str) -> Vec<u8>) -> Vec<u8> {
    install_panic_hook();
    AT.set(Failure::default());
    let (mut runner, mut rewrites) = (Runner::new(), Rewrites::default());
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        let compiled = compile(request, find_unit, &mut runner, &mut rewrites)?;
        runner.encode(&compiled)
    }));
    let failure = match outcome {
        Ok(Ok(reply)) => return reply,
        Ok(Err(failure)) => failure,
        // The hook has recorded where and why.
        Err(_) => AT.take(),
    };
    runner.dump_rewrites(&mut rewrites);
    refusal(&runner, &failure)
}

/// Records message and source location of a panic instead of printing them.
fn install_panic_hook() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic");
        let location = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let noted = AT.try_with(|at| {
            if let Ok(mut at) = at.try_borrow_mut() {
                at.message = format!("{message}{location}");
            }
        });
        if noted.is_err() {
            eprintln!("flambeau: {message}{location}");
        }
    }));
}

/// The beginning of a reply.
fn begin(outcome: u8, dumps: &[(String, String)]) -> Writer {
    let mut w = Writer::default();
    w.bytes.extend_from_slice(MAGIC);
    w.u(VERSION);
    texts(&mut w, dumps);
    w.bytes.push(outcome);
    w
}

/// Names and texts.
fn texts(w: &mut Writer, texts: &[(String, String)]) {
    w.u(texts.len() as u64);
    for (name, text) in texts {
        w.s(name.as_bytes());
        w.s(text.as_bytes());
    }
}

fn refusal(runner: &Runner, failure: &Failure) -> Vec<u8> {
    let mut w = begin(if failure.is_of_options { BAD_OPTION } else { FAILED }, &runner.dumps);
    w.s(failure.unit.as_bytes());
    w.s(failure.function.as_bytes());
    w.s(failure.pass.as_bytes());
    w.s(failure.message.as_bytes());
    w.bytes
}

fn success(runner: &Runner, compiled: &Compiled) -> Vec<u8> {
    let mut w = begin(COMPILED, &runner.dumps);
    texts(&mut w, &compiled.files);
    w.s(&compiled.payload);
    w.u(runner.counters.len() as u64);
    for (name, value) in &runner.counters {
        w.s(name.as_bytes());
        w.u(*value);
    }
    w.u(compiled.warnings.len() as u64);
    for (location, number, text) in &compiled.warnings {
        w.u(*location);
        w.u(*number);
        w.s(text.as_bytes());
    }
    encode::encode(&compiled.cmm, &mut w);
    w.bytes
}

/// Does what is to be done around each stage.
#[derive(Default)]
struct Runner {
    dumps_wanted: Vec<String>,
    verify: bool,
    /// The stage that is to fail.
    fail_in: Option<String>,
    dumps: Vec<(String, String)>,
    counters: Vec<(String, u64)>,
}

impl Runner {
    fn new() -> Runner {
        Runner { fail_in: std::env::var(FAIL_VARIABLE).ok(), ..Runner::default() }
    }

    /// The runner for the dumps, checks and counters that a request asks for.
    fn configure(&mut self, request: &Request) {
        let options = &request.options;
        AT.with_borrow_mut(|at| at.unit.clone_from(&options.unit_name));
        self.dumps_wanted.clone_from(&options.dumps);
        self.verify = options.verify;
    }

    /// Records which stage begins, and fails if this stage is to.
    fn enter(&self, name: &str) {
        AT.with_borrow_mut(|at| {
            at.pass = name.into();
            at.function.clear();
        });
        assert!(self.fail_in.as_deref() != Some(name), "{FAIL_VARIABLE} asks for it");
    }

    /// Makes the reply of a unit that was compiled.
    fn encode(&self, compiled: &Compiled) -> Result<Vec<u8>, Failure> {
        self.enter("encoding the reply");
        Ok(success(self, compiled))
    }

    /// Runs a stage under its name.
    fn stage<T>(&mut self, name: &str, stage: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        self.enter(name);
        let start = Instant::now();
        let result = stage();
        self.counters.push((format!("{name}: microseconds"), start.elapsed().as_micros() as u64));
        result
    }

    /// Whether that dump is wanted.
    fn wants(&self, name: &str) -> bool {
        self.dumps_wanted.iter().any(|wanted| wanted == name)
    }

    /// Records the output of `print`, if that dump is wanted.
    fn dump(&mut self, name: &str, print: impl FnOnce() -> String) {
        if self.wants(name) {
            self.dumps.push((name.into(), print()));
        }
    }

    /// Dumps the trace of rewrites, unless that was done already.
    fn dump_rewrites(&mut self, rewrites: &mut Rewrites) {
        if let Some(trace) = rewrites.trace.take() {
            self.dump("rewrites", || trace.iter().map(|done| format!("{done}\n")).collect());
        }
    }

    /// Runs passes, each verified if that is wanted.
    fn passes(&mut self, unit: &mut Unit, steps: &[&Step], rewrites: &mut Rewrites) -> Result<(), Failure> {
        for pass in steps.iter().map(|step| &step.pass) {
            self.stage(pass.name, || {
                (pass.run)(unit, rewrites);
                Ok(())
            })?;
            self.verify_after(unit, pass.name)?;
        }
        Ok(())
    }

    /// Verifies the result of the pass of that name, if verification is wanted after each pass.
    fn verify_after(&mut self, unit: &Unit, pass: &str) -> Result<(), Failure> {
        if self.verify { self.verify(unit, &format!("verification after {pass}")) } else { Ok(()) }
    }

    /// Verifies a unit, as a stage of that name. A unit that is not well-formed is dumped if the result is to be
    /// dumped.
    fn verify(&mut self, unit: &Unit, name: &str) -> Result<(), Failure> {
        let verified = self.stage(name, || verify::verify(unit).map_err(|errors| ill_formed(&errors)));
        if verified.is_err() && self.wants("ir") {
            // The printer may not expect what the verifier does not accept.
            if let Ok(text) = panic::catch_unwind(AssertUnwindSafe(|| printer::print_unit(unit))) {
                self.dumps.push(("ir".into(), text));
            }
        }
        verified
    }
}

/// What the verifier found.
fn ill_formed(errors: &[verify::VerifyError]) -> Failure {
    let messages: Vec<String> = errors.iter().take(10).map(ToString::to_string).collect();
    let function = errors.first().map(|error| error.function.clone()).unwrap_or_default();
    Failure { function, ..failure(messages.join("; ")) }
}

/// A failure of the pass that is running.
fn failure(message: impl Into<String>) -> Failure {
    AT.with_borrow(|at| Failure { message: message.into(), ..at.clone() })
}

fn compile(
    bytes: &[u8],
    find_unit: fn(&str) -> Vec<u8>,
    runner: &mut Runner,
    rewrites: &mut Rewrites,
) -> Result<Compiled, Failure> {
    let mut request =
        runner.stage("decoding the request", || decode(bytes).map_err(|error| failure(error.to_string())))?;
    runner.configure(&request);
    runner.dump("lambda", || lambda_printer::print(&request.term));
    let (imports, origins) = runner
        .stage("reading payloads", || other_units::read_payloads(&mut request.imports).map_err(failure))?;

    let settings = Settings::read(&request.options.settings)
        .map_err(|error| Failure { is_of_options: true, ..failure(error) })?;
    *rewrites = Rewrites {
        fuel: request.options.fuel.map_or_else(Fuel::unlimited, Fuel::limited),
        trace: (settings.trace || settings.explains() || runner.wants("coverage")).then(Vec::new),
        keep_backtraces: request.options.debug,
        several_domains: request.options.several_domains,
        stubs_only: !settings.inline,
        boxed_captures: settings.boxed_captures,
        unboxed_closures: settings.unboxed_closures,
        boxed_arguments: settings.boxed_arguments,
        inlining: settings.inlining.clone(),
        decisions: settings
            .explains()
            .then(|| DecisionLog { policy: settings.inlining.of(0).policy, decisions: Vec::new() }),
        ..Rewrites::default()
    };
    let Converted { mut unit, exports, counters, warnings: of_source } = runner
        .stage("convert", || convert(&request, rewrites).map_err(|error| failure(error.to_string())))?;
    runner.counters.extend(counters);
    unit.imports = imports;
    unit.imports.set_library(other_units::library(find_unit, runner.verify));
    unit.origins = origins;
    if runner.verify {
        unit.imports.check();
    }
    profiled(&mut unit, &settings, runner)?;
    runner.dump("raw", || printer::print_unit(&unit));
    runner.verify_after(&unit, "convert")?;
    let closed = match &settings.stock_cmx {
        Some(cmx) => {
            let stock = stock_object::static_closures(cmx).map_err(|error| failure(format!("{error:#}")))?;
            in_place::closed_functions(&unit, &stock)
        }
        None => FxHashSet::default(),
    };
    if settings.simplify {
        let described = other_units::stock_unit(&request).is_some();
        let conditions = Conditions { level: settings.level, rounds: settings.rounds, described };
        let schedule = flambeau_passes::schedule(conditions);
        rewrites.lifting_rounds = Some(lifting_rounds(&schedule));
        runner.passes(&mut unit, &schedule, rewrites)?;
    }
    other_units::check(&unit.imports).map_err(failure)?;
    let payload = if settings.export {
        runner.stage("payload", || {
            in_place::call_in_place(&mut unit, &closed);
            Ok(other_units::payload(&request, &settings, &mut unit, exports, rewrites))
        })?
    } else {
        Vec::new()
    };
    runner.counters.push(("payload: bytes".into(), payload.len() as u64));
    runner.counters.push(("functions of other units that were read".into(), unit.imports.taken()));
    runner.dump("ir", || printer::print_unit(&unit));
    #[cfg(feature = "planted-bugs")]
    plant(&mut unit);
    let used = rewrites.fuel.used();
    runner.dump("coverage", || coverage_text(&request, &unit, rewrites));
    let files = if settings.explains() {
        runner.stage("report", || reports::of_unit(&unit, &settings, rewrites).map_err(failure))?
    } else {
        Vec::new()
    };
    runner.dump_rewrites(rewrites);
    // The result is verified in every compilation, so that a mistake of a pass is found before code is generated.
    runner.verify(&unit, "verification")?;
    let cmm = runner.stage("to cmm", || Ok(flambeau_cmm::lower(&unit)))?;
    runner.dump("cmm", || flambeau_cmm::printer::print(&cmm));
    runner.counters.push(("fuel used".into(), used));
    runner
        .counters
        .extend(peak_memory().map(|kilobytes| ("most memory so far: kilobytes".into(), kilobytes)));
    Ok(Compiled { files, payload, warnings: warnings(&unit, rewrites, of_source), cmm })
}

/// Adds what a profile says to a unit, then counters, if either is wanted.
fn profiled(unit: &mut Unit, settings: &Settings, runner: &mut Runner) -> Result<(), Failure> {
    if let Some(file) = &settings.profile_use {
        runner.stage("reading the profile", || {
            profiles::apply(unit, file).map_err(|error| Failure { is_of_options: true, ..failure(error) })
        })?;
    }
    if settings.profile_gen {
        runner.stage("counting", || {
            flambeau_profile::count::insert(unit);
            Ok(())
        })?;
    }
    Ok(())
}

/// The most memory that this process had, in kilobytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

/// What the user is warned of.
fn warnings(unit: &Unit, rewrites: &Rewrites, of_source: Vec<(Dbg, Warning)>) -> Vec<(u64, u64, String)> {
    let mut warnings = flambeau_simplify::inline::warnings::warnings(unit, rewrites);
    warnings.extend(of_source);
    let text = |warning| match warning {
        Warning::InliningImpossible(why) => why,
        Warning::AssignmentToImmutable => String::new(),
    };
    warnings.into_iter().map(|(dbg, w)| (u64::from(dbg.0), u64::from(w.number()), text(w))).collect()
}

/// Applies the miscompilation that the environment names, if it names one.
#[cfg(feature = "planted-bugs")]
fn plant(unit: &mut Unit) {
    if let Some(pass) =
        std::env::var("FLAMBEAU_PLANT").ok().and_then(|name| flambeau_irfuzz::planted::find(&name))
    {
        (pass.run)(unit, &mut Rewrites::default());
    }
}

/// How often the unit has each construct of each language, and how often each kind of rewrite was applied, for the
/// fuzzer: a line `language name: count` each. The last line of a unit is the only one that begins with `fuel`.
fn coverage_text(request: &Request, unit: &Unit, rewrites: &Rewrites) -> String {
    let (mut lambda, mut ir) = (lambda_coverage::Coverage::new(), ir_coverage::Coverage::new());
    lambda_coverage::count(&request.term, &mut lambda);
    ir_coverage::count(unit, &mut ir);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for done in rewrites.trace.iter().flatten() {
        *kinds.entry(done.rewrite.kind()).or_default() += 1;
    }
    let lambda = lambda.iter().map(|(name, count)| format!("lambda {name}: {count}\n"));
    let ir = ir.iter().map(|(name, count)| format!("ir {name}: {count}\n"));
    let kinds = kinds.iter().map(|(name, count)| format!("rewrite {name}: {count}\n"));
    lambda.chain(ir).chain(kinds).chain([format!("fuel used: {}\n", rewrites.fuel.used())]).collect()
}

#[cfg(test)]
mod tests {
    use flambeau_ir::parser;

    use super::*;

    #[test]
    fn a_unit_that_is_ill_formed_is_dumped_and_its_function_named() {
        let unit = parser::parse_unit(
            "unit \"M\" prefix \"camlM\" module $camlM\n\
             static exported $camlM = preallocated[0] size 0\n\
             code f (x) -> k { join j { let a = x j } k (a) }\n\
             entry -> k { k (0) }",
        )
        .expect("it can be read");
        let mut runner = Runner { dumps_wanted: vec!["ir".into()], ..Runner::default() };
        let failure = runner.verify(&unit, "verification").expect_err("the variable is not in scope");
        assert_eq!((failure.pass.as_str(), failure.function.as_str()), ("verification", "f"));
        assert!(failure.message.contains("the variable `a` is not in scope"), "{}", failure.message);
        let [(name, text)] = &runner.dumps[..] else { panic!("one dump: {:?}", runner.dumps) };
        assert_eq!(name, "ir");
        assert!(text.contains("code f"), "{text}");
    }
}
