//! Boxes of results, where calls need them.

use flambeau_ir::prim::{FloatCmp, FloatOp, IntCmp};
use flambeau_ir::{
    ApplyCont, BoxedKind, Const, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Kind, Named, Prim,
    Simple, Subkind, Switch, Symbol, Terminator, Unit, Variable,
};
use smallvec::SmallVec;

/// Boxes the result of the call that ends a run, for the continuation that it returns to; `constant`: a box that exists,
/// and its number. Returns the continuation of the number.
pub(super) fn box_result(
    unit: &mut Unit,
    expr: &mut Expr,
    kind: BoxedKind,
    constant: Option<(Symbol, Const)>,
) -> Continuation {
    let cont = unit.new_continuation("number");
    let number = unit.new_variable("number", kind.naked(), Subkind::Any);
    let boxed = unit.new_variable("result", Kind::Value, Subkind::Boxed(kind));
    let end = std::mem::replace(&mut expr.terminator, Terminator::Unreachable);
    let Terminator::Apply(mut apply) = end else {
        expr.terminator = end;
        return cont;
    };
    let ret = std::mem::replace(&mut apply.ret, cont);
    let dbg = apply.dbg;
    let call = Expr { items: Vec::new(), terminator: Terminator::Apply(apply) };
    expr.items.push(Item::Join { cont, params: SmallVec::from_slice(&[number]), body: Box::new(call) });
    let named =
        Named::Prim { prim: Prim::Box(kind), args: SmallVec::from_slice(&[number.into()]), exn: None };
    let fresh = Item::Let { var: boxed, named, dbg };
    let give_fresh = Terminator::ApplyCont(jump(ret, Some(boxed.into())));
    let Some((symbol, value)) = constant else {
        expr.items.push(fresh);
        expr.terminator = give_fresh;
        return cont;
    };
    let allocate = unit.new_continuation("fresh");
    expr.items.push(one_handler(allocate, Expr { items: vec![fresh], terminator: give_fresh }));
    let test = Test { kind, number, same: jump(ret, Some(symbol.into())), other: jump(allocate, None) };
    test.end(unit, expr, value);
    cont
}

fn jump(cont: Continuation, arg: Option<Simple>) -> ApplyCont {
    ApplyCont { cont, args: arg.into_iter().collect() }
}

fn one_handler(cont: Continuation, body: Expr) -> Item {
    let handlers = vec![ContHandler { cont, params: SmallVec::new(), body }];
    Item::LetCont { recursive: false, handlers }
}

fn bind(unit: &mut Unit, items: &mut Vec<Item>, kind: Kind, prim: Prim, args: [Simple; 2]) -> Simple {
    let var = unit.new_variable("test", kind, Subkind::Any);
    let named = Named::Prim { prim, args: SmallVec::from_slice(&args), exn: None };
    items.push(Item::Let { var, named, dbg: Dbg::NONE });
    var.into()
}

/// A test whether a number is a constant, bit by bit: a zero has its sign, and what is not a number never is.
struct Test {
    kind: BoxedKind,
    number: Variable,
    same: ApplyCont,
    other: ApplyCont,
}

impl Test {
    /// Ends a run with the test.
    fn end(self, unit: &mut Unit, expr: &mut Expr, constant: Const) {
        let equal = match self.kind {
            BoxedKind::Float => Prim::FloatCompare { op: FloatCmp::Eq },
            BoxedKind::Int32 => Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Int32 },
            BoxedKind::Int64 => Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Int64 },
            BoxedKind::Nativeint => Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Nativeint },
        };
        let same = match constant {
            Const::NakedFloat(bits) if f64::from_bits(bits) == 0. => {
                let sign = unit.new_continuation("zero");
                let handler = self.sign(unit, f64::from_bits(bits).is_sign_negative());
                expr.items.push(one_handler(sign, handler));
                jump(sign, None)
            }
            _ => self.same.clone(),
        };
        let args = [self.number.into(), Simple::Const(constant)];
        let is_equal = bind(unit, &mut expr.items, Kind::NakedImmediate, equal, args);
        expr.terminator = self.branch(is_equal, same);
    }

    /// Tests the sign of a zero: that of its inverse.
    fn sign(&self, unit: &mut Unit, is_negative: bool) -> Expr {
        let float = |float: f64| Simple::Const(Const::NakedFloat(float.to_bits()));
        let mut items = Vec::new();
        let divide = Prim::FloatArith { op: FloatOp::Div };
        let inverse = bind(unit, &mut items, Kind::NakedFloat, divide, [float(1.), self.number.into()]);
        let op = if is_negative { FloatCmp::Lt } else { FloatCmp::Gt };
        let compare = Prim::FloatCompare { op };
        let has_sign = bind(unit, &mut items, Kind::NakedImmediate, compare, [inverse, float(0.)]);
        Expr { items, terminator: self.branch(has_sign, self.same.clone()) }
    }

    fn branch(&self, scrutinee: Simple, same: ApplyCont) -> Terminator {
        let arms = vec![(0, self.other.clone())];
        Terminator::Switch(Box::new(Switch { scrutinee, arms, default: Some(same), dbg: Dbg::NONE }))
    }
}
