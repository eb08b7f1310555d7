//! The explanation of a reason: why, with which numbers, and what would have changed it. All renderings show this.

use flambeau_ir::decision::{Evaluation, Policy, Reason, Removed};
use flambeau_ir::inlining::{LARGEST, PER_INLINE};

use crate::sites::Verdict;

/// Something that would have changed a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A flag of the command line.
    Flag(String),
    /// A flag that would have to be removed.
    WithoutFlag(&'static str),
    /// An attribute of the call.
    AtCall(&'static str),
    /// An attribute of the function.
    AtDefinition(&'static str),
    /// An attribute that would have to be removed.
    Without(&'static str),
    /// Something in the source or in the build.
    Other(String),
}

impl Change {
    /// What is to be typed, if that can be said, and the text before and after it.
    #[must_use]
    pub fn parts(&self) -> (&str, &str, &str) {
        match self {
            Change::Flag(flag) => ("", flag, " on the command line"),
            Change::WithoutFlag(flag) => ("without ", flag, " on the command line"),
            Change::AtCall(attribute) => ("", attribute, " at the call"),
            Change::AtDefinition(attribute) => ("", attribute, " on the definition of the function"),
            Change::Without(attribute) => ("without ", attribute, ""),
            Change::Other(text) => (text, "", ""),
        }
    }

    /// The change as plain text.
    #[must_use]
    pub fn text(&self) -> String {
        let (before, code, after) = self.parts();
        format!("{before}{code}{after}")
    }
}

/// The explanation of a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What it led to.
    pub verdict: Verdict,
    /// Why, in a word or two.
    pub brief: String,
    /// Why, as the end of a sentence: `it is small`.
    pub because: String,
    /// The comparison that decided, with its numbers.
    pub formula: Option<String>,
    /// The operations that inlining removes: how many and what.
    pub removed: Vec<String>,
    /// Each of these could have changed the decision: attributes do, flags may if nothing else speaks against it.
    pub changes: Vec<Change>,
}

/// The explanation of a reason, where the unit is compiled with that policy and level of `-O`.
#[must_use]
pub fn explain(reason: &Reason, policy: Policy, level: u32) -> Explanation {
    let (because, formula) = because(reason);
    let removed = match reason {
        Reason::Beneficial(evaluation) | Reason::NotBeneficial(evaluation) => removed(&evaluation.removed),
        _ => Vec::new(),
    };
    Explanation {
        verdict: Verdict::of(reason),
        brief: match reason {
            Reason::Specialised { parameters, .. } => format!("for {}", parameters.join(", ")),
            reason => brief(reason).to_owned(),
        },
        because,
        formula,
        removed,
        changes: changes(reason, policy, level),
    }
}

fn brief(reason: &Reason) -> &'static str {
    match reason {
        Reason::AttributeOfCall | Reason::ForbiddenByCall => "attribute of the call",
        Reason::AttributeOfFunction | Reason::ForbiddenByFunction => "attribute of the function",
        Reason::Unrolled { .. } => "unrolled",
        Reason::Stub => "wrapper",
        Reason::Small { .. } => "small",
        Reason::Functor => "functor",
        Reason::SingleUse => "only use",
        Reason::Beneficial(_) => "benefit",
        Reason::CallsInLoops { .. } => "calls in its loops",
        Reason::Awaited => "sequence",
        Reason::KnownFormat { .. } => "known format",
        Reason::Entered { .. } => "first test",
        Reason::Specialised { .. } => "for its arguments",
        Reason::Disabled => "turned off",
        Reason::InStub => "in a wrapper",
        Reason::InNoPoll => "in a function that must not poll",
        Reason::UnknownFunction => "not known at compile time",
        Reason::Captured => "captures variables",
        Reason::NoBody => "body not available",
        Reason::Recursive => "recursive",
        Reason::TooLarge { .. } => "too large",
        Reason::NothingKnown { .. } => "unknown arguments",
        Reason::NotBeneficial(_) => "too little benefit",
        Reason::OutweighsCall(_) => "call costs little",
        Reason::TooDeep { .. } => "too deep",
        Reason::FunctionBudget { .. } => "budget of the function",
        Reason::UnitBudget { .. } => "budget of the unit",
        Reason::SpeculationBudget { .. } => "budget of speculation",
        Reason::KeepsBacktraces => "backtraces",
        Reason::MakesClosures => "allocates closures",
        Reason::TiesFunctor => "another functor's variables",
        Reason::Evaluated => "functor, known without",
        Reason::Cold => "before an exception",
        Reason::Arguments => "arguments",
    }
}

fn because(reason: &Reason) -> (String, Option<String>) {
    let plain = |text: &str| (text.to_owned(), None);
    match reason {
        Reason::AttributeOfCall => plain("an attribute of the call asks for it"),
        Reason::AttributeOfFunction => plain("an attribute of the function asks for it"),
        Reason::Unrolled { left: 0 } => {
            plain("the function is recursive and is unrolled, here for the last time")
        }
        Reason::Unrolled { left: 1 } => {
            plain("the function is recursive and is unrolled, once more after this")
        }
        Reason::Unrolled { left } => {
            (format!("the function is recursive and is unrolled, {left} times more after this"), None)
        }
        Reason::Stub => plain("it is a wrapper generated by the compiler, which is always inlined"),
        Reason::Small { size, limit } => {
            ("the function is small".into(), Some(format!("size {size} <= limit {limit}")))
        }
        Reason::Functor => plain("it is a functor applied at the toplevel"),
        Reason::SingleUse => plain("this is the only use of the function"),
        Reason::Beneficial(evaluation) => {
            (format!("the benefit is large enough{}", inside(evaluation)), Some(formula(evaluation, "<=")))
        }
        Reason::CallsInLoops { calls, size } => (
            "its loops call functions that are known at this call".into(),
            Some(format!("size {size}, {calls} calls")),
        ),
        Reason::Awaited => plain("it produces the elements of the sequence that the loop consumes"),
        Reason::KnownFormat { size } => (
            "the format is a constant, and this call passes all of its arguments".into(),
            Some(format!("size {size}")),
        ),
        Reason::Entered { size, limit } => (
            "its first test is inlined alone; where more is to be done, the rest of the function is called"
                .into(),
            Some(format!("size {size} <= limit {limit}")),
        ),
        Reason::Specialised { parameters, size } => (
            format!(
                "the function was copied, with size {size}, for the {} of this call: {}",
                if parameters.len() == 1 { "argument" } else { "arguments" },
                parameters.join(", ")
            ),
            None,
        ),
        Reason::Disabled => plain("inlining is turned off"),
        Reason::ForbiddenByCall => plain("an attribute of the call forbids it"),
        Reason::ForbiddenByFunction => plain("an attribute of the function forbids it"),
        Reason::InStub => {
            plain("the call is in a wrapper generated by the compiler: the decision is taken where the wrapper is inlined")
        }
        Reason::InNoPoll => plain("the call is in a function with [@poll error], which inlined code could violate"),
        Reason::UnknownFunction => plain("the function is not known at compile time"),
        Reason::Captured => plain("the function captures variables, which in bytecode only the function itself can read"),
        Reason::NoBody => plain(
            "its body is not available: its unit has no .cmx on the path, or was compiled with -opaque or by another compiler, or the body is too large to be exported",
        ),
        Reason::Recursive => plain("the function is recursive and is not unrolled (any further)"),
        Reason::TooLarge { size: Some(size), limit } => {
            ("the function is too large".into(), Some(format!("size {size} > limit {limit}")))
        }
        Reason::TooLarge { size: None, limit } => {
            ("the function is too large".into(), Some(format!("size > limit {limit}")))
        }
        Reason::NothingKnown { size } => (
            format!("nothing is known of its arguments that would simplify its body, of size {size}"),
            None,
        ),
        Reason::NotBeneficial(evaluation) => {
            (format!("the benefit is too small{}", inside(evaluation)), Some(formula(evaluation, ">")))
        }
        Reason::OutweighsCall(evaluation) => (
            "whatever its arguments are, the function calls others, loops or allocates closures: its own call costs little beside \
             that, and too little else is removed"
                .into(),
            Some(formula(evaluation, ">")),
        ),
        Reason::TooDeep { limit } => {
            (format!("the call is nested more than {limit} levels deep in inlined code"), None)
        }
        Reason::FunctionBudget { left, size } => (
            "the enclosing function has used up what it may grow by".into(),
            Some(format!("size {size} > {left} left")),
        ),
        Reason::UnitBudget { left, size } => (
            "the unit has used up what it may grow by".into(),
            Some(format!("size {size} > {left} left")),
        ),
        Reason::SpeculationBudget { left, size } => (
            "the unit has used up its budget for speculative inlining: only small functions are inlined from here on".into(),
            Some(format!("size {size} > {left} left")),
        ),
        Reason::KeepsBacktraces => plain(
            "its body handles exceptions, and inlining it would change their backtraces (-g)",
        ),
        Reason::MakesClosures => plain("its body allocates closures, and a flag forbids inlining such functions"),
        Reason::TiesFunctor => plain(
            "it reads variables captured by another functor: with it inlined, the enclosing functor could not be specialised in other units",
        ),
        Reason::Evaluated => {
            plain("the functions that the functor returns are known without inlining it, and are specialised where they are called")
        }
        Reason::Cold => plain("each path from the call ends in an exception: size matters there, speed does not"),
        Reason::Arguments => plain("the call does not pass exactly the arguments that the function takes"),
    }
}

/// The result of the search inside the body.
fn inside(evaluation: &Evaluation) -> String {
    let calls = match evaluation.inside {
        0 => String::new(),
        1 => ", with 1 call inlined inside it".into(),
        several => format!(", with {several} calls inlined inside it"),
    };
    let cut = if evaluation.cut { "; the search for such calls ended with its quota" } else { "" };
    calls + cut
}

/// `size 40 - benefit 12.5 = 27.5 <= allowance 30`
fn formula(evaluation: &Evaluation, relation: &str) -> String {
    let Evaluation { size, benefit, allowance, .. } = evaluation;
    format!(
        "size {size} - benefit {} = {} {relation} allowance {}",
        number(*benefit),
        number(evaluation.difference()),
        number(*allowance)
    )
}

/// With two digits after the point at most.
#[must_use]
pub fn number(n: f64) -> String {
    let text = format!("{n:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn removed(removed: &Removed) -> Vec<String> {
    let counts = [
        (removed.calls, "direct call", "direct calls"),
        (removed.indirect_calls, "indirect call", "indirect calls"),
        (removed.allocations, "allocation", "allocations"),
        (removed.branches, "branch", "branches"),
        (removed.primitives, "primitive", "primitives"),
        (removed.polymorphic_compares, "polymorphic compare", "polymorphic compares"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    counts
        .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
        .collect()
}

const INLINED: Change = Change::AtCall("[@inlined]");
const NOT_INLINED: Change = Change::AtCall("[@inlined never]");
const INLINE: Change = Change::AtDefinition("[@inline]");
const NOT_INLINE: Change = Change::AtDefinition("[@inline never]");

fn changes(reason: &Reason, policy: Policy, level: u32) -> Vec<Change> {
    let more = (level < 3 && policy != Policy::Classic).then(|| Change::Flag("-O3".into()));
    let with_more = |changes: Vec<Change>| changes.into_iter().chain(more.clone()).collect();
    let other = |text: &str| vec![Change::Other(text.to_owned())];
    match reason {
        Reason::AttributeOfCall => vec![Change::Without("the attribute of the call"), NOT_INLINED],
        Reason::AttributeOfFunction => vec![NOT_INLINED],
        Reason::Unrolled { .. } => vec![Change::Without("[@unrolled]")],
        Reason::Stub => Vec::new(),
        Reason::Functor => {
            vec![NOT_INLINED, NOT_INLINE, Change::Flag("-no-flambeau-toplevel-functors".into())]
        }
        // With a smaller limit the benefit decides.
        Reason::Small { .. }
        | Reason::SingleUse
        | Reason::CallsInLoops { .. }
        | Reason::Awaited
        | Reason::KnownFormat { .. } => {
            vec![NOT_INLINED, NOT_INLINE]
        }
        Reason::Beneficial(evaluation) => {
            let mut changes = vec![NOT_INLINED, NOT_INLINE];
            if policy == Policy::Threshold && evaluation.difference() > 0.0 {
                changes.push(threshold((evaluation.difference().ceil() - 1.0).max(0.0)));
            }
            changes
        }
        Reason::Entered { size, .. } => {
            let flag = format!("-flambeau-inline-guard-size {}", size.saturating_sub(1));
            vec![INLINED, NOT_INLINED, INLINE, NOT_INLINE, Change::Flag(flag)]
        }
        Reason::Specialised { .. } => {
            vec![Change::AtCall("[@specialised never]"), Change::AtDefinition("[@specialise never]")]
        }
        Reason::Disabled => vec![Change::WithoutFlag("-flambeau-no-inline")],
        Reason::ForbiddenByCall => vec![Change::Without("the attribute of the call"), INLINED],
        Reason::ForbiddenByFunction => vec![INLINED],
        Reason::InStub => Vec::new(),
        Reason::InNoPoll => vec![Change::Without("[@poll error]")],
        Reason::UnknownFunction => other(
            "[@inline] or [@specialise] on the definition of the enclosing function, if it is passed the function that it calls and \
             its callers know that one",
        ),
        Reason::Captured => other("passing what the function captures as arguments"),
        Reason::NoBody => other(
            "compiling the other unit with flambeau and without -opaque (with dune: --profile release), with its .cmx on \
             the path, and with [@inline] on the definition if it is large; for the standard library: flambeau stdlib",
        ),
        Reason::Recursive => vec![
            Change::AtCall("[@unrolled 1]"),
            unrolling(policy),
            Change::Other(
                "passing a function as argument unchanged in each recursive call: the function is then specialised".into(),
            ),
        ],
        Reason::TooLarge { size: size @ Some(_), limit } if *limit < LARGEST => {
            with_more(too_large(policy, *size, *limit))
        }
        Reason::TooLarge { size, limit } => too_large(policy, *size, *limit),
        Reason::NothingKnown { size } => {
            let mut changes = vec![INLINED, INLINE];
            if policy == Policy::Threshold {
                changes
                    .push(Change::Flag("-no-flambda2-speculative-inlining-only-if-arguments-useful".into()));
                changes.push(Change::Flag(format!("-flambda2-inline-small-function-size {size}")));
            }
            changes
        }
        Reason::NotBeneficial(evaluation) => {
            let mut changes = vec![INLINED, INLINE];
            match policy {
                Policy::Threshold => changes.push(threshold(evaluation.difference().ceil())),
                Policy::Benefit | Policy::Classic => {
                    changes.extend(dearer(evaluation));
                    changes.extend(evaluation.cut.then(|| {
                        Change::Other("a greater -inline, at the toplevel -inline-toplevel".into())
                    }));
                }
            }
            with_more(changes)
        }
        Reason::OutweighsCall(evaluation) => {
            let enough = number(evaluation.difference().ceil());
            vec![INLINED, INLINE, Change::Flag(format!("-flambeau-inline-nonleaf-threshold {enough}"))]
        }
        Reason::TooDeep { limit } => {
            let flag =
                if policy == Policy::Threshold { "-flambda2-inline-max-depth" } else { "-inline-max-depth" };
            with_more(vec![INLINED, Change::Flag(format!("{flag} {}", limit.saturating_add(1)))])
        }
        Reason::FunctionBudget { left, .. } => {
            let smaller =
                "a smaller enclosing function (the toplevel, which runs once, may grow least)";
            let attribute = (*left > 0).then_some(INLINED);
            attribute.into_iter().chain([Change::Other(smaller.into())]).collect()
        }
        Reason::UnitBudget { .. } => {
            vec![INLINED, Change::Other("a smaller unit".into())]
        }
        Reason::SpeculationBudget { .. } => {
            vec![
                INLINED,
                INLINE,
                Change::Other("a smaller unit".into()),
            ]
        }
        Reason::KeepsBacktraces => vec![
            Change::WithoutFlag("-g"),
            Change::Other("moving the try into a function of its own, which this function calls".into()),
        ],
        Reason::MakesClosures => {
            vec![INLINED, INLINE, Change::WithoutFlag("-no-flambda2-expert-fallback-inlining-heuristic")]
        }
        Reason::Cold | Reason::Evaluated | Reason::TiesFunctor => vec![INLINED, INLINE],
        Reason::Arguments => {
            other("a call with exactly the arguments that the definition of the function names")
        }
    }
}

/// A threshold of the difference between size and benefit.
fn threshold(n: f64) -> Change {
    Change::Flag(format!("-flambda2-inline-threshold {}", number(n)))
}

/// What could make a function not too large.
fn too_large(policy: Policy, size: Option<u32>, limit: u32) -> Vec<Change> {
    let Some(size) = size.filter(|_| limit < LARGEST) else {
        return vec![Change::Other(format!("a smaller function: nothing above {LARGEST} is inlined"))];
    };
    // In the unit of `-inline`, which is several of ours.
    let more = number((f64::from(size.saturating_sub(limit)) / PER_INLINE).ceil());
    let flag = match policy {
        Policy::Threshold => Change::Flag(format!("-flambda2-inline-large-function-size {size}")),
        Policy::Classic => Change::Other(format!("-inline greater by {more}")),
        Policy::Benefit => {
            Change::Other(format!("-inline greater by {more}, at the toplevel -inline-toplevel"))
        }
    };
    vec![INLINED, INLINE, flag]
}

/// How often a recursive function is unrolled.
fn unrolling(policy: Policy) -> Change {
    let flag = match policy {
        Policy::Threshold => "-flambda2-expert-can-inline-recursive-functions -flambda2-inline-max-rec-depth",
        Policy::Classic | Policy::Benefit => "-inline-max-unroll",
    };
    Change::Flag(format!("{flag} 1"))
}

/// By how much one of the removed operations would have to cost more, each alone.
fn dearer(evaluation: &Evaluation) -> Vec<Change> {
    let missing = evaluation.excess();
    let removed = &evaluation.removed;
    let costs = [
        (removed.calls, "-inline-call-cost"),
        (removed.indirect_calls, "-inline-indirect-cost"),
        (removed.allocations, "-inline-alloc-cost"),
        (removed.branches, "-inline-branch-cost"),
        (removed.primitives, "-inline-prim-cost"),
    ];
    let costs = costs.into_iter().filter(|(count, _)| *count > 0);
    costs
        .map(|(count, flag)| {
            let more = (missing / f64::from(count)).ceil().max(1.0);
            Change::Other(format!("{flag} greater by {}, more in a branch", number(more)))
        })
        .collect()
}
