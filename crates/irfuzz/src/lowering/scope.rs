//! What every tree must satisfy: one parent for each expression, one binding for each variable, uses inside scopes, and
//! no use of the value of an expression that has none.

use std::collections::HashSet;

use flambeau_cmm::tree::{Expr, ExprId, Label, Tree, Var};
use flambeau_ir::Prim;

struct Checker<'a> {
    tree: &'a Tree,
    visited: HashSet<ExprId>,
    bound: HashSet<Var>,
    vars: Vec<Var>,
    mutable: HashSet<Var>,
    labels: Vec<Label>,
    problem: Option<String>,
}

/// Checks all functions and the entry.
///
/// # Errors
/// When the tree breaks one of the rules.
///
/// # Panics
/// When the tree has no entry.
pub fn check(tree: &Tree) -> Result<(), String> {
    let mut checker = Checker {
        tree,
        visited: HashSet::new(),
        bound: HashSet::new(),
        vars: Vec::new(),
        mutable: HashSet::new(),
        labels: Vec::new(),
        problem: None,
    };
    for function in &tree.functions {
        checker.vars.extend(function.params.iter().map(|(var, _)| *var));
        checker.expr(function.body, false);
        checker.vars.clear();
    }
    checker.expr(tree.entry.expect("there is an entry"), false);
    checker.problem.map_or(Ok(()), Err)
}

impl Checker<'_> {
    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn with(&mut self, vars: &[Var], id: ExprId) {
        for var in vars {
            if !self.bound.insert(*var) {
                self.fail(format!("{var:?} is bound twice"));
            }
        }
        let depth = self.vars.len();
        self.vars.extend(vars);
        self.expr(id, false);
        self.vars.truncate(depth);
    }

    fn all(&mut self, ids: &[ExprId]) {
        ids.iter().for_each(|id| self.expr(*id, false));
    }

    /// `statement`: no value is wanted.
    fn expr(&mut self, id: ExprId, statement: bool) {
        if !self.visited.insert(id) {
            self.fail(format!("{id:?} has two parents"));
        }
        let tree = self.tree;
        match &tree.exprs[id.0 as usize] {
            Expr::Int(_) | Expr::Float(_) | Expr::Symbol(_) | Expr::Unreachable => {}
            Expr::Var(var) => {
                if !self.vars.contains(var) {
                    self.fail(format!("{var:?} is out of scope"));
                }
            }
            Expr::Let { var, def, body } => {
                self.expr(*def, false);
                self.with(&[*var], *body);
            }
            Expr::LetMut { var, def, body, .. } => {
                self.expr(*def, false);
                self.mutable.insert(*var);
                self.with(&[*var], *body);
            }
            Expr::Assign { var, value } => {
                self.expr(*value, false);
                if !statement || !self.vars.contains(var) || !self.mutable.contains(var) {
                    self.fail(format!("{var:?} can't be assigned"));
                }
            }
            Expr::Seq(first, rest) => {
                self.expr(*first, true);
                self.expr(*rest, false);
            }
            Expr::If { cond, then_, else_, .. } => self.all(&[*cond, *then_, *else_]),
            Expr::Switch { scrutinee, arms, default, .. }
            | Expr::StringSwitch { scrutinee, arms, default, .. } => {
                self.expr(*scrutinee, false);
                self.all(arms);
                default.iter().for_each(|arm| self.expr(*arm, false));
            }
            Expr::Catch { recursive, handlers, body } => {
                let depth = self.labels.len();
                self.labels.extend(handlers.iter().map(|handler| handler.label));
                self.expr(*body, false);
                if !recursive {
                    self.labels.truncate(depth);
                }
                for handler in handlers {
                    let params: Vec<_> = handler.params.iter().map(|(var, _)| *var).collect();
                    self.with(&params, handler.body);
                }
                self.labels.truncate(depth);
            }
            Expr::Exit { label, args } => {
                self.all(args);
                if !self.labels.contains(label) {
                    self.fail(format!("{label:?} is out of scope"));
                }
            }
            Expr::Try { body, var, handler, .. } => {
                self.expr(*body, false);
                self.with(&[*var], *handler);
            }
            Expr::Prim { prim, args, .. } => {
                self.all(args);
                if prim.is_for_effect() && !statement {
                    self.fail(format!("{prim:?} gives no value"));
                }
                if matches!(
                    prim,
                    Prim::ProjectValueSlot { .. }
                        | Prim::ProjectFunctionSlot { .. }
                        | Prim::AllocDummyClosure { .. }
                        | Prim::IsClosureOf { .. }
                        | Prim::ExnState
                ) {
                    self.fail(format!("{prim:?} is no primitive of Cmm"));
                }
            }
            Expr::DirectCall { args, .. } | Expr::Closures { values: args, .. } => self.all(args),
            Expr::GenericCall { closure, args, .. } => {
                self.expr(*closure, false);
                self.all(args);
            }
            Expr::Send { method, object, args, .. } => {
                self.all(&[*method, *object]);
                self.all(args);
            }
            Expr::Raise { exn: operand, .. }
            | Expr::Offset { pointer: operand, .. }
            | Expr::IsClosureOf { pointer: operand, .. }
            | Expr::SlotLoad { pointer: operand, .. } => self.expr(*operand, false),
            Expr::Boxed { .. }
            | Expr::Code(_)
            | Expr::Functions { .. }
            | Expr::Member { .. }
            | Expr::Checked { .. } => self.fail("what is for bytecode alone".into()),
        }
    }
}
