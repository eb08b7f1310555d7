//! Calls and closures, in the downward pass.

use std::borrow::Cow;
use std::rc::Rc;

use flambeau_ir::prim::{Classes, Mutability};
use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, Dbg, Expr, FunctionKind, FunctionSlot, Item, Kind, Prim, Rewrite,
    SetOfClosures, Simple, Symbol, Terminator, ValueSlot, Variable,
};
use flambeau_types::{Closure, Ty};
use smallvec::SmallVec;

use crate::continuations::ContState;
use crate::edges::Target;
use crate::run::{Next, Params};
use crate::specialise::LARGEST_SPECIALISED;
use crate::{Functions, Simplifier};

impl Simplifier<'_> {
    /// A call that ends a run.
    pub(crate) fn apply(&mut self, mut apply: Apply, out: &mut Vec<Item>) -> Next {
        apply.ret = self.target(apply.ret);
        apply.callee = apply.callee.map(|callee| self.env.canonical(callee));
        for arg in &mut apply.args {
            *arg = self.env.canonical(*arg);
        }
        self.know_types(&mut apply);
        let is_generic = apply.kind == CallKind::Generic;
        let more = self.resolve(&mut apply, out);
        if is_generic && apply.kind != CallKind::Generic {
            self.count(|removed| removed.indirect_calls += 1);
        }
        if let Some(more) = more {
            // More arguments than the function takes: its result is called with the others.
            let mut second = apply.clone();
            second.args = more;
            second.types.clear();
            apply.types.truncate(apply.args.len());
            let result = self.unit.new_value("function");
            let cont = self.unit.new_continuation("over");
            apply.ret = cont;
            second.callee = Some(result.into());
            second.kind = CallKind::Generic;
            self.finish_call(&mut apply);
            out.push(Item::Join {
                cont,
                params: SmallVec::from_slice(&[result]),
                body: Box::new(Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply)) }),
            });
            self.env.bind(result, Ty::Unknown);
            apply = second;
        }
        let replaced = self
            .dispatched(&apply)
            .or_else(|| self.partially_applied(&apply))
            .or_else(|| self.printed_to_string(&apply))
            .or_else(|| self.accumulated(&apply))
            .or_else(|| self.put(&apply));
        if let Some(rest) = replaced {
            return Next::Continue(rest);
        }
        if self.is_measuring() {
            return match self.measured_call(&apply, out) {
                Some(next) => next,
                None => self.called(apply, out),
            };
        }
        let known = self.with_known_functions(&apply);
        match self.inlined(&known) {
            Ok(rest) => return Next::Continue(rest),
            Err(refusal) => match self.specialised(&known) {
                Some(rest) => return Next::Continue(rest),
                None => match self.entered(&apply, &refusal) {
                    Some(rest) => return Next::Continue(rest),
                    None => self.log_refusal(&apply, refusal),
                },
            },
        }
        if let Some(version) = self.call_of_version(&apply) {
            apply = version;
        }
        self.pass_typed_functions(&mut apply);
        self.call_copy_for_types(&mut apply);
        self.called(apply, out)
    }

    /// A function is recursive, too, if what is inlined in it calls it.
    fn mark_if_recursive(&mut self, apply: &Apply) {
        if let CallKind::Direct(code) = apply.kind
            && self.function.current == Some(code)
            && !self.is_measuring()
        {
            self.unit.codes[code].recursive = true;
        }
    }

    /// A call that stays one.
    fn called(&mut self, mut apply: Apply, out: &mut Vec<Item>) -> Next {
        let (result, parts) = if self.is_measuring() {
            (Ty::Unknown, Rc::from([]))
        } else {
            (self.result_of(&mut apply, out), self.parts_of(&mut apply))
        };
        self.mark_if_cold(&mut apply);
        self.mark_if_recursive(&apply);
        self.finish_call(&mut apply);
        match self.called_last(&mut apply, out) {
            Some(next) => next,
            None => {
                self.note_left_by_call(parts);
                self.return_to(apply, result, out)
            }
        }
    }

    /// A direct call as it is for the callee's body if that is inlined, or copied for the call: with functions of this
    /// unit for those that behave as they do.
    fn with_known_functions<'c>(&mut self, apply: &'c Apply) -> Cow<'c, Apply> {
        let mut known = Cow::Borrowed(apply);
        if self.rewrites.stubs_only
            || !matches!(apply.kind, CallKind::Direct(_) | CallKind::DirectExternal(_))
        {
            return known;
        }
        for (index, arg) in apply.args.iter().enumerate() {
            if let Some(symbol) = self.known_function(*arg) {
                known.to_mut().args[index] = symbol.into();
            }
        }
        known
    }

    /// A static closure of this unit that behaves as an atom does.
    fn known_function(&mut self, simple: Simple) -> Option<Symbol> {
        match self.env.ty(simple) {
            Ty::Instance(symbol, _) if matches!(self.env.ty(symbol.into()), Ty::Closure(_)) => Some(symbol),
            Ty::Instance(..) => None,
            _ => self.copied_closure(simple).filter(|copy| self.is_called_for_less(*copy)),
        }
    }

    /// Whether a copy of a function is better than the function itself where that is passed: it may stay a value, and
    /// the whole of it with that.
    fn is_called_for_less(&self, copy: Symbol) -> bool {
        let Ty::Closure(known) = self.env.ty(copy.into()) else { return false };
        known.code().is_some_and(|code| {
            !self.unit.codes[code].attributes.is_functor
                && self.whole_size(code, LARGEST_SPECIALISED).is_some()
        })
    }

    /// Applies what a call does to what is known, and records its exceptional exit.
    fn finish_call(&mut self, apply: &mut Apply) {
        if let CallKind::Direct(code) = apply.kind
            && apply.callee.is_some()
            && !self.uses_closure(code)
        {
            apply.callee = None;
        }
        if let CallKind::Direct(code) = apply.kind {
            self.drop_ignored(code, &mut apply.args);
        }
        self.write(Classes::ALL);
        apply.exn = self.raise_point(apply.exn.clone());
    }

    /// The return of a call, with what is known of its result.
    fn return_to(&mut self, mut apply: Apply, result: Ty, out: &mut Vec<Item>) -> Next {
        match self.function.conts.get(&apply.ret) {
            Some(ContState::Pending(_)) => {
                let cont = apply.ret;
                let Some(ContState::Pending(handler)) = self.function.conts.remove(&cont) else {
                    return Next::End(Terminator::Apply(Box::new(apply)));
                };
                for param in &handler.params {
                    match result {
                        Ty::Instance(symbol, _) if self.function.in_instance => {
                            self.env.bind_alias(*param, symbol.into());
                        }
                        ref known => self.env.bind(*param, known.clone()),
                    }
                }
                let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply)) };
                out.push(Item::Join { cont, params: handler.params, body: Box::new(body) });
                return Next::Continue(handler.rest);
            }
            Some(ContState::Open(_)) => {
                let results = self.results_of(apply.ret);
                for var in &results {
                    self.env.bind(*var, result.clone());
                }
                let args = results.iter().map(|r| Simple::Var(*r)).collect();
                let jump = self.use_cont(flambeau_ir::ApplyCont { cont: apply.ret, args });
                apply.ret = jump.cont;
                if let Target::Edge(edge) = Target::of(jump.cont) {
                    self.function.edges[edge].results = results;
                }
            }
            // A continuation of the function's own.
            None | Some(ContState::Forward(_) | ContState::Jump(..)) => {}
        }
        Next::End(Terminator::Apply(Box::new(apply)))
    }

    /// Variables for what is passed to a continuation.
    pub(crate) fn results_of(&mut self, cont: Continuation) -> Params {
        let params = match self.function.conts.get(&cont) {
            Some(ContState::Open(open)) => open.params.clone(),
            Some(ContState::Pending(handler)) => handler.params.clone(),
            // A continuation of the function's own.
            Some(ContState::Forward(_) | ContState::Jump(..)) | None => {
                return SmallVec::from_slice(&[self.unit.new_value("result")]);
            }
        };
        params.iter().map(|param| self.unit.new_variable_like(*param)).collect()
    }

    /// Makes a call of a known function direct. Returns the arguments beyond those that it takes.
    fn resolve(&mut self, apply: &mut Apply, out: &mut Vec<Item>) -> Option<Vec<Simple>> {
        if apply.kind != CallKind::Generic {
            self.redirect_to_instance(apply);
            return None;
        }
        if let Some(instance) = self.called_instance(apply.callee?) {
            apply.callee = Some(instance.into());
        }
        let known = match self.env.ty(apply.callee?) {
            Ty::Instance(_, object) => Ty::clone(&object),
            Ty::OneOf(choice) => self.chosen(apply.callee?, &choice)?,
            known => known,
        };
        let known = match known {
            Ty::Closure(known) => known,
            Ty::Elsewhere(callee) => return self.resolve_object(apply, &callee),
            _ => return self.resolve_elsewhere(apply),
        };
        let code = known.code()?;
        let data = &self.unit.codes[code];
        let arity = data.params.len();
        match data.kind {
            FunctionKind::Tupled => {
                let [tuple] = apply.args[..] else { return None };
                if self.allow(Rewrite::TupledCall) {
                    apply.args = self.fields_of_tuple(tuple, arity, apply.dbg, out);
                    apply.types.clear();
                    apply.kind = CallKind::Direct(code);
                }
                None
            }
            FunctionKind::Curried => {
                let complete = apply.args.len() >= arity && data.takes_values(&self.unit.variables, arity);
                if !complete || !self.allow(Rewrite::DirectCall) {
                    return None;
                }
                apply.kind = CallKind::Direct(code);
                (apply.args.len() > arity).then(|| apply.args.split_off(arity))
            }
        }
    }

    /// Redirects a direct call through a closure that has a specialised instance, now that this is known, to the
    /// instance.
    fn redirect_to_instance(&mut self, apply: &mut Apply) {
        if !matches!(apply.kind, CallKind::Direct(_) | CallKind::DirectExternal(_)) {
            return;
        }
        let Some(callee) = apply.callee else { return };
        let instance = match callee {
            // Where the body of a functor is evaluated, closures of modules are already the copies'.
            Simple::Symbol(symbol) if self.runs_another_code(symbol, &apply.kind) => symbol,
            _ => match self.called_instance(callee) {
                Some(instance) => instance,
                None => return,
            },
        };
        let Ty::Closure(known) = self.env.ty(instance.into()) else { return };
        apply.callee = Some(instance.into());
        apply.kind = match known.code() {
            Some(code) if self.unit.codes[code].takes_values(&self.unit.variables, apply.args.len()) => {
                CallKind::Direct(code)
            }
            _ => CallKind::Generic,
        };
    }

    /// Whether the closure of a direct call is one of this unit that runs another code than the called one, whose
    /// layout it does not have.
    fn runs_another_code(&self, closure: Symbol, called: &CallKind) -> bool {
        let Ty::Closure(known) = self.env.ty(closure.into()) else { return false };
        known.code().is_some_and(|code| match called {
            CallKind::Direct(called) => code != *called,
            CallKind::DirectExternal(name) => self.unit.codes[code].linkage_name != *name,
            _ => false,
        })
    }

    /// The fields of a tuple, read as a generic call does (`caml_tuplify`).
    fn fields_of_tuple(&mut self, tuple: Simple, arity: usize, dbg: Dbg, out: &mut Vec<Item>) -> Vec<Simple> {
        (0..arity as u32)
            .map(|field| {
                let var = self.unit.new_value("field");
                let load = Prim::BlockLoad { field, mutability: Mutability::Unknown };
                self.primitive(var, load, SmallVec::from_slice(&[tuple]), None, dbg, out);
                self.env.canonical(var.into())
            })
            .collect()
    }

    /// Whether the body of a code mentions its closure, as far as is known now.
    pub(crate) fn uses_closure(&mut self, code: CodeId) -> bool {
        if let Some(known) = self.global.uses_closure.get(&code) {
            return *known;
        }
        // What names a static closure is its symbol.
        if self.global.code_symbols.contains_key(&code) {
            return false;
        }
        // A body that is being simplified has been taken away.
        if self.global.done.contains(&code) {
            return true;
        }
        let uses = self.scan_closure(code);
        self.global.uses_closure.insert(code, uses);
        uses
    }

    /// Passes nothing for parameters that the function does not use.
    fn drop_ignored(&mut self, code: CodeId, args: &mut [Simple]) {
        let Some(ignored) = self.global.ignored.get(&code).cloned() else { return };
        for index in ignored {
            let is_computed = !matches!(args[index], Simple::Const(_));
            if is_computed
                && self.unit.kind_of(args[index]) == Kind::Value
                && self.allow(Rewrite::UnusedArgument)
            {
                args[index] = Simple::UNIT;
            }
        }
    }

    /// The parameters that the body of a code does not mention.
    pub(crate) fn scan_params(&self, code: CodeId) -> SmallVec<[usize; 2]> {
        let data = &self.unit.codes[code];
        let mut ignored: SmallVec<[usize; 2]> = (0..data.params.len()).collect();
        data.body.for_each_simple_deep(&mut |simple| {
            if let Simple::Var(var) = simple {
                ignored.retain(|index| data.params[*index] != var);
            }
        });
        ignored
    }

    /// Looks for the closure in the body of a code.
    pub(crate) fn scan_closure(&self, code: CodeId) -> bool {
        let data = &self.unit.codes[code];
        let mut found = false;
        data.body.for_each_simple_deep(&mut |simple| found |= simple == Simple::Var(data.my_closure));
        found
    }

    /// Binds a set of closures.
    pub(crate) fn closures(
        &mut self,
        vars: SmallVec<[Variable; 1]>,
        mut set: SetOfClosures,
        dbg: Dbg,
        out: &mut Vec<Item>,
    ) {
        for (_, value) in &mut set.values {
            *value = self.env.canonical(*value);
        }
        let captured: Vec<(ValueSlot, Ty)> =
            set.values.iter().map(|(slot, value)| (*slot, self.env.export(*value, 0))).collect();
        let codes: SmallVec<[CodeId; 1]> = set.functions.iter().map(|(_, code)| *code).collect();
        let closed = set.values.iter().all(|(_, value)| value.as_var().is_none());
        if self.is_measuring() {
            self.measure_set(&set);
        } else if closed && self.allow(Rewrite::StaticClosures) {
            let symbols = self.static_closures(set);
            for (var, symbol) in vars.iter().zip(&symbols) {
                self.env.bind_alias(*var, (*symbol).into());
            }
            let mut codes: SmallVec<[(CodeId, Symbol); 1]> = codes.into_iter().zip(symbols).collect();
            codes.sort_by_key(|(code, _)| self.global.groups.place(*code));
            for (code, symbol) in codes {
                if self.function.in_instance {
                    // When it is called, if ever.
                    self.global.static_codes.insert(code, (symbol, captured.clone()));
                } else {
                    self.code(code, &captured, Some(symbol));
                }
            }
            return;
        } else {
            let mut codes = codes;
            codes.sort_by_key(|code| self.global.groups.place(*code));
            codes.into_iter().for_each(|code| self.code(code, &captured, None));
        }
        for (var, closure) in vars.iter().zip(closure_types(&set)) {
            self.env.bind(*var, closure);
        }
        out.push(Item::LetClosures { vars, set, dbg });
    }
}

/// What is known of the closures of a set.
pub(crate) fn closure_types(set: &SetOfClosures) -> impl Iterator<Item = Ty> + use<> {
    let functions = Functions::from(&set.functions[..]);
    let values: SmallVec<[(ValueSlot, Ty); 2]> =
        set.values.iter().map(|(slot, value)| (*slot, Ty::Is(*value))).collect();
    let slots: SmallVec<[FunctionSlot; 1]> = set.functions.iter().map(|(slot, _)| *slot).collect();
    slots.into_iter().map(move |slot| {
        Ty::Closure(Rc::new(Closure { slot, functions: Rc::clone(&functions), values: values.clone() }))
    })
}
