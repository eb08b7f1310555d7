//! Which variables are which block, and which blocks escape.

use cranelift_entity::{EntityRef, SecondaryMap};
use flambeau_ir::{Simple, Variable};

use super::facts::{BlockId, Operation, Uses};

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Class {
    /// Anything.
    #[default]
    Other,
    /// Nothing has reached it so far.
    Nothing,
    /// The block that was last allocated there. A variable of this class is in scope only where that block is the
    /// last: the first of them to be bound is the allocation's own, and leaving its scope, as the next round
    /// of a loop does, leaves theirs.
    Block(BlockId),
}

/// The class of each variable, and whether each block escapes.
#[derive(Default)]
pub(super) struct Classes {
    classes: SecondaryMap<Variable, Class>,
    escapes: SecondaryMap<BlockId, bool>,
    /// Variables whose class is not `Other`, or was not.
    touched: Vec<Variable>,
    pending: Vec<Variable>,
}

impl Classes {
    /// Computes both for one function, replacing those of the previous one.
    pub(super) fn compute(&mut self, uses: &mut Uses) {
        self.touched.drain(..).for_each(|var| self.classes[var] = Class::Other);
        self.escapes.clear();
        self.spread(uses);
        self.find_escapes(uses);
    }

    /// The block that a variable is.
    pub(super) fn block(&self, var: Variable) -> Option<BlockId> {
        match self.classes[var] {
            Class::Block(block) => Some(block),
            Class::Other | Class::Nothing => None,
        }
    }

    /// The block that an atom is.
    pub(super) fn block_of(&self, simple: Simple) -> Option<BlockId> {
        simple.as_var().and_then(|var| self.block(var))
    }

    /// Whether a block is used otherwise than by loads, stores and tests of its own fields.
    pub(super) fn escapes(&self, block: BlockId) -> bool {
        self.escapes[block]
    }

    /// Propagates classes along copies, until all that reaches a variable has. The last to be decided are those whose
    /// only source is themselves: they are never bound.
    fn spread(&mut self, uses: &mut Uses) {
        let number = |simple: Simple| simple.as_var().map_or(usize::MAX, |var| var.index());
        uses.copies.sort_by_key(|(from, _)| number(*from));
        let copies = &uses.copies;
        for (_, to) in copies {
            self.classes[*to] = Class::Nothing;
            self.touched.push(*to);
        }
        for (block, allocation) in &uses.allocations {
            self.classes[allocation.var] = Class::Block(block);
            self.touched.push(allocation.var);
            self.pending.push(allocation.var);
        }
        for result in &uses.results {
            self.reach(*result, Class::Other);
        }
        for (from, to) in copies {
            if from.as_var().is_none_or(|from| self.classes[from] == Class::Other) {
                self.reach(*to, Class::Other);
            }
        }
        let copies_of = |var: Variable| {
            let first = copies.partition_point(|(from, _)| number(*from) < var.index());
            copies[first..].iter().take_while(move |(from, _)| *from == Simple::Var(var)).map(|(_, to)| *to)
        };
        let mut undecided = copies.iter();
        loop {
            while let Some(var) = self.pending.pop() {
                let class = self.classes[var];
                copies_of(var).for_each(|to| self.reach(to, class));
            }
            let Some((_, to)) = undecided.find(|(_, to)| self.classes[*to] == Class::Nothing) else { break };
            self.reach(*to, Class::Other);
        }
    }

    /// Joins a class into that of a variable which something of that class flows to.
    fn reach(&mut self, var: Variable, class: Class) {
        let old = self.classes[var];
        let new = if old == Class::Nothing || old == class { class } else { Class::Other };
        if new != old {
            self.classes[var] = new;
            self.pending.push(var);
        }
    }

    fn find_escapes(&mut self, uses: &Uses) {
        let escape = |escapes: &mut SecondaryMap<BlockId, bool>, block: Option<BlockId>| {
            if let Some(block) = block {
                escapes[block] = true;
            }
        };
        let mut escapes = std::mem::take(&mut self.escapes);
        for var in &uses.escaping {
            escape(&mut escapes, self.block(*var));
        }
        for (from, to) in &uses.copies {
            let from = self.block_of(*from);
            if from != self.block(*to) {
                escape(&mut escapes, from);
            }
        }
        for (a, b) in &uses.compared {
            let (a, b) = (self.block(*a), self.block(*b));
            if a != b {
                escape(&mut escapes, a);
                escape(&mut escapes, b);
            }
        }
        for access in &uses.accesses {
            let Some(block) = self.block(access.var) else { continue };
            let allocation = &uses.allocations[block];
            let (field, is_float) = match access.operation {
                Operation::Load { field, is_float } | Operation::Store { field, is_float, .. } => {
                    (field, is_float)
                }
                Operation::Offset => (0, false),
            };
            // Code that is never run may well take a block for another one (soundness row 29).
            if field as usize >= allocation.fields.len() || is_float != allocation.is_float {
                escape(&mut escapes, Some(block));
            }
        }
        self.escapes = escapes;
    }
}
