//! Mistakes that only whole programs show: how blocks are compared, what other code does while a loop polls, what code
//! costs. The optimiser once had each of them, in another form, and users' programs exposed it.

use std::collections::{HashMap, HashSet};

use flambeau_ir::prim::Mutability;
use flambeau_ir::{
    CallKind, CodeId, Const, ContHandler, Expr, Item, Named, Prim, Rewrites, Simple, StaticDef, Symbol,
    Terminator, Unit, Variable, VariableData,
};

use super::{each_term, uses};
use crate::Pass;

/// All of them.
pub const FOR_PROGRAMS: &[Pass] = &[
    Pass { name: "remade-block", run: remade_block },
    Pass { name: "early-allocation", run: early_allocation },
    Pass { name: "hoisted-read", run: hoisted_read },
    Pass { name: "dropped-trap", run: dropped_trap },
    Pass { name: "sunk-too-far", run: sunk_too_far },
    Pass { name: "unknown-call", run: unknown_call },
];

/// An allocation of an immutable block.
fn is_immutable_block(named: &Named) -> bool {
    matches!(named, Named::Prim { prim: Prim::MakeBlock { mutability: Mutability::Immutable, .. }, .. })
}

/// The variable that an item binds to an immutable block.
fn immutable_block(item: &Item) -> Option<Variable> {
    match item {
        Item::Let { var, named, .. } if is_immutable_block(named) => Some(*var),
        _ => None,
    }
}

/// The arguments of the jump that ends a run, if one does.
fn last_arguments(expr: &mut Expr) -> &mut [Simple] {
    match &mut expr.terminator {
        Terminator::ApplyCont(jump) => &mut jump.args,
        _ => &mut [],
    }
}

/// An immutable block that is passed on, and has other uses, is allocated a second time for these: the pass forgets
/// that programs compare blocks by identity, and that allocation costs something.
fn remade_block(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut changed = false;
    let mut variables = std::mem::take(&mut unit.variables);
    each_term(unit, &mut |expr| {
        let blocks: Vec<(Variable, Item)> =
            expr.items.iter().filter_map(|item| Some((immutable_block(item)?, item.clone()))).collect();
        for (block, item) in blocks {
            let used_before = expr.items.iter().any(|item| uses(item, block));
            let operand = Simple::Var(block);
            let passed: Vec<&mut Simple> =
                last_arguments(expr).iter_mut().filter(|argument| **argument == operand).collect();
            // The first of several stays what it is, unless something else has it.
            let Some(argument) = passed.into_iter().nth(usize::from(!used_before)) else { continue };
            let Item::Let { named, dbg, .. } = item else { continue };
            let data: VariableData = variables[block].clone();
            let again = variables.push(data);
            *argument = Simple::Var(again);
            expr.items.push(Item::Let { var: again, named, dbg });
            changed = true;
        }
    });
    unit.variables = variables;
    changed
}

/// The variables that are bound in a handler, however deep.
fn bound_in(handler: &ContHandler) -> HashSet<Variable> {
    let mut bound: HashSet<Variable> = handler.params.iter().copied().collect();
    let mut pending = vec![&handler.body];
    while let Some(expr) = pending.pop() {
        for item in &expr.items {
            item.for_each_bound(&mut |var| {
                bound.insert(var);
            });
            item.for_each_child(&mut |child| pending.push(child));
        }
        if let Terminator::Try { body, .. } = &expr.terminator {
            pending.push(body);
        }
    }
    bound
}

/// Moves those first items of handlers that `wanted` accepts in front of the handlers, if they need nothing that is
/// bound there.
fn move_out(
    unit: &mut Unit,
    of_loops: bool,
    mut accepts: impl FnMut(&ContHandler) -> bool,
    mut wanted: impl FnMut(&Item) -> bool,
) -> bool {
    let mut changed = false;
    each_term(unit, &mut |expr| {
        let mut at = 0;
        while at < expr.items.len() {
            let mut moved = vec![];
            if let Item::LetCont { recursive, handlers } = &mut expr.items[at]
                && *recursive == of_loops
            {
                for handler in handlers.iter_mut().filter(|handler| accepts(handler)) {
                    let bound = bound_in(handler);
                    let mut kept = 0;
                    while kept < handler.body.items.len() {
                        let item = &handler.body.items[kept];
                        let mut inner = false;
                        item.for_each_simple(&mut |s| {
                            inner |= s.as_var().is_some_and(|v| bound.contains(&v));
                        });
                        if wanted(item) && !inner {
                            moved.push(handler.body.items.remove(kept));
                        } else {
                            kept += 1;
                        }
                    }
                }
            }
            let count = moved.len();
            changed |= count > 0;
            expr.items.splice(at..at, moved);
            at += count + 1;
        }
    });
    changed
}

/// Blocks that some path after a branch needs are allocated before the branch.
fn early_allocation(unit: &mut Unit, _: &mut Rewrites) -> bool {
    move_out(unit, false, |_| true, |item| immutable_block(item).is_some())
}

/// Whether nothing in a handler writes or calls.
fn is_quiet(handler: &ContHandler) -> bool {
    let mut pending = vec![&handler.body];
    while let Some(expr) = pending.pop() {
        for item in &expr.items {
            let loud = match item {
                Item::Let { named: Named::Prim { prim, .. }, .. } => !prim.can_duplicate(),
                _ => false,
            };
            if loud {
                return false;
            }
            item.for_each_child(&mut |child| pending.push(child));
        }
        match &expr.terminator {
            Terminator::Apply(_) => return false,
            Terminator::Try { body, .. } => pending.push(body),
            _ => {}
        }
    }
    true
}

/// A field that a loop reads, and does not write, is read before the loop: the pass forgets that a signal handler may
/// run where the loop polls.
fn hoisted_read(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let is_read = |item: &Item| {
        matches!(item, Item::Let { named: Named::Prim { prim: Prim::BlockLoad { .. }, .. }, .. })
    };
    move_out(unit, true, is_quiet, is_read)
}

/// A division by a constant zero, which traps, counts as an operation like others.
fn dropped_trap(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let zeros = [Const::Tagged(0), Const::NakedImmediate(0), Const::NakedInt32(0), Const::NakedInt64(0)]
        .map(Simple::Const);
    let mut changed = false;
    each_term(unit, &mut |expr| {
        for item in &mut expr.items {
            let Item::Let { named, .. } = item else { continue };
            let Named::Prim { prim: Prim::IntDiv { .. } | Prim::IntMod { .. }, args, .. } = &*named else {
                continue;
            };
            if zeros.contains(&args[1]) {
                *named = Named::Simple(args[1]);
                changed = true;
            }
        }
    });
    changed
}

/// A block that the next block refers to is allocated after a read of a mutable field that is between them, and so
/// after the block that refers to it.
fn sunk_too_far(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let is_mutable_read = |item: &Item| {
        matches!(
            item,
            Item::Let {
                named: Named::Prim {
                    prim: Prim::BlockLoad { mutability: Mutability::Mutable | Mutability::Unknown, .. },
                    ..
                },
                ..
            }
        )
    };
    let mut changed = false;
    each_term(unit, &mut |expr| {
        for at in 0..expr.items.len().saturating_sub(2) {
            let Some(block) = immutable_block(&expr.items[at]) else { continue };
            let (read, outer) = (&expr.items[at + 1], &expr.items[at + 2]);
            if is_mutable_read(read) && immutable_block(outer).is_some() && uses(outer, block) {
                expr.items[at..at + 3].rotate_left(1);
                changed = true;
            }
        }
    });
    changed
}

/// A direct call of a known function becomes a call through its closure, as if the function were unknown.
fn unknown_call(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut closures: HashMap<CodeId, Symbol> = HashMap::new();
    for item in &unit.statics {
        if let StaticDef::Closures { symbols, set } = &item.def {
            closures.extend(set.functions.iter().zip(symbols).map(|((_, code), symbol)| (*code, *symbol)));
        }
    }
    let arities: HashMap<CodeId, usize> = unit
        .codes
        .iter()
        .filter(|(_, code)| code.takes_values(&unit.variables, code.params.len()))
        .map(|(id, code)| (id, code.params.len()))
        .collect();
    let mut changed = false;
    each_term(unit, &mut |expr| {
        let Terminator::Apply(apply) = &mut expr.terminator else { return };
        let CallKind::Direct(code) = &apply.kind else { return };
        let known = apply.callee.or_else(|| closures.get(code).copied().map(Simple::Symbol));
        if apply.args.len() > 1 && arities.get(code) == Some(&apply.args.len()) && known.is_some() {
            apply.callee = known;
            apply.kind = CallKind::Generic;
            changed = true;
        }
    });
    changed
}
