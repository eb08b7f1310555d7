//! Branches, loops, static and dynamic exceptions.

use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::stack::deep;
use flambeau_ir::term::{self, StringSwitch, Switch};
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Dbg, ExnCont, IntKind, Item, Kind, Prim, Simple, Subkind,
    Terminator,
};
use flambeau_lambda::prim::RaiseKind;
use flambeau_lambda::term::{Constant, Ident, LocId, Node, NodeId, SwitchNode};
use flambeau_lambda::{Primitive, ValueKind};
use smallvec::{SmallVec, smallvec};

use crate::builder::{CatchTarget, Converter, Handler, Result, Target};
use crate::env::{Binding, Val};

impl Converter<'_> {
    // ---- conditions

    /// `if` in tail position.
    pub fn tail_if(
        &mut self,
        cond: NodeId,
        then_: NodeId,
        else_: NodeId,
        target: &Target,
    ) -> Result<Terminator> {
        self.branch(cond, |this| this.tail(then_, target), |this| this.tail(else_, target))
    }

    /// The variable that an inlined `Lazy.force` begins to test: whether it is an immediate.
    fn forced_by(&self, cond: NodeId) -> Option<Ident> {
        let Node::Prim { prim, args, .. } = self.node(cond) else { return None };
        if !matches!(**prim, Primitive::IsInt) {
            return None;
        }
        match self.node(*args.first()?) {
            Node::Var(id) if self.analysis.is_forced(*id) => Some(*id),
            _ => None,
        }
    }

    /// Gives a lazy value another name, of which nothing is known, and returns the previous binding.
    fn force_anew(&mut self, id: Ident) -> Option<Binding> {
        let before = self.env[id.0 as usize].clone();
        let Binding::Immutable(value) = &before else { return None };
        if value.is_static() {
            return None;
        }
        let forced = self.forced(value.clone());
        self.env[id.0 as usize] = Binding::Immutable(forced);
        Some(before)
    }

    /// `&&` and `||` in tail position: the second operand stays in tail position (soundness row 9).
    pub fn tail_sequential(
        &mut self,
        is_and: bool,
        first: NodeId,
        second: NodeId,
        target: &Target,
    ) -> Result<Terminator> {
        if is_and {
            self.branch(
                first,
                |this| this.tail(second, target),
                |this| Ok(this.jump(target, Simple::tagged(0))),
            )
        } else {
            self.branch(
                first,
                |this| Ok(this.jump(target, Simple::tagged(1))),
                |this| this.tail(second, target),
            )
        }
    }

    /// Branches on a condition, to two runs. The mutable variables have, at the beginning of each, their
    /// values after the condition.
    fn branch(
        &mut self,
        cond: NodeId,
        then_: impl FnOnce(&mut Self) -> Result<Terminator>,
        else_: impl FnOnce(&mut Self) -> Result<Terminator>,
    ) -> Result<Terminator> {
        let before = self.forced_by(cond).and_then(|id| Some((id, self.force_anew(id)?)));
        let branch = self.branch_here(cond, then_, else_);
        if let Some((id, before)) = before {
            self.env[id.0 as usize] = before;
        }
        branch
    }

    /// Branches on a condition, to two runs, after a value that the condition begins to force has been made opaque.
    fn branch_here(
        &mut self,
        cond: NodeId,
        then_: impl FnOnce(&mut Self) -> Result<Terminator>,
        else_: impl FnOnce(&mut Self) -> Result<Terminator>,
    ) -> Result<Terminator> {
        // The arms are built before a structured condition, in the environment before it. A condition
        // that assigns is computed first.
        let scrutinee = if self.is_structured(cond) && !self.analysis.assigns(self.term, cond) {
            None
        } else {
            Some(self.condition(cond)?)
        };
        let if_true = self.arm("then", then_)?;
        let if_false = self.arm("else", else_)?;
        let (true_cont, false_cont) = (if_true.cont, if_false.cont);
        self.items.push(Item::LetCont { recursive: false, handlers: vec![if_true, if_false] });
        match scrutinee {
            Some(scrutinee) => Ok(two_way(scrutinee, true_cont, false_cont)),
            None => self.jump_on(cond, true_cont, false_cont),
        }
    }

    /// An arm of a branch: a continuation without parameters. Leaves the environment of mutable variables
    /// as it was.
    fn arm(
        &mut self,
        name: &str,
        build: impl FnOnce(&mut Self) -> Result<Terminator>,
    ) -> Result<ContHandler> {
        let cont = self.unit.new_continuation(name);
        let body = self.isolated(build)?;
        Ok(ContHandler::plain(cont, body))
    }

    /// Whether a condition is made of conditions.
    fn is_structured(&self, cond: NodeId) -> bool {
        match self.node(cond) {
            Node::Prim { prim, .. } => {
                matches!(**prim, Primitive::SeqAnd | Primitive::SeqOr | Primitive::Not)
            }
            Node::IfThenElse { .. } => true,
            Node::Event { body, .. } => self.is_structured(*body),
            _ => false,
        }
    }

    /// Ends the run by jumping on a condition that assigns nothing.
    fn jump_on(&mut self, cond: NodeId, if_true: Continuation, if_false: Continuation) -> Result<Terminator> {
        deep(|| match self.node(cond) {
            Node::Event { body, .. } => self.jump_on(*body, if_true, if_false),
            Node::Prim { prim, args, .. } => match (&**prim, args.as_slice()) {
                (Primitive::Not, [arg]) => self.jump_on(*arg, if_false, if_true),
                (Primitive::SeqAnd, [first, second]) => {
                    let next = self.arm("and", |this| this.jump_on(*second, if_true, if_false))?;
                    let cont = next.cont;
                    self.items.push(Item::LetCont { recursive: false, handlers: vec![next] });
                    self.jump_on(*first, cont, if_false)
                }
                (Primitive::SeqOr, [first, second]) => {
                    let next = self.arm("or", |this| this.jump_on(*second, if_true, if_false))?;
                    let cont = next.cont;
                    self.items.push(Item::LetCont { recursive: false, handlers: vec![next] });
                    self.jump_on(*first, if_true, cont)
                }
                _ => {
                    let scrutinee = self.condition(cond)?;
                    Ok(two_way(scrutinee, if_true, if_false))
                }
            },
            Node::IfThenElse { cond, then_, else_ } => self.branch(
                *cond,
                |this| this.jump_on(*then_, if_true, if_false),
                |this| this.jump_on(*else_, if_true, if_false),
            ),
            Node::Const(constants) => {
                let cont = match constants.steps.as_slice() {
                    [Constant::Int(0)] => if_false,
                    _ => if_true,
                };
                Ok(jump_to(cont))
            }
            _ => {
                let scrutinee = self.condition(cond)?;
                Ok(two_way(scrutinee, if_true, if_false))
            }
        })
    }

    /// A condition as a naked immediate: false is 0.
    fn condition(&mut self, mut cond: NodeId) -> Result<Simple> {
        while let Node::Event { body, .. } = self.node(cond) {
            cond = *body;
        }
        if let Node::Prim { prim, args, loc } = self.node(cond)
            && let Some(naked) = self.comparison(prim, args, *loc)?
        {
            return Ok(naked);
        }
        let value = self.value(cond)?;
        match value.simple {
            Simple::Const(flambeau_ir::Const::Tagged(n)) => Ok(Simple::naked_imm(i64::from(n != 0))),
            simple => Ok(self.prim(
                "cond",
                Prim::PhysEqual { negated: true },
                &[simple, Simple::tagged(0)],
                LocId(0),
            )),
        }
    }

    // ---- switches

    /// `Lswitch` in tail position.
    pub fn tail_switch(&mut self, switch: &SwitchNode, target: &Target) -> Result<Terminator> {
        let scrutinee = self.value(switch.scrutinee)?.simple;
        let dbg = Dbg(switch.loc.0);
        let mut handlers = Vec::new();
        let mut const_arms = Vec::with_capacity(switch.consts.len());
        for (key, node) in &switch.consts {
            let arm = self.arm("const", |this| this.tail(*node, target))?;
            const_arms.push((*key, ApplyCont::plain(arm.cont)));
            handlers.push(arm);
        }
        let mut block_arms = Vec::with_capacity(switch.blocks.len());
        for (tag, node) in &switch.blocks {
            let arm = self.arm("tag", |this| this.tail(*node, target))?;
            block_arms.push((i64::from(*tag), ApplyCont::plain(arm.cont)));
            handlers.push(arm);
        }
        let fail = self.default_arm(switch.fail, target, &mut handlers)?;
        if !handlers.is_empty() {
            self.items.push(Item::LetCont { recursive: false, handlers });
        }
        const_arms.sort_by_key(|(key, _)| *key);
        block_arms.sort_by_key(|(key, _)| *key);
        // With how many cases there are, so that the default's are known.
        let default = |arms: &[(i64, ApplyCont)], cases: u32| {
            fail.clone().filter(|_| arms.len() < cases as usize).map(|fail| (fail, cases))
        };
        let const_default = default(&const_arms, switch.num_consts);
        let block_default = default(&block_arms, switch.num_blocks);
        let has_consts = switch.num_consts > 0;
        let has_blocks = switch.num_blocks > 0;
        match (has_consts, has_blocks) {
            (false, false) => Ok(fail.map_or(Terminator::Unreachable, Terminator::ApplyCont)),
            (true, false) => Ok(self.on_immediate(scrutinee, const_arms, const_default, dbg)),
            (false, true) => Ok(self.on_tag(scrutinee, block_arms, block_default, dbg)),
            (true, true) => {
                let on_const = self
                    .arm("consts", |this| Ok(this.on_immediate(scrutinee, const_arms, const_default, dbg)))?;
                let on_block =
                    self.arm("blocks", |this| Ok(this.on_tag(scrutinee, block_arms, block_default, dbg)))?;
                let (const_cont, block_cont) = (on_const.cont, on_block.cont);
                self.items.push(Item::LetCont { recursive: false, handlers: vec![on_const, on_block] });
                let is_int = self.prim("is_int", Prim::IsInt, &[scrutinee], switch.loc);
                Ok(two_way(is_int, const_cont, block_cont))
            }
        }
    }

    fn on_immediate(
        &mut self,
        scrutinee: Simple,
        arms: Vec<(i64, ApplyCont)>,
        default: Option<(ApplyCont, u32)>,
        dbg: Dbg,
    ) -> Terminator {
        self.switch_on(arms, default, dbg, |this| {
            this.prim("untagged", Prim::Untag, &[scrutinee], LocId(dbg.0))
        })
    }

    fn on_tag(
        &mut self,
        scrutinee: Simple,
        arms: Vec<(i64, ApplyCont)>,
        default: Option<(ApplyCont, u32)>,
        dbg: Dbg,
    ) -> Terminator {
        self.switch_on(arms, default, dbg, |this| this.prim("tag", Prim::GetTag, &[scrutinee], LocId(dbg.0)))
    }

    /// A switch on what `number` computes, which is not computed if only one arm is left.
    fn switch_on(
        &mut self,
        arms: Vec<(i64, ApplyCont)>,
        default: Option<(ApplyCont, u32)>,
        dbg: Dbg,
        number: impl FnOnce(&mut Self) -> Simple,
    ) -> Terminator {
        match (arms.len(), default) {
            (0, None) => Terminator::Unreachable,
            (0, Some((default, _))) => Terminator::ApplyCont(default),
            (1, None) => Terminator::ApplyCont(arms.into_iter().next().expect("one arm").1),
            (_, default) => {
                let scrutinee = number(self);
                let (default, cases) = default.unzip();
                Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg, cases }))
            }
        }
    }

    /// The jump to the code of a default, if there is one, whose handler is added to those of the arms.
    fn default_arm(
        &mut self,
        default: Option<NodeId>,
        target: &Target,
        handlers: &mut Vec<ContHandler>,
    ) -> Result<Option<ApplyCont>> {
        let Some(node) = default else { return Ok(None) };
        let arm = self.arm("default", |this| this.tail(node, target))?;
        let jump = ApplyCont::plain(arm.cont);
        handlers.push(arm);
        Ok(Some(jump))
    }

    /// `Lstringswitch` in tail position.
    pub fn tail_string_switch(
        &mut self,
        scrutinee: NodeId,
        arms: &[(Vec<u8>, NodeId)],
        default: Option<NodeId>,
        loc: LocId,
        target: &Target,
    ) -> Result<Terminator> {
        let scrutinee = self.value(scrutinee)?.simple;
        let mut handlers = Vec::with_capacity(arms.len() + 1);
        let mut jumps = Vec::with_capacity(arms.len());
        for (key, node) in arms {
            let arm = self.arm("string", |this| this.tail(*node, target))?;
            jumps.push((key.clone(), ApplyCont::plain(arm.cont)));
            handlers.push(arm);
        }
        jumps.sort_by(|a, b| a.0.cmp(&b.0));
        let default = self.default_arm(default, target, &mut handlers)?;
        if !handlers.is_empty() {
            self.items.push(Item::LetCont { recursive: false, handlers });
        }
        if jumps.is_empty() {
            return Ok(default.map_or(Terminator::Unreachable, Terminator::ApplyCont));
        }
        Ok(Terminator::StringSwitch(Box::new(StringSwitch {
            scrutinee,
            arms: jumps,
            default,
            dbg: Dbg(loc.0),
        })))
    }

    // ---- static exceptions

    /// `Lstaticraise`.
    pub fn static_raise(&mut self, label: i64, args: &[NodeId]) -> Result<Terminator> {
        let values = self.values_right_to_left(args)?;
        let Some(catch) = self.catches.get(&label).cloned() else {
            return self.malformed(format!("static exception {label} is not caught"));
        };
        let mut arguments: SmallVec<[Simple; 2]> = values.iter().map(|v| v.simple).collect();
        arguments.extend(self.current_values(&catch.mutables));
        Ok(Terminator::ApplyCont(ApplyCont { cont: catch.cont, args: arguments }))
    }

    /// `Lstaticcatch` in tail position.
    pub fn tail_static_catch(
        &mut self,
        body: NodeId,
        label: i64,
        params: &[(Ident, ValueKind)],
        handler: NodeId,
        target: &Target,
    ) -> Result<Terminator> {
        let mutables = self.mutables_assigned_in(body);
        let cont = self.unit.new_continuation("catch");
        let outer = self.catches.insert(label, CatchTarget { cont, mutables: mutables.clone() });
        let body = self.isolated(|this| this.tail(body, target))?;
        match outer {
            Some(outer) => self.catches.insert(label, outer),
            None => self.catches.remove(&label),
        };
        let mut vars: SmallVec<[flambeau_ir::Variable; 2]> =
            params.iter().map(|(id, kind)| self.bind_param(*id, *kind)).collect();
        self.bind_mutable_params(&mutables, &mut vars);
        self.items.push(Item::Join { cont, params: vars, body: Box::new(body) });
        self.straight = false;
        self.tail(handler, target)
    }

    // ---- exceptions

    /// `raise`.
    pub fn raise(&mut self, kind: RaiseKind, exn: NodeId, loc: LocId) -> Result<Terminator> {
        let exn = self.value(exn)?.simple;
        let kind = match kind {
            RaiseKind::Regular => term::RaiseKind::Regular,
            RaiseKind::Reraise => term::RaiseKind::Reraise,
            RaiseKind::Notrace => term::RaiseKind::NoTrace,
        };
        Ok(Terminator::Raise { kind, exn, handler: Box::new(self.exn_cont()), dbg: Dbg(loc.0) })
    }

    /// `Ltrywith` in tail position.
    pub fn tail_try(
        &mut self,
        body: NodeId,
        id: Ident,
        handler: NodeId,
        target: &Target,
    ) -> Result<Terminator> {
        let mutables = self.mutables_assigned_in(body);
        let cont = self.unit.new_exn_continuation("handler");
        let extra_args = self.current_values(&mutables).into_iter().collect();
        let inner = Handler { cont, mutables: mutables.clone() };
        let outer = std::mem::replace(&mut self.handler, inner);
        let body = self.isolated(|this| this.tail(body, target));
        self.handler = outer;
        let terminator = Terminator::Try { body: Box::new(body?), handler: ExnCont { cont, extra_args } };
        let mut params = SmallVec::new();
        params.push(self.bind_param(id, ValueKind::Generic));
        self.bind_mutable_params(&mutables, &mut params);
        let body = flambeau_ir::Expr { items: Vec::new(), terminator };
        self.items.push(Item::Join { cont, params, body: Box::new(body) });
        self.straight = false;
        self.tail(handler, target)
    }

    // ---- loops

    /// Passes the extra arguments to the handler before a loop, so that no iteration has to while they don't change.
    fn pass_state_before_loop(&mut self) {
        if !self.handler.mutables.is_empty() {
            self.raising_prim("state", Prim::ExnState, &[], LocId(0));
        }
    }

    /// `while`.
    pub fn while_loop(&mut self, node: NodeId, cond: NodeId, body: NodeId) -> Result<()> {
        self.join("exit", node, false, |this, exit| {
            this.pass_state_before_loop();
            let mutables = exit.mutables.clone();
            let looped = this.unit.new_continuation("while");
            let entry = this.current_values(&mutables);
            let mut params = SmallVec::new();
            this.bind_mutable_params(&mutables, &mut params);
            let next = Target { cont: looped, takes_value: false, mutables };
            let run = this.isolated(|this| {
                this.branch(
                    cond,
                    |this| {
                        this.effect(body)?;
                        Ok(this.jump(&next, Simple::UNIT))
                    },
                    |this| Ok(this.jump(exit, Simple::UNIT)),
                )
            })?;
            let handlers = vec![ContHandler { cont: looped, params, body: run }];
            this.items.push(Item::LetCont { recursive: true, handlers });
            Ok(Terminator::ApplyCont(ApplyCont { cont: looped, args: entry.into_iter().collect() }))
        })
        .map(drop)
    }

    /// `for`: bounds once, low first; the test for the end precedes the increment (pitfall 44).
    pub fn for_loop(
        &mut self,
        id: Ident,
        from: NodeId,
        to: NodeId,
        downto: bool,
        body: NodeId,
    ) -> Result<()> {
        let from = self.value(from)?.simple;
        let to = self.value(to)?.simple;
        // The bounds have been evaluated: variables bound in them are out of scope, though still in the environment.
        self.join("exit", body, false, |this, exit| {
            let mutables = exit.mutables.clone();
            let skip = this.arm("empty", |this| Ok(this.jump(exit, Simple::UNIT)))?;
            let enter =
                this.arm("enter", |this| this.for_body(id, from, to, downto, body, exit, mutables))?;
            let (skip_cont, enter_cont) = (skip.cont, enter.cont);
            this.items.push(Item::LetCont { recursive: false, handlers: vec![skip, enter] });
            let op = if downto { IntCmp::Lt } else { IntCmp::Gt };
            let prim = Prim::IntCompare { op, kind: IntKind::Tagged };
            let is_empty = this.prim("is_empty", prim, &[from, to], LocId(0));
            Ok(two_way(is_empty, skip_cont, enter_cont))
        })
        .map(drop)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a for loop")]
    fn for_body(
        &mut self,
        id: Ident,
        from: Simple,
        to: Simple,
        downto: bool,
        body: NodeId,
        exit: &Target,
        mutables: std::rc::Rc<[Ident]>,
    ) -> Result<Terminator> {
        self.pass_state_before_loop();
        let looped = self.unit.new_continuation("for");
        let mut entry: SmallVec<[Simple; 2]> = smallvec![from];
        entry.extend(self.current_values(&mutables));
        let index = self.unit.new_variable(self.term.name(id), Kind::Value, Subkind::Immediate);
        self.env[id.0 as usize] = Binding::Immutable(Val::unknown(index));
        let mut params = smallvec![index];
        self.bind_mutable_params(&mutables, &mut params);
        let run = self.isolated(|this| {
            this.effect(body)?;
            let done = this.arm("done", |this| Ok(this.jump(exit, Simple::UNIT)))?;
            let again = this.arm("again", |this| {
                let op = if downto { IntOp::Sub } else { IntOp::Add };
                let prim = Prim::IntArith { op, kind: IntKind::Tagged };
                let next = this.prim("next", prim, &[index.into(), Simple::tagged(1)], LocId(0));
                let mut args: SmallVec<[Simple; 2]> = smallvec![next];
                args.extend(this.current_values(&mutables));
                Ok(Terminator::ApplyCont(ApplyCont { cont: looped, args }))
            })?;
            let (done_cont, again_cont) = (done.cont, again.cont);
            this.items.push(Item::LetCont { recursive: false, handlers: vec![done, again] });
            let prim = Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Tagged };
            let is_last = this.prim("is_last", prim, &[index.into(), to], LocId(0));
            Ok(two_way(is_last, done_cont, again_cont))
        })?;
        let handlers = vec![ContHandler { cont: looped, params, body: run }];
        self.items.push(Item::LetCont { recursive: true, handlers });
        Ok(Terminator::ApplyCont(ApplyCont { cont: looped, args: entry }))
    }
}

fn jump_to(cont: Continuation) -> Terminator {
    Terminator::ApplyCont(ApplyCont::plain(cont))
}

/// Branches on a naked immediate: 0 is false.
pub(crate) fn two_way(scrutinee: Simple, if_true: Continuation, if_false: Continuation) -> Terminator {
    if let Simple::Const(flambeau_ir::Const::NakedImmediate(n)) = scrutinee {
        return jump_to(if n == 0 { if_false } else { if_true });
    }
    Terminator::Switch(Box::new(Switch {
        scrutinee,
        arms: vec![(0, ApplyCont::plain(if_false))],
        default: Some(ApplyCont::plain(if_true)),
        dbg: Dbg::NONE,
        cases: None,
    }))
}
