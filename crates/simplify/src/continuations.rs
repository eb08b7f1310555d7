//! Continuations, in the downward pass: pending ones, open ones, their uses, and what is known in a handler.

use flambeau_ir::prim::Classes;
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Expr, Item, Kind, Rewrite, Simple, Terminator, Variable,
};
use flambeau_types::{Mark, Relations, Ty, join};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::call_patterns::{CalledParam, Passed, Waits};
use crate::edges::EdgeId;
use crate::memory::Memory;
use crate::run::{Next, Params, Rest};
use crate::slots::Stored;
use crate::unboxing::{Tests, Unboxing};

/// No more facts than these are carried from a use to the handler.
const FACTS: usize = 16;

/// A continuation of the function that is being simplified.
pub enum ContState {
    /// To be simplified at its only use.
    Pending(Handler),
    /// Waiting for its uses.
    Open(Open),
    /// Its handler passes its parameters on, and does nothing else: jumps to it are redirected to this one.
    Forward(Continuation),
    /// Its handler is a jump, and no call returns to it: jumps to it become that one.
    Jump(Params, ApplyCont),
}

/// Parameters and code.
pub struct Handler {
    pub params: Params,
    pub rest: Rest,
}

/// The scope of a continuation, and the uses found so far.
pub struct Open {
    time: u32,
    mark: Mark,
    pub params: Params,
    /// The parameters for which it has versions, if it is a loop.
    pub called: SmallVec<[CalledParam; 1]>,
    pub uses: Vec<Use>,
}

/// A use of an open continuation.
pub struct Use {
    pub edge: EdgeId,
    /// Canonical at the use.
    pub args: SmallVec<[Simple; 2]>,
    /// What is known of the arguments at the use, expressed over the variables in scope at the use.
    pub tys: SmallVec<[Ty; 2]>,
    /// The values that decide the cases of those arguments that are variants.
    pub tests: SmallVec<[Tests; 2]>,
    /// What is known of the arguments, expressed over the variables in scope at the continuation's binding.
    exported: SmallVec<[Ty; 2]>,
    /// What else was learnt of variables of the scope of the continuation.
    facts: SmallVec<[(Variable, Ty); 2]>,
    /// In the last use: what is known of integers at all uses.
    relations: Option<Box<Relations>>,
    memory: Memory,
    /// What is known to be in slots of results.
    pub stored: Stored,
    /// What is passed for the called parameters of a loop.
    pub passed: Option<Passed>,
    /// Closures among the arguments, and in them.
    pub waits: Vec<Waits>,
}

impl Simplifier<'_> {
    /// Whether a continuation's handler is to be simplified at its use. That a continuation which is used once is the
    /// rest of the run is the form that terms have, and no rewrite.
    pub(crate) fn is_pending(&self, cont: Continuation) -> bool {
        let uses = self.function.analysis.uses(cont);
        uses.count == 1 && !uses.crosses_region && !self.unit.continuations[cont].is_exn
    }

    /// Redirects jumps to `cont` to where its handler would jump with the same arguments, if it does nothing else;
    /// returns whether it did. Uses from another region stay: they leave a `try`, which is no tail position.
    pub(crate) fn forward(
        &mut self,
        cont: Continuation,
        params: &Params,
        items: &[Item],
        end: &Terminator,
    ) -> bool {
        let Terminator::ApplyCont(jump) = end else { return false };
        let uses = self.function.analysis.uses(cont);
        if !items.is_empty() || uses.crosses_region {
            return false;
        }
        let jump = self.redirected(jump.clone());
        let to = jump.cont;
        let is_exn = self.unit.continuations[cont].is_exn || self.unit.continuations[to].is_exn;
        let same = jump.args.len() == params.len()
            && jump.args.iter().zip(params).all(|(arg, param)| *arg == Simple::Var(*param));
        // A number that is boxed for the jump alone is boxed for those that become it, not on all paths. Otherwise
        // several jumps with arguments would only be larger than one.
        let is_boxed = |arg: &Simple| {
            let var = arg.as_var();
            var.is_some_and(|v| {
                self.function.rebuilt.contains(&v) || self.function.boxes_beside.contains_key(&v)
            })
        };
        let may_redirect = match self.function.conts.get(&to) {
            Some(ContState::Open(_)) if same => true,
            // A call that returns to a continuation of the function's own is a tail call.
            Some(ContState::Open(_)) | None => !uses.is_returned_to && jump.args.iter().any(is_boxed),
            Some(ContState::Pending(_) | ContState::Forward(_) | ContState::Jump(..)) => false,
        };
        if is_exn || !may_redirect || !self.allow(Rewrite::JumpThroughJump) {
            return false;
        }
        let state = if same { ContState::Forward(to) } else { ContState::Jump(params.clone(), jump) };
        self.function.conts.insert(cont, state);
        true
    }

    /// The jump that one becomes.
    pub(crate) fn redirected(&self, mut jump: ApplyCont) -> ApplyCont {
        loop {
            match self.function.conts.get(&jump.cont) {
                Some(ContState::Forward(to)) => jump.cont = *to,
                Some(ContState::Jump(params, to)) => {
                    let mut next = to.clone();
                    for arg in &mut next.args {
                        if let Some(at) = params.iter().position(|param| Simple::Var(*param) == *arg) {
                            *arg = jump.args[at];
                        }
                    }
                    jump = next;
                }
                _ => return jump,
            }
        }
    }

    /// The continuation that a jump to this one reaches.
    pub(crate) fn target(&self, mut cont: Continuation) -> Continuation {
        while let Some(ContState::Forward(to)) = self.function.conts.get(&cont) {
            cont = *to;
        }
        cont
    }

    fn open(&mut self, cont: Continuation, params: Params, called: SmallVec<[CalledParam; 1]>) {
        let open = Open { time: self.env.now(), mark: self.env.mark(), params, called, uses: Vec::new() };
        self.function.conts.insert(cont, ContState::Open(open));
    }

    fn close(&mut self, cont: Continuation) -> Vec<Use> {
        match self.function.conts.remove(&cont) {
            Some(ContState::Open(open)) => open.uses,
            _ => Vec::new(),
        }
    }

    /// The body of a `Join` whose continuation is open, and the uses in it. The environment is that of the join.
    pub(crate) fn join_body(&mut self, cont: Continuation, params: &Params, body: Expr) -> (Expr, Vec<Use>) {
        self.open(cont, params.clone(), SmallVec::new());
        let body = self.scoped(|this| this.run(Rest::from(body)));
        let uses = self.close(cont);
        (body, uses)
    }

    /// Binds the continuations of a group; returns those that are neither unused nor pending.
    pub(crate) fn open_group(&mut self, recursive: bool, handlers: Vec<ContHandler>) -> Vec<ContHandler> {
        let mut left = Vec::with_capacity(handlers.len());
        for handler in handlers {
            if self.function.analysis.uses(handler.cont).count == 0 {
                handler.body.dismantle();
            } else if !recursive && self.is_pending(handler.cont) {
                let rest = Rest::from(handler.body);
                self.function
                    .conts
                    .insert(handler.cont, ContState::Pending(Handler { params: handler.params, rest }));
            } else {
                left.push(handler);
            }
        }
        for handler in &left {
            let has_versions = recursive && left.len() == 1;
            let called = if has_versions { self.called_params(handler) } else { SmallVec::new() };
            self.open(handler.cont, handler.params.clone(), called);
        }
        left
    }

    /// Simplifies the handlers of a group, its scope having been left.
    pub(crate) fn close_group(&mut self, recursive: bool, handlers: Vec<ContHandler>) -> Vec<ContHandler> {
        if !recursive {
            return self.close_plain(handlers);
        }
        self.function.loops += 1;
        let handlers = self.close_loop(handlers);
        self.function.loops -= 1;
        handlers
    }

    fn close_plain(&mut self, handlers: Vec<ContHandler>) -> Vec<ContHandler> {
        let mut done = Vec::with_capacity(handlers.len());
        for handler in handlers {
            let uses = self.close(handler.cont);
            if uses.is_empty() {
                handler.body.dismantle();
                continue;
            }
            let (params, body) = self.scoped(|this| {
                let (params, first) = this.enter_handler(handler.cont, handler.params, uses);
                let mut body = this.run(Rest::from(handler.body));
                body.items.splice(0..0, first);
                (params, body)
            });
            done.push(ContHandler { cont: handler.cont, params, body });
        }
        done
    }

    fn time_of(&self, cont: Continuation) -> u32 {
        match self.function.conts.get(&cont) {
            Some(ContState::Open(open)) => open.time,
            _ => 0,
        }
    }

    /// A loop: its handlers are simplified once, on the assumption of what holds of all uses.
    fn close_loop(&mut self, handlers: Vec<ContHandler>) -> Vec<ContHandler> {
        let entered = handlers.iter().any(|handler| self.has_uses(handler.cont));
        if !entered {
            for handler in handlers {
                self.close(handler.cont);
                handler.body.dismantle();
            }
            return Vec::new();
        }
        let mut done = Vec::with_capacity(handlers.len());
        let mut decisions = Vec::with_capacity(handlers.len());
        let first = handlers.first().map(|handler| handler.cont);
        // The memory at the entries, if it is one, less what the loop writes.
        let entry = self.entry_memory(&handlers);
        let relations: SmallVec<[Option<Box<Relations>>; 1]> =
            handlers.iter().map(|handler| self.relations_so_far(handler.cont)).collect();
        let enter = |this: &mut Self| {
            match (entry, first) {
                (Some(entry), Some(first)) => {
                    this.set_memory(entry);
                    this.write(this.function.analysis.writes(first));
                }
                _ => this.fresh_memory(),
            }
            // For variables that are older than the loop it holds in all iterations.
            if let [Some(relations)] = &relations[..] {
                this.env.assume_facts(relations);
            }
        };
        if let [handler] = &handlers[..] {
            done = self.versions(handler, &enter);
            if !self.has_uses(handler.cont) {
                self.close(handler.cont);
                handlers.into_iter().for_each(|handler| handler.body.dismantle());
                return done;
            }
        }
        let entries: Vec<usize> = handlers.iter().map(|handler| self.uses_so_far(handler.cont)).collect();
        for handler in handlers {
            let (params, body, unboxings) = self.scoped(|this| {
                enter(this);
                let (params, first, unboxings) = this.enter_loop(handler.cont, handler.params);
                let mut body = this.run(Rest::from(handler.body));
                body.items.splice(0..0, first);
                (params, body, unboxings)
            });
            decisions.push((handler.cont, unboxings));
            done.push(ContHandler { cont: handler.cont, params, body });
        }
        for ((cont, unboxings), entries) in decisions.into_iter().zip(entries) {
            let uses = self.close(cont);
            self.pass_extras(&uses, entries, &unboxings);
        }
        done
    }

    /// The state of the memory that all uses so far agree on.
    fn entry_memory(&self, handlers: &[ContHandler]) -> Option<Memory> {
        let mut memories = handlers.iter().filter_map(|h| match self.function.conts.get(&h.cont) {
            Some(ContState::Open(open)) => Some(&open.uses),
            _ => None,
        });
        let mut all = memories.by_ref().flatten().map(|u| u.memory);
        let first = all.next()?;
        all.all(|memory| memory == first).then_some(first)
    }

    pub(crate) fn has_uses(&self, cont: Continuation) -> bool {
        self.uses_so_far(cont) > 0
    }

    fn relations_so_far(&mut self, cont: Continuation) -> Option<Box<Relations>> {
        match self.function.conts.get_mut(&cont) {
            Some(ContState::Open(open)) => open.uses.last_mut()?.relations.take(),
            _ => None,
        }
    }

    fn uses_so_far(&self, cont: Continuation) -> usize {
        match self.function.conts.get(&cont) {
            Some(ContState::Open(open)) => open.uses.len(),
            _ => 0,
        }
    }

    /// The uses of an open continuation so far.
    pub(crate) fn uses_of(&self, cont: Continuation) -> &[Use] {
        match self.function.conts.get(&cont) {
            Some(ContState::Open(open)) => &open.uses,
            _ => &[],
        }
    }

    /// The uses of an open continuation so far, to be put back.
    pub(crate) fn take_uses(&mut self, cont: Continuation) -> Vec<Use> {
        match self.function.conts.get_mut(&cont) {
            Some(ContState::Open(open)) => std::mem::take(&mut open.uses),
            _ => Vec::new(),
        }
    }

    /// Puts back those uses that still are.
    pub(crate) fn put_uses(&mut self, cont: Continuation, uses: Vec<Use>) {
        if let Some(ContState::Open(open)) = self.function.conts.get_mut(&cont) {
            open.uses = uses;
        }
    }

    /// The parameters for which an open continuation has versions.
    pub(crate) fn called_of(&self, cont: Continuation) -> SmallVec<[CalledParam; 1]> {
        match self.function.conts.get(&cont) {
            Some(ContState::Open(open)) => open.called.clone(),
            _ => SmallVec::new(),
        }
    }

    /// Binds a parameter of a loop, or that of a version of the loop which stands for it, if it is invariant.
    fn bind_invariant(&mut self, cont: Continuation, original: Variable, param: Variable) -> bool {
        let time = self.time_of(cont);
        let only = self.function.analysis.only_value(original).map(|simple| self.env.canonical(simple));
        let in_scope = |simple: Simple| match simple {
            Simple::Var(var) => self.env.is_bound_by(var, time),
            _ => true,
        };
        match only {
            Some(simple)
                if simple != Simple::Var(original)
                    && in_scope(simple)
                    && self.allow(Rewrite::InvariantParameter) =>
            {
                self.env.bind_alias(param, simple);
                true
            }
            _ => false,
        }
    }

    /// Binds a parameter of a version of a loop, by what the pre-pass found of that of the loop.
    pub(crate) fn bind_copied_param(&mut self, cont: Continuation, original: Variable, param: Variable) {
        if !self.bind_invariant(cont, original, param) {
            self.env.bind(param, self.function.analysis.ty(original));
            if self.may_be_poison(original) {
                self.function.possibly_poison.insert(param);
            }
        }
    }

    /// Binds the parameters of a handler of a loop: invariant ones, and what the pre-pass found of the others.
    fn enter_loop(&mut self, cont: Continuation, params: Params) -> (Params, Vec<Item>, Vec<Unboxing>) {
        let mut unboxings = Vec::new();
        for (index, &param) in params.iter().enumerate() {
            if self.bind_invariant(cont, param, param) {
                continue;
            }
            let ty = self.function.analysis.ty(param);
            self.env.bind(param, ty.clone());
            if self.may_be_taken_apart(param)
                && let Some(unboxing) = self.unbox_in_loop(index, param, &ty)
            {
                unboxings.push(unboxing);
            }
        }
        let mut params = params;
        let first = self.add_params(&mut params, &unboxings);
        (params, first, unboxings)
    }

    /// Binds the parameters of a handler that all uses are known of, and learns what they have in common. Returns the
    /// parameters, those added by unboxing included, and items for the beginning of the handler.
    pub(crate) fn enter_handler(
        &mut self,
        cont: Continuation,
        params: Params,
        uses: Vec<Use>,
    ) -> (Params, Vec<Item>) {
        let is_exn = self.unit.continuations[cont].is_exn;
        let mut writes = Classes::NONE;
        uses.iter().for_each(|u| writes |= u.memory.differences(self.memory()));
        self.write(writes);
        let mut unboxings = Vec::new();
        for (index, &param) in params.iter().enumerate() {
            if is_exn && index == 0 {
                self.env.bind(param, Ty::Unknown);
                continue;
            }
            let ty = self.joined(&uses, index);
            match ty {
                Ty::Is(simple) if simple != Simple::Var(param) && self.allow(Rewrite::KnownParameter) => {
                    self.env.bind_alias(param, simple);
                }
                Ty::Is(simple) => {
                    let ty = self.env.ty(simple);
                    self.env.bind(param, ty);
                }
                ty => {
                    if let Some(same) = same_param(&params, &uses, index).filter(|_| !is_exn)
                        && self.allow(Rewrite::KnownParameter)
                    {
                        self.env.bind_alias(param, Simple::Var(same));
                        continue;
                    }
                    self.env.bind(param, ty.clone());
                    if self.may_be_taken_apart(param)
                        && let Some(unboxing) = self.unbox_at_join(index, param, &ty, &uses, is_exn)
                    {
                        unboxings.push(unboxing);
                    }
                }
            }
        }
        self.learn_common(&uses);
        if let Some(relations) = uses.last().and_then(|last| last.relations.as_ref()) {
            self.env.assume_facts(relations);
            for (param, bounds) in params.iter().zip(&relations.bounds) {
                self.env.assume_bounds(*param, bounds);
            }
        }
        let mut params = params;
        let first = self.add_params(&mut params, &unboxings);
        self.pass_extras(&uses, 0, &unboxings);
        if !is_exn {
            self.pass_waiting(&mut params, &uses, &unboxings);
            self.pass_stored(&mut params, &uses);
        }
        (params, first)
    }

    /// Whether a parameter may be unboxed. In a body that is only measured none is: which parts a use can pass is
    /// decided over all uses, and an allocation counts where the source has it.
    fn may_be_taken_apart(&self, param: Variable) -> bool {
        self.unit.variables[param].kind == Kind::Value && !self.is_measuring()
    }

    /// What unboxing asks of the arguments of a use: their types, and what decides the cases of variants.
    fn for_parts(&self, args: &[Simple]) -> (SmallVec<[Ty; 2]>, SmallVec<[Tests; 2]>) {
        let tys: SmallVec<[Ty; 2]> = args.iter().map(|arg| self.env.ty(*arg)).collect();
        let tests = args.iter().zip(&tys).map(|(arg, ty)| self.tests(*arg, ty)).collect();
        (tys, tests)
    }

    /// What is known of an argument at all uses.
    fn joined(&self, uses: &[Use], index: usize) -> Ty {
        let head = |simple| self.env.ty(simple);
        uses.iter()
            .map(|u| u.exported[index].clone())
            .reduce(|a, b| join(&a, &b, &head))
            .unwrap_or(Ty::Unknown)
    }

    /// Facts that hold at all uses.
    fn learn_common(&mut self, uses: &[Use]) {
        let Some((first, others)) = uses.split_first() else { return };
        for (var, ty) in &first.facts {
            let head = |simple| self.env.ty(simple);
            let mut common = ty.clone();
            for other in others {
                match other.facts.iter().find(|(v, _)| v == var) {
                    Some((_, ty)) => common = join(&common, ty, &head),
                    None => common = Ty::Unknown,
                }
                if common == Ty::Unknown {
                    break;
                }
            }
            if !matches!(common, Ty::Unknown | Ty::Is(_) | Ty::Bottom) {
                self.env.learn(Simple::Var(*var), &common);
            }
        }
    }

    /// A jump that ends a run.
    pub(crate) fn jump(&mut self, jump: ApplyCont) -> Next {
        let jump = self.redirected(jump);
        if let Some(ContState::Pending(_)) = self.function.conts.get(&jump.cont)
            && let Some(ContState::Pending(handler)) = self.function.conts.remove(&jump.cont)
        {
            self.bind_args(&handler.params, &jump.args);
            return Next::Continue(handler.rest);
        }
        Next::End(Terminator::ApplyCont(self.use_cont(jump)))
    }

    /// Names the parameters of a handler by the arguments of its only use.
    pub(crate) fn bind_args(&mut self, params: &[Variable], args: &[Simple]) {
        let args: SmallVec<[Simple; 4]> = args.iter().map(|arg| self.env.canonical(*arg)).collect();
        for (param, arg) in params.iter().zip(args) {
            self.env.bind_alias(*param, arg);
        }
    }

    /// A jump to a continuation that is not pending.
    pub(crate) fn use_cont(&mut self, jump: ApplyCont) -> ApplyCont {
        let args: SmallVec<[Simple; 2]> = jump.args.iter().map(|arg| self.env.canonical(*arg)).collect();
        ApplyCont { cont: self.record_use(jump.cont, args.clone()), args }
    }

    /// Records a use, and returns the edge that replaces the continuation, if that is open.
    pub(crate) fn record_use(&mut self, cont: Continuation, args: SmallVec<[Simple; 2]>) -> Continuation {
        let Some(ContState::Open(open)) = self.function.conts.get(&cont) else { return cont };
        let (time, mark) = (open.time, open.mark);
        let called = open.called.clone();
        let passed = self.passed(&called, &args);
        let (tys, tests) = if self.is_measuring() { Default::default() } else { self.for_parts(&args) };
        // The versions of a loop have the patterns of its arguments already.
        let waits = if called.is_empty() { self.waits(&args) } else { Vec::new() };
        let exported = args.iter().map(|arg| self.env.export(*arg, time)).collect();
        let facts = self
            .env
            .learnt(mark, time, FACTS)
            .into_iter()
            .map(|var| (var, self.env.export(Simple::Var(var), time)))
            .map(|(var, ty)| match ty {
                // A fact about a variable expressed over itself says nothing.
                Ty::Is(simple) if simple == Simple::Var(var) => {
                    let ty = self.env.ty(simple);
                    (var, self.env.export_ty(&ty, time))
                }
                ty => (var, ty),
            })
            .collect();
        let memory = *self.memory();
        let stored = self.stored();
        let (edge, name) = self.function.edges.push(cont);
        if let Some(ContState::Open(open)) = self.function.conts.get_mut(&cont) {
            let relations = match open.uses.last_mut() {
                None => Some(Box::new(self.env.relations(mark, time, &args, false))),
                Some(last) => last.relations.take().map(|mut relations| {
                    self.env.join_relations(&mut relations, &args);
                    relations
                }),
            };
            let relations = relations.filter(|relations| !relations.is_empty());
            open.uses.push(Use {
                edge,
                args,
                tys,
                tests,
                exported,
                facts,
                relations,
                memory,
                stored,
                passed,
                waits,
            });
        }
        name
    }
}

/// The parameter before another one to which each use passes what it passes to that.
fn same_param(params: &Params, uses: &[Use], index: usize) -> Option<Variable> {
    let is_same = |before: &usize| uses.iter().all(|u| u.args[*before] == u.args[index]);
    (0..index).find(is_same).map(|before| params[before])
}
