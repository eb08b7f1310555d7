//! The copies of functions that are specialised: one set of closures, which has captured the arguments.

use std::collections::BTreeMap;

use flambeau_ir::copy::Copier;
use flambeau_ir::term::SpecialiseAttribute;
use flambeau_ir::transfer::own_name;
use flambeau_ir::{
    Apply, ArgType, CallKind, Code, CodeId, Expr, FunctionSlot, Item, Named, Prim, SetOfClosures, Simple,
    Terminator, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::group::Group;
use super::types;
use crate::arrangements::{Arrangement, Arrangements};
use crate::inline::call_elsewhere;
use crate::run::Rest;
use crate::{Functions, Simplifier};

impl Simplifier<'_> {
    pub(super) fn specialised_copy(
        &mut self,
        apply: &Apply,
        original: Original,
        arrangements: &Arrangements,
    ) -> Option<Rest> {
        let Original { code, functions, values, group, nested } = original;
        let position = functions.iter().position(|(_, c)| *c == code)?;
        let most = functions.iter().map(|(_, code)| arrangements.of(*code).len()).max()?;
        let mut all = Vec::with_capacity(most);
        for _ in 0..most {
            all.push(self.copied_set(apply, &functions, &values, &group)?);
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
        let captured = self.capture(apply, &mut set, arrangements, nested);
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
        if let [(_, _, copy)] = copies.all[..] {
            types::at_types_of_calls(self.unit, copy, &apply.types);
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
            if known.is_some_and(|index| !matches!(captured[&index], Captured::ByValues)) {
                *arg = Simple::UNIT;
            }
        }
        let mut items = Vec::new();
        for (index, _) in captured.iter().filter(|(_, by)| matches!(by, Captured::ByValues)) {
            call.args[*index] = self.pass_values(apply, *index, &copies, arrangements, &mut items)?;
            if let Some(ty) = call.types.get_mut(*index) {
                *ty = ArgType::Unknown;
            }
        }
        items.push(Item::LetClosures { vars, set, dbg: apply.dbg });
        let copy = Expr { items, terminator: Terminator::Apply(Box::new(call)) };
        self.note_sets(&copy);
        Some(Rest::from(copy))
    }

    /// Lets copies take what an argument has captured in place of it; returns that as it is at the call, where `items`
    /// are needed for it.
    fn pass_values(
        &mut self,
        apply: &Apply,
        index: usize,
        copies: &Copies,
        arrangements: &Arrangements,
        items: &mut Vec<Item>,
    ) -> Option<Simple> {
        let values = self.by_values(apply.args[index], apply.dbg, items)?;
        for (original, number, copy) in &copies.all {
            let arrangement = &arrangements.of(*original)[*number];
            for param in (0..arrangement.len()).filter(|param| arrangement[*param] == Some(index)) {
                self.take_values(apply, *copy, param, &values)?;
            }
        }
        Some(values.value)
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
        let first = self.unit.codes.next_key();
        let mut items = self.copied_items(vec![Item::LetClosures { vars, set, dbg: apply.dbg }], apply)?;
        let Some(Item::LetClosures { vars, set, .. }) = items.pop() else { return None };
        if matches!(apply.kind, CallKind::DirectExternal(_)) {
            for code in self.codes_from(first) {
                let data = &mut self.unit.codes[code];
                data.linkage_name = own_name(&self.unit.naming, &data.linkage_name, data.function_slot);
            }
        }
        self.tie(first, functions, &set, group);
        Some((vars, set))
    }

    /// A copy of items that bind sets, whose codes are copied with them, for a call that is specialised.
    pub(super) fn copied_items(&mut self, items: Vec<Item>, apply: &Apply) -> Option<Vec<Item>> {
        let mut copier = Copier::of_unit(self.unit);
        copier.deepen(apply.depth.saturating_add(1));
        let copy = copier.expr(&Expr { items, terminator: Terminator::Unreachable });
        for code in copier.finish().ok()? {
            self.unit.codes.push(code);
        }
        Some(copy.items)
    }

    /// A copy of a function that needs no closure, for a call of it, as a function of this unit: with a slot and a name
    /// of its own. `keep_shapes`: the types of its variables are to be made use of.
    pub(crate) fn copied_function(&mut self, apply: &Apply, code: CodeId, keep_shapes: bool) -> Option<Code> {
        let unit = &mut *self.unit;
        let data = unit.codes[code].clone();
        let mut copier = Copier::of_unit(unit);
        copier.deepen(apply.depth.saturating_add(1));
        if keep_shapes {
            copier.keep_shapes();
        }
        let mut copy = copier.code(&data);
        let mut nested = copier.finish().ok()?;
        if let CallKind::DirectExternal(name) = &apply.kind {
            // For calls that the copy does not fit, the function itself stays where it is.
            let bodies = nested.iter_mut().map(|nested| &mut nested.body).chain([&mut copy.body]);
            bodies.for_each(|body| call_elsewhere(body, code, name));
        }
        for nested in nested {
            unit.codes.push(nested);
        }
        copy.function_slot = unit.function_slots.push(unit.function_slots[data.function_slot].clone());
        copy.linkage_name = own_name(&unit.naming, &data.linkage_name, copy.function_slot);
        Some(copy)
    }

    /// The codes that the unit has got since `first` was the next one.
    fn codes_from(&self, first: CodeId) -> impl Iterator<Item = CodeId> + use<> {
        (first.as_u32()..self.unit.codes.next_key().as_u32()).map(CodeId::from_u32)
    }

    /// Redirects calls of functions of a group, in the codes from `first` on, to their copies.
    fn tie(&mut self, first: CodeId, originals: &Functions, copies: &SetOfClosures, group: &Group) {
        if group.0.is_empty() {
            return;
        }
        let copy_of = |code: CodeId| {
            let position = originals.iter().position(|(_, original)| *original == code)?;
            copies.functions.get(position).map(|(_, copy)| *copy)
        };
        for code in self.codes_from(first) {
            self.unit.codes[code].body.walk_mut(&mut |expr| {
                if let Terminator::Apply(apply) = &mut expr.terminator
                    && let CallKind::DirectExternal(_) = apply.kind
                    && let Some(copy) = group.called(&apply.kind).and_then(copy_of)
                {
                    apply.kind = CallKind::Direct(copy);
                    apply.callee = None;
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
        nested: bool,
    ) -> BTreeMap<usize, Captured> {
        let mut captured = BTreeMap::new();
        for index in arrangements.arguments() {
            let by = match apply.args[index] {
                Simple::Var(_) if nested => Captured::ByValues,
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
        captured: &BTreeMap<usize, Captured>,
    ) {
        let mut items = Vec::with_capacity(params.len());
        for (index, arg) in params {
            let param = self.unit.codes[copy].params[*index];
            let data = &self.unit.codes[copy];
            let named = match &captured[arg] {
                Captured::Atom(simple) => Named::Simple(*simple),
                Captured::Slot(value) => Named::Prim {
                    prim: Prim::ProjectValueSlot { function: data.function_slot, value: *value },
                    args: SmallVec::from_slice(&[data.my_closure.into()]),
                    exn: None,
                },
                Captured::ByValues => continue,
            };
            items.push(Item::Let { var: param, named, dbg: data.dbg });
            self.unit.codes[copy].params[*index] = self.unit.new_variable_like(param);
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

/// How an argument is known in the copied functions.
enum Captured {
    Atom(Simple),
    Slot(ValueSlot),
    /// It is passed by the values that it has captured itself.
    ByValues,
}

/// What is copied.
pub struct Original {
    /// The function that is called.
    pub code: CodeId,
    /// The functions.
    pub functions: Functions,
    /// What their closures capture.
    pub values: Vec<(ValueSlot, Simple)>,
    /// Those of another unit, by name.
    pub group: Group,
    /// Whether functions nested in them call them.
    pub nested: bool,
}
