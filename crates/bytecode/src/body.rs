//! Expressions of the tree as terms.

use flambeau_cmm::tree::{Expr, ExprId, Handler, Label as TreeLabel, SendKind, Var};
use flambeau_ir::prim::Mutability;
use flambeau_ir::{Prim, Symbol};

use crate::loops::Target;
use crate::term::{Ident, Label, Term, TermId};
use crate::unit::{Leaf, Translation};

/// What becomes of a term's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Context {
    /// It is used here.
    Value,
    /// A function returns it.
    Tail,
    /// It leaves a loop, by its number. `tail`: a function returns it then.
    Leave { from: usize, tail: bool },
}

/// A term with one part left out.
#[derive(Debug)]
pub(crate) enum Frame {
    /// What follows.
    Let(Ident, TermId),
    /// What follows.
    LetMut(Ident, TermId),
    /// What follows.
    LetRec(Vec<(Ident, TermId)>),
    /// What follows.
    Seq(TermId),
    /// The handler of a static catch.
    Handler { label: Label, params: Vec<Ident>, body: TermId },
    /// One arm of a conditional.
    Arm { cond: TermId, other: TermId, is_then: bool },
}

impl Translation<'_> {
    /// Fills the hole of the last frame, and so on.
    pub fn close(&mut self, frames: Vec<Frame>, hole: TermId) -> TermId {
        frames.into_iter().rev().fold(hole, |hole, frame| {
            let term = match frame {
                // A tail call stays one.
                Frame::Let(ident, def) if *self.program.term(hole) == Term::Var(ident) => return def,
                Frame::Let(ident, def) => Term::Let { ident, def, body: hole },
                Frame::LetMut(ident, def) => Term::LetMut { ident, def, body: hole },
                Frame::LetRec(functions) => Term::LetRec { functions, body: hole },
                Frame::Seq(first) => Term::Seq(first, hole),
                Frame::Handler { label, params, body } => Term::Catch { label, params, body, handler: hole },
                Frame::Arm { cond, other, is_then } => {
                    let (then_, else_) = if is_then { (hole, other) } else { (other, hole) };
                    Term::If { cond, then_, else_ }
                }
            };
            self.push(term)
        })
    }

    /// An expression.
    pub fn expr(&mut self, id: ExprId, context: Context) -> TermId {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let mut frames = Vec::new();
            let end = self.steps(id, &mut frames);
            let last = self.last(end, context, &mut frames);
            self.close(frames, last)
        })
    }

    fn steps(&mut self, mut id: ExprId, frames: &mut Vec<Frame>) -> ExprId {
        while let Some(next) = self.step(id, frames) {
            id = next;
        }
        id
    }

    /// A binding or an effect, if the expression begins with one; what follows it.
    pub fn step(&mut self, id: ExprId, frames: &mut Vec<Frame>) -> Option<ExprId> {
        match self.tree(id) {
            Expr::Let { var, def, body } => {
                self.bind(*var, *def, frames);
                Some(*body)
            }
            Expr::LetMut { var, def, body, .. } => {
                let def = self.expr(*def, Context::Value);
                let ident = self.ident_like(*var);
                frames.push(Frame::LetMut(ident, def));
                self.vars[var.0 as usize] = Some(Leaf::Mutable(ident));
                Some(*body)
            }
            Expr::Seq(first, rest) => {
                let first = self.expr(*first, Context::Value);
                frames.push(Frame::Seq(first));
                Some(*rest)
            }
            _ => None,
        }
    }

    /// Binds a variable of the tree to what an expression is.
    fn bind(&mut self, var: Var, def: ExprId, frames: &mut Vec<Frame>) {
        if let Expr::Functions { functions, slots, values, .. } = self.tree(def) {
            let members = self.functions(functions, slots, values, frames);
            self.sets.insert(var, members);
            return;
        }
        let leaf = match self.leaf_of(def, frames) {
            // A parameter of a loop keeps its value as long as the variable is in scope.
            Some(leaf @ Leaf::Looping(_)) => leaf,
            Some(leaf) if leaf.is_lasting() => leaf,
            Some(leaf) => {
                let def = self.leaf(leaf);
                self.bound(var, def, frames)
            }
            None => {
                let def = self.expr(def, Context::Value);
                self.bound(var, def, frames)
            }
        };
        self.vars[var.0 as usize] = Some(leaf);
    }

    fn bound(&mut self, var: Var, def: TermId, frames: &mut Vec<Frame>) -> Leaf {
        let ident = self.ident_like(var);
        frames.push(Frame::Let(ident, def));
        Leaf::Ident(ident)
    }

    /// A leaf that stays what it is, for an expression: what is none is bound.
    pub fn lasting(&mut self, id: ExprId, name: &str, frames: &mut Vec<Frame>) -> Leaf {
        match self.leaf_of(id, frames) {
            Some(leaf) if leaf.is_lasting() => leaf,
            other => {
                let def = match other {
                    Some(leaf) => self.leaf(leaf),
                    None => self.expr(id, Context::Value),
                };
                let ident = self.ident(name);
                frames.push(Frame::Let(ident, def));
                Leaf::Ident(ident)
            }
        }
    }

    /// The leaf that an expression is, if it is one. Functions that it allocates are bound.
    pub fn leaf_of(&mut self, id: ExprId, frames: &mut Vec<Frame>) -> Option<Leaf> {
        match self.tree(id) {
            Expr::Var(var) => Some(self.var(*var)),
            Expr::Int(n) => Some(Leaf::Int(*n)),
            Expr::Float(bits) => Some(Leaf::Float(*bits)),
            Expr::Boxed { kind, value } => Some(Leaf::Boxed(*kind, *value)),
            Expr::Symbol(name) => self.symbol_leaf(self.symbol_named(*name)),
            Expr::Code(code) => Some(self.code_leaf(*code)),
            Expr::Prim { prim: Prim::AllocDummyClosure { .. }, .. } => Some(self.dummy(id, frames)),
            Expr::Member { set, index } => {
                let members = match self.tree(*set) {
                    Expr::Var(var) => self.sets[var].clone(),
                    Expr::Functions { functions, slots, values, .. } => {
                        self.functions(functions, slots, values, frames)
                    }
                    set => panic!("a member of {set:?}"),
                };
                Some(members[*index as usize])
            }
            Expr::Prim { prim: Prim::ProjectValueSlot { value, .. }, args, .. } => {
                let closure = self.leaf_of(args[0], frames)?;
                self.captured(closure, *value)
            }
            Expr::Prim { prim: Prim::ProjectFunctionSlot { to, .. }, args, .. } => {
                let closure = self.leaf_of(args[0], frames)?;
                self.member(closure, *to)
            }
            Expr::Prim { prim: Prim::BlockLoad { field, .. }, args, .. } if self.is_module(args[0]) => {
                self.fields.get(field).copied()
            }
            Expr::Prim {
                prim: Prim::BlockLoad { field, mutability: Mutability::Immutable }, args, ..
            } => match self.tree(args[0]) {
                Expr::Symbol(name) => match self.symbol_leaf(self.symbol_named(*name)) {
                    Some(Leaf::Global(symbol)) => Some(Leaf::GlobalField(symbol, *field)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn var(&self, var: Var) -> Leaf {
        self.vars[var.0 as usize].unwrap_or_else(|| {
            panic!("the variable {} is used out of its scope", self.bodies.tree.vars[var.0 as usize])
        })
    }

    /// Operands.
    pub fn operands(&mut self, ids: &[ExprId]) -> Vec<TermId> {
        ids.iter().map(|id| self.expr(*id, Context::Value)).collect()
    }

    /// The end of a run.
    fn last(&mut self, id: ExprId, context: Context, frames: &mut Vec<Frame>) -> TermId {
        match self.tree(id) {
            Expr::If { cond, then_, else_, .. } => self.conditional(*cond, *then_, *else_, context),
            Expr::Switch { scrutinee, keys, arms, default, dbg } => {
                self.switch(*scrutinee, keys, arms, *default, *dbg, context)
            }
            Expr::StringSwitch { scrutinee, keys, arms, default, dbg } => {
                let scrutinee = self.expr(*scrutinee, Context::Value);
                let arms =
                    keys.iter().zip(arms).map(|(key, arm)| (key.clone(), self.expr(*arm, context))).collect();
                let default = default.map(|default| self.expr(default, context));
                self.push(Term::StringSwitch { scrutinee, arms, default, dbg: *dbg })
            }
            Expr::Catch { recursive: true, handlers, body } => self.loop_(handlers, *body, context),
            Expr::Catch { handlers, body, .. } => self.catch(handlers, *body, context),
            Expr::Try { body, var, handler, .. } => {
                let body_context = match context {
                    Context::Leave { from, .. } => Context::Leave { from, tail: false },
                    Context::Value | Context::Tail => Context::Value,
                };
                let body = self.expr(*body, body_context);
                let ident = self.ident_like(*var);
                self.vars[var.0 as usize] = Some(Leaf::Ident(ident));
                let handler = self.expr(*handler, context);
                self.push(Term::Try { body, ident, handler })
            }
            Expr::Exit { label, args } => self.exit(*label, args),
            Expr::Raise { kind, exn, dbg } => {
                let exn = self.expr(*exn, Context::Value);
                self.push(Term::Raise { kind: *kind, exn, dbg: *dbg })
            }
            Expr::Unreachable => self.push(Term::Int(0)),
            _ => {
                let term = self.operation(id, frames);
                self.result(term, context)
            }
        }
    }

    /// A static catch which is no loop.
    fn catch(&mut self, handlers: &[Handler], body: ExprId, context: Context) -> TermId {
        let labels: Vec<_> = handlers.iter().map(|handler| self.label(handler.label)).collect();
        let mut term = self.expr(body, context);
        for (handler, label) in handlers.iter().zip(labels) {
            let params = self.params(handler);
            let handler = self.expr(handler.body, context);
            term = self.push(Term::Catch { label, params, body: term, handler });
        }
        term
    }

    /// From now on exits to a label of the tree pass their arguments to this one.
    pub fn label(&mut self, label: TreeLabel) -> Label {
        let ours = self.program.label();
        self.targets.insert(label, Target { label: ours, assigned: None, state: None });
        ours
    }

    /// Variables for what a handler takes.
    pub fn params(&mut self, handler: &Handler) -> Vec<Ident> {
        let param = |(var, _): &(Var, _)| {
            let ident = self.ident_like(*var);
            self.vars[var.0 as usize] = Some(Leaf::Ident(ident));
            ident
        };
        handler.params.iter().map(param).collect()
    }

    /// An operation.
    fn operation(&mut self, id: ExprId, frames: &mut Vec<Frame>) -> TermId {
        if let Some(leaf) = self.leaf_of(id, frames) {
            return self.leaf(leaf);
        }
        match self.tree(id) {
            Expr::Symbol(name) => self.symbol_value(self.symbol_named(*name)),
            Expr::Assign { var, value } => {
                let value = self.expr(*value, Context::Value);
                let (Leaf::Mutable(ident) | Leaf::Looping(ident) | Leaf::Ident(ident)) = self.var(*var)
                else {
                    panic!("a constant is assigned");
                };
                self.push(Term::Assign { ident, value })
            }
            Expr::Prim { prim, args, dbg } => self.primitive(prim, args, false, *dbg, frames),
            Expr::Checked { prim, args, dbg } => self.primitive(prim, args, true, *dbg, frames),
            Expr::GenericCall { closure, args, dbg } => {
                let function = self.expr(*closure, Context::Value);
                let args = self.operands(args);
                self.push(Term::Apply { function, args, dbg: *dbg })
            }
            Expr::DirectCall { code, args, dbg, .. } => {
                let name = self.bodies.tree.names[code.0 as usize].clone();
                let args = self.operands(args);
                self.push(Term::Runtime { name, args, dbg: *dbg })
            }
            Expr::Send { kind, method, object, args, dbg } => {
                let (method, object) =
                    (self.expr(*method, Context::Value), self.expr(*object, Context::Value));
                // Caches are native code's.
                let (kind, args) = match kind {
                    SendKind::Cached => (SendKind::Public, &args[2..]),
                    kind => (*kind, &args[..]),
                };
                let args = self.operands(args);
                self.push(Term::Send { kind, method, object, args, dbg: *dbg })
            }
            expr => panic!("there is no Lambda for {expr:?}"),
        }
    }

    /// A primitive.
    fn primitive(
        &mut self,
        prim: &Prim,
        args: &[ExprId],
        checked: bool,
        dbg: flambeau_ir::Dbg,
        frames: &mut Vec<Frame>,
    ) -> TermId {
        match prim {
            Prim::ProjectValueSlot { function, value } => return self.ask_value(args[0], *function, *value),
            Prim::ProjectFunctionSlot { from, to } => return self.ask_member(args[0], *from, *to),
            Prim::BlockLoad { field, .. } if self.is_module(args[0]) => return self.module_field(*field),
            Prim::BlockStore { field, .. } if self.is_module(args[0]) => {
                let value = self.expr(args[1], Context::Value);
                return self.store_late(*field, value);
            }
            Prim::CCall(external) if external.name == "caml_update_dummy" => {
                if let Some(term) = self.define_dummy(args, frames) {
                    return term;
                }
            }
            _ => {}
        }
        let args = self.operands(args);
        self.push(Term::Prim { prim: prim.clone(), args, checked, dbg })
    }

    /// Reads a field of the module block that is not known here.
    fn module_field(&mut self, field: u32) -> TermId {
        match self.demands.fields.get(&field) {
            Some(at) if self.table.is_some() => self.read(self.table(), *at),
            _ => {
                self.demands.field(field);
                self.push(Term::Int(0))
            }
        }
    }

    /// Stores to a field of the module block in the table.
    pub fn store_late(&mut self, field: u32, value: TermId) -> TermId {
        match self.demands.fields.get(&field) {
            Some(at) if self.table.is_some() => self.write(self.table(), *at, value),
            _ => {
                self.demands.field(field);
                self.push(Term::Int(0))
            }
        }
    }

    /// The value of static data that are no leaf.
    fn symbol_value(&mut self, symbol: Symbol) -> TermId {
        if let Some(at) = self.demands.symbols.get(&symbol)
            && self.table.is_some()
        {
            return self.read(self.table(), *at);
        }
        if let Some(term) = self.constant_here(symbol) {
            return term;
        }
        self.demands.symbol(symbol);
        self.push(Term::Int(0))
    }
}
