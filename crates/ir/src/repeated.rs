//! What a function repeats: from what comes after it the beginning of a loop around it is reached again. What stands in
//! a loop only because it is executed when the loop is left is not repeated.

use rustc_hash::FxHashMap;

use crate::stack::deep;
use crate::{ContHandler, Continuation, Expr, Item, Named, Terminator};

impl Expr {
    /// Passes this term and all terms nested in it to `f`, inner before outer, with whether a loop of this term repeats
    /// the end of its run.
    pub fn walk_repeated<'e>(&'e self, f: &mut impl FnMut(&'e Expr, bool)) {
        Walk { reached: FxHashMap::default(), f }.expr(self, 0);
    }
}

/// The loops that are reached again, by how many loops are around them: a bit for each, the last one for all that are
/// deeper.
type Loops = u64;

fn bit(depth: u32) -> Loops {
    1 << depth.min(u64::BITS - 1)
}

struct Walk<'f, F> {
    /// Which of the loops around it a continuation reaches.
    reached: FxHashMap<Continuation, Loops>,
    f: &'f mut F,
}

impl<'e, F: FnMut(&'e Expr, bool)> Walk<'_, F> {
    fn reached(&self, cont: Continuation) -> Loops {
        self.reached.get(&cont).copied().unwrap_or(0)
    }

    /// Which of the loops around a term it reaches.
    fn expr(&mut self, expr: &'e Expr, depth: u32) -> Loops {
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
            let end = self.terminator(&expr.terminator, depth);
            loops |= end;
            // The remainder of the run is what a join continues with.
            for (cont, body) in joins.into_iter().rev() {
                self.reached.insert(cont, loops);
                loops |= self.expr(body, depth);
            }
            (self.f)(expr, end != 0);
            loops
        })
    }

    fn handlers(&mut self, handlers: &'e [ContHandler], depth: u32) {
        for handler in handlers {
            let loops = self.expr(&handler.body, depth);
            self.reached.insert(handler.cont, loops);
        }
    }

    fn loops(&mut self, handlers: &'e [ContHandler], depth: u32) {
        let own = bit(depth);
        self.reached.extend(handlers.iter().map(|handler| (handler.cont, own)));
        let inside = handlers.iter().fold(0, |loops, handler| loops | self.expr(&handler.body, depth + 1));
        // Who enters the loop reaches those around it.
        self.reached.extend(handlers.iter().map(|handler| (handler.cont, inside & (own - 1))));
    }

    fn terminator(&mut self, terminator: &'e Terminator, depth: u32) -> Loops {
        let mut loops = 0;
        match terminator {
            Terminator::Apply(apply) => {
                loops = self.reached(apply.ret) | self.reached(apply.exn.cont);
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
