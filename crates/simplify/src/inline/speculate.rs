//! What a body would come to at a call, without making it: the body is evaluated in the abstract domain, with what is
//! known of the arguments, and measured. Nothing is copied and nothing rebuilt, so that there is nothing to undo but what
//! the typing environment has learnt.
//!
//! The measure is an estimate in one respect: a continuation that is used in several places knows of its parameters only
//! what all its uses agree on literally, and loops know nothing.

use std::rc::Rc;

use flambeau_ir::decision::Removed;
use flambeau_ir::prim::Mutability;
use flambeau_ir::tags;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, ContHandler, Continuation, Expr, Item, Kind, Named, Prim,
    SetOfClosures, Simple, Switch, Terminator, Variable,
};
use flambeau_types::{Closure, Definition, Operands, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::search::Search;
use crate::prims::Outcome;
use crate::{Functions, Simplifier, size};

/// Larger blocks are not looked into.
const FIELDS: usize = 16;

/// What a body came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// Its size.
    pub size: u32,
    /// What disappeared, the call itself included.
    pub removed: Removed,
    /// How many calls in it are counted as inlined.
    pub inside: u32,
}

/// The arguments of a continuation in all its uses that have been seen, if these agree on them.
type Uses = Option<SmallVec<[Simple; 2]>>;

/// An evaluation under way.
pub(super) struct Speculation<'s> {
    measure: Measure,
    uses: FxHashMap<Continuation, Uses>,
    /// Continuations of whose parameters nothing is known: loops, and the ways out of functions.
    open: FxHashSet<Continuation>,
    /// Variables of the caller that are allocations: if the body comes to use none of them, they are not made.
    watched: SmallVec<[Variable; 4]>,
    /// The same of the evaluations in which this is one.
    watched_outside: SmallVec<[Variable; 4]>,
    needed: FxHashSet<Variable>,
    /// Reads and writes of fields of these variables, by their sizes.
    accesses: Vec<(Variable, u32)>,
    /// What is looked at inside the body.
    pub(super) search: &'s mut Search,
}

/// What a call in a body that is being evaluated came to.
pub(super) struct Inside {
    /// Taken by itself.
    pub measure: Measure,
    /// Allocations that the whole evaluation watches, and which it counts itself.
    watched_outside: u32,
    /// Those of these that are used.
    needed: FxHashSet<Variable>,
    /// Reads and writes of fields of these, by their sizes.
    accesses: Vec<(Variable, u32)>,
}

impl Simplifier<'_> {
    /// Measures the body of a code with the arguments of a call.
    pub(super) fn speculate(&mut self, apply: &Apply, code: CodeId, search: &mut Search) -> Measure {
        self.speculate_body_of(apply, code, SmallVec::new(), search).measure
    }

    /// The same of a call in a body that is being measured.
    pub(super) fn speculate_call_inside(
        &mut self,
        outer: &mut Speculation,
        apply: &Apply,
        code: CodeId,
    ) -> Inside {
        let mut watched = outer.watched.clone();
        watched.extend(outer.watched_outside.iter().copied());
        self.speculate_body_of(apply, code, watched, outer.search)
    }

    fn speculate_body_of(
        &mut self,
        apply: &Apply,
        code: CodeId,
        watched_outside: SmallVec<[Variable; 4]>,
        search: &mut Search,
    ) -> Inside {
        let mut speculation = Speculation {
            measure: Measure::default(),
            uses: FxHashMap::default(),
            open: FxHashSet::default(),
            watched: SmallVec::new(),
            watched_outside,
            needed: FxHashSet::default(),
            accesses: Vec::new(),
            search,
        };
        speculation.measure.removed.calls = 1;
        self.scoped(|this| {
            this.fresh_memory();
            this.bind_call(&mut speculation, apply, code);
            this.speculate_body(&mut speculation, code);
        });
        let Speculation { mut measure, watched, watched_outside, needed, mut accesses, .. } = speculation;
        let unneeded = || watched.iter().filter(|var| !needed.contains(var));
        measure.removed.allocations += unneeded().count() as u32;
        let outside = unneeded().filter(|var| watched_outside.contains(var)).count();
        // Of what disappears the fields are variables: they need not be stored, read and written.
        let replaced = |var: &Variable| !watched_outside.contains(var) && !needed.contains(var);
        for var in watched.iter().filter(|var| replaced(var) && accesses.iter().any(|(v, _)| v == *var)) {
            let fields = self.env.definition(Simple::Var(*var)).map_or(0, |definition| definition.args.len());
            measure.removed.primitives += fields as u32;
        }
        accesses.retain(|(var, size)| {
            if replaced(var) {
                measure.removed.primitives += 1;
                measure.size -= size;
            }
            watched_outside.contains(var)
        });
        Inside { measure, watched_outside: outside as u32, needed, accesses }
    }

    /// Binds the parameters of a code to the arguments of a call.
    fn bind_call(&mut self, speculation: &mut Speculation, apply: &Apply, code: CodeId) {
        let data = &self.unit.codes[code];
        let (params, my_closure) = (data.params.clone(), data.my_closure);
        for (param, arg) in params.iter().zip(&apply.args) {
            let arg = self.env.canonical(*arg);
            self.env.bind_alias(*param, arg);
            if let Simple::Var(var) = arg
                && self.is_local_allocation(var)
                && !speculation.watched.contains(&var)
            {
                speculation.watched.push(var);
            }
        }
        match apply.callee {
            Some(callee) => self.env.bind_alias(my_closure, callee),
            None => self.env.bind(my_closure, Ty::Unknown),
        }
    }

    /// Whether a variable is a block, a number or a closure that was allocated in the function.
    fn is_local_allocation(&self, var: Variable) -> bool {
        let is_made =
            |prim: &Prim| matches!(prim, Prim::Box(_) | Prim::MakeBlock { .. } | Prim::MakeFloatBlock { .. });
        self.env.definition(var.into()).is_some_and(|definition| is_made(&definition.prim))
            || matches!(self.env.ty(var.into()), Ty::Closure(_))
    }

    fn speculate_body(&mut self, speculation: &mut Speculation, code: CodeId) {
        speculation.open.insert(self.unit.codes[code].ret);
        let body = self.declared_body(code).take();
        self.speculate_on(speculation, &body);
        *self.declared_body(code) = body;
    }

    fn speculate_on(&mut self, speculation: &mut Speculation, expr: &Expr) {
        flambeau_ir::stack::deep(|| self.speculate_run(speculation, expr));
    }

    fn speculate_run(&mut self, speculation: &mut Speculation, expr: &Expr) {
        let mut groups: Vec<(bool, &[ContHandler])> = Vec::new();
        let mut reaches_end = true;
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Simple(simple), .. } => {
                    let simple = self.env.canonical(*simple);
                    self.env.bind_alias(*var, simple);
                }
                Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                    if !self.speculate_prim(speculation, *var, prim, args) {
                        reaches_end = false;
                        break;
                    }
                }
                Item::LetClosures { vars, set, .. } => self.speculate_set(speculation, vars, set),
                Item::Join { cont, params, body } => {
                    self.speculate_on(speculation, body);
                    if !self.bind_params(speculation, *cont, params) {
                        reaches_end = false;
                        break;
                    }
                }
                Item::LetCont { recursive, handlers } => {
                    if *recursive {
                        speculation.open.extend(handlers.iter().map(|handler| handler.cont));
                    }
                    groups.push((*recursive, handlers));
                }
            }
        }
        if reaches_end {
            self.speculate_end(speculation, &expr.terminator);
        }
        while let Some((recursive, handlers)) = groups.pop() {
            self.speculate_handlers(speculation, recursive, handlers);
        }
    }

    fn speculate_handlers(
        &mut self,
        speculation: &mut Speculation,
        recursive: bool,
        handlers: &[ContHandler],
    ) {
        if !recursive {
            for handler in handlers {
                if self.bind_params(speculation, handler.cont, &handler.params) {
                    self.speculate_on(speculation, &handler.body);
                }
            }
            return;
        }
        for param in handlers.iter().flat_map(|handler| &handler.params) {
            self.env.bind(*param, Ty::Unknown);
        }
        let mut waiting: Vec<&ContHandler> = handlers.iter().collect();
        while let Some(index) = waiting.iter().position(|h| speculation.uses.contains_key(&h.cont)) {
            let handler = waiting.swap_remove(index);
            self.speculate_on(speculation, &handler.body);
        }
    }

    /// Binds the parameters of a continuation to what its uses pass; whether there are any.
    fn bind_params(&mut self, speculation: &Speculation, cont: Continuation, params: &[Variable]) -> bool {
        let Some(uses) = speculation.uses.get(&cont) else { return false };
        for (index, param) in params.iter().enumerate() {
            match uses.as_ref().and_then(|args| args.get(index)) {
                Some(arg) => self.env.bind_alias(*param, *arg),
                None => self.env.bind(*param, Ty::Unknown),
            }
        }
        true
    }

    /// Whether what follows can be reached.
    fn speculate_prim(
        &mut self,
        speculation: &mut Speculation,
        var: Variable,
        prim: &Prim,
        args: &Operands,
    ) -> bool {
        let mut args: Operands = args.iter().map(|arg| self.env.canonical(*arg)).collect();
        let ty = match self.speculated_allocation(prim, &args) {
            Some(ty) => ty,
            None => match self.outcome(prim, &args) {
                Outcome::Atom(simple) => {
                    self.env.bind_alias(var, simple);
                    speculation.measure.removed.primitives += 1;
                    return true;
                }
                Outcome::Dead => return false,
                Outcome::Keep(ty) => ty,
                Outcome::Prim(..) => Ty::Unknown,
                Outcome::Several(..) => {
                    if matches!(prim, Prim::CCall(_)) {
                        speculation.measure.removed.polymorphic_compares += 1;
                        speculation.measure.size += 3;
                        self.env.bind(var, Ty::Unknown);
                        return true;
                    }
                    Ty::Unknown
                }
            },
        };
        let is_constant =
            matches!(prim, Prim::Box(_) | Prim::MakeBlock { mutability: Mutability::Immutable, .. })
                && !args.is_empty()
                && args.iter().all(|arg| !matches!(arg, Simple::Var(_)));
        if is_constant {
            speculation.measure.removed.allocations += 1;
        } else {
            let size = prim.size(args.len() as u32);
            speculation.measure.size += size;
            let block = args.first().filter(|_| is_access(prim));
            block.into_iter().for_each(|block| speculation.access(*block, size));
            args.iter().skip(block.iter().len()).for_each(|arg| speculation.need(*arg));
        }
        self.write(prim.effects().writes());
        self.env.bind(var, ty);
        if prim.can_drop() && !args.is_empty() {
            self.env.define(var, Definition { prim: prim.clone(), args: std::mem::take(&mut args) });
        }
        true
    }

    /// The type of an allocation, without lifting it.
    fn speculated_allocation(&self, prim: &Prim, args: &[Simple]) -> Option<Ty> {
        match prim {
            Prim::Box(kind) => Some(Ty::boxed(*kind, Ty::Is(args[0]))),
            Prim::MakeBlock { tag, .. } if *tag >= tags::FIRST_SPECIAL => Some(Ty::Unknown),
            Prim::MakeBlock { tag, mutability: Mutability::Immutable } if args.len() <= FIELDS => {
                Some(Ty::block(*tag, args.iter().map(|arg| Ty::Is(*arg))))
            }
            Prim::MakeBlock { .. } => Some(Ty::pointer()),
            _ => None,
        }
    }

    fn speculate_set(&mut self, speculation: &mut Speculation, vars: &[Variable], set: &SetOfClosures) {
        let values: SmallVec<[_; 2]> =
            set.values.iter().map(|(slot, value)| (*slot, Ty::Is(self.env.canonical(*value)))).collect();
        let closed = values.iter().all(|(_, ty)| !matches!(ty, Ty::Is(Simple::Var(_))));
        if closed {
            speculation.measure.removed.allocations += 1;
        } else {
            speculation.measure.size += 5 + set.values.len() as u32;
            set.values.iter().for_each(|(_, value)| speculation.need(self.env.canonical(*value)));
        }
        let functions = Functions::from(&set.functions[..]);
        let closure = |slot| {
            let functions = Rc::clone(&functions);
            Ty::Closure(Rc::new(Closure { slot, functions, values: values.clone() }))
        };
        for (var, (slot, _)) in vars.iter().zip(&set.functions) {
            self.env.bind(*var, closure(*slot));
        }
        for (slot, code) in &set.functions {
            speculation.measure.size += 3;
            let my_closure = self.unit.codes[*code].my_closure;
            self.env.bind(my_closure, closure(*slot));
            self.speculate_body(speculation, *code);
        }
    }

    fn speculate_end(&mut self, speculation: &mut Speculation, terminator: &Terminator) {
        match terminator {
            Terminator::ApplyCont(jump) => {
                speculation.measure.size += size::terminator(terminator);
                self.speculate_jump(speculation, jump);
            }
            Terminator::Apply(apply) => self.speculate_call(speculation, apply),
            Terminator::Switch(switch) => self.speculate_switch(speculation, switch),
            Terminator::StringSwitch(switch) => {
                if let Some(jump) = self.known_string_arm(switch) {
                    speculation.measure.removed.branches += 1;
                    return self.speculate_jump(speculation, jump);
                }
                speculation.measure.size += size::terminator(terminator);
                speculation.need(self.env.canonical(switch.scrutinee));
                for (_, jump) in &switch.arms {
                    self.speculate_jump(speculation, jump);
                }
                switch.default.iter().for_each(|jump| self.speculate_jump(speculation, jump));
            }
            Terminator::Raise { exn, handler, .. } => {
                speculation.measure.size += size::terminator(terminator);
                speculation.need(self.env.canonical(*exn));
                speculation.use_cont(handler.cont, None);
            }
            Terminator::Try { body, handler } => {
                speculation.measure.size += size::terminator(terminator);
                speculation.use_cont(handler.cont, None);
                self.speculate_on(speculation, body);
            }
            Terminator::Unreachable => {}
        }
    }

    fn speculate_jump(&mut self, speculation: &mut Speculation, jump: &ApplyCont) {
        let args: SmallVec<[Simple; 2]> = jump.args.iter().map(|arg| self.env.canonical(*arg)).collect();
        speculation.use_cont(jump.cont, Some(args));
    }

    fn speculate_switch(&mut self, speculation: &mut Speculation, switch: &Switch) {
        let known = self.env.constant(switch.scrutinee, Kind::NakedImmediate).and_then(crate::fold::as_int);
        if let Some(n) = known {
            speculation.measure.removed.branches += 1;
            let arm = switch.arms.iter().find(|(value, _)| *value == n).map(|(_, jump)| jump);
            if let Some(jump) = arm.or(switch.default.as_ref()) {
                self.speculate_jump(speculation, jump);
            }
            return;
        }
        let possible = match self.env.ty(switch.scrutinee) {
            Ty::Int(set) => set,
            _ => flambeau_types::IntSet::OCAML,
        };
        speculation.need(self.env.canonical(switch.scrutinee));
        let mut others = possible.clone();
        for (value, jump) in &switch.arms {
            others = others.without(*value);
            if possible.contains(*value) {
                speculation.measure.size += size::ARM;
                self.speculate_jump(speculation, jump);
            }
        }
        if let Some(jump) = &switch.default
            && !others.is_empty()
        {
            speculation.measure.size += size::ARM;
            self.speculate_jump(speculation, jump);
        }
    }

    fn speculate_call(&mut self, speculation: &mut Speculation, apply: &Apply) {
        if self.speculate_inside(speculation, apply) {
            self.fresh_memory();
            speculation.use_cont(apply.exn.cont, None);
            speculation.use_cont(apply.ret, None);
            return;
        }
        let callee = apply.callee.map(|callee| self.env.canonical(callee));
        let known = callee.is_some_and(|callee| {
            matches!(self.env.ty(callee), Ty::Closure(_)) || self.closure_of_other_unit(callee).is_some()
        });
        let becomes_direct = apply.kind == CallKind::Generic && known;
        if becomes_direct {
            speculation.measure.removed.indirect_calls += 1;
        } else {
            callee.into_iter().for_each(|callee| speculation.need(callee));
        }
        speculation.measure.size += size::call(apply);
        apply.args.iter().for_each(|arg| speculation.need(self.env.canonical(*arg)));
        self.fresh_memory();
        speculation.use_cont(apply.exn.cont, None);
        speculation.use_cont(apply.ret, None);
    }
}

impl Speculation<'_> {
    /// Counts what a call, indirect as it is written, came to in its place.
    pub(super) fn count(&mut self, inner: Inside, indirect: bool) {
        let Measure { size, removed, inside } = &mut self.measure;
        *size += inner.measure.size;
        *inside += inner.measure.inside + 1;
        removed.add(&inner.measure.removed);
        removed.allocations -= inner.watched_outside;
        removed.indirect_calls += u32::from(indirect);
        self.needed.extend(inner.needed);
        self.accesses.extend(inner.accesses);
    }

    fn watched(&self, simple: Simple) -> Option<Variable> {
        simple.as_var().filter(|var| self.watched.contains(var) || self.watched_outside.contains(var))
    }

    /// What is left in the body uses this.
    fn need(&mut self, simple: Simple) {
        self.needed.extend(self.watched(simple));
    }

    /// What is left in the body reads or writes a field of this.
    fn access(&mut self, block: Simple, size: u32) {
        self.accesses.extend(self.watched(block).map(|var| (var, size)));
    }

    /// Notes a use. What is passed has to be made unless the parameter is just another name for it.
    fn use_cont(&mut self, cont: Continuation, args: Uses) {
        let is_open = self.open.contains(&cont);
        let before = match self.uses.get_mut(&cont) {
            None if is_open => {
                self.uses.insert(cont, None);
                None
            }
            None => {
                self.uses.insert(cont, args);
                return;
            }
            Some(uses) if *uses == args => return,
            Some(uses) => uses.take(),
        };
        for arg in args.into_iter().chain(before).flatten() {
            self.need(arg);
        }
    }
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
