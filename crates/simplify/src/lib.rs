//! The simplifier: one traversal down, which evaluates terms in the abstract domain, and one up, which rebuilds them
//! without what turned out to be unneeded.
//!
//! # Down
//!
//! A run of items is simplified in order, with the knowledge of the point where it stands ([`Env`]). What comes out is a
//! new run.
//!
//! *Continuations.* One that is used once, from the same region, is *pending*: its handler is simplified at the use, in
//! the use's environment, and in its place. Others are *open*: their uses are recorded with what is known of the
//! arguments, in words of the scope where the continuation is bound; the handler is simplified afterwards with the join
//! of the uses. Loops start from the join of the uses outside and the inductive pre-pass ([`analysis`]).
//!
//! *Uses* of open continuations come out as *edges*: numbers in the place of the continuation, under which arguments for
//! parameters that are added later (unboxing) are noted. They are resolved on the way up.
//!
//! # Up
//!
//! What is needed is found from effects and results backwards, through parameters of loops too ([`flow`]); then the
//! term is rebuilt with only that ([`rebuild`]).
//!
//! # Functions
//!
//! The codes of a set of closures are simplified where the set is bound, so that they know what they capture. The entry comes
//! first, with the functions that it calls, so that those know what the fields of the module are ([`toplevel`]); then come
//! the other codes of static sets.

mod analysis;
pub mod arrangements;
mod calls;
mod compare;
mod continuations;
pub mod dead_code;
mod exceptions;
pub mod export;
mod flow;
pub mod fold;
mod handed_on;
mod imported;
pub mod inline;
mod joins;
mod lift;
mod made;
pub mod memory;
mod prims;
mod rebuild;
mod run;
mod sets;
pub mod shapes;
pub mod size;
mod specialise;
mod strings;
mod switch;
mod toplevel;
mod truth;
mod twins;
mod unboxing;
mod uses;
pub mod waiting;

use std::rc::Rc;

use flambeau_ir::decision::Policy;
use flambeau_ir::{
    CodeId, Continuation, Expr, FunctionSlot, Rewrites, SetOfClosures, Simple, StaticDef, Subkind, Symbol,
    Unit, ValueSlot, Variable,
};
use flambeau_types::{Closure, Env, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use analysis::Analysis;
pub use analysis::FIRST_SPECIAL_TAG;
use continuations::{ContState, Edge};
use imported::Imported;
use lift::StaticTable;
use memory::{Memory, Writes};
use sets::Sets;

/// Simplifies a unit; whether anything may have changed. Without fuel nothing does; as long as there is some, functions
/// are also put into the form that rewrites need, and what is not needed is dropped.
pub fn simplify(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    if rewrites.fuel.is_empty() {
        return false;
    }
    if rewrites.round == 0 && rewrites.inlining.of(0).policy == Policy::Benefit && !rewrites.stubs_only {
        // Bodies are measured as they are without inlining, but not as the source has them.
        let decisions = rewrites.decisions.take();
        rewrites.stubs_only = true;
        Simplifier::new(unit, rewrites).unit();
        rewrites.stubs_only = false;
        rewrites.decisions = decisions;
        dead_code::remove(unit, |_| true);
    }
    Simplifier::new(unit, rewrites).unit();
    // Without asking: codes whose sets were dropped must go.
    dead_code::remove(unit, |_| true);
    rewrites.round += 1;
    true
}

/// Simplifies some functions once more, the entry without a code, after a pass that changed them alone: evaluates and
/// unboxes, but inlines nothing that a round of [`simplify`] has refused. Takes time for these functions, but for what is
/// not needed any more: that is looked for in the whole unit.
pub fn revisit(unit: &mut Unit, rewrites: &mut Rewrites, changed: &[Option<CodeId>]) {
    if rewrites.fuel.is_empty() || changed.is_empty() {
        return;
    }
    let decisions = rewrites.decisions.take();
    let stubs_only = std::mem::replace(&mut rewrites.stubs_only, true);
    Simplifier::new(unit, rewrites).some(changed);
    rewrites.stubs_only = stubs_only;
    rewrites.decisions = decisions;
    dead_code::remove(unit, |_| true);
}

/// The state of a traversal.
struct Simplifier<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    env: Env,
    /// The continuations of the function that is being simplified.
    conts: FxHashMap<Continuation, ContState>,
    edges: Vec<Edge>,
    analysis: Analysis,
    /// Names the state of the memory.
    memory: Memory,
    memories: u32,
    statics: StaticTable,
    /// Codes whose bodies have been simplified, or are not to be.
    done: FxHashSet<CodeId>,
    sets: Sets,
    uses_closure: FxHashMap<CodeId, bool>,
    /// The closures of static sets, and what those captured.
    static_codes: FxHashMap<CodeId, (Symbol, Vec<(ValueSlot, Ty)>)>,
    /// Whether there are sets that are not to be copied.
    has_sole_sets: bool,
    /// The symbols of closures that are static, by their codes, once known in these.
    code_symbols: FxHashMap<CodeId, Symbol>,
    /// Parameters that a code has no use for.
    ignored: FxHashMap<CodeId, SmallVec<[usize; 2]>>,
    /// Codes whose bodies are being simplified.
    in_progress: FxHashSet<CodeId>,
    sizes: FxHashMap<CodeId, Option<u32>>,
    /// The beginnings of functions (`inline::guard`), with their sizes.
    guards: FxHashMap<CodeId, Option<(Expr, u32)>>,
    /// Bodies as they were before they were simplified, for policy *benefit*.
    declared: FxHashMap<CodeId, Expr>,
    declared_sizes: FxHashMap<CodeId, Option<u32>>,
    /// Whether each code has a `try`.
    catches: FxHashMap<CodeId, bool>,
    /// What inlining may still add to the function that is being simplified.
    budget: u32,
    /// The same for the unit.
    unit_budget: u32,
    /// What may still be copied for calls that come out of the last call of the source for which something was.
    deeper: u32,
    /// What policies may still inline inside what was inlined for the last call of the source.
    below: u32,
    /// What specialisation may still add to the unit.
    specialisation_budget: u32,
    /// What may still be evaluated in speculation.
    speculation_budget: u32,
    /// How many branches are around the point that is being simplified, in its function.
    branch_depth: u32,
    /// Variables made on the way down that may be poison.
    flimsy: FxHashSet<Variable>,
    /// Variants that are passed in parts: what needs no whole does without the allocation.
    parted: FxHashSet<Variable>,
    /// Whether parameters of loops that values flow between may be passed in parts, by the one that stands for all.
    parted_webs: FxHashMap<Variable, bool>,
    /// The continuations of diamonds (`unboxing::diamond`), each with the one that all lead to.
    diamonds: FxHashMap<Continuation, Continuation>,
    /// The ordinary continuations in which handlers go on.
    raise_targets: FxHashMap<Continuation, Continuation>,
    /// The function that is being simplified, for the trace.
    current: Option<CodeId>,
    imported: Imported,
    toplevel: toplevel::Fields,
    /// Whether what is simplified is the body of a functor, for what it makes ([`twins`]).
    in_twin: bool,
    uses: uses::Uses,
    /// What functors make of static arguments, as far as it was asked for.
    evaluated: FxHashMap<(CodeId, Vec<Simple>), Ty>,
    /// What is known of parts of other units' modules, by the symbols of these.
    made: FxHashMap<(Symbol, made::Path), Ty>,
    /// Static data that the evaluation of functors made: nobody but [`twins`] needs it.
    twin_data: FxHashSet<Symbol>,
    /// Codes of twins that are called, and stay therefore.
    called_twins: FxHashSet<CodeId>,
}

impl<'a> Simplifier<'a> {
    fn new(unit: &'a mut Unit, rewrites: &'a mut Rewrites) -> Self {
        let statics = StaticTable::of(unit);
        let unit_budget = Simplifier::unit_budget(unit, rewrites.inlining.of(rewrites.round));
        Simplifier {
            unit,
            rewrites,
            env: Env::default(),
            conts: FxHashMap::default(),
            edges: Vec::new(),
            analysis: Analysis::default(),
            memory: Memory::new(1),
            memories: 1,
            statics,
            done: FxHashSet::default(),
            sets: Sets::default(),
            uses_closure: FxHashMap::default(),
            static_codes: FxHashMap::default(),
            has_sole_sets: false,
            code_symbols: FxHashMap::default(),
            ignored: FxHashMap::default(),
            in_progress: FxHashSet::default(),
            sizes: FxHashMap::default(),
            guards: FxHashMap::default(),
            declared: FxHashMap::default(),
            declared_sizes: FxHashMap::default(),
            catches: FxHashMap::default(),
            budget: 0,
            unit_budget,
            deeper: flambeau_ir::inlining::LARGEST,
            below: 0,
            specialisation_budget: unit_budget,
            speculation_budget: inline::SPECULATION_BUDGET,
            branch_depth: 0,
            flimsy: FxHashSet::default(),
            parted: FxHashSet::default(),
            parted_webs: FxHashMap::default(),
            diamonds: FxHashMap::default(),
            raise_targets: FxHashMap::default(),
            current: None,
            imported: Imported::default(),
            toplevel: toplevel::Fields::default(),
            in_twin: false,
            uses: uses::Uses::default(),
            evaluated: FxHashMap::default(),
            made: FxHashMap::default(),
            twin_data: FxHashSet::default(),
            called_twins: FxHashSet::default(),
        }
    }

    fn unit(&mut self) {
        let static_codes = self.learn();
        // The functions that it calls are simplified on the way, when what is defined before them is known.
        self.entry();
        for (code, symbol, values) in static_codes {
            self.code(code, &values, Some(symbol));
        }
        // Functions that are only called directly may be in no set any more.
        let unbound: Vec<CodeId> =
            self.unit.codes.keys().filter(|code| self.sets.binders(*code) == 0).collect();
        unbound.into_iter().for_each(|code| self.code(code, &[], None));
    }

    /// Simplifies some functions, the others being as they are to be.
    fn some(&mut self, changed: &[Option<CodeId>]) {
        let static_codes = self.learn();
        self.done = self.unit.codes.keys().filter(|code| !changed.contains(&Some(*code))).collect();
        if changed.contains(&None) {
            self.entry();
        }
        for (code, symbol, values) in static_codes {
            self.code(code, &values, Some(symbol));
        }
        // The bodies that bind the others come first if they have changed, and tell what these capture.
        let mut inner: FxHashSet<CodeId> = FxHashSet::default();
        for code in changed.iter().flatten() {
            let body = &self.unit.codes[*code].body;
            body.for_each_set(&mut |set| inner.extend(set.functions.iter().map(|(_, code)| *code)));
        }
        for is_inner in [false, true] {
            for code in changed.iter().flatten().filter(|code| inner.contains(code) == is_inner) {
                self.code(*code, &[], None);
            }
        }
    }

    fn entry(&mut self) {
        if !self.rewrites.fuel.is_empty() {
            let body = self.unit.entry.body.take();
            let body = self.function_body(body, None);
            self.unit.entry.body = body;
        }
    }

    /// Finds what is known of sets of closures, static data and functors; gives the codes of static sets, with their
    /// closures and what these have captured.
    fn learn(&mut self) -> Vec<StaticCode> {
        let sets = &mut self.sets;
        self.unit.for_each_set(&mut |set| sets.note(set));
        self.has_sole_sets = self.unit.codes.values().any(|code| code.attributes.sole);
        self.type_statics();
        let mut static_codes = Vec::new();
        for item in &self.unit.statics {
            if let StaticDef::Closures { symbols, set } = &item.def {
                let values: Vec<(ValueSlot, Ty)> =
                    set.values.iter().map(|(slot, value)| (*slot, Ty::Is(*value))).collect();
                let codes = set.functions.iter().map(|(_, code)| *code);
                static_codes.extend(codes.zip(symbols.clone()).map(|(c, s)| (c, s, values.clone())));
            }
        }
        self.static_codes =
            static_codes.iter().map(|(code, symbol, values)| (*code, (*symbol, values.clone()))).collect();
        self.toplevel = toplevel::Fields::of(self.unit);
        self.uses = uses::Uses::of_unit(self.unit);
        static_codes
    }

    /// Notes the sets of a term that is new in the unit, and of the codes of these.
    fn note_sets(&mut self, body: &Expr) {
        let sets = &mut self.sets;
        let mut codes = Vec::new();
        let mut note = |set: &SetOfClosures, codes: &mut Vec<CodeId>| {
            sets.note(set);
            codes.extend(set.functions.iter().map(|(_, code)| *code));
        };
        body.for_each_set(&mut |set| note(set, &mut codes));
        while let Some(code) = codes.pop() {
            self.unit.codes[code].body.for_each_set(&mut |set| note(set, &mut codes));
        }
    }

    /// Simplifies the body of a code, once, given what is known of its captured values, and its closure if that is
    /// static.
    fn code(&mut self, code: CodeId, closure: &[(ValueSlot, Ty)], symbol: Option<Symbol>) {
        if !self.done.insert(code) || self.rewrites.fuel.is_empty() {
            return;
        }
        let body = self.unit.codes[code].body.take();
        if self.arguments().policy == Policy::Benefit && !self.rewrites.stubs_only {
            self.declared.insert(code, body.clone());
        }
        let outer = self.enter(code, closure, symbol);
        self.in_progress.insert(code);
        let body = self.function_body(body, Some(code));
        self.in_progress.remove(&code);
        self.leave(outer);
        self.unit.codes[code].body = body;
        let uses = self.scan_closure(code);
        self.uses_closure.insert(code, uses);
        let ignored = self.scan_params(code);
        self.ignored.insert(code, ignored);
    }

    /// Sets the state of the function outside aside.
    fn enter(&mut self, code: CodeId, values: &[(ValueSlot, Ty)], symbol: Option<Symbol>) -> Outer {
        let outer = Outer {
            conts: std::mem::take(&mut self.conts),
            edges: std::mem::take(&mut self.edges),
            analysis: std::mem::take(&mut self.analysis),
            memory: self.memory,
            mark: self.env.mark(),
            current: self.current.replace(code),
            budget: self.budget,
            below: self.below,
            branch_depth: std::mem::take(&mut self.branch_depth),
        };
        self.fresh_memory();
        let data = &self.unit.codes[code];
        let (params, my_closure, slot) = (data.params.clone(), data.my_closure, data.function_slot);
        let functions = self.siblings(code, slot);
        let known = self.sets.binders(code) <= 1;
        let ty = match functions {
            Some(functions) if known => {
                Ty::Closure(Rc::new(Closure { slot, functions, values: values.iter().cloned().collect() }))
            }
            _ => Ty::Unknown,
        };
        match symbol.filter(|_| known) {
            Some(symbol) => {
                self.code_symbols.insert(code, symbol);
                self.env.bind_alias(my_closure, symbol.into());
            }
            None => self.env.bind(my_closure, ty),
        }
        for param in params {
            let ty = match self.unit.variables[param].subkind {
                // What the type checker says of a parameter; other hints bring nothing.
                Subkind::Boxed(kind) => Ty::boxed(kind, Ty::Unknown),
                Subkind::Any | Subkind::Immediate => Ty::Unknown,
            };
            self.env.bind(param, ty);
        }
        outer
    }

    fn leave(&mut self, outer: Outer) {
        self.conts = outer.conts;
        self.edges = outer.edges;
        self.analysis = outer.analysis;
        self.memory = outer.memory;
        self.env.undo(outer.mark);
        self.current = outer.current;
        self.budget = outer.budget;
        self.below = outer.below;
        self.branch_depth = outer.branch_depth;
    }

    /// Down, then up.
    fn function_body(&mut self, body: Expr, code: Option<CodeId>) -> Expr {
        self.analysis = Analysis::of(&body, &self.env, self.rewrites.keep_backtraces);
        self.budget = Self::budget(code);
        self.edges.clear();
        self.conts.clear();
        let body = self.run(run::Rest::from(body));
        self.rebuild(body)
    }

    /// From here on the memory may hold anything else.
    fn fresh_memory(&mut self) {
        self.memories += 1;
        self.memory = Memory::new(self.memories);
    }

    /// From here on what was written may be anything else.
    fn write(&mut self, writes: Writes) {
        self.memories += 1;
        self.memory = self.memory.after(writes, self.memories);
    }

    /// Asks for permission; tells where, in the trace.
    fn allow(&mut self, what: &str) -> bool {
        let unit = &*self.unit;
        let current = self.current;
        self.rewrites.allow(|| {
            let place = unit.place_name(current);
            format!("simplify: {what} in {place}")
        })
    }

    /// A variable of the kind and subkind of another.
    fn fresh_like(&mut self, var: Variable) -> Variable {
        let data = self.unit.variables[var].clone();
        self.unit.variables.push(data)
    }
}

/// What is set aside while a nested function is simplified.
struct Outer {
    conts: FxHashMap<Continuation, ContState>,
    edges: Vec<Edge>,
    analysis: Analysis,
    memory: Memory,
    mark: flambeau_types::Mark,
    current: Option<CodeId>,
    budget: u32,
    below: u32,
    branch_depth: u32,
}

type Functions = Rc<[(FunctionSlot, CodeId)]>;

/// The code of a static closure, its symbol, and what its set captures.
type StaticCode = (CodeId, Symbol, Vec<(ValueSlot, Ty)>);
