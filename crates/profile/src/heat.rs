//! What a profile says of a unit.

use flambeau_ir::{CodeId, Continuation, Expr, Heat, Item, Terminator, Unit};
use rustc_hash::FxHashMap;

use crate::points::{self, Counted, Key};
use crate::record::{Counts, Profile};

/// Of all that was counted in a program, so many percent is hot.
const HOT_PERCENT: u128 = 99;

/// What of a unit a profile knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// The functions of the unit.
    pub functions: usize,
    /// Those that are as they were when they were counted.
    pub same: usize,
    /// Those that branch or call in another way now: how often they were called is known, and no more.
    pub changed: usize,
    /// Functions that were counted and are gone.
    pub gone: usize,
}

impl Matched {
    /// Those of which the profile knows nothing.
    #[must_use]
    pub fn unknown(&self) -> usize {
        self.functions - self.same - self.changed
    }

    /// Whether the unit is as it was when it was counted.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.same == self.functions
    }
}

/// The least count of what is hot: what counts more makes up most of all that was counted.
#[must_use]
pub fn hot_from(profile: &Profile) -> u64 {
    let mut counters: Vec<u64> = profile.counters().filter(|count| *count > 0).collect();
    counters.sort_unstable_by(|a, b| b.cmp(a));
    let whole: u128 = counters.iter().map(|count| u128::from(*count)).sum();
    let mut sum = 0;
    for count in counters {
        sum += u128::from(count);
        if sum * 100 >= whole * HOT_PERCENT {
            return count;
        }
    }
    u64::MAX
}

/// Says of the functions, branches and calls of a unit, which no pass has changed yet, how often they ran; none if the
/// unit was not counted.
pub fn apply(unit: &mut Unit, profile: &Profile) -> Option<Matched> {
    let counts = profile.unit(&unit.name)?;
    let hot_from = hot_from(profile);
    let functions = points::of_unit(unit);
    let mut matched = Matched { functions: functions.len(), ..Matched::default() };
    let mut known = by_path(counts);
    for function in &functions {
        match find(&mut known, &function.key) {
            Some((true, counts)) if counts.counters.len() == function.counters() => {
                matched.same += 1;
                mark(unit, function, &counts.counters, hot_from);
            }
            Some((_, counts)) => {
                matched.changed += 1;
                mark_calls(unit, function.code, counts.calls(), hot_from);
            }
            None => {}
        }
    }
    matched.gone = known.values().map(Vec::len).sum();
    Some(matched)
}

/// What was counted of the functions with one path.
type Candidates<'p> = Vec<(&'p Key, &'p Counts)>;

fn by_path(counts: &FxHashMap<Key, Counts>) -> FxHashMap<&str, Candidates<'_>> {
    let mut by_path: FxHashMap<&str, Candidates> = FxHashMap::default();
    for (key, counts) in counts {
        by_path.entry(&key.path).or_default().push((key, counts));
    }
    by_path.values_mut().for_each(|candidates| candidates.sort_by_key(|(key, _)| (key.position, key.shape)));
    by_path
}

/// What was counted of a function, and whether it is the same: if none has its position and shape, then one of its
/// shape, for a function like it may have been added before; else one at its position.
fn find<'p>(known: &mut FxHashMap<&str, Candidates<'p>>, key: &Key) -> Option<(bool, &'p Counts)> {
    let candidates = known.get_mut(key.path.as_str())?;
    let same = candidates.iter().position(|(other, _)| *other == key);
    let same = same.or_else(|| candidates.iter().position(|(other, _)| other.shape == key.shape));
    let index = same.or_else(|| candidates.iter().position(|(other, _)| other.position == key.position))?;
    Some((same.is_some(), candidates.remove(index).1))
}

fn heat(count: u64, hot_from: u64) -> Heat {
    match count {
        0 => Heat::Never,
        count if count >= hot_from => Heat::Hot,
        _ => Heat::Warm,
    }
}

/// Says of a function that is as it was how often it and its branches ran.
fn mark(unit: &mut Unit, function: &Counted, counters: &[u64], hot_from: u64) {
    let mut own = Heat::Unknown;
    let mut heats: FxHashMap<Continuation, Heat> = FxHashMap::default();
    for (cont, count) in function.flow.derive(counters) {
        let heat = heat(count, hot_from);
        match cont {
            Some(cont) => {
                unit.continuations[cont].heat = heat;
                heats.insert(cont, heat);
            }
            None => own = heat,
        }
    }
    if let Some(code) = function.code {
        unit.codes[code].attributes.heat = own;
    }
    // What is bound outside all branches runs as often as the function.
    let mut pending = vec![(unit.body_mut(function.code), own)];
    while let Some((expr, mut here)) = pending.pop() {
        let Expr { items, terminator } = expr;
        for item in items {
            match item {
                // What follows is the handler: if that has no counter, it runs as often as what is before, unless that
                // does not come back.
                Item::Join { cont, body, .. } => {
                    pending.push((body, here));
                    here = heats.get(cont).copied().unwrap_or(here);
                }
                Item::LetCont { handlers, .. } => {
                    for handler in handlers {
                        let heat = heats.get(&handler.cont).copied().unwrap_or(here);
                        pending.push((&mut handler.body, heat));
                    }
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        match terminator {
            Terminator::Apply(apply) => apply.heat = here,
            Terminator::Try { body, .. } => pending.push((body, here)),
            _ => {}
        }
    }
}

/// Says of a function that has changed how often it was called. Of what is in it nothing is known, unless it never ran.
fn mark_calls(unit: &mut Unit, code: Option<CodeId>, count: u64, hot_from: u64) {
    let heat = heat(count, hot_from);
    if let Some(code) = code {
        unit.codes[code].attributes.heat = heat;
    }
    if heat == Heat::Never {
        unit.body_mut(code).walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator {
                apply.heat = heat;
            }
        });
    }
}
