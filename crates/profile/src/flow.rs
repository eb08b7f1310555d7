//! The control flow of a function, and in which of its blocks counters suffice.
//!
//! A *block* is the function's entry or a continuation, with the run that it begins. What comes into the successors of
//! a block has left the block: all blocks that share a successor, and all their successors, are one equation. Taken as
//! a graph, whose nodes are the equations and whose arcs are the blocks, the blocks of a spanning tree follow from the
//! others (Knuth and Stevenson, "Optimal measurement points for program frequency counts", 1973). The tree is the one
//! of the greatest estimated frequency, so that what is counted is what runs least.
//!
//! A call, or a primitive that raises, may not come back. A block with one says nothing of its successors, therefore,
//! nor does an exception say where it came from: these have to do with the *outside*, the node at which callers are,
//! too, and which has no equation. So what is derived is exact. A continuation to which one call alone returns is taken
//! to run as often as the call, and is not distinguished from it.

use std::cmp::Reverse;

use flambeau_ir::{Continuation, Expr, Item, Named, Terminator, Unit};
use rustc_hash::FxHashMap;

use crate::{estimate, points};

/// The node without an equation.
const OUTSIDE: usize = 0;

/// One block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// None for the entry.
    pub(crate) cont: Option<Continuation>,
    /// The blocks to which it jumps, or to which its call returns.
    pub(crate) successors: Vec<usize>,
    /// Whether it begins by an exception.
    pub(crate) is_handler: bool,
    /// Whether it is a loop.
    pub(crate) is_loop: bool,
    /// Whether it ends in an error.
    pub(crate) raises: bool,
    /// Whether an exception may leave it.
    may_not_end: bool,
    /// Whether it ends in a call.
    calls: bool,
}

/// The control flow of a function, with the blocks that are counted.
#[derive(Clone, Debug)]
pub struct Flow {
    blocks: Vec<Block>,
    /// Of each block the one with whose call it is taken together, or itself.
    same_as: Vec<usize>,
    /// Of each block the nodes that it leads from and to.
    ends: Vec<(usize, usize)>,
    /// The blocks that have counters.
    counted: Vec<usize>,
    /// Those that follow from them.
    derived: Vec<usize>,
}

impl Flow {
    /// The flow of a body. One with more blocks than `most` is counted at its entry alone.
    #[must_use]
    pub fn of(unit: &Unit, body: &Expr, most: usize) -> Flow {
        Flow::of_blocks(Blocks::of(unit, body).blocks, most)
    }

    pub(crate) fn of_blocks(blocks: Vec<Block>, most: usize) -> Flow {
        let mut flow = Flow {
            same_as: (0..blocks.len()).collect(),
            ends: vec![(OUTSIDE, OUTSIDE)],
            blocks,
            counted: vec![0],
            derived: Vec::new(),
        };
        if flow.blocks.len() <= most {
            flow.take_calls_together();
            flow.number_nodes();
            flow.choose();
        }
        flow
    }

    /// How the blocks follow each other, as words for a hash: what is derived depends on all of it.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.blocks.iter().flat_map(|block| {
            let flags = [block.is_handler, block.is_loop, block.raises, block.may_not_end, block.calls];
            let flags = flags.iter().fold(1, |word, flag| word << 1 | u64::from(*flag));
            std::iter::once(flags).chain(block.successors.iter().map(|successor| 64 + *successor as u64))
        })
    }

    /// The continuations that have counters; none is the entry.
    #[must_use]
    pub fn counted(&self) -> impl ExactSizeIterator<Item = Option<Continuation>> {
        self.counted.iter().map(|block| self.blocks[*block].cont)
    }

    /// How often each continuation ran, and the entry (none), by what was counted.
    #[must_use]
    pub fn derive(&self, counters: &[u64]) -> FxHashMap<Option<Continuation>, u64> {
        let mut counts = vec![0; self.blocks.len()];
        for (block, count) in self.counted.iter().zip(counters) {
            counts[*block] = i128::from(*count);
        }
        self.solve(&mut counts);
        let known = self.counted.iter().chain(&self.derived);
        known.map(|block| (self.blocks[*block].cont, u64::try_from(counts[*block]).unwrap_or(0))).collect()
    }

    /// How often a function was called follows from its counters by adding and subtracting some of them: for each `+`,
    /// `-`, or `.` if it has nothing to do with that. It is known without the function.
    #[must_use]
    pub fn signs_of_entry(&self) -> String {
        if self.counted.contains(&0) {
            return self.counted.iter().map(|block| if *block == 0 { '+' } else { '.' }).collect();
        }
        // Without the entry the tree is two; the equations of one of them, added up, are without the rest of the tree.
        let mut nodes = Nodes::default();
        for block in self.derived.iter().filter(|block| **block != 0) {
            let (from, to) = self.ends[*block];
            nodes.unify(from, to);
        }
        let inner = nodes.find(self.ends[0].1);
        let signs = self.counted.iter().map(|block| {
            let (from, to) = self.ends[*block];
            match (nodes.find(from) == inner, nodes.find(to) == inner) {
                (true, false) => '+',
                (false, true) => '-',
                _ => '.',
            }
        });
        signs.collect()
    }

    fn take_calls_together(&mut self) {
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            block.successors.iter().for_each(|successor| predecessors[*successor].push(index));
        }
        for (index, predecessors) in predecessors.iter().enumerate().skip(1) {
            if let [before] = predecessors[..]
                && self.blocks[before].calls
                && !self.blocks[index].is_loop
            {
                self.same_as[index] = before;
                self.blocks[index].may_not_end = true;
            }
        }
    }

    /// Whether a block has a count of its own.
    fn is_counted_itself(&self, block: usize) -> bool {
        self.same_as[block] == block
    }

    fn number_nodes(&mut self) {
        let (into, out) = (|block: usize| 1 + 2 * block, |block: usize| 2 + 2 * block);
        let mut nodes = Nodes::default();
        nodes.unify(OUTSIDE, into(0));
        for (index, block) in self.blocks.iter().enumerate() {
            if block.is_handler {
                nodes.unify(OUTSIDE, into(index));
            }
            if block.may_not_end || block.successors.is_empty() {
                nodes.unify(OUTSIDE, out(index));
            }
            for successor in &block.successors {
                if self.is_counted_itself(*successor) {
                    nodes.unify(out(index), into(*successor));
                }
            }
        }
        let outside = nodes.find(OUTSIDE);
        let mut node = |end| if nodes.find(end) == outside { OUTSIDE } else { nodes.find(end) };
        self.ends = (0..self.blocks.len()).map(|index| (node(into(index)), node(out(index)))).collect();
    }

    /// Decides what is counted: all but the greatest spanning tree.
    fn choose(&mut self) {
        let weights = estimate::frequencies(&self.blocks);
        let mut order: Vec<usize> =
            (0..self.blocks.len()).filter(|block| self.is_counted_itself(*block)).collect();
        order.sort_by_key(|block| (Reverse(weights[*block]), *block));
        let mut nodes = Nodes::default();
        self.counted.clear();
        for block in order {
            let (from, to) = self.ends[block];
            let chosen = if nodes.unify(from, to) { &mut self.derived } else { &mut self.counted };
            chosen.push(block);
        }
        self.counted.sort_unstable();
    }

    /// Adds the counts that follow: of an equation in which one block is left, that one.
    fn solve(&self, counts: &mut [i128]) {
        // What is known of what comes to a node, less what leaves it.
        let mut balances: FxHashMap<usize, i128> = FxHashMap::default();
        for block in &self.counted {
            let (from, to) = self.ends[*block];
            *balances.entry(to).or_default() += counts[*block];
            *balances.entry(from).or_default() -= counts[*block];
        }
        let mut unknown: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for block in &self.derived {
            let (from, to) = self.ends[*block];
            unknown.entry(from).or_default().push(*block);
            unknown.entry(to).or_default().push(*block);
        }
        let is_leaf = |node: usize, left: &[usize]| node != OUTSIDE && left.len() == 1;
        let mut leaves: Vec<usize> =
            unknown.iter().filter(|(node, left)| is_leaf(**node, left)).map(|(node, _)| *node).collect();
        while let Some(leaf) = leaves.pop() {
            let Some(&[block]) = unknown.get(&leaf).map(Vec::as_slice) else { continue };
            let (from, to) = self.ends[block];
            let balance = balances.get(&leaf).copied().unwrap_or(0);
            // Threads that count at the same time lose some: nothing is less than nothing.
            counts[block] = (if from == leaf { balance } else { -balance }).max(0);
            *balances.entry(to).or_default() += counts[block];
            *balances.entry(from).or_default() -= counts[block];
            for node in [from, to] {
                if let Some(left) = unknown.get_mut(&node) {
                    left.retain(|other| *other != block);
                    if is_leaf(node, left) {
                        leaves.push(node);
                    }
                }
            }
        }
    }
}

/// The blocks of a body, as they are found.
struct Blocks<'u> {
    unit: &'u Unit,
    numbers: FxHashMap<Continuation, usize>,
    blocks: Vec<Block>,
}

impl<'u> Blocks<'u> {
    fn of(unit: &'u Unit, body: &Expr) -> Blocks<'u> {
        let mut found = Blocks { unit, numbers: FxHashMap::default(), blocks: vec![Block::default()] };
        let mut runs = vec![(body, 0)];
        while let Some((expr, mut block)) = runs.pop() {
            // What is inside comes before what follows: so the numbers are those of the source's order.
            let first = runs.len();
            for item in expr.items.iter().filter(|item| !points::is_registration(unit, item)) {
                match item {
                    Item::Join { cont, body, .. } => {
                        runs.push((body, block));
                        block = found.number(*cont, false);
                    }
                    Item::LetCont { recursive, handlers } => {
                        for handler in handlers {
                            runs.push((&handler.body, found.number(handler.cont, *recursive)));
                        }
                    }
                    Item::Let { named: Named::Prim { exn: Some(_), .. }, .. } => {
                        found.blocks[block].may_not_end = true;
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            if let Terminator::Try { body, .. } = &expr.terminator {
                runs.push((body, block));
            }
            runs[first..].reverse();
            found.end(block, &expr.terminator);
        }
        found
    }

    /// Numbers a continuation that is bound: its uses come later.
    fn number(&mut self, cont: Continuation, is_loop: bool) -> usize {
        let is_handler = self.unit.continuations[cont].is_exn;
        self.numbers.insert(cont, self.blocks.len());
        self.blocks.push(Block { cont: Some(cont), is_handler, is_loop, ..Block::default() });
        self.blocks.len() - 1
    }

    fn end(&mut self, block: usize, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => {
                self.blocks[block].calls = true;
                self.blocks[block].may_not_end = true;
                self.blocks[block].successors.extend(self.numbers.get(&apply.ret));
            }
            Terminator::Raise { .. } | Terminator::Unreachable => self.blocks[block].raises = true,
            Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_) => {
                let (numbers, data) = (&self.numbers, &mut self.blocks[block]);
                terminator.for_each_jump(&mut |jump| match numbers.get(&jump.cont) {
                    Some(successor) if data.successors.contains(successor) => {}
                    Some(successor) => data.successors.push(*successor),
                    // The function's own: what returns from an arm is not distinguished from what continues.
                    None => data.may_not_end = true,
                });
            }
            Terminator::Try { .. } => {}
        }
    }
}

/// Sets of nodes.
#[derive(Default)]
struct Nodes {
    parents: FxHashMap<usize, usize>,
}

impl Nodes {
    fn find(&mut self, node: usize) -> usize {
        let mut root = node;
        while let Some(parent) = self.parents.get(&root) {
            root = *parent;
        }
        if root != node {
            self.parents.insert(node, root);
        }
        root
    }

    /// Makes two sets one; whether they were two.
    fn unify(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents.insert(a.max(b), a.min(b));
        }
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Block {
        /// An entry that branches, to blocks that return.
        pub(crate) fn fork(arms: usize) -> Vec<Block> {
            let mut blocks = vec![Block::default(); arms + 1];
            blocks[0].successors = (1..=arms).collect();
            blocks
        }
    }

    /// Numbers that look random, the same each time (xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % limit as u64) as usize
        }
    }

    fn some_blocks(numbers: &mut Numbers) -> Vec<Block> {
        let count = 1 + numbers.below(12);
        let block = |index: usize, numbers: &mut Numbers| {
            let mut block =
                Block { cont: (index > 0).then(|| Continuation::from_u32(index as u32)), ..Block::default() };
            block.is_handler = index > 0 && numbers.below(8) == 0;
            block.is_loop = numbers.below(4) == 0;
            block.calls = numbers.below(4) == 0;
            block.may_not_end = block.calls || numbers.below(8) == 0;
            block.raises = numbers.below(8) == 0;
            let most = if block.calls { 1 } else { 3 };
            if count > 1 && !block.raises {
                for _ in 0..numbers.below(most + 1) {
                    let successor = 1 + numbers.below(count - 1);
                    if !block.successors.contains(&successor) {
                        block.successors.push(successor);
                    }
                }
            }
            block
        };
        let mut blocks: Vec<Block> = (0..count).map(|index| block(index, numbers)).collect();
        let handlers: Vec<bool> = blocks.iter().map(|block| block.is_handler).collect();
        blocks.iter_mut().for_each(|block| block.successors.retain(|successor| !handlers[*successor]));
        blocks
    }

    /// How often each block runs in some calls. Exceptions leave blocks that they may leave, for a handler or a caller.
    fn run(blocks: &[Block], numbers: &mut Numbers) -> Vec<u64> {
        let handlers: Vec<usize> = (0..blocks.len()).filter(|block| blocks[*block].is_handler).collect();
        let mut counts = vec![0; blocks.len()];
        for _ in 0..=numbers.below(9) {
            let mut here = Some(0);
            let mut steps = 0;
            while let Some(index) = here {
                let block = &blocks[index];
                counts[index] += 1;
                steps += 1;
                let is_left = block.may_not_end && (steps > 100 || numbers.below(4) == 0);
                here = if is_left || block.raises {
                    let to = numbers.below(handlers.len() + 1);
                    handlers.get(to).copied().filter(|_| steps < 200)
                } else if block.successors.is_empty() {
                    None
                } else {
                    // A loop without an end would have no counts: it is run again until one is found.
                    if steps > 5_000 {
                        return Vec::new();
                    }
                    Some(block.successors[numbers.below(block.successors.len())])
                };
            }
        }
        counts
    }

    #[test]
    fn what_is_derived_is_what_would_be_counted() {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        let (mut runs, mut blocks_of_all, mut counters_of_all) = (0, 0, 0);
        while runs < 3_000 {
            let blocks = some_blocks(&mut numbers);
            let counts = run(&blocks, &mut numbers);
            if counts.is_empty() {
                continue;
            }
            runs += 1;
            let flow = Flow::of_blocks(blocks.clone(), 100);
            let counters: Vec<u64> = flow.counted.iter().map(|block| counts[*block]).collect();
            let derived = flow.derive(&counters);
            let known = blocks.iter().zip(&counts).zip(&flow.same_as).enumerate();
            for (index, ((block, count), same_as)) in known {
                if index == *same_as {
                    assert_eq!(derived.get(&block.cont), Some(count), "block {index}: {flow:?}");
                } else {
                    assert!(!derived.contains_key(&block.cont) && *count <= counts[*same_as], "{flow:?}");
                }
            }
            let signed = flow.signs_of_entry();
            let calls = signed.bytes().zip(&counters).map(|(sign, count)| match sign {
                b'+' => *count as i64,
                b'-' => -(*count as i64),
                _ => 0,
            });
            assert_eq!(calls.sum::<i64>(), counts[0] as i64, "{signed}: {flow:?}");
            blocks_of_all += blocks.len();
            counters_of_all += counters.len();
        }
        assert!(
            counters_of_all * 4 < blocks_of_all * 3,
            "{counters_of_all} counters for {blocks_of_all} blocks"
        );
    }

    #[test]
    fn a_loop_is_counted_once_a_turn() {
        // The entry; the loop's test; its body, in which an index is checked; the end; the error.
        let mut blocks = vec![Block::default(); 6];
        let successors: [&[usize]; 6] = [&[1], &[2, 4], &[3, 5], &[1], &[], &[]];
        for (index, (block, successors)) in blocks.iter_mut().zip(successors).enumerate() {
            block.cont = (index > 0).then(|| Continuation::from_u32(index as u32));
            block.successors = successors.to_vec();
        }
        blocks[1].is_loop = true;
        blocks[5].raises = true;
        let flow = Flow::of_blocks(blocks, 100);
        let in_loop = flow.counted.iter().filter(|block| matches!(block, 1..=3)).count();
        assert_eq!(in_loop, 1, "{flow:?}");
    }
}
