//! Outlining of cold code (features F5): what a function does on the way to an error becomes a function of its own,
//! which it calls in tail position. `docs/passes/outline.md` shows it.
//!
//! The function is small then, and inlined where it was too large; what is copied with it, by inlining, peeling or
//! unrolling, is one call of the same cold function. No frame is lost in backtraces: that of the function is replaced
//! by that of the cold function, whose locations are those of what was cut out.

mod region;

use flambeau_ir::stack::deep;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, CallKind, Code, CodeAttributes, CodeId, ExnCont, Expr, Heat, Item, Rewrite, Rewrites, Terminator,
    Unit,
};
use flambeau_simplify::cold::{self, ColdConts};
use flambeau_simplify::size;

pub(crate) use region::Region;

/// Smaller cold code stays where it is: it is hardly larger than a call with its arguments.
const SMALL: u32 = 12;

/// Larger functions are not looked into.
const LARGE: u32 = 1_000;

/// Cuts the cold code out of all functions of a unit. On entry and on exit the unit is well-formed.
pub fn outline(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut changed = false;
    for code in unit.codes.keys().collect::<Vec<_>>() {
        changed |= may_be_cut(&unit.codes[code]) && cut(unit, rewrites, code);
    }
    changed
}

/// Whether the inliner might want what is left. A stub is what it hands on to, a functor is evaluated by what it is; a
/// function that must not poll must not call.
fn may_be_cut(code: &Code) -> bool {
    let CodeAttributes { inline, is_functor, stub, no_poll, no_return, .. } = code.attributes;
    !(code.recursive || stub || is_functor || no_poll || no_return) && inline == InlineAttribute::Default
}

/// Cuts cold code out of one function.
fn cut(unit: &mut Unit, rewrites: &mut Rewrites, code: CodeId) -> bool {
    let Some(cold) = cold::of_body(unit, Some(code)).filter(|cold| cold.len() > 1) else { return false };
    let limit = rewrites.inlining.of(rewrites.round).guard;
    let mut body = unit.codes[code].body.take();
    let mut cutting = Cutting { unit, rewrites, code, cold, cold_size: 0, decided: false, made: 0 };
    cutting.run(&mut body);
    let size = size::of(&body, LARGE);
    if size.is_some_and(|size| size <= limit.saturating_add(cutting.cold_size)) {
        cutting.decided = true;
        cutting.run(&mut body);
    }
    let changed = cutting.made > 0;
    unit.codes[code].body = body;
    changed
}

/// The cutting of one function, whose body is not in the unit meanwhile.
struct Cutting<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: CodeId,
    cold: ColdConts,
    /// The size of all that can be cut out, without the calls instead of it.
    cold_size: u32,
    /// Whether it is to be cut out.
    decided: bool,
    /// How many functions were made of it.
    made: u32,
}

impl Cutting<'_> {
    /// A run that is not cold itself. Bodies of handlers of exceptions are left alone: a call in them has no tail
    /// position, and what raises there leaves the term.
    fn run(&mut self, expr: &mut Expr) {
        deep(|| {
            for index in 0..expr.items.len() {
                match &mut expr.items[index] {
                    Item::LetCont { recursive, handlers } => {
                        for handler in handlers {
                            if !*recursive && self.cold.contains(&handler.cont) {
                                self.cut_out(&mut handler.body);
                            } else {
                                self.run(&mut handler.body);
                            }
                        }
                    }
                    Item::Join { cont, body, .. } => {
                        self.run(body);
                        if self.cold.contains(cont) {
                            let items = expr.items.split_off(index + 1);
                            let mut rest = Expr { items, terminator: Terminator::Unreachable };
                            std::mem::swap(&mut rest.terminator, &mut expr.terminator);
                            self.cut_out(&mut rest);
                            expr.items.extend(rest.items);
                            expr.terminator = rest.terminator;
                            return;
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
        });
    }

    /// Replaces cold code by a call of a function that does the same, if that is possible and worth it.
    fn cut_out(&mut self, expr: &mut Expr) {
        let data = &self.unit.codes[self.code];
        let (ret, exn) = (data.ret, data.exn);
        let Some(region) = Region::of(expr, data) else { return };
        if region.size < SMALL + region.free.len() as u32 {
            return;
        }
        if !self.decided {
            self.cold_size += region.removed;
            return;
        }
        if !self.allow() {
            return;
        }
        let args = region.free.iter().map(|var| (*var).into()).collect();
        let cold = self.function(&expr.take(), &region);
        let call = Apply {
            inlined: InlineAttribute::Cold,
            // A tail call: it has no frame, and needs no location.
            ..Apply::plain(None, CallKind::Direct(cold), args, ret, ExnCont::plain(exn))
        };
        *expr = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(call)) };
    }

    fn allow(&mut self) -> bool {
        self.rewrites.allow(Rewrite::Outlining, self.unit, Some(self.code))
    }

    /// Makes a function of a term of the unit.
    fn function(&mut self, term: &Expr, region: &Region) -> CodeId {
        self.made += 1;
        let mut cold = region.function(term, self.unit, self.code, format!("cold_{}", self.made));
        // With a profile, what is cut out is what never ran in it, or ran on the way to an error.
        if cold.attributes.heat != Heat::Unknown {
            cold.attributes.heat = Heat::Never;
        }
        self.unit.codes.push(cold)
    }
}
