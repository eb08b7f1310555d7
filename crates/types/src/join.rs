//! Join: what holds of a value that comes along either of two edges.

use std::rc::Rc;

use flambeau_ir::{Const, Simple};
use smallvec::SmallVec;

use crate::{Block, Blocks, Closure, Ty};

/// Levels of fields that are joined; those below become unknown. Recursive data would go on for ever.
const DEPTH: u32 = 4;
/// Variants of more tags than these are any pointer.
const TAGS: usize = 24;

/// The least expressible type which includes both. Aliases must be in scope where the result is used; `head` returns
/// what is known of one.
///
/// Poison is no value, so it joins as `Bottom` does: the other side wins, an alias included, since reading poison may
/// give anything, that alias too. It never makes two unknown values aliases of each other, because an alias
/// survives only if every side names it or is poison.
pub fn join(left: &Ty, right: &Ty, head: &dyn Fn(Simple) -> Ty) -> Ty {
    join_at(left, right, head, DEPTH)
}

fn join_at(left: &Ty, right: &Ty, head: &dyn Fn(Simple) -> Ty, depth: u32) -> Ty {
    if left == right {
        return left.clone();
    }
    if is_bottom(left) {
        return right.clone();
    }
    if is_bottom(right) {
        return left.clone();
    }
    if depth == 0 {
        return Ty::Unknown;
    }
    let (left, right) = (expand(left, head), expand(right, head));
    match (&left, &right) {
        (Ty::Bottom, other) | (other, Ty::Bottom) => other.clone(),
        (Ty::Unknown | Ty::Is(_), _) | (_, Ty::Unknown | Ty::Is(_)) => {
            if left == right {
                left
            } else {
                Ty::Unknown
            }
        }
        (Ty::Int(a), Ty::Int(b)) => Ty::Int(a.union(b)),
        (Ty::Boxed(a, x), Ty::Boxed(b, y)) if a == b => Ty::boxed(*a, join_at(x, y, head, depth - 1)),
        (Ty::Floats(a), Ty::Floats(b)) if a.len() == b.len() => {
            Ty::floats(a.iter().zip(b.iter()).map(|(x, y)| join_at(x, y, head, depth - 1)))
        }
        (Ty::Array(elements), other) | (other, Ty::Array(elements)) if is_empty_array(other) => {
            Ty::Array(*elements)
        }
        (Ty::Closure(_) | Ty::OneOf(_), Ty::Closure(_) | Ty::OneOf(_)) => {
            choices(&left, &right, head, depth).map_or_else(Ty::pointer, Ty::one_of)
        }
        (Ty::Instance(a, x), Ty::Instance(b, y)) if a == b => {
            Ty::Instance(*a, Rc::new(join_at(x, y, head, depth - 1)))
        }
        (Ty::Variant(a), Ty::Variant(b)) => {
            let ints = a.ints.union(&b.ints);
            Ty::variant(ints, blocks(&a.blocks, &b.blocks, head, depth))
        }
        _ => match (left.immediates(), right.immediates()) {
            (Some(a), Some(b)) => Ty::variant(a.union(&b), pointers(&left, &right)),
            _ => Ty::Unknown,
        },
    }
}

/// The pointers of two types which are not both variants.
fn pointers(left: &Ty, right: &Ty) -> Blocks {
    let none = |ty: &Ty| matches!(ty, Ty::Variant(v) if v.blocks.is_none());
    if none(left) && none(right) { Blocks::none() } else { Blocks::Any }
}

fn is_empty_array(ty: &Ty) -> bool {
    ty.as_block().is_some_and(|block| block.exact && block.fields.is_empty())
}

fn is_bottom(ty: &Ty) -> bool {
    matches!(ty, Ty::Bottom | Ty::Is(Simple::Const(Const::Poison(_))))
}

fn expand(ty: &Ty, head: &dyn Fn(Simple) -> Ty) -> Ty {
    match ty {
        Ty::Is(simple) => match head(*simple) {
            // Naked floats have no other type than their constant.
            Ty::Is(other) if other == *simple => ty.clone(),
            known => known,
        },
        _ => ty.clone(),
    }
}

fn closures(a: &Closure, b: &Closure, head: &dyn Fn(Simple) -> Ty, depth: u32) -> Closure {
    let values = a
        .values
        .iter()
        .filter_map(|(slot, x)| {
            let (_, y) = b.values.iter().find(|(other, _)| other == slot)?;
            Some((*slot, join_at(x, y, head, depth - 1)))
        })
        .collect();
    Closure { slot: a.slot, functions: a.functions.clone(), values }
}

/// The closures that a value may be.
fn as_closures(ty: &Ty) -> &[Closure] {
    match ty {
        Ty::Closure(closure) => std::slice::from_ref(closure),
        Ty::OneOf(choice) => &choice.closures,
        _ => &[],
    }
}

/// The closures of two types; `None` if one slot is of different sets.
fn choices(left: &Ty, right: &Ty, head: &dyn Fn(Simple) -> Ty, depth: u32) -> Option<SmallVec<[Closure; 2]>> {
    let mut all: SmallVec<[Closure; 2]> = as_closures(left).iter().cloned().collect();
    for closure in as_closures(right) {
        match all.iter_mut().find(|c| c.slot == closure.slot) {
            Some(same) if same.functions == closure.functions => *same = closures(same, closure, head, depth),
            Some(_) => return None,
            None => all.push(closure.clone()),
        }
    }
    Some(all)
}

fn blocks(a: &Blocks, b: &Blocks, head: &dyn Fn(Simple) -> Ty, depth: u32) -> Blocks {
    let (Blocks::Known(a), Blocks::Known(b)) = (a, b) else {
        return Blocks::Any;
    };
    let mut all = SmallVec::<[Block; 1]>::new();
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let block = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) if x.tag == y.tag => {
                let block = same_tag(x, y, head, depth);
                left.next();
                right.next();
                block
            }
            (Some(x), y) if y.is_none_or(|y| x.tag < y.tag) => {
                let block = (*x).clone();
                left.next();
                block
            }
            (_, Some(y)) => {
                let block = (*y).clone();
                right.next();
                block
            }
            (Some(_), None) => unreachable!("taken by the arm before"),
        };
        all.push(block);
    }
    if all.len() > TAGS { Blocks::Any } else { Blocks::Known(all) }
}

fn same_tag(x: &Block, y: &Block, head: &dyn Fn(Simple) -> Ty, depth: u32) -> Block {
    let fields = x.fields.iter().zip(&y.fields).map(|(a, b)| join_at(a, b, head, depth - 1)).collect();
    Block { tag: x.tag, exact: x.exact && y.exact && x.fields.len() == y.fields.len(), fields }
}
