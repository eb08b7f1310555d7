//! Changing a body run by run, by the numbers of its runs.

use cranelift_entity::EntityRef;
use flambeau_ir::stack::deep;
use flambeau_ir::{ApplyCont, Expr, Item, Terminator};

use crate::Run;

/// A rewriting of a body.
pub trait Rewriter {
    /// An item, after what is nested in it.
    fn item(&mut self, item: &mut Item);
    /// A run, after all its items and what is nested in its terminator.
    fn run(&mut self, run: Run, expr: &mut Expr);
}

/// Passes all runs of a body to the rewriter, in the order of the text, each after those inside it. Rewriting a run
/// changes no number: all inside have been numbered by then. Arms have numbers, but are no terms: [`arms_mut`]
/// returns the jumps of those of a run.
pub fn rewrite_runs(body: &mut Expr, rewriter: &mut impl Rewriter) {
    rewrite(body, &mut 0, rewriter);
}

fn rewrite(expr: &mut Expr, next: &mut usize, f: &mut impl Rewriter) {
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
            f.item(item);
        }
        if let Terminator::Try { body, .. } = &mut expr.terminator {
            rewrite(body, next, f);
        }
    });
    *next += arms_mut(&mut expr.terminator).count();
    f.run(run, expr);
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
