//! Copying terms: every binder of the copy is fresh, because every binder in a unit is unique (soundness rows 7
//! and 49). For inlining, specialising, peeling of loops, and for moving a body to where its parameters have
//! other names.
//!
//! Free variables and continuations can be substituted at the same time; [`Copier::substitute_exn`] gives the extra
//! arguments that raise points of a function's body need once they are under another handler.
//!
//! A slot is in one set of closures, a code in one set; so what is done with a set of closures in the term is a
//! choice. By default ([`Copier::new`]) the copy has the same slots and codes as the original: *that is for
//! moving*, the original is dropped. With [`Copier::with_sets`] each set gets slots and codes of its own, to any
//! depth: both terms may stay.
//!
//! Time is linear in the term, and in the codes copied with it.

mod sets;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::stack::deep;
use crate::term::StringSwitch;
use crate::{
    Apply, ApplyCont, Code, CodeId, ContHandler, Continuation, ContinuationData, Dbg, ExnCont, Expr,
    FunctionSlot, Item, LocTable, Named, SetOfClosures, Simple, Switch, Terminator, Unit, ValueSlot,
    Variable, VariableData,
};

use sets::Sets;
pub use sets::SharedClosure;

/// Copies terms.
pub struct Copier<'u> {
    variables: &'u mut PrimaryMap<Variable, VariableData>,
    continuations: &'u mut PrimaryMap<Continuation, ContinuationData>,
    /// What replaces each variable met or substituted.
    simples: FxHashMap<Variable, Simple>,
    /// What replaces each continuation met or substituted.
    conts: FxHashMap<Continuation, Continuation>,
    exns: FxHashMap<Continuation, ExnCont>,
    /// What jumps to a continuation pass besides their arguments, expressed over the variables of the original.
    more_args: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
    sets: Option<Box<Sets<'u>>>,
    /// The table of locations, and the call that the copy will replace.
    call: Option<(&'u mut LocTable, Dbg)>,
    /// Through how many more inlined functions calls come.
    deeper: u8,
    /// What the type variables of the original are, they are in the copy.
    keeps_shapes: bool,
}

impl<'u> Copier<'u> {
    /// Copies with the slots and codes of the original, which is to be dropped if it has sets of closures.
    pub fn new(
        variables: &'u mut PrimaryMap<Variable, VariableData>,
        continuations: &'u mut PrimaryMap<Continuation, ContinuationData>,
    ) -> Copier<'u> {
        Copier {
            variables,
            continuations,
            simples: FxHashMap::default(),
            conts: FxHashMap::default(),
            exns: FxHashMap::default(),
            more_args: FxHashMap::default(),
            deeper: 0,
            keeps_shapes: false,
            sets: None,
            call: None,
        }
    }

    /// Copies sets of closures too, with their codes: [`Copier::finish`] returns those, to be appended to `codes`.
    pub fn with_sets(
        variables: &'u mut PrimaryMap<Variable, VariableData>,
        continuations: &'u mut PrimaryMap<Continuation, ContinuationData>,
        codes: &'u PrimaryMap<CodeId, Code>,
        function_slots: &'u mut PrimaryMap<FunctionSlot, String>,
        value_slots: &'u mut PrimaryMap<ValueSlot, String>,
    ) -> Copier<'u> {
        let sets = Sets::new(codes, function_slots, value_slots);
        Copier { sets: Some(Box::new(sets)), ..Copier::new(variables, continuations) }
    }

    /// [`Copier::with_sets`] for the terms of a unit, which the codes of [`Copier::finish`] are to be appended to.
    pub fn of_unit(unit: &'u mut Unit) -> Copier<'u> {
        let Unit { variables, continuations, codes, function_slots, value_slots, .. } = unit;
        Copier::with_sets(variables, continuations, codes, function_slots, value_slots)
    }

    /// From now on `simple`, which must be of the variable's kind, replaces a free variable of the terms.
    pub fn substitute_variable(&mut self, variable: Variable, simple: Simple) {
        self.simples.insert(variable, simple);
    }

    /// From now on atoms replace variables, each the one in its position.
    pub fn substitute_variables(&mut self, variables: &[Variable], by: &[Simple]) {
        variables.iter().zip(by).for_each(|(variable, simple)| self.substitute_variable(*variable, *simple));
    }

    /// From now on another continuation replaces a free continuation of the terms.
    pub fn substitute_continuation(&mut self, cont: Continuation, by: Continuation) {
        self.conts.insert(cont, by);
    }

    /// From now on raise points whose handler is `cont`, the exception continuation of a function, have `by`, and
    /// its extra arguments.
    pub fn substitute_exn(&mut self, cont: Continuation, by: ExnCont) {
        self.exns.insert(cont, by);
    }

    /// From now on jumps to `cont` pass these too, after their arguments. It must not be where a call returns to.
    pub fn add_arguments(&mut self, cont: Continuation, more: &[Variable]) {
        self.more_args.insert(cont, more.into());
    }

    /// From now on source locations are those of a function that is inlined at `call`.
    pub fn inline_locations(&mut self, locs: &'u mut LocTable, call: Dbg) {
        self.call = Some((locs, call));
    }

    /// From now on calls came through that many more inlined functions.
    pub fn deepen(&mut self, by: u8) {
        self.deeper = by;
    }

    /// From now on copied variables have the shapes of the originals ([`VariableData::shape`]), to be made use of and
    /// dropped.
    pub fn keep_shapes(&mut self) {
        self.keeps_shapes = true;
    }

    fn dbg(&mut self, dbg: Dbg) -> Dbg {
        match &mut self.call {
            Some((locs, call)) => locs.inline(*call, dbg),
            None => dbg,
        }
    }

    /// A fresh variable with the data of that one, which it replaces from now on.
    pub fn bind_variable(&mut self, variable: Variable) -> Variable {
        let data = &self.variables[variable];
        let shape = data.shape.clone().filter(|_| self.keeps_shapes);
        let fresh = self.variables.push(VariableData {
            name: data.name.clone(),
            kind: data.kind,
            subkind: data.subkind,
            shape,
        });
        self.simples.insert(variable, fresh.into());
        fresh
    }

    /// A fresh continuation with the data of that one, which it replaces from now on.
    pub fn bind_continuation(&mut self, cont: Continuation) -> Continuation {
        let fresh = self.continuations.push(self.continuations[cont].clone());
        self.conts.insert(cont, fresh);
        fresh
    }

    /// Copies a term. Terms copied by one copier are distinguished from each other by their binders alone, and a term
    /// that binds something is copied once.
    pub fn expr(&mut self, expr: &Expr) -> Expr {
        if let Some(sets) = &mut self.sets {
            sets.enter(expr);
        }
        self.copy(expr)
    }

    /// Copies a function, all of it fresh but what identifies it: the linkage name and the slot.
    pub fn code(&mut self, code: &Code) -> Code {
        if let Some(sets) = &mut self.sets {
            sets.enter(&code.body);
        }
        self.copy_code(code)
    }

    /// What replaces an atom.
    #[must_use]
    pub fn simple(&self, simple: Simple) -> Simple {
        match simple {
            Simple::Var(variable) => self.simples.get(&variable).copied().unwrap_or(simple),
            Simple::Symbol(_) | Simple::Const(_) => simple,
        }
    }

    /// What replaces a continuation.
    #[must_use]
    pub fn continuation(&self, cont: Continuation) -> Continuation {
        self.conts.get(&cont).copied().unwrap_or(cont)
    }

    /// The codes of the sets copied, to be appended to the unit's codes before those change otherwise.
    ///
    /// # Errors
    /// What was copied must be dropped: it can't be determined whether a closure used in it is of an original set or
    /// of a copied one.
    pub fn finish(mut self) -> Result<Vec<Code>, SharedClosure> {
        let mut codes = Vec::new();
        // What they do, they do in frames of their own.
        self.call = None;
        // Codes come after the code that allocates them: so is known what they capture.
        while let Some(next) = self.sets.as_mut().and_then(|sets| sets.next()) {
            let mut copy = self.copy_code(next.original);
            copy.function_slot = next.slot;
            copy.linkage_name = next.linkage_name;
            codes.push(copy);
        }
        match self.sets.and_then(|sets| sets.shared) {
            Some(shared) => Err(shared),
            None => Ok(codes),
        }
    }

    fn copy_code(&mut self, code: &Code) -> Code {
        let ret = self.bind_continuation(code.ret);
        let exn = self.bind_continuation(code.exn);
        let my_closure = self.bind_variable(code.my_closure);
        let params = code.params.iter().map(|&param| self.bind_variable(param)).collect();
        let body = self.copy(&code.body);
        // Not `..code.clone()`, which would copy the body once more.
        Code {
            linkage_name: code.linkage_name.clone(),
            params,
            my_closure,
            function_slot: code.function_slot,
            ret,
            exn,
            result: code.result,
            kind: code.kind,
            recursive: code.recursive,
            attributes: code.attributes,
            dbg: code.dbg,
            body,
        }
    }

    fn copy(&mut self, expr: &Expr) -> Expr {
        deep(|| Expr {
            items: expr.items.iter().map(|item| self.item(item)).collect(),
            terminator: self.terminator(&expr.terminator),
        })
    }

    fn item(&mut self, item: &Item) -> Item {
        match item {
            Item::Let { var, named, dbg } => {
                let mut copy = self.named(named);
                if let (Some(sets), Named::Prim { prim, .. }) = (&mut self.sets, &mut copy) {
                    sets.redirect(prim, named, *var);
                } else if let (Some(sets), Named::Simple(Simple::Var(of))) = (&mut self.sets, named) {
                    sets.alias(*var, *of);
                }
                Item::Let { var: self.bind_variable(*var), named: copy, dbg: self.dbg(*dbg) }
            }
            Item::LetClosures { vars, set, dbg } => {
                let set = self.set_of_closures(vars, set);
                let vars = vars.iter().map(|&var| self.bind_variable(var)).collect();
                Item::LetClosures { vars, set, dbg: self.dbg(*dbg) }
            }
            Item::Join { cont, params, body } => {
                let cont = self.bind_continuation(*cont);
                let body = Box::new(self.copy(body));
                Item::Join { cont, params: self.params(params), body }
            }
            Item::LetCont { recursive, handlers } => {
                // In handlers that are not recursive these are not in scope, and unique, so this does no harm.
                let conts: SmallVec<[Continuation; 4]> =
                    handlers.iter().map(|handler| self.bind_continuation(handler.cont)).collect();
                let handler = |(handler, cont): (&ContHandler, Continuation)| {
                    let params = self.params(&handler.params);
                    ContHandler { cont, params, body: self.copy(&handler.body) }
                };
                let handlers = handlers.iter().zip(conts).map(handler).collect();
                Item::LetCont { recursive: *recursive, handlers }
            }
        }
    }

    fn params(&mut self, params: &[Variable]) -> SmallVec<[Variable; 2]> {
        params.iter().map(|&param| self.bind_variable(param)).collect()
    }

    fn set_of_closures(&mut self, vars: &[Variable], set: &SetOfClosures) -> SetOfClosures {
        let mut copy = SetOfClosures {
            functions: set.functions.clone(),
            values: set.values.iter().map(|&(slot, value)| (slot, self.simple(value))).collect(),
        };
        if let Some(sets) = &mut self.sets {
            sets.rename(vars, set, &mut copy);
        }
        copy
    }

    fn named(&self, named: &Named) -> Named {
        match named {
            Named::Simple(simple) => Named::Simple(self.simple(*simple)),
            Named::Prim { prim, args, exn } => Named::Prim {
                prim: prim.clone(),
                args: args.iter().map(|&arg| self.simple(arg)).collect(),
                exn: exn.as_deref().map(|exn| Box::new(self.exn(exn))),
            },
        }
    }

    fn terminator(&mut self, terminator: &Terminator) -> Terminator {
        match terminator {
            Terminator::Apply(apply) => Terminator::Apply(Box::new(self.apply(apply))),
            Terminator::ApplyCont(jump) => Terminator::ApplyCont(self.jump(jump)),
            Terminator::Switch(switch) => Terminator::Switch(Box::new(Switch {
                scrutinee: self.simple(switch.scrutinee),
                arms: switch.arms.iter().map(|(value, jump)| (*value, self.jump(jump))).collect(),
                default: switch.default.as_ref().map(|jump| self.jump(jump)),
                dbg: self.dbg(switch.dbg),
                cases: switch.cases,
            })),
            Terminator::StringSwitch(switch) => Terminator::StringSwitch(Box::new(StringSwitch {
                scrutinee: self.simple(switch.scrutinee),
                arms: switch.arms.iter().map(|(value, jump)| (value.clone(), self.jump(jump))).collect(),
                default: switch.default.as_ref().map(|jump| self.jump(jump)),
                dbg: self.dbg(switch.dbg),
            })),
            Terminator::Raise { kind, exn, handler, dbg } => Terminator::Raise {
                kind: *kind,
                exn: self.simple(*exn),
                handler: Box::new(self.exn(handler)),
                dbg: self.dbg(*dbg),
            },
            Terminator::Try { body, handler } => {
                Terminator::Try { handler: self.exn(handler), body: Box::new(self.copy(body)) }
            }
            Terminator::Unreachable => Terminator::Unreachable,
        }
    }

    fn apply(&mut self, apply: &Apply) -> Apply {
        let mut kind = apply.kind.clone();
        if let Some(sets) = &mut self.sets {
            sets.redirect_call(&mut kind, apply.callee);
        }
        Apply {
            callee: apply.callee.map(|callee| self.simple(callee)),
            kind,
            args: apply.args.iter().map(|&arg| self.simple(arg)).collect(),
            types: apply.types.iter().map(|ty| ty.map(&mut |function| self.simple(function))).collect(),
            ret: self.continuation(apply.ret),
            exn: self.exn(&apply.exn),
            dbg: self.dbg(apply.dbg),
            inlined: apply.inlined,
            specialised: apply.specialised,
            depth: apply.depth.saturating_add(self.deeper),
            origin: apply.origin,
            heat: apply.heat,
        }
    }

    fn jump(&self, jump: &ApplyCont) -> ApplyCont {
        let more = self.more_args.get(&jump.cont).into_iter().flatten().map(|&var| Simple::Var(var));
        let args = jump.args.iter().copied().chain(more).map(|arg| self.simple(arg)).collect();
        ApplyCont { cont: self.continuation(jump.cont), args }
    }

    fn exn(&self, exn: &ExnCont) -> ExnCont {
        if let Some(by) = self.exns.get(&exn.cont) {
            debug_assert!(exn.extra_args.is_empty(), "a function's own exception continuation has none");
            return by.clone();
        }
        let extra_args = exn.extra_args.iter().map(|&arg| self.simple(arg)).collect();
        ExnCont { cont: self.continuation(exn.cont), extra_args }
    }
}
