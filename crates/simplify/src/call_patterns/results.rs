//! Closures in the results of calls: continuations take, beside the parts of a variant, what a closure among these has
//! captured.

use flambeau_ir::{Const, Simple, Subkind, Variable};
use flambeau_types::{Blocks, Ty};
use smallvec::SmallVec;

use super::{CAPTURED, Captured, Found, Pattern};
use crate::Simplifier;
use crate::continuations::Use;
use crate::run::Params;
use crate::unboxing::Unboxing;

/// A field of a block: the tag of that, and which.
type Field = (u8, usize);

/// A closure that is known by its pattern: an argument, or a field of a block that is one.
#[derive(Clone, Debug)]
pub struct Waits {
    index: usize,
    field: Option<Field>,
    closure: WaitingClosure,
}

/// A closure's pattern, and what it has captured.
#[derive(Clone, Debug)]
pub struct WaitingClosure {
    pub(super) pattern: Pattern,
    pub(super) captured: Captured,
}

impl Simplifier<'_> {
    /// The closures among the arguments of a jump, and among the fields of those that are blocks, that are known by
    /// their patterns.
    pub(crate) fn waits(&mut self, args: &[Simple]) -> Vec<Waits> {
        let mut waits = Vec::new();
        if !self.function.has_called_params || self.is_measuring() {
            return waits;
        }
        let mut add = |this: &mut Self, index, field, simple| {
            let mut found = Found::default();
            if let Some(pattern) = this.pattern(simple, None, &mut found)
                && found.captured.len() <= CAPTURED
                && this.goes_on(&pattern.call)
            {
                let captured = found.captured;
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
        let mut places: Vec<(usize, Option<Field>, Variable)> = own.collect();
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
            let mut captured = Captured::new();
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
}

/// What each use passes in a place, if all know that by one pattern: nothing for those that pass nothing there.
fn passed_at(
    uses: &[Use],
    index: usize,
    field: Option<Field>,
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
fn passes_nothing(u: &Use, index: usize, field: Option<Field>) -> bool {
    if matches!(u.args[index], Simple::Const(Const::Poison(_))) {
        return true;
    }
    let (Some((tag, _)), Ty::Variant(variant)) = (field, &u.tys[index]) else { return false };
    matches!(&variant.blocks, Blocks::Known(blocks) if blocks.iter().all(|block| block.tag != tag))
}
