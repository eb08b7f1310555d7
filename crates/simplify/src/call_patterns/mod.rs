//! Loops that call a parameter, as what consumes a sequence does (`Seq.fold_left f acc (Seq.map g (String.to_seq s))`):
//! a version of the loop for each *call pattern*, in which it is known what is called.
//!
//! In such a loop the parameter is a closure that waits for its last arguments, and calling it gives the closure of the
//! next iteration. What is called is known where the loop is entered, but not in the loop: so nothing of an iteration
//! can be inlined in the one before. A version takes, instead of the closure, what that has captured, by parameters of
//! its own; in it the call is direct and can be inlined, and then the jump at its end is seen to pass a closure of the
//! same pattern: it goes to the version again, and no closure is allocated.
//!
//! # Patterns
//!
//! A closure is of a pattern if all its function does is to call a known one with what it has captured, constants, and
//! its own parameters. What it has captured may be a closure that waits, too: a sequence made of another. Two closures
//! of one pattern are as good as each other, whichever sets allocate them, so that copies which inlining makes of a set
//! do not matter.
//!
//! # Results
//!
//! What the call gives is a variant, one of whose fields is the closure of the next iteration, and it comes from
//! several paths. So in a function that has such loops a continuation that takes a variant as its parts takes, too,
//! what a closure among these has captured, if it is of one pattern on all paths.
//!
//! # Identity
//!
//! The version allocates the closure anew at its beginning; nothing but calls is done with it, so that is dropped if
//! these are inlined, and else takes the place of the allocation before the jump. A loop that does anything else with
//! the parameter has no versions: what exists is never made a second time.

mod consumers;
mod functions;
mod results;
mod versions;

use std::rc::Rc;

use flambeau_ir::{
    Apply, CallKind, CodeId, Const, Item, Kind, Named, Prim, Simple, Terminator, ValueSlot, Variable,
};
use flambeau_types::{Closure, Ty};
use smallvec::SmallVec;

use crate::Simplifier;

pub use consumers::{CalledParam, consumed, consumes_sequences};
pub use functions::FunctionVersions;
pub use results::{WaitingClosure, Waits};

/// No more closures than these are in a pattern.
const CLOSURES: usize = 5;
/// No more values than these are captured by what is passed at once.
const CAPTURED: usize = 16;

/// What closures have captured, in the order of their patterns.
type Captured = SmallVec<[Simple; 4]>;

/// What is passed for the called parameters of a loop at a use.
#[derive(Clone, Debug)]
pub struct Passed {
    patterns: SmallVec<[Pattern; 1]>,
    /// What the closures have captured, in the order of the patterns.
    captured: Captured,
}

/// What all closures of a pattern have in common.
#[derive(Clone, Debug)]
struct Pattern {
    /// Their call, of the first one that was seen.
    call: Rc<Apply>,
    /// The closure of the function that they call, if it needs that, and the arguments.
    args: Vec<PatternArg>,
    /// The code of that.
    first: CodeId,
    /// For how many arguments they wait.
    own: usize,
}

/// What a closure passes to the function that it calls.
#[derive(Clone, Debug)]
enum PatternArg {
    /// What the function has no use for.
    Unused,
    /// An argument of its own.
    Own(usize),
    /// This, in all closures of the pattern.
    Known(Simple),
    /// What it has captured, of that kind.
    Captured(Kind),
    /// A closure that it has captured.
    Closure(Pattern),
}

/// A closure's function that does nothing but calling another one.
struct Waiting {
    call: Apply,
    params: SmallVec<[Variable; 4]>,
    /// The variables of what it has captured.
    captured: SmallVec<[(Variable, ValueSlot); 4]>,
}

/// A closure's pattern as it is found, with what is inside.
#[derive(Default)]
struct Found {
    closures: usize,
    captured: Captured,
}

impl Pattern {
    /// How many closures make one of the pattern.
    fn closures(&self) -> usize {
        let inside = self.args.iter().map(|arg| match arg {
            PatternArg::Closure(inner) => inner.closures(),
            _ => 0,
        });
        1 + inside.sum::<usize>()
    }

    /// Whether a function is called that reads what a closure has captured, which is captured in turn.
    fn calls_captured(&self) -> bool {
        let callee = self.call.callee.and(self.args.first());
        let inside =
            self.args.iter().any(|arg| matches!(arg, PatternArg::Closure(inner) if inner.calls_captured()));
        inside || matches!(callee, Some(PatternArg::Captured(_)))
    }

    /// The kinds of what is captured.
    fn kinds(&self, kinds: &mut SmallVec<[Kind; 4]>) {
        for arg in &self.args {
            match arg {
                PatternArg::Captured(kind) => kinds.push(*kind),
                PatternArg::Closure(inner) => inner.kinds(kinds),
                PatternArg::Unused | PatternArg::Own(_) | PatternArg::Known(_) => {}
            }
        }
    }

    /// Whether closures of the one can be taken for closures of the other.
    fn is(&self, other: &Pattern) -> bool {
        self.call.kind == other.call.kind
            && self.own == other.own
            && self.args.len() == other.args.len()
            && self.args.iter().zip(&other.args).all(|(arg, other)| match (arg, other) {
                (PatternArg::Unused, PatternArg::Unused) => true,
                (PatternArg::Own(a), PatternArg::Own(b)) => a == b,
                (PatternArg::Known(a), PatternArg::Known(b)) => a == b,
                (PatternArg::Captured(a), PatternArg::Captured(b)) => a == b,
                (PatternArg::Closure(a), PatternArg::Closure(b)) => a.is(b),
                _ => false,
            })
    }
}

impl Passed {
    fn is(&self, other: &[Pattern]) -> bool {
        self.patterns.iter().zip(other).all(|(pattern, other)| pattern.is(other))
    }
}

impl Waiting {
    /// What is passed for an argument that is none of the function's own, where its closure has captured that.
    fn value(&self, closure: &Closure, arg: Simple) -> Option<Simple> {
        let Simple::Var(var) = arg else { return Some(arg) };
        let (_, slot) = self.captured.iter().find(|(captured, _)| *captured == var)?;
        match closure.values.iter().find(|(value, _)| value == slot)? {
            (_, Ty::Is(simple)) => Some(*simple),
            _ => None,
        }
    }
}

impl Simplifier<'_> {
    /// What a jump to a loop passes for its called parameters, if that is of known patterns.
    pub(crate) fn passed(&mut self, called: &[CalledParam], args: &[Simple]) -> Option<Passed> {
        let mut patterns = SmallVec::new();
        let mut found = Found::default();
        for CalledParam { index, args: count } in called {
            let arg = *args.get(*index)?;
            patterns.push(self.pattern(arg, Some(*count), &mut found)?);
        }
        let captured = found.captured;
        (!patterns.is_empty() && captured.len() <= CAPTURED).then_some(Passed { patterns, captured })
    }

    /// The pattern of a closure, which is called with so many arguments as far as that is known. Adds what it has
    /// captured.
    fn pattern(&mut self, closure: Simple, args: Option<usize>, found: &mut Found) -> Option<Pattern> {
        if let Some(waiting) = closure.as_var().and_then(|var| self.function.waiting.get(&var)) {
            found.captured.extend(waiting.captured.iter().copied());
            found.closures += waiting.pattern.closures();
            let fits = found.closures <= CLOSURES && args.is_none_or(|args| args == waiting.pattern.own);
            return fits.then(|| waiting.pattern.clone());
        }
        let Ty::Closure(known) = self.env.ty(closure) else { return None };
        let code = known.code()?;
        let waiting = self.waiting_function(code)?;
        found.closures += 1;
        if found.closures > CLOSURES || args.is_some_and(|args| args != waiting.params.len()) {
            return None;
        }
        let (call, own) = (Rc::new(waiting.call.clone()), waiting.params.len());
        let mut pattern = Pattern { call, args: Vec::new(), first: code, own };
        let unused = self.unused(&waiting.call);
        let callee = waiting.call.callee.iter().map(|callee| (None, callee));
        let args = waiting.call.args.iter().enumerate().map(|(index, arg)| (Some(index), arg));
        for (index, arg) in callee.chain(args) {
            let own = waiting.params.iter().position(|param| Simple::Var(*param) == *arg);
            let arg = match own {
                _ if index.is_some_and(|index| unused.contains(&index)) => PatternArg::Unused,
                Some(index) => PatternArg::Own(index),
                None => self.pattern_arg(waiting.value(&known, *arg)?, found)?,
            };
            pattern.args.push(arg);
        }
        Some(pattern)
    }

    /// The arguments of a call that the function has no use for.
    fn unused(&mut self, call: &Apply) -> SmallVec<[usize; 2]> {
        let CallKind::Direct(code) = call.kind else { return SmallVec::new() };
        self.simplify_callee(code);
        self.global.ignored.get(&code).cloned().unwrap_or_default()
    }

    fn pattern_arg(&mut self, value: Simple, found: &mut Found) -> Option<PatternArg> {
        let value = self.env.canonical(value);
        let (captured, closures) = (found.captured.len(), found.closures);
        if let Some(pattern) = self.pattern(value, None, found)
            && self.goes_on(&pattern.call)
        {
            return Some(PatternArg::Closure(pattern));
        }
        found.captured.truncate(captured);
        found.closures = closures;
        // Which function it is, is worth a version; which number, is not.
        let is_function = matches!(self.env.ty(value), Ty::Closure(_) | Ty::Elsewhere(_));
        if is_function && matches!(value, Simple::Symbol(_)) {
            return Some(PatternArg::Known(value));
        }
        found.captured.push(value);
        let kind = self.unit.kind_of(value);
        (!matches!(value, Simple::Const(Const::Poison(_)))).then_some(PatternArg::Captured(kind))
    }

    /// What a function does, if it does nothing but calling another one.
    fn waiting_function(&self, code: CodeId) -> Option<Waiting> {
        let data = &self.unit.codes[code];
        let body = self.body(code)?;
        let Terminator::Apply(call) = &body.terminator else { return None };
        let is_plain = call.ret == data.ret
            && call.exn.cont == data.exn
            && call.exn.extra_args.is_empty()
            && matches!(call.kind, CallKind::Direct(_) | CallKind::DirectExternal(_));
        if !is_plain || !data.takes_values(&self.unit.variables, data.params.len()) {
            return None;
        }
        let mut captured = SmallVec::new();
        for item in &body.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => match (prim, &args[..]) {
                    (Prim::ProjectValueSlot { value, .. }, [Simple::Var(closure)])
                        if *closure == data.my_closure =>
                    {
                        captured.push((*var, *value));
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        // What is known of the types at one of the closures need not hold for the others of a pattern.
        let call = Apply { types: Vec::new(), ..(**call).clone() };
        Some(Waiting { call, params: data.params.clone(), captured })
    }
}
