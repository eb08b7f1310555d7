//! Direct-call surrogates: a function that is called directly and whose closure is also used otherwise gets a second
//! closure for those uses, of a stub that only calls it (features E6; OCaml's manual, 21.9.3). What is left of the
//! first are direct calls: its functions take what they captured as parameters ([`super::captured`]), and the second
//! has captured that ([`super::kept`]).
//!
//! This is done where all uses of the closure are in one branch, in which the second is allocated: the rest does
//! without. Only the stub is code that is added. Only with `-unbox-closures`: of 49 programs and twenty units none
//! gains by it.

use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{
    Apply, CallKind, Code, CodeAttributes, CodeId, Dbg, ExnCont, Expr, Item, Named, Prim, Rewrite, Rewrites,
    SetOfClosures, Simple, Terminator, Unit, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::candidates::{Bound, Sets};
use super::known::Known;

/// How the closure of one function of a set is used.
#[derive(Default)]
struct Uses {
    /// Something else than the binder does what is not known with it.
    refused: bool,
    /// It is called directly, not only in functions of its own set.
    is_called: bool,
    /// The terms of the binder in which something else is done with it.
    places: SmallVec<[*const Expr; 2]>,
}

/// A function whose closure is split.
struct Split {
    /// What the closure is called now.
    var: Variable,
    /// What it is called where it is called directly.
    called: Variable,
    /// Of the stub.
    set: SetOfClosures,
    dbg: Dbg,
}

/// Splits closures; returns whether there was one.
pub(super) fn surrogates(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    if !rewrites.unboxed_closures {
        return false;
    }
    let mut known = Known::with_captures(unit);
    let sets = Sets::of(unit, &mut known);
    let fits: Vec<bool> =
        sets.all.iter().zip(&sets.is_open).map(|(set, open)| !open && fits(unit, &known, set)).collect();
    if !fits.contains(&true) {
        return false;
    }
    let analysis = Analysis::of(unit, &known, &sets);
    let mut splits: FxHashMap<Variable, Split> = FxHashMap::default();
    for (bound, _) in sets.all.iter().zip(fits).filter(|(_, fits)| *fits) {
        if !analysis.is_worth_it(unit, bound) {
            continue;
        }
        for (var, (_, code)) in bound.vars.iter().zip(&bound.set.functions) {
            let uses = &analysis.uses[code];
            if uses.places.is_empty() || !rewrites.allow(Rewrite::Surrogate(*var), unit, Some(*code)) {
                continue;
            }
            let split = split(unit, bound, *var, *code);
            splits.insert(*var, split);
        }
    }
    if splits.is_empty() {
        return false;
    }
    unit.rewrite_bodies(|_, _, body| {
        body.walk_mut(&mut |expr| rewrite(&known, &mut splits, expr));
        true
    });
    true
}

/// Whether the functions of a set could take what it has captured, and something else is done with one of its closures.
fn fits(unit: &Unit, known: &Known, bound: &Bound) -> bool {
    let values = &bound.set.values;
    let is_plain = |value: &Simple| value.as_var().is_some() && known.closure(*value).is_none();
    let codes = || bound.set.functions.iter().map(|(_, code)| *code);
    let may_take = |code: CodeId| {
        let data = &unit.codes[code];
        let CodeAttributes { is_functor, stub, no_poll, sole, .. } = data.attributes;
        !(is_functor || stub || no_poll || sole)
            && data.takes_values(&unit.variables, data.params.len())
            && data.params.len() + values.len() <= MOST_PARAMETERS
    };
    (1..=MOST_NEW_PARAMETERS).contains(&values.len())
        && codes().any(|code| known.is_called(code))
        && codes().any(|code| !known.is_known(code))
        && values.iter().all(|(_, value)| is_plain(value))
        && codes().all(may_take)
}

struct Analysis {
    /// By codes of sets.
    uses: FxHashMap<CodeId, Uses>,
    /// The term that each is nested in, and whether as a branch, by addresses; of a loop nothing.
    nested: FxHashMap<*const Expr, Option<(*const Expr, bool)>>,
}

impl Analysis {
    fn of(unit: &Unit, known: &Known, sets: &Sets) -> Analysis {
        let mut analysis = Analysis { uses: FxHashMap::default(), nested: FxHashMap::default() };
        for bound in &sets.all {
            bound.set.functions.iter().for_each(|(_, code)| {
                analysis.uses.insert(*code, Uses::default());
            });
        }
        let binder_and_var = |code: CodeId| {
            let bound = &sets.all[sets.number[code]?];
            let position = bound.set.functions.iter().position(|(_, own)| *own == code)?;
            Some((bound.binder, bound.vars[position]))
        };
        for (id, body) in unit.bodies_by_code() {
            body.walk(&mut |expr| {
                analysis.note_nested(expr);
                let uses = &mut analysis.uses;
                let mut escapes = |atom: Simple, code: CodeId| {
                    let Some(uses) = uses.get_mut(&code) else { return };
                    match binder_and_var(code) {
                        Some((binder, var)) if binder == id && atom == var.into() => {
                            let place = std::ptr::from_ref(expr);
                            if !uses.places.contains(&place) {
                                uses.places.push(place);
                            }
                        }
                        _ => uses.refused = true,
                    }
                };
                expr.items.iter().for_each(|item| known.escaping(item, &mut escapes));
                known.escaping_at_end(&expr.terminator, &mut escapes);
                if let Terminator::Apply(apply) = &expr.terminator
                    && let CallKind::Direct(callee) = apply.kind
                    && let Some(uses) = uses.get_mut(&callee)
                {
                    let own = id.and_then(|id| sets.number[id]);
                    // What is called through another closure would be called through the stub's, which has another
                    // layout.
                    uses.refused |=
                        apply.callee.is_some_and(|closure| known.closure(closure) != Some(callee));
                    uses.is_called |= apply.callee.is_some() && own != sets.number[callee];
                }
            });
        }
        // What a set captures of which something is read that can't be followed may be used in any way.
        for (by, code) in known.captures() {
            if sets.number[*by].is_none_or(|number| sets.is_open[number])
                && let Some(uses) = analysis.uses.get_mut(code)
            {
                uses.refused = true;
            }
        }
        analysis
    }

    /// Records which terms are nested in one.
    fn note_nested(&mut self, expr: &Expr) {
        let outer = std::ptr::from_ref(expr);
        for item in &expr.items {
            match item {
                Item::LetCont { recursive, handlers } => {
                    let nested = (!recursive).then_some((outer, true));
                    let bodies = handlers.iter().map(|handler| std::ptr::from_ref(&handler.body));
                    self.nested.extend(bodies.map(|body| (body, nested)));
                }
                Item::Join { body, .. } => {
                    self.nested.insert(std::ptr::from_ref(body.as_ref()), Some((outer, false)));
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        if let Terminator::Try { body, .. } = &expr.terminator {
            self.nested.insert(std::ptr::from_ref(body.as_ref()), Some((outer, false)));
        }
    }

    /// Whether closures of a set are split.
    fn is_worth_it(&self, unit: &Unit, bound: &Bound) -> bool {
        let codes = || bound.set.functions.iter().map(|(_, code)| *code);
        let is_saved = |code: CodeId| self.uses[&code].places.is_empty() || self.branch(unit, bound, code);
        !codes().any(|code| self.uses[&code].refused)
            && codes().any(|code| self.uses[&code].is_called)
            && codes().all(is_saved)
    }

    /// Whether all that is not known is done with a closure in one branch after the set is bound, at most once.
    fn branch(&self, unit: &Unit, bound: &Bound, code: CodeId) -> bool {
        let [place] = self.uses[&code].places[..] else { return false };
        let body = bound.binder.map_or(&unit.entry.body, |binder| &unit.codes[binder].body);
        let mut binding = None;
        body.walk(&mut |expr| {
            let binds = |item: &Item| matches!(item, Item::LetClosures { vars, .. } if *vars == bound.vars);
            if expr.items.iter().any(binds) {
                binding = Some(std::ptr::from_ref(expr));
            }
        });
        let (mut at, mut is_branch) = (place, false);
        while Some(at) != binding {
            let Some(Some((outer, branch))) = self.nested.get(&at) else { return false };
            (at, is_branch) = (*outer, is_branch || *branch);
        }
        is_branch
    }
}

/// Makes the stub of a function, and its set.
fn split(unit: &mut Unit, bound: &Bound, var: Variable, code: CodeId) -> Split {
    let data = unit.codes[code].clone();
    let called = unit.new_variable_like(var);
    let slot = unit.function_slots.push(unit.function_slots[data.function_slot].clone());
    let closure = unit.value_slots.push(unit.variables[var].name.to_string());
    let params: SmallVec<[Variable; 4]> =
        data.params.iter().map(|param| unit.new_variable_like(*param)).collect();
    let (my_closure, callee) = (unit.new_variable_like(data.my_closure), unit.new_variable_like(var));
    let (ret, exn) = (unit.new_continuation("return"), unit.new_exn_continuation("raise"));
    let args = params.iter().map(|param| (*param).into()).collect();
    // Its frame, if there is one, is not shown in backtraces.
    let call = Apply::plain(Some(callee.into()), CallKind::Direct(code), args, ret, ExnCont::plain(exn));
    let named = Named::Prim {
        prim: Prim::ProjectValueSlot { function: slot, value: closure },
        args: SmallVec::from_slice(&[my_closure.into()]),
        exn: None,
    };
    let body = Expr {
        items: vec![Item::Let { var: callee, named, dbg: Dbg::NONE }],
        terminator: Terminator::Apply(Box::new(call)),
    };
    let stub = unit.codes.push(Code {
        linkage_name: format!("{}_s{}", data.linkage_name, slot.as_u32()),
        params,
        my_closure,
        function_slot: slot,
        ret,
        exn,
        recursive: false,
        attributes: CodeAttributes { stub: true, ..CodeAttributes::default() },
        body,
        ..data
    });
    // It has captured what the other has, too: that is to be what it captures in the end.
    let own = |(slot, value): &(ValueSlot, Simple)| {
        (unit.value_slots.push(unit.value_slots[*slot].clone()), *value)
    };
    let mut values: Vec<(ValueSlot, Simple)> = bound.set.values.iter().map(own).collect();
    values.push((closure, called.into()));
    let set = SetOfClosures { functions: SmallVec::from_slice(&[(slot, stub)]), values };
    Split { var, called, set, dbg: data.dbg }
}

/// Gives known uses of closures that are split the one that is called, and the others that of the stub.
fn rewrite(known: &Known, splits: &mut FxHashMap<Variable, Split>, expr: &mut Expr) {
    let mut at: SmallVec<[(usize, Item); 1]> = SmallVec::new();
    let mut local = |index: usize, var: Simple, splits: &FxHashMap<Variable, Split>| {
        let is_new = |at: &SmallVec<[(usize, Item); 1]>, split: &Split| {
            at.iter().all(|(_, item)| !matches!(item, Item::LetClosures { vars, .. } if vars[0] == split.var))
        };
        if let Some(split) = var.as_var().and_then(|var| splits.get(&var))
            && is_new(&at, split)
        {
            at.push((index, allocation(split)));
        }
    };
    for (index, item) in expr.items.iter().enumerate() {
        known.escaping(item, &mut |atom, _| local(index, atom, splits));
    }
    let end = expr.items.len();
    known.escaping_at_end(&expr.terminator, &mut |atom, _| local(end, atom, splits));
    let called = |atom: &mut Simple| {
        if let Some(split) = atom.as_var().and_then(|var| splits.get(&var)) {
            *atom = split.called.into();
        }
    };
    for item in &mut expr.items {
        match item {
            Item::LetClosures { vars, set, .. } => {
                set.values.iter_mut().for_each(|(_, value)| called(value));
                for var in vars.iter_mut() {
                    if let Some(split) = splits.get(var) {
                        *var = split.called;
                    }
                }
            }
            Item::Let { named: Named::Simple(atom), .. } => called(atom),
            Item::Let {
                named:
                    Named::Prim {
                        prim: Prim::ProjectValueSlot { .. } | Prim::ProjectFunctionSlot { .. },
                        args,
                        ..
                    },
                ..
            } => called(&mut args[0]),
            Item::Let { .. } | Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }
    if let Terminator::Apply(apply) = &mut expr.terminator
        && let CallKind::Direct(code) = apply.kind
        && let Some(callee) = &mut apply.callee
        && known.closure(*callee) == Some(code)
    {
        called(callee);
    }
    at.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
    at.into_iter().for_each(|(index, item)| expr.items.insert(index, item));
}

fn allocation(split: &Split) -> Item {
    Item::LetClosures { vars: SmallVec::from_slice(&[split.var]), set: split.set.clone(), dbg: split.dbg }
}
