//! Computes cheap values in the arms that need them (`docs/passes/late.md`).
//!
//! A value of one instruction and without effect which several arms of a switch need, but not all, is computed in each
//! of those instead of before the switch: the others don't pay for it, and it does not live across the calls of arms.
//! Where only one arm needs a value, lowering moves it there by itself.
//!
//! A captured value of a function is so taken into the arms of a loop that the function is, too, if the loop calls the
//! function by its closure again: then the loop is entered as often as it is repeated, and the closure lives in it
//! anyway.

use flambeau_ir::prim::{Coeffects, Effects, IntOp};
use flambeau_ir::remap::{self, Remap};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CallKind, CodeId, Continuation, Expr, Item, Named, Prim, Rewrites, Simple, Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value is computed in no more arms than these: each is code.
const ARMS: usize = 8;
/// A value that more uses need stays.
const USES: usize = 64;
/// No deeper than so many runs inside its own is a value moved.
const DEEP: u32 = 200;

/// Computes cheap values late in all functions of a unit. On entry and on exit the unit is well-formed.
pub fn late(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, code, body| {
        let mut search = Search::new(code);
        search.number(body);
        let mut into: FxHashMap<Run, SmallVec<[Variable; 1]>> = FxHashMap::default();
        let mut moved = FxHashMap::default();
        // Uses before definitions: what moves takes what it is computed from along.
        while let Some(candidate) = search.candidates.pop() {
            let targets = search.targets(&candidate);
            if targets.is_empty() || !rewrites.allow(|| format!("late: value in {}", unit.place_name(code))) {
                continue;
            }
            if let Some(uses) = candidate.operand.and_then(|operand| search.uses.get_mut(&operand)) {
                if let Some(own) = uses.iter().position(|run| *run == candidate.run) {
                    uses.swap_remove(own);
                }
                uses.extend(&targets);
            }
            targets.iter().for_each(|run| into.entry(*run).or_default().push(candidate.var));
            moved.insert(candidate.var, None);
        }
        let changed = !moved.is_empty();
        if changed {
            Rebuild { unit, into, moved, next: 0 }.run(body);
        }
        changed
    })
}

/// A run by its number: in preorder, so that those inside it follow it.
type Run = u32;

/// A cheap value.
struct Candidate {
    var: Variable,
    run: Run,
    /// What it is computed from.
    operand: Option<Variable>,
    /// It is a captured value of a closure.
    is_captured: bool,
}

/// A run as far as this pass looks at it.
struct RunData {
    /// One past the last run inside.
    end: Run,
    /// In order.
    children: SmallVec<[Child; 2]>,
    /// How many arms the switch has that ends it.
    arms: usize,
}

/// Where a value is computed instead.
type Targets = SmallVec<[Run; 4]>;

/// A run directly inside another, with the uses in it.
type Used<'s> = (&'s Child, SmallVec<[Run; 8]>);

/// A run that a value may be computed in.
#[derive(Clone, Copy)]
struct At {
    run: Run,
    /// It is in a loop that the value is not in.
    in_loop: bool,
    /// How deep it is inside the value's own run.
    level: u32,
}

impl At {
    fn of(run: Run) -> At {
        At { run, in_loop: false, level: 0 }
    }

    fn inside(self, run: Run) -> At {
        At { run, level: self.level + 1, ..self }
    }
}

/// A run directly inside another.
struct Child {
    run: Run,
    kind: ChildKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChildKind {
    /// An arm of the final switch, which is entered from there alone.
    Arm,
    /// Another handler, or the body of a `Join`.
    Plain,
    Loop,
    Try,
}

struct Search {
    code: Option<CodeId>,
    runs: Vec<RunData>,
    candidates: Vec<Candidate>,
    /// The runs in which candidates are used.
    uses: FxHashMap<Variable, Vec<Run>>,
    /// Calls of the function by a closure, and where.
    recursion: Vec<(Variable, Run)>,
    /// How often continuations are jumped to.
    jumps: FxHashMap<Continuation, u32>,
}

impl Search {
    fn new(code: Option<CodeId>) -> Search {
        Search {
            code,
            runs: Vec::new(),
            candidates: Vec::new(),
            uses: FxHashMap::default(),
            recursion: Vec::new(),
            jumps: FxHashMap::default(),
        }
    }

    /// Notes candidates, and what they are used for.
    fn number(&mut self, body: &Expr) {
        body.for_each_cont_use_deep(&mut |cont, _| *self.jumps.entry(cont).or_default() += 1);
        self.run(body);
    }

    fn run(&mut self, expr: &Expr) -> Run {
        let run = self.runs.len() as Run;
        self.runs.push(RunData { end: 0, children: SmallVec::new(), arms: 0 });
        let mut children = SmallVec::new();
        let arms = self.arms(&expr.terminator);
        for item in &expr.items {
            item.for_each_simple(&mut |simple| self.note(simple, run));
            match item {
                Item::Let { var, named: Named::Prim { prim, args, exn: None }, .. }
                    if is_cheap(prim, args) =>
                {
                    let operand = args.iter().find_map(|arg| arg.as_var());
                    let is_captured = matches!(prim, Prim::ProjectValueSlot { .. });
                    self.candidates.push(Candidate { var: *var, run, operand, is_captured });
                    self.uses.insert(*var, Vec::new());
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { body, .. } => {
                    children.push(Child { run: deep(|| self.run(body)), kind: ChildKind::Plain });
                }
                Item::LetCont { recursive, handlers } => {
                    for handler in handlers {
                        let kind = match recursive {
                            true => ChildKind::Loop,
                            false if arms.contains(&handler.cont) => ChildKind::Arm,
                            false => ChildKind::Plain,
                        };
                        children.push(Child { run: deep(|| self.run(&handler.body)), kind });
                    }
                }
            }
        }
        expr.terminator.for_each_simple(&mut |simple| self.note(simple, run));
        match &expr.terminator {
            Terminator::Try { body, .. } => {
                children.push(Child { run: deep(|| self.run(body)), kind: ChildKind::Try });
            }
            Terminator::Apply(apply) => {
                if let (CallKind::Direct(code), Some(Simple::Var(closure))) = (&apply.kind, apply.callee)
                    && Some(*code) == self.code
                {
                    self.recursion.push((closure, run));
                }
            }
            Terminator::Switch(switch) => {
                self.runs[run as usize].arms = switch.arms.len() + usize::from(switch.default.is_some());
            }
            _ => {}
        }
        let end = self.runs.len() as Run;
        let data = &mut self.runs[run as usize];
        (data.end, data.children) = (end, children);
        run
    }

    /// The continuations that only one arm of a final switch jumps to.
    fn arms(&self, terminator: &Terminator) -> SmallVec<[Continuation; 8]> {
        let mut arms = SmallVec::new();
        if let Terminator::Switch(switch) = terminator {
            switch.for_each_jump(&mut |jump| {
                if self.jumps.get(&jump.cont) == Some(&1) {
                    arms.push(jump.cont);
                }
            });
        }
        arms
    }

    fn note(&mut self, simple: Simple, run: Run) {
        if let Simple::Var(var) = simple
            && let Some(uses) = self.uses.get_mut(&var)
        {
            uses.push(run);
        }
    }
}

impl Search {
    /// Where a value is computed instead: in some of the runs inside the one where it is; nowhere if that is best.
    fn targets(&self, candidate: &Candidate) -> Targets {
        let uses = self.uses.get(&candidate.var).filter(|uses| uses.len() <= USES);
        let targets = uses.and_then(|uses| self.inside(candidate, At::of(candidate.run), uses));
        targets.filter(|targets| targets.len() <= ARMS).unwrap_or_default()
    }

    /// Arms inside a run that all uses are in, if not all arms are.
    fn inside(&self, candidate: &Candidate, at: At, uses: &[Run]) -> Option<Targets> {
        let data = &self.runs[at.run as usize];
        let used = self.split(at.run, uses)?;
        let deeper = |at: At, uses: &[Run]| {
            deep(|| (at.level < DEEP).then(|| self.inside(candidate, at, uses)).flatten())
        };
        if let [(child, within)] = &used[..] {
            let next = at.inside(child.run);
            return match child.kind {
                ChildKind::Try => None,
                ChildKind::Loop if !self.is_recursive(candidate, child) => None,
                ChildKind::Loop => deeper(At { in_loop: true, ..next }, within),
                ChildKind::Arm if at.in_loop && data.arms > 1 => {
                    Some(deeper(next, within).unwrap_or_else(|| SmallVec::from_slice(&[child.run])))
                }
                ChildKind::Arm | ChildKind::Plain => deeper(next, within),
            };
        }
        if used.len() >= data.arms || used.iter().any(|(child, _)| child.kind != ChildKind::Arm) {
            return None;
        }
        let mut targets = Targets::new();
        for (child, within) in &used {
            let found = deeper(at.inside(child.run), within);
            targets.extend(found.unwrap_or_else(|| SmallVec::from_slice(&[child.run])));
        }
        Some(targets)
    }

    /// The runs directly inside one that hold uses, each with its own; nothing if the run itself has one.
    fn split(&self, run: Run, uses: &[Run]) -> Option<SmallVec<[Used<'_>; 4]>> {
        let children = &self.runs[run as usize].children;
        let mut used: SmallVec<[Used; 4]> = SmallVec::new();
        for &inner in uses {
            let after = children.partition_point(|child| child.run <= inner);
            let child = children.get(after.checked_sub(1)?)?;
            match used.iter_mut().find(|(other, _)| other.run == child.run) {
                Some((_, within)) => within.push(inner),
                None => used.push((child, SmallVec::from_slice(&[inner]))),
            }
        }
        Some(used)
    }

    /// Whether a loop calls the function again by the closure that the value is from.
    fn is_recursive(&self, candidate: &Candidate, child: &Child) -> bool {
        let end = self.runs[child.run as usize].end;
        candidate.is_captured
            && self
                .recursion
                .iter()
                .any(|(closure, run)| Some(*closure) == candidate.operand && (child.run..end).contains(run))
    }
}

/// Moves values.
struct Rebuild<'u> {
    unit: &'u mut Unit,
    /// Those to be computed at the beginning of runs; what needs another comes before it.
    into: FxHashMap<Run, SmallVec<[Variable; 1]>>,
    /// How they are computed, once that is seen, and whether they are bound somewhere.
    moved: FxHashMap<Variable, Option<Moved>>,
    next: Run,
}

struct Moved {
    item: Item,
    is_bound: bool,
}

impl Rebuild<'_> {
    fn run(&mut self, expr: &mut Expr) {
        let run = self.next;
        self.next += 1;
        let moved = &mut self.moved;
        expr.items.retain(|item| match item {
            Item::Let { var, .. } if moved.contains_key(var) => {
                moved.insert(*var, Some(Moved { item: item.clone(), is_bound: false }));
                false
            }
            _ => true,
        });
        for item in &mut expr.items {
            match item {
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { body, .. } => deep(|| self.run(body)),
                Item::LetCont { handlers, .. } => {
                    handlers.iter_mut().for_each(|handler| deep(|| self.run(&mut handler.body)));
                }
            }
        }
        if let Terminator::Try { body, .. } = &mut expr.terminator {
            deep(|| self.run(body));
        }
        for var in self.into.remove(&run).unwrap_or_default() {
            self.bind(var, expr);
        }
    }

    /// Computes a value at the beginning of a run: the first time by its name, then by another.
    fn bind(&mut self, var: Variable, expr: &mut Expr) {
        let Some(Some(moved)) = self.moved.get_mut(&var) else { return };
        let item = moved.item.clone();
        let is_copy = std::mem::replace(&mut moved.is_bound, true);
        expr.items.insert(0, item);
        if is_copy {
            let data = self.unit.variables[var].clone();
            let to = self.unit.variables.push(data);
            remap::expr(&mut Rename { from: var, to }, expr);
        }
    }
}

/// Gives a variable another name.
struct Rename {
    from: Variable,
    to: Variable,
}

impl Remap for Rename {
    fn variable(&mut self, variable: &mut Variable) {
        if *variable == self.from {
            *variable = self.to;
        }
    }
}

/// Whether a value takes one instruction, of at most one variable and constants, and has the same value anywhere.
fn is_cheap(prim: &Prim, args: &[Simple]) -> bool {
    let of_one = args.iter().filter(|arg| arg.as_var().is_some()).count() <= 1;
    let cheap = match prim {
        Prim::ProjectValueSlot { .. } | Prim::ProjectFunctionSlot { .. } | Prim::Untag | Prim::Tag => true,
        Prim::BlockLoad { .. } => prim.effects() == (Effects::None, Coeffects::None),
        Prim::IntArith { op, .. } => !matches!(op, IntOp::Mul),
        _ => false,
    };
    of_one && cheap
}
