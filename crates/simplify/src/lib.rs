//! The simplifier: one traversal down, which evaluates terms in the abstract domain, and one up, which rebuilds them
//! without what turned out to be unneeded.
//!
//! # Down
//!
//! A run of items is simplified in order, with the knowledge of its program point ([`Env`]). The result is a new run.
//!
//! *Continuations.* One that is used once, from the same region, is *pending*: its handler is simplified at the use, in
//! the use's environment, and replaces it. Others are *open*: their uses are recorded with what is known of the
//! arguments, expressed over the variables in scope where the continuation is bound; the handler is simplified
//! afterwards with the join of the uses. Loops start from the join of the uses outside and the inductive pre-pass
//! ([`analysis`]).
//!
//! *Uses* of open continuations become *edges* ([`edges`]), which replace the continuation, and under which arguments
//! for parameters that are added later (unboxing) are recorded. They are resolved in the upward pass.
//!
//! *State.* What is known belongs to the unit, to the function ([`state`]) or to the point ([`point`]);
//! `docs/design/simplifier.md` says which of it lives how long.
//!
//! # Up
//!
//! What is needed is found from effects and results backwards, through parameters of loops too ([`flow`]); then the
//! term is rebuilt with only that ([`rebuild`]).
//!
//! # Functions
//!
//! The codes of a set of closures are simplified where the set is bound, so that they know what they capture. The entry
//! comes first, with the functions that it calls, so that those know what the fields of the module are ([`toplevel`]);
//! then come the other codes of static sets.

mod algebra;
mod analysis;
pub mod arrangements;
pub mod arrays;
pub mod beginning;
mod bytes;
mod call_patterns;
mod calls;
mod choices;
pub mod cold;
mod compare;
mod comparisons;
mod computed_fields;
mod continuations;
pub mod dead_code;
mod edges;
mod exceptions;
pub mod export;
mod flow;
pub mod fold;
mod forks;
pub mod formats;
mod functors;
mod handed_on;
mod hashing;
mod imported;
pub mod inline;
mod instances;
mod joins;
mod learn;
mod lift;
mod made;
pub mod memory;
mod overwritten;
mod partial;
mod point;
mod prims;
mod rebuild;
mod run;
mod sets;
pub mod shapes;
pub mod size;
mod slots;
mod specialise;
mod state;
mod strings;
mod switch;
mod toplevel;
mod unboxing;
mod uses;
pub mod waiting;

use std::rc::Rc;

use flambeau_ir::decision::Policy;
use flambeau_ir::inlining::LARGEST;
use flambeau_ir::{
    CodeId, Expr, FunctionSlot, Rewrite, Rewrites, SetOfClosures, StaticDef, Subkind, Symbol, Terminator,
    Unit, ValueSlot, renumber,
};
use flambeau_types::{Closure, Env, IntSet, Ty};
use rustc_hash::FxHashSet;

use analysis::Analysis;
pub use call_patterns::consumes_sequences;
use functors::Functors;
use inline::budgets::Budgets;
use point::Point;
pub use specialise::{LARGEST_SPECIALISED, uses_functions};
use state::{FunctionState, Global};

/// Simplifies a unit; returns whether anything may have changed. Without fuel nothing does; as long as there is some,
/// functions are also put into the form that rewrites need, and what is not needed is dropped.
pub fn simplify(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    if rewrites.fuel.is_empty() {
        return false;
    }
    if rewrites.round == 0 && rewrites.inlining.of(0).policy == Policy::Benefit && !rewrites.stubs_only {
        // Bodies are measured after simplification without inlining, not as the source has them.
        let decisions = rewrites.decisions.take();
        rewrites.stubs_only = true;
        Simplifier::new(unit, rewrites).unit();
        rewrites.stubs_only = false;
        rewrites.decisions = decisions;
        dead_code::remove(unit, |_| true);
    }
    Simplifier::new(unit, rewrites).unit();
    if rewrites.round >= TYPED_ROUNDS - 1 {
        forget_types(unit);
    }
    // Without asking: codes whose sets were dropped must be removed.
    dead_code::remove(unit, |_| true);
    renumber::compact(unit);
    rewrites.round += 1;
    true
}

/// After so many rounds the types of arguments are dropped, and with them the functions that compare their values, if
/// nobody calls these: later rounds inline little, and what is exported has no types.
const TYPED_ROUNDS: u32 = 2;

fn forget_types(unit: &mut Unit) {
    let bodies = unit.codes.values_mut().map(|code| &mut code.body).chain([&mut unit.entry.body]);
    bodies.for_each(|body| {
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator {
                apply.types = Vec::new();
            }
        });
    });
}

/// Simplifies some functions once more, the entry without a code, after a pass that changed them alone: evaluates and
/// unboxes, but inlines nothing that a round of [`simplify`] has refused. Takes time for these functions, but for what
/// is not needed any more: that is searched for in the whole unit.
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

/// A traversal. Its state is what is known of the unit, of the function that is being simplified, and at the present
/// point.
struct Simplifier<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    /// What is known of variables at the present point.
    env: Env,
    global: Global,
    function: FunctionState,
    point: Point,
}

impl<'a> Simplifier<'a> {
    fn new(unit: &'a mut Unit, rewrites: &'a mut Rewrites) -> Self {
        let arguments = rewrites.inlining.of(rewrites.round);
        let budgets = Budgets::of(unit, arguments, rewrites.round);
        rewrites.multiplied.get_or_insert(budgets.unit);
        rewrites.instances.get_or_insert(budgets.unit.saturating_mul(2));
        let global = Global::of(unit, budgets);
        // What is inlined has variables of its own.
        let env = Env::with_capacity(2 * unit.variables.len(), 2 * unit.symbols.len());
        Simplifier {
            unit,
            rewrites,
            env,
            global,
            function: FunctionState::default(),
            point: Point::default(),
        }
    }

    fn unit(&mut self) {
        let static_codes = self.learn();
        // The functions that it calls are simplified in the course of this, when what is defined before them is known.
        self.entry();
        for (code, symbol, values) in static_codes {
            self.code(code, &values, Some(symbol));
        }
        // Functions that are only called directly may be in no set any more.
        let unbound: Vec<CodeId> =
            self.unit.codes.keys().filter(|code| self.global.sets.binders(*code) == 0).collect();
        unbound.into_iter().for_each(|code| self.code(code, &[], None));
    }

    /// Simplifies some functions; the others remain as they are.
    fn some(&mut self, changed: &[Option<CodeId>]) {
        let static_codes = self.learn();
        self.global.done = self.unit.codes.keys().filter(|code| !changed.contains(&Some(*code))).collect();
        if changed.contains(&None) {
            self.entry();
        }
        for (code, symbol, values) in static_codes {
            self.code(code, &values, Some(symbol));
        }
        // The bodies that bind the others come first if they have changed, and record what these capture.
        let mut inner: FxHashSet<CodeId> = FxHashSet::default();
        for code in changed.iter().flatten() {
            let body = &self.unit.codes[*code].body;
            body.for_each_code_made(&mut |code| _ = inner.insert(code));
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
            let function = FunctionState { budget: self.budget(None), ..self.state_inside() };
            let body = self.in_function(function, |this| this.function_body(body));
            self.unit.entry.body = body;
        }
    }

    /// Finds what is known of sets of closures, static data and functors; returns the codes of static sets, with their
    /// closures and what these have captured.
    fn learn(&mut self) -> Vec<StaticCode> {
        let sets = &mut self.global.sets;
        sets.note_unit(self.unit);
        self.global.has_sole_sets = self.unit.codes.values().any(|code| code.attributes.sole);
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
        self.global.static_codes =
            static_codes.iter().map(|(code, symbol, values)| (*code, (*symbol, values.clone()))).collect();
        self.global.toplevel = toplevel::Fields::of(self.unit);
        self.global.uses = uses::Uses::of_unit(self.unit);
        self.global.groups = inline::Groups::of_unit(self.unit);
        let (budget, indirect) = (self.global.budgets.functors, self.arguments().costs.indirect);
        self.global.functors = Functors::of_unit(self.unit, &self.global.uses, budget, indirect);
        self.note_no_return();
        static_codes
    }

    /// Records the sets of a term that is new in the unit, and of the codes of these.
    fn note_sets(&mut self, body: &Expr) {
        let sets = &mut self.global.sets;
        let mut codes = Vec::new();
        let mut note = |set: &SetOfClosures, within: Option<CodeId>, codes: &mut Vec<CodeId>| {
            sets.note(set, within);
            codes.extend(set.functions.iter().map(|(_, code)| *code));
        };
        body.for_each_set(&mut |set| note(set, self.function.current, &mut codes));
        while let Some(code) = codes.pop() {
            self.unit.codes[code].body.for_each_set(&mut |set| note(set, Some(code), &mut codes));
        }
    }

    /// Simplifies the body of a code, once, with what is known of its captured values, and its closure if that is
    /// static.
    fn code(&mut self, code: CodeId, closure: &[(ValueSlot, Ty)], symbol: Option<Symbol>) {
        if !self.global.done.insert(code) || self.rewrites.fuel.is_empty() {
            return;
        }
        self.keep_original(code);
        self.note_written_size(code);
        let body = self.unit.codes[code].body.take();
        if self.arguments().policy == Policy::Benefit && !self.rewrites.stubs_only {
            self.global.declared.insert(code, body.clone());
        }
        self.global.in_progress.insert(code);
        let function = FunctionState {
            current: Some(code),
            budget: self.budget(Some(code)),
            has_called_params: self.global.function_versions.contains(code),
            ..self.state_inside()
        };
        let body = self.in_function(function, |this| {
            this.bind_parameters(code, closure, symbol);
            this.function_body(body)
        });
        self.global.in_progress.remove(&code);
        self.unit.codes[code].body = body;
        let uses = self.scan_closure(code);
        self.global.uses_closure.insert(code, uses);
        let ignored = self.scan_params(code);
        self.global.ignored.insert(code, ignored);
    }

    /// The body of a function; none while that is being simplified.
    fn body(&self, code: CodeId) -> Option<&Expr> {
        (!self.global.in_progress.contains(&code)).then(|| &self.unit.codes[code].body)
    }

    /// The size of a function with those whose closures it allocates; `None` if one of them is being simplified, or if
    /// it is more than `limit`.
    fn whole_size(&self, code: CodeId, limit: u32) -> Option<u32> {
        size::whole_of(|code| self.body(code), code, limit)
    }

    /// The state of a function that is simplified from within the present one.
    fn state_inside(&self) -> FunctionState {
        FunctionState {
            below: inline::BELOW,
            deeper: LARGEST,
            in_instance: self.function.in_instance,
            ..FunctionState::default()
        }
    }

    /// Binds the closure and the parameters of a code.
    fn bind_parameters(&mut self, code: CodeId, values: &[(ValueSlot, Ty)], symbol: Option<Symbol>) {
        let data = &self.unit.codes[code];
        let (my_closure, slot) = (data.my_closure, data.function_slot);
        let functions = self.siblings(code, slot);
        let known = self.global.sets.binders(code) <= 1;
        let ty = match functions {
            Some(functions) if known => {
                Ty::Closure(Rc::new(Closure { slot, functions, values: values.iter().cloned().collect() }))
            }
            _ => Ty::Unknown,
        };
        match symbol.filter(|_| known) {
            Some(symbol) => {
                self.global.code_symbols.insert(code, symbol);
                self.env.bind_alias(my_closure, symbol.into());
            }
            None => self.env.bind(my_closure, ty),
        }
        self.bind_params(code);
    }

    /// Binds the parameters of a code to what the type checker says of them.
    fn bind_params(&mut self, code: CodeId) {
        let params = self.unit.codes[code].params.clone();
        for param in params {
            let ty = match self.unit.variables[param].subkind {
                // What the type checker says of a parameter.
                Subkind::Boxed(kind) => Ty::boxed(kind, Ty::Unknown),
                Subkind::Immediate => Ty::tagged(IntSet::OCAML),
                Subkind::Any => Ty::Unknown,
            };
            self.env.bind(param, ty);
        }
    }

    /// The downward pass, then the upward pass.
    fn function_body(&mut self, body: Expr) -> Expr {
        self.function.analysis = Rc::new(Analysis::of(&body, &self.env, self.rewrites.keep_backtraces));
        // The toplevel runs once, and what is inlined there makes more known to the functions.
        if let Some(code) = self.function.current {
            self.note_cold(&body, Some(self.unit.codes[code].exn));
        }
        let body = self.run(run::Rest::from(body));
        self.rebuild(body)
    }

    /// Asks for permission for a rewrite of the function that is being simplified. The evaluation of a functor is no
    /// function's: nothing of it stays, and what makes use of it asks. Nor does anything of what is only measured,
    /// which is measured as if all was permitted.
    fn allow(&mut self, rewrite: Rewrite) -> bool {
        if self.is_measuring() {
            return true;
        }
        if self.function.in_instance && self.function.current.is_none() {
            return !self.rewrites.fuel.is_empty();
        }
        self.rewrites.allow(rewrite, self.unit, self.function.current)
    }
}

type Functions = Rc<[(FunctionSlot, CodeId)]>;

/// The code of a static closure, its symbol, and what its set captures.
type StaticCode = (CodeId, Symbol, Vec<(ValueSlot, Ty)>);
