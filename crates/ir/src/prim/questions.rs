//! The questions that passes ask about primitives. Each is answered from the table (`table.rs`), here and nowhere else,
//! with the rows of the page of soundness pitfalls that it keeps.

use crate::prim::table::NAMES;
use crate::prim::{ArrayKind, Classes, Cost, Effects, Mutability, StringKind};
use crate::{BoxedKind, Kind, Prim};

/// What an allocation that sinks moves past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// Nothing that a signal handler or another thread could distinguish from its absence.
    #[default]
    Nothing,
    /// Reads of what may change.
    Reads,
    /// Writes, calls and the like.
    Effects,
}

/// What of its operands a primitive finds out each time that it is executed, because the front end did not know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Whether its first operand is a flat array of floats, by its tag. Any number is boxed, or unboxed, if so.
    IsFlat,
    /// What the values are that it compares.
    Values,
}

impl Prim {
    /// How many words bytes may have that [`Prim::MakeBytes`] makes.
    pub const MOST_WORDS_OF_BYTES: u32 = 32;

    /// How many fields a block of naked numbers has at most: what is allocated in one piece.
    pub const MOST_NAKED_FIELDS: u32 = 32;

    /// The names of all primitives, without their parameters, in the order of [`Prim::number`].
    pub const NAMES: &'static [&'static str] = NAMES;

    /// What makes a value of a naked number of that kind: none for what is a value.
    #[must_use]
    pub fn boxing(kind: Kind) -> Option<Prim> {
        match kind {
            Kind::NakedImmediate => Some(Prim::Tag),
            kind => BoxedKind::of_naked(kind).map(Prim::Box),
        }
    }

    /// What makes a naked number of that kind of a value: none for what stays a value.
    #[must_use]
    pub fn unboxing(kind: Kind) -> Option<Prim> {
        match kind {
            Kind::NakedImmediate => Some(Prim::Untag),
            kind => BoxedKind::of_naked(kind).map(Prim::Unbox),
        }
    }

    /// The primitive's name, without its parameters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        NAMES[self.number()]
    }

    /// Whether it may raise, and so names its exception continuation.
    #[must_use]
    pub fn may_raise(&self) -> bool {
        self.effects().raises()
    }

    /// Whether it may be left out where its result is not needed: it has no effect but to allocate. Division is among
    /// it, whatever the divisor: its check is a primitive of its own, and stays (soundness row 1).
    #[must_use]
    pub fn can_drop(&self) -> bool {
        !self.effects().has_effect()
    }

    /// Whether it may be duplicated, so that one path executes each, or executes it again: it has no
    /// effect, and its result has no identity, for it does not allocate.
    #[must_use]
    pub fn can_duplicate(&self) -> bool {
        let effects = self.effects();
        !effects.has_effect() && !effects.allocates()
    }

    /// Whether it may be executed where the source does not, on operands that may be anything of their kinds, poison
    /// included: it computes on words alone. No load is among it, not even of what never changes: the path to a load is
    /// what makes its operand a block of that shape (soundness rows 8 and 29). Nor is division (row 1).
    #[must_use]
    pub fn can_speculate(&self) -> bool {
        self.effects() == Effects::NONE
    }

    /// Whether the result of an earlier execution with the same operands is its result, and a check that did not fail
    /// then does not fail, provided that the memory that it [reads](Effects::reads) has not been written. An allocation
    /// is among it if its result has no identity (soundness row 18). What is no OCaml value is not live across
    /// points of the collector.
    #[must_use]
    pub fn can_merge(&self) -> bool {
        let effects = self.effects();
        effects.writes().is_empty() && !effects.acts() && !effects.is_fresh() && !effects.is_untraced()
    }

    /// Whether it returns the same again in a loop that writes such memory, and has no effect that would be missed the
    /// second time: each iteration does nothing new by it. It may fail, but not after it has not failed once.
    #[must_use]
    pub fn is_repetition(&self, written: Classes) -> bool {
        let effects = self.effects();
        self.can_merge() && !effects.allocates() && !effects.reads().intersects(written)
    }

    /// Whether it may be executed before a loop that writes such memory, or anywhere outside that its operands reach,
    /// instead of in each iteration that reaches it: it has no effect and returns the same. Division is none that may:
    /// a check keeps its divisor from being zero (soundness row 1). Nor is what is no OCaml value: the collector must
    /// not come between. That its operand has the shape it expects is the caller's duty: the program point is behind
    /// the checks and branches that show it.
    #[must_use]
    pub fn leaves(&self, written: Classes) -> bool {
        self.is_repetition(written) && self.can_drop() && !self.effects().traps()
    }

    /// Whether its order and that of a neighbour is not observable.
    #[must_use]
    pub fn commutes_with(&self, other: &Prim) -> bool {
        self.effects().commutes_with(other.effects())
    }

    /// Whether an exception may surface where it is executed, asynchronous ones included: it raises, calls, or
    /// allocates (pitfall 41).
    #[must_use]
    pub fn can_be_interrupted(&self) -> bool {
        let effects = self.effects();
        effects.may_not_go_on() || effects.allocates()
    }

    /// Whether its result depends on contents of memory that others may write at any time: another thread, a signal
    /// handler. Headers are not among it, which only calls change.
    #[must_use]
    pub fn reads_contents(&self) -> bool {
        self.effects().reads().intersects(Classes::CONTENTS)
    }

    /// Whether a loop may wait for its result to change: other code may write what it reads. Fields that are
    /// declared immutable are written by the code around them at most.
    #[must_use]
    pub fn may_be_waited_for(&self) -> bool {
        self.effects().reads().intersects(Classes::ASSIGNABLE)
    }

    /// Whether it allocates and does nothing else: its result is built of its operands and what it reads.
    #[must_use]
    pub fn is_allocation(&self) -> bool {
        let effects = self.effects();
        effects.allocates() && !effects.has_effect()
    }

    /// Whether it is an allocation that may be moved to where it is needed: of its operands alone. Dummies stay where a
    /// `let rec` begins: they become calls of the runtime.
    #[must_use]
    pub fn is_movable_allocation(&self) -> bool {
        self.is_allocation()
            && self.effects().reads().is_empty()
            && !matches!(self, Prim::AllocDummyClosure { .. })
    }

    /// How it constrains an allocation that moves past it. A check does not: where it fails, what was not allocated
    /// yet is not missed. A read does: the window between it and a write that depends on it must stay free of
    /// allocations, which let other threads run (soundness row 12). But not one of what others never write: a field
    /// that is declared immutable, or a string, which threads do not share while it is still written as bytes.
    #[must_use]
    pub fn crossing(&self) -> Crossing {
        let effects = self.effects();
        if !effects.writes().is_empty() || effects.acts() {
            Crossing::Effects
        } else if self.may_be_waited_for() && !self.loads_from_string() {
            Crossing::Reads
        } else {
            Crossing::Nothing
        }
    }

    /// Whether it reads characters of a `string`.
    fn loads_from_string(&self) -> bool {
        matches!(self, Prim::StringLoad { string: StringKind::String, .. })
    }

    /// Whether it calls C, which leaves no register as it was. What the code generator has an instruction for is no
    /// call.
    #[must_use]
    pub fn is_c_call(&self) -> bool {
        matches!(self, Prim::CCall(external) if !external.is_instruction())
    }

    /// Whether it takes longer than the move between registers, or the load from the stack, that keeping its result may
    /// cost.
    #[must_use]
    pub fn is_worth_a_register(&self) -> bool {
        matches!(self.cost(), Cost::Load | Cost::Long | Cost::Slow)
    }

    /// Whether it takes longer than to save its result on the stack and load it back.
    #[must_use]
    pub fn is_worth_the_stack(&self) -> bool {
        self.cost() == Cost::Slow
    }

    /// Whether it is one fast instruction or load that returns the same wherever its operands are in scope: rather
    /// computed on each path that needs it than kept for all.
    #[must_use]
    pub fn is_cheap_anywhere(&self) -> bool {
        matches!(self.cost(), Cost::Move | Cost::Load) && self.leaves(Classes::ALL)
    }

    /// What it finds out of its operands each time that it is executed. What it is where that is known, the
    /// pass `representations` and the simplifier say.
    #[must_use]
    pub fn needs_representation(&self) -> Option<Unknown> {
        match self {
            Prim::ArrayLoad { kind: ArrayKind::Generic } | Prim::ArrayStore { kind: ArrayKind::Generic } => {
                Some(Unknown::IsFlat)
            }
            Prim::CCall(external) => external.comparison().map(|_| Unknown::Values),
            _ => None,
        }
    }

    /// Whether its first operand is an array, a block with a header, wherever it is executed.
    #[must_use]
    pub fn shows_array(&self) -> bool {
        matches!(self, Prim::ArrayLength { .. } | Prim::ArrayLoad { .. } | Prim::ArrayStore { .. })
    }

    /// Whether it allocates what is never assigned.
    #[must_use]
    pub fn makes_immutable(&self) -> bool {
        match self {
            Prim::Box(_) => true,
            Prim::MakeBlock { mutability, .. } | Prim::MakeFloatBlock { mutability } => {
                *mutability == Mutability::Immutable
            }
            _ => self.makes_immutable_floats(),
        }
    }

    /// Whether it allocates a record or array of floats that is never assigned.
    #[must_use]
    pub fn makes_immutable_floats(&self) -> bool {
        matches!(
            self,
            Prim::MakeFloatBlock { mutability: Mutability::Immutable }
                | Prim::MakeArray { kind: super::ArrayKind::Float, mutability: Mutability::Immutable }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::{ArrayKind, Init};

    #[test]
    fn writes_change_what_may_be_the_same_memory() {
        let load = |field| Prim::BlockLoad { field, mutability: Mutability::Mutable };
        let element = |kind| Prim::ArrayLoad { kind };
        let store = |field| Prim::BlockStore { field, pointer: true, init: Init::Assignment };
        let changes = |store: &Prim, load: &Prim| store.effects().writes().intersects(load.effects().reads());
        assert!(changes(&store(1), &load(1)));
        assert!(!changes(&store(1), &load(0)));
        assert!(changes(&store(9), &load(7)), "large fields are one class");
        assert!(changes(&store(0), &Prim::BlockLoadComputed));
        assert!(changes(&store(0), &element(ArrayKind::Addr)), "a record taken for an array");
        assert!(!changes(&store(0), &element(ArrayKind::Float)));
        let assign = |kind| Prim::ArrayStore { kind };
        assert!(changes(&assign(ArrayKind::Generic), &element(ArrayKind::Float)));
        assert!(changes(&assign(ArrayKind::Float), &element(ArrayKind::Generic)));
        assert!(!changes(&assign(ArrayKind::Float), &element(ArrayKind::Addr)));
        assert!(changes(&assign(ArrayKind::Int), &element(ArrayKind::Addr)), "an open row and its instance");
        assert!(changes(&assign(ArrayKind::Addr), &load(3)));
        assert!(changes(&assign(ArrayKind::Addr), &element(ArrayKind::Rows)));
        assert!(!changes(&assign(ArrayKind::Int), &element(ArrayKind::Rows)), "a row of a matrix");
        let declared = |field| Prim::BlockLoad { field, mutability: Mutability::Declared };
        for field in [0, 3, 9] {
            assert!(changes(&store(field), &declared(field)), "Obj.magic to a mutable field");
            assert!(changes(&assign(ArrayKind::Generic), &declared(field)), "Obj.set_field");
            assert!(!changes(&assign(ArrayKind::Addr), &declared(field)));
            assert!(!changes(&assign(ArrayKind::Int), &declared(field)));
        }
        assert!(!changes(&store(1), &declared(0)));
        assert!(load(0).may_be_waited_for() && !declared(0).may_be_waited_for());
    }

    #[test]
    fn division_stays_behind_its_check() {
        let division = Prim::IntDiv { kind: crate::IntKind::Tagged };
        let check = Prim::CheckZero { kind: crate::IntKind::Tagged, if_known: false };
        assert!(division.can_drop() && division.can_duplicate() && division.can_merge());
        assert!(!division.can_speculate() && !division.leaves(Classes::NONE));
        assert!(!division.commutes_with(&check) && !division.effects().may_precede(check.effects()));
        assert!(!check.can_drop() && check.is_repetition(Classes::ALL));
    }

    #[test]
    fn reads_keep_their_place_among_stores_and_allocations() {
        let load = Prim::BlockLoad { field: 0, mutability: Mutability::Unknown };
        let fixed = Prim::BlockLoad { field: 0, mutability: Mutability::Immutable };
        let float = Prim::ArrayStore { kind: ArrayKind::Float };
        let allocation = Prim::Box(crate::BoxedKind::Float);
        assert!(!load.commutes_with(&float), "not after it (5.x)");
        assert!(load.effects().may_precede(float.effects()), "before it");
        assert!(!load.commutes_with(&allocation) && fixed.commutes_with(&allocation));
        assert!(fixed.leaves(Classes::ALL) && !fixed.can_speculate());
        assert!(load.leaves(Classes::FLOATS) && !load.leaves(Classes::field(0)));
        assert!(!Prim::IntAsPointer.leaves(Classes::NONE) && !Prim::IntAsPointer.commutes_with(&allocation));
    }
}
