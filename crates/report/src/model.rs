//! The report on a unit, as data. `docs/reports.md` describes it as JSON.

use std::collections::BTreeMap;

use flambeau_ir::decision::{Decision, DecisionLog, Evaluation, Place, Policy, Reason};
use flambeau_ir::rewrite::Done;
use flambeau_ir::{Naming, Unit};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::names;
use crate::remaining;
use crate::remarks::{self, Remark};
use crate::sites::{self, Verdict};

/// The value of the field `format`.
pub const FORMAT: &str = "flambeau-report";
/// Incremented when a field changes its meaning or is removed; not when one is added.
pub const VERSION: u32 = 1;

/// How a unit was compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The compiler and its version.
    pub compiler: String,
    /// The source file, as it was named on the command line.
    pub source: String,
    /// The level of `-O`.
    pub level: u32,
    /// The arguments of the command line.
    pub arguments: Vec<String>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The name, as source locations have it.
    pub file: String,
    /// The contents.
    pub text: String,
}

/// What an operation that remains is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A block, an array or closures are allocated.
    Allocation,
    /// A number is boxed.
    Boxing,
    /// A function is called that is not known.
    IndirectCall,
    /// A method is called.
    MethodCall,
    /// A comparison or hash that looks at what its arguments are.
    PolymorphicCompare,
    /// A check of an index.
    BoundsCheck,
}

impl Operation {
    /// All of them, in the order of tables.
    pub const ALL: [Operation; 6] = [
        Operation::Allocation,
        Operation::Boxing,
        Operation::IndirectCall,
        Operation::MethodCall,
        Operation::PolymorphicCompare,
        Operation::BoundsCheck,
    ];

    /// What so many of them are called.
    #[must_use]
    pub fn noun(self, count: u32) -> &'static str {
        let (one, several) = match self {
            Operation::Allocation => ("allocation", "allocations"),
            Operation::Boxing => ("boxing", "boxings"),
            Operation::IndirectCall => ("indirect call", "indirect calls"),
            Operation::MethodCall => ("method call", "method calls"),
            Operation::PolymorphicCompare => ("polymorphic compare", "polymorphic compares"),
            Operation::BoundsCheck => ("bounds check", "bounds checks"),
        };
        if count == 1 { one } else { several }
    }
}

/// An operation that remains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remaining {
    /// What it is.
    pub operation: Operation,
    /// Of what: `block of 2`, `float`, `caml_compare`.
    pub detail: String,
    /// The source locations: the one in this unit first, then those in the functions that were inlined there.
    pub places: Vec<Place>,
    /// For the call of a function that is only read out of the module block of another unit: that unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// How many operations of each kind there are.
pub type Counts = BTreeMap<Operation, u32>;

/// What remains in a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The linker's name; `None` for the code that initialises the unit.
    pub name: Option<String>,
    /// The source location of its definition.
    pub place: Option<Place>,
    /// The operations that remain, in the order of the code.
    pub remaining: Vec<Remaining>,
}

impl Function {
    /// How many operations of each kind remain.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for remaining in &self.remaining {
            *counts.entry(remaining.operation).or_default() += 1;
        }
        counts
    }
}

/// The calls of a unit, counted, each with what was decided last of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How often the simplifier ran.
    pub rounds: u32,
    /// Calls that were considered.
    pub calls: u32,
    /// Calls that were inlined.
    pub inlined: u32,
    /// Calls for which the callee was specialised.
    pub specialised: u32,
    /// Calls that remain.
    pub kept: u32,
    /// Of these, calls of functions of other units that do not offer their bodies: too large, opaque, or without a
    /// `.cmx`.
    pub without_body: u32,
    /// These by the other unit, as far as it is known.
    pub without_body_by_unit: BTreeMap<String, u32>,
    /// Of the calls that remain, those of functions that are not known.
    pub unknown_callee: u32,
    /// The indirect calls that remain of functions of other units of which nothing is known: the unit is opaque, or its
    /// `.cmx` was not found or does not describe them.
    pub opaque_calls: u32,
    /// These by the other unit.
    pub opaque_calls_by_unit: BTreeMap<String, u32>,
    /// The operations that remain in the unit.
    pub remaining: Counts,
}

/// The report on a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The name of the module.
    pub unit: String,
    /// What stands in linker's names between a unit and the name of a function.
    #[serde(default = "usual_separator", skip_serializing_if = "is_usual_separator")]
    pub separator: String,
    /// How it was compiled.
    pub build: Build,
    /// The policy of the inliner.
    pub policy: Policy,
    /// The counts of calls and operations.
    pub summary: Summary,
    /// The decisions, in the order in which they were taken.
    pub decisions: Vec<Decision>,
    /// What remains, by function.
    pub functions: Vec<Function>,
    /// What remains, was missed and was done, with causes and remedies; what costs most first.
    #[serde(default)]
    pub remarks: Vec<Remark>,
    /// The source files that locations refer to, as far as they are this unit's and could be read.
    pub sources: Vec<Source>,
}

fn usual_separator() -> String {
    Naming::USUAL_SEPARATOR.to_owned()
}

fn is_usual_separator(separator: &str) -> bool {
    separator == Naming::USUAL_SEPARATOR
}

impl Report {
    /// The line of the source that a remark is about, if the report has it.
    #[must_use]
    pub fn source_line(&self, remark: &Remark) -> Option<&str> {
        let place = remark.place()?;
        let source = self.sources.iter().find(|source| source.file == place.file)?;
        source.text.lines().nth(place.line.checked_sub(1)? as usize)
    }

    /// The report on a unit after its last pass. `trace`: what the passes did. The sources are yet to be added.
    pub fn new(unit: &Unit, build: Build, log: DecisionLog, rounds: u32, trace: &[Done]) -> Report {
        let decisions: Vec<Decision> = log.decisions.into_iter().map(cleaned).collect();
        let functions = remaining::functions(unit);
        let last = decisions.iter().map(|decision| decision.round.saturating_add(1)).max().unwrap_or(0);
        let mut report = Report {
            format: FORMAT.into(),
            version: VERSION,
            unit: names::decoded(&unit.name),
            separator: unit.naming.separator().to_owned(),
            build,
            policy: log.policy,
            summary: summary(&decisions, &functions, rounds.max(last), unit.naming.separator()),
            decisions,
            functions,
            remarks: Vec::new(),
            sources: Vec::new(),
        };
        report.remarks = remarks::of_unit(unit, &report, trace);
        report
    }

    /// The files of the source that the report speaks of first: those of this unit.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let decisions = self.decisions.iter().filter_map(|decision| decision.places.first());
        let operations = self.functions.iter().flat_map(|function| &function.remaining);
        let operations = operations.filter_map(|remaining| remaining.places.first());
        let definitions = self.functions.iter().filter_map(|function| function.place.as_ref());
        let mut files: Vec<&str> =
            decisions.chain(operations).chain(definitions).map(|location| location.file.as_str()).collect();
        files.push(&self.build.source);
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The functions of the unit, to be looked up.
    #[must_use]
    pub fn names(&self) -> Names<'_> {
        let mut scopes = FxHashMap::default();
        for decision in self.decisions.iter().filter(|decision| decision.depth == 0) {
            if let (Some(function), [location]) = (decision.function.as_deref(), decision.places.as_slice()) {
                scopes.entry(function).or_insert(location.scope.as_str());
            }
        }
        let functions = self.functions.iter().map(|f| (f.name.as_deref(), f)).collect();
        Names { functions, scopes, separator: &self.separator }
    }
}

/// The functions of a unit by the linker's names; the toplevel has none.
pub struct Names<'r> {
    functions: FxHashMap<Option<&'r str>, &'r Function>,
    /// What the source calls functions with calls: they may be gone at the end.
    scopes: FxHashMap<&'r str, &'r str>,
    /// [`Report::separator`].
    separator: &'r str,
}

impl<'r> Names<'r> {
    /// The name of a function for people: where it is in the source if it is of this unit.
    #[must_use]
    pub fn function(&self, name: Option<&str>) -> String {
        name.map_or_else(|| "toplevel".into(), |name| self.known(name))
    }

    /// What is called.
    #[must_use]
    pub fn callee(&self, decision: &Decision) -> String {
        match (&decision.callee, &decision.reason) {
            (Some(name), _) => self.known(name),
            (None, Reason::NoBody) => "a function of an opaque unit".into(),
            (None, _) => "an unknown function".into(),
        }
    }

    /// What is known of a function of this unit.
    #[must_use]
    pub fn get(&self, name: Option<&str>) -> Option<&'r Function> {
        self.functions.get(&name).copied()
    }

    /// Where a function of this unit is defined.
    #[must_use]
    pub fn location(&self, name: Option<&str>) -> Option<&'r Place> {
        self.get(name)?.place.as_ref()
    }

    fn known(&self, name: &str) -> String {
        let location = self.location(Some(name)).map(|location| location.scope.as_str());
        let scope = location.or_else(|| self.scopes.get(name).copied()).filter(|scope| !scope.is_empty());
        let copy = if names::is_copy(name) { " (copy)" } else { "" };
        scope.map_or_else(|| names::readable(name, self.separator), str::to_owned) + copy
    }
}

/// A decision with names and numbers that can be written.
fn cleaned(mut decision: Decision) -> Decision {
    for name in [&mut decision.function, &mut decision.callee].into_iter().flatten() {
        *name = names::decoded(name);
    }
    decision.places.iter_mut().for_each(clean_location);
    if let Reason::Beneficial(evaluation)
    | Reason::NotBeneficial(evaluation)
    | Reason::OutweighsCall(evaluation) = &mut decision.reason
    {
        let Evaluation { benefit, allowance, .. } = evaluation;
        for number in [benefit, allowance] {
            // JSON has no infinities.
            *number = if number.is_nan() { 0.0 } else { number.clamp(f64::MIN, f64::MAX) };
        }
    }
    decision
}

/// Decodes the names in a source location.
pub(crate) fn clean_location(location: &mut Place) {
    location.file = names::decoded(&location.file);
    location.scope = names::decoded(&location.scope);
}

fn summary(decisions: &[Decision], functions: &[Function], rounds: u32, separator: &str) -> Summary {
    let mut summary = Summary { rounds, ..Summary::default() };
    for site in sites::sites(decisions) {
        summary.calls += 1;
        match site.verdict() {
            Verdict::Inlined => summary.inlined += 1,
            Verdict::Specialised => summary.specialised += 1,
            Verdict::Kept => summary.kept += 1,
        }
        match &site.last.reason {
            Reason::UnknownFunction => summary.unknown_callee += 1,
            Reason::NoBody => {
                summary.without_body += 1;
                if let Some(unit) = site.callee().and_then(|callee| names::unit_of(callee, separator)) {
                    *summary.without_body_by_unit.entry(unit).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    for unit in functions.iter().flat_map(|function| &function.remaining).filter_map(|r| r.unit.as_ref()) {
        summary.opaque_calls += 1;
        *summary.opaque_calls_by_unit.entry(unit.clone()).or_default() += 1;
    }
    for (operation, count) in functions.iter().flat_map(Function::counts) {
        *summary.remaining.entry(operation).or_default() += count;
    }
    summary
}
