//! Parameters that a function only applies. It cannot tell the closure that it is given from another one that behaves
//! as that does: so it may be given that of a copy (`let by_second (_, a) (_, b) = compare a b` in `List.sort by_second
//! l`), though the function has a name, and other uses of it the closure that it had.

use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, Expr, Item, Named, Prim, Simple, Terminator, Unit, ValueSlot,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::Simplifier;

/// A function that is handed on through more functions may be used for something else.
const MOST_FUNCTIONS: usize = 24;

impl Simplifier<'_> {
    /// Whether a function does nothing with a parameter but to call it, and those that it hands it to do nothing else.
    pub(super) fn only_applies(&mut self, code: CodeId, index: usize) -> bool {
        let Some(param) = self.unit.codes[code].params.get(index).copied() else { return false };
        if let Some(known) = self.global.typed_copies.only_applied.get(&param) {
            return *known;
        }
        let known = self.follow(code, param);
        self.global.typed_copies.only_applied.insert(param, known);
        known
    }

    fn follow(&mut self, code: CodeId, param: Variable) -> bool {
        let mut uses = Uses { held: FxHashSet::from_iter([param]), codes: vec![code], ..Uses::default() };
        loop {
            let before = uses.known();
            for code in uses.codes.clone() {
                uses.look_at(self.unit, code);
            }
            for (name, args, index) in std::mem::take(&mut uses.external) {
                match self.imported_function(&name, args) {
                    Some(called) => uses.hand_to(self.unit, called, index),
                    None => uses.escapes = true,
                }
            }
            if uses.escapes || uses.codes.len() > MOST_FUNCTIONS {
                return false;
            }
            if uses.known() == before {
                return true;
            }
            if uses.slots.len() > before.1 {
                uses.add_readers(self.unit);
            }
        }
    }
}

/// Where a value is found, while that grows.
#[derive(Default)]
struct Uses {
    /// The variables that are the value.
    held: FxHashSet<Variable>,
    /// The value slots that hold it.
    slots: FxHashSet<ValueSlot>,
    /// The functions in which it is found.
    codes: Vec<CodeId>,
    /// Functions of other units that it is passed to: their names, the number of arguments, which it is.
    external: Vec<(String, usize, usize)>,
    /// Something else than a call is made of it.
    escapes: bool,
}

impl Uses {
    fn known(&self) -> (usize, usize, usize) {
        (self.held.len(), self.slots.len(), self.codes.len())
    }

    fn is_held(&self, simple: Simple) -> bool {
        simple.as_var().is_some_and(|var| self.held.contains(&var))
    }

    fn add(&mut self, code: CodeId) {
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
    }

    fn hand_to(&mut self, unit: &Unit, code: CodeId, index: usize) {
        match unit.codes[code].params.get(index) {
            Some(param) => {
                self.held.insert(*param);
                self.add(code);
            }
            None => self.escapes = true,
        }
    }

    /// Slots can be read outside of the functions that the closure is of: after inlining.
    fn add_readers(&mut self, unit: &Unit) {
        for (code, data) in &unit.codes {
            let mut reads = false;
            data.body.walk(&mut |expr| {
                reads |= expr
                    .items
                    .iter()
                    .any(|item| slot_read(item).is_some_and(|(_, slot)| self.slots.contains(&slot)));
            });
            if reads {
                self.add(code);
            }
        }
    }

    fn look_at(&mut self, unit: &Unit, code: CodeId) {
        let body = &unit.codes[code].body;
        let mut conts: FxHashMap<Continuation, SmallVec<[Variable; 2]>> = FxHashMap::default();
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Join { cont, params, .. } => {
                        conts.insert(*cont, params.clone());
                    }
                    Item::LetCont { handlers, .. } => {
                        conts.extend(handlers.iter().map(|handler| (handler.cont, handler.params.clone())));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
        });
        body.walk(&mut |expr| self.expr(unit, expr, &conts));
    }

    fn expr(&mut self, unit: &Unit, expr: &Expr, conts: &FxHashMap<Continuation, SmallVec<[Variable; 2]>>) {
        expr.items.iter().for_each(|item| self.item(item));
        match &expr.terminator {
            Terminator::Apply(apply) => self.apply(unit, apply),
            Terminator::ApplyCont(jump) => {
                for (index, arg) in jump.args.iter().enumerate() {
                    if self.is_held(*arg) {
                        match conts.get(&jump.cont).and_then(|params| params.get(index)) {
                            Some(param) => {
                                self.held.insert(*param);
                            }
                            None => self.escapes = true,
                        }
                    }
                }
            }
            other => other.for_each_simple(&mut |simple| self.escapes |= self.is_held(simple)),
        }
    }

    fn item(&mut self, item: &Item) {
        if let Some((var, slot)) = slot_read(item)
            && self.slots.contains(&slot)
        {
            self.held.insert(var);
        }
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } if self.is_held(*simple) => {
                self.held.insert(*var);
            }
            Item::LetClosures { set, .. } => {
                let holding = set.values.iter().filter(|(_, value)| self.is_held(*value));
                let slots: SmallVec<[ValueSlot; 2]> = holding.map(|(slot, _)| *slot).collect();
                if !slots.is_empty() {
                    self.slots.extend(slots);
                    set.functions.iter().for_each(|(_, code)| self.add(*code));
                }
            }
            item => item.for_each_simple(&mut |simple| self.escapes |= self.is_held(simple)),
        }
    }

    /// A call of the value, or one that it is passed to.
    fn apply(&mut self, unit: &Unit, apply: &Apply) {
        let is_unknown = apply.kind == CallKind::Generic;
        self.escapes |= !is_unknown && apply.callee.is_some_and(|callee| self.is_held(callee));
        apply.for_each_comparator(&mut |function| self.escapes |= self.is_held(function));
        apply.exn.for_each_simple(&mut |arg| self.escapes |= self.is_held(arg));
        for (index, arg) in apply.args.iter().enumerate() {
            if self.is_held(*arg) {
                match &apply.kind {
                    CallKind::Direct(code) => self.hand_to(unit, *code, index),
                    CallKind::DirectExternal(name) => {
                        self.external.push((name.clone(), apply.args.len(), index));
                    }
                    _ => self.escapes = true,
                }
            }
        }
    }
}

/// The variable that a value slot is read to.
fn slot_read(item: &Item) -> Option<(Variable, ValueSlot)> {
    match item {
        Item::Let { var, named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. }, .. } => {
            Some((*var, *value))
        }
        _ => None,
    }
}
