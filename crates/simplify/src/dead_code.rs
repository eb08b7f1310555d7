//! Removes what nobody refers to: codes, sets of closures, static data that no other unit may know.
//!
//! What is live is what can be reached from the entry code and from exported data: a code by direct calls, and with its
//! set; a set by a use of one of its closures, or by a mention of one of its function slots, which need a layout; static data
//! by its symbol. A direct call keeps the code alone, and if it passes the closure, that is a use of it (soundness
//! row 38).
//!
//! It is one rewrite for the whole unit, for what is dead mentions what is dead.

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::{
    CallKind, CodeId, Expr, FunctionSlot, Item, Named, Prim, Rewrites, SetOfClosures, Simple, StaticDef,
    StaticField, Symbol, Terminator, Unit, Variable,
};

use flambeau_ir::renumber::Removal;

/// Removes what is dead. On entry and on exit the unit is well-formed.
pub fn dead_code(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    remove(unit, |what| rewrites.allow(|| what))
}

/// Removes what is dead, if that is allowed; whether anything was removed. A code whose set of closures is gone already
/// may mention its slots.
pub(crate) fn remove(unit: &mut Unit, allow: impl FnOnce(String) -> bool) -> bool {
    let live = Marking::new(unit).run();
    let codes: Vec<CodeId> = unit.codes.keys().filter(|&id| !live.codes.contains(id)).collect();
    let statics: Vec<usize> = (0..unit.statics.len()).filter(|&index| !live.statics[index]).collect();
    let sets = live.dead_sets.len();
    if codes.is_empty() && statics.is_empty() && sets == 0 {
        return false;
    }
    let counts = (codes.len(), statics.len());
    let what =
        format!("{} codes, {sets} sets of closures and {} static data are not used", counts.0, counts.1);
    if !allow(what) {
        return false;
    }
    let mut dead: EntitySet<Variable> = EntitySet::new();
    dead.extend(live.dead_sets);
    let mut removal = Removal::new(unit);
    codes.iter().for_each(|&code| removal.code(code));
    statics.iter().for_each(|&index| removal.static_data(index));
    for code in unit.codes.values_mut() {
        remove_sets(&mut code.body, &dead);
    }
    remove_sets(&mut unit.entry.body, &dead);
    removal.apply(unit);
    true
}

/// Removes sets of closures, each told by its first closure.
fn remove_sets(body: &mut Expr, dead: &EntitySet<Variable>) {
    let mut pending = vec![body];
    while let Some(Expr { items, terminator }) = pending.pop() {
        items.retain(|item| !matches!(item, Item::LetClosures { vars, .. } if dead.contains(vars[0])));
        for item in items {
            match item {
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { body, .. } => pending.push(body),
                Item::LetCont { handlers, .. } => {
                    pending.extend(handlers.iter_mut().map(|handler| &mut handler.body));
                }
            }
        }
        if let Terminator::Try { body, .. } = terminator {
            pending.push(body);
        }
    }
}

/// What is live.
struct Live {
    codes: EntitySet<CodeId>,
    statics: Vec<bool>,
    /// Of each set of closures that is not live, static ones apart, the first closure.
    dead_sets: Vec<Variable>,
}

/// A set of closures.
#[derive(Clone, Copy)]
struct Set<'u> {
    set: &'u SetOfClosures,
    home: Home,
    is_live: bool,
}

/// Where a set of closures is made.
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
    /// One more than the number of the static data that defines a symbol, and its set.
    of_symbol: SecondaryMap<Symbol, (u32, u32)>,
    codes: EntitySet<CodeId>,
    statics: Vec<bool>,
    /// Codes to look at.
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
            of_symbol: SecondaryMap::new(),
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
        number
    }

    fn run(mut self) -> Live {
        let unit = self.unit;
        let exported = unit.statics.iter().filter(|item| item.exported);
        self.atoms.extend(exported.flat_map(|item| item.def.symbols()).map(|&symbol| Simple::Symbol(symbol)));
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
        let dead = self.sets.iter().filter(|set| !set.is_live);
        let first = |set: &Set| match set.home {
            Home::Static(_) => None,
            Home::Entry(var) | Home::Code(_, var) => Some(var),
        };
        Live { dead_sets: dead.filter_map(first).collect(), codes: self.codes, statics: self.statics }
    }

    fn atom(&mut self, atom: Simple) {
        match atom {
            Simple::Var(variable) => self.set(self.of_variable[variable]),
            Simple::Symbol(symbol) => {
                let (index, set) = self.of_symbol[symbol];
                self.set(set);
                // A symbol of another unit has no static here.
                let Some(index) = (index as usize).checked_sub(1) else { return };
                if !std::mem::replace(&mut self.statics[index], true)
                    && let StaticDef::Block { fields, .. } = &self.unit.statics[index].def
                {
                    self.atoms.extend(fields.iter().copied().map(StaticField::simple));
                }
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
        // Where it is made stays too, though only a mention of a slot can have led here otherwise.
        match home {
            Home::Static(index) => self.statics[index] = true,
            Home::Entry(_) => {}
            Home::Code(code, _) => self.code(code),
        }
        set.functions.iter().for_each(|&(_, code)| self.code(code));
        self.atoms.extend(set.values.iter().map(|(_, value)| *value));
    }

    /// A body that may run.
    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let { named: Named::Prim { prim, .. }, .. } = item {
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

    fn slots(&mut self, prim: &Prim) {
        match prim {
            Prim::ProjectValueSlot { function, .. } | Prim::AllocDummyClosure { function } => {
                self.set(self.of_slot[*function]);
            }
            Prim::ProjectFunctionSlot { from, to } => {
                self.set(self.of_slot[*from]);
                self.set(self.of_slot[*to]);
            }
            _ => {}
        }
    }
}
