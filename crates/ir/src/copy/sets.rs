//! Sets of closures in a term that is copied while the original stays.
//!
//! A set of the copy has slots and codes of its own, and whatever in the copy is about the set, projections and
//! direct calls, must say so. But it may be about a closure that was allocated by the original: a function that is
//! inlined may be passed one. So a projection or a direct call through a closure is redirected only if it is
//! known that the closure is of the copy: bound by it, `my_closure` of a copied code, or projected from
//! such. Otherwise there is no copy. Nor is there one of a set that is to stay the only one
//! ([`CodeAttributes::sole`](crate::CodeAttributes::sole)).

use std::collections::VecDeque;
use std::rc::Rc;

use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::FxHashMap;

use crate::prim::Mutability;
use crate::{
    CallKind, Code, CodeId, Expr, FunctionSlot, Item, Named, Prim, SetOfClosures, Simple, ValueSlot, Variable,
};

/// The term uses, by what is known of it from a set of closures in the term, a closure of which it is not
/// known whether this evaluation of the set allocated it; or it allocates a set that is to stay the only one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedClosure;

/// A code that is to be copied.
pub(super) struct Next<'u> {
    pub original: &'u Code,
    pub slot: FunctionSlot,
    pub linkage_name: String,
}

/// What this evaluation of the term has allocated.
#[derive(Clone)]
enum Own {
    Closure,
    /// An immutable block, by its fields: a module that the term makes, for instance.
    Block(Rc<[Option<Own>]>),
}

/// The sets met, and what replaces their slots and codes.
pub(super) struct Sets<'u> {
    codes: &'u PrimaryMap<CodeId, Code>,
    new_function_slots: &'u mut PrimaryMap<FunctionSlot, String>,
    new_value_slots: &'u mut PrimaryMap<ValueSlot, String>,
    function_slots: FxHashMap<FunctionSlot, FunctionSlot>,
    value_slots: FxHashMap<ValueSlot, ValueSlot>,
    copies: FxHashMap<CodeId, CodeId>,
    /// Originals, in the order of the copies.
    pending: VecDeque<CodeId>,
    /// Variables of the original which are closures of the copied sets, or blocks of such.
    own: FxHashMap<Variable, Own>,
    /// Value slots of the original which hold such.
    own_values: FxHashMap<ValueSlot, Own>,
    /// Whether there can be no copy.
    pub shared: Option<SharedClosure>,
}

impl<'u> Sets<'u> {
    pub fn new(
        codes: &'u PrimaryMap<CodeId, Code>,
        new_function_slots: &'u mut PrimaryMap<FunctionSlot, String>,
        new_value_slots: &'u mut PrimaryMap<ValueSlot, String>,
    ) -> Sets<'u> {
        Sets {
            codes,
            new_function_slots,
            new_value_slots,
            function_slots: FxHashMap::default(),
            value_slots: FxHashMap::default(),
            copies: FxHashMap::default(),
            pending: VecDeque::new(),
            own: FxHashMap::default(),
            own_values: FxHashMap::default(),
            shared: None,
        }
    }

    /// Names the copies of all sets in a term and in the codes of these: a slot may be mentioned before its set.
    pub fn enter(&mut self, expr: &Expr) {
        let codes = self.codes;
        let mut found = Vec::new();
        self.enter_term(expr, &mut found);
        let mut done = 0;
        while let Some(&code) = found.get(done) {
            done += 1;
            self.enter_term(&codes[code].body, &mut found);
        }
        self.pending.extend(found);
    }

    fn enter_term(&mut self, expr: &Expr, found: &mut Vec<CodeId>) {
        expr.walk(&mut |expr| {
            for item in &expr.items {
                let Item::LetClosures { set, .. } = item else { continue };
                for &(slot, code) in &set.functions {
                    if self.codes[code].attributes.sole {
                        self.shared = Some(SharedClosure);
                    }
                    let name = self.new_function_slots[slot].clone();
                    let fresh = self.new_function_slots.push(name);
                    self.function_slots.insert(slot, fresh);
                    let copy = CodeId::new(self.codes.len() + self.copies.len());
                    self.copies.insert(code, copy);
                    found.push(code);
                }
                for &(slot, _) in &set.values {
                    let fresh = self.new_value_slots.push(self.new_value_slots[slot].clone());
                    self.value_slots.insert(slot, fresh);
                }
            }
        });
    }

    /// The next code to copy.
    pub fn next(&mut self) -> Option<Next<'u>> {
        let original = &self.codes[self.pending.pop_front()?];
        let slot = self.function_slots[&original.function_slot];
        self.own.insert(original.my_closure, Own::Closure);
        // Slots are never reused, unlike codes, so the name is unique; the letter keeps clear of names
        // that end in a stamp.
        let linkage_name = format!("{}_d{}", original.linkage_name, slot.index());
        Some(Next { original, slot, linkage_name })
    }

    /// Notes another name.
    pub fn alias(&mut self, var: Variable, of: Variable) {
        if let Some(own) = self.own.get(&of) {
            self.own.insert(var, own.clone());
        }
    }

    /// Replaces the slots and codes of a copied set by its own. `vars` and `set` are the original's.
    pub fn rename(&mut self, vars: &[Variable], set: &SetOfClosures, copy: &mut SetOfClosures) {
        for (slot, code) in &mut copy.functions {
            *slot = self.function_slots[slot];
            *code = self.copies[code];
        }
        for (slot, _) in &mut copy.values {
            *slot = self.value_slots[slot];
        }
        self.own.extend(vars.iter().map(|var| (*var, Own::Closure)));
        for (slot, value) in &set.values {
            if let Some(own) = self.own(*value) {
                self.own_values.insert(*slot, own);
            }
        }
    }

    fn own(&self, simple: Simple) -> Option<Own> {
        self.own.get(&simple.as_var()?).cloned()
    }

    fn is_own(&self, simple: Simple) -> bool {
        matches!(self.own(simple), Some(Own::Closure))
    }

    /// Makes a copied primitive refer to the copied slots. `named` is the original, `var` what it is bound to.
    pub fn redirect(&mut self, copy: &mut Prim, named: &Named, var: Variable) {
        let Named::Prim { args, .. } = named else { return };
        let is_own = args.first().is_some_and(|&arg| self.is_own(arg));
        match copy {
            Prim::ProjectValueSlot { function, value } => {
                let Some(&fresh) = self.function_slots.get(function) else { return };
                if !is_own {
                    self.shared = Some(SharedClosure);
                }
                if let Some(own) = self.own_values.get(value) {
                    self.own.insert(var, own.clone());
                }
                *function = fresh;
                *value = self.value_slots.get(value).copied().unwrap_or(*value);
            }
            Prim::ProjectFunctionSlot { from, to } => {
                let Some(&fresh) = self.function_slots.get(from) else { return };
                if is_own {
                    self.own.insert(var, Own::Closure);
                } else {
                    self.shared = Some(SharedClosure);
                }
                *from = fresh;
                *to = self.function_slots.get(to).copied().unwrap_or(*to);
            }
            Prim::IsClosureOf { function } => {
                let Some(&fresh) = self.function_slots.get(function) else { return };
                if !is_own {
                    self.shared = Some(SharedClosure);
                }
                *function = fresh;
            }
            Prim::MakeBlock { mutability: Mutability::Immutable, .. } => {
                let fields: Rc<[Option<Own>]> = args.iter().map(|arg| self.own(*arg)).collect();
                if fields.iter().any(Option::is_some) {
                    self.own.insert(var, Own::Block(fields));
                }
            }
            Prim::BlockLoad { field, .. } => {
                if let Some(Own::Block(fields)) = args.first().and_then(|block| self.own(*block))
                    && let Some(own) = fields.get(*field as usize).and_then(Option::clone)
                {
                    self.own.insert(var, own);
                }
            }
            Prim::AllocDummyClosure { function } => {
                *function = self.function_slots.get(function).copied().unwrap_or(*function);
            }
            _ => {}
        }
    }

    /// Makes a copied call refer to the copied code. `callee` is the original's.
    pub fn redirect_call(&mut self, copy: &mut CallKind, callee: Option<Simple>) {
        let CallKind::Direct(code) = copy else { return };
        let Some(&fresh) = self.copies.get(code) else { return };
        if callee.is_some_and(|callee| !self.is_own(callee)) {
            self.shared = Some(SharedClosure);
        }
        *code = fresh;
    }
}
