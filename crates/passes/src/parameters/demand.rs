//! What a function reads of its parameters first of all, whatever happens then: its callers may read it instead.
//!
//! Until then nothing was done that may write or call, and whatever branch is taken reads it: so a caller reads what
//! the function would have read. Where a check comes before, which may raise, the read is not certain.

use flambeau_ir::prim::Mutability;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, BoxedKind, Const, Continuation, Expr, Item, Kind, Named, Prim, Simple, Subkind, Switch,
    Terminator, Unit,
};
use rustc_hash::FxHashMap;
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

/// Branches that are followed, one in the other.
const DEEPEST: u32 = 4;

/// What a body reads before anything else but checks, in order. Behind a branch, what each of its arms reads: what only
/// some do may be no part of what is there for the others (the type of a value may depend on what another one is).
pub(super) fn first_reads(body: &Expr) -> Vec<Read> {
    FirstReads::default().of(body, true, DEEPEST)
}

/// The handlers that are in scope.
#[derive(Default)]
struct FirstReads<'e> {
    handlers: FxHashMap<Continuation, &'e Expr>,
}

impl<'e> FirstReads<'e> {
    fn of(&mut self, body: &'e Expr, mut is_certain: bool, depth: u32) -> Vec<Read> {
        let mut reads = Vec::new();
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
                    Item::LetCont { recursive: false, handlers } => {
                        self.handlers.extend(handlers.iter().map(|handler| (handler.cont, &handler.body)));
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
            match &run.terminator {
                Terminator::Try { body, .. } if next.is_none() => next = Some(body),
                Terminator::Switch(switch) if next.is_none() && depth > 0 => {
                    reads.extend(self.of_all_arms(switch, is_certain, depth - 1));
                }
                _ => {}
            }
        }
        reads
    }

    /// The reads of all arms, of what each of them reads.
    fn of_all_arms(&mut self, switch: &Switch, is_certain: bool, depth: u32) -> Vec<Read> {
        let jumps = switch.arms.iter().map(|(_, jump)| jump).chain(&switch.default);
        let bodies: Option<Vec<&Expr>> = jumps.map(|jump| self.handlers.get(&jump.cont).copied()).collect();
        let Some(bodies) = bodies else { return Vec::new() };
        let arms: Vec<Vec<Read>> =
            bodies.into_iter().map(|body| deep(|| self.of(body, is_certain, depth))).collect();
        let same = |a: &Read, b: &Read| a.atom == b.atom && a.part == b.part;
        let in_all = |read: &Read| arms.iter().all(|arm| arm.iter().any(|other| same(read, other)));
        let certain = |read: &Read| {
            arms.iter().all(|arm| arm.iter().any(|other| same(read, other) && other.is_certain))
        };
        let common = arms.iter().flatten().filter(|read| in_all(read));
        common.map(|read| Read { is_certain: certain(read), ..*read }).collect()
    }
}

/// Reads parts of what is passed, before a call.
///
/// Where the function might not have done so it is `guarded`: if what is there is an immediate, because somebody knows
/// better than types (`Obj.magic 0` for what is never used), it is left alone (features G8). Of a number zero is passed
/// then: who gets it back compares it.
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
    let nothing = |(part, _): &(Part, Mutability)| match *part {
        Part::Number(kind) => Simple::Const(zero(kind)),
        _ => Simple::Const(Const::Poison(part.kind())),
    };
    let skip = ApplyCont { cont, args: parts.iter().map(nothing).collect() };
    let mut body = Expr { items: vec![Item::let_cont(block, read)], terminator: Terminator::Unreachable };
    let is_int = bind(unit, &mut body.items, Kind::NakedImmediate, Prim::IsInt, &[arg]);
    body.terminator = branch(is_int, skip, jump(block, None));
    items.push(Item::Join { cont, params, body: Box::new(body) });
    results
}

fn zero(kind: BoxedKind) -> Const {
    match kind {
        BoxedKind::Float => Const::NakedFloat(0),
        BoxedKind::Int32 => Const::NakedInt32(0),
        BoxedKind::Int64 => Const::NakedInt64(0),
        BoxedKind::Nativeint => Const::NakedNativeint(0),
    }
}
