//! Comparisons of the results of comparisons with constants: truth values, three-way comparisons.

use flambeau_ir::prim::IntCmp;
use flambeau_ir::{Const, IntKind, Prim, Simple};
use flambeau_types::{IntSet, Operands, Ty};

use crate::Simplifier;
use crate::fold;
use crate::prims::Outcome;

impl Simplifier<'_> {
    /// `x op y` where `y` is a constant and `x` the result of a test.
    pub(crate) fn compare_to_constant(
        &self,
        op: IntCmp,
        kind: IntKind,
        x: Simple,
        y: Simple,
    ) -> Option<Outcome> {
        let n = self.env.constant(y, kind.kind()).and_then(fold::as_int)?;
        match kind {
            IntKind::Naked => self.test_of_truth(op, x, n),
            IntKind::Tagged => self.test_of_tagged(op, x, n),
            IntKind::Int32 | IntKind::Int64 | IntKind::Nativeint => None,
        }
    }

    /// A truth value, or its negation.
    fn test_of_truth(&self, op: IntCmp, x: Simple, n: i64) -> Option<Outcome> {
        let negated = match (op, n) {
            (IntCmp::Ne, 0) | (IntCmp::Eq, 1) => false,
            (IntCmp::Eq, 0) | (IntCmp::Ne, 1) => true,
            _ => return None,
        };
        let is_truth = matches!(self.env.ty(x), Ty::Int(set) if IntSet::bool().includes(&set));
        if !is_truth {
            return None;
        }
        if !negated {
            return Some(Outcome::Atom(x));
        }
        let definition = self.env.definition(x)?;
        negation(&definition.prim).map(|prim| Outcome::Prim(prim, definition.args.clone()))
    }

    /// A tagged integer that is the result of a test, or of a three-way comparison.
    fn test_of_tagged(&self, op: IntCmp, x: Simple, n: i64) -> Option<Outcome> {
        let definition = self.env.definition(x)?;
        match definition.prim {
            Prim::Tag => {
                let naked = Simple::Const(Const::NakedImmediate(n));
                let args = Operands::from_slice(&[definition.args[0], naked]);
                Some(Outcome::Prim(Prim::IntCompare { op, kind: IntKind::Naked }, args))
            }
            Prim::IntCompare3 { kind } => {
                let op = match (op, n) {
                    (IntCmp::UnsignedLt, _) => return None,
                    (op, 0) => op,
                    (IntCmp::Eq, 1) => IntCmp::Gt,
                    (IntCmp::Eq, -1) => IntCmp::Lt,
                    (IntCmp::Ne, 1) => IntCmp::Le,
                    (IntCmp::Ne, -1) => IntCmp::Ge,
                    _ => return None,
                };
                Some(Outcome::Prim(Prim::IntCompare { op, kind }, definition.args.clone()))
            }
            _ => None,
        }
    }

    /// Whether a variant is its only immediate, where it is known already whether it is one.
    pub(crate) fn is_immediate_of(&self, op: IntCmp, x: Simple, y: Simple) -> Option<Outcome> {
        let ((x, Simple::Const(Const::Tagged(n))) | (Simple::Const(Const::Tagged(n)), x)) = (x, y) else {
            return None;
        };
        let only = self.env.ty(x).immediates().and_then(|ints| ints.as_one()) == Some(n);
        let is_int = self.env.cse(&(Prim::IsInt, Operands::from_slice(&[x]), 0)).filter(|_| only)?;
        if op == IntCmp::Eq {
            return Some(Outcome::Atom(is_int));
        }
        let args = Operands::from_slice(&[is_int, Simple::naked_imm(0)]);
        Some(Outcome::Prim(Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Naked }, args))
    }
}

/// The test that is true where this one is false.
fn negation(prim: &Prim) -> Option<Prim> {
    Some(match prim {
        Prim::IntCompare { op, kind } => Prim::IntCompare { op: op.negated()?, kind: *kind },
        Prim::FloatCompare { op } => Prim::FloatCompare { op: op.negated() },
        Prim::PhysEqual { negated } => Prim::PhysEqual { negated: !negated },
        _ => return None,
    })
}
