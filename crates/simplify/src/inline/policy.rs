//! The three policies, over one measure (features B4–B6).

use flambeau_ir::decision::{Evaluation, Policy, Reason};
use flambeau_ir::inlining::Arguments;
use flambeau_ir::{Apply, CodeId, Simple};
use flambeau_types::Ty;

use super::measure::Measure;
use super::search::Search;
use super::work::{always_works, is_leaf, returns_new_closure, returns_new_number};
use crate::continuations::ContState;
use crate::{Simplifier, size};

/// A call that nothing but a policy decides on.
pub(super) struct Candidate<'c> {
    /// The call.
    pub apply: &'c Apply,
    /// What it calls.
    pub code: CodeId,
    /// The size of that.
    pub size: u32,
    /// It is a functor, applied at the toplevel.
    pub functor: bool,
    /// The settings that the policy's decision depends on.
    pub arguments: Arguments,
}

impl Simplifier<'_> {
    /// What the policy says of a call.
    pub(super) fn policy(&mut self, candidate: &Candidate) -> Result<Reason, Reason> {
        let Candidate { apply, size, arguments, .. } = candidate;
        let (size, limit) = (*size, arguments.max_depth);
        match arguments.policy {
            Policy::Classic => {
                let limit = arguments.classic_limit(apply.args.len() as u32);
                if size <= limit {
                    Ok(Reason::Small { size, limit })
                } else {
                    Err(Reason::TooLarge { size: Some(size), limit })
                }
            }
            _ if u32::from(apply.depth) > limit => Err(Reason::TooDeep { limit }),
            Policy::Threshold => self.by_threshold(candidate),
            Policy::Benefit => self.by_benefit(candidate),
        }
    }

    /// flambda2-inlining, "Function call site decision".
    fn by_threshold(&mut self, candidate: &Candidate) -> Result<Reason, Reason> {
        let Candidate { apply, code, size, arguments, .. } = candidate;
        let size = *size;
        let recursive = self.is_recursive_here(*code);
        if size <= arguments.small && !recursive {
            if f64::from(size) <= arguments.nonleaf_threshold
                || !self.outweighs_call(*code)
                || self.calls_of_result(apply, *code) > 0
            {
                return Ok(Reason::Small { size, limit: arguments.small });
            }
            let evaluation =
                self.evaluate(candidate, arguments.nonleaf_threshold, closure_saved(apply, arguments))?;
            return verdict(evaluation).map_err(|_| Reason::OutweighsCall(evaluation));
        }
        if arguments.if_useful && !self.is_useful(apply) && self.calls_of_result(apply, *code) == 0 {
            return Err(Reason::NothingKnown { size });
        }
        let allowance = if arguments.loop_threshold > arguments.threshold
            && self.is_in_loop(apply)
            && is_leaf(&self.unit.codes[*code].body)
        {
            arguments.loop_threshold
        } else {
            arguments.threshold
        };
        verdict(self.evaluate(candidate, allowance, 0.0)?)
    }

    /// What the body costs at the call, nothing being inlined in it. `saved` is what inlining is worth besides what it
    /// removes there.
    fn evaluate(&mut self, candidate: &Candidate, allowance: f64, saved: f64) -> Result<Evaluation, Reason> {
        let Candidate { apply, code, size, arguments, .. } = candidate;
        let calls_of_result = self.calls_of_result(apply, *code);
        let question = (calls_of_result == 0).then(|| self.question(apply, arguments, allowance));
        if let Some(refusal) = question.as_ref().and_then(|question| self.refused(*code, question)) {
            return Ok(refusal);
        }
        self.pay_for_speculation(*size)?;
        let mut measure = self.measure(apply, *code, &mut Search::nothing());
        if calls_of_result > 0 {
            measure.removed.indirect_calls += calls_of_result;
            measure.removed.allocations += 1;
        }
        let benefit = arguments.costs.worth(&measure.removed) + saved;
        let evaluation = evaluation(&measure, benefit, allowance);
        if let Some(question) = question {
            self.note_refusal(*code, question, evaluation);
        }
        Ok(evaluation)
    }

    /// How many calls become direct if a call is inlined that gives a closure which the function allocates, and what
    /// comes after it calls that: in a monad that is one of functions each step does so. A sequence, which a loop
    /// consumes, is called for another one, which is called in turn.
    fn calls_of_result(&mut self, apply: &Apply, code: CodeId) -> u32 {
        let Some(ContState::Pending(handler)) = self.function.conts.get(&apply.ret) else { return 0 };
        let data = &self.unit.codes[code];
        if !returns_new_closure(&data.body, data.ret) {
            0
        } else if handler.params.iter().any(|result| self.function.analysis.is_called(*result)) {
            1
        } else if self.makes_consumed(apply, code) {
            2
        } else {
            0
        }
    }

    /// Whether a function costs more than a call of it and its result. One that was copied for its calls in this unit
    /// is as good inlined there.
    fn outweighs_call(&self, code: CodeId) -> bool {
        let data = &self.unit.codes[code];
        !self.global.called_instances.contains(&code)
            && always_works(&data.body, data.ret)
            && !returns_new_number(&data.body, data.ret)
    }

    /// Manual 21.3.2: the benefit must exceed the growth of the code; if it does not, then with what is inlined inside
    /// the function. Each step of the search descends one call deeper than the one before, with the whole quota: so a
    /// larger quota or depth only adds to what was found without.
    fn by_benefit(&mut self, candidate: &Candidate) -> Result<Reason, Reason> {
        let Candidate { apply, code, arguments, .. } = candidate;
        let limit = arguments.quota(self.function.current.is_none()) + f64::from(size::call(apply));
        let size = match self.declared_size(*code) {
            Some(size) if f64::from(size) <= limit => size,
            size => return Err(Reason::TooLarge { size, limit: limit as u32 }),
        };
        let (mut best, mut goes_on) = self.step(candidate, size, 0)?;
        for deeper in 1..=arguments.max_depth.saturating_sub(u32::from(apply.depth)) {
            if best.suffices() || !goes_on {
                break;
            }
            let Ok((evaluation, more)) = self.step(candidate, size, deeper) else {
                best.cut = true;
                break;
            };
            goes_on = more;
            if evaluation.excess() < best.excess() {
                best = evaluation;
            }
        }
        verdict(best)
    }

    /// A step of the search, through so many calls; and whether there is more for a deeper one to see.
    fn step(&mut self, candidate: &Candidate, size: u32, deeper: u32) -> Result<(Evaluation, bool), Reason> {
        self.pay_for_speculation(size)?;
        let Candidate { apply, code, arguments, .. } = candidate;
        let quota = arguments.quota(self.function.current.is_none()) - f64::from(size);
        let hotness = 1.0 / (1.0 + arguments.branch_factor).powi(self.branch_depth() as i32);
        let mut search = Search::inside(apply, *code, deeper, quota, hotness);
        let measure = self.measure(apply, *code, &mut search);
        let lifting = if candidate.functor { arguments.lifting_benefit } else { 0.0 };
        let benefit = arguments.costs.worth(&measure.removed) * hotness + lifting;
        let evaluation = Evaluation {
            inside: measure.inside,
            cut: search.is_cut(),
            ..evaluation(&measure, benefit, f64::from(size::call(apply)))
        };
        Ok((evaluation, search.goes_on()))
    }

    /// Takes what an evaluation costs from what a unit may spend on such.
    pub(super) fn pay_for_speculation(&mut self, size: u32) -> Result<(), Reason> {
        match self.global.budgets.speculation.checked_sub(size) {
            Some(left) => self.global.budgets.speculation = left,
            None => return Err(Reason::SpeculationBudget { left: self.global.budgets.speculation, size }),
        }
        Ok(())
    }

    /// Whether something is known of an argument.
    fn is_useful(&self, apply: &Apply) -> bool {
        apply.args.iter().any(|arg| {
            !matches!(arg, Simple::Var(_))
                || self.env.ty(*arg) != Ty::Unknown
                || self.closure_of_other_unit(*arg).is_some()
        })
    }
}

/// What inlining is worth for the closure, which may be allocated for its calls only: half of an allocation, as other
/// calls may be left. What it captures (a record of numbers that it changes) escapes through it.
fn closure_saved(apply: &Apply, arguments: &Arguments) -> f64 {
    if matches!(apply.callee, Some(Simple::Var(_))) { arguments.costs.alloc / 2.0 } else { 0.0 }
}

/// The numbers of a decision.
pub(super) fn evaluation(measure: &Measure, benefit: f64, allowance: f64) -> Evaluation {
    Evaluation { size: measure.size, removed: measure.removed, benefit, allowance, inside: 0, cut: false }
}

fn verdict(evaluation: Evaluation) -> Result<Reason, Reason> {
    if evaluation.suffices() {
        Ok(Reason::Beneficial(evaluation))
    } else {
        Err(Reason::NotBeneficial(evaluation))
    }
}
