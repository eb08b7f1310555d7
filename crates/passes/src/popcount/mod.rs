//! Population count: code that counts the ones of an integer becomes a primitive, in three forms that programs have it
//! in: a loop, a function that calls itself, sums of parts. `docs/passes/popcount.md` shows them.

mod steps;
mod sums;

use flambeau_ir::{Dbg, IntKind, Item, Kind, Named, Prim, Rewrites, Simple, Unit, Variable};
use flambeau_simplify::fold;
use smallvec::smallvec;

/// Finds counts in all functions of a unit. On entry and on exit the unit is well-formed. The result says whether
/// anything was changed.
pub fn popcount(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let loops = steps::loops(unit, rewrites);
    let functions = steps::functions(unit, rewrites);
    let sums = unit.rewrite_bodies(|unit, code, body| sums::rewrite(unit, rewrites, code, body));
    loops | functions | sums
}

/// What computes the number of ones of an integer as an integer of another kind.
struct Count {
    of: Simple,
    of_kind: IntKind,
    kind: IntKind,
    dbg: Dbg,
}

impl Count {
    /// Adds it to items, for that variable.
    fn push(&self, unit: &mut Unit, items: &mut Vec<Item>, var: Variable) {
        let prim = Prim::PopCount { kind: self.of_kind };
        let (count, dbg) = (smallvec![self.of], self.dbg);
        if self.kind == IntKind::Naked {
            items.push(Item::Let { var, named: Named::Prim { prim, args: count, exn: None }, dbg });
            return;
        }
        let naked = unit.new_variable("ones", Kind::NakedImmediate, flambeau_ir::Subkind::Any);
        items.push(Item::Let { var: naked, named: Named::Prim { prim, args: count, exn: None }, dbg });
        let prim = match self.kind.kind() {
            Kind::Value => Prim::Tag,
            to => Prim::NumConv { from: Kind::NakedImmediate, to },
        };
        items.push(Item::Let {
            var,
            named: Named::Prim { prim, args: smallvec![naked.into()], exn: None },
            dbg,
        });
    }

    /// Adds it to items, for a new variable.
    fn push_new(&self, unit: &mut Unit, items: &mut Vec<Item>) -> Variable {
        let var = unit.new_variable("count", self.kind.kind(), flambeau_ir::Subkind::Any);
        self.push(unit, items, var);
        var
    }
}

/// Whether an atom is the constant *n*, of any integer kind.
fn is(simple: Simple, n: i64) -> bool {
    matches!(simple, Simple::Const(constant) if fold::as_int(constant) == Some(n))
}
