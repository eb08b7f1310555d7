//! Edges: the uses of open continuations, in terms after the downward pass that were not rebuilt yet.
//!
//! Such a term names an edge where the final term names a continuation. [`Target::of`] distinguishes the two; nothing
//! else knows how an edge is written down in a term.

use std::ops::{Index, IndexMut};

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use flambeau_ir::{Continuation, Item, Simple};
use smallvec::SmallVec;

use crate::run::Params;

/// The number of an edge of the function that is being simplified.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(u32);
entity_impl!(EdgeId, "edge");

/// The target of a use, and what it carries besides its arguments.
pub struct Edge {
    pub cont: Continuation,
    /// Evaluated before the jump: bindings without effect, and diamonds. None can precede what may raise.
    pub items: Vec<Item>,
    /// For the parameters added.
    pub extra: SmallVec<[Simple; 2]>,
    /// Names of the results of a call, if the edge is from a call.
    pub results: Params,
}

/// What a term after the downward pass names as the destination of a jump, a call's return or a raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A use of an open continuation.
    Edge(EdgeId),
    /// A continuation: one of the function's own, or of a diamond.
    Continuation(Continuation),
}

/// In a term edges are written as continuations from this number on; [`Edges::push`] sees to it that the unit has not
/// so many of its own.
const FIRST: usize = 1 << 30;

impl Target {
    /// What is named here.
    pub fn of(cont: Continuation) -> Target {
        match cont.index().checked_sub(FIRST) {
            Some(index) => Target::Edge(EdgeId::new(index)),
            None => Target::Continuation(cont),
        }
    }
}

/// The edges of the function that is being simplified.
#[derive(Default)]
pub struct Edges(PrimaryMap<EdgeId, Edge>);

impl Edges {
    /// A new edge to a continuation: its number, and what names it in terms.
    pub fn push(&mut self, cont: Continuation) -> (EdgeId, Continuation) {
        assert!(cont.index() < FIRST, "an edge leads to a continuation of the unit, not to {cont:?}");
        let edge = Edge { cont, items: Vec::new(), extra: SmallVec::new(), results: SmallVec::new() };
        let id = self.0.push(edge);
        (id, Continuation::new(FIRST + id.index()))
    }

    /// The continuation that a jump to what is named here reaches, and the arguments that the jump adds to its own.
    pub fn resolve(&self, named: Continuation) -> (Continuation, &[Simple]) {
        match Target::of(named) {
            Target::Edge(id) => (self[id].cont, &self[id].extra),
            Target::Continuation(cont) => (cont, &[]),
        }
    }
}

impl Index<EdgeId> for Edges {
    type Output = Edge;

    fn index(&self, id: EdgeId) -> &Edge {
        &self.0[id]
    }
}

impl IndexMut<EdgeId> for Edges {
    fn index_mut(&mut self, id: EdgeId) -> &mut Edge {
        &mut self.0[id]
    }
}
