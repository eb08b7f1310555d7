//! The walk through a body that the pre-pass begins with: how often each continuation is used and from where, what
//! flows into which parameter, and what is done with it.

use flambeau_ir::prim::{Classes, Crossing};
use flambeau_ir::term::RaiseKind;
use flambeau_ir::{
    ApplyCont, CallKind, Const, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, Terminator, Variable,
};
use flambeau_types::Ty;

use super::iterations::BoxUse;
use super::knowledge::{self, Knowledge};
use super::{Asked, Flow, Here, Source, Uses, Walk};
use crate::Functions;
use crate::run::Params;
use crate::waiting::waits;

impl<'a> Walk<'a> {
    /// Records what a body does.
    pub(super) fn run(&mut self, body: &'a Expr) {
        let mut regions = 0;
        let first = Here { region: 0, place: self.iterations.place(None), around: None };
        let mut pending: Vec<(&Expr, Here)> = vec![(body, first)];
        // Each loop with the one around it: outer before inner.
        let mut loops: Vec<(Continuation, Option<usize>, Classes)> = Vec::new();
        while let Some((expr, mut here)) = pending.pop() {
            let mut writes = Classes::NONE;
            for (index, item) in expr.items.iter().enumerate() {
                self.item(item, here);
                match item {
                    Item::Join { cont, params: results, body } => {
                        self.define(*cont, results, here);
                        self.iterations.disturbs(here.place);
                        let place = self.iterations.entered(here.place, here.around);
                        pending.push((body, Here { place, ..here }));
                        here.place = self.iterations.place(here.around);
                        self.iterations.handler(*cont, results, here.place, None);
                        self.beginning(results, &expr.items[index + 1..]);
                    }
                    Item::LetCont { recursive, handlers } => {
                        let mut inner = here;
                        if *recursive && let Some(first) = handlers.first() {
                            regions += 1;
                            inner.region = regions;
                            inner.around = Some(loops.len());
                            let waited = if waits(handlers) { Classes::CONTENTS } else { Classes::NONE };
                            loops.push((first.cont, here.around, waited));
                            self.iterations.begin_loop(here.around);
                        }
                        for handler in handlers {
                            let place = self.iterations.place(inner.around);
                            let head_of = inner.around.filter(|_| *recursive);
                            self.define(handler.cont, &handler.params, here);
                            self.iterations.handler(handler.cont, &handler.params, place, head_of);
                            self.beginning(&handler.params, &handler.body.items);
                            pending.push((&handler.body, Here { place, ..inner }));
                        }
                    }
                    Item::Let { named: Named::Prim { prim, .. }, .. } => {
                        writes |= prim.effects().writes();
                        if prim.crossing() != Crossing::Nothing {
                            self.iterations.disturbs(here.place);
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            self.terminator(&expr.terminator, here);
            match &expr.terminator {
                Terminator::Try { body, .. } => {
                    regions += 1;
                    self.iterations.disturbs(here.place);
                    let place = self.iterations.entered(here.place, here.around);
                    pending.push((body, Here { region: regions, place, around: here.around }));
                }
                Terminator::Apply(_) => {
                    writes = Classes::ALL;
                    self.iterations.disturbs(here.place);
                }
                _ => {}
            }
            if let Some(index) = here.around {
                loops[index].2 |= writes;
            }
        }
        for index in (0..loops.len()).rev() {
            let (cont, enclosing, writes) = loops[index];
            self.analysis.loops.insert(cont, writes);
            if let Some(outer) = enclosing {
                loops[outer].2 |= writes;
            }
        }
    }

    fn define(&mut self, cont: Continuation, params: &'a Params, here: Here) {
        let uses = Uses { bound: true, region: here.region, ..Uses::default() };
        self.analysis.uses.insert(cont, uses);
        self.params.insert(cont, params);
    }

    fn use_cont(&mut self, cont: Continuation, here: Here) {
        let uses = self.analysis.uses.entry(cont).or_default();
        uses.count += 1;
        uses.crosses_region |= uses.region != here.region;
        self.iterations.jump(here.place, cont);
    }

    fn flow(&mut self, to: Variable, from: Source, here: Here) {
        if self.asked == Asked::Uses {
            return;
        }
        if let Source::Atom(simple) = from {
            self.whole_use(simple);
        }
        self.flows.push(Flow { to, from, place: here.place });
    }

    fn whole_use(&mut self, simple: Simple) {
        if let Simple::Var(var) = simple
            && self.asked == Asked::Everything
        {
            *self.analysis.whole_uses.entry(var).or_default() += 1;
        }
    }

    /// Records a use that is not a projection.
    fn escapes(&mut self, simple: Simple, here: Here) {
        self.whole_use(simple);
        self.iterations.boxed_use(simple, BoxUse::Escapes, here.place);
    }

    fn item(&mut self, item: &'a Item, here: Here) {
        match item {
            Item::Let { named: Named::Prim { exn, .. }, .. } if self.asked == Asked::Uses => {
                exn.iter().for_each(|exn| self.raise(exn, here));
            }
            Item::LetClosures { .. } if self.asked == Asked::Uses => {}
            Item::Let { var, named: Named::Simple(simple), .. } => {
                self.flow(*var, Source::Atom(*simple), here);
                self.iterations.copy(*var, here.place);
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                let ty = knowledge::result(prim, args.len());
                if ty != Ty::Unknown {
                    self.analysis.known.insert(*var, Knowledge::of_ty(ty));
                }
                if prim.makes_immutable() {
                    self.iterations.allocated(*var, here.place);
                }
                self.operands(prim, args, here);
                if let Some(exn) = exn {
                    self.raise(exn, here);
                }
            }
            Item::LetClosures { vars, set, .. } => {
                let functions = Functions::from(&set.functions[..]);
                for (var, (slot, _)) in vars.iter().zip(&set.functions) {
                    self.iterations.allocated(*var, here.place);
                    let ty = knowledge::closure(*slot, set, &functions);
                    self.analysis.known.insert(*var, Knowledge::of_ty(ty));
                }
                for (_, value) in &set.values {
                    self.escapes(*value, here);
                    vars.iter().for_each(|var| self.iterations.capture(*var, *value));
                }
            }
            // Their continuations are recorded with the blocks of their handlers.
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Records what a primitive does with its operands: whether it projects from them or uses them otherwise.
    fn operands(&mut self, prim: &Prim, args: &[Simple], here: Here) {
        match (prim, args) {
            (
                Prim::Unbox(_)
                | Prim::BlockLoad { .. }
                | Prim::BlockLoadFloat { .. }
                | Prim::IsInt
                | Prim::GetTag
                | Prim::ProjectValueSlot { .. },
                [Simple::Var(whole)],
            ) => {
                self.analysis.projected.insert(*whole);
            }
            (Prim::Untag, _) => {}
            (
                Prim::PhysEqual { .. },
                [whole @ Simple::Var(_), Simple::Const(Const::Tagged(n))]
                | [Simple::Const(Const::Tagged(n)), whole @ Simple::Var(_)],
            ) => self.iterations.boxed_use(*whole, BoxUse::Compared(*n), here.place),
            _ => args.iter().for_each(|arg| self.escapes(*arg, here)),
        }
    }

    fn raise(&mut self, exn: &ExnCont, here: Here) {
        self.use_cont(exn.cont, here);
        let Some(params) = self.params.get(&exn.cont).copied() else { return };
        if let Some((bucket, extras)) = params.split_first() {
            self.flow(*bucket, Source::Unknown, here);
            for (param, arg) in extras.iter().zip(&exn.extra_args) {
                self.flow(*param, Source::Atom(*arg), here);
                self.iterations.of_handler(*param);
            }
        }
    }

    fn jump(&mut self, jump: &ApplyCont, here: Here) {
        self.use_cont(jump.cont, here);
        match self.params.get(&jump.cont).copied() {
            Some(params) => {
                for (param, arg) in params.iter().zip(&jump.args) {
                    self.flow(*param, Source::Atom(*arg), here);
                }
            }
            None => jump.args.iter().for_each(|arg| self.escapes(*arg, here)),
        }
    }

    /// Records a jump that is one of several in the same run: what it passes is passed on its path alone.
    fn arm(&mut self, jump: &ApplyCont, here: Here) {
        let is_plain = jump.args.iter().all(|arg| arg.as_var().is_none());
        let place = if is_plain { here.place } else { self.iterations.entered(here.place, here.around) };
        self.jump(jump, Here { place, ..here });
    }

    fn terminator(&mut self, terminator: &Terminator, here: Here) {
        match terminator {
            Terminator::Apply(apply) => {
                self.use_cont(apply.ret, here);
                self.analysis.uses.entry(apply.ret).or_default().is_returned_to = true;
                apply.callee.iter().chain(&apply.args).for_each(|arg| self.escapes(*arg, here));
                apply.for_each_comparator(&mut |function| self.escapes(function, here));
                if let (CallKind::Generic, Some(Simple::Var(callee))) = (&apply.kind, apply.callee) {
                    self.analysis.called.insert(callee);
                    self.iterations.call(callee, here.place);
                }
                for param in self.params.get(&apply.ret).copied().into_iter().flatten() {
                    self.flow(*param, Source::Unknown, here);
                }
                self.raise(&apply.exn, here);
            }
            Terminator::ApplyCont(jump) => self.jump(jump, here),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| self.arm(jump, here)),
            Terminator::StringSwitch(switch) => {
                self.escapes(switch.scrutinee, here);
                switch.for_each_jump(&mut |jump| self.arm(jump, here));
            }
            Terminator::Raise { handler, kind, exn, .. } => {
                self.escapes(*exn, here);
                if *kind == RaiseKind::NoTrace || !self.debug {
                    self.analysis.raised_to.insert(handler.cont);
                }
                self.raise(handler, here);
            }
            Terminator::Try { handler, .. } => self.raise(handler, here),
            Terminator::Unreachable => {}
        }
    }
}
