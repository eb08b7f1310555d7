//! Which constructors a function returns. Functions that return what others do have one convention, in which each
//! constructor of any of them has a number; but who calls one gets its own alone.

use cranelift_entity::SecondaryMap;
use flambeau_ir::CodeId;
use smallvec::SmallVec;

use super::shapes::Shape;

/// A constructor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    /// A block with that tag.
    Block(u8),
    /// No block.
    Immediate(i64),
}

/// The constructors that functions return.
#[derive(Default)]
pub(super) struct Returned {
    cases: SecondaryMap<CodeId, SmallVec<[Case; 4]>>,
    /// The functions whose results they return as they are.
    callees: SecondaryMap<CodeId, SmallVec<[CodeId; 2]>>,
}

impl Returned {
    /// Records what a function returns somewhere.
    pub fn add(&mut self, code: CodeId, shape: &Shape) {
        let blocks = shape.blocks.iter().map(|block| Case::Block(block.tag));
        let immediates = shape.immediates.iter().map(|immediate| Case::Immediate(*immediate));
        let known = &mut self.cases[code];
        for case in blocks.chain(immediates) {
            if !known.contains(&case) {
                known.push(case);
            }
        }
    }

    /// Records that a function returns what another one does.
    pub fn add_callee(&mut self, code: CodeId, callee: CodeId) {
        if !self.callees[code].contains(&callee) {
            self.callees[code].push(callee);
        }
    }

    /// The constructors that a function returns, those of its callees among them.
    pub fn of(&self, code: CodeId) -> SmallVec<[Case; 4]> {
        let mut functions: SmallVec<[CodeId; 8]> = SmallVec::from_slice(&[code]);
        let mut all: SmallVec<[Case; 4]> = SmallVec::new();
        let mut next = 0;
        while let Some(function) = functions.get(next).copied() {
            all.extend(self.cases[function].iter().copied());
            for callee in &self.callees[function] {
                if !functions.contains(callee) {
                    functions.push(*callee);
                }
            }
            next += 1;
        }
        all
    }
}
