//! Functions of a tuple that are only called through their closures take the tuple and load the fields themselves.
//! `docs/passes/untuple.md` shows it.
//!
//! A tupled function is two: what takes the fields, which direct calls run, and the runtime's `caml_tuplify`, which a
//! closure runs, and which loads the fields and jumps to the first. Without direct calls only the detour is left.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{CallKind, CodeId, FunctionKind, Item, Named, Prim, Rewrite, Rewrites, Terminator, Unit};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// Gives tupled functions without direct calls one parameter, the tuple; returns whether there was one. On entry and on
/// exit the unit is well-formed.
pub fn untuple(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut found = indirect(unit);
    found.retain(|code| rewrites.allow(Rewrite::Untupling, unit, Some(*code)));
    for code in &found {
        take_tuple(unit, *code);
    }
    !found.is_empty()
}

/// The tupled functions that are only called through their closures.
fn indirect(unit: &Unit) -> Vec<CodeId> {
    let is_tupled = |code: &CodeId| {
        let data = &unit.codes[*code];
        data.kind == FunctionKind::Tupled && !data.attributes.exported && data.is_of_values(&unit.variables)
    };
    let mut tupled: Vec<CodeId> = unit.codes.keys().filter(is_tupled).collect();
    if tupled.is_empty() {
        return tupled;
    }
    let mut called: FxHashSet<CodeId> = FxHashSet::default();
    for body in unit.bodies() {
        body.walk(&mut |expr| {
            if let Terminator::Apply(call) = &expr.terminator
                && let CallKind::Direct(code) = call.kind
            {
                called.insert(code);
            }
        });
    }
    tupled.retain(|code| !called.contains(code));
    tupled
}

/// Makes a function of the fields one of the tuple. The fields that it needs are loaded first, as the runtime does:
/// nothing says that nobody writes to them.
fn take_tuple(unit: &mut Unit, code: CodeId) {
    let tuple = unit.new_value("tuple");
    let data = &mut unit.codes[code];
    data.kind = FunctionKind::Curried;
    let fields: SmallVec<[_; 4]> = std::mem::replace(&mut data.params, smallvec![tuple]);
    let mut needed = FxHashSet::default();
    data.body.for_each_simple_deep(&mut |simple| needed.extend(simple.as_var()));
    let dbg = data.dbg;
    let loads = (0..).zip(fields).filter(|(_, var)| needed.contains(var)).map(|(field, var)| {
        let prim = Prim::BlockLoad { field, mutability: Mutability::Unknown };
        Item::Let { var, named: Named::Prim { prim, args: smallvec![tuple.into()], exn: None }, dbg }
    });
    data.body.items.splice(..0, loads);
}
