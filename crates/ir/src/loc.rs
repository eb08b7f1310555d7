//! Source locations. The front end numbers the locations of a unit; the IR carries the numbers.

/// A place in the source, or none. Index into a unit's [`LocTable`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Dbg(pub u32);

impl Dbg {
    /// No location.
    pub const NONE: Dbg = Dbg(0);
}

/// One location, as the OCaml side's `Debuginfo.item` holds it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
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
    locs: Vec<Loc>,
}

impl Default for LocTable {
    fn default() -> Self {
        LocTable { locs: vec![Loc::default()] }
    }
}

impl LocTable {
    /// Adds a location and gives its number.
    pub fn push(&mut self, loc: Loc) -> Dbg {
        let id = self.locs.len() as u32;
        self.locs.push(loc);
        Dbg(id)
    }

    /// The location of that number; none for [`Dbg::NONE`] and for numbers out of range.
    pub fn get(&self, dbg: Dbg) -> Option<&Loc> {
        if dbg == Dbg::NONE { None } else { self.locs.get(dbg.0 as usize) }
    }

    /// The number of entries, the entry for "no location" included.
    pub fn len(&self) -> usize {
        self.locs.len()
    }

    /// Whether there is no location but the empty one.
    pub fn is_empty(&self) -> bool {
        self.locs.len() <= 1
    }
}
