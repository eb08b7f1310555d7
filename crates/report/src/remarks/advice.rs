//! The words: what an operation that remains is, why it is there, and what to change in the source.

use flambeau_ir::decision::{Decision, Place, Reason};
use flambeau_ir::{BoxedKind, Dbg, Rewrite, Unit};
use rustc_hash::FxHashMap;

use super::body::{Body, Fact, Fate, Operation};
use super::{Kind, library, places};
use crate::explain::{Change, explain};
use crate::model::{Names, Report};
use crate::names;
use crate::sites::Verdict;

/// What is said of a fact.
pub struct Advice {
    pub kind: Kind,
    pub name: &'static str,
    pub message: String,
    pub cause: String,
    pub remedy: Option<String>,
    /// In instructions, for one time.
    pub cost: f64,
}

impl Advice {
    fn new(name: &'static str, cost: f64, message: impl Into<String>) -> Advice {
        Advice {
            kind: Kind::Remains,
            name,
            message: message.into(),
            cause: String::new(),
            remedy: None,
            cost,
        }
    }

    fn because(mut self, cause: impl Into<String>) -> Advice {
        self.cause = cause.into();
        self
    }

    fn change(self, remedy: impl Into<String>) -> Advice {
        self.change_if(Some(remedy.into()))
    }

    fn change_if(mut self, remedy: Option<String>) -> Advice {
        self.remedy = remedy;
        self
    }
}

/// Whether a C function compares or hashes by looking at what its arguments are.
pub fn is_comparison(name: &str) -> bool {
    matches!(
        name,
        "caml_compare"
            | "caml_equal"
            | "caml_notequal"
            | "caml_lessthan"
            | "caml_lessequal"
            | "caml_greaterthan"
            | "caml_greaterequal"
            | "caml_hash"
    )
}

/// What the words need to know of the unit.
pub struct Context<'u> {
    unit: &'u Unit,
    report: &'u Report,
    names: Names<'u>,
    /// The last decision on each call, by its places.
    decisions: FxHashMap<&'u [Place], &'u Decision>,
}

impl<'u> Context<'u> {
    pub fn new(unit: &'u Unit, report: &'u Report) -> Context<'u> {
        let decisions =
            report.decisions.iter().map(|decision| (decision.places.as_slice(), decision)).collect();
        Context { unit, report, names: report.names(), decisions }
    }

    /// What is said of a fact; nothing if it is of no interest.
    pub fn advice(&self, body: &Body, fact: &Fact) -> Option<Advice> {
        let places = places(self.unit, fact.dbg);
        let advice =
            self.of_inlined_library(fact, &places).or_else(|| self.of_operation(body, fact, &places))?;
        // In a copy of another unit's function there is nothing that the user could change; a flag may help.
        let is_anywhere_own = places.is_empty() || places.iter().any(|place| self.is_own(place));
        Some(if is_anywhere_own || advice.kind == Kind::Missed { advice } else { advice.change_if(None) })
    }

    fn of_operation(&self, body: &Body, fact: &Fact, places: &[Place]) -> Option<Advice> {
        Some(match &fact.operation {
            Operation::Block { words, what } => self.block(*words, what, fact),
            Operation::Closure { codes } => self.closure(codes.len(), fact),
            Operation::Boxing(kind) => self.boxing(*kind, fact),
            Operation::Compare(name) => compare(name),
            Operation::GenericArray => Advice::new("generic_array", 6.0, "the elements of an array may be floats or not")
                .because("the type of the elements is not known here: each access tests whether they are floats")
                .change("annotate the array (`(a : int array)`), or `[@inline]` the function where the type is known"),
            Operation::Store => Advice::new("store", 10.0, "a value is stored with a write barrier (caml_modify)")
                .because("what is stored may be a pointer to a younger block")
                .change("annotate what is stored as `int` if it is one; keep what changes in a loop in a local reference"),
            Operation::BoundsCheck => Advice::new("bounds_check", 1.5, "an index is checked")
                .because("it is not known to be within the bounds")
                .change("loop to the length of the same array (`for i = 0 to Array.length a - 1`), or check once before"),
            Operation::Raise => Advice::new("exception", 60.0, "an exception is raised, with a backtrace")
                .because("its handler is in another function, and `raise` records where it came from")
                .change("return an option or a variant instead; or `raise_notrace` where no backtrace is wanted"),
            Operation::UnknownCall { arguments } => self.unknown_call(*arguments, places),
            Operation::MethodCall => Advice::new("method_call", 12.0, "a method is called")
                .because("which method it is, is looked up in the object at run time")
                .change("call a function of a module or of a record where the object's class does not matter"),
            Operation::Call(code) => {
                if body.code == Some(*code) {
                    return None;
                }
                let name = &self.unit.codes[*code].linkage_name;
                return self.call(name, places);
            }
            Operation::ExternalCall(name) => return self.call(name, places),
            Operation::CCall(name) => Advice::new("c_call", 15.0, format!("the C function {name} is called"))
                .because("it may allocate or raise: OCaml's state is saved around it"),
        })
    }

    fn readable(&self, linkage_name: &str) -> String {
        names::readable(&names::decoded(linkage_name), &self.report.separator)
    }

    /// Whether a place is in the source of this unit, and not in one that the user may be unable to change.
    fn is_own(&self, place: &Place) -> bool {
        place.scope.split('.').next().is_none_or(|unit| unit.is_empty() || unit == self.report.unit)
    }

    /// Whether a function is defined in the source of this unit; a copy of another's is not.
    fn defines(&self, linkage_name: &str) -> bool {
        self.names.location(Some(&names::decoded(linkage_name))).is_some_and(|place| self.is_own(place))
    }

    /// Whether a change can be made where a function of that name is called from such places.
    fn is_possible(&self, change: &Change, linkage_name: &str, places: &[Place]) -> bool {
        match change {
            Change::AtCall(_) => places.last().is_none_or(|place| self.is_own(place)),
            Change::AtDefinition(_) => self.defines(linkage_name),
            _ => true,
        }
    }

    /// The attributes by which a function would be inlined at a call, as a part of a sentence; nothing if there are
    /// none that would help, or if they would have to stand in the source of another unit.
    fn inlining(&self, linkage_name: &str, call: Dbg) -> Option<String> {
        const AT_CALL: Change = Change::AtCall("[@inlined]");
        const AT_DEFINITION: Change = Change::AtDefinition("[@inline]");
        let places = places(self.unit, call);
        let helping = match self.decisions.get(places.as_slice()).map(|decision| &decision.reason) {
            // The attribute that forbids it can be changed as well.
            Some(Reason::ForbiddenByFunction) => vec![AT_CALL, AT_DEFINITION],
            Some(reason) => explain(reason, self.report.policy, self.report.build.level).changes,
            None if self.defines(linkage_name) => vec![AT_CALL, AT_DEFINITION],
            None => Vec::new(),
        };
        let helps =
            |change: Change| helping.contains(&change) && self.is_possible(&change, linkage_name, &places);
        let name = self.readable(linkage_name);
        let definition = helps(AT_DEFINITION).then(|| format!("`[@inline]` on the definition of {name}"));
        let call = helps(AT_CALL).then(|| format!("`({name} [@inlined])` at the call"));
        let ways: Vec<String> = [definition, call].into_iter().flatten().collect();
        (!ways.is_empty()).then(|| ways.join(", or "))
    }

    /// Code of a function of the library that is inlined is as costly as its call.
    fn of_inlined_library(&self, fact: &Fact, places: &[Place]) -> Option<Advice> {
        let own = &places.first()?.file;
        let is_work =
            !matches!(fact.operation, Operation::BoundsCheck | Operation::Call(_) | Operation::Store);
        let inlined =
            places.iter().filter(|place| place.file != *own).map(|place| name_of_scope(&place.scope));
        inlined.filter(|_| is_work).find_map(|name| library_call(&name))
    }

    fn boxing(&self, kind: BoxedKind, fact: &Fact) -> Advice {
        let what = match kind {
            BoxedKind::Float => "float",
            BoxedKind::Int32 => "int32",
            BoxedKind::Int64 => "int64",
            BoxedKind::Nativeint => "nativeint",
        };
        let stored = match kind {
            BoxedKind::Float => {
                "keep floats in a `float array`, or in a record of floats only: those hold them unboxed"
            }
            _ => {
                "use `int` where 63 bits are enough; else a Bigarray, or `Bytes.set_int64_le`, which hold it unboxed"
            }
        };
        self.value("boxing", 12.0, format!("a number is boxed ({what})"), fact, stored)
    }

    fn block(&self, words: usize, what: &str, fact: &Fact) -> Advice {
        let cost = 2.0 + words as f64;
        let stored = "change the fields of one block instead of making a new one each time";
        self.value("allocation", cost, format!("a {what} is allocated ({words} words)"), fact, stored)
    }

    /// A value that is allocated: what becomes of it is why.
    fn value(&self, name: &'static str, cost: f64, message: String, fact: &Fact, if_stored: &str) -> Advice {
        let advice = Advice::new(name, cost, message);
        match &fact.fate {
            Some(Fate::ToFunction { name, call }) => advice
                .because(format!("it is passed to {}, which is not inlined", self.readable(name)))
                .change_if(self.inlining(name, *call)),
            Some(Fate::ToC(name)) => advice.because(format!("it is passed to the C function {name}")),
            Some(Fate::ToUnknown) => advice
                .because("it is passed to a function that is not known here")
                .change(
                    "`[@inline]` on the function that takes that function as an argument, so that it is known in each \
                     call; or a loop instead of a function that is passed",
                ),
            Some(Fate::Returned) => advice
                .because("it is the result of the function, which is not inlined where it is called")
                .change("`[@inline]` on the function; or write the result into a reference, record or array of the caller"),
            Some(Fate::Stored) => {
                advice.because("it is stored in a field or element that may be changed").change(if_stored)
            }
            Some(Fate::Part) => advice.because("it is part of another block, which is allocated").change(match name {
                "boxing" => if_stored,
                _ => "let the outer block hold the fields itself (an inline record, more arguments of the constructor)",
            }),
            Some(Fate::Captured) => advice
                .because("a closure that is allocated captures it")
                .change("pass it as an argument instead of capturing it"),
            Some(Fate::Raised) => advice.because("it is raised").change("`raise_notrace` of a constant exception"),
            Some(Fate::Merged) => advice.because("it is one of several values of a variable, some of which are allocated"),
            None => advice,
        }
    }

    fn closure(&self, functions: usize, fact: &Fact) -> Advice {
        let message = match functions {
            1 => "a closure is allocated".to_owned(),
            n => format!("{n} closures are allocated"),
        };
        let advice = Advice::new("closure", 9.0, message);
        match &fact.fate {
            Some(Fate::ToFunction { name, call }) => {
                let inlining =
                    self.inlining(name, *call).map(|ways| format!("{ways}; or ")).unwrap_or_default();
                let callee = self.readable(name);
                advice.because(format!("it captures variables, and is passed to {callee}, which is not inlined")).change(
                    format!(
                        "define the function before the loop, if what it captures does not change there; or {inlining}a \
                         loop in place of it"
                    ),
                )
            }
            Some(Fate::ToC(name)) => advice
                .because(format!("it captures variables, and is passed to the C function {name}"))
                .change("define the function before the loop, if what it captures does not change there"),
            Some(Fate::Returned) => advice
                .because("it captures variables, and is the result of the function")
                .change("give the function all its arguments at once, or `[@inline]` it where it is called"),
            _ => advice
                .because("it captures variables, and it is not known where it is called")
                .change("define the function before the loop, if what it captures does not change there"),
        }
    }

    fn unknown_call(&self, arguments: usize, places: &[Place]) -> Advice {
        let what = if arguments == 1 { "1 argument".to_owned() } else { format!("{arguments} arguments") };
        let advice =
            Advice::new("unknown_call", 7.0, format!("a function that is not known is called ({what})"));
        match self.decisions.get(places).map(|decision| &decision.reason) {
            Some(Reason::NoBody) => advice
                .because("its unit is opaque, or its .cmx was not found")
                .change("compile without -opaque (dune: --profile release); `flambeau doctor` says which units are"),
            _ => advice.because("it is an argument, or was read from a data structure").change(
                "`[@inline]` (for a recursive function `[@specialise]`) on the function that takes it as an argument, so \
                 that it is known in each call",
            ),
        }
    }

    /// A call of a known function.
    fn call(&self, linkage_name: &str, places: &[Place]) -> Option<Advice> {
        let name = self.readable(linkage_name);
        if let Some(advice) = library_call(&name) {
            return Some(advice);
        }
        let decision = self.decisions.get(places)?;
        let explanation = explain(&decision.reason, self.report.policy, self.report.build.level);
        // What the source forbids is not missed.
        let is_forbidden = matches!(decision.reason, Reason::ForbiddenByCall | Reason::ForbiddenByFunction);
        if explanation.verdict != Verdict::Kept || is_forbidden {
            return None;
        }
        let possible =
            || explanation.changes.iter().filter(|change| self.is_possible(change, linkage_name, places));
        let typed = possible().find(|change| !change.parts().1.is_empty());
        let change = typed.or_else(|| possible().next()).map(Change::text);
        let advice = Advice::new("call", 3.0, format!("{name} is called"))
            .because(format!("it is not inlined: {}", explanation.because));
        Some(Advice { kind: Kind::Missed, ..advice }.change_if(change))
    }
}

/// The name of a function by the scope of a location in it: `Stdlib__List.nth`, `Stdlib.(^)`.
fn name_of_scope(scope: &str) -> String {
    let name: String = scope.replace("__", ".").chars().filter(|c| !"()".contains(*c)).collect();
    name.split(".fun").next().unwrap_or_default().to_owned()
}

fn library_call(name: &str) -> Option<Advice> {
    let costly = library::costly(name)?;
    let advice = Advice::new("library_call", costly.cost, format!("{name} is called"));
    Some(advice.because(costly.cause).change(costly.remedy))
}

fn compare(name: &str) -> Advice {
    let hash = name == "caml_hash";
    let what = if hash { "hashed" } else { "compared" };
    let advice = Advice::new(
        "polymorphic_compare",
        if hash { 40.0 } else { 25.0 },
        format!("values are {what} by looking at what they are ({name})"),
    );
    let advice =
        advice.because("their type is not known here to be a simple one: C code finds out what they are");
    if hash {
        advice.change("`Hashtbl.Make` with an `equal` and a `hash` of the key's type")
    } else {
        advice.change(
        "annotate what is compared (`(x : int)`), or use a comparison of its type: `Int.equal`, `String.compare`, for \
         records one of your own",
    )
    }
}

/// What a rewrite is to the user; nothing if it is a step on the way.
pub fn done(rewrite: &Rewrite) -> Option<&'static str> {
    Some(match rewrite {
        Rewrite::Inlining => "calls inlined",
        Rewrite::PartialInlining => "calls inlined in part",
        Rewrite::KnownFormat => "formats laid out",
        Rewrite::Specialisation => "calls of specialised functions",
        Rewrite::FunctorInstance => "calls of functors' functions made direct",
        Rewrite::UnboxedParameter | Rewrite::UnboxedHandlerParameter => "values passed on unboxed",
        Rewrite::UnboxedLoopParameters | Rewrite::UnboxedLoopClosure => "values carried unboxed by loops",
        Rewrite::CallPattern => "loops made for the sequence that they consume",
        Rewrite::RaiseToJump => "exceptions that became jumps",
        Rewrite::Contification { is_loop: true, .. } | Rewrite::Loopification => {
            "functions that became loops"
        }
        Rewrite::Contification { is_loop: false, .. } => "functions that became part of others",
        Rewrite::ScalarReplacement(_) => "blocks kept in registers",
        Rewrite::StaticArray | Rewrite::StaticClosures => "values allocated once for all",
        Rewrite::ParameterParts(_) | Rewrite::ParameterVariant(_) | Rewrite::CopyForParts(_) => {
            "parameters passed unboxed"
        }
        Rewrite::CapturedParts(_) => "values captured unboxed",
        Rewrite::Unread(_) => "units without what nobody reads",
        Rewrite::CapturedParameters | Rewrite::Surrogate(_) => "closures that are not allocated",
        Rewrite::NakedResult => "results returned unboxed",
        Rewrite::Unrolling(_) => "loops unrolled",
        Rewrite::BoundsCheck => "bounds checks removed",
        Rewrite::OutOfLoop(_) => "computations moved out of loops",
        Rewrite::AllocationIntoBranch(_) => "allocations moved to where they are needed",
        Rewrite::ImmediateComparison => "comparisons that test for integers first",
        Rewrite::StringComparison => "comparisons of strings that look at first words first",
        _ => return None,
    })
}
