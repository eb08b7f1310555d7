//! Specialisation of recursive functions for arguments that stay the same in all their calls of themselves (features
//! C1).
//!
//! `map f l` with a known `f` becomes a call of a copy of `map` that has captured `f`: the copy knows the function,
//! calls it directly, and inlines it. The whole set of closures is copied, and a parameter is captured if, in whatever
//! function of the set, it can only be the argument of the call that is specialised: a fixed point over the calls in
//! the set. Where functions are permuted among parameters in these calls there is a copy for each arrangement
//! ([`crate::arrangements`]). The copy still takes all arguments, so that calls keep their shape; in calls of itself
//! those captured are zero.

use flambeau_ir::copy::Copier;
use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::inlining::LARGEST;
use flambeau_ir::term::SpecialiseAttribute;
use flambeau_ir::transfer::own_name;
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{
    Apply, CallKind, Code, CodeId, Expr, FunctionSlot, Item, Kind, Named, Prim, Rewrite, SetOfClosures,
    Simple, Symbol, Terminator, Unit, ValueSlot, Variable,
};
use flambeau_types::Ty;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::arrangements::{Argument, Arrangement, Arrangements, Call, Flow};
use crate::run::Rest;
use crate::{Functions, Simplifier, size};

/// Sets of functions larger than this together are not copied, unless an attribute wants it.
pub const LARGE: u32 = 250;
/// Through so many copied functions calls are specialised: in a copy more is known, and what it makes is known to those
/// that it calls.
const DEEPEST: u8 = 6;
/// Larger groups of functions of another unit are not searched for.
const LARGEST_GROUP: usize = 8;

/// The functions of another unit that call each other, by the linker's names of their codes: those that the unit has of
/// its own are called by these names, but for calls of a function in itself.
#[derive(Default)]
struct Group(Vec<(String, CodeId)>);

impl Group {
    fn functions(&self, unit: &Unit) -> Functions {
        self.0.iter().map(|(_, code)| (unit.codes[*code].function_slot, *code)).collect()
    }

    /// The function of the group that a call calls.
    fn called(&self, kind: &CallKind) -> Option<CodeId> {
        match kind {
            CallKind::Direct(code) => self.0.iter().find(|(_, own)| own == code).map(|(_, own)| *own),
            CallKind::DirectExternal(name) => self.0.iter().find(|(own, _)| own == name).map(|(_, own)| *own),
            _ => None,
        }
    }
}

impl Simplifier<'_> {
    /// Replaces a direct call by a copy of the functions, specialised for some of the arguments, and a call of that.
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
        // A function of another unit is imported with those of its unit that call each other.
        let group = if imported { self.imported_group(code, limit) } else { Group::default() };
        let functions = if imported { group.functions(self.unit) } else { self.siblings(code, slot)? };
        let bound = u32::from(!imported);
        let ready = |code: &CodeId| {
            self.global.done.contains(code)
                && !self.global.in_progress.contains(code)
                && self.global.sets.binders(*code) == bound
        };
        if !functions.iter().all(|(_, code)| ready(code) && !self.is_sole(*code)) {
            return None;
        }
        let mut size = 0;
        for (_, code) in functions.iter() {
            size += self.whole_size(*code, limit.checked_sub(size)?)?;
        }
        let wished = limit == LARGEST;
        if apply.depth > DEEPEST || !wished && size > self.global.specialisation_budget {
            return None;
        }
        let values =
            self.captured(apply, &functions).filter(|values| self.is_lifted_later(values, &functions))?;
        let calls = self.calls_of_set(&functions, &group)?;
        // Functions that capture an argument are called through their closures, which those nested in them do not have;
        // nor can a call in those choose between arrangements.
        let nested = calls.iter().any(|call| !functions.iter().any(|(_, code)| *code == call.from));
        let arrangements = self.arrangements(apply, code, &functions, &calls).find(|arrangements| {
            let captures = arrangements.arguments().iter().any(|index| apply.args[*index].as_var().is_some());
            !(nested && (captures || arrangements.permute()))
                && (!captures || self.rewrites.lifts_closures())
                && self.is_worth_it(apply, arrangements)
                && self.copied_size(arrangements).is_some_and(|size| {
                    size <= limit && (wished || size <= self.global.specialisation_budget)
                })
        })?;
        let size = self.copied_size(&arrangements)?;
        if self.grow_deeper(apply, size).is_err() || !self.allow(Rewrite::Specialisation) {
            return None;
        }
        if !wished {
            let frames: u32 = arrangements.iter().map(|(code, _)| size::frames(self.unit, code)).sum();
            self.global.specialisation_budget =
                self.global.specialisation_budget.saturating_sub(size.saturating_add(frames));
        }
        self.log_specialisation(apply, code, &arrangements, size);
        self.specialised_copy(apply, code, functions, values, &arrangements, &group)
    }

    /// Whether a function is not to be copied with its set.
    fn is_sole(&self, code: CodeId) -> bool {
        self.unit.codes[code].attributes.sole || self.makes_sole_set(code)
    }

    /// The functions of another unit that call, directly or through others of them, the function `root`, and are called
    /// by it.
    fn imported_group(&mut self, root: CodeId, limit: u32) -> Group {
        let mut group = Group(vec![(self.unit.codes[root].linkage_name.clone(), root)]);
        // By positions in the group, which functions call which.
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        while next < group.0.len() {
            let mut called: Vec<(String, usize)> = Vec::new();
            self.calls_in(group.0[next].1, &mut |apply| {
                if let CallKind::DirectExternal(name) = &apply.kind
                    && apply.callee.is_none()
                {
                    called.push((name.clone(), apply.args.len()));
                }
            });
            for (name, args) in called {
                if let Some(known) = group.0.iter().position(|(own, _)| *own == name) {
                    calls.push((next, known));
                    continue;
                }
                let code = self.imported_function(&name, args).filter(|code| {
                    let data = &self.unit.codes[*code];
                    data.recursive && !data.attributes.stub && self.whole_size(*code, limit).is_some()
                });
                let Some(code) = code.filter(|_| group.0.len() < LARGEST_GROUP) else { continue };
                calls.push((next, group.0.len()));
                group.0.push((name, code));
            }
            next += 1;
        }
        let mut reaches = vec![false; group.0.len()];
        reaches[0] = true;
        while let Some((from, _)) = calls.iter().find(|(from, to)| reaches[*to] && !reaches[*from]) {
            reaches[*from] = true;
        }
        let mut reaches = reaches.into_iter();
        group.0.retain(|_| reaches.next().unwrap_or(false));
        group
    }

    /// The calls in a function, and in those whose closures it allocates.
    fn calls_in(&self, code: CodeId, f: &mut impl FnMut(&Apply)) {
        let mut pending = vec![code];
        while let Some(code) = pending.pop() {
            let body = &self.unit.codes[code].body;
            body.for_each_set(&mut |set| pending.extend(set.functions.iter().map(|(_, code)| *code)));
            body.walk(&mut |expr| {
                if let Terminator::Apply(apply) = &expr.terminator {
                    f(apply);
                }
            });
        }
    }

    /// The alternatives in which the functions can be copied, the best first.
    fn arrangements(
        &self,
        apply: &Apply,
        root: CodeId,
        functions: &Functions,
        calls: &[Call],
    ) -> impl Iterator<Item = Arrangements> + use<> {
        let known = |arg: &Simple| match arg {
            arg if self.unit.kind_of(*arg) != Kind::Value => Argument::Unknown,
            arg if matches!(self.env.ty(*arg), Ty::Closure(_)) => Argument::Function,
            Simple::Const(_) | Simple::Symbol(_) => Argument::Constant,
            Simple::Var(_) => Argument::Unknown,
        };
        let arguments: Vec<Argument> = apply.args.iter().map(known).collect();
        let functions: SmallVec<[(CodeId, &[Variable]); 2]> =
            functions.iter().map(|(_, code)| (*code, self.unit.codes[*code].params.as_slice())).collect();
        let flow = Flow { root, arguments: &arguments, functions: &functions, calls };
        [flow.permuting(), flow.fixed()].into_iter().flatten()
    }

    /// The size of the copies together.
    fn copied_size(&self, arrangements: &Arrangements) -> Option<u32> {
        arrangements.iter().try_fold(0u32, |sum, (code, _)| sum.checked_add(self.whole_size(code, LARGEST)?))
    }

    fn log_specialisation(&mut self, apply: &Apply, code: CodeId, arrangements: &Arrangements, size: u32) {
        if self.rewrites.decisions.is_none() {
            return;
        }
        let data = &self.unit.codes[code];
        let is_known = |index: &usize| arrangements.of(code)[0][*index].is_some();
        let name = |index: usize| self.unit.variables[data.params[index]].name.clone();
        let parameters = (0..data.params.len()).filter(is_known).map(name).collect();
        self.log(apply, Some(code), Reason::Specialised { parameters, size });
    }

    fn has_function(&self, apply: &Apply) -> bool {
        apply.args.iter().any(|arg| matches!(self.env.ty(*arg), Ty::Closure(_)))
    }

    /// The size that the copied functions may have together, if they are to be copied at all.
    fn specialisation_limit(&self, apply: &Apply, code: CodeId) -> Option<u32> {
        let data = &self.unit.codes[code];
        let in_stub = self.function.current.is_some_and(|current| self.unit.codes[current].attributes.stub);
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
            SpecialiseAttribute::Default if self.arguments().policy == Policy::Classic => None,
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

    /// Whether functions can take as parameters what their set has captured, besides arguments that stay the same,
    /// which they take already: then the copies need no closure (`docs/passes/parameters.md`).
    fn is_lifted_later(&self, values: &[(ValueSlot, Simple)], functions: &Functions) -> bool {
        let captured = values.iter().filter(|(_, value)| value.as_var().is_some()).count();
        let fits = |code: CodeId| self.unit.codes[code].params.len() + captured <= MOST_PARAMETERS;
        captured == 0
            || self.rewrites.lifts_closures()
                && captured <= MOST_NEW_PARAMETERS
                && functions.iter().all(|(_, code)| fits(*code))
    }

    /// The calls of functions of a set in its own functions. `None` if their closures are used for anything else: then
    /// there may be other calls.
    fn calls_of_set(&self, functions: &Functions, group: &Group) -> Option<Vec<Call>> {
        let symbols: SmallVec<[Symbol; 2]> =
            functions.iter().filter_map(|(_, code)| self.global.code_symbols.get(code).copied()).collect();
        let own = |kind: &CallKind| match kind {
            CallKind::Direct(code) if functions.iter().any(|(_, c)| c == code) => Some(*code),
            kind => group.called(kind),
        };
        let mut calls = Vec::new();
        let mut escapes = false;
        for &(_, code) in functions.iter() {
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
                            match own(&apply.kind) {
                                Some(to) => calls.push(Call { from: at, to, args: apply.args.clone() }),
                                None => {
                                    escapes |= apply.callee.is_some_and(|callee| escaped(callee, &closures));
                                }
                            }
                        }
                        other => other.for_each_simple(&mut |simple| escapes |= escaped(simple, &closures)),
                    }
                });
            }
        }
        (!escapes).then_some(calls)
    }

    /// Whether some function is called, or captured, that is known now.
    fn is_worth_it(&self, apply: &Apply, arrangements: &Arrangements) -> bool {
        let is_function = |index: usize| matches!(self.env.ty(apply.args[index]), Ty::Closure(_));
        arrangements.iter().any(|(code, arrangement)| {
            let data = &self.unit.codes[code];
            let known: SmallVec<[Variable; 4]> = data
                .params
                .iter()
                .zip(arrangement)
                .filter(|(_, argument)| argument.is_some_and(is_function))
                .map(|(param, _)| *param)
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
        arrangements: &Arrangements,
        group: &Group,
    ) -> Option<Rest> {
        let position = functions.iter().position(|(_, c)| *c == code)?;
        let most = functions.iter().map(|(_, code)| arrangements.of(*code).len()).max()?;
        let mut all = Vec::with_capacity(most);
        for _ in 0..most {
            all.push(self.copied_set(apply, &functions, &values, group)?);
        }
        // One set of all copies, so that each can call each.
        let mut vars: SmallVec<[Variable; 1]> = SmallVec::new();
        let mut set = SetOfClosures { functions: SmallVec::new(), values: Vec::new() };
        let mut copies = Copies::default();
        for (number, (copied_vars, copied)) in all.into_iter().enumerate() {
            set.values.extend(copied.values);
            let of_copy = copied_vars.into_iter().zip(copied.functions);
            for ((_, original), (var, (slot, copy))) in functions.iter().zip(of_copy) {
                copies.originals.insert(copy, *original);
                if number < arrangements.of(*original).len() {
                    copies.all.push((*original, number, copy));
                    vars.push(var);
                    set.functions.push((slot, copy));
                }
            }
        }
        let captured = self.capture(apply, &mut set, arrangements);
        let mut through_closures = captured.values().any(|by| matches!(by, Captured::Slot(_)));
        if arrangements.permute() {
            for (original, number, copy) in &copies.all {
                let arrangement = &arrangements.of(*original)[*number];
                through_closures |= self.redirect(*copy, arrangement, &copies, arrangements);
            }
        }
        if through_closures {
            // The closures are needed now.
            set.functions.iter().for_each(|(_, copy)| self.pass_closures(*copy, &set.functions));
        }
        for (original, number, copy) in &copies.all {
            let arrangement = &arrangements.of(*original)[*number];
            let known = arrangement.iter().enumerate().filter_map(|(param, arg)| Some((param, (*arg)?)));
            self.replace_params(*copy, &known.collect::<Vec<_>>(), &captured);
        }
        let mut call = apply.clone();
        call.specialised = SpecialiseAttribute::Default;
        call.callee = Some(vars[position].into());
        call.kind = CallKind::Direct(copies.get(code, 0)?);
        for (arg, known) in call.args.iter_mut().zip(&arrangements.of(code)[0]) {
            if known.is_some() {
                *arg = Simple::UNIT;
            }
        }
        let copy = Expr {
            items: vec![Item::LetClosures { vars, set, dbg: apply.dbg }],
            terminator: Terminator::Apply(Box::new(call)),
        };
        self.note_sets(&copy);
        Some(Rest::from(copy))
    }

    /// A copy of the functions, in the order of the originals, with the variables that hold them.
    fn copied_set(
        &mut self,
        apply: &Apply,
        functions: &Functions,
        values: &[(ValueSlot, Simple)],
        group: &Group,
    ) -> Option<(SmallVec<[Variable; 1]>, SetOfClosures)> {
        let vars: SmallVec<[Variable; 1]> = functions
            .iter()
            .map(|(slot, _)| {
                let name = self.unit.function_slots[*slot].clone();
                self.unit.new_value(name)
            })
            .collect();
        let set = SetOfClosures { functions: functions.iter().copied().collect(), values: values.to_vec() };
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
        copier.deepen(apply.depth.saturating_add(1));
        let mut copy = copier.expr(&original);
        let naming = &unit.naming;
        let imported = matches!(apply.kind, CallKind::DirectExternal(_));
        let first = unit.codes.next_key();
        for mut code in copier.finish().ok()? {
            if imported {
                code.linkage_name = own_name(naming, &code.linkage_name, code.function_slot);
            }
            unit.codes.push(code);
        }
        let Some(Item::LetClosures { vars, set, .. }) = copy.items.pop() else { return None };
        self.tie(first, functions, &set, group);
        Some((vars, set))
    }

    /// Redirects calls of functions of a group, in the codes from `first` on, to their copies.
    fn tie(&mut self, first: CodeId, originals: &Functions, copies: &SetOfClosures, group: &Group) {
        if group.0.len() < 2 {
            return;
        }
        let copy_of = |code: CodeId| {
            let position = originals.iter().position(|(_, original)| *original == code)?;
            copies.functions.get(position).map(|(_, copy)| *copy)
        };
        let last = self.unit.codes.next_key();
        for code in (first.as_u32()..last.as_u32()).map(CodeId::from_u32) {
            self.unit.codes[code].body.walk_mut(&mut |expr| {
                if let Terminator::Apply(apply) = &mut expr.terminator
                    && let CallKind::DirectExternal(_) = apply.kind
                    && let Some(copy) = group.called(&apply.kind).and_then(copy_of)
                {
                    apply.kind = CallKind::Direct(copy);
                }
            });
        }
    }

    /// Redirects the calls of copied functions in a copy, whose parameters have this arrangement, to the copies for the
    /// arrangements that they pass. Returns whether one was made through a closure; none is now.
    fn redirect(
        &mut self,
        copy: CodeId,
        arrangement: &Arrangement,
        copies: &Copies,
        arrangements: &Arrangements,
    ) -> bool {
        let code = &mut self.unit.codes[copy];
        let params = code.params.clone();
        let argument = |arg: &Simple| {
            let position = params.iter().position(|param| *arg == Simple::Var(*param))?;
            arrangement[position]
        };
        let mut through_closure = false;
        code.body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(to) = &mut apply.kind
                && let Some(original) = copies.originals.get(to)
            {
                let passed: Arrangement = apply.args.iter().map(argument).collect();
                let fits = |known: &Arrangement| {
                    known.iter().zip(&passed).all(|(known, passed)| known.is_none() || known == passed)
                };
                let number = arrangements.of(*original).iter().position(fits);
                if let Some(target) = number.and_then(|number| copies.get(*original, number)) {
                    *to = target;
                }
                through_closure |= apply.callee.take().is_some();
            }
        });
        through_closure
    }

    /// Adds the arguments that are no constants to what a set captures; returns by what each is known in the functions.
    fn capture(
        &mut self,
        apply: &Apply,
        set: &mut SetOfClosures,
        arrangements: &Arrangements,
    ) -> FxHashMap<usize, Captured> {
        let mut captured = FxHashMap::default();
        for index in arrangements.arguments() {
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
    fn pass_closures(&mut self, code: CodeId, copies: &[(FunctionSlot, CodeId)]) {
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

    /// Replaces parameters of a copy, each paired with the index of its argument, by what is captured.
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
            self.global.ignored.entry(copy).or_default().push(*index);
        }
        self.unit.codes[copy].body.items.splice(0..0, items);
    }
}

/// The copies of a set of functions.
#[derive(Default)]
struct Copies {
    /// By the original and the number of the arrangement, in the order of the new set.
    all: Vec<(CodeId, usize, CodeId)>,
    /// The originals of these, and of those that no arrangement needs.
    originals: FxHashMap<CodeId, CodeId>,
}

impl Copies {
    fn get(&self, code: CodeId, number: usize) -> Option<CodeId> {
        self.all.iter().find(|(c, n, _)| (*c, *n) == (code, number)).map(|(.., copy)| *copy)
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
        if let Terminator::Apply(apply) = &expr.terminator
            && apply.kind == CallKind::Generic
        {
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
