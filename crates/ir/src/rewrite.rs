//! Rewrites as data: what a pass did, by pass and kind, for the trace (`-dflambeau-rewrites`), for counts and for
//! bisection (`docs/design/rewrites.md`).

use std::fmt;

use crate::{CodeId, Continuation, Unit, Variable};

/// A rewrite that can be left out. Each changes the term that it is done on.
///
/// It names what it is done to by the ids of the unit as it is at that moment: passes renumber, so a trace resolves
/// them when it records the rewrite ([`Done::new`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A boxed number that was just allocated is not read back.
    ConvertedContents,
    /// A call of a function that is in sight.
    ConvertedCall,
    /// A method call asks for a class that is in sight.
    ConvertedMethod,
    /// A field, by its number, of a block that is in sight.
    ConvertedField(u32),

    /// A call of a function that takes a tuple passes its fields.
    TupledCall,
    /// A call of a known function.
    DirectCall,
    /// A call of a known function with too few arguments becomes a closure.
    PartialCall,
    /// A call of one of several known functions becomes a switch.
    ChosenCall,
    /// A call of a function of another unit.
    ExternalCall,
    /// A parameter that the callee ignores is passed a constant.
    UnusedArgument,
    /// A set of closures without free variables becomes static data.
    StaticClosures,
    /// The body of a function replaces a call.
    Inlining,
    /// The beginning of a function replaces a call.
    PartialInlining,
    /// What prints by a format that is known becomes the calls that its interpreter would make.
    KnownFormat,
    /// A call of a copy of a recursive function, specialised to known arguments.
    Specialisation,
    /// A function that a functor returned is called as the static function that behaves as it does.
    FunctorInstance,
    /// Computed fields of a functor's argument are stored in static data.
    ComputedFields,
    /// What a call of a functor, or of a function that makes closures, returns is known while it stays a call.
    FunctorResult,
    /// A primitive whose result is known.
    KnownResult,
    /// A primitive becomes a simpler one.
    SimplerPrimitive,
    /// A primitive becomes several simpler ones.
    SimplerPrimitives,
    /// Cold code becomes a function of its own.
    Outlining,
    /// Where a recursive function goes on becomes a function of its own.
    Splitting,
    /// A number that is formatted often is by a function of the unit.
    Decimal,
    /// A function that is the same as another is left out.
    SameFunction,
    /// What follows a call that never returns is dropped.
    NoReturn,
    /// A primitive that can't succeed: the rest is unreachable.
    Contradiction,
    /// What follows a check that always fails is dropped.
    CertainRaise,
    /// A join that computes what an earlier one did.
    CommonJoin,
    /// Jumps to a continuation that only jumps are redirected to its target.
    JumpThroughJump,
    /// A parameter of a loop that is the same at each iteration.
    InvariantParameter,
    /// A parameter that is passed one value by all jumps, or always that of another one.
    KnownParameter,
    /// A switch on a negation.
    NegatedSwitch,
    /// Arms of a switch that are never taken.
    DeadArms,
    /// A switch whose arms are all the same.
    OneArm,
    /// A switch that computes a truth value.
    ArithmeticSwitch,
    /// A switch on a string that is known.
    KnownString,
    /// A parameter is passed as its parts.
    UnboxedParameter,
    /// A parameter of an exception handler is passed as its parts.
    UnboxedHandlerParameter,
    /// A continuation takes what was stored in a slot of results on all paths to it.
    StoredResult,
    /// A closure that is a loop's parameter is passed as what it captured.
    UnboxedLoopClosure,
    /// A version of a loop that calls a parameter, for what it is known to call.
    CallPattern,
    /// Parameters of loops that values flow between are passed as their parts.
    UnboxedLoopParameters,
    /// What a handler begins with loading is loaded where it is jumped to.
    LoadsAtUses,
    /// A raise to a handler of the function becomes a jump.
    RaiseToJump,
    /// A handler that raises reach is split: one continuation for what unwinds the stack, one for jumps.
    SplitHandler,
    /// A handler of what can't raise.
    UselessHandler,
    /// A store is left out that another one overwrites before anyone can see it.
    OverwrittenStore,
    /// What nobody refers to is removed from a unit.
    DeadCode(Dead),

    /// A comparison of any values is tested for immediates first.
    ImmediateComparison,
    /// A comparison of strings looks at their first words first.
    StringComparison,
    /// A set of functions become continuations, named by the first; in a loop if they are recursive.
    Contification { first: CodeId, others: u32, is_loop: bool },
    /// What a function adds to the result of its last call of itself is passed to that call.
    Accumulation,
    /// Tail calls of a function to itself become a loop.
    Loopification,
    /// A mutable block, by the variable that it is bound to, becomes variables.
    ScalarReplacement(Variable),
    /// A mutable block is copied before it escapes, so that what comes before it can be done without it.
    LateEscape(Variable),
    /// An array of constants that the toplevel allocates becomes static data.
    StaticArray,
    /// What nobody reads is left out of a unit.
    Unread(Unread),
    /// A part of a result is not stored that nobody loads.
    UnreadPart,
    /// Blocks of so many classes hold numbers without boxes.
    NakedFields { classes: u32 },
    /// A function takes its parameter as parts.
    ParameterParts(Variable),
    /// A parameter that is one of several constructors is passed as which one and as their fields.
    ParameterVariant(Variable),
    /// Functions are copied for calls that allocate what they pass as a parameter.
    CopyForParts(Variable),
    /// Closures capture the parts of a block that is made for them.
    CapturedParts(Variable),
    /// Functions take as parameters what their closures captured.
    CapturedParameters,
    /// Direct calls of a function do not need the closure that it has for others.
    Surrogate(Variable),
    /// A function returns the number unboxed that it would box.
    NakedResult,
    /// Jumps whose outcome is known bypass a branch.
    Threading(Continuation),
    /// What counts the ones of an integer.
    PopulationCount,
    /// A division by a constant needs no correction for negative dividends.
    Division,
    /// A remainder that is only compared to constants is a mask.
    AskedRemainder,
    /// A remainder is computed from the quotient.
    Remainder,
    /// Int32 of which only the low bits are needed are computed on words.
    Extension,
    /// A function of a tuple that is only called through its closure loads the fields itself.
    Untupling,
    /// A short loop is laid out.
    Unrolling(Continuation),
    /// A function whose loops carry blocks is simplified once more.
    CarriedBlocks,
    /// The first iteration of a loop is done before it.
    Peeling(Continuation),
    /// What a loop begins with testing is tested where it is entered or continued.
    Rotation(Continuation),
    /// Code is copied for the representations that an array may have.
    Representations(Variable),
    /// A bounds check that can't fail.
    BoundsCheck,
    /// A comparison that is decided by bounds of loops.
    KnownComparison,
    /// A check of a divisor which only a known zero would fail (`-unsafe`).
    UnsafeDivision,
    /// What is the same in each iteration of a loop is computed before it.
    OutOfLoop(Variable),
    /// An allocation moves to the branch that needs it.
    AllocationIntoBranch(Variable),
    /// A cheap value is computed in the arms that need it.
    ValueIntoBranches(Variable),
}

/// How much of a unit nobody reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Kinds of blocks that get smaller.
    pub blocks: u32,
    /// Fields of allocations.
    pub fields: u32,
    /// Assignments.
    pub stores: u32,
    /// Arguments of calls.
    pub arguments: u32,
    /// Returns.
    pub results: u32,
    /// Captured values.
    pub captured: u32,
}

/// How much of a unit is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead {
    pub codes: u32,
    pub sets: u32,
    pub statics: u32,
    pub fields: u32,
    pub values: u32,
}

impl Rewrite {
    /// The pass that does it.
    #[must_use]
    pub fn pass(self) -> &'static str {
        self.names().0
    }

    /// The pass and what it does, without numbers and names: for counts.
    #[must_use]
    pub fn kind(self) -> String {
        let (pass, what) = self.names();
        format!("{pass}: {what}")
    }

    /// The pass, and what is done.
    fn names(self) -> (&'static str, &'static str) {
        use Rewrite::*;
        let simplification = match self {
            ConvertedContents => return ("convert", "contents of a boxed number"),
            ConvertedCall => return ("convert", "direct call"),
            ConvertedMethod => return ("convert", "class in sight"),
            ConvertedField(_) => return ("convert", "known field"),
            TupledCall => "direct call of a function of a tuple",
            DirectCall => "direct call of a known function",
            PartialCall => "partial application of a known function",
            ChosenCall => "call of one of several functions",
            ExternalCall => "direct call of a function of another unit",
            UnusedArgument => "argument that is not used",
            StaticClosures => "closures that capture constants only",
            Inlining => "inlining",
            PartialInlining => "partial inlining",
            KnownFormat => "known format",
            Specialisation => "specialisation",
            ComputedFields => "computed fields of a functor's argument",
            FunctorInstance => "call of the instance of a functor's function",
            FunctorResult => "functions of what a call returns",
            KnownResult => "primitive with a known result",
            SimplerPrimitive => "simpler primitive",
            SimplerPrimitives => "simpler primitives",
            Outlining => "outlining",
            Splitting => "splitting",
            NoReturn => "no return",
            Contradiction => "contradiction",
            CertainRaise => "check that always fails",
            CommonJoin => "common subexpression with branches",
            JumpThroughJump => "continuation that only jumps",
            InvariantParameter => "invariant parameter of a loop",
            KnownParameter => "parameter with one value",
            NegatedSwitch => "negated switch",
            DeadArms => "arms of a switch that are never taken",
            OneArm => "switch with one target",
            ArithmeticSwitch => "switch as arithmetic",
            KnownString => "switch on a known string",
            UnboxedParameter => "unboxing of a parameter",
            StoredResult => "part of a result that was stored",
            UnboxedHandlerParameter => "unboxing of a handler's parameter",
            UnboxedLoopClosure => "unboxing of a loop's closure",
            CallPattern => "loop for a call pattern",
            UnboxedLoopParameters => "unboxing of loops' parameters",
            LoadsAtUses => "loads at the uses of a continuation",
            RaiseToJump => "raise to a known handler",
            SplitHandler => "handler with raises in sight",
            UselessHandler => "handler of nothing",
            OverwrittenStore => "store that is overwritten",
            DeadCode(_) => return ("dead-code", "removal"),
            ImmediateComparison => return ("immediates", "polymorphic comparison"),
            StringComparison => return ("immediates", "comparison of strings"),
            Contification { is_loop: false, .. } => return ("contify", "continuation of"),
            Contification { is_loop: true, .. } => return ("contify", "loop of"),
            Accumulation => return ("accumulate", "sums of calls of itself"),
            Loopification => return ("loopify", "tail calls of itself"),
            ScalarReplacement(_) => return ("scalar_replacement", "block"),
            LateEscape(_) => return ("scalar_replacement", "block that escapes late"),
            StaticArray => return ("static_arrays", "array"),
            UnreadPart => return ("unread", "part of a result"),
            Unread(_) => return ("unread", "what nobody reads"),
            NakedFields { .. } => return ("naked_fields", "blocks of naked numbers"),
            ParameterParts(_) => return ("parameters", "parts of"),
            ParameterVariant(_) => return ("parameters", "constructor and fields of"),
            CopyForParts(_) => return ("parameters", "copy for the parts of"),
            CapturedParts(_) => return ("parameters", "captured parts of"),
            CapturedParameters => return ("parameters", "captured values"),
            Surrogate(_) => return ("parameters", "surrogate of"),
            NakedResult => return ("parameters", "result"),
            Threading(_) => return ("thread", "jumps to"),
            Division => return ("divisions", "division by a constant"),
            AskedRemainder => return ("divisions", "remainder that is only compared"),
            Remainder => return ("remainders", "remainder from the quotient"),
            Extension => return ("extensions", "sign extensions that nothing needs"),
            Untupling => return ("untuple", "function of a tuple"),
            PopulationCount => return ("popcount", "count of ones"),
            Decimal => return ("decimal", "numbers that are formatted often"),
            SameFunction => return ("to cmm", "function that is the same as another"),
            Unrolling(_) => return ("unroll", "loop"),
            CarriedBlocks => return ("late_loops", "blocks that loops carry"),
            Peeling(_) => return ("peel", "loop"),
            Rotation(_) => return ("rotate", "loop"),
            Representations(_) => return ("representations", "copies for"),
            BoundsCheck => return ("bounds", "check"),
            KnownComparison => return ("bounds", "comparison"),
            UnsafeDivision => return ("bounds", "unsafe division"),
            OutOfLoop(_) => return ("motion", "out of a loop"),
            AllocationIntoBranch(_) => return ("motion", "allocation into a branch"),
            ValueIntoBranches(_) => return ("motion", "value into branches"),
        };
        ("simplify", simplification)
    }

    /// What it is done to, by name.
    fn subject(self, unit: &Unit) -> String {
        match self {
            Rewrite::ScalarReplacement(var)
            | Rewrite::LateEscape(var)
            | Rewrite::ParameterParts(var)
            | Rewrite::ParameterVariant(var)
            | Rewrite::CopyForParts(var)
            | Rewrite::CapturedParts(var)
            | Rewrite::Surrogate(var)
            | Rewrite::Representations(var)
            | Rewrite::OutOfLoop(var)
            | Rewrite::AllocationIntoBranch(var)
            | Rewrite::ValueIntoBranches(var) => unit.variables[var].name.to_string(),
            Rewrite::Threading(cont)
            | Rewrite::Unrolling(cont)
            | Rewrite::Peeling(cont)
            | Rewrite::Rotation(cont) => unit.continuations[cont].name.to_string(),
            Rewrite::Contification { first, others, .. } => {
                let first = &unit.codes[first].linkage_name;
                if others == 0 { first.clone() } else { format!("{first} and {others} more") }
            }
            _ => String::new(),
        }
    }

    /// What the trace says besides the kind, where that needs no unit.
    fn figures(self) -> String {
        match self {
            Rewrite::ConvertedField(field) => field.to_string(),
            Rewrite::Unread(unread) => format!(
                "{} smaller blocks, {} fields, {} stores, {} arguments, {} results, {} captured values",
                unread.blocks,
                unread.fields,
                unread.stores,
                unread.arguments,
                unread.results,
                unread.captured
            ),
            Rewrite::NakedFields { classes } => classes.to_string(),
            Rewrite::DeadCode(dead) => format!(
                "of {} codes, {} sets of closures, {} static data, {} fields of the module, {} captured values",
                dead.codes, dead.sets, dead.statics, dead.fields, dead.values
            ),
            _ => String::new(),
        }
    }
}

/// A rewrite that was done, in the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The fuel with which it is the last that is done.
    pub number: u64,
    pub rewrite: Rewrite,
    /// The names of what it was done to; empty if its kind says all.
    subject: String,
    /// The function that it was done in, `entry` for the code of the toplevel; none if it concerns a whole unit.
    function: Option<String>,
}

impl Done {
    /// A rewrite in a function of a unit, the entry without a code.
    pub(crate) fn new(number: u64, rewrite: Rewrite, unit: &Unit, code: Option<CodeId>) -> Done {
        let function = Some(unit.place_name(code).to_owned());
        Done { number, rewrite, subject: rewrite.subject(unit), function }
    }

    /// A rewrite of a whole unit, or of one that is not there yet.
    pub(crate) fn in_unit(number: u64, rewrite: Rewrite) -> Done {
        Done { number, rewrite, subject: rewrite.figures(), function: None }
    }

    /// The function that it was done in, `entry` for the code of the toplevel.
    #[must_use]
    pub fn function(&self) -> Option<&str> {
        self.function.as_deref()
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pass, what) = self.rewrite.names();
        write!(f, "{}: {pass}: {what}", self.number)?;
        if !self.subject.is_empty() {
            write!(f, " {}", self.subject)?;
        }
        match &self.function {
            Some(function) => write!(f, " in {function}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser;

    #[test]
    fn kinds_have_no_names_and_lines_have() {
        let unit = parser::parse_unit(
            "unit \"M\" prefix \"camlM\" module $camlM\n\
             static exported $camlM = preallocated[0] size 0\n\
             code f (x) -> k { k (x) }\n\
             entry -> k { k (0) }",
        )
        .expect("it can be read");
        let (code, data) = unit.codes.iter().next().expect("a code");
        let rewrite = Rewrite::AllocationIntoBranch(data.params[0]);
        assert_eq!(rewrite.kind(), "motion: allocation into a branch");
        assert_eq!(
            Done::new(5, rewrite, &unit, Some(code)).to_string(),
            "5: motion: allocation into a branch x in camlM__f"
        );
        assert_eq!(
            Done::new(1, Rewrite::RaiseToJump, &unit, None).to_string(),
            "1: simplify: raise to a known handler in entry"
        );
        assert_eq!(Done::in_unit(2, Rewrite::ConvertedField(3)).to_string(), "2: convert: known field 3");
    }
}
