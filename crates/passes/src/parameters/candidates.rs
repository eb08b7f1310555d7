//! Which sets of closures may be lifted: those whose functions are only called.

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    CallKind, Code, CodeId, Expr, Item, Kind, Named, Prim, SetOfClosures, Simple, Terminator, Unit, Variable,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::known::Known;

/// Functions nested more deeply are left alone, and those that bind their own set.
const DEEPEST: u32 = 1_000;

/// A set of closures.
pub(super) struct Bound {
    /// The function that binds it; `None` is the entry.
    pub binder: Option<CodeId>,
    /// Whether the binder may bind it several times each time that it is called.
    pub in_loop: bool,
    pub vars: SmallVec<[Variable; 1]>,
    pub set: SetOfClosures,
}

/// The sets of closures of a unit but the static ones.
pub(super) struct Candidates {
    /// Their functions are only called.
    pub lifted: Vec<Bound>,
    /// The others, as far as all that reads what they have captured is known.
    pub kept: Vec<Bound>,
}

/// The sets of closures of a unit whose functions are only called, but those with functions that are to stay; and the
/// others, which may capture instead of closures of the former what the functions of these are to take.
///
/// A set may capture closures of a set that stays. Its functions are to take these, and to mention slots of a set that
/// is bound elsewhere, so that this can be copied no more ([`flambeau_ir::CodeAttributes::sole`]): not where copies are
/// promised.
///
/// In functions, functors above all, functions stay that call what they have captured as closures of another unit: of
/// the module that a functor made there. Where a functor is evaluated for known arguments, and what it calls with it,
/// closures of specialised instances are in that place, of another layout. A copy of the function is simplified with
/// these; one that takes them as arguments would not be copied.
pub(super) fn candidates(unit: &Unit, known: &mut Known, stay: &EntitySet<CodeId>) -> Candidates {
    let sets = Sets::of(unit, known);
    let is_known = |bound: &Bound| {
        bound.set.functions.iter().all(|(_, code)| known.is_known(*code) && !stay.contains(*code))
    };
    let relies = |bound: &Bound| {
        let mut codes = bound.set.functions.iter().map(|(_, code)| &unit.codes[*code]);
        bound.binder.is_some() && codes.any(|code| calls_foreign_closures(unit, code))
    };
    let captures: Vec<(usize, usize)> =
        known.captures().iter().filter_map(|(by, code)| sets.number[*by].zip(sets.number[*code])).collect();
    // The sets that stay if this one does.
    let mut follow: Vec<Vec<usize>> = sets.all.iter().map(|_| Vec::new()).collect();
    for (by, captured) in &captures {
        if sets.is_open[*by] {
            follow[*by].push(*captured);
        }
        if sets.is_copied(unit, *captured) {
            follow[*captured].push(*by);
        }
    }
    let mut stays: Vec<bool> = sets.all.iter().map(|bound| !is_known(bound) || relies(bound)).collect();
    let mut pending: Vec<usize> = (0..stays.len()).filter(|index| stays[*index]).collect();
    while let Some(index) = pending.pop() {
        for next in std::mem::take(&mut follow[index]) {
            if !std::mem::replace(&mut stays[next], true) {
                pending.push(next);
            }
        }
    }
    let mut candidates = Candidates { lifted: Vec::new(), kept: Vec::new() };
    for ((bound, stays), is_open) in sets.all.into_iter().zip(stays).zip(sets.is_open) {
        match (stays, is_open) {
            (false, _) => candidates.lifted.push(bound),
            (true, false) => candidates.kept.push(bound),
            (true, true) => {}
        }
    }
    candidates
}

/// Whether a function calls closures of functions of other units that come from its own closure or its parameters.
fn calls_foreign_closures(unit: &Unit, code: &Code) -> bool {
    let mut given: FxHashSet<Variable> = code.params.iter().copied().chain([code.my_closure]).collect();
    let mut calls = false;
    // A run comes before those that follow it, and binds what they use.
    code.body.walk(&mut |expr| {
        for item in &expr.items {
            match item {
                Item::Let { var, named, .. } => {
                    let of = match named {
                        Named::Simple(of) => of.as_var(),
                        Named::Prim {
                            prim:
                                Prim::BlockLoad { .. }
                                | Prim::ProjectValueSlot { .. }
                                | Prim::ProjectFunctionSlot { .. },
                            args,
                            ..
                        } => args[0].as_var(),
                        Named::Prim { .. } => None,
                    };
                    if of.is_some_and(|of| given.contains(&of)) {
                        given.insert(*var);
                    }
                }
                Item::Join { params, .. } => given.extend(values(unit, params)),
                Item::LetCont { handlers, .. } => {
                    handlers.iter().for_each(|handler| given.extend(values(unit, &handler.params)));
                }
                Item::LetClosures { .. } => {}
            }
        }
        if let Terminator::Apply(apply) = &expr.terminator
            && let CallKind::DirectExternal(_) = &apply.kind
            && let Some(Simple::Var(callee)) = apply.callee
        {
            calls |= given.contains(&callee);
        }
    });
    calls
}

/// The variables among these that hold values.
fn values<'a>(unit: &'a Unit, vars: &'a [Variable]) -> impl Iterator<Item = Variable> + 'a {
    vars.iter().copied().filter(|var| unit.variables[*var].kind == Kind::Value)
}

/// All sets of closures but the static ones.
pub(super) struct Sets {
    pub all: Vec<Bound>,
    /// Of each, whether what it has captured may be read where that can't be followed.
    pub is_open: Vec<bool>,
    /// The set of each code.
    pub number: SecondaryMap<CodeId, Option<usize>>,
}

impl Sets {
    pub fn of(unit: &Unit, known: &mut Known) -> Sets {
        let mut all: Vec<Bound> = Vec::new();
        for (binder, body) in unit.bodies_by_code() {
            each_set(body, |vars, set, in_loop| {
                all.push(Bound { binder, in_loop, vars: vars.into(), set: set.clone() });
            });
        }
        let mut is_open = vec![false; all.len()];
        let mut number: SecondaryMap<CodeId, Option<usize>> = SecondaryMap::new();
        for (index, bound) in all.iter().enumerate() {
            for (_, code) in &bound.set.functions {
                is_open[index] |= known.is_open(*code);
                if let Some(other) = number[*code].replace(index) {
                    known.note_escape(*code);
                    (is_open[index], is_open[other]) = (true, true);
                }
            }
        }
        Sets { all, is_open, number }
    }

    /// Whether a set is bound in a function of which copies are promised: a functor, or one with an attribute.
    fn is_copied(&self, unit: &Unit, mut index: usize) -> bool {
        for _ in 0..DEEPEST {
            let Some(code) = self.all[index].binder else { return false };
            let attributes = &unit.codes[code].attributes;
            let never = matches!(attributes.inline, InlineAttribute::Default | InlineAttribute::Never);
            if attributes.is_functor || !never {
                return true;
            }
            match self.number[code] {
                Some(outer) => index = outer,
                None => return false,
            }
        }
        true
    }
}

/// The sets that a body binds, and whether a loop repeats it.
fn each_set(body: &Expr, mut f: impl FnMut(&[Variable], &SetOfClosures, bool)) {
    body.walk_repeated(&mut |expr, in_loop| {
        for item in &expr.items {
            if let Item::LetClosures { vars, set, .. } = item {
                f(vars, set, in_loop);
            }
        }
    });
}
