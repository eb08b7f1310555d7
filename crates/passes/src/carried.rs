//! Loops that carry blocks: each iteration allocates what the next one only takes apart. The simplifier passes the
//! parts instead, but what it inlines into a loop in the last round it does not look at again.

use flambeau_ir::{
    ApplyCont, CodeId, Continuation, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple, Terminator, Unit,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions of a unit that have such loops, and may be simplified once more; the entry without a code.
#[must_use]
pub fn functions(unit: &Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let codes = unit.codes.iter().map(|(id, code)| (Some(id), &code.body));
    let bodies = codes.chain([(None, &unit.entry.body)]);
    bodies
        .filter(|(code, body)| carries_blocks(body) && rewrites.allow(Rewrite::CarriedBlocks, unit, *code))
        .map(|(code, _)| code)
        .collect()
}

fn carries_blocks(body: &Expr) -> bool {
    let mut loops: FxHashMap<Continuation, &[Variable]> = FxHashMap::default();
    body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::LetCont { recursive: true, handlers } = item {
                loops.extend(handlers.iter().map(|handler| (handler.cont, &handler.params[..])));
            }
        }
    });
    if loops.is_empty() {
        return false;
    }
    let (mut made, mut loaded) = (FxHashSet::default(), FxHashSet::default());
    body.walk(&mut |expr| {
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Prim { prim: Prim::MakeBlock { .. }, .. }, .. } => {
                    made.insert(*var);
                }
                Item::Let { named: Named::Prim { prim: Prim::BlockLoad { .. }, args, .. }, .. } => {
                    loaded.extend(args[0].as_var());
                }
                _ => {}
            }
        }
    });
    let is_carried = |jump: &ApplyCont| {
        let params = loops.get(&jump.cont).copied().unwrap_or_default();
        jump.args.iter().zip(params).any(|(arg, param)| {
            matches!(arg, Simple::Var(var) if made.contains(var)) && loaded.contains(param)
        })
    };
    let mut carried = false;
    body.walk(&mut |expr| match &expr.terminator {
        Terminator::ApplyCont(jump) => carried |= is_carried(jump),
        Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| carried |= is_carried(jump)),
        _ => {}
    });
    carried
}
