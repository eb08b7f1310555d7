//! Whether a function does work on each path through it: compared with that, a call of it counts for little; whether
//! it calls nothing at all, so that a loop that calls it keeps in registers what it needs if it is inlined; and whether
//! it returns a number in a box of its own, which costs more than the call.

use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Continuation, Expr, Item, Named, Prim, Simple, Terminator, Variable};
use rustc_hash::FxHashMap;

/// What is left of a run.
type Run<'e> = (&'e [Item], &'e Terminator);

/// Whether each path through a body to `ret` calls a function, loops or allocates a closure. Paths that raise do not
/// count.
pub fn always_works(body: &Expr, ret: Continuation) -> bool {
    let mut handlers: FxHashMap<Continuation, Run> = FxHashMap::default();
    let mut pending: Vec<Run> = vec![(&body.items, &body.terminator)];
    while let Some(run) = pending.pop() {
        let Some(end) = end_of_idle(run, &mut handlers, &mut pending) else { continue };
        let mut returns = false;
        // A loop has no handler here: jumping there is work.
        let mut jump = |cont| {
            returns |= cont == ret;
            pending.extend(handlers.remove(&cont));
        };
        match end {
            Terminator::ApplyCont(to) => jump(to.cont),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |to| jump(to.cont)),
            Terminator::StringSwitch(switch) => switch.for_each_jump(&mut |to| jump(to.cont)),
            Terminator::Try { body, .. } => pending.push((&body.items, &body.terminator)),
            Terminator::Apply(_) | Terminator::Raise { .. } | Terminator::Unreachable => {}
        }
        if returns {
            return false;
        }
    }
    true
}

/// Whether a body calls nothing and does not loop. Calls on the way to an error do not count.
pub fn is_leaf(body: &Expr) -> bool {
    let mut is_leaf = true;
    body.walk(&mut |expr| {
        is_leaf &= match &expr.terminator {
            Terminator::Apply(apply) => apply.inlined == InlineAttribute::Cold,
            _ => true,
        };
        is_leaf &= expr.items.iter().all(|item| match item {
            Item::Let { named: Named::Prim { prim, .. }, .. } => !prim.is_c_call(),
            Item::LetCont { recursive, .. } => !recursive,
            Item::Let { .. } | Item::LetClosures { .. } | Item::Join { .. } => true,
        });
    });
    is_leaf
}

/// Whether a path through a body boxes a number just to return it: where the body is inlined, the caller has the
/// number.
pub fn returns_new_number(body: &Expr, ret: Continuation) -> bool {
    returns(body, ret, |item, result| match item {
        Item::Let { var, named: Named::Prim { prim: Prim::Box(_), .. }, .. } => *var == result,
        _ => false,
    })
}

/// Whether a path through a body allocates a closure and returns it: where the body is inlined, it is known what runs
/// when that is called.
pub fn returns_new_closure(body: &Expr, ret: Continuation) -> bool {
    returns(body, ret, |item, result| match item {
        Item::LetClosures { vars, .. } => vars.contains(&result),
        _ => false,
    })
}

/// Whether a run that ends with a return of a variable has such an item.
fn returns(body: &Expr, ret: Continuation, binds: impl Fn(&Item, Variable) -> bool) -> bool {
    let mut found = false;
    body.walk(&mut |expr| {
        if let Terminator::ApplyCont(to) = &expr.terminator
            && to.cont == ret
            && let [Simple::Var(result)] = to.args[..]
        {
            found |= expr.items.iter().any(|item| binds(item, result));
        }
    });
    found
}

/// The end of a run; nothing if it does work before, nor of a join, whose body is `pending` then.
fn end_of_idle<'e>(
    (items, terminator): Run<'e>,
    handlers: &mut FxHashMap<Continuation, Run<'e>>,
    pending: &mut Vec<Run<'e>>,
) -> Option<&'e Terminator> {
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Let { named: Named::Prim { prim, .. }, .. } if prim.is_c_call() && prim.may_raise() => {
                return None;
            }
            Item::Let { .. } | Item::LetCont { recursive: true, .. } => {}
            Item::LetClosures { .. } => return None,
            Item::Join { cont, body, .. } => {
                handlers.insert(*cont, (&items[index + 1..], terminator));
                pending.push((&body.items, &body.terminator));
                return None;
            }
            Item::LetCont { handlers: group, .. } => handlers.extend(
                group
                    .iter()
                    .map(|handler| (handler.cont, (&handler.body.items[..], &handler.body.terminator))),
            ),
        }
    }
    Some(terminator)
}
