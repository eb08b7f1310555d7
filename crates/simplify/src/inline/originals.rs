//! Functions as they were before anything was inlined in them.
//!
//! What is inlined into a function that calls what it is given, or has arrays of any elements, makes it too large to be
//! inlined itself where these are known: with a larger quota for inlining the program would become slower. So such a
//! function is kept as it was, too, with the functions whose closures it allocates, and calls that refuse what became
//! of it may inline that. Nobody calls it: it goes at the end of the round.

use flambeau_ir::copy::Copier;
use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::transfer::own_name;
use flambeau_ir::{Apply, CallKind, CodeId, Expr, Terminator};

use super::decide::Growth;
use crate::specialise::types::{gains_from_types, nested};
use crate::{Simplifier, size};

/// Larger functions are not kept: they were not inlined before either.
const LARGEST_ORIGINAL: u32 = 150;

impl Simplifier<'_> {
    /// Keeps a function that is about to be simplified as it is, if that may be wanted.
    pub(crate) fn keep_original(&mut self, code: CodeId) {
        let data = &self.unit.codes[code];
        let is_candidate = self.arguments().policy == Policy::Threshold
            && !self.rewrites.stubs_only
            && !data.recursive
            && !data.attributes.stub
            && !data.attributes.sole
            && !data.attributes.is_functor
            && self.whole_size(code, LARGEST_ORIGINAL).is_some()
            && self.may_grow_and_gain(code);
        if !is_candidate {
            return;
        }
        let unit = &mut *self.unit;
        let data = unit.codes[code].clone();
        let mut copier = Copier::of_unit(unit);
        let mut original = copier.code(&data);
        let Ok(inner) = copier.finish() else { return };
        for code in inner {
            unit.codes.push(code);
        }
        original.function_slot = unit.function_slots.push(unit.function_slots[data.function_slot].clone());
        original.linkage_name = own_name(&unit.naming, &data.linkage_name, original.function_slot);
        self.note_sets(&original.body);
        let original = self.unit.codes.push(original);
        self.global.done.insert(original);
        self.global.originals.insert(code, original);
    }

    /// Whether something may be inlined into a function, and it gains where it is inlined by what it is given.
    fn may_grow_and_gain(&self, code: CodeId) -> bool {
        let body = &self.unit.codes[code].body;
        let (mut calls_known, mut calls_unknown) = (false, false);
        let mut look = |expr: &Expr| {
            if let Terminator::Apply(apply) = &expr.terminator {
                match apply.kind {
                    CallKind::Direct(_) | CallKind::DirectExternal(_) => calls_known = true,
                    CallKind::Generic => calls_unknown = true,
                    CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => {}
                }
            }
        };
        body.walk(&mut look);
        nested(self.unit, body).into_iter().for_each(|code| self.unit.codes[code].body.walk(&mut look));
        calls_known && (calls_unknown || gains_from_types(self.unit, code))
    }

    /// Decides on a call; where a function is refused for what was inlined in it, on the one that it was.
    pub(super) fn decide_or_original(
        &mut self,
        apply: &Apply,
        code: CodeId,
    ) -> Result<(CodeId, Growth, Reason), Reason> {
        let refusal = match self.decide(apply, code) {
            Ok((growth, reason)) => return Ok((code, growth, reason)),
            Err(refusal) => refusal,
        };
        let is_size = match &refusal {
            Reason::TooLarge { .. } => true,
            // The toplevel runs once.
            Reason::NotBeneficial(evaluation) if self.function.current.is_some() => {
                evaluation.removed.indirect_calls > 0
            }
            _ => false,
        };
        let original = self.global.originals.get(&code).copied().filter(|original| {
            let size = |code| size::whole(self.unit, code, u32::MAX);
            // What became of it may need no closure where it does: then a call from a body that was simplified, too,
            // passes none.
            is_size
                && size(*original) < size(code)
                && (apply.callee.is_some() || !self.scan_closure(*original))
        });
        let original = original.ok_or(refusal.clone())?;
        match self.decide(apply, original) {
            Ok((growth, reason)) if makes_calls_direct(&reason) => Ok((original, growth, reason)),
            _ => Err(refusal),
        }
    }
}

/// Whether a function is inlined because it calls functions that are known at the call.
fn makes_calls_direct(reason: &Reason) -> bool {
    match reason {
        Reason::Beneficial(evaluation) => evaluation.removed.indirect_calls > 0,
        Reason::CallsInLoops { .. } => true,
        _ => false,
    }
}
