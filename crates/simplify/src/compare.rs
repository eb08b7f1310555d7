//! Comparison by functions of the runtime: polymorphic, of values whose representation is known (features D12), and of
//! known strings (D10).

use std::cmp::Ordering;

use flambeau_ir::prim::{Comparison, External, FloatCmp, IntCmp};
use flambeau_ir::{BoxedKind, IntKind, Prim, Simple, Subkind, tags};
use flambeau_types::{IntSet, Operands, Ty};

use crate::Simplifier;
use crate::prims::Outcome;

/// Which comparison a C function is, and whether it is that of strings alone.
fn comparison(external: &External) -> Option<(Comparison, bool)> {
    let polymorphic = external.comparison().map(|comparison| (comparison, false));
    polymorphic.or_else(|| external.comparison_of_strings().map(|comparison| (comparison, true)))
}

/// The result of a comparison, from the order of its operands.
fn outcome_of(comparison: Comparison, order: Ordering) -> Simple {
    let order = order as i64;
    Simple::tagged(match comparison {
        Comparison::ThreeWay => order,
        Comparison::Test(op) => i64::from(flambeau_types::machine::compare(op, order, 0)),
    })
}

impl Simplifier<'_> {
    /// Whether the static type of a value has immediates only: then what it is compared to is one, too. That some value
    /// is an immediate is not enough, others of its type may be blocks.
    fn is_of_immediate_type(&self, simple: Simple) -> bool {
        let Simple::Var(var) = simple else { return false };
        if self.unit.variables[var].subkind == Subkind::Immediate {
            return true;
        }
        self.env.definition(simple).is_some_and(|definition| {
            matches!(
                definition.prim,
                Prim::IntArith { kind: IntKind::Tagged, .. }
                    | Prim::IntShift { kind: IntKind::Tagged, .. }
                    | Prim::IntCompare3 { .. }
                    | Prim::FloatCompare3
            )
        })
    }

    pub(crate) fn c_call(&mut self, external: &External, args: &[Simple]) -> Outcome {
        if external.name == "caml_hash"
            && !external.tested
            && let Some(outcome) = self.hash(args)
        {
            return outcome;
        }
        if external.name == "caml_obj_tag"
            && let [value] = args
            && matches!(self.env.ty(*value), Ty::Variant(variant) if variant.is_immediate())
        {
            // Of blocks that are made in sight nothing is said: `Obj.set_tag` may have changed them.
            return Outcome::Atom(Simple::tagged(tags::OF_IMMEDIATES));
        }
        let (Some((comparison, of_strings)), [x, y]) = (comparison(external), args) else {
            return self.call_on_bytes(external, args).unwrap_or(Outcome::Keep(Ty::Unknown));
        };
        if let Some(order) = self.order_of_strings(*x, *y, of_strings) {
            return Outcome::Atom(outcome_of(comparison, order));
        }
        let result = match comparison {
            Comparison::ThreeWay => Ty::tagged(IntSet::range(-1, 1)),
            Comparison::Test(_) => Ty::tagged(IntSet::bool()),
        };
        let operands = |x: Simple, y: Simple| Operands::from_slice(&[x, y]);
        if of_strings {
            return Outcome::Keep(result);
        }
        let mut lets = Vec::new();
        let (prim, args) = match (self.env.ty(*x), self.env.ty(*y)) {
            (Ty::Variant(a), Ty::Variant(b)) if a.is_immediate() && b.is_immediate() => {
                (int_prim(comparison, IntKind::Tagged), operands(*x, *y))
            }
            (Ty::Boxed(a, _), Ty::Boxed(b, _)) if a == b => {
                let mut unbox = |simple: Simple| {
                    let var = self.unit.new_variable("unboxed", a.naked(), flambeau_ir::Subkind::Any);
                    lets.push((var, Prim::Unbox(a), Operands::from_slice(&[simple])));
                    Simple::Var(var)
                };
                let (x, y) = (unbox(*x), unbox(*y));
                (boxed_prim(comparison, a), operands(x, y))
            }
            _ if self.is_of_immediate_type(*x) || self.is_of_immediate_type(*y) => {
                (int_prim(comparison, IntKind::Tagged), operands(*x, *y))
            }
            _ => return Outcome::Keep(result),
        };
        match comparison {
            Comparison::ThreeWay => Outcome::Several(lets, prim, args),
            Comparison::Test(_) => {
                let immediate = flambeau_ir::Kind::NakedImmediate;
                let naked = self.unit.new_variable("test", immediate, flambeau_ir::Subkind::Any);
                lets.push((naked, prim, args));
                Outcome::Several(lets, Prim::Tag, Operands::from_slice(&[naked.into()]))
            }
        }
    }
}

fn int_prim(comparison: Comparison, kind: IntKind) -> Prim {
    match comparison {
        Comparison::ThreeWay => Prim::IntCompare3 { kind },
        Comparison::Test(op) => Prim::IntCompare { op, kind },
    }
}

fn boxed_prim(comparison: Comparison, kind: BoxedKind) -> Prim {
    let kind = match kind {
        BoxedKind::Float => return float_prim(comparison),
        BoxedKind::Int32 => IntKind::Int32,
        BoxedKind::Int64 => IntKind::Int64,
        BoxedKind::Nativeint => IntKind::Nativeint,
    };
    int_prim(comparison, kind)
}

/// Each test is false of NaN but `<>`, as the runtime's are; the three-way one is total.
fn float_prim(comparison: Comparison) -> Prim {
    let op = match comparison {
        Comparison::ThreeWay => return Prim::FloatCompare3,
        Comparison::Test(op) => match op {
            IntCmp::Eq => FloatCmp::Eq,
            IntCmp::Ne => FloatCmp::Ne,
            IntCmp::Lt | IntCmp::UnsignedLt => FloatCmp::Lt,
            IntCmp::Le => FloatCmp::Le,
            IntCmp::Gt => FloatCmp::Gt,
            IntCmp::Ge => FloatCmp::Ge,
        },
    };
    Prim::FloatCompare { op }
}
