//! An interpreter of Cmm. Operands are evaluated right to left.

use std::collections::HashMap;

use flambeau_cmm::tree::{Expr, ExprId, Label, Tree, Var};

use super::world::{Outcome, Run, Word, World};

/// What leaves an expression other than a value.
enum Leave {
    Exit(Label, Vec<Word>),
    Raise(Word),
    Bug(String),
}

struct Machine<'a> {
    tree: &'a Tree,
    world: World,
    env: HashMap<Var, Word>,
}

/// Runs the tree's first function.
pub fn run(tree: &Tree, arguments: [i64; 2], interrupt: Option<u32>) -> Result<Run, String> {
    let function = &tree.functions[0];
    let mut machine = Machine { tree, world: World::new(interrupt), env: HashMap::new() };
    for ((param, _), n) in function.params.iter().zip(arguments) {
        machine.env.insert(*param, Word::Int(2 * n + 1));
    }
    let outcome = match machine.eval(function.body, true) {
        Ok(word) => Outcome::Value(word),
        Err(Leave::Raise(exn)) => Outcome::Raised(exn),
        Err(Leave::Exit(label, _)) => return Err(format!("no catch for {label:?}")),
        Err(Leave::Bug(message)) => return Err(message),
    };
    Ok(machine.world.finish(outcome))
}

impl Machine<'_> {
    fn args(&mut self, args: &[ExprId]) -> Result<Vec<Word>, Leave> {
        let mut words = Vec::with_capacity(args.len());
        for arg in args.iter().rev() {
            words.push(self.eval(*arg, false)?);
        }
        words.reverse();
        Ok(words)
    }

    fn eval(&mut self, id: ExprId, tail: bool) -> Result<Word, Leave> {
        let tree = self.tree;
        match &tree.exprs[id.0 as usize] {
            Expr::Int(n) => Ok(Word::Int(*n)),
            Expr::Var(var) => self.env.get(var).copied().ok_or(Leave::Bug(format!("{var:?} has no value"))),
            Expr::Let { var, def, body } | Expr::LetMut { var, def, body, .. } => {
                let word = self.eval(*def, false)?;
                self.env.insert(*var, word);
                self.eval(*body, tail)
            }
            Expr::Assign { var, value } => {
                let word = self.eval(*value, false)?;
                self.env.insert(*var, word);
                Ok(Word::Int(1))
            }
            Expr::Seq(first, rest) => {
                self.eval(*first, false)?;
                self.eval(*rest, tail)
            }
            Expr::If { cond, then_, else_, .. } => {
                let taken = if self.eval(*cond, false)? == Word::Int(0) { else_ } else { then_ };
                self.eval(*taken, tail)
            }
            Expr::Switch { scrutinee, keys, arms, default, .. } => {
                let word = self.eval(*scrutinee, false)?;
                let arm = keys.iter().find(|(key, _)| Word::Int(*key) == word);
                let arm = arm.map(|(_, arm)| arms[*arm as usize]).or(*default);
                self.eval(arm.ok_or(Leave::Bug("no arm".to_owned()))?, tail)
            }
            Expr::Catch { recursive, handlers, body } => {
                let mut result = self.eval(*body, tail);
                loop {
                    let Err(Leave::Exit(label, args)) = result else { return result };
                    let Some(handler) = handlers.iter().find(|handler| handler.label == label) else {
                        return Err(Leave::Exit(label, args));
                    };
                    for ((param, _), arg) in handler.params.iter().zip(args) {
                        self.env.insert(*param, arg);
                    }
                    result = self.eval(handler.body, tail);
                    if !recursive {
                        return result;
                    }
                }
            }
            Expr::Exit { label, args } => {
                let args = self.args(args)?;
                Err(Leave::Exit(*label, args))
            }
            Expr::Try { body, var, handler, .. } => match self.eval(*body, false) {
                Err(Leave::Raise(exn)) => {
                    self.env.insert(*var, exn);
                    self.eval(*handler, tail)
                }
                result => result,
            },
            Expr::Prim { prim, args, dbg } => {
                let args = self.args(args)?;
                self.world.prim(prim, &args, dbg.0).map_err(Leave::Raise)
            }
            Expr::GenericCall { closure, args, dbg } => {
                let args = self.args(args)?;
                self.eval(*closure, false)?;
                self.world.call(dbg.0, &args, tail).map_err(Leave::Raise)
            }
            Expr::Raise { exn, .. } => Err(Leave::Raise(self.eval(*exn, false)?)),
            other => Err(Leave::Bug(format!("{other:?} is not generated"))),
        }
    }
}
