//! Loads from arrays of arrays: `a.(i)` in `a.(i).(j)`.
//!
//! The kind of an array of pointers says little of its elements: where a row of polymorphic variants is open it is that
//! of an array which elsewhere has the kind of immediates. A load whose result is used as an array in the same run,
//! before any branch, is of an array of arrays, whatever it is called elsewhere: so no store of an immediate changes
//! it. (Behind a branch it might be code that is never executed, for a constructor of a GADT with another type.)

use flambeau_ir::prim::ArrayKind;
use flambeau_ir::{Item, Named, Prim, Unit, Variable};
use rustc_hash::FxHashSet;

/// Marks the loads from arrays of arrays in all functions of a unit.
pub fn mark(unit: &mut Unit) {
    unit.rewrite_bodies(|_, _, body| {
        let mut arrays: FxHashSet<Variable> = FxHashSet::default();
        body.walk_mut(&mut |expr| {
            arrays.clear();
            arrays.extend(expr.items.iter().filter_map(array_used));
            for item in &mut expr.items {
                if let Item::Let { var, named: Named::Prim { prim: Prim::ArrayLoad { kind }, .. }, .. } = item
                    && *kind == ArrayKind::Addr
                    && arrays.contains(var)
                {
                    *kind = ArrayKind::Rows;
                }
            }
        });
        true
    });
}

/// The variable that an item uses as an array.
fn array_used(item: &Item) -> Option<Variable> {
    match item {
        Item::Let {
            named:
                Named::Prim {
                    prim: Prim::ArrayLength { .. } | Prim::ArrayLoad { .. } | Prim::ArrayStore { .. },
                    args,
                    ..
                },
            ..
        } => args.first()?.as_var(),
        _ => None,
    }
}
