//! Which functions are recursive.

use cranelift_entity::{EntityRef, SecondaryMap};
use flambeau_ir::{
    CallKind, CodeId, FunctionSlot, Item, Named, Prim, Simple, StaticDef, Symbol, Terminator, Unit,
};

/// For each code, other codes.
type Graph = SecondaryMap<CodeId, Vec<CodeId>>;

/// Marks as recursive the codes that are in cycles of direct calls of one set of closures, as the verifier requires.
/// To be called after moving calls from function to function.
pub(crate) fn mark_cycles_of_sets(unit: &mut Unit) {
    let mut set_of: SecondaryMap<CodeId, u32> = SecondaryMap::new();
    let mut sets = 0;
    unit.for_each_set(&mut |_, set| {
        sets += 1;
        set.functions.iter().for_each(|&(_, code)| set_of[code] = sets);
    });
    let mut graph = Graph::new();
    for (caller, code) in &unit.codes {
        code.body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && (callee == caller || set_of[caller] != 0 && set_of[caller] == set_of[callee])
            {
                graph[caller].push(callee);
            }
        });
    }
    let cyclic = in_cycles(&graph, unit.codes.len());
    for (id, code) in &mut unit.codes {
        code.recursive |= cyclic[id];
    }
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
    let mut graph = Graph::new();
    for (id, code) in &unit.codes {
        let mentions = &mut graph[id];
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
    }
    in_cycles(&graph, unit.codes.len())
}

/// What the search knows of a code.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// When it was reached, from 1; 0 before.
    order: u32,
    /// The earliest code that is not done which can be reached from it.
    low: u32,
    is_done: bool,
}

/// The codes in cycles: Tarjan's algorithm, without recursion.
fn in_cycles(graph: &Graph, codes: usize) -> SecondaryMap<CodeId, bool> {
    let mut cyclic: SecondaryMap<CodeId, bool> = SecondaryMap::new();
    let mut visits: SecondaryMap<CodeId, Visit> = SecondaryMap::with_capacity(codes);
    let (mut order, mut open) = (0, Vec::new());
    for root in (0..codes).map(CodeId::new) {
        // Codes being visited, each with how many of its edges are done.
        let mut path = if visits[root].order == 0 { vec![(root, 0)] } else { Vec::new() };
        while let Some((id, done)) = path.last_mut() {
            let (id, edge) = (*id, *done);
            *done += 1;
            if edge == 0 {
                order += 1;
                visits[id] = Visit { order, low: order, is_done: false };
                open.push(id);
            }
            if let Some(&next) = graph[id].get(edge) {
                if visits[next].order == 0 {
                    path.push((next, 0));
                } else if !visits[next].is_done {
                    visits[id].low = visits[id].low.min(visits[next].order);
                }
                cyclic[id] |= next == id;
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                visits[before].low = visits[before].low.min(visits[id].low);
            }
            if visits[id].low == visits[id].order {
                let first = open.iter().rposition(|&member| member == id).unwrap_or(0);
                let component = open.split_off(first);
                for &member in &component {
                    visits[member].is_done = true;
                    cyclic[member] |= component.len() > 1;
                }
            }
        }
    }
    cyclic
}
