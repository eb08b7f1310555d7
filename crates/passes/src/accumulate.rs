//! Accumulators: a function that adds something to the result of its last call of itself adds it before that call,
//! which is a jump then. `docs/passes/accumulate.md` shows it.
//!
//! Addition, multiplication and the bitwise operations on tagged integers are associative and commutative, modulo
//! 2^63 as they are. For one of them, the *operation*, the function becomes a loop with one parameter more, the
//! accumulator, that returns what this and the result of the function give. A continuation is a *sum* if it does
//! nothing but combine its parameter with values in scope by the operation, and returns that: a call of the function
//! that returns to it combines these values with the accumulator instead, and is the last that the function does.
//! What computes them behind the call is executed before it; a load is only where the function does nothing that
//! could change what is loaded.

use flambeau_ir::copy::Copier;
use flambeau_ir::prim::{Effects, IntOp};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, Const, ContHandler, Continuation, Dbg, Expr, Heat, IntKind, Item,
    Kind, Named, Prim, Rewrite, Rewrites, Simple, Subkind, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::dead_joins::drop_dead_joins;
use crate::parameters::workers::{may_be_divided, worker};

/// Sums of more values than these are not passed on.
const LEAVES: usize = 6;
/// The operations, and what changes nothing.
const OPERATIONS: [(IntOp, i64); 5] =
    [(IntOp::Add, 0), (IntOp::Mul, 1), (IntOp::And, -1), (IntOp::Or, 0), (IntOp::Xor, 0)];

/// Gives recursive functions accumulators. On entry and on exit the unit is well-formed.
pub fn accumulate(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    // Who asks for the exception may want the stack to overflow, which it does not in a loop.
    if unit.symbols.values().any(|symbol| symbol.linkage_name == "caml_exn_Stack_overflow") {
        return false;
    }
    let mut changed = false;
    for id in unit.codes.keys().collect::<Vec<_>>() {
        if let Some((sums, neutral)) = sums(unit, rewrites, id)
            && rewrites.allow(Rewrite::Accumulation, unit, Some(id))
        {
            add_accumulator(unit, &sums, neutral);
            changed = true;
        }
    }
    changed
}

/// The sums of a function by the operation by which most calls can pass on what is added to their results, and what
/// changes nothing by it.
fn sums(unit: &Unit, rewrites: &Rewrites, id: CodeId) -> Option<(Sums, i64)> {
    let code = &unit.codes[id];
    if !code.recursive
        || code.attributes.heat == Heat::Never
        || !may_be_divided(unit, code)
        || rewrites.keep_backtraces && !is_quiet(&code.body, id)
        || !returns_immediates(unit, id)
    {
        return None;
    }
    let effects = effects(unit, id);
    let all = OPERATIONS.iter().map(|&(op, neutral)| (Sums::of(unit, id, op, effects), neutral));
    // Of several that are as good, the first one.
    let (calls, sums) = all.rev().map(|sums| (sums.0.calls(unit), sums)).max_by_key(|(calls, _)| *calls)?;
    (calls > 0).then_some(sums)
}

/// Whether a function does nothing that may raise but call itself: the backtrace of an exception would show fewer calls
/// of it.
fn is_quiet(body: &Expr, id: CodeId) -> bool {
    let mut quiet = true;
    body.walk(&mut |expr| {
        let raises = |item: &Item| matches!(item, Item::Let { named: Named::Prim { exn: Some(_), .. }, .. });
        quiet &= !expr.items.iter().any(raises);
        quiet &= match &expr.terminator {
            Terminator::Apply(apply) => apply.kind == CallKind::Direct(id),
            Terminator::Raise { .. } | Terminator::Try { .. } => false,
            _ => true,
        };
    });
    quiet
}

/// Whether a function returns something without calling itself first (else it ends by an overflow of the stack alone),
/// and all that it returns, but for results of its own, is known to be an integer. A tail call of another function
/// would be none behind an addition.
fn returns_immediates(unit: &Unit, id: CodeId) -> bool {
    let code = &unit.codes[id];
    let mut computed: FxHashSet<Variable> = FxHashSet::default();
    code.body.walk(&mut |expr| {
        computed.extend(expr.items.iter().filter_map(|item| arithmetic(item).map(|(var, ..)| var)));
    });
    let is_immediate = |simple: &Simple| match simple {
        Simple::Const(Const::Tagged(_)) => true,
        Simple::Var(var) => unit.variables[*var].subkind == Subkind::Immediate || computed.contains(var),
        _ => false,
    };
    let (mut all, mut ends) = (true, false);
    code.body.walk(&mut |expr| {
        expr.terminator.for_each_jump(&mut |jump| {
            if jump.cont == code.ret {
                all &= jump.args.iter().all(is_immediate);
                ends |= !expr.items.iter().any(|item| matches!(item, Item::Join { .. }));
            }
        });
        if let Terminator::Apply(apply) = &expr.terminator {
            all &= apply.ret != code.ret || calls_itself(id, unit.codes[id].exn, apply);
        }
    });
    all && ends
}

/// Whether that is a call of the function `id` in itself, which raises to where that does, and of which the source does
/// not say what else is to become of it.
fn calls_itself(id: CodeId, exn: Continuation, apply: &Apply) -> bool {
    apply.kind == CallKind::Direct(id)
        && !matches!(
            apply.inlined,
            InlineAttribute::Always | InlineAttribute::Hint | InlineAttribute::Unroll(1..)
        )
        && apply.exn.cont == exn
        && apply.exn.extra_args.is_empty()
}

/// Arithmetic on tagged integers.
fn arithmetic(item: &Item) -> Option<(Variable, IntOp, [Simple; 2])> {
    match item {
        Item::Let {
            var,
            named: Named::Prim { prim: Prim::IntArith { op, kind: IntKind::Tagged }, args, exn: None },
            ..
        } => Some((*var, *op, [args[0], args[1]])),
        _ => None,
    }
}

/// Whether an item computes what does not depend on the result of the call, and may be executed before it: `effects` is
/// what the function does.
fn may_move(
    item: &Item,
    result: Variable,
    sums: &FxHashMap<Variable, (bool, [Simple; 2])>,
    effects: Effects,
) -> bool {
    let Item::Let { named: Named::Prim { prim, args, exn: None }, .. } = item else { return false };
    let mut is_free = match (prim, &args[..]) {
        // A divisor that is a constant has passed its check.
        (Prim::IntDiv { .. } | Prim::IntMod { .. }, [_, Simple::Const(Const::Tagged(n))]) => *n != 0,
        _ => prim.effects().may_precede(effects),
    };
    item.for_each_simple(&mut |simple| {
        is_free &= simple.as_var().is_none_or(|var| var != result && !sums.contains_key(&var));
    });
    is_free
}

/// What a function does, but for calling itself.
fn effects(unit: &Unit, id: CodeId) -> Effects {
    let mut effects = Effects::NONE;
    unit.codes[id].body.walk(&mut |expr| {
        for item in &expr.items {
            effects = effects.or(match item {
                Item::Let { named: Named::Prim { prim, exn: Some(_), .. }, .. } => prim.effects().raising(),
                Item::Let { named: Named::Prim { prim, .. }, .. } => prim.effects(),
                Item::LetClosures { .. } => Effects::ALLOCATION,
                Item::Let { .. } | Item::Join { .. } | Item::LetCont { .. } => Effects::NONE,
            });
        }
        effects = effects.or(match &expr.terminator {
            Terminator::Apply(apply) if apply.kind == CallKind::Direct(id) => Effects::NONE,
            Terminator::Apply(_) => Effects::ANY,
            Terminator::Raise { .. } => Effects::NONE.raising(),
            _ => Effects::NONE,
        });
    });
    effects
}

/// What a continuation combines its parameter with to return that.
#[derive(Clone, Default)]
struct Sum {
    /// What a call has returned that was passed what there was so far; else the accumulator is.
    so_far: Option<Variable>,
    /// Other values, and whether they are subtracted.
    leaves: SmallVec<[(Simple, bool); LEAVES]>,
    /// What computes such values, and may be executed at any time.
    computed: Vec<Item>,
}

impl Sum {
    /// What a call that becomes a jump passes as the accumulator. Each has variables of its own for what it computes.
    fn passed(&self, unit: &mut Unit, items: &mut Vec<Item>, op: IntOp, acc: Variable) -> Simple {
        let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
        let computed = Expr { items: self.computed.clone(), terminator: Terminator::Unreachable };
        items.extend(copier.expr(&computed).items);
        let leaves: SmallVec<[_; LEAVES]> =
            self.leaves.iter().map(|(leaf, negative)| (copier.simple(*leaf), *negative)).collect();
        combine(unit, items, op, self.so_far.unwrap_or(acc), &leaves)
    }
}

/// The sums of a function by one operation.
struct Sums {
    id: CodeId,
    op: IntOp,
    exn: Continuation,
    effects: Effects,
    sums: FxHashMap<Continuation, Sum>,
    /// Continuations of calls of the function itself, and what these are passed: what was returned so far, or the
    /// accumulator. What they return takes its place.
    passed: FxHashMap<Continuation, Option<Variable>>,
}

impl Sums {
    /// `effects` is what the function does.
    fn of(unit: &Unit, id: CodeId, op: IntOp, effects: Effects) -> Sums {
        let code = &unit.codes[id];
        let mut sums =
            Sums { id, op, exn: code.exn, effects, sums: FxHashMap::default(), passed: FxHashMap::default() };
        sums.sums.insert(code.ret, Sum::default());
        // Continuations around a term are visited before it.
        code.body.walk(&mut |expr| {
            for (index, item) in expr.items.iter().enumerate() {
                match item {
                    Item::Join { cont, params, .. } => {
                        sums.note(*cont, params, &expr.items[index + 1..], &expr.terminator);
                    }
                    Item::LetCont { recursive: false, handlers } => {
                        for ContHandler { cont, params, body } in handlers {
                            sums.note(*cont, params, &body.items, &body.terminator);
                        }
                    }
                    _ => {}
                }
            }
        });
        let edges = Edges::of(unit, id);
        code.body.walk(&mut |expr| sums.pass_on(code.ret, expr, &edges));
        sums
    }

    /// How many calls become jumps that were none, if it is worth it: the other calls of the function in itself begin
    /// with an accumulator that adds nothing, and keep their own for nothing meanwhile.
    fn calls(&self, unit: &Unit) -> usize {
        let (mut calls, mut others) = (0, 0);
        unit.codes[self.id].body.walk(&mut |expr| match &expr.terminator {
            Terminator::Apply(apply) if apply.kind == CallKind::Direct(self.id) => match self.jump(apply) {
                Some(sum) => calls += usize::from(sum.so_far.is_some() || !sum.leaves.is_empty()),
                None => others += usize::from(!self.passed.contains_key(&apply.ret)),
            },
            _ => {}
        });
        if others <= calls { calls } else { 0 }
    }

    /// Whether the function does not call itself any more.
    fn make_all_calls_jumps(&self, unit: &Unit) -> bool {
        let mut all = true;
        unit.codes[self.id].body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator {
                all &= apply.kind != CallKind::Direct(self.id) || self.jump(apply).is_some();
            }
        });
        all
    }

    /// What a call of the function in itself adds to what there is so far if it becomes a jump.
    fn jump(&self, apply: &Apply) -> Option<&Sum> {
        let is_last = calls_itself(self.id, self.exn, apply) && !self.passed.contains_key(&apply.ret);
        self.sums.get(&apply.ret).filter(|_| is_last)
    }

    /// Notes a continuation if it is a sum.
    fn note(&mut self, cont: Continuation, params: &[Variable], items: &[Item], end: &Terminator) {
        let ([param], Terminator::ApplyCont(jump)) = (params, end) else { return };
        let (Some(outer), [value]) = (self.sums.get(&jump.cont), &jump.args[..]) else { return };
        let mut defined: FxHashMap<Variable, (bool, [Simple; 2])> = FxHashMap::default();
        let (mut leaves, mut computed) = (outer.leaves.clone(), outer.computed.clone());
        for item in items {
            match arithmetic(item) {
                Some((var, IntOp::Sub, args)) if self.op == IntOp::Add => {
                    _ = defined.insert(var, (true, args));
                }
                Some((var, same, args)) if same == self.op => _ = defined.insert(var, (false, args)),
                _ if may_move(item, *param, &defined, self.effects) => computed.push(item.clone()),
                _ => return,
            }
        }
        if computed.len() > LEAVES {
            return;
        }
        let (mut pending, mut found) = (vec![(*value, false)], false);
        while let Some((value, negative)) = pending.pop() {
            match value.as_var().and_then(|var| defined.get(&var)) {
                Some((subtracts, [left, right])) => {
                    pending.extend([(*right, negative != *subtracts), (*left, negative)]);
                }
                None if value == Simple::Var(*param) => {
                    if negative || found {
                        return;
                    }
                    found = true;
                }
                None => leaves.push((value, negative)),
            }
            if leaves.len() + pending.len() > LEAVES {
                return;
            }
        }
        if found {
            self.sums.insert(cont, Sum { so_far: None, leaves, computed });
        }
    }

    /// Of a sum of the results of several calls, each is passed what there is so far.
    fn pass_on(&mut self, ret: Continuation, expr: &Expr, edges: &Edges) {
        let ends = |cont: &Continuation| edges.only_calls.get(cont) == Some(&true);
        let Some(Item::Join { cont: last, .. }) =
            expr.items.iter().rfind(|item| matches!(item, Item::Join { .. }))
        else {
            return;
        };
        let returns = matches!(&expr.terminator, Terminator::ApplyCont(jump) if jump.cont == ret);
        let Some(sum) = self.sums.get_mut(last).filter(|_| returns && ends(last)) else { return };
        for item in &expr.items {
            let Item::Join { cont, params, .. } = item else { continue };
            let [result] = params[..] else { continue };
            let is_leaf = |leaf: &(Simple, bool)| *leaf == (Simple::Var(result), false);
            if cont == last || !ends(cont) || edges.uses.get(&result) != Some(&1) {
                continue;
            }
            if let Some(at) = sum.leaves.iter().position(is_leaf) {
                sum.leaves.remove(at);
                self.passed.insert(*cont, sum.so_far.replace(result));
            }
        }
    }
}

/// How a function uses its continuations and variables.
struct Edges {
    /// Whether only calls of the function itself lead to a continuation.
    only_calls: FxHashMap<Continuation, bool>,
    uses: FxHashMap<Variable, u32>,
}

impl Edges {
    fn of(unit: &Unit, id: CodeId) -> Edges {
        let mut edges = Edges { only_calls: FxHashMap::default(), uses: FxHashMap::default() };
        let body = &unit.codes[id].body;
        body.walk(&mut |expr| match &expr.terminator {
            Terminator::Apply(apply) => {
                let is_call = calls_itself(id, unit.codes[id].exn, apply);
                edges.only_calls.entry(apply.ret).and_modify(|only| *only &= is_call).or_insert(is_call);
            }
            end => end.for_each_jump(&mut |jump| _ = edges.only_calls.insert(jump.cont, false)),
        });
        body.for_each_simple_deep(&mut |simple| {
            if let Simple::Var(var) = simple {
                *edges.uses.entry(var).or_default() += 1;
            }
        });
        edges
    }
}

/// Makes a function a loop with an accumulator; where it still calls itself otherwise, a worker of it, which takes the
/// accumulator, too.
fn add_accumulator(unit: &mut Unit, sums: &Sums, neutral: i64) {
    let (id, op) = (sums.id, sums.op);
    let neutral = Simple::Const(Const::Tagged(neutral));
    let is_loop = sums.make_all_calls_jumps(unit);
    let target = if is_loop { id } else { worker(unit, id, "acc") };
    let mut body = unit.codes[target].body.take();
    let acc = unit.new_variable("acc", Kind::Value, Subkind::Immediate);
    let cont = unit.new_continuation("loop");
    body.walk_mut(&mut |expr| {
        let Terminator::Apply(apply) = &mut expr.terminator else { return };
        if apply.kind != CallKind::Direct(id) {
            return;
        }
        let mut args = std::mem::take(&mut apply.args);
        if let Some(sum) = sums.jump(apply) {
            args.push(sum.passed(unit, &mut expr.items, op, acc));
            expr.terminator = Terminator::ApplyCont(ApplyCont { cont, args: args.into() });
        } else {
            args.push(sums.passed.get(&apply.ret).map_or(neutral, |passed| passed.unwrap_or(acc).into()));
            (apply.kind, apply.callee, apply.args) = (CallKind::Direct(target), None, args);
        }
    });
    drop_dead_joins(&mut body);
    finish(unit, unit.codes[target].ret, &mut body, op, acc, neutral);

    let changing = pass_what_changes(&unit.codes[target].params, cont, &mut body);
    let mut params: SmallVec<[Variable; 2]> = SmallVec::new();
    let mut args: SmallVec<[Simple; 2]> = SmallVec::new();
    for position in changing {
        let param = unit.codes[target].params[position];
        let fresh = unit.new_variable_like(param);
        unit.codes[target].params[position] = fresh;
        params.push(param);
        args.push(fresh.into());
    }
    params.push(acc);
    if is_loop {
        args.push(neutral);
        unit.codes[target].recursive = false;
    } else {
        let first = unit.new_variable_like(acc);
        unit.codes[target].params.push(first);
        args.push(first.into());
        call_worker(unit, id, target, neutral);
    }
    let items = vec![Item::LetCont { recursive: true, handlers: vec![ContHandler { cont, params, body }] }];
    unit.codes[target].body = Expr { items, terminator: Terminator::ApplyCont(ApplyCont { cont, args }) };
}

/// The positions of the parameters that differ in another iteration, in order; the others are no longer passed.
fn pass_what_changes(params: &[Variable], cont: Continuation, body: &mut Expr) -> Vec<usize> {
    let mut changes = vec![false; params.len()];
    body.walk(&mut |expr| {
        expr.terminator.for_each_jump(&mut |jump| {
            if jump.cont == cont {
                for (position, param) in params.iter().enumerate() {
                    changes[position] |= jump.args[position] != Simple::Var(*param);
                }
            }
        });
    });
    body.walk_mut(&mut |expr| {
        expr.terminator.for_each_jump_mut(&mut |jump| {
            if jump.cont == cont {
                let args = jump.args.iter().enumerate();
                let passed = args.filter(|(position, _)| changes.get(*position) != Some(&false));
                jump.args = passed.map(|(_, arg)| *arg).collect();
            }
        });
    });
    (0..params.len()).filter(|position| changes[*position]).collect()
}

/// What the body returns otherwise is combined with the accumulator.
fn finish(unit: &mut Unit, ret: Continuation, body: &mut Expr, op: IntOp, acc: Variable, neutral: Simple) {
    let finish = unit.new_continuation("finish");
    let mut finishes = false;
    body.walk_mut(&mut |expr| {
        expr.terminator.for_each_jump_mut(&mut |jump| {
            if jump.cont == ret {
                if jump.args[..] == [neutral] {
                    jump.args[0] = acc.into();
                } else {
                    jump.cont = finish;
                    finishes = true;
                }
            }
        });
    });
    if finishes {
        let result = unit.new_variable("result", Kind::Value, Subkind::Immediate);
        let mut items = Vec::new();
        let all = combine(unit, &mut items, op, acc, &[(result.into(), false)]);
        let end = Terminator::ApplyCont(ApplyCont { cont: ret, args: [all].into_iter().collect() });
        let params = [result].into_iter().collect();
        let handler = ContHandler { cont: finish, params, body: Expr { items, terminator: end } };
        body.items.insert(0, Item::LetCont { recursive: false, handlers: vec![handler] });
    }
}

/// All direct calls of a function call its worker.
fn call_worker(unit: &mut Unit, id: CodeId, worker: CodeId, neutral: Simple) {
    unit.rewrite_bodies(|_, code, body| {
        body.walk_mut(&mut |expr| {
            let Terminator::Apply(apply) = &mut expr.terminator else { return };
            if apply.kind == CallKind::Direct(id) || code == Some(id) {
                (apply.kind, apply.callee) = (CallKind::Direct(worker), None);
                apply.args.push(neutral);
            }
        });
        true
    });
}

/// Combines what there is so far with other values.
fn combine(
    unit: &mut Unit,
    items: &mut Vec<Item>,
    op: IntOp,
    so_far: Variable,
    leaves: &[(Simple, bool)],
) -> Simple {
    leaves.iter().fold(so_far.into(), |so_far, (leaf, negative)| {
        let var = unit.new_variable("sum", Kind::Value, Subkind::Immediate);
        let op = if *negative { IntOp::Sub } else { op };
        let prim = Prim::IntArith { op, kind: IntKind::Tagged };
        let named = Named::Prim { prim, args: [so_far, *leaf].into_iter().collect(), exn: None };
        items.push(Item::Let { var, named, dbg: Dbg::NONE });
        var.into()
    })
}
