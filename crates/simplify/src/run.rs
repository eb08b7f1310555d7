//! Runs of items, in the downward pass.

use std::vec;

use flambeau_ir::{ContHandler, Expr, Item, Named, Rewrite, Terminator, Variable};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::continuations::{ContState, Handler};
use crate::point::Scope;
use crate::prims::Reached;

/// What is left of a run.
pub struct Rest {
    pub items: vec::IntoIter<Item>,
    pub terminator: Terminator,
}

impl From<Expr> for Rest {
    fn from(expr: Expr) -> Rest {
        Rest { items: expr.items.into_iter(), terminator: expr.terminator }
    }
}

impl Rest {
    /// Whether nothing is left to do, because it is never reached.
    pub fn is_unreachable(&self) -> bool {
        self.items.len() == 0 && self.terminator == Terminator::Unreachable
    }

    /// Drops it without recursion.
    pub fn dismantle(self) {
        Expr { items: self.items.collect(), terminator: self.terminator }.dismantle();
    }
}

/// What follows a terminator.
pub enum Next {
    /// The handler of a continuation, in the same run.
    Continue(Rest),
    /// Nothing: the run ends with it.
    End(Terminator),
    /// A term that has been simplified.
    Splice(Expr),
}

/// A group of continuations in whose scope the run is, and whose handlers wait for the uses.
struct Group {
    /// The index in the new run where it is to be.
    index: usize,
    scope: Scope,
    recursive: bool,
    handlers: Vec<ContHandler>,
}

impl Simplifier<'_> {
    /// Simplifies a run, to its end.
    pub(crate) fn run(&mut self, rest: Rest) -> Expr {
        flambeau_ir::stack::deep(|| self.run_here(rest))
    }

    fn run_here(&mut self, mut rest: Rest) -> Expr {
        let mut out: Vec<Item> = Vec::new();
        let mut groups: Vec<Group> = Vec::new();
        let terminator = loop {
            match rest.items.next() {
                Some(Item::Let { var, named, dbg }) => {
                    let reached = match named {
                        Named::Simple(simple) => {
                            let simple = self.env.canonical(simple);
                            self.env.bind_alias(var, simple);
                            Reached::Yes
                        }
                        Named::Prim { prim, args, exn } => {
                            self.primitive(var, prim, args, exn, dbg, &mut out)
                        }
                    };
                    let ends = match reached {
                        Reached::Yes => false,
                        Reached::NoAfterRaise => !rest.is_unreachable() && self.allow(Rewrite::CertainRaise),
                        Reached::No => true,
                    };
                    if ends {
                        rest.dismantle();
                        break Terminator::Unreachable;
                    }
                }
                Some(Item::LetClosures { vars, set, dbg }) => self.closures(vars, set, dbg, &mut out),
                Some(Item::Join { cont, params, body }) => {
                    if self.is_pending(cont) {
                        let body = std::mem::replace(&mut rest, Rest::from(*body));
                        self.function.conts.insert(cont, ContState::Pending(Handler { params, rest: body }));
                        continue;
                    }
                    if self.forward(cont, &params, rest.items.as_slice(), &rest.terminator) {
                        rest = Rest::from(*body);
                        continue;
                    }
                    if let Some(handler) = self.split_handler(cont, &params) {
                        rest = self.split_join((cont, params, body), handler, rest);
                        continue;
                    }
                    let (body, uses) = self.join_body(cont, &params, *body);
                    if uses.is_empty() {
                        rest.dismantle();
                        out.extend(body.items);
                        break body.terminator;
                    }
                    let steps = if uses.len() > 1 { self.steps(cont, &body) } else { None };
                    if steps.as_ref().is_some_and(|steps| self.are_given(&params, steps)) {
                        body.dismantle();
                        continue;
                    }
                    let given = params.clone();
                    let params = self.enter_handler(cont, params, uses);
                    if let Some(steps) = steps {
                        self.env.add_given(steps, given);
                    }
                    out.push(Item::Join { cont, params: params.0, body: Box::new(body) });
                    out.extend(params.1);
                }
                Some(Item::LetCont { recursive, handlers }) => {
                    for handlers in self.split_handlers(recursive, handlers) {
                        let handlers = self.open_group(recursive, handlers);
                        if handlers.is_empty() {
                            continue;
                        }
                        groups.push(Group { index: out.len(), scope: self.here(), recursive, handlers });
                        // The position is kept; an empty group is dropped in the upward pass.
                        out.push(Item::LetCont { recursive: false, handlers: Vec::new() });
                    }
                }
                None => {
                    let end = std::mem::replace(&mut rest.terminator, Terminator::Unreachable);
                    match self.terminator(end, &mut out) {
                        Next::Continue(next) => rest = next,
                        Next::End(terminator) => break terminator,
                        Next::Splice(expr) => {
                            out.extend(expr.items);
                            break expr.terminator;
                        }
                    }
                }
            }
        };
        while let Some(group) = groups.pop() {
            let handlers = self.at(group.scope, |this| this.close_group(group.recursive, group.handlers));
            out[group.index] = Item::LetCont { recursive: group.recursive, handlers };
        }
        Expr { items: out, terminator }
    }

    /// A terminator, in the environment of its program point.
    fn terminator(&mut self, terminator: Terminator, out: &mut Vec<Item>) -> Next {
        match terminator {
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::Apply(apply) => self.apply(*apply, out),
            Terminator::Switch(switch) => self.switch(*switch, out),
            Terminator::StringSwitch(switch) => self.string_switch(*switch, out),
            Terminator::Raise { kind, exn, handler, dbg } => self.raise((kind, exn), *handler, dbg, out),
            Terminator::Try { body, handler } => self.try_(*body, handler),
            Terminator::Unreachable => Next::End(Terminator::Unreachable),
        }
    }
}

/// Parameters of a continuation.
pub type Params = SmallVec<[Variable; 2]>;
