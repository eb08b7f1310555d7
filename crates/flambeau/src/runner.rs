//! The one runner of the stages of a compilation: it dumps, times, counts and verifies around them. No stage does any
//! of this by itself.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::time::Instant;

use flambeau_ir::{Rewrites, Unit, printer, verify};
use flambeau_lambda::Request;
use flambeau_passes::schedule::Step;

use crate::boundary;
use crate::saved::Saving;
use crate::settings::pass_named;

/// The variable of the environment that names a stage which is to panic, so that tests can see what happens then. The
/// OCaml side reads it for its own stages (`ocaml/driver/errors.ml`).
const FAIL_VARIABLE: &str = "FLAMBEAU_FAIL_IN";

/// The dump of what passes are given, which is written to a file.
pub const SAVED: &str = "saved";

/// What the name of a dump after a pass begins with.
const AFTER: &str = "after ";

/// The title of a dump after a step: the pass, and if it runs more than once, which time.
pub fn title_after(steps: &[&Step], done: usize) -> String {
    let name = steps[done].pass.name;
    let times = |steps: &[&Step]| steps.iter().filter(|step| step.pass.name == name).count();
    match times(steps) {
        1 => format!("{AFTER}{name}"),
        all => format!("{AFTER}{name}, {} of {all}", times(&steps[..=done])),
    }
}

/// Why a unit could not be compiled.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// The command line is at fault: an option has a value that means nothing.
    pub is_of_options: bool,
    pub unit: String,
    pub function: String,
    pub pass: String,
    pub message: String,
}

thread_local! {
    /// Where the middle-end is: for the report if it panics.
    static AT: RefCell<Failure> = RefCell::default();
}

/// Records message and source location of a panic instead of printing them.
pub fn install_panic_hook() {
    AT.set(Failure::default());
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

/// Where the middle end was when it panicked, and why: the hook has recorded it.
pub fn panicked() -> Failure {
    AT.take()
}

/// Does what is to be done around each stage.
#[derive(Default)]
pub struct Runner {
    pub dumps_wanted: Vec<String>,
    pub verify: bool,
    /// The stage that is to fail.
    fail_in: Option<String>,
    pub dumps: Vec<(String, String)>,
    pub counters: Vec<(String, u64)>,
    /// What the passes were given, if that is to be saved.
    pub saving: Option<Saving>,
}

impl Runner {
    pub fn new() -> Runner {
        Runner { fail_in: std::env::var(FAIL_VARIABLE).ok(), ..Runner::default() }
    }

    /// The runner for the dumps, checks and counters that a request asks for.
    ///
    /// # Errors
    /// When a dump is wanted after a pass that there is none of.
    pub fn configure(&mut self, request: &Request) -> Result<(), Failure> {
        let options = &request.options;
        AT.with_borrow_mut(|at| at.unit.clone_from(&options.unit_name));
        self.verify = options.verify;
        for name in options.dumps.iter().filter_map(|name| name.strip_prefix(AFTER)) {
            pass_named("-dflambeau-after", name)
                .map_err(|error| Failure { is_of_options: true, ..failure(error) })?;
        }
        self.dumps_wanted.clone_from(&options.dumps);
        Ok(())
    }

    /// Records which stage begins, and fails if this stage is to.
    pub fn enter(&self, name: &str) {
        AT.with_borrow_mut(|at| {
            at.pass = name.into();
            at.function.clear();
        });
        assert!(self.fail_in.as_deref() != Some(name), "{FAIL_VARIABLE} asks for it");
    }

    /// Runs a stage under its name.
    pub fn stage<T>(&mut self, name: &str, stage: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        self.enter(name);
        let start = Instant::now();
        let result = stage();
        boundary::watch();
        self.counters.push((format!("{name}: microseconds"), start.elapsed().as_micros() as u64));
        result
    }

    /// Whether that dump is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.dumps_wanted.iter().any(|wanted| wanted == name)
    }

    /// Records the output of `print`, if that dump is wanted.
    pub fn dump(&mut self, name: &str, print: impl FnOnce() -> String) {
        if self.wants(name) {
            self.dumps.push((name.into(), print()));
        }
    }

    /// Dumps the trace of rewrites, unless that was done already.
    pub fn dump_rewrites(&mut self, rewrites: &mut Rewrites) {
        if let Some(trace) = rewrites.trace.take() {
            self.dump("rewrites", || trace.iter().map(|done| format!("{done}\n")).collect());
        }
    }

    /// Runs passes, each verified if that is wanted.
    pub fn passes(
        &mut self,
        unit: &mut Unit,
        steps: &[&Step],
        rewrites: &mut Rewrites,
    ) -> Result<(), Failure> {
        for (done, pass) in steps.iter().map(|step| &step.pass).enumerate() {
            self.stage(pass.name, || {
                (pass.run)(unit, rewrites);
                Ok(())
            })?;
            if self.wants(&format!("{AFTER}{}", pass.name)) {
                self.dumps.push((title_after(steps, done), printer::print_unit(unit)));
            }
            self.verify_after(unit, pass.name)?;
        }
        Ok(())
    }

    /// Makes the file of a unit that is being saved.
    pub fn finish_saving(&mut self) {
        if let Some(saving) = self.saving.take() {
            self.dumps.push((SAVED.into(), saving.finish()));
        }
    }

    /// Verifies the result of the pass of that name, if verification is wanted after each pass.
    pub fn verify_after(&mut self, unit: &Unit, pass: &str) -> Result<(), Failure> {
        if self.verify { self.verify(unit, &format!("verification after {pass}")) } else { Ok(()) }
    }

    /// Verifies a unit, as a stage of that name. A unit that is not well-formed is dumped if the result is to be
    /// dumped.
    pub fn verify(&mut self, unit: &Unit, name: &str) -> Result<(), Failure> {
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
pub fn failure(message: impl Into<String>) -> Failure {
    AT.with_borrow(|at| Failure { message: message.into(), ..at.clone() })
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
