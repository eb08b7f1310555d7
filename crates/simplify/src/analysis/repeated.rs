//! Calls that a function repeats: from what comes after them the beginning of a loop around them is reached again. What
//! stands in a loop only because it is executed when the loop is left is not repeated.

use flambeau_ir::stack::deep;
use flambeau_ir::{ContHandler, Continuation, Expr, Item, Named, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

/// The continuations to which calls return that a body repeats.
pub(super) fn repeated(body: &Expr) -> FxHashSet<Continuation> {
    let mut walk = Walk::default();
    walk.expr(body, 0);
    walk.calls
}

/// The loops that are reached again, by how many loops are around them: a bit for each, the last one for all that are
/// deeper.
type Loops = u64;

fn bit(depth: u32) -> Loops {
    1 << depth.min(u64::BITS - 1)
}

#[derive(Default)]
struct Walk {
    /// Which of the loops around it a continuation reaches.
    reached: FxHashMap<Continuation, Loops>,
    calls: FxHashSet<Continuation>,
}

impl Walk {
    fn reached(&self, cont: Continuation) -> Loops {
        self.reached.get(&cont).copied().unwrap_or(0)
    }

    /// Which of the loops around a term it reaches.
    fn expr(&mut self, expr: &Expr, depth: u32) -> Loops {
        deep(|| {
            let mut joins = Vec::new();
            let mut loops = 0;
            for item in &expr.items {
                match item {
                    Item::Join { cont, body, .. } => joins.push((*cont, body)),
                    Item::LetCont { recursive: false, handlers } => self.handlers(handlers, depth),
                    Item::LetCont { recursive: true, handlers } => self.loops(handlers, depth),
                    Item::Let { named: Named::Prim { exn: Some(exn), .. }, .. } => {
                        loops |= self.reached(exn.cont);
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            loops |= self.terminator(&expr.terminator, depth);
            // The remainder of the run is what a join continues with.
            for (cont, body) in joins.into_iter().rev() {
                self.reached.insert(cont, loops);
                loops |= self.expr(body, depth);
            }
            loops
        })
    }

    fn handlers(&mut self, handlers: &[ContHandler], depth: u32) {
        for handler in handlers {
            let loops = self.expr(&handler.body, depth);
            self.reached.insert(handler.cont, loops);
        }
    }

    fn loops(&mut self, handlers: &[ContHandler], depth: u32) {
        let own = bit(depth);
        self.reached.extend(handlers.iter().map(|handler| (handler.cont, own)));
        let inside = handlers.iter().fold(0, |loops, handler| loops | self.expr(&handler.body, depth + 1));
        // Who enters the loop reaches those around it.
        self.reached.extend(handlers.iter().map(|handler| (handler.cont, inside & (own - 1))));
    }

    fn terminator(&mut self, terminator: &Terminator, depth: u32) -> Loops {
        let mut loops = 0;
        match terminator {
            Terminator::Apply(apply) => {
                loops = self.reached(apply.ret) | self.reached(apply.exn.cont);
                if loops != 0 {
                    self.calls.insert(apply.ret);
                }
            }
            Terminator::ApplyCont(jump) => loops = self.reached(jump.cont),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| loops |= self.reached(jump.cont)),
            Terminator::StringSwitch(switch) => {
                switch.for_each_jump(&mut |jump| loops |= self.reached(jump.cont));
            }
            Terminator::Raise { handler, .. } => loops = self.reached(handler.cont),
            Terminator::Try { body, handler } => {
                loops = self.expr(body, depth) | self.reached(handler.cont);
            }
            Terminator::Unreachable => {}
        }
        loops
    }
}
