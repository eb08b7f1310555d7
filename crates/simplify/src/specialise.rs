//! Specialisation of recursive functions for arguments that stay the same in all their calls of themselves (features C1).
//!
//! `map f l` with a known `f` becomes a call of a copy of `map` that has captured `f`: the copy knows the function, calls
//! it directly, and inlines it. The whole set of closures is copied, and a parameter is captured if, in whatever
//! function of the set, it can only be the argument of the call that is specialised: a fixed point over the calls in the set.
//! The copy still takes all arguments, so that calls keep their shape; in calls of itself those captured are zero.

use flambeau_ir::copy::Copier;
use flambeau_ir::decision::Reason;
use flambeau_ir::inlining::LARGEST;
use flambeau_ir::term::SpecialiseAttribute;
use flambeau_ir::transfer::own_name;
use flambeau_ir::{
    Apply, CallKind, Code, CodeId, Expr, Item, Kind, Named, Prim, SetOfClosures, Simple, Symbol, Terminator,
    ValueSlot, Variable,
};
use flambeau_types::Ty;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::run::Rest;
use crate::{Functions, Simplifier};

/// Sets of functions larger than this together are not copied, unless an attribute wants it.
pub const LARGE: u32 = 250;

/// Where the argument for a parameter comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It is this argument of the specialised call.
    Argument(usize),
    /// Anything.
    Any,
}

/// Which parameters of the functions of a set are which arguments of the call.
type Invariants = FxHashMap<(CodeId, usize), usize>;

/// A direct call of a function of the set, in a function of the set or nested in one.
struct Call {
    from: CodeId,
    to: CodeId,
    args: Vec<Simple>,
}

impl Simplifier<'_> {
    /// In the place of a direct call: a copy of the functions made for some of the arguments, and a call of that.
    pub(crate) fn specialised(&mut self, apply: &Apply) -> Option<Rest> {
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) if self.has_function(apply) => self.imported(name, apply)?,
            _ => return None,
        };
        let limit = self.specialisation_limit(apply, code)?;
        self.simplify_callee(code);
        let slot = self.unit.codes[code].function_slot;
        let imported = matches!(apply.kind, CallKind::DirectExternal(_));
        // A function of another unit comes alone.
        let functions =
            if imported { SmallVec::from_slice(&[(slot, code)]) } else { self.siblings(code, slot)? };
        let bound = if imported { 0 } else { 1 };
        let ready = |code: &CodeId| {
            self.done.contains(code)
                && !self.in_progress.contains(code)
                && self.binders.get(code).copied().unwrap_or(0) == bound
        };
        if !functions.iter().all(|(_, code)| ready(code)) {
            return None;
        }
        let mut size = 0;
        for (_, code) in &functions {
            size += crate::size::whole(self.unit, *code, limit.checked_sub(size)?)?;
        }
        if size > self.unit_budget {
            return None;
        }
        let values = self.captured(apply, &functions)?;
        let calls = self.calls_of_set(&functions)?;
        let invariants = self.invariants(apply, code, &functions, &calls);
        // Functions that capture an argument are called through their closures, which those nested in them do not have.
        let captures = invariants.values().any(|index| matches!(apply.args[*index], Simple::Var(_)));
        let nested = calls.iter().any(|call| !functions.iter().any(|(_, code)| *code == call.from));
        if captures && nested
            || !self.is_worth_it(apply, &functions, &invariants)
            || !self.allow("specialisation")
        {
            return None;
        }
        self.unit_budget -= size;
        self.log_specialisation(apply, code, &invariants, size);
        self.specialised_copy(apply, code, functions, values, &invariants)
    }

    fn log_specialisation(&mut self, apply: &Apply, code: CodeId, invariants: &Invariants, size: u32) {
        if self.rewrites.decisions.is_none() {
            return;
        }
        let data = &self.unit.codes[code];
        let is_known = |index: &usize| invariants.contains_key(&(code, *index));
        let name = |index: usize| self.unit.variables[data.params[index]].name.clone();
        let parameters = (0..data.params.len()).filter(is_known).map(name).collect();
        self.log(apply, Some(code), Reason::Specialised { parameters, size });
    }

    fn has_function(&self, apply: &Apply) -> bool {
        apply.args.iter().any(|arg| matches!(self.env.ty(*arg), Ty::Closure(_)))
    }

    /// What the copied functions may measure together, if they are to be copied at all.
    fn specialisation_limit(&self, apply: &Apply, code: CodeId) -> Option<u32> {
        let data = &self.unit.codes[code];
        let in_stub = self.current.is_some_and(|current| self.unit.codes[current].attributes.stub);
        let stays = in_stub || self.rewrites.stubs_only || !self.has_function(apply);
        if !data.recursive || data.attributes.stub || stays {
            return None;
        }
        let wish = match apply.specialised {
            SpecialiseAttribute::Default => data.attributes.specialise,
            wish => wish,
        };
        match wish {
            SpecialiseAttribute::Never => None,
            SpecialiseAttribute::Always => Some(LARGEST),
            SpecialiseAttribute::Default => Some(LARGE),
        }
    }

    /// What the set has captured, as atoms that are in scope at the call.
    fn captured(&self, apply: &Apply, functions: &Functions) -> Option<Vec<(ValueSlot, Simple)>> {
        // Without a closure the functions use none.
        let Some(callee) = apply.callee else { return Some(Vec::new()) };
        let Ty::Closure(known) = self.env.ty(callee) else { return None };
        if known.functions != *functions {
            return None;
        }
        known
            .values
            .iter()
            .map(|(slot, ty)| if let Ty::Is(simple) = ty { Some((*slot, *simple)) } else { None })
            .collect()
    }

    /// The calls of functions of a set in its own functions. `None` if their closures are used for anything else: then
    /// there may be other calls.
    fn calls_of_set(&self, functions: &Functions) -> Option<Vec<Call>> {
        let symbols: SmallVec<[Symbol; 2]> =
            functions.iter().filter_map(|(_, code)| self.code_symbols.get(code).copied()).collect();
        let own = |code: CodeId| functions.iter().any(|(_, c)| *c == code);
        let mut calls = Vec::new();
        let mut escapes = false;
        for &(_, code) in functions {
            let mut pending = vec![code];
            while let Some(at) = pending.pop() {
                let body = &self.unit.codes[at].body;
                body.for_each_set(&mut |set| pending.extend(set.functions.iter().map(|(_, code)| *code)));
                // Closures of the set that are seen there.
                let mut closures: Vec<Variable> = vec![self.unit.codes[at].my_closure];
                let escaped = |simple: Simple, closures: &[Variable]| match simple {
                    Simple::Var(var) => at == code && closures.contains(&var),
                    Simple::Symbol(symbol) => symbols.contains(&symbol),
                    Simple::Const(_) => false,
                };
                body.walk(&mut |expr| {
                    for item in &expr.items {
                        match item {
                            Item::Let {
                                named: Named::Prim { prim: Prim::ProjectValueSlot { .. }, .. },
                                ..
                            } => {}
                            Item::Let {
                                var,
                                named: Named::Prim { prim: Prim::ProjectFunctionSlot { .. }, args, .. },
                                ..
                            } => {
                                if args.iter().any(|arg| escaped(*arg, &closures)) {
                                    closures.push(*var);
                                }
                            }
                            item => item.for_each_simple(&mut |simple| escapes |= escaped(simple, &closures)),
                        }
                    }
                    match &expr.terminator {
                        Terminator::Apply(apply) => {
                            apply.args.iter().for_each(|arg| escapes |= escaped(*arg, &closures));
                            apply.exn.for_each_simple(&mut |arg| escapes |= escaped(arg, &closures));
                            match apply.kind {
                                CallKind::Direct(to) if own(to) => {
                                    calls.push(Call { from: at, to, args: apply.args.clone() });
                                }
                                _ => escapes |= apply.callee.is_some_and(|callee| escaped(callee, &closures)),
                            }
                        }
                        other => other.for_each_simple(&mut |simple| escapes |= escaped(simple, &closures)),
                    }
                });
            }
        }
        (!escapes).then_some(calls)
    }

    /// The parameters that are always one argument of the call.
    fn invariants(&self, apply: &Apply, code: CodeId, functions: &Functions, calls: &[Call]) -> Invariants {
        let mut params = FxHashMap::default();
        for &(_, code) in functions {
            for (index, param) in self.unit.codes[code].params.iter().enumerate() {
                params.insert(*param, (code, index));
            }
        }
        let mut sources: FxHashMap<(CodeId, usize), Source> = FxHashMap::default();
        let mut reached: Vec<CodeId> = vec![code];
        for index in 0..apply.args.len() {
            sources.insert((code, index), Source::Argument(index));
        }
        // Sources go up twice at most.
        let mut changed = true;
        while changed {
            changed = false;
            for call in calls {
                // A function nested in one of the set has no parameter of it in sight.
                let known = reached.contains(&call.from) || !functions.iter().any(|(_, c)| *c == call.from);
                if !known {
                    continue;
                }
                if !reached.contains(&call.to) {
                    reached.push(call.to);
                    changed = true;
                }
                for (index, arg) in call.args.iter().enumerate() {
                    let param = arg.as_var().and_then(|var| params.get(&var));
                    let source = match param {
                        Some(param) => match sources.get(param) {
                            Some(source) => *source,
                            None => continue,
                        },
                        None => Source::Any,
                    };
                    let before = sources.get(&(call.to, index)).copied();
                    let after = match before {
                        Some(before) if before != source => Source::Any,
                        _ => source,
                    };
                    if before != Some(after) {
                        sources.insert((call.to, index), after);
                        changed = true;
                    }
                }
            }
        }
        let wanted = |index: usize| {
            let arg = apply.args[index];
            matches!(arg, Simple::Const(_) | Simple::Symbol(_)) || matches!(self.env.ty(arg), Ty::Closure(_))
        };
        sources
            .into_iter()
            .filter_map(|(param, source)| match source {
                Source::Argument(index)
                    if wanted(index) && self.unit.kind_of(apply.args[index]) == Kind::Value =>
                {
                    Some((param, index))
                }
                _ => None,
            })
            .collect()
    }

    /// Whether some function is called, or captured, that is known now.
    fn is_worth_it(&self, apply: &Apply, functions: &Functions, invariants: &Invariants) -> bool {
        functions.iter().any(|&(_, code)| {
            let data = &self.unit.codes[code];
            let known: SmallVec<[Variable; 4]> = data
                .params
                .iter()
                .enumerate()
                .filter(|(index, _)| {
                    let arg = invariants.get(&(code, *index)).map(|index| apply.args[*index]);
                    arg.is_some_and(|arg| matches!(self.env.ty(arg), Ty::Closure(_)))
                })
                .map(|(_, param)| *param)
                .collect();
            uses(data, &known)
        })
    }

    fn specialised_copy(
        &mut self,
        apply: &Apply,
        code: CodeId,
        functions: Functions,
        values: Vec<(ValueSlot, Simple)>,
        invariants: &Invariants,
    ) -> Option<Rest> {
        let vars: SmallVec<[Variable; 1]> = functions
            .iter()
            .map(|(slot, _)| {
                let name = self.unit.function_slots[*slot].clone();
                self.unit.new_value(name)
            })
            .collect();
        let position = functions.iter().position(|(_, c)| *c == code)?;
        let originals = functions.clone();
        let set = SetOfClosures { functions, values };
        let original = Expr {
            items: vec![Item::LetClosures { vars, set, dbg: apply.dbg }],
            terminator: Terminator::Unreachable,
        };
        let unit = &mut *self.unit;
        let mut copier = Copier::with_sets(
            &mut unit.variables,
            &mut unit.continuations,
            &unit.codes,
            &mut unit.function_slots,
            &mut unit.value_slots,
        );
        let mut copy = copier.expr(&original);
        let prefix = &unit.prefix;
        let imported = matches!(apply.kind, CallKind::DirectExternal(_));
        for mut code in copier.finish().ok()? {
            if imported {
                code.linkage_name = own_name(prefix, &code.linkage_name, code.function_slot);
            }
            unit.codes.push(code);
        }
        let Some(Item::LetClosures { vars, set, .. }) = copy.items.first_mut() else { return None };
        let (vars, copies) = (vars.clone(), set.functions.clone());
        let captured = self.capture(apply, set, invariants);
        if captured.values().any(|by| matches!(by, Captured::Slot(_))) {
            // The closures are needed now.
            copies.iter().for_each(|(_, code)| self.pass_closures(*code, &copies));
        }
        for ((_, original), (_, copy)) in originals.iter().zip(&copies) {
            let of_code: Vec<(usize, usize)> = invariants
                .iter()
                .filter(|((c, _), _)| c == original)
                .map(|((_, param), arg)| (*param, *arg))
                .collect();
            self.replace_params(*copy, &of_code, &captured);
        }
        self.note_sets(&copy);
        let mut call = apply.clone();
        call.specialised = SpecialiseAttribute::Default;
        call.callee = Some(vars[position].into());
        call.kind = CallKind::Direct(copies[position].1);
        for (_, index) in invariants.keys().filter(|(c, _)| *c == code) {
            call.args[*index] = Simple::UNIT;
        }
        copy.terminator = Terminator::Apply(Box::new(call));
        Some(Rest::from(copy))
    }

    /// Adds the arguments that are no constants to what a set captures; tells by what each is known in the functions.
    fn capture(
        &mut self,
        apply: &Apply,
        set: &mut SetOfClosures,
        invariants: &Invariants,
    ) -> FxHashMap<usize, Captured> {
        let mut indices: Vec<usize> = invariants.values().copied().collect();
        indices.sort_unstable();
        indices.dedup();
        let mut captured = FxHashMap::default();
        for index in indices {
            let by = match apply.args[index] {
                arg @ Simple::Var(_) => {
                    let slot = self.unit.value_slots.push("invariant".into());
                    set.values.push((slot, arg));
                    Captured::Slot(slot)
                }
                arg => Captured::Atom(arg),
            };
            captured.insert(index, by);
        }
        captured
    }

    /// Makes the calls of copied functions in a copied function go through closures, which they did not need before.
    fn pass_closures(&mut self, code: CodeId, copies: &Functions) {
        let (my_closure, from) = {
            let data = &self.unit.codes[code];
            (data.my_closure, data.function_slot)
        };
        let mut items = Vec::new();
        let mut closures: FxHashMap<CodeId, Variable> = FxHashMap::default();
        for &(to, copy) in copies {
            if copy == code {
                closures.insert(code, my_closure);
                continue;
            }
            let name = self.unit.function_slots[to].clone();
            let var = self.unit.new_value(name);
            let prim = Prim::ProjectFunctionSlot { from, to };
            let named = Named::Prim { prim, args: SmallVec::from_slice(&[my_closure.into()]), exn: None };
            items.push(Item::Let { var, named, dbg: flambeau_ir::Dbg::NONE });
            closures.insert(copy, var);
        }
        let body = &mut self.unit.codes[code].body;
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(to) = apply.kind
                && let Some(closure) = closures.get(&to)
                && apply.callee.is_none()
            {
                apply.callee = Some((*closure).into());
            }
        });
        body.items.splice(0..0, items);
    }

    /// Makes parameters of a copy, given with the index of the argument, what is captured.
    fn replace_params(
        &mut self,
        copy: CodeId,
        params: &[(usize, usize)],
        captured: &FxHashMap<usize, Captured>,
    ) {
        let mut items = Vec::with_capacity(params.len());
        for (index, arg) in params {
            let param = self.unit.codes[copy].params[*index];
            let fresh = self.fresh_like(param);
            let data = &mut self.unit.codes[copy];
            data.params[*index] = fresh;
            let named = match captured[arg] {
                Captured::Atom(simple) => Named::Simple(simple),
                Captured::Slot(value) => Named::Prim {
                    prim: Prim::ProjectValueSlot { function: data.function_slot, value },
                    args: SmallVec::from_slice(&[data.my_closure.into()]),
                    exn: None,
                },
            };
            items.push(Item::Let { var: param, named, dbg: data.dbg });
            self.ignored.entry(copy).or_default().push(*index);
        }
        self.unit.codes[copy].body.items.splice(0..0, items);
    }
}

/// Whether specialisation for functions passed to it may bring something.
pub fn uses_functions(code: &Code) -> bool {
    uses(code, &code.params)
}

/// Whether a function calls or captures one of these variables.
fn uses(code: &Code, variables: &[Variable]) -> bool {
    let is_one = |simple: Simple| simple.as_var().is_some_and(|var| variables.contains(&var));
    let mut used = false;
    code.body.walk(&mut |expr| {
        if let Terminator::Apply(apply) = &expr.terminator {
            used |= apply.callee.is_some_and(is_one);
        }
    });
    code.body.for_each_set(&mut |set| used |= set.values.iter().any(|(_, value)| is_one(*value)));
    used
}

/// How a captured argument is known in the copied functions.
#[derive(Clone, Copy)]
enum Captured {
    Atom(Simple),
    Slot(ValueSlot),
}
