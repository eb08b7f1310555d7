//! Closures that functions take as arguments and know.
//!
//! What a function takes may be a closure of a known function, or a block that holds one (a module), which it calls
//! directly or reads what it has captured from: it knows the layout of that one set of closures. If what binds the set
//! were copied, the copy would pass a closure of another set, with slots of its own. So the functions of such sets are
//! marked ([`flambeau_ir::CodeAttributes::sole`]).

use cranelift_entity::SecondaryMap;
use flambeau_ir::visit::KnownFunction;
use flambeau_ir::{CodeId, FunctionSlot, Item, Named, Prim, Simple, Unit, ValueSlot, Variable};
use rustc_hash::FxHashMap;

/// Through how many sets of closures and other names a parameter is followed.
const DEEPEST: u32 = 16;

/// Marks the functions of sets whose closures some function takes as an argument and knows; whether there was one that
/// was not marked.
pub(super) fn mark(unit: &mut Unit) -> bool {
    let foreign = foreign(unit);
    let mut known: Vec<CodeId> = Vec::new();
    let mut slots: Vec<FunctionSlot> = Vec::new();
    let is_foreign = |atom: Simple| atom.as_var().is_some_and(|var| foreign[var]);
    unit.bodies().for_each(|body| {
        body.for_each_known_closure(&mut |function, closure| {
            if is_foreign(closure) {
                match function {
                    KnownFunction::Slot(slot) => slots.push(slot),
                    KnownFunction::Code(code) => known.push(code),
                }
            }
        });
    });
    if !slots.is_empty() {
        let of_slot: FxHashMap<FunctionSlot, CodeId> =
            unit.codes.iter().map(|(id, code)| (code.function_slot, id)).collect();
        known.extend(slots.iter().filter_map(|slot| of_slot.get(slot)));
    }
    let mut changed = false;
    for code in known {
        changed |= !std::mem::replace(&mut unit.codes[code].attributes.sole, true);
    }
    changed
}

/// The variables that are parameters of functions, directly or as other names, as fields of blocks that are, or as what
/// closures have captured.
fn foreign(unit: &Unit) -> SecondaryMap<Variable, bool> {
    let mut foreign: SecondaryMap<Variable, bool> = SecondaryMap::new();
    let mut values: SecondaryMap<ValueSlot, Option<Variable>> = SecondaryMap::new();
    let mut names: Vec<(Variable, Variable)> = Vec::new();
    let mut projections: Vec<(Variable, ValueSlot)> = Vec::new();
    for code in unit.codes.values() {
        code.params.iter().for_each(|param| foreign[*param] = true);
    }
    unit.bodies().for_each(|body| {
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::LetClosures { set, .. } => {
                        set.values.iter().for_each(|(slot, value)| values[*slot] = value.as_var());
                    }
                    Item::Let { var, named: Named::Simple(Simple::Var(of)), .. } => names.push((*var, *of)),
                    Item::Let {
                        var, named: Named::Prim { prim: Prim::BlockLoad { .. }, args, .. }, ..
                    } => {
                        names.extend(args[0].as_var().map(|of| (*var, of)));
                    }
                    Item::Let {
                        var,
                        named: Named::Prim { prim: Prim::ProjectValueSlot { value, .. }, .. },
                        ..
                    } => projections.push((*var, *value)),
                    _ => {}
                }
            }
        });
    });
    for _ in 0..DEEPEST {
        let mut changed = false;
        let captured = projections.iter().filter_map(|(var, slot)| Some((*var, values[*slot]?)));
        for (var, of) in names.iter().copied().chain(captured) {
            if foreign[of] && !foreign[var] {
                foreign[var] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    foreign
}
