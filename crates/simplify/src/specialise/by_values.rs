//! Functions that are specialised for a closure, and call themselves in closures of their own (`map f` of a sequence):
//! in place of that closure the copies take what it has captured, one value or a block of several, and allocate a
//! closure like it, which is only called there. The closures that they allocate capture and pass on that value as they
//! did the closure. So the copies know nothing of the slots of that closure, which may be copied as before; nor of
//! those of a closure that it has captured: one whose function reads what another closure has captured is not passed
//! so.

use flambeau_ir::prim::Mutability;
use flambeau_ir::visit::KnownFunction;
use flambeau_ir::{
    Apply, CodeId, Dbg, FunctionSlot, Item, Prim, SetOfClosures, Simple, Terminator, ValueSlot, Variable,
};
use flambeau_types::{Closure, Ty};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::LARGEST_SPECIALISED;
use crate::Simplifier;

/// Closures that have captured more variables are not passed by these.
const MOST_VALUES: usize = 4;

/// What a closure that is an argument of the call has captured.
pub struct ByValues {
    /// What the copies take in place of it, as it is at the call.
    pub value: Simple,
    /// The set as it is bound in a copy, but for the variables.
    set: SetOfClosures,
    /// Those of its slots that hold the variables: of one, the value is this; of several, a block of them.
    slots: SmallVec<[ValueSlot; 4]>,
}

impl Simplifier<'_> {
    /// Whether a closure can be passed by the values that it has captured.
    pub(super) fn has_few_values(&self, closure: Simple) -> bool {
        let Ty::Closure(known) = self.env.ty(closure) else { return false };
        let variables = known.values.iter().filter(|(_, ty)| captured_constant(ty).is_none()).count();
        known.code().is_some_and(|code| {
            variables <= MOST_VALUES
                && known.functions.len() == 1
                && self.global.sets.binders(code) == 1
                && !self.is_sole(code)
                && !self.knows_other_closures(code)
                // Each copy that calls it has one of its own.
                && self.whole_size(code, LARGEST_SPECIALISED).is_some()
        })
    }

    /// Whether a function, or one whose closure it allocates, knows of a closure that it has captured of which set that
    /// is. Where the two are copied together, the copy knows the copied set; a function of its own would know that of
    /// the original.
    fn knows_other_closures(&self, code: CodeId) -> bool {
        let own = self.global.sets.functions(code).cloned();
        let own = own.iter().flat_map(|functions| functions.iter().map(|(slot, _)| *slot));
        let mut bound: FxHashSet<FunctionSlot> = own.chain([self.unit.codes[code].function_slot]).collect();
        let mut known: Vec<FunctionSlot> = Vec::new();
        let mut codes = vec![code];
        while let Some(code) = codes.pop() {
            let Some(body) = self.body(code) else { return true };
            body.for_each_set(&mut |set| {
                bound.extend(set.functions.iter().map(|(slot, _)| *slot));
                codes.extend(set.functions.iter().map(|(_, code)| *code));
            });
            body.for_each_known_closure(&mut |function, closure| {
                if closure.as_var().is_some() {
                    known.push(match function {
                        KnownFunction::Slot(slot) => slot,
                        KnownFunction::Code(code) => self.unit.codes[code].function_slot,
                    });
                }
            });
        }
        known.iter().any(|slot| !bound.contains(slot))
    }

    /// The values by which a closure is passed; what has to be read of it is read before the call, and a block made.
    pub(super) fn by_values(&mut self, closure: Simple, dbg: Dbg, items: &mut Vec<Item>) -> Option<ByValues> {
        let Ty::Closure(known) = self.env.ty(closure) else { return None };
        let Closure { slot, functions, values } = &*known;
        let set = SetOfClosures { functions: functions.iter().copied().collect(), values: Vec::new() };
        let mut by = ByValues { value: Simple::UNIT, set, slots: SmallVec::new() };
        let mut variables: SmallVec<[Simple; 4]> = SmallVec::new();
        for (value, ty) in values {
            if let Some(constant) = captured_constant(ty) {
                by.set.values.push((*value, constant));
                continue;
            }
            by.slots.push(*value);
            variables.push(match ty {
                Ty::Is(known) => *known,
                _ => {
                    let var = self.unit.new_value(self.unit.value_slots[*value].clone());
                    let prim = Prim::ProjectValueSlot { function: *slot, value: *value };
                    items.push(Item::let_prim(var, prim, &[closure], dbg));
                    var.into()
                }
            });
        }
        by.value = match variables[..] {
            [] => Simple::UNIT,
            [value] => value,
            _ => {
                let block = self.unit.new_value("captured");
                let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
                items.push(Item::let_prim(block, prim, &variables, dbg));
                block.into()
            }
        };
        Some(by)
    }

    /// Makes the parameter of a copy that was a closure its values: where it is called, a closure is that the copy
    /// allocates.
    pub(super) fn take_values(
        &mut self,
        apply: &Apply,
        copy: CodeId,
        index: usize,
        by: &ByValues,
    ) -> Option<()> {
        let param = self.unit.codes[copy].params[index];
        let closure = self.unit.new_variable_like(param);
        let mut is_called = false;
        self.unit.codes[copy].body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator
                && apply.callee == Some(param.into())
            {
                apply.callee = Some(closure.into());
                is_called = true;
            }
        });
        if is_called { self.bind_closure(apply, copy, (param, closure), by) } else { Some(()) }
    }

    /// Binds a closure that is like the one that was passed, of what a parameter is now, at the beginning of a copy.
    fn bind_closure(
        &mut self,
        apply: &Apply,
        copy: CodeId,
        (param, closure): (Variable, Variable),
        by: &ByValues,
    ) -> Option<()> {
        let dbg = self.unit.codes[copy].dbg;
        let mut items = Vec::new();
        let mut set = by.set.clone();
        for (field, slot) in (0..).zip(&by.slots) {
            let value = if by.slots.len() == 1 {
                param
            } else {
                let value = self.unit.new_value(self.unit.value_slots[*slot].clone());
                let load = Prim::BlockLoad { field, mutability: Mutability::Immutable };
                items.push(Item::let_prim(value, load, &[param.into()], dbg));
                value
            };
            set.values.push((*slot, value.into()));
        }
        items.push(Item::LetClosures { vars: smallvec![closure], set, dbg });
        let mut bound = self.copied_items(items, apply)?;
        if let Some(Item::LetClosures { vars, .. }) = bound.last_mut() {
            *vars = smallvec![closure];
        }
        self.unit.codes[copy].body.items.splice(0..0, bound);
        Some(())
    }
}

/// What a closure has captured, if it is the same wherever it is bound.
fn captured_constant(ty: &Ty) -> Option<Simple> {
    match ty {
        Ty::Is(known @ (Simple::Const(_) | Simple::Symbol(_))) => Some(*known),
        _ => None,
    }
}
