//! The versions of a loop.

use std::rc::Rc;

use flambeau_ir::copy::Copier;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    CallKind, ContHandler, Continuation, Expr, Item, Rewrite, Simple, Subkind, Terminator, Variable,
};
use flambeau_types::Ty;
use smallvec::{SmallVec, smallvec};

use super::consumers::{CalledParam, LARGEST_LOOP, is_called};
use super::{Pattern, PatternArg};
use crate::analysis::Analysis;
use crate::run::{Params, Rest};
use crate::{Simplifier, size};

/// No more versions than these of a loop or a function.
pub(super) const VERSIONS: usize = 4;

/// A version of a loop.
struct Version {
    patterns: SmallVec<[Pattern; 1]>,
    cont: Continuation,
}

impl Simplifier<'_> {
    /// Makes the versions of a loop that its uses ask for, which then go to these: the ones that are known, and those
    /// that are found in the versions. `enter` sets the scene for the handler.
    pub(crate) fn versions(&mut self, handler: &ContHandler, enter: &dyn Fn(&mut Self)) -> Vec<ContHandler> {
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
            let version =
                u.passed.as_ref().and_then(|passed| versions.iter().find(|v| passed.is(&v.patterns)));
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
        if size > self.function.budget || size > self.global.budgets.inlining {
            return false;
        }
        self.function.budget -= size;
        self.global.budgets.inlining -= size;
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
                if is_called(&called, index) {
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
            params[copied.len()..].iter().for_each(|part| this.env.bind(*part, Ty::Unknown));
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
    pub(super) fn closure_of(
        &mut self,
        pattern: &Pattern,
        var: Variable,
        params: &mut Params,
        head: &mut Vec<Item>,
    ) {
        let data = &self.unit.codes[pattern.first];
        let (mut call, own, result, dbg) =
            ((*pattern.call).clone(), data.params.clone(), data.result, data.dbg);
        let own: SmallVec<[Variable; 4]> =
            own.iter().map(|param| self.unit.new_variable_like(*param)).collect();
        for (arg, described) in call.callee.iter_mut().chain(&mut call.args).zip(&pattern.args) {
            *arg = match described {
                PatternArg::Unused => Simple::UNIT,
                PatternArg::Own(index) => own[*index].into(),
                PatternArg::Known(simple) => *simple,
                PatternArg::Captured(kind) => {
                    let name = self.unit.variables[var].name.clone();
                    let part = self.unit.new_variable(name, *kind, Subkind::Any);
                    params.push(part);
                    part.into()
                }
                PatternArg::Closure(inner) => {
                    let inside = self.unit.new_variable_like(var);
                    self.closure_of(inner, inside, params, head);
                    inside.into()
                }
            };
        }
        let name = match &call.kind {
            CallKind::Direct(code) => self.unit.codes[*code].linkage_name.clone(),
            CallKind::DirectExternal(name) => name.clone(),
            _ => String::new(),
        };
        let set = self.called_later(["partial", &name], &call, own, result);
        // It is recursive, through the closures that it makes: nothing else would inline it.
        for (_, code) in &set.functions {
            if let Terminator::Apply(call) = &mut self.unit.codes[*code].body.terminator {
                call.inlined = InlineAttribute::Awaited;
            }
        }
        self.global.sets.note(&set, self.function.current);
        head.push(Item::LetClosures { vars: smallvec![var], set, dbg });
    }
}
