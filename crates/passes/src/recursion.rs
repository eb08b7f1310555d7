//! Which functions are recursive.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    CallGraph, CallKind, CodeId, FunctionSlot, Item, Named, Prim, Simple, StaticDef, Symbol, Terminator, Unit,
};

/// Marks as recursive the codes that are in cycles of direct calls of one set of closures, as the verifier requires.
/// To be called after moving calls from function to function.
pub(crate) fn mark_cycles_of_sets(unit: &mut Unit) {
    let mut set_of: SecondaryMap<CodeId, u32> = SecondaryMap::new();
    let mut sets = 0;
    unit.for_each_set(&mut |_, set| {
        sets += 1;
        set.functions.iter().for_each(|&(_, code)| set_of[code] = sets);
    });
    let mut graph = CallGraph::default();
    for (caller, code) in &unit.codes {
        code.body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && (callee == caller || set_of[caller] != 0 && set_of[caller] == set_of[callee])
            {
                graph.add(caller, callee);
            }
        });
    }
    for code in graph.cycles(unit.codes.len()).into_iter().flatten() {
        unit.codes[code].recursive = true;
    }
}

/// The codes that call themselves, but are in no cycle of direct calls with others.
pub(crate) fn alone(unit: &Unit) -> Vec<CodeId> {
    let mut graph = CallGraph::default();
    for (caller, code) in &unit.codes {
        code.body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
            {
                graph.add(caller, callee);
            }
        });
    }
    let cycles = graph.cycles(unit.codes.len()).into_iter();
    cycles.filter(|cycle| cycle.len() == 1).flatten().collect()
}

/// The codes which may be entered again while they run, as far as mentions show: by direct calls, by allocating
/// closures, by naming static ones, and through their own closures if these are used for anything but what they
/// capture.
pub(crate) fn may_call_themselves(unit: &Unit) -> SecondaryMap<CodeId, bool> {
    let mut by_symbol: SecondaryMap<Symbol, Option<CodeId>> = SecondaryMap::new();
    let mut by_slot: SecondaryMap<FunctionSlot, Option<CodeId>> = SecondaryMap::new();
    for item in &unit.statics {
        if let StaticDef::Closures { symbols, set } = &item.def {
            symbols
                .iter()
                .zip(&set.functions)
                .for_each(|(&symbol, (_, code))| by_symbol[symbol] = Some(*code));
        }
    }
    for (id, code) in &unit.codes {
        by_slot[code.function_slot] = Some(id);
    }
    let mut graph = CallGraph::default();
    for (id, code) in &unit.codes {
        let mut found = Vec::new();
        let mentions = &mut found;
        let simple = |simple: Simple, mentions: &mut Vec<CodeId>| match simple {
            Simple::Symbol(symbol) => mentions.extend(by_symbol[symbol]),
            Simple::Var(var) if var == code.my_closure => mentions.push(id),
            Simple::Var(_) | Simple::Const(_) => {}
        };
        code.body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Let { named: Named::Prim { prim: Prim::ProjectValueSlot { .. }, .. }, .. } => {
                        continue;
                    }
                    Item::Let {
                        named: Named::Prim { prim: Prim::ProjectFunctionSlot { to, .. }, .. },
                        ..
                    } => {
                        mentions.extend(by_slot[*to]);
                        continue;
                    }
                    Item::LetClosures { set, .. } => {
                        mentions.extend(set.functions.iter().map(|(_, code)| *code));
                    }
                    _ => {}
                }
                item.for_each_simple(&mut |s| simple(s, mentions));
            }
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
            {
                // The callee is this code, whatever the closure.
                mentions.push(callee);
                apply.args.iter().for_each(|&arg| simple(arg, mentions));
                apply.for_each_comparator(&mut |function| simple(function, mentions));
                apply.exn.for_each_simple(&mut |arg| simple(arg, mentions));
            } else {
                expr.terminator.for_each_simple(&mut |s| simple(s, mentions));
            }
        });
        found.into_iter().for_each(|mentioned| graph.add(id, mentioned));
    }
    let mut cyclic = SecondaryMap::new();
    graph.cycles(unit.codes.len()).into_iter().flatten().for_each(|code| cyclic[code] = true);
    cyclic
}
