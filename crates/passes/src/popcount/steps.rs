//! Counts in steps, each of which takes a one (`x land (x - 1)`) or the last bit (`x lsr 1`) away, until none is left:
//! by a loop, or by a function that calls itself.

use flambeau_ir::prim::{IntCmp, IntOp, ShiftOp};
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeId, ContHandler, Dbg, Expr, IntKind, Item, Kind, Named, Prim,
    Rewrite, Rewrites, Simple, Subkind, Switch, Terminator, Unit, Variable,
};
use flambeau_simplify::fold;
use smallvec::smallvec;

use super::{Count, is};
use crate::loops;

/// Lets loops that count begin where they end: with no one left, and all counted. That the loop is done then is for the
/// simplifier to find.
pub fn loops(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let changed = loops::rewrite(unit, rewrites, |rewriting, expr, index| {
        let (Item::LetCont { handlers, .. }, Terminator::ApplyCont(entry)) =
            (&expr.items[index], &mut expr.terminator)
        else {
            return false;
        };
        let Some(counting) = Counting::of_loop(&handlers[0]) else { return false };
        let Counting { of, total, step, kind, dbg } = counting;
        let begins_there = matches!(entry.args[of], Simple::Const(_));
        if begins_there || !rewriting.allow(Rewrite::PopulationCount) {
            return false;
        }
        let mut items = Vec::new();
        let count = Count { of: entry.args[of], of_kind: step.kind, kind, dbg };
        let count = count.push_new(rewriting.unit, &mut items);
        let sum = rewriting.unit.new_variable("total", kind.kind(), Subkind::Any);
        let prim = Prim::IntArith { op: IntOp::Add, kind };
        let args = smallvec![entry.args[total], count.into()];
        items.push(Item::Let { var: sum, named: Named::Prim { prim, args, exn: None }, dbg });
        entry.args[of] = fold::int(step.kind, 0).into();
        entry.args[total] = sum.into();
        expr.items.extend(items);
        true
    });
    !changed.is_empty()
}

/// Replaces the bodies of functions that count by calling themselves.
pub fn functions(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut changed = false;
    for id in unit.codes.keys().collect::<Vec<_>>() {
        let Some((of_kind, dbg)) = counts(id, &unit.codes[id]) else { continue };
        if !rewrites.allow(Rewrite::PopulationCount, unit, Some(id)) {
            continue;
        }
        let Code { params, ret, .. } = &unit.codes[id];
        let (of, cont) = (params[0].into(), *ret);
        let mut items = Vec::new();
        let count = Count { of, of_kind, kind: IntKind::Tagged, dbg }.push_new(unit, &mut items);
        let terminator = Terminator::ApplyCont(ApplyCont { cont, args: smallvec![count.into()] });
        let code = &mut unit.codes[id];
        code.recursive = false;
        std::mem::replace(&mut code.body, Expr { items, terminator }).dismantle();
        changed = true;
    }
    changed
}

/// A loop that adds the number of ones of one parameter to another, and does nothing else before it is done.
struct Counting {
    /// The positions of the integer and of the count.
    of: usize,
    total: usize,
    step: Step,
    /// Of the count.
    kind: IntKind,
    dbg: Dbg,
}

impl Counting {
    fn of_loop(repeated: &ContHandler) -> Option<Counting> {
        let test = Test::of(&repeated.body)?;
        let Terminator::ApplyCont(back) = &test.again.terminator else { return None };
        let params = || repeated.params.iter().copied().zip(&back.args).enumerate();
        if back.cont != repeated.cont || test.again.items.len() != 3 {
            return None;
        }
        let (of, (_, rest)) = params().find(|(_, (param, _))| *param == test.of)?;
        let items = &test.again.items;
        let step = Step::of(items, test.of, *rest)?;
        let (total, kind) = params()
            .filter(|(at, _)| *at != of)
            .find_map(|(at, (param, next))| Some((at, step.adds(items, param.into(), *next)?)))?;
        let unchanged = params()
            .filter(|(at, _)| *at != of && *at != total)
            .all(|(_, (param, next))| *next == Simple::Var(param));
        unchanged.then_some(Counting { of, total, step, kind, dbg: test.dbg })
    }
}

/// Whether a function counts the ones of its parameter: of which kind, and where.
fn counts(id: CodeId, code: &Code) -> Option<(IntKind, Dbg)> {
    let [param] = code.params[..] else { return None };
    let test = Test::of(&code.body)?;
    let zero = Simple::tagged(0);
    let Terminator::ApplyCont(end) = &test.again.terminator else { return None };
    if test.of != param
        || code.result != Kind::Value
        || test.done.cont != code.ret
        || test.done.args[..] != [zero]
        || end.cont != code.ret
        || test.again.items.len() != 4
    {
        return None;
    }
    let (rest, rest_count) = test.again.items.iter().find_map(|item| match item {
        Item::Join { cont, params, body } if body.items.is_empty() => match (&body.terminator, &params[..]) {
            (Terminator::Apply(apply), [result]) if apply.ret == *cont => {
                Some((argument_of_itself(id, apply)?, *result))
            }
            _ => None,
        },
        _ => None,
    })?;
    let step = Step::of(&test.again.items, param, rest)?;
    let [sum] = end.args[..] else { return None };
    (step.adds(&test.again.items, rest_count.into(), sum)? == IntKind::Tagged)
        .then_some((step.kind, test.dbg))
}

/// The argument of a call of the function itself that takes one.
fn argument_of_itself(id: CodeId, apply: &Apply) -> Option<Simple> {
    match (&apply.kind, &apply.args[..]) {
        (CallKind::Direct(callee), [arg]) if *callee == id => Some(*arg),
        _ => None,
    }
}

/// A run that does nothing before it tests whether an integer is zero.
struct Test<'e> {
    of: Variable,
    /// What is done if it is zero.
    done: &'e ApplyCont,
    /// What is done if it is not.
    again: &'e Expr,
    dbg: Dbg,
}

impl<'e> Test<'e> {
    fn of(run: &'e Expr) -> Option<Test<'e>> {
        let Terminator::Switch(switch) = &run.terminator else { return None };
        let (prim, args) = definition(&run.items, switch.scrutinee)?;
        let [Simple::Var(of), zero] = *args else { return None };
        let is_zero_if = match prim {
            Prim::PhysEqual { negated } => i64::from(!*negated),
            Prim::IntCompare { op: IntCmp::Eq, .. } => 1,
            Prim::IntCompare { op: IntCmp::Ne, .. } => 0,
            _ => return None,
        };
        let (done, again) = (target(switch, is_zero_if)?, target(switch, 1 - is_zero_if)?);
        let (mut lets, mut body) = (0, None);
        for item in &run.items {
            match item {
                Item::LetCont { recursive: false, handlers } => {
                    let handler = handlers.iter().find(|handler| handler.cont == again.cont);
                    body = handler.filter(|handler| handler.params.is_empty()).or(body);
                }
                Item::Let { .. } => lets += 1,
                _ => return None,
            }
        }
        let again = &body?.body;
        (lets == 1 && is(zero, 0)).then_some(Test { of, done, again, dbg: switch.dbg })
    }
}

/// Where a switch leads to for a value.
fn target(switch: &Switch, value: i64) -> Option<&ApplyCont> {
    switch.arms.iter().find(|(key, _)| *key == value).map(|(_, arm)| arm).or(switch.default.as_ref())
}

/// What a step takes away from an integer.
struct Step {
    of: Variable,
    kind: IntKind,
    /// The last bit, whatever it is; otherwise the last one.
    is_bit: bool,
}

impl Step {
    /// The step from an integer to what remains of it.
    fn of(items: &[Item], of: Variable, rest: Simple) -> Option<Step> {
        let x = Simple::Var(of);
        let (prim, args) = definition(items, rest)?;
        match *prim {
            Prim::IntShift { op: ShiftOp::Lsr, kind } => {
                (args[0] == x && is(args[1], 1)).then_some(Step { of, kind, is_bit: true })
            }
            Prim::IntArith { op: IntOp::And, kind } => {
                let (less, args) = definition(items, other(args, x)?)?;
                let is_less = match less {
                    Prim::IntArith { op: IntOp::Sub, .. } => args[0] == x && is(args[1], 1),
                    Prim::IntArith { op: IntOp::Add, .. } => is(other(args, x)?, -1),
                    _ => false,
                };
                is_less.then_some(Step { of, kind, is_bit: false })
            }
            _ => None,
        }
    }

    /// Whether a sum is a count and what the step takes away: of which kind.
    fn adds(&self, items: &[Item], count: Simple, sum: Simple) -> Option<IntKind> {
        let (Prim::IntArith { op: IntOp::Add, kind }, args) = definition(items, sum)? else { return None };
        let added = other(args, count)?;
        let is_taken = if self.is_bit {
            let (prim, args) = definition(items, added)?;
            let last = Prim::IntArith { op: IntOp::And, kind: self.kind };
            *kind == self.kind && *prim == last && is(other(args, self.of.into())?, 1)
        } else {
            is(added, 1)
        };
        is_taken.then_some(*kind)
    }
}

/// The operation whose result a variable is, if it is among the items.
fn definition(items: &[Item], of: Simple) -> Option<(&Prim, &[Simple])> {
    items.iter().find_map(|item| match item {
        Item::Let { var, named: Named::Prim { prim, args, .. }, .. } if of == Simple::Var(*var) => {
            Some((prim, &args[..]))
        }
        _ => None,
    })
}

/// The other one of two operands.
fn other(args: &[Simple], one: Simple) -> Option<Simple> {
    match args {
        [a, b] if *a == one => Some(*b),
        [a, b] if *b == one => Some(*a),
        _ => None,
    }
}
