//! What lowering has to know of the IR beforehand, found while the control flow of each function is numbered
//! (`flambeau_flow`): which variables occur, how often and where each continuation is used, which sets of closures
//! there are.
//!
//! Positions are those of the control flow, one function after another, so that "is this continuation used inside that
//! sub-term" is a range query, and no sub-term is ever walked again for each term around it (design 6).

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_flow::{Block, BlockData, Flow, Loop, Point, Run, RunData, Visitor};
use flambeau_ir::{
    ApplyCont, Continuation, ExnCont, Expr, Item, Kind, Machine, Named, Prim, SetOfClosures, Simple,
    Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;

/// A maximal part of a function that no trap and no loop boundary divides: the body of a `Try`, the handlers
/// of a recursive group, or the function itself. Code must not be moved from one region to another
/// (soundness rows 6 and 20). Only regions of one function are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Region {
    in_try: PackedOption<Block>,
    in_loop: PackedOption<Loop>,
}

impl Region {
    fn of(flow: &Flow, run: Run) -> Region {
        let RunData { in_try, in_loop, .. } = flow.runs()[run];
        Region { in_try, in_loop }
    }
}

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

/// A handler of a group; 0 is for what is in none.
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

/// What is recorded of a parameter of a loop, or of a continuation in one.
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

    /// What an extra argument is at the points in a range: the same at all of them, different at some, nothing where
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
    /// The same argument everywhere.
    Always(Simple),
    /// Different things.
    Changes,
}

/// The result of the walk.
#[derive(Debug)]
pub struct Analysis<'a> {
    unit: &'a Unit,
    machine: Machine,
    /// All continuations of the unit.
    pub continuations: SecondaryMap<Continuation, ContinuationInfo<'a>>,
    /// All sets of closures of the unit.
    pub sets: Vec<&'a SetOfClosures>,
    /// The points that may raise to handlers with extra arguments.
    pub raises: FxHashMap<Continuation, RaisePoints<'a>>,
    occurring: EntitySet<Variable>,
    /// Of the parameters of continuations, in loops.
    occurrences: Vec<Occurrences>,
    /// By variable, one more than the index of its occurrences; 0 if they are not recorded.
    noted: SecondaryMap<Variable, u32>,
    /// All handlers of groups but 0.
    handlers: Vec<HandlerInfo>,
    /// Of the function looked through, the handlers around its runs as far as they have been asked for.
    around: SecondaryMap<Run, Option<HandlerId>>,
    /// How many positions the functions before it have.
    base: u32,
}

impl<'a> Analysis<'a> {
    /// Walks a unit.
    pub fn new(unit: &'a Unit, machine: Machine) -> Self {
        let mut analysis = Analysis {
            unit,
            machine,
            continuations: SecondaryMap::new(),
            sets: Vec::new(),
            raises: FxHashMap::default(),
            occurring: EntitySet::new(),
            occurrences: Vec::new(),
            noted: SecondaryMap::new(),
            handlers: Vec::new(),
            around: SecondaryMap::new(),
            base: 0,
        };
        let mut flow = Flow::default();
        for item in &unit.statics {
            if let flambeau_ir::StaticDef::Closures { set, .. } = &item.def {
                analysis.sets.push(set);
            }
        }
        for code in unit.codes.values() {
            analysis.function(&mut flow, code.ret, code.result, &code.body);
        }
        analysis.function(&mut flow, unit.entry.ret, Kind::Value, &unit.entry.body);
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

    /// What was recorded of a variable, if it is a parameter of a continuation in a loop or of a loop.
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

    fn function(&mut self, flow: &mut Flow, ret: Continuation, result: Kind, body: &'a Expr) {
        self.continuations[ret].takes = Some(result);
        self.around.clear();
        flow.analyse(body, self);
        for block in flow.blocks().values() {
            let Some(cont) = block.cont else { continue };
            let info = &mut self.continuations[cont];
            info.inside = block.header_of.expand().map(|_| Region::of(flow, block.code));
            let mut from = block.used_from;
            if let Some(id) = info.handler {
                let handler = &flow.runs()[block.code];
                self.handlers[id as usize - 1].range = self.base + handler.start..self.base + handler.end;
            }
            if let Some(last) = block.header_of.expand().and_then(|entered| flow.headers(entered).last()) {
                from = flow.runs()[flow.blocks()[last].code].end;
            }
            info.scope = self.base + from..self.base + block.used_to;
        }
        self.base += flow.positions() + 1;
    }

    /// The handler that a run is part of.
    fn handler_of(&mut self, flow: &Flow, run: Run) -> HandlerId {
        let mut at = run;
        let handler = loop {
            match (self.around[at], flow.runs()[at].parent.expand()) {
                (Some(handler), _) => break handler,
                (None, Some(parent)) => at = parent,
                (None, None) => break 0,
            }
        };
        self.around[run] = Some(handler);
        handler
    }

    /// A continuation that an item of a run binds.
    fn define(&mut self, flow: &Flow, at: Point, cont: Continuation, params: &'a [Variable], is_loop: bool) {
        let around = self.handler_of(flow, at.run);
        let info = &mut self.continuations[cont];
        info.takes = params.first().map(|param| self.unit.variables[*param].kind);
        info.region = Region::of(flow, at.run);
        info.group = self.base + at.position;
        info.around = around;
        info.params = params;
        if is_loop || flow.runs()[at.run].in_loop.is_some() {
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

    fn here(&mut self, flow: &Flow, at: Point) -> Here {
        Here {
            position: self.base + at.position,
            handler: self.handler_of(flow, at.run),
            region: Region::of(flow, at.run),
        }
    }

    fn use_continuation(&mut self, cont: Continuation, args: Option<&'a [Simple]>, here: Here) {
        let info = &mut self.continuations[cont];
        info.crosses_region |= info.region != here.region;
        info.uses.push(here.position);
        info.args.push(args);
    }

    fn occur(&mut self, simple: Simple, here: Here) {
        if let Simple::Var(var) = simple {
            self.occurring.insert(var);
            if let Some(occurrences) = self.noted_mut(simple) {
                occurrences.at.push((here.position, here.handler));
            }
        }
    }

    fn occur_all(&mut self, simples: &[Simple], here: Here) {
        simples.iter().for_each(|simple| self.occur(*simple, here));
    }

    fn jump(&mut self, jump: &'a ApplyCont, here: Here) {
        for arg in &jump.args {
            self.occur(*arg, here);
            if let Some(occurrences) = self.noted_mut(*arg) {
                occurrences.passed.push(jump.cont);
            }
        }
        self.use_continuation(jump.cont, Some(&jump.args), here);
    }

    fn arms(&mut self, arms: impl Iterator<Item = &'a ApplyCont>, here: Here) {
        for arm in Targets::new(arms).distinct {
            self.jump(arm, here);
        }
    }

    /// A point that may raise.
    fn raise(&mut self, exn: &'a ExnCont, here: Here) {
        self.occur_all(&exn.extra_args, here);
        exn.extra_args.iter().for_each(|arg| self.escape(*arg));
        if !exn.extra_args.is_empty() {
            self.raises.entry(exn.cont).or_default().add(here.position, &exn.extra_args);
        }
    }
}

/// Where something is used.
#[derive(Clone, Copy)]
struct Here {
    position: u32,
    handler: HandlerId,
    region: Region,
}

impl<'a> Visitor<'a> for Analysis<'a> {
    fn block(&mut self, _: &Flow, at: Point, block: &BlockData) {
        // The code of a `Join` continues the run that binds it.
        let Some(cont) = block.cont.filter(|_| block.code != block.bound_in) else { return };
        let around = self.continuations[cont].around;
        self.handlers.push(HandlerInfo { cont, range: 0..0, around });
        let id = self.handlers.len() as HandlerId;
        self.continuations[cont].handler = Some(id);
        self.around[at.run] = Some(id);
    }

    fn item(&mut self, flow: &Flow, at: Point, _: usize, item: &'a Item) {
        let here = self.here(flow, at);
        match item {
            Item::Let { named: Named::Simple(simple), .. } => {
                self.occur(*simple, here);
                self.escape(*simple);
            }
            Item::Let { named: Named::Prim { prim, args, exn }, .. } => {
                self.occur_all(args, here);
                let is_name = matches!(prim, Prim::ProjectFunctionSlot { .. })
                    || self.machine == Machine::Bytecode && crate::bytecode::is_same_value(prim);
                if let Some(arg) = args.first().filter(|_| is_name) {
                    self.escape(*arg);
                }
                if let Some(exn) = exn {
                    self.raise(exn, here);
                }
            }
            Item::LetClosures { set, .. } => {
                self.sets.push(set);
                set.values.iter().for_each(|(_, value)| self.occur(*value, here));
            }
            Item::Join { cont, params, .. } => self.define(flow, at, *cont, params, false),
            Item::LetCont { recursive, handlers } => {
                for handler in handlers {
                    self.define(flow, at, handler.cont, &handler.params, *recursive);
                }
            }
        }
    }

    fn terminator(&mut self, flow: &Flow, at: Point, terminator: &'a Terminator) {
        let here = self.here(flow, at);
        match terminator {
            Terminator::Apply(apply) => {
                apply.callee.into_iter().for_each(|callee| self.occur(callee, here));
                self.occur_all(&apply.args, here);
                self.raise(&apply.exn, here);
                self.use_continuation(apply.ret, None, here);
            }
            Terminator::ApplyCont(jump) => self.jump(jump, here),
            Terminator::Switch(switch) => {
                self.occur(switch.scrutinee, here);
                self.arms(switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default), here);
            }
            Terminator::StringSwitch(switch) => {
                self.occur(switch.scrutinee, here);
                self.arms(switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default), here);
            }
            Terminator::Raise { exn, handler, .. } => {
                self.occur(*exn, here);
                self.raise(handler, here);
            }
            Terminator::Try { handler, .. } => {
                self.occur_all(&handler.extra_args, here);
                handler.extra_args.iter().for_each(|arg| self.escape(*arg));
                self.use_continuation(handler.cont, None, here);
            }
            Terminator::Unreachable => {}
        }
    }
}

/// The arms of a switch with equal ones merged.
pub struct Targets<'a> {
    /// Pairwise different, in order of first appearance.
    pub distinct: Vec<&'a ApplyCont>,
    /// For each arm its index in `distinct`.
    pub indices: Vec<u32>,
}

impl<'a> Targets<'a> {
    /// The targets of a switch with these arms.
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
