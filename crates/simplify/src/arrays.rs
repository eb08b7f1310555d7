//! Accesses to arrays of which it is known whether they are flat.

use flambeau_ir::prim::{ArrayKind, External, Init, Unknown};
use flambeau_ir::{BoxedKind, Kind, Prim, Simple, Subkind, Unit, Variable};
use flambeau_types::{Blocks, Operands, Ty};
use smallvec::smallvec;

use crate::Simplifier;
use crate::prims::Outcome;

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Floats: it is flat.
    Floats,
    /// Values of an array.
    Values,
    /// Values of an array, or fields of any block, of which `Obj.field` makes an array of unknown representation.
    Fields,
}

/// An access to an array of unknown representation, where that is known: what is computed before it, and what it is.
pub struct Access {
    pub lets: Vec<(Variable, Prim, Operands)>,
    pub prim: Prim,
    pub args: Operands,
}

impl Access {
    /// The access that the runtime's test would choose, if the primitive is one of unknown representation.
    pub fn of(unit: &mut Unit, prim: &Prim, args: &[Simple], elements: Elements) -> Option<Access> {
        if prim.needs_representation() != Some(Unknown::IsFlat) {
            return None;
        }
        let mut element = || unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
        let kind = if elements == Elements::Floats { ArrayKind::Float } else { ArrayKind::Addr };
        Some(match (prim, args, elements) {
            (Prim::ArrayLoad { .. }, _, Elements::Floats) => {
                let element = element();
                Access {
                    lets: vec![(element, Prim::ArrayLoad { kind }, args.into())],
                    prim: Prim::Box(BoxedKind::Float),
                    args: smallvec![element.into()],
                }
            }
            (_, [array, index, value], Elements::Floats) => {
                let element = element();
                Access {
                    lets: vec![(element, Prim::Unbox(BoxedKind::Float), smallvec![*value])],
                    prim: Prim::ArrayStore { kind },
                    args: smallvec![*array, *index, element.into()],
                }
            }
            (Prim::ArrayLoad { .. }, ..) => {
                let prim = match elements {
                    Elements::Fields => Prim::BlockLoadComputed,
                    _ => Prim::ArrayLoad { kind },
                };
                Access { lets: Vec::new(), prim, args: args.into() }
            }
            _ => {
                let prim = match elements {
                    Elements::Fields => Prim::BlockStoreComputed { pointer: true, init: Init::Assignment },
                    _ => Prim::ArrayStore { kind },
                };
                Access { lets: Vec::new(), prim, args: args.into() }
            }
        })
    }
}

impl Simplifier<'_> {
    /// An access to an array of unknown representation, if how the array was made tells.
    pub(crate) fn generic_access(&mut self, prim: &Prim, args: &[Simple]) -> Outcome {
        let access = args
            .first()
            .and_then(|array| self.elements_of(*array))
            .and_then(|elements| Access::of(self.unit, prim, args, elements));
        match access {
            Some(Access { lets, prim, args }) if lets.is_empty() => Outcome::Prim(prim, args),
            Some(Access { lets, prim, args }) => Outcome::Several(lets, prim, args),
            None => Outcome::Keep(Ty::Unknown),
        }
    }

    /// What the elements of an array are that an allocation in sight has made. Of an array without elements either may
    /// be said: nothing is read from it or written to it.
    fn elements_of(&self, array: Simple) -> Option<Elements> {
        let definition = self.env.definition(self.env.canonical(array))?;
        match (&definition.prim, &definition.args[..]) {
            (Prim::MakeArray { kind: ArrayKind::Float, .. }, _) => Some(Elements::Floats),
            (Prim::MakeArray { kind: ArrayKind::Addr | ArrayKind::Int | ArrayKind::Rows, .. }, _) => {
                Some(Elements::Values)
            }
            (Prim::CCall(external), args) => self.elements_made(external, args),
            _ => None,
        }
    }

    fn elements_made(&self, external: &External, args: &[Simple]) -> Option<Elements> {
        match (external.name.as_str(), args) {
            ("caml_make_vect" | "caml_array_make", [_, first]) => self.elements_like(*first),
            ("caml_make_float_vect" | "caml_array_create_float", [_]) => Some(Elements::Floats),
            ("caml_array_sub", [array, _, _]) => self.elements_of(*array),
            _ => None,
        }
    }

    /// What the elements of an array are that the runtime fills with a value: floats if that is a boxed one.
    fn elements_like(&self, value: Simple) -> Option<Elements> {
        match self.env.ty(value) {
            Ty::Boxed(BoxedKind::Float, _) => Some(Elements::Floats),
            Ty::Boxed(..) | Ty::String(_) | Ty::Closure(_) | Ty::OneOf(_) => Some(Elements::Values),
            // The tags of the known blocks are those of constructors.
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(blocks)
                    if blocks.iter().all(|block| block.tag < flambeau_ir::tags::FIRST_SPECIAL) =>
                {
                    Some(Elements::Values)
                }
                _ => None,
            },
            _ => None,
        }
    }
}
