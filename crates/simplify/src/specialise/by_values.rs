//! Functions that are specialised for a closure, and call themselves in closures of their own (`map f` of a sequence):
//! the copies take what that closure has captured, and allocate one like it, which is only called there. So do the
//! closures that they allocate: these capture the same values, and pass them on. The copies know nothing of the slots
//! of that closure, which may be copied as before.

use flambeau_ir::copy::Copier;
use flambeau_ir::{
    Apply, CallKind, CodeId, Dbg, Expr, Item, Kind, Named, Prim, SetOfClosures, Simple, Terminator, Unit,
    ValueSlot, Variable,
};
use flambeau_types::{Closure, Ty};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::nested::Nested;
use crate::Simplifier;

/// Closures that have captured more variables are not passed by these.
const MOST_VALUES: usize = 4;

/// What a closure that is an argument of the call has captured.
pub struct ByValues {
    /// What the copies take in place of it, as it is at the call.
    variables: SmallVec<[Simple; 4]>,
    /// The set as it is bound in a copy, but for the variables.
    set: SetOfClosures,
    /// Those of its slots that hold the variables.
    slots: SmallVec<[ValueSlot; 4]>,
}

impl Simplifier<'_> {
    /// Whether a closure can be passed by the values that it has captured.
    pub(super) fn has_few_values(&self, closure: Simple) -> bool {
        let Ty::Closure(known) = self.env.ty(closure) else { return false };
        let variables = known.values.iter().filter(|(_, ty)| captured_constant(ty).is_none()).count();
        known.code().is_some_and(|code| {
            variables <= MOST_VALUES
                && known.functions.len() == 1
                && self.global.sets.binders(code) == 1
                && !self.is_sole(code)
        })
    }

    /// The values by which a closure is passed; what has to be read of it is read before the call.
    pub(super) fn by_values(&mut self, closure: Simple, dbg: Dbg, items: &mut Vec<Item>) -> Option<ByValues> {
        let Ty::Closure(known) = self.env.ty(closure) else { return None };
        let Closure { slot, functions, values } = &*known;
        let set = SetOfClosures { functions: functions.iter().copied().collect(), values: Vec::new() };
        let mut by = ByValues { variables: SmallVec::new(), set, slots: SmallVec::new() };
        for (value, ty) in values {
            if let Some(constant) = captured_constant(ty) {
                by.set.values.push((*value, constant));
                continue;
            }
            by.slots.push(*value);
            by.variables.push(match ty {
                Ty::Is(known) => *known,
                _ => {
                    let var = self.unit.new_value(self.unit.value_slots[*value].clone());
                    items.push(projection(*slot, *value, closure, var, dbg));
                    var.into()
                }
            });
        }
        Some(by)
    }

    /// Makes copies take values in place of a closure: `copies` with the positions of the parameters that are it. The
    /// call passes them, too.
    pub(super) fn pass_by_values(
        &mut self,
        call: &mut Apply,
        argument: usize,
        by: &ByValues,
        copies: &FxHashMap<CodeId, usize>,
    ) -> Option<()> {
        let mut passing =
            Passing { unit: self.unit, copies, names: FxHashMap::default(), slots: FxHashMap::default() };
        let params: Vec<(CodeId, Variable)> =
            copies.iter().map(|(copy, index)| (*copy, passing.replace_param(*copy, *index, by))).collect();
        passing.replace_all();
        let names = passing.names;
        for (copy, param) in params {
            if calls(self.unit, copy, param) {
                self.bind_closure(copy, param, by, &names[&param])?;
            }
        }
        replace_argument(&mut call.args, argument, &by.variables);
        Some(())
    }

    /// Binds a closure that is like the one that is passed at the beginning of a copy.
    fn bind_closure(
        &mut self,
        copy: CodeId,
        closure: Variable,
        by: &ByValues,
        parts: &[Variable],
    ) -> Option<()> {
        let mut set = by.set.clone();
        set.values.extend(by.slots.iter().zip(parts).map(|(slot, part)| (*slot, Simple::Var(*part))));
        let dbg = self.unit.codes[copy].dbg;
        let original = Expr {
            items: vec![Item::LetClosures { vars: smallvec![closure], set, dbg }],
            terminator: Terminator::Unreachable,
        };
        let unit = &mut *self.unit;
        let mut copier = Copier::with_sets(
            &mut unit.variables,
            &mut unit.continuations,
            &unit.codes,
            &mut unit.function_slots,
            &mut unit.value_slots,
        );
        let mut bound = copier.expr(&original);
        copier.finish().ok()?.into_iter().for_each(|code| {
            unit.codes.push(code);
        });
        if let Some(Item::LetClosures { vars, .. }) = bound.items.first_mut() {
            *vars = smallvec![closure];
        }
        unit.codes[copy].body.items.splice(0..0, bound.items);
        Some(())
    }
}

/// What a closure has captured, if it is the same wherever it is bound.
fn captured_constant(ty: &Ty) -> Option<Simple> {
    match ty {
        Ty::Is(known @ (Simple::Const(_) | Simple::Symbol(_))) => Some(*known),
        _ => None,
    }
}

fn projection(
    function: flambeau_ir::FunctionSlot,
    value: ValueSlot,
    closure: Simple,
    var: Variable,
    dbg: Dbg,
) -> Item {
    let prim = Prim::ProjectValueSlot { function, value };
    Item::Let { var, named: Named::Prim { prim, args: smallvec![closure], exn: None }, dbg }
}

fn replace_argument(args: &mut Vec<Simple>, index: usize, by: &[Simple]) {
    args[index] = by.first().copied().unwrap_or(Simple::UNIT);
    args.extend(by.iter().skip(1));
}

/// Whether a function calls one of its variables.
fn calls(unit: &Unit, code: CodeId, variable: Variable) -> bool {
    let mut calls = false;
    unit.codes[code].body.walk(&mut |expr| {
        if let Terminator::Apply(apply) = &expr.terminator {
            calls |= apply.callee == Some(variable.into());
        }
    });
    calls
}

/// A closure in copies, as it is replaced by values.
struct Passing<'u> {
    unit: &'u mut Unit,
    /// The copies, and which parameter is the closure.
    copies: &'u FxHashMap<CodeId, usize>,
    /// The values, by the variables that are the closure.
    names: FxHashMap<Variable, SmallVec<[Variable; 4]>>,
    /// Their slots, by the slots that held the closure.
    slots: FxHashMap<ValueSlot, SmallVec<[ValueSlot; 4]>>,
}

impl Passing<'_> {
    /// Replaces a parameter, the first of the values in its place; returns it.
    fn replace_param(&mut self, copy: CodeId, index: usize, by: &ByValues) -> Variable {
        let parts: SmallVec<[Variable; 4]> = by.slots.iter().map(|slot| self.fresh(*slot)).collect();
        let unused = self.unit.new_value("unused");
        let params = &mut self.unit.codes[copy].params;
        let param = std::mem::replace(&mut params[index], parts.first().copied().unwrap_or(unused));
        params.extend(parts.iter().skip(1).copied());
        self.names.insert(param, parts);
        param
    }

    fn fresh(&mut self, slot: ValueSlot) -> Variable {
        let name = self.unit.value_slots[slot].clone();
        self.unit.new_variable(name, Kind::Value, flambeau_ir::Subkind::Any)
    }

    /// Replaces the closure in the copies and in all functions nested in them, until no other name of it is found.
    fn replace_all(&mut self) {
        let mut codes: Vec<CodeId> = Vec::new();
        for copy in self.copies.keys() {
            codes.extend(Nested::of(self.unit, *copy).codes);
        }
        codes.sort_unstable();
        codes.dedup();
        let mut known = 0;
        while known != self.names.len() + self.slots.len() {
            known = self.names.len() + self.slots.len();
            for code in &codes {
                let mut body = self.unit.codes[*code].body.take();
                body.walk_mut(&mut |expr| self.replace(expr));
                self.unit.codes[*code].body = body;
            }
        }
    }

    fn replace(&mut self, expr: &mut Expr) {
        let items = std::mem::take(&mut expr.items);
        for item in items {
            self.item(item, &mut expr.items);
        }
        if let Terminator::Apply(apply) = &mut expr.terminator
            && let CallKind::Direct(called) = apply.kind
            && let Some(index) = self.copies.get(&called)
            && let Some(parts) = apply.args[*index].as_var().and_then(|var| self.names.get(&var))
        {
            let parts: SmallVec<[Simple; 4]> = parts.iter().map(|part| Simple::Var(*part)).collect();
            replace_argument(&mut apply.args, *index, &parts);
        }
    }

    fn item(&mut self, mut item: Item, out: &mut Vec<Item>) {
        match &mut item {
            Item::LetClosures { set, .. } => {
                for (slot, value) in std::mem::take(&mut set.values) {
                    match value.as_var().and_then(|var| self.names.get(&var)).cloned() {
                        Some(parts) => {
                            let slots = self.slots_for(slot, parts.len());
                            let parts = parts.into_iter().map(Simple::Var);
                            set.values.extend(slots.into_iter().zip(parts));
                        }
                        None => set.values.push((slot, value)),
                    }
                }
            }
            Item::Let {
                var,
                named: Named::Prim { prim: Prim::ProjectValueSlot { function, value }, args, .. },
                dbg,
            } if self.slots.contains_key(value) => {
                let mut parts = SmallVec::new();
                for slot in self.slots[value].clone() {
                    let part = self.fresh(slot);
                    out.push(projection(*function, slot, args[0], part, *dbg));
                    parts.push(part);
                }
                self.names.insert(*var, parts);
                return;
            }
            _ => {}
        }
        out.push(item);
    }

    /// The slots of the values that a set captures in place of the closure.
    fn slots_for(&mut self, slot: ValueSlot, count: usize) -> SmallVec<[ValueSlot; 4]> {
        if let Some(known) = self.slots.get(&slot) {
            return known.clone();
        }
        let name = self.unit.value_slots[slot].clone();
        let slots: SmallVec<[ValueSlot; 4]> =
            (0..count).map(|_| self.unit.value_slots.push(name.clone())).collect();
        self.slots.insert(slot, slots.clone());
        slots
    }
}
