//! Removes what nobody refers to: codes, sets of closures, static data that no other unit may know (features D6).
//!
//! What is live is what can be reached from the entry code and from exported data: a code by direct calls, and with its
//! set; a set by a use of one of its closures, or by a mention of one of its function slots, which need a layout;
//! static data by its symbol. A direct call keeps the code alone, and if it passes the closure, that is a use of it
//! (soundness row 38). A captured value is live if it is projected from the closure; others are captured no longer.
//!
//! Static data that is stored in a field of the module block which other units do not know is live if that field is
//! read. What the toplevel computes and stores there stays: it lives as long as the program, and a finaliser may
//! observe it. Other preallocated blocks are live if something but what fills them mentions them.
//!
//! It is one rewrite for the whole unit, for what is dead mentions what is dead.

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::prim::Init;
use flambeau_ir::renumber::Removal;
use flambeau_ir::{
    CallKind, CodeId, Const, Expr, FunctionSlot, Item, Kind, Named, Prim, Rewrite, Rewrites, SetOfClosures,
    Simple, StaticDef, StaticField, Symbol, Terminator, Unit, ValueSlot, Variable, rewrite,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes what is dead. On entry and on exit the unit is well-formed.
pub fn dead_code(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    remove(unit, |dead| rewrites.allow_in_unit(Rewrite::DeadCode(dead)))
}

/// Removes what is dead, if that is allowed; whether anything was removed. A code whose set of closures is gone already
/// may mention its slots on entry, but not on exit.
pub(crate) fn remove(unit: &mut Unit, allow: impl FnOnce(rewrite::Dead) -> bool) -> bool {
    let live = Marking::new(unit).run();
    if !live.orphans.is_empty() {
        forget_orphans(unit, &live.orphans);
    }
    let codes: Vec<CodeId> = unit.codes.keys().filter(|&id| !live.codes.contains(id)).collect();
    let statics: Vec<usize> = (0..unit.statics.len()).filter(|&index| !live.statics[index]).collect();
    let sets = live.dead.sets.len();
    let fields = live.dead.fields.len();
    let values = live.dead.values;
    if codes.is_empty() && statics.is_empty() && sets + fields + values == 0 {
        return false;
    }
    let dead = rewrite::Dead {
        codes: codes.len() as u32,
        sets: sets as u32,
        statics: statics.len() as u32,
        fields: fields as u32,
        values: values as u32,
    };
    if !allow(dead) {
        return false;
    }
    let mut removal = Removal::new(unit);
    codes.iter().for_each(|&code| removal.code(code));
    statics.iter().for_each(|&index| removal.static_data(index));
    let bodies = unit.codes.values_mut().map(|code| &mut code.body).chain([&mut unit.entry.body]);
    bodies.for_each(|body| live.dead.remove_from(body));
    for item in &mut unit.statics {
        if let StaticDef::Closures { set, .. } = &mut item.def {
            live.dead.remove_values(set);
        }
    }
    removal.apply(unit);
    true
}

/// Replaces what is asked of closures that nobody allocates any more. Such code is never executed: it stays for the
/// layout of sets that are bound in it, or behind the question whether a closure is one of them.
fn forget_orphans(unit: &mut Unit, orphans: &FxHashSet<FunctionSlot>) {
    unit.rewrite_bodies(|_, _, body| {
        let mut changed = false;
        body.walk_mut(&mut |expr| {
            for item in &mut expr.items {
                let Item::Let { named, .. } = item else { continue };
                let Named::Prim { prim, .. } = named else { continue };
                let known = match prim {
                    Prim::IsClosureOf { function } if orphans.contains(function) => Const::NakedImmediate(0),
                    Prim::ProjectValueSlot { function, .. }
                    | Prim::ProjectFunctionSlot { from: function, .. }
                        if orphans.contains(function) =>
                    {
                        Const::Poison(Kind::Value)
                    }
                    _ => continue,
                };
                *named = Named::Simple(Simple::Const(known));
                changed = true;
            }
        });
        changed
    });
}

/// What can be reached from what a unit runs and exports.
struct Live {
    codes: EntitySet<CodeId>,
    /// Functions of which live code mentions slots, and of which no set is left.
    orphans: FxHashSet<FunctionSlot>,
    statics: Vec<bool>,
    dead: Dead,
}

/// What is to be removed from bodies.
struct Dead {
    /// The first closure of each set of closures, except static ones.
    sets: FxHashSet<Variable>,
    module: Symbol,
    fields: FxHashSet<u32>,
    /// Preallocated blocks that are only filled.
    blocks: FxHashSet<Symbol>,
    /// What is projected from closures: other captured values are removed.
    projected: EntitySet<ValueSlot>,
    /// How many others there are in sets that stay.
    values: usize,
}

impl Dead {
    fn remove_from(&self, body: &mut Expr) {
        body.walk_mut(&mut |expr| {
            expr.items.retain_mut(|item| match item {
                Item::LetClosures { vars, set, .. } => {
                    self.remove_values(set);
                    !self.sets.contains(&vars[0])
                }
                Item::Let { named: Named::Prim { prim, args, .. }, .. } => {
                    let fills_dead =
                        filled_by(prim, args).is_some_and(|(block, _)| self.blocks.contains(&block));
                    let is_dead = |(field, _)| self.fields.contains(&field);
                    !fills_dead && !store_to(self.module, prim, args).is_some_and(is_dead)
                }
                _ => true,
            });
        });
    }

    fn remove_values(&self, set: &mut SetOfClosures) {
        set.values.retain(|(slot, _)| self.projected.contains(*slot));
    }
}

/// The field of the module block that is stored to, and the value, if that is static.
fn store_to(module: Symbol, prim: &Prim, args: &[Simple]) -> Option<(u32, Simple)> {
    match (prim, args) {
        (Prim::BlockStore { field, .. }, [Simple::Symbol(block), value])
            if *block == module && value.as_var().is_none() =>
        {
            Some((*field, *value))
        }
        _ => None,
    }
}

/// The block that a store of the toplevel fills, and the value.
fn filled_by(prim: &Prim, args: &[Simple]) -> Option<(Symbol, Simple)> {
    match (prim, args) {
        (Prim::BlockStore { init: Init::Root, .. }, [Simple::Symbol(block), value]) => Some((*block, *value)),
        _ => None,
    }
}

/// A set of closures.
#[derive(Clone, Copy)]
struct Set<'u> {
    set: &'u SetOfClosures,
    home: Home,
    is_live: bool,
}

/// Where a set of closures is bound.
#[derive(Clone, Copy)]
enum Home {
    /// By the linker: static data of that number.
    Static(usize),
    /// In the entry code or in a code, where this is the first closure.
    Entry(Variable),
    Code(CodeId, Variable),
}

/// The search for what is live.
struct Marking<'u> {
    unit: &'u Unit,
    sets: Vec<Set<'u>>,
    /// One more than the number of the set; 0 for none.
    of_variable: SecondaryMap<Variable, u32>,
    of_slot: SecondaryMap<FunctionSlot, u32>,
    orphans: FxHashSet<FunctionSlot>,
    of_value: SecondaryMap<ValueSlot, Option<Simple>>,
    projected: EntitySet<ValueSlot>,
    /// One more than the number of the static data that defines a symbol, and its set.
    of_symbol: SecondaryMap<Symbol, (u32, u32)>,
    /// The fields of the module block that other units do not know, and what waits for one to be read.
    private: std::ops::Range<u32>,
    stored: FxHashMap<u32, Vec<Simple>>,
    read: FxHashSet<u32>,
    /// What other preallocated blocks, as long as nothing mentions them, are filled with.
    filling: FxHashMap<Symbol, Vec<Simple>>,
    codes: EntitySet<CodeId>,
    statics: Vec<bool>,
    /// Codes to visit.
    pending: Vec<CodeId>,
    /// What is to be marked, lest marking recurses.
    atoms: Vec<Simple>,
}

impl<'u> Marking<'u> {
    fn new(unit: &'u Unit) -> Marking<'u> {
        let mut marking = Marking {
            unit,
            sets: Vec::new(),
            of_variable: SecondaryMap::new(),
            of_slot: SecondaryMap::new(),
            orphans: FxHashSet::default(),
            of_value: SecondaryMap::new(),
            projected: EntitySet::new(),
            of_symbol: SecondaryMap::new(),
            private: unit.private_fields(),
            stored: FxHashMap::default(),
            read: FxHashSet::default(),
            filling: FxHashMap::default(),
            codes: EntitySet::new(),
            statics: vec![false; unit.statics.len()],
            pending: Vec::new(),
            atoms: Vec::new(),
        };
        for (index, item) in unit.statics.iter().enumerate() {
            let mut number = 0;
            if let StaticDef::Closures { set, .. } = &item.def {
                number = marking.add_set(set, Home::Static(index));
            }
            for &symbol in item.def.symbols() {
                marking.of_symbol[symbol] = (index as u32 + 1, number);
            }
        }
        for (id, code) in &unit.codes {
            marking.find_sets(&code.body, |var| Home::Code(id, var));
        }
        marking.find_sets(&unit.entry.body, Home::Entry);
        marking
    }

    fn find_sets(&mut self, body: &'u Expr, home: impl Fn(Variable) -> Home) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                let Item::LetClosures { vars, set, .. } = item else { continue };
                let number = self.add_set(set, home(vars[0]));
                vars.iter().for_each(|&var| self.of_variable[var] = number);
            }
        });
    }

    fn add_set(&mut self, set: &'u SetOfClosures, home: Home) -> u32 {
        self.sets.push(Set { set, home, is_live: false });
        let number = self.sets.len() as u32;
        set.functions.iter().for_each(|&(slot, _)| self.of_slot[slot] = number);
        set.values.iter().for_each(|&(slot, value)| self.of_value[slot] = Some(value));
        number
    }

    fn run(mut self) -> Live {
        let unit = self.unit;
        for (index, item) in unit.statics.iter().enumerate() {
            // Of the module block others know the fields that are not private, and these are stored to.
            if item.def.symbols() == [unit.module_symbol] {
                self.statics[index] = true;
            } else if item.exported {
                self.atoms.extend(item.def.symbols().iter().map(|&symbol| Simple::Symbol(symbol)));
            }
        }
        self.body(&unit.entry.body);
        loop {
            if let Some(atom) = self.atoms.pop() {
                self.atom(atom);
            } else if let Some(code) = self.pending.pop() {
                self.body(&unit.codes[code].body);
            } else {
                break;
            }
        }
        let mut sets = FxHashSet::default();
        for set in self.sets.iter().filter(|set| !set.is_live) {
            if let Home::Entry(var) | Home::Code(_, var) = set.home {
                sets.insert(var);
            }
        }
        let live = self.sets.iter().filter(|set| set.is_live).flat_map(|set| &set.set.values);
        let dead = Dead {
            sets,
            module: unit.module_symbol,
            fields: self.stored.into_keys().collect(),
            blocks: self.filling.into_keys().collect(),
            values: live.filter(|(slot, _)| !self.projected.contains(*slot)).count(),
            projected: self.projected,
        };
        Live { codes: self.codes, orphans: self.orphans, statics: self.statics, dead }
    }

    fn atom(&mut self, atom: Simple) {
        match atom {
            Simple::Var(variable) => self.set(self.of_variable[variable]),
            // Anything may be read from it where it is passed on.
            Simple::Symbol(symbol) if symbol == self.unit.module_symbol => {
                self.private.clone().for_each(|field| self.read(field));
            }
            Simple::Symbol(symbol) => {
                let (index, set) = self.of_symbol[symbol];
                self.set(set);
                // A symbol of another unit has no static here.
                let Some(index) = (index as usize).checked_sub(1) else { return };
                if std::mem::replace(&mut self.statics[index], true) {
                    return;
                }
                if let StaticDef::Block { fields, .. } = &self.unit.statics[index].def {
                    self.atoms.extend(fields.iter().copied().map(StaticField::simple));
                }
                self.atoms.extend(self.filling.remove(&symbol).into_iter().flatten());
            }
            Simple::Const(_) => {}
        }
    }

    fn code(&mut self, code: CodeId) {
        if self.codes.insert(code) {
            self.pending.push(code);
        }
    }

    fn set(&mut self, number: u32) {
        let Some(index) = (number as usize).checked_sub(1) else { return };
        let Set { set, home, is_live } = self.sets[index];
        if is_live {
            return;
        }
        self.sets[index].is_live = true;
        // The code where it is bound stays too, though otherwise only a mention of a slot can have led here.
        match home {
            Home::Static(index) => self.statics[index] = true,
            Home::Entry(_) => {}
            Home::Code(code, _) => self.code(code),
        }
        set.functions.iter().for_each(|&(_, code)| self.code(code));
    }

    fn read(&mut self, field: u32) {
        self.read.insert(field);
        self.atoms.extend(self.stored.remove(&field).into_iter().flatten());
    }

    /// Whether a primitive reads or writes the module block: then what it uses is seen to here.
    fn of_module(&mut self, prim: &Prim, args: &[Simple]) -> bool {
        let module = self.unit.module_symbol;
        match (prim, args) {
            (Prim::BlockLoad { field, .. }, [Simple::Symbol(block)]) if *block == module => self.read(*field),
            (Prim::BlockStore { .. }, [Simple::Symbol(block), value]) if *block == module => {
                match store_to(module, prim, args) {
                    Some((field, value)) if self.private.contains(&field) && !self.read.contains(&field) => {
                        self.stored.entry(field).or_default().push(value);
                    }
                    _ => self.atoms.push(*value),
                }
            }
            _ => return false,
        }
        true
    }

    /// Whether a primitive fills another preallocated block: then what it uses counts when the block does.
    fn fills(&mut self, prim: &Prim, args: &[Simple]) -> bool {
        let Some((block, value)) = filled_by(prim, args) else { return false };
        let Some(index) = (self.of_symbol[block].0 as usize).checked_sub(1) else { return false };
        if !matches!(self.unit.statics[index].def, StaticDef::Preallocated { .. }) {
            return false;
        }
        if self.statics[index] {
            self.atoms.push(value);
        } else {
            self.filling.entry(block).or_default().push(value);
        }
        true
    }

    /// A body that may run.
    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item {
                    if self.of_module(prim, args) || self.fills(prim, args) {
                        continue;
                    }
                    self.slots(prim);
                }
                // What a set captures counts when the set does.
                if !matches!(item, Item::LetClosures { .. }) {
                    item.for_each_simple(&mut |simple| self.atoms.push(simple));
                }
            }
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(code) = apply.kind
            {
                self.code(code);
            }
            expr.terminator.for_each_simple(&mut |simple| self.atoms.push(simple));
        });
    }

    fn slot(&mut self, slot: FunctionSlot) {
        match self.of_slot[slot] {
            0 => _ = self.orphans.insert(slot),
            set => self.set(set),
        }
    }

    fn slots(&mut self, prim: &Prim) {
        match prim {
            Prim::ProjectValueSlot { function, value } => {
                self.slot(*function);
                if self.projected.insert(*value) {
                    self.atoms.extend(self.of_value[*value]);
                }
            }
            Prim::AllocDummyClosure { function } | Prim::IsClosureOf { function } => {
                self.slot(*function);
            }
            Prim::ProjectFunctionSlot { from, to } => {
                self.slot(*from);
                self.slot(*to);
            }
            _ => {}
        }
    }
}
