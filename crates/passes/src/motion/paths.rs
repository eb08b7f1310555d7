//! What an allocation is moved past on the paths into a run.

use cranelift_entity::SecondaryMap;
use flambeau_flow::{Edge, EdgeKind, Flow, Run, RunKind};
use flambeau_ir::Item;
use flambeau_ir::prim::Crossing;

use super::Function;
use super::crossing;

/// From a jump to where its continuation is bound no more runs than these are looked at, nor more jumps of a run that
/// might leave a loop.
const FAR: usize = 200;

/// What is known of a run.
#[derive(Clone, Default)]
pub(super) struct Path {
    /// How many items before each one, and before its end, are reads and effects.
    sums: Vec<(u32, u32)>,
    /// All that the run does with what is nested in it, whichever way it takes.
    inside: Crossing,
    /// The body of a `Join` is part of that item of the run around it.
    item: usize,
    /// What may happen between the run that binds it and itself.
    pub(super) entered: Crossing,
    /// The position of its first call, where an allocation may stand that has moved past reads.
    pub(super) before_call: Option<u32>,
}

impl Path {
    /// What the run does before it ends.
    pub(super) fn whole(&self) -> Crossing {
        self.between(0, self.sums.len().saturating_sub(1))
    }

    /// What the run does from an item on until it comes to a run directly inside it.
    pub(super) fn until(&self, index: usize, kind: RunKind, inner: &Path) -> Crossing {
        // The body of a `Join` is executed there, all others once the run has ended.
        let end = if kind == RunKind::Join { inner.item } else { self.sums.len().saturating_sub(1) };
        self.between(index, end)
    }

    fn between(&self, start: usize, end: usize) -> Crossing {
        let at = |index: usize| self.sums.get(index).copied().unwrap_or_default();
        let ((reads, effects), (more_reads, more_effects)) = (at(start), at(end.max(start)));
        if more_effects > effects {
            Crossing::Effects
        } else if more_reads > reads {
            Crossing::Reads
        } else {
            Crossing::Nothing
        }
    }
}

/// What is known of all runs.
pub(super) type Paths = SecondaryMap<Run, Path>;

/// Finds out what is known of all runs.
pub(super) fn paths(function: &Function) -> Paths {
    let mut paths: Paths = SecondaryMap::with_capacity(function.flow.runs().len());
    // Those inside a run have higher numbers.
    for run in function.flow.runs().keys().rev() {
        let Some(term) = function.terms[run] else { continue };
        let children = function.flow.children(run);
        let mut crossings = Vec::with_capacity(term.items.len());
        let mut inside = crossing::of_end(&term.terminator);
        let mut next = children.iter();
        for (index, item) in term.items.iter().enumerate() {
            let mut nested = Crossing::Nothing;
            item.for_each_child(&mut |_| {
                if let Some(child) = next.next() {
                    nested = nested.max(paths[*child].inside);
                    paths[*child].item = index;
                }
            });
            // A loop goes round, which is where others come in.
            if matches!(item, Item::LetCont { recursive: true, .. }) {
                nested = Crossing::Effects;
            }
            let own = crossing::of_item(item, nested);
            crossings.push(own);
            inside = inside.max(own).max(nested);
        }
        let position = |index: usize| match term.items.get(index) {
            Some(Item::Join { cont, .. }) => {
                function.flow.block_of(*cont).map(|block| function.flow.blocks()[block].bound_at)
            }
            _ => Some(function.flow.runs()[run].terminator),
        };
        let before_call = crossing::before_call(term, &crossings).and_then(position);
        let mut sums = vec![(0, 0)];
        let (mut reads, mut effects) = (0, 0);
        for crossing in crossings {
            reads += u32::from(crossing == Crossing::Reads);
            effects += u32::from(crossing == Crossing::Effects);
            sums.push((reads, effects));
        }
        let item = paths[run].item;
        paths[run] = Path { sums, inside, item, entered: Crossing::Nothing, before_call };
    }
    follow(function, &mut paths);
    paths
}

/// Finds out what may happen between the run that binds a handler and the handler: what the runs do from which it is
/// jumped to, and what may have happened before those.
fn follow(function: &Function, paths: &mut Paths) {
    let flow = function.flow;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        // From those bound last, which come first when the program runs.
        for edge in flow.edges().iter().rev() {
            let Some(to) = edge.to.expand().map(|to| &flow.blocks()[to]) else { continue };
            // The code of a `Join` continues the run that binds it: nothing is moved there.
            if to.code == to.bound_in || paths[to.code].entered == Crossing::Effects {
                continue;
            }
            let mut past = along(function, edge);
            let (mut run, mut steps) = (edge.from.run, 0);
            while run != to.bound_in && past < Crossing::Effects {
                past = past.max(paths[run].whole()).max(paths[run].entered);
                steps += 1;
                match flow.runs()[run].parent.expand() {
                    Some(parent) if steps < FAR => run = parent,
                    _ => past = Crossing::Effects,
                }
            }
            let entered = &mut paths[to.code].entered;
            if past > *entered {
                *entered = past;
                changed = true;
            }
        }
    }
}

/// What happens along an edge, besides what the run does.
fn along(function: &Function, edge: &Edge) -> Crossing {
    let is_call = || {
        edge.from.position == function.flow.runs()[edge.from.run].terminator
            && function.terms[edge.from.run].is_some_and(crossing::ends_in_call)
    };
    match edge.kind {
        EdgeKind::Return | EdgeKind::Try => Crossing::Effects,
        EdgeKind::Raise if is_call() => Crossing::Effects,
        EdgeKind::Raise | EdgeKind::Jump => Crossing::Nothing,
    }
}

/// Whether control, once in a run of a loop, does not come back to the loop's beginning. `header` is the handler.
pub(super) fn leaves(flow: &Flow, run: Run, header: Run) -> bool {
    let runs = flow.runs();
    let (outer, inner) = (runs[header].depth, runs[run].depth);
    flow.edges_from(run).iter().enumerate().all(|(count, edge)| {
        // Where nothing binds it, it is of the function. What a `Join` binds is left by continuing in its run.
        let stays = edge.to.expand().is_some_and(|to| {
            let to = &flow.blocks()[to];
            let depth = runs[to.bound_in].depth + u32::from(to.header_of.is_some());
            to.code != to.bound_in && (outer..inner).contains(&depth)
        });
        count < FAR && !stays
    })
}

/// Whether what is allocated around a run may be allocated in it.
pub(super) fn is_open(flow: &Flow, run: Run) -> bool {
    match flow.runs()[run].kind {
        RunKind::Handler | RunKind::Arm => true,
        RunKind::Loop(entered) => flow.headers(entered).len() == 1,
        RunKind::Body | RunKind::Join | RunKind::Try => false,
    }
}
