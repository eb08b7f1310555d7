//! Loopification: a function that calls itself in tail position becomes a loop, and its calls of itself jumps.
//! `docs/passes/loopify.md` shows it.
//!
//! The body becomes a recursive continuation, whose parameters are those that the function had; the function gets fresh
//! ones. What the body begins with by reading its own closure is loop-invariant, and stays before the loop.
//!
//! A call is an iteration of the loop if it is of the same code with all its arguments, returns and raises to where the
//! function does (so it is under no `try`), and is through the same closure: another closure of the same code has
//! captured other values. The closure is the same if it is `my_closure` or another name of it, or the symbol of a
//! static closure, which is the only one of its code; and it does not matter if the function has no use for it.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, ContHandler, Continuation, Expr, Item, Named, Prim, Rewrite,
    Rewrites, Simple, StaticDef, Symbol, Terminator, Unit, Variable,
};
use flambeau_simplify::arrangements::{Argument, Call, Flow};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::recursion;

/// Makes functions with tail calls of themselves loops. On entry and on exit the unit is well-formed.
pub fn loopify(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut names = Names::new(unit);
    let mut loops = Vec::new();
    let ids: Vec<CodeId> = unit.codes.keys().collect();
    for id in ids {
        names.find(unit, id);
        // A loop polls: where that is an error, it is to be reported for the call in the source.
        if !unit.codes[id].attributes.no_poll
            && has_turns(unit, &names, id)
            && !exchanges_functions(unit, id)
            && (rewrites.machine.enters_loops_for_nothing() || !has_other_calls(unit, &names, id))
            && rewrites.allow(Rewrite::Loopification, unit, Some(id))
        {
            make_loop(unit, &mut names, id);
            loops.push(id);
        }
    }
    if loops.is_empty() {
        return false;
    }
    let recursive = recursion::may_call_themselves(unit);
    for id in loops {
        unit.codes[id].recursive &= recursive[id];
    }
    true
}

/// What names the closure through which a function was called.
struct Names {
    /// Variables of the function being analysed, and of previous ones.
    variables: SecondaryMap<Variable, bool>,
    symbols: SecondaryMap<Symbol, Option<CodeId>>,
    /// Whether the current function uses its closure.
    closure_is_used: bool,
}

impl Names {
    fn new(unit: &Unit) -> Names {
        let mut symbols: SecondaryMap<Symbol, Option<CodeId>> = SecondaryMap::new();
        for item in &unit.statics {
            if let StaticDef::Closures { symbols: defined, set } = &item.def {
                for (&symbol, &(_, code)) in defined.iter().zip(&set.functions) {
                    symbols[symbol] = Some(code);
                }
            }
        }
        Names { variables: SecondaryMap::new(), symbols, closure_is_used: false }
    }

    /// Finds the names that one function has for its own closure.
    fn find(&mut self, unit: &Unit, id: CodeId) {
        let code = &unit.codes[id];
        self.variables[code.my_closure] = true;
        self.closure_is_used = false;
        // What a term uses is bound earlier in it, or in terms around it, which the walk visits before it.
        code.body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let { var, named, .. } = item {
                    self.variables[*var] = self.is_same(named, code.function_slot);
                }
                item.for_each_simple(&mut |simple| self.note(simple, code.my_closure));
            }
            expr.terminator.for_each_simple(&mut |simple| self.note(simple, code.my_closure));
        });
    }

    fn note(&mut self, simple: Simple, my_closure: Variable) {
        self.closure_is_used |= simple == Simple::Var(my_closure);
    }

    /// Whether that is the function's closure again.
    fn is_same(&self, named: &Named, slot: flambeau_ir::FunctionSlot) -> bool {
        let is_own = |simple: Simple| simple.as_var().is_some_and(|var| self.variables[var]);
        match named {
            Named::Simple(simple) => is_own(*simple),
            Named::Prim { prim: Prim::ProjectFunctionSlot { from, to }, args, .. } => {
                *from == slot && *to == slot && is_own(args[0])
            }
            Named::Prim { .. } => false,
        }
    }

    /// Whether an atom is the closure through which the current function, `id`, was called.
    fn is_own(&self, id: CodeId, simple: Simple) -> bool {
        match simple {
            Simple::Var(variable) => self.variables[variable],
            Simple::Symbol(symbol) => self.symbols[symbol] == Some(id),
            Simple::Const(_) => false,
        }
    }

    /// Whether a call becomes an iteration of the loop.
    fn is_iteration(&self, unit: &Unit, id: CodeId, apply: &Apply) -> bool {
        let code = &unit.codes[id];
        let is_own = apply.callee.is_some_and(|callee| self.is_own(id, callee));
        let calls_itself = match apply.kind {
            CallKind::Direct(callee) => callee == id && (is_own || !self.closure_is_used),
            CallKind::Generic => is_own && code.takes_values(&unit.variables, apply.args.len()),
            _ => false,
        };
        calls_itself && apply.ret == code.ret && apply.exn.cont == code.exn
    }
}

fn has_turns(unit: &Unit, names: &Names, id: CodeId) -> bool {
    let mut any = false;
    unit.codes[id].body.walk(&mut |expr| {
        if let Terminator::Apply(apply) = &expr.terminator {
            any |= names.is_iteration(unit, id, apply);
        }
    });
    any
}

/// Whether the function calls itself otherwise, too: then it is mostly entered, and hardly iterates.
fn has_other_calls(unit: &Unit, names: &Names, id: CodeId) -> bool {
    let mut any = false;
    unit.codes[id].body.walk(&mut |expr| {
        if let Terminator::Apply(apply) = &expr.terminator {
            any |= apply.kind == CallKind::Direct(id) && !names.is_iteration(unit, id, apply);
        }
    });
    any
}

/// Whether functions that are called are permuted among the parameters: the simplifier can make a copy for each
/// arrangement of them, after which the copies are loops, but a loop only knows that its parameters change.
fn exchanges_functions(unit: &Unit, id: CodeId) -> bool {
    let code = &unit.codes[id];
    let (mut calls, mut called) = (Vec::new(), FxHashSet::default());
    code.body.walk(&mut |expr| {
        let Terminator::Apply(apply) = &expr.terminator else { return };
        called.extend(apply.callee.and_then(|callee| callee.as_var()));
        if apply.kind == CallKind::Direct(id) {
            calls.push(Call { from: id, nested: false, to: id, args: apply.args.clone() });
        }
    });
    let arguments = vec![Argument::Function; code.params.len()];
    let flow = Flow { root: id, arguments: &arguments, functions: &[(id, &code.params)], calls: &calls };
    let Some(arrangements) = flow.permuting() else { return false };
    let changes = |position: usize| {
        arrangements.of(id).iter().any(|a| a[position] != Some(position) && a[position].is_some())
    };
    code.params.iter().enumerate().any(|(position, param)| called.contains(param) && changes(position))
}

fn make_loop(unit: &mut Unit, names: &mut Names, id: CodeId) {
    let cont = unit.new_continuation("loop");
    let mut body = unit.codes[id].body.take();
    iterate(unit, names, id, cont, &mut body);

    let code = &mut unit.codes[id];
    let params: SmallVec<[Variable; 2]> = SmallVec::from_slice(&code.params);
    for param in &mut code.params {
        *param = unit.variables.push(unit.variables[*param].clone());
    }
    let args = code.params.iter().map(|&param| param.into()).collect();
    let invariant = body.items.iter().take_while(|item| reads_own_closure(names, item)).count();
    let rest = body.items.split_off(invariant);
    let handler = ContHandler { cont, params, body: Expr { items: rest, terminator: body.terminator } };
    let mut items = body.items;
    items.push(Item::LetCont { recursive: true, handlers: vec![handler] });
    code.body = Expr { items, terminator: Terminator::ApplyCont(ApplyCont { cont, args }) };
}

/// Replaces calls by jumps.
fn iterate(unit: &Unit, names: &Names, id: CodeId, cont: Continuation, body: &mut Expr) {
    let mut pending = vec![body];
    while let Some(Expr { items, terminator }) = pending.pop() {
        for item in items {
            match item {
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { body, .. } => pending.push(body),
                Item::LetCont { handlers, .. } => {
                    pending.extend(handlers.iter_mut().map(|handler| &mut handler.body));
                }
            }
        }
        match terminator {
            Terminator::Try { body, .. } => pending.push(body),
            Terminator::Apply(apply) if names.is_iteration(unit, id, apply) => {
                let args = SmallVec::from_slice(&apply.args);
                *terminator = Terminator::ApplyCont(ApplyCont { cont, args });
            }
            _ => {}
        }
    }
}

/// Whether an item is a projection from the function's closure, or another name of it.
fn reads_own_closure(names: &Names, item: &Item) -> bool {
    let is_own = |simple: Simple| simple.as_var().is_some_and(|var| names.variables[var]);
    match item {
        Item::Let { named: Named::Simple(simple), .. } => is_own(*simple),
        Item::Let { named: Named::Prim { prim, args, .. }, .. } => {
            matches!(prim, Prim::ProjectValueSlot { .. } | Prim::ProjectFunctionSlot { .. })
                && is_own(args[0])
        }
        _ => false,
    }
}
