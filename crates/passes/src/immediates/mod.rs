//! Polymorphic comparisons test for immediates first, and call the runtime system for the rest (features D12).
//! `docs/passes/immediates.md` shows it.
//!
//! The runtime's functions recognise immediates by the same bits, and compare them as the instruction does; one
//! immediate and one pointer they treat specially (blocks that forward, custom blocks), so both are tested.

use flambeau_ir::prim::Comparison;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, CodeId, Continuation, Dbg, ExnCont, Expr, IntKind, Item, Kind, Named, Prim, Rewrite, Rewrites,
    Simple, Subkind, Switch, Terminator, Unit, Variable,
};
use smallvec::SmallVec;

/// Expands the comparisons of a unit, but for the code of the toplevel, which runs once. On entry and on exit the unit
/// is well-formed.
pub fn immediates(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, code, body| {
        if code.is_none() {
            return false;
        }
        let mut expansion = Expansion { unit, rewrites, code, changed: false };
        expansion.expr(body);
        expansion.changed
    })
}

/// A call of the runtime's comparison.
struct Call {
    result: Variable,
    prim: Prim,
    args: SmallVec<[Simple; 3]>,
    exn: Option<Box<ExnCont>>,
    dbg: Dbg,
}

struct Expansion<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    changed: bool,
}

impl Expansion<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        deep(|| {
            let mut items = Vec::with_capacity(expr.items.len());
            for mut item in std::mem::take(&mut expr.items) {
                match &mut item {
                    Item::Join { body, .. } => self.expr(body),
                    Item::LetCont { handlers, .. } => {
                        handlers.iter_mut().for_each(|handler| self.expr(&mut handler.body));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
                items.push(self.item(item));
            }
            expr.items = items;
            if let Terminator::Try { body, .. } = &mut expr.terminator {
                self.expr(body);
            }
        });
    }

    fn item(&mut self, item: Item) -> Item {
        let Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } = item else { return item };
        let comparison = match &prim {
            Prim::CCall(external) if !external.tested => external.comparison(),
            _ => None,
        };
        let call = Call { result: var, prim, args, exn, dbg };
        match comparison {
            Some(comparison) if self.allow() => self.expand(comparison, call),
            _ => {
                let named = Named::Prim { prim: call.prim, args: call.args, exn: call.exn };
                Item::Let { var, named, dbg }
            }
        }
    }

    fn allow(&mut self) -> bool {
        let allowed = self.rewrites.allow(Rewrite::ImmediateComparison, self.unit, self.code);
        self.changed |= allowed;
        allowed
    }

    /// ```text
    /// join after (result) {
    ///   cont slow { let r = c_call (x, y)  after (r) }
    ///   cont second { let b = is_int (y)  switch b { 0 -> slow, _ -> fast } }   (* for each argument *)
    ///   let a = is_int (x)  switch a { 0 -> slow, _ -> second }
    /// }
    /// ```
    fn expand(&mut self, comparison: Comparison, mut call: Call) -> Item {
        let after = self.unit.new_continuation("compared");
        let slow = self.unit.new_continuation("slow");
        let tests: SmallVec<[Simple; 2]> =
            call.args.iter().copied().filter(|arg| !matches!(arg, Simple::Const(_))).collect();
        let dbg = call.dbg;
        let (result, args) = (call.result, call.args.clone());
        if let Prim::CCall(external) = &mut call.prim {
            external.tested = true;
        }
        let handler = self.slow(after, call);
        let mut body = self.fast(after, comparison, &args, dbg);
        for arg in tests.iter().rev() {
            body = self.test(*arg, slow, body, dbg);
        }
        body.items.insert(0, Item::let_cont(slow, handler));
        Item::Join { cont: after, params: SmallVec::from_slice(&[result]), body: Box::new(body) }
    }

    fn slow(&mut self, after: Continuation, call: Call) -> Expr {
        let var = self.unit.new_value("compared");
        let named = Named::Prim { prim: call.prim, args: call.args, exn: call.exn };
        let terminator = Terminator::ApplyCont(jump(after, &[var.into()]));
        Expr { items: vec![Item::Let { var, named, dbg: call.dbg }], terminator }
    }

    /// Both are immediates.
    fn fast(&mut self, after: Continuation, comparison: Comparison, args: &[Simple], dbg: Dbg) -> Expr {
        let kind = IntKind::Tagged;
        let mut items = Vec::new();
        let mut bind = |var: Variable, prim: Prim, args: &[Simple]| {
            let named = Named::Prim { prim, args: SmallVec::from_slice(args), exn: None };
            items.push(Item::Let { var, named, dbg });
        };
        let result = self.unit.new_value("compared");
        match comparison {
            Comparison::ThreeWay => bind(result, Prim::IntCompare3 { kind }, args),
            Comparison::Test(op) => {
                let test = self.unit.new_variable("test", Kind::NakedImmediate, Subkind::Any);
                bind(test, Prim::IntCompare { op, kind }, args);
                bind(result, Prim::Tag, &[test.into()]);
            }
        }
        Expr { items, terminator: Terminator::ApplyCont(jump(after, &[result.into()])) }
    }

    /// A body for immediates alone.
    fn test(&mut self, arg: Simple, slow: Continuation, immediate: Expr, dbg: Dbg) -> Expr {
        let is_int = self.unit.new_variable("is_int", Kind::NakedImmediate, Subkind::Any);
        let cont = self.unit.new_continuation("immediate");
        let named = Named::Prim { prim: Prim::IsInt, args: SmallVec::from_slice(&[arg]), exn: None };
        let switch = Switch {
            scrutinee: is_int.into(),
            arms: vec![(0, jump(slow, &[]))],
            default: Some(jump(cont, &[])),
            dbg,
        };
        Expr {
            items: vec![Item::Let { var: is_int, named, dbg }, Item::let_cont(cont, immediate)],
            terminator: Terminator::Switch(Box::new(switch)),
        }
    }
}

fn jump(cont: Continuation, args: &[Simple]) -> ApplyCont {
    ApplyCont { cont, args: SmallVec::from_slice(args) }
}
