//! What stays if a specialised instance is called ([`crate::instances`]): it may pass other instances on as values.

use std::rc::Rc;

use flambeau_ir::{CodeId, Item, Named, Prim, Simple, Symbol, Terminator, Unit, ValueSlot, Variable};
use flambeau_types::{Closure, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Simplifier;

impl Simplifier<'_> {
    /// The size of a function with those of the specialised instances that it passes on as values, and that these pass
    /// on: they stay, too, if it is called, though nobody may call them. `None` if it is more than `limit`.
    pub(crate) fn size_with_handed_on(&self, closure: &Rc<Closure>, limit: u32) -> Option<u32> {
        let mut size = 0;
        let mut closures = vec![Rc::clone(closure)];
        let mut seen = FxHashSet::default();
        while let Some(closure) = closures.pop() {
            let Some(code) = closure.code().filter(|code| seen.insert(*code)) else { continue };
            size += self.whole_size(code, limit - size)?;
            let mut handed_on = Vec::new();
            for_each_value(self.unit, code, &closure.values, &mut |symbol| handed_on.push(symbol));
            let mut seen_data = FxHashSet::default();
            while let Some(symbol) = handed_on.pop() {
                if !self.global.instance_data.contains(&symbol) || !seen_data.insert(symbol) {
                    continue;
                }
                let known = self.env.ty(symbol.into());
                if let Ty::Closure(closure) = &known {
                    handed_on.extend(closure.values.iter().filter_map(|(_, value)| symbol_of(value)));
                    // The functions of a set stay together. One that is called elsewhere stays for that.
                    for (slot, code) in &*closure.functions {
                        if !self.global.called_instances.contains(code) {
                            closures.push(Rc::new(Closure { slot: *slot, ..Closure::clone(closure) }));
                        }
                    }
                } else if let Some(block) = known.as_block() {
                    handed_on.extend(block.fields.iter().filter_map(symbol_of));
                }
            }
        }
        Some(size)
    }
}

fn symbol_of(value: &Ty) -> Option<Symbol> {
    match value {
        Ty::Is(Simple::Symbol(symbol)) => Some(*symbol),
        _ => None,
    }
}

/// Each symbol that a function, with those that it makes, uses otherwise than to read a field or a captured value of
/// it or to call it, where its closure has captured such values. To be captured by a function that it makes is no such
/// use: what that does with it is.
fn for_each_value(unit: &Unit, code: CodeId, captured: &[(ValueSlot, Ty)], f: &mut impl FnMut(Symbol)) {
    let mut known: FxHashMap<Variable, Symbol> = FxHashMap::default();
    let mut captured: FxHashMap<ValueSlot, Symbol> =
        captured.iter().filter_map(|(slot, value)| Some((*slot, symbol_of(value)?))).collect();
    let mut codes = vec![code];
    while let Some(code) = codes.pop() {
        let data = &unit.codes[code];
        data.body.for_each_code_made(&mut |code| codes.push(code));
        data.body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let { var, named: Named::Prim { prim, .. }, .. } = item {
                    if let Prim::ProjectValueSlot { value: slot, .. } = prim
                        && let Some(symbol) = captured.get(slot)
                    {
                        known.insert(*var, *symbol);
                    }
                    if matches!(prim, Prim::BlockLoad { .. } | Prim::ProjectValueSlot { .. }) {
                        continue;
                    }
                }
                if let Item::LetClosures { set, .. } = item {
                    let symbol = |simple: &Simple| match simple {
                        Simple::Symbol(symbol) => Some(*symbol),
                        Simple::Var(var) => known.get(var).copied(),
                        Simple::Const(_) => None,
                    };
                    captured
                        .extend(set.values.iter().filter_map(|(slot, value)| Some((*slot, symbol(value)?))));
                    continue;
                }
                item.for_each_simple(&mut |simple| value(simple, &known, f));
            }
            match &expr.terminator {
                Terminator::Apply(apply) => apply.args.iter().for_each(|arg| value(*arg, &known, f)),
                other => other.for_each_simple(&mut |simple| value(simple, &known, f)),
            }
        });
    }
}

/// Gives the symbol that an atom is.
fn value(simple: Simple, known: &FxHashMap<Variable, Symbol>, f: &mut impl FnMut(Symbol)) {
    match simple {
        Simple::Symbol(symbol) => f(symbol),
        Simple::Var(var) => known.get(&var).into_iter().for_each(|symbol| f(*symbol)),
        Simple::Const(_) => {}
    }
}
