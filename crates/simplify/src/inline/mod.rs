//! Inlining at calls of functions that are known: [`decide`] and [`policy`] say what is inlined, [`measure`] what it
//! would cost, [`search`] with which calls inlined inside.
//!
//! The body of a callee has been simplified before its callers are: a copy of it replaces the call, and is simplified
//! once more there, with what is known of the arguments.

pub mod budgets;
mod decide;
mod descent;
mod groups;
mod guard;
mod log;
pub mod measure;
mod originals;
mod policy;
pub mod refused;
mod search;
pub mod warnings;
mod work;

pub use decide::BELOW;
pub(crate) use descent::{Descent, descends_and_is_small};
pub(crate) use groups::Groups;

use std::rc::Rc;

use flambeau_ir::copy::Copier;
use flambeau_ir::decision::Reason;
use flambeau_ir::inlining::LARGEST;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, ArgType, CallKind, CodeId, Expr, Item, Named, Prim, Rewrite, Simple, Terminator, Variable,
};

use crate::Simplifier;
use crate::analysis::Analysis;
use crate::continuations::ContState;
use crate::run::Rest;
use crate::size;
use crate::specialise::types::{at_types, lambdas_at};

/// Why a call is not inlined.
#[derive(Default)]
pub(crate) struct Refusal {
    /// The function, if it is known.
    code: Option<CodeId>,
    /// `None` if there is nothing to report.
    reason: Option<Reason>,
}

impl Refusal {
    fn of_call(reason: Reason) -> Refusal {
        Refusal { code: None, reason: Some(reason) }
    }
}

impl Simplifier<'_> {
    /// Replaces a direct call by the body of its callee, if it is to be inlined: returns what the run continues with.
    pub(crate) fn inlined(&mut self, apply: &Apply) -> Result<Rest, Refusal> {
        if let Some(current) = self.function.current {
            let attributes = &self.unit.codes[current].attributes;
            // Nothing is inlined inside a stub (features A7); its callees may want to inline it.
            if attributes.stub {
                return Err(Refusal::of_call(Reason::InStub));
            }
            if attributes.no_poll {
                return Err(Refusal::of_call(Reason::InNoPoll));
            }
        }
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) => {
                self.imported(name, apply).ok_or(Refusal::of_call(Reason::NoBody))?
            }
            CallKind::Generic => {
                let elsewhere = apply.callee.is_some_and(|callee| self.is_of_other_unit(callee));
                let reason = if elsewhere { Reason::NoBody } else { Reason::UnknownFunction };
                return Err(Refusal::of_call(reason));
            }
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => {
                return Err(Refusal::default());
            }
        };
        self.simplify_callee(code);
        let refusal = |reason| Refusal { code: Some(code), reason: Some(reason) };
        if self.makes_sole_set(code) {
            return Err(Refusal::default());
        }
        self.begin_call(apply);
        let (code, growth, reason) = self.decide_or_original(apply, code).map_err(refusal)?;
        if !self.allow(Rewrite::Inlining) {
            return Err(Refusal::default());
        }
        if reason == Reason::SingleUse {
            self.global.uses.take(code);
        }
        if reason == Reason::Functor && !self.function.in_instance {
            self.global.functors.take(code, true);
        }
        self.log(apply, Some(code), reason);
        let body = self.copy_body(apply, code).ok_or_else(Refusal::default)?;
        self.function.budget = self.function.budget.saturating_sub(growth.function);
        if apply.depth > 0 {
            self.function.below = self.function.below.saturating_sub(growth.function);
        }
        let left = &mut self.global.budgets.inlining;
        *left = left.saturating_sub(growth.unit);
        if let Some(left) = &mut self.rewrites.multiplied {
            *left = left.saturating_sub(growth.multiplied);
        }
        self.body_in_place(apply, body).ok_or_else(Refusal::default)
    }

    /// Whether a value is one, or a field of one, that another unit defines, and of which nothing more is known.
    fn is_of_other_unit(&self, value: Simple) -> bool {
        match self.env.canonical(value) {
            Simple::Symbol(symbol) => !self.unit.symbols[symbol].is_local,
            value => self.env.definition(value).is_some_and(|definition| {
                matches!(definition.prim, Prim::BlockLoad { .. }) && self.is_of_other_unit(definition.args[0])
            }),
        }
    }

    /// Whether a function allocates closures that are not to be copied.
    pub(crate) fn makes_sole_set(&self, code: CodeId) -> bool {
        let mut codes = if self.global.has_sole_sets { vec![code] } else { vec![] };
        let mut makes = false;
        while let Some(code) = codes.pop() {
            // What is not at hand yet is left to later rounds.
            let Some(body) = self.body(code) else { return true };
            body.for_each_set(&mut |set| {
                makes |= set.functions.iter().any(|(_, code)| self.unit.codes[*code].attributes.sole);
                codes.extend(set.functions.iter().map(|(_, code)| *code));
            });
        }
        makes
    }

    /// What the run continues with when a body replaces a call.
    pub(crate) fn body_in_place(&mut self, apply: &Apply, body: Expr) -> Option<Rest> {
        let analysis = Analysis::of(&body, &self.env, self.rewrites.keep_backtraces);
        let returns = analysis.outward_uses(apply.ret);
        if self.function.current.is_some() {
            self.note_cold(&body, None);
        }
        Rc::make_mut(&mut self.function.analysis).absorb(analysis, &apply.args);
        if !matches!(self.function.conts.get(&apply.ret), Some(ContState::Pending(_)))
            || returns.count == 1 && !returns.crosses_region
        {
            return Some(Rest::from(body));
        }
        let Some(ContState::Pending(handler)) = self.function.conts.remove(&apply.ret) else { return None };
        // The continuation that the call returns to is used several times now, or never.
        Rc::make_mut(&mut self.function.analysis).note_open(apply.ret);
        let join = Item::Join { cont: apply.ret, params: handler.params, body: Box::new(body) };
        let items: Vec<Item> = std::iter::once(join).chain(handler.rest.items).collect();
        Some(Rest { items: items.into_iter(), terminator: handler.rest.terminator })
    }

    /// Simplifies a callee that has not been yet, if that does not require the point where its set is bound, so that
    /// what is inlined is as small as can be.
    pub(crate) fn simplify_callee(&mut self, code: CodeId) {
        if self.global.done.contains(&code) || self.waits_for_group(code) {
            return;
        }
        if let Some((symbol, values)) = self.global.static_codes.get(&code).cloned() {
            flambeau_ir::stack::deep(|| self.code(code, &values, Some(symbol)));
        } else if self.global.sets.is_closed(code)
            || self.global.uses.is_asked_for(self.unit.codes[code].function_slot)
        {
            flambeau_ir::stack::deep(|| self.code(code, &[], None));
        }
    }

    /// The size of a simplified body, with the functions whose closures it allocates; `None` if it is more than any
    /// policy inlines.
    fn size(&mut self, code: CodeId) -> Option<u32> {
        if let Some(size) = self.global.sizes.get(&code) {
            return *size;
        }
        let size = self.whole_size(code, LARGEST);
        self.global.sizes.insert(code, size);
        size
    }

    /// The body of a code as policies measure it: for policy *benefit* as it was before anything was inlined in it in
    /// this run, so that what is inlined there does not prevent inlining the whole function.
    fn declared_body(&self, code: CodeId) -> Option<&Expr> {
        self.global.declared.get(&code).or_else(|| self.body(code))
    }

    /// The size of the body as policies measure it, with those of the functions whose closures it allocates; `None` if
    /// it is more than any policy inlines.
    fn declared_size(&mut self, code: CodeId) -> Option<u32> {
        if let Some(size) = self.global.declared_sizes.get(&code) {
            return *size;
        }
        let size = size::whole_of(|code| self.declared_body(code), code, LARGEST);
        self.global.declared_sizes.insert(code, size);
        size
    }

    /// Whether the backtrace of an exception that is caught in the body ends there: not with the callers.
    pub(crate) fn ends_backtraces(&mut self, code: CodeId) -> bool {
        let unit = &*self.unit;
        self.rewrites.keep_backtraces
            && *self.global.catches.entry(code).or_insert_with(|| {
                let mut catches = false;
                unit.codes[code]
                    .body
                    .walk(&mut |expr| catches |= matches!(expr.terminator, Terminator::Try { .. }));
                catches
            })
    }

    /// A copy of the body with the arguments, the return continuation and the exception handler of the call. The
    /// functions whose closures it allocates are copied with it, to be simplified there.
    pub(crate) fn copy_body(&mut self, apply: &Apply, code: CodeId) -> Option<Expr> {
        let typed = if apply.types.is_empty() { Vec::new() } else { self.typed_params(apply, code) };
        let unit = &mut *self.unit;
        let data = &unit.codes[code];
        let mut copier = Copier::with_sets(
            &mut unit.variables,
            &mut unit.continuations,
            &unit.codes,
            &mut unit.function_slots,
            &mut unit.value_slots,
        );
        copier.substitute_variables(&data.params, &apply.args);
        if !typed.is_empty() {
            copier.keep_shapes();
        }
        let known: Vec<(Variable, Simple, ArgType)> = typed
            .into_iter()
            .map(|(index, ty)| (copier.bind_variable(data.params[index]), apply.args[index], ty))
            .collect();
        if let Some(callee) = apply.callee {
            copier.substitute_variable(data.my_closure, callee);
        }
        copier.substitute_continuation(data.ret, apply.ret);
        copier.substitute_exn(data.exn, apply.exn.clone());
        copier.inline_locations(&mut unit.locs, apply.dbg);
        // Stubs do not count (flambda2-digest, "Inlining"), but those that may come back to themselves.
        let stub = data.attributes.stub;
        copier.deepen(apply.depth.saturating_add(u8::from(!stub || data.recursive)));
        let mut body = copier.expr(&data.body);
        let recursive = data.recursive;
        let mut copies = copier.finish().ok()?;
        if recursive {
            let bodies = copies.iter_mut().map(|copy| &mut copy.body);
            self.limit_unrolling(bodies.chain([&mut body]), apply, code);
        }
        if recursive && let CallKind::DirectExternal(name) = &apply.kind {
            // The function itself stays where it is.
            let bodies = copies.iter_mut().map(|copy| &mut copy.body).chain([&mut body]);
            bodies.for_each(|body| call_elsewhere(body, code, name));
        }
        copies.into_iter().for_each(|copy| {
            self.unit.codes.push(copy);
        });
        if !known.is_empty() {
            let types = known.iter().map(|(param, _, ty)| (*param, ty.clone()));
            at_types(self.unit, &mut body, types);
            let lambdas = lambdas_at(self.unit, &self.env, code, &apply.types);
            self.pass_typed_lambdas(apply, lambdas, &mut body);
            let params = known.into_iter().map(|(var, arg, _)| Item::Let {
                var,
                named: Named::Simple(arg),
                dbg: apply.dbg,
            });
            body.items.splice(0..0, params);
        }
        self.note_sets(&body);
        Some(body)
    }

    /// The calls of the group in a body that was unrolled are unrolled once less (manual 21.6); those of a recursive
    /// function that was inlined just so are not touched. In a stub only the calls of stubs are: one that calls itself
    /// would be inlined for ever (soundness row 42). `bodies`: the copy's, and those of the functions whose closures it
    /// allocates.
    fn limit_unrolling<'b>(&self, bodies: impl Iterator<Item = &'b mut Expr>, apply: &Apply, code: CodeId) {
        let is_stub = |code: CodeId| self.unit.codes[code].attributes.stub;
        let in_stub = is_stub(code);
        let by_default = self.unit.codes[code].attributes.inline == InlineAttribute::Default;
        let arguments = self.arguments_of(apply);
        let left = match apply.inlined {
            InlineAttribute::Unroll(n) => n.saturating_sub(1),
            // What is known of the arguments, and the depth, is the limit.
            InlineAttribute::Default if by_default && !in_stub && !arguments.unrolls() => return,
            InlineAttribute::Default if by_default => arguments.max_unroll.saturating_sub(1),
            _ => 0,
        };
        let group = self.global.sets.functions(code).cloned().unwrap_or_default();
        let mut limit = |expr: &mut Expr| {
            if let Terminator::Apply(call) = &mut expr.terminator
                && let CallKind::Direct(to) = call.kind
                // Codes that were copied with the body are in no table yet, nor in the group.
                && (to == code || group.iter().any(|(_, code)| *code == to))
                && (!in_stub || is_stub(to))
            {
                call.inlined = InlineAttribute::Unroll(left);
            }
        };
        bodies.for_each(|body| body.walk_mut(&mut limit));
    }
}

/// Redirects calls of a code to the function of that name of another unit.
pub(crate) fn call_elsewhere(body: &mut Expr, code: CodeId, name: &str) {
    body.walk_mut(&mut |expr| {
        if let Terminator::Apply(apply) = &mut expr.terminator
            && apply.kind == CallKind::Direct(code)
        {
            apply.kind = CallKind::DirectExternal(name.to_owned());
        }
    });
}
