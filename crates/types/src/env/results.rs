//! What is known of the results of arithmetic: the intervals that they are in, and how far they are from their
//! operands.

use flambeau_ir::prim::{ArrayKind, External, IntOp, NativeRepr, ShiftOp, Width};
use flambeau_ir::{IntKind, Kind, Prim, Simple, Variable};

use super::integers::{LONGEST_ARRAY, LONGEST_STRING};
use super::{Definition, Direction, Env, Term};
use crate::machine::{arith, extremes, width};
use crate::{IntSet, Ty};

/// Which integers a kind of variables holds.
fn int_kind(kind: Kind) -> Option<IntKind> {
    Some(match kind {
        Kind::NakedImmediate => IntKind::Naked,
        Kind::NakedInt32 => IntKind::Int32,
        Kind::NakedInt64 => IntKind::Int64,
        Kind::NakedNativeint => IntKind::Nativeint,
        Kind::Value | Kind::NakedFloat => return None,
    })
}

pub(super) fn passes_values(external: &External) -> bool {
    external.args.iter().chain([&external.result]).all(|repr| *repr == NativeRepr::Value)
}

/// The length of what a primitive allocates, and the primitive that reads it, if the length is an operand.
#[must_use]
pub fn length_of_made(prim: &Prim, args: &[Simple]) -> Option<(Prim, Simple)> {
    let array = Prim::ArrayLength { kind: ArrayKind::Generic };
    match prim {
        Prim::MakeArray { .. } => Some((array, Simple::tagged(args.len() as i64))),
        Prim::MakeBytes { .. } => Some((Prim::StringLength, *args.first()?)),
        Prim::CCall(external) if passes_values(external) => match (external.name.as_str(), args) {
            ("caml_make_vect" | "caml_array_make" | "caml_floatarray_make", [length, _])
            | ("caml_make_float_vect" | "caml_array_create_float" | "caml_floatarray_create", [length])
            | ("caml_array_sub" | "caml_floatarray_sub", [_, _, length]) => Some((array, *length)),
            ("caml_create_bytes", [length]) => Some((Prim::StringLength, *length)),
            _ => None,
        },
        _ => None,
    }
}

impl Env {
    /// The type of the result of a primitive that computes integers.
    pub fn integer_result(&self, prim: &Prim, args: &[Simple]) -> Option<Ty> {
        let tagged = |low, high| Some(Ty::tagged(IntSet::range(low, high)));
        match (prim, args) {
            (Prim::ArrayLength { .. }, _) => tagged(0, LONGEST_ARRAY),
            (Prim::StringLength, _) => tagged(0, LONGEST_STRING),
            (Prim::BigarrayDim { .. }, _) => tagged(0, extremes(IntKind::Tagged).1),
            (Prim::StringLoad { width: Width::W8, .. }, _) => Some(Ty::Int(IntSet::range(0, 255))),
            (Prim::StringLoad { width: Width::W16, .. }, _) => Some(Ty::Int(IntSet::range(0, 65535))),
            (
                Prim::IntCompare { .. }
                | Prim::FloatCompare { .. }
                | Prim::IsInt
                | Prim::PhysEqual { .. }
                | Prim::IsClosureOf { .. }
                | Prim::IsInstance,
                _,
            ) => Some(Ty::bool()),
            (Prim::IntCompare3 { .. } | Prim::FloatCompare3, _) => tagged(-1, 1),
            (Prim::Tag, [n]) => match self.ty(*n) {
                Ty::Int(ints) => Some(Ty::tagged(ints)),
                _ => Some(Ty::tagged(IntSet::OCAML)),
            },
            (Prim::Untag, [x]) => self.ints(*x, IntKind::Tagged).map(Ty::Int),
            (Prim::PopCount { kind }, _) => Some(Ty::Int(IntSet::range(0, i64::from(width(*kind))))),
            (Prim::ByteSwap16, _) => Some(Ty::Int(IntSet::range(0, 65535))),
            (Prim::NumConv { from, to }, [x]) => {
                let (from, to) = (int_kind(*from)?, int_kind(*to)?);
                let ints = self.ints(*x, from)?;
                let (low, high) = ints.bounds()?;
                let (least, greatest) = extremes(to);
                (low >= least && high <= greatest).then_some(Ty::Int(ints))
            }
            (Prim::IntArith { op, kind }, [x, y]) => {
                Some(self.of_kind(*kind, self.sum_set(*op, *kind, *x, *y)))
            }
            (Prim::IntShift { op, kind }, [x, y]) => {
                Some(self.of_kind(*kind, self.shift_set(*op, *kind, *x, *y)))
            }
            (Prim::IntDiv { kind }, [x, y]) => Some(self.of_kind(*kind, self.quotient_set(*kind, *x, *y))),
            (Prim::IntMod { kind }, [x, y]) => Some(self.of_kind(*kind, self.remainder_set(*kind, *x, *y))),
            _ => None,
        }
    }

    fn of_kind(&self, kind: IntKind, set: Option<IntSet>) -> Ty {
        match (kind, set) {
            (IntKind::Tagged, set) => Ty::tagged(set.unwrap_or(IntSet::OCAML)),
            (_, Some(set)) => Ty::Int(set),
            (_, None) => Ty::Unknown,
        }
    }

    /// The interval of an operand. What arithmetic is done with is an immediate, whatever is known of it.
    #[must_use]
    pub fn operand(&self, simple: Simple, kind: IntKind) -> Option<(i64, i64)> {
        Some(self.range(self.term(simple)?, kind)).filter(|(low, high)| low <= high)
    }

    /// The set of an operand of which there are few, or its interval.
    fn operand_set(&self, simple: Simple, kind: IntKind) -> Option<IntSet> {
        match self.ints(simple, kind) {
            Some(set) if set.as_few().is_some() => Some(set),
            _ => self.operand(simple, kind).map(|(low, high)| IntSet::range(low, high)),
        }
    }

    /// The interval, if all of it fits into the kind.
    fn interval(kind: IntKind, low: i128, high: i128) -> Option<IntSet> {
        let (least, greatest) = extremes(kind);
        let fits = low >= i128::from(least) && high <= i128::from(greatest) && low <= high;
        fits.then(|| IntSet::range(low as i64, high as i64))
    }

    fn sum_set(&self, op: IntOp, kind: IntKind, x: Simple, y: Simple) -> Option<IntSet> {
        let (x, y) = (self.operand_set(x, kind)?, self.operand_set(y, kind)?);
        let small = x.map2(&y, |a, b| Some(arith(op, kind, a, b)));
        if small.is_some() {
            return small;
        }
        let ((a, b), (c, d)) = (x.bounds()?, y.bounds()?);
        let wide = |(low, high): (i64, i64)| (i128::from(low), i128::from(high));
        let ((a, b), (c, d)) = (wide((a, b)), wide((c, d)));
        match op {
            IntOp::Add => Env::interval(kind, a + c, b + d),
            IntOp::Sub => Env::interval(kind, a - d, b - c),
            IntOp::Mul => {
                let products = [a * c, a * d, b * c, b * d];
                Env::interval(kind, *products.iter().min()?, *products.iter().max()?)
            }
            // What is not negative keeps no more bits than it has.
            IntOp::And if a >= 0 && c >= 0 => Env::interval(kind, 0, b.min(d)),
            IntOp::And if a >= 0 => Env::interval(kind, 0, b),
            IntOp::And if c >= 0 => Env::interval(kind, 0, d),
            IntOp::Or | IntOp::Xor if a >= 0 && c >= 0 => {
                let bits = 128 - b.max(d).leading_zeros();
                let low = if op == IntOp::Or { a.max(c) } else { 0 };
                Env::interval(kind, low, (1 << bits) - 1)
            }
            IntOp::And | IntOp::Or | IntOp::Xor => None,
        }
    }

    fn shift_amount(&self, kind: IntKind, amount: Simple) -> Option<u32> {
        let amount_kind = if kind == IntKind::Tagged { IntKind::Tagged } else { IntKind::Naked };
        let amount = self.ints(amount, amount_kind)?.as_one()?;
        u32::try_from(amount).ok().filter(|amount| *amount < width(kind))
    }

    fn shift_set(&self, op: ShiftOp, kind: IntKind, x: Simple, y: Simple) -> Option<IntSet> {
        let (low, high) = self.operand(x, kind)?;
        let Some(amount) = self.shift_amount(kind, y) else {
            // By any amount: what is shifted right comes nearer to zero, or to -1.
            return match op {
                ShiftOp::Asr => Some(IntSet::range(low.min(0), high.max(-1))),
                ShiftOp::Lsr if low >= 0 => Some(IntSet::range(0, high)),
                ShiftOp::Lsr | ShiftOp::Lsl => None,
            };
        };
        match op {
            ShiftOp::Asr => Some(IntSet::range(low >> amount, high >> amount)),
            ShiftOp::Lsr if low >= 0 => Some(IntSet::range(low >> amount, high >> amount)),
            // So many bits are left.
            ShiftOp::Lsr if amount > 0 => Env::interval(kind, 0, (1i128 << (width(kind) - amount)) - 1),
            ShiftOp::Lsr => None,
            ShiftOp::Lsl => Env::interval(kind, i128::from(low) << amount, i128::from(high) << amount),
        }
    }

    fn quotient_set(&self, kind: IntKind, x: Simple, y: Simple) -> Option<IntSet> {
        let ((low, high), (least, greatest)) = (self.operand(x, kind)?, self.operand(y, kind)?);
        if least > 0 {
            // Quotients are rounded towards zero, and the least divisor makes the largest ones.
            let low = if low < 0 { low / least } else { low / greatest };
            let high = if high < 0 { high / greatest } else { high / least };
            return Some(IntSet::range(low, high));
        }
        if low >= 0 { Env::interval(kind, -i128::from(high), i128::from(high)) } else { None }
    }

    /// Whether an integer is its own remainder: nearer to zero than the divisor.
    #[must_use]
    pub fn is_own_remainder(&self, kind: IntKind, x: Simple, divisor: Simple) -> bool {
        let (Some((low, high)), Some((least, _))) = (self.operand(x, kind), self.operand(divisor, kind))
        else {
            return false;
        };
        least > 0 && -least < low && high < least
    }

    fn remainder_set(&self, kind: IntKind, x: Simple, y: Simple) -> Option<IntSet> {
        let ((low, high), (least, greatest)) = (self.operand(x, kind)?, self.operand(y, kind)?);
        // The remainder has the sign of what is divided, and is less than the divisor.
        let size = i128::from(least).abs().max(i128::from(greatest).abs()) - 1;
        if size < 0 {
            return None;
        }
        let least = if low >= 0 { 0 } else { (-size).max(i128::from(low)) };
        let greatest = if high <= 0 { 0 } else { size.min(i128::from(high)) };
        Env::interval(kind, least, greatest)
    }

    /// Learns how far the result of a primitive is from its operands. The variable is bound already.
    pub fn learn_result(&mut self, var: Variable, prim: &Prim, args: &[Simple]) {
        let value = Term { var: Some(var), offset: 0 };
        let (x, y) = (args.first().and_then(|x| self.term(*x)), args.get(1).and_then(|y| self.term(*y)));
        match (prim, x, y) {
            // It has not raised.
            (Prim::CCall(_), ..) => {
                if let Some((reader, length)) = length_of_made(prim, args)
                    && let Some(ty) = self.integer_result(&reader, &[])
                {
                    self.learn(length, &ty);
                    self.settle(length);
                }
            }
            (Prim::Tag | Prim::Untag, Some(x), _) => self.assume_same(value, x),
            (Prim::IntArith { op, kind }, Some(x), Some(y)) => match op {
                IntOp::Add => self.learn_sum(value, *kind, x, y),
                IntOp::Sub => self.learn_difference(value, *kind, x, y),
                IntOp::Mul => self.learn_product(value, *kind, x, y),
                IntOp::And => {
                    self.learn_masked(value, *kind, x, y);
                    self.learn_masked(value, *kind, y, x);
                }
                IntOp::Or | IntOp::Xor => {}
            },
            (Prim::IntShift { op: op @ (ShiftOp::Asr | ShiftOp::Lsr), kind }, Some(x), Some(y)) => {
                let (low, _) = self.range(x, *kind);
                let is_natural = low >= 0;
                if is_natural {
                    let is_less = low > 0 && y.as_constant().is_some_and(|amount| amount > 0);
                    self.assume_at_most(value, x, -i64::from(is_less));
                }
                let is_half = y.as_constant() == Some(1) && (is_natural || *op == ShiftOp::Asr);
                self.learn_half(var, *kind, args[0], is_half);
            }
            (Prim::IntDiv { kind }, Some(x), Some(y)) if self.range(x, *kind).0 >= 0 => {
                let (least, _) = self.range(y, *kind);
                if least > 0 {
                    let is_less = self.range(x, *kind).0 > 0 && least > 1;
                    self.assume_at_most(value, x, -i64::from(is_less));
                }
                self.learn_half(var, *kind, args[0], y.as_constant() == Some(2));
            }
            (Prim::IntDiv { kind }, ..) => self.learn_half(var, *kind, args[0], false),
            (Prim::IntMod { kind }, Some(x), Some(y)) => {
                if self.range(y, *kind).0 > 0 {
                    self.assume_at_most(value, y, -1);
                }
                if self.range(x, *kind).0 >= 0 {
                    self.assume_at_most(value, x, 0);
                }
            }
            _ => {}
        }
    }

    fn learn_sum(&mut self, value: Term, kind: IntKind, x: Term, y: Term) {
        let (x, y) = if x.as_constant().is_some() { (y, x) } else { (x, y) };
        if let Some(amount) = y.as_constant() {
            return self.learn_shifted(value, kind, x, amount);
        }
        let (Some((a, b)), Some((c, d))) = (self.sum_parts(kind, x), self.sum_parts(kind, y)) else { return };
        let limit = self.sum_limit(kind, x, y).or_else(|| self.sum_limit(kind, y, x));
        let high = match limit {
            Some((top, more)) => i128::from(self.range(top, kind).1) + i128::from(more),
            None => i128::from(b) + i128::from(d),
        };
        if Env::interval(kind, i128::from(a) + i128::from(c), high).is_some() {
            if let Some((top, more)) = limit {
                self.assume_at_most(value, top, more);
            }
            self.assume_at_least(value, x, c);
            self.assume_at_least(value, y, a);
            self.assume_at_most(value, x, d);
            self.assume_at_most(value, y, b);
        }
    }

    /// *x ≤ w - z + c* and *y ≤ z + d* imply *x + y ≤ w + c + d*: returns *w* and *c + d*.
    fn sum_limit(&self, kind: IntKind, x: Term, y: Term) -> Option<(Term, i64)> {
        self.related(x, Direction::Up, self.now).into_iter().find_map(|(var, c)| {
            let definition = self.definition(var?.into())?;
            match (&definition.prim, &definition.args[..]) {
                (Prim::IntArith { op: IntOp::Sub, kind: of }, [w, z]) if *of == kind => {
                    let (w, z) = (self.term(*w)?, self.term(*z)?);
                    // The difference is one of integers, too.
                    let ((a, b), (low, high)) = (self.sum_parts(kind, w)?, self.sum_parts(kind, z)?);
                    Env::interval(kind, i128::from(a) - i128::from(high), i128::from(b) - i128::from(low))?;
                    Some((w, c.checked_add(self.distance(y, z, i64::MIN)?)?))
                }
                _ => None,
            }
        })
    }

    /// Assumes *x ≥ y + c*.
    fn assume_at_least(&mut self, x: Term, y: Term, c: i64) {
        if let Some(c) = c.checked_neg() {
            self.assume_at_most(y, x, c);
        }
    }

    fn sum_parts(&self, kind: IntKind, x: Term) -> Option<(i64, i64)> {
        Some(self.range(x, kind)).filter(|(low, high)| low <= high)
    }

    /// Learns about the sum with a constant.
    fn learn_shifted(&mut self, value: Term, kind: IntKind, x: Term, amount: i64) {
        if let Some(offset) = x.offset.checked_add(amount)
            && self.sum_fits(x, amount, kind)
        {
            self.assume_same(value, Term { var: x.var, offset });
        }
    }

    fn learn_difference(&mut self, value: Term, kind: IntKind, x: Term, y: Term) {
        if let Some(amount) = y.as_constant() {
            if let Some(amount) = amount.checked_neg() {
                self.learn_shifted(value, kind, x, amount);
            }
            return;
        }
        let (Some((a, b)), Some((c, d))) = (self.sum_parts(kind, x), self.sum_parts(kind, y)) else { return };
        if Env::interval(kind, i128::from(a) - i128::from(d), i128::from(b) - i128::from(c)).is_none() {
            return;
        }
        self.assume_at_least(x, value, c);
        self.assume_at_most(x, value, d);
        // x ≤ y + c makes x - y ≤ c.
        let zero = Term::constant(0);
        if let Some(c) = self.distance(x, y, i64::MIN) {
            self.assume_at_most(value, zero, c);
        }
        if let Some(c) = self.distance(y, x, i64::MIN) {
            self.assume_at_most(zero, value, c);
        }
    }

    /// Learns about a product: factors that are not zero make nothing less.
    fn learn_product(&mut self, value: Term, kind: IntKind, x: Term, y: Term) {
        let ((a, b), (c, d)) = (self.range(x, kind), self.range(y, kind));
        if a < 0 || c < 0 || Env::interval(kind, 0, i128::from(b) * i128::from(d)).is_none() {
            return;
        }
        if c > 0 {
            self.assume_at_most(x, value, 0);
        }
        if a > 0 {
            self.assume_at_most(y, value, 0);
        }
    }

    /// Learns about `x land mask`: not more than the mask, if that is not negative.
    fn learn_masked(&mut self, value: Term, kind: IntKind, mask: Term, x: Term) {
        if x != mask && mask.var.is_some() && self.range(mask, kind).0 >= 0 {
            self.assume_at_most(value, mask, 0);
        }
    }

    /// Learns about the half of a sum that did not wrap around, rounded down.
    fn learn_half(&mut self, var: Variable, kind: IntKind, sum: Simple, is_half: bool) {
        if is_half
            && self.measuring == 0
            && let Some(middle) = self.whole_sum(kind, sum)
        {
            self.differences.middles.insert(var, middle);
        }
    }

    /// A variable is bound: what was known of the sum that it was before is known no longer.
    pub(super) fn forget_middle(&mut self, var: Variable) {
        if self.measuring == 0 && !self.differences.middles.is_empty() {
            self.differences.middles.remove(&var);
        }
    }

    /// The operands of a sum that does not wrap around.
    fn whole_sum(&self, kind: IntKind, sum: Simple) -> Option<(Term, Term)> {
        let definition = self.definition(sum)?;
        match (&definition.prim, &definition.args[..]) {
            (Prim::IntArith { op: IntOp::Add, kind: of }, [x, y]) if *of == kind => {
                let (x, y) = (self.term(*x)?, self.term(*y)?);
                let ((a, b), (c, d)) = (self.sum_parts(kind, x)?, self.sum_parts(kind, y)?);
                Env::interval(kind, i128::from(a) + i128::from(c), i128::from(b) + i128::from(d))?;
                Some((x, y))
            }
            _ => None,
        }
    }

    /// The operand and the constant of a sum of a tagged integer and a constant.
    pub(super) fn sum_with_constant(&self, definition: &Definition) -> Option<(Simple, i64)> {
        let constant = |simple: Simple| self.term(simple).and_then(Term::as_constant);
        match (&definition.prim, &definition.args[..]) {
            (Prim::IntArith { op: IntOp::Add, kind: IntKind::Tagged }, [x, y]) => match constant(*y) {
                Some(n) => Some((*x, n)),
                None => Some((*y, constant(*x)?)),
            },
            (Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged }, [x, y]) => {
                Some((*x, constant(*y)?.checked_neg()?))
            }
            _ => None,
        }
    }
}
