//! Arrays of constant floats that the toplevel makes become static data (features D4, manual 21.8.1).
//!
//! Each is data of its own, since arrays may be assigned: nothing is shared (soundness row 18). They hold no pointers,
//! so that assignments are as good there as in the heap (row 19). What the entry code does in its outermost run it does
//! once.

use flambeau_ir::prim::{ArrayKind, Mutability};
use flambeau_ir::{
    Const, FreshSymbols, Item, Named, Prim, Rewrite, Rewrites, Simple, Static, StaticDef, Symbol, Unit,
};
use rustc_hash::FxHashMap;

/// Makes arrays of constant floats static; returns whether there were any.
pub fn static_arrays(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut body = unit.entry.body.take();
    let made = arrays(&unit.statics, &body.items);
    let mut fresh = if made.is_empty() { FreshSymbols::default() } else { FreshSymbols::of(unit) };
    let mut changed = false;
    for (index, mutability, elements) in made {
        let Item::Let { named, .. } = &mut body.items[index] else { continue };
        if !rewrites.allow(Rewrite::StaticArray, unit, None) {
            break;
        }
        let symbol = fresh.make(unit, "array");
        let def = StaticDef::FloatArray { symbol, mutable: mutability != Mutability::Immutable, elements };
        unit.statics.push(Static { exported: false, def });
        *named = Named::Simple(Simple::Symbol(symbol));
        changed = true;
    }
    unit.entry.body = body;
    changed
}

/// The arrays of constant floats that items allocate, with the indices of these items.
fn arrays(statics: &[Static], items: &[Item]) -> Vec<(usize, Mutability, Vec<u64>)> {
    let literals: FxHashMap<Symbol, &Vec<u64>> = statics
        .iter()
        .filter_map(|item| match &item.def {
            StaticDef::FloatArray { symbol, mutable: false, elements } => Some((*symbol, elements)),
            _ => None,
        })
        .collect();
    let made = |(index, item): (usize, &Item)| {
        let Item::Let { named, .. } = item else { return None };
        array(named, &literals).map(|(mutability, elements)| (index, mutability, elements))
    };
    items.iter().enumerate().filter_map(made).collect()
}

/// The array of constant floats that a binding allocates, if it does.
fn array(named: &Named, literals: &FxHashMap<Symbol, &Vec<u64>>) -> Option<(Mutability, Vec<u64>)> {
    let Named::Prim { prim, args, .. } = named else { return None };
    match (prim, &args[..]) {
        (Prim::MakeArray { kind: ArrayKind::Float, mutability }, elements) => {
            let bits = |element: &Simple| match element {
                Simple::Const(Const::NakedFloat(bits)) => Some(*bits),
                _ => None,
            };
            Some((*mutability, elements.iter().map(bits).collect::<Option<_>>()?))
        }
        (Prim::Duplicate { mutability }, [Simple::Symbol(symbol)]) => {
            Some((*mutability, (*literals.get(symbol)?).clone()))
        }
        _ => None,
    }
}
