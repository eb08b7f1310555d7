//! Exceptions, in the downward pass.

use std::rc::Rc;

use flambeau_ir::term::RaiseKind;
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Dbg, ExnCont, Expr, Item, Named, Rewrite, Simple, Terminator,
};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::run::{Next, Params, Rest};

impl Simplifier<'_> {
    /// A point that may raise: its handler learns what is known here.
    pub(crate) fn raise_point(&mut self, mut exn: ExnCont) -> ExnCont {
        for arg in &mut exn.extra_args {
            *arg = self.env.canonical(*arg);
        }
        let args = [Simple::UNIT].into_iter().chain(exn.extra_args.iter().copied()).collect();
        exn.cont = self.record_use(exn.cont, args);
        exn
    }

    /// A raise: a jump, if its target is a handler of this function and no backtrace needs its origin (features D13,
    /// pitfall 43).
    pub(crate) fn raise(
        &mut self,
        (kind, exn): (RaiseKind, Simple),
        handler: ExnCont,
        dbg: Dbg,
        out: &mut Vec<Item>,
    ) -> Next {
        let exn = self.env.canonical(exn);
        if let Some(cont) = self.function.raise_targets.get(&handler.cont).copied()
            && self.is_traceless(kind)
            && self.allow(Rewrite::RaiseToJump)
        {
            let args: SmallVec<[Simple; 2]> =
                [exn].into_iter().chain(handler.extra_args.iter().copied()).collect();
            let jump = self.through_forks(ApplyCont { cont, args }, dbg, out);
            return self.jump(jump);
        }
        let handler = Box::new(self.raise_point(handler));
        Next::End(Terminator::Raise { kind, exn, handler, dbg })
    }

    /// Whether nothing is lost when a raise becomes a jump.
    pub(crate) fn is_traceless(&self, kind: RaiseKind) -> bool {
        kind == RaiseKind::NoTrace || !self.rewrites.keep_backtraces
    }

    /// Creates an ordinary continuation from a handler that some raise of this function reaches: the handler jumps to
    /// it. Returns that continuation, and the handler's new parameters and code.
    pub(crate) fn split_handler(&mut self, cont: Continuation, params: &Params) -> Option<ContHandler> {
        if !self.function.analysis.is_raised_to(cont)
            || self.function.raise_targets.contains_key(&cont)
            || !self.allow(Rewrite::SplitHandler)
        {
            return None;
        }
        let name = self.unit.continuations[cont].name.clone();
        let ordinary = self.unit.new_continuation(name);
        Rc::make_mut(&mut self.function.analysis).note_open(ordinary);
        self.function.raise_targets.insert(cont, ordinary);
        let params: Params = params.iter().map(|p| self.unit.new_variable_like(*p)).collect();
        let args = params.iter().map(|p| Simple::Var(*p)).collect();
        let body =
            Expr { items: Vec::new(), terminator: Terminator::ApplyCont(ApplyCont { cont: ordinary, args }) };
        Some(ContHandler { cont: ordinary, params, body })
    }

    /// `arms; join h2 (params) { join exn h (e) { body }; h2 (e) }; tests`, from `join exn h (params) { body }` and its
    /// handler.
    pub(crate) fn split_join(
        &mut self,
        (cont, params, body): (Continuation, Params, Box<Expr>),
        first: ContHandler,
        rest: Rest,
    ) -> Rest {
        let inner = Item::Join { cont, params: first.params, body };
        let inner = Expr { items: vec![inner], terminator: first.body.terminator };
        let rest = Expr { items: rest.items.collect(), terminator: rest.terminator };
        let mut arms = Vec::new();
        let continued = self.split_fork(ContHandler { cont: first.cont, params, body: rest }, &mut arms);
        let arms = arms.into_iter().map(|arm| Item::LetCont { recursive: false, handlers: vec![arm] });
        let join = Item::Join { cont: continued.cont, params: continued.params, body: Box::new(inner) };
        let items: Vec<Item> = arms.chain([join]).chain(continued.body.items).collect();
        Rest { items: items.into_iter(), terminator: continued.body.terminator }
    }

    /// Creates ordinary continuations from the handlers of a group: returns the groups that become of it, in order.
    pub(crate) fn split_handlers(
        &mut self,
        recursive: bool,
        handlers: Vec<ContHandler>,
    ) -> Vec<Vec<ContHandler>> {
        if recursive {
            return vec![handlers];
        }
        let mut groups = Vec::new();
        let mut ordinary = Vec::new();
        let mut left = Vec::with_capacity(handlers.len());
        for handler in handlers {
            match self.split_handler(handler.cont, &handler.params) {
                Some(first) => {
                    let mut arms = Vec::new();
                    let continued = ContHandler { cont: first.cont, ..handler };
                    ordinary.push(self.split_fork(continued, &mut arms));
                    groups.extend(arms.into_iter().map(|arm| vec![arm]));
                    left.push(ContHandler { cont: handler.cont, ..first });
                }
                None => left.push(handler),
            }
        }
        groups.extend([ordinary, left]);
        groups
    }

    /// A `try`.
    pub(crate) fn try_(&mut self, body: Expr, handler: ExnCont) -> Next {
        let body = self.scoped(|this| this.run(Rest::from(body)));
        let is_raised = self.has_uses(handler.cont);
        if !is_raised && is_quiet(&body) && self.allow(Rewrite::UselessHandler) {
            return Next::Splice(body);
        }
        // Until the first raise the extra arguments are those passed here; nothing is known of the memory.
        let handler = self.raise_point(handler);
        Next::End(Terminator::Try { body: Box::new(body), handler })
    }
}

/// Whether nothing in a body could raise, asynchronous exceptions included: no call, no allocation, no loop (pitfall
/// 41).
fn is_quiet(body: &Expr) -> bool {
    let mut quiet = true;
    body.walk(&mut |expr| {
        for item in &expr.items {
            quiet &= match item {
                Item::Let { named: Named::Simple(_), .. } | Item::Join { .. } => true,
                Item::Let { named: Named::Prim { prim, .. }, .. } => !prim.can_be_interrupted(),
                Item::LetClosures { .. } => false,
                Item::LetCont { recursive, .. } => !recursive,
            };
        }
        quiet &= !matches!(
            expr.terminator,
            Terminator::Apply(_) | Terminator::Try { .. } | Terminator::Raise { .. }
        );
    });
    quiet
}
