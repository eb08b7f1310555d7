//! What is executed often, as far as the unit shows it: in loops, in functions that call themselves, and in functions
//! that either calls; not on the way to an error.

use flambeau_ir::stack::deep;
use flambeau_ir::{CallKind, CodeId, Expr, Item, Named, Terminator, Unit, Variable};
use flambeau_simplify::cold::{self, ColdConts};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables of all operations of that kind that are executed often.
pub(super) fn often(unit: &Unit, is_meant: &dyn Fn(&Named) -> bool) -> FxHashSet<Variable> {
    let mut found = Found { is_meant, meant: Vec::new(), calls: Vec::new(), cold: ColdConts::default() };
    let bodies = unit.codes.iter().map(|(code, data)| (Some(code), &data.body));
    for (code, body) in bodies.chain([(None, &unit.entry.body)]) {
        if let Some(cold) = cold::of_body(unit, code) {
            found.cold = cold;
            found.run(Place { code, in_loop: false }, body);
        }
    }
    let Found { meant, calls, .. } = found;
    if meant.is_empty() {
        return FxHashSet::default();
    }
    let mut called_by: FxHashMap<Option<CodeId>, Vec<CodeId>> = FxHashMap::default();
    let recursive = unit.codes.iter().filter(|(_, data)| data.recursive).map(|(code, _)| code);
    let mut pending: Vec<CodeId> = recursive.collect();
    for (place, callee) in calls {
        if place.in_loop {
            pending.push(callee);
        } else {
            called_by.entry(place.code).or_default().push(callee);
        }
    }
    let mut hot: FxHashSet<CodeId> = FxHashSet::default();
    while let Some(code) = pending.pop() {
        if hot.insert(code) {
            pending.extend(called_by.remove(&Some(code)).unwrap_or_default());
        }
    }
    let is_hot = |place: Place| place.in_loop || place.code.is_some_and(|code| hot.contains(&code));
    meant.into_iter().filter(|(place, _)| is_hot(*place)).map(|(_, var)| var).collect()
}

/// Where something is executed.
#[derive(Clone, Copy)]
struct Place {
    /// In which function; none in the entry.
    code: Option<CodeId>,
    in_loop: bool,
}

struct Found<'a> {
    is_meant: &'a dyn Fn(&Named) -> bool,
    meant: Vec<(Place, Variable)>,
    calls: Vec<(Place, CodeId)>,
    /// Continuations of the body that is walked from which each path ends in an error.
    cold: ColdConts,
}

impl Found<'_> {
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
