//! What is inlined: what forces and what forbids it, whatever the policy (features B1, B7, B9).

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::inlining::{Arguments, LARGEST};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, CallKind, CodeId, Expr, Heat, Kind, Prim, Simple};
use flambeau_types::Ty;

use super::policy::{Candidate, evaluation};
use super::search::Search;
use crate::Simplifier;

/// What one function may grow by, apart from what is always inlined.
const BUDGET: u32 = 8_000;
/// Functions up to this size are inlined beyond the budget of the unit, too.
const SMALLEST: u32 = 12;
/// What one call of the source may grow to by what policies decide inside what was inlined for it: functions that call
/// each other through a known record would be inlined for ever, and nothing else ends that but the depth.
pub const BELOW: u32 = 600;
/// What unrolling a recursive function counts for at least.
const RECURSIVE: u32 = 250;
/// What the code of the toplevel of a unit of the source, which runs once, may grow by.
const ENTRY_BUDGET: u32 = 2_000;

/// What inlining adds, by the size of the callee.
pub struct Growth {
    /// What it adds to the function that calls.
    pub function: u32,
    /// What it adds to the unit.
    pub unit: u32,
    /// What attributes add to it once more.
    pub multiplied: u32,
}

impl Growth {
    /// The growth of what is outside all budgets.
    const NONE: Growth = Growth { function: 0, unit: 0, multiplied: 0 };
}

impl Simplifier<'_> {
    /// What a function may grow by.
    pub(crate) fn budget(&self, code: Option<CodeId>) -> u32 {
        if code.is_some() { BUDGET } else { ENTRY_BUDGET.saturating_mul(self.unit.parts) }
    }

    /// The settings that the inliner's decisions depend on in this round.
    pub(crate) fn arguments(&self) -> &Arguments {
        self.rewrites.inlining.of(self.rewrites.round)
    }

    /// The settings that a decision on a call depends on: code of a unit that inlines less is not inlined into more
    /// elsewhere (features B11).
    pub(super) fn arguments_of(&self, apply: &Apply) -> Arguments {
        let own = self.arguments();
        let own =
            apply.origin.map_or(*own, |origin| own.meet(self.unit.origins[origin].of(self.rewrites.round)));
        match self.heat_of(apply) {
            Heat::Hot => own.for_hot_call(),
            Heat::Warm | Heat::Never if !self.concerns_functions(apply) => own.for_warm_call(),
            _ => own,
        }
    }

    /// Whether a call passes functions on, or makes some: these may run often even if the call does not, and know each
    /// other only if it is inlined.
    fn concerns_functions(&self, apply: &Apply) -> bool {
        let makes = match &apply.kind {
            CallKind::Direct(code) => self.makes_closures(*code),
            _ => false,
        };
        makes || apply.args.iter().any(|arg| matches!(self.env.ty(*arg), Ty::Closure(_)))
    }

    /// Whether all that a function has captured has a name here, or is its own function's.
    fn knows_captured(&mut self, apply: &Apply, code: CodeId) -> bool {
        if !self.uses_closure(code) {
            return true;
        }
        let Some(callee) = apply.callee else { return false };
        // What the calling function has captured itself is a variable around it.
        let is_captured = |definition: &flambeau_types::Definition| {
            matches!(definition.prim, Prim::ProjectValueSlot { .. })
        };
        if self.env.definition(self.env.canonical(callee)).is_some_and(|definition| is_captured(&definition))
        {
            return true;
        }
        let Ty::Closure(known) = self.env.ty(callee) else { return false };
        let here = self.function.current;
        let is_own = known.functions.iter().any(|(_, member)| Some(*member) == here);
        is_own || known.values.iter().all(|(_, ty)| matches!(ty, Ty::Is(_)))
    }

    /// How often a call runs. Nobody counted those in code of other units: where the unit has a profile, a function of
    /// the unit that is called there is called as often as it is in all, and others do not matter to the program, which
    /// counts its own code.
    fn heat_of(&self, apply: &Apply) -> Heat {
        if apply.heat != Heat::Unknown || !self.global.has_profile {
            return apply.heat;
        }
        match &apply.kind {
            CallKind::Direct(code) => self.unit.codes[*code].attributes.heat,
            CallKind::DirectExternal(_) => Heat::Warm,
            _ => Heat::Unknown,
        }
    }

    /// What grows, and why the body is to be inlined; or why it is not.
    pub(super) fn decide(&mut self, apply: &Apply, code: CodeId) -> Result<(Growth, Reason), Reason> {
        let data = &self.unit.codes[code];
        let (stub, is_functor) = (data.attributes.stub, data.attributes.is_functor);
        let recursive = self.is_recursive_here(code);
        if self.global.in_progress.contains(&code) || !self.global.done.contains(&code) {
            return Err(Reason::Recursive);
        }
        if data.params.len() != apply.args.len() {
            return Err(Reason::Arguments);
        }
        if !self.rewrites.machine.looks_into_closures() && !self.knows_captured(apply, code) {
            return Err(Reason::Captured);
        }
        let forced = self.attribute(apply, code)?;
        let arguments = self.arguments_of(apply);
        let unrolls = arguments.unrolls() || self.descends_into_known(apply, code);
        if recursive && !stub && forced.is_none() && !unrolls {
            return Err(Reason::Recursive);
        }
        if self.rewrites.stubs_only && !stub {
            return Err(Reason::Disabled);
        }
        if self.ends_backtraces(code) {
            return Err(Reason::KeepsBacktraces);
        }
        // Each application at the toplevel makes a module, whose functions are to know those of the argument (B7).
        let functor = is_functor && self.function.current.is_none() && arguments.toplevel_functors;
        let imported = matches!(apply.kind, CallKind::DirectExternal(_));
        let may_stay = functor && !self.function.in_instance && forced.is_none();
        if may_stay && self.is_evaluated_beside(apply, code, arguments.whole_functors) {
            self.global.functors.take(code, false);
            return Err(Reason::Evaluated);
        }
        // Policy *benefit* has a benefit for that. A functor of a library has functions that nobody here calls, as a
        // rule.
        let whole = self.function.in_instance
            || !imported && arguments.policy != Policy::Benefit && self.may_multiply(code);
        let single = !recursive
            && !imported
            && arguments.policy != Policy::Classic
            && apply.inlined != InlineAttribute::Cold
            && self.is_single_use(code)
            && self.may_join_group(code)
            && !self.raises_out(apply, code);
        let forced = forced
            .or((functor && whole).then_some(Reason::Functor))
            .or(single.then_some(Reason::SingleUse))
            .or_else(|| self.is_known_at_toplevel(apply, code, &arguments))
            .or_else(|| self.calls_known_in_loops(apply, code))
            .or_else(|| self.prints_known_format(apply, code));
        let limit = match forced {
            Some(_) => LARGEST,
            None if self.global.of_objects.contains(&code) => SMALLEST,
            None => arguments.large.min(LARGEST),
        };
        let size = match self.size(code) {
            Some(size) if size <= limit => size,
            size => return Err(Reason::TooLarge { size, limit }),
        };
        if forced.is_none() && self.is_cold(apply, code, size) {
            return Err(Reason::Cold);
        }
        if forced.is_none() && self.interprets_to_string(apply) {
            return Err(Reason::NothingKnown { size });
        }
        if forced.is_none() && !self.function.in_instance && self.ties_functor(code) {
            return Err(Reason::TiesFunctor);
        }
        if forced.is_none() && !arguments.with_closures && self.makes_closures(code) {
            return Err(Reason::MakesClosures);
        }
        let growth = match forced {
            Some(Reason::Stub) if !recursive => Growth::NONE,
            Some(
                Reason::Functor | Reason::SingleUse | Reason::Beneficial(_) | Reason::KnownFormat { .. },
            ) => Growth::NONE,
            Some(Reason::CallsInLoops { size: whole, .. }) => {
                self.grow_deeper(apply, size)?;
                self.global.budgets.loops -= whole;
                Growth::NONE
            }
            Some(Reason::AttributeOfFunction | Reason::AttributeOfCall) => {
                let multiplied = self.multiplied(apply, code, size)?;
                self.grow_deeper(apply, size)?;
                Growth { multiplied, ..Growth::NONE }
            }
            // No budget applies, but there is a limit.
            Some(_) => {
                self.grow_deeper(apply, size)?;
                Growth::NONE
            }
            None => self.growth(apply, code, size)?,
        };
        let reason = match forced {
            Some(reason) => reason,
            None => self.policy(&Candidate { apply, code, size, functor, arguments })?,
        };
        Ok((growth, reason))
    }

    /// Whether all arguments of a call at the toplevel are known, and so much follows from them that most of the
    /// function is evaluated here (features B7).
    fn is_known_at_toplevel(&mut self, apply: &Apply, code: CodeId, arguments: &Arguments) -> Option<Reason> {
        let is_known = |arg: &Simple| match self.env.canonical(*arg) {
            Simple::Const(_) | Simple::Symbol(_) => true,
            arg @ Simple::Var(_) => self.unit.kind_of(arg) == Kind::Value && self.env.ty(arg) != Ty::Unknown,
        };
        let is_candidate = self.function.current.is_none()
            && apply.depth == 0
            && arguments.toplevel_functors
            && arguments.policy == Policy::Threshold
            && matches!(apply.kind, CallKind::Direct(_))
            && apply.args.iter().all(is_known)
            && self.may_multiply(code);
        let size = self.size(code).filter(|_| is_candidate)?;
        self.pay_for_speculation(size).ok()?;
        let measure = self.measure(apply, code, &mut Search::nothing());
        let evaluation = evaluation(&measure, 0.0, f64::from(size / 2));
        evaluation.suffices().then_some(Reason::Beneficial(evaluation))
    }

    /// Whether the function that is being simplified is of a functor, and what it calls reads what a closure captured
    /// that the functor does not allocate: other units can evaluate functors whose functions know only what these
    /// allocate (`flambeau_ir::transfer`). So `Hashtbl.Make` includes a module of `Hashtbl.MakeSeeded`.
    fn ties_functor(&mut self, code: CodeId) -> bool {
        let sets = &self.global.sets;
        let functor = self.function.current.and_then(|current| sets.functor(current, self.unit));
        functor.is_some()
            && !sets.is_closed(code)
            && sets.functor(code, self.unit) != functor
            && self.uses_closure(code)
    }

    /// What an attribute says, that of the call first (manual 21.6); or that of a stub, which is always inlined (A7).
    pub(crate) fn attribute(&self, apply: &Apply, code: CodeId) -> Result<Option<Reason>, Reason> {
        let attributes = &self.unit.codes[code].attributes;
        match apply.inlined {
            InlineAttribute::Never => return Err(Reason::ForbiddenByCall),
            InlineAttribute::Always | InlineAttribute::Hint => return Ok(Some(Reason::AttributeOfCall)),
            InlineAttribute::Awaited => return Ok(Some(Reason::Awaited)),
            InlineAttribute::Unroll(0) if self.unit.codes[code].recursive => return Err(Reason::Recursive),
            InlineAttribute::Unroll(left @ 1..) => return Ok(Some(Reason::Unrolled { left })),
            InlineAttribute::Unroll(0)
            | InlineAttribute::Default
            | InlineAttribute::Entered
            | InlineAttribute::Cold => {}
        }
        match attributes.inline {
            InlineAttribute::Never => Err(Reason::ForbiddenByFunction),
            InlineAttribute::Always | InlineAttribute::Hint => Ok(Some(Reason::AttributeOfFunction)),
            InlineAttribute::Unroll(left @ 1..) => Ok(Some(Reason::Unrolled { left })),
            _ if attributes.stub => Ok(Some(Reason::Stub)),
            _ => Ok(None),
        }
    }

    /// What an attribute copies of what attributes have copied before: functions that each call the one before twice
    /// would be of 2^n pieces. What the source says at a call is done. Later rounds take all for copied: the first has
    /// inlined what was known there.
    fn multiplied(&self, apply: &Apply, code: CodeId, size: u32) -> Result<u32, Reason> {
        let multiplied = match apply.depth {
            0 if matches!(apply.inlined, InlineAttribute::Always | InlineAttribute::Hint) => 0,
            0 if self.rewrites.round == 0 => {
                size.saturating_sub(self.global.written_sizes.get(&code).copied().unwrap_or(size))
            }
            _ => size,
        };
        let left = self.rewrites.multiplied.unwrap_or(0);
        if multiplied > SMALLEST && multiplied > left {
            return Err(Reason::UnitBudget { left, size: multiplied });
        }
        Ok(multiplied)
    }

    /// Records how large a function was that an attribute inlines, before anything is inlined in it.
    pub(crate) fn note_written_size(&mut self, code: CodeId) {
        let wish = self.unit.codes[code].attributes.inline;
        if self.rewrites.round == 0 && matches!(wish, InlineAttribute::Always | InlineAttribute::Hint) {
            let size = self.whole_size(code, LARGEST).unwrap_or(LARGEST);
            self.global.written_sizes.insert(code, size);
        }
    }

    pub(crate) fn makes_closures(&self, code: CodeId) -> bool {
        self.body(code).is_none_or(Expr::makes_closures)
    }

    /// Counts what is copied for a call against what one call of the source may come to, with what is inlined and
    /// specialised in what was copied for it: a function that is passed to itself would be copied for ever.
    pub(crate) fn grow_deeper(&mut self, apply: &Apply, size: u32) -> Result<(), Reason> {
        if apply.depth == 0 {
            self.function.deeper = LARGEST;
            return Ok(());
        }
        let whole = (LARGEST - self.function.deeper).saturating_add(size);
        match self.function.deeper.checked_sub(size) {
            Some(left) => {
                self.function.deeper = left;
                Ok(())
            }
            None => Err(Reason::TooLarge { size: Some(whole), limit: LARGEST }),
        }
    }

    /// Records that what is decided now belongs to a call of the source, and no longer to what was inlined for the one
    /// before.
    pub(super) fn begin_call(&mut self, apply: &Apply) {
        if apply.depth == 0 {
            self.function.below = BELOW;
        }
    }

    /// What is added, if the function and the unit may still grow by it.
    fn growth(&self, apply: &Apply, code: CodeId, size: u32) -> Result<Growth, Reason> {
        if apply.depth > 0 && size > SMALLEST && size > self.function.below {
            return Err(Reason::FunctionBudget { left: self.function.below, size });
        }
        if size > SMALLEST && size > self.global.budgets.inlining {
            return Err(Reason::UnitBudget { left: self.global.budgets.inlining, size });
        }
        let recursive = self.is_recursive_here(code);
        let unrolled = recursive && self.arguments_of(apply).unrolls();
        let function = if unrolled { size.max(RECURSIVE) } else { size };
        if function <= self.function.budget {
            Ok(Growth { function, unit: size, multiplied: 0 })
        } else {
            Err(Reason::FunctionBudget { left: self.function.budget, size })
        }
    }
}
