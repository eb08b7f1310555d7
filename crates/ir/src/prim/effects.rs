//! What an operation does to the world.

use crate::prim::{Classes, Mutability};

/// What an operation reads, writes and does besides. Values of this type are written in the table of primitives alone;
/// passes ask the questions of `questions.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    reads: Classes,
    writes: Classes,
    properties: u8,
}

/// It allocates, so that signal handlers, finalisers and other threads may run.
const ALLOCATES: u8 = 1;
/// Its result has an identity of its own.
const FRESH: u8 = 1 << 1;
/// It may raise.
const RAISES: u8 = 1 << 2;
/// It does what the outside sees, and may not return: a call.
const ACTS: u8 = 1 << 3;
/// It looks into an operand, which must be what it is taken for.
const LOOKS: u8 = 1 << 4;
/// It traps unless a check came before.
const TRAPS: u8 = 1 << 5;
/// Its result is no OCaml value, which the collector must not see.
const UNTRACED: u8 = 1 << 6;

impl Effects {
    /// The effects of an operation that is a function of its operands, whatever those are, and nothing else.
    pub const NONE: Effects = Effects { reads: Classes::NONE, writes: Classes::NONE, properties: 0 };
    /// The effects of an operation of which nothing is known: a call of OCaml code, say.
    pub const ANY: Effects = Effects::NONE.reading(Classes::ALL).writing(Classes::ALL).acting();
    /// A read of all memory.
    pub const READ: Effects = Effects::NONE.reading(Classes::ALL);
    /// An allocation, or another point where signal handlers, finalisers and other threads may run.
    pub const ALLOCATION: Effects = Effects::NONE.allocating();

    const fn with(self, property: u8) -> Effects {
        Effects { properties: self.properties | property, ..self }
    }

    /// Looks into an operand, at what never changes.
    pub(super) const fn looking(self) -> Effects {
        self.with(LOOKS)
    }

    /// Looks into an operand, at what may change.
    pub(super) const fn reading(self, classes: Classes) -> Effects {
        Effects { reads: self.reads.or(classes), ..self }.looking()
    }

    /// Looks into an operand of that mutability.
    pub(super) const fn reading_if(self, mutability: Mutability, classes: Classes) -> Effects {
        if mutability.may_change() { self.reading(classes) } else { self.looking() }
    }

    pub(super) const fn writing(self, classes: Classes) -> Effects {
        Effects { writes: self.writes.or(classes), ..self }.looking()
    }

    /// Allocates what has no identity: two that are equal may be one.
    pub(super) const fn allocating(self) -> Effects {
        self.with(ALLOCATES)
    }

    /// Allocates what is distinguishable from its copies.
    pub(super) const fn allocating_fresh(self) -> Effects {
        self.with(ALLOCATES | FRESH)
    }

    /// And may raise.
    #[must_use]
    pub const fn raising(self) -> Effects {
        self.with(RAISES)
    }

    pub(super) const fn acting(self) -> Effects {
        self.with(ACTS)
    }

    pub(super) const fn trapping(self) -> Effects {
        self.with(TRAPS)
    }

    pub(super) const fn untraced(self) -> Effects {
        self.with(UNTRACED)
    }

    const fn has(self, property: u8) -> bool {
        self.properties & property != 0
    }

    /// The memory on which its result depends.
    #[must_use]
    pub const fn reads(self) -> Classes {
        self.reads
    }

    /// The memory that it may change. What it allocates is not meant.
    #[must_use]
    pub const fn writes(self) -> Classes {
        self.writes
    }

    /// Whether it may allocate: the collector, signal handlers, finalisers and other threads may run at this point.
    #[must_use]
    pub const fn allocates(self) -> bool {
        self.has(ALLOCATES)
    }

    /// Whether its result is distinguishable from another one with the same contents.
    #[must_use]
    pub const fn is_fresh(self) -> bool {
        self.has(FRESH)
    }

    /// Whether it may raise.
    #[must_use]
    pub const fn raises(self) -> bool {
        self.has(RAISES)
    }

    /// Whether it does what the outside sees.
    #[must_use]
    pub const fn acts(self) -> bool {
        self.has(ACTS)
    }

    /// Whether it has an effect: it writes, may raise, or does what the outside sees. Allocation alone is none, nor is
    /// a trap, since each path that reaches it has passed its check.
    #[must_use]
    pub const fn has_effect(self) -> bool {
        !self.writes.is_empty() || self.has(RAISES | ACTS)
    }

    /// Whether what follows may not be executed: it may raise, or is a call that does not return.
    #[must_use]
    pub const fn may_not_go_on(self) -> bool {
        self.has(RAISES | ACTS)
    }

    /// Whether it looks into an operand.
    #[must_use]
    pub const fn looks(self) -> bool {
        self.has(LOOKS)
    }

    /// Whether it traps where its check did not come before.
    #[must_use]
    pub const fn traps(self) -> bool {
        self.has(TRAPS)
    }

    /// Whether its result is no OCaml value.
    #[must_use]
    pub const fn is_untraced(self) -> bool {
        self.has(UNTRACED)
    }

    /// Whether its result depends on what came before it: on memory that may change, or on the check that keeps it from
    /// trapping.
    #[must_use]
    pub const fn depends_on_order(self) -> bool {
        !self.reads.is_empty() || self.has(TRAPS)
    }

    /// Whether the order of two operations, one after the other, is not observable.
    ///
    /// - Two operations with effects keep their order.
    /// - A read and a write keep theirs, whichever memory they are of: OCaml 5 does not let a load move after a store
    ///   to *other* memory, since another domain that sees the store may answer with the value that the load must then
    ///   not see (load buffering, `docs/memory-model.md`). A load that moves *before* stores of other memory is another
    ///   question: [`Effects::may_precede`].
    /// - What traps stays behind its check, which has the effect of raising (soundness row 1).
    /// - An allocation and a read keep theirs: the window between a read and a write that depends on it must stay free
    ///   of points where other threads run (soundness row 12).
    /// - An allocation and an effect keep theirs: functions that count allocated words see it (soundness row 14), and
    ///   so do handlers of asynchronous exceptions.
    /// - An allocation does not come between what is no OCaml value and its use.
    /// - Two allocations may be swapped.
    #[must_use]
    pub fn commutes_with(self, other: Effects) -> bool {
        let is_placed = |this: Effects| this.has_effect() || this.depends_on_order() || this.allocates();
        let at_collection = |this: Effects| this.depends_on_order() || this.is_untraced();
        !(self.has_effect() && is_placed(other)
            || other.has_effect() && is_placed(self)
            || self.allocates() && at_collection(other)
            || other.allocates() && at_collection(self))
    }

    /// Whether it commutes with whatever an operation may do.
    #[must_use]
    pub fn commutes_with_all(self) -> bool {
        self.commutes_with(Effects::ANY.or(Effects::ALLOCATION))
    }

    /// What two operations do together.
    #[must_use]
    pub const fn or(self, other: Effects) -> Effects {
        Effects {
            reads: self.reads.or(other.reads),
            writes: self.writes.or(other.writes),
            properties: self.properties | other.properties,
        }
    }

    /// Whether an operation without effect that comes after another one may be executed before it: it reads nothing
    /// that the other writes. That a load moves before stores to other memory, and over allocations, as if they found
    /// nothing to do, all versions allow (`docs/memory-model.md`). What looks into its operand, or traps, does not come
    /// before what may not continue, a check or a call: that it may be executed at all can depend on it.
    #[must_use]
    pub const fn may_precede(self, earlier: Effects) -> bool {
        let may_be_too_early = (self.looks() || self.traps()) && earlier.may_not_go_on();
        let is_overwritten = self.reads.intersects(earlier.writes);
        let lives_on = self.is_untraced() && earlier.allocates();
        !(self.has_effect() || self.allocates() || is_overwritten || may_be_too_early || lives_on)
    }
}
