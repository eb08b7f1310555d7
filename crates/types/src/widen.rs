//! Widening: what is kept of a type where loops are followed before anything of them is known.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::{Block, Blocks, Closure, IntSet, Ty};

/// Blocks of more tags than these are not distinguished.
const TAGS: usize = 6;

impl Ty {
    /// What a value is, and nothing of what it contains; integers are few, or any, and sizes of blocks known. So there
    /// is no variable in it, and joins of such types are soon the same, however often they are made.
    #[must_use]
    pub fn widen(&self) -> Ty {
        match self {
            Ty::Bottom | Ty::Array(_) | Ty::Elsewhere(_) => self.clone(),
            Ty::Unknown | Ty::Is(_) | Ty::Instance(..) | Ty::String(_) => Ty::Unknown,
            Ty::Boxed(kind, _) => Ty::boxed(*kind, Ty::Unknown),
            Ty::Floats(fields) => Ty::floats(fields.iter().map(|_| Ty::Unknown)),
            Ty::Closure(closure) => Ty::Closure(Rc::new(without_values(closure))),
            Ty::OneOf(choice) => Ty::one_of(choice.closures.iter().map(without_values).collect()),
            Ty::Int(ints) => few(ints).map_or(Ty::Unknown, Ty::Int),
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(known) if known.len() <= TAGS && known.iter().all(|block| block.exact) => {
                    let blocks = known.iter().map(without_fields).collect();
                    Ty::variant(few(&variant.ints).unwrap_or(IntSet::OCAML), Blocks::Known(blocks))
                }
                _ => Ty::Unknown,
            },
        }
    }
}

/// The set, if it is of few integers.
fn few(ints: &IntSet) -> Option<IntSet> {
    ints.as_few().map(|_| ints.clone())
}

fn without_fields(block: &Block) -> Block {
    let fields = SmallVec::from_elem(Ty::Unknown, block.fields.len());
    Block { tag: block.tag, exact: block.exact, fields }
}

fn without_values(closure: &Closure) -> Closure {
    let values = closure.values.iter().map(|(slot, _)| (*slot, Ty::Unknown)).collect();
    Closure { slot: closure.slot, functions: closure.functions.clone(), values }
}
