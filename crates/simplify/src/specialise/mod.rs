//! Specialisation of recursive functions for arguments that stay the same in all their calls of themselves (features
//! C1).
//!
//! `map f l` with a known `f` becomes a call of a copy of `map` that has captured `f`: the copy knows the function,
//! calls it directly, and inlines it. The whole set of closures is copied, and a parameter is captured if, in whatever
//! function of the set, it can only be the argument of the call that is specialised: a fixed point over the calls in
//! the set. Where functions are permuted among parameters in these calls there is a copy for each arrangement
//! ([`crate::arrangements`]). The copy still takes all arguments, so that calls keep their shape; in calls of itself
//! those captured are zero. Functions that call themselves in closures of their own take, in place of a closure, what
//! that has captured ([`by_values`]).

mod by_values;
mod copies;
mod group;
mod loops;
mod nested;
pub mod types;
mod uses;

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::inlining::LARGEST;
use flambeau_ir::term::SpecialiseAttribute;
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{Apply, CallKind, CodeId, FunctionKind, Kind, Rewrite, Simple, Unit, ValueSlot, Variable};
use flambeau_types::Ty;
use smallvec::SmallVec;

use crate::arrangements::{Argument, Arrangements, Call, Flow};
use crate::run::Rest;
use crate::{Functions, Simplifier, size};
use copies::Original;
use group::Group;
pub use loops::{LARGEST_WITH_LOOPS, gains_from_functions};
use uses::Uses;

/// Sets of functions larger than this together are not copied, unless an attribute wants it.
pub const LARGEST_SPECIALISED: u32 = 250;
/// Through so many copied functions calls are specialised: in a copy more is known, and what it makes is known to those
/// that it calls.
const DEEPEST: u8 = 6;

impl Simplifier<'_> {
    /// Replaces a direct call by a copy of the functions, specialised for some of the arguments, and a call of that.
    pub(crate) fn specialised(&mut self, apply: &Apply) -> Option<Rest> {
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) if self.is_known_enough(apply, false) => {
                self.imported_function(name, apply.args.len())?
            }
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
        if apply.depth > DEEPEST || !wished && size > self.global.budgets.specialisation {
            return None;
        }
        // Nor does the body of one of another unit use its closure, though the object of the stock compiler takes it.
        let values = if imported { Some(Vec::new()) } else { self.captured(apply, &functions) };
        let values = values.filter(|values| self.is_lifted_later(values, &functions))?;
        let calls = self.calls_of_set(&functions, &group)?;
        // Functions that capture an argument are called through their closures, which those nested in them do not have:
        // these pass on what the argument has captured. Nor can a call in those choose between arrangements.
        let nested = calls.iter().any(|call| call.nested);
        let arrangements = self.arrangements(apply, code, &functions, &calls).find(|arrangements| {
            let arguments = arrangements.arguments();
            let captures = arguments.iter().any(|index| apply.args[*index].as_var().is_some());
            let can_know = match (captures, nested) {
                (false, _) => true,
                (true, false) => self.rewrites.lifts_closures(),
                (true, true) => self.is_passed_by_values(apply, &group, arrangements),
            };
            let permutes_in_nested = nested && arrangements.permute();
            !(arguments.is_empty() || permutes_in_nested)
                && can_know
                && (wished || !arguments.iter().any(|index| self.is_of_functor(apply.args[*index])))
                && (wished || self.is_worth_it(apply, &group, arrangements))
                && self.copied_size(arrangements).is_some_and(|size| {
                    size <= limit && (wished || size <= self.global.budgets.specialisation)
                })
        })?;
        let size = self.copied_size(&arrangements)?;
        if self.grow_deeper(apply, size).is_err() || !self.allow(Rewrite::Specialisation) {
            return None;
        }
        if !wished {
            let frames: u32 = arrangements.iter().map(|(code, _)| size::frames(self.unit, code)).sum();
            self.global.budgets.specialisation =
                self.global.budgets.specialisation.saturating_sub(size.saturating_add(frames));
        }
        self.log_specialisation(apply, code, &arrangements, size);
        let original = Original { code, functions, values, group, nested };
        self.specialised_copy(apply, original, &arrangements)
    }

    /// Whether a function is not to be copied with its set.
    fn is_sole(&self, code: CodeId) -> bool {
        self.unit.codes[code].attributes.sole || self.makes_sole_set(code)
    }

    /// The alternatives in which the functions can be copied, the best first.
    fn arrangements(
        &self,
        apply: &Apply,
        root: CodeId,
        functions: &Functions,
        calls: &[Call],
    ) -> impl Iterator<Item = Arrangements> + use<> {
        // What a copy has captured already, it is not passed.
        let ignored = self.global.ignored.get(&root);
        let is_ignored = |index: usize| ignored.is_some_and(|ignored| ignored.contains(&index));
        let known = |(index, arg): (usize, &Simple)| match arg {
            arg if is_ignored(index) || self.unit.kind_of(*arg) != Kind::Value => Argument::Unknown,
            arg if self.has_functions(*arg) => Argument::Function,
            Simple::Const(_) | Simple::Symbol(_) => Argument::Constant,
            Simple::Var(_) => Argument::Unknown,
        };
        let arguments: Vec<Argument> = apply.args.iter().enumerate().map(known).collect();
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
        let name = |index: usize| self.unit.variables[data.params[index]].name.to_string();
        let parameters = (0..data.params.len()).filter(is_known).map(name).collect();
        self.log(apply, Some(code), Reason::Specialised { parameters, size });
    }

    /// Whether a value is a known function, or a record or tuple that holds one.
    fn has_functions(&self, value: Simple) -> bool {
        let is_function = |ty: &Ty| matches!(self.env.head(ty), Ty::Closure(_));
        let known = self.env.ty(value);
        is_function(&known) || known.as_block().is_some_and(|block| block.fields.iter().any(is_function))
    }

    /// Whether enough is known of the arguments: a function; or, where an attribute wishes it, a constant.
    fn is_known_enough(&self, apply: &Apply, wished: bool) -> bool {
        let is_constant =
            |arg: &Simple| !matches!(arg, Simple::Var(_)) && self.unit.kind_of(*arg) == Kind::Value;
        apply.args.iter().any(|arg| wished && is_constant(arg) || self.has_functions(*arg))
    }

    /// The size that the copied functions may have together, if they are to be copied at all.
    fn specialisation_limit(&self, apply: &Apply, code: CodeId) -> Option<u32> {
        let data = &self.unit.codes[code];
        // A partial application calls what its closure waits for: the copy is made there.
        let in_stub = self.function.current.is_some_and(|current| {
            let current = &self.unit.codes[current];
            current.attributes.stub && current.kind != FunctionKind::Curried
        });
        let wish = match apply.specialised {
            SpecialiseAttribute::Default => data.attributes.specialise,
            wish => wish,
        };
        let wished = wish == SpecialiseAttribute::Always;
        let stays = in_stub
            || self.rewrites.stubs_only
            || self.rewrites.described && !wished
            || !self.is_known_enough(apply, wished)
            || !wished && self.is_in_cold(apply);
        if !data.recursive || data.attributes.stub || stays {
            return None;
        }
        match wish {
            SpecialiseAttribute::Never => None,
            SpecialiseAttribute::Always => Some(LARGEST),
            SpecialiseAttribute::Default if self.arguments().policy == Policy::Classic => None,
            SpecialiseAttribute::Default => Some(LARGEST_SPECIALISED),
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

    /// Whether a value is a closure that a functor makes, and another function than this one: a copy keeps such a one
    /// in a closure of its own, as what knows the layout of a functor's closures can't be separated from them
    /// (`flambeau_passes::parameters`, `candidates.rs`).
    fn is_of_functor(&self, value: Simple) -> bool {
        let Ty::Closure(known) = self.env.ty(value) else { return false };
        known.functions.first().is_some_and(|(_, code)| {
            self.global.sets.within(*code) != self.function.current
                && self.global.sets.functor(*code, self.unit).is_some()
        })
    }

    /// Whether some function is called, or captured, that is known now.
    fn is_worth_it(&self, apply: &Apply, group: &Group, arrangements: &Arrangements) -> bool {
        self.uses(group, arrangements, |index| self.has_functions(apply.args[index])).any(Uses::gain)
    }

    /// Whether the arguments that are variables are closures which the copies can be passed by the values that these
    /// have captured: the functions themselves call them, pass them on to parameters that are nothing else, and do
    /// nothing else with them.
    fn is_passed_by_values(&self, apply: &Apply, group: &Group, arrangements: &Arrangements) -> bool {
        let is_variable = |index: usize| apply.args[index].as_var().is_some();
        let fits =
            |index: &usize| arrangements.stays_known(*index) && self.has_few_values(apply.args[*index]);
        arrangements.arguments().iter().filter(|index| is_variable(**index)).all(fits)
            && self.uses(group, arrangements, is_variable).all(Uses::called_here_alone)
    }

    /// What the functions do with those of their parameters that are arguments of the call with a property.
    fn uses(
        &self,
        group: &Group,
        arrangements: &Arrangements,
        property: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = Uses> {
        let own = |kind: &CallKind| match kind {
            CallKind::Direct(code) => !arrangements.of(*code).is_empty(),
            kind => group.called(kind).is_some(),
        };
        arrangements.iter().map(move |(code, arrangement)| {
            let params = self.unit.codes[code].params.iter().zip(arrangement);
            let known: SmallVec<[Variable; 4]> = params
                .filter(|(_, argument)| argument.is_some_and(&property))
                .map(|(param, _)| *param)
                .collect();
            Uses::of(self.unit, code, &known, own)
        })
    }
}

/// Whether specialisation for functions passed to it may bring something.
#[must_use]
pub fn uses_functions(unit: &Unit, code: CodeId) -> bool {
    Uses::of(unit, code, &unit.codes[code].params, |kind| *kind == CallKind::Direct(code)).gain()
}
