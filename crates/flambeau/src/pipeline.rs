//! From a request to a reply: the stages of the middle-end, and the one runner that dumps, times, counts and
//! verifies around them. No stage does any of this by itself.
//!
//! Nothing that goes wrong here gets out as a panic: it becomes a reply which says in which unit, function and
//! pass it was.

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
use flambeau_passes::Pass;

use crate::settings::Settings;
use crate::{other_units, reports};

/// The magic and the version of a reply.
const MAGIC: &[u8] = b"FLBR";
const VERSION: u64 = 2;

/// The name in this variable of the environment is that of a stage which is to panic: so can be tested what happens
/// then.
const FAIL_VARIABLE: &str = "FLAMBEAU_FAIL_IN";

/// Why a unit could not be compiled.
#[derive(Clone, Debug, Default)]
struct Failure {
    unit: String,
    function: String,
    pass: String,
    message: String,
}

/// A unit that was compiled.
struct Compiled {
    dumps: Vec<(String, String)>,
    /// What is to be written beside the output: what the names end in, and the contents.
    files: Vec<(String, String)>,
    payload: Vec<u8>,
    counters: Vec<(String, u64)>,
    /// The number of a location, that of a warning, and what it says if it does not say the same always.
    warnings: Vec<(u64, u64, String)>,
    cmm: flambeau_cmm::tree::Tree,
}

thread_local! {
    /// Where the middle-end is: for the report if it panics.
    static AT: RefCell<Failure> = RefCell::default();
}

/// Answers a request. `find_unit`: for a name of the linker, the unit that defines it (`docs/formats.md`).
pub fn reply(request: &[u8], find_unit: fn(&str) -> Vec<u8>) -> Vec<u8> {
    install_panic_hook();
    AT.set(Failure::default());
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| compile(request, find_unit).map(|c| success(&c))));
    match outcome {
        Ok(Ok(reply)) => reply,
        Ok(Err(failure)) => refusal(&failure),
        // The hook has noted where and why.
        Err(_) => refusal(&AT.take()),
    }
}

/// Notes message and place of a panic in place of printing them.
fn install_panic_hook() {
    panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("panic");
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let noted = AT.try_with(|at| {
            if let Ok(mut at) = at.try_borrow_mut() {
                at.message = format!("{message}{place}");
            }
        });
        if noted.is_err() {
            eprintln!("flambeau: {message}{place}");
        }
    }));
}

/// The beginning of a reply.
fn begin(ok: bool) -> Writer {
    let mut w = Writer::default();
    w.bytes.extend_from_slice(MAGIC);
    w.u(VERSION);
    w.bool(ok);
    w
}

fn refusal(failure: &Failure) -> Vec<u8> {
    let mut w = begin(false);
    w.s(failure.unit.as_bytes());
    w.s(failure.function.as_bytes());
    w.s(failure.pass.as_bytes());
    w.s(failure.message.as_bytes());
    w.bytes
}

fn success(compiled: &Compiled) -> Vec<u8> {
    enter("encoding the reply");
    let mut w = begin(true);
    for texts in [&compiled.dumps, &compiled.files] {
        w.u(texts.len() as u64);
        for (name, text) in texts {
            w.s(name.as_bytes());
            w.s(text.as_bytes());
        }
    }
    w.s(&compiled.payload);
    w.u(compiled.counters.len() as u64);
    for (name, value) in &compiled.counters {
        w.s(name.as_bytes());
        w.u(*value);
    }
    w.u(compiled.warnings.len() as u64);
    for (place, number, text) in &compiled.warnings {
        w.u(*place);
        w.u(*number);
        w.s(text.as_bytes());
    }
    encode::encode(&compiled.cmm, &mut w);
    w.bytes
}

/// Does what is to be done around each stage.
struct Runner {
    dumps_wanted: Vec<String>,
    verify: bool,
    /// The stage that is to fail.
    fail_in: Option<String>,
    dumps: Vec<(String, String)>,
    counters: Vec<(String, u64)>,
}

impl Runner {
    fn new(request: &Request) -> Runner {
        let options = &request.options;
        AT.with_borrow_mut(|at| at.unit.clone_from(&options.unit_name));
        Runner {
            dumps_wanted: options.dumps.clone(),
            verify: options.verify,
            fail_in: std::env::var(FAIL_VARIABLE).ok(),
            dumps: Vec::new(),
            counters: Vec::new(),
        }
    }

    /// Runs a stage under its name.
    fn stage<T>(&mut self, name: &str, stage: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        enter(name);
        assert!(self.fail_in.as_deref() != Some(name), "{FAIL_VARIABLE} asks for it");
        let start = Instant::now();
        let result = stage();
        self.counters.push((format!("{name}: microseconds"), start.elapsed().as_micros() as u64));
        result
    }

    /// Whether that dump is wanted.
    fn wants(&self, name: &str) -> bool {
        self.dumps_wanted.iter().any(|wanted| wanted == name)
    }

    /// Notes what `print` gives, if that dump is wanted.
    fn dump(&mut self, name: &str, print: impl FnOnce() -> String) {
        if self.wants(name) {
            self.dumps.push((name.into(), print()));
        }
    }

    /// Runs passes, each verified.
    fn passes(&mut self, unit: &mut Unit, passes: &[Pass], rewrites: &mut Rewrites) -> Result<(), Failure> {
        for pass in passes {
            self.stage(pass.name, || {
                (pass.run)(unit, rewrites);
                Ok(())
            })?;
            self.verify(unit, pass.name)?;
        }
        Ok(())
    }

    /// Checks what the pass of that name made.
    fn verify(&mut self, unit: &Unit, pass: &str) -> Result<(), Failure> {
        if !self.verify {
            return Ok(());
        }
        let name = format!("verification after {pass}");
        self.stage(&name, || {
            verify::verify(unit).map_err(|errors| {
                let messages: Vec<String> = errors.iter().take(10).map(ToString::to_string).collect();
                failure(messages.join("; "))
            })
        })
    }
}

/// Notes which pass is running.
fn enter(pass: &str) {
    AT.with_borrow_mut(|at| {
        at.pass = pass.into();
        at.function.clear();
    });
}

/// A failure of the pass that is running.
fn failure(message: impl Into<String>) -> Failure {
    AT.with_borrow(|at| Failure { message: message.into(), ..at.clone() })
}

fn compile(bytes: &[u8], find_unit: fn(&str) -> Vec<u8>) -> Result<Compiled, Failure> {
    enter("decoding the request");
    let mut request = decode(bytes).map_err(|error| failure(error.to_string()))?;
    let runner = &mut Runner::new(&request);
    runner.dump("lambda", || lambda_printer::print(&request.term));
    let (imports, origins) = runner
        .stage("reading payloads", || other_units::read_payloads(&mut request.imports).map_err(failure))?;

    let settings = Settings::read(&request.options.settings).map_err(failure)?;
    let mut rewrites = Rewrites {
        fuel: request.options.fuel.map_or_else(Fuel::unlimited, Fuel::limited),
        trace: (settings.trace || runner.wants("coverage")).then(Vec::new),
        keep_backtraces: request.options.debug,
        stubs_only: !settings.inline,
        inlining: settings.inlining.clone(),
        decisions: settings
            .report
            .is_some()
            .then(|| DecisionLog { policy: settings.inlining.of(0).policy, decisions: Vec::new() }),
        ..Rewrites::default()
    };
    let Converted { mut unit, exports, counters, warnings: of_source } = runner.stage("convert", || {
        convert(&request, &mut rewrites.fuel).map_err(|error| failure(error.to_string()))
    })?;
    runner.counters.extend(counters);
    unit.imports = imports;
    unit.imports.set_library(other_units::library(find_unit, runner.verify));
    unit.origins = origins;
    if runner.verify {
        unit.imports.check();
    }
    runner.dump("raw", || printer::print_unit(&unit));
    runner.verify(&unit, "convert")?;
    if settings.simplify {
        runner.passes(
            &mut unit,
            &flambeau_passes::schedule(settings.level, settings.rounds),
            &mut rewrites,
        )?;
    }
    other_units::check(&unit.imports).map_err(failure)?;
    let payload = match settings.export {
        true => runner.stage("payload", || {
            Ok(other_units::payload(&request, &settings, &mut unit, exports, &rewrites))
        })?,
        false => Vec::new(),
    };
    runner.counters.push(("payload: bytes".into(), payload.len() as u64));
    runner.counters.push(("functions of other units that were read".into(), unit.imports.taken()));
    runner.dump("ir", || printer::print_unit(&unit));
    #[cfg(feature = "planted-bugs")]
    plant(&mut unit);
    let used = rewrites.fuel.used();
    runner.dump("coverage", || coverage_text(&request, &unit, &rewrites));
    runner.dump("rewrites", || rewrites.trace.take().unwrap_or_default().join("\n") + "\n");

    let files = match &settings.report {
        Some(source) => runner.stage("report", || {
            reports::files(&unit, source, settings.level, &mut rewrites).map_err(failure)
        })?,
        None => Vec::new(),
    };
    let cmm = runner.stage("to cmm", || Ok(flambeau_cmm::lower(&unit)))?;
    runner.dump("cmm", || flambeau_cmm::printer::print(&cmm));
    runner.counters.push(("fuel used".into(), used));
    Ok(Compiled {
        dumps: std::mem::take(&mut runner.dumps),
        files,
        payload,
        counters: std::mem::take(&mut runner.counters),
        warnings: warnings(&unit, &rewrites, of_source),
        cmm,
    })
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

/// What the unit has of each language, and which rewrites made it so, for the fuzzer: a line `language name: count`
/// each. The last line of a unit is the only one that begins with `fuel`.
fn coverage_text(request: &Request, unit: &Unit, rewrites: &Rewrites) -> String {
    let (mut lambda, mut ir) = (lambda_coverage::Coverage::new(), ir_coverage::Coverage::new());
    lambda_coverage::count(&request.term, &mut lambda);
    ir_coverage::count(unit, &mut ir);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for line in rewrites.trace.iter().flatten() {
        *kinds.entry(flambeau_passes::kind_of_rewrite(line)).or_default() += 1;
    }
    let lambda = lambda.iter().map(|(name, count)| format!("lambda {name}: {count}\n"));
    let ir = ir.iter().map(|(name, count)| format!("ir {name}: {count}\n"));
    let kinds = kinds.iter().map(|(name, count)| format!("rewrite {name}: {count}\n"));
    lambda.chain(ir).chain(kinds).chain([format!("fuel used: {}\n", rewrites.fuel.used())]).collect()
}
