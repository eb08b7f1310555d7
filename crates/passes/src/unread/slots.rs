//! Stores of parts of results that nobody loads: what was stored is known where the function that did so was inlined.
//!
//! A part is needed from the store to a load, or to where the function returns, as its callers may load it; after a
//! call only what that has stored is. After other functions nobody loads anything.

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CallKind, Code, CodeId, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple,
    Terminator, Unit,
};
use smallvec::SmallVec;

/// Parts, as bits.
type Parts = u64;

/// Leaves out the stores of which no part is needed; returns whether there was one. On entry and on exit the unit is
/// well-formed. Linear in the size of a function times the depth of its loops.
pub(crate) fn stores(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let returning = returning_parts(unit);
    unit.rewrite_bodies(|unit, code, body| {
        let mut all: SmallVec<[Simple; 1]> = SmallVec::new();
        body.walk(&mut |run| all.extend(run.items.iter().filter_map(stored).map(|(slots, _)| slots)));
        all.dedup();
        if all.is_empty() {
            return false;
        }
        let are_same = all.len() == 1;
        let mut slots = Slots { unit, rewrites, code, are_same, needed: SecondaryMap::new(), changed: false };
        if let Some(code) = code
            && returning.contains(code)
        {
            slots.needed[unit.codes[code].ret] = Parts::MAX;
        }
        slots.run(body);
        slots.changed
    })
}

fn bit(part: u32) -> Parts {
    1u64.checked_shl(part).unwrap_or(Parts::MAX)
}

/// The slots, and the part that an item stores there.
fn stored(item: &Item) -> Option<(Simple, u32)> {
    match item {
        Item::Let { named: Named::Prim { prim: Prim::StoreResult { part, .. }, args, .. }, .. } => {
            Some((args[0], *part))
        }
        _ => None,
    }
}

/// The part that an item loads.
fn loaded(item: &Item) -> Option<u32> {
    match item {
        Item::Let { named: Named::Prim { prim: Prim::LoadResult { part, .. }, .. }, .. } => Some(*part),
        _ => None,
    }
}

/// The functions after whose return somebody may load parts: those that a body calls which loads some, and those that
/// such a function ends by calling. Other units load what a function of this one loads, too: the one that they know.
fn returning_parts(unit: &Unit) -> EntitySet<CodeId> {
    let mut returning = EntitySet::new();
    let mut pending = Vec::new();
    for body in unit.bodies() {
        let mut loads = false;
        body.walk(&mut |run| loads |= run.items.iter().any(|item| loaded(item).is_some()));
        if loads {
            body.walk(&mut |run| pending.extend(called(&run.terminator).map(|(code, _)| code)));
        }
    }
    while let Some(code) = pending.pop() {
        if returning.insert(code) {
            let Code { ret, body, .. } = &unit.codes[code];
            body.walk(&mut |run| {
                pending.extend(called(&run.terminator).filter(|(_, to)| to == ret).map(|(code, _)| code));
            });
        }
    }
    returning
}

/// The function that is called directly, and what takes its result.
fn called(terminator: &Terminator) -> Option<(CodeId, Continuation)> {
    match terminator {
        Terminator::Apply(apply) => match apply.kind {
            CallKind::Direct(code) => Some((code, apply.ret)),
            _ => None,
        },
        _ => None,
    }
}

struct Slots<'r> {
    unit: &'r Unit,
    rewrites: &'r mut Rewrites,
    code: Option<CodeId>,
    /// Whether all stores are to the slots of one unit.
    are_same: bool,
    /// What is needed where a continuation begins.
    needed: SecondaryMap<Continuation, Parts>,
    changed: bool,
}

impl Slots<'_> {
    /// Leaves out stores of a run; returns what is needed where it begins.
    fn run(&mut self, expr: &mut Expr) -> Parts {
        deep(|| {
            for item in &mut expr.items {
                if let Item::LetCont { recursive, handlers } = item {
                    if *recursive {
                        let needed = self.needed_by_loop(handlers);
                        handlers.iter().for_each(|handler| self.needed[handler.cont] = needed);
                    }
                    for handler in handlers {
                        let needed = self.run(&mut handler.body);
                        if !*recursive {
                            self.needed[handler.cont] = needed;
                        }
                    }
                }
            }
            let mut needed = self.terminator(&mut expr.terminator);
            let mut unread = Vec::new();
            for (index, item) in expr.items.iter_mut().enumerate().rev() {
                if let Some((_, part)) = stored(item) {
                    if needed & bit(part) == 0
                        && self.rewrites.allow(Rewrite::UnreadPart, self.unit, self.code)
                    {
                        unread.push(index);
                    }
                    if self.are_same {
                        needed &= !bit(part);
                    }
                } else if let Item::Join { cont, body, .. } = item {
                    self.needed[*cont] = needed;
                    needed = self.run(body);
                } else {
                    item.for_each_cont_use(&mut |cont, _| needed |= self.needed[cont]);
                    needed |= loaded(item).map_or(0, bit);
                }
            }
            self.changed |= !unread.is_empty();
            unread.into_iter().for_each(|index| drop(expr.items.remove(index)));
            needed
        })
    }

    fn terminator(&mut self, terminator: &mut Terminator) -> Parts {
        match terminator {
            Terminator::Apply(_) => 0,
            Terminator::Try { body, .. } => self.run(body),
            other => {
                let mut needed = 0;
                other.for_each_cont_use(&mut |cont, _| needed |= self.needed[cont]);
                needed
            }
        }
    }

    /// What is needed anywhere in a loop, or behind it.
    fn needed_by_loop(&self, handlers: &[ContHandler]) -> Parts {
        let mut needed = 0;
        for handler in handlers {
            handler.body.walk(&mut |run| {
                for item in &run.items {
                    item.for_each_cont_use(&mut |cont, _| needed |= self.needed[cont]);
                    needed |= loaded(item).map_or(0, bit);
                }
                run.terminator.for_each_cont_use(&mut |cont, _| needed |= self.needed[cont]);
            });
        }
        needed
    }
}
