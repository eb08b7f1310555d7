//! Divisions by constants need no correction for negative dividends where there are none (features D17):
//! `docs/passes/divisions.md` shows it.
//!
//! The machine's shifts round down, the language's division towards zero; so what the back end makes of a division by
//! a constant tests the sign of the dividend. Most dividends are indices, hashes and characters.

use flambeau_ir::prim::{IntCmp, IntOp, ShiftOp};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CodeId, Dbg, Expr, IntKind, Item, Named, Prim, Rewrite, Rewrites, Simple, Subkind, Terminator, Unit,
    Variable,
};
use flambeau_simplify::fold;
use flambeau_types::Env;
use flambeau_types::machine::{extremes, width};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::bounds;
use crate::quotients::{self, Quotients, left_by};

/// Rewrites the divisions of a unit. On entry and on exit the unit is well-formed. The result says whether anything
/// was changed.
pub fn divisions(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut env = Env::with_capacity(unit.variables.len(), 0);
    unit.rewrite_bodies(|unit, code, body| {
        if !has_division(body) {
            return false;
        }
        let greatest = bounds::dividends(body, unit, code, &mut env);
        let asked = asked_of_remainders(body);
        let mut divisions = Divisions {
            unit,
            rewrites,
            code,
            greatest,
            asked,
            quotients: Quotients::default(),
            factors: FxHashMap::default(),
            changed: false,
        };
        divisions.run(body);
        divisions.compare_to_factors(body);
        divisions.changed
    })
}

/// A division of integers by a constant of two or more.
#[derive(Clone, Copy)]
struct Division {
    var: Variable,
    is_remainder: bool,
    kind: IntKind,
    dividend: Simple,
    divisor: i64,
    dbg: Dbg,
}

impl Division {
    fn of(item: &Item) -> Option<Division> {
        let Item::Let { var, named: Named::Prim { prim, args, .. }, dbg } = item else { return None };
        let (is_remainder, kind) = match prim {
            Prim::IntDiv { kind } => (false, *kind),
            Prim::IntMod { kind } => (true, *kind),
            _ => return None,
        };
        let [dividend @ Simple::Var(_), Simple::Const(divisor)] = args[..] else { return None };
        let divisor = fold::as_int(divisor).filter(|divisor| *divisor >= 2)?;
        Some(Division { var: *var, is_remainder, kind, dividend, divisor, dbg: *dbg })
    }

    fn key(&self) -> quotients::Division {
        (self.kind, self.dividend, Simple::Const(fold::int(self.kind, self.divisor)))
    }

    fn is_by_power_of_two(&self) -> bool {
        self.divisor.count_ones() == 1
    }
}

fn has_division(body: &Expr) -> bool {
    let mut found = false;
    body.walk(&mut |run| found |= run.items.iter().any(|item| Division::of(item).is_some()));
    found
}

/// The constants that a remainder is compared to, where that is all that is done with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    OnlyZero,
    OnlyPositive,
    More,
}

/// What is asked of remainders.
fn asked_of_remainders(body: &Expr) -> FxHashMap<Variable, Asked> {
    let mut asked = FxHashMap::default();
    body.walk(&mut |run| {
        let divisions = run.items.iter().filter_map(Division::of);
        let remainders = divisions.filter(|division| division.is_remainder);
        asked.extend(remainders.map(|remainder| (remainder.var, None)));
    });
    if !asked.is_empty() {
        let mut ask = |simple: Simple, what: Asked| {
            if let Some(known) = simple.as_var().and_then(|var| asked.get_mut(&var)) {
                *known = Some(if known.is_none_or(|known| known == what) { what } else { Asked::More });
            }
        };
        body.walk(&mut |run| {
            for item in &run.items {
                match equality(item) {
                    Some((of, 0)) => ask(of, Asked::OnlyZero),
                    Some((of, 1..)) => ask(of, Asked::OnlyPositive),
                    _ => item.for_each_simple(&mut |simple| ask(simple, Asked::More)),
                }
            }
            run.terminator.for_each_simple(&mut |simple| ask(simple, Asked::More));
        });
    }
    asked.into_iter().filter_map(|(var, asked)| Some((var, asked?))).collect()
}

/// What an item compares to which constant, for equality.
fn equality(item: &Item) -> Option<(Simple, i64)> {
    let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { return None };
    let is_equality =
        matches!(prim, Prim::PhysEqual { .. } | Prim::IntCompare { op: IntCmp::Eq | IntCmp::Ne, .. });
    match args[..] {
        [of @ Simple::Var(_), Simple::Const(n)] | [Simple::Const(n), of @ Simple::Var(_)] if is_equality => {
            Some((of, fold::as_int(n)?))
        }
        _ => None,
    }
}

/// A factor and a shift to the right that together divide all of *0 … greatest*, with products that do not wrap around.
///
/// With *m = ⌈2^s / d⌉* and *e = m d - 2^s*, *n m / 2^s* is *n / d + n e / (d 2^s)*. The fraction of *n / d* is at most
/// *(d - 1) / d*, so nothing carries into the quotient while *n e < 2^s* (Granlund and Montgomery).
fn factor_and_shift(kind: IntKind, greatest: i64, divisor: i64) -> Option<(i64, i64)> {
    let (greatest, divisor, most) = (i128::from(greatest), i128::from(divisor), i128::from(extremes(kind).1));
    (1..width(kind)).find_map(|shift| {
        let power = 1_i128 << shift;
        let factor = (power + divisor - 1) / divisor;
        let is_exact = greatest * (factor * divisor - power) < power;
        let fits = greatest.max(1) * factor <= most;
        (is_exact && fits).then(|| Some((i64::try_from(factor).ok()?, i64::from(shift))))?
    })
}

/// A factor *m* and a number of bits *s* by which to ask which of *0 … greatest* are multiples of the divisor, with
/// products that do not wrap around: those whose product has less than *m* in its low *s* bits.
///
/// With *m* and *e* as in [`factor_and_shift`], these bits of *(q d + r) m* are *r m + q e* while that is less than
/// *2^s*: for each *r* if *(q + 1) e < m*; and then it is less than *m* for *r = 0* alone.
fn factor_and_bits(kind: IntKind, greatest: i64, divisor: i64) -> Option<(i64, i64)> {
    let (greatest, divisor, most) = (i128::from(greatest), i128::from(divisor), i128::from(extremes(kind).1));
    // As a tagged constant the mask fits into an instruction.
    (1..31).find_map(|bits| {
        let power = 1_i128 << bits;
        let factor = (power + divisor - 1) / divisor;
        let is_exact = (greatest / divisor + 1) * (factor * divisor - power) < factor;
        let fits = greatest.max(1) * factor <= most;
        (is_exact && fits).then(|| Some((i64::try_from(factor).ok()?, i64::from(bits))))?
    })
}

/// The rewriting of one body, which is not in the unit meanwhile.
struct Divisions<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    /// The greatest dividend of each division that has no negative ones.
    greatest: FxHashMap<Variable, i64>,
    asked: FxHashMap<Variable, Asked>,
    /// Of the quotients that have become products.
    quotients: Quotients,
    /// The factors of the products whose low bits stand for remainders: less than the factor is zero.
    factors: FxHashMap<Variable, (IntKind, i64)>,
    changed: bool,
}

impl Divisions<'_> {
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
                if let Some(division) = Division::of(&run.items[index])
                    && let Some(way) = self.way(division)
                    && self.rewrites.allow(way.rewrite(), self.unit, self.code)
                {
                    let items = self.items(division, way);
                    let count = items.len();
                    run.items.splice(index..=index, items);
                    index += count - 1;
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

    /// What is compared to zero in place of a remainder is compared to the factor.
    fn compare_to_factors(&self, body: &mut Expr) {
        if self.factors.is_empty() {
            return;
        }
        body.walk_mut(&mut |run| {
            for item in &mut run.items {
                let Some((Simple::Var(of), 0)) = equality(item) else { continue };
                let Some((kind, factor)) = self.factors.get(&of).copied() else { continue };
                let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                let is_negated = matches!(
                    prim,
                    Prim::PhysEqual { negated: true } | Prim::IntCompare { op: IntCmp::Ne, .. }
                );
                let op = if is_negated { IntCmp::Ge } else { IntCmp::Lt };
                *prim = Prim::IntCompare { op, kind };
                *args = smallvec![of.into(), Simple::Const(fold::int(kind, factor))];
            }
        });
    }

    /// How a division is done without a correction.
    fn way(&self, division: Division) -> Option<Way> {
        let Division { var, kind, divisor, .. } = division;
        match self.greatest.get(&var) {
            Some(_) if division.is_by_power_of_two() => {
                Some(if division.is_remainder { Way::Mask(divisor - 1) } else { Way::Shift })
            }
            Some(greatest) => {
                // With a quotient in scope the remainder takes no more than that.
                let is_known = self.quotients.get(division.key()).is_some();
                let is_asked = !is_known && self.asked.get(&var) == Some(&Asked::OnlyZero);
                match factor_and_bits(kind, *greatest, divisor).filter(|_| is_asked) {
                    Some((factor, bits)) => Some(Way::LowBits { factor, bits }),
                    None => factor_and_shift(kind, *greatest, divisor)
                        .map(|(factor, shift)| Way::Product { factor, shift }),
                }
            }
            None if !division.is_by_power_of_two() => None,
            None => match self.asked.get(&var)? {
                Asked::OnlyZero => Some(Way::MaskOfAsked(divisor - 1)),
                // With the sign, what is negative is none of them.
                Asked::OnlyPositive => Some(Way::MaskOfAsked(extremes(kind).0 | (divisor - 1))),
                Asked::More => None,
            },
        }
    }

    fn items(&mut self, division: Division, way: Way) -> SmallVec<[Item; 4]> {
        let Division { var, is_remainder, kind, dividend, divisor, dbg } = division;
        let constant = |n| Simple::Const(fold::int(kind, n));
        let bind = |var, prim, args: [Simple; 2]| Item::Let {
            var,
            named: Named::Prim { prim, args: smallvec![args[0], args[1]], exn: None },
            dbg,
        };
        let arith = |var, op, args| bind(var, Prim::IntArith { op, kind }, args);
        let shift = |var, of, by| {
            let by = if kind == IntKind::Tagged { Simple::tagged(by) } else { Simple::naked_imm(by) };
            bind(var, Prim::IntShift { op: ShiftOp::Asr, kind }, [of, by])
        };
        match way {
            Way::Mask(mask) | Way::MaskOfAsked(mask) => {
                smallvec![arith(var, IntOp::And, [dividend, constant(mask)])]
            }
            Way::Shift => smallvec![shift(var, dividend, i64::from(divisor.trailing_zeros()))],
            Way::LowBits { factor, bits } => {
                let product = self.unit.new_variable("product", kind.kind(), Subkind::Any);
                self.factors.insert(var, (kind, factor));
                smallvec![
                    arith(product, IntOp::Mul, [dividend, constant(factor)]),
                    arith(var, IntOp::And, [product.into(), constant((1 << bits) - 1)]),
                ]
            }
            Way::Product { factor, shift: by } => {
                let mut items = SmallVec::new();
                let key = division.key();
                let quotient = match self.quotients.get(key) {
                    Some(known) if !is_remainder => {
                        return smallvec![Item::Let { var, named: Named::Simple(known.into()), dbg }];
                    }
                    Some(known) => known,
                    None => {
                        let product = self.unit.new_variable("product", kind.kind(), Subkind::Any);
                        items.push(arith(product, IntOp::Mul, [dividend, constant(factor)]));
                        let quotient = if is_remainder {
                            self.unit.new_variable("quotient", kind.kind(), Subkind::Any)
                        } else {
                            var
                        };
                        items.push(shift(quotient, product.into(), by));
                        self.quotients.bind(key, quotient);
                        quotient
                    }
                };
                if is_remainder {
                    items.extend(left_by(self.unit, key, quotient, var, dbg));
                }
                items
            }
        }
    }
}

/// How a division by a constant is done.
#[derive(Clone, Copy)]
enum Way {
    /// A shift to the right, by a power of two.
    Shift,
    /// The low bits, of what is not negative.
    Mask(i64),
    /// A mask whose result is equal to the constants that the remainder is compared to where the remainder is.
    MaskOfAsked(i64),
    /// A product whose low bits are less than the factor where the remainder is zero.
    LowBits { factor: i64, bits: i64 },
    /// A product whose high bits are the quotient.
    Product { factor: i64, shift: i64 },
}

impl Way {
    fn rewrite(self) -> Rewrite {
        match self {
            Way::Shift | Way::Mask(_) | Way::Product { .. } => Rewrite::Division,
            Way::MaskOfAsked(_) | Way::LowBits { .. } => Rewrite::AskedRemainder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_give_the_quotients_of_all_dividends() {
        for kind in [IntKind::Tagged, IntKind::Naked, IntKind::Int32, IntKind::Int64] {
            for divisor in (3..300).chain([641, 1000, 3600, 10007, 65521, 1_000_003, 1_000_000_007]) {
                for greatest in (0..62).flat_map(|bits| [(1_i64 << bits) - 1, 1 << bits]).chain([80, 999]) {
                    let greatest = greatest.min(extremes(kind).1);
                    let Some((factor, shift)) = factor_and_shift(kind, greatest, divisor) else { continue };
                    let multiple = greatest / divisor * divisor;
                    let near = [0, 1, divisor - 1, divisor, multiple - 1, multiple, greatest - 1, greatest];
                    for n in near.into_iter().filter(|n| (0..=greatest).contains(n)) {
                        let product = n.checked_mul(factor).filter(|product| *product <= extremes(kind).1);
                        assert_eq!(
                            product.map(|product| product >> shift),
                            Some(n / divisor),
                            "{n} / {divisor}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn low_bits_are_less_than_the_factor_for_multiples_alone() {
        for divisor in 3..300 {
            for greatest in [1, 2, 5, 80, 255, 999, 4095, 10_000, 65_535, 100_000] {
                let Some((factor, bits)) = factor_and_bits(IntKind::Tagged, greatest, divisor) else {
                    continue;
                };
                for n in 0..=greatest {
                    let low = (n * factor) & ((1 << bits) - 1);
                    assert_eq!(low < factor, n % divisor == 0, "{n} mod {divisor}");
                }
            }
        }
    }

    #[test]
    fn small_dividends_need_small_factors() {
        assert_eq!(factor_and_shift(IntKind::Tagged, 0xffff, 10), Some((52429, 19)));
        assert_eq!(factor_and_shift(IntKind::Tagged, extremes(IntKind::Tagged).1, 10), None);
    }
}
