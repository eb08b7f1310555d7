//! Runs, continuations, terminators other than calls.

use super::scope::{Bound, Takes};
use super::{Verifier, cause};
use crate::printer::{Part, Place};
use crate::stack::deep;
use crate::{
    ApplyCont, ContHandler, Continuation, ExnCont, Expr, Item, Kind, Named, Simple, Terminator, Variable,
};

impl<'u> Verifier<'u> {
    /// The body of a function.
    pub(super) fn body(
        &mut self,
        body: &'u Expr,
        ret: Continuation,
        result: Kind,
        exn: Continuation,
        bind_params: impl FnOnce(&mut Self),
    ) {
        self.place = Place::Head;
        (self.handler, self.function_exn) = (exn, exn);
        let mark = self.scope.mark();
        if self.is_exn(ret) {
            self.error(cause!["the return continuation ", ret, " is an exception continuation"]);
        }
        if !self.is_exn(exn) {
            self.error(cause!["the function's exception continuation ", exn, " is an ordinary one"]);
        }
        self.bind_continuation(ret, Takes::Result(result));
        self.enter_continuation(ret);
        self.bind_continuation(exn, Takes::Exception);
        self.enter_continuation(exn);
        bind_params(self);
        self.expr(body);
        self.scope.leave(mark);
    }

    fn expr(&mut self, expr: &'u Expr) {
        deep(|| {
            let mark = self.scope.mark();
            for item in &expr.items {
                self.place = Place::Item(item);
                self.item(item);
            }
            self.place = Place::Terminator(&expr.terminator);
            self.terminator(&expr.terminator);
            self.scope.leave(mark);
        });
    }

    fn item(&mut self, item: &'u Item) {
        match item {
            Item::Let { var, named, .. } => {
                let kind = match named {
                    Named::Simple(simple) => self.use_simple(*simple),
                    Named::Prim { prim, args, exn } => Some(self.prim(prim, args, exn.as_deref())),
                };
                self.bind_variable(*var);
                if let (Some(data), Some(kind)) = (self.unit.variables.get(*var), kind)
                    && data.kind != kind
                {
                    let cause = cause![
                        "the variable ",
                        *var,
                        " is of kind ",
                        data.kind,
                        " and is given one of ",
                        kind
                    ];
                    self.error(cause);
                }
            }
            Item::LetClosures { vars, set, .. } => {
                self.captured_values(set);
                for &var in vars {
                    self.bind_variable(var);
                    self.expect_kind(var.into(), Kind::Value, || cause!["the closure"]);
                }
            }
            Item::Join { cont, params, body } => {
                self.bind_handler(*cont, params);
                let mark = self.scope.mark();
                self.enter_continuation(*cont);
                self.expr(body);
                self.scope.leave(mark);
                self.place = Place::Item(item);
                params.iter().for_each(|&param| self.bind_variable(param));
            }
            Item::LetCont { recursive, handlers } => self.let_cont(item, *recursive, handlers),
        }
    }

    fn let_cont(&mut self, item: &'u Item, recursive: bool, handlers: &'u [ContHandler]) {
        if handlers.is_empty() {
            self.error(cause!["a group of continuations is not empty"]);
        }
        for handler in handlers {
            self.bind_handler(handler.cont, &handler.params);
            if recursive && self.is_exn(handler.cont) {
                self.error(cause!["the exception continuation ", handler.cont, " is recursive"]);
            }
        }
        let enter_all = |verifier: &mut Self| {
            handlers.iter().for_each(|handler| verifier.enter_continuation(handler.cont));
        };
        if recursive {
            enter_all(self);
        }
        for handler in handlers {
            self.place = Place::Item(item);
            let mark = self.scope.mark();
            handler.params.iter().for_each(|&param| self.bind_variable(param));
            self.expr(&handler.body);
            self.scope.leave(mark);
        }
        if !recursive {
            enter_all(self);
        }
    }

    /// Binds a continuation that has a handler.
    fn bind_handler(&mut self, cont: Continuation, params: &'u [Variable]) {
        self.bind_continuation(cont, Takes::Params(params));
        if self.is_exn(cont) {
            match params.first().map(|&first| (first, self.unit.variables.get(first))) {
                None => self.error(cause!["the exception continuation ", cont, " has no parameter"]),
                Some((first, Some(data))) if data.kind != Kind::Value => {
                    self.error(cause!["the exception ", first, " is of kind ", data.kind]);
                }
                Some(_) => {}
            }
        }
    }

    fn terminator(&mut self, terminator: &'u Terminator) {
        match terminator {
            Terminator::Apply(apply) => self.apply(apply),
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::Switch(switch) => {
                self.expect_kind(switch.scrutinee, Kind::NakedImmediate, || cause!["the scrutinee"]);
                self.increasing(&switch.arms, switch.default.is_some(), |value| value.to_string());
                if switch.cases.is_some() && switch.default.is_none() {
                    self.error(cause!["a number of cases stands beside a default"]);
                }
                switch.for_each_jump(&mut |jump| self.jump(jump));
            }
            Terminator::StringSwitch(switch) => {
                self.expect_kind(switch.scrutinee, Kind::Value, || cause!["the scrutinee"]);
                let text = |value: &Vec<u8>| format!("\"{}\"", value.escape_ascii());
                self.increasing(&switch.arms, switch.default.is_some(), text);
                switch.for_each_jump(&mut |jump| self.jump(jump));
            }
            Terminator::Raise { exn, handler, .. } => {
                self.expect_kind(*exn, Kind::Value, || cause!["the exception"]);
                self.exn(handler);
            }
            Terminator::Try { body, handler } => self.try_body(body, handler),
            Terminator::Unreachable => {}
        }
    }

    fn increasing<V: Ord>(
        &mut self,
        arms: &[(V, ApplyCont)],
        has_default: bool,
        text: impl Fn(&V) -> String,
    ) {
        if arms.is_empty() && !has_default {
            self.error(cause!["a switch has an arm or a default"]);
        }
        if let Some(pair) = arms.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            let (first, second) = (text(&pair[0].0), text(&pair[1].0));
            self.error(cause!["the arms are not strictly increasing: ", first, " comes before ", second]);
        }
    }

    fn try_body(&mut self, body: &'u Expr, handler: &ExnCont) {
        let cont = handler.cont;
        let bound = self.use_continuation(cont);
        if !self.is_exn(cont) {
            self.error(cause!["the handler ", cont, " is an ordinary continuation"]);
        } else if let Some(bound) = bound {
            match bound.takes {
                Takes::Params(_) => {
                    self.extra_arguments(handler, bound);
                    if bound.under != self.handler {
                        let cause = cause!["the handler ", cont, " is bound outside of an enclosing `try`"];
                        self.error(cause);
                    }
                }
                Takes::Result(_) | Takes::Exception => {
                    self.error(cause!["the handler ", cont, " is the function's own exception continuation"]);
                }
            }
        }
        if self.mark_as_handler(cont) {
            self.error(cause!["the exception continuation ", cont, " is the handler of a second `try`"]);
        }
        let outer = std::mem::replace(&mut self.handler, cont);
        self.expr(body);
        self.handler = outer;
    }

    /// A jump.
    fn jump(&mut self, jump: &ApplyCont) {
        let ApplyCont { cont, args } = jump;
        let bound = self.ordinary(*cont);
        match bound.map(|bound| bound.takes) {
            Some(Takes::Params(params)) => self.arguments(args, params, || cause![" of ", *cont]),
            Some(Takes::Result(kind)) => {
                self.arguments_of_kinds(args, &[kind], || cause![" of the return continuation ", *cont]);
            }
            Some(Takes::Exception) | None => args.iter().for_each(|&arg| {
                self.use_simple(arg);
            }),
        }
    }

    /// An ordinary continuation in scope.
    pub(super) fn ordinary(&mut self, cont: Continuation) -> Option<Bound<'u>> {
        let bound = self.use_continuation(cont);
        if self.is_exn(cont) {
            self.error(cause!["the exception continuation ", cont, " is used as an ordinary one"]);
            return None;
        }
        bound
    }

    /// The exception continuation of a call, a raise or a primitive.
    pub(super) fn exn(&mut self, exn: &ExnCont) {
        let cont = exn.cont;
        let bound = self.use_continuation(cont);
        if !self.is_exn(cont) {
            self.error(cause!["the ordinary continuation ", cont, " is used for exceptions"]);
        } else if cont != self.handler {
            let mut cause = cause!["exceptions go to ", cont, ", but the innermost handler is "];
            cause.extend(if self.handler == self.function_exn {
                cause!["the function's own"]
            } else {
                cause![self.handler]
            });
            self.error(cause);
        } else if let Some(bound) = bound {
            return self.extra_arguments(exn, bound);
        }
        exn.extra_args.iter().for_each(|&arg| {
            self.use_simple(arg);
        });
    }

    fn extra_arguments(&mut self, exn: &ExnCont, bound: Bound<'u>) {
        let params = match bound.takes {
            Takes::Params(params) => params.get(1..).unwrap_or_default(),
            Takes::Result(_) | Takes::Exception => &[],
        };
        self.arguments(&exn.extra_args, params, || cause![" beside the exception of ", exn.cont]);
    }

    /// Arguments against the parameters that take them. `of` says whose parameters.
    pub(super) fn arguments(&mut self, args: &[Simple], params: &[Variable], of: impl Fn() -> Vec<Part>) {
        let kind = |param: &Variable| self.unit.variables.get(*param).map_or(Kind::Value, |data| data.kind);
        let kinds: smallvec::SmallVec<[Kind; 4]> = params.iter().map(kind).collect();
        self.arguments_of_kinds(args, &kinds, of);
    }

    /// Arguments against the kinds that they must be of.
    pub(super) fn arguments_of_kinds(&mut self, args: &[Simple], kinds: &[Kind], of: impl Fn() -> Vec<Part>) {
        if args.len() != kinds.len() {
            let counts =
                cause![Part::count(args.len(), "argument"), " for ", Part::count(kinds.len(), "parameter")];
            self.error([counts, of()].concat());
        }
        for (i, &arg) in args.iter().enumerate() {
            match kinds.get(i) {
                Some(&kind) => {
                    self.expect_kind(arg, kind, || [cause!["argument ", i + 1], of()].concat());
                }
                None => {
                    self.use_simple(arg);
                }
            }
        }
    }
}
