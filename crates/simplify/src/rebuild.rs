//! The upward pass: rebuilds the term with only what is needed, and turns edges into jumps.

use flambeau_ir::term::StringSwitch;
use flambeau_ir::{
    Apply, ApplyCont, Const, ContHandler, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, Switch,
    Terminator,
};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::edges::Target;
use crate::flow::Flow;
use crate::run::Params;

impl Simplifier<'_> {
    /// Rebuilds the body of a function.
    pub(crate) fn rebuild(&mut self, mut body: Expr) -> Expr {
        self.drop_overwritten(&mut body);
        let diamonds = std::mem::take(&mut self.function.diamonds);
        let flow = Flow::of(&body, &self.function.edges, &diamonds);
        let body = self.expr(body, &flow);
        self.function.diamonds = diamonds;
        body
    }

    fn expr(&mut self, expr: Expr, flow: &Flow) -> Expr {
        flambeau_ir::stack::deep(|| {
            let mut items = Vec::with_capacity(expr.items.len());
            for item in expr.items {
                self.item(item, flow, &mut items);
            }
            let terminator = self.end(expr.terminator, flow, &mut items);
            Expr { items, terminator }
        })
    }

    fn item(&mut self, item: Item, flow: &Flow, items: &mut Vec<Item>) {
        match item {
            Item::Let { var, named: Named::Simple(simple), dbg } => {
                if flow.needed.contains(var) {
                    items.push(Item::Let { var, named: Named::Simple(simple), dbg });
                }
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } => {
                if prim.can_drop() && !flow.needed.contains(var) {
                    return;
                }
                if let Prim::PhysEqual { negated } = prim
                    && flow.is_of_nobody_else(&args)
                {
                    let outcome = Simple::naked_imm(i64::from(negated));
                    items.push(Item::Let { var, named: Named::Simple(outcome), dbg });
                    return;
                }
                let exn = exn.map(|exn| Box::new(self.exn(*exn, flow)));
                let tells_nothing =
                    prim == Prim::ExnState && exn.as_ref().is_none_or(|e| e.extra_args.is_empty());
                if !tells_nothing {
                    items.push(Item::Let { var, named: Named::Prim { prim, args, exn }, dbg });
                }
            }
            Item::LetClosures { vars, set, dbg } => {
                if vars.iter().any(|var| flow.needed.contains(*var)) {
                    items.push(Item::LetClosures { vars, set, dbg });
                }
            }
            Item::Join { cont, params, body } => {
                let params = self.kept_params(cont, &params, flow);
                if params.is_empty() && flow.is_diamond(cont) {
                    body.dismantle();
                    return;
                }
                let body = Box::new(self.expr(*body, flow));
                items.push(Item::Join { cont, params, body });
            }
            Item::LetCont { recursive, handlers } => {
                let mut kept = Vec::with_capacity(handlers.len());
                for handler in handlers {
                    if !flow.uses.contains_key(&handler.cont) {
                        handler.body.dismantle();
                        continue;
                    }
                    let params = self.kept_params(handler.cont, &handler.params, flow);
                    let body = self.expr(handler.body, flow);
                    kept.push(ContHandler { cont: handler.cont, params, body });
                }
                if !kept.is_empty() {
                    items.push(Item::LetCont { recursive, handlers: kept });
                }
            }
        }
    }

    /// Whether a parameter stays: needed ones, the exception of a handler, the result of a call.
    fn is_kept(&self, cont: Continuation, params: &Params, index: usize, flow: &Flow) -> bool {
        flow.needed.contains(params[index])
            || index == 0 && (self.unit.continuations[cont].is_exn || flow.returned_to.contains(&cont))
    }

    fn kept_params(&self, cont: Continuation, params: &Params, flow: &Flow) -> Params {
        (0..params.len()).filter(|i| self.is_kept(cont, params, *i, flow)).map(|i| params[i]).collect()
    }

    /// The arguments for the parameters that stay.
    fn kept_args(
        &self,
        cont: Continuation,
        args: impl Iterator<Item = Simple>,
        flow: &Flow,
    ) -> SmallVec<[Simple; 2]> {
        let Some(params) = flow.params.get(&cont) else { return args.collect() };
        args.enumerate()
            .filter(|(i, _)| self.is_kept(cont, params, *i, flow))
            .map(|(i, arg)| match arg {
                // A result that is not needed requires no computation elsewhere.
                Simple::Var(_) if !flow.needed.contains(params[i]) => {
                    Simple::Const(Const::Poison(self.unit.variables[params[i]].kind))
                }
                arg => arg,
            })
            .collect()
    }

    fn exn(&self, exn: ExnCont, flow: &Flow) -> ExnCont {
        let (cont, extra) = self.function.edges.resolve(exn.cont);
        let Some(params) = flow.params.get(&cont) else { return ExnCont { cont, ..exn } };
        let extra_args = exn
            .extra_args
            .iter()
            .chain(extra)
            .enumerate()
            .filter(|(i, _)| self.is_kept(cont, params, i + 1, flow))
            .map(|(_, arg)| *arg)
            .collect();
        ExnCont { cont, extra_args }
    }

    /// The jump that an edge becomes, and what is to be computed before it.
    fn resolve_edge(&mut self, jump: ApplyCont, flow: &Flow) -> (ApplyCont, Vec<Item>) {
        let Target::Edge(edge) = Target::of(jump.cont) else {
            let args = self.kept_args(jump.cont, jump.args.iter().copied(), flow);
            return (ApplyCont { cont: jump.cont, args }, Vec::new());
        };
        let mut lets = Vec::new();
        for item in std::mem::take(&mut self.function.edges[edge].items) {
            self.item(item, flow, &mut lets);
        }
        let edge = &self.function.edges[edge];
        let args = jump.args.iter().chain(&edge.extra).copied();
        (ApplyCont { cont: edge.cont, args: self.kept_args(edge.cont, args, flow) }, lets)
    }

    /// A jump that can't be preceded by anything: through a continuation of its own if something must precede it.
    fn bare_jump(&mut self, jump: ApplyCont, flow: &Flow, items: &mut Vec<Item>) -> ApplyCont {
        let (jump, lets) = self.resolve_edge(jump, flow);
        if lets.is_empty() {
            return jump;
        }
        let cont = self.unit.new_continuation("edge");
        let body = Expr { items: lets, terminator: Terminator::ApplyCont(jump) };
        items.push(Item::let_cont(cont, body));
        ApplyCont::plain(cont)
    }

    fn end(&mut self, terminator: Terminator, flow: &Flow, items: &mut Vec<Item>) -> Terminator {
        match terminator {
            Terminator::ApplyCont(jump) => {
                let (jump, lets) = self.resolve_edge(jump, flow);
                items.extend(lets);
                Terminator::ApplyCont(jump)
            }
            Terminator::Apply(apply) => Terminator::Apply(Box::new(self.call(*apply, flow, items))),
            Terminator::Switch(switch) => {
                let Switch { scrutinee, arms, default, dbg, cases } = *switch;
                let arms = arms.into_iter().map(|(n, jump)| (n, self.bare_jump(jump, flow, items))).collect();
                let default = default.map(|jump| self.bare_jump(jump, flow, items));
                Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg, cases }))
            }
            Terminator::StringSwitch(switch) => {
                let StringSwitch { scrutinee, arms, default, dbg } = *switch;
                let arms = arms.into_iter().map(|(s, jump)| (s, self.bare_jump(jump, flow, items))).collect();
                let default = default.map(|jump| self.bare_jump(jump, flow, items));
                Terminator::StringSwitch(Box::new(StringSwitch { scrutinee, arms, default, dbg }))
            }
            Terminator::Raise { kind, exn, handler, dbg } => {
                Terminator::Raise { kind, exn, handler: Box::new(self.exn(*handler, flow)), dbg }
            }
            Terminator::Try { body, handler } => {
                Terminator::Try { body: Box::new(self.expr(*body, flow)), handler: self.exn(handler, flow) }
            }
            Terminator::Unreachable => Terminator::Unreachable,
        }
    }

    /// A call, whose result is passed through a continuation of its own if not exactly that result is passed on.
    fn call(&mut self, mut apply: Apply, flow: &Flow, items: &mut Vec<Item>) -> Apply {
        apply.exn = self.exn(apply.exn, flow);
        let Target::Edge(edge) = Target::of(apply.ret) else { return apply };
        let results = self.function.edges[edge].results.clone();
        let args: SmallVec<[Simple; 2]> = results.iter().map(|r| Simple::Var(*r)).collect();
        let (jump, lets) = self.resolve_edge(ApplyCont { cont: apply.ret, args: args.clone() }, flow);
        let needs_result = flow.params.get(&jump.cont).is_some_and(|params| !params.is_empty());
        if lets.is_empty() && (jump.args == args || !needs_result || jump.args.len() == args.len()) {
            apply.ret = jump.cont;
            return apply;
        }
        let cont = self.unit.new_continuation("returned");
        let body = Expr { items: lets, terminator: Terminator::ApplyCont(jump) };
        let handlers = vec![ContHandler { cont, params: results, body }];
        items.push(Item::LetCont { recursive: false, handlers });
        apply.ret = cont;
        apply
    }
}
