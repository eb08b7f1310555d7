//! Peeling: the first turn of a small loop is done before the loop, so that what is the same in each turn is computed there.
//! `docs/passes/peel.md` shows it.
//!
//! What is invariant may be a load, a bounds check, a division: it must not be done before the loop if the loop is not
//! entered, nor before an effect that comes before it in the turn. In the peeled turn it is done when and where the
//! source does it, and in the loop it is a common subexpression: the loop is bound where the first turn would jump back,
//! so that all that the turn has computed is in scope in it.

use flambeau_ir::copy::Copier;
use flambeau_ir::prim::{Coeffects, Effects};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CodeId, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrites, Simple, Terminator, Unit, Variable,
};
use flambeau_simplify::memory::{Memory, Writes};
use flambeau_simplify::size;
use rustc_hash::FxHashSet;

/// Larger loops are not peeled.
const LARGE: u32 = 80;
/// What is computed anew in each turn must measure this much.
const WORTH: u32 = 3;

/// Peels loops in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn peel(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    // The code of the toplevel runs once, but its loops may be long.
    unit.rewrite_bodies(|unit, code, body| {
        let mut peeling = Peeling { unit, rewrites, code, changed: false };
        peeling.expr(body);
        peeling.changed
    })
}

struct Peeling<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    changed: bool,
}

impl Peeling<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        deep(|| {
            for item in &mut expr.items {
                match item {
                    Item::Join { body, .. } => self.expr(body),
                    Item::LetCont { handlers, .. } => {
                        handlers.iter_mut().for_each(|handler| self.expr(&mut handler.body));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            if let Terminator::Try { body, .. } = &mut expr.terminator {
                self.expr(body);
            }
            self.run(expr);
        });
    }

    /// Peels the loop that a run ends by entering.
    fn run(&mut self, expr: &mut Expr) {
        let Terminator::ApplyCont(entry) = &expr.terminator else { return };
        let Some(index) = loop_of(expr, entry.cont) else { return };
        let Item::LetCont { handlers, .. } = &expr.items[index] else { return };
        if !self.is_worth_it(&handlers[0]) || uses(&expr.items[index + 1..], entry.cont) > 0 {
            return;
        }
        let (unit, code) = (&*self.unit, self.code);
        let allowed = self.rewrites.allow(|| {
            let place = unit.place_name(code);
            format!("peel: {} in {place}", unit.continuations[entry.cont].name)
        });
        if !allowed {
            return;
        }
        let entry = entry.clone();
        let item = expr.items.remove(index);
        let Item::LetCont { handlers, .. } = &item else { return };
        let ContHandler { params, body, .. } = &handlers[0];
        let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
        for (param, arg) in params.iter().zip(&entry.args) {
            copier.substitute_variable(*param, *arg);
        }
        let mut first = copier.expr(body);
        let mut item = Some(item);
        bind_at_back_edge(&mut first, entry.cont, &mut item);
        expr.items.extend(first.items);
        expr.terminator = first.terminator;
        self.changed = true;
    }

    /// Whether a loop is innermost and small, jumps back from one place, and computes something that is always the same.
    fn is_worth_it(&self, handler: &ContHandler) -> bool {
        let ContHandler { cont, params, body } = handler;
        if size::of(body, LARGE).is_none() {
            return false;
        }
        let mut varies: FxHashSet<Variable> = params.iter().copied().collect();
        let mut writes = Writes::default();
        let (mut innermost, mut back_edges) = (true, 0);
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Let { var, named, .. } => {
                        varies.insert(*var);
                        if let Named::Prim { prim, .. } = named {
                            writes.add(Writes::of(prim));
                        }
                    }
                    Item::LetClosures { .. } => innermost = false,
                    Item::Join { params, .. } => varies.extend(params),
                    Item::LetCont { recursive, handlers } => {
                        innermost &= !recursive;
                        handlers.iter().for_each(|handler| varies.extend(&handler.params));
                    }
                }
            }
            match &expr.terminator {
                Terminator::Apply(_) => writes.add(Writes::ANY),
                Terminator::Try { .. } => innermost = false,
                Terminator::ApplyCont(jump) if jump.cont == *cont => {
                    back_edges += 1;
                    return;
                }
                _ => {}
            }
            expr.terminator.for_each_cont_use(&mut |used, _| innermost &= used != *cont);
        });
        innermost && back_edges == 1 && invariant_size(body, varies, writes) >= WORTH
    }
}

/// The size of what a loop computes that is the same in each turn.
fn invariant_size(body: &Expr, mut varies: FxHashSet<Variable>, writes: Writes) -> u32 {
    let memory = Memory::new(1);
    let written = memory.after(writes, 2);
    let mut total = 0;
    // Outer terms come before those nested in them, so operands before their uses.
    body.walk(&mut |expr| {
        for item in &expr.items {
            let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
            let varying = args.iter().any(|arg| arg.as_var().is_some_and(|arg| varies.contains(&arg)));
            let constant = args.iter().all(|arg| matches!(arg, Simple::Const(_)));
            if varying || constant || !is_repeatable(prim, &memory, &written) {
                continue;
            }
            varies.remove(var);
            total += size::prim(prim, args.len() as u32);
        }
    });
    total
}

/// Whether it gives the same again in a loop that writes so.
fn is_repeatable(prim: &Prim, memory: &Memory, written: &Memory) -> bool {
    match prim {
        Prim::CheckBound { .. } | Prim::CheckZero { .. } => true,
        Prim::GetTag | Prim::ArrayLength { .. } | Prim::StringLength | Prim::BigarrayDim { .. } => {
            memory.headers() == written.headers()
        }
        Prim::IntDiv { .. } | Prim::IntMod { .. } => true,
        _ => match prim.effects() {
            (Effects::None, Coeffects::None) => true,
            (Effects::None, Coeffects::Has) => memory.read_by(prim) == written.read_by(prim),
            _ => false,
        },
    }
}

/// The item of a run that binds a loop of one continuation.
fn loop_of(expr: &Expr, cont: Continuation) -> Option<usize> {
    expr.items.iter().position(|item| match item {
        Item::LetCont { recursive: true, handlers } => handlers.len() == 1 && handlers[0].cont == cont,
        _ => false,
    })
}

/// How often items jump to a continuation.
fn uses(items: &[Item], cont: Continuation) -> u32 {
    let mut uses = 0;
    for item in items {
        item.for_each_child(&mut |child| {
            child.walk(&mut |expr| {
                expr.terminator.for_each_cont_use(&mut |used, _| uses += u32::from(used == cont));
            });
        });
    }
    uses
}

/// Binds the loop where the term jumps to it.
fn bind_at_back_edge(expr: &mut Expr, cont: Continuation, item: &mut Option<Item>) {
    expr.walk_mut(&mut |expr| {
        if matches!(&expr.terminator, Terminator::ApplyCont(jump) if jump.cont == cont) {
            expr.items.extend(item.take());
        }
    });
}
