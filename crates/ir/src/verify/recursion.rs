//! Recursion: what calls itself says so.
//!
//! A cycle of direct calls inside one set of closures is found as a strongly connected component
//! (Tarjan's algorithm, with a stack of its own). Calls between sets do not count: a local function may
//! well call the function that it is defined in, and is not recursive for that.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

use super::{Verifier, cause};
use crate::CodeId;
use crate::printer::{FunctionId, Place};

/// Calls from code to code.
#[derive(Default)]
pub struct CallGraph {
    callees: SecondaryMap<CodeId, Vec<CodeId>>,
}

impl CallGraph {
    /// Adds a call of one code by another.
    pub fn add(&mut self, caller: CodeId, callee: CodeId) {
        self.callees[caller].push(callee);
    }
}

/// What the search knows of a code.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// When it was reached, from 1; 0 before.
    order: u32,
    /// The earliest code on the stack that can be reached from it.
    low: u32,
    on_stack: bool,
}

impl Verifier<'_> {
    pub(super) fn recursion(&mut self) {
        let unit = self.unit;
        let mut graph = std::mem::take(&mut self.calls);
        for (caller, code) in &unit.codes {
            graph.callees[caller].retain(|&callee| {
                let other = unit.codes[callee].function_slot;
                callee == caller || self.slots.same_set(code.function_slot, other)
            });
        }
        for id in in_cycles(&graph, &unit.codes) {
            if !unit.codes[id].recursive {
                self.function = FunctionId::Code(id);
                self.place = Place::Head;
                self.error(cause!["the code ", id, " is recursive and is not marked so"]);
            }
        }
    }
}

/// The codes that are in cycles of calls.
fn in_cycles<T>(graph: &CallGraph, codes: &PrimaryMap<CodeId, T>) -> Vec<CodeId> {
    let mut visits: SecondaryMap<CodeId, Visit> = SecondaryMap::with_capacity(codes.len());
    let (mut order, mut component_stack, mut cycles) = (0, Vec::new(), Vec::new());
    for root in codes.keys() {
        if visits[root].order != 0 {
            continue;
        }
        // Codes being visited, each with the number of its callees that are done.
        let mut path = vec![(root, 0usize)];
        while let Some((id, done)) = path.last_mut() {
            let id = *id;
            if *done == 0 && visits[id].order == 0 {
                order += 1;
                visits[id] = Visit { order, low: order, on_stack: true };
                component_stack.push(id);
            }
            if let Some(&callee) = graph.callees[id].get(*done) {
                *done += 1;
                if visits[callee].order == 0 {
                    path.push((callee, 0));
                } else if visits[callee].on_stack {
                    visits[id].low = visits[id].low.min(visits[callee].order);
                }
                continue;
            }
            path.pop();
            if let Some(&(caller, _)) = path.last() {
                visits[caller].low = visits[caller].low.min(visits[id].low);
            }
            if visits[id].low == visits[id].order {
                let start = component_stack.iter().rposition(|&member| member == id).unwrap_or(0);
                let component = component_stack.split_off(start);
                component.iter().for_each(|&member| visits[member].on_stack = false);
                let calls_itself = graph.callees[id].contains(&id);
                if component.len() > 1 || calls_itself {
                    cycles.extend(component);
                }
            }
        }
    }
    cycles.sort_unstable_by_key(|id| id.index());
    cycles
}
