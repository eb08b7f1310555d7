//! Numbers of identifiers: a text that has them ([`crate::printer::Options::numbered`]) says the place of each in its
//! table, so that passes meet the tables in the order in which they were when the text was printed.

use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::FxHashSet;

use super::{Parser, Result};
use crate::lexer::Token;
use crate::{ContinuationData, Heat, Kind, Subkind, SymbolData, Unit, VariableData};

/// The tables of a unit whose identifiers have numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Table {
    Variables,
    Continuations,
    Symbols,
    FunctionSlots,
    ValueSlots,
}

/// The numbers that were seen; nothing if identifiers are numbered in the order of the text.
#[derive(Default)]
pub(super) struct Numbering(Option<FxHashSet<(Table, usize)>>);

impl Numbering {
    /// Adds what is new to its table: at its number, which its name then ends in, or at the end. `make` is passed the
    /// name without number.
    pub(super) fn add<E: EntityRef, T>(
        &mut self,
        (which, table): (Table, &mut PrimaryMap<E, T>),
        name: &str,
        make: impl FnOnce(&str) -> T,
    ) -> Result<E, String> {
        let Some(taken) = &mut self.0 else { return Ok(table.push(make(name))) };
        let (name, number) = name
            .rsplit_once('#')
            .and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)))
            .ok_or_else(|| format!("`{name}` has no number (`x#12`), as all names in this unit"))?;
        if number >= table.len() {
            return Err(format!("the number {number} is not below {}, as the head says", table.len()));
        }
        if !taken.insert((which, number)) {
            return Err(format!("there is another one with the number {number}"));
        }
        let entity = E::new(number);
        table[entity] = make(name);
        Ok(entity)
    }
}

impl Parser<'_> {
    /// `numbered (variables, continuations, symbols, function slots, value slots)`: the sizes of the tables, if
    /// identifiers have numbers.
    pub(super) fn numbering(&mut self) -> Result<()> {
        if !self.eat_word("numbered") {
            return Ok(());
        }
        let offset = self.offset();
        self.expect(Token::LeftParen)?;
        let sizes = self.list_until(Token::RightParen, Self::integer::<u32>)?;
        let Ok([variables, continuations, symbols, function_slots, value_slots]) =
            <[u32; 5]>::try_from(sizes)
        else {
            return Err(self.error_at(offset, "expected the sizes of five tables"));
        };
        // What is not mentioned has a place, too, but no text has more of that than bytes.
        if [variables, continuations, symbols, function_slots, value_slots]
            .iter()
            .any(|&size| size as usize > self.source.len())
        {
            return Err(self.error_at(offset, "a table is larger than the text"));
        }
        let Unit { variables: v, continuations: c, symbols: s, function_slots: f, value_slots: l, .. } =
            &mut self.unit;
        let name = || "unused".to_owned();
        fill(
            v,
            variables,
            &VariableData { name: name().into(), kind: Kind::Value, subkind: Subkind::Any, shape: None },
        );
        fill(c, continuations, &ContinuationData { name: name().into(), is_exn: false, heat: Heat::Unknown });
        fill(s, symbols, &SymbolData { linkage_name: name(), is_local: false });
        fill(f, function_slots, &name());
        fill(l, value_slots, &name());
        self.numbering = Numbering(Some(FxHashSet::default()));
        Ok(())
    }
}

/// Makes a table as long as it was.
fn fill<E: EntityRef, T: Clone>(table: &mut PrimaryMap<E, T>, size: u32, unused: &T) {
    (0..size).for_each(|_| {
        table.push(unused.clone());
    });
}
