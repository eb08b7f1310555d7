//! What operations read and write, by classes of memory that do not overlap.
//!
//! Fields of blocks are told apart by their position, which holds whatever the types of the blocks. Elements of arrays
//! are told apart by one thing that the type checker says of them: an array of floats is flat (types whose
//! representation is not known have the generic kind, which is any). Arrays of immediates and of pointers are one
//! class, for one array may be both: `[> `A ] array` has the kind of pointers, since the row may have constructors with
//! arguments, and its instance `[ `A | `B ] array` that of immediates. Only an array of arrays ([`ArrayKind::Rows`]) is
//! none of immediates. So that code which takes a record for an array is forgiven (features G8), fields and elements
//! that are no floats are not told apart.

use flambeau_ir::Prim;
use flambeau_ir::prim::{ArrayKind, Effects, StringKind};
use flambeau_ir::runtime_functions::Written;

/// Fields from this on are one class.
const FIELDS: u32 = 4;
/// Floats in flat arrays and records.
const FLOATS: u32 = FIELDS + 1;
/// Elements of arrays that are no floats and may be immediates.
const VALUES: u32 = FIELDS + 2;
/// Elements of arrays of arrays.
const ROWS: u32 = FIELDS + 3;
const BYTES: u32 = FIELDS + 4;
const BIGARRAYS: u32 = FIELDS + 5;
const CLASSES: usize = FIELDS as usize + 6;

/// Classes of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes(u16);

impl Classes {
    const ALL: Classes = Classes((1 << CLASSES) - 1);
    const ALL_FIELDS: Classes = Classes((1 << (FIELDS + 1)) - 1);
    /// Elements that are no floats.
    const ELEMENTS: Classes = Classes(1 << VALUES | 1 << ROWS);
    /// All that blocks and arrays hold.
    const BLOCKS: Classes = Classes((1 << BYTES) - 1);

    fn one(class: u32) -> Classes {
        Classes(1 << class)
    }

    fn field(field: u32) -> Classes {
        Classes::one(field.min(FIELDS))
    }

    fn and(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    fn has(self, class: usize) -> bool {
        self.0 >> class & 1 == 1
    }
}

/// What may be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Writes {
    /// Fields and elements.
    contents: Classes,
    /// Tags and lengths, which only calls change (forcing a lazy value, `Obj.truncate`, freeing a bigarray).
    headers: bool,
}

impl Writes {
    /// Anything: by a call.
    pub const ANY: Writes = Writes { contents: Classes::ALL, headers: true };

    /// All contents: by whoever a loop waits for.
    pub const CONTENTS: Writes = Writes { contents: Classes::ALL, headers: false };

    /// Whether these are [`Writes::ANY`].
    pub fn is_any(&self) -> bool {
        self.contents == Classes::ALL && self.headers
    }

    /// Whether nothing is written.
    pub fn is_nothing(&self) -> bool {
        self.contents == Classes::default() && !self.headers
    }

    /// By one primitive.
    pub fn of(prim: &Prim) -> Writes {
        let contents = match prim {
            Prim::CheckBound { .. } | Prim::CheckZero { .. } | Prim::ExnState => Classes::default(),
            Prim::BlockStore { field, .. } => Classes::field(*field).and(Classes::ELEMENTS),
            Prim::OffsetRef { .. } => Classes::field(0).and(Classes::ELEMENTS),
            Prim::BlockStoreFloat { .. } | Prim::ArrayStore { kind: ArrayKind::Float } => {
                Classes::one(FLOATS)
            }
            Prim::ArrayStore { kind: ArrayKind::Int } => Classes::one(VALUES).and(Classes::ALL_FIELDS),
            Prim::ArrayStore { kind: ArrayKind::Addr | ArrayKind::Rows } => {
                Classes::ELEMENTS.and(Classes::ALL_FIELDS)
            }
            Prim::ArrayStore { kind: ArrayKind::Generic } | Prim::BlockStoreComputed { .. } => {
                Classes::BLOCKS
            }
            Prim::StringStore { string: StringKind::Bigstring, .. } | Prim::BigarrayStore { .. } => {
                Classes::one(BIGARRAYS)
            }
            Prim::StringStore { .. } => Classes::one(BYTES),
            Prim::CCall(external) => match external.writes() {
                Written::Nothing => Classes::default(),
                Written::Bytes => Classes::one(BYTES),
                Written::Blocks => Classes::BLOCKS,
                Written::Anything => return Writes::ANY,
            },
            _ if prim.effects().0 == Effects::Arbitrary => return Writes::ANY,
            _ => Classes::default(),
        };
        Writes { contents, headers: false }
    }

    /// Both.
    pub fn add(&mut self, other: Writes) {
        self.contents = self.contents.and(other.contents);
        self.headers |= other.headers;
    }
}

/// Names of the state of the memory: equal names, equal contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    contents: [u32; CLASSES],
    /// Of all contents together.
    any: u32,
    headers: u32,
}

impl Memory {
    /// A state of which nothing is known.
    pub fn new(name: u32) -> Memory {
        Memory { contents: [name; CLASSES], any: name, headers: name }
    }

    /// The state after writes. `name` is a new one.
    pub fn after(mut self, writes: Writes, name: u32) -> Memory {
        for (class, state) in self.contents.iter_mut().enumerate() {
            if writes.contents.has(class) {
                *state = name;
            }
        }
        if writes.contents != Classes::default() {
            self.any = name;
        }
        if writes.headers {
            self.headers = name;
        }
        self
    }

    /// What this state and another do not have in common.
    pub fn differences(&self, other: &Memory) -> Writes {
        let mut contents = Classes::default();
        for class in 0..CLASSES {
            if self.contents[class] != other.contents[class] {
                contents = contents.and(Classes::one(class as u32));
            }
        }
        Writes { contents, headers: self.headers != other.headers }
    }

    /// Of tags and lengths.
    pub fn headers(&self) -> u32 {
        self.headers
    }

    /// Of what a primitive reads that has no effect but to read contents.
    pub fn read_by(&self, prim: &Prim) -> u32 {
        let class = match prim {
            Prim::BlockLoad { field, .. } => (*field).min(FIELDS),
            Prim::BlockLoadFloat { .. } | Prim::ArrayLoad { kind: ArrayKind::Float } => FLOATS,
            Prim::ArrayLoad { kind: ArrayKind::Int | ArrayKind::Addr } => VALUES,
            Prim::ArrayLoad { kind: ArrayKind::Rows } => ROWS,
            Prim::StringLoad { string: StringKind::Bigstring, .. } | Prim::BigarrayLoad { .. } => BIGARRAYS,
            Prim::StringLoad { .. } => BYTES,
            _ => return self.any,
        };
        self.contents[class as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flambeau_ir::prim::{Init, Mutability};

    #[test]
    fn writes_change_what_may_be_the_same_memory() {
        let load = |field| Prim::BlockLoad { field, mutability: Mutability::Mutable };
        let element = |kind| Prim::ArrayLoad { kind };
        let store = |field| Prim::BlockStore { field, pointer: true, init: Init::Assignment };
        let changes = |store: &Prim, load: &Prim| {
            let before = Memory::new(1);
            before.read_by(load) != before.after(Writes::of(store), 2).read_by(load)
        };
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
    }

    #[test]
    fn differences_are_what_was_written() {
        let before = Memory::new(1);
        let after = before.after(Writes::of(&Prim::ArrayStore { kind: ArrayKind::Float }), 2);
        let both = before.after(after.differences(&before), 3);
        let float = Prim::ArrayLoad { kind: ArrayKind::Float };
        let int = Prim::ArrayLoad { kind: ArrayKind::Int };
        assert_ne!(both.read_by(&float), before.read_by(&float));
        assert_eq!(both.read_by(&int), before.read_by(&int));
        assert_ne!(both.read_by(&Prim::BlockLoadComputed), before.read_by(&Prim::BlockLoadComputed));
        assert_eq!(both.headers(), before.headers());
    }
}
