//! Points of the program, and the only functions to enter and leave one: [`Simplifier::at`] and
//! [`Simplifier::in_function`].
//!
//! What is known at a point is what the environment has learnt up to there, the state of the memory, and how deep in
//! branches the point is. A nested term is simplified in a scope: whatever was learnt in it is forgotten after it, and
//! the state of the memory is again that of the point before.

use flambeau_ir::prim::Classes;
use flambeau_types::Mark;

use crate::Simplifier;
use crate::memory::Memory;
use crate::state::FunctionState;

/// What holds at the point that is being simplified, besides what the environment records about variables.
#[derive(Clone, Copy)]
pub struct Point {
    /// Names the state of the memory.
    memory: Memory,
    /// How many branches are around the point, in its function.
    branch_depth: u32,
}

impl Default for Point {
    fn default() -> Point {
        Point { memory: Memory::new(1), branch_depth: 0 }
    }
}

/// A point to which the simplifier comes back.
#[derive(Clone, Copy)]
pub struct Scope {
    mark: Mark,
    point: Point,
}

impl Simplifier<'_> {
    /// The present point.
    pub(crate) fn here(&self) -> Scope {
        Scope { mark: self.env.mark(), point: self.point }
    }

    /// Returns to a point whose scope has not been left, simplifies something there, and forgets what that has learnt.
    pub(crate) fn at<T>(&mut self, scope: Scope, simplify: impl FnOnce(&mut Self) -> T) -> T {
        self.go_back(scope);
        let result = simplify(self);
        self.go_back(scope);
        result
    }

    /// Simplifies a nested term, and forgets what that has learnt.
    pub(crate) fn scoped<T>(&mut self, simplify: impl FnOnce(&mut Self) -> T) -> T {
        self.at(self.here(), simplify)
    }

    /// Simplifies a term under one more branch, and forgets what that has learnt.
    pub(crate) fn in_branch<T>(&mut self, simplify: impl FnOnce(&mut Self) -> T) -> T {
        self.scoped(|this| {
            this.point.branch_depth += 1;
            simplify(this)
        })
    }

    /// Simplifies another function, the present one being set aside: of that function's memory nothing is known.
    pub(crate) fn in_function<T>(
        &mut self,
        function: FunctionState,
        simplify: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let measuring = function.measured.is_some().then(|| self.env.begin_measuring());
        let result = self.scoped(|this| {
            let outer = std::mem::replace(&mut this.function, function);
            this.point.branch_depth = 0;
            this.fresh_memory();
            let result = simplify(this);
            this.function = outer;
            result
        });
        if let Some(begun) = measuring {
            self.env.end_measuring(begun);
        }
        result
    }

    fn go_back(&mut self, scope: Scope) {
        self.env.undo(scope.mark);
        self.point = scope.point;
    }

    /// The state of the memory at the present point.
    pub(crate) fn memory(&self) -> &Memory {
        &self.point.memory
    }

    /// How many branches are around the present point, in its function.
    pub(crate) fn branch_depth(&self) -> u32 {
        self.point.branch_depth
    }

    /// From here on the memory is as it was somewhere else.
    pub(crate) fn set_memory(&mut self, memory: Memory) {
        self.point.memory = memory;
    }

    /// From here on the memory may hold anything else.
    pub(crate) fn fresh_memory(&mut self) {
        let name = self.global.new_memory();
        self.point.memory = Memory::new(name);
    }

    /// From here on what was written may be anything else.
    pub(crate) fn write(&mut self, writes: Classes) {
        let name = self.global.new_memory();
        self.point.memory = self.point.memory.after(writes, name);
    }
}
