//! Which sets of closures may be lifted: those whose functions are only called.

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{CodeId, SetOfClosures, Unit};

use super::known::Known;

/// Functions nested more deeply are left alone, and those that bind their own set.
const DEEPEST: u32 = 1_000;

/// A set of closures.
pub(super) struct Bound {
    /// The function that binds it; `None` is the entry.
    pub binder: Option<CodeId>,
    pub set: SetOfClosures,
}

/// The sets of closures of a unit whose functions are only called, but those with functions that are to stay.
///
/// A set may capture closures of a set that stays. Its functions are to take these, and to mention slots of a set that
/// is bound elsewhere, so that this can be copied no more ([`flambeau_ir::CodeAttributes::sole`]): not where copies are
/// promised.
pub(super) fn candidates(unit: &Unit, known: &mut Known, stay: &EntitySet<CodeId>) -> Vec<Bound> {
    let sets = Sets::of(unit, known);
    let is_known = |bound: &Bound| {
        bound.set.functions.iter().all(|(_, code)| known.is_known(*code) && !stay.contains(*code))
    };
    let captures: Vec<(usize, usize)> =
        known.captures().iter().filter_map(|(by, code)| sets.number[*by].zip(sets.number[*code])).collect();
    // The sets that stay if this one does.
    let mut follow: Vec<Vec<usize>> = sets.all.iter().map(|_| Vec::new()).collect();
    for (by, captured) in &captures {
        follow[*by].push(*captured);
        if sets.is_copied(unit, *captured) {
            follow[*captured].push(*by);
        }
    }
    let mut stays: Vec<bool> = sets.all.iter().map(|bound| !is_known(bound)).collect();
    let mut pending: Vec<usize> = (0..stays.len()).filter(|index| stays[*index]).collect();
    while let Some(index) = pending.pop() {
        for next in std::mem::take(&mut follow[index]) {
            if !std::mem::replace(&mut stays[next], true) {
                pending.push(next);
            }
        }
    }
    sets.all.into_iter().zip(stays).filter(|(_, stays)| !stays).map(|(bound, _)| bound).collect()
}

/// All sets of closures but the static ones.
struct Sets {
    all: Vec<Bound>,
    /// The set of each code.
    number: SecondaryMap<CodeId, Option<usize>>,
}

impl Sets {
    fn of(unit: &Unit, known: &mut Known) -> Sets {
        let mut all: Vec<Bound> = Vec::new();
        let bodies = unit.codes.iter().map(|(id, code)| (Some(id), &code.body));
        for (binder, body) in bodies.chain([(None, &unit.entry.body)]) {
            body.for_each_set(&mut |set| all.push(Bound { binder, set: set.clone() }));
        }
        let mut number: SecondaryMap<CodeId, Option<usize>> = SecondaryMap::new();
        for (index, bound) in all.iter().enumerate() {
            for (_, code) in &bound.set.functions {
                if number[*code].replace(index).is_some() {
                    known.note_escape(*code);
                }
            }
        }
        Sets { all, number }
    }

    /// Whether a set is bound in a function of which copies are promised: a functor, or one with an attribute.
    fn is_copied(&self, unit: &Unit, mut index: usize) -> bool {
        for _ in 0..DEEPEST {
            let Some(code) = self.all[index].binder else { return false };
            let attributes = &unit.codes[code].attributes;
            let never = matches!(attributes.inline, InlineAttribute::Default | InlineAttribute::Never);
            if attributes.is_functor || !never {
                return true;
            }
            match self.number[code] {
                Some(outer) => index = outer,
                None => return false,
            }
        }
        true
    }
}
