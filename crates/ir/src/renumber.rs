//! Removing what is in a table: what comes after it there is renumbered, in the same order. Codes and static data go
//! because someone decided so; variables and continuations if nothing mentions them, which the pass that leaves many
//! behind sees to ([`compact`]). Slots need no removing: what is in a table without being mentioned does not count.

use crate::remap::{self, Remap};
use crate::{CodeId, Continuation, Symbol, Unit, Variable};
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};

/// Removes the variables and continuations that nothing mentions. Inlining leaves ten times as many of them as there
/// are others, and tables that are indexed by them would be as large.
pub fn compact(unit: &mut Unit) {
    let mut mentioned = Mentioned { variables: EntitySet::new(), continuations: EntitySet::new() };
    names(&mut mentioned, unit);
    let mut compaction = Compaction {
        variables: filter(&mut unit.variables, |variable| mentioned.variables.contains(variable)),
        continuations: filter(&mut unit.continuations, |cont| mentioned.continuations.contains(cont)),
    };
    names(&mut compaction, unit);
}

/// Replaces all variables and continuations of a unit.
fn names(r: &mut impl Remap, unit: &mut Unit) {
    for code in unit.codes.values_mut() {
        code.params.iter_mut().for_each(|param| r.variable(param));
        r.variable(&mut code.my_closure);
        r.continuation(&mut code.ret);
        r.continuation(&mut code.exn);
        remap::expr(r, &mut code.body);
    }
    r.continuation(&mut unit.entry.ret);
    r.continuation(&mut unit.entry.exn);
    remap::expr(r, &mut unit.entry.body);
}

/// Drops what does not stay from a table; the new number of each that does.
fn filter<K: EntityRef + ReservedValue, V>(
    table: &mut PrimaryMap<K, V>,
    stays: impl Fn(K) -> bool,
) -> Numbers<K> {
    let mut numbers = SecondaryMap::with_capacity(table.len());
    let mut kept: PrimaryMap<K, V> = PrimaryMap::new();
    for (id, data) in std::mem::take(table) {
        if stays(id) {
            numbers[id] = kept.push(data).into();
        }
    }
    *table = kept;
    numbers
}

/// The new numbers of what stays in a table.
type Numbers<K> = SecondaryMap<K, PackedOption<K>>;

/// Replaces a mention.
fn renumber<K: EntityRef + ReservedValue>(numbers: &Numbers<K>, id: &mut K) {
    *id = numbers[*id].expect("what was removed has no mention");
}

/// What a unit mentions.
struct Mentioned {
    variables: EntitySet<Variable>,
    continuations: EntitySet<Continuation>,
}

impl Remap for Mentioned {
    fn variable(&mut self, variable: &mut Variable) {
        self.variables.insert(*variable);
    }

    fn continuation(&mut self, continuation: &mut Continuation) {
        self.continuations.insert(*continuation);
    }
}

/// The new numbers of what is mentioned.
struct Compaction {
    variables: Numbers<Variable>,
    continuations: Numbers<Continuation>,
}

impl Remap for Compaction {
    fn variable(&mut self, variable: &mut Variable) {
        renumber(&self.variables, variable);
    }

    fn continuation(&mut self, continuation: &mut Continuation) {
        renumber(&self.continuations, continuation);
    }
}

/// What is to be removed.
pub struct Removal {
    codes: SecondaryMap<CodeId, bool>,
    statics: Vec<bool>,
}

impl Removal {
    /// Nothing yet.
    pub fn new(unit: &Unit) -> Removal {
        Removal { codes: SecondaryMap::new(), statics: vec![false; unit.statics.len()] }
    }

    /// Removes a code, which nothing that stays mentions.
    pub fn code(&mut self, code: CodeId) {
        self.codes[code] = true;
    }

    /// Removes the static data of that number with its symbols, which nothing that stays mentions.
    pub fn static_data(&mut self, index: usize) {
        self.statics[index] = true;
    }

    /// Does so.
    pub fn apply(self, unit: &mut Unit) {
        let mut renumbering = Renumbering { codes: SecondaryMap::new(), symbols: SecondaryMap::new() };
        let mut codes: PrimaryMap<CodeId, _> = PrimaryMap::new();
        for (id, code) in std::mem::take(&mut unit.codes) {
            if self.codes[id] {
                code.body.dismantle();
            } else {
                renumbering.codes[id] = codes.push(code).into();
            }
        }
        unit.codes = codes;
        let mut removed: SecondaryMap<Symbol, bool> = SecondaryMap::new();
        let mut doomed = self.statics.iter();
        unit.statics.retain(|item| {
            let stays = !doomed.next().copied().unwrap_or(false);
            item.def.symbols().iter().for_each(|&symbol| removed[symbol] = !stays);
            stays
        });
        renumbering.symbols = filter(&mut unit.symbols, |symbol| !removed[symbol]);
        renumbering.unit(unit);
    }
}

/// The new numbers of what stays.
struct Renumbering {
    codes: Numbers<CodeId>,
    symbols: Numbers<Symbol>,
}

impl Remap for Renumbering {
    fn code(&mut self, code: &mut CodeId) {
        renumber(&self.codes, code);
    }

    fn symbol(&mut self, symbol: &mut Symbol) {
        renumber(&self.symbols, symbol);
    }
}

impl Renumbering {
    fn unit(&mut self, unit: &mut Unit) {
        self.symbol(&mut unit.module_symbol);
        for item in &mut unit.statics {
            remap::static_def(self, &mut item.def);
        }
        for code in unit.codes.values_mut() {
            remap::expr(self, &mut code.body);
        }
        remap::expr(self, &mut unit.entry.body);
    }
}
