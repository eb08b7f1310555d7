//! Mutable blocks of a float, an integer and an int64, boxed or naked, that mostly do not escape.

use flambeau_ir::prim::{Init, Mutability};
use flambeau_ir::{BoxedKind, Item, Prim, Simple};
use smallvec::SmallVec;

use super::types::Type;
use super::{Generator, Scope};

/// What the fields hold: a number of a kind, or an integer.
const FIELDS: [Option<BoxedKind>; 3] = [Some(BoxedKind::Float), None, Some(BoxedKind::Int64)];

impl Generator {
    /// Makes one of that type.
    pub(super) fn make_numbers(&mut self, scope: &mut Scope, items: &mut Vec<Item>, naked: bool) -> Simple {
        let ty = Type::Numbers { naked };
        let operands: SmallVec<[Simple; 3]> = FIELDS
            .iter()
            .map(|kind| match kind {
                Some(kind) if naked => self.force(scope, items, Type::naked(*kind)),
                Some(kind) => self.number_box(scope, items, *kind),
                None => self.force(scope, items, Type::Int),
            })
            .collect();
        if !naked {
            let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Mutable };
            return self.let_(scope, items, prim, &operands, ty);
        }
        let fields = FIELDS.len() as u32;
        let block = self.let_(scope, items, Prim::MakeNakedBlock { fields }, &[], ty);
        for (field, value) in (0..).zip(operands) {
            self.store_number(scope, items, (block, naked), field, value);
        }
        block
    }

    /// A load or store, or a new one.
    pub(super) fn number_blocks(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let naked = self.one_in(4);
        let block = self.force(scope, items, Type::Numbers { naked });
        if matches!(block, Simple::Const(_)) {
            return;
        }
        for _ in 0..=self.random.below(4) {
            let field = self.random.below(FIELDS.len()) as u32;
            if self.one_in(2) {
                self.load_number(scope, items, (block, naked), field);
                continue;
            }
            let value = match FIELDS[field as usize] {
                Some(kind) if naked => self.force(scope, items, Type::naked(kind)),
                Some(kind) => self.number_box(scope, items, kind),
                None => self.force(scope, items, Type::Int),
            };
            self.store_number(scope, items, (block, naked), field, value);
        }
    }

    /// A box, which others seldom see.
    pub(super) fn number_box(&mut self, scope: &mut Scope, items: &mut Vec<Item>, kind: BoxedKind) -> Simple {
        if self.one_in(6) {
            return self.force(scope, items, Type::Boxed(kind));
        }
        let number = self.force(scope, items, Type::naked(kind));
        self.hidden(items, Prim::Box(kind), &[number], kind)
    }

    fn load_number(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        (block, naked): (Simple, bool),
        field: u32,
    ) {
        let load = Prim::BlockLoad { field, mutability: Mutability::Mutable };
        match FIELDS[field as usize] {
            Some(kind) if naked => {
                self.let_(scope, items, Prim::NakedLoad { field, kind }, &[block], Type::naked(kind));
            }
            // Its box is wanted.
            Some(kind) if self.one_in(60) => {
                self.let_(scope, items, load, &[block], Type::Boxed(kind));
            }
            Some(kind) => {
                let held = self.hidden(items, load, &[block], kind);
                self.let_(scope, items, Prim::Unbox(kind), &[held], Type::naked(kind));
            }
            None => {
                self.let_(scope, items, load, &[block], Type::Int);
            }
        }
    }

    fn store_number(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        (block, naked): (Simple, bool),
        field: u32,
        value: Simple,
    ) {
        let prim = match FIELDS[field as usize] {
            Some(kind) if naked => Prim::NakedStore { field, kind },
            kind => Prim::BlockStore { field, pointer: kind.is_some(), init: Init::Assignment },
        };
        self.let_(scope, items, prim, &[block, value], Type::Int);
    }

    /// A boxed number that is in no scope.
    pub(super) fn hidden(
        &mut self,
        items: &mut Vec<Item>,
        prim: Prim,
        args: &[Simple],
        kind: BoxedKind,
    ) -> Simple {
        let var = self.variable(Type::Boxed(kind));
        let dbg = self.location();
        items.push(Item::let_prim(var, prim, args, dbg));
        var.into()
    }
}
