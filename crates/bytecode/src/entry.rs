//! The straight line of a unit: its initialisation, with static data and functions bound where they are first needed,
//! and its block at the end.

use flambeau_cmm::tree::{Expr, ExprId};
use flambeau_ir::Prim;
use flambeau_ir::prim::Mutability;

use crate::body::{Context, Frame};
use crate::term::{Term, TermId};
use crate::unit::{Leaf, Translation};

impl Translation<'_> {
    /// The unit's term.
    pub fn entry(&mut self) -> TermId {
        let mut frames = Vec::new();
        self.begin(&mut frames);
        let mut id = self.bodies.entry;
        while let Some(next) = self.straight(id, &mut frames) {
            id = next;
        }
        self.need_of(id, &mut frames);
        let last = self.expr(id, Context::Value);
        frames.push(Frame::Seq(last));
        let block = self.module_block();
        let set = self.push(Term::SetGlobal(block));
        self.close_early(frames, set)
    }

    fn begin(&mut self, frames: &mut Vec<Frame>) {
        if self.demands.size > 0 {
            let table = self.ident("table");
            let zeros = self.zeros(0, self.demands.size);
            frames.push(Frame::Let(table, zeros));
            self.table = Some(table);
        }
        if !self.demands.asked.is_empty() {
            let question = self.ident("question");
            let block = self.zeros(0, 1);
            frames.push(Frame::Let(question, block));
            self.question = Some(question);
        }
    }

    fn need_of(&mut self, id: ExprId, frames: &mut Vec<Frame>) {
        let nodes = self.mentions.of_expr(self.bodies, id);
        self.need(&nodes, frames);
    }

    /// A step of the straight line; what follows it.
    fn straight(&mut self, id: ExprId, frames: &mut Vec<Frame>) -> Option<ExprId> {
        match self.tree(id) {
            Expr::Let { def, .. } | Expr::LetMut { def, .. } => {
                self.need_of(*def, frames);
                self.step(id, frames)
            }
            Expr::Seq(first, rest) => {
                self.need_of(*first, frames);
                match self.tree(*first) {
                    Expr::Prim { prim: Prim::BlockStore { field, .. }, args, .. }
                        if self.is_module(args[0]) =>
                    {
                        self.store(*field, args[1], frames);
                        Some(*rest)
                    }
                    _ => self.step(id, frames),
                }
            }
            Expr::Catch { recursive: false, handlers, body } => {
                let [handler] = &handlers[..] else { return None };
                if self.completes(*body) {
                    return None;
                }
                self.need_of(*body, frames);
                let label = self.label(handler.label);
                let body = self.expr(*body, Context::Value);
                let params = self.params(handler);
                frames.push(Frame::Handler { label, params, body });
                Some(handler.body)
            }
            Expr::If { cond, then_, else_, .. } => {
                let is_then = !self.completes(*else_);
                if !is_then && self.completes(*then_) {
                    return None;
                }
                let (rest, other) = if is_then { (*then_, *else_) } else { (*else_, *then_) };
                self.need_of(*cond, frames);
                self.need_of(other, frames);
                let (cond, swapped) = self.condition(*cond);
                let other = self.expr(other, Context::Value);
                frames.push(Frame::Arm { cond, other, is_then: is_then != swapped });
                Some(rest)
            }
            _ => None,
        }
    }

    /// Stores to a field of the module block: what it holds is known from here on.
    fn store(&mut self, field: u32, value: ExprId, frames: &mut Vec<Frame>) {
        let leaf = self.lasting(value, "field", frames);
        if self.demands.fields.contains_key(&field) {
            let value = self.leaf(leaf);
            frames.push(Frame::Seq(self.store_late(field, value)));
        }
        if self.mentions.stores(field) == 1 {
            self.fields.insert(field, leaf);
        }
    }

    /// The module block, whose fields are those that other units see.
    fn module_block(&mut self) -> TermId {
        if self.mentions.module_as_a_whole(self.unit) {
            return self.leaf(Leaf::Ident(self.table()));
        }
        let exported = self.unit.private_fields().start;
        let mut fields = Vec::new();
        for field in 0..exported {
            fields.push(match (self.fields.get(&field).copied(), self.demands.fields.get(&field).copied()) {
                (Some(leaf), _) => self.leaf(leaf),
                (None, Some(at)) if self.table.is_some() => self.read(self.table(), at),
                (None, _) => self.push(Term::Int(0)),
            });
        }
        if fields.is_empty() {
            return self.push(Term::ConstBlock { tag: 0, fields });
        }
        self.prim(Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable }, fields)
    }

    /// Whether an expression may have a value: whether it is not always left.
    fn completes(&self, id: ExprId) -> bool {
        flambeau_ir::stack::deep(|| match self.tree(id) {
            Expr::Let { def, body, .. } | Expr::LetMut { def, body, .. } => {
                self.completes(*def) && self.completes(*body)
            }
            Expr::Seq(first, rest) => self.completes(*first) && self.completes(*rest),
            Expr::If { then_, else_, .. } => self.completes(*then_) || self.completes(*else_),
            Expr::Switch { arms, default, .. } | Expr::StringSwitch { arms, default, .. } => {
                arms.iter().chain(default).any(|arm| self.completes(*arm))
            }
            Expr::Catch { handlers, body, .. } => {
                self.completes(*body) || handlers.iter().any(|handler| self.completes(handler.body))
            }
            Expr::Try { body, handler, .. } => self.completes(*body) || self.completes(*handler),
            Expr::Exit { .. } | Expr::Raise { .. } | Expr::Unreachable => false,
            _ => true,
        })
    }
}
