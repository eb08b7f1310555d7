//! What is known after an operation has been executed: of its operands, and what loads would return.

use flambeau_ir::prim::{ArrayKind, Mutability};
use flambeau_ir::{Prim, Simple, Variable};
use flambeau_types::{Operands, Ty, length_of_made};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::memory::Memory;
use crate::prims::FIELDS;

impl Simplifier<'_> {
    /// What is known after an operation has been executed.
    pub(crate) fn learn_from(&mut self, var: Variable, prim: &Prim, args: &Operands) {
        match (prim, &args[..]) {
            (Prim::Unbox(kind), [x]) => {
                self.env.learn(*x, &Ty::boxed(*kind, Ty::Is(var.into())));
                self.env.add_cse(Prim::Box(*kind), SmallVec::from_slice(&[var.into()]), 0, *x);
            }
            (Prim::Box(kind), [n]) | (Prim::Rebox(kind), [n, _]) => {
                self.env.add_cse(Prim::Unbox(*kind), SmallVec::from_slice(&[var.into()]), 0, *n);
            }
            (Prim::MakeBlock { mutability, .. }, fields) => {
                for (index, value) in fields.iter().enumerate().take(FIELDS) {
                    let load = Prim::BlockLoad { field: index as u32, mutability: Mutability::Unknown };
                    self.loaded(load, *mutability, &[var.into()], *value);
                }
            }
            (Prim::MakeArray { kind, .. }, elements) => {
                self.note_elements(var, *kind, elements);
                self.note_length(var, prim, args);
            }
            (Prim::MakeFloatBlock { mutability }, fields) => {
                for (index, value) in fields.iter().enumerate().take(FIELDS) {
                    let load = Prim::BlockLoadFloat { field: index as u32, mutability: Mutability::Unknown };
                    self.loaded(load, *mutability, &[var.into()], *value);
                }
            }
            (Prim::BlockLoad { field, .. }, [block]) => self.note_loaded_length(var, *field, *block),
            (Prim::BlockStore { field, init, .. }, [block, value]) => {
                self.note_toplevel(*init, *field, *block, *value);
                self.forget_fields(*block);
                let load = Prim::BlockLoad { field: *field, mutability: Mutability::Unknown };
                self.loaded(load, Mutability::Unknown, &[*block], *value);
            }
            (Prim::BlockStoreFloat { field, .. }, [block, value]) => {
                self.forget_fields(*block);
                let load = Prim::BlockLoadFloat { field: *field, mutability: Mutability::Unknown };
                self.loaded(load, Mutability::Unknown, &[*block], *value);
            }
            (
                Prim::ArrayStore { kind: kind @ (ArrayKind::Float | ArrayKind::Int | ArrayKind::Addr) },
                [array, index, value],
            ) => {
                self.forget_fields(*array);
                self.loaded(Prim::ArrayLoad { kind: *kind }, Mutability::Mutable, &[*array, *index], *value);
            }
            (Prim::ArrayStore { .. } | Prim::BlockStoreComputed { .. }, [block, ..])
            | (Prim::OffsetRef { .. }, [block]) => self.forget_fields(*block),
            (Prim::CheckBound { width }, [length, index]) => {
                self.env.assume_in_bounds(*length, *index, *width);
            }
            _ => self.note_length(var, prim, args),
        }
    }

    /// Records how a result is related to the operands, and how long what was made is.
    fn note_length(&mut self, var: Variable, prim: &Prim, args: &Operands) {
        self.env.learn_result(var, prim, args);
        if let Some((reader, length)) = length_of_made(prim, args) {
            let operands = Operands::from_slice(&[var.into()]);
            let memory = self.memory().read_by(&reader);
            self.env.add_cse(reader, operands, memory, length);
        }
    }

    /// Records what loads of the elements of a new array would return: by the accesses that its representation allows.
    fn note_elements(&mut self, array: Variable, kind: ArrayKind, elements: &[Simple]) {
        let loads = match kind {
            ArrayKind::Float => &[ArrayKind::Float][..],
            ArrayKind::Int | ArrayKind::Addr => &[ArrayKind::Int, ArrayKind::Addr],
            ArrayKind::Generic | ArrayKind::Rows => return,
        };
        for (index, element) in (0..).zip(elements).take(FIELDS) {
            for kind in loads {
                let load = Prim::ArrayLoad { kind: *kind };
                self.loaded(load, Mutability::Mutable, &[array.into(), Simple::tagged(index)], *element);
            }
        }
    }

    /// Records that a load would return this, as long as nothing is written where it reads.
    fn loaded(&mut self, load: Prim, mutability: Mutability, args: &[Simple], value: Simple) {
        let memory = if mutability.may_change() { self.memory().read_by(&load) } else { Memory::FIXED };
        self.env.add_cse(load, SmallVec::from_slice(args), memory, value);
    }

    /// A block that is assigned is not what it was when it was allocated.
    fn forget_fields(&mut self, block: Simple) {
        if let Simple::Var(var) = self.env.canonical(block)
            && matches!(self.env.ty(block), Ty::Variant(_) | Ty::Floats(_))
        {
            self.env.retype(var, Ty::pointer());
        }
    }
}
