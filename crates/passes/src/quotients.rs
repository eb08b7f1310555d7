//! The quotients that are in scope, from which remainders are computed ([`crate::remainders`], [`crate::divisions`]).

use flambeau_ir::prim::IntOp;
use flambeau_ir::{Dbg, IntKind, Item, Named, Prim, Simple, Subkind, Unit, Variable};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// A division of integers: of which kind, of what, by what.
pub(crate) type Division = (IntKind, Simple, Simple);

/// The quotients that are in scope at a program point.
#[derive(Default)]
pub(crate) struct Quotients {
    known: FxHashMap<Division, Variable>,
    /// The divisions in the order in which their quotients were bound.
    order: Vec<Division>,
}

/// Where a run begins: how many quotients are in scope there.
#[derive(Clone, Copy)]
pub(crate) struct Beginning(usize);

impl Quotients {
    pub(crate) fn get(&self, division: Division) -> Option<Variable> {
        self.known.get(&division).copied()
    }

    /// Records a quotient until the end of the run. One that is known already stays: it has the larger scope.
    pub(crate) fn bind(&mut self, division: Division, quotient: Variable) {
        self.known.entry(division).or_insert_with(|| {
            self.order.push(division);
            quotient
        });
    }

    pub(crate) fn begin(&self) -> Beginning {
        Beginning(self.order.len())
    }

    /// Forgets what was bound since the beginning of the run.
    pub(crate) fn end(&mut self, run: Beginning) {
        for division in self.order.drain(run.0..) {
            self.known.remove(&division);
        }
    }
}

/// A remainder as what is left of the dividend without the quotient times the divisor.
pub(crate) fn left_by(
    unit: &mut Unit,
    (kind, dividend, divisor): Division,
    quotient: Variable,
    remainder: Variable,
    dbg: Dbg,
) -> [Item; 2] {
    let product = unit.new_variable("product", kind.kind(), Subkind::Any);
    let item = |var: Variable, op: IntOp, args: [Simple; 2]| {
        let prim = Prim::IntArith { op, kind };
        Item::Let { var, named: Named::Prim { prim, args: smallvec![args[0], args[1]], exn: None }, dbg }
    };
    [
        item(product, IntOp::Mul, [quotient.into(), divisor]),
        item(remainder, IntOp::Sub, [dividend, product.into()]),
    ]
}
