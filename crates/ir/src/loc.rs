//! Source locations. The front end numbers the locations of a unit; the IR carries the numbers.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A source location, or none. Index into a unit's [`LocTable`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dbg(pub u32);

impl Dbg {
    /// No location.
    pub const NONE: Dbg = Dbg(0);
}

/// One location, as the OCaml side's `Debuginfo.item` holds it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Loc {
    /// The source file.
    pub file: String,
    /// The first line, from 1.
    pub line: u32,
    /// The first character, as an offset in its line.
    pub char_start: u32,
    /// The last character, as an offset from the beginning of the first line.
    pub char_end: u32,
    /// Offset in the file at which the first line begins.
    pub start_bol: u32,
    /// Offset in the file at which the last line begins.
    pub end_bol: u32,
    /// The last line.
    pub end_line: u32,
    /// The enclosing definitions as backtraces show them (`Stdlib__List.map.(fun)`).
    pub scope: String,
}

/// The locations of a unit. Entry 0 is "no location".
#[derive(Clone, Debug)]
pub struct LocTable {
    entries: Vec<Entry>,
    /// The entries for locations in inlined functions.
    inlined: FxHashMap<Inlined, Dbg>,
    /// The entries for locations in other units.
    foreign: FxHashMap<Loc, Dbg>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Entry {
    Loc(Loc),
    Foreign(Loc),
    Inlined(Inlined),
}

/// A location in a function that was inlined, and the location of the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Inlined {
    /// Where the function was called, perhaps in an inlined function too.
    pub call: Dbg,
    /// The location in the function.
    pub inner: Dbg,
}

/// A location that is not in the unit's source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added<'l> {
    /// In an inlined function.
    Inlined(Inlined),
    /// In the source of another unit.
    Foreign(&'l Loc),
}

impl Default for LocTable {
    fn default() -> Self {
        LocTable {
            entries: vec![Entry::Loc(Loc::default())],
            inlined: FxHashMap::default(),
            foreign: FxHashMap::default(),
        }
    }
}

impl LocTable {
    /// Adds a location and returns its number.
    pub fn push(&mut self, loc: Loc) -> Dbg {
        let id = self.entries.len() as u32;
        self.entries.push(Entry::Loc(loc));
        Dbg(id)
    }

    /// The number of a location in another unit, of which a function is to be inlined.
    pub fn push_foreign(&mut self, loc: Loc) -> Dbg {
        let next = Dbg(self.entries.len() as u32);
        *self.foreign.entry(loc).or_insert_with_key(|loc| {
            self.entries.push(Entry::Foreign(loc.clone()));
            next
        })
    }

    /// Adds the locations of another unit's source. Gives the numbers of its entries here.
    pub(crate) fn append(&mut self, other: LocTable) -> Vec<Dbg> {
        let mut numbers: Vec<Dbg> = Vec::with_capacity(other.entries.len());
        for (index, entry) in other.entries.into_iter().enumerate() {
            let number = match entry {
                _ if index == 0 => Dbg::NONE,
                Entry::Loc(loc) | Entry::Foreign(loc) => self.push_foreign(loc),
                Entry::Inlined(Inlined { call, inner }) => {
                    self.inline(numbers[call.0 as usize], numbers[inner.0 as usize])
                }
            };
            numbers.push(number);
        }
        numbers
    }

    /// The location `inner` of a function that is inlined at `call`.
    pub fn inline(&mut self, call: Dbg, inner: Dbg) -> Dbg {
        if call == Dbg::NONE {
            return inner;
        }
        // What a stub does has no location of its own: it is done where the stub is called.
        if inner == Dbg::NONE {
            return call;
        }
        let place = Inlined { call, inner };
        let next = Dbg(self.entries.len() as u32);
        *self.inlined.entry(place).or_insert_with(|| {
            self.entries.push(Entry::Inlined(place));
            next
        })
    }

    /// The location of that number, in the innermost function; none for [`Dbg::NONE`] and for numbers out of range.
    #[must_use]
    pub fn get(&self, dbg: Dbg) -> Option<&Loc> {
        let mut dbg = dbg;
        while dbg != Dbg::NONE {
            match self.entries.get(dbg.0 as usize)? {
                Entry::Loc(loc) | Entry::Foreign(loc) => return Some(loc),
                Entry::Inlined(place) => dbg = place.inner,
            }
        }
        None
    }

    /// The number of the innermost location, if that is in the source of the unit.
    #[must_use]
    pub fn own(&self, dbg: Dbg) -> Option<Dbg> {
        let mut dbg = dbg;
        while dbg != Dbg::NONE {
            match self.entries.get(dbg.0 as usize)? {
                Entry::Loc(_) => return Some(dbg),
                Entry::Foreign(_) => return None,
                Entry::Inlined(place) => dbg = place.inner,
            }
        }
        None
    }

    /// The number of the location in the source of the unit from where that one was inlined; itself, if it was not.
    #[must_use]
    pub fn outermost(&self, dbg: Dbg) -> Dbg {
        let mut dbg = dbg;
        while let Some(place) = self.inlined(dbg) {
            dbg = place.call;
        }
        dbg
    }

    /// What is known of a location in an inlined function; none for other locations.
    #[must_use]
    pub fn inlined(&self, dbg: Dbg) -> Option<Inlined> {
        match self.entries.get(dbg.0 as usize) {
            Some(Entry::Inlined(place)) => Some(*place),
            _ => None,
        }
    }

    /// The locations that passes added, by their numbers, which follow those of the locations of the source.
    pub fn added(&self) -> impl Iterator<Item = Added<'_>> + '_ {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Inlined(place) => Some(Added::Inlined(*place)),
            Entry::Foreign(loc) => Some(Added::Foreign(loc)),
            Entry::Loc(_) => None,
        })
    }

    /// The number of entries, the entry for "no location" included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no location but the empty one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 1
    }
}
