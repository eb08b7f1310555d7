//! An interpreter of IR. Calls are events, so there is one function and no stack but that of handlers.

use std::collections::HashMap;

use flambeau_ir::{
    Apply, Const, Continuation, ExnCont, Expr, Item, Kind, Named, Prim, Simple, Terminator, Unit, Variable,
};

use super::world::{Outcome, Run, Word, World};

const STEPS: usize = 3000;

#[derive(Clone, Copy)]
struct Rest<'a> {
    items: &'a [Item],
    terminator: &'a Terminator,
}

#[derive(Clone, Copy)]
struct Code<'a> {
    params: &'a [Variable],
    rest: Rest<'a>,
    traps: usize,
}

struct Machine<'a> {
    ret: Continuation,
    exn: Continuation,
    world: World,
    env: HashMap<Variable, Word>,
    conts: HashMap<Continuation, Code<'a>>,
    /// The handlers around, with the extra arguments that they have.
    traps: Vec<(Continuation, Vec<Word>)>,
}

enum Step<'a> {
    Go(Rest<'a>),
    Stop(Outcome),
}

/// Runs the unit's first function; nothing if it takes too long.
pub fn run(unit: &Unit, arguments: [i64; 2], interrupt: Option<u32>) -> Option<Run> {
    let code = unit.codes.values().next().expect("there is a function");
    let mut machine = Machine {
        ret: code.ret,
        exn: code.exn,
        world: World::new(interrupt),
        env: HashMap::new(),
        conts: HashMap::new(),
        traps: Vec::new(),
    };
    for (param, n) in code.params.iter().zip(arguments) {
        machine.env.insert(*param, Word::Int(2 * n + 1));
    }
    let mut rest = whole(&code.body);
    for _ in 0..STEPS {
        rest = match machine.step(rest) {
            Step::Go(rest) => rest,
            Step::Stop(outcome) => return Some(machine.world.finish(outcome)),
        };
    }
    None
}

fn whole(expr: &Expr) -> Rest<'_> {
    Rest { items: &expr.items, terminator: &expr.terminator }
}

impl<'a> Machine<'a> {
    fn value(&self, simple: Simple) -> Word {
        Word::Int(match simple {
            Simple::Var(var) => return self.env[&var],
            Simple::Const(Const::Tagged(n)) => 2 * n + 1,
            Simple::Const(Const::NakedImmediate(n) | Const::NakedInt64(n)) => n,
            Simple::Const(Const::Poison(Kind::Value)) => 1,
            other => panic!("{other:?} is not generated"),
        })
    }

    fn values(&self, simples: &[Simple]) -> Vec<Word> {
        simples.iter().map(|simple| self.value(*simple)).collect()
    }

    fn define(&mut self, cont: Continuation, params: &'a [Variable], rest: Rest<'a>) {
        self.conts.insert(cont, Code { params, rest, traps: self.traps.len() });
    }

    fn jump(&mut self, cont: Continuation, args: &[Word]) -> Step<'a> {
        if cont == self.ret {
            return Step::Stop(Outcome::Value(args[0]));
        }
        let code = self.conts[&cont];
        self.traps.truncate(code.traps);
        for (param, arg) in code.params.iter().zip(args) {
            self.env.insert(*param, *arg);
        }
        Step::Go(code.rest)
    }

    fn raise_point(&mut self, exn: &ExnCont) {
        let extra = self.values(&exn.extra_args);
        match self.traps.last_mut() {
            None => assert_eq!(exn.cont, self.exn),
            Some((cont, values)) => {
                assert_eq!(exn.cont, *cont);
                *values = extra;
            }
        }
    }

    fn raise(&mut self, exn: Word) -> Step<'a> {
        match self.traps.pop() {
            None => Step::Stop(Outcome::Raised(exn)),
            Some((cont, extra)) => {
                let args: Vec<_> = std::iter::once(exn).chain(extra).collect();
                self.jump(cont, &args)
            }
        }
    }

    fn step(&mut self, rest: Rest<'a>) -> Step<'a> {
        let Some((item, items)) = rest.items.split_first() else { return self.terminator(rest.terminator) };
        let rest = Rest { items, ..rest };
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } => {
                self.env.insert(*var, self.value(*simple));
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } => {
                exn.iter().for_each(|exn| self.raise_point(exn));
                let args = self.values(args);
                let result = if *prim == Prim::ExnState {
                    Ok(Word::Int(1))
                } else {
                    self.world.prim(prim, &args, dbg.0)
                };
                match result {
                    Ok(word) => {
                        self.env.insert(*var, word);
                    }
                    Err(exn) => return self.raise(exn),
                }
            }
            Item::LetClosures { .. } => panic!("closures are not generated"),
            Item::Join { cont, params, body } => {
                self.define(*cont, params, rest);
                return Step::Go(whole(body));
            }
            Item::LetCont { handlers, .. } => {
                for handler in handlers {
                    self.define(handler.cont, &handler.params, whole(&handler.body));
                }
            }
        }
        Step::Go(rest)
    }

    fn terminator(&mut self, terminator: &'a Terminator) -> Step<'a> {
        match terminator {
            Terminator::Apply(apply) => self.apply(apply),
            Terminator::ApplyCont(jump) => {
                let args = self.values(&jump.args);
                self.jump(jump.cont, &args)
            }
            Terminator::Switch(switch) => {
                let scrutinee = self.value(switch.scrutinee);
                let arm = switch.arms.iter().find(|(key, _)| Word::Int(*key) == scrutinee);
                let jump = arm.map(|(_, jump)| jump).or(switch.default.as_ref()).expect("switches are total");
                let args = self.values(&jump.args);
                self.jump(jump.cont, &args)
            }
            Terminator::Raise { exn, handler, .. } => {
                self.raise_point(handler);
                self.raise(self.value(*exn))
            }
            Terminator::Try { body, handler } => {
                let extra = self.values(&handler.extra_args);
                self.traps.push((handler.cont, extra));
                Step::Go(whole(body))
            }
            Terminator::StringSwitch(_) | Terminator::Unreachable => panic!("not generated"),
        }
    }

    fn apply(&mut self, apply: &'a Apply) -> Step<'a> {
        self.raise_point(&apply.exn);
        let args = self.values(&apply.args);
        let tail = apply.ret == self.ret && self.traps.is_empty();
        match self.world.call(apply.dbg.0, &args, tail) {
            Ok(word) => self.jump(apply.ret, &[word]),
            Err(exn) => self.raise(exn),
        }
    }
}
