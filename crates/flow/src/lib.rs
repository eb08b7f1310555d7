//! The control flow of a function's body, numbered once; and where its variables are defined and used.
//!
//! Three things are numbered, all in the order of the text:
//!
//! * *Runs*: the terms of the body, and the arms of its switches (an arm is a run without items that ends by its jump).
//!   A run is numbered before the runs nested in it, so those inside a run are an interval, and what is bound in a run
//!   before a nested one is in scope there: nesting is dominance.
//! * *Positions*: program points. The beginning of each run, each item, the beginning of the code of each continuation
//!   and each terminator have one. What is nested in a term is an interval of positions.
//! * *Blocks*: the straight lines of the body. The body of a `Join` and that of a `try` continue the block that they
//!   are in; the beginning of the function and each continuation begin one. Blocks have predecessors.
//!
//! Loops are the recursive groups of continuations; they nest as terms do.
//!
//! [`Flow::analyse`] refills the tables for each body, replacing the previous one, so that they are allocated once for
//! all functions of a unit. Passes that look for more than control flow do so in the same walk, as a [`Visitor`];
//! [`Values`] is the one for definitions and uses. The tables hold no reference into the body: they say what it was
//! when it was analysed, and a pass that has changed it analyses it again.

mod rewrite;
#[cfg(test)]
mod tests;
mod values;
mod walk;

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::{Continuation, Expr, Item, Terminator, Variable};
use smallvec::SmallVec;

pub use rewrite::{Rewriter, arms_mut, rewrite_runs};
pub use values::{Location, Values};

/// A run of items, or an arm of a switch that ends one. Numbered in preorder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run(u32);
entity_impl!(Run, "run");

/// A straight line of code: the beginning of the function, or that of a continuation, and what follows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// A recursive group of continuations. Numbered outer ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loop(u32);
entity_impl!(Loop, "loop");

/// A position and what it is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The innermost run.
    pub run: Run,
    /// The block, which may have begun in a run around that one.
    pub block: Block,
    /// Increasing in the order of the text, hence along each block.
    pub position: u32,
}

/// What a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunKind {
    /// The body of the function.
    Body,
    /// The body of a `Join`.
    Join,
    /// The handler of a continuation that is in no recursive group.
    Handler,
    /// A handler of a loop.
    Loop(Loop),
    /// An arm of the switch that ends the run around it.
    Arm,
    /// The body of a `try`.
    Try,
}

/// What is known of a run.
#[derive(Clone, Debug)]
pub struct RunData {
    /// What it is.
    pub kind: RunKind,
    /// The run around it; none of the body.
    pub parent: PackedOption<Run>,
    /// How many runs are around it.
    pub depth: u32,
    /// The position in the parent of the item, or of the terminator, that it is part of.
    pub at: u32,
    /// The block that continues, or begins, at the beginning of the run.
    pub block: Block,
    /// The innermost loop that it is in.
    pub in_loop: PackedOption<Loop>,
    /// The handler of the innermost `try` that it is in.
    pub in_try: PackedOption<Block>,
    /// The position of its beginning, before all of its items.
    pub start: u32,
    /// The position of its terminator.
    pub terminator: u32,
    /// One past the last position inside.
    pub end: u32,
    /// One past the last run inside.
    end_run: u32,
    /// The runs directly inside, in order: a range of [`Flow::children`].
    children: Range<u32>,
    /// How many of those are arms; they come last.
    arms: u32,
}

/// What is known of a block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Its continuation; none of the beginning of the function.
    pub cont: Option<Continuation>,
    /// The parameters of the continuation.
    pub params: SmallVec<[Variable; 2]>,
    /// It is the handler of a `try`.
    pub is_exn: bool,
    /// The loop of which it is a handler.
    pub header_of: PackedOption<Loop>,
    /// The run that binds the continuation.
    pub bound_in: Run,
    /// The position of the item that binds it.
    pub bound_at: u32,
    /// The run in which its code begins: that of the handler; for a `Join` the one that binds it.
    pub code: Run,
    /// The position at which its code begins.
    pub start: u32,
    /// The continuation is used only from this position on, and before [`BlockData::used_to`].
    pub used_from: u32,
    /// One past the last position at which the continuation is in scope.
    pub used_to: u32,
    /// The handler of the innermost `try` where it is bound.
    pub in_try: PackedOption<Block>,
    /// Its edges: a range of [`Flow::incoming`].
    incoming: Range<u32>,
}

/// What is known of a loop.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// The loop around it.
    pub parent: PackedOption<Loop>,
    /// How many loops are around it.
    pub depth: u32,
    /// The run that binds it.
    pub bound_in: Run,
    /// The position of the item that binds it.
    pub bound_at: u32,
    /// Its handlers.
    pub headers: Range<u32>,
    /// The runs of its handlers and all runs inside.
    runs: Range<u32>,
}

/// Why control is transferred along an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// A jump, also of an arm.
    Jump,
    /// The return of a call.
    Return,
    /// An exception of a call, a primitive or a raise.
    Raise,
    /// The body of a `try` begins under this handler: an asynchronous exception may come at once.
    Try,
}

/// An edge along which control reaches a block, or leaves the function.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The point that control leaves.
    pub from: Point,
    /// The target block; nothing if the target is the function's return or exception continuation.
    pub to: PackedOption<Block>,
    /// Why control is transferred.
    pub kind: EdgeKind,
}

/// The control flow of a body.
#[derive(Default)]
pub struct Flow {
    runs: PrimaryMap<Run, RunData>,
    blocks: PrimaryMap<Block, BlockData>,
    loops: PrimaryMap<Loop, LoopData>,
    block_of: SecondaryMap<Continuation, PackedOption<Block>>,
    /// By increasing position.
    edges: Vec<Edge>,
    children: Vec<Run>,
    /// Indices of edges, by the block that they lead to.
    incoming: Vec<u32>,
    positions: u32,
}

/// An analysis of the items of a body while its control flow is numbered. The flow is complete up to the current point.
pub trait Visitor<'e> {
    /// An item and its index in its run, before what is nested in it.
    fn item(&mut self, flow: &Flow, at: Point, index: usize, item: &'e Item);
    /// What ends a run, before what is nested in it.
    fn terminator(&mut self, flow: &Flow, at: Point, terminator: &'e Terminator);
    /// The code of a continuation begins, or the function: before its items.
    fn block(&mut self, _flow: &Flow, _at: Point, _block: &BlockData) {}
    /// An arm of a switch.
    fn arm(&mut self, _flow: &Flow, _at: Point, _jump: &'e flambeau_ir::ApplyCont) {}
}

/// The visitor that does nothing.
impl Visitor<'_> for () {
    fn item(&mut self, _: &Flow, _: Point, _: usize, _: &Item) {}
    fn terminator(&mut self, _: &Flow, _: Point, _: &Terminator) {}
}

impl Flow {
    /// Numbers a body, replacing the numbering of the previous one.
    pub fn analyse<'e>(&mut self, body: &'e Expr, visitor: &mut impl Visitor<'e>) {
        self.clear();
        walk::walk(self, body, visitor);
        self.link();
    }

    fn clear(&mut self) {
        for block in self.blocks.values() {
            if let Some(cont) = block.cont {
                self.block_of[cont] = None.into();
            }
        }
        self.runs.clear();
        self.blocks.clear();
        self.loops.clear();
        self.edges.clear();
        self.positions = 0;
    }

    /// Lists children by their parents, and edges by the blocks that they lead to.
    fn link(&mut self) {
        let mut next = 0;
        self.children.clear();
        self.children.resize(self.runs.len(), Run::new(0));
        for data in self.runs.values_mut() {
            let count = data.children.end;
            data.children = next..next;
            next += count;
        }
        for run in self.runs.keys() {
            if let Some(parent) = self.runs[run].parent.expand() {
                let end = &mut self.runs[parent].children.end;
                self.children[*end as usize] = run;
                *end += 1;
            }
        }
        let mut next = 0;
        for data in self.blocks.values_mut() {
            // What a `Join` binds is in scope in its body alone, and knows its end.
            if data.used_to == u32::MAX {
                data.used_to = self.runs[data.bound_in].end;
            }
            let count = data.incoming.end;
            data.incoming = next..next;
            next += count;
        }
        self.incoming.clear();
        self.incoming.resize(next as usize, 0);
        for (index, edge) in (0..).zip(&self.edges) {
            if let Some(to) = edge.to.expand() {
                let end = &mut self.blocks[to].incoming.end;
                self.incoming[*end as usize] = index;
                *end += 1;
            }
        }
    }

    /// All runs.
    #[must_use]
    pub fn runs(&self) -> &PrimaryMap<Run, RunData> {
        &self.runs
    }

    /// All blocks; the first is the beginning of the function.
    #[must_use]
    pub fn blocks(&self) -> &PrimaryMap<Block, BlockData> {
        &self.blocks
    }

    /// All loops, outer ones first.
    #[must_use]
    pub fn loops(&self) -> &PrimaryMap<Loop, LoopData> {
        &self.loops
    }

    /// The block of a continuation that the body binds.
    #[must_use]
    pub fn block_of(&self, cont: Continuation) -> Option<Block> {
        self.block_of[cont].expand()
    }

    /// How many positions there are.
    #[must_use]
    pub fn positions(&self) -> u32 {
        self.positions
    }

    /// Whether a run is another, or inside it.
    #[must_use]
    pub fn is_inside(&self, run: Run, other: Run) -> bool {
        (other.0..self.runs[other].end_run).contains(&run.0)
    }

    /// Whether a run is part of a loop.
    #[must_use]
    pub fn is_in_loop(&self, run: Run, entered: Loop) -> bool {
        self.loops[entered].runs.contains(&run.0)
    }

    /// The runs of a loop, outer ones first.
    pub fn runs_of(&self, entered: Loop) -> impl DoubleEndedIterator<Item = Run> + use<> {
        self.loops[entered].runs.clone().map(Run)
    }

    /// The handlers of a loop.
    pub fn headers(&self, entered: Loop) -> impl ExactSizeIterator<Item = Block> + use<> {
        let Range { start, end } = self.loops[entered].headers;
        (start as usize..end as usize).map(Block::new)
    }

    /// The runs directly inside a run, in order.
    #[must_use]
    pub fn children(&self, run: Run) -> &[Run] {
        let Range { start, end } = self.runs[run].children;
        &self.children[start as usize..end as usize]
    }

    /// The arms of the switch that ends a run, in order, the default last.
    #[must_use]
    pub fn arms(&self, run: Run) -> &[Run] {
        let children = self.children(run);
        &children[children.len() - self.runs[run].arms as usize..]
    }

    /// The run directly inside one in which another is; nothing if that is the run itself.
    #[must_use]
    pub fn child_towards(&self, run: Run, inner: Run) -> Option<Run> {
        let children = self.children(run);
        let after = children.partition_point(|child| *child <= inner);
        children.get(after.checked_sub(1)?).copied()
    }

    /// The first run nested in the item, or the terminator, of a run at a position.
    #[must_use]
    pub fn child_at(&self, run: Run, position: u32) -> Option<Run> {
        let children = self.children(run);
        let first = children.partition_point(|child| self.runs[*child].at < position);
        children.get(first).copied().filter(|child| self.runs[*child].at == position)
    }

    /// The block of a position directly in a run: what it began with, or that of the last `Join` of the run before it.
    #[must_use]
    pub fn block_at(&self, run: Run, position: u32) -> Block {
        let begun = self.blocks.iter().rev().find(|(_, data)| data.code == run && data.start <= position);
        begun.map_or(self.runs[run].block, |(block, _)| block)
    }

    /// The edges along which control reaches a block.
    #[must_use]
    pub fn predecessors(&self, block: Block) -> impl ExactSizeIterator<Item = &Edge> {
        let Range { start, end } = self.blocks[block].incoming;
        self.incoming[start as usize..end as usize].iter().map(|index| &self.edges[*index as usize])
    }

    /// All edges, by increasing position.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that leave a run or one inside it, by increasing position.
    #[must_use]
    pub fn edges_from(&self, run: Run) -> &[Edge] {
        let RunData { start, end, .. } = self.runs[run];
        let first = self.edges.partition_point(|edge| edge.from.position < start);
        let last = self.edges.partition_point(|edge| edge.from.position < end);
        &self.edges[first..last]
    }

    /// The innermost run around two locations, and the position of the first of them as far as that run sees it.
    #[must_use]
    pub fn common(&self, a: Location, b: Location) -> Location {
        let (mut a, mut b) = (a, b);
        while a.run != b.run {
            if self.runs[a.run].depth >= self.runs[b.run].depth {
                a = self.around(a);
            } else {
                b = self.around(b);
            }
        }
        Location { run: a.run, position: a.position.min(b.position) }
    }

    /// The location, in the run around, of the run that a location is in; that location itself if it is in the body.
    #[must_use]
    pub fn around(&self, location: Location) -> Location {
        let data = &self.runs[location.run];
        data.parent.expand().map_or(location, |parent| Location { run: parent, position: data.at })
    }

    /// The terms of a body that is as it was analysed, by run; none of arms.
    #[must_use]
    pub fn terms<'e>(&self, body: &'e Expr) -> SecondaryMap<Run, Option<&'e Expr>> {
        let mut terms = SecondaryMap::with_capacity(self.runs.len());
        let mut runs = self.runs.iter().filter(|(_, data)| data.kind != RunKind::Arm);
        // Arms come after all other runs inside their parent but the bodies of `try`, of which there is none then: so
        // those that are terms are numbered in the order in which terms are walked.
        body.walk(&mut |expr| {
            if let Some((run, _)) = runs.next() {
                terms[run] = Some(expr);
            }
        });
        terms
    }
}

impl BlockData {
    /// The point at which the code of the block begins.
    #[must_use]
    pub fn beginning(&self, block: Block) -> Point {
        Point { run: self.code, block, position: self.start }
    }
}

impl RunData {
    /// The loop of which the run is a handler.
    #[must_use]
    pub fn header_of(&self) -> Option<Loop> {
        match self.kind {
            RunKind::Loop(entered) => Some(entered),
            _ => None,
        }
    }
}
