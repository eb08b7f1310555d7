//! Copies of functions for calls that allocate what is taken apart there alone.
//!
//! A function that others call too, or that some call passes what it has not allocated, can take a parameter as parts
//! only if it reads these first of all ([`super::demand`]): nobody else may read them earlier, as what is there need
//! not have them. So a function that is not too large is copied, with those that it hands the parameter on to, for the
//! calls that allocate what they pass, of one constructor if it is asked which; the others call the original. All calls
//! of a copy are known, and give the parts ([`super::parts`]). A call of a copy that does not pass what it got itself
//! is one like others.

use cranelift_entity::SecondaryMap;
use flambeau_ir::copy::Copier;
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{
    Apply, CallKind, Code, CodeId, Expr, FunctionKind, Rewrite, Rewrites, Simple, Terminator, Unit,
};
use flambeau_simplify::size;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::made::Made;
use super::parts::{Analysis, Param, Part};
use super::workers;

/// The size that functions which are copied may have together: of a recursion, which would hand on what is allocated
/// in each iteration, and of others.
const LARGE: u32 = 100;
const LARGE_ONCE: u32 = 40;

/// Functions that would be copied together.
pub(super) struct Group {
    /// What is to be passed by its parts: a parameter that calls allocate for, and all that it is passed on as.
    pub params: Vec<Param>,
    /// The constructor that calls allocate, if it is asked which it is.
    tag: Option<u8>,
    /// The parts that are read.
    parts: Vec<Part>,
    functions: Vec<CodeId>,
}

impl Group {
    /// Whether what a call passes has what is read.
    fn takes(&self, made: &Made) -> bool {
        match self.tag {
            Some(_) => made.tag == self.tag,
            None => made.has_all(&self.parts),
        }
    }

    /// Whether each function keeps a parameter, and gets none too many.
    fn fits(&self, unit: &Unit, analysis: &Analysis, made: &Made) -> bool {
        let parts = self.parts.iter().filter(|part| made.part(**part).is_some()).count();
        self.functions.iter().all(|function| {
            let count = unit.codes[*function].params.len();
            let members = self.params.iter().filter(|param| analysis.params[**param].0 == *function).count();
            let after = count - members + members * parts;
            let most = MOST_PARAMETERS.min(count + MOST_NEW_PARAMETERS).max(count);
            (1..=most).contains(&after)
        })
    }
}

/// The groups that calls would gain by, the larger ones first: what allocates for a function may be handed on by one
/// that is allocated for.
pub(super) fn groups(unit: &Unit, analysis: &Analysis) -> Vec<Group> {
    let mut search = Search { unit, analysis, handed_on: FxHashMap::default(), found: FxHashMap::default() };
    if analysis.calls.is_empty() {
        return Vec::new();
    }
    for (own, param) in &analysis.passed {
        if analysis.needed[*param] {
            search.handed_on.entry(*own).or_default().push(*param);
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut kept: FxHashMap<usize, bool> = FxHashMap::default();
    for (param, arg) in analysis.allocations() {
        let is_kept = analysis.needed[param] && search.all_from(param).is_none();
        let Some(number) = analysis.made.number(arg) else { continue };
        *kept.entry(number).or_default() |= is_kept;
    }
    for (param, arg) in analysis.allocations() {
        let number = analysis.made.number(arg);
        let is_kept = number.is_none_or(|number| kept[&number]) || !analysis.made.is_only_passed(arg);
        if !is_kept && let Some(group) = search.group(param, arg) {
            let is_new = |known: &Group| known.tag != group.tag || !known.params.contains(&param);
            if groups.iter().all(is_new) {
                groups.push(group);
            }
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.params.len()));
    groups
}

struct Search<'a> {
    unit: &'a Unit,
    analysis: &'a Analysis,
    /// As what each parameter is passed on.
    handed_on: FxHashMap<Param, SmallVec<[Param; 2]>>,
    /// What a parameter is passed on as in the end, itself included, if functions may take all of these by their parts.
    found: FxHashMap<Param, Option<Vec<Param>>>,
}

impl Search<'_> {
    fn all_from(&mut self, param: Param) -> Option<Vec<Param>> {
        if let Some(known) = self.found.get(&param) {
            return known.clone();
        }
        let mut all = vec![param];
        let mut done = 0;
        while let Some(&next) = all.get(done) {
            done += 1;
            let function = self.analysis.params[next].0;
            if self.analysis.classes[next].refused || !workers::may_be_copied(&self.unit.codes[function]) {
                self.found.insert(param, None);
                return None;
            }
            for &to in self.handed_on.get(&next).into_iter().flatten() {
                if !all.contains(&to) {
                    all.push(to);
                }
            }
        }
        self.found.insert(param, Some(all.clone()));
        Some(all)
    }

    /// The functions to copy so that a call need not allocate what it passes as a parameter.
    fn group(&mut self, param: Param, arg: Simple) -> Option<Group> {
        if !self.analysis.needed[param] {
            return None;
        }
        let params = self.all_from(param)?;
        let made = self.analysis.made.get(arg)?;
        let classes = || params.iter().map(|param| &self.analysis.classes[*param]);
        let is_tested = classes().any(|class| class.is_tested);
        let tag = if is_tested { Some(made.tag?) } else { None };
        let mut parts: Vec<Part> = Vec::new();
        for part in classes().flat_map(|class| &class.parts) {
            if !parts.contains(part) {
                parts.push(*part);
            }
        }
        let mut functions: Vec<CodeId> = Vec::new();
        for (function, _) in params.iter().map(|param| self.analysis.params[*param]) {
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let group = Group { params, tag, parts, functions };
        let is_small = || {
            let size = |left: u32, code: &CodeId| Some(left - size::whole(self.unit, *code, left)?);
            let recursive = group.functions.iter().any(|code| self.unit.codes[*code].recursive);
            let most = if recursive { LARGE } else { LARGE_ONCE };
            group.functions.iter().try_fold(most, size).is_some()
        };
        let callee = self.analysis.params[param].0;
        let is_called = |call: &(CodeId, SmallVec<[Simple; 4]>)| {
            call.0 == callee && passes_parts(self.analysis, &group, callee, &call.1, false)
        };
        let fits = group.takes(made)
            && self.analysis.calls.iter().any(is_called)
            && group.fits(self.unit, self.analysis, made)
            && is_small();
        fits.then_some(group)
    }
}

/// Whether a call passes what has the parts, as all parameters of a function that are to be passed by them; in a copy
/// these are what it gets itself.
fn passes_parts(analysis: &Analysis, group: &Group, callee: CodeId, args: &[Simple], in_copy: bool) -> bool {
    let Some(first) = analysis.first[callee] else { return false };
    (first as usize..).zip(args).all(|(param, arg)| {
        !group.params.contains(&param)
            || in_copy && analysis.param(*arg).is_some_and(|own| group.params.contains(&own))
            || analysis.made.get(*arg).is_some_and(|made| group.takes(made))
    })
}

/// Copies functions, no function for two groups; returns whether one was copied.
pub(super) fn copy(
    unit: &mut Unit,
    analysis: &Analysis,
    groups: Vec<Group>,
    rewrites: &mut Rewrites,
) -> bool {
    let mut copies: SecondaryMap<CodeId, Option<(u32, CodeId)>> = SecondaryMap::new();
    let mut chosen: Vec<Group> = Vec::new();
    for group in groups {
        let (first, variable) = analysis.params[group.params[0]];
        let is_free = group.functions.iter().all(|function| copies[*function].is_none());
        if !is_free
            || !have_own_sets(unit, &group.functions)
            || !rewrites.allow(Rewrite::CopyForParts(variable), unit, Some(first))
        {
            continue;
        }
        for function in &group.functions {
            // Its place: what it is comes when the calls in the original are what they will be.
            let place = unit.codes[*function].clone();
            copies[*function] = Some((chosen.len() as u32, unit.codes.push(place)));
        }
        chosen.push(group);
    }
    let redirecting = Redirecting { analysis, groups: &chosen, copies: &copies };
    unit.rewrite_bodies(|_, _, body| {
        redirecting.body(body, None);
        true
    });
    for (number, group) in (0..).zip(&chosen) {
        for function in &group.functions {
            let mut original = unit.codes[*function].clone();
            redirecting.body(&mut original.body, Some(number));
            if let Some((_, copy)) = copies[*function] {
                copy_to(unit, &original, copy);
            }
        }
    }
    !chosen.is_empty()
}

/// A copy of a function, with the functions that it makes, which come after all other codes; `None` if closures that
/// it is given may be its own.
fn copy_of(unit: &mut Unit, original: &Code) -> Option<(Code, Vec<Code>)> {
    let mut copier = Copier::of_unit(unit);
    let copy = copier.code(original);
    Some((copy, copier.finish().ok()?))
}

/// Whether the copies of functions can have sets of closures of their own.
fn have_own_sets(unit: &mut Unit, functions: &[CodeId]) -> bool {
    functions.iter().all(|function| {
        let mut binds = false;
        unit.codes[*function].body.for_each_set(&mut |_| binds = true);
        !binds || copy_of(unit, &unit.codes[*function].clone()).is_some()
    })
}

/// Makes a code the copy of another.
fn copy_to(unit: &mut Unit, original: &Code, copy: CodeId) {
    let Some((mut code, nested)) = copy_of(unit, original) else { return };
    code.function_slot = unit.function_slots.push(unit.function_slots[original.function_slot].clone());
    code.linkage_name = format!("{}_p{}", original.linkage_name, code.function_slot.as_u32());
    code.kind = FunctionKind::Curried;
    unit.codes[copy] = code;
    for code in nested {
        unit.codes.push(code);
    }
}

struct Redirecting<'r> {
    analysis: &'r Analysis,
    groups: &'r [Group],
    /// The group of each function that is copied, and its copy.
    copies: &'r SecondaryMap<CodeId, Option<(u32, CodeId)>>,
}

impl Redirecting<'_> {
    /// Redirects calls to copies, in the body of a copy for a group or of an original.
    fn body(&self, body: &mut Expr, copy_for: Option<u32>) {
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator {
                self.call(apply, copy_for);
            }
        });
    }

    fn call(&self, apply: &mut Apply, copy_for: Option<u32>) {
        if let CallKind::Direct(callee) = apply.kind
            && let Some((number, copy)) = self.copies[callee]
            && passes_parts(
                self.analysis,
                &self.groups[number as usize],
                callee,
                &apply.args,
                copy_for == Some(number),
            )
        {
            apply.kind = CallKind::Direct(copy);
            apply.callee = None;
        }
    }
}
