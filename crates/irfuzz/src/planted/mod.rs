//! Miscompiling passes: what a fuzzer must find to be worth its time.
//!
//! Each is a mistake that a real optimiser could make, and makes it only where that optimiser would have done
//! something. The tests here count how many units it takes to find them; `cargo xtask fuzz --planted` counts
//! programs, with an executable built with the feature `planted-bugs`, where `FLAMBEAU_PLANT` names one of them.

use std::collections::HashMap;

use flambeau_ir::prim::{Init, Mutability, ShiftOp};
use flambeau_ir::{
    ApplyCont, Const, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Kind, Named, Prim, Rewrites,
    Simple, Terminator, Unit, Variable,
};

use crate::Pass;

mod shapes;

pub use shapes::FOR_PROGRAMS;

/// The planted bugs that random terms show, too.
pub const PASSES: &[Pass] = &[
    Pass { name: "evaluation-order", run: evaluation_order },
    Pass { name: "dropped-effect", run: dropped_effect },
    Pass { name: "swapped-join", run: swapped_join },
    Pass { name: "unsound-unboxing", run: unsound_unboxing },
    Pass { name: "wrong-fold", run: wrong_fold },
    Pass { name: "stale-read", run: stale_read },
    Pass { name: "remade-box", run: remade_box },
];

/// The pass of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().chain(FOR_PROGRAMS).find(|pass| pass.name == name)
}

/// Visits each term of a unit, outer ones first.
fn each_term(unit: &mut Unit, f: &mut dyn FnMut(&mut Expr)) {
    let mut codes: Vec<_> = unit.codes.values_mut().map(|code| &mut code.body).collect();
    codes.push(&mut unit.entry.body);
    let mut pending = codes;
    while let Some(expr) = pending.pop() {
        f(expr);
        for item in &mut expr.items {
            match item {
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { body, .. } => pending.push(body),
                Item::LetCont { handlers, .. } => pending.extend(handlers.iter_mut().map(|h| &mut h.body)),
            }
        }
        if let Terminator::Try { body, .. } = &mut expr.terminator {
            pending.push(body);
        }
    }
}

fn uses(item: &Item, var: Variable) -> bool {
    let mut found = false;
    item.for_each_simple(&mut |simple| found |= simple == Simple::Var(var));
    item.for_each_child(&mut |child| child.for_each_simple_deep(&mut |s| found |= s == Simple::Var(var)));
    found
}

/// The result of an item that does nothing but call.
fn call(item: &Item) -> Option<Variable> {
    match item {
        Item::Join { params, body, .. } if body.items.is_empty() => match (&body.terminator, &params[..]) {
            (Terminator::Apply(_), [result]) => Some(*result),
            _ => None,
        },
        Item::Let { var, named: Named::Prim { prim: Prim::CCall(_), .. }, .. } => Some(*var),
        _ => None,
    }
}

/// Operands are used within this many items.
const NEAR: usize = 4;

/// The operands of an operation, two calls, are evaluated from left to right.
fn evaluation_order(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut changed = false;
    each_term(unit, &mut |expr| {
        for i in 0..expr.items.len().saturating_sub(1) {
            let [first, second, rest @ ..] = &expr.items[i..] else { continue };
            let (Some(a), Some(b)) = (call(first), call(second)) else { continue };
            let mut used = rest.iter().take(NEAR).any(|item| uses(item, a) || uses(item, b));
            expr.terminator.for_each_simple(&mut |s| used |= s == Simple::Var(a) || s == Simple::Var(b));
            if !uses(second, a) && used {
                expr.items.swap(i, i + 1);
                changed = true;
            }
        }
    });
    changed
}

/// A store into a block that was allocated in the same run, and is not read there any more, counts as dead: the pass
/// forgets that the block may have escaped.
fn dropped_effect(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut changed = false;
    each_term(unit, &mut |expr| {
        let mut allocated = vec![];
        let mut i = 0;
        while i < expr.items.len() {
            let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = &expr.items[i] else {
                i += 1;
                continue;
            };
            match (prim, args.first()) {
                (Prim::MakeBlock { mutability: Mutability::Mutable, .. }, _) => allocated.push(*var),
                (Prim::BlockStore { init: Init::Assignment, .. }, Some(Simple::Var(block)))
                    if allocated.contains(block) =>
                {
                    let block = *block;
                    let read = expr.items[i + 1..].iter().any(|item| match item {
                        Item::Let {
                            named: Named::Prim { prim: Prim::BlockLoad { .. }, args, .. }, ..
                        } => args[0] == Simple::Var(block),
                        _ => false,
                    });
                    if !read && let Item::Let { named, .. } = &mut expr.items[i] {
                        *named = Named::Simple(Simple::UNIT);
                        changed = true;
                    }
                }
                _ => {}
            }
            i += 1;
        }
    });
    changed
}

/// The first jump to a continuation decides the order of its parameters; the second gets it wrong.
fn swapped_join(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let kinds: Vec<Kind> = unit.variables.values().map(|data| data.kind).collect();
    let mut seen: HashMap<Continuation, usize> = HashMap::new();
    let mut changed = false;
    each_term(unit, &mut |expr| {
        let mut jump = |jump: &mut ApplyCont| {
            let [Simple::Var(a), Simple::Var(b), ..] = jump.args[..] else { return };
            let count = seen.entry(jump.cont).or_default();
            *count += 1;
            if *count == 2 && a != b && kinds[a.as_u32() as usize] == kinds[b.as_u32() as usize] {
                jump.args.swap(0, 1);
                changed = true;
            }
        };
        match &mut expr.terminator {
            Terminator::ApplyCont(k) => jump(k),
            Terminator::Switch(switch) => {
                switch.arms.iter_mut().for_each(|(_, k)| jump(k));
                switch.default.iter_mut().for_each(&mut jump);
            }
            _ => {}
        }
    });
    changed
}

/// What each variable is bound to.
fn definitions(unit: &mut Unit) -> HashMap<Variable, (Prim, Vec<Simple>)> {
    let mut found = HashMap::new();
    each_term(unit, &mut |expr| {
        for item in &expr.items {
            if let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item {
                found.insert(*var, (prim.clone(), args.to_vec()));
            }
        }
    });
    found
}

/// A number that is converted to an `int32`, boxed or not, and extended again is replaced by the original, as if
/// unboxed `int32`s had no upper bits to lose.
fn unsound_unboxing(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let known = definitions(unit);
    let definition = |simple: Simple| simple.as_var().and_then(|var| known.get(&var));
    let origin = |simple: Simple, wide: Kind| -> Option<Simple> {
        let mut at = simple;
        loop {
            match definition(at)? {
                (Prim::Unbox(_) | Prim::Box(_), args) => at = args[0],
                (Prim::NumConv { from, to: Kind::NakedInt32 }, args) if *from == wide => {
                    return Some(args[0]);
                }
                _ => return None,
            }
        }
    };
    let mut changed = false;
    each_term(unit, &mut |expr| {
        for item in &mut expr.items {
            let Item::Let { named, .. } = item else { continue };
            let Named::Prim { prim: Prim::NumConv { from: Kind::NakedInt32, to }, args, .. } = &*named else {
                continue;
            };
            if let Some(wider) = origin(args[0], *to) {
                *named = Named::Simple(wider);
                changed = true;
            }
        }
    });
    changed
}

/// A division by a power of two becomes a shift, which rounds differently.
fn wrong_fold(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut changed = false;
    each_term(unit, &mut |expr| {
        for item in &mut expr.items {
            let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { continue };
            let Prim::IntDiv { kind } = prim else { continue };
            let divisor = match args[1] {
                Simple::Const(
                    Const::Tagged(n)
                    | Const::NakedImmediate(n)
                    | Const::NakedInt64(n)
                    | Const::NakedNativeint(n),
                ) => n,
                Simple::Const(Const::NakedInt32(n)) => i64::from(n),
                _ => continue,
            };
            if divisor > 1 && divisor.count_ones() == 1 {
                let amount = i64::from(divisor.trailing_zeros());
                args[1] =
                    if *kind == IntKind::Tagged { Simple::tagged(amount) } else { Simple::naked_imm(amount) };
                *prim = Prim::IntShift { op: ShiftOp::Asr, kind: *kind };
                changed = true;
            }
        }
    });
    changed
}

/// A field that was read before is not read again, unless this run stored into that very block: the pass forgets that
/// calls store, too, and that blocks have aliases.
fn stale_read(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut changed = false;
    each_term(unit, &mut |expr| {
        let mut known: HashMap<(Simple, u32), Variable> = HashMap::new();
        for item in &mut expr.items {
            let Item::Let { var, named, .. } = item else { continue };
            let Named::Prim { prim, args, .. } = &*named else { continue };
            match prim {
                Prim::BlockLoad { field, mutability: Mutability::Mutable | Mutability::Unknown } => {
                    if let Some(earlier) = known.get(&(args[0], *field)) {
                        *named = Named::Simple(Simple::Var(*earlier));
                        changed = true;
                    } else {
                        known.insert((args[0], *field), *var);
                    }
                }
                Prim::BlockStore { .. } | Prim::OffsetRef { .. } | Prim::BlockStoreComputed { .. } => {
                    let block = args[0];
                    known.retain(|(loaded, _), _| *loaded != block);
                }
                _ => {}
            }
        }
    });
    changed
}

/// The block or boxed number in a loop's parameter is allocated again in each iteration, from what the first operation
/// on it reads: as if boxed numbers had no identity.
fn remade_box(unit: &mut Unit, _: &mut Rewrites) -> bool {
    let mut found: Vec<(Continuation, Variable)> = vec![];
    each_term(unit, &mut |expr| {
        for item in &expr.items {
            let Item::LetCont { recursive: true, handlers } = item else { continue };
            for handler in handlers {
                for item in &handler.body.items {
                    if let Item::Let { named: Named::Prim { prim: Prim::Unbox(_), args, .. }, .. } = item
                        && let Some(param) = args[0].as_var().filter(|var| handler.params.contains(var))
                        && !found.contains(&(handler.cont, param))
                    {
                        found.push((handler.cont, param));
                    }
                }
            }
        }
    });
    let changed = !found.is_empty();
    for (cont, param) in found {
        let boxed = unit.new_variable("boxed", Kind::Value, unit.variables[param].subkind);
        each_term(unit, &mut |expr| {
            for item in &mut expr.items {
                let Item::LetCont { recursive: true, handlers } = item else { continue };
                for handler in handlers.iter_mut().filter(|handler| handler.cont == cont) {
                    make_again(handler, param, boxed);
                }
            }
        });
    }
    changed
}

/// The parameter takes another name up to where it is unboxed, and is boxed again there.
fn make_again(handler: &mut ContHandler, param: Variable, boxed: Variable) {
    let items = &mut handler.body.items;
    let unboxed = items.iter().enumerate().find_map(|(index, item)| match item {
        Item::Let { var, named: Named::Prim { prim: Prim::Unbox(kind), args, .. }, .. }
            if args[0] == Simple::Var(param) =>
        {
            Some((index, *var, *kind))
        }
        _ => None,
    });
    let Some((index, naked, kind)) = unboxed else { return };
    if items[..index].iter().any(|item| uses(item, param)) {
        return;
    }
    handler.params.iter_mut().filter(|p| **p == param).for_each(|p| *p = boxed);
    if let Item::Let { named: Named::Prim { args, .. }, .. } = &mut items[index] {
        args[0] = boxed.into();
    }
    let named = Named::Prim { prim: Prim::Box(kind), args: [naked.into()].into_iter().collect(), exn: None };
    items.insert(index + 1, Item::Let { var: param, named, dbg: Dbg::NONE });
}
