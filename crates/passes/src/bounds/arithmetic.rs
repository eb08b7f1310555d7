//! What bindings and tests tell of integers.

use flambeau_ir::prim::{IntCmp, IntOp, ShiftOp, StringKind, Width};
use flambeau_ir::{IntKind, Named, Prim, Simple, Variable};

use super::Search;
use super::differences::{MAX, Term};

/// The longest block of a 64-bit machine, in words.
const LONGEST_ARRAY: i64 = (1 << 54) - 1;
const LONGEST_STRING: i64 = LONGEST_ARRAY * 8;
/// What taken from the least integer gives more than the length of any block.
const SMALL: i64 = 1 << 60;

impl Search<'_> {
    pub(super) fn binding(&mut self, var: Variable, named: &Named) {
        let operands = |search: &mut Self, args: &[Simple]| {
            let mut args = args.iter().map(|arg| search.known.term(*arg));
            (args.next().flatten(), args.next().flatten())
        };
        match named {
            Named::Simple(simple) => {
                let source = self.known.term(*simple);
                let var = self.known.bind(var);
                if let Some(source) = source {
                    self.known.assume_equal(var, source);
                }
            }
            Named::Prim { prim, args, .. } => {
                let args = operands(self, args);
                let value = self.known.bind(var);
                match (prim, args) {
                    (Prim::IntCompare { op, kind }, (Some(x), Some(y))) if is_small(*kind) => {
                        self.tests.insert(var, (*op, x, y));
                    }
                    (Prim::PhysEqual { negated }, (Some(x), Some(y)))
                        if x.as_constant().is_some() || y.as_constant().is_some() =>
                    {
                        self.tests.insert(var, (if *negated { IntCmp::Ne } else { IntCmp::Eq }, x, y));
                    }
                    (Prim::CheckBound { width }, (Some(length), Some(index))) => {
                        self.check(var, i64::from(*width), length, index);
                    }
                    _ => self.result(value, prim, args),
                }
            }
        }
    }

    fn check(&mut self, var: Variable, width: i64, length: Term, index: Term) {
        let zero = Term::constant(0);
        if self.known.proves(zero, index, 0) && self.known.proves(index, length, -width) {
            self.passed.insert(var);
        } else {
            self.passed.remove(&var);
        }
        self.known.assume(zero, index, 0);
        self.known.assume(index, length, -width);
        if self.known.highest(length) <= LONGEST_STRING {
            self.settle(index);
        }
    }

    /// What is known of the result of a primitive.
    fn result(&mut self, value: Term, prim: &Prim, args: (Option<Term>, Option<Term>)) {
        match (prim, args) {
            (Prim::ArrayLength { .. }, _) => self.between(value, 0, LONGEST_ARRAY),
            (Prim::StringLength, _) => self.between(value, 0, LONGEST_STRING),
            (Prim::BigarrayDim { .. }, _) => self.between(value, 0, MAX),
            (Prim::StringLoad { string, width: Width::W8 }, _) if *string != StringKind::Bigstring => {
                self.between(value, 0, 255);
            }
            (Prim::IntCompare { .. } | Prim::IsInt, _) => self.between(value, 0, 1),
            (Prim::Tag | Prim::Untag, (Some(x), _)) => self.known.assume_equal(value, x),
            (Prim::IntArith { op, kind }, (Some(x), Some(y))) if is_small(*kind) => match op {
                IntOp::Add => self.sum(value, x, y),
                IntOp::Sub => self.difference(value, x, y),
                IntOp::Mul => self.product(value, x, y),
                IntOp::And => {
                    self.masked(value, x, y);
                    self.masked(value, y, x);
                }
                IntOp::Or | IntOp::Xor => self.merged(value, x, y),
            },
            (Prim::IntShift { op, kind }, (Some(x), Some(amount))) if is_small(*kind) => {
                self.shifted(value, *op, x, amount);
            }
            (Prim::IntDiv { kind }, (Some(x), Some(y))) if is_small(*kind) => self.quotient(value, x, y),
            (Prim::IntMod { kind }, (Some(x), Some(y))) if is_small(*kind) => self.remainder(value, x, y),
            _ => {}
        }
    }

    fn between(&mut self, value: Term, low: i64, high: i64) {
        self.known.assume(Term::constant(low), value, 0);
        self.known.assume(value, Term::constant(high), 0);
    }

    fn sum(&mut self, value: Term, x: Term, y: Term) {
        let (x, y) = if x.as_constant().is_some() { (y, x) } else { (x, y) };
        if let Some(amount) = y.as_constant() {
            self.shifted_by(value, x, amount);
            return;
        }
        let (x_low, x_high) = self.range(x);
        let (y_low, y_high) = self.range(y);
        if fits(x_low + y_low) && fits(x_high + y_high) {
            self.known.assume(x.plus(y_low), value, 0);
            self.known.assume(y.plus(x_low), value, 0);
            self.known.assume(value, x.plus(y_high), 0);
            self.known.assume(value, y.plus(x_high), 0);
            self.sums.insert(value, (x, y));
        }
    }

    /// The sum with a constant.
    fn shifted_by(&mut self, value: Term, x: Term, amount: i64) {
        match self.known.add(x, amount) {
            Some(sum) => self.known.assume_equal(value, sum),
            None => {
                self.unsure.insert(value, (x, amount));
            }
        }
    }

    /// A sum with a constant that is an index has not wrapped around: it would be negative, or larger than any length.
    fn settle(&mut self, index: Term) {
        if let Some((x, amount)) = self.unsure.get(&index).copied()
            && amount > -SMALL
        {
            self.known.assume_equal(index, x.plus(amount));
        }
    }

    fn difference(&mut self, value: Term, x: Term, y: Term) {
        if let Some(amount) = y.as_constant() {
            self.shifted_by(value, x, amount.saturating_neg());
            return;
        }
        let (x_low, x_high) = self.range(x);
        let (y_low, y_high) = self.range(y);
        if !fits(x_low - y_high) || !fits(x_high - y_low) {
            return;
        }
        self.known.assume(value, x.plus(-y_low), 0);
        self.known.assume(x.plus(-y_high), value, 0);
        // x ≤ y + c makes x - y ≤ c.
        if let Some(c) = self.known.distance(x, y) {
            self.known.assume(value, Term::constant(c), 0);
        }
        if let Some(c) = self.known.distance(y, x) {
            self.known.assume(Term::constant(0), value, c);
        }
    }

    fn product(&mut self, value: Term, x: Term, y: Term) {
        let ((x_low, x_high), (y_low, y_high)) = (self.range(x), self.range(y));
        if x_low >= 0
            && y_low >= 0
            && let Some(high) = x_high.checked_mul(y_high).filter(|high| fits(*high))
        {
            self.between(value, x_low * y_low, high);
            // Factors that are not zero make nothing less.
            if y_low > 0 {
                self.known.assume(x, value, 0);
            }
            if x_low > 0 {
                self.known.assume(y, value, 0);
            }
        }
    }

    /// `x land mask`, the mask not being negative.
    fn masked(&mut self, value: Term, x: Term, mask: Term) {
        if self.known.lowest(mask) >= 0 {
            self.known.assume(Term::constant(0), value, 0);
            self.known.assume(value, mask, 0);
            if self.known.lowest(x) >= 0 {
                self.known.assume(value, x, 0);
            }
        }
    }

    /// `x lor y` and `x lxor y`.
    fn merged(&mut self, value: Term, x: Term, y: Term) {
        let ((x_low, x_high), (y_low, y_high)) = (self.range(x), self.range(y));
        if x_low >= 0 && y_low >= 0 {
            let bits = 64 - x_high.max(y_high).leading_zeros();
            self.between(value, 0, ((1i128 << bits) - 1).min(i128::from(MAX)) as i64);
        }
    }

    fn shifted(&mut self, value: Term, op: ShiftOp, x: Term, amount: Term) {
        let Some(amount @ 0..=62) = amount.as_constant() else { return };
        let (low, high) = self.range(x);
        match op {
            ShiftOp::Lsl => {
                let shifted = |n: i64| n.checked_mul(1i64.checked_shl(amount as u32)?);
                if let (Some(low), Some(high)) = (shifted(low), shifted(high))
                    && fits(low)
                    && fits(high)
                {
                    self.between(value, low, high);
                }
            }
            ShiftOp::Lsr if low < 0 => {
                if amount > 0 {
                    // Of the 63 bits of an integer as many are left.
                    self.between(value, 0, (1 << (63 - amount)) - 1);
                }
            }
            ShiftOp::Lsr | ShiftOp::Asr => {
                self.between(value, low >> amount, high >> amount);
                if low >= 0 {
                    self.known.assume(value, x, 0);
                }
                if amount == 1 {
                    self.half(value, x);
                }
            }
        }
    }

    fn quotient(&mut self, value: Term, x: Term, y: Term) {
        let (low, high) = self.range(x);
        let Some(divisor) = y.as_constant().filter(|divisor| *divisor > 0) else {
            if low >= 0 && self.known.lowest(y) > 0 {
                self.known.assume(Term::constant(0), value, 0);
                self.known.assume(value, x, 0);
            }
            return;
        };
        self.between(value, low / divisor, high / divisor);
        if low >= 0 {
            self.known.assume(value, x, 0);
            if divisor == 2 {
                self.half(value, x);
            }
        }
    }

    /// Half of a sum that did not wrap around, rounded down.
    fn half(&mut self, value: Term, x: Term) {
        if let Some(&(a, b)) = self.sums.get(&x) {
            self.known.assume_middle(value, a, b);
        }
    }

    fn remainder(&mut self, value: Term, x: Term, y: Term) {
        let (low, divisor) = (self.known.lowest(x), self.known.lowest(y));
        if divisor <= 0 {
            return;
        }
        self.known.assume(value, y, -1);
        if low >= 0 {
            self.known.assume(Term::constant(0), value, 0);
            self.known.assume(value, x, 0);
        } else if let Some(divisor) = y.as_constant() {
            self.known.assume(Term::constant(1 - divisor), value, 0);
        }
    }

    fn range(&self, x: Term) -> (i64, i64) {
        (self.known.lowest(x), self.known.highest(x))
    }

    /// What a comparison tells by its outcome.
    pub(super) fn outcome(&mut self, (op, x, y): (IntCmp, Term, Term), holds: bool) {
        if op == IntCmp::UnsignedLt {
            return self.unsigned_outcome(x, y, holds);
        }
        let Some(op) = (if holds { Some(op) } else { op.negated() }) else { return };
        match op {
            IntCmp::Eq => self.known.assume_equal(x, y),
            IntCmp::Ne => {
                if self.known.proves(x, y, 0) {
                    self.known.assume(x, y, -1);
                } else if self.known.proves(y, x, 0) {
                    self.known.assume(y, x, -1);
                }
            }
            IntCmp::Lt => self.known.assume(x, y, -1),
            IntCmp::Le => self.known.assume(x, y, 0),
            IntCmp::Gt => self.known.assume(y, x, -1),
            IntCmp::Ge => self.known.assume(y, x, 0),
            IntCmp::UnsignedLt => {}
        }
    }

    fn unsigned_outcome(&mut self, x: Term, y: Term, holds: bool) {
        if holds && self.known.lowest(y) >= 0 {
            self.known.assume(Term::constant(0), x, 0);
            self.known.assume(x, y, -1);
        } else if !holds && self.known.lowest(x) >= 0 {
            self.known.assume(y, x, 0);
        }
    }
}

/// Tagged integers and untagged ones of as many bits.
fn is_small(kind: IntKind) -> bool {
    matches!(kind, IntKind::Tagged | IntKind::Naked)
}

/// Whether it is an OCaml integer.
fn fits(n: i64) -> bool {
    (-MAX - 1..=MAX).contains(&n)
}
