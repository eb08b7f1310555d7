//! What a run loads before anything else happens: whoever begins the run may as well load that.

use flambeau_ir::{Continuation, Expr, Item, Named, Prim, Simple, Terminator, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// Items further on are none of the beginning.
const LONGEST: usize = 48;

/// Visits each load from a variable that a run begins with, in order: on each path through the run it is done, and may
/// as well be done before what precedes it.
pub fn for_each_first_load(items: &[Item], visit: &mut dyn FnMut(Variable, &Prim)) {
    for item in items.iter().take(LONGEST) {
        match item {
            // What is evaluated now comes first. Only what each path computes is sure to be.
            Item::Join { body, .. } => {
                let loads = Paths { handlers: FxHashMap::default(), items: LONGEST }.loads(body);
                loads.into_iter().for_each(|(var, prim)| visit(var, prim));
            }
            _ => load(item).into_iter().for_each(|(var, prim)| visit(var, prim)),
        }
        if !may_precede_load(item) {
            break;
        }
    }
}

/// What an item loads, and from which variable.
fn load(item: &Item) -> Option<(Variable, &Prim)> {
    let Item::Let { named: Named::Prim { prim, args, exn: None }, .. } = item else { return None };
    let is_load = matches!(prim, Prim::Unbox(_) | Prim::BlockLoad { .. } | Prim::BlockLoadFloat { .. });
    match args[..] {
        [Simple::Var(var)] if is_load => Some((var, prim)),
        _ => None,
    }
}

/// Loads, each from a variable.
type Loads<'e> = Vec<(Variable, &'e Prim)>;

/// What all paths through a term begin with.
struct Paths<'e> {
    /// What all paths from a handler that is in scope begin with loading.
    handlers: FxHashMap<Continuation, Loads<'e>>,
    /// How many items may still be looked at.
    items: usize,
}

impl<'e> Paths<'e> {
    /// What each path through a term loads before anything else happens.
    fn loads(&mut self, expr: &'e Expr) -> Loads<'e> {
        let mut loads = Loads::new();
        for item in &expr.items {
            // Before what is nested in the item: there may be any number of runs in one another.
            let Some(left) = self.items.checked_sub(1) else { return loads };
            self.items = left;
            match item {
                Item::LetCont { recursive: false, handlers } => {
                    for handler in handlers {
                        let there = self.loads(&handler.body);
                        self.handlers.insert(handler.cont, there);
                    }
                }
                Item::Join { body, .. } => loads.extend(self.loads(body)),
                _ => loads.extend(load(item)),
            }
            if !may_precede_load(item) {
                return loads;
            }
        }
        let mut common: Option<Loads> = None;
        expr.terminator.for_each_jump(&mut |jump| {
            let there = self.handlers.get(&jump.cont).map(Vec::as_slice).unwrap_or_default();
            match &mut common {
                None => common = Some(there.to_vec()),
                Some(common) => common.retain(|load| there.contains(load)),
            }
        });
        loads.extend(common.into_iter().flatten());
        loads
    }
}

/// Whether a load behind an item may as well be in front of it.
fn may_precede_load(item: &Item) -> bool {
    match item {
        Item::Let { named: Named::Prim { prim, exn, .. }, .. } => exn.is_none() && prim.can_duplicate(),
        Item::Let { named: Named::Simple(_), .. } | Item::LetCont { .. } => true,
        Item::Join { cont, body, .. } => only_computes(*cont, body),
        Item::LetClosures { .. } => false,
    }
}

/// Whether a term does nothing but to compute what it passes to a continuation, to which each path leads.
fn only_computes(cont: Continuation, body: &Expr) -> bool {
    let (mut computes, mut items) = (true, 0);
    let mut inside: FxHashSet<Continuation> = FxHashSet::default();
    inside.insert(cont);
    body.walk(&mut |expr| {
        for item in &expr.items {
            items += 1;
            computes &= match item {
                Item::LetCont { recursive, handlers } => {
                    inside.extend(handlers.iter().map(|handler| handler.cont));
                    !recursive
                }
                Item::Join { cont, .. } => inside.insert(*cont),
                _ => may_precede_load(item),
            };
        }
        computes &= items <= LONGEST
            && matches!(
                expr.terminator,
                Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_)
            );
    });
    body.for_each_cont_use_deep(&mut |used, _| computes &= inside.contains(&used));
    computes
}
