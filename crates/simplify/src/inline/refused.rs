//! Evaluations that refused a call, kept for calls of the same function of which no more is known.
//!
//! A function that many places call is mostly refused for the same reason everywhere, and an evaluation takes as long
//! as simplifying the function. What is compared is what is known of the arguments, not of the memory, nor how they are
//! related to each other: an evaluation that was as close as [`MARGIN`] is made again.

use flambeau_ir::decision::Evaluation;
use flambeau_ir::inlining::Arguments;
use flambeau_ir::{Apply, CodeId, Simple};
use flambeau_types::{Block, Blocks, Choice, Closure, Ty, Variant};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

use crate::Simplifier;

/// What is known of the memory, and of how arguments are related, is worth less than this.
const MARGIN: f64 = 12.0;
/// How deep in blocks and closures more than the kind of value is compared.
const DEPTH: u32 = 3;

/// What an evaluation depends on.
#[derive(PartialEq)]
pub(super) struct Question {
    arguments: Arguments,
    allowance: f64,
    /// What is known of the closure, then of the arguments.
    known: SmallVec<[Known; 4]>,
}

/// What is known of an argument, in terms that hold at other calls.
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
            Known { ty: self.independent(&self.env.ty(value), DEPTH), is_allocation }
        });
        Question { arguments: *arguments, allowance, known: known.collect() }
    }

    /// A type without the variables that it is expressed over.
    fn independent(&self, ty: &Ty, depth: u32) -> Ty {
        let inside = |ty: &Ty| if depth == 0 { Ty::Unknown } else { self.independent(ty, depth - 1) };
        match ty {
            Ty::Is(Simple::Const(c)) => Ty::of_const(*c),
            Ty::Is(simple) => inside(&self.env.ty(*simple)),
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(blocks) if !blocks.is_empty() => {
                    let blocks = blocks.iter().map(|block| Block {
                        tag: block.tag,
                        exact: block.exact,
                        fields: block.fields.iter().map(inside).collect(),
                    });
                    let blocks = Blocks::Known(blocks.collect());
                    Ty::Variant(Rc::new(Variant { ints: variant.ints.clone(), blocks }))
                }
                _ => ty.clone(),
            },
            Ty::Boxed(kind, contents) => Ty::Boxed(*kind, Rc::new(inside(contents))),
            Ty::Floats(fields) => Ty::Floats(fields.iter().map(inside).collect()),
            Ty::Closure(closure) => Ty::Closure(Rc::new(self.independent_closure(closure, depth))),
            Ty::OneOf(choice) => {
                let closures = choice.closures.iter().map(|closure| self.independent_closure(closure, depth));
                Ty::OneOf(Rc::new(Choice { which: Ty::Unknown, closures: closures.collect() }))
            }
            Ty::Instance(symbol, ty) => Ty::Instance(*symbol, Rc::new(inside(ty))),
            Ty::Bottom | Ty::Unknown | Ty::Array(_) | Ty::Elsewhere(_) | Ty::String(_) | Ty::Int(_) => {
                ty.clone()
            }
        }
    }

    fn independent_closure(&self, closure: &Closure, depth: u32) -> Closure {
        let value = |ty: &Ty| if depth == 0 { Ty::Unknown } else { self.independent(ty, depth - 1) };
        Closure {
            slot: closure.slot,
            functions: Rc::clone(&closure.functions),
            values: closure.values.iter().map(|(slot, ty)| (*slot, value(ty))).collect(),
        }
    }

    /// The evaluation that refused a call of which as much was known.
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
