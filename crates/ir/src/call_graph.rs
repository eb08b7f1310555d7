//! Which codes call which, and the cycles of such calls.

use cranelift_entity::{EntityRef, SecondaryMap};

use crate::CodeId;

/// Calls from code to code, or what else leads from one to another.
#[derive(Default)]
pub struct CallGraph {
    callees: SecondaryMap<CodeId, Vec<CodeId>>,
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

impl CallGraph {
    /// Adds a call of one code by another.
    pub fn add(&mut self, caller: CodeId, callee: CodeId) {
        self.callees[caller].push(callee);
    }

    /// What a code calls.
    #[must_use]
    pub fn callees(&self, caller: CodeId) -> &[CodeId] {
        &self.callees[caller]
    }

    /// Keeps the calls, of each caller and callee, that something is true of.
    pub fn retain(&mut self, keep: impl Fn(CodeId, CodeId) -> bool) {
        for (caller, callees) in self.callees.iter_mut() {
            callees.retain(|callee| keep(caller, *callee));
        }
    }

    /// The cycles of calls among the first `codes` codes: the strongly connected components of which a member calls
    /// another or itself.
    #[must_use]
    pub fn cycles(&self, codes: usize) -> Vec<Vec<CodeId>> {
        let mut components = self.components(codes);
        components.retain(|members| members.len() > 1 || self.callees(members[0]).contains(&members[0]));
        components
    }

    /// The strongly connected components of the first `codes` codes, those that are called before their callers
    /// (Tarjan's algorithm, with a stack of its own).
    #[must_use]
    pub fn components(&self, codes: usize) -> Vec<Vec<CodeId>> {
        let mut visits: SecondaryMap<CodeId, Visit> = SecondaryMap::with_capacity(codes);
        let (mut order, mut open, mut components) = (0, Vec::new(), Vec::new());
        for root in (0..codes).map(CodeId::new) {
            // Codes being visited, each with the number of its callees that are done.
            let mut path = if visits[root].order == 0 { vec![(root, 0)] } else { Vec::new() };
            while let Some((id, done)) = path.last_mut() {
                let (id, callee) = (*id, *done);
                *done += 1;
                if callee == 0 {
                    order += 1;
                    visits[id] = Visit { order, low: order, on_stack: true };
                    open.push(id);
                }
                if let Some(&callee) = self.callees[id].get(callee) {
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
                    let first = open.iter().rposition(|&member| member == id).unwrap_or(0);
                    let component = open.split_off(first);
                    component.iter().for_each(|&member| visits[member].on_stack = false);
                    components.push(component);
                }
            }
        }
        components
    }
}
