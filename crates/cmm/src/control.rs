//! Continuations: which become values, which code in place, which static catches.
//!
//! Each run is translated in a *result context*: a continuation to which the value of the Cmm expression is
//! passed. At first that is the function's return continuation. A continuation `k`, its handler and the term where
//! it may be used (the *scope*) then become one of these:
//!
//! * *dead*: no use; the handler disappears;
//! * *in place*: one use, in the same region (no trap and no loop between: soundness rows 6 and 20) and in
//!   the same result context; the handler's code stands where the jump stood;
//! * *value*: `let x = scope in handler`, the scope being translated in the result context `k`. For that the
//!   scope must not use the outer result context at all, be it by jumps or by calls in tail position
//!   (row 9), or by having code in place which does (`inlined_uses`);
//! * *catch*: a static catch around the scope, and exits.
//!
//! Runs are translated iteratively into [frames](crate::frames); only nesting recurses.

use std::ops::Range;

use flambeau_ir::{
    Apply, ContHandler, Continuation, Expr as Term, Item, Kind, Machine, Terminator, Variable,
};

use crate::frames::{Frame, close};
use crate::lowering::{Atom, Lowering};
use crate::tree::*;

/// With so many jumps back to its beginning a loop gets a latch.
const LATCHED: usize = 3;

/// A run, or the remainder of one.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    items: &'a [Item],
    terminator: &'a Terminator,
}

impl<'a> Run<'a> {
    /// All of a term.
    pub fn of(term: &'a Term) -> Self {
        Run { items: &term.items, terminator: &term.terminator }
    }

    fn is_unreachable(&self) -> bool {
        self.items.is_empty() && *self.terminator == Terminator::Unreachable
    }
}

/// How a continuation is reached, when it is not the result context.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// The code of the continuation stands at its only use.
    Inline { params: &'a [Variable], run: Run<'a> },
    /// By an exit.
    Label { label: Label, params: &'a [Variable] },
}

impl<'a> Target<'a> {
    /// The continuation's parameters.
    pub fn params(&self) -> &'a [Variable] {
        match self {
            Target::Inline { params, .. } | Target::Label { params, .. } => params,
        }
    }
}

/// What follows a terminator.
pub enum Next<'a> {
    /// Nothing: the run ends in this expression.
    Done(ExprId),
    /// The code of a continuation in place.
    Continue(Run<'a>),
}

/// What a continuation becomes; see the module's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Decision {
    Dead,
    InPlace,
    Value,
    Catch,
}

impl<'a> Lowering<'a> {
    /// Whether any value can be passed to a result context.
    fn takes_value(&self, context: Continuation) -> bool {
        matches!(self.analysis.continuations[context].takes, None | Some(Kind::Value))
    }

    /// Translates a run in a result context.
    pub fn block(&mut self, run: Run<'a>, result: Continuation) -> ExprId {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let path = self.paths.current();
            let expr = self.frames_of_block(run, result);
            self.paths.set(path);
            expr
        })
    }

    fn frames_of_block(&mut self, mut run: Run<'a>, mut result: Continuation) -> ExprId {
        let mut frames = Vec::new();
        loop {
            while let Some((item, items)) = run.items.split_first() {
                run.items = items;
                match item {
                    Item::Let { var, named, dbg } => self.let_(*var, named, *dbg, &mut frames),
                    Item::LetClosures { vars, set, dbg } => self.let_closures(vars, set, *dbg, &mut frames),
                    Item::Join { cont, params, body } => {
                        run = self.join(*cont, params, body, run, result, &mut frames);
                    }
                    Item::LetCont { recursive: true, handlers } => self.loops(handlers, result, &mut frames),
                    Item::LetCont { recursive: false, handlers } => {
                        result = self.let_cont(handlers, run.terminator, result, &mut frames);
                    }
                }
            }
            match self.terminator(run.terminator, result, &mut frames) {
                Next::Done(expr) => return close(&mut self.tree, frames, expr),
                Next::Continue(next) => run = next,
            }
        }
    }

    /// What becomes of a continuation in a result context. `ends`: its scope ends in a use of it, so that its
    /// code in place simply follows, and a sequence stays flat.
    fn decide(&self, cont: Continuation, params: usize, ends: bool, result: Continuation) -> Decision {
        let info = &self.analysis.continuations[cont];
        let once = self.used_once(cont);
        if info.uses.is_empty() {
            Decision::Dead
        } else if once && ends {
            Decision::InPlace
        } else if params <= 1 && !self.unit.continuations[cont].is_exn && !self.leaves(&info.scope, result) {
            Decision::Value
        } else if once {
            Decision::InPlace
        } else {
            Decision::Catch
        }
    }

    /// Whether a term is left towards the result context.
    fn leaves(&self, scope: &Range<u32>, result: Continuation) -> bool {
        self.analysis.used_in(result, scope) || self.inlined_uses.range(scope.clone()).next().is_some()
    }

    /// From now on the continuation's code stands at its only use.
    fn put_in_place(&mut self, cont: Continuation, params: &'a [Variable], run: Run<'a>) {
        self.inlined_uses.insert(self.analysis.continuations[cont].uses[0]);
        self.targets[cont] = Some(Target::Inline { params, run });
    }

    /// From now on the continuation is reached by a label.
    fn give_label(&mut self, cont: Continuation, params: &'a [Variable]) -> Label {
        let label = self.label();
        self.targets[cont] = Some(Target::Label { label, params });
        label
    }

    /// The parameters of a static catch. An exception continuation is jumped to with what it uses only.
    fn catch_params(&mut self, cont: Continuation, params: &'a [Variable]) -> Vec<(Var, Machtype)> {
        let passed = self.passed(params);
        if self.unit.continuations[cont].is_exn {
            let used = |(index, param): (usize, &Variable)| {
                (index == 0 || self.analysis.occurs(*param)).then_some(*param)
            };
            let params: Vec<_> = params.iter().enumerate().filter_map(used).collect();
            self.bind_params(&params)
        } else {
            self.bind_params(&passed)
        }
    }

    /// `Item::Join`; returns the run to continue with.
    fn join(
        &mut self,
        cont: Continuation,
        params: &'a [Variable],
        body: &'a Term,
        rest: Run<'a>,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> Run<'a> {
        let passed = self.passed(params);
        match self.decide(cont, passed.len(), ends_in(&body.terminator, cont), result) {
            Decision::Dead => Run::of(body),
            Decision::InPlace => {
                self.put_in_place(cont, params, rest);
                Run::of(body)
            }
            Decision::Value => {
                let def = self.block(Run::of(body), cont);
                self.paths.join(cont);
                frames.push(match passed.first() {
                    Some(param) => Frame::Let { var: self.bind(*param), def },
                    None => Frame::Seq { first: def },
                });
                rest
            }
            Decision::Catch => {
                let label = self.give_label(cont, params);
                let body = self.block(Run::of(body), result);
                let params = self.catch_params(cont, params);
                frames.push(Frame::CatchHandler { label, params, body });
                self.paths.join(cont);
                rest
            }
        }
    }

    /// A group of continuations which is no loop; returns the result context of the remainder of the run.
    fn let_cont(
        &mut self,
        handlers: &'a [ContHandler],
        end: &Terminator,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> Continuation {
        let mut shared = Vec::new();
        for handler in handlers {
            let passed = self.passed(&handler.params).len();
            match self.decide(handler.cont, passed, ends_in(end, handler.cont), result) {
                Decision::Dead => {}
                // Its code is nested anyway: as a value it would gain nothing.
                Decision::Value | Decision::InPlace if self.used_once(handler.cont) => {
                    self.put_in_place(handler.cont, &handler.params, Run::of(&handler.body));
                }
                _ => shared.push(handler),
            }
        }
        match shared[..] {
            [] => result,
            // Asked again: code that is in place now may use the result context.
            [handler]
                if self.decide(handler.cont, self.passed(&handler.params).len(), false, result)
                    == Decision::Value =>
            {
                self.handler_first(handler, result, frames)
            }
            [first, ..] => {
                self.forget_raised_in(&self.analysis.continuations[first.cont].scope.clone());
                let handlers = self.catch_handlers(shared, result);
                frames.push(Frame::CatchBody { recursive: false, handlers });
                result
            }
        }
    }

    /// Whether the only use may be replaced by the code, as far as regions are concerned.
    fn used_once(&self, cont: Continuation) -> bool {
        let info = &self.analysis.continuations[cont];
        info.uses.len() == 1 && !info.crosses_region
    }

    /// `Decision::Value` where the remainder of the run is the scope.
    fn handler_first(
        &mut self,
        handler: &'a ContHandler,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> Continuation {
        let path = self.paths.current();
        self.forget_raised_in(&self.analysis.continuations[handler.cont].scope.clone());
        self.paths.branch();
        let param = self.passed(&handler.params).first().map(|param| self.bind(*param));
        let body = self.block(Run::of(&handler.body), result);
        frames.push(match param {
            Some(var) => Frame::LetOf { var, body },
            None => Frame::SeqOf { rest: body },
        });
        self.leave_handlers(path);
        handler.cont
    }

    /// A recursive group: always a catch.
    fn loops(&mut self, handlers: &'a [ContHandler], result: Continuation, frames: &mut Vec<Frame>) {
        let used = |handler: &&'a ContHandler| !self.analysis.continuations[handler.cont].uses.is_empty();
        let used: Vec<_> = handlers.iter().filter(used).collect();
        if let Some(first) = used.first() {
            let info = &self.analysis.continuations[first.cont];
            self.forget_raised_in(&(info.group..info.scope.end));
            // In bytecode all parameters of loops are variables that are assigned.
            if self.machine == Machine::Native {
                self.declare_kept(&used, frames);
            }
            let handlers = self.catch_handlers(used, result);
            frames.push(Frame::CatchBody { recursive: true, handlers });
        }
    }

    /// The handlers of a catch. What holds here of the extra arguments of `Try`s holds in them.
    fn catch_handlers(&mut self, handlers: Vec<&'a ContHandler>, result: Continuation) -> Vec<Handler> {
        let path = self.paths.current();
        let labels: Vec<_> =
            handlers.iter().map(|handler| self.give_label(handler.cont, &handler.params)).collect();
        let mut translated = Vec::with_capacity(handlers.len());
        for (handler, label) in handlers.into_iter().zip(labels) {
            self.paths.set(path);
            self.paths.branch();
            let params = self.catch_params(handler.cont, &handler.params);
            let body = if self.machine == Machine::Native && self.back_edges(handler.cont) >= LATCHED {
                self.with_latch(handler, label, result)
            } else {
                self.block(Run::of(&handler.body), result)
            };
            translated.push(Handler { label, params, body });
        }
        self.leave_handlers(path);
        translated
    }

    /// How many jumps in a handler lead back to its beginning: none if it is no loop.
    fn back_edges(&self, cont: Continuation) -> usize {
        let info = &self.analysis.continuations[cont];
        let Some(handler) = info.handler.and_then(|handler| self.analysis.handler(handler)) else { return 0 };
        info.uses.iter().filter(|position| handler.range.contains(position)).count()
    }

    /// The code of a loop whose iterations all end in one block, the latch: at each jump back the back end polls for
    /// signals, which is code and a frame descriptor. A loop of few paths does without, because the latch is a jump
    /// more, and moves of its own, in each iteration.
    fn with_latch(&mut self, handler: &'a ContHandler, head: Label, result: Continuation) -> ExprId {
        let latch = self.give_label(handler.cont, &handler.params);
        let body = self.block(Run::of(&handler.body), result);
        self.targets[handler.cont] = Some(Target::Label { label: head, params: &handler.params });
        let params = self.bind_params(&self.passed(&handler.params));
        let args = params.iter().map(|(var, _)| self.expr(Atom::Var(*var))).collect();
        let iteration = self.tree.push(Expr::Exit { label: head, args });
        let handlers = vec![Handler { label: latch, params, body: iteration }];
        self.tree.push(Expr::Catch { recursive: false, handlers, body })
    }

    /// After handlers that are translated now, but executed after the code that is translated next. That code
    /// gets a path of its own: what it makes known does not hold after the handlers.
    fn leave_handlers(&mut self, path: crate::exn::Path) {
        self.paths.set(path);
        self.paths.branch();
    }

    fn terminator(
        &mut self,
        terminator: &'a Terminator,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> Next<'a> {
        match terminator {
            Terminator::Apply(apply) => self.apply(apply, result, frames),
            Terminator::ApplyCont(jump) => self.jump(jump, result),
            Terminator::Switch(switch) => self.switch(switch, result, frames),
            Terminator::StringSwitch(switch) => Next::Done(self.string_switch(switch, result)),
            Terminator::Raise { kind, exn, handler, dbg } => {
                self.raise_point(handler, frames);
                let atom = self.atom(*exn);
                let exn = self.expr(atom);
                Next::Done(self.tree.push(Expr::Raise { kind: *kind, exn, dbg: *dbg }))
            }
            Terminator::Try { body, handler } => Next::Done(self.try_(body, handler, result, frames)),
            Terminator::Unreachable => Next::Done(self.tree.push(Expr::Unreachable)),
        }
    }

    /// A jump.
    pub fn jump(&mut self, jump: &'a flambeau_ir::ApplyCont, result: Continuation) -> Next<'a> {
        let args = jump.args.iter().map(|arg| self.atom(*arg)).collect();
        let mut frames = Vec::new();
        let args = self.assign_kept(jump.cont, args, &mut frames);
        if jump.cont == result {
            self.paths.reach(result);
            let value = args.first().copied().unwrap_or_else(|| self.unit_value());
            let value = self.expr(value);
            return Next::Done(close(&mut self.tree, frames, value));
        }
        match self.target(jump.cont) {
            Target::Inline { params, run } => {
                for (param, arg) in params.iter().zip(args) {
                    self.env[*param] = Some(arg);
                }
                Next::Continue(run)
            }
            Target::Label { label, .. } => {
                self.paths.reach(jump.cont);
                let args = args.into_iter().map(|arg| self.expr(arg)).collect();
                let exit = self.tree.push(Expr::Exit { label, args });
                Next::Done(close(&mut self.tree, frames, exit))
            }
        }
    }

    /// A call. One that returns to the result context is the value itself: a tail call stays one.
    fn apply(&mut self, apply: &'a Apply, result: Continuation, frames: &mut Vec<Frame>) -> Next<'a> {
        self.raise_point(&apply.exn, frames);
        let call = self.call(apply, frames);
        let param = self.analysis.continuations[apply.ret].params.first();
        if let Some(param) = param.filter(|param| self.kept[**param].is_some()) {
            return Next::Done(self.assign_result(call, *param, apply.ret, result, frames));
        }
        if apply.ret == result {
            self.paths.reach(result);
            return Next::Done(call);
        }
        match self.target(apply.ret) {
            Target::Inline { run, .. } if run.is_unreachable() && self.takes_value(result) => {
                // The call never returns, and is no tail call, so that backtraces show it: something must follow, and
                // a constant is less code than a trap.
                frames.push(Frame::Seq { first: call });
                let unit = self.unit_value();
                Next::Done(self.expr(unit))
            }
            Target::Inline { params, run } => {
                frames.push(match params.first() {
                    Some(param) => Frame::Let { var: self.bind(*param), def: call },
                    None => Frame::Seq { first: call },
                });
                Next::Continue(run)
            }
            Target::Label { label, params } => {
                self.paths.reach(apply.ret);
                let args = match params.first() {
                    Some(param) => {
                        let unit = self.unit;
                        let var = self.fresh(&unit.variables[*param].name);
                        frames.push(Frame::Let { var, def: call });
                        vec![self.expr(Atom::Var(var))]
                    }
                    None => {
                        frames.push(Frame::Seq { first: call });
                        Vec::new()
                    }
                };
                Next::Done(self.tree.push(Expr::Exit { label, args }))
            }
        }
    }

    /// A call whose result is assigned to a mutable variable.
    fn assign_result(
        &mut self,
        call: ExprId,
        param: Variable,
        ret: Continuation,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> ExprId {
        let unit = self.unit;
        let var = self.fresh(&unit.variables[param].name);
        frames.push(Frame::Let { var, def: call });
        self.assign_kept(ret, vec![Atom::Var(var)], frames);
        self.paths.reach(ret);
        if ret == result {
            let unit = self.unit_value();
            return self.expr(unit);
        }
        match self.target(ret) {
            Target::Label { label, .. } => self.tree.push(Expr::Exit { label, args: Vec::new() }),
            Target::Inline { .. } => panic!("{ret} takes what several ways pass to it, in place"),
        }
    }

    fn target(&self, cont: Continuation) -> Target<'a> {
        self.targets[cont].unwrap_or_else(|| {
            panic!("{cont} ({}) is used out of its scope", self.unit.continuations[cont].name)
        })
    }
}

/// Whether a run with that terminator ends in a use of the continuation.
fn ends_in(terminator: &Terminator, cont: Continuation) -> bool {
    match terminator {
        Terminator::ApplyCont(jump) => jump.cont == cont,
        Terminator::Apply(apply) => apply.ret == cont,
        Terminator::Try { handler, .. } => handler.cont == cont,
        _ => false,
    }
}
