//! Counts by sums of parts: of pairs of bits, then of groups of four, of bytes, of all bytes (by a multiplication, or
//! by halving again).

use flambeau_ir::prim::{IntOp, ShiftOp};
use flambeau_ir::{CodeId, Expr, IntKind, Item, Named, Prim, Rewrite, Rewrites, Simple, Unit, Variable};
use flambeau_simplify::fold;
use flambeau_types::machine::{width, wrap};
use rustc_hash::FxHashMap;

use super::{Count, is};

/// What operations compute, by the variables that their results are.
type Definitions = FxHashMap<Variable, (Prim, [Simple; 2])>;

/// Replaces the last operation of each such sum: what it is computed from is not needed any more then.
pub fn rewrite(unit: &mut Unit, rewrites: &mut Rewrites, code: Option<CodeId>, body: &mut Expr) -> bool {
    if !may_have_sums(body) {
        return false;
    }
    let sums = Sums { definitions: definitions(body) };
    let mut changed = false;
    body.walk_mut(&mut |run| {
        let mut index = 0;
        while index < run.items.len() {
            let count = match &run.items[index] {
                Item::Let { var, named: Named::Prim { prim, args, .. }, dbg } => sums
                    .whole(prim, args)
                    .map(|(of, kind)| (*var, Count { of, of_kind: kind, kind, dbg: *dbg })),
                _ => None,
            };
            if let Some((var, count)) = count
                && rewrites.allow(Rewrite::PopulationCount, unit, code)
            {
                let mut items = Vec::new();
                count.push(unit, &mut items, var);
                let added = items.len();
                run.items.splice(index..=index, items);
                index += added;
                changed = true;
            } else {
                index += 1;
            }
        }
    });
    changed
}

/// Whether a body masks groups of four: few do.
fn may_have_sums(body: &Expr) -> bool {
    let mut found = false;
    body.walk(&mut |run| {
        found |= run.items.iter().any(|item| match item {
            Item::Let {
                named: Named::Prim { prim: Prim::IntArith { op: IntOp::And, kind }, args, .. },
                ..
            } => args.iter().any(|arg| is_mask(*kind, *arg, 4)),
            _ => false,
        });
    });
    found
}

fn definitions(body: &Expr) -> Definitions {
    let mut found = Definitions::default();
    body.walk(&mut |run| {
        for item in &run.items {
            if let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item
                && let (Prim::IntArith { .. } | Prim::IntShift { .. }, [a, b]) = (prim, &args[..])
            {
                found.insert(*var, (prim.clone(), [*a, *b]));
            }
        }
    });
    found
}

struct Sums {
    definitions: Definitions,
}

impl Sums {
    /// The integer whose ones the result of an operation is the number of, and its kind.
    fn whole(&self, prim: &Prim, args: &[Simple]) -> Option<(Simple, IntKind)> {
        let (bytes, kind) = self.all_bytes(prim, args)?;
        let fours = self.bytes(kind, bytes)?;
        let pairs = self.masked_sum(kind, fours, 2)?;
        self.pairs(kind, pairs).map(|of| (of, kind))
    }

    /// The sum of all bytes: in the highest one after a multiplication, in the lowest one after adding halves.
    fn all_bytes(&self, prim: &Prim, args: &[Simple]) -> Option<(Simple, IntKind)> {
        match *prim {
            Prim::IntShift { op: ShiftOp::Lsr, kind } => {
                let ones = Simple::from(fold::int(kind, wrap(kind, 0x0101_0101_0101_0101)));
                let top = i64::from(width(kind).next_multiple_of(8)) - 8;
                let factors = self.operation(*args.first()?, Prim::IntArith { op: IntOp::Mul, kind })?;
                (is(*args.get(1)?, top)).then_some((other(factors, |arg| arg == ones)?, kind))
            }
            Prim::IntArith { op: IntOp::And, kind } => {
                let args = [*args.first()?, *args.get(1)?];
                let mut sum = other(args, |arg| is(arg, 0x7f) || is(arg, 0xff))?;
                let mut half = width(kind).next_multiple_of(8) / 2;
                while half >= 8 {
                    let parts = self.operation(sum, Prim::IntArith { op: IntOp::Add, kind })?;
                    sum = self.shifted_and_itself(kind, parts, half)?;
                    half /= 2;
                }
                Some((sum, kind))
            }
            _ => None,
        }
    }

    /// Of bytes that hold sums of two groups of four: the groups. A group is at most 4, so that it does not matter
    /// whether they are masked before they are added, or afterwards.
    fn bytes(&self, kind: IntKind, bytes: Simple) -> Option<Simple> {
        if let Some(groups) = self.masked_sum(kind, bytes, 4) {
            return Some(groups);
        }
        let sum = self.masked(kind, bytes, 4)?;
        let parts = self.operation(sum, Prim::IntArith { op: IntOp::Add, kind })?;
        self.shifted_and_itself(kind, parts, 4)
    }

    /// The integer of which an atom holds how many ones each pair of bits has.
    fn pairs(&self, kind: IntKind, pairs: Simple) -> Option<Simple> {
        if let Some([x, high]) = self.operation(pairs, Prim::IntArith { op: IntOp::Sub, kind }) {
            let high = self.masked(kind, high, 1)?;
            return (self.shifted(kind, high, 1)? == x).then_some(x);
        }
        self.masked_sum(kind, pairs, 1)
    }

    /// `(x land m) + ((x lsr n) land m)`, where the mask is that of every other group of `n` bits: the integer.
    fn masked_sum(&self, kind: IntKind, sum: Simple, n: u32) -> Option<Simple> {
        let [a, b] = self.operation(sum, Prim::IntArith { op: IntOp::Add, kind })?;
        let parts = [self.masked(kind, a, n)?, self.masked(kind, b, n)?];
        self.shifted_and_itself(kind, parts, n)
    }

    /// An integer that is the first, and by so much shifted the second of two, in any order.
    fn shifted_and_itself(&self, kind: IntKind, [a, b]: [Simple; 2], n: u32) -> Option<Simple> {
        let is_shifted = |x: Simple, shifted: Simple| self.shifted(kind, shifted, n) == Some(x);
        if is_shifted(a, b) { Some(a) } else { is_shifted(b, a).then_some(b) }
    }

    /// What `x` is before it is masked for every other group of `n` bits.
    fn masked(&self, kind: IntKind, x: Simple, n: u32) -> Option<Simple> {
        let args = self.operation(x, Prim::IntArith { op: IntOp::And, kind })?;
        other(args, |arg| is_mask(kind, arg, n))
    }

    /// What `x` is before it is shifted to the right by `n`.
    fn shifted(&self, kind: IntKind, x: Simple, n: u32) -> Option<Simple> {
        let [of, amount] = self.operation(x, Prim::IntShift { op: ShiftOp::Lsr, kind })?;
        is(amount, i64::from(n)).then_some(of)
    }

    /// The operands, if it is the result of that operation.
    fn operation(&self, of: Simple, operation: Prim) -> Option<[Simple; 2]> {
        let (prim, args) = self.definitions.get(&of.as_var()?)?;
        (*prim == operation).then_some(*args)
    }
}

/// The one of two operands beside the one for which that holds.
fn other([a, b]: [Simple; 2], holds: impl Fn(Simple) -> bool) -> Option<Simple> {
    if holds(b) { Some(a) } else { holds(a).then_some(b) }
}

/// Every other group of `n` bits, the lowest one among them.
fn mask(kind: IntKind, n: u32) -> i64 {
    let lowest = (1u64 << n) - 1;
    let all = (0..64).step_by(2 * n as usize).fold(0, |mask, at| mask | (lowest << at));
    wrap(kind, all as i64)
}

fn is_mask(kind: IntKind, simple: Simple, n: u32) -> bool {
    simple == Simple::from(fold::int(kind, mask(kind, n)))
}
