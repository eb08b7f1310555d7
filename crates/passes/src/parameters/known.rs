//! Which functions are only called, directly, where that can be seen.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Apply, CallKind, CodeId, Expr, FunctionSlot, Item, Named, Prim, SetOfClosures, Simple, StaticDef,
    StaticField, Symbol, Terminator, Unit, ValueSlot, Variable,
};

/// How often the closures that variables hold are propagated at most: from a closure through what captures it to what
/// captures that, one step each time where terms are in the usual order less often.
const DEEPEST: u32 = 16;

/// What is known of the functions of a unit.
pub(crate) struct Known {
    /// Codes that something else than a direct call may run, or whose closure is used otherwise.
    escapes: SecondaryMap<CodeId, bool>,
    /// Codes of closures that something projects from which is not known to be one of them.
    is_open: SecondaryMap<CodeId, bool>,
    /// Codes that are called directly through their closures.
    called: SecondaryMap<CodeId, bool>,
    /// The codes of variables and symbols that are known to be closures.
    variables: SecondaryMap<Variable, Option<CodeId>>,
    symbols: SecondaryMap<Symbol, Option<CodeId>>,
    slots: SecondaryMap<FunctionSlot, Option<CodeId>>,
    /// The codes of closures that sets capture, by a code of the set.
    captures: Vec<(CodeId, CodeId)>,
}

impl Known {
    /// What is known of the functions of a unit; a closure that others capture is assumed to be used arbitrarily by
    /// them.
    pub(crate) fn of(unit: &Unit) -> Known {
        let mut known = Known::with_captures(unit);
        for (_, captured) in std::mem::take(&mut known.captures) {
            known.escapes[captured] = true;
        }
        known
    }

    /// What is known of the functions of a unit, if [`Known::captures`] are looked at as well.
    pub(super) fn with_captures(unit: &Unit) -> Known {
        let mut known = Known {
            escapes: SecondaryMap::new(),
            is_open: SecondaryMap::new(),
            called: SecondaryMap::new(),
            variables: SecondaryMap::new(),
            symbols: SecondaryMap::new(),
            slots: SecondaryMap::new(),
            captures: Vec::new(),
        };
        for (id, code) in &unit.codes {
            known.slots[code.function_slot] = Some(id);
            known.variables[code.my_closure] = Some(id);
            // Functors are evaluated by what they take, and the parameters of stubs are those of their source.
            known.escapes[id] = code.attributes.is_functor || code.attributes.stub;
        }
        known.statics(unit);
        known.propagate(unit);
        for code in unit.codes.values() {
            known.body(&code.body);
        }
        known.body(&unit.entry.body);
        known
    }

    /// Records that a code may be run by something else than a direct call of it.
    pub(super) fn note_escape(&mut self, code: CodeId) {
        self.escapes[code] = true;
    }

    /// Whether what closures of a code have captured is read where they are not known.
    pub(super) fn is_open(&self, code: CodeId) -> bool {
        self.is_open[code]
    }

    /// Whether a code is called directly through its closure.
    pub(super) fn is_called(&self, code: CodeId) -> bool {
        self.called[code]
    }

    /// The closures that sets of closures capture, by codes: one of the set, and that of the closure.
    pub(super) fn captures(&self) -> &[(CodeId, CodeId)] {
        &self.captures
    }

    /// Finds which closures variables hold: those that sets bind, other names of these, and what functions project
    /// from their closures.
    fn propagate(&mut self, unit: &Unit) {
        let mut values: SecondaryMap<ValueSlot, Option<Simple>> = SecondaryMap::new();
        let mut holders: Vec<(Variable, Holder)> = Vec::new();
        unit.bodies().for_each(|body| {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    match item {
                        Item::LetClosures { vars, set, .. } => {
                            for (var, (_, code)) in vars.iter().zip(&set.functions) {
                                self.variables[*var] = Some(*code);
                            }
                            set.values.iter().for_each(|(slot, value)| values[*slot] = Some(*value));
                        }
                        Item::Let { var, named, .. } => {
                            holders.extend(Holder::of(named).map(|holder| (*var, holder)));
                        }
                        Item::Join { .. } | Item::LetCont { .. } => {}
                    }
                }
            });
        });
        for _ in 0..DEEPEST {
            let mut changed = false;
            for (var, holder) in &holders {
                let code = match holder {
                    Holder::Name(atom) => self.closure(*atom),
                    Holder::Captured(slot) => values[*slot].and_then(|value| self.closure(value)),
                    Holder::Function(slot) => self.slots[*slot],
                };
                changed |= code != self.variables[*var];
                self.variables[*var] = code;
            }
            if !changed {
                break;
            }
        }
    }

    /// Whether all uses of a code are direct calls in this unit.
    pub(crate) fn is_known(&self, code: CodeId) -> bool {
        !self.escapes[code]
    }

    /// The code of the closure that an atom is.
    pub(super) fn closure(&self, atom: Simple) -> Option<CodeId> {
        match atom {
            Simple::Var(var) => self.variables[var],
            Simple::Symbol(symbol) => self.symbols[symbol],
            Simple::Const(_) => None,
        }
    }

    fn statics(&mut self, unit: &Unit) {
        for item in &unit.statics {
            if let StaticDef::Closures { symbols, set } = &item.def {
                for (symbol, (_, code)) in symbols.iter().zip(&set.functions) {
                    self.symbols[*symbol] = Some(*code);
                    // Other units may know it.
                    self.escapes[*code] |= item.exported;
                }
            }
        }
        for item in &unit.statics {
            match &item.def {
                StaticDef::Block { fields, .. } => {
                    fields.iter().for_each(|field: &StaticField| self.escape(field.simple()));
                }
                StaticDef::Closures { set, .. } => set.for_each_simple(&mut |atom| self.escape(atom)),
                _ => {}
            }
        }
    }

    fn escape(&mut self, atom: Simple) {
        if let Some(code) = self.closure(atom) {
            self.escapes[code] = true;
        }
    }

    fn body(&mut self, body: &Expr) {
        let mut escaping: Vec<CodeId> = Vec::new();
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(item));
            if let Terminator::Apply(apply) = &expr.terminator {
                self.apply(apply);
            }
            expr.items.iter().for_each(|item| self.escaping(item, &mut |_, code| escaping.push(code)));
            self.escaping_at_end(&expr.terminator, &mut |_, code| escaping.push(code));
            escaping.drain(..).for_each(|code| self.escapes[code] = true);
        });
    }

    /// Passes the known closures of which an item does something that is not known: otherwise than capturing it or
    /// projecting from it.
    pub(super) fn escaping(&self, item: &Item, f: &mut impl FnMut(Simple, CodeId)) {
        let mut escape = |atom| {
            if let Some(code) = self.closure(atom) {
                f(atom, code);
            }
        };
        match item {
            // A set may use static closures arbitrarily.
            Item::LetClosures { set, .. } => {
                set.values.iter().filter(|(_, value)| value.as_var().is_none()).for_each(|(_, v)| escape(*v));
            }
            Item::Let {
                named:
                    Named::Simple(_)
                    | Named::Prim { prim: Prim::ProjectValueSlot { .. } | Prim::ProjectFunctionSlot { .. }, .. },
                ..
            } => {}
            Item::Let { .. } => item.for_each_simple(&mut escape),
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Passes the known closures of which a terminator does something else than to call them directly.
    pub(super) fn escaping_at_end(&self, terminator: &Terminator, f: &mut impl FnMut(Simple, CodeId)) {
        let mut escape = |atom| {
            if let Some(code) = self.closure(atom) {
                f(atom, code);
            }
        };
        let Terminator::Apply(apply) = terminator else { return terminator.for_each_simple(&mut escape) };
        apply.args.iter().for_each(|arg| escape(*arg));
        apply.for_each_comparator(&mut escape);
        apply.exn.for_each_simple(&mut escape);
        match (&apply.kind, apply.callee) {
            (CallKind::Direct(code), Some(callee)) if self.closure(callee) == Some(*code) => {}
            (_, callee) => callee.into_iter().for_each(escape),
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::LetClosures { set, .. } => self.set(set),
            Item::Let { named: Named::Simple(_), .. } => {}
            Item::Let {
                named: Named::Prim { prim: Prim::ProjectValueSlot { function, .. }, args, .. },
                ..
            } => {
                self.expect(*function, args[0]);
            }
            Item::Let {
                named: Named::Prim { prim: Prim::ProjectFunctionSlot { from, .. }, args, .. },
                ..
            } => {
                self.expect(*from, args[0]);
            }
            Item::Let { named: Named::Prim { prim, .. }, .. } => {
                if let Prim::AllocDummyClosure { function } = prim
                    && let Some(code) = self.slots[*function]
                {
                    self.escapes[code] = true;
                    self.is_open[code] = true;
                }
            }
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Records which closures a set captures.
    fn set(&mut self, set: &SetOfClosures) {
        let Some((_, by)) = set.functions.first() else { return };
        let variables = set.values.iter().filter_map(|(_, value)| value.as_var());
        let closures = variables.filter_map(|var| self.variables[var]);
        self.captures.extend(closures.map(|code| (*by, code)));
    }

    /// Records a projection from a closure of that function: if it is not known to be one, there are closures of which
    /// nothing is known.
    fn expect(&mut self, slot: FunctionSlot, closure: Simple) {
        let code = self.slots[slot];
        if code.is_none() || code != self.closure(closure) {
            self.escape(closure);
            if let Some(code) = code {
                self.escapes[code] = true;
                self.is_open[code] = true;
            }
        }
    }

    fn apply(&mut self, apply: &Apply) {
        if let (CallKind::Direct(code), Some(callee)) = (&apply.kind, apply.callee) {
            let is_known = self.closure(callee) == Some(*code);
            self.called[*code] |= is_known;
            self.escapes[*code] |= !is_known;
        }
    }
}

/// What makes a variable another name of a closure, perhaps.
enum Holder {
    Name(Simple),
    /// It is projected from a closure that captures it.
    Captured(ValueSlot),
    /// It is projected from a closure of its set.
    Function(FunctionSlot),
}

impl Holder {
    fn of(named: &Named) -> Option<Holder> {
        match named {
            Named::Simple(atom) => Some(Holder::Name(*atom)),
            Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. } => Some(Holder::Captured(*value)),
            Named::Prim { prim: Prim::ProjectFunctionSlot { to, .. }, .. } => Some(Holder::Function(*to)),
            Named::Prim { .. } => None,
        }
    }
}
