//! Shapes: what the values of a variable have in common, as far as that is seen without considering branches.

use std::rc::Rc;

use flambeau_ir::prim::Mutability;
use flambeau_ir::tags;
use flambeau_ir::{BoxedKind, FunctionSlot, IntKind, Prim, SetOfClosures, Simple};
use flambeau_types::{Block, Blocks, Choice, Closure, IntSet, Ty, Variant};
use smallvec::{SmallVec, smallvec};

use crate::Functions;

/// More blocks than these are not distinguished.
const BLOCKS: usize = 6;

/// The lattice of the pre-pass. It is of little height, so that loops are soon done: integers are few, or any.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Nothing has come yet.
    Bottom,
    /// A boxed number.
    Boxed(BoxedKind),
    /// These immediates, and blocks of these tags and sizes.
    Variant {
        /// Few, or all.
        ints: IntSet,
        /// By increasing tag.
        blocks: SmallVec<[(u8, u32); 2]>,
    },
    /// A record of so many floats that is never assigned.
    Floats(usize),
    /// One of these closures, by increasing slot; it is known what they capture.
    Closures(SmallVec<[Rc<Closure>; 1]>),
    /// One of these naked immediates.
    Immediate(IntSet),
    /// Anything.
    Top,
}

impl Shape {
    /// Any immediate.
    pub fn int() -> Shape {
        Shape::Variant { ints: IntSet::OCAML, blocks: SmallVec::new() }
    }

    /// This immediate.
    pub fn constant(n: i64) -> Shape {
        Shape::Variant { ints: IntSet::one(n), blocks: SmallVec::new() }
    }

    /// The immediates of a variant.
    pub fn ints(&self) -> Option<IntSet> {
        match self {
            Shape::Variant { ints, .. } => Some(ints.clone()),
            Shape::Bottom
            | Shape::Boxed(_)
            | Shape::Floats(_)
            | Shape::Closures(_)
            | Shape::Immediate(_)
            | Shape::Top => None,
        }
    }

    /// What is in either.
    pub fn join(&self, other: &Shape) -> Shape {
        match (self, other) {
            (Shape::Bottom, x) | (x, Shape::Bottom) => x.clone(),
            (Shape::Boxed(a), Shape::Boxed(b)) if a == b => Shape::Boxed(*a),
            (Shape::Floats(a), Shape::Floats(b)) if a == b => Shape::Floats(*a),
            (Shape::Closures(a), Shape::Closures(b)) => closures(a, b).map_or(Shape::Top, Shape::Closures),
            (Shape::Immediate(a), Shape::Immediate(b)) => {
                let both = a.union(b);
                if both.as_few().is_some() { Shape::Immediate(both) } else { Shape::Top }
            }
            (Shape::Variant { ints: i, blocks: a }, Shape::Variant { ints: j, blocks: b }) => {
                let mut all = a.clone();
                for &(tag, size) in b {
                    match all.iter().find(|(t, _)| *t == tag) {
                        Some((_, s)) if *s != size => return Shape::Top,
                        Some(_) => {}
                        None => all.push((tag, size)),
                    }
                }
                all.sort_unstable();
                let ints = i.union(j);
                let ints = if ints.as_few().is_some() { ints } else { IntSet::OCAML };
                if all.len() > BLOCKS { Shape::Top } else { Shape::Variant { ints, blocks: all } }
            }
            _ => Shape::Top,
        }
    }

    /// The type of what has the shape.
    pub fn ty(&self) -> Ty {
        match self {
            Shape::Bottom | Shape::Top => Ty::Unknown,
            Shape::Boxed(kind) => Ty::boxed(*kind, Ty::Unknown),
            Shape::Floats(size) => Ty::floats(std::iter::repeat_n(Ty::Unknown, *size)),
            Shape::Closures(closures) => Ty::one_of(closures.iter().map(|c| Closure::clone(c)).collect()),
            Shape::Immediate(ints) => Ty::Int(ints.clone()),
            Shape::Variant { ints, blocks } => {
                let known = blocks
                    .iter()
                    .map(|&(tag, size)| Block {
                        tag,
                        exact: true,
                        fields: std::iter::repeat_n(Ty::Unknown, size as usize).collect(),
                    })
                    .collect();
                Ty::Variant(Rc::new(Variant { ints: ints.clone(), blocks: Blocks::Known(known) }))
            }
        }
    }

    /// The shape of a value of that type.
    pub fn of_ty(ty: &Ty) -> Shape {
        match ty {
            Ty::Boxed(kind, _) => Shape::Boxed(*kind),
            Ty::Floats(fields) => Shape::Floats(fields.len()),
            Ty::Closure(closure) => Shape::Closures(smallvec![Rc::new(without_values(closure))]),
            Ty::OneOf(choice) => {
                Shape::Closures(choice.closures.iter().map(|c| Rc::new(without_values(c))).collect())
            }
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(known) if known.iter().all(|b| b.exact) => Shape::Variant {
                    ints: match variant.ints.as_few() {
                        Some(_) => variant.ints.clone(),
                        None => IntSet::OCAML,
                    },
                    blocks: known.iter().map(|b| (b.tag, b.fields.len() as u32)).collect(),
                },
                _ => Shape::Top,
            },
            _ => Shape::Top,
        }
    }

    /// The shape of a closure allocated in the function.
    pub fn of_closure(slot: FunctionSlot, set: &SetOfClosures, functions: &Functions) -> Shape {
        let values = set.values.iter().map(|(value, _)| (*value, Ty::Unknown)).collect();
        Shape::Closures(smallvec![Rc::new(Closure { slot, functions: Rc::clone(functions), values })])
    }

    /// The shape of the result of a primitive.
    pub fn of_prim(prim: &Prim, args: usize) -> Shape {
        match prim {
            Prim::Box(kind) => Shape::Boxed(*kind),
            prim if prim.makes_immutable_floats() => Shape::Floats(args),
            Prim::MakeBlock { tag, mutability: Mutability::Immutable } if *tag < tags::FIRST_SPECIAL => {
                let blocks = SmallVec::from_slice(&[(*tag, args as u32)]);
                Shape::Variant { ints: IntSet::empty(), blocks }
            }
            Prim::Tag
            | Prim::StringLength
            | Prim::ArrayLength { .. }
            | Prim::BigarrayDim { .. }
            | Prim::IntCompare3 { .. }
            | Prim::FloatCompare3
            | Prim::IntArith { kind: IntKind::Tagged, .. }
            | Prim::IntShift { kind: IntKind::Tagged, .. }
            | Prim::IntDiv { kind: IntKind::Tagged }
            | Prim::IntMod { kind: IntKind::Tagged } => Shape::int(),
            _ => Shape::Top,
        }
    }
}

/// What is in either, if they are not too many, and of one slot always the same.
fn closures(a: &[Rc<Closure>], b: &[Rc<Closure>]) -> Option<SmallVec<[Rc<Closure>; 1]>> {
    let mut all: SmallVec<[Rc<Closure>; 1]> = a.into();
    for closure in b {
        match all.iter().find(|c| c.slot == closure.slot) {
            Some(same) if same == closure => {}
            Some(_) => return None,
            None => all.push(Rc::clone(closure)),
        }
    }
    all.sort_unstable_by_key(|closure| closure.slot);
    (all.len() <= Choice::MOST).then_some(all)
}

/// What a variable is only another name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Nothing has come yet.
    Bottom,
    /// This atom, on each incoming path.
    Is(Simple),
    /// It has a value of its own.
    Top,
}

/// What the pre-pass knows of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// What its values have in common.
    pub shape: Shape,
    /// What it is a name of.
    pub alias: Alias,
    /// It is possibly poison: what its type claims does not permit reading memory where the source does not.
    pub may_be_poison: bool,
}

impl Knowledge {
    /// Nothing has come yet.
    pub const BOTTOM: Knowledge =
        Knowledge { shape: Shape::Bottom, alias: Alias::Bottom, may_be_poison: false };
    /// Anything.
    pub const TOP: Knowledge = Knowledge { shape: Shape::Top, alias: Alias::Top, may_be_poison: false };
}

/// What is captured is ignored: shapes contain no variables.
fn without_values(closure: &Closure) -> Closure {
    Closure {
        slot: closure.slot,
        functions: closure.functions.clone(),
        values: closure.values.iter().map(|(slot, _)| (*slot, Ty::Unknown)).collect(),
    }
}
