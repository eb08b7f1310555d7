//! Differences of integers: facts of the form *x ≤ y + c*, and the questions that paths of facts answer.
//!
//! A variable stands for the integer that it is, whatever its representation: of a tagged one, what is untagged. Facts
//! are about mathematical integers, so that they can be added; whoever states one about the result of arithmetic has
//! shown that it does not wrap around. What is known of one variable alone is an interval: its type, or, where the type
//! says that the value may be a pointer, a *limit* (see [`Env::limit`]). Each question looks at a bounded number of
//! facts.

use flambeau_ir::{Const, IntKind, Simple, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Env, Undo};
use crate::machine::extremes;
use crate::{IntSet, Ty};

/// Longer paths are not followed.
const DEPTH: usize = 8;
/// How many facts one question looks at.
const STEPS: u32 = 64;
/// A value is related to so many others, the nearest, when it is passed to a continuation.
const NEIGHBOURS: usize = 16;
/// So much of the trail is looked through for what a constant may be related to.
const RECENT: usize = 64;

/// An integer: a variable and a constant, or a constant alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// Nothing for zero.
    pub var: Option<Variable>,
    /// Added to it.
    pub offset: i64,
}

impl Term {
    /// A constant.
    #[must_use]
    pub fn constant(offset: i64) -> Term {
        Term { var: None, offset }
    }

    /// The constant, if it is one.
    #[must_use]
    pub fn as_constant(self) -> Option<i64> {
        self.var.is_none().then_some(self.offset)
    }
}

/// The fact *x ≤ y + c*; a variable that is missing is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    pub(super) x: Option<Variable>,
    pub(super) y: Option<Variable>,
    pub(super) c: i64,
}

/// Which ends of facts a path follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To what is above.
    Up,
    /// To what is below.
    Down,
}

/// The facts that a variable is in: (y, c) in `above` for *x ≤ y + c*, in `below` for *y ≤ x + c*.
#[derive(Default)]
struct Edges {
    above: SmallVec<[(Variable, i64); 2]>,
    below: SmallVec<[(Variable, i64); 2]>,
}

impl Edges {
    fn to(&self, direction: Direction) -> &[(Variable, i64)] {
        match direction {
            Direction::Up => &self.above,
            Direction::Down => &self.below,
        }
    }
}

/// What is known of the integers of a function besides their types.
#[derive(Default)]
pub(super) struct Differences {
    edges: FxHashMap<Variable, Edges>,
    /// Intervals of variables that hold if they are immediates.
    limits: FxHashMap<Variable, (i64, i64)>,
    /// Pairs that are not equal, the lower number first.
    apart: FxHashSet<(Variable, Variable)>,
    /// Halves of sums of two integers, rounded down. As definitions are, they are known until the variable is bound
    /// again; those of bodies that are only measured are not recorded.
    pub(super) middles: FxHashMap<Variable, (Term, Term)>,
}

impl Differences {
    pub(super) fn undo_fact(&mut self, x: Variable, y: Variable) {
        if let Some(edges) = self.edges.get_mut(&x) {
            edges.above.pop();
        }
        if let Some(edges) = self.edges.get_mut(&y) {
            edges.below.pop();
        }
    }

    pub(super) fn undo_limit(&mut self, var: Variable, old: Option<(i64, i64)>) {
        match old {
            Some(old) => self.limits.insert(var, old),
            None => self.limits.remove(&var),
        };
    }

    pub(super) fn undo_apart(&mut self, pair: (Variable, Variable)) {
        self.apart.remove(&pair);
    }

    fn is_related(&self, var: Variable) -> bool {
        self.edges.contains_key(&var) || self.middles.contains_key(&var)
    }
}

impl Env {
    /// The integer that an atom is, if it can be one.
    #[must_use]
    pub fn term(&self, simple: Simple) -> Option<Term> {
        match self.canonical(simple) {
            Simple::Var(var) => Some(Term { var: Some(var), offset: 0 }),
            Simple::Const(
                Const::Tagged(n) | Const::NakedImmediate(n) | Const::NakedInt64(n) | Const::NakedNativeint(n),
            ) => Some(Term::constant(n)),
            Simple::Const(Const::NakedInt32(n)) => Some(Term::constant(i64::from(n))),
            Simple::Const(Const::NakedFloat(_) | Const::Poison(_)) | Simple::Symbol(_) => None,
        }
    }

    /// Learns that *x ≤ y + c*.
    pub fn assume_at_most(&mut self, x: Term, y: Term, c: i64) {
        let sum = y.offset.checked_sub(x.offset).and_then(|offset| offset.checked_add(c));
        let Some(c) = sum else { return };
        match (x.var, y.var) {
            (Some(x), Some(y)) if x != y => {
                // Of two that differ the one that is not greater is less.
                let c = if c == 0 && self.are_apart(x, y) { -1 } else { c };
                self.differences.edges.entry(x).or_default().above.push((y, c));
                self.differences.edges.entry(y).or_default().below.push((x, c));
                self.trail.push(Undo::Fact(x, y, c));
            }
            (Some(x), None) => self.limit(x, i64::MIN, c),
            (None, Some(y)) if c != i64::MIN => self.limit(y, -c, i64::MAX),
            _ => {}
        }
    }

    /// Learns that two integers are the same.
    pub fn assume_same(&mut self, x: Term, y: Term) {
        self.assume_at_most(x, y, 0);
        self.assume_at_most(y, x, 0);
    }

    /// Learns that two integers differ.
    pub(super) fn assume_apart(&mut self, x: Term, y: Term) {
        let (Some(a), Some(b)) = (x.var, y.var) else { return };
        let pair = (a.min(b), a.max(b));
        if a != b && x.offset == y.offset && self.differences.apart.insert(pair) {
            self.trail.push(Undo::Apart(pair));
            if self.proves(x, y, 0) {
                self.assume_at_most(x, y, -1);
            } else if self.proves(y, x, 0) {
                self.assume_at_most(y, x, -1);
            }
        }
    }

    pub(super) fn are_apart(&self, x: Variable, y: Variable) -> bool {
        !self.differences.apart.is_empty() && self.differences.apart.contains(&(x.min(y), x.max(y)))
    }

    /// Whether a path of facts may lead from one of two integers to the other, or to zero.
    pub(super) fn may_be_related(&self, x: Simple, y: Simple) -> bool {
        let is_related = |simple: Simple| simple.as_var().is_some_and(|var| self.differences.is_related(var));
        is_related(x) || is_related(y)
    }

    /// Learns that an integer is between the two.
    ///
    /// A comparison does not prove that what it compares is an integer: it may be the matching of a polymorphic
    /// variant, whose value may be a pointer (soundness row 28). So of a value that may be one the interval is kept
    /// apart from its type: as a limit, which holds if it is an immediate. What asks for limits has operands that are
    /// immediates: checks of bounds, arithmetic, and comparisons of two variables, which the matching of variants never
    /// is.
    fn limit(&mut self, var: Variable, low: i64, high: i64) {
        match &self.tys[var].0 {
            Ty::Int(set) => {
                let new = set.intersection(&IntSet::range(low, high));
                if new != *set && !new.is_empty() {
                    self.set(var, Ty::Int(new));
                }
            }
            Ty::Variant(variant) if variant.is_immediate() => {
                let new = variant.ints.intersection(&IntSet::range(low, high));
                if new != variant.ints && !new.is_empty() {
                    self.set(var, Ty::tagged(new));
                }
            }
            Ty::Unknown | Ty::Variant(_) => {
                let old = self.differences.limits.get(&var).copied();
                let (a, b) = old.unwrap_or((i64::MIN, i64::MAX));
                let new = (a.max(low), b.min(high));
                if new != (a, b) {
                    self.differences.limits.insert(var, new);
                    self.trail.push(Undo::Limit(var, old));
                }
            }
            _ => {}
        }
    }

    /// The interval that is known of a variable alone, if it is an integer.
    pub(super) fn limits(&self, var: Variable) -> Option<(i64, i64)> {
        let limits = self.differences.limits.get(&var).copied();
        let (low, high) = match &self.tys[var].0 {
            Ty::Int(set) => set.bounds()?,
            Ty::Variant(variant) if variant.is_immediate() => variant.ints.bounds()?,
            _ => return limits,
        };
        Some(limits.map_or((low, high), |(a, b)| (a.max(low), b.min(high))))
    }

    /// Whether it is known to be an integer, or related to one.
    pub(super) fn is_integer(&self, term: Term) -> bool {
        let Some(var) = term.var else { return true };
        match &self.tys[var].0 {
            Ty::Int(_) => true,
            Ty::Variant(variant) if variant.is_immediate() => true,
            Ty::Unknown | Ty::Variant(_) => self.limits(var).is_some() || self.differences.is_related(var),
            _ => false,
        }
    }

    /// The interval of an operand of arithmetic, by its own limits and those of others.
    #[must_use]
    pub fn range(&self, x: Term, kind: IntKind) -> (i64, i64) {
        let Some(var) = x.var else { return (x.offset, x.offset) };
        let (low, high) = if self.differences.is_related(var) {
            (self.lowest(x), self.highest(x))
        } else {
            match self.limits(var) {
                Some((low, high)) => (low.checked_add(x.offset), high.checked_add(x.offset)),
                None => (None, None),
            }
        };
        let (least, greatest) = extremes(kind);
        (low.map_or(least, |low| low.max(least)), high.map_or(greatest, |high| high.min(greatest)))
    }

    /// The greatest value that an integer may have, if any is known.
    #[must_use]
    pub fn highest(&self, x: Term) -> Option<i64> {
        self.distance(x, Term::constant(0), i64::MIN)
    }

    /// The least value that an integer may have, if any is known.
    #[must_use]
    pub fn lowest(&self, x: Term) -> Option<i64> {
        self.distance(Term::constant(0), x, i64::MIN)?.checked_neg()
    }

    /// Whether *x ≤ y + c* is certain.
    #[must_use]
    pub fn proves(&self, x: Term, y: Term, c: i64) -> bool {
        self.distance(x, y, c).is_some_and(|least| least <= c)
    }

    /// The least *c* that is found with *x ≤ y + c*, or one that is not greater than what is enough.
    #[must_use]
    pub fn distance(&self, x: Term, y: Term, enough: i64) -> Option<i64> {
        let offset = x.offset.checked_sub(y.offset)?;
        let mut search = Search { env: self, steps: STEPS, in_middle: false };
        search.distance(x.var, y.var, enough.saturating_sub(offset))?.checked_add(offset)
    }

    /// Whether the sum of a variable and a constant does not wrap around: it does not by its range, or some other
    /// integer of the same width is at least so far away.
    pub(super) fn sum_fits(&self, x: Term, amount: i64, kind: IntKind) -> bool {
        let (least, greatest) = extremes(kind);
        let (low, high) = self.range(x, kind);
        let within = |n: i64| n.checked_add(amount).is_some_and(|sum| (least..=greatest).contains(&sum));
        if within(low) && within(high) {
            return true;
        }
        let Some(var) = x.var.filter(|var| self.differences.is_related(*var)) else { return false };
        let direction = if amount > 0 { Direction::Up } else { Direction::Down };
        let Some(room) = x.offset.checked_add(amount).and_then(i64::checked_abs) else { return false };
        let neighbours = self.neighbours(var, direction, self.now);
        neighbours.iter().any(|&(other, c)| other.is_some() && c <= -room)
    }

    /// The variables bound by some time that a term is related to: the least sums on paths to it. Without a variable:
    /// the constant that bounds it.
    pub(super) fn related(
        &self,
        term: Term,
        direction: Direction,
        time: u32,
    ) -> SmallVec<[(Option<Variable>, i64); 2]> {
        let offset = match direction {
            Direction::Up => Some(term.offset),
            Direction::Down => term.offset.checked_neg(),
        };
        let Some(offset) = offset else { return SmallVec::new() };
        let near = match term.var {
            Some(var) => self.neighbours(var, direction, time),
            None => self.near_zero(direction, time),
        };
        near.into_iter().filter_map(|(var, c)| Some((var, c.checked_add(offset)?))).collect()
    }

    fn neighbours(
        &self,
        var: Variable,
        direction: Direction,
        time: u32,
    ) -> SmallVec<[(Option<Variable>, i64); 2]> {
        let mut found: SmallVec<[(Option<Variable>, i64); 2]> = SmallVec::new();
        let mut pending: SmallVec<[(Variable, i64, usize); 8]> = SmallVec::from_slice(&[(var, 0, DEPTH)]);
        let mut note = |var: Option<Variable>, sum: i64| match found.iter().position(|(v, _)| *v == var) {
            Some(index) if found[index].1 <= sum => false,
            Some(index) => {
                found[index].1 = sum;
                true
            }
            None if found.len() < NEIGHBOURS => {
                found.push((var, sum));
                true
            }
            None => true,
        };
        let mut first = 0;
        while let Some(&(next, sum, depth)) = pending.get(first) {
            first += 1;
            if self.is_bound_by(next, time) && !note(Some(next), sum) {
                continue;
            }
            if let Some(sum) = self.limit_towards(next, direction).and_then(|c| sum.checked_add(c)) {
                note(None, sum);
            }
            if depth == 0 {
                continue;
            }
            let Some(edges) = self.differences.edges.get(&next) else { continue };
            let room = (STEPS as usize).saturating_sub(pending.len());
            for &(further, c) in edges.to(direction).iter().rev().take(room) {
                pending.extend(sum.checked_add(c).map(|sum| (further, sum, depth - 1)));
            }
        }
        found
    }

    /// What recently learnt limits relate zero to.
    fn near_zero(&self, direction: Direction, time: u32) -> SmallVec<[(Option<Variable>, i64); 2]> {
        let mut found: SmallVec<[(Option<Variable>, i64); 2]> = SmallVec::from_slice(&[(None, 0)]);
        let towards = if direction == Direction::Up { Direction::Down } else { Direction::Up };
        for undo in self.trail.iter().rev().take(RECENT) {
            let (Undo::Ty(var, _) | Undo::Limit(var, _)) = undo else { continue };
            let is_value = matches!(&self.tys[*var].0, Ty::Unknown | Ty::Variant(_));
            if !is_value || !self.is_bound_by(*var, time) || found.iter().any(|(v, _)| *v == Some(*var)) {
                continue;
            }
            // Zero is at most the variable and a constant if that is at least some constant.
            if let Some(c) = self.limit_towards(*var, towards).filter(|c| c.unsigned_abs() < 1 << 61) {
                found.push((Some(*var), c));
                if found.len() == NEIGHBOURS {
                    break;
                }
            }
        }
        found
    }

    /// The distance of a variable from zero, by its own limits.
    fn limit_towards(&self, var: Variable, direction: Direction) -> Option<i64> {
        let (low, high) = self.limits(var)?;
        match direction {
            Direction::Up if high != i64::MAX => Some(high),
            Direction::Down if low != i64::MIN => Some(-low),
            _ => None,
        }
    }
}

/// The search for the answer to one question.
struct Search<'e> {
    env: &'e Env,
    /// How many facts may still be looked at.
    steps: u32,
    /// Halves of sums inside halves of sums are not looked into.
    in_middle: bool,
}

impl Search<'_> {
    fn distance(&mut self, x: Option<Variable>, y: Option<Variable>, enough: i64) -> Option<i64> {
        let (x, y) = match (x, y) {
            (None, None) => return Some(0),
            (Some(x), None) => return self.reach(x, None, Direction::Up, enough),
            (None, Some(y)) => return self.reach(y, None, Direction::Down, enough),
            (Some(x), Some(y)) => (x, y),
        };
        let direct = self.reach(x, Some(y), Direction::Up, enough);
        if direct.is_some_and(|sum| sum <= enough) {
            return direct;
        }
        let upper = self.reach(x, None, Direction::Up, i64::MIN);
        let lower = upper.and_then(|_| self.reach(y, None, Direction::Down, i64::MIN));
        let constant = upper.zip(lower).and_then(|(upper, lower)| upper.checked_add(lower));
        [direct, constant].into_iter().flatten().min()
    }

    /// The least sum of constants on a path to a variable, or to zero; or one that is not greater than what is enough.
    /// A path reaches zero only at its end.
    fn reach(
        &mut self,
        from: Variable,
        goal: Option<Variable>,
        direction: Direction,
        enough: i64,
    ) -> Option<i64> {
        let mut best: Option<i64> = None;
        // The variables that paths lead to, with the least sum of each, nearest first; improved ones are visited again.
        let mut reached: SmallVec<[(Variable, i64); 8]> = SmallVec::from_slice(&[(from, 0)]);
        let mut first = 0;
        while let Some(&(var, sum)) = reached.get(first) {
            first += 1;
            if reached[first..].iter().any(|(later, _)| *later == var) {
                continue;
            }
            let end = match goal {
                Some(goal) => (goal == var).then_some(0),
                None => self.env.limit_towards(var, direction),
            };
            let end = end.into_iter().chain(self.beyond_middle(var, goal, direction));
            best = best.into_iter().chain(end.filter_map(|end| sum.checked_add(end))).min();
            if best.is_some_and(|best| best <= enough) || self.steps == 0 {
                break;
            }
            let Some(edges) = self.env.differences.edges.get(&var) else { continue };
            // What was learnt last is nearest.
            for &(next, c) in edges.to(direction).iter().rev() {
                self.steps = self.steps.saturating_sub(1);
                if self.steps == 0 {
                    break;
                }
                let Some(sum) = sum.checked_add(c) else { continue };
                if reached.iter().all(|(known, least)| *known != next || sum < *least) {
                    reached.push((next, sum));
                }
            }
        }
        best
    }

    /// The bound of one operand of a sum.
    fn side(&mut self, term: Term, goal: Option<Variable>, direction: Direction) -> Option<i64> {
        let offset = if direction == Direction::Up { term.offset } else { term.offset.checked_neg()? };
        match term.var {
            Some(var) => self.reach(var, goal, direction, i64::MIN)?.checked_add(offset),
            None => goal.is_none().then_some(offset),
        }
    }

    /// A sum of two bounds, halved, bounds the half of the sum, which is rounded down.
    fn beyond_middle(&mut self, var: Variable, goal: Option<Variable>, direction: Direction) -> Option<i64> {
        let middles = &self.env.differences.middles;
        if self.in_middle || middles.is_empty() {
            return None;
        }
        let (x, y) = *middles.get(&var)?;
        self.in_middle = true;
        let sides = (self.side(x, goal, direction), self.side(y, goal, direction));
        self.in_middle = false;
        let sum = sides.0?.checked_add(sides.1?)?;
        Some(match direction {
            Direction::Up => sum.div_euclid(2),
            Direction::Down => sum.checked_neg()?.div_euclid(2).checked_neg()?,
        })
    }
}
