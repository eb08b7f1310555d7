//! What a function reads of its parameters first of all, whatever happens then: its callers may read it instead.
//!
//! Until then nothing was done that may branch, write or call: so a caller reads what the function would have read. Where
//! a check comes before, which may raise, the read is not certain.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{
    ApplyCont, Const, ContHandler, Dbg, Expr, Item, Kind, Named, Prim, Simple, Subkind, Switch, Terminator,
    Unit,
};
use smallvec::SmallVec;

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
                        None if !effects.writes().is_empty() || effects.acts() || effects.allocates() => {
                            return reads;
                        }
                        None => is_certain &= !effects.raises(),
                    }
                }
                // Where something is allocated, others may run.
                Item::LetClosures { .. } => return reads,
                Item::Let { .. } | Item::LetCont { .. } => {}
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

/// Reads a part of what is passed, before a call.
///
/// Where the function might not have done so it is `guarded`: if what is there is an immediate, because somebody knows
/// better than types (`Obj.magic 0` for what is never used), it is left alone.
pub(super) fn read(
    unit: &mut Unit,
    items: &mut Vec<Item>,
    arg: Simple,
    part: Part,
    mutability: Mutability,
    guarded: bool,
) -> Simple {
    let kind = part.kind();
    let prim = match part {
        Part::Field(field) => Prim::BlockLoad { field, mutability },
        Part::Float(field) => Prim::BlockLoadFloat { field, mutability },
        Part::Number(kind) => Prim::Unbox(kind),
        Part::Captured(_) => return Simple::Const(Const::Poison(Kind::Value)),
    };
    let var = unit.new_variable("part", kind, Subkind::Any);
    let named = Named::Prim { prim, args: SmallVec::from_slice(&[arg]), exn: None };
    let load = Item::Let { var, named, dbg: Dbg::NONE };
    if !guarded {
        items.push(load);
        return var.into();
    }
    let result = unit.new_variable("part", kind, Subkind::Any);
    let is_int = unit.new_variable("is_int", Kind::NakedImmediate, Subkind::Any);
    let (cont, block) = (unit.new_continuation("part"), unit.new_continuation("block"));
    let jump = |cont, arg: Option<Simple>| ApplyCont { cont, args: arg.into_iter().collect() };
    let handler = ContHandler {
        cont: block,
        params: SmallVec::new(),
        body: Expr { items: vec![load], terminator: Terminator::ApplyCont(jump(cont, Some(var.into()))) },
    };
    let test = Named::Prim { prim: Prim::IsInt, args: SmallVec::from_slice(&[arg]), exn: None };
    let body = Expr {
        items: vec![
            Item::LetCont { recursive: false, handlers: vec![handler] },
            Item::Let { var: is_int, named: test, dbg: Dbg::NONE },
        ],
        terminator: Terminator::Switch(Box::new(Switch {
            scrutinee: is_int.into(),
            arms: vec![(0, jump(block, None))],
            default: Some(jump(cont, Some(Simple::Const(Const::Poison(kind))))),
            dbg: Dbg::NONE,
        })),
    };
    items.push(Item::Join { cont, params: SmallVec::from_slice(&[result]), body: Box::new(body) });
    result.into()
}
