//! The symbols of a program.

use std::ops::{Index, IndexMut};

use rustc_hash::FxHashMap;

use crate::operand::is_label;
use crate::section::Position;

/// A symbol, by the order in which they are mentioned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SymbolId(u32);

/// Where a symbol is defined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub section: usize,
    pub position: Position,
}

/// What a symbol is said to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymbolKind {
    Unknown,
    Function,
    Object,
}

/// A symbol.
pub(crate) struct Symbol<'p> {
    pub name: &'p [u8],
    pub place: Option<Place>,
    /// Other units see it.
    pub is_global: bool,
    pub kind: SymbolKind,
    pub size: u64,
    /// Where it comes among sections: those before it were there when it was first mentioned.
    pub sections_before: usize,
}

impl Symbol<'_> {
    /// Whether it stands in the object file only if a relocation needs it.
    pub fn is_label(&self) -> bool {
        is_label(self.name)
    }

    /// Whether nothing outside of the unit can take its place.
    pub fn is_local(&self) -> bool {
        self.place.is_some() && !self.is_global
    }
}

/// All symbols.
#[derive(Default)]
pub(crate) struct Symbols<'p> {
    all: Vec<Symbol<'p>>,
    by_name: FxHashMap<&'p [u8], SymbolId>,
}

impl<'p> Symbols<'p> {
    /// The symbol of a name, which may be new; there are `sections` now.
    pub fn named(&mut self, name: &'p [u8], sections: usize) -> SymbolId {
        *self.by_name.entry(name).or_insert_with(|| {
            let id = SymbolId(self.all.len() as u32);
            self.all.push(Symbol {
                name,
                place: None,
                is_global: false,
                kind: SymbolKind::Unknown,
                size: 0,
                sections_before: sections,
            });
            id
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &Symbol<'p>)> {
        self.all.iter().enumerate().map(|(index, symbol)| (SymbolId(index as u32), symbol))
    }
}

impl<'p> Index<SymbolId> for Symbols<'p> {
    type Output = Symbol<'p>;

    fn index(&self, id: SymbolId) -> &Symbol<'p> {
        &self.all[id.0 as usize]
    }
}

impl IndexMut<SymbolId> for Symbols<'_> {
    fn index_mut(&mut self, id: SymbolId) -> &mut Self::Output {
        &mut self.all[id.0 as usize]
    }
}
