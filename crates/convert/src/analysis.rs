//! What conversion must know of a term before it walks it: the free variables of each function, and
//! where mutable variables are assigned. Both are answered from the postfix order of the arena, in
//! which a sub-term is a range of indices.

use flambeau_lambda::term::{Ident, Node, NodeId, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about a term.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The free (immutable) variables of each function, in order of first occurrence.
    free: FxHashMap<NodeId, Vec<Ident>>,
    /// All assignments of mutable variables: node index and variable, by increasing index.
    assignments: Vec<(u32, Ident)>,
    /// Variables that are switched on for the tags of lazy and forward blocks.
    forced: FxHashSet<Ident>,
}

/// Tags from this on are of blocks that the runtime system changes: lazy, closure, object, infix, forward.
const FIRST_SPECIAL_TAG: u32 = flambeau_ir::tags::FIRST_SPECIAL as u32;

impl Analysis {
    /// Analyses a term, in time linear in its size plus the sizes of all free-variable sets.
    pub fn new(term: &Term) -> Analysis {
        let mut analysis = Analysis::default();
        // Occurrences that are not yet enclosed in a function, with the index of their node.
        let mut uses: Vec<(u32, Ident)> = Vec::new();
        let mut binders: Vec<(u32, Ident)> = Vec::new();
        for (index, node) in term.nodes.iter().enumerate() {
            let index = index as u32;
            match node {
                Node::Var(id) => uses.push((index, *id)),
                Node::Let { id, .. } | Node::TryWith { id, .. } | Node::For { id, .. } => {
                    binders.push((index, *id));
                }
                Node::LetRec { defs, .. } => binders.extend(defs.iter().map(|(id, _)| (index, *id))),
                Node::StaticCatch { params, .. } => {
                    binders.extend(params.iter().map(|(id, _)| (index, *id)));
                }
                Node::Switch(switch) if switch.blocks.iter().any(|(tag, _)| *tag >= FIRST_SPECIAL_TAG) => {
                    if let Node::Var(id) = &term.nodes[switch.scrutinee.0 as usize] {
                        analysis.forced.insert(*id);
                    }
                }
                Node::Assign { id, .. } => analysis.assignments.push((index, *id)),
                Node::Function(function) => {
                    let first = term.first[index as usize];
                    let mut bound: FxHashSet<Ident> = function.params.iter().map(|p| p.0).collect();
                    let at = binders.partition_point(|b| b.0 < first);
                    bound.extend(binders.drain(at..).map(|b| b.1));
                    let at = uses.partition_point(|u| u.0 < first);
                    let mut seen = FxHashSet::default();
                    let free: Vec<Ident> = uses
                        .drain(at..)
                        .map(|u| u.1)
                        .filter(|id| !bound.contains(id) && seen.insert(*id))
                        .collect();
                    uses.extend(free.iter().map(|id| (index, *id)));
                    analysis.free.insert(NodeId(index), free);
                }
                _ => {}
            }
        }
        analysis
    }

    /// Whether the variable is the value in an inlined `Lazy.force`.
    pub fn is_forced(&self, id: Ident) -> bool {
        self.forced.contains(&id)
    }

    /// The free variables of a function.
    pub fn free_variables(&self, function: NodeId) -> &[Ident] {
        self.free.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The variables assigned inside a sub-term, without duplicates, in order of the assignments.
    pub fn assigned_in(&self, term: &Term, node: NodeId) -> Vec<Ident> {
        let range = term.range(node);
        let from = self.assignments.partition_point(|a| a.0 < *range.start());
        let mut seen = FxHashSet::default();
        self.assignments[from..]
            .iter()
            .take_while(|a| a.0 <= *range.end())
            .map(|a| a.1)
            .filter(|id| seen.insert(*id))
            .collect()
    }

    /// Whether any variable is assigned inside a sub-term.
    pub fn assigns(&self, term: &Term, node: NodeId) -> bool {
        let range = term.range(node);
        let from = self.assignments.partition_point(|a| a.0 < *range.start());
        self.assignments.get(from).is_some_and(|a| a.0 <= *range.end())
    }
}
