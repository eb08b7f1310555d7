//! Unboxing of continuation parameters (reference: flambda2-unboxing).
//!
//! The decision is made before the handler is simplified ([`decide`]); parameters for the parts are added, and recorded
//! as such in the environment ([`parts`]); the arguments for them are found when all uses are known ([`extras`]).
//!
//! # What becomes of the boxed value
//!
//! It stays a parameter: if nothing needs it any more, the upward pass drops it, and with it the allocations at the
//! uses. For a loop's parameter that only exits need that would not be enough, so there it is allocated at the
//! beginning of the handler ([`BoxedValue::Rebuilt`]), from where the allocation sinks to the exits, or is dropped by
//! the upward pass. For a variant that takes a branch ([`diamond`]). An existing box is not allocated a second time:
//! what flows into such a parameter was not allocated before (`analysis::wholes`), or the box is passed beside its
//! parts ([`BoxedValue::Available`]).
//!
//! # Closures
//!
//! One of several known closures ([`Form::Choice`]) is passed as a naked immediate that says which, with what each of
//! them captures; a call of it becomes a switch ([`crate::choices`]). Where it is not known which, as on an edge of a
//! loop whose argument comes from a join that was not unboxed, the immediate is the number of the closures, for which
//! the call stays as it was. The closure itself stays a parameter, and is never allocated a second time.
//!
//! # Poison
//!
//! Fields of a case that a use is not in are poison there. What the type of a variable that is possibly poison
//! says holds where the source reads it, and does not permit reading memory elsewhere.

mod decide;
mod diamond;
mod extras;
mod parts;

pub(crate) use decide::is_small;

use flambeau_ir::{BoxedKind, Const, Prim, Simple, ValueSlot, Variable};
use flambeau_types::{Block, Blocks, Choice, Closure, IntSet, Operands, Ty, Variant};

use crate::Simplifier;

/// A parameter whose parts are passed, too.
pub struct Unboxing {
    /// Which of the parameters.
    index: usize,
    param: Variable,
    form: Form,
    boxed: BoxedValue,
    /// The type checker says what it is, and nothing else does: an immediate may be passed, too (`Obj.magic 0` for what
    /// is never read).
    is_declared: bool,
}

/// Where the boxed value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoxedValue {
    /// It is a parameter, too.
    Passed,
    /// It is allocated from its parts at the beginning of the handler.
    Rebuilt,
    /// It is this parameter if that is a block; otherwise the parameter is an immediate, and the boxed value is
    /// allocated from its parts, by [`Prim::Rebox`] where it is a number.
    Available(Variable),
}

/// The parts of an unboxed parameter.
enum Form {
    Number(BoxedKind, Variable),
    /// A block of values, or a record of floats, with the primitive that allocates it.
    Block {
        make: Prim,
        fields: Vec<Variable>,
    },
    Variant(Parts),
    /// What a closure of known code captures.
    Closure {
        closure: Closure,
        values: Vec<(ValueSlot, Variable)>,
    },
    /// Which of several closures it is, and what each of them captures.
    Choice {
        choice: Choice,
        which: Variable,
        values: Vec<Vec<(ValueSlot, Variable)>>,
        /// Each use knows which.
        known_at_uses: bool,
    },
    /// Loads that the handler begins with, whatever the value is.
    Loads(Vec<(Prim, Variable)>),
}

/// The parts of a variant: parameters of those that are not known already.
struct Parts {
    /// 1 for an immediate; absent if it is known which of both.
    is_int: Option<Variable>,
    /// The immediate.
    constant: Option<Variable>,
    /// The only immediate, if there is one.
    only: Option<i64>,
    /// The tag, if there are several.
    tag: Option<Variable>,
    /// The fields of each tag.
    blocks: Vec<(u8, Vec<Variable>)>,
}

impl Form {
    /// All variables, in the order in which they are parameters.
    fn variables(&self) -> Vec<Variable> {
        match self {
            Form::Number(_, part) => vec![*part],
            Form::Block { fields, .. } => fields.clone(),
            Form::Variant(parts) => parts.variables().collect(),
            Form::Closure { values, .. } => values.iter().map(|(_, part)| *part).collect(),
            Form::Choice { which, values, .. } => {
                std::iter::once(*which).chain(values.iter().flatten().map(|(_, part)| *part)).collect()
            }
            Form::Loads(loads) => loads.iter().map(|(_, part)| *part).collect(),
        }
    }
}

impl Unboxing {
    /// Which of the parameters it is.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The fields of blocks, with the tags and the positions of these.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (u8, usize, Variable)> + '_ {
        let blocks: Vec<(u8, &[Variable])> = match &self.form {
            Form::Block { make: Prim::MakeBlock { tag, .. }, fields } => vec![(*tag, fields)],
            Form::Variant(parts) => parts.blocks.iter().map(|(tag, fields)| (*tag, &fields[..])).collect(),
            _ => Vec::new(),
        };
        let numbered = |(tag, fields): (u8, &[Variable])| {
            let fields: Vec<_> = fields.iter().enumerate().map(|(at, part)| (tag, at, *part)).collect();
            fields
        };
        blocks.into_iter().flat_map(numbered)
    }
}

impl Parts {
    /// All that the parameter may be.
    fn all_cases(&self) -> Variant {
        let ints = match (self.only, self.constant) {
            (Some(n), _) => IntSet::one(n),
            (None, Some(_)) => IntSet::OCAML,
            (None, None) => IntSet::empty(),
        };
        let blocks = self.blocks.iter().map(|(tag, fields)| Block {
            tag: *tag,
            exact: true,
            fields: fields.iter().map(|_| Ty::Unknown).collect(),
        });
        Variant { ints, blocks: Blocks::Known(blocks.collect()) }
    }

    /// A tag for what has none: never poison, because it may be branched on where nobody needs the outcome.
    fn some_tag(&self) -> Simple {
        Simple::naked_imm(self.blocks.first().map_or(0, |(tag, _)| i64::from(*tag)))
    }

    /// Whether all cases of a variant are among these.
    fn includes(&self, variant: &Variant) -> bool {
        let Blocks::Known(known) = &variant.blocks else { return false };
        let has_ints = self.only.is_some() || self.constant.is_some();
        let fits = |b: &Block| self.blocks.iter().any(|(t, f)| *t == b.tag && f.len() == b.fields.len());
        (has_ints || variant.ints.is_empty()) && known.iter().all(|b| b.exact && fits(b))
    }

    /// All variables, in the order in which they are parameters.
    fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        let fields = self.blocks.iter().flat_map(|(_, fields)| fields.iter().copied());
        self.is_int.into_iter().chain(self.constant).chain(self.tag).chain(fields)
    }
}

/// The names, at a use, of the values that decide which case a variant is in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tests {
    is_int: Option<Simple>,
    constant: Option<Simple>,
    tag: Option<Simple>,
}

impl Simplifier<'_> {
    /// The tests of an atom of that type that are available at this point.
    pub(crate) fn tests(&self, arg: Simple, ty: &Ty) -> Tests {
        match ty {
            Ty::Variant(variant) if matches!(&variant.blocks, Blocks::Known(known) if !known.is_empty()) => {
                let known = |prim| self.env.cse(&(prim, Operands::from_slice(&[arg]), 0));
                Tests { is_int: known(Prim::IsInt), constant: known(Prim::Untag), tag: known(Prim::GetTag) }
            }
            _ => Tests::default(),
        }
    }
}

fn is_poison(simple: Simple) -> bool {
    matches!(simple, Simple::Const(Const::Poison(_)))
}
