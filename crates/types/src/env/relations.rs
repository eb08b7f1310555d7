//! What the edges to a continuation have in common: facts about variables of its scope, and how its parameters are
//! related to these.

use flambeau_ir::{Simple, Variable};
use smallvec::SmallVec;

use super::{Direction, Env, Fact, Mark, Term, Undo};
use crate::{IntSet, Ty};

/// So many facts are carried along an edge: the last ones.
const FACTS: usize = 32;

/// Bounds of a value by what was bound before some time: (y, c) in `above` for *value ≤ y + c*, in `below` for *y ≤
/// value + c*. Without a variable the bound is a constant.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Bounds {
    /// The value is an immediate.
    immediate: bool,
    above: SmallVec<[(Option<Variable>, i64); 2]>,
    below: SmallVec<[(Option<Variable>, i64); 2]>,
}

impl Bounds {
    /// The number of bounds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.above.len() + self.below.len() + usize::from(self.immediate)
    }

    /// Whether there is no bound.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds constants that may bound the values of a parameter of a loop: those that bound its first value.
    pub fn add_limits(&mut self, limits: &[i64]) {
        let first_of = |bounds: &[(Option<Variable>, i64)]| {
            bounds.iter().find(|(var, _)| var.is_none()).map(|(_, c)| *c)
        };
        if let Some(first) = first_of(&self.above) {
            self.above.extend(limits.iter().filter(|limit| first < **limit).map(|limit| (None, *limit)));
        }
        if let Some(first) = first_of(&self.below) {
            let limits = limits.iter().filter_map(|limit| limit.checked_neg());
            self.below.extend(limits.filter(|limit| first < *limit).map(|limit| (None, limit)));
        }
    }

    /// Adds lengths that may bound the values of a parameter of a loop whose first value is not positive.
    pub fn add_lengths(&mut self, lengths: &[Variable]) {
        let first = self.above.iter().find(|(var, _)| var.is_none()).map(|(_, c)| *c);
        if let Some(first) = first.filter(|first| *first <= 0) {
            self.above.extend(lengths.iter().map(|length| (Some(*length), first)));
        }
    }

    /// If something begins at a value and changes in one direction only, the value is no bound on that side.
    pub fn forget_start(&mut self, direction: Option<Direction>) {
        let (goes, stays) = match direction {
            Some(Direction::Up) => (&mut self.above, &self.below),
            Some(Direction::Down) => (&mut self.below, &self.above),
            None => return,
        };
        goes.retain(|(var, c)| !stays.contains(&(*var, c.saturating_neg())));
    }
}

/// What the edges to a continuation that have been seen have in common.
#[derive(Clone, Default, Debug)]
pub struct Relations {
    facts: Vec<Fact>,
    /// Of each parameter.
    pub bounds: Vec<Bounds>,
}

impl Relations {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.bounds.iter().all(Bounds::is_empty)
    }
}

fn term_of(var: Option<Variable>) -> Term {
    Term { var, offset: 0 }
}

impl Env {
    /// What the first edge to a continuation that was bound at `time`, where the trail was at `mark`, brings along. The
    /// parameters of a loop may begin with constants, so `of_constants` are then related to variables, too.
    #[must_use]
    pub fn relations(&self, mark: Mark, time: u32, args: &[Simple], of_constants: bool) -> Relations {
        let is_of_use = |term: &Term| self.is_integer(*term) && (of_constants || term.var.is_some());
        let bounds = args
            .iter()
            .map(|arg| match self.term(*arg).filter(is_of_use) {
                Some(term) => Bounds {
                    immediate: self.is_immediate(*arg),
                    above: self.related(term, Direction::Up, time),
                    below: self.related(term, Direction::Down, time),
                },
                None => Bounds::default(),
            })
            .collect();
        Relations { facts: self.facts_since(mark, time), bounds }
    }

    /// Facts of the scope at `time` learnt since the mark, the last ones.
    fn facts_since(&self, mark: Mark, time: u32) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        let is_known = |var: Variable| self.is_bound_by(var, time);
        for undo in self.trail[mark.0..].iter().rev() {
            match undo {
                Undo::Fact(x, y, c) if is_known(*x) && is_known(*y) => {
                    facts.push(Fact { x: Some(*x), y: Some(*y), c: *c });
                }
                Undo::Limit(var, _) | Undo::Ty(var, _) if is_known(*var) => {
                    if let Some((low, high)) = self.limits(*var) {
                        facts.push(Fact { x: Some(*var), y: None, c: high });
                        facts.extend(low.checked_neg().map(|c| Fact { x: None, y: Some(*var), c }));
                    }
                }
                _ => {}
            }
            if facts.len() >= FACTS {
                break;
            }
        }
        facts
    }

    /// Keeps the facts that hold on another edge, too, loosened where necessary.
    pub fn join_relations(&self, relations: &mut Relations, args: &[Simple]) {
        relations.facts.retain_mut(|fact| self.loosen(&mut fact.c, term_of(fact.x), term_of(fact.y)));
        for (index, bounds) in relations.bounds.iter_mut().enumerate() {
            self.loosen_bounds(bounds, args.get(index).copied());
        }
    }

    /// Whether *x ≤ y + c* holds for some *c*, which is not less than the one passed.
    fn loosen(&self, c: &mut i64, x: Term, y: Term) -> bool {
        match self.distance(x, y, *c) {
            Some(distance) => {
                *c = distance.max(*c);
                true
            }
            None => false,
        }
    }

    /// Keeps the bounds that hold of this argument, too, as they are.
    pub fn retain_bounds(&self, bounds: &mut Bounds, arg: Option<Simple>) {
        let Some((arg, value)) = arg.and_then(|arg| Some((arg, self.term(arg)?))) else {
            *bounds = Bounds::default();
            return;
        };
        bounds.immediate &= self.is_immediate(arg);
        bounds.above.retain(|(var, c)| self.proves(value, term_of(*var), *c));
        bounds.below.retain(|(var, c)| self.proves(term_of(*var), value, *c));
    }

    /// Loosens the bounds until they hold of this argument, too; drops those that cannot be.
    pub fn loosen_bounds(&self, bounds: &mut Bounds, arg: Option<Simple>) {
        let Some((arg, value)) = arg.and_then(|arg| Some((arg, self.term(arg)?))) else {
            *bounds = Bounds::default();
            return;
        };
        bounds.immediate &= self.is_immediate(arg);
        bounds.above.retain(|(var, c)| self.loosen(c, value, term_of(*var)));
        bounds.below.retain(|(var, c)| self.loosen(c, term_of(*var), value));
    }

    /// Records the facts about variables of the scope that hold on all edges.
    pub fn assume_facts(&mut self, relations: &Relations) {
        for fact in &relations.facts {
            self.assume_at_most(term_of(fact.x), term_of(fact.y), fact.c);
        }
    }

    /// Learns the bounds of a parameter, which is bound already.
    pub fn assume_bounds(&mut self, param: Variable, bounds: &Bounds) {
        if self.canonical(param.into()) != Simple::Var(param) {
            return;
        }
        if bounds.immediate {
            self.learn(param.into(), &Ty::tagged(IntSet::OCAML));
        }
        let param = term_of(Some(param));
        for &(var, c) in &bounds.above {
            self.assume_at_most(param, term_of(var), c);
        }
        for &(var, c) in &bounds.below {
            self.assume_at_most(term_of(var), param, c);
        }
    }
}
