//! From a request to a reply: the stages of the middle-end.
//!
//! No panic leaves the middle end: it becomes a reply which says in which unit, function and pass it happened.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

use flambeau_bytecode::Program;
use flambeau_cmm::encode::Writer;
use flambeau_cmm::same::{self, Sharing};
use flambeau_convert::Converted;
use flambeau_interp::coverage as ir_coverage;
use flambeau_ir::decision::{DecisionLog, Warning};
use flambeau_ir::{Dbg, Fuel, Machine, Rewrite, Rewrites, Unit, printer};
use flambeau_lambda::{coverage as lambda_coverage, decode, printer as lambda_printer};
use rustc_hash::FxHashSet;

use crate::library::{in_place, stock_object};
use crate::runner::{Failure, Runner, SAVED, failure, install_panic_hook, panicked};
use crate::saved::Saving;
use crate::settings::Settings;
use crate::{other_units, profiles, program, reports, saved};

/// The magic and the version of a reply.
const MAGIC: &[u8] = b"FLBR";
const VERSION: u64 = 5;

/// The first byte of a reply: the outcome of the request.
const COMPILED: u8 = 0;
const FAILED: u8 = 1;
const BAD_OPTION: u8 = 2;

/// A unit that was compiled.
struct Compiled {
    /// What is to be written beside the output: what the names end in, and the contents.
    files: Vec<(String, String)>,
    payload: Vec<u8>,
    /// The number of the location, the number of the warning, and its text if that is not fixed.
    warnings: Vec<(u64, u64, String)>,
    code: Code,
}

/// What code is made of.
enum Code {
    Cmm(flambeau_cmm::tree::Tree),
    Lambda(Program),
}

/// Answers a request. `find_unit`: for a name of the linker, the unit that defines it (`docs/formats.md`).
///
/// The dumps and the trace of rewrites are in the reply whether the unit was compiled or not: failures are investigated
/// with them.
pub fn reply(request: &[u8], find_unit: fn(&str) -> Vec<u8>) -> Vec<u8> {
    install_panic_hook();
    let (mut runner, mut rewrites) = (Runner::new(), Rewrites::default());
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        let compiled = compile(request, find_unit, &mut runner, &mut rewrites)?;
        runner.enter("encoding the reply");
        Ok(success(&runner, &compiled))
    }));
    let failure = match outcome {
        Ok(Ok(reply)) => return reply,
        Ok(Err(failure)) => failure,
        Err(_) => panicked(),
    };
    runner.dump_rewrites(&mut rewrites);
    runner.finish_saving();
    refusal(&runner, &failure)
}

/// The object file of an assembly program.
///
/// # Errors
/// With the reason why the assembler gave up.
pub fn assemble(program: &[u8]) -> Result<Vec<u8>, String> {
    install_panic_hook();
    match panic::catch_unwind(|| flambeau_assembler::assemble(program)) {
        Ok(object) => object.map_err(|error| error.to_string()),
        Err(_) => Err(panicked().message),
    }
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
    match &compiled.code {
        Code::Cmm(tree) => flambeau_cmm::encode::encode(tree, &mut w),
        Code::Lambda(program) => flambeau_bytecode::encode(program, &mut w),
    }
    w.bytes
}

fn compile(
    bytes: &[u8],
    find_unit: fn(&str) -> Vec<u8>,
    runner: &mut Runner,
    rewrites: &mut Rewrites,
) -> Result<Compiled, Failure> {
    let mut request =
        runner.stage("decoding the request", || decode(bytes).map_err(|error| failure(error.to_string())))?;
    runner.configure(&request)?;
    runner.dump("lambda", || lambda_printer::print(&request.term));
    let mentioned = runner.wants(SAVED).then(|| request.imports.clone());
    let (imports, origins) = runner
        .stage("reading payloads", || other_units::read_payloads(&mut request.imports).map_err(failure))?;

    let mut texts = saved::settings(&request);
    let mut settings =
        Settings::read(&texts).map_err(|error| Failure { is_of_options: true, ..failure(error) })?;
    *rewrites = Rewrites {
        trace: (settings.trace || settings.explains() || runner.wants("coverage")).then(Vec::new),
        decisions: settings
            .explains()
            .then(|| DecisionLog { policy: settings.inlining.of(0).policy, decisions: Vec::new() }),
        ..settings.rewrites(request.options.fuel.map_or_else(Fuel::unlimited, Fuel::limited))
    };
    let Converted { mut unit, exports, counters, warnings: of_source, bytecode_names } =
        runner.stage("convert", || program::convert(&request, rewrites, |unit| profiled(unit, &settings)))?;
    let lambda = runner.wants("coverage").then(|| lambda_coverage::of(&request.term));
    request.drop_code();
    runner.counters.extend(counters);
    unit.imports = imports;
    unit.imports.set_library(other_units::library(find_unit, runner.verify));
    unit.origins = origins;
    if runner.verify {
        unit.imports.check();
    }
    if profiles::has_hot_code(&unit)
        && let Some(rounds) = settings.rounds_of_hot_unit()
    {
        texts.push(("rounds".into(), rounds.to_string()));
        settings.rounds = Some(rounds);
        rewrites.lifting_rounds = settings.lifting_rounds();
    }
    runner.dump("raw", || printer::print_unit(&unit));
    let mut inner = Vec::new();
    let closed = match &settings.stock_cmx {
        Some(cmx) => {
            let stock = stock_object::static_closures(cmx).map_err(|error| failure(format!("{error:#}")))?;
            let closed = in_place::closed_functions(&unit, &stock);
            inner = in_place::called_for_formats(&unit, &closed);
            in_place::free_local_functions(&mut unit, &other_units::stock_names(&request));
            closed
        }
        None => FxHashSet::default(),
    };
    if let Some(mentioned) = mentioned {
        let converted = rewrites.fuel.used();
        runner.saving = Some(Saving::begin(&mut unit, &texts, converted, mentioned, find_unit));
    }
    runner.verify_after(&unit, "convert")?;
    runner.passes(&mut unit, &settings.steps(), rewrites)?;
    runner.finish_saving();
    runner.dump("ir", || printer::print_unit(&unit));
    other_units::check(&unit.imports).map_err(failure)?;
    let payload = if settings.export {
        runner.stage("payload", || {
            in_place::call_in_place(&mut unit, &closed);
            Ok(other_units::payload(&request, &settings, &mut unit, exports, rewrites, inner, &closed))
        })?
    } else {
        Vec::new()
    };
    runner.counters.push(("payload: bytes".into(), payload.len() as u64));
    runner.counters.push(("functions of other units that were read".into(), unit.imports.taken()));
    #[cfg(feature = "planted-bugs")]
    plant(&mut unit);
    // The result is verified in every compilation, so that a mistake of a pass is found before code is generated.
    runner.verify(&unit, "verification")?;
    let code = match settings.machine {
        Machine::Native => Code::Cmm(to_cmm(&unit, &payload, settings.locations, runner, rewrites)?),
        Machine::Bytecode => Code::Lambda(to_lambda(&unit, &bytecode_names, runner)?),
    };
    let used = rewrites.fuel.used();
    if let Some(lambda) = lambda {
        runner.dump("coverage", || coverage_text(&lambda, &unit, rewrites));
    }
    let files = if settings.explains() {
        runner.stage("report", || reports::of_unit(&unit, &settings, rewrites).map_err(failure))?
    } else {
        Vec::new()
    };
    runner.dump_rewrites(rewrites);
    runner.counters.push(("fuel used".into(), used));
    runner
        .counters
        .extend(peak_memory().map(|kilobytes| ("most memory so far: kilobytes".into(), kilobytes)));
    Ok(Compiled { files, payload, warnings: warnings(&unit, rewrites, of_source), code })
}

/// `payload`: all that other units know of this one, those of the stock compiler included. `locations`: they matter
/// without `-g`, too.
fn to_cmm(
    unit: &Unit,
    payload: &[u8],
    locations: bool,
    runner: &mut Runner,
    rewrites: &mut Rewrites,
) -> Result<flambeau_cmm::tree::Tree, Failure> {
    let mut tree = runner.stage("to cmm", || Ok(flambeau_cmm::lower(unit)))?;
    runner.stage("same functions", || {
        let sharing = Sharing {
            keep_locations: rewrites.keep_backtraces || locations,
            is_known: &|name| memchr::memmem::find(payload, name.as_bytes()).is_some(),
            allow: &mut || rewrites.allow_in_unit(Rewrite::SameFunction),
        };
        same::share(&mut tree, sharing);
        Ok(())
    })?;
    runner.dump("cmm", || flambeau_cmm::printer::print(&tree));
    Ok(tree)
}

/// `names`: those that functions of C have in bytecode.
fn to_lambda(unit: &Unit, names: &BTreeMap<String, String>, runner: &mut Runner) -> Result<Program, Failure> {
    runner.stage("to lambda", || {
        let mut program = flambeau_bytecode::translate(unit);
        program.rename_functions_of_c(|name| names.get(name).cloned());
        Ok(program)
    })
}

/// Adds what a profile says to a unit, then counters, if either is wanted.
fn profiled(unit: &mut Unit, settings: &Settings) -> Result<(), Failure> {
    if let Some(file) = &settings.profile_use {
        profiles::apply(unit, file).map_err(|error| Failure { is_of_options: true, ..failure(error) })?;
    }
    if settings.profile_gen {
        flambeau_profile::count::insert(unit);
    }
    Ok(())
}

/// The most memory that this process had, in kilobytes, where the system says so.
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
fn coverage_text(lambda: &lambda_coverage::Coverage, unit: &Unit, rewrites: &Rewrites) -> String {
    let mut ir = ir_coverage::Coverage::new();
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
