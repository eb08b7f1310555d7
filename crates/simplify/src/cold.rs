//! Cold code (features F5): what is only executed on the way to an error. A function *never returns* if each path
//! through it ends in a raise, or in a call of one that never returns; a continuation is *cold* if each path from it
//! does. Where a call returns to a cold continuation nothing is gained by inlining.
//!
//! A raise whose handler is in the same function is control flow, and cold only if that handler is; so is
//! `raise_notrace`. Loops are never cold, nor are functions with loops said to never return: a server's main loop ends
//! in nothing but exceptions.
//!
//! Where there is a profile, what never ran in it is cold, too: a guess, by which nothing is left out.

use cranelift_entity::PrimaryMap;
use flambeau_ir::stack::deep;
use flambeau_ir::term::{InlineAttribute, RaiseKind};
use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, ContinuationData, Expr, Heat, Item, Kind, Rewrite, Terminator,
    Unit,
};
use flambeau_types::Ty;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::Simplifier;
use crate::continuations::ContState;
use crate::run::Next;

/// What is not larger than a call is inlined in cold code, too.
const SMALL: u32 = 4;

/// All continuations of a unit.
type Continuations = PrimaryMap<Continuation, ContinuationData>;

/// The cold continuations of a function.
pub type ColdConts = FxHashSet<Continuation>;

/// Finds the cold continuations that are bound in a term, and adds them to those of the terms around it, among which
/// the exception continuation of a function is; whether the term is cold itself. `never_returns` says of what calls
/// call.
pub fn mark(
    body: &Expr,
    conts: &Continuations,
    cold: &mut ColdConts,
    never_returns: &impl Fn(&Apply) -> bool,
) -> bool {
    Marking { conts, cold, never_returns }.run(body)
}

/// The cold continuations of a function, or of the entry, its own exception continuation among them; none if each path
/// through it is cold.
#[must_use]
pub fn of_body(unit: &Unit, code: Option<CodeId>) -> Option<ColdConts> {
    let (body, ret, exn) = match code.map(|code| &unit.codes[code]) {
        Some(data) => (&data.body, data.ret, data.exn),
        None => (&unit.entry.body, unit.entry.ret, unit.entry.exn),
    };
    let never_returns = |apply: &Apply| match apply.kind {
        CallKind::Direct(callee) => unit.codes[callee].attributes.no_return,
        // In tail position, only a call that never returns is marked so.
        _ => apply.inlined == InlineAttribute::Cold && apply.ret == ret,
    };
    let mut cold: ColdConts = [exn].into_iter().collect();
    (!mark(body, &unit.continuations, &mut cold, &never_returns)).then_some(cold)
}

struct Marking<'a, F> {
    conts: &'a Continuations,
    cold: &'a mut ColdConts,
    never_returns: &'a F,
}

impl<F: Fn(&Apply) -> bool> Marking<'_, F> {
    /// Whether each path through the run ends in an error.
    fn run(&mut self, expr: &Expr) -> bool {
        deep(|| {
            // What a join returns to is the rest of the run, which comes first therefore.
            let mut joins: SmallVec<[(Continuation, &Expr); 4]> = SmallVec::new();
            for item in &expr.items {
                match item {
                    Item::Join { cont, body, .. } => joins.push((*cont, body)),
                    Item::LetCont { recursive, handlers } => {
                        for handler in handlers {
                            if self.run(&handler.body) && !recursive || self.never_ran(handler.cont) {
                                self.cold.insert(handler.cont);
                            }
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            let mut is_cold = self.terminator(&expr.terminator);
            while let Some((cont, body)) = joins.pop() {
                if is_cold || self.never_ran(cont) {
                    self.cold.insert(cont);
                }
                is_cold = self.run(body);
            }
            is_cold
        })
    }

    fn never_ran(&self, cont: Continuation) -> bool {
        self.conts[cont].heat == Heat::Never
    }

    fn terminator(&mut self, terminator: &Terminator) -> bool {
        match terminator {
            Terminator::Apply(apply) => {
                self.cold.contains(&apply.ret)
                    || self.cold.contains(&apply.exn.cont) && (self.never_returns)(apply)
            }
            Terminator::ApplyCont(jump) => self.cold.contains(&jump.cont),
            Terminator::Switch(_) | Terminator::StringSwitch(_) => {
                let mut all = true;
                terminator.for_each_jump(&mut |jump| all &= self.cold.contains(&jump.cont));
                all
            }
            Terminator::Raise { kind: RaiseKind::NoTrace, .. } => false,
            Terminator::Raise { handler, .. } => self.cold.contains(&handler.cont),
            Terminator::Try { body, .. } => self.run(body),
            Terminator::Unreachable => true,
        }
    }
}

impl Simplifier<'_> {
    /// Finds the functions of the unit that never return.
    pub(crate) fn note_no_return(&mut self) {
        let mut candidates: Vec<(CodeId, Vec<Callee>)> = Vec::new();
        for (code, data) in &self.unit.codes {
            if !data.attributes.no_return
                && let Some(calls) = calls_in_tail_position(self.unit, code)
            {
                candidates.push((code, calls));
            }
        }
        // The least solution: what calls itself and does nothing else may run for ever.
        loop {
            let before = candidates.len();
            let mut left = Vec::new();
            for (code, calls) in candidates {
                if calls.iter().all(|callee| self.is_no_return(callee)) {
                    self.unit.codes[code].attributes.no_return = true;
                } else {
                    left.push((code, calls));
                }
            }
            if left.len() == before {
                return;
            }
            candidates = left;
        }
    }

    fn is_no_return(&mut self, callee: &Callee) -> bool {
        let code = match callee {
            Callee::Code(code) => Some(*code),
            Callee::External(name, args) => self.imported_function(name, *args),
        };
        let never_returns = code.is_some_and(|code| self.unit.codes[code].attributes.no_return);
        if let (true, Callee::External(name, _)) = (never_returns, callee) {
            self.unit.imports.add_no_return(name);
        }
        never_returns
    }

    /// Whether a call never returns.
    fn never_returns(&mut self, apply: &Apply) -> bool {
        match &apply.kind {
            CallKind::Direct(code) => self.unit.codes[*code].attributes.no_return,
            CallKind::DirectExternal(name) => {
                self.is_no_return(&Callee::External(name.clone(), apply.args.len()))
            }
            _ => false,
        }
    }

    /// Finds the cold continuations of a term of the function that is being simplified: of its body, with its exception
    /// continuation, or of one that is inlined.
    pub(crate) fn note_cold(&mut self, body: &Expr, exn: Option<Continuation>) {
        // What is called is imported first: that takes the unit.
        let mut external: FxHashSet<(String, usize)> = FxHashSet::default();
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::DirectExternal(name) = &apply.kind
            {
                external.insert((name.clone(), apply.args.len()));
            }
        });
        external.retain(|(name, args)| {
            let code = self.imported_function(name, *args);
            code.is_some_and(|code| self.unit.codes[code].attributes.no_return)
        });
        let (codes, conts) = (&self.unit.codes, &self.unit.continuations);
        let never_returns = |apply: &Apply| match &apply.kind {
            CallKind::Direct(code) => codes[*code].attributes.no_return,
            CallKind::DirectExternal(name) => {
                !external.is_empty() && external.contains(&(name.clone(), apply.args.len()))
            }
            _ => false,
        };
        self.function.cold.extend(exn);
        mark(body, conts, &mut self.function.cold, &never_returns);
    }

    /// Whether each path from a call ends in an error, once it has returned.
    pub(crate) fn returns_to_cold(&self, apply: &Apply) -> bool {
        self.function.cold.contains(&apply.ret)
    }

    /// Whether a call never ran, or each path from it ends in an error.
    pub(crate) fn is_in_cold(&self, apply: &Apply) -> bool {
        apply.heat == Heat::Never || self.returns_to_cold(apply)
    }

    /// The opposite: whether a call is repeated by the function that it is in, or a profile says that it runs often.
    pub(crate) fn is_in_loop(&self, apply: &Apply) -> bool {
        apply.heat == Heat::Hot
            || self.function.analysis.is_repeated(apply.ret)
            || self.function.current.is_some_and(|code| self.unit.codes[code].recursive)
    }

    /// Whether a call of a function raises an error that leaves the function around it.
    pub(crate) fn raises_out(&self, apply: &Apply, code: CodeId) -> bool {
        self.unit.codes[code].attributes.no_return && self.function.cold.contains(&apply.exn.cont)
    }

    /// Whether a call stands in cold code, which the function of that size would make larger. What raises an error is
    /// a call as long as the error leaves the function: it is smaller than a raise, and than the exception's block.
    pub(crate) fn is_cold(&self, apply: &Apply, code: CodeId, size: u32) -> bool {
        self.raises_out(apply, code) || self.is_in_cold(apply) && size > SMALL
    }

    /// Says of a call that stays whether it stands in cold code.
    pub(crate) fn mark_if_cold(&mut self, apply: &mut Apply) {
        let may_be = matches!(apply.inlined, InlineAttribute::Default | InlineAttribute::Cold);
        if may_be && self.function.current.is_some() && !self.is_measuring() {
            let raises = self.function.cold.contains(&apply.exn.cont) && self.never_returns(apply);
            let is_cold = raises || self.returns_to_cold(apply);
            apply.inlined = if is_cold { InlineAttribute::Cold } else { InlineAttribute::Default };
        }
    }

    /// A call that never returns: what would follow it is dropped. One in tail position stays there.
    pub(crate) fn called_last(&mut self, apply: &mut Apply, out: &mut Vec<Item>) -> Option<Next> {
        let returns_here = match self.function.conts.get(&apply.ret)? {
            ContState::Pending(handler) => !handler.rest.is_unreachable(),
            ContState::Open(_) => true,
            ContState::Forward(_) | ContState::Jump(..) => false,
        };
        if !returns_here || !self.never_returns(apply) || !self.allow(Rewrite::NoReturn) {
            return None;
        }
        let results = self.results_of(apply.ret);
        if let Some(ContState::Pending(_)) = self.function.conts.get(&apply.ret)
            && let Some(ContState::Pending(handler)) = self.function.conts.remove(&apply.ret)
        {
            handler.rest.dismantle();
        }
        for result in &results {
            self.env.bind(*result, Ty::Unknown);
        }
        if let Some(code) = self.function.current.filter(|_| !self.rewrites.keep_backtraces)
            && self.unit.codes[code].result == result_kind(self.unit, apply)
        {
            // A tail call is the smallest: it leaves no frame, but only backtraces would show that.
            apply.ret = self.unit.codes[code].ret;
            return Some(Next::End(Terminator::Apply(Box::new(apply.clone()))));
        }
        apply.ret = self.unit.new_continuation("never");
        let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply.clone())) };
        out.push(Item::Join { cont: apply.ret, params: results, body: Box::new(body) });
        Some(Next::End(Terminator::Unreachable))
    }
}

/// The kind of what a call would return.
fn result_kind(unit: &Unit, apply: &Apply) -> Kind {
    match apply.kind {
        CallKind::Direct(code) => unit.codes[code].result,
        _ => Kind::Value,
    }
}

/// What a call runs.
enum Callee {
    Code(CodeId),
    /// By the linker's name, with the number of arguments.
    External(String, usize),
}

/// The calls whose results a function returns, if it has no loop and returns nothing else.
fn calls_in_tail_position(unit: &Unit, code: CodeId) -> Option<Vec<Callee>> {
    let data = &unit.codes[code];
    let mut calls = Vec::new();
    let mut returns = false;
    data.body.walk(&mut |expr| {
        if returns {
            return;
        }
        expr.terminator.for_each_jump(&mut |jump| returns |= jump.cont == data.ret);
        returns |= expr.items.iter().any(|item| matches!(item, Item::LetCont { recursive: true, .. }));
        if let Terminator::Apply(apply) = &expr.terminator
            && apply.ret == data.ret
        {
            match &apply.kind {
                CallKind::Direct(code) => calls.push(Callee::Code(*code)),
                CallKind::DirectExternal(name) => {
                    calls.push(Callee::External(name.clone(), apply.args.len()));
                }
                _ => returns = true,
            }
        }
    });
    (!returns).then_some(calls)
}
