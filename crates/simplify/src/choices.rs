//! Calls of one of several known closures: a switch on which one it is, with a call of each function in its arm.

use flambeau_ir::{
    Apply, ApplyCont, CallKind, ContHandler, Expr, FunctionKind, Item, Kind, Rewrite, Simple, Switch,
    Terminator,
};
use flambeau_types::{Choice, IntSet, Ty};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::run::{Params, Rest};

/// What the functions may come to together. A call of a larger one is as good through its closure as behind a switch.
const LARGEST: u32 = 60;

impl Simplifier<'_> {
    /// What is known of one of several closures where it is known which one it is; that is learnt.
    pub(crate) fn chosen(&mut self, closure: Simple, choice: &Choice) -> Option<Ty> {
        let at = self.positions(choice)?.as_one()?;
        let known = Ty::Closure(choice.closures.get(usize::try_from(at).ok()?)?.clone().into());
        self.env.learn(closure, &known);
        Some(known)
    }

    /// Which positions a choice may be at here.
    fn positions(&self, choice: &Choice) -> Option<IntSet> {
        let Ty::Is(which) = choice.which else { return None };
        match self.env.constant(which, Kind::NakedImmediate).map_or(self.env.ty(which), Ty::of_const) {
            Ty::Int(positions) => Some(positions),
            _ => None,
        }
    }

    /// Replaces a call of one of several small functions by a switch: returns what the run continues with.
    pub(crate) fn dispatched(&mut self, apply: &Apply) -> Option<Rest> {
        if apply.kind != CallKind::Generic || self.is_measuring() {
            return None;
        }
        let Ty::OneOf(choice) = self.env.ty(apply.callee?) else { return None };
        let positions = self.positions(&choice)?;
        let Ty::Is(which) = choice.which else { return None };
        let possible = (0..=choice.closures.len() as i64).filter(|at| positions.contains(*at));
        let possible: SmallVec<[i64; 4]> = possible.collect();
        if possible.len() < 2 || !self.is_worth_a_switch(&choice, apply) || !self.allow(Rewrite::ChosenCall) {
            return None;
        }
        let mut handlers = Vec::new();
        let mut arms = Vec::new();
        for at in possible {
            let cont = self.unit.new_continuation("chosen");
            let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply.clone())) };
            handlers.push(ContHandler { cont, params: Params::new(), body });
            arms.push((at, ApplyCont::plain(cont)));
        }
        let switch = Switch { scrutinee: which, arms, default: None, dbg: apply.dbg, cases: None };
        let items = vec![Item::LetCont { recursive: false, handlers }];
        self.body_in_place(apply, Expr { items, terminator: Terminator::Switch(Box::new(switch)) })
    }

    /// Whether each of the functions may be inlined, and all together are small.
    fn is_worth_a_switch(&mut self, choice: &Choice, apply: &Apply) -> bool {
        let in_stub = self.function.current.is_some_and(|code| self.unit.codes[code].attributes.stub);
        let mut left = LARGEST;
        !in_stub
            && choice.closures.iter().all(|closure| {
                let Some(code) = closure.code() else { return false };
                let (data, args) = (&self.unit.codes[code], apply.args.len());
                let is_called =
                    data.kind == FunctionKind::Curried && data.params.len() == args && !data.recursive;
                let Some(size) = self.whole_size(code, left) else { return false };
                left -= size;
                is_called && self.attribute(apply, code).is_ok()
            })
    }
}
