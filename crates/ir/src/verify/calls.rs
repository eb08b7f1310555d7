//! Calls.

use super::scope::Takes;
use super::{Verifier, cause};
use crate::printer::{FunctionId, Part};
use crate::{Apply, CallKind, CodeId, Continuation, Kind, Simple};

impl Verifier<'_> {
    pub(super) fn apply(&mut self, apply: &Apply) {
        if let Some(callee) = apply.callee {
            self.expect_kind(callee, Kind::Value, || cause!["the callee"]);
            self.own_closure(callee, &apply.kind);
        }
        match &apply.kind {
            CallKind::Direct(code) => self.direct_call(*code, apply),
            CallKind::DirectExternal(_) => {
                // Only the other unit knows the kinds.
                apply.args.iter().for_each(|&arg| {
                    self.use_simple(arg);
                });
                self.at_least(1, apply);
                self.result(apply.ret, None);
            }
            CallKind::Generic => self.unknown_call(1, apply),
            CallKind::MethodPublic | CallKind::MethodSelf => self.unknown_call(1, apply),
            // The object, the cache, the position in it.
            CallKind::MethodCached => self.unknown_call(3, apply),
        }
        self.exn(&apply.exn);
        if let Some(origin) = apply.origin
            && !self.unit.origins.is_valid(origin)
        {
            self.error(cause!["the origin ", origin.as_u32() as usize, " is not in the unit's table"]);
        }
    }

    /// A function is called with its own closure: it finds what it has captured by that closure's layout.
    fn own_closure(&mut self, callee: Simple, kind: &CallKind) {
        let unit = self.unit;
        let Simple::Symbol(symbol) = callee else { return };
        let Some(&own) = self.static_closures.get(&symbol) else { return };
        match kind {
            CallKind::Direct(code) if *code != own && self.codes[*code].uses_my_closure => {
                self.error(cause!["the code ", *code, " is called with the closure of ", own]);
            }
            CallKind::DirectExternal(name) if *name != unit.codes[own].linkage_name => {
                self.error(cause!["a function of another unit is called with the closure of ", own]);
            }
            _ => {}
        }
    }

    fn direct_call(&mut self, id: CodeId, apply: &Apply) {
        let unit = self.unit;
        let Some(code) = unit.codes.get(id) else {
            return self.error(cause!["the code ", id, " is not in the unit's table"]);
        };
        if let FunctionId::Code(caller) = self.function {
            self.calls.add(caller, id);
        }
        self.arguments(&apply.args, &code.params, || cause![" of the code ", id]);
        self.result(apply.ret, Some(code.result));
        if apply.callee.is_none() && self.codes[id].uses_my_closure {
            self.error(cause!["the code ", id, " uses its closure, and is called without one"]);
        }
    }

    /// A call by the generic convention: all are values.
    fn unknown_call(&mut self, arity: usize, apply: &Apply) {
        if apply.callee.is_none() {
            self.error(cause!["this sort of call needs a callee"]);
        }
        self.at_least(arity, apply);
        for (i, &arg) in apply.args.iter().enumerate() {
            self.expect_kind(arg, Kind::Value, || cause!["argument ", i + 1, " of the call"]);
        }
        self.result(apply.ret, Some(Kind::Value));
    }

    fn at_least(&mut self, arity: usize, apply: &Apply) {
        if apply.args.len() < arity {
            let cause = cause![apply.args.len(), " arguments in a sort of call which has at least ", arity];
            self.error(cause);
        }
    }

    /// The continuation that a call returns to; the kind of the result, if it is known.
    fn result(&mut self, cont: Continuation, result: Option<Kind>) {
        let Some(bound) = self.ordinary(cont) else { return };
        let mut taker = Part::Continuation(cont);
        let expected = match bound.takes {
            Takes::Params(&[param]) => {
                taker = param.into();
                self.unit.variables.get(param).map(|data| data.kind)
            }
            Takes::Params(params) => {
                let cause = cause!["a call gives one result, and ", cont, " takes ", params.len()];
                return self.error(cause);
            }
            Takes::Result(kind) => Some(kind),
            Takes::Exception => None,
        };
        if let (Some(expected), Some(result)) = (expected, result)
            && expected != result
        {
            let cause =
                cause!["the result is of kind ", result, ", and ", taker, " takes one of kind ", expected];
            self.error(cause);
        }
    }
}
