//! What remains after the last pass: the operations that cost time or memory, by function.

use flambeau_ir::decision::{self, Place};
use flambeau_ir::prim::BigarrayKind;
use flambeau_ir::{
    Apply, BoxedKind, CallKind, Dbg, Expr, Item, Named, Prim, Simple, Symbol, Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;

use crate::model::{Function, Operation, Remaining, clean_location};
use crate::names;

/// The functions of a unit in the order of the source, the code of the toplevel first.
pub fn functions(unit: &Unit) -> Vec<Function> {
    let toplevel = Function { name: None, place: None, remaining: remaining(unit, &unit.entry.body) };
    let mut functions: Vec<Function> = unit
        .codes
        .values()
        .map(|code| Function {
            name: Some(names::decoded(&code.linkage_name)),
            place: locations(unit, code.dbg).pop(),
            remaining: remaining(unit, &code.body),
        })
        .collect();
    functions
        .sort_by(|a, b| (position(a.place.as_ref()), &a.name).cmp(&(position(b.place.as_ref()), &b.name)));
    functions.insert(0, toplevel);
    functions
}

/// The key of the order by location: what has none comes last.
fn position(location: Option<&Place>) -> (bool, &str, u32, u32) {
    match location {
        Some(location) => (false, &location.file, location.line, location.start),
        None => (true, "", 0, 0),
    }
}

fn locations(unit: &Unit, dbg: Dbg) -> Vec<Place> {
    let mut locations = decision::places(&unit.locs, dbg);
    locations.iter_mut().for_each(clean_location);
    locations
}

/// The operations in a body that cost something.
fn remaining(unit: &Unit, body: &Expr) -> Vec<Remaining> {
    let mut found = Vec::new();
    let foreign = foreign_fields(unit, body);
    let mut note = |operation: Operation, detail: String, dbg: Dbg, of: Option<String>| {
        found.push(Remaining { operation, detail, places: locations(unit, dbg), unit: of });
    };
    body.walk(&mut |expr| {
        for item in &expr.items {
            match item {
                Item::Let { named: Named::Prim { prim, args, .. }, dbg, .. } => {
                    if let Some((operation, detail)) = of_prim(prim, args.len()) {
                        note(operation, detail, *dbg, None);
                    }
                }
                Item::LetClosures { set, dbg, .. } => {
                    let functions: Vec<String> = set
                        .functions
                        .iter()
                        .map(|(_, code)| names::decoded(&unit.codes[*code].linkage_name))
                        .map(|name| names::readable(&name, unit.naming.separator()))
                        .collect();
                    note(Operation::Allocation, format!("closure of {}", functions.join(", ")), *dbg, None);
                }
                Item::Let { .. } | Item::Join { .. } | Item::LetCont { .. } => {}
            }
        }
        if let Terminator::Apply(apply) = &expr.terminator
            && let Some((operation, detail)) = of_call(apply)
        {
            let of = match (operation, apply.callee) {
                (Operation::IndirectCall, Some(Simple::Var(callee))) => foreign.get(&callee),
                _ => None,
            };
            let of = of.and_then(|symbol| {
                names::unit_of_module(&names::decoded(&unit.symbols[*symbol].linkage_name))
            });
            note(operation, detail, apply.dbg, of);
        }
    });
    found
}

/// The variables of a body that hold what was read out of module blocks of other units, with the symbols of these.
fn foreign_fields(unit: &Unit, body: &Expr) -> FxHashMap<Variable, Symbol> {
    let mut foreign = FxHashMap::default();
    body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let { var, named: Named::Prim { prim: Prim::BlockLoad { .. }, args, .. }, .. } = item
            {
                let symbol = match args.first() {
                    Some(Simple::Symbol(symbol)) if !unit.symbols[*symbol].is_local => Some(*symbol),
                    // A module in a module.
                    Some(Simple::Var(block)) => foreign.get(block).copied(),
                    _ => None,
                };
                if let Some(symbol) = symbol {
                    foreign.insert(*var, symbol);
                }
            }
        }
    });
    foreign
}

fn of_call(apply: &Apply) -> Option<(Operation, String)> {
    let arguments = |count: usize| match count {
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let count = apply.args.len();
    match apply.kind {
        CallKind::Direct(_) | CallKind::DirectExternal(_) => None,
        CallKind::Generic => Some((Operation::IndirectCall, arguments(count))),
        // The object comes first, then cache and position in it.
        CallKind::MethodPublic | CallKind::MethodSelf => {
            Some((Operation::MethodCall, arguments(count.saturating_sub(1))))
        }
        CallKind::MethodCached => Some((Operation::MethodCall, arguments(count.saturating_sub(3)))),
    }
}

fn of_prim(prim: &Prim, operands: usize) -> Option<(Operation, String)> {
    let allocation = |detail: String| Some((Operation::Allocation, detail));
    match prim {
        Prim::MakeBlock { .. } => allocation(format!("block of {operands}")),
        Prim::MakeFloatBlock { .. } => allocation(format!("float record of {operands}")),
        Prim::MakeArray { .. } => allocation(format!("array of {operands}")),
        Prim::MakeBytes { .. } => allocation("string or bytes".into()),
        Prim::Duplicate { .. } => allocation("copy of a block".into()),
        Prim::AllocDummyClosure { .. } => allocation("closure".into()),
        Prim::BigarrayLoad { kind: BigarrayKind::Complex32 | BigarrayKind::Complex64 } => {
            allocation("complex number".into())
        }
        Prim::CheckBound { .. } => Some((Operation::BoundsCheck, "array, string or bigarray".into())),
        Prim::Box(kind) | Prim::Rebox(kind) => Some((Operation::Boxing, boxed(*kind).into())),
        Prim::CCall(external) => {
            let name = &external.name;
            POLYMORPHIC.contains(&name.as_str()).then(|| (Operation::PolymorphicCompare, name.clone()))
        }
        _ => None,
    }
}

fn boxed(kind: BoxedKind) -> &'static str {
    match kind {
        BoxedKind::Float => "float",
        BoxedKind::Int32 => "int32",
        BoxedKind::Int64 => "int64",
        BoxedKind::Nativeint => "nativeint",
    }
}

/// The functions of the runtime system that find out what their arguments are.
const POLYMORPHIC: &[&str] = &[
    "caml_compare",
    "caml_equal",
    "caml_notequal",
    "caml_lessthan",
    "caml_lessequal",
    "caml_greaterthan",
    "caml_greaterequal",
    "caml_hash",
];
