//! What is executed often, as far as the unit shows it: in loops, in functions that call themselves, and in functions
//! that either calls; not on the way to an error.

use flambeau_ir::stack::deep;
use flambeau_ir::{CallKind, CodeId, Expr, Item, Named, Terminator, Unit, Variable};
use flambeau_simplify::cold::{self, ColdConts};
use rustc_hash::FxHashSet;

/// The variables of all operations of that kind that are executed often.
pub(super) fn often(unit: &Unit, is_meant: &dyn Fn(&Named) -> bool) -> FxHashSet<Variable> {
    let mut found =
        Found { unit, is_meant, meant: Vec::new(), calls: Vec::new(), cold: ColdConts::default() };
    for (code, data) in &unit.codes {
        found.cold = [data.exn].into_iter().collect();
        found.body(Some(code), &data.body);
    }
    found.cold = [unit.entry.exn].into_iter().collect();
    found.body(None, &unit.entry.body);
    let Found { meant, calls, .. } = found;
    if meant.is_empty() {
        return FxHashSet::default();
    }
    let mut hot: FxHashSet<CodeId> =
        unit.codes.iter().filter(|(_, data)| data.recursive).map(|(code, _)| code).collect();
    let is_hot = |place: Place, hot: &FxHashSet<CodeId>| {
        place.in_loop || place.code.is_some_and(|code| hot.contains(&code))
    };
    loop {
        let before = hot.len();
        let called: Vec<CodeId> =
            calls.iter().filter(|(place, _)| is_hot(*place, &hot)).map(|(_, callee)| *callee).collect();
        hot.extend(called);
        if hot.len() == before {
            break;
        }
    }
    meant.into_iter().filter(|(place, _)| is_hot(*place, &hot)).map(|(_, var)| var).collect()
}

/// Where something is executed.
#[derive(Clone, Copy)]
struct Place {
    /// In which function; none in the entry.
    code: Option<CodeId>,
    in_loop: bool,
}

struct Found<'a> {
    unit: &'a Unit,
    is_meant: &'a dyn Fn(&Named) -> bool,
    meant: Vec<(Place, Variable)>,
    calls: Vec<(Place, CodeId)>,
    /// Continuations of the body that is walked from which each path ends in an error.
    cold: ColdConts,
}

impl Found<'_> {
    fn body(&mut self, code: Option<CodeId>, body: &Expr) {
        let unit = self.unit;
        let never_returns = |apply: &flambeau_ir::Apply| match apply.kind {
            CallKind::Direct(callee) => unit.codes[callee].attributes.no_return,
            _ => false,
        };
        if !cold::mark(body, &unit.continuations, &mut self.cold, &never_returns) {
            self.run(Place { code, in_loop: false }, body);
        }
    }

    fn run(&mut self, place: Place, expr: &Expr) {
        deep(|| {
            for item in &expr.items {
                match item {
                    Item::LetCont { recursive, handlers } => {
                        let inside = Place { in_loop: place.in_loop || *recursive, ..place };
                        for handler in handlers {
                            if !self.cold.contains(&handler.cont) {
                                self.run(inside, &handler.body);
                            }
                        }
                    }
                    Item::Join { cont, body, .. } => {
                        self.run(place, body);
                        if self.cold.contains(cont) {
                            return;
                        }
                    }
                    Item::Let { var, named, .. } if (self.is_meant)(named) => self.meant.push((place, *var)),
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            match &expr.terminator {
                Terminator::Apply(apply) => {
                    if let CallKind::Direct(callee) = apply.kind {
                        self.calls.push((place, callee));
                    }
                }
                Terminator::Try { body, .. } => self.run(place, body),
                _ => {}
            }
        });
    }
}
