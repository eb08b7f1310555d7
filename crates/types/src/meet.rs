//! Meet: what holds of a value of which two things are known.

use std::rc::Rc;

use flambeau_ir::{Const, Simple};
use smallvec::SmallVec;

use crate::{Block, Blocks, Ty};

/// What is in both, as far as we can say.
///
/// Types that contradict each other are no proof of anything beyond immediates and tags (soundness rows 28–30: code
/// that GADTs make dead, `Obj.magic`): where heads of pointers differ, the left one stays.
#[must_use]
pub fn meet(left: &Ty, right: &Ty) -> Ty {
    match (left, right) {
        (Ty::Bottom, _) | (_, Ty::Bottom) => Ty::Bottom,
        (Ty::Is(Simple::Const(Const::Poison(_))), _) | (_, Ty::Is(Simple::Const(Const::Poison(_)))) => {
            Ty::Bottom
        }
        (Ty::Unknown, other) | (other, Ty::Unknown) => other.clone(),
        (Ty::Is(_), _) => left.clone(),
        (_, Ty::Is(_)) => right.clone(),
        (Ty::Int(a), Ty::Int(b)) => {
            let both = a.intersection(b);
            if both.is_empty() { Ty::Bottom } else { Ty::Int(both) }
        }
        (Ty::Boxed(a, x), Ty::Boxed(b, y)) if a == b => Ty::Boxed(*a, Rc::new(meet(x, y))),
        (Ty::Floats(a), Ty::Floats(b)) if a.len() == b.len() => {
            Ty::floats(a.iter().zip(b.iter()).map(|(x, y)| meet(x, y)))
        }
        (Ty::Variant(a), Ty::Variant(b)) => {
            Ty::variant(a.ints.intersection(&b.ints), blocks(&a.blocks, &b.blocks))
        }
        // A closure among those that it may be.
        (Ty::OneOf(choice), Ty::Closure(closure)) if choice.position(closure).is_some() => right.clone(),
        (Ty::Variant(a), other) | (other, Ty::Variant(a)) => match other.immediates() {
            // `other` is a pointer.
            Some(ints) if ints.is_empty() => {
                if a.blocks.is_none() {
                    Ty::Bottom
                } else {
                    other.clone()
                }
            }
            _ => left.clone(),
        },
        _ => left.clone(),
    }
}

fn blocks(a: &Blocks, b: &Blocks) -> Blocks {
    match (a, b) {
        (Blocks::Any, other) | (other, Blocks::Any) => other.clone(),
        (Blocks::Known(a), Blocks::Known(b)) => Blocks::Known(
            a.iter().filter_map(|x| b.iter().find(|y| y.tag == x.tag).and_then(|y| same_tag(x, y))).collect(),
        ),
    }
}

fn same_tag(x: &Block, y: &Block) -> Option<Block> {
    let (short, long) = if x.fields.len() <= y.fields.len() { (x, y) } else { (y, x) };
    if short.exact && short.fields.len() < long.fields.len() {
        return None;
    }
    let mut fields: SmallVec<[Ty; 2]> = long.fields.clone();
    for (field, other) in fields.iter_mut().zip(&short.fields) {
        *field = meet(field, other);
    }
    Some(Block { tag: x.tag, exact: x.exact || y.exact, fields })
}
