//! The rewriting walk: it carries the value of each slot.

use cranelift_entity::SecondaryMap;
use flambeau_flow::Block;
use flambeau_ir::prim::IntOp;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, Const, Continuation, Dbg, ExnCont, Expr, IntKind, Item, Kind, Named, Prim, Simple, Subkind,
    Terminator, Unit, Variable,
};
use smallvec::{SmallVec, smallvec};

use super::classes::Classes;
use super::facts::Facts;
use super::plan::{Plan, Slot};

/// What the walk reads.
pub(super) struct Decided<'d> {
    pub(super) facts: &'d Facts,
    pub(super) classes: &'d Classes,
    pub(super) plan: &'d Plan,
}

/// Carries out a plan.
pub(super) fn rewrite(unit: &mut Unit, body: &mut Expr, decided: &Decided, names: &mut Names) {
    names.touched.drain(..).for_each(|var| names.atoms[var] = None);
    let values = SecondaryMap::with_capacity(decided.plan.slots.len());
    Rewriter { unit, decided, names, values, undo: Vec::new(), handler: None }.expr(body);
}

/// The atoms that variables are replaced by: results of loads and tests that are removed.
#[derive(Default)]
pub(super) struct Names {
    atoms: SecondaryMap<Variable, Option<Simple>>,
    touched: Vec<Variable>,
}

struct Rewriter<'r> {
    unit: &'r mut Unit,
    decided: &'r Decided<'r>,
    names: &'r mut Names,
    /// The current value of each slot; none before its first definition and where it is not live.
    values: SecondaryMap<Slot, Option<Simple>>,
    /// Values overwritten, to be restored where a continuation is bound.
    undo: Vec<(Slot, Option<Simple>)>,
    /// The innermost handler, if that is not the function's.
    handler: Option<Block>,
}

impl Rewriter<'_> {
    // ---- atoms and slots

    fn atom(&self, simple: Simple) -> Simple {
        simple.as_var().and_then(|var| self.names.atoms[var]).unwrap_or(simple)
    }

    fn atoms<'s>(&self, simples: impl IntoIterator<Item = &'s mut Simple>) {
        simples.into_iter().for_each(|simple| *simple = self.atom(*simple));
    }

    fn replace(&mut self, var: Variable, by: Simple) {
        self.names.atoms[var] = Some(by);
        self.names.touched.push(var);
    }

    /// The first slot of a block that is replaced.
    fn block(&self, simple: Simple) -> Option<Slot> {
        let Decided { classes, plan, .. } = self.decided;
        classes.block_of(simple).and_then(|block| plan.block(block))
    }

    /// The current value of a slot. There is none in code that is never run.
    fn value(&self, slot: Slot) -> Simple {
        let poison = || Simple::Const(Const::Poison(self.decided.plan.slots[slot].kind));
        self.values[slot].unwrap_or_else(poison)
    }

    fn set(&mut self, slot: Slot, value: Simple) {
        let old = self.values[slot].replace(value);
        self.undo.push((slot, old));
    }

    fn go_back(&mut self, mark: usize) {
        for (slot, old) in self.undo.drain(mark..).rev() {
            self.values[slot] = old;
        }
    }

    /// The parameters of a block: those which remain, and the slots that it takes.
    fn enter(&mut self, block: Block, params: &mut SmallVec<[Variable; 2]>) {
        let Decided { classes, plan, .. } = self.decided;
        params.retain(|param| !plan.drops(*param, classes));
        for &slot in plan.params(block) {
            let data = &plan.slots[slot];
            let param = self.unit.new_variable(data.name.clone(), data.kind, data.subkind);
            params.push(param);
            self.set(slot, param.into());
        }
    }

    /// The arguments for a block's parameters, the first `skipped` of which are not passed here.
    fn arguments(&self, block: Block, skipped: usize, args: &mut SmallVec<[Simple; 2]>) {
        let Decided { facts, classes, plan, .. } = self.decided;
        let mut params = facts.flow.blocks()[block].params.iter().skip(skipped);
        args.retain(|_| params.next().is_none_or(|param| !plan.drops(*param, classes)));
        self.atoms(args.iter_mut());
        args.extend(plan.params(block).iter().map(|slot| self.value(*slot)));
    }

    // ---- terms

    fn expr(&mut self, expr: &mut Expr) {
        deep(|| {
            let old = std::mem::take(&mut expr.items);
            let mut items = Vec::with_capacity(old.len());
            for item in old {
                self.item(item, &mut items);
            }
            self.terminator(&mut expr.terminator, &mut items);
            expr.items = items;
        });
    }

    fn item(&mut self, item: Item, items: &mut Vec<Item>) {
        match item {
            Item::Let { var, named: Named::Simple(simple), dbg } => {
                if self.block(simple).is_none() {
                    let named = Named::Simple(self.atom(simple));
                    items.push(Item::Let { var, named, dbg });
                }
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } => {
                self.prim(var, prim, args, exn, dbg, items);
            }
            Item::LetClosures { vars, mut set, dbg } => {
                self.atoms(set.values.iter_mut().map(|(_, value)| value));
                items.push(Item::LetClosures { vars, set, dbg });
            }
            Item::Join { cont, mut params, mut body } => {
                let mark = self.undo.len();
                self.expr(&mut body);
                self.go_back(mark);
                let block = self.flow_block(cont);
                self.enter(block, &mut params);
                items.push(Item::Join { cont, params, body });
                items.extend(self.record_at_start(block));
            }
            Item::LetCont { recursive, mut handlers } => {
                for handler in &mut handlers {
                    let mark = self.undo.len();
                    let block = self.flow_block(handler.cont);
                    self.enter(block, &mut handler.params);
                    let record = self.record_at_start(block);
                    self.expr(&mut handler.body);
                    handler.body.items.splice(0..0, record);
                    self.go_back(mark);
                }
                items.push(Item::LetCont { recursive, handlers });
            }
        }
    }

    fn flow_block(&self, cont: Continuation) -> Block {
        self.decided.facts.flow.block_of(cont).expect("the first walk has seen all continuations")
    }

    fn prim(
        &mut self,
        var: Variable,
        prim: Prim,
        mut args: SmallVec<[Simple; 3]>,
        mut exn: Option<Box<ExnCont>>,
        dbg: Dbg,
        items: &mut Vec<Item>,
    ) {
        if let Some(block) = self.decided.classes.block(var)
            && let Some(first) = self.decided.plan.block(block)
        {
            for (index, init) in args.iter().enumerate() {
                self.set(first.plus(index), self.atom(*init));
            }
            return;
        }
        if let Some(first) = args.first().and_then(|block| self.block(*block)) {
            return self.access(var, &prim, first, &args, dbg, items);
        }
        self.atoms(args.iter_mut());
        if let Some(exn) = &mut exn {
            self.raise(exn);
        }
        items.push(Item::Let { var, named: Named::Prim { prim, args, exn }, dbg });
    }

    /// An operation on a block that is replaced.
    fn access(
        &mut self,
        var: Variable,
        prim: &Prim,
        first: Slot,
        args: &[Simple],
        dbg: Dbg,
        items: &mut Vec<Item>,
    ) {
        let block = || {
            let block = self.decided.classes.block_of(args[0]).expect("an access is to a block");
            &self.decided.facts.uses.allocations[block]
        };
        let result = match prim {
            Prim::BlockLoad { field, .. } | Prim::BlockLoadFloat { field, .. } => {
                self.value(first.plus(*field as usize))
            }
            Prim::BlockStore { field, .. } | Prim::BlockStoreFloat { field, .. } => {
                let value = self.atom(args[1]);
                self.assign(first.plus(*field as usize), value, dbg, items);
                Simple::UNIT
            }
            Prim::OffsetRef { amount } => {
                let prim = Prim::IntArith { op: IntOp::Add, kind: IntKind::Tagged };
                // A tagged integer has 63 bits.
                let amount = Simple::tagged(*amount << 1 >> 1);
                let args = smallvec![self.value(first), amount];
                let name = &*self.decided.plan.slots[first].name;
                let sum = self.unit.new_variable(name, Kind::Value, Subkind::Immediate);
                items.push(Item::Let { var: sum, named: Named::Prim { prim, args, exn: None }, dbg });
                self.assign(first, sum.into(), dbg, items);
                Simple::UNIT
            }
            Prim::IsInt => Simple::naked_imm(0),
            Prim::GetTag => Simple::naked_imm(i64::from(block().tag)),
            Prim::PhysEqual { negated } => Simple::naked_imm(i64::from(!negated)),
            _ => unreachable!("{prim:?} lets its operand escape"),
        };
        self.replace(var, result);
    }

    /// A field has a new value. An asynchronous exception may surface anywhere, so it is recorded for the handler.
    fn assign(&mut self, slot: Slot, value: Simple, dbg: Dbg, items: &mut Vec<Item>) {
        self.set(slot, value);
        if let Some(handler) = self.handler
            && self.decided.plan.params(handler).contains(&slot)
        {
            items.push(self.record(handler, dbg));
        }
    }

    // ---- exceptions

    /// Records for a handler the current values of the fields that it takes. The others of its extra arguments stay
    /// what was last recorded.
    fn record(&mut self, handler: Block, dbg: Dbg) -> Item {
        let Decided { facts, classes, plan, .. } = self.decided;
        let here = &facts.flow.blocks()[handler];
        let mut extra_args: SmallVec<[Simple; 2]> = SmallVec::new();
        if let Some(first) = plan.recorded(handler) {
            let recorded = here.params.iter().skip(1).filter(|param| !plan.drops(**param, classes));
            extra_args.extend(recorded.enumerate().map(|(index, _)| self.value(first.plus(index))));
        }
        extra_args.extend(plan.params(handler).iter().map(|slot| self.value(*slot)));
        let cont = here.cont.expect("a handler is a continuation");
        let exn = Some(Box::new(ExnCont { cont, extra_args }));
        let var = self.unit.new_value("recorded");
        Item::Let { var, named: Named::Prim { prim: Prim::ExnState, args: SmallVec::new(), exn }, dbg }
    }

    /// Records values for the handler around a block that may be reached by leaving a `try`, if need be.
    fn record_at_start(&mut self, block: Block) -> Option<Item> {
        let handler = self.decided.facts.flow.blocks()[block].in_try.expand()?;
        self.decided.plan.records_at_start(block).then(|| self.record(handler, Dbg::NONE))
    }

    /// A point that may raise.
    fn raise(&mut self, exn: &mut ExnCont) {
        let Some(handler) = self.decided.facts.flow.block_of(exn.cont) else { return };
        self.arguments(handler, 1, &mut exn.extra_args);
        if let Some(first) = self.decided.plan.recorded(handler) {
            let old = exn.extra_args.len() - self.decided.plan.params(handler).len();
            for (index, arg) in exn.extra_args[..old].iter().enumerate() {
                self.set(first.plus(index), *arg);
            }
        }
    }

    // ---- terminators

    fn jump(&self, jump: &mut ApplyCont) {
        match self.decided.facts.flow.block_of(jump.cont) {
            Some(block) => self.arguments(block, 0, &mut jump.args),
            None => self.atoms(jump.args.iter_mut()),
        }
    }

    fn terminator(&mut self, terminator: &mut Terminator, items: &mut Vec<Item>) {
        match terminator {
            Terminator::Apply(apply) => {
                self.atoms(apply.callee.iter_mut().chain(&mut apply.args));
                self.raise(&mut apply.exn);
                if let Some(block) = self.decided.facts.flow.block_of(apply.ret)
                    && !self.decided.plan.params(block).is_empty()
                {
                    let (cont, result, jump) = self.returned(block, apply.ret);
                    apply.ret = cont;
                    let call = std::mem::replace(terminator, Terminator::ApplyCont(jump));
                    let body = Box::new(Expr { items: Vec::new(), terminator: call });
                    items.push(Item::Join { cont, params: smallvec![result], body });
                }
            }
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::Switch(switch) => {
                switch.scrutinee = self.atom(switch.scrutinee);
                switch.for_each_jump_mut(&mut |jump| self.jump(jump));
            }
            Terminator::StringSwitch(switch) => {
                switch.scrutinee = self.atom(switch.scrutinee);
                switch.for_each_jump_mut(&mut |jump| self.jump(jump));
            }
            Terminator::Raise { exn, handler, .. } => {
                *exn = self.atom(*exn);
                self.raise(handler);
            }
            Terminator::Try { body, handler } => {
                let inner = self.flow_block(handler.cont);
                self.raise(handler);
                let outer = self.handler.replace(inner);
                self.expr(body);
                self.handler = outer;
            }
            Terminator::Unreachable => {}
        }
    }

    /// What a call returns to takes its result alone: `join k' (x) { call … -> k' } k (x, field…)`. Returns `k'`,
    /// `x` and the jump.
    fn returned(&mut self, block: Block, ret: Continuation) -> (Continuation, Variable, ApplyCont) {
        let data = self.unit.variables[self.decided.facts.flow.blocks()[block].params[0]].clone();
        let result = self.unit.variables.push(data);
        let mut args = smallvec![Simple::Var(result)];
        self.arguments(block, 0, &mut args);
        (self.unit.new_continuation("returned"), result, ApplyCont { cont: ret, args })
    }
}
