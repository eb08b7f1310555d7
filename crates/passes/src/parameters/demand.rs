//! What a function reads of its parameters first of all, whatever happens then: its callers may read it instead.
//!
//! Until then nothing was done that may branch, write or call: so a caller reads what the function would have read.
//! Where a check comes before, which may raise, the read is not certain.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{ApplyCont, Const, Expr, Item, Kind, Named, Prim, Simple, Subkind, Terminator, Unit};
use smallvec::SmallVec;

use super::build::{bind, branch, jump};
use super::parts::Part;

/// A read of a part of what an atom is.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub atom: Simple,
    pub part: Part,
    /// Whether it might read something else at another time.
    pub mutability: Mutability,
    /// Nothing can keep it from being done: what is read is there, whatever types say (features G8).
    pub is_certain: bool,
}

impl Read {
    /// The read that a primitive is.
    pub fn of(prim: &Prim, args: &[Simple]) -> Option<Read> {
        let (part, mutability) = match prim {
            Prim::BlockLoad { field, mutability } => (Part::Field(*field), *mutability),
            Prim::BlockLoadFloat { field, mutability } => (Part::Float(*field), *mutability),
            Prim::ProjectValueSlot { value, .. } => (Part::Captured(*value), Mutability::Immutable),
            Prim::Unbox(kind) => (Part::Number(*kind), Mutability::Immutable),
            _ => return None,
        };
        Some(Read { atom: *args.first()?, part, mutability, is_certain: true })
    }
}

/// What is asked of a value that may be a constructor, if it is known to be a block.
#[derive(Clone, Copy)]
pub(super) enum Test {
    /// Whether it is an immediate.
    IsImmediate,
    /// Whether it is that immediate.
    Is(i64),
    /// Whether it is another value than that immediate.
    IsNot(i64),
    /// Which immediate it is.
    Immediate,
    Tag,
}

impl Test {
    /// The outcome of the test for a block with that tag.
    pub fn outcome(self, tag: i64) -> Simple {
        let outcome = match self {
            // What is no immediate is never asked which it is.
            Test::IsImmediate | Test::Is(_) | Test::Immediate => 0,
            Test::IsNot(_) => 1,
            Test::Tag => tag,
        };
        Const::NakedImmediate(outcome).into()
    }
}

/// The test that a primitive is, and of what.
pub(super) fn tested(prim: &Prim, args: &[Simple]) -> Option<(Simple, Test)> {
    match (prim, args) {
        (Prim::IsInt, [atom]) => Some((*atom, Test::IsImmediate)),
        (Prim::GetTag, [atom]) => Some((*atom, Test::Tag)),
        (Prim::Untag, [atom]) => Some((*atom, Test::Immediate)),
        (
            Prim::PhysEqual { negated },
            [atom, Simple::Const(Const::Tagged(number))] | [Simple::Const(Const::Tagged(number)), atom],
        ) => Some((*atom, if *negated { Test::IsNot(*number) } else { Test::Is(*number) })),
        _ => None,
    }
}

/// What a body reads before anything else but checks, in order.
pub(super) fn first_reads(body: &Expr) -> Vec<Read> {
    let mut reads = Vec::new();
    let mut is_certain = true;
    let mut next = Some(body);
    while let Some(run) = next.take() {
        for item in &run.items {
            match item {
                Item::Let { named: Named::Prim { prim, args, .. }, .. } => {
                    let effects = prim.effects();
                    match Read::of(prim, args) {
                        Some(read) => reads.push(Read { is_certain, ..read }),
                        None if !effects.writes().is_empty() || effects.acts() => return reads,
                        None => is_certain &= !effects.raises(),
                    }
                }
                // A read may come before an allocation (`docs/memory-model.md`).
                Item::Let { .. } | Item::LetClosures { .. } | Item::LetCont { .. } => {}
                // The rest of the run comes after the body.
                Item::Join { body, .. } => {
                    next = Some(body);
                    break;
                }
            }
        }
        if next.is_none()
            && let Terminator::Try { body, .. } = &run.terminator
        {
            next = Some(body);
        }
    }
    reads
}

/// Reads parts of what is passed, before a call.
///
/// Where the function might not have done so it is `guarded`: if what is there is an immediate, because somebody knows
/// better than types (`Obj.magic 0` for what is never used), it is left alone.
pub(super) fn read(
    unit: &mut Unit,
    items: &mut Vec<Item>,
    arg: Simple,
    parts: &[(Part, Mutability)],
    guarded: bool,
) -> SmallVec<[Simple; 2]> {
    let mut loads = Vec::new();
    let mut load = |(part, mutability): &(Part, Mutability)| {
        let prim = match *part {
            Part::Field(field) => Prim::BlockLoad { field, mutability: *mutability },
            Part::Float(field) => Prim::BlockLoadFloat { field, mutability: *mutability },
            Part::Number(kind) => Prim::Unbox(kind),
            // These are never read before a call.
            Part::Captured(_) | Part::Which => return Simple::Const(Const::Poison(part.kind())),
        };
        bind(unit, &mut loads, part.kind(), prim, &[arg])
    };
    let values: SmallVec<[Simple; 2]> = parts.iter().map(&mut load).collect();
    if !guarded {
        items.extend(loads);
        return values;
    }
    let result = |(part, _): &(Part, Mutability)| unit.new_variable("part", part.kind(), Subkind::Any);
    let params: SmallVec<[_; 2]> = parts.iter().map(result).collect();
    let results = params.iter().map(|param| (*param).into()).collect();
    let (cont, block) = (unit.new_continuation("parts"), unit.new_continuation("block"));
    let read = Expr { items: loads, terminator: Terminator::ApplyCont(ApplyCont { cont, args: values }) };
    let poison = |(part, _): &(Part, Mutability)| Simple::Const(Const::Poison(part.kind()));
    let skip = ApplyCont { cont, args: parts.iter().map(poison).collect() };
    let mut body = Expr { items: vec![Item::let_cont(block, read)], terminator: Terminator::Unreachable };
    let is_int = bind(unit, &mut body.items, Kind::NakedImmediate, Prim::IsInt, &[arg]);
    body.terminator = branch(is_int, skip, jump(block, None));
    items.push(Item::Join { cont, params, body: Box::new(body) });
    results
}
