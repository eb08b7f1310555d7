//! What becomes a continuation, and where. One walk through the unit fills dense tables; the rest is linear in the
//! number of sets.

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, Dbg, ExnCont, Expr, FunctionSlot, Item, Named, Prim, Rewrite,
    Rewrites, SetOfClosures, Simple, StaticDef, StaticField, Symbol, Terminator, Unit, ValueSlot, Variable,
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

/// A place in the unit's terms: before an item of a run.
#[derive(Clone, Copy, Default)]
pub(super) struct Point {
    /// Points are numbered as the walk meets them. Of two scopes which share a point, the one that begins later is
    /// inside the other.
    time: u32,
    /// Runs are numbered as the walk meets them.
    pub run: u32,
    pub index: u32,
}

/// Where a term is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Entry,
    Code(CodeId),
}

/// Where a continuation may be used.
#[derive(Clone, Copy, Default)]
enum Scope {
    /// Everywhere in its function.
    #[default]
    Function,
    /// From a point on.
    From(Point),
    /// In these of [`Analysis::regions`].
    Regions { first: u32, count: u32 },
}

/// One of the scopes of a recursive continuation.
#[derive(Clone, Copy)]
struct Region {
    begin: Point,
    end: u32,
}

/// The calls of a set's functions from outside of it.
struct Calls {
    ret: Continuation,
    exn: ExnCont,
    /// The place of the first.
    dbg: Dbg,
    first: u32,
    last: u32,
}

/// A set of closures and what is known of it.
pub(super) struct Set {
    pub functions: SmallVec<[(FunctionSlot, CodeId); 1]>,
    pub values: Vec<(ValueSlot, Simple)>,
    /// For a static set, where its calls are.
    home: Option<Home>,
    /// Where it is bound; for a static set, the beginning of its home.
    begin: Point,
    /// Whether something is not as it must be.
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
    pub at: Point,
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
    /// Of each function, the number of the run that is its body.
    pub bodies: SecondaryMap<CodeId, u32>,
    pub entry_body: u32,
    conts: SecondaryMap<Continuation, Scope>,
    regions: Vec<Region>,
    /// The body of the `try` that an exception continuation handles.
    tries: SecondaryMap<Continuation, Point>,
    bound: SecondaryMap<Variable, Point>,
    // ---- where the walk is
    home: Home,
    body: Point,
    time: u32,
    runs: u32,
}

impl Analysis {
    pub fn new(unit: &Unit) -> Analysis {
        let mut analysis = Analysis {
            sets: PrimaryMap::new(),
            variables: SecondaryMap::new(),
            symbols: SecondaryMap::new(),
            codes: SecondaryMap::new(),
            slots: SecondaryMap::new(),
            bodies: SecondaryMap::new(),
            entry_body: 0,
            conts: SecondaryMap::new(),
            regions: Vec::new(),
            tries: SecondaryMap::new(),
            bound: SecondaryMap::new(),
            home: Home::Entry,
            body: Point::default(),
            time: 0,
            runs: 0,
        };
        analysis.find_sets(unit);
        if analysis.sets.is_empty() {
            return analysis;
        }
        analysis.static_uses(unit);
        for (id, code) in &unit.codes {
            analysis.bodies[id] = analysis.runs;
            analysis.function(unit, Home::Code(id), &code.body);
        }
        analysis.entry_body = analysis.runs;
        analysis.function(unit, Home::Entry, &unit.entry.body);
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

    /// Whether an atom is a closure that will be no more.
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
        let bodies = unit.codes.values().map(|code| &code.body).chain([&unit.entry.body]);
        for body in bodies {
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
        // They will all return to one place. Only a function that is never called can give another kind.
        let result = |&(_, code): &(FunctionSlot, CodeId)| unit.codes[code].result;
        let one_kind = set.functions.iter().map(result).all(|kind| kind == result(&set.functions[0]));
        let id = self.sets.push(Set {
            functions: set.functions.clone(),
            values: set.values.clone(),
            home: None,
            begin: Point::default(),
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
            match &item.def {
                StaticDef::Block { fields, .. } => {
                    for field in fields {
                        if let StaticField::Symbol(symbol) = *field {
                            self.escape(symbol.into());
                        }
                    }
                }
                StaticDef::Closures { set, .. } => set.for_each_simple(&mut |simple| self.escape(simple)),
                _ => {}
            }
        }
    }

    fn refuse(&mut self, closure: Option<Closure>) {
        if let Some(closure) = closure {
            self.sets[closure.set].refused = true;
        }
    }

    /// Notes a use of an atom for which a closure must be there.
    fn escape(&mut self, simple: Simple) {
        self.refuse(self.closure(simple));
    }

    // ---- the walk

    fn tick(&mut self) -> u32 {
        self.time += 1;
        self.time
    }

    fn point(&mut self, run: u32, index: usize) -> Point {
        Point { time: self.tick(), run, index: index as u32 }
    }

    fn function(&mut self, unit: &Unit, home: Home, body: &Expr) {
        self.home = home;
        self.body = self.point(self.runs, 0);
        self.expr(unit, body);
    }

    fn expr(&mut self, unit: &Unit, expr: &Expr) {
        deep(|| {
            let run = self.runs;
            self.runs += 1;
            for (index, item) in expr.items.iter().enumerate() {
                self.item(unit, item, run, index + 1);
            }
            self.terminator(unit, &expr.terminator);
        });
    }

    /// `next` is where what the item binds begins to be in scope, if that is the remainder of the run.
    fn item(&mut self, unit: &Unit, item: &Item, run: u32, next: usize) {
        match item {
            Item::Let { var, named, .. } => {
                self.named(*var, named);
                self.bound[*var] = self.point(run, next);
            }
            Item::LetClosures { vars, set, .. } => {
                set.for_each_simple(&mut |simple| self.escape(simple));
                let begin = self.point(run, next);
                vars.iter().for_each(|&var| self.bound[var] = begin);
                if let Some(closure) = self.variables[vars[0]] {
                    let set = &mut self.sets[closure.set];
                    (set.begin, set.home) = (begin, Some(self.home));
                }
            }
            Item::Join { cont, params, body } => {
                let begin = self.point(self.runs, 0);
                self.conts[*cont] = Scope::From(begin);
                self.expr(unit, body);
                let begin = self.point(run, next);
                params.iter().for_each(|&param| self.bound[param] = begin);
            }
            Item::LetCont { recursive, handlers } => {
                let mut regions = Vec::new();
                for handler in handlers {
                    let begin = self.point(self.runs, 0);
                    handler.params.iter().for_each(|&param| self.bound[param] = begin);
                    self.expr(unit, &handler.body);
                    regions.push(Region { begin, end: self.tick() });
                }
                let begin = self.point(run, next);
                let mut scope = Scope::From(begin);
                if *recursive {
                    regions.push(Region { begin, end: u32::MAX });
                    scope = Scope::Regions { first: self.regions.len() as u32, count: regions.len() as u32 };
                    self.regions.append(&mut regions);
                }
                handlers.iter().for_each(|handler| self.conts[handler.cont] = scope);
            }
        }
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

    /// Notes a projection from a closure of that function.
    fn expect_slot(&mut self, slot: FunctionSlot, closure: Simple) {
        if self.slots[slot] != self.closure(closure) || self.slots[slot].is_none() {
            self.refuse(self.slots[slot]);
            self.escape(closure);
        }
    }

    fn terminator(&mut self, unit: &Unit, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => self.apply(unit, apply),
            Terminator::Try { body, handler } => {
                handler.for_each_simple(&mut |simple| self.escape(simple));
                self.tries[handler.cont] = self.point(self.runs, 0);
                self.expr(unit, body);
            }
            _ => terminator.for_each_simple(&mut |simple| self.escape(simple)),
        }
    }

    fn apply(&mut self, unit: &Unit, apply: &Apply) {
        apply.args.iter().for_each(|&arg| self.escape(arg));
        apply.exn.for_each_simple(&mut |arg| self.escape(arg));
        match (self.called(unit, apply), apply.callee) {
            (Some(callee), _) => self.call(unit, callee, apply),
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

    fn call(&mut self, unit: &Unit, callee: Closure, apply: &Apply) {
        let now = self.tick();
        let (home, body) = (self.home, self.body);
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
            (set.home, set.begin) = (Some(home), body);
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

    /// Chooses what becomes a continuation, with permission. Whether there is anything.
    ///
    /// From outer functions to inner ones: a set whose home is itself such a function returns to where that returns
    /// to. Functions that are bound only in each other are never reached, and stay.
    pub fn choose(&mut self, unit: &Unit, rewrites: &mut Rewrites) -> bool {
        let candidates: Vec<(SetId, Home, Point)> =
            self.sets.keys().filter_map(|id| self.candidate(id).map(|(home, at)| (id, home, at))).collect();
        if candidates.is_empty() {
            return false;
        }
        let mut is_candidate: SecondaryMap<SetId, bool> = SecondaryMap::new();
        let mut in_entry = Vec::new();
        let mut in_code: FxHashMap<CodeId, Vec<(SetId, Point)>> = FxHashMap::default();
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
    fn candidate(&self, id: SetId) -> Option<(Home, Point)> {
        let set = &self.sets[id];
        let (home, calls) = (set.home?, set.calls.as_ref()?);
        let in_itself =
            matches!(home, Home::Code(code) if self.codes[code].is_some_and(|closure| closure.set == id));
        if set.refused || in_itself {
            return None;
        }
        let ret = match self.conts[calls.ret] {
            Scope::Function => Point::default(),
            Scope::From(begin) => begin,
            Scope::Regions { first, count } => {
                let regions = &self.regions[first as usize..(first + count) as usize];
                // They are in order and apart from each other.
                let begun = regions.partition_point(|region| region.begin.time <= calls.first);
                let region = regions[..begun].last()?;
                if calls.last > region.end {
                    return None;
                }
                region.begin
            }
        };
        let mut at = set.begin;
        let extra_args = calls.exn.extra_args.iter().filter_map(|arg| arg.as_var());
        let extra_args = extra_args.map(|arg| self.bound[arg]);
        for begin in extra_args.chain([ret, self.tries[calls.exn.cont]]) {
            if begin.time > at.time {
                at = begin;
            }
        }
        Some((home, at))
    }
}

/// That the functions of a set become continuations.
fn rewrite(set: &Set) -> Rewrite {
    let (first, others) = (set.functions[0].1, set.functions.len() as u32 - 1);
    Rewrite::Contification { first, others, is_loop: set.recursive }
}
