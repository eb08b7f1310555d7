//! The verifier: is a unit well-formed?
//!
//! # What passing guarantees
//!
//! The unit means something: by the rules of the crate's header every operand has a value of its kind
//! when it is read, every jump and call finds a target that takes what it is passed, every exception finds
//! its handler with the extra arguments it needs, and the linker finds each local symbol once. So later
//! stages may index tables and count arguments without asking. Nothing is promised of what kinds do not
//! say: that a value is a block of that size, or an immediate.
//!
//! # What is checked
//!
//! *Scope* (`scope.rs`): each variable and continuation is bound at most once in the whole unit and used
//! only in its scope; the body of a code sees its parameters and `my_closure` alone. An identifier out of
//! its table's range is an error, not a panic.
//!
//! *Kinds and arities*: of operands and results of primitives (`prims.rs`: by
//! [`Prim::signature`](crate::Prim::signature)); of arguments of continuations, of extra arguments of exception
//! continuations, of the arguments, the result and the callee of calls (`calls.rs`), of returned values
//! (`Code::result`), of captured values, of exceptions and scrutinees, of `let x = y`.
//!
//! *Data of primitives* (`prims.rs`): allocations have a field; tags are those of scanned blocks;
//! `bswap` works on boxable integers and conversions on naked numbers; nothing is stored in a `string`;
//! a C function without result returns `()`; tagged and naked immediates fit in 63 bits.
//!
//! *Continuations* (`terms.rs`): an ordinary one is never an exception continuation nor a handler, and
//! an exception continuation is never jumped to, returned to nor recursive; it has a first parameter of
//! kind value; it handles at most one `try`, which stands under the same handler as its own binding. A
//! [`ExnCont`](crate::ExnCont) is there if and only if the primitive may raise, and is that of the
//! innermost enclosing `try`, or else the function's, which takes no extra arguments. Groups of
//! continuations are not empty. The arms of a switch are strictly increasing, and there is an arm or a default.
//!
//! *Functions*: a code has a parameter; a direct call without closure is of a code that does not use its own, and one
//! with a static closure is of the function of that (`calls.rs`); a code that calls itself, or is in a cycle of direct
//! calls of its set, is marked recursive (`recursion.rs`).
//!
//! *Closures* (`sets.rs`): a set has a function, as many variables or symbols as functions, and each
//! function's slot is that of its code. Each slot is in at most one set. Projections name slots of one
//! set. Static sets capture no variables.
//!
//! *Static data* (`statics.rs`): statics define symbols of this unit, each once, and each symbol of this
//! unit has a static; no two symbols or codes have one linkage name; the module block is exported, and is
//! a block.
//!
//! Time is linear in the unit, or nearly; the nesting is bounded by memory alone. No code is shared with
//! passes.

mod calls;
mod prims;
mod recursion;
mod scope;
mod sets;
mod statics;
mod terms;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::printer::{FunctionId, Part, Place, describe};
use crate::{Code, CodeId, Continuation, Kind, Simple, Symbol, Unit};
use recursion::CallGraph;
use scope::Scope;
use sets::Slots;

/// No more errors than this are kept: one mistake often has many consequences.
const MAX_ERRORS: usize = 20;

/// Checks a unit.
///
/// # Errors
/// The first errors, at least one, if the unit is not well-formed.
pub fn verify(unit: &Unit) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier::new(unit);
    verifier.run();
    if verifier.problems.is_empty() { Ok(()) } else { Err(verifier.report()) }
}

/// Something that is not as it must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The name of the code as the printer shows it, `entry`, or nothing for the unit as a whole.
    pub function: String,
    /// The line of the text at fault, as the printer shows it; empty if there is none in particular.
    pub place: String,
    /// What is wrong.
    pub cause: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VerifyError { function, place, cause } = self;
        match &function[..] {
            "" => f.write_str("in the unit: ")?,
            "entry" => f.write_str("in the entry: ")?,
            name => write!(f, "in code {name}: ")?,
        }
        f.write_str(cause)?;
        if place.is_empty() { Ok(()) } else { write!(f, "\n  at: {place}") }
    }
}

impl std::error::Error for VerifyError {}

/// An error before it has been put into words.
struct Problem<'u> {
    function: FunctionId,
    place: Place<'u>,
    cause: Vec<Part>,
}

/// Builds the parts of a message.
macro_rules! cause {
    ($($part:expr),* $(,)?) => { vec![$($crate::printer::Part::from($part)),*] };
}
use cause;

/// What is known of a code before its body is reached.
#[derive(Clone, Copy, Default)]
struct CodeFacts {
    uses_my_closure: bool,
}

/// The state of verification.
struct Verifier<'u> {
    unit: &'u Unit,
    problems: Vec<Problem<'u>>,
    /// Where we are.
    function: FunctionId,
    place: Place<'u>,
    scope: Scope<'u>,
    /// The exception continuation of the innermost enclosing `try`, or else the function's.
    handler: Continuation,
    function_exn: Continuation,
    codes: cranelift_entity::SecondaryMap<CodeId, CodeFacts>,
    slots: Slots,
    /// The codes of static closures.
    static_closures: FxHashMap<Symbol, CodeId>,
    calls: CallGraph,
}

impl<'u> Verifier<'u> {
    fn new(unit: &'u Unit) -> Self {
        Verifier {
            unit,
            problems: Vec::new(),
            function: FunctionId::Unit,
            place: Place::Head,
            scope: Scope::default(),
            handler: unit.entry.exn,
            function_exn: unit.entry.exn,
            codes: cranelift_entity::SecondaryMap::new(),
            slots: Slots::default(),
            static_closures: FxHashMap::default(),
            calls: CallGraph::default(),
        }
    }

    fn run(&mut self) {
        let unit = self.unit;
        self.collect_facts();
        self.static_data();
        for (id, code) in &unit.codes {
            self.code(id, code);
        }
        self.function = FunctionId::Entry;
        let entry = &unit.entry;
        self.body(&entry.body, entry.ret, Kind::Value, entry.exn, |_| ());
        self.recursion();
    }

    /// What calls and projections must know of codes and sets of closures, wherever those come.
    fn collect_facts(&mut self) {
        let unit = self.unit;
        self.static_sets();
        for (id, code) in &unit.codes {
            self.function = FunctionId::Code(id);
            let mut uses_my_closure = false;
            code.body.for_each_simple_deep(&mut |simple| {
                uses_my_closure |= simple == Simple::Var(code.my_closure);
            });
            self.codes[id] = CodeFacts { uses_my_closure };
            self.dynamic_sets(&code.body);
        }
        self.function = FunctionId::Entry;
        self.dynamic_sets(&unit.entry.body);
    }

    fn code(&mut self, id: CodeId, code: &'u Code) {
        self.function = FunctionId::Code(id);
        self.place = Place::Head;
        if code.params.is_empty() {
            self.error(cause!["a function has at least one parameter"]);
        }
        if self.unit.function_slots.get(code.function_slot).is_none() {
            self.error(cause!["the function slot is not in the unit's table"]);
        }
        self.body(&code.body, code.ret, code.result, code.exn, |verifier| {
            code.params.iter().for_each(|&param| verifier.bind_variable(param));
            verifier.bind_variable(code.my_closure);
            verifier.expect_kind(code.my_closure.into(), Kind::Value, || cause!["the closure"]);
        });
    }

    fn error(&mut self, cause: Vec<Part>) {
        if self.problems.len() < MAX_ERRORS {
            self.problems.push(Problem { function: self.function, place: self.place, cause });
        }
    }

    /// The kind of an atom, which must be in scope.
    fn use_simple(&mut self, simple: Simple) -> Option<Kind> {
        match simple {
            Simple::Var(variable) => self.use_variable(variable),
            Simple::Symbol(symbol) => {
                if self.unit.symbols.get(symbol).is_none() {
                    self.error(cause!["the symbol ", symbol, " is not in the unit's table"]);
                }
                Some(Kind::Value)
            }
            Simple::Const(constant) => {
                self.check_constant(constant);
                Some(constant.kind())
            }
        }
    }

    /// Checks that an atom is in scope and of a kind. `what` names its role.
    fn expect_kind(&mut self, simple: Simple, expected: Kind, what: impl FnOnce() -> Vec<Part>) {
        if let Some(found) = self.use_simple(simple)
            && found != expected
        {
            let mut cause = what();
            cause.extend(cause![", ", simple, ", is of kind ", found, " instead of ", expected]);
            self.error(cause);
        }
    }

    /// Puts the problems into words, function by function.
    fn report(mut self) -> Vec<VerifyError> {
        self.problems.sort_by_key(|problem| problem.function);
        let mut errors = Vec::new();
        for group in self.problems.chunk_by(|a, b| a.function == b.function) {
            let messages: Vec<_> = group.iter().map(|problem| (problem.place, &problem.cause[..])).collect();
            let (function, described) = describe(self.unit, group[0].function, &messages);
            errors.extend(described.into_iter().map(|(place, cause)| VerifyError {
                function: function.clone(),
                place,
                cause,
            }));
        }
        errors
    }
}
