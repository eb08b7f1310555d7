//! Every operation that is not pure, for tests that must see more than external functions do: the order of reads and
//! allocations, how often each operation is executed, which calls are tail calls.
//!
//! Operations are identified by their locations, which a generator of test units makes unique.

use flambeau_ir::prim::Effects;
use rustc_hash::FxHashMap;

use crate::heap::{Heap, Value};

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OperationKind {
    /// Reads what effects change.
    Read,
    /// Allocates.
    Alloc,
    /// Anything.
    Effect,
}

impl OperationKind {
    /// The kind of what has such effects; none if it is pure.
    #[must_use]
    pub fn of(effects: Effects) -> Option<OperationKind> {
        if effects.has_effect() {
            Some(OperationKind::Effect)
        } else if effects.allocates() {
            Some(OperationKind::Alloc)
        } else {
            effects.depends_on_order().then_some(OperationKind::Read)
        }
    }

    /// Whether the order of two operations is observable.
    #[must_use]
    pub fn conflicts(self, other: OperationKind) -> bool {
        self != other || self == OperationKind::Effect
    }
}

/// An operand, described independently of the order of allocations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// No pointer.
    Plain(Value),
    /// An object: the operation that allocated it, after how many effects, and the position in a set of closures.
    Object((u32, usize), u32),
}

impl Operand {
    /// A value as an operand.
    #[must_use]
    pub fn new(heap: &Heap, value: Value) -> Operand {
        match (heap.object(value), value) {
            (Ok(object), Value::Pointer(_, position)) => Operand::Object(object.birth, position),
            _ => Operand::Plain(value),
        }
    }
}

/// Something that is not pure.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its location.
    pub id: u32,
    /// The number of effects before it.
    pub stamp: usize,
    /// What it does.
    pub kind: OperationKind,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// A call in tail position.
    pub tail: bool,
}

/// All operations of a run.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Those that are not pure, in order.
    pub operations: Vec<Operation>,
    /// How often each operation was executed, pure ones too, by location.
    pub counts: FxHashMap<u32, usize>,
    /// [`Options::interrupt`](crate::Options::interrupt) happened.
    pub interrupted: bool,
    /// How the run ended.
    pub outcome: Option<Result<Operand, Operand>>,
}
