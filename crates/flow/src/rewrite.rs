//! Changing a body run by run, by the numbers of its runs.

use cranelift_entity::EntityRef;
use flambeau_ir::stack::deep;
use flambeau_ir::{ApplyCont, Expr, Item, Terminator};

use crate::Run;

/// Calls a function on each run of a body, those inside it first, with its number. What the function does to a run changes no
/// number: all inside have been numbered by then. Arms have numbers of their own ([`arms_mut`]), but no calls.
pub fn rewrite_runs(body: &mut Expr, f: &mut impl FnMut(Run, &mut Expr)) {
    rewrite(body, &mut 0, f);
}

fn rewrite(expr: &mut Expr, next: &mut usize, f: &mut impl FnMut(Run, &mut Expr)) {
    let run = Run::new(*next);
    *next += 1;
    deep(|| {
        for item in &mut expr.items {
            match item {
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { body, .. } => rewrite(body, next, f),
                Item::LetCont { handlers, .. } => {
                    handlers.iter_mut().for_each(|handler| rewrite(&mut handler.body, next, f));
                }
            }
        }
        if let Terminator::Try { body, .. } = &mut expr.terminator {
            rewrite(body, next, f);
        }
    });
    *next += arms_mut(&mut expr.terminator).count();
    f(run, expr);
}

/// The jumps of the arms of a switch, in the order of their runs.
pub fn arms_mut(terminator: &mut Terminator) -> impl Iterator<Item = &mut ApplyCont> {
    let (of_integers, of_strings) = match terminator {
        Terminator::Switch(switch) => (Some(switch), None),
        Terminator::StringSwitch(switch) => (None, Some(switch)),
        _ => (None, None),
    };
    let of_integers = of_integers
        .into_iter()
        .flat_map(|switch| switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default));
    let of_strings = of_strings
        .into_iter()
        .flat_map(|switch| switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default));
    of_integers.chain(of_strings)
}
