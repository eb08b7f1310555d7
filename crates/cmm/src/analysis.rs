//! What lowering has to know of the IR beforehand, found in one walk over a unit: which variables occur,
//! how often and where each continuation is used, which sets of closures there are.
//!
//! Terms are numbered in preorder, so that "is this continuation used inside that sub-term" is a range
//! query, and no sub-term is ever walked again for each term around it (design 6).

use std::ops::Range;

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, ExnCont, Expr, Item, Kind, Named, Prim, SetOfClosures, Simple,
    Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;

/// A maximal part of a function that no trap and no loop boundary divides: the body of a `Try`, the handlers
/// of a recursive group, or the function itself. Code must not be moved from one region to another
/// (soundness rows 6 and 20).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Region(u32);

/// What is known of a continuation.
#[derive(Clone, Debug, Default)]
pub struct ContinuationInfo<'a> {
    /// The positions of its uses, increasing. Equal arms of one switch are one use. For an exception
    /// continuation, the `Try` that it is the handler of (raises don't count).
    pub uses: Vec<u32>,
    /// What each use passes; nothing is known of what a call returns.
    pub args: Vec<Option<&'a [Simple]>>,
    /// Its parameters, if it was bound with an item.
    pub params: &'a [Variable],
    /// Some use is in another region than the definition.
    pub crosses_region: bool,
    /// Where it is in scope (the handlers of its own group left out).
    pub scope: Range<u32>,
    /// Where it is bound: where the group of handlers begins, or the body of a `Join`.
    pub group: u32,
    /// Its handler, if it is one of a group.
    pub handler: Option<HandlerId>,
    /// The handler that it is bound in.
    pub around: HandlerId,
    /// The kind of its first parameter, if it has one.
    pub takes: Option<Kind>,
    /// Where it is bound.
    pub region: Region,
    /// The region of its handler, if that is a loop's.
    pub inside: Option<Region>,
}

/// A handler of a group; 0 stands for what is in none.
pub type HandlerId = u32;

/// A handler of a group.
#[derive(Clone, Debug)]
pub struct HandlerInfo {
    /// The continuation.
    pub cont: Continuation,
    /// The positions in it.
    pub range: Range<u32>,
    /// The handler around it.
    pub around: HandlerId,
}

/// What is noted of a parameter of a loop, or of a continuation in one.
#[derive(Clone, Debug)]
pub struct Occurrences {
    /// The continuation whose parameter it is, and which of them.
    pub param_of: (Continuation, usize),
    /// Where it occurs, and in which handler.
    pub at: Vec<(u32, HandlerId)>,
    /// The continuations that it is passed to.
    pub passed: Vec<Continuation>,
    /// It may get another name, or be kept for a handler of exceptions.
    pub escapes: bool,
}

/// The points that may raise to the handler of a `Try`, with its extra arguments there.
#[derive(Debug, Default)]
pub struct RaisePoints<'a> {
    /// Increasing.
    positions: Vec<u32>,
    args: Vec<&'a [Simple]>,
    /// By extra argument, how often it has changed up to each point, in their order.
    changes: Vec<Vec<u32>>,
}

impl<'a> RaisePoints<'a> {
    fn add(&mut self, position: u32, args: &'a [Simple]) {
        if self.positions.is_empty() {
            self.changes = vec![Vec::new(); args.len()];
        }
        for (index, (changes, arg)) in self.changes.iter_mut().zip(args).enumerate() {
            let changed = self.args.last().is_some_and(|last| last[index] != *arg);
            changes.push(changes.last().copied().unwrap_or_default() + u32::from(changed));
        }
        self.positions.push(position);
        self.args.push(args);
    }

    /// What an extra argument is at the points in a range: the same at all of them, something else at some, nothing where
    /// there are no points.
    pub fn argument_in(&self, index: usize, range: &Range<u32>) -> Argument {
        let first = self.positions.partition_point(|position| *position < range.start);
        let end = self.positions.partition_point(|position| *position < range.end);
        match self.changes.get(index) {
            Some(changes) if first < end => {
                let is_same = changes[first] == changes[end - 1];
                if is_same { Argument::Always(self.args[first][index]) } else { Argument::Changes }
            }
            _ => Argument::Never,
        }
    }
}

/// What is passed to a handler in some part of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Nothing raises there.
    Never,
    /// The same everywhere.
    Always(Simple),
    /// Different things.
    Changes,
}

/// The result of the walk.
#[derive(Debug)]
pub struct Analysis<'a> {
    unit: &'a Unit,
    /// All continuations of the unit.
    pub continuations: SecondaryMap<Continuation, ContinuationInfo<'a>>,
    /// All sets of closures of the unit.
    pub sets: Vec<&'a SetOfClosures>,
    /// The points that may raise to handlers with extra arguments.
    pub raises: FxHashMap<Continuation, RaisePoints<'a>>,
    occurring: EntitySet<Variable>,
    /// Of the parameters of continuations, in loops.
    occurrences: Vec<Occurrences>,
    /// By variable, one more than the index of its occurrences; 0 if they are not noted.
    noted: SecondaryMap<Variable, u32>,
    /// All handlers of groups but 0.
    handlers: Vec<HandlerInfo>,
    /// The handler around the current position, 0 if there is none.
    handler: HandlerId,
    /// How many loops are around the current position.
    loops: u32,
    position: u32,
    regions: u32,
}

impl<'a> Analysis<'a> {
    /// Walks a unit.
    pub fn new(unit: &'a Unit) -> Self {
        let mut analysis = Analysis {
            unit,
            continuations: SecondaryMap::new(),
            sets: Vec::new(),
            raises: FxHashMap::default(),
            occurring: EntitySet::new(),
            occurrences: Vec::new(),
            noted: SecondaryMap::new(),
            handlers: Vec::new(),
            handler: 0,
            loops: 0,
            position: 0,
            regions: 0,
        };
        for item in &unit.statics {
            if let flambeau_ir::StaticDef::Closures { set, .. } = &item.def {
                analysis.sets.push(set);
            }
        }
        for code in unit.codes.values() {
            analysis.function(code.ret, code.result, &code.body);
        }
        analysis.function(unit.entry.ret, Kind::Value, &unit.entry.body);
        analysis
    }

    /// Whether the variable is an operand of anything.
    pub fn occurs(&self, var: Variable) -> bool {
        self.occurring.contains(var)
    }

    /// Whether a continuation is used at one of these positions.
    pub fn used_in(&self, cont: Continuation, range: &Range<u32>) -> bool {
        let uses = &self.continuations[cont].uses;
        let first = uses.partition_point(|position| *position < range.start);
        uses.get(first).is_some_and(|position| *position < range.end)
    }

    /// What was noted of a variable, if it is a parameter of a continuation in a loop or of a loop.
    pub fn occurrences_of(&self, var: Variable) -> Option<&Occurrences> {
        let index = self.noted[var].checked_sub(1)?;
        self.occurrences.get(index as usize)
    }

    /// Whether the continuation is a handler of exceptions.
    pub fn is_exn(&self, cont: Continuation) -> bool {
        self.unit.continuations[cont].is_exn
    }

    /// A handler, if it is one.
    pub fn handler(&self, handler: HandlerId) -> Option<&HandlerInfo> {
        self.handlers.get(handler.checked_sub(1)? as usize)
    }

    fn function(&mut self, ret: Continuation, result: Kind, body: &'a Expr) {
        let region = self.fresh_region();
        let info = &mut self.continuations[ret];
        info.takes = Some(result);
        info.region = region;
        self.expr(body, region);
    }

    fn fresh_region(&mut self) -> Region {
        self.regions += 1;
        Region(self.regions)
    }

    fn define(&mut self, cont: Continuation, params: &'a [Variable], region: Region) {
        let info = &mut self.continuations[cont];
        info.takes = params.first().map(|param| self.unit.variables[*param].kind);
        info.region = region;
        info.group = self.position;
        info.around = self.handler;
        info.params = params;
        if self.loops > 0 {
            for (index, param) in params.iter().enumerate() {
                self.occurrences.push(Occurrences {
                    param_of: (cont, index),
                    at: Vec::new(),
                    passed: Vec::new(),
                    escapes: false,
                });
                self.noted[*param] = self.occurrences.len() as u32;
            }
        }
    }

    fn use_continuation(&mut self, cont: Continuation, args: Option<&'a [Simple]>, region: Region) {
        let position = self.position;
        let info = &mut self.continuations[cont];
        info.crosses_region |= info.region != region;
        info.uses.push(position);
        info.args.push(args);
    }

    fn occur(&mut self, simple: Simple) {
        if let Simple::Var(var) = simple {
            self.occurring.insert(var);
            let at = (self.position, self.handler);
            if let Some(occurrences) = self.noted_mut(simple) {
                occurrences.at.push(at);
            }
        }
    }

    fn noted_mut(&mut self, simple: Simple) -> Option<&mut Occurrences> {
        let index = self.noted[simple.as_var()?].checked_sub(1)?;
        self.occurrences.get_mut(index as usize)
    }

    /// The variable may get another name.
    fn escape(&mut self, simple: Simple) {
        if let Some(occurrences) = self.noted_mut(simple) {
            occurrences.escapes = true;
        }
    }

    fn jump(&mut self, jump: &'a ApplyCont, region: Region) {
        for arg in &jump.args {
            self.occur(*arg);
            if let Some(occurrences) = self.noted_mut(*arg) {
                occurrences.passed.push(jump.cont);
            }
        }
        self.use_continuation(jump.cont, Some(&jump.args), region);
    }

    fn occur_all(&mut self, simples: &[Simple]) {
        simples.iter().for_each(|simple| self.occur(*simple));
    }

    /// A point that may raise.
    fn raise(&mut self, exn: &'a ExnCont) {
        self.occur_all(&exn.extra_args);
        exn.extra_args.iter().for_each(|arg| self.escape(*arg));
        if !exn.extra_args.is_empty() {
            self.raises.entry(exn.cont).or_default().add(self.position, &exn.extra_args);
        }
    }

    fn expr(&mut self, expr: &'a Expr, region: Region) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.run(expr, region));
    }

    fn run(&mut self, expr: &'a Expr, region: Region) {
        // Continuations whose scope ends with the run.
        let mut open = Vec::new();
        for item in &expr.items {
            self.position += 1;
            match item {
                Item::Let { named: Named::Simple(simple), .. } => {
                    self.occur(*simple);
                    self.escape(*simple);
                }
                Item::Let { named: Named::Prim { prim, args, exn }, .. } => {
                    self.occur_all(args);
                    if let (Prim::ProjectFunctionSlot { .. }, Some(arg)) = (prim, args.first()) {
                        self.escape(*arg);
                    }
                    if let Some(exn) = exn {
                        self.raise(exn);
                    }
                }
                Item::LetClosures { set, .. } => {
                    self.sets.push(set);
                    set.values.iter().for_each(|(_, value)| self.occur(*value));
                }
                Item::Join { cont, params, body } => {
                    self.define(*cont, params, region);
                    let start = self.position + 1;
                    self.expr(body, region);
                    self.continuations[*cont].scope = start..self.position + 1;
                }
                Item::LetCont { recursive, handlers } => {
                    let inside = if *recursive { self.fresh_region() } else { region };
                    self.loops += u32::from(*recursive);
                    for handler in handlers {
                        self.define(handler.cont, &handler.params, region);
                        self.continuations[handler.cont].inside = recursive.then_some(inside);
                    }
                    handlers.iter().for_each(|handler| self.walk_handler(handler, inside));
                    self.loops -= u32::from(*recursive);
                    for handler in handlers {
                        self.continuations[handler.cont].scope.start = self.position + 1;
                        open.push(handler.cont);
                    }
                }
            }
        }
        self.position += 1;
        self.terminator(&expr.terminator, region);
        for cont in open {
            self.continuations[cont].scope.end = self.position + 1;
        }
    }

    fn walk_handler(&mut self, handler: &'a ContHandler, region: Region) {
        let (cont, start) = (handler.cont, self.position + 1);
        self.handlers.push(HandlerInfo { cont, range: start..u32::MAX, around: self.handler });
        let id = self.handlers.len() as HandlerId;
        self.continuations[cont].handler = Some(id);
        let around = std::mem::replace(&mut self.handler, id);
        self.expr(&handler.body, region);
        self.handler = around;
        self.handlers[id as usize - 1].range.end = self.position + 1;
    }

    fn terminator(&mut self, terminator: &'a Terminator, region: Region) {
        match terminator {
            Terminator::Apply(apply) => {
                apply.callee.into_iter().for_each(|callee| self.occur(callee));
                self.occur_all(&apply.args);
                self.raise(&apply.exn);
                self.use_continuation(apply.ret, None, region);
            }
            Terminator::ApplyCont(jump) => self.jump(jump, region),
            Terminator::Switch(switch) => {
                self.occur(switch.scrutinee);
                self.arms(switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default), region);
            }
            Terminator::StringSwitch(switch) => {
                self.occur(switch.scrutinee);
                self.arms(switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default), region);
            }
            Terminator::Raise { exn, handler, .. } => {
                self.occur(*exn);
                self.raise(handler);
            }
            Terminator::Try { body, handler } => {
                self.occur_all(&handler.extra_args);
                handler.extra_args.iter().for_each(|arg| self.escape(*arg));
                self.use_continuation(handler.cont, None, region);
                let inside = self.fresh_region();
                self.expr(body, inside);
            }
            Terminator::Unreachable => {}
        }
    }

    fn arms(&mut self, arms: impl Iterator<Item = &'a ApplyCont>, region: Region) {
        for arm in Targets::new(arms).distinct {
            self.jump(arm, region);
        }
    }
}

/// The arms of a switch with equal ones made one.
pub struct Targets<'a> {
    /// Pairwise different, in order of first appearance.
    pub distinct: Vec<&'a ApplyCont>,
    /// For each arm its index in `distinct`.
    pub indices: Vec<u32>,
}

impl<'a> Targets<'a> {
    /// Of those arms.
    pub fn new(arms: impl Iterator<Item = &'a ApplyCont>) -> Self {
        let mut seen = FxHashMap::default();
        let mut targets = Targets { distinct: Vec::new(), indices: Vec::new() };
        for arm in arms {
            let index = *seen.entry((arm.cont, &arm.args)).or_insert_with(|| {
                targets.distinct.push(arm);
                targets.distinct.len() as u32 - 1
            });
            targets.indices.push(index);
        }
        targets
    }
}
