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
//! What the call gives is a variant, one of whose fields is the closure of the next iteration, and it comes from several
//! paths. So in a function that has such loops a continuation that takes a variant as its parts takes, too, what a
//! closure among these has captured, if it is of one pattern on all paths.
//!
//! # Identity
//!
//! The version allocates the closure anew at its beginning; nothing but calls is done with it, so that is dropped if
//! these are inlined, and else takes the place of the allocation before the jump. A loop that does anything else with
//! the parameter has no versions: what exists is never made a second time.

use std::rc::Rc;

use flambeau_ir::copy::Copier;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeId, Const, ContHandler, Continuation, Expr, Item, Kind, Named, Prim,
    Rewrite, Simple, Subkind, Terminator, ValueSlot, Variable,
};
use flambeau_types::{Blocks, Closure, Ty};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::analysis::Analysis;
use crate::continuations::{ContState, Use};
use crate::run::{Params, Rest};
use crate::unboxing::Unboxing;
use crate::{Simplifier, size};

/// No more versions than these of a loop.
const VERSIONS: usize = 4;

/// No more closures than these in a pattern, nor captured values.
const CLOSURES: usize = 5;
const CAPTURED: usize = 16;

/// Functions up to this size are inlined in versions, and loops up to this size have such.
const LARGEST_CALLED: u32 = 80;
const LARGEST_LOOP: u32 = 400;

/// A parameter of a loop with which nothing is done but calling it, and passing it on.
#[derive(Clone, Copy, Debug)]
pub struct CalledParam {
    index: usize,
    /// With how many arguments.
    args: usize,
}

/// What is passed for the called parameters of a loop at a use.
#[derive(Clone, Debug)]
pub struct Passed {
    patterns: SmallVec<[Pattern; 1]>,
    /// What the closures have captured, in the order of the patterns.
    captured: SmallVec<[Simple; 4]>,
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
    /// An argument of its own.
    Own(usize),
    /// This, in all closures of the pattern.
    Known(Simple),
    /// What it has captured, of that kind.
    Captured(Kind),
    /// A closure that it has captured.
    Closure(Pattern),
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

    /// The kinds of what is captured.
    fn kinds(&self, kinds: &mut SmallVec<[Kind; 4]>) {
        for arg in &self.args {
            match arg {
                PatternArg::Captured(kind) => kinds.push(*kind),
                PatternArg::Closure(inner) => inner.kinds(kinds),
                PatternArg::Own(_) | PatternArg::Known(_) => {}
            }
        }
    }

    /// Whether closures of the one can be taken for closures of the other.
    fn is(&self, other: &Pattern) -> bool {
        self.call.kind == other.call.kind
            && self.args.len() == other.args.len()
            && self.args.iter().zip(&other.args).all(|(arg, other)| match (arg, other) {
                (PatternArg::Own(a), PatternArg::Own(b)) => a == b,
                (PatternArg::Known(a), PatternArg::Known(b)) => a == b,
                (PatternArg::Captured(a), PatternArg::Captured(b)) => a == b,
                (PatternArg::Closure(a), PatternArg::Closure(b)) => a.is(b),
                _ => false,
            })
    }
}

/// A closure that is known by its pattern: an argument, or a field of a block that is one.
#[derive(Clone, Debug)]
pub struct Waits {
    index: usize,
    /// The tag of the block, and which field.
    field: Option<(u8, usize)>,
    closure: WaitingClosure,
}

/// A closure's pattern, and what it has captured.
#[derive(Clone, Debug)]
pub struct WaitingClosure {
    pattern: Pattern,
    captured: SmallVec<[Simple; 4]>,
}

impl Passed {
    fn is(&self, other: &[Pattern]) -> bool {
        self.patterns.iter().zip(other).all(|(pattern, other)| pattern.is(other))
    }
}

/// A closure's function that does nothing but calling another one.
struct Waiting {
    call: Apply,
    params: SmallVec<[Variable; 4]>,
    /// The variables of what it has captured.
    captured: SmallVec<[(Variable, ValueSlot); 4]>,
}

/// A version of a loop.
struct Version {
    patterns: SmallVec<[Pattern; 1]>,
    cont: Continuation,
}

impl Simplifier<'_> {
    /// The parameters of a loop for which it has versions.
    pub(crate) fn called_params(&mut self, handler: &ContHandler) -> SmallVec<[CalledParam; 1]> {
        if self.is_measuring() || self.function.in_instance {
            return SmallVec::new();
        }
        let analysis = &self.function.analysis;
        let is_candidate = |param: &Variable| {
            analysis.loop_param(*param).is_called
                && analysis.only_value(*param).is_none()
                && matches!(analysis.ty(*param), Ty::Unknown)
        };
        let params = handler.params.iter().enumerate().filter(|(_, param)| is_candidate(param));
        let params: SmallVec<[(usize, Variable); 1]> = params.map(|(index, param)| (index, *param)).collect();
        if params.is_empty() || size::of(&handler.body, LARGEST_LOOP).is_none() {
            return SmallVec::new();
        }
        let called = |(index, param)| Some(CalledParam { index, args: args_of_calls(handler, index, param)? });
        let called: SmallVec<[CalledParam; 1]> = params.into_iter().filter_map(called).collect();
        self.function.has_called_params |= !called.is_empty();
        called
    }

    /// Whether a closure that a loop calls with so many arguments is of a pattern for which that has a version.
    pub(crate) fn is_sequence(&mut self, closure: Simple, args: usize) -> bool {
        let pattern = self.pattern(closure, Some(args), &mut 0, &mut SmallVec::new());
        pattern.is_some_and(|pattern| self.goes_on(&pattern.call))
    }

    /// What a jump to a loop passes for its called parameters, if that is of known patterns.
    pub(crate) fn passed(&mut self, called: &[CalledParam], args: &[Simple]) -> Option<Passed> {
        let mut passed = Passed { patterns: SmallVec::new(), captured: SmallVec::new() };
        let mut closures = 0;
        for CalledParam { index, args: count } in called {
            let arg = *args.get(*index)?;
            let pattern = self.pattern(arg, Some(*count), &mut closures, &mut passed.captured)?;
            passed.patterns.push(pattern);
        }
        (!passed.patterns.is_empty() && passed.captured.len() <= CAPTURED).then_some(passed)
    }

    /// The pattern of a closure, which is called with so many arguments as far as that is known. Adds what it has
    /// captured.
    fn pattern(
        &mut self,
        closure: Simple,
        args: Option<usize>,
        closures: &mut usize,
        captured: &mut SmallVec<[Simple; 4]>,
    ) -> Option<Pattern> {
        if let Some(waiting) = closure.as_var().and_then(|var| self.function.waiting.get(&var)) {
            captured.extend(waiting.captured.iter().copied());
            *closures += waiting.pattern.closures();
            let own = waiting.pattern.own;
            return (*closures <= CLOSURES && args.is_none_or(|args| args == own)).then(|| waiting.pattern.clone());
        }
        let Ty::Closure(known) = self.env.ty(closure) else { return None };
        let code = known.code()?;
        let waiting = self.waiting_function(code)?;
        *closures += 1;
        if *closures > CLOSURES || args.is_some_and(|args| args != waiting.params.len()) {
            return None;
        }
        let mut pattern =
            Pattern { call: Rc::new(waiting.call.clone()), args: Vec::new(), first: code, own: waiting.params.len() };
        for arg in waiting.call.callee.iter().chain(&waiting.call.args) {
            let own = waiting.params.iter().position(|param| Simple::Var(*param) == *arg);
            let arg = match own {
                Some(index) => PatternArg::Own(index),
                None => self.pattern_arg(waiting.value(&known, *arg)?, closures, captured)?,
            };
            pattern.args.push(arg);
        }
        Some(pattern)
    }

    fn pattern_arg(
        &mut self,
        value: Simple,
        closures: &mut usize,
        captured: &mut SmallVec<[Simple; 4]>,
    ) -> Option<PatternArg> {
        let value = self.env.canonical(value);
        let (first, count) = (captured.len(), *closures);
        if let Some(pattern) = self.pattern(value, None, closures, captured)
            && self.goes_on(&pattern.call)
        {
            return Some(PatternArg::Closure(pattern));
        }
        captured.truncate(first);
        *closures = count;
        // Which function it is, is worth a version; which number, is not.
        if matches!(value, Simple::Symbol(_)) && matches!(self.env.ty(value), Ty::Closure(_) | Ty::Elsewhere(_)) {
            return Some(PatternArg::Known(value));
        }
        captured.push(value);
        let kind = self.unit.kind_of(value);
        (!matches!(value, Simple::Const(Const::Poison(_)))).then_some(PatternArg::Captured(kind))
    }

    /// The closures among the arguments of a jump, and among the fields of those that are blocks, that are known by
    /// their patterns.
    pub(crate) fn waits(&mut self, args: &[Simple]) -> Vec<Waits> {
        let mut waits = Vec::new();
        if !self.function.has_called_params || self.is_measuring() {
            return waits;
        }
        let mut add = |this: &mut Self, index, field, simple| {
            let mut captured = SmallVec::new();
            if let Some(pattern) = this.pattern(simple, None, &mut 0, &mut captured)
                && captured.len() <= CAPTURED
                && this.goes_on(&pattern.call)
            {
                waits.push(Waits { index, field, closure: WaitingClosure { pattern, captured } });
            }
        };
        for (index, arg) in args.iter().enumerate() {
            add(self, index, None, *arg);
            let Ty::Variant(variant) = self.env.ty(*arg) else { continue };
            let Blocks::Known(blocks) = &variant.blocks else { continue };
            for block in blocks {
                for (field, ty) in block.fields.iter().enumerate() {
                    if let Ty::Is(simple) = ty {
                        add(self, index, Some((block.tag, field)), *simple);
                    }
                }
            }
        }
        waits
    }

    /// Passes to a continuation what closures have captured that all its uses know by the same pattern: parameters, and
    /// the parts of parameters that are passed as such.
    pub(crate) fn pass_waiting(&mut self, params: &mut Params, uses: &[Use], unboxings: &[Unboxing]) {
        if uses.iter().all(|u| u.waits.is_empty()) {
            return;
        }
        let passed = uses.first().map_or(0, |u| u.args.len());
        let own = params.iter().take(passed).enumerate().map(|(index, param)| (index, None, *param));
        let mut places: Vec<(usize, Option<(u8, usize)>, Variable)> = own.collect();
        for unboxing in unboxings {
            let parts = unboxing.fields();
            places.extend(parts.map(|(tag, field, part)| (unboxing.index(), Some((tag, field)), part)));
        }
        for (index, field, var) in places {
            let Some(passed) = passed_at(uses, index, field) else { continue };
            let Some(pattern) = passed.iter().flatten().next().map(|closure| closure.pattern.clone()) else {
                continue;
            };
            let mut kinds = SmallVec::new();
            pattern.kinds(&mut kinds);
            let mut captured: SmallVec<[Simple; 4]> = SmallVec::new();
            for kind in &kinds {
                let name = self.unit.variables[var].name.clone();
                let part = self.unit.new_variable(name, *kind, Subkind::Any);
                params.push(part);
                self.env.bind(part, Ty::Unknown);
                self.function.possibly_poison.insert(part);
                captured.push(part.into());
            }
            for (u, closure) in uses.iter().zip(&passed) {
                let edge = &mut self.function.edges[u.edge];
                match closure {
                    Some(closure) => edge.extra.extend(closure.captured.iter().copied()),
                    None => edge.extra.extend(kinds.iter().map(|kind| Simple::Const(Const::Poison(*kind)))),
                }
            }
            self.function.waiting.insert(var, WaitingClosure { pattern, captured });
        }
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
        Some(Waiting { call: (**call).clone(), params: data.params.clone(), captured })
    }

    /// The function that a call calls, if its body is at hand.
    fn callee_of(&mut self, call: &Apply) -> Option<CodeId> {
        match &call.kind {
            CallKind::Direct(code) => Some(*code),
            CallKind::DirectExternal(name) => self.imported(name, call),
            _ => None,
        }
    }

    /// Whether a call makes a sequence, and what comes after it passes that to a loop that consumes it, or makes another
    /// sequence of it.
    pub(crate) fn makes_consumed(&mut self, apply: &Apply, code: CodeId) -> bool {
        let Some(ContState::Pending(handler)) = self.function.conts.get(&apply.ret) else { return false };
        let [result] = handler.params[..] else { return false };
        let is_captured = handler.rest.items.as_slice().iter().any(|item| match item {
            Item::LetClosures { set, .. } => {
                set.values.iter().any(|(_, value)| *value == result.into())
                    && set.functions.iter().all(|(_, code)| self.waiting_function(*code).is_some())
            }
            _ => false,
        });
        let consumer = match &handler.rest.terminator {
            Terminator::Apply(next) => {
                let index = next.args.iter().position(|arg| *arg == result.into());
                index.map(|index| (index, (**next).clone()))
            }
            _ => None,
        };
        let Some(call) = self.returned_sequence(code) else { return false };
        let is_consumed = is_captured
            || consumer.is_some_and(|(index, next)| {
                let consumer = self.callee_of(&next);
                consumer.is_some_and(|code| consumed(&self.unit.codes[code]).iter().any(|(at, _)| *at == index))
            });
        is_consumed && self.goes_on(&call)
    }

    /// What the closure calls that a function allocates and returns, if it does nothing else.
    fn returned_sequence(&self, code: CodeId) -> Option<Apply> {
        let data = &self.unit.codes[code];
        let mut found = None;
        self.body(code)?.walk(&mut |expr| {
            if let Terminator::ApplyCont(to) = &expr.terminator
                && to.cont == data.ret
                && let [Simple::Var(result)] = to.args[..]
            {
                for item in &expr.items {
                    if let Item::LetClosures { vars, set, .. } = item
                        && let Some(at) = vars.iter().position(|var| *var == result)
                    {
                        found = self.waiting_function(set.functions[at].1).map(|waiting| waiting.call);
                    }
                }
            }
        });
        found
    }

    /// Whether what the closures of a pattern call, by this call, gives closures again, and can be inlined: it is not
    /// recursive but through these.
    fn goes_on(&mut self, call: &Apply) -> bool {
        let Some(code) = self.callee_of(call) else { return false };
        self.simplify_callee(code);
        let data = &self.unit.codes[code];
        let may_be_inlined = data.attributes.inline != InlineAttribute::Never
            && self.global.done.contains(&code)
            && !self.global.in_progress.contains(&code)
            && !self.makes_sole_set(code)
            && !self.calls_its_group(code, &call.kind)
            && self.whole_size(code, LARGEST_CALLED).is_some();
        may_be_inlined && self.makes_closures(code)
    }

    /// Whether a function calls itself, or one of its set, other than through the closures that it makes.
    fn calls_its_group(&self, code: CodeId, kind: &CallKind) -> bool {
        let group = self.global.sets.functions(code);
        let is_own = |other: CodeId| {
            other == code || group.is_some_and(|group| group.iter().any(|(_, member)| *member == other))
        };
        let Some(body) = self.body(code) else { return true };
        let mut calls = false;
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator {
                calls |= apply.kind == *kind;
                calls |= matches!(apply.kind, CallKind::Direct(callee) if is_own(callee));
            }
        });
        calls
    }

    /// Makes the versions of a loop that its uses ask for, which then go to these: the ones that are known, and those
    /// that are found in the versions. `enter` sets the scene for the handler.
    pub(crate) fn versions(
        &mut self,
        handler: &ContHandler,
        enter: &dyn Fn(&mut Self),
    ) -> Vec<ContHandler> {
        let mut versions: Vec<Version> = Vec::new();
        let mut done = Vec::new();
        loop {
            self.redirect_uses(handler.cont, &versions);
            if versions.len() == VERSIONS {
                return done;
            }
            let Some(patterns) = self.next_patterns(handler.cont) else { return done };
            if !patterns.iter().all(|pattern| self.goes_on(&pattern.call)) || !self.pay_for_version(handler) {
                self.forget_patterns(handler.cont, &patterns);
                continue;
            }
            if !self.allow(Rewrite::CallPattern) {
                return done;
            }
            let cont = self.unit.new_continuation(self.unit.continuations[handler.cont].name.clone());
            match self.version(handler, cont, &patterns, enter) {
                Some(version) => {
                    done.push(version);
                    versions.push(Version { patterns, cont });
                }
                None => return done,
            }
        }
    }

    /// Sends the uses of a loop for whose patterns there is a version to that.
    fn redirect_uses(&mut self, cont: Continuation, versions: &[Version]) {
        let mut left = Vec::new();
        for mut u in self.take_uses(cont) {
            let version = u.passed.as_ref().and_then(|passed| versions.iter().find(|v| passed.is(&v.patterns)));
            match (version, u.passed.take()) {
                (Some(version), Some(passed)) => {
                    let edge = &mut self.function.edges[u.edge];
                    edge.cont = version.cont;
                    edge.extra.extend(passed.captured);
                }
                (_, passed) => {
                    u.passed = passed;
                    left.push(u);
                }
            }
        }
        self.put_uses(cont, left);
    }

    fn next_patterns(&self, cont: Continuation) -> Option<SmallVec<[Pattern; 1]>> {
        self.uses_of(cont).iter().find_map(|u| u.passed.as_ref()).map(|passed| passed.patterns.clone())
    }

    /// The uses with these patterns stay as they are.
    fn forget_patterns(&mut self, cont: Continuation, patterns: &[Pattern]) {
        let mut uses = self.take_uses(cont);
        for u in &mut uses {
            u.passed = u.passed.take().filter(|passed| !passed.is(patterns));
        }
        self.put_uses(cont, uses);
    }

    /// Counts a copy of a loop against what the function and the unit may grow by.
    fn pay_for_version(&mut self, handler: &ContHandler) -> bool {
        let Some(size) = size::of(&handler.body, LARGEST_LOOP) else { return false };
        if size > self.function.budget || size > self.global.unit_budget {
            return false;
        }
        self.function.budget -= size;
        self.global.unit_budget -= size;
        true
    }

    /// A version of a loop: its parameters are those of the loop, the called ones ignored, and what the closures have
    /// captured.
    fn version(
        &mut self,
        handler: &ContHandler,
        cont: Continuation,
        patterns: &[Pattern],
        enter: &dyn Fn(&mut Self),
    ) -> Option<ContHandler> {
        let mut copier = Copier::of_unit(self.unit);
        let copied: Params = handler.params.iter().map(|param| copier.bind_variable(*param)).collect();
        let body = copier.expr(&handler.body);
        let copies = copier.finish().ok()?;
        copies.into_iter().for_each(|code| {
            self.unit.codes.push(code);
        });
        self.note_sets(&body);
        let called = self.called_of(handler.cont);
        self.scoped(|this| {
            enter(this);
            let mut params = copied.clone();
            for (index, (param, original)) in copied.iter().zip(&handler.params).enumerate() {
                if called.iter().any(|called| called.index == index) {
                    params[index] = this.unit.new_variable_like(*param);
                    this.env.bind(params[index], Ty::Unknown);
                } else {
                    this.bind_copied_param(handler.cont, *original, *param);
                }
            }
            let mut head = Vec::new();
            for (CalledParam { index, .. }, pattern) in called.iter().zip(patterns) {
                this.closure_of(pattern, copied[*index], &mut params, &mut head);
            }
            let analysis = Analysis::of(&body, &this.env, this.rewrites.keep_backtraces);
            if this.function.current.is_some() {
                this.note_cold(&body, None);
            }
            Rc::make_mut(&mut this.function.analysis).absorb(analysis, &[]);
            head.extend(body.items);
            let body = this.run(Rest::from(Expr { items: head, terminator: body.terminator }));
            Some(ContHandler { cont, params, body })
        })
    }

    /// Allocates a closure of a pattern, the parameter `var`, from parameters that are added for what it has captured.
    fn closure_of(&mut self, pattern: &Pattern, var: Variable, params: &mut Params, head: &mut Vec<Item>) {
        let data = &self.unit.codes[pattern.first];
        let (mut call, own, result, dbg) = ((*pattern.call).clone(), data.params.clone(), data.result, data.dbg);
        let own: SmallVec<[Variable; 4]> =
            own.iter().map(|param| self.unit.new_variable_like(*param)).collect();
        for (arg, described) in call.callee.iter_mut().chain(&mut call.args).zip(&pattern.args) {
            *arg = match described {
                PatternArg::Own(index) => own[*index].into(),
                PatternArg::Known(simple) => *simple,
                PatternArg::Captured(kind) => {
                    let name = self.unit.variables[var].name.clone();
                    let part = self.unit.new_variable(name, *kind, Subkind::Any);
                    params.push(part);
                    self.env.bind(part, Ty::Unknown);
                    part.into()
                }
                PatternArg::Closure(inner) => {
                    let inside = self.unit.new_variable_like(var);
                    self.closure_of(inner, inside, params, head);
                    inside.into()
                }
            };
        }
        // What the closures call is recursive, through the closures that it makes.
        let name = match &call.kind {
            CallKind::Direct(code) => self.unit.codes[*code].linkage_name.clone(),
            CallKind::DirectExternal(name) => name.clone(),
            _ => String::new(),
        };
        let set = self.called_later(["partial", &name], &call, own, result);
        for (_, code) in &set.functions {
            if let Terminator::Apply(call) = &mut self.unit.codes[*code].body.terminator {
                call.inlined = InlineAttribute::Hint;
            }
        }
        let item = Item::LetClosures { vars: smallvec![var], set, dbg };
        head.push(item);
        let term = Expr { items: vec![head[head.len() - 1].clone()], terminator: Terminator::Unreachable };
        self.note_sets(&term);
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

/// What each use passes in a place, if all know that by one pattern: nothing for those that pass nothing there.
fn passed_at(
    uses: &[Use],
    index: usize,
    field: Option<(u8, usize)>,
) -> Option<SmallVec<[Option<&WaitingClosure>; 4]>> {
    let mut first: Option<&WaitingClosure> = None;
    let mut passed = SmallVec::new();
    for u in uses {
        let waits = u.waits.iter().find(|waits| waits.index == index && waits.field == field);
        let closure = waits.map(|waits| &waits.closure);
        match (closure, first) {
            (Some(closure), Some(first)) if !closure.pattern.is(&first.pattern) => return None,
            (Some(closure), _) => first = Some(closure),
            (None, _) if passes_nothing(u, index, field) => {}
            (None, _) => return None,
        }
        passed.push(closure);
    }
    first.is_some().then_some(passed)
}

/// Whether a use passes poison, or a variant that is never in the case.
fn passes_nothing(u: &Use, index: usize, field: Option<(u8, usize)>) -> bool {
    if matches!(u.args[index], Simple::Const(Const::Poison(_))) {
        return true;
    }
    let (Some((tag, _)), Ty::Variant(variant)) = (field, &u.tys[index]) else { return false };
    matches!(&variant.blocks, Blocks::Known(blocks) if blocks.iter().all(|block| block.tag != tag))
}

/// The parameters of a function, by their numbers, which loops of its own take and call, and with how many arguments.
pub fn consumed(code: &Code) -> Vec<(usize, usize)> {
    let mut called: FxHashMap<Continuation, SmallVec<[CalledParam; 1]>> = FxHashMap::default();
    code.body.walk(&mut |expr| {
        for item in &expr.items {
            let Item::LetCont { recursive: true, handlers } = item else { continue };
            let [handler] = &handlers[..] else { continue };
            let params = handler.params.iter().enumerate();
            let params = params.filter_map(|(index, param)| {
                Some(CalledParam { index, args: args_of_calls(handler, index, *param)? })
            });
            called.insert(handler.cont, params.collect());
        }
    });
    let mut consumed = Vec::new();
    if called.values().all(|called| called.is_empty()) {
        return consumed;
    }
    code.body.walk(&mut |expr| {
        let Terminator::ApplyCont(jump) = &expr.terminator else { return };
        for param in called.get(&jump.cont).into_iter().flatten() {
            let passed = jump.args.get(param.index);
            let own = code.params.iter().position(|own| passed == Some(&Simple::Var(*own)));
            consumed.extend(own.map(|own| (own, param.args)));
        }
    });
    consumed
}

/// With how many arguments a parameter of a loop is called, if nothing else is done with it but passing it on to the
/// next iteration, and the calls are the same.
fn args_of_calls(handler: &ContHandler, index: usize, param: Variable) -> Option<usize> {
    let param = Simple::Var(param);
    let mut counts: SmallVec<[usize; 2]> = SmallVec::new();
    let mut others = 0;
    handler.body.walk(&mut |expr| {
        let mut count = |simple: Simple| others += usize::from(simple == param);
        expr.items.iter().for_each(|item| item.for_each_simple(&mut count));
        match &expr.terminator {
            Terminator::Apply(apply) if apply.kind == CallKind::Generic && apply.callee == Some(param) => {
                counts.push(apply.args.len());
                apply.args.iter().for_each(|arg| count(*arg));
                apply.exn.for_each_simple(&mut count);
            }
            Terminator::ApplyCont(ApplyCont { cont, args }) if *cont == handler.cont => {
                args.iter().enumerate().filter(|(at, _)| *at != index).for_each(|(_, arg)| count(*arg));
            }
            terminator => terminator.for_each_simple(&mut count),
        }
    });
    match counts[..] {
        [count] if others == 0 => Some(count),
        _ => None,
    }
}
