//! Branches, in the downward pass.

use flambeau_ir::prim::IntCmp;
use flambeau_ir::term::StringSwitch;
use flambeau_ir::{
    ApplyCont, Const, ContHandler, Expr, IntKind, Item, Kind, Prim, Rewrite, Simple, Subkind, Switch,
    Terminator,
};
use flambeau_types::{IntSet, Operands, Ty};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::continuations::ContState;
use crate::run::Next;

impl Simplifier<'_> {
    /// A switch that ends a run.
    pub(crate) fn switch(&mut self, mut switch: Switch, out: &mut Vec<Item>) -> Next {
        switch.scrutinee = self.env.canonical(switch.scrutinee);
        self.switch_on_negated(&mut switch);
        let set = self.prune(&mut switch);
        if let Some(jump) = self.only_way(&mut switch, out) {
            self.count(|removed| removed.branches += 1);
            return self.jump(jump);
        }
        let scrutinee = switch.scrutinee;
        let mut handlers = Vec::new();
        let mut arms = Vec::with_capacity(switch.arms.len());
        let mut others = set;
        for (value, jump) in switch.arms {
            others = others.without(value);
            if let Some(jump) = self.arm(scrutinee, &IntSet::one(value), jump, &mut handlers) {
                arms.push((value, jump));
            }
        }
        let default = switch.default.and_then(|jump| self.arm(scrutinee, &others, jump, &mut handlers));
        if arms.is_empty() && default.is_none() {
            return Next::End(Terminator::Unreachable);
        }
        if !handlers.is_empty() {
            out.push(Item::LetCont { recursive: false, handlers });
        }
        let single = arms.len() + usize::from(default.is_some()) == 1;
        if single && let Some(jump) = default.clone().or_else(|| arms.pop().map(|(_, jump)| jump)) {
            self.count(|removed| removed.branches += 1);
            return Next::End(Terminator::ApplyCont(jump));
        }
        let cases = switch.cases.filter(|_| default.is_some());
        Next::End(Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg: switch.dbg, cases })))
    }

    /// A switch on the negation of a truth value is one on that, its arms exchanged.
    fn switch_on_negated(&mut self, switch: &mut Switch) {
        while let Some(truth) = self.negated(switch.scrutinee) {
            if switch.arms.iter().any(|(value, _)| !(0..=1).contains(value))
                || !self.allow(Rewrite::NegatedSwitch)
            {
                break;
            }
            switch.scrutinee = truth;
            switch.arms.iter_mut().for_each(|(value, _)| *value = 1 - *value);
            switch.arms.reverse();
        }
    }

    /// The truth value of which this is the negation.
    fn negated(&self, simple: Simple) -> Option<Simple> {
        let definition = self.env.definition(simple)?;
        let is_eq = definition.prim == Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Naked };
        let truth = definition.args[0];
        let to_zero = is_eq
            && self.env.constant(definition.args[1], Kind::NakedImmediate) == Some(Const::NakedImmediate(0));
        let is_truth = matches!(self.env.ty(truth), Ty::Int(set) if IntSet::bool().includes(&set));
        (to_zero && is_truth).then_some(truth)
    }

    /// Drops the arms for values that the scrutinee can't have. Returns those that it can.
    fn prune(&mut self, switch: &mut Switch) -> IntSet {
        let mut set = self.env.switched(switch.scrutinee);
        if let Some(cases) = switch.cases {
            set = set.intersection(&IntSet::range(0, i64::from(cases) - 1));
        }
        let others = switch.arms.iter().fold(set.clone(), |set, (value, _)| set.without(*value));
        let dead_arms = switch.arms.iter().any(|(value, _)| !set.contains(*value));
        let dead_default = switch.default.is_some() && others.is_empty();
        if (dead_arms || dead_default) && self.allow(Rewrite::DeadArms) {
            switch.arms.retain(|(value, _)| set.contains(*value));
            if dead_default {
                (switch.default, switch.cases) = (None, None);
            }
        }
        set
    }

    /// The jump that a switch reduces to, if all its arms are equal, or differ only by an argument that the scrutinee
    /// determines.
    fn only_way(&mut self, switch: &mut Switch, out: &mut Vec<Item>) -> Option<ApplyCont> {
        let mut jumps = switch.arms.iter().map(|(_, jump)| jump).chain(&switch.default);
        let first = jumps.next()?.clone();
        let Some(second) = jumps.next() else {
            // A switch with one arm is a jump: that is the form of terms.
            return Some(first);
        };
        if *second == first && jumps.all(|jump| *jump == first) {
            return self.allow(Rewrite::OneArm).then_some(first);
        }
        self.as_scrutinee(switch, out).or_else(|| self.as_arithmetic(switch, out))
    }

    /// `switch n { 0 -> k (0), 1 -> k (1), 2 -> k (2) }` is `k (n)`.
    fn as_scrutinee(&mut self, switch: &Switch, out: &mut Vec<Item>) -> Option<ApplyCont> {
        let ((first, rest), None) = (switch.arms.split_first()?, &switch.default) else { return None };
        let is_value = |(n, jump): &(i64, ApplyCont), index: usize| {
            let arg = self.env.canonical(jump.args[index]);
            arg == Simple::tagged(*n) || arg == Simple::naked_imm(*n)
        };
        let differs = |index: &usize| {
            let arg = self.env.canonical(first.1.args[*index]);
            rest.iter().any(|(_, jump)| self.env.canonical(jump.args[*index]) != arg)
        };
        if rest.iter().any(|(_, jump)| jump.cont != first.1.cont) {
            return None;
        }
        let differing: SmallVec<[usize; 2]> = (0..first.1.args.len()).filter(differs).collect();
        let is_scrutinee = |index: &usize| switch.arms.iter().all(|arm| is_value(arm, *index));
        if !differing.iter().all(is_scrutinee) || !self.allow(Rewrite::ArithmeticSwitch) {
            return None;
        }
        let mut jump = first.1.clone();
        for index in differing {
            let is_tagged = matches!(self.env.canonical(jump.args[index]), Simple::Const(Const::Tagged(_)));
            jump.args[index] = match self.env.definition(switch.scrutinee) {
                _ if !is_tagged => switch.scrutinee,
                // It is one of few immediates: there are no other values.
                Some(definition) if definition.prim == Prim::Untag => self.env.canonical(definition.args[0]),
                _ => self.new_let("tagged", Kind::Value, Prim::Tag, &[switch.scrutinee], switch.dbg, out),
            };
        }
        Some(jump)
    }

    /// `switch b { 0 -> k (0), 1 -> k (1) }` is `k (b)`; likewise with `b` negated.
    fn as_arithmetic(&mut self, switch: &Switch, out: &mut Vec<Item>) -> Option<ApplyCont> {
        let zero_one = |n: i64, jump: &ApplyCont| (n, jump.clone());
        let (a, b) = match (&switch.arms[..], &switch.default) {
            ([(0, a), (1, b)], None) => (zero_one(0, a), zero_one(1, b)),
            ([(n @ (0 | 1), a)], Some(b)) => {
                let Ty::Int(set) = self.env.ty(switch.scrutinee) else { return None };
                if !IntSet::bool().includes(&set) {
                    return None;
                }
                if *n == 0 { (zero_one(0, a), zero_one(1, b)) } else { (zero_one(0, b), zero_one(1, a)) }
            }
            _ => return None,
        };
        let (a, b) = (a.1, b.1);
        if a.cont != b.cont {
            return None;
        }
        let differing: SmallVec<[usize; 2]> = (0..a.args.len())
            .filter(|i| self.env.canonical(a.args[*i]) != self.env.canonical(b.args[*i]))
            .collect();
        let [index] = differing[..] else { return None };
        let (low, high) = (self.env.canonical(a.args[index]), self.env.canonical(b.args[index]));
        let is = |simple: Simple, n: i64| simple == Simple::tagged(n) || simple == Simple::naked_imm(n);
        let negated = match () {
            () if is(low, 0) && is(high, 1) => false,
            () if is(low, 1) && is(high, 0) => true,
            () => return None,
        };
        let tagged = matches!(low, Simple::Const(Const::Tagged(_)));
        if tagged != matches!(high, Simple::Const(Const::Tagged(_))) || !self.allow(Rewrite::ArithmeticSwitch)
        {
            return None;
        }
        let mut value = switch.scrutinee;
        if negated {
            let prim = Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Naked };
            value = self.new_let(
                "not",
                Kind::NakedImmediate,
                prim,
                &[value, Simple::naked_imm(0)],
                switch.dbg,
                out,
            );
        }
        if tagged {
            value = self.new_let("tagged", Kind::Value, Prim::Tag, &[value], switch.dbg, out);
        }
        let mut jump = a;
        jump.args[index] = value;
        Some(jump)
    }

    /// Adds one more binding at the end of the run.
    pub(crate) fn new_let(
        &mut self,
        name: &str,
        kind: Kind,
        prim: Prim,
        args: &[Simple],
        dbg: flambeau_ir::Dbg,
        out: &mut Vec<Item>,
    ) -> Simple {
        let var = self.unit.new_variable(name, kind, Subkind::Any);
        self.primitive(var, prim, Operands::from_slice(args), None, dbg, out);
        self.env.canonical(var.into())
    }

    /// An arm, taken when the scrutinee is in the set; `None` if it never is, and may be left out. The handler of a
    /// pending continuation is simplified for this arm.
    fn arm(
        &mut self,
        scrutinee: Simple,
        set: &IntSet,
        jump: ApplyCont,
        handlers: &mut Vec<ContHandler>,
    ) -> Option<ApplyCont> {
        self.in_branch(|this| {
            let mark = this.env.mark();
            if !this.env.assume(scrutinee, set) {
                if this.allow(Rewrite::DeadArms) {
                    return None;
                }
                // Nothing is concluded from a contradiction that may not be made use of.
                this.env.undo(mark);
            }
            this.arm_here(jump, handlers)
        })
    }

    fn arm_here(&mut self, jump: ApplyCont, handlers: &mut Vec<ContHandler>) -> Option<ApplyCont> {
        let jump = self.redirected(jump);
        if !matches!(self.function.conts.get(&jump.cont), Some(ContState::Pending(_))) {
            return Some(self.use_cont(jump));
        }
        let Some(ContState::Pending(handler)) = self.function.conts.remove(&jump.cont) else { return None };
        self.bind_args(&handler.params, &jump.args);
        let body = self.run(handler.rest);
        match body {
            Expr { items, terminator: Terminator::Unreachable } if items.is_empty() => None,
            // A jump can be made from the arm as well as from the handler.
            Expr { items, terminator: Terminator::ApplyCont(jump) } if items.is_empty() => Some(jump),
            body => {
                handlers.push(ContHandler::plain(jump.cont, body));
                Some(ApplyCont::plain(jump.cont))
            }
        }
    }

    /// A switch on a string that ends a run.
    pub(crate) fn string_switch(&mut self, switch: StringSwitch, out: &mut Vec<Item>) -> Next {
        let scrutinee = self.env.canonical(switch.scrutinee);
        if let Some(jump) = self.known_string_arm(&switch)
            && self.allow(Rewrite::KnownString)
        {
            let jump = jump.clone();
            self.count(|removed| removed.branches += 1);
            return self.jump(jump);
        }
        let mut handlers = Vec::new();
        let mut arms = Vec::with_capacity(switch.arms.len());
        for (contents, jump) in switch.arms {
            // A dead arm of a string switch stays, as a jump to an unreachable continuation: strings can't be
            // enumerated.
            let jump = self.string_arm(jump, &mut handlers);
            arms.push((contents, jump));
        }
        let default = switch.default.map(|jump| self.string_arm(jump, &mut handlers));
        if !handlers.is_empty() {
            out.push(Item::LetCont { recursive: false, handlers });
        }
        let switch = StringSwitch { scrutinee, arms, default, dbg: switch.dbg };
        Next::End(Terminator::StringSwitch(Box::new(switch)))
    }

    fn string_arm(&mut self, jump: ApplyCont, handlers: &mut Vec<ContHandler>) -> ApplyCont {
        let cont = jump.cont;
        self.scoped(|this| this.arm_here(jump, handlers)).unwrap_or_else(|| {
            handlers.push(ContHandler::plain(cont, Expr::unreachable()));
            ApplyCont::plain(cont)
        })
    }
}
