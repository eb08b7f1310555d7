//! Arrays of constant floats that the toplevel makes become static data (features D4, manual 21.8.1).
//!
//! Each is data of its own, since arrays may be assigned: nothing is shared (soundness row 18). They hold no pointers, so that
//! assignments are as good there as in the heap (row 19). What the entry code does in its outermost run it does once.

use flambeau_ir::prim::{ArrayKind, Mutability};
use flambeau_ir::{Const, Item, Named, Prim, Rewrites, Simple, Static, StaticDef, Symbol, SymbolData, Unit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes them static; whether there were any.
pub fn static_arrays(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let literals: FxHashMap<Symbol, Vec<u64>> = unit
        .statics
        .iter()
        .filter_map(|item| match &item.def {
            StaticDef::FloatArray { symbol, mutable: false, elements } => Some((*symbol, elements.clone())),
            _ => None,
        })
        .collect();
    let mut taken: FxHashSet<String> = unit.symbols.values().map(|data| data.linkage_name.clone()).collect();
    let mut body = unit.entry.body.take();
    let mut changed = false;
    for item in &mut body.items {
        let Item::Let { named, .. } = item else { continue };
        let Some((mutability, elements)) = array(named, &literals) else { continue };
        if !rewrites.allow(|| "static_arrays: array of the toplevel in entry".to_owned()) {
            break;
        }
        let linkage_name = (1..)
            .map(|n: u32| format!("{}__array_{n}", unit.prefix))
            .find(|name| !taken.contains(name))
            .unwrap_or_default();
        taken.insert(linkage_name.clone());
        let symbol = unit.symbols.push(SymbolData { linkage_name, is_local: true });
        let def = StaticDef::FloatArray { symbol, mutable: mutability != Mutability::Immutable, elements };
        unit.statics.push(Static { exported: false, def });
        *named = Named::Simple(Simple::Symbol(symbol));
        changed = true;
    }
    unit.entry.body = body;
    changed
}

/// The array of constant floats that is made there, if one is.
fn array(named: &Named, literals: &FxHashMap<Symbol, Vec<u64>>) -> Option<(Mutability, Vec<u64>)> {
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
            Some((*mutability, literals.get(symbol).cloned()?))
        }
        _ => None,
    }
}
