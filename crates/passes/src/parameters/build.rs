//! Terms that are put in at calls and returns: what several rewrites here build.

use flambeau_ir::{
    ApplyCont, Continuation, Dbg, Item, Kind, Named, Prim, Simple, Subkind, Switch, Terminator, Unit,
};

/// A jump with one argument, or without.
pub(super) fn jump(cont: Continuation, arg: Option<Simple>) -> ApplyCont {
    ApplyCont { cont, args: arg.into_iter().collect() }
}

/// Adds an operation that has no location; returns its result, of which nothing is known but its kind.
pub(super) fn bind(
    unit: &mut Unit,
    items: &mut Vec<Item>,
    kind: Kind,
    prim: Prim,
    args: &[Simple],
) -> Simple {
    let var = unit.new_variable(prim.mnemonic(), kind, Subkind::Any);
    items.push(Item::Let { var, named: Named::Prim { prim, args: args.into(), exn: None }, dbg: Dbg::NONE });
    var.into()
}

/// A branch on a truth value.
pub(super) fn branch(truth: Simple, if_true: ApplyCont, if_false: ApplyCont) -> Terminator {
    let arms = vec![(0, if_false)];
    Terminator::Switch(Box::new(Switch {
        scrutinee: truth,
        arms,
        default: Some(if_true),
        dbg: Dbg::NONE,
        cases: None,
    }))
}
