//! How arrays hold their elements, as far as it is seen where they are allocated.

use flambeau_ir::prim::ArrayKind;
use flambeau_ir::{BoxedKind, Prim, Simple, tags};

use super::Env;
use super::results::passes_values;
use crate::{Blocks, Elements, Ty};

impl Env {
    /// How an array holds its elements, if it is known.
    #[must_use]
    pub fn elements(&self, array: Simple) -> Option<Elements> {
        match self.ty(array) {
            Ty::Array(elements) => Some(elements),
            Ty::Floats(_) => Some(Elements::Floats),
            _ => None,
        }
    }

    /// How an array that begins with an element holds its elements, as the runtime decides it (`caml_make_vect`,
    /// `caml_make_array`): by the tag of what is there.
    #[must_use]
    pub fn elements_like(&self, element: Simple) -> Option<Elements> {
        match self.ty(element) {
            Ty::Boxed(BoxedKind::Float, _) => Some(Elements::Floats),
            // The tags of the known blocks are those of constructors.
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(blocks) if blocks.iter().all(|block| block.tag < tags::FIRST_SPECIAL) => {
                    Some(Elements::Values)
                }
                _ => None,
            },
            Ty::Boxed(..)
            | Ty::Floats(_)
            | Ty::Array(_)
            | Ty::Closure(_)
            | Ty::OneOf(_)
            | Ty::String(_)
            | Ty::Elsewhere(_) => Some(Elements::Values),
            _ => None,
        }
    }

    /// How the array that a primitive allocates holds its elements, if it allocates one and that is known.
    #[must_use]
    pub fn elements_of_made(&self, prim: &Prim, args: &[Simple]) -> Option<Elements> {
        match (prim, args) {
            (Prim::MakeArray { kind: ArrayKind::Float, .. }, _) => Some(Elements::Floats),
            (Prim::MakeArray { kind: ArrayKind::Addr | ArrayKind::Int | ArrayKind::Rows, .. }, _) => {
                Some(Elements::Values)
            }
            (Prim::Duplicate { .. }, [array]) => {
                let is_block = || self.ty(*array).as_block().is_some();
                self.elements(*array).or_else(|| is_block().then_some(Elements::Values))
            }
            (Prim::CCall(external), args) if passes_values(external) => {
                match (external.name.as_str(), args) {
                    ("caml_make_vect" | "caml_array_make", [_, element]) => self.elements_like(*element),
                    ("caml_make_float_vect" | "caml_array_create_float", [_]) => Some(Elements::Floats),
                    ("caml_array_sub", [array, ..]) => self.elements(*array),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
