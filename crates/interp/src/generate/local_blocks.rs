//! Blocks that mostly do not escape, for passes that replace them by variables.

use flambeau_ir::prim::{Init, Mutability};
use flambeau_ir::{Item, Prim, Simple};

use super::types::{LENGTH, LocalBlock, Type};
use super::{Generator, Scope};

impl Generator {
    /// Some of them, of each sort.
    pub(super) fn make_local_blocks(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        for local in [LocalBlock::Ints, LocalBlock::Floats, LocalBlock::Nested, LocalBlock::Ints] {
            if self.options.local_blocks && !self.one_in(3) {
                let prim = self.make_local_block(local);
                self.apply_prim(scope, items, prim, local.fields(), Type::Local(local));
            }
        }
    }

    /// Shows what some of them hold, and the latest integer: at the beginning of a continuation.
    pub(super) fn show_local_blocks(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        if !self.options.local_blocks || self.one_in(3) {
            return;
        }
        let is_local = |(var, ty): &(flambeau_ir::Variable, Type)| match ty {
            Type::Local(local) => Some((*var, *local)),
            _ => None,
        };
        let found: Vec<_> = scope.vars.iter().filter_map(is_local).collect();
        for _ in 0..found.len().min(2) {
            let (var, local) = self.random.pick(&found);
            let field = self.random.below(local.fields().len());
            let element = local.fields()[field];
            let loaded = self.load_local_block(scope, items, var.into(), local, field as u32);
            if !matches!(element, Type::Local(_)) {
                self.observe(scope, items, loaded, element);
            }
        }
        if self.one_in(2) {
            // Allocates, and so may be interrupted.
            let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
            let shown = self.apply_prim(scope, items, prim, &[Type::Int], Type::Any);
            self.observe(scope, items, shown, Type::Any);
        }
        let ints = scope.vars.iter().rev().filter(|(_, ty)| *ty == Type::Int).map(|(var, _)| *var);
        let latest: Vec<_> = ints.take(2).collect();
        for var in latest {
            self.observe(scope, items, var.into(), Type::Int);
        }
    }

    fn load_local_block(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        block: Simple,
        local: LocalBlock,
        field: u32,
    ) -> Simple {
        let mutability = Mutability::Mutable;
        let prim = match local {
            LocalBlock::Floats => Prim::BlockLoadFloat { field, mutability },
            LocalBlock::Ints | LocalBlock::Nested => Prim::BlockLoad { field, mutability },
        };
        self.let_(scope, items, prim, &[block], local.fields()[field as usize])
    }

    /// An operation on a block that does not let it escape.
    pub(super) fn local_blocks(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let local =
            self.random.pick(&[LocalBlock::Ints, LocalBlock::Ints, LocalBlock::Floats, LocalBlock::Nested]);
        let block = Type::Local(local);
        let field = self.random.below(local.fields().len()) as u32;
        let element = local.fields()[field as usize];
        let is_float = local == LocalBlock::Floats;
        let args: &[Type] = &[block];
        match self.random.below(12) {
            0 => {
                let prim = self.make_local_block(local);
                self.apply_prim(scope, items, prim, local.fields(), block);
            }
            1..5 => {
                let operand = self.force(scope, items, block);
                self.load_local_block(scope, items, operand, local, field);
            }
            5..9 => {
                let init = if self.one_in(4) { Init::Heap } else { Init::Assignment };
                let prim = if is_float {
                    Prim::BlockStoreFloat { field, init }
                } else {
                    Prim::BlockStore { field, pointer: element != Type::Int || self.one_in(2), init }
                };
                self.apply_prim(scope, items, prim, &[block, element], Type::Int);
            }
            9 if local == LocalBlock::Ints => {
                self.apply_prim(
                    scope,
                    items,
                    Prim::OffsetRef { amount: i64::from(field) - 1 },
                    args,
                    Type::Int,
                );
            }
            9 => self.alias(scope, items),
            10 => {
                let negated = self.one_in(2);
                let operand = self.force(scope, items, block);
                let args = [operand, operand];
                self.let_(scope, items, Prim::PhysEqual { negated }, &args, Type::Naked);
            }
            _ => {
                let prim = if self.one_in(2) { Prim::IsInt } else { Prim::GetTag };
                self.apply_prim(scope, items, prim, args, Type::Naked);
            }
        }
    }

    /// The primitive that allocates one.
    pub(super) fn make_local_block(&mut self, local: LocalBlock) -> Prim {
        let mutability = Mutability::Mutable;
        match local {
            LocalBlock::Ints | LocalBlock::Nested => {
                Prim::MakeBlock { tag: self.random.below(3) as u8, mutability }
            }
            LocalBlock::Floats => Prim::MakeFloatBlock { mutability },
        }
    }
}

impl LocalBlock {
    /// What it holds.
    pub(super) fn fields(self) -> &'static [Type] {
        match self {
            LocalBlock::Ints => &[Type::Int; LENGTH],
            LocalBlock::Floats => &[Type::Float; 2],
            LocalBlock::Nested => &[Type::Local(LocalBlock::Ints), Type::Int],
        }
    }
}
