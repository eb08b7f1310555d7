//! How often functions run, estimated from where they are called: in loops around loops around calls. A function that
//! calls itself, directly or through others, counts as a loop.

use flambeau_ir::CodeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::Body;

/// More loops than this do not count: beyond, estimates say nothing.
pub const DEEPEST: u32 = 6;

/// How many loops are around each function.
pub struct Frequencies {
    depth: FxHashMap<CodeId, u32>,
    /// Functions that are called where a loop catches their exceptions, and those that they call.
    caught: FxHashSet<CodeId>,
}

/// A function calls another, or passes it on, within so many loops.
struct Call {
    from: usize,
    to: usize,
    depth: u32,
}

impl Frequencies {
    /// How often the functions of a unit run, by their bodies.
    pub fn of(bodies: &[Body]) -> Frequencies {
        let index: FxHashMap<CodeId, usize> =
            bodies.iter().enumerate().filter_map(|(index, body)| Some((body.code?, index))).collect();
        let calls: Vec<Call> = bodies
            .iter()
            .enumerate()
            .flat_map(|(from, body)| {
                let index = &index;
                body.uses.iter().filter_map(move |used| {
                    let to = *index.get(&used.code)?;
                    Some(Call { from, to, depth: used.depth + u32::from(used.is_passed) })
                })
            })
            .collect();
        let group = groups(bodies.len(), &calls);
        let mut is_loop = vec![false; bodies.len()];
        for call in calls.iter().filter(|call| group[call.from] == group[call.to]) {
            is_loop[group[call.from]] = true;
        }
        let mut depth = vec![0; bodies.len()];
        // Calls between groups are no cycle: as many rounds as the longest chain are enough, and each adds one at most
        // to what is bounded.
        let mut changed = true;
        while changed {
            changed = false;
            for call in calls.iter().filter(|call| group[call.from] != group[call.to]) {
                let own = u32::from(is_loop[group[call.from]]);
                let reached = (depth[group[call.from]] + own + call.depth).min(DEEPEST);
                if reached > depth[group[call.to]] {
                    depth[group[call.to]] = reached;
                    changed = true;
                }
            }
        }
        let of = |index: usize| depth[group[index]] + u32::from(is_loop[group[index]]);
        let depth: FxHashMap<CodeId, u32> = index.iter().map(|(code, index)| (*code, of(*index))).collect();
        Frequencies { caught: caught(bodies, &index, &depth), depth }
    }

    /// Whether exceptions of a function are caught in a loop.
    pub fn is_caught_in_loop(&self, code: Option<CodeId>) -> bool {
        code.is_some_and(|code| self.caught.contains(&code))
    }

    /// The loops around a function, or around the code of the toplevel.
    pub fn depth(&self, code: Option<CodeId>) -> u32 {
        code.and_then(|code| self.depth.get(&code).copied()).unwrap_or(0)
    }
}

fn caught(
    bodies: &[Body],
    index: &FxHashMap<CodeId, usize>,
    depth: &FxHashMap<CodeId, u32>,
) -> FxHashSet<CodeId> {
    let own = |body: &Body| body.code.and_then(|code| depth.get(&code).copied()).unwrap_or(0);
    let first = bodies.iter().flat_map(|body| {
        body.uses.iter().filter(|used| used.is_caught && used.depth + own(body) > 0).map(|used| used.code)
    });
    let mut pending: Vec<CodeId> = first.collect();
    let mut caught = FxHashSet::default();
    while let Some(code) = pending.pop() {
        if caught.insert(code)
            && let Some(&at) = index.get(&code)
        {
            pending.extend(bodies[at].uses.iter().map(|used| used.code));
        }
    }
    caught
}

/// The group of each function: those that call each other are in one (Kosaraju's two searches).
fn groups(count: usize, calls: &[Call]) -> Vec<usize> {
    let mut callees = vec![Vec::new(); count];
    let mut callers = vec![Vec::new(); count];
    for call in calls {
        callees[call.from].push(call.to);
        callers[call.to].push(call.from);
    }
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for start in 0..count {
        postorder(start, &callees, &mut seen, &mut order);
    }
    let mut group = vec![usize::MAX; count];
    for &root in order.iter().rev() {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if group[node] == usize::MAX {
                group[node] = root;
                pending.extend(&callers[node]);
            }
        }
    }
    group
}

fn postorder(start: usize, next: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((node, at)) = path.last_mut() {
        match next[*node].get(*at) {
            Some(&child) => {
                *at += 1;
                if !std::mem::replace(&mut seen[child], true) {
                    path.push((child, 0));
                }
            }
            None => {
                order.push(*node);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_call_each_other_are_one_group() {
        let call = |from, to| Call { from, to, depth: 0 };
        let group = groups(5, &[call(0, 1), call(1, 2), call(2, 1), call(2, 3), call(4, 4)]);
        assert_eq!(group[1], group[2]);
        assert!(group[0] != group[1] && group[3] != group[1] && group[4] != group[0]);
    }
}
