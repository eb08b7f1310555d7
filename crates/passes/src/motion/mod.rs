//! Code motion: where in its function each pure value is computed, and each block allocated (`docs/passes/motion.md`,
//! `docs/design/motion.md`).
//!
//! What has an effect, or may fail, is the skeleton and stays. The rest floats between the innermost run around its
//! uses and the outermost one in which its operands are in scope. Between these two it is moved
//!
//! * *out of loops* ([`up`]): what is the same in each iteration and takes longer than a move between registers is
//!   computed where the loop is entered;
//! * *into branches* ([`down`]): an allocation to the one path that needs it; a value of one instruction into the arms
//!   that need it, if others do not.
//!
//! Decisions are made on the numbers of `flambeau_flow`, from the first definition to the last for motion outwards,
//! from the last to the first for motion inwards; then the body is rewritten in one walk ([`rebuild`]).

mod crossing;
mod down;
mod floating;
mod paths;
mod rebuild;
mod share;
mod up;

use cranelift_entity::SecondaryMap;
use flambeau_flow::{Flow, Location, Run, Values};
use flambeau_ir::{CodeId, Continuation, Expr, Rewrites, Simple, Unit, Variable};
use flambeau_simplify::waiting::waiting_loops;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use floating::Floating;
pub(crate) use up::may_be_in_vain;

/// How often jumps are looked at that pass the same allocation.
const SHARED: usize = 3;

/// Moves code in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn motion(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let (mut flow, mut values) = (Flow::default(), Values::default());
    unit.rewrite_bodies(|unit, code, body| {
        let mut changed = false;
        // What one allocation is shared by may pass another one.
        for _ in 0..SHARED {
            values.clear();
            flow.analyse(body, &mut values);
            let shared = {
                let terms = flow.terms(body);
                let function = Function { unit, code, flow: &flow, values: &values, terms: &terms };
                share::plan(&function, &floating::collect(&function), rewrites)
            };
            if shared.is_empty() {
                break;
            }
            share::rebuild(unit, body, &flow, shared);
            changed = true;
        }
        if changed {
            values.clear();
            flow.analyse(body, &mut values);
        }
        let plan = {
            let terms = flow.terms(body);
            let function = Function { unit, code, flow: &flow, values: &values, terms: &terms };
            function.plan(body, rewrites)
        };
        if !plan.moves.is_empty() {
            rebuild::rebuild(unit, body, &flow, plan);
            changed = true;
        }
        changed
    })
}

/// What the analyses read.
struct Function<'f, 'e> {
    unit: &'f Unit,
    code: Option<CodeId>,
    flow: &'f Flow,
    values: &'f Values,
    /// None of arms.
    terms: &'f SecondaryMap<Run, Option<&'e Expr>>,
}

impl Function<'_, '_> {
    fn plan(&self, body: &Expr, rewrites: &mut Rewrites) -> Plan {
        let mut plan = Plan::default();
        let floating = floating::collect(self);
        if !floating.is_empty() {
            let loops = !self.flow.loops().is_empty();
            let waiting = if loops { waiting_loops(body) } else { FxHashSet::default() };
            up::plan(self, &waiting, &floating, &mut plan, rewrites);
            down::plan(self, &waiting, &floating, &mut plan, rewrites);
        }
        plan
    }
}

/// The program point in a run that an item is moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    /// Before all of its items.
    Beginning,
    /// Just before its first call.
    BeforeCall,
    /// Where the run ends by entering this loop.
    BeforeLoop(Continuation),
}

/// Where something is computed instead.
#[derive(Clone, Copy, Debug)]
struct Goal {
    at: Location,
    spot: Spot,
}

/// How one item is moved.
struct Moved {
    /// Where it was.
    from: u32,
    /// Several, if it is computed in several arms.
    goals: SmallVec<[Goal; 1]>,
}

/// The items that are moved.
#[derive(Default)]
struct Plan {
    /// By the first variable that is bound.
    moves: FxHashMap<Variable, Moved>,
    /// Where operands are used instead of at a position.
    uses: FxHashMap<u32, SmallVec<[Location; 1]>>,
}

impl Plan {
    fn add(&mut self, floating: &Floating, goals: SmallVec<[Goal; 1]>) {
        let locations: SmallVec<[Location; 1]> = goals.iter().map(|goal| goal.at).collect();
        for position in floating.positions.clone() {
            self.uses.insert(position, locations.clone());
        }
        self.moves.insert(floating.vars[0], Moved { from: floating.positions.start, goals });
    }

    /// Calls a function on each location at which a variable is used.
    fn for_each_use(&self, variable: Variable, values: &Values, f: &mut impl FnMut(Location)) {
        values.uses(variable).for_each(|at| self.now(at, f));
    }

    /// Where what was at a location is now. What has moved into something that moved is where that is.
    fn now(&self, at: Location, f: &mut impl FnMut(Location)) {
        match self.uses.get(&at.position) {
            Some(goals) => goals.iter().for_each(|goal| self.now(*goal, f)),
            None => f(at),
        }
    }
}

/// The variables among operands.
fn variables(operands: &[Simple]) -> impl Iterator<Item = Variable> {
    operands.iter().filter_map(|operand| operand.as_var())
}
