//! Loops: `while true`, parameters being variables that are assigned, and what leaves it static exits.
//!
//! What a function returns from inside of a loop leaves it, too: a call there would be no tail call. So its function
//! and its arguments leave the loop, and the call is made behind it.

use flambeau_cmm::tree::{Expr, ExprId, Handler, Label as TreeLabel};
use flambeau_ir::prim::{IntCmp, Mutability};
use flambeau_ir::{Dbg, IntKind, Prim};

use crate::body::{Context, Frame};
use crate::term::{Arms, Ident, Label, Term, TermId};
use crate::unit::{Leaf, Translation};

/// Where an exit leads.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub label: Label,
    /// The variables that are assigned before, if it leads to a loop.
    pub assigned: Option<Vec<Ident>>,
    /// The variable that says which handler of a group is next, and the number of this one.
    pub state: Option<(Ident, i64)>,
}

/// What leaves a loop.
#[derive(Debug)]
pub(crate) struct Leaving {
    /// Takes values.
    value: Label,
    is_used: bool,
    /// How many variables there were when it began.
    begin: u32,
    /// Calls that are made behind it.
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    label: Label,
    params: Vec<Ident>,
    call: TermId,
}

impl Translation<'_> {
    /// What a term's value becomes in a context.
    pub fn result(&mut self, term: TermId, context: Context) -> TermId {
        let Context::Leave { from, tail } = context else { return term };
        if tail && let Some(exit) = self.call_behind(term, from) {
            return exit;
        }
        self.leaving[from].is_used = true;
        let label = self.leaving[from].value;
        self.push(Term::Exit { label, args: vec![term] })
    }

    /// Leaves a loop with the operands of a call, which is made behind it.
    fn call_behind(&mut self, call: TermId, from: usize) -> Option<TermId> {
        let mut call = self.program.term(call).clone();
        let operands = call.operands_of_call()?;
        let begin = self.leaving[from].begin;
        let (mut args, mut params) = (Vec::new(), Vec::new());
        for operand in operands {
            if !self.is_known_behind(*operand, begin) {
                let param = self.ident("passed");
                params.push(param);
                args.push(std::mem::replace(operand, self.leaf(Leaf::Ident(param))));
            }
        }
        let call = self.push(call);
        let label = self.program.label();
        self.leaving[from].calls.push(Call { label, params, call });
        Some(self.push(Term::Exit { label, args }))
    }

    /// Whether a term is the same behind a loop which began when there were so many variables.
    fn is_known_behind(&self, term: TermId, begin: u32) -> bool {
        match self.program.term(term) {
            Term::Var(ident) => ident.0 < begin,
            Term::Int(_) | Term::Global(_) => true,
            Term::Prim { prim: Prim::BlockLoad { mutability: Mutability::Immutable, .. }, args, .. } => {
                matches!(self.program.term(args[0]), Term::Global(_))
            }
            _ => false,
        }
    }

    /// A recursive group of handlers.
    pub fn loop_(&mut self, handlers: &[Handler], body: ExprId, context: Context) -> TermId {
        let (inner, own) = match context {
            Context::Leave { .. } => (context, false),
            Context::Value | Context::Tail => {
                let (value, begin) = (self.program.label(), self.program.idents.len() as u32);
                self.leaving.push(Leaving { value, is_used: false, begin, calls: Vec::new() });
                (Context::Leave { from: self.leaving.len() - 1, tail: context == Context::Tail }, true)
            }
        };
        let mut frames = Vec::new();
        if let Some(counted) = self.counted(handlers, body, context) {
            return if own { self.behind(counted) } else { counted };
        }
        let entered = self.enter(handlers, body, inner, &mut frames);
        let iterations = match self.tested_first(handlers, inner, context) {
            Some(iterations) => iterations,
            None => self.iterations(handlers, inner),
        };
        let whole = match entered {
            Some(entered) => self.push(Term::Seq(entered, iterations)),
            None => iterations,
        };
        let whole = self.close(frames, whole);
        if own { self.behind(whole) } else { whole }
    }

    /// Closes a loop with what leaves it.
    fn behind(&mut self, mut term: TermId) -> TermId {
        let Some(leaving) = self.leaving.pop() else { return term };
        if leaving.is_used {
            let ident = self.ident("result");
            let handler = self.leaf(Leaf::Ident(ident));
            term = self.push(Term::Catch { label: leaving.value, params: vec![ident], body: term, handler });
        }
        for Call { label, params, call } in leaving.calls {
            term = self.push(Term::Catch { label, params, body: term, handler: call });
        }
        term
    }

    /// Declares the parameters, and goes to where the loop begins; nothing is to be done for that if the code before it
    /// is a jump.
    fn enter(
        &mut self,
        handlers: &[Handler],
        body: ExprId,
        context: Context,
        frames: &mut Vec<Frame>,
    ) -> Option<TermId> {
        let entry = match (handlers, self.tree(body)) {
            ([handler], Expr::Exit { label, args }) if handler.label == *label => Some(args),
            _ => None,
        };
        let firsts: Vec<TermId> = match entry {
            Some(args) => self.operands(args),
            None => handlers.iter().flat_map(|h| &h.params).map(|_| self.push(Term::Int(0))).collect(),
        };
        let params: Vec<_> = handlers.iter().flat_map(|h| &h.params).map(|(var, _)| *var).collect();
        let idents: Vec<_> = params.iter().map(|var| self.ident_like(*var)).collect();
        frames.extend(idents.iter().zip(firsts).map(|(ident, first)| Frame::LetMut(*ident, first)));
        for (var, ident) in params.iter().zip(&idents) {
            self.vars[var.0 as usize] = Some(Leaf::Looping(*ident));
        }
        let state = (handlers.len() > 1).then(|| {
            let ident = self.ident("next");
            let first = self.push(Term::Int(0));
            frames.push(Frame::LetMut(ident, first));
            ident
        });
        let mut rest = &idents[..];
        let begin = self.program.label();
        for (number, handler) in handlers.iter().enumerate() {
            let (own, others) = rest.split_at(handler.params.len());
            rest = others;
            let state = state.map(|state| (state, number as i64));
            self.targets.insert(handler.label, Target { label: begin, assigned: Some(own.to_vec()), state });
        }
        if entry.is_some() {
            return None;
        }
        let body = self.expr(body, context);
        let handler = self.push(Term::Int(0));
        Some(self.push(Term::Catch { label: begin, params: Vec::new(), body, handler }))
    }

    /// The loop itself.
    fn iterations(&mut self, handlers: &[Handler], context: Context) -> TermId {
        let again = self.program.label();
        for handler in handlers {
            if let Some(target) = self.targets.get_mut(&handler.label) {
                target.label = again;
            }
        }
        let state = self.targets[&handlers[0].label].state.map(|(ident, _)| ident);
        let bodies: Vec<_> = handlers.iter().map(|handler| self.expr(handler.body, context)).collect();
        let body = match state {
            None => bodies[0],
            Some(state) => {
                let scrutinee = self.leaf(Leaf::Mutable(state));
                let consts = Arms { cases: bodies.len() as u32, arms: (0..).zip(bodies).collect() };
                self.push(Term::Switch { scrutinee, consts, blocks: Arms::default(), dbg: Dbg::NONE })
            }
        };
        let handler = self.push(Term::Int(0));
        let iteration = self.push(Term::Catch { label: again, params: Vec::new(), body, handler });
        let cond = self.push(Term::Int(1));
        self.push(Term::While { cond, body: iteration })
    }

    /// A loop whose iterations begin with the test that ends it: what follows then is behind the loop.
    fn tested_first(&mut self, handlers: &[Handler], inner: Context, context: Context) -> Option<TermId> {
        let [handler] = handlers else { return None };
        let Expr::If { cond, then_, else_, .. } = self.tree(handler.body) else { return None };
        let (goes_on, goes_on_else) =
            (self.exits_to(*then_, handler.label), self.exits_to(*else_, handler.label));
        let (iteration, end) = match (goes_on, goes_on_else) {
            (true, false) => (*then_, *else_),
            (false, true) => (*else_, *then_),
            _ => return None,
        };
        let (cond, swapped) = self.condition(*cond);
        let cond = if swapped == goes_on { self.negation(cond) } else { cond };
        let again = self.program.label();
        if let Some(target) = self.targets.get_mut(&handler.label) {
            target.label = again;
        }
        let body = self.expr(iteration, inner);
        let nothing = self.push(Term::Int(0));
        let body = self.push(Term::Catch { label: again, params: Vec::new(), body, handler: nothing });
        let iterations = self.push(Term::While { cond, body });
        let end = self.expr(end, context);
        Some(self.push(Term::Seq(iterations, end)))
    }

    /// The opposite of a condition.
    fn negation(&mut self, cond: TermId) -> TermId {
        let negated = match self.program.term(cond) {
            Term::Prim { prim: Prim::PhysEqual { negated }, .. } => {
                Some(Prim::PhysEqual { negated: !negated })
            }
            Term::Prim { prim: Prim::IntCompare { op, kind }, .. } => {
                op.negated().map(|op| Prim::IntCompare { op, kind: *kind })
            }
            Term::Prim { prim: Prim::FloatCompare { op }, .. } => {
                Some(Prim::FloatCompare { op: op.negated() })
            }
            _ => None,
        };
        if let (Some(negated), Term::Prim { prim, .. }) = (negated, &mut self.program.terms[cond.0 as usize])
        {
            *prim = negated;
            return cond;
        }
        let zero = self.push(Term::Int(0));
        self.compare(IntCmp::Eq, zero, cond)
    }

    /// Whether an expression has an exit to a label.
    pub fn exits_to(&self, root: ExprId, label: TreeLabel) -> bool {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let expr = self.tree(id);
            if matches!(expr, Expr::Exit { label: other, .. } if *other == label) {
                return true;
            }
            flambeau_cmm::encode::operands(expr, &mut stack);
        }
        false
    }

    /// A static exit.
    pub fn exit(&mut self, label: TreeLabel, args: &[ExprId]) -> TermId {
        let args = self.operands(args);
        let Target { label, assigned, state } = self.targets[&label].clone();
        let Some(assigned) = assigned else { return self.push(Term::Exit { label, args }) };
        let mut frames = Vec::new();
        self.assign_all(assigned.into_iter().zip(args).collect(), &mut frames);
        if let Some((state, number)) = state {
            let value = self.push(Term::Int(number));
            frames.push(Frame::Seq(self.program.push(Term::Assign { ident: state, value })));
        }
        let exit = self.push(Term::Exit { label, args: Vec::new() });
        self.close(frames, exit)
    }

    /// Assigns all at once: no value is that of after an assignment.
    pub fn assign_all(&mut self, mut pending: Vec<(Ident, TermId)>, frames: &mut Vec<Frame>) {
        pending.retain(|(ident, value)| *self.program.term(*value) != Term::MutVar(*ident));
        while !pending.is_empty() {
            let is_free = |index: &usize| {
                let target = pending[*index].0;
                (0..pending.len()).all(|other| other == *index || !self.reads(pending[other].1, target))
            };
            let (target, value) = match (0..pending.len()).find(is_free) {
                Some(index) => pending.remove(index),
                None => {
                    // A cycle: one value waits.
                    let (target, value) = pending.pop().expect("not empty");
                    let ident = self.ident("before");
                    frames.push(Frame::Let(ident, value));
                    pending.insert(0, (target, self.leaf(Leaf::Ident(ident))));
                    continue;
                }
            };
            frames.push(Frame::Seq(self.program.push(Term::Assign { ident: target, value })));
        }
    }

    /// Whether a variable is read in a term.
    fn reads(&self, term: TermId, ident: Ident) -> bool {
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            let term = self.program.term(id);
            if *term == Term::MutVar(ident) {
                return true;
            }
            term.each_part(|part| stack.push(part));
        }
        false
    }

    /// A comparison of integers.
    pub fn compare(&mut self, op: IntCmp, a: TermId, b: TermId) -> TermId {
        self.prim(Prim::IntCompare { op, kind: IntKind::Tagged }, vec![a, b])
    }
}
