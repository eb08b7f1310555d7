//! Remainders are computed from quotients: `n mod 10` is `n - n / 10 * 10` where `n / 10` is needed anyway (features
//! D17). `docs/passes/remainders.md` shows it.
//!
//! A division is the slowest instruction of integers, or a multiplication and shifts if the divisor is a constant, and
//! the back end computes a remainder by a second one.

use flambeau_ir::stack::deep;
use flambeau_ir::{
    CodeId, Dbg, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple, Terminator, Unit, Variable,
};
use flambeau_simplify::fold;

use crate::quotients::{Division, Quotients, left_by};

/// Rewrites the remainders of a unit. On entry and on exit the unit is well-formed. The result says whether anything
/// was changed.
pub fn remainders(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, code, body| {
        if !has_both(body) {
            return false;
        }
        let mut remainders =
            Remainders { unit, rewrites, code, quotients: Quotients::default(), changed: false };
        remainders.run(body);
        remainders.changed
    })
}

/// The quotient that an item binds.
fn quotient(item: &Item) -> Option<(Division, Variable)> {
    match item {
        Item::Let { var, named: Named::Prim { prim: Prim::IntDiv { kind }, args, .. }, .. } => {
            Some(((*kind, args[0], args[1]), *var))
        }
        _ => None,
    }
}

/// The remainder that an item binds, but by a power of two, which takes no division.
fn remainder(item: &Item) -> Option<(Division, Variable, Dbg)> {
    match item {
        Item::Let { var, named: Named::Prim { prim: Prim::IntMod { kind }, args, .. }, dbg }
            if !is_power_of_two(args[1]) =>
        {
            Some(((*kind, args[0], args[1]), *var, *dbg))
        }
        _ => None,
    }
}

fn is_power_of_two(divisor: Simple) -> bool {
    matches!(divisor, Simple::Const(constant)
        if fold::as_int(constant).is_some_and(|n| n.unsigned_abs().is_power_of_two()))
}

/// Whether a body has quotients and remainders: few do.
fn has_both(body: &Expr) -> bool {
    let (mut quotients, mut remainders) = (false, false);
    body.walk(&mut |run| {
        for item in &run.items {
            quotients |= quotient(item).is_some();
            remainders |= remainder(item).is_some();
        }
    });
    quotients && remainders
}

/// The rewriting of one body, which is not in the unit meanwhile.
struct Remainders<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    quotients: Quotients,
    changed: bool,
}

impl Remainders<'_> {
    fn run(&mut self, run: &mut Expr) {
        deep(|| {
            let beginning = self.quotients.begin();
            let mut index = 0;
            while index < run.items.len() {
                match &mut run.items[index] {
                    Item::Join { body, .. } => self.run(body),
                    Item::LetCont { handlers, .. } => {
                        handlers.iter_mut().for_each(|handler| self.run(&mut handler.body));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
                if let Some((division, var)) = quotient(&run.items[index]) {
                    self.quotients.bind(division, var);
                } else if let Some((division, var, dbg)) = remainder(&run.items[index])
                    && let Some(found) = self.find(&run.items[index + 1..], division)
                    && self.rewrites.allow(Rewrite::Remainder, self.unit, self.code)
                {
                    let quotient = match found {
                        Found::InScope(quotient) => quotient,
                        Found::Later(distance, quotient) => {
                            let later = run.items.remove(index + 1 + distance);
                            run.items.insert(index, later);
                            index += 1;
                            self.quotients.bind(division, quotient);
                            quotient
                        }
                    };
                    let items = left_by(self.unit, division, quotient, var, dbg);
                    run.items.splice(index..=index, items);
                    index += 1;
                    self.changed = true;
                }
                index += 1;
            }
            if let Terminator::Try { body, .. } = &mut run.terminator {
                self.run(body);
            }
            self.quotients.end(beginning);
        });
    }

    /// The quotient of a division: in scope, or bound by one of the items that follow before there may be a call. That
    /// the divisor is not zero holds for the remainder already.
    fn find(&self, following: &[Item], division: Division) -> Option<Found> {
        if let Some(quotient) = self.quotients.get(division) {
            return Some(Found::InScope(quotient));
        }
        let run = following.iter().take_while(|item| !matches!(item, Item::Join { .. })).enumerate();
        let mut quotients = run.filter_map(|(distance, item)| Some((distance, quotient(item)?)));
        quotients
            .find(|(_, (known, _))| *known == division)
            .map(|(distance, (_, quotient))| Found::Later(distance, quotient))
    }
}

/// Where a quotient is.
enum Found {
    InScope(Variable),
    /// Bound by so many items further on.
    Later(usize, Variable),
}
