//! Comparing terms.

use super::{Comparer, Same, same};
use crate::printer::Place;
use crate::stack::deep;
use crate::term::StringSwitch;
use crate::{
    Apply, ApplyCont, ArgType, CallKind, ExnCont, Expr, Item, Named, Prim, Simple, Switch, Terminator,
};

impl<'u> Comparer<'u> {
    pub(super) fn expr(&mut self, a: &'u Expr, b: &'u Expr) -> Same {
        deep(|| {
            for (a, b) in a.items.iter().zip(&b.items) {
                self.places = [Place::Item(a), Place::Item(b)];
                self.item(a, b)?;
            }
            self.places = [Place::Terminator(&a.terminator), Place::Terminator(&b.terminator)];
            same(a.items.len() == b.items.len(), "lengths of runs")?;
            self.terminator(&a.terminator, &b.terminator)
        })
    }

    fn item(&mut self, a: &'u Item, b: &'u Item) -> Same {
        match (a, b) {
            (
                Item::Let { var: var_a, named: named_a, dbg: dbg_a },
                Item::Let { var: var_b, named: named_b, dbg: dbg_b },
            ) => {
                self.variable(*var_a, *var_b)?;
                same(dbg_a == dbg_b, "locations")?;
                self.named(named_a, named_b)
            }
            (
                Item::LetClosures { vars: vars_a, set: set_a, dbg: dbg_a },
                Item::LetClosures { vars: vars_b, set: set_b, dbg: dbg_b },
            ) => {
                self.variables(vars_a, vars_b)?;
                same(dbg_a == dbg_b, "locations")?;
                self.set_of_closures(set_a, set_b)
            }
            (
                Item::Join { cont: cont_a, params: params_a, body: body_a },
                Item::Join { cont: cont_b, params: params_b, body: body_b },
            ) => {
                self.continuation(*cont_a, *cont_b)?;
                self.variables(params_a, params_b)?;
                self.expr(body_a, body_b)
            }
            (
                Item::LetCont { recursive: recursive_a, handlers: handlers_a },
                Item::LetCont { recursive: recursive_b, handlers: handlers_b },
            ) => {
                same(recursive_a == recursive_b, "recursion of continuations")?;
                same(handlers_a.len() == handlers_b.len(), "numbers of continuations")?;
                for (a, b) in handlers_a.iter().zip(handlers_b) {
                    self.continuation(a.cont, b.cont)?;
                    self.variables(&a.params, &b.params)?;
                    self.expr(&a.body, &b.body)?;
                }
                Ok(())
            }
            _ => Err("items"),
        }
    }

    fn named(&mut self, a: &Named, b: &Named) -> Same {
        match (a, b) {
            (Named::Simple(a), Named::Simple(b)) => self.simple(*a, *b),
            (
                Named::Prim { prim: prim_a, args: args_a, exn: exn_a },
                Named::Prim { prim: prim_b, args: args_b, exn: exn_b },
            ) => {
                self.prim(prim_a, prim_b)?;
                self.simples(args_a, args_b)?;
                match (exn_a, exn_b) {
                    (Some(a), Some(b)) => self.exn(a, b),
                    (None, None) => Ok(()),
                    _ => Err("exception continuations"),
                }
            }
            _ => Err("right-hand sides"),
        }
    }

    fn prim(&mut self, a: &Prim, b: &Prim) -> Same {
        match (a, b) {
            (
                Prim::ProjectValueSlot { function: function_a, value: value_a },
                Prim::ProjectValueSlot { function: function_b, value: value_b },
            ) => {
                self.function_slot(*function_a, *function_b)?;
                self.value_slot(*value_a, *value_b)
            }
            (
                Prim::ProjectFunctionSlot { from: from_a, to: to_a },
                Prim::ProjectFunctionSlot { from: from_b, to: to_b },
            ) => {
                self.function_slot(*from_a, *from_b)?;
                self.function_slot(*to_a, *to_b)
            }
            (Prim::AllocDummyClosure { function: a }, Prim::AllocDummyClosure { function: b })
            | (Prim::IsClosureOf { function: a }, Prim::IsClosureOf { function: b }) => {
                self.function_slot(*a, *b)
            }
            _ => same(a == b, "primitives"),
        }
    }

    fn exn(&mut self, a: &ExnCont, b: &ExnCont) -> Same {
        self.continuation(a.cont, b.cont)?;
        self.simples(&a.extra_args, &b.extra_args)
    }

    fn jump(&mut self, a: &ApplyCont, b: &ApplyCont) -> Same {
        self.continuation(a.cont, b.cont)?;
        self.simples(&a.args, &b.args)
    }

    fn terminator(&mut self, a: &'u Terminator, b: &'u Terminator) -> Same {
        match (a, b) {
            (Terminator::Apply(a), Terminator::Apply(b)) => self.apply(a, b),
            (Terminator::ApplyCont(a), Terminator::ApplyCont(b)) => self.jump(a, b),
            (Terminator::Switch(a), Terminator::Switch(b)) => {
                let Switch { scrutinee, arms, default, dbg, cases } = &**a;
                self.simple(*scrutinee, b.scrutinee)?;
                same(*dbg == b.dbg, "locations")?;
                self.arms(arms, &b.arms)?;
                same(*cases == b.cases, "numbers of cases")?;
                self.default_arm(default.as_ref(), b.default.as_ref())
            }
            (Terminator::StringSwitch(a), Terminator::StringSwitch(b)) => {
                let StringSwitch { scrutinee, arms, default, dbg } = &**a;
                self.simple(*scrutinee, b.scrutinee)?;
                same(*dbg == b.dbg, "locations")?;
                self.arms(arms, &b.arms)?;
                self.default_arm(default.as_ref(), b.default.as_ref())
            }
            (
                Terminator::Raise { kind: kind_a, exn: exn_a, handler: handler_a, dbg: dbg_a },
                Terminator::Raise { kind: kind_b, exn: exn_b, handler: handler_b, dbg: dbg_b },
            ) => {
                same(kind_a == kind_b && dbg_a == dbg_b, "raises")?;
                self.simple(*exn_a, *exn_b)?;
                self.exn(handler_a, handler_b)
            }
            (
                Terminator::Try { body: body_a, handler: handler_a },
                Terminator::Try { body: body_b, handler: handler_b },
            ) => {
                self.exn(handler_a, handler_b)?;
                self.expr(body_a, body_b)
            }
            (Terminator::Unreachable, Terminator::Unreachable) => Ok(()),
            _ => Err("terminators"),
        }
    }

    fn arms<V: PartialEq>(&mut self, a: &[(V, ApplyCont)], b: &[(V, ApplyCont)]) -> Same {
        self.lists(a, b, "numbers of arms", |this, a, b| {
            same(a.0 == b.0, "values of arms")?;
            this.jump(&a.1, &b.1)
        })
    }

    fn default_arm(&mut self, a: Option<&ApplyCont>, b: Option<&ApplyCont>) -> Same {
        match (a, b) {
            (Some(a), Some(b)) => self.jump(a, b),
            (None, None) => Ok(()),
            _ => Err("default arms"),
        }
    }

    fn apply(&mut self, a: &Apply, b: &Apply) -> Same {
        let Apply { callee, kind, args, types, ret, exn, dbg, inlined, specialised, depth, origin, heat } = a;
        match (kind, &b.kind) {
            (CallKind::Direct(a), CallKind::Direct(b)) => self.code_id(*a, *b)?,
            (a, b) => same(a == b, "sorts of calls")?,
        }
        match (callee, b.callee) {
            (Some(a), Some(b)) => self.simple(*a, b)?,
            (None, None) => {}
            _ => return Err("callees"),
        }
        self.simples(args, &b.args)?;
        let functions = |apply: &Apply| -> Vec<Simple> {
            let mut functions = Vec::new();
            apply.for_each_comparator(&mut |function| functions.push(function));
            functions
        };
        self.simples(&functions(a), &functions(b))?;
        let sorts = |types: &[ArgType]| -> Vec<ArgType> {
            types.iter().map(|ty| ty.map(&mut |_| Simple::UNIT)).collect()
        };
        same(sorts(types) == sorts(&b.types), "types of arguments")?;
        self.continuation(*ret, b.ret)?;
        self.exn(exn, &b.exn)?;
        same(*dbg == b.dbg, "locations")?;
        same(*depth == b.depth, "depths of calls")?;
        same(*origin == b.origin, "origins of calls")?;
        same(*heat == b.heat, "heat of calls")?;
        same(*inlined == b.inlined && *specialised == b.specialised, "attributes of calls")
    }
}
