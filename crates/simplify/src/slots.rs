//! The slots in which functions return parts of results ([`Prim::StoreResult`]): where a function that stores there is
//! inlined, what is loaded is what was stored, on every path that leads there.
//!
//! A store to one slot leaves the others as they are, though it gives their memory a new name. Where several paths
//! that have stored come together, the continuation takes what they have stored.

use std::rc::Rc;

use flambeau_ir::{Const, Kind, Prim, Rewrite, Simple, Subkind};
use flambeau_types::{Operands, Ty};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::continuations::Use;
use crate::run::Params;

/// The load of a part, and the slots.
pub type Slot = (Prim, Simple);
/// What is known to be in slots.
pub type Stored = SmallVec<[(Slot, Simple); 2]>;

impl Simplifier<'_> {
    /// What is known to be in the slots.
    pub(crate) fn stored(&self) -> Stored {
        let of = |slot: &Slot| Some((slot.clone(), self.in_slot(slot)?));
        self.function.slots.iter().filter_map(of).collect()
    }

    fn in_slot(&self, (load, slots): &Slot) -> Option<Simple> {
        let memory = self.memory().read_by(load);
        self.env.cse(&(load.clone(), Operands::from_slice(&[*slots]), memory))
    }

    fn note_in_slot(&mut self, (load, slots): Slot, value: Simple) {
        let memory = self.memory().read_by(&load);
        self.env.add_cse(load, Operands::from_slice(&[slots]), memory, value);
    }

    /// A part has been stored; `before`: what was in the slots.
    pub(crate) fn note_stored(
        &mut self,
        (part, kind): (u32, Kind),
        slots: Simple,
        value: Simple,
        before: Stored,
    ) {
        let stored: Slot = (Prim::LoadResult { part, kind }, slots);
        for (slot, value) in before {
            let is_same = matches!(slot.0, Prim::LoadResult { part: other, .. } if other == part);
            if !is_same {
                self.note_in_slot(slot, value);
            }
        }
        if !self.function.slots.contains(&stored) {
            self.function.slots.push(stored.clone());
        }
        self.note_in_slot(stored, value);
    }

    /// What a call leaves in the slots is known until something is stored there, or another call is made.
    pub(crate) fn note_left_by_call(&mut self, parts: Rc<[(u32, Ty)]>) {
        let slots = self.memory().read_by(&Prim::LoadResult { part: 0, kind: Kind::Value });
        self.function.left_by_call = (slots, parts);
    }

    /// What is known of a part that is loaded.
    pub(crate) fn type_of_part(&self, part: u32) -> Ty {
        let slots = self.memory().read_by(&Prim::LoadResult { part, kind: Kind::Value });
        match &self.function.left_by_call {
            (left, parts) if *left == slots => {
                parts.iter().find(|(known, _)| *known == part).map_or(Ty::Unknown, |(_, ty)| ty.clone())
            }
            _ => Ty::Unknown,
        }
    }

    /// Makes what all uses of a handler have stored parameters of that. What it does not load is dropped again by the
    /// upward pass.
    pub(crate) fn pass_stored(&mut self, params: &mut Params, uses: &[Use]) {
        let Some((first, others)) = uses.split_first() else { return };
        if first.stored.is_empty() || self.is_measuring() {
            return;
        }
        let value_at =
            |u: &Use, slot: &Slot| u.stored.iter().find(|(s, _)| s == slot).map(|(_, value)| *value);
        for (slot, _) in &first.stored {
            let is_everywhere = others.iter().all(|u| value_at(u, slot).is_some());
            if !is_everywhere || self.in_slot(slot).is_some() || !self.allow(Rewrite::StoredResult) {
                continue;
            }
            let part = self.unit.new_variable("part", slot.0.signature().result, Subkind::Any);
            for u in uses {
                let Some(value) = value_at(u, slot) else { continue };
                let is_poison = match value {
                    Simple::Var(var) => self.may_be_poison(var),
                    constant => matches!(constant, Simple::Const(Const::Poison(_))),
                };
                if is_poison {
                    self.function.possibly_poison.insert(part);
                }
                self.function.edges[u.edge].extra.push(value);
            }
            params.push(part);
            self.env.bind(part, Ty::Unknown);
            self.note_in_slot(slot.clone(), part.into());
        }
    }
}
