//! Numbers that recursive functions take and return: a parameter that is returned needs its box as long as the result
//! is one, and a result that may be a parameter is a box that exists. So both are decided as one (features E7, E8).
//!
//! Assumed is that parameters and results of the functions are numbers, until something is found that needs a box
//! ([`flow`]): a use other than unboxing, or passing it as such a parameter, be it through a loop, or returning it as
//! such a result. Calls from elsewhere that need the box call the stub. That gives the box that it was passed where the
//! number is the same, and a static one likewise: it never makes more boxes than the function made.

mod flow;

use flambeau_ir::prim::{FloatCmp, FloatOp, IntCmp, Mutability};
use flambeau_ir::{
    BoxedKind, CallKind, Code, CodeId, Const, Dbg, Expr, IntKind, Item, Kind, Prim, Rewrite, Rewrites,
    Simple, Subkind, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::boxes::{Convention, constant_found_again};
use super::build::{bind, branch, jump};
use super::demand::{first_reads, read};
use super::parts::Part;
use super::results::{end_at_calls_without_return, returns_parts, splice_joins};
use super::shapes::{Allocations, Shape};
use super::workers;
use flow::{Flow, Origins};

/// A function of which parameters or the result are numbers.
pub(super) struct Numeric {
    /// The number that it returns, if it does.
    result: Option<BoxedKind>,
    /// Which of its parameters are numbers; nothing for others.
    params: SmallVec<[Option<BoxedKind>; 4]>,
    /// What may be returned, as far as it is not made for that.
    origins: Origins,
}

/// Makes recursive functions take and return numbers; returns whether there was one.
pub(super) fn numbers(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut candidates: FxHashSet<CodeId> =
        unit.codes.iter().filter(|(_, code)| may_be(unit, code)).map(|(id, _)| id).collect();
    if candidates.is_empty() {
        return false;
    }
    let allocations = Allocations::of(unit);
    let ends_at_calls = !rewrites.stubs_only;
    let (flow, functions) = loop {
        let flow = Flow::of(unit, &allocations, &candidates, ends_at_calls);
        let numeric: FxHashMap<CodeId, Numeric> =
            candidates.iter().filter_map(|code| Some((*code, flow.numeric(unit, *code)?))).collect();
        if numeric.len() == candidates.len() {
            break (flow, numeric);
        }
        candidates.retain(|code| numeric.contains_key(code));
    };
    let chosen: Vec<CodeId> = unit.codes.keys().filter(|code| functions.contains_key(code)).collect();
    // All or none: one may call the other.
    if chosen.is_empty() || !rewrites.allow(Rewrite::NakedResult, unit, Some(chosen[0])) {
        return false;
    }
    Rewriting { allocations: &allocations, flow: &flow, functions: &functions, ends_at_calls }
        .apply(unit, &chosen);
    true
}

/// Whether a function may get a worker, and takes a number.
fn may_be(unit: &Unit, code: &Code) -> bool {
    code.recursive
        && code.result == Kind::Value
        && returns_parts(code)
        && workers::may_be_divided(unit, code)
        && code.params.iter().any(|param| number(unit, *param).is_some())
}

/// The number that a variable is by its type.
fn number(unit: &Unit, var: Variable) -> Option<BoxedKind> {
    match unit.variables[var].subkind {
        Subkind::Boxed(kind) => Some(kind),
        _ => None,
    }
}

struct Rewriting<'a> {
    allocations: &'a Allocations,
    flow: &'a Flow,
    functions: &'a FxHashMap<CodeId, Numeric>,
    ends_at_calls: bool,
}

impl Rewriting<'_> {
    fn apply(&self, unit: &mut Unit, chosen: &[CodeId]) {
        let workers = workers::divide(unit, chosen);
        // The functions that workers are of.
        let mut of_workers: FxHashMap<CodeId, CodeId> = FxHashMap::default();
        for function in chosen {
            let Some(worker) = workers[*function] else { continue };
            of_workers.insert(worker, *function);
            let numeric = &self.functions[function];
            let certain = self.certain(unit, worker, numeric);
            self.worker(unit, worker, numeric);
            self.stub(unit, *function, numeric, &certain);
        }
        unit.rewrite_bodies(|unit, caller, body| {
            if caller.is_some_and(|caller| self.functions.contains_key(&caller)) {
                return false;
            }
            let own =
                caller.filter(|caller| of_workers.contains_key(caller)).map(|caller| unit.codes[caller].ret);
            let mut taken = FxHashSet::default();
            let mut changed = false;
            body.walk_mut(&mut |expr| {
                let Terminator::Apply(apply) = &mut expr.terminator else { return };
                let CallKind::Direct(callee) = apply.kind else { return };
                let Some(function) = of_workers.get(&callee).filter(|_| !taken.contains(&apply.ret)) else {
                    return;
                };
                changed = true;
                let numeric = &self.functions[function];
                let needs_box = numeric.result.is_some() && self.flow.needs_box(apply.ret);
                if own.is_none() && needs_box {
                    apply.kind = CallKind::Direct(*function);
                    return;
                }
                let args = std::mem::take(&mut apply.args);
                apply.types.clear();
                let ret = apply.ret;
                let args = self.pass(unit, &mut expr.items, numeric, &args);
                if let Terminator::Apply(apply) = &mut expr.terminator {
                    apply.args = args;
                }
                if let Some(result) = numeric.result.filter(|_| Some(ret) != own) {
                    taken.insert(self.convention(result).take(unit, expr, true));
                }
            });
            if changed {
                body.walk_mut(&mut |expr| splice_joins(expr, &|_| false));
            }
            changed
        });
    }

    fn convention(&self, result: BoxedKind) -> Convention<'_> {
        let shape = Shape { number: Some(result), ..Shape::default() };
        Convention {
            shape,
            cases: SmallVec::new(),
            register: result.naked(),
            slots: Simple::UNIT,
            allocations: self.allocations,
        }
    }

    /// The parameters that the function reads whatever happens: there is a number.
    fn certain(&self, unit: &Unit, code: CodeId, numeric: &Numeric) -> SmallVec<[bool; 4]> {
        let Code { params, body, .. } = &unit.codes[code];
        let reads = first_reads(body);
        let is_read = |param: &Variable, kind: BoxedKind| {
            reads.iter().any(|read| {
                read.is_certain && read.atom == Simple::Var(*param) && read.part == Part::Number(kind)
            })
        };
        let is_certain =
            |(param, kind): (&Variable, &Option<BoxedKind>)| kind.is_some_and(|kind| is_read(param, kind));
        params.iter().zip(&numeric.params).map(is_certain).collect()
    }

    /// Makes a function take and return numbers. What it does takes boxes, which nothing needs.
    fn worker(&self, unit: &mut Unit, worker: CodeId, numeric: &Numeric) {
        let ret = unit.codes[worker].ret;
        let mut body = unit.codes[worker].body.take();
        if let Some(result) = numeric.result {
            if self.ends_at_calls {
                end_at_calls_without_return(unit, &mut body, ret);
            }
            self.convention(result).returns(unit, &mut body, ret);
            unit.codes[worker].result = result.naked();
        }
        let mut params = unit.codes[worker].params.clone();
        let mut boxes = Vec::new();
        for (param, kind) in params.iter_mut().zip(&numeric.params) {
            let Some(kind) = kind else { continue };
            let name = unit.variables[*param].name.clone();
            let naked = unit.new_variable(name, kind.naked(), Subkind::Any);
            boxes.push(Item::let_prim(*param, Prim::Box(*kind), &[naked.into()], Dbg::NONE));
            *param = naked;
        }
        body.items.splice(0..0, boxes);
        let code = &mut unit.codes[worker];
        (code.body, code.params) = (body, params);
    }

    /// The arguments of a call of a worker.
    fn pass(
        &self,
        unit: &mut Unit,
        items: &mut Vec<Item>,
        numeric: &Numeric,
        args: &[Simple],
    ) -> Vec<Simple> {
        let pass = |(arg, kind): (&Simple, &Option<BoxedKind>)| match kind {
            None => *arg,
            Some(kind) => self.unboxed(unit, items, *kind, *arg, self.flow.is_number(*arg)),
        };
        args.iter().zip(&numeric.params).map(pass).collect()
    }

    /// The number in what is passed.
    fn unboxed(
        &self,
        unit: &mut Unit,
        items: &mut Vec<Item>,
        kind: BoxedKind,
        arg: Simple,
        is_certain: bool,
    ) -> Simple {
        if let Some((_, number)) = self.allocations.number(arg) {
            return number.into();
        }
        read(unit, items, arg, &[(Part::Number(kind), Mutability::Immutable)], !is_certain)[0]
    }

    /// What others call: boxes the result, if that is not one of the boxes that it was given, or a static one.
    fn stub(&self, unit: &mut Unit, function: CodeId, numeric: &Numeric, certain: &[bool]) {
        let mut body = unit.codes[function].body.take();
        let (params, ret) = (unit.codes[function].params.clone(), unit.codes[function].ret);
        let Terminator::Apply(apply) = &mut body.terminator else { return };
        for ((param, kind), certain) in params.iter().zip(&numeric.params).zip(certain) {
            if kind.is_some() && !certain {
                // Its type would answer whether it is an immediate.
                unit.variables[*param].subkind = Subkind::Any;
            }
        }
        let mut items = Vec::new();
        let pass = |((param, kind), certain): ((&Variable, &Option<BoxedKind>), &bool)| match kind {
            Some(kind) => self.unboxed(unit, &mut items, *kind, (*param).into(), *certain),
            None => (*param).into(),
        };
        let args: Vec<Simple> = params.iter().zip(&numeric.params).zip(certain).map(pass).collect();
        apply.args.clone_from(&args);
        let mut run = body;
        if let Some(kind) = numeric.result {
            let parts = unit.new_continuation("parts");
            if let Terminator::Apply(apply) = &mut run.terminator {
                apply.ret = parts;
            }
            let part = unit.new_variable("part", kind.naked(), Subkind::Any);
            let call = std::mem::replace(&mut run, Expr::unreachable());
            items.push(Item::Join { cont: parts, params: smallvec![part], body: Box::new(call) });
            let fresh = bind(unit, &mut run.items, Kind::Value, Prim::Box(kind), &[part.into()]);
            run.terminator = Terminator::ApplyCont(jump(ret, Some(fresh)));
            for index in numeric.origins.params.iter().rev() {
                let same = jump(ret, Some(params[*index].into()));
                run = found_again(unit, kind, part, args[*index], same, run);
            }
            for constant in numeric.origins.constants.iter().rev() {
                let same = jump(ret, Some((*constant).into()));
                let Some((_, value)) = self.allocations.number((*constant).into()) else { continue };
                run = constant_found_again(unit, kind, part, value, same, run);
            }
        }
        items.append(&mut run.items);
        unit.codes[function].body = Expr { items, terminator: run.terminator };
    }
}

/// The number zero.
/// A run that goes on to `same` if two numbers are the same bit by bit, else as `other` does. What is not a number is
/// never found to be the same.
fn found_again(
    unit: &mut Unit,
    kind: BoxedKind,
    number: Variable,
    of: Simple,
    same: flambeau_ir::ApplyCont,
    other: Expr,
) -> Expr {
    let differs = unit.new_continuation("fresh");
    let mut run = Expr::unreachable();
    run.items.push(Item::let_cont(differs, other));
    let args = [number.into(), of];
    let compare = |kind| Prim::IntCompare { op: IntCmp::Eq, kind };
    let truth = Kind::NakedImmediate;
    let is_equal = match kind {
        BoxedKind::Int32 => bind(unit, &mut run.items, truth, compare(IntKind::Int32), &args),
        BoxedKind::Int64 => bind(unit, &mut run.items, truth, compare(IntKind::Int64), &args),
        BoxedKind::Nativeint => bind(unit, &mut run.items, truth, compare(IntKind::Nativeint), &args),
        BoxedKind::Float => {
            // Zeros that are equal may differ in their signs, and so in their inverses.
            let equal = Prim::FloatCompare { op: FloatCmp::Eq };
            let sign = unit.new_continuation("sign");
            let mut signs = Expr::unreachable();
            let one = Simple::Const(Const::NakedFloat(1f64.to_bits()));
            let divide = Prim::FloatArith { op: FloatOp::Div };
            let inverses =
                args.map(|arg| bind(unit, &mut signs.items, Kind::NakedFloat, divide.clone(), &[one, arg]));
            let are_equal = bind(unit, &mut signs.items, truth, equal.clone(), &inverses);
            signs.terminator = branch(are_equal, same, jump(differs, None));
            run.items.push(Item::let_cont(sign, signs));
            let is_equal = bind(unit, &mut run.items, truth, equal, &args);
            run.terminator = branch(is_equal, jump(sign, None), jump(differs, None));
            return run;
        }
    };
    run.terminator = branch(is_equal, same, jump(differs, None));
    run
}
