//! Which functions are only called, directly, where that can be seen.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Apply, CallKind, CodeId, Expr, FunctionSlot, Item, Named, Prim, Simple, StaticDef, StaticField, Symbol,
    Terminator, Unit, Variable,
};

/// What is known of the functions of a unit.
pub(super) struct Known {
    /// Codes that something else than a direct call may run, or whose closure is used otherwise.
    escapes: SecondaryMap<CodeId, bool>,
    /// The codes of variables and symbols that are known to be closures.
    variables: SecondaryMap<Variable, Option<CodeId>>,
    symbols: SecondaryMap<Symbol, Option<CodeId>>,
    slots: SecondaryMap<FunctionSlot, Option<CodeId>>,
}

impl Known {
    pub(super) fn of(unit: &Unit) -> Known {
        let mut known = Known {
            escapes: SecondaryMap::new(),
            variables: SecondaryMap::new(),
            symbols: SecondaryMap::new(),
            slots: SecondaryMap::new(),
        };
        for (id, code) in &unit.codes {
            known.slots[code.function_slot] = Some(id);
            known.variables[code.my_closure] = Some(id);
            // Functors are evaluated by what they take, and the parameters of stubs are those of their source.
            known.escapes[id] = code.attributes.is_functor || code.attributes.stub;
        }
        known.statics(unit);
        for code in unit.codes.values() {
            known.body(&code.body);
        }
        known.body(&unit.entry.body);
        known
    }

    /// Whether all uses of a code are direct calls in this unit.
    pub(super) fn is_known(&self, code: CodeId) -> bool {
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
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(item));
            match &expr.terminator {
                Terminator::Apply(apply) => self.apply(apply),
                other => other.for_each_simple(&mut |atom| self.escape(atom)),
            }
        });
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::LetClosures { vars, set, .. } => {
                for (var, (_, code)) in vars.iter().zip(&set.functions) {
                    self.variables[*var] = Some(*code);
                }
                set.for_each_simple(&mut |atom| self.escape(atom));
            }
            Item::Let { var, named: Named::Simple(atom), .. } => self.variables[*var] = self.closure(*atom),
            Item::Let {
                named: Named::Prim { prim: Prim::ProjectValueSlot { function, .. }, args, .. },
                ..
            } => {
                self.expect(*function, args[0]);
            }
            Item::Let {
                var,
                named: Named::Prim { prim: Prim::ProjectFunctionSlot { from, to }, args, .. },
                ..
            } => {
                self.expect(*from, args[0]);
                self.variables[*var] = self.slots[*to];
            }
            Item::Let { named: Named::Prim { prim, .. }, .. } => {
                if let Prim::AllocDummyClosure { function } = prim
                    && let Some(code) = self.slots[*function]
                {
                    self.escapes[code] = true;
                }
                item.for_each_simple(&mut |atom| self.escape(atom));
            }
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Notes a projection from a closure of that function: if it is not known to be one, there are closures of which
    /// nothing is known.
    fn expect(&mut self, slot: FunctionSlot, closure: Simple) {
        let code = self.slots[slot];
        if code.is_none() || code != self.closure(closure) {
            self.escape(closure);
            code.iter().for_each(|code| self.escapes[*code] = true);
        }
    }

    fn apply(&mut self, apply: &Apply) {
        apply.args.iter().for_each(|arg| self.escape(*arg));
        apply.exn.for_each_simple(&mut |atom| self.escape(atom));
        let Some(callee) = apply.callee else { return };
        match apply.kind {
            CallKind::Direct(code) if self.closure(callee) == Some(code) => {}
            CallKind::Direct(code) => {
                self.escape(callee);
                self.escapes[code] = true;
            }
            _ => self.escape(callee),
        }
    }
}
