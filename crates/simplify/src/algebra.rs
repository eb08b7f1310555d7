//! Algebra of integers: the table of rules, and how one is found and applied.
//!
//! A rule says that two terms are equal for all values of its variables, in the arithmetic of each kind, which wraps
//! around. The table is data: the simplifier matches left sides against definitions, and a test computes both sides of
//! each rule on values at the ends of each kind with the interpreter.

use flambeau_ir::prim::{IntOp, ShiftOp};
use flambeau_ir::{IntKind, Prim, Simple};
use flambeau_types::Operands;
use flambeau_types::machine::{arith, width};

use crate::Simplifier;
use crate::fold;
use crate::prims::Outcome;

/// An operation of two integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Arith(IntOp),
    Shift(ShiftOp),
    Div,
    Mod,
}

/// A side of a rule.
#[derive(Clone, Copy)]
enum Term {
    /// Any integers.
    X,
    Y,
    /// Constants.
    C,
    D,
    /// This constant.
    Is(i64),
    /// What is computed of the constants; nothing where the rule does not hold.
    Of(fn(IntKind, i64, i64) -> Option<i64>),
    /// An operation. One that commutes matches in both operand orders, but is not tried again where the rest of a rule
    /// does not match then.
    Op(Operation, &'static Term, &'static Term),
}

/// The left side is the right one.
struct Rule {
    left: Term,
    right: Term,
}

use Operation::{Arith, Div, Mod, Shift};
use Term::{C, D, Is, Of, Op, X, Y};

const ADD: Operation = Arith(IntOp::Add);
const SUB: Operation = Arith(IntOp::Sub);
const MUL: Operation = Arith(IntOp::Mul);
const AND: Operation = Arith(IntOp::And);
const OR: Operation = Arith(IntOp::Or);
const XOR: Operation = Arith(IntOp::Xor);
const LSL: Operation = Shift(ShiftOp::Lsl);
const LSR: Operation = Shift(ShiftOp::Lsr);
const ASR: Operation = Shift(ShiftOp::Asr);
const DIV: Operation = Div;
const MOD: Operation = Mod;

const fn rule(left: Term, right: Term) -> Rule {
    Rule { left, right }
}

/// Each by the operation that it begins with. Constants are folded before.
#[rustfmt::skip]
static RULES: &[Rule] = &[
    // Neutral and absorbing operands, operands that are the same.
    rule(Op(ADD, &X, &Is(0)), X),
    rule(Op(SUB, &X, &Is(0)), X),
    rule(Op(SUB, &X, &X), Is(0)),
    rule(Op(MUL, &X, &Is(0)), Is(0)),
    rule(Op(MUL, &X, &Is(1)), X),
    rule(Op(AND, &X, &Is(0)), Is(0)),
    rule(Op(AND, &X, &Is(-1)), X),
    rule(Op(AND, &X, &X), X),
    rule(Op(OR, &X, &Is(0)), X),
    rule(Op(OR, &X, &Is(-1)), Is(-1)),
    rule(Op(OR, &X, &X), X),
    rule(Op(XOR, &X, &Is(0)), X),
    rule(Op(XOR, &X, &X), Is(0)),
    rule(Op(LSL, &X, &Is(0)), X),
    rule(Op(LSR, &X, &Is(0)), X),
    rule(Op(ASR, &X, &Is(0)), X),
    rule(Op(DIV, &X, &Is(1)), X),
    rule(Op(MOD, &X, &Is(1)), Is(0)),
    rule(Op(MOD, &X, &Is(-1)), Is(0)),
    // What was added is subtracted.
    rule(Op(SUB, &Op(ADD, &X, &Y), &Y), X),
    rule(Op(SUB, &Op(ADD, &Y, &X), &Y), X),
    rule(Op(ADD, &Op(SUB, &X, &Y), &Y), X),
    rule(Op(SUB, &X, &Op(SUB, &X, &Y)), Y),
    rule(Op(SUB, &X, &Op(ADD, &X, &Y)), Op(SUB, &Is(0), &Y)),
    rule(Op(SUB, &X, &Op(ADD, &Y, &X)), Op(SUB, &Is(0), &Y)),
    rule(Op(SUB, &Op(SUB, &X, &Y), &X), Op(SUB, &Is(0), &Y)),
    rule(Op(XOR, &Op(XOR, &X, &Y), &Y), X),
    rule(Op(XOR, &Op(XOR, &Y, &X), &Y), X),
    rule(Op(AND, &Op(AND, &X, &Y), &Y), Op(AND, &X, &Y)),
    rule(Op(OR, &Op(OR, &X, &Y), &Y), Op(OR, &X, &Y)),
    rule(Op(AND, &Op(OR, &X, &Y), &Y), Y),
    rule(Op(OR, &Op(AND, &X, &Y), &Y), Y),
    // Constants that are next to each other.
    rule(Op(ADD, &Op(ADD, &X, &C), &D), Op(ADD, &X, &Of(|k, c, d| Some(arith(IntOp::Add, k, c, d))))),
    rule(Op(ADD, &Op(SUB, &X, &C), &D), Op(ADD, &X, &Of(|k, c, d| Some(arith(IntOp::Sub, k, d, c))))),
    rule(Op(SUB, &Op(ADD, &X, &C), &D), Op(ADD, &X, &Of(|k, c, d| Some(arith(IntOp::Sub, k, c, d))))),
    rule(Op(SUB, &Op(SUB, &X, &C), &D), Op(ADD, &X, &Of(|k, c, d| Some(arith(IntOp::Sub, k, c.wrapping_neg(), d))))),
    rule(Op(ADD, &Op(SUB, &C, &X), &D), Op(SUB, &Of(|k, c, d| Some(arith(IntOp::Add, k, c, d))), &X)),
    rule(Op(SUB, &Op(SUB, &C, &X), &D), Op(SUB, &Of(|k, c, d| Some(arith(IntOp::Sub, k, c, d))), &X)),
    rule(Op(SUB, &D, &Op(ADD, &X, &C)), Op(SUB, &Of(|k, c, d| Some(arith(IntOp::Sub, k, d, c))), &X)),
    rule(Op(SUB, &D, &Op(SUB, &X, &C)), Op(SUB, &Of(|k, c, d| Some(arith(IntOp::Add, k, d, c))), &X)),
    rule(Op(SUB, &D, &Op(SUB, &C, &X)), Op(ADD, &X, &Of(|k, c, d| Some(arith(IntOp::Sub, k, d, c))))),
    rule(Op(MUL, &Op(MUL, &X, &C), &D), Op(MUL, &X, &Of(|k, c, d| Some(arith(IntOp::Mul, k, c, d))))),
    rule(Op(AND, &Op(AND, &X, &C), &D), Op(AND, &X, &Of(|_, c, d| Some(c & d)))),
    rule(Op(OR, &Op(OR, &X, &C), &D), Op(OR, &X, &Of(|_, c, d| Some(c | d)))),
    rule(Op(XOR, &Op(XOR, &X, &C), &D), Op(XOR, &X, &Of(|_, c, d| Some(c ^ d)))),
    rule(Op(LSL, &Op(LSL, &X, &C), &D), Op(LSL, &X, &Of(shifts))),
    rule(Op(LSR, &Op(LSR, &X, &C), &D), Op(LSR, &X, &Of(shifts))),
    rule(Op(ASR, &Op(ASR, &X, &C), &D), Op(ASR, &X, &Of(shifts))),
    rule(Op(LSL, &Op(LSR, &X, &C), &C), Op(AND, &X, &Of(|k, c, _| fold::shift(ShiftOp::Lsl, k, -1, c)))),
    rule(Op(LSL, &Op(ASR, &X, &C), &C), Op(AND, &X, &Of(|k, c, _| fold::shift(ShiftOp::Lsl, k, -1, c)))),
    rule(Op(LSR, &Op(LSL, &X, &C), &C), Op(AND, &X, &Of(|k, c, _| fold::shift(ShiftOp::Lsr, k, -1, c)))),
];

/// One shift instead of two, if the sum is a valid amount: amounts outside the width have unspecified results.
fn shifts(kind: IntKind, c: i64, d: i64) -> Option<i64> {
    let width = i64::from(width(kind));
    let amounts = 0..width;
    (amounts.contains(&c) && amounts.contains(&d) && c + d < width).then_some(c + d)
}

impl Operation {
    fn of(prim: &Prim) -> Option<(Operation, IntKind)> {
        Some(match prim {
            Prim::IntArith { op, kind } => (Arith(*op), *kind),
            Prim::IntShift { op, kind } => (Shift(*op), *kind),
            Prim::IntDiv { kind } => (Div, *kind),
            Prim::IntMod { kind } => (Mod, *kind),
            _ => return None,
        })
    }

    fn prim(self, kind: IntKind) -> Prim {
        match self {
            Arith(op) => Prim::IntArith { op, kind },
            Shift(op) => Prim::IntShift { op, kind },
            Div => Prim::IntDiv { kind },
            Mod => Prim::IntMod { kind },
        }
    }

    fn commutes(self) -> bool {
        matches!(self, Arith(op) if op != IntOp::Sub)
    }

    /// The kind of the second operand.
    fn second(self, kind: IntKind) -> IntKind {
        match (self, kind) {
            (Shift(_), IntKind::Tagged) => IntKind::Tagged,
            (Shift(_), _) => IntKind::Naked,
            _ => kind,
        }
    }
}

/// What a match has found.
#[derive(Clone, Copy, Default)]
struct Found {
    x: Option<Simple>,
    y: Option<Simple>,
    c: Option<i64>,
    d: Option<i64>,
}

impl Simplifier<'_> {
    /// What an operation on integers is equal to by one of the rules.
    pub(crate) fn by_algebra(&self, prim: &Prim, args: &[Simple]) -> Option<Outcome> {
        let (operation, kind) = Operation::of(prim)?;
        let [x, y] = args else { return None };
        RULES.iter().find_map(|rule| {
            let Op(of, left, right) = rule.left else { return None };
            if of != operation {
                return None;
            }
            let found = self.match_operands(operation, kind, (left, right), (*x, *y), Found::default())?;
            let (outcome, is_same) = build(&rule.right, kind, found, (prim, args))?;
            (!is_same).then_some(outcome)
        })
    }

    fn match_operands(
        &self,
        operation: Operation,
        kind: IntKind,
        (left, right): (&Term, &Term),
        (x, y): (Simple, Simple),
        found: Found,
    ) -> Option<Found> {
        let second = operation.second(kind);
        let try_both = |x, y| {
            let found = self.match_term(left, kind, x, found)?;
            self.match_term(right, second, y, found)
        };
        try_both(x, y).or_else(|| if operation.commutes() { try_both(y, x) } else { None })
    }

    fn match_term(&self, term: &Term, kind: IntKind, simple: Simple, mut found: Found) -> Option<Found> {
        let constant = || self.env.constant(simple, kind.kind()).and_then(fold::as_int);
        let is_consistent = match term {
            X => *found.x.get_or_insert(simple) == simple,
            Y => *found.y.get_or_insert(simple) == simple,
            C => {
                let n = constant()?;
                *found.c.get_or_insert(n) == n
            }
            D => {
                let n = constant()?;
                *found.d.get_or_insert(n) == n
            }
            Is(n) => constant()? == *n,
            Of(_) => false,
            Op(operation, left, right) => {
                let definition = self.env.definition(simple)?;
                let (of, of_kind) = Operation::of(&definition.prim)?;
                let [x, y] = definition.args[..] else { return None };
                if of != *operation || of_kind != kind {
                    return None;
                }
                let (x, y) = (self.env.canonical(x), self.env.canonical(y));
                return self.match_operands(of, kind, (left, right), (x, y), found);
            }
        };
        is_consistent.then_some(found)
    }
}

/// The right side, and whether it is the present operation itself.
fn build(term: &Term, kind: IntKind, found: Found, is: (&Prim, &[Simple])) -> Option<(Outcome, bool)> {
    match term {
        Op(operation, left, right) => {
            let operands =
                [atom(left, kind, kind, found)?, atom(right, operation.second(kind), kind, found)?];
            let prim = operation.prim(kind);
            let is_same = prim == *is.0 && operands[..] == *is.1;
            Some((Outcome::Prim(prim, Operands::from_slice(&operands)), is_same))
        }
        term => Some((Outcome::Atom(atom(term, kind, kind, found)?), false)),
    }
}

/// An operand of that kind, in a term whose operation is of the kind `of`.
fn atom(term: &Term, kind: IntKind, of: IntKind, found: Found) -> Option<Simple> {
    let constant = |n| Simple::Const(fold::int(kind, n));
    match term {
        X => found.x,
        Y => found.y,
        C => found.c.map(constant),
        D => found.d.map(constant),
        Is(n) => Some(constant(*n)),
        Of(f) => f(of, found.c?, found.d.unwrap_or_default()).map(constant),
        Op(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flambeau_interp::compute;
    use flambeau_types::machine::extremes;

    const KINDS: [IntKind; 5] =
        [IntKind::Tagged, IntKind::Naked, IntKind::Int32, IntKind::Int64, IntKind::Nativeint];

    /// Values at the ends of the kind, and small ones.
    fn boundaries(kind: IntKind) -> Vec<i64> {
        let (least, greatest) = extremes(kind);
        let half = 1i64 << (width(kind) / 2);
        let mut all = vec![0, 1, 2, 3, 5, 31, 62, 63, -1, -2, -7, half, half - 1, -half];
        all.extend([least, least + 1, greatest, greatest - 1, greatest / 2 + 1]);
        all
    }

    struct Values {
        x: i64,
        y: i64,
        c: i64,
        d: i64,
    }

    /// What a term is, as the interpreter computes it; nothing where it is not defined.
    fn value(term: &Term, kind: IntKind, outer: IntKind, values: &Values) -> Option<i64> {
        Some(match term {
            X => values.x,
            Y => values.y,
            C => values.c,
            D => values.d,
            Is(n) => *n,
            Of(f) => f(outer, values.c, values.d)?,
            Op(operation, left, right) => {
                let second = operation.second(kind);
                let x = value(left, kind, outer, values)?;
                let y = value(right, second, outer, values)?;
                if matches!(operation, Shift(_)) && !(0..i64::from(width(kind))).contains(&y) {
                    return None;
                }
                compute(&operation.prim(kind), x, y)?
            }
        })
    }

    #[test]
    fn both_sides_of_each_rule_are_equal() {
        for (index, rule) in RULES.iter().enumerate() {
            for kind in KINDS {
                let all = boundaries(kind);
                let mut compared = 0;
                for &x in &all {
                    for &y in &all {
                        // All pairs of constants, and of integers: the constants at pairs that the integers have, too.
                        for &c in &all {
                            let d = all[compared % all.len()];
                            for (c, d) in [(c, d), (c, y), (y, c)] {
                                let values = Values { x, y, c, d };
                                let Some(left) = value(&rule.left, kind, kind, &values) else { continue };
                                let Some(right) = value(&rule.right, kind, kind, &values) else { continue };
                                assert_eq!(left, right, "rule {index} at {kind:?}: {x} {y} {c} {d}");
                                compared += 1;
                            }
                        }
                    }
                }
                assert!(compared > 0, "rule {index} says nothing of {kind:?}");
            }
        }
    }
}
