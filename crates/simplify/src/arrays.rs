//! Arrays of a kind that the front end does not know: of those that were allocated here it is known what they hold
//! (features D12).

use flambeau_ir::prim::{ArrayKind, Mutability};
use flambeau_ir::{BoxedKind, Kind, Prim, Simple, Subkind, Variable};
use flambeau_types::{Elements, Operands, Ty};

use crate::Simplifier;
use crate::prims::Outcome;

const FLOATS: ArrayKind = ArrayKind::Float;

impl Simplifier<'_> {
    pub(crate) fn array_load(&mut self, array: Simple, index: Simple) -> Outcome {
        let operands = Operands::from_slice(&[array, index]);
        match self.env.elements(array) {
            Some(Elements::Floats) => {
                let element = self.unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
                let load = (element, Prim::ArrayLoad { kind: FLOATS }, operands);
                Outcome::Several(
                    vec![load],
                    Prim::Box(BoxedKind::Float),
                    Operands::from_slice(&[element.into()]),
                )
            }
            Some(Elements::Values) => Outcome::Prim(Prim::ArrayLoad { kind: ArrayKind::Addr }, operands),
            None => Outcome::Keep(Ty::Unknown),
        }
    }

    pub(crate) fn array_store(&mut self, array: Simple, index: Simple, value: Simple) -> Outcome {
        match self.env.elements(array) {
            Some(Elements::Floats) => {
                let (element, unbox) = self.unboxed_element(value);
                let operands = Operands::from_slice(&[array, index, element.into()]);
                Outcome::Several(vec![unbox], Prim::ArrayStore { kind: FLOATS }, operands)
            }
            Some(Elements::Values) => {
                let is_immediate = matches!(self.env.ty(value), Ty::Variant(v) if v.is_immediate());
                let kind = if is_immediate { ArrayKind::Int } else { ArrayKind::Addr };
                Outcome::Prim(Prim::ArrayStore { kind }, Operands::from_slice(&[array, index, value]))
            }
            None => Outcome::Keep(Ty::Unknown),
        }
    }

    /// An array of given elements: the first one decides.
    pub(crate) fn make_array(&mut self, mutability: Mutability, elements: &[Simple]) -> Outcome {
        match elements.first().and_then(|first| self.env.elements_like(*first)) {
            Some(Elements::Floats) => {
                let (naked, lets): (Vec<Variable>, Vec<_>) =
                    elements.iter().map(|element| self.unboxed_element(*element)).unzip();
                let operands = naked.into_iter().map(Simple::Var).collect();
                Outcome::Several(lets, Prim::MakeArray { kind: FLOATS, mutability }, operands)
            }
            Some(Elements::Values) => {
                Outcome::Prim(Prim::MakeArray { kind: ArrayKind::Addr, mutability }, elements.into())
            }
            None => Outcome::Keep(Ty::pointer()),
        }
    }

    fn unboxed_element(&mut self, value: Simple) -> (Variable, (Variable, Prim, Operands)) {
        let element = self.unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
        (element, (element, Prim::Unbox(BoxedKind::Float), Operands::from_slice(&[value])))
    }
}
