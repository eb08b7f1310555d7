//! Classes of memory that do not overlap.
//!
//! Fields of blocks are distinguished by their position, which holds whatever the types of the blocks. Elements of
//! arrays are distinguished by one thing that the type checker says of them: an array of floats is flat (types whose
//! representation is not known have the generic kind, which is any). Arrays of immediates and of pointers are one
//! class, for one array may be both: ``[> `A ] array`` has the kind of pointers, since the row may have constructors
//! with arguments, and its instance ``[ `A | `B ] array`` that of immediates. Only an array of arrays
//! ([`ArrayKind::Rows`]) is none of immediates. So that code which takes a record for an array is forgiven (features
//! G8), fields and elements that are no floats are not distinguished: each store writes the classes of both. The
//! exception are fields that the front end declares immutable (OCaml 5): a store to an array whose elements have a
//! known representation does not write those. That of a field does, as does that of a generic array, which is what
//! `Obj.set_field` is.

use std::ops::{BitOr, BitOrAssign};

use crate::prim::{ArrayKind, Mutability, StringKind};

/// A set of classes of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Classes(u32);

impl Classes {
    /// Fields from this position on are one class.
    const FIELDS: u32 = 4;
    /// How many classes there are.
    pub const COUNT: usize = 2 * Classes::FIELDS as usize + 12;

    /// No class.
    pub const NONE: Classes = Classes(0);
    /// Fields of blocks, wherever they are, but those that are declared to be immutable.
    pub const ALL_FIELDS: Classes = Classes((1 << (Classes::FIELDS + 1)) - 1);
    /// Floats in flat arrays and records.
    pub const FLOATS: Classes = Classes(1 << (Classes::FIELDS + 1));
    /// Elements of arrays that are no floats and may be immediates.
    pub const VALUES: Classes = Classes(1 << (Classes::FIELDS + 2));
    /// Elements of arrays of arrays.
    pub const ROWS: Classes = Classes(1 << (Classes::FIELDS + 3));
    /// The contents of strings and bytes.
    pub const BYTES: Classes = Classes(1 << (Classes::FIELDS + 4));
    /// The data of bigarrays.
    pub const BIGARRAYS: Classes = Classes(1 << (Classes::FIELDS + 5));
    /// Tags and dimensions, which only calls change: forcing a lazy value changes tags, and C functions that free a
    /// bigarray make its dimensions 0, so that no index is in bounds (Core's `Bigstring.unsafe_destroy`).
    pub const HEADERS: Classes = Classes(1 << (Classes::FIELDS + 6));
    /// Lengths of arrays and strings, which only `Obj.truncate` (4.x) changes, where it is called
    /// (`docs/memory-model.md`).
    pub const LENGTHS: Classes = Classes(1 << (Classes::FIELDS + 7));

    /// Fields that are declared to be immutable, wherever they are.
    const DECLARED_FIELDS: Classes = Classes(Classes::ALL_FIELDS.0 << (Classes::FIELDS + 8));

    /// The static slots for results that no register is left for.
    pub const RESULTS: Classes = Classes(1 << (2 * Classes::FIELDS + 9));
    /// The counters of a program that is profiled, which no operation of the program reads.
    pub const COUNTERS: Classes = Classes(1 << (2 * Classes::FIELDS + 10));

    /// Numbers in blocks of naked numbers, which only the unit knows.
    pub const NAKED: Classes = Classes(1 << (2 * Classes::FIELDS + 11));

    /// Elements of arrays that are no floats.
    pub const ELEMENTS: Classes = Classes(Classes::VALUES.0 | Classes::ROWS.0);
    /// All that blocks and arrays hold.
    pub const BLOCKS: Classes =
        Classes::ALL_FIELDS.or(Classes::DECLARED_FIELDS).or(Classes::FLOATS).or(Classes::ELEMENTS);
    /// All contents but fields that are declared to be immutable.
    pub const ASSIGNABLE: Classes = Classes::ALL_FIELDS
        .or(Classes::FLOATS)
        .or(Classes::ELEMENTS)
        .or(Classes::BYTES)
        .or(Classes::BIGARRAYS)
        .or(Classes::NAKED);
    /// What fields, elements, bytes and bigarrays hold.
    pub const CONTENTS: Classes =
        Classes(Classes::BLOCKS.0 | Classes::BYTES.0 | Classes::BIGARRAYS.0 | Classes::NAKED.0);
    /// All that a call may write.
    pub const ALL: Classes = Classes(Classes::CONTENTS.0 | Classes::HEADERS.0 | Classes::RESULTS.0);

    /// The field of blocks at a position.
    #[must_use]
    pub const fn field(field: u32) -> Classes {
        Classes(1 << if field < Classes::FIELDS { field } else { Classes::FIELDS })
    }

    /// The field at a position that is read as one of that mutability.
    #[must_use]
    pub const fn loaded_field(field: u32, mutability: Mutability) -> Classes {
        match mutability {
            Mutability::Declared => Classes::declared_field(field),
            _ => Classes::field(field),
        }
    }

    const fn declared_field(field: u32) -> Classes {
        Classes(Classes::field(field).0 << (Classes::FIELDS + 8))
    }

    /// What may hold the field of a block at a position that is written: an array's elements, too.
    #[must_use]
    pub const fn stored_field(field: u32) -> Classes {
        Classes::field(field).or(Classes::declared_field(field)).or(Classes::ELEMENTS)
    }

    /// The elements of an array that is loaded from by that kind.
    #[must_use]
    pub const fn elements(kind: ArrayKind) -> Classes {
        match kind {
            ArrayKind::Generic => Classes::BLOCKS,
            ArrayKind::Addr | ArrayKind::Int => Classes::VALUES,
            ArrayKind::Rows => Classes::ROWS,
            ArrayKind::Float => Classes::FLOATS,
        }
    }

    /// What may hold the elements of an array that is stored to by that kind: the fields of blocks, too.
    #[must_use]
    pub const fn stored_elements(kind: ArrayKind) -> Classes {
        match kind {
            ArrayKind::Generic => Classes::BLOCKS,
            ArrayKind::Addr | ArrayKind::Rows => Classes::ELEMENTS.or(Classes::ALL_FIELDS),
            ArrayKind::Int => Classes::VALUES.or(Classes::ALL_FIELDS),
            ArrayKind::Float => Classes::FLOATS,
        }
    }

    /// What a string-like access reads or writes. Strings, too, are read as what may change: `Bytes.unsafe_to_string`
    /// makes some that do, and users rely on it (features G8).
    #[must_use]
    pub const fn characters(string: StringKind) -> Classes {
        match string {
            StringKind::String | StringKind::Bytes => Classes::BYTES,
            StringKind::Bigstring => Classes::BIGARRAYS,
        }
    }

    /// The union.
    #[must_use]
    pub const fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a class is in both.
    #[must_use]
    pub const fn intersects(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }

    /// The numbers of the classes, each below [`Classes::COUNT`].
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Classes::COUNT).filter(move |class| self.0 >> class & 1 == 1)
    }

    /// The number of the class if it is one alone.
    #[must_use]
    pub fn single(self) -> Option<usize> {
        self.0.is_power_of_two().then(|| self.0.trailing_zeros() as usize)
    }

    /// The class of a number below [`Classes::COUNT`].
    #[must_use]
    pub fn numbered(class: usize) -> Classes {
        Classes(1 << class)
    }
}

impl BitOr for Classes {
    type Output = Classes;

    fn bitor(self, other: Classes) -> Classes {
        self.or(other)
    }
}

impl BitOrAssign for Classes {
    fn bitor_assign(&mut self, other: Classes) {
        *self = *self | other;
    }
}
