//! Versions of recursive functions, as of loops: what consumes a sequence may call itself other than in tail position.
//! A version is a function that takes what the closures have captured in place of them.

use flambeau_ir::inlining::LARGEST;
use flambeau_ir::unit::MOST_PARAMETERS;
use flambeau_ir::{Apply, CallKind, CodeId, Item, Rewrite};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::consumers::{self, CalledParam, is_called};
use super::{Pattern, versions::VERSIONS};
use crate::Simplifier;
use crate::run::Params;

/// The versions of the unit's functions.
#[derive(Default)]
pub struct FunctionVersions {
    /// The parameters of functions that they only call, and pass on as such.
    called: FxHashMap<CodeId, SmallVec<[CalledParam; 1]>>,
    /// By the functions.
    versions: FxHashMap<CodeId, Vec<FunctionVersion>>,
}

struct FunctionVersion {
    patterns: SmallVec<[Pattern; 1]>,
    code: CodeId,
}

impl FunctionVersions {
    /// Whether a function is a version of another one.
    pub fn contains(&self, code: CodeId) -> bool {
        self.versions.values().flatten().any(|version| version.code == code)
    }
}

impl Simplifier<'_> {
    /// The call of a version, in place of one of a function that consumes what is of known patterns.
    pub(crate) fn call_of_version(&mut self, apply: &Apply) -> Option<Apply> {
        if self.has_no_versions() || self.rewrites.described || apply.callee.is_some() {
            return None;
        }
        let code = self.callee_of(apply)?;
        let called = self.called_params_of_function(code);
        let passed = self.passed(&called, &apply.args)?;
        let known = self.global.function_versions.versions.get(&code);
        let known = known.and_then(|versions| versions.iter().find(|version| passed.is(&version.patterns)));
        let version = match known.map(|version| version.code) {
            Some(version) => version,
            None => self.function_version(apply, code, &called, &passed.patterns, passed.captured.len())?,
        };
        let others = apply.args.iter().enumerate().filter(|(index, _)| !is_called(&called, *index));
        let args = others.map(|(_, arg)| *arg).chain(passed.captured).collect();
        Some(Apply { kind: CallKind::Direct(version), args, types: Vec::new(), ..apply.clone() })
    }

    /// The parameters of a function for which it has versions.
    pub(super) fn called_params_of_function(&mut self, code: CodeId) -> SmallVec<[CalledParam; 1]> {
        if let Some(called) = self.global.function_versions.called.get(&code) {
            return called.clone();
        }
        let data = &self.unit.codes[code];
        let is_candidate = data.recursive
            && !data.attributes.stub
            && self.global.done.contains(&code)
            && !self.global.in_progress.contains(&code);
        if !is_candidate {
            return SmallVec::new();
        }
        // What makes a sequence of another does a step of it at each call.
        let called = if self.makes_closures(code) {
            SmallVec::new()
        } else {
            consumers::called_params_of(&self.unit.codes[code], code)
        };
        self.global.function_versions.called.insert(code, called.clone());
        called
    }

    /// A new version, if it may be made.
    fn function_version(
        &mut self,
        apply: &Apply,
        code: CodeId,
        called: &[CalledParam],
        patterns: &[Pattern],
        captured: usize,
    ) -> Option<CodeId> {
        let made = self.global.function_versions.versions.get(&code).map_or(0, Vec::len);
        let params = self.unit.codes[code].params.len() - called.len() + captured;
        // A function that takes a closure and knows it would know the original's, where its set is copied.
        if patterns.iter().any(Pattern::calls_captured) {
            return None;
        }
        if made == VERSIONS
            || params > MOST_PARAMETERS
            || self.unit.codes[code].uses_closure()
            || !patterns.iter().all(|pattern| self.goes_on(&pattern.call))
        {
            return None;
        }
        let size = self.whole_size(code, LARGEST.min(self.global.budgets.specialisation))?;
        if self.grow_deeper(apply, size).is_err() || !self.allow(Rewrite::CallPattern) {
            return None;
        }
        self.global.budgets.specialisation -= size;
        let version = self.versioned_copy(apply, code, called, patterns)?;
        let versions = self.global.function_versions.versions.entry(code).or_default();
        versions.push(FunctionVersion { patterns: patterns.into(), code: version });
        self.simplify_callee(version);
        Some(version)
    }

    /// A copy of a function that makes the closures itself, from what they have captured.
    fn versioned_copy(
        &mut self,
        apply: &Apply,
        code: CodeId,
        called: &[CalledParam],
        patterns: &[Pattern],
    ) -> Option<CodeId> {
        let mut copy = self.copied_function(apply, code, false)?;
        let params = copy.params.iter().enumerate().filter(|(index, _)| !is_called(called, *index));
        let mut params: Params = params.map(|(_, param)| *param).collect();
        let mut head: Vec<Item> = Vec::new();
        for (CalledParam { index, .. }, pattern) in called.iter().zip(patterns) {
            self.closure_of(pattern, copy.params[*index], &mut params, &mut head);
        }
        copy.body.items.splice(0..0, head);
        copy.params = params.into_iter().collect();
        self.note_sets(&copy.body);
        Some(self.unit.codes.push(copy))
    }
}
