//! Loops that carry blocks: each iteration allocates what the next one only takes apart. The simplifier passes the
//! parts instead, but what it inlines into a loop in the last round it does not look at again.

use flambeau_ir::{
    ApplyCont, CodeId, Continuation, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple, Terminator, Unit,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

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
            let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
            match prim {
                Prim::MakeBlock { .. } | Prim::Box(_) => _ = made.insert(*var),
                Prim::BlockLoad { .. } | Prim::Unbox(_) => loaded.extend(args[0].as_var()),
                _ => {}
            }
        }
    });
    let made = with_joins(body, &made);
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

/// Some blocks, and the parameters of joins that one of them is passed to.
pub(crate) fn with_joins(body: &Expr, made: &FxHashSet<Variable>) -> FxHashSet<Variable> {
    let mut params: FxHashMap<Continuation, &SmallVec<[Variable; 2]>> = FxHashMap::default();
    let mut passed: Vec<(Variable, Variable)> = Vec::new();
    // A join comes before what is inside of it, and so before the jumps to it.
    body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Join { cont, params: results, .. } = item {
                params.insert(*cont, results);
            }
        }
        expr.terminator.for_each_jump(&mut |jump| {
            if let Some(results) = params.get(&jump.cont) {
                let args = jump.args.iter().zip(*results);
                passed.extend(args.filter_map(|(arg, result)| Some((arg.as_var()?, *result))));
            }
        });
    });
    let mut made = made.clone();
    let mut before = 0;
    while made.len() > before {
        before = made.len();
        for (arg, result) in &passed {
            if made.contains(arg) {
                made.insert(*result);
            }
        }
    }
    made
}
