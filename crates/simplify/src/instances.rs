//! Specialised instances (`instances`) of what a functor applied at the toplevel makes, known while the unit is
//! compiled (features B7, D3).
//!
//! A large functor, such as `Map.Make`, is not inlined at its application: most of its functions are never called
//! there, and a module that other units see has them all. Instead its body is evaluated beside the call, with the same
//! arguments, if those are static. The resulting static data, closures above all, are *specialised instances* of what
//! the call makes at run time: they behave as that does, since they depend on nothing but constants. A call of a
//! function of the module is then a direct call of the instance's code, which knows the functor's arguments, and can be
//! inlined and specialised. Instances are simplified when they are called; those that nobody calls are removed at the
//! end of the round. One that passes other instances on as values (a function of a `Map` that passes the module of a
//! `Set` on) keeps these, with all their functions: it is called only if they are small together.
//!
//! An instance is another object than the original, and never replaces it except as the callee of a call.

use std::rc::Rc;

use flambeau_ir::imports::Function;
use flambeau_ir::{
    Apply, CallKind, CodeId, Dbg, Item, Named, Prim, Rewrite, Simple, Symbol, Terminator, ValueSlot, Variable,
};
use flambeau_types::{Closure, Ty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::Simplifier;
use crate::analysis::Analysis;
use crate::run::Rest;
use crate::state::FunctionState;

/// Larger functors are not evaluated.
pub const LARGEST: u32 = 40_000;
/// Functors of the unit itself up to this size are inlined entirely: what they make is small functions, which depend on
/// being inlined into each other (a stack of monad transformers takes 1.7 times the instructions without).
const SMALL: u32 = 300;
/// What functions that call a small one which the functor was given may be larger by.
const LEAF_PERCENT: u32 = 150;
/// How many levels of nested modules something is known of.
pub(crate) const DEPTH: u32 = 4;

/// What a function of a functor calls.
#[derive(Default)]
struct Calls {
    /// How many calls of unknown functions there are.
    unknown: u32,
    /// The functions that these call, where the functor was given them.
    given: Vec<Symbol>,
    /// The functions that the functor's module has captured, where it is known which of them is called.
    direct: Vec<(Rc<Closure>, CodeId)>,
}

/// What is known, in a function of a functor, of what the functor was given.
struct Given {
    /// By what closures have captured.
    captured: FxHashMap<ValueSlot, Ty>,
    loaded: FxHashMap<Variable, Ty>,
}

/// Whether something is known of all parts of a module.
fn is_known(module: &Ty) -> bool {
    match module {
        Ty::Instance(..) | Ty::Is(Simple::Const(_)) => true,
        _ => module.as_block().is_some_and(|block| block.exact && block.fields.iter().all(is_known)),
    }
}

impl Simplifier<'_> {
    /// What is known of the result of a call that stays: something if a functor is applied.
    pub(crate) fn result_of(&mut self, apply: &mut Apply, out: &mut Vec<Item>) -> Ty {
        let instance = self.instance(apply, Some(out)).unwrap_or(Ty::Unknown);
        instance.with_object(&self.object_of(apply))
    }

    /// `out`: where fields of arguments that are computed may be stored.
    fn instance(&mut self, apply: &Apply, out: Option<&mut Vec<Item>>) -> Option<Ty> {
        if self.function.current.is_some() || self.rewrites.stubs_only || !self.arguments().toplevel_functors
        {
            return None;
        }
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) => self.imported_function(name, apply.args.len())?,
            _ => return None,
        };
        self.simplify_callee(code);
        self.is_evaluable(apply, code)?;
        let args = match (self.static_args(apply), out) {
            (Some(args), _) => args,
            (None, out) => self.preallocated_args(apply, out?)?,
        };
        self.evaluated(apply, code, args)
    }

    /// What is known of the result of a functor applied to static arguments, evaluated if it was not yet. `apply`: an
    /// application as it is where no handler is around.
    pub(crate) fn evaluated(&mut self, apply: &Apply, code: CodeId, args: Vec<Simple>) -> Option<Ty> {
        let key = (code, args);
        if let Some(known) = self.global.evaluated.get(&key) {
            return Some(known.clone());
        }
        let size = self.size_of_evaluation(code, key.1.len())?;
        if self.rewrites.fuel.is_empty() {
            return None;
        }
        self.global.budgets.speculation -= size;
        let ty = self.evaluate_functor(apply, key.1.clone(), code);
        self.global.evaluated.insert(key, ty.clone());
        Some(ty)
    }

    /// Whether a functor applied at the toplevel is not inlined there, since what it makes is known without. A functor
    /// of the unit itself stays if all that it makes is known, and if it has other uses, so that inlining would
    /// duplicate it.
    pub(crate) fn is_evaluated_beside(&mut self, apply: &Apply, code: CodeId, whole: bool) -> bool {
        if matches!(apply.kind, CallKind::DirectExternal(_)) {
            return self.can_evaluate(apply, code).is_some();
        }
        let is_small = || self.whole_size(code, SMALL).is_some();
        let stays = !whole && !is_small() && self.global.uses.of(code) > 1 || !self.may_multiply(code);
        stays && self.instance(apply, None).is_some_and(|module| is_known(&module))
    }

    /// The static arguments of a functor that can be evaluated beside its call.
    pub(crate) fn can_evaluate(&mut self, apply: &Apply, code: CodeId) -> Option<Vec<Simple>> {
        self.is_evaluable(apply, code)?;
        self.static_args(apply)
    }

    /// Whether a call is one of a functor that can be evaluated, whatever its arguments are.
    fn is_evaluable(&self, apply: &Apply, code: CodeId) -> Option<()> {
        self.size_of_evaluation(code, apply.args.len())?;
        // A handler around the call must not take part in the evaluation.
        (!self.function.conts.contains_key(&apply.exn.cont)).then_some(())
    }

    fn static_args(&mut self, apply: &Apply) -> Option<Vec<Simple>> {
        apply.args.iter().map(|arg| self.static_instance(*arg, DEPTH)).collect()
    }

    /// How large the functor is, if it is one, takes so many arguments, and can be evaluated.
    fn size_of_evaluation(&self, code: CodeId, args: usize) -> Option<u32> {
        let data = &self.unit.codes[code];
        let is_ready = self.global.done.contains(&code) && !self.global.in_progress.contains(&code);
        if !data.attributes.is_functor || data.params.len() != args || !is_ready {
            return None;
        }
        self.whole_size(code, LARGEST.min(self.global.budgets.speculation))
    }

    /// The atom, or an instance that behaves as it does, if that is static.
    pub(crate) fn static_instance(&mut self, simple: Simple, depth: u32) -> Option<Simple> {
        let simple = self.env.canonical(simple);
        if let Some(symbol) = self.copied_closure(simple) {
            return Some(symbol.into());
        }
        if simple.as_var().is_none() {
            return Some(simple);
        }
        if let Some(structure) = self.structure_elsewhere(simple) {
            return Some(structure);
        }
        let ty = self.env.ty(simple);
        self.static_instance_of(&ty, depth)
    }

    /// An instance that behaves as a value of that type, if it is static.
    pub(crate) fn static_instance_of(&mut self, ty: &Ty, depth: u32) -> Option<Simple> {
        match ty {
            Ty::Is(simple) => self.static_instance(*simple, depth),
            Ty::Instance(symbol, _) => Some((*symbol).into()),
            Ty::Elsewhere(callee) if !callee.needs_closure => {
                let function = Function { code: callee.code.clone(), arity: callee.arity };
                self.copy_of_function(&function).map(Simple::Symbol)
            }
            _ => {
                let block = ty.as_block().filter(|block| block.exact && depth > 0)?.clone();
                let fields: Vec<Simple> = block
                    .fields
                    .iter()
                    .map(|field| self.static_instance_of(field, depth - 1))
                    .collect::<Option<_>>()?;
                self.instance_block(block.tag, &fields)
            }
        }
    }

    /// A block of instances: only instances need it.
    pub(crate) fn instance_block(&mut self, tag: u8, fields: &[Simple]) -> Option<Simple> {
        let symbol = self.static_block(tag, fields)?;
        self.global.instance_data.insert(symbol);
        Some(symbol.into())
    }

    /// Simplifies the body of a functor; nothing of it stays but static data.
    fn evaluate_functor(&mut self, apply: &Apply, args: Vec<Simple>, code: CodeId) -> Ty {
        let mut instance = apply.clone();
        instance.args = args;
        instance.ret = self.unit.new_continuation("instance");
        // In backtraces its functions are those of the functor.
        instance.dbg = Dbg::NONE;
        let Some(body) = self.copy_body(&instance, code) else { return Ty::Unknown };
        let analysis = Rc::new(Analysis::of(&body, &self.env, self.rewrites.keep_backtraces));
        let budget = self.function.budget;
        let function = FunctionState { in_instance: true, analysis, budget, ..self.state_inside() };
        // What is copied here is not part of the unit.
        let (inlining, copies) = (self.global.budgets.inlining, self.rewrites.instances);
        let first = self.unit.statics.len();
        let ty = self.in_function(function, |this| {
            let body = this.run(Rest::from(body));
            let ty = match &body.terminator {
                Terminator::ApplyCont(jump) if jump.cont == instance.ret => match jump.args[..] {
                    [result] => this.instance_ty(&Ty::Is(result), DEPTH),
                    _ => Ty::Unknown,
                },
                _ => Ty::Unknown,
            };
            body.dismantle();
            ty
        });
        let made = self.unit.statics[first..].iter().flat_map(|item| item.def.symbols());
        self.global.instance_data.extend(made);
        (self.global.budgets.inlining, self.rewrites.instances) = (inlining, copies);
        ty
    }

    /// The type of an instance that behaves as a value of that type, expressed in names that are in scope everywhere in
    /// the unit.
    fn instance_ty(&self, ty: &Ty, depth: u32) -> Ty {
        if depth == 0 {
            return Ty::Unknown;
        }
        match ty {
            Ty::Is(simple) => match self.env.canonical(*simple) {
                Simple::Symbol(symbol) => Ty::instance(symbol),
                simple @ Simple::Const(_) => Ty::Is(simple),
                simple @ Simple::Var(_) => self.instance_ty(&self.env.ty(simple), depth),
            },
            Ty::Instance(..) => ty.clone(),
            _ => match ty.as_block() {
                Some(block) if block.exact => {
                    let fields: SmallVec<[Ty; 2]> =
                        block.fields.iter().map(|field| self.instance_ty(field, depth - 1)).collect();
                    Ty::block(block.tag, fields)
                }
                _ => Ty::Unknown,
            },
        }
    }

    /// What is known of a field of a block of that type.
    pub(crate) fn field_of(&self, block: &Ty, field: u32) -> Option<Ty> {
        match block {
            Ty::Instance(symbol, object) => {
                let known = self.instance_field(*symbol, field)?;
                let of_object = object.as_block().and_then(|block| block.fields.get(field as usize));
                Some(of_object.map_or(known.clone(), |object| known.with_object(object)))
            }
            _ => block.as_block()?.fields.get(field as usize).cloned(),
        }
    }

    /// What is known of a field of a block that has an instance.
    fn instance_field(&self, symbol: Symbol, field: u32) -> Option<Ty> {
        let ty = self.env.ty(symbol.into());
        Some(match ty.as_block()?.fields.get(field as usize)? {
            Ty::Is(Simple::Symbol(field)) => Ty::instance(*field),
            constant @ Ty::Is(Simple::Const(_)) => constant.clone(),
            _ => Ty::Unknown,
        })
    }

    /// The closure that is called instead of one that has an instance, and behaves as it does.
    pub(crate) fn called_instance(&mut self, callee: Simple) -> Option<Symbol> {
        let Ty::Instance(symbol, _) = self.env.ty(callee) else { return None };
        let Ty::Closure(known) = self.env.ty(symbol.into()) else { return None };
        let code = known.code()?;
        if self.global.called_instances.contains(&code) {
            return Some(symbol);
        }
        if self.is_measuring() {
            return None;
        }
        let left = self.rewrites.instances.unwrap_or(0);
        let limit = self.largest_instance(&known, code).min(left);
        let size = self.size_with_handed_on(&known, limit)?;
        if !self.allow(Rewrite::FunctorInstance) {
            return None;
        }
        self.rewrites.instances = Some(left - size);
        self.global.called_instances.insert(code);
        Some(symbol)
    }

    /// Up to which size a function of a module that a functor makes is copied for the functor's argument: larger by
    /// each call beyond the first of a function that the functor was given. `Hashtbl.Make`'s `find` asks `equal` of
    /// the first three elements of a bucket without a loop. Larger, too, if a function that it was given is small and
    /// calls nothing, as the comparison of integers: then its call was much of what happens there, or in the functions
    /// of the module that are called there (`Set.Make`'s `union` calls `split`).
    fn largest_instance(&mut self, closure: &Closure, code: CodeId) -> u32 {
        let limit = self.arguments().instance;
        if limit == 0 {
            return 0;
        }
        let calls = self.calls_of_functions(closure, code);
        let further = f64::from(calls.unknown.saturating_sub(1)) * self.arguments().costs.indirect;
        let mut disappears = self.calls_small_given(code, &calls);
        // All are asked now: the first to be copied has the others simplified.
        for (callee, code) in &calls.direct {
            if !self.global.calls_given.contains_key(code) {
                let calls = self.calls_of_functions(callee, *code);
                self.calls_small_given(*code, &calls);
            }
            disappears |= self.global.calls_given[code];
        }
        let limit = if disappears { limit * LEAF_PERCENT / 100 } else { limit };
        limit + further as u32
    }

    /// Whether a function of a functor calls, before it is simplified, a small function of the functor's argument that
    /// itself calls nothing.
    fn calls_small_given(&mut self, code: CodeId, calls: &Calls) -> bool {
        let is_leaf = |symbol: &Symbol| self.disappears_where_called((*symbol).into());
        let now = calls.given.iter().any(is_leaf);
        *self.global.calls_given.entry(code).or_insert(now)
    }

    /// What a function of a functor calls, with the functions that it makes.
    fn calls_of_functions(&self, closure: &Closure, code: CodeId) -> Calls {
        let mut calls = Calls::default();
        let captured = closure.values.iter().cloned().collect();
        let mut given = Given { captured, loaded: FxHashMap::default() };
        let mut codes = vec![code];
        while let Some(code) = codes.pop() {
            let body = &self.unit.codes[code].body;
            body.for_each_code_made(&mut |code| codes.push(code));
            body.walk(&mut |expr| {
                for item in &expr.items {
                    self.note_given(item, &mut given);
                }
                let Terminator::Apply(apply) = &expr.terminator else { return };
                let callee = apply.callee.and_then(Simple::as_var).and_then(|var| given.loaded.get(&var));
                let symbol = match callee {
                    Some(Ty::Is(Simple::Symbol(symbol)) | Ty::Instance(symbol, _)) => Some(*symbol),
                    _ => None,
                };
                match apply.kind {
                    CallKind::Generic => {
                        calls.unknown += 1;
                        calls.given.extend(symbol);
                    }
                    CallKind::Direct(code) => {
                        if let Some(Ty::Closure(callee)) = symbol.map(|symbol| self.env.ty(symbol.into())) {
                            calls.direct.push((callee, code));
                        }
                    }
                    _ => {}
                }
            });
        }
        calls
    }

    /// Records what an item in a function of a functor loads of what the functor was given, or captures.
    fn note_given(&self, item: &Item, given: &mut Given) {
        match item {
            Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                given.loaded.extend(self.given_to_functor(prim, args, given).map(|ty| (*var, ty)));
            }
            Item::LetClosures { set, .. } => {
                let Given { captured, loaded } = given;
                let known = set.values.iter().filter_map(|(slot, value)| {
                    Some((*slot, value.as_var().and_then(|var| loaded.get(&var))?.clone()))
                });
                captured.extend(known);
            }
            _ => {}
        }
    }

    /// What a primitive in a function of a functor loads of what the functor was given, as far as that is known.
    fn given_to_functor(&self, prim: &Prim, args: &[Simple], given: &Given) -> Option<Ty> {
        match prim {
            Prim::ProjectValueSlot { value, .. } => given.captured.get(value).cloned(),
            Prim::BlockLoad { field, .. } => {
                let block = given.loaded.get(&args.first()?.as_var()?)?;
                let block = if let Ty::Is(simple) = block { self.env.ty(*simple) } else { block.clone() };
                self.field_of(&block, *field)
            }
            _ => None,
        }
    }
}
