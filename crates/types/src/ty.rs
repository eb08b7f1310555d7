//! Types.

use std::rc::Rc;

use flambeau_ir::imports::Callee;
use flambeau_ir::{BoxedKind, CodeId, Const, FunctionSlot, Kind, Simple, Symbol, ValueSlot};
use smallvec::SmallVec;

use crate::IntSet;

/// A set of values of one kind. Claims are conditional: a variable that is never meaningfully read may hold anything
/// (poison, code that is dead for reasons of types).
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// No value: what has this type is never computed.
    Bottom,
    /// Any value of the kind.
    Unknown,
    /// This very value.
    Is(Simple),
    /// Immediates and blocks.
    Variant(Rc<Variant>),
    /// A boxed number, its contents of the naked kind.
    Boxed(BoxedKind, Rc<Ty>),
    /// A flat record of floats that is never assigned: the naked fields.
    Floats(Rc<[Ty]>),
    /// An array that was allocated as one of these elements. What is no array of them may be empty: no access of an
    /// element tells.
    Array(Elements),
    /// A closure.
    Closure(Rc<Closure>),
    /// One of several closures.
    OneOf(Rc<Choice>),
    /// A closure, or an immutable block, that behaves as the static data of that symbol does, and may be another
    /// object; and what is known of the object itself.
    Instance(Symbol, Rc<Ty>),
    /// A closure of another unit that runs this function.
    Elsewhere(Rc<Callee>),
    /// A string whose bytes are these and never change.
    String(Rc<[u8]>),
    /// A naked integer.
    Int(IntSet),
}

/// How an array holds its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Flat floats.
    Floats,
    /// Values, none of which is a float.
    Values,
}

/// Immediates and blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The immediates, untagged.
    pub ints: IntSet,
    /// The pointers.
    pub blocks: Blocks,
}

/// Which pointers a value may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Blocks {
    /// Any pointer: to boxed numbers, closures, strings too.
    Any,
    /// Blocks of values, by increasing tag, each tag once.
    Known(SmallVec<[Block; 1]>),
}

/// A block of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its tag.
    pub tag: u8,
    /// Whether `fields` are all of them, or there may be more.
    pub exact: bool,
    /// The fields that never change, `Unknown` where nothing is known.
    pub fields: SmallVec<[Ty; 2]>,
}

/// A closure.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    /// Which of the set's functions it is.
    pub slot: FunctionSlot,
    /// All functions of the set: shared by its closures, since there may be thousands of each.
    pub functions: Rc<[(FunctionSlot, CodeId)]>,
    /// The captured values, as far as they are known.
    pub values: SmallVec<[(ValueSlot, Ty); 2]>,
}

/// One of several closures, each with its own function.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The naked immediate that says which one, if there is one in scope: the position in `closures`, or their number
    /// where nobody knows.
    pub which: Ty,
    /// The closures, by increasing slot: from two to [`Choice::MOST`].
    pub closures: SmallVec<[Closure; 2]>,
}

impl Choice {
    /// More closures than these are not distinguished.
    pub const MOST: usize = 16;

    /// The position of a closure's function.
    #[must_use]
    pub fn position(&self, closure: &Closure) -> Option<usize> {
        self.closures.iter().position(|c| c.slot == closure.slot)
    }
}

impl Closure {
    /// What runs when it is called; nothing for a slot that the set does not have.
    #[must_use]
    pub fn code(&self) -> Option<CodeId> {
        self.functions.iter().find(|(slot, _)| *slot == self.slot).map(|(_, code)| *code)
    }
}

impl Ty {
    /// Tagged immediates.
    #[must_use]
    pub fn tagged(ints: IntSet) -> Ty {
        Ty::Variant(Rc::new(Variant { ints, blocks: Blocks::none() }))
    }

    /// Any pointer.
    #[must_use]
    pub fn pointer() -> Ty {
        Ty::Variant(Rc::new(Variant { ints: IntSet::empty(), blocks: Blocks::Any }))
    }

    /// A block with these fields.
    pub fn block(tag: u8, fields: impl IntoIterator<Item = Ty>) -> Ty {
        let block = Block { tag, exact: true, fields: fields.into_iter().collect() };
        Ty::Variant(Rc::new(Variant {
            ints: IntSet::empty(),
            blocks: Blocks::Known(SmallVec::from_iter([block])),
        }))
    }

    /// A boxed number.
    #[must_use]
    pub fn boxed(kind: BoxedKind, contents: Ty) -> Ty {
        Ty::Boxed(kind, Rc::new(contents))
    }

    /// One of these closures, of which there is none or a single one of each slot; anything if they are too many.
    #[must_use]
    pub fn one_of(mut closures: SmallVec<[Closure; 2]>) -> Ty {
        if closures.len() < 2 {
            return closures.pop().map_or(Ty::Bottom, |closure| Ty::Closure(Rc::new(closure)));
        }
        if closures.len() > Choice::MOST {
            return Ty::pointer();
        }
        closures.sort_unstable_by_key(|closure| closure.slot);
        Ty::OneOf(Rc::new(Choice { which: Ty::Unknown, closures }))
    }

    /// A flat record of floats.
    pub fn floats(fields: impl IntoIterator<Item = Ty>) -> Ty {
        Ty::Floats(fields.into_iter().collect())
    }

    /// What behaves as the static data of a symbol does, and is otherwise unknown.
    #[must_use]
    pub fn instance(symbol: Symbol) -> Ty {
        Ty::Instance(symbol, Rc::new(Ty::Unknown))
    }

    /// What has this type, where besides the object itself is known to be of another type: a value with a specialised
    /// instance is described by what the instance does, or, where that is not wanted, by what the object is.
    #[must_use]
    pub fn with_object(&self, object: &Ty) -> Ty {
        match (self, object) {
            (_, Ty::Unknown) => self.clone(),
            (Ty::Unknown, object) => object.clone(),
            (Ty::Instance(symbol, known), object) if **known == Ty::Unknown => {
                Ty::Instance(*symbol, Rc::new(object.clone()))
            }
            _ => match (self.as_block(), object.as_block()) {
                (Some(block), Some(object)) if block.tag == object.tag => {
                    let known = |index: usize| object.fields.get(index).unwrap_or(&Ty::Unknown);
                    let fields = block.fields.iter().enumerate().map(|(i, ty)| ty.with_object(known(i)));
                    let block = Block { tag: block.tag, exact: block.exact, fields: fields.collect() };
                    Ty::Variant(Rc::new(Variant {
                        ints: IntSet::empty(),
                        blocks: Blocks::Known(SmallVec::from_iter([block])),
                    }))
                }
                _ => self.clone(),
            },
        }
    }

    /// 0 or 1, naked.
    #[must_use]
    pub fn bool() -> Ty {
        Ty::Int(IntSet::bool())
    }

    /// All that is known of a constant. Poison may be anything, and reading it is no contradiction.
    #[must_use]
    pub fn of_const(c: Const) -> Ty {
        match c {
            Const::Tagged(n) => Ty::tagged(IntSet::one(n)),
            Const::NakedImmediate(n) | Const::NakedInt64(n) | Const::NakedNativeint(n) => {
                Ty::Int(IntSet::one(n))
            }
            Const::NakedInt32(n) => Ty::Int(IntSet::one(i64::from(n))),
            Const::NakedFloat(_) => Ty::Is(Simple::Const(c)),
            Const::Poison(_) => Ty::Unknown,
        }
    }

    /// Normal form: what is empty is `Bottom`, what is everything is `Unknown`.
    #[must_use]
    pub fn variant(ints: IntSet, blocks: Blocks) -> Ty {
        let no_blocks = matches!(&blocks, Blocks::Known(known) if known.is_empty());
        if ints.is_empty() && no_blocks {
            return Ty::Bottom;
        }
        if matches!(blocks, Blocks::Any) && ints.includes(&IntSet::OCAML) {
            return Ty::Unknown;
        }
        Ty::Variant(Rc::new(Variant { ints, blocks }))
    }

    /// The constant that it is, as a value of the kind.
    pub fn as_const(&self, kind: Kind) -> Option<Const> {
        match self {
            Ty::Is(Simple::Const(c)) => Some(*c),
            Ty::Variant(variant) if variant.blocks.is_none() => variant.ints.as_one().map(Const::Tagged),
            Ty::Int(ints) => {
                let n = ints.as_one()?;
                Some(match kind {
                    Kind::NakedImmediate => Const::NakedImmediate(n),
                    Kind::NakedInt32 => Const::NakedInt32(i32::try_from(n).ok()?),
                    Kind::NakedInt64 => Const::NakedInt64(n),
                    Kind::NakedNativeint => Const::NakedNativeint(n),
                    Kind::Value | Kind::NakedFloat => return None,
                })
            }
            _ => None,
        }
    }

    /// Immediates and pointers of a value; `None` for naked ones and aliases.
    #[must_use]
    pub fn immediates(&self) -> Option<IntSet> {
        match self {
            Ty::Bottom
            | Ty::Boxed(..)
            | Ty::Floats(_)
            | Ty::Array(_)
            | Ty::Closure(_)
            | Ty::OneOf(_)
            | Ty::String(_)
            | Ty::Instance(..)
            | Ty::Elsewhere(_) => Some(IntSet::empty()),
            Ty::Unknown => Some(IntSet::OCAML),
            Ty::Variant(variant) => Some(variant.ints.clone()),
            Ty::Is(_) | Ty::Int(_) => None,
        }
    }

    /// The pointers of a variant; of what is no variant, any.
    #[must_use]
    pub fn blocks(&self) -> Blocks {
        match self {
            Ty::Bottom => Blocks::none(),
            Ty::Variant(variant) => variant.blocks.clone(),
            _ => Blocks::Any,
        }
    }

    /// The only block that it can be, if it can be no other pointer and no immediate.
    #[must_use]
    pub fn as_block(&self) -> Option<&Block> {
        match self {
            Ty::Variant(variant) if variant.ints.is_empty() => match &variant.blocks {
                Blocks::Known(known) if known.len() == 1 => Some(&known[0]),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Variant {
    /// Whether nothing but immediates.
    #[must_use]
    pub fn is_immediate(&self) -> bool {
        self.blocks.is_none()
    }
}

impl Blocks {
    /// No pointer.
    #[must_use]
    pub fn none() -> Blocks {
        Blocks::Known(SmallVec::new())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Blocks::Known(known) if known.is_empty())
    }

    /// The tags, if they are known.
    #[must_use]
    pub fn tags(&self) -> Option<IntSet> {
        match self {
            Blocks::Any => None,
            Blocks::Known(known) => {
                Some(known.iter().fold(IntSet::empty(), |set, b| set.union(&IntSet::one(i64::from(b.tag)))))
            }
        }
    }
}
