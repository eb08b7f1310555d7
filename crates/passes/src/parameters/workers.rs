//! Workers: a function that others may call too keeps its parameters and its result for them, and what it does becomes
//! that of another function, its *worker*, which this unit calls (features E7, E8). What the others call only hands on
//! what it is given: a stub, so that in units that know it nothing is left of it.

use cranelift_entity::SecondaryMap;
use flambeau_ir::inlining::SMALL;
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{
    Apply, CallKind, Code, CodeAttributes, CodeId, ExnCont, Expr, FunctionKind, Rewrites, SetOfClosures,
    StaticDef, Terminator, Unit,
};
use flambeau_simplify::{LARGEST_SPECIALISED, size, uses_functions};
use smallvec::SmallVec;

use super::known::Known;

/// Up to this size other units inline functions that call what they are given: they are worth it where that is known.
const SMALL_FOR_FUNCTIONS: u32 = 100;

/// The functions that may get a worker.
pub(super) fn divisible(unit: &Unit, known: &Known) -> SecondaryMap<CodeId, bool> {
    let mut divisible = SecondaryMap::new();
    for (id, code) in &unit.codes {
        divisible[id] = !known.is_known(id) && may_be_divided(unit, code);
    }
    // A set is bound where its functions are: what is known of slots must not be looked for in a worker.
    unit.for_each_set(&mut |_, set: &SetOfClosures| {
        if !set.values.is_empty() {
            set.functions.iter().for_each(|(_, code)| divisible[*code] = false);
        }
    });
    divisible
}

/// The functions that other units call and do not inline, if those are to get workers for what other units may want
/// (features B13).
pub(super) fn exported(unit: &Unit, rewrites: &Rewrites) -> Vec<CodeId> {
    if !rewrites.exported_parts {
        return Vec::new();
    }
    let exported = unit.statics.iter().filter(|item| item.exported);
    let sets = exported.filter_map(|item| match &item.def {
        StaticDef::Closures { set, .. } => Some(set),
        _ => None,
    });
    let codes = sets.flat_map(|set| &set.functions).map(|(_, code)| *code);
    let is_called = |code: &CodeId| {
        let data = &unit.codes[*code];
        let limit = match (uses_functions(unit, *code), data.recursive) {
            (false, _) => SMALL,
            (true, false) => SMALL_FOR_FUNCTIONS,
            // They are copied for it. A worker, which has a convention of its own, never is.
            (true, true) => LARGEST_SPECIALISED,
        };
        size::of(&data.body, limit).is_none()
    };
    codes.filter(is_called).collect()
}

pub(crate) fn may_be_divided(unit: &Unit, code: &Code) -> bool {
    may_be_copied(code) && code.is_of_values(&unit.variables)
}

/// Whether what a function does may become that of another: functors are evaluated by what they are, a stub is what it
/// hands on to already, a promise to copy the function is a promise about its body (only recursive functions are
/// specialised).
pub(super) fn may_be_copied(code: &Code) -> bool {
    let CodeAttributes {
        inline,
        specialise,
        is_functor,
        stub,
        no_poll,
        sole,
        no_return: _,
        exported: _,
        heat: _,
    } = code.attributes;
    let is_copied = !matches!(inline, InlineAttribute::Default | InlineAttribute::Never);
    !(is_functor || stub || no_poll || sole || is_copied)
        && !(code.recursive && specialise == SpecialiseAttribute::Always)
        && !code.uses_closure()
}

/// Gives workers to functions: for each its worker, which has its parameters and its body, and which all direct calls
/// of the unit call instead.
pub(super) fn divide(unit: &mut Unit, functions: &[CodeId]) -> SecondaryMap<CodeId, Option<CodeId>> {
    let mut workers = SecondaryMap::new();
    if functions.is_empty() {
        return workers;
    }
    for &function in functions {
        workers[function] = Some(worker(unit, function, "worker"));
    }
    unit.rewrite_bodies(|_, _, body| {
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && let Some(worker) = workers[callee]
            {
                apply.kind = CallKind::Direct(worker);
                apply.callee = None;
            }
        });
        true
    });
    workers
}

/// Makes what a function does that of another, which has the function's parameters and its continuations, and the
/// function a stub that calls that one.
pub(crate) fn worker(unit: &mut Unit, function: CodeId, suffix: &str) -> CodeId {
    let code = &mut unit.codes[function];
    let body = code.body.take();
    // Direct calls pass what a tuple holds; who has a tuple calls the function.
    let linkage_name = format!("{}_{suffix}", code.linkage_name);
    let attributes = CodeAttributes { exported: false, ..code.attributes };
    let worker = Code { linkage_name, body, kind: FunctionKind::Curried, attributes, ..code.clone() };
    // Other units call the function that has the label.
    let exported = code.attributes.exported;
    code.attributes = CodeAttributes { stub: true, exported, ..CodeAttributes::default() };
    code.recursive = false;
    let params: SmallVec<[_; 4]> = worker.params.iter().map(|param| unit.new_variable_like(*param)).collect();
    let my_closure = unit.new_variable_like(worker.my_closure);
    let slot = unit.function_slots.push(unit.function_slots[worker.function_slot].clone());
    let (ret, exn) = (unit.new_continuation("return"), unit.new_exn_continuation("raise"));
    let args = params.iter().map(|param| (*param).into()).collect();
    let worker = unit.codes.push(Code { function_slot: slot, ..worker });
    // Its frame, if there is one, is not shown in backtraces.
    let call = Apply::plain(None, CallKind::Direct(worker), args, ret, ExnCont::plain(exn));
    let code = &mut unit.codes[function];
    (code.params, code.my_closure, code.ret, code.exn) = (params, my_closure, ret, exn);
    code.body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(call)) };
    worker
}
