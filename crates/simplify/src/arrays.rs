//! Accesses to arrays of a kind that the front end does not know, where it is known how they hold their elements: by
//! how they were made ([`Env::elements`](flambeau_types::Env::elements)), by what is stored in them, or by a test that
//! was passed (features D12, D15, F2).

use flambeau_ir::prim::{ArrayKind, Init, Mutability, Unknown};
use flambeau_ir::{BoxedKind, Kind, Prim, Simple, Subkind, Unit, Variable};
use flambeau_types::{Elements, Operands, Ty};
use smallvec::smallvec;

use crate::Simplifier;
use crate::prims::Outcome;

/// How what is accessed as an array of unknown kind is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// An array that holds its elements so.
    Array(Elements),
    /// An array of values, or any other block, of which `Obj.field` makes an array of unknown representation.
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
    ///
    /// A store of an immediate into an array of values keeps its write barrier: the pointer that it overwrites must
    /// stay visible to a collection that has begun.
    pub fn of(
        unit: &mut Unit,
        prim: &Prim,
        args: &[Simple],
        representation: Representation,
    ) -> Option<Access> {
        if prim.needs_representation() != Some(Unknown::IsFlat) {
            return None;
        }
        let is_load = matches!(prim, Prim::ArrayLoad { .. });
        let plain = |prim| Access { lets: Vec::new(), prim, args: args.into() };
        Some(match (representation, args) {
            (Representation::Array(Elements::Floats), [array, index, value]) if !is_load => {
                let (element, unbox) = unboxed_element(unit, *value);
                Access {
                    lets: vec![unbox],
                    prim: Prim::ArrayStore { kind: ArrayKind::Float },
                    args: smallvec![*array, *index, element.into()],
                }
            }
            (Representation::Array(Elements::Floats), _) => {
                let element = unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
                Access {
                    lets: vec![(element, Prim::ArrayLoad { kind: ArrayKind::Float }, args.into())],
                    prim: Prim::Box(BoxedKind::Float),
                    args: smallvec![element.into()],
                }
            }
            (Representation::Array(Elements::Values), _) if is_load => {
                plain(Prim::ArrayLoad { kind: ArrayKind::Addr })
            }
            (Representation::Array(Elements::Values), _) => plain(Prim::ArrayStore { kind: ArrayKind::Addr }),
            (Representation::Fields, _) if is_load => plain(Prim::BlockLoadComputed),
            (Representation::Fields, _) => {
                plain(Prim::BlockStoreComputed { pointer: true, init: Init::Assignment })
            }
        })
    }
}

impl Simplifier<'_> {
    /// An access to an array of unknown representation, if that follows from how the array was made, or from what is
    /// stored: an immediate is no float, and stock's access would read one at its address.
    pub(crate) fn generic_access(&mut self, prim: &Prim, args: &[Simple]) -> Outcome {
        let made = args.first().and_then(|array| self.env.elements(*array)).map(Representation::Array);
        let stored = args.get(2).filter(|value| self.env.is_immediate(**value));
        let access = made
            .or(stored.map(|_| Representation::Fields))
            .and_then(|representation| Access::of(self.unit, prim, args, representation));
        match access {
            Some(Access { lets, prim, args }) if lets.is_empty() => Outcome::Prim(prim, args),
            Some(Access { lets, prim, args }) => Outcome::Several(lets, prim, args),
            None => Outcome::Keep(Ty::Unknown),
        }
    }

    /// An array of given elements: the first one decides.
    pub(crate) fn make_array(&mut self, mutability: Mutability, elements: &[Simple]) -> Outcome {
        match elements.first().and_then(|first| self.env.elements_like(*first)) {
            Some(Elements::Floats) => {
                let (naked, lets): (Vec<Variable>, Vec<_>) =
                    elements.iter().map(|element| unboxed_element(self.unit, *element)).unzip();
                let operands = naked.into_iter().map(Simple::Var).collect();
                Outcome::Several(lets, Prim::MakeArray { kind: ArrayKind::Float, mutability }, operands)
            }
            Some(Elements::Values) => {
                Outcome::Prim(Prim::MakeArray { kind: ArrayKind::Addr, mutability }, elements.into())
            }
            None => Outcome::Keep(Ty::pointer()),
        }
    }
}

fn unboxed_element(unit: &mut Unit, value: Simple) -> (Variable, (Variable, Prim, Operands)) {
    let element = unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
    (element, (element, Prim::Unbox(BoxedKind::Float), smallvec![value]))
}
