//! What a body would cost at a call, without inlining it: the simplifier evaluates it with what is known of the
//! arguments, and the result of the downward pass is measured instead of rebuilt.
//!
//! So branches, joins and loops are seen as they will be if the body is inlined. The evaluation is one of a function of
//! its own ([`FunctionState::measured`]): it asks for no rewrites, makes no static data, inlines nothing, and records
//! nothing about the unit. The body's variables are bound as they are, for as long as it takes.

use std::rc::Rc;

use flambeau_ir::decision::Removed;
use flambeau_ir::prim::{Classes, Mutability};
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, Continuation, Dbg, ExnCont, Expr, Item, Named, Prim, SetOfClosures,
    Simple, Terminator, Variable,
};
use flambeau_types::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::search::Search;
use crate::analysis::Analysis;
use crate::calls::closure_types;
use crate::edges::Edges;
use crate::flow::Flow;
use crate::run::{Next, Rest};
use crate::state::FunctionState;
use crate::{Simplifier, size};

/// What a body costs once evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// Its size.
    pub size: u32,
    /// What disappeared, the call itself included.
    pub removed: Removed,
    /// How many calls in it are counted as inlined.
    pub inside: u32,
}

/// What is counted in the downward pass, where a body is evaluated to be measured.
#[derive(Default)]
pub struct Counts {
    /// What has disappeared so far, and the sizes of bodies that are counted instead of calls.
    pub measure: Measure,
    /// The sizes of the functions whose closures the body allocates.
    made: FxHashMap<CodeId, u32>,
    /// The search inside the body.
    pub(super) search: Search,
}

/// What a body costs, for a call in a body that is itself being measured.
#[derive(Default)]
pub(super) struct Inside {
    pub measure: Measure,
    /// Allocations among the arguments that are no longer needed: the measure has counted them.
    unneeded: SmallVec<[Variable; 4]>,
}

impl Simplifier<'_> {
    /// Measures the body of a code with the arguments of a call.
    pub(super) fn measure(&mut self, apply: &Apply, code: CodeId, search: &mut Search) -> Measure {
        self.measure_body(apply, code, search).measure
    }

    /// Whether what is evaluated is only measured.
    pub(crate) fn is_measuring(&self) -> bool {
        self.function.measured.is_some()
    }

    /// Counts something that disappears, if what is evaluated is only measured.
    pub(crate) fn count(&mut self, removed: impl FnOnce(&mut Removed)) {
        if let Some(counts) = &mut self.function.measured {
            removed(&mut counts.measure.removed);
        }
    }

    /// Evaluates the body of a code with the arguments of a call, and measures what is left of it.
    pub(super) fn measure_body(&mut self, apply: &Apply, code: CodeId, search: &mut Search) -> Inside {
        let Some(body) = self.declared_body(code).cloned() else { return Inside::default() };
        let removed = Removed { calls: 1, ..Removed::default() };
        let counts = Counts {
            measure: Measure { removed, ..Measure::default() },
            made: FxHashMap::default(),
            search: std::mem::take(search),
        };
        let memory = *self.memory();
        let function = self.measuring(counts);
        self.in_function(function, |this| {
            this.set_memory(memory);
            let watched = this.bind_call(apply, code);
            let (mut measure, needs, inner) = this.measured(code, body, &watched);
            *search = inner;
            let unneeded = this.scalar_replaced(&watched, &needs, &mut measure);
            Inside { measure, unneeded }
        })
    }

    /// The state of a function whose body is only measured, simplified from within the present one.
    fn measuring(&self, counts: Counts) -> FunctionState {
        FunctionState {
            current: self.function.current,
            measured: Some(Box::new(counts)),
            ..self.state_inside()
        }
    }

    /// Evaluates a body, and measures what is needed of the result of the downward pass.
    fn measured(&mut self, code: CodeId, body: Expr, watched: &[Variable]) -> (Measure, Needs, Search) {
        self.function.analysis = self.analysis_of(code, &body);
        let body = self.run(Rest::from(body));
        let counts = self.function.measured.take().map(|counts| *counts);
        let Counts { mut measure, made, search } = counts.unwrap_or_default();
        let flow = Flow::of(&body, &self.function.edges, &self.function.diamonds);
        let mut sink = Sink {
            edges: &self.function.edges,
            flow: &flow,
            made: &made,
            watched,
            measure: &mut measure,
            needs: Needs::default(),
        };
        sink.body(&body);
        let needs = sink.needs;
        body.dismantle();
        (measure, needs, search)
    }

    /// The pre-pass of a body that is measured.
    fn analysis_of(&mut self, code: CodeId, body: &Expr) -> Rc<Analysis> {
        if let Some(known) = self.global.analyses.get(&code) {
            return Rc::clone(known);
        }
        let analysis = Rc::new(Analysis::of_measured(body, &self.env, self.rewrites.keep_backtraces));
        if analysis.is_straight() {
            self.global.analyses.insert(code, Rc::clone(&analysis));
        }
        analysis
    }

    /// Binds the parameters of a code to the arguments of a call. Returns those that are allocations of the caller: if
    /// the body turns out not to use them, they are not allocated.
    fn bind_call(&mut self, apply: &Apply, code: CodeId) -> SmallVec<[Variable; 4]> {
        let data = &self.unit.codes[code];
        let (params, my_closure) = (data.params.clone(), data.my_closure);
        let mut watched: SmallVec<[Variable; 4]> = SmallVec::new();
        for (param, arg) in params.iter().zip(&apply.args) {
            let arg = self.env.canonical(*arg);
            self.env.bind_alias(*param, arg);
            if let Simple::Var(var) = arg
                && self.is_local_allocation(var)
                && !watched.contains(&var)
            {
                watched.push(var);
            }
        }
        match apply.callee {
            Some(callee) => self.env.bind_alias(my_closure, callee),
            None => self.env.bind(my_closure, Ty::Unknown),
        }
        watched
    }

    /// Whether a variable is a block, a number or a closure that was allocated in the function.
    pub(super) fn is_local_allocation(&self, var: Variable) -> bool {
        let is_allocated =
            |prim: &Prim| matches!(prim, Prim::Box(_) | Prim::MakeBlock { .. } | Prim::MakeFloatBlock { .. });
        self.env.definition(var.into()).is_some_and(|definition| is_allocated(&definition.prim))
            || matches!(self.env.ty(var.into()), Ty::Closure(_))
    }

    /// Counts what disappears with the caller's allocations of which nothing is needed but fields. Returns these.
    fn scalar_replaced(
        &self,
        watched: &[Variable],
        needs: &Needs,
        measure: &mut Measure,
    ) -> SmallVec<[Variable; 4]> {
        let unneeded: SmallVec<[Variable; 4]> =
            watched.iter().filter(|var| !needs.whole.contains(var)).copied().collect();
        measure.removed.allocations += unneeded.len() as u32;
        for var in &unneeded {
            let mut accesses = needs.accesses.iter().filter(|(block, _)| block == var).peekable();
            if accesses.peek().is_some() {
                // Its fields are variables: they need not be stored, read and written.
                let fields = self.env.definition((*var).into()).map_or(0, |definition| definition.args.len());
                measure.removed.primitives += fields as u32;
            }
            for (_, size) in accesses {
                measure.removed.primitives += 1;
                measure.size -= size;
            }
        }
        unneeded
    }

    /// A set of closures in a body that is measured: its functions are measured with what they capture, by name, as
    /// they will be at their calls if they are inlined there.
    pub(crate) fn measure_set(&mut self, set: &SetOfClosures) {
        for ((_, code), closure) in set.functions.iter().zip(closure_types(set)) {
            let Some(body) = self.declared_body(*code).cloned() else { continue };
            let Some(outer) = &mut self.function.measured else { return };
            let search = std::mem::take(&mut outer.search);
            let counts = Counts { search, ..Counts::default() };
            let function = self.measuring(counts);
            let (measure, search) = self.in_function(function, |this| {
                let my_closure = this.unit.codes[*code].my_closure;
                this.env.bind(my_closure, closure);
                this.bind_params(*code);
                let (measure, _, search) = this.measured(*code, body, &[]);
                (measure, search)
            });
            if let Some(outer) = &mut self.function.measured {
                outer.search = search;
                outer.made.insert(*code, measure.size);
                outer.measure.removed.add(&measure.removed);
                outer.measure.inside += measure.inside;
            }
        }
    }

    /// The callee's body instead of a call in a body that is measured, where the body is better than the call: nothing
    /// is concluded from it but its size and what disappears.
    pub(crate) fn measured_call(&mut self, apply: &Apply, out: &mut Vec<Item>) -> Option<Next> {
        let inner = self.measured_inside(apply)?;
        let counts = self.function.measured.as_mut()?;
        let Measure { size, removed, inside } = &mut counts.measure;
        *size += inner.measure.size;
        *inside += inner.measure.inside + 1;
        removed.add(&inner.measure.removed);
        // Where they are allocated they are counted if nobody else needs them.
        removed.allocations -= inner.unneeded.len() as u32;
        let needs =
            apply.args.iter().filter(|arg| arg.as_var().is_none_or(|var| !inner.unneeded.contains(&var)));
        let args = needs.copied().collect();
        self.write(Classes::ALL);
        let exn = Some(Box::new(self.raise_point(apply.exn.clone())));
        let var = self.unit.new_value("inside");
        out.push(Item::Let { var, named: Named::Prim { prim: Prim::Opaque, args, exn }, dbg: Dbg::NONE });
        let results = self.results_of(apply.ret);
        for var in &results {
            self.env.bind(*var, Ty::Unknown);
        }
        let args = results.iter().map(|result| Simple::Var(*result)).collect();
        Some(self.jump(ApplyCont { cont: apply.ret, args }))
    }
}

/// What is needed of the caller's allocations.
#[derive(Default)]
struct Needs {
    /// Those that are needed as boxed values.
    whole: FxHashSet<Variable>,
    /// Reads and writes of fields, by their sizes.
    accesses: Vec<(Variable, u32)>,
}

/// Takes the result of the downward pass, and measures what the upward pass would leave of it ([`crate::rebuild`]).
struct Sink<'a> {
    edges: &'a Edges,
    flow: &'a Flow<'a>,
    /// The sizes of the functions whose closures the body allocates.
    made: &'a FxHashMap<CodeId, u32>,
    watched: &'a [Variable],
    measure: &'a mut Measure,
    needs: Needs,
}

impl Sink<'_> {
    fn body(&mut self, body: &Expr) {
        let mut pending: Vec<&Expr> = vec![body];
        while let Some(expr) = pending.pop() {
            for item in &expr.items {
                match item {
                    Item::Join { body, .. } => pending.push(body),
                    Item::LetCont { handlers, .. } => {
                        let used = handlers.iter().filter(|h| self.flow.uses.contains_key(&h.cont));
                        pending.extend(used.map(|handler| &handler.body));
                    }
                    item => self.item(item),
                }
            }
            self.terminator(&expr.terminator);
            pending.extend(expr.terminator.child());
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                if prim.can_drop() && !self.flow.needed.contains(*var) {
                    self.measure.removed.allocations += u32::from(is_allocation(prim));
                    return;
                }
                exn.iter().for_each(|exn| self.raise(exn));
                self.primitive(prim, args);
            }
            Item::LetClosures { vars, set, .. } => {
                if vars.iter().any(|var| self.flow.needed.contains(*var)) {
                    self.set(set);
                } else {
                    self.measure.removed.allocations += 1;
                }
            }
            Item::Let { named: Named::Simple(_), .. } | Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn primitive(&mut self, prim: &Prim, args: &[Simple]) {
        let is_constant =
            matches!(prim, Prim::Box(_) | Prim::MakeBlock { mutability: Mutability::Immutable, .. })
                && !args.is_empty()
                && args.iter().all(|arg| !matches!(arg, Simple::Var(_)));
        if is_constant {
            // It would be static data.
            self.measure.removed.allocations += 1;
            return;
        }
        let size = prim.size(args.len() as u32);
        self.measure.size += size;
        let block = args.first().filter(|_| is_access(prim));
        let watched = block.and_then(|block| block.as_var()).filter(|var| self.watched.contains(var));
        self.needs.accesses.extend(watched.map(|var| (var, size)));
        args.iter().skip(block.iter().len()).for_each(|arg| self.need(*arg));
    }

    fn set(&mut self, set: &SetOfClosures) {
        if set.values.iter().all(|(_, value)| value.as_var().is_none()) {
            self.measure.removed.allocations += 1;
        } else {
            self.measure.size += 5 + set.values.len() as u32;
            set.values.iter().for_each(|(_, value)| self.need(*value));
        }
        for (_, code) in &set.functions {
            self.measure.size += 3 + self.made.get(code).copied().unwrap_or(0);
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        self.measure.size += size::terminator(terminator);
        match terminator {
            Terminator::ApplyCont(jump) => self.jump(jump.cont, &jump.args),
            Terminator::Apply(apply) => {
                // What is called directly may itself be inlined.
                let callee = apply.callee.filter(|_| apply.kind == CallKind::Generic);
                callee.iter().chain(&apply.args).for_each(|arg| self.need(*arg));
                self.jump(apply.ret, &[]);
                self.raise(&apply.exn);
            }
            Terminator::Switch(switch) => {
                self.need(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump.cont, &jump.args));
            }
            Terminator::StringSwitch(switch) => {
                self.need(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump.cont, &jump.args));
            }
            Terminator::Raise { exn, handler, .. } => {
                self.need(*exn);
                self.raise(handler);
            }
            Terminator::Try { handler, .. } => self.raise(handler),
            Terminator::Unreachable => {}
        }
    }

    /// Measures what a jump passes. Nothing is unboxed in a body that is only measured: edges add nothing.
    fn jump(&mut self, named: Continuation, args: &[Simple]) {
        self.arguments(named, 0, args);
    }

    fn raise(&mut self, exn: &ExnCont) {
        self.arguments(exn.cont, 1, &exn.extra_args);
    }

    /// Measures what is passed to parameters that are needed, from one of them on.
    fn arguments(&mut self, named: Continuation, first: usize, args: &[Simple]) {
        let params = self.flow.params.get(&self.edges.resolve(named).0);
        for (index, arg) in args.iter().enumerate() {
            let param = params.and_then(|params| params.get(first + index));
            if param.is_none_or(|param| self.flow.needed.contains(*param)) {
                self.need(*arg);
            }
        }
    }

    /// Records that what is left in the body uses this as a boxed value.
    fn need(&mut self, simple: Simple) {
        self.needs.whole.extend(simple.as_var().filter(|var| self.watched.contains(var)));
    }
}

/// Whether a primitive allocates what an analysis of the body may find unneeded.
fn is_allocation(prim: &Prim) -> bool {
    matches!(prim, Prim::Box(_) | Prim::MakeBlock { .. } | Prim::MakeFloatBlock { .. })
}

/// Whether a primitive reads or writes a field of its first operand.
fn is_access(prim: &Prim) -> bool {
    matches!(
        prim,
        Prim::BlockLoad { .. }
            | Prim::BlockLoadFloat { .. }
            | Prim::BlockStore { .. }
            | Prim::BlockStoreFloat { .. }
    )
}
