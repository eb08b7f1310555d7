//! Evaluations that refused a call, kept for calls of the same function of which the same is known.
//!
//! A function that many places call is mostly refused for the same reason everywhere, and an evaluation takes as long
//! as simplifying the function. What is compared is what is known of the arguments, not of the memory, nor how they are
//! related to each other: an evaluation that was as close as [`MARGIN`] is made again.

use flambeau_ir::decision::Evaluation;
use flambeau_ir::inlining::Arguments;
use flambeau_ir::{Apply, CodeId};
use flambeau_types::Ty;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::Simplifier;

/// What is known of the memory, and of how arguments are related, is worth less than this.
const MARGIN: f64 = 12.0;

/// What an evaluation depends on.
#[derive(PartialEq)]
pub(super) struct Question {
    arguments: Arguments,
    allowance: f64,
    /// What is known of the closure, then of the arguments.
    known: SmallVec<[Known; 4]>,
}

/// What is known of an argument, expressed over no variables.
#[derive(PartialEq)]
struct Known {
    ty: Ty,
    /// The caller allocates it.
    is_allocation: bool,
}

/// The refusals so far, by what was called.
#[derive(Default)]
pub struct Refused(FxHashMap<CodeId, Vec<(Question, Evaluation)>>);

impl Simplifier<'_> {
    /// What the evaluation of a call depends on.
    pub(super) fn question(&self, apply: &Apply, arguments: &Arguments, allowance: f64) -> Question {
        let known = apply.callee.iter().chain(&apply.args).map(|value| {
            let value = self.env.canonical(*value);
            let is_allocation = value.as_var().is_some_and(|var| self.is_local_allocation(var));
            Known { ty: self.env.export(value, 0), is_allocation }
        });
        Question { arguments: *arguments, allowance, known: known.collect() }
    }

    /// The evaluation that refused a call of which the same was known.
    pub(super) fn refused(&self, code: CodeId, question: &Question) -> Option<Evaluation> {
        let of_code = self.global.refused.0.get(&code)?;
        of_code.iter().find(|(earlier, _)| earlier == question).map(|(_, evaluation)| *evaluation)
    }

    /// Keeps an evaluation for later calls, if it refuses the call clearly.
    pub(super) fn note_refusal(&mut self, code: CodeId, question: Question, evaluation: Evaluation) {
        if evaluation.excess() > MARGIN {
            self.global.refused.0.entry(code).or_default().push((question, evaluation));
        }
    }
}
