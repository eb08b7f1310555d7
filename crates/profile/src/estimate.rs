//! How often blocks run by what their flow looks like: where counters cost least.

use crate::flow::Block;

/// How often the entry runs.
const ONCE: u64 = 1 << 24;
/// How often a loop runs for each time that it is entered.
const ITERATIONS: u64 = 10;
/// Of what comes to a branch with an arm that ends in an error, so little goes there; so rare are exceptions.
const RARE: u64 = 64;

/// The estimated frequency of each block.
pub(crate) fn frequencies(blocks: &[Block]) -> Vec<u64> {
    let order = in_order(blocks);
    let mut positions = vec![0; blocks.len()];
    order.iter().enumerate().for_each(|(position, block)| positions[*block] = position);
    let mut frequencies: Vec<u64> =
        blocks.iter().map(|block| if block.is_handler { ONCE / RARE } else { 0 }).collect();
    frequencies[0] = ONCE;
    for block in &order {
        let successors = &blocks[*block].successors;
        let whole = frequencies[*block];
        let errors = successors.iter().filter(|successor| blocks[**successor].raises).count();
        for successor in successors {
            if positions[*successor] > positions[*block] {
                let is_error = blocks[*successor].raises && errors < successors.len();
                frequencies[*successor] +=
                    if is_error { whole / RARE } else { whole / (successors.len() - errors).max(1) as u64 };
            }
        }
    }
    for (frequency, depth) in frequencies.iter_mut().zip(depths(blocks, &positions)) {
        *frequency = frequency.saturating_mul(ITERATIONS.saturating_pow(depth));
    }
    frequencies
}

/// The blocks so that each is before those to which it jumps forward.
fn in_order(blocks: &[Block]) -> Vec<usize> {
    let mut seen = vec![false; blocks.len()];
    let mut ended = Vec::with_capacity(blocks.len());
    for root in 0..blocks.len() {
        let mut path = vec![(root, 0)];
        while let Some((block, next)) = path.pop() {
            if next == 0 && std::mem::replace(&mut seen[block], true) {
                continue;
            }
            match blocks[block].successors.get(next) {
                Some(successor) => path.extend([(block, next + 1), (*successor, 0)]),
                None => ended.push(block),
            }
        }
    }
    ended.reverse();
    ended
}

/// In how many loops each block is.
fn depths(blocks: &[Block], positions: &[usize]) -> Vec<u32> {
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        block.successors.iter().for_each(|successor| predecessors[*successor].push(index));
    }
    let mut depths = vec![0; blocks.len()];
    for head in (0..blocks.len()).filter(|head| blocks[*head].is_loop) {
        let mut inside = vec![false; blocks.len()];
        inside[head] = true;
        let mut pending: Vec<usize> = predecessors[head].clone();
        pending.retain(|block| positions[*block] >= positions[head]);
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut inside[block], true) {
                pending.extend(&predecessors[block]);
            }
        }
        for (depth, inside) in depths.iter_mut().zip(inside) {
            *depth += u32::from(inside);
        }
    }
    depths
}
