//! Branches.
//!
//! Two-way branches become conditionals, so that the comparison that feeds one ends up inside its condition.
//! How larger ones are tested is the business of the OCaml side.

use flambeau_ir::IntKind;
use flambeau_ir::prim::IntCmp;
use flambeau_ir::term::{StringSwitch, Switch};
use flambeau_ir::{ApplyCont, Continuation, Dbg, Heat, Machine, Prim};

use crate::analysis::Targets;
use crate::control::Next;
use crate::frames::Frame;
use crate::lowering::{Atom, Lowering};
use crate::tree::*;

/// Beyond so many cases those of a default are not written down one by one.
const MOST_CASES: u32 = 256;

impl<'a> Lowering<'a> {
    /// A branch on an integer.
    pub fn switch(&mut self, switch: &'a Switch, result: Continuation, frames: &mut Vec<Frame>) -> Next<'a> {
        let scrutinee = self.atom(switch.scrutinee);
        let scrutinee = self.tag_anew(scrutinee, frames);
        if let Atom::Int(n) = scrutinee {
            let arm = switch.arms.iter().find(|(key, _)| *key == n).map(|(_, arm)| arm);
            return match arm.or(switch.default.as_ref()) {
                Some(arm) => self.jump(arm, result),
                None => Next::Done(self.tree.push(Expr::Unreachable)),
            };
        }
        let boolean = matches!(scrutinee, Atom::Var(var) if self.booleans.contains(&var));
        let possible = |key: i64| !boolean || key == 0 || key == 1;
        let arms: Vec<_> = switch.arms.iter().filter(|(key, _)| possible(*key)).collect();
        let default = switch.default.as_ref().filter(|_| !(boolean && arms.len() == 2));

        let targets = Targets::new(arms.iter().map(|(_, arm)| arm).chain(default));
        let default = default.and(targets.indices.last().copied());
        let keys: Vec<_> = arms.iter().map(|(key, _)| *key).zip(targets.indices.iter().copied()).collect();
        let (keys, default) = with_all_cases(keys, default, switch.cases);
        match targets.distinct[..] {
            [] => Next::Done(self.tree.push(Expr::Unreachable)),
            [arm] => self.jump(arm, result),
            [first, second] if boolean || self.machine == Machine::Native => match one_key(&keys, default) {
                Some((key, target)) => {
                    let (arm, other) = if target == 0 { (first, second) } else { (second, first) };
                    let test = Test { scrutinee, boolean, key, dbg: switch.dbg };
                    Next::Done(self.conditional(test, arm, other, result, frames))
                }
                None => Next::Done(self.table(scrutinee, &targets, &keys, default, result, switch.dbg)),
            },
            _ => Next::Done(self.table(scrutinee, &targets, &keys, default, result, switch.dbg)),
        }
    }

    /// `arm` if the scrutinee is the key, else `other`.
    fn conditional(
        &mut self,
        test: Test,
        arm: &'a ApplyCont,
        other: &'a ApplyCont,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> ExprId {
        let scrutinee = self.expr(test.scrutinee);
        let (cond, then_, else_) = match test.key {
            0 => (scrutinee, other, arm),
            1 if test.boolean => (scrutinee, arm, other),
            key => {
                let prim = Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Naked };
                let key = self.tree.push(Expr::Int(key));
                let def = self.tree.push(Expr::Prim { prim, args: vec![scrutinee, key], dbg: test.dbg });
                let var = self.fresh("is_key");
                frames.push(Frame::Let { var, def });
                (self.expr(Atom::Var(var)), arm, other)
            }
        };
        let swapped = self.is_better_swapped(then_, else_, result);
        let then_ = self.arm(then_, result);
        let else_ = self.arm(else_, result);
        self.tree.push(Expr::If { cond, then_, else_, swapped, dbg: test.dbg })
    }

    /// Whether a profile says that the arms of a conditional are better laid out in the other order. The back end emits
    /// the first arm, a jump over the second, and the second: where both arms come together again, the first one takes
    /// an instruction more. Where they return, there is no such jump, and the first arm is reached by no branch that is
    /// taken.
    fn is_better_swapped(&self, then_: &ApplyCont, else_: &ApplyCont, result: Continuation) -> bool {
        let heat = |arm: &ApplyCont| self.unit.continuations[arm.cont].heat;
        let (then_, else_) = (heat(then_), heat(else_));
        if then_ == Heat::Unknown || else_ == Heat::Unknown {
            return false;
        }
        if self.returns == Some(result) { else_ > then_ } else { then_ > else_ }
    }

    fn table(
        &mut self,
        scrutinee: Atom,
        targets: &Targets<'a>,
        keys: &[(i64, u32)],
        default: Option<u32>,
        result: Continuation,
        dbg: Dbg,
    ) -> ExprId {
        // Keys which do as the default does are left to it.
        let keys = keys.iter().filter(|(_, target)| Some(*target) != default);
        let scrutinee = self.expr(scrutinee);
        let translated: Vec<_> = targets.distinct.iter().map(|arm| self.arm(arm, result)).collect();
        let default_arm = default.map(|target| translated[target as usize]);
        let mut arms = translated;
        // The default is no arm; those after it move up.
        let renumber = |target: u32| target - u32::from(default.is_some_and(|default| default < target));
        if let Some(default) = default {
            arms.remove(default as usize);
        }
        let keys = keys.map(|(key, target)| (*key, renumber(*target))).collect();
        self.tree.push(Expr::Switch { scrutinee, keys, arms, default: default_arm, dbg })
    }

    /// A branch on the contents of a string. Each key has an arm of its own: code that several keys share stands
    /// in a static catch.
    pub fn string_switch(&mut self, switch: &'a StringSwitch, result: Continuation) -> ExprId {
        let atom = self.atom(switch.scrutinee);
        let targets = Targets::new(switch.arms.iter().map(|(_, arm)| arm).chain(&switch.default));
        let default_target =
            switch.default.as_ref().and(targets.indices.last().copied()).map(|target| target as usize);
        let kept: Vec<_> = switch
            .arms
            .iter()
            .zip(&targets.indices)
            .map(|((key, _), target)| (key, *target as usize))
            .filter(|(_, target)| Some(*target) != default_target)
            .collect();
        let mut counts = vec![0; targets.distinct.len()];
        kept.iter().for_each(|(_, target)| counts[*target] += 1);

        let mut codes: Vec<_> = targets.distinct.iter().map(|arm| Some(self.arm(arm, result))).collect();
        let default = default_target.and_then(|target| codes[target].take());
        let mut handlers = Vec::new();
        let mut labels = vec![None; codes.len()];
        for (target, count) in counts.iter().enumerate() {
            if *count > 1 {
                let label = self.label();
                labels[target] = Some(label);
                let body = codes[target].take().expect("each arm is translated once");
                handlers.push(Handler { label, params: Vec::new(), body });
            }
        }
        let mut keys = Vec::with_capacity(kept.len());
        let mut arms = Vec::with_capacity(kept.len());
        for (key, target) in kept {
            keys.push(key.clone());
            arms.push(match labels[target] {
                Some(label) => self.tree.push(Expr::Exit { label, args: Vec::new() }),
                None => codes[target].take().expect("an arm that is not shared has one key"),
            });
        }
        let scrutinee = self.expr(atom);
        let body = self.tree.push(Expr::StringSwitch { scrutinee, keys, arms, default, dbg: switch.dbg });
        if handlers.is_empty() {
            body
        } else {
            self.tree.push(Expr::Catch { recursive: false, handlers, body })
        }
    }

    fn arm(&mut self, arm: &'a ApplyCont, result: Continuation) -> ExprId {
        let path = self.paths.current();
        self.paths.branch();
        let expr = match self.jump(arm, result) {
            Next::Done(expr) => expr,
            Next::Continue(run) => self.block(run, result),
        };
        self.paths.set(path);
        expr
    }
}

/// The keys of a default, where it is known which those are: then nobody tests for bounds that nothing exceeds.
fn with_all_cases(
    mut keys: Vec<(i64, u32)>,
    default: Option<u32>,
    cases: Option<u32>,
) -> (Vec<(i64, u32)>, Option<u32>) {
    let (Some(target), Some(cases)) = (default, cases.filter(|cases| *cases <= MOST_CASES)) else {
        return (keys, default);
    };
    let has = |case: &i64| keys.binary_search_by_key(case, |(key, _)| *key).is_ok();
    let missing: Vec<_> =
        (0..i64::from(cases)).filter(|case| !has(case)).map(|case| (case, target)).collect();
    if missing.is_empty() {
        return (keys, default);
    }
    keys.extend(missing);
    keys.sort_unstable();
    (keys, None)
}

/// A test for one key.
struct Test {
    scrutinee: Atom,
    /// The scrutinee is 0 or 1.
    boolean: bool,
    key: i64,
    dbg: Dbg,
}

/// Of a branch to two targets, a key which is the only one to lead to its target, with the target; 0, which
/// needs no comparison, if possible.
fn one_key(keys: &[(i64, u32)], default: Option<u32>) -> Option<(i64, u32)> {
    let mut counts = [0, 0];
    keys.iter().for_each(|(_, target)| counts[*target as usize] += 1);
    let alone = |(_, target): &&(i64, u32)| Some(*target) != default && counts[*target as usize] == 1;
    keys.iter().find(|key| key.0 == 0 && alone(key)).or_else(|| keys.iter().find(alone)).copied()
}
