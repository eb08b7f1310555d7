//! Rewrites a body in one walk, inner runs first.

use cranelift_entity::SecondaryMap;
use flambeau_flow::{Flow, Rewriter, Run, arms_mut, rewrite_runs};
use flambeau_ir::copy::Copier;
use flambeau_ir::remap::{self, Remap};
use flambeau_ir::{ApplyCont, ContHandler, Continuation, Expr, Item, Simple, Terminator, Unit, Variable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Moved, Plan, Spot};

/// Rewrites a body according to the plan.
pub(super) fn rebuild(unit: &mut Unit, body: &mut Expr, flow: &Flow, plan: Plan) {
    let mut incoming: SecondaryMap<Run, Vec<Incoming>> = SecondaryMap::new();
    for (var, Moved { from, goals }) in &plan.moves {
        for goal in goals {
            incoming[goal.at.run].push(Incoming { from: *from, var: *var, spot: goal.spot });
        }
    }
    // What is computed from something else comes after it.
    incoming.values_mut().for_each(|list| list.sort_unstable_by_key(|incoming| incoming.from));
    let mut rebuild = Rebuild { unit, flow, moves: plan.moves, incoming, taken: FxHashMap::default() };
    rewrite_runs(body, &mut rebuild);
}

/// What is moved into a run.
#[derive(Clone, Copy)]
struct Incoming {
    from: u32,
    var: Variable,
    spot: Spot,
}

struct Rebuild<'r> {
    unit: &'r mut Unit,
    flow: &'r Flow,
    moves: FxHashMap<Variable, Moved>,
    incoming: SecondaryMap<Run, Vec<Incoming>>,
    /// The items already taken from their old locations, and whether each is bound where it is moved to.
    taken: FxHashMap<Variable, Taken>,
}

struct Taken {
    item: Item,
    is_bound: bool,
}

impl Rewriter for Rebuild<'_> {
    fn item(&mut self, item: &mut Item) {
        if let Some(var) = self.moved(item) {
            self.taken.insert(var, Taken { item: item.clone(), is_bound: false });
        }
    }

    fn run(&mut self, run: Run, expr: &mut Expr) {
        // What the plan moves elsewhere. What was moved into the run before is of runs inside.
        expr.items.retain(|item| self.moved(item).is_none());
        let mut renamed = Rename::default();
        let list = std::mem::take(&mut self.incoming[run]);
        let before_loop = list.iter().find_map(|incoming| match incoming.spot {
            Spot::BeforeLoop(cont) => Some(cont),
            Spot::Beginning | Spot::BeforeCall => None,
        });
        if let Some(cont) = before_loop {
            self.before_loop(expr, cont, &list, &mut renamed);
        }
        let before_call = self.bind(&list, Spot::BeforeCall, &mut renamed);
        if !before_call.is_empty() {
            let is_call = |item: &Item| match item {
                Item::Join { body, .. } => {
                    body.items.is_empty() && matches!(body.terminator, Terminator::Apply(_))
                }
                _ => false,
            };
            let call = expr.items.iter().position(is_call).unwrap_or(expr.items.len());
            expr.items.splice(call..call, before_call);
        }
        let beginning = self.bind(&list, Spot::Beginning, &mut renamed);
        expr.items.splice(0..0, beginning);
        // What goes into an arm may be made of what is renamed here.
        self.arms(run, expr);
        renamed.apply(expr);
    }
}

impl Rebuild<'_> {
    /// The variable that an item is moved by, if it is.
    fn moved(&self, item: &Item) -> Option<Variable> {
        let first = match item {
            Item::Let { var, .. } => Some(*var),
            Item::LetClosures { vars, .. } => vars.first().copied(),
            Item::Join { params, .. } => params.first().copied(),
            Item::LetCont { .. } => None,
        };
        first.filter(|var| self.moves.contains_key(var))
    }

    /// Binds what is moved to one spot of a run: under its own name the first time, then under others.
    fn bind(&mut self, list: &[Incoming], spot: Spot, renamed: &mut Rename) -> Vec<Item> {
        let mut items = Vec::new();
        for incoming in list.iter().filter(|incoming| incoming.spot == spot) {
            let Some(taken) = self.taken.get_mut(&incoming.var) else { continue };
            if !std::mem::replace(&mut taken.is_bound, true) {
                items.push(taken.item.clone());
                continue;
            }
            let mut copier = Copier::new(&mut self.unit.variables, &mut self.unit.continuations);
            let other = Expr { items: vec![taken.item.clone()], terminator: Terminator::Unreachable };
            let other = copier.expr(&other);
            if let Simple::Var(name) = copier.simple(incoming.var.into()) {
                renamed.names.push((incoming.var, name));
            }
            items.extend(other.items);
        }
        items
    }

    /// Binds what is moved before a loop: it is computed last of all that the run does before it enters the loop.
    fn before_loop(&mut self, expr: &mut Expr, cont: Continuation, list: &[Incoming], renamed: &mut Rename) {
        let items = self.bind(list, Spot::BeforeLoop(cont), renamed);
        let binds = |item: &Item| match item {
            Item::LetCont { handlers, .. } => handlers.iter().any(|handler| handler.cont == cont),
            _ => false,
        };
        let Some(index) = expr.items.iter().position(binds) else { return };
        let entered = expr.items.remove(index);
        expr.items.extend(items);
        expr.items.push(entered);
    }

    /// Binds what is moved into the arms of the switch that ends a run.
    fn arms(&mut self, run: Run, expr: &mut Expr) {
        let mut handlers = Vec::new();
        for (arm, jump) in self.flow.arms(run).iter().zip(arms_mut(&mut expr.terminator)) {
            let list = std::mem::take(&mut self.incoming[*arm]);
            let mut renamed = Rename::default();
            let items = self.bind(&list, Spot::Beginning, &mut renamed);
            if items.is_empty() {
                continue;
            }
            let cont = self.unit.new_continuation("arm");
            let target = std::mem::replace(jump, ApplyCont::plain(cont));
            let mut body = Expr { items, terminator: Terminator::ApplyCont(target) };
            renamed.apply(&mut body);
            handlers.push(ContHandler::plain(cont, body));
        }
        if !handlers.is_empty() {
            expr.items.push(Item::LetCont { recursive: false, handlers });
        }
    }
}

/// Gives variables other names.
#[derive(Default)]
struct Rename {
    names: SmallVec<[(Variable, Variable); 2]>,
}

impl Rename {
    fn apply(&mut self, expr: &mut Expr) {
        if !self.names.is_empty() {
            remap::expr(self, expr);
        }
    }
}

impl Remap for Rename {
    fn variable(&mut self, variable: &mut Variable) {
        if let Some((_, to)) = self.names.iter().find(|(from, _)| from == variable) {
            *variable = *to;
        }
    }
}
