//! Functions at the types of their arguments: comparisons of values of any type become those of the type that a call
//! says an argument has (`docs/design/types-of-the-source.md`), in what is inlined for the call, or in a copy of the
//! function for all calls that say the same.

mod applied;
mod bigarrays;
mod hashes;
mod infer;
mod lambdas;
mod passed;
mod rewrite;

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::prim::ArrayKind;
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{
    Apply, ArgType, CallKind, Code, CodeId, Expr, Item, Named, Prim, Rewrite, Simple, Subkind, Symbol,
    Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;

use bigarrays::{bigarray_access, is_bigarray_access};
use hashes::hashed_shapes;
pub(crate) use infer::nested;
use infer::{Types, known_types};
pub(crate) use lambdas::lambdas_at;
pub(crate) use rewrite::comparison;
use rewrite::{array_kind, compared_type, takes_types};
pub(crate) use rewrite::{at_types, at_types_of_calls};

use crate::{Simplifier, size};

/// What a comparison or a hash at a known type is worth in the size of a copy.
const COMPARISON: u32 = 100;
/// What an access of an array of known representation is.
const ACCESS: u32 = 40;
/// What is only said to a function of which nothing is known is worth no copy, but may be when it is known.
const HANDED_ON: u32 = 1;
/// All accesses of a function together.
const MOST_FOR_ACCESSES: u32 = 135;
/// Larger functions are not copied however often they compare: not all of it happens in one call.
const LARGEST_COPY: u32 = 400;

/// Through so many functions an argument is followed to where it matters.
const DEEPEST: u32 = 3;

/// The functions that were copied for types.
#[derive(Default)]
pub struct TypedCopies {
    /// By the original, and what its parameters are in the copy.
    copies: FxHashMap<(CodeId, Vec<ArgType>), CodeId>,
    /// Their closures, as far as they are passed.
    closures: FxHashMap<(CodeId, Vec<ArgType>), Symbol>,
    /// What functions gain from the types of parameters, as far as that was asked for.
    gains: FxHashMap<(CodeId, Vec<ArgType>), u32>,
    /// Whether parameters are only applied, as far as that was asked for.
    only_applied: FxHashMap<Variable, bool>,
}

impl Simplifier<'_> {
    /// Expresses the types of arguments over what is known here.
    pub(crate) fn know_types(&self, apply: &mut Apply) {
        for ty in &mut apply.types {
            ty.functions_mut(&mut |function| *function = self.env.canonical(*function));
        }
    }

    /// Calls a copy of the function for the types of the arguments, if one is worth it.
    pub(crate) fn call_copy_for_types(&mut self, apply: &mut Apply) {
        if apply.types.is_empty() || self.is_measuring() {
            return;
        }
        let mut types = std::mem::take(&mut apply.types);
        types.resize(apply.args.len(), ArgType::Unknown);
        let Some(code) = self.called_for_types(apply) else { return };
        let Some(types) = self.types_of_copy(code, types) else { return };
        let known = self.global.typed_copies.copies.get(&(code, types.clone())).copied();
        let Some(copy) = known.or_else(|| self.paid_copy(apply, code, &types)) else { return };
        apply.kind = CallKind::Direct(copy);
        apply.callee = None;
    }

    /// The function that a call calls directly, if it can be copied: it needs no closure, and is known.
    fn called_for_types(&mut self, apply: &Apply) -> Option<CodeId> {
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) if apply.callee.is_none() => self.imported(name, apply)?,
            _ => return None,
        };
        let in_stub = self.function.current.is_some_and(|current| self.unit.codes[current].attributes.stub);
        let data = &self.unit.codes[code];
        let stays = in_stub
            || self.rewrites.stubs_only
            || self.arguments().policy == Policy::Classic
            || data.attributes.stub
            || data.attributes.sole
            || data.attributes.inline == InlineAttribute::Always
            || data.attributes.specialise == SpecialiseAttribute::Never
            || apply.specialised == SpecialiseAttribute::Never
            || data.params.len() != apply.args.len();
        if stays || self.makes_sole_set(code) {
            return None;
        }
        self.simplify_callee(code);
        let ready = self.global.done.contains(&code) && !self.global.in_progress.contains(&code);
        (ready && !self.scan_closure(code)).then_some(code)
    }

    /// The types for which a function is copied, those of parameters that matter.
    fn types_of_copy(&mut self, code: CodeId, mut types: Vec<ArgType>) -> Option<Vec<ArgType>> {
        for ty in &mut types {
            let mut is_static = true;
            ty.for_each_function(&mut |function| is_static &= matches!(function, Simple::Symbol(_)));
            if !is_static {
                *ty = ArgType::Unknown;
            }
        }
        let gain = self.gain(code, &types, 0);
        if gain < ACCESS {
            return None;
        }
        for index in 0..types.len() {
            let ty = std::mem::take(&mut types[index]);
            if ty != ArgType::Unknown && self.gain(code, &types, 0) < gain {
                types[index] = ty;
            }
        }
        Some(types)
    }

    /// What a function gains where its parameters are of types.
    fn gain(&mut self, code: CodeId, types: &[ArgType], depth: u32) -> u32 {
        if types.iter().all(|ty| *ty == ArgType::Unknown) {
            return 0;
        }
        let key = (code, types.to_vec());
        if let Some(known) = self.global.typed_copies.gains.get(&key) {
            return *known;
        }
        // Where it is met again on the way.
        self.global.typed_copies.gains.insert(key.clone(), 0);
        let (mut gain, mut calls) = gains_in(self.unit, code, types);
        for (_, lambda, types) in lambdas_at(self.unit, &self.env, code, types) {
            calls.push((CallKind::Direct(lambda), types));
        }
        for (kind, types) in calls {
            if depth >= DEEPEST {
                break;
            }
            let called = match kind {
                CallKind::Direct(code) => Some(code),
                CallKind::DirectExternal(name) => self.imported_function(&name, types.len()),
                _ => None,
            };
            let inner = called.map_or(HANDED_ON, |called| self.gain(called, &types, depth + 1));
            gain = gain.saturating_add(inner.min(COMPARISON));
        }
        self.global.typed_copies.gains.insert(key, gain);
        gain
    }

    /// What a copy adds, if that is worth it.
    fn size_of_typed_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType]) -> Option<u32> {
        let gain = self.gain(code, types, 0);
        let size = self.whole_size(code, LARGEST_COPY.min(gain))?;
        let size = size.saturating_add(size::frames(self.unit, code));
        let fits = size <= self.global.budgets.typed_copies && apply.depth <= super::DEEPEST;
        (fits && self.grow_deeper(apply, size).is_ok()).then_some(size)
    }

    /// A copy of a function for types, if it fits into the budget.
    fn paid_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType]) -> Option<CodeId> {
        let size = self.size_of_typed_copy(apply, code, types)?;
        if !self.allow(Rewrite::Specialisation) {
            return None;
        }
        self.global.budgets.typed_copies = self.global.budgets.typed_copies.saturating_sub(size);
        self.log_typed_copy(apply, code, types, size);
        let copy = self.typed_copy(apply, code, types)?;
        self.global.typed_copies.copies.insert((code, types.to_vec()), copy);
        self.simplify_callee(copy);
        Some(copy)
    }

    fn log_typed_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType], size: u32) {
        if self.rewrites.decisions.is_none() {
            return;
        }
        let params = self.unit.codes[code].params.iter().zip(types);
        let parameters = params
            .filter(|(_, ty)| **ty != ArgType::Unknown)
            .map(|(param, _)| self.unit.variables[*param].name.to_string())
            .collect();
        self.log(apply, Some(code), Reason::Specialised { parameters, size });
    }

    /// A copy of a function that needs no closure, with comparisons of the types of its parameters.
    fn typed_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType]) -> Option<CodeId> {
        let mut copy = self.copied_function(apply, code, true)?;
        let unit = &mut *self.unit;
        for (param, ty) in copy.params.iter().zip(types) {
            if *ty == ArgType::Immediate {
                unit.variables[*param].subkind = Subkind::Immediate;
            }
        }
        let lambdas = lambdas_at(unit, &self.env, code, types);
        at_types(unit, &mut copy.body, known_types(&copy.params, types));
        copy.params.iter().for_each(|param| unit.variables[*param].shape = None);
        self.pass_typed_lambdas(apply, lambdas, &mut copy.body);
        self.note_sets(&copy.body);
        Some(self.unit.codes.push(copy))
    }

    /// For a body that is to replace a call: variables for the parameters whose types are known and matter, instead of
    /// the arguments.
    pub(crate) fn typed_params(&mut self, apply: &Apply, code: CodeId) -> Vec<(usize, ArgType)> {
        if self.unit.codes[code].attributes.specialise == SpecialiseAttribute::Never {
            return Vec::new();
        }
        if self.gain(code, &apply.types, 0) == 0 {
            return Vec::new();
        }
        // A call with more arguments than the function takes may say the types of all.
        let types = apply.types.iter().take(apply.args.len()).cloned().enumerate();
        types.filter(|(_, ty)| *ty != ArgType::Unknown).collect()
    }
}

/// What a function itself gains from the types of its parameters, and the calls that it hands types on to.
fn gains_in(unit: &Unit, code: CodeId, types: &[ArgType]) -> (u32, Vec<(CallKind, Vec<ArgType>)>) {
    let Code { params, body, .. } = &unit.codes[code];
    if !is_generic(unit, code) {
        return (0, Vec::new());
    }
    let types = Types::of(unit, body, known_types(params, types));
    let (mut gain, mut accesses, mut calls) = (0u32, 0u32, Vec::new());
    let mut look = |expr: &Expr| {
        for item in &expr.items {
            if compared_type(item, &types).is_some()
                || hashed_shapes(item, &types).is_some()
                || bigarray_access(item, &types).is_some()
            {
                gain = gain.saturating_add(COMPARISON);
            } else if array_kind(item, &types).is_some() {
                accesses = accesses.saturating_add(ACCESS);
            }
        }
        if let Terminator::Apply(apply) = &expr.terminator
            && takes_types(apply)
        {
            let passed = types.passed(apply);
            if passed.iter().any(|ty| *ty != ArgType::Unknown) {
                calls.push((apply.kind.clone(), passed));
            }
        }
    };
    body.walk(&mut look);
    nested(unit, body).into_iter().for_each(|code| unit.codes[code].body.walk(&mut look));
    (gain.saturating_add(accesses.min(MOST_FOR_ACCESSES)), calls)
}

/// Whether a function, or one whose closure it allocates, compares values of any type, has arrays of such, or calls
/// something.
fn is_generic(unit: &Unit, code: CodeId) -> bool {
    has(unit, code, &mut |expr| matches!(&expr.terminator, Terminator::Apply(apply) if takes_types(apply)))
        || gains_from_types(unit, code)
}

/// Whether specialisation for the types of what is passed to it may bring something by itself.
pub fn gains_from_types(unit: &Unit, code: CodeId) -> bool {
    let is_hash = |item: &Item| matches!(item, Item::Let { named: Named::Prim { prim: Prim::CCall(external), .. }, .. } if external.is_hash());
    let is_access = |item: &Item| {
        let Item::Let { named: Named::Prim { prim, .. }, .. } = item else { return false };
        let kind = match prim {
            Prim::ArrayLoad { kind } | Prim::ArrayStore { kind } | Prim::MakeArray { kind, .. } => *kind,
            _ => return false,
        };
        kind == ArrayKind::Generic
    };
    has(unit, code, &mut |expr| {
        expr.items.iter().any(|item| {
            comparison(item).is_some() || is_hash(item) || is_access(item) || is_bigarray_access(item)
        })
    })
}

fn has(unit: &Unit, code: CodeId, wanted: &mut impl FnMut(&Expr) -> bool) -> bool {
    let body = &unit.codes[code].body;
    let mut found = false;
    body.walk(&mut |expr| found |= wanted(expr));
    nested(unit, body).into_iter().for_each(|code| {
        unit.codes[code].body.walk(&mut |expr| found |= wanted(expr));
    });
    found
}
