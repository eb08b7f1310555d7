//! What tests and checks say of integers, and which of them are decided.

use std::rc::Rc;

use flambeau_ir::prim::{IntCmp, Prim};
use flambeau_ir::{Const, IntKind, Kind, Simple};

use super::{Env, Term};
use crate::{IntSet, Ty, Variant};

/// No block is longer, in words, on a machine of 64 bits.
pub(super) const LONGEST_ARRAY: i64 = (1 << 54) - 1;
/// No string is longer, in bytes.
pub(super) const LONGEST_STRING: i64 = LONGEST_ARRAY * 8;
/// A sum that wrapped around by adding less than this is negative or larger than any length.
const SMALL: i64 = 1 << 60;

// The orders of two integers, as a set.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;

/// The orders for which a signed comparison holds.
fn orders(op: IntCmp) -> Option<u8> {
    Some(match op {
        IntCmp::Eq => EQUAL,
        IntCmp::Ne => LESS | GREATER,
        IntCmp::Lt => LESS,
        IntCmp::Le => LESS | EQUAL,
        IntCmp::Gt => GREATER,
        IntCmp::Ge => GREATER | EQUAL,
        IntCmp::UnsignedLt => return None,
    })
}

impl Env {
    /// Learns that a naked integer is in a set, with all that follows; returns whether it can be.
    pub fn assume(&mut self, simple: Simple, set: &IntSet) -> bool {
        let simple = self.canonical(simple);
        if !self.learn(simple, &Ty::Int(set.clone())) {
            return false;
        }
        let Some(definition) = self.definition(simple) else { return true };
        let Ty::Int(now) = self.ty(simple) else { return true };
        match (&definition.prim, &definition.args[..]) {
            (Prim::IsInt, [x]) => match now.as_one() {
                Some(1) => self.learn(*x, &Ty::tagged(IntSet::OCAML)),
                Some(0) => self.learn(*x, &Ty::pointer()),
                _ => true,
            },
            (Prim::GetTag, [x]) => self.learn_tags(*x, &now),
            (Prim::Untag, [x]) => self.learn(*x, &Ty::tagged(now)),
            (Prim::PhysEqual { negated }, [x, y]) if now.as_one().is_some() => {
                self.assume_equal(*x, *y, (now.as_one() == Some(1)) != *negated)
            }
            (Prim::IntCompare { op, kind }, [x, y]) => match now.as_one() {
                Some(n) => self.assume_compare(*op, *kind, *x, *y, n == 1),
                None => true,
            },
            _ => true,
        }
    }

    /// Whether that is possible.
    fn assume_equal(&mut self, x: Simple, y: Simple, equal: bool) -> bool {
        match (self.canonical(x), self.canonical(y)) {
            (Simple::Var(x), y @ Simple::Const(c)) | (y @ Simple::Const(c), Simple::Var(x)) => {
                match (c, self.ty(x.into())) {
                    _ if equal => {
                        if let Some(constant) = self.term(y) {
                            self.assume_same(Term { var: Some(x), offset: 0 }, constant);
                        }
                        self.learn_equal(x, y);
                        true
                    }
                    (Const::Tagged(n), Ty::Variant(variant)) => {
                        let left = Variant { ints: variant.ints.without(n), blocks: variant.blocks.clone() };
                        let impossible = left.ints.is_empty() && left.blocks.is_none();
                        self.set(x, Ty::Variant(Rc::new(left)));
                        !impossible
                    }
                    _ => true,
                }
            }
            // Words that are the same are the same integers (`assert (Array.length a = Array.length b)`).
            (x @ Simple::Var(_), y @ Simple::Var(_)) if self.is_immediate(x) || self.is_immediate(y) => {
                let op = if equal { IntCmp::Eq } else { IntCmp::Ne };
                let possible = !equal || {
                    let (a, b) = (self.ty(x), self.ty(y));
                    self.learn(x, &b) && self.learn(y, &a)
                };
                self.assume_order(op, IntKind::Tagged, x, y);
                possible
            }
            _ => true,
        }
    }

    /// Whether a value can be no pointer.
    #[must_use]
    pub fn is_immediate(&self, simple: Simple) -> bool {
        matches!(self.ty(simple), Ty::Variant(variant) if variant.is_immediate())
    }

    /// Learns the outcome of a comparison of integers; returns whether it is possible.
    fn assume_compare(&mut self, op: IntCmp, kind: IntKind, x: Simple, y: Simple, holds: bool) -> bool {
        if op == IntCmp::UnsignedLt {
            return self.assume_unsigned(kind, x, y, holds);
        }
        let op = if holds { op } else { op.negated().unwrap_or(op) };
        self.assume_sets(op, kind, x, y) && {
            self.assume_order(op, kind, x, y);
            true
        }
    }

    /// Of an unsigned comparison it is known what it says where one side is not negative: it is the one that bounds.
    fn assume_unsigned(&mut self, kind: IntKind, x: Simple, y: Simple, holds: bool) -> bool {
        let (Some(a), Some(b)) = (self.term(x), self.term(y)) else { return true };
        if holds && self.range(b, kind).0 >= 0 {
            if let Some(set) = self.ints(x, kind)
                && !self.assume_ints(x, kind, &set.intersection(&IntSet::range(0, i64::MAX)))
            {
                return false;
            }
            return self.assume_compare(IntCmp::Lt, kind, x, y, true);
        }
        if !holds && self.range(a, kind).0 >= 0 && self.range(b, kind).0 >= 0 {
            return self.assume_compare(IntCmp::Ge, kind, x, y, true);
        }
        true
    }

    /// Assumes the part of a comparison's outcome that is about each operand alone; returns whether that is possible.
    fn assume_sets(&mut self, op: IntCmp, kind: IntKind, x: Simple, y: Simple) -> bool {
        let (Some(a), Some(b)) = (self.ints(x, kind), self.ints(y, kind)) else { return true };
        let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.bounds(), b.bounds()) else { return false };
        let below = |n: i64| n.saturating_sub(1);
        let above = |n: i64| n.saturating_add(1);
        let (new_a, new_b) = match op {
            IntCmp::Eq => (b.clone(), a.clone()),
            IntCmp::Ne => (
                b.as_one().map_or_else(|| a.clone(), |n| a.without(n)),
                a.as_one().map_or_else(|| b.clone(), |n| b.without(n)),
            ),
            IntCmp::Lt => (IntSet::range(i64::MIN, below(b_high)), IntSet::range(above(a_low), i64::MAX)),
            IntCmp::Le => (IntSet::range(i64::MIN, b_high), IntSet::range(a_low, i64::MAX)),
            IntCmp::Gt => (IntSet::range(above(b_low), i64::MAX), IntSet::range(i64::MIN, below(a_high))),
            IntCmp::Ge => (IntSet::range(b_low, i64::MAX), IntSet::range(i64::MIN, a_high)),
            IntCmp::UnsignedLt => return true,
        };
        self.assume_ints(x, kind, &a.intersection(&new_a))
            && self.assume_ints(y, kind, &b.intersection(&new_b))
    }

    /// Assumes the part of a comparison's outcome that is about the difference of the operands.
    fn assume_order(&mut self, op: IntCmp, kind: IntKind, x: Simple, y: Simple) {
        let (Some(x), Some(y)) = (self.term(x), self.term(y)) else { return };
        // Of two integers one of which is a constant the sets know it, unless one may be a pointer.
        let is_known = |term: Term| term.var.is_none_or(|var| self.ints(var.into(), kind).is_some());
        if (x.var.is_none() || y.var.is_none()) && is_known(x) && is_known(y) && op != IntCmp::Ne {
            return;
        }
        match op {
            IntCmp::Eq => self.assume_same(x, y),
            IntCmp::Ne => self.assume_different(x, y),
            IntCmp::Lt => self.assume_at_most(x, y, -1),
            IntCmp::Le => self.assume_at_most(x, y, 0),
            IntCmp::Gt => self.assume_at_most(y, x, -1),
            IntCmp::Ge => self.assume_at_most(y, x, 0),
            IntCmp::UnsignedLt => {}
        }
    }

    fn assume_different(&mut self, x: Term, y: Term) {
        if x.var.is_some() && y.var.is_some() {
            return self.assume_apart(x, y);
        }
        if self.proves(x, y, 0) {
            self.assume_at_most(x, y, -1);
        } else if self.proves(y, x, 0) {
            self.assume_at_most(y, x, -1);
        }
    }

    /// Learns that a check of bounds has passed: *0 ≤ index* and *index + width ≤ length*. The operands of checks are
    /// immediates.
    pub fn assume_in_bounds(&mut self, length: Simple, index: Simple, width: u32) {
        let (Some(longest), Some(term)) = (self.term(length), self.term(index)) else { return };
        let zero = Term::constant(0);
        let width = i64::from(width);
        let (_, high) = self.range(longest, IntKind::Tagged);
        self.learn(index, &Ty::tagged(IntSet::range(0, high.saturating_sub(width))));
        self.assume_at_most(zero, term, 0);
        self.assume_at_most(term, longest, -width);
        if high <= LONGEST_STRING {
            self.settle(index);
        }
    }

    /// A sum with a constant that is an index or a length has not wrapped around: it would be negative, or larger than
    /// any length.
    pub(super) fn settle(&mut self, index: Simple) {
        let Some(definition) = self.definition(index) else { return };
        if let Some((x, amount)) = self.sum_with_constant(&definition)
            && amount.abs() < SMALL
            && let (Some(index), Some(x)) = (self.term(index), self.term(x))
        {
            self.assume_same(index, Term { var: x.var, offset: x.offset + amount });
        }
    }

    /// Whether a check of bounds cannot fail.
    #[must_use]
    pub fn is_in_bounds(&self, length: Simple, index: Simple, width: u32) -> bool {
        let (Some(length), Some(index)) = (self.term(length), self.term(index)) else { return false };
        self.proves(Term::constant(0), index, 0) && self.proves(index, length, -i64::from(width))
    }

    /// Whether no access of that width at the index is within that length.
    #[must_use]
    pub fn is_out_of_bounds(&self, length: Simple, index: Simple, width: u32) -> bool {
        let (Some(length), Some(index)) = (self.term(length), self.term(index)) else { return false };
        self.proves(index, Term::constant(0), -1) || self.proves(length, index, i64::from(width) - 1)
    }

    /// Whether an integer is always zero.
    #[must_use]
    pub fn is_zero(&self, simple: Simple, kind: IntKind) -> bool {
        self.ints(simple, kind).is_some_and(|set| set.bounds() == Some((0, 0)))
    }

    /// Whether an integer is never zero.
    #[must_use]
    pub fn is_not_zero(&self, simple: Simple, kind: IntKind) -> bool {
        if let Some(set) = self.ints(simple, kind)
            && !set.contains(0)
        {
            return true;
        }
        let Some(term) = self.term(simple) else { return false };
        let zero = Term::constant(0);
        self.proves(term, zero, -1) || self.proves(zero, term, -1)
    }

    /// The outcome of a comparison, if it is decided.
    #[must_use]
    pub fn decide(&self, op: IntCmp, kind: IntKind, x: Simple, y: Simple) -> Option<bool> {
        if op == IntCmp::UnsignedLt {
            let (a, b) = (self.ints(x, kind)?, self.ints(y, kind)?);
            let is_plain = a.bounds()?.0 >= 0 && b.bounds()?.0 >= 0;
            return if is_plain { self.decide(IntCmp::Lt, kind, x, y) } else { None };
        }
        let asked = orders(op)?;
        let possible = self.orders(kind, x, y);
        if possible & asked == 0 {
            return Some(false);
        }
        (possible & !asked == 0).then_some(true)
    }

    /// The result of a three-way comparison, if it is decided.
    #[must_use]
    pub fn three_way(&self, kind: IntKind, x: Simple, y: Simple) -> Option<i64> {
        match self.orders(kind, x, y) {
            LESS => Some(-1),
            EQUAL => Some(0),
            GREATER => Some(1),
            _ => None,
        }
    }

    /// The orders of two integers that are possible. Of what may be a pointer nothing is known by itself, see
    /// [`Env::limit`].
    fn orders(&self, kind: IntKind, x: Simple, y: Simple) -> u8 {
        let mut possible = LESS | EQUAL | GREATER;
        if x == y {
            return EQUAL;
        }
        let (a, b) = (self.ints(x, kind), self.ints(y, kind));
        let is_known = a.is_some() && b.is_some();
        if let (Some(a), Some(b)) = (a, b)
            && let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.bounds(), b.bounds())
        {
            let mut rule_out = |impossible: bool, order: u8| possible &= if impossible { !order } else { !0 };
            rule_out(a_low >= b_high, LESS);
            rule_out(a_high <= b_low, GREATER);
            rule_out(a.intersection(&b).is_empty(), EQUAL);
        }
        if possible.is_power_of_two() || !self.may_be_related(x, y) {
            return possible;
        }
        let (Some(a), Some(b)) = (self.term(x), self.term(y)) else { return possible };
        if (a.var.is_none() || b.var.is_none()) && !is_known {
            return possible;
        }
        if let (Some(a), Some(b)) = (a.var, b.var)
            && self.are_apart(a, b)
        {
            possible &= !EQUAL;
        }
        for (x, y, less, greater) in [(a, b, LESS, GREATER), (b, a, GREATER, LESS)] {
            match self.distance(x, y, -1) {
                Some(c) if c < 0 => possible &= less,
                Some(0) => possible &= !greater,
                _ => {}
            }
        }
        possible
    }

    /// The integers that an operand of an operation may be. `None`: it may be a pointer.
    #[must_use]
    pub fn ints(&self, simple: Simple, kind: IntKind) -> Option<IntSet> {
        match self.ty(simple) {
            Ty::Int(ints) => Some(ints),
            Ty::Variant(variant) if kind == IntKind::Tagged && variant.blocks.is_none() => {
                Some(variant.ints.clone())
            }
            Ty::Unknown => match kind {
                IntKind::Tagged => None,
                IntKind::Naked => Some(IntSet::OCAML),
                IntKind::Int32 => Some(IntSet::range(i64::from(i32::MIN), i64::from(i32::MAX))),
                IntKind::Int64 | IntKind::Nativeint => Some(IntSet::ALL),
            },
            _ => None,
        }
    }

    /// The numbers that the scrutinee of a switch may be.
    #[must_use]
    pub fn switched(&self, scrutinee: Simple) -> IntSet {
        match self.constant(scrutinee, Kind::NakedImmediate) {
            Some(Const::NakedImmediate(n)) => IntSet::one(n),
            _ => match self.ty(scrutinee) {
                Ty::Int(set) => set,
                _ => IntSet::OCAML,
            },
        }
    }

    fn assume_ints(&mut self, simple: Simple, kind: IntKind, set: &IntSet) -> bool {
        match kind {
            _ if set.is_empty() => false,
            IntKind::Tagged => self.learn(simple, &Ty::tagged(set.clone())),
            // The operand may itself be a test.
            IntKind::Naked => self.assume(simple, set),
            IntKind::Int32 | IntKind::Int64 | IntKind::Nativeint => self.learn(simple, &Ty::Int(set.clone())),
        }
    }
}
