//! What becomes a continuation, and where. Found while the control flow of each function is numbered; the rest is
//! linear in the number of sets.

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_flow::{BlockData, EdgeKind, Flow, Point, Run, Visitor};
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, Continuation, Dbg, ExnCont, Expr, FunctionSlot, Item, Named, Prim,
    Rewrite, Rewrites, SetOfClosures, Simple, StaticDef, Symbol, Terminator, Unit, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A set of closures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SetId(u32);
entity_impl!(SetId, "set");

/// A closure of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Closure {
    pub set: SetId,
    pub index: u32,
}

/// A location in a function: before an item of a run.
#[derive(Clone, Copy, Default)]
pub(super) struct Location {
    /// Of two scopes of one function, the one that begins later is inside the other if they share a position.
    position: u32,
    pub run: RunNumber,
    pub index: u32,
}

/// The number of a run in its function.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct RunNumber(pub u32);

/// Where a term is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Home {
    Entry,
    Code(CodeId),
}

/// The calls of a set's functions from outside of it.
struct Calls {
    ret: Continuation,
    exn: ExnCont,
    /// The source location of the first.
    dbg: Dbg,
    first: u32,
    last: u32,
}

/// A set of closures and what is known of it.
pub(super) struct Set {
    pub functions: SmallVec<[(FunctionSlot, CodeId); 1]>,
    pub values: Vec<(ValueSlot, Simple)>,
    /// For a static set, where its calls are.
    pub home: Option<Home>,
    /// Where it is bound; for a static set, the beginning of its home.
    begin: Location,
    /// Where it may be bound, if its calls so far share a scope.
    at: Option<Location>,
    /// Whether some condition for becoming continuations fails.
    refused: bool,
    calls: Option<Calls>,
    /// Whether its functions call each other or themselves.
    pub recursive: bool,
    pub is_static: bool,
    pub chosen: Option<Chosen>,
}

/// A set whose functions become continuations.
#[derive(Clone)]
pub(super) struct Chosen {
    pub at: Location,
    /// Stands for the return continuations. It and the handler are those of the home as it will be.
    pub ret: Continuation,
    /// Stands for the exception continuations.
    pub exn: ExnCont,
    /// The call whose frame backtraces show: none of tail calls.
    pub call: Dbg,
}

/// What is known of a unit.
pub(super) struct Analysis {
    pub sets: PrimaryMap<SetId, Set>,
    variables: SecondaryMap<Variable, Option<Closure>>,
    symbols: SecondaryMap<Symbol, Option<Closure>>,
    codes: SecondaryMap<CodeId, Option<Closure>>,
    slots: SecondaryMap<FunctionSlot, Option<Closure>>,
    bound: SecondaryMap<Variable, Location>,
    /// For each continuation, the index in its run after the item that binds it.
    after: SecondaryMap<Continuation, u32>,
    /// The sets that are bound, or called for the first time, in the function being analysed.
    here: Vec<SetId>,
    home: Home,
}

impl Analysis {
    pub fn new(unit: &Unit) -> Analysis {
        let mut analysis = Analysis {
            sets: PrimaryMap::new(),
            variables: SecondaryMap::new(),
            symbols: SecondaryMap::new(),
            codes: SecondaryMap::new(),
            slots: SecondaryMap::new(),
            bound: SecondaryMap::new(),
            after: SecondaryMap::new(),
            here: Vec::new(),
            home: Home::Entry,
        };
        analysis.find_sets(unit);
        if analysis.sets.is_empty() {
            return analysis;
        }
        analysis.static_uses(unit);
        let mut flow = Flow::default();
        for (id, code) in &unit.codes {
            analysis.function(unit, &mut flow, Home::Code(id), &code.body);
        }
        analysis.function(unit, &mut flow, Home::Entry, &unit.entry.body);
        analysis
    }

    /// The closure that an atom is known to be.
    pub fn closure(&self, simple: Simple) -> Option<Closure> {
        match simple {
            Simple::Var(variable) => self.variables[variable],
            Simple::Symbol(symbol) => self.symbols[symbol],
            Simple::Const(_) => None,
        }
    }

    /// The code of a closure.
    pub fn code(&self, closure: Closure) -> CodeId {
        self.sets[closure.set].functions[closure.index as usize].1
    }

    /// Whether an atom is a closure that will be removed.
    pub fn is_gone(&self, simple: Simple) -> bool {
        self.closure(simple).is_some_and(|closure| self.sets[closure.set].chosen.is_some())
    }

    /// Whether a code becomes a continuation, with all its siblings.
    pub fn is_chosen(&self, code: CodeId) -> bool {
        self.codes[code].is_some_and(|closure| self.sets[closure.set].chosen.is_some())
    }

    // ---- sets

    fn find_sets(&mut self, unit: &Unit) {
        for item in &unit.statics {
            let StaticDef::Closures { symbols, set } = &item.def else { continue };
            let id = self.add_set(unit, set, true);
            // Other units may know it.
            self.sets[id].refused |= item.exported;
            for (index, &symbol) in symbols.iter().enumerate() {
                self.symbols[symbol] = Some(Closure { set: id, index: index as u32 });
            }
        }
        for body in unit.bodies() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    let Item::LetClosures { vars, set, .. } = item else { continue };
                    let id = self.add_set(unit, set, false);
                    for (index, &var) in vars.iter().enumerate() {
                        self.variables[var] = Some(Closure { set: id, index: index as u32 });
                    }
                }
            });
        }
    }

    fn add_set(&mut self, unit: &Unit, set: &SetOfClosures, is_static: bool) -> SetId {
        // They will all return to one point. Only a function that is never called can have a result of another kind.
        let result = |&(_, code): &(FunctionSlot, CodeId)| unit.codes[code].result;
        let one_kind = set.functions.iter().map(result).all(|kind| kind == result(&set.functions[0]));
        let id = self.sets.push(Set {
            functions: set.functions.clone(),
            values: set.values.clone(),
            home: None,
            begin: Location::default(),
            at: None,
            refused: !one_kind,
            calls: None,
            recursive: false,
            is_static,
            chosen: None,
        });
        for (index, &(slot, code)) in set.functions.iter().enumerate() {
            let closure = Some(Closure { set: id, index: index as u32 });
            self.codes[code] = closure;
            self.slots[slot] = closure;
            self.variables[unit.codes[code].my_closure] = closure;
        }
        id
    }

    fn static_uses(&mut self, unit: &Unit) {
        for item in &unit.statics {
            item.def.for_each_simple(&mut |simple| self.escape(simple));
        }
    }

    fn refuse(&mut self, closure: Option<Closure>) {
        if let Some(closure) = closure {
            self.sets[closure.set].refused = true;
        }
    }

    /// Records a use of an atom that needs a closure.
    fn escape(&mut self, simple: Simple) {
        self.refuse(self.closure(simple));
    }

    // ---- the walk

    fn function(&mut self, unit: &Unit, flow: &mut Flow, home: Home, body: &Expr) {
        self.home = home;
        flow.analyse(body, &mut Walk { analysis: self, unit });
        for id in std::mem::take(&mut self.here) {
            self.sets[id].at = self.location(flow, &self.sets[id]);
        }
    }

    /// Where a set may be bound in the function that is its home.
    fn location(&self, flow: &Flow, set: &Set) -> Option<Location> {
        let calls = set.calls.as_ref()?;
        let beginning =
            |run: Run| Location { position: flow.runs()[run].start, run: RunNumber(run.as_u32()), index: 0 };
        let mut at = set.begin;
        let mut within = |begin: Location| {
            if begin.position > at.position {
                at = begin;
            }
        };
        let extra_args = calls.exn.extra_args.iter().filter_map(|arg| arg.as_var());
        extra_args.for_each(|arg| within(self.bound[arg]));
        // The return and exception continuations of the function itself are in scope everywhere.
        if let Some(block) = flow.block_of(calls.ret) {
            let data = &flow.blocks()[block];
            let after = Location {
                position: data.used_from,
                run: RunNumber(data.bound_in.as_u32()),
                index: self.after[calls.ret],
            };
            let begin = match data.header_of.expand() {
                // A `Join` is in scope in its body.
                None if data.code == data.bound_in => beginning(flow.child_at(data.bound_in, data.bound_at)?),
                None => after,
                Some(entered) => {
                    let calling = |run: &Run| {
                        let data = &flow.runs()[*run];
                        (data.start..data.end).contains(&calls.first)
                    };
                    let mut handlers = flow.headers(entered).map(|header| flow.blocks()[header].code);
                    let handler = handlers.find(calling);
                    if let Some(handler) = handler {
                        if calls.last >= flow.runs()[handler].end {
                            return None;
                        }
                        beginning(handler)
                    } else {
                        let last = flow.headers(entered).last()?;
                        Location { position: flow.runs()[flow.blocks()[last].code].end, ..after }
                    }
                }
            };
            within(begin);
        }
        if let Some(block) = flow.block_of(calls.exn.cont) {
            let attempts = flow.predecessors(block).filter(|edge| edge.kind == EdgeKind::Try);
            for edge in attempts {
                within(beginning(flow.child_at(edge.from.run, edge.from.position)?));
            }
        }
        Some(at)
    }

    fn named(&mut self, var: Variable, named: &Named) {
        match named {
            Named::Simple(simple) => self.variables[var] = self.closure(*simple),
            Named::Prim { prim: Prim::ProjectValueSlot { function, .. }, args, .. } => {
                self.expect_slot(*function, args[0]);
            }
            Named::Prim { prim: Prim::ProjectFunctionSlot { from, to }, args, .. } => {
                self.expect_slot(*from, args[0]);
                // Of a set that escapes nothing need be known, but more uses of it do no harm.
                self.variables[var] = self.slots[*to];
            }
            Named::Prim { prim, .. } => {
                if let Prim::AllocDummyClosure { function } = prim {
                    self.refuse(self.slots[*function]);
                }
                named.for_each_simple(&mut |simple| self.escape(simple));
            }
        }
    }

    /// Records a projection from a closure of that function.
    fn expect_slot(&mut self, slot: FunctionSlot, closure: Simple) {
        if self.slots[slot] != self.closure(closure) || self.slots[slot].is_none() {
            self.refuse(self.slots[slot]);
            self.escape(closure);
        }
    }

    fn apply(&mut self, unit: &Unit, apply: &Apply, position: u32) {
        apply.args.iter().for_each(|&arg| self.escape(arg));
        apply.for_each_comparator(&mut |function| self.escape(function));
        apply.exn.for_each_simple(&mut |arg| self.escape(arg));
        match (self.called(unit, apply), apply.callee) {
            (Some(callee), _) => self.call(unit, callee, apply, position),
            (None, Some(callee)) => self.escape(callee),
            (None, None) => {}
        }
        // A call through some closure of which nothing is known.
        if let CallKind::Direct(code) = apply.kind
            && apply.callee.is_some_and(|callee| self.closure(callee) != self.codes[code])
        {
            self.refuse(self.codes[code]);
        }
    }

    /// The closure whose function is called with all its arguments.
    pub fn called(&self, unit: &Unit, apply: &Apply) -> Option<Closure> {
        match apply.kind {
            CallKind::Direct(code) => self.codes[code],
            CallKind::Generic => {
                let closure = self.closure(apply.callee?)?;
                let code = &unit.codes[self.code(closure)];
                code.takes_values(&unit.variables, apply.args.len()).then_some(closure)
            }
            _ => None,
        }
    }

    fn call(&mut self, unit: &Unit, callee: Closure, apply: &Apply, now: u32) {
        let home = self.home;
        let set = &mut self.sets[callee.set];
        if let Home::Code(caller) = home
            && self.codes[caller].is_some_and(|caller| caller.set == callee.set)
        {
            let caller = &unit.codes[caller];
            set.refused |= apply.ret != caller.ret || apply.exn.cont != caller.exn;
            set.recursive = true;
            return;
        }
        if set.is_static && set.home.is_none() {
            set.home = Some(home);
            self.here.push(callee.set);
        }
        match &mut set.calls {
            None => {
                let (ret, exn) = (apply.ret, apply.exn.clone());
                set.calls = Some(Calls { ret, exn, dbg: apply.dbg, first: now, last: now });
            }
            Some(calls) => {
                set.refused |= calls.ret != apply.ret || calls.exn != apply.exn;
                calls.last = now;
            }
        }
        set.refused |= set.home != Some(home);
    }

    // ---- the choice

    /// Chooses what becomes a continuation, with permission; returns whether anything does.
    ///
    /// From outer functions to inner ones: a set whose home is itself such a function returns to where that returns
    /// to. Functions that are bound only in each other are never reached, and stay.
    pub fn choose(&mut self, unit: &Unit, rewrites: &mut Rewrites) -> bool {
        let candidates: Vec<(SetId, Home, Location)> =
            self.sets.keys().filter_map(|id| self.candidate(id).map(|(home, at)| (id, home, at))).collect();
        if candidates.is_empty() {
            return false;
        }
        let mut is_candidate: SecondaryMap<SetId, bool> = SecondaryMap::new();
        let mut in_entry = Vec::new();
        let mut in_code: FxHashMap<CodeId, Vec<(SetId, Location)>> = FxHashMap::default();
        for (id, home, at) in candidates {
            is_candidate[id] = true;
            match home {
                Home::Entry => in_entry.push((id, at)),
                Home::Code(code) => in_code.entry(code).or_default().push((id, at)),
            }
        }
        let stays = |code: &CodeId| self.codes[*code].is_none_or(|closure| !is_candidate[closure.set]);
        let mut reached: Vec<CodeId> = unit.codes.keys().filter(stays).collect();
        let mut rets: FxHashMap<Continuation, Continuation> = FxHashMap::default();
        let mut exns: FxHashMap<Continuation, ExnCont> = FxHashMap::default();
        let (mut any, mut done, mut homed) = (false, 0, in_entry);
        loop {
            for (id, at) in homed {
                let set = &mut self.sets[id];
                reached.extend(set.functions.iter().map(|(_, code)| *code));
                let Some(calls) = &set.calls else { continue };
                let home = match set.home {
                    Some(Home::Code(home)) => Some(home),
                    _ => None,
                };
                if !rewrites.allow(rewrite(set), unit, home) {
                    continue;
                }
                let ret = rets.get(&calls.ret).copied().unwrap_or(calls.ret);
                let exn = exns.get(&calls.exn.cont).unwrap_or(&calls.exn).clone();
                for (_, code) in &set.functions {
                    rets.insert(unit.codes[*code].ret, ret);
                    exns.insert(unit.codes[*code].exn, exn.clone());
                }
                let home_ret = home.map_or(unit.entry.ret, |home| unit.codes[home].ret);
                let frame = rewrites.keep_backtraces && calls.ret != home_ret;
                let call = if frame { calls.dbg } else { Dbg::NONE };
                set.chosen = Some(Chosen { at, ret, exn, call });
                any = true;
            }
            let Some(code) = reached.get(done) else { break };
            homed = in_code.remove(code).unwrap_or_default();
            done += 1;
        }
        any
    }

    /// Whether a set may become a group of continuations, in which function, and where there.
    fn candidate(&self, id: SetId) -> Option<(Home, Location)> {
        let set = &self.sets[id];
        let home = set.home?;
        let in_itself =
            matches!(home, Home::Code(code) if self.codes[code].is_some_and(|closure| closure.set == id));
        if set.refused || in_itself {
            return None;
        }
        set.at.map(|at| (home, at))
    }
}

/// The walk over a function.
struct Walk<'a> {
    analysis: &'a mut Analysis,
    unit: &'a Unit,
}

impl Visitor<'_> for Walk<'_> {
    fn item(&mut self, _: &Flow, at: Point, index: usize, item: &Item) {
        let analysis = &mut *self.analysis;
        let next = index as u32 + 1;
        let begin = Location { position: at.position, run: RunNumber(at.run.as_u32()), index: next };
        match item {
            Item::Let { var, named, .. } => {
                analysis.named(*var, named);
                analysis.bound[*var] = begin;
            }
            Item::LetClosures { vars, set, .. } => {
                set.for_each_simple(&mut |simple| analysis.escape(simple));
                vars.iter().for_each(|&var| analysis.bound[var] = begin);
                if let Some(closure) = analysis.variables[vars[0]] {
                    let set = &mut analysis.sets[closure.set];
                    (set.begin, set.home) = (begin, Some(analysis.home));
                    analysis.here.push(closure.set);
                }
            }
            Item::Join { cont, .. } => analysis.after[*cont] = next,
            Item::LetCont { handlers, .. } => {
                handlers.iter().for_each(|handler| analysis.after[handler.cont] = next);
            }
        }
    }

    fn block(&mut self, _: &Flow, at: Point, block: &BlockData) {
        let is_join = block.code == block.bound_in;
        let index = block.cont.filter(|_| is_join).map_or(0, |cont| self.analysis.after[cont]);
        let begin = Location { position: at.position, run: RunNumber(at.run.as_u32()), index };
        block.params.iter().for_each(|&param| self.analysis.bound[param] = begin);
    }

    fn terminator(&mut self, _: &Flow, at: Point, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => self.analysis.apply(self.unit, apply, at.position),
            Terminator::Switch(switch) => self.analysis.escape(switch.scrutinee),
            Terminator::StringSwitch(switch) => self.analysis.escape(switch.scrutinee),
            _ => terminator.for_each_simple(&mut |simple| self.analysis.escape(simple)),
        }
    }

    fn arm(&mut self, _: &Flow, _: Point, jump: &ApplyCont) {
        jump.for_each_simple(&mut |simple| self.analysis.escape(simple));
    }
}

/// The rewrite by which the functions of a set become continuations.
fn rewrite(set: &Set) -> Rewrite {
    let (first, others) = (set.functions[0].1, set.functions.len() as u32 - 1);
    Rewrite::Contification { first, others, is_loop: set.recursive }
}
