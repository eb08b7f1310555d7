//! Common subexpressions with branches: a body without effect that reaches its join by tests and jumps of its own gives
//! the same result where it occurs again. `match t with Empty -> 0 | Node n -> n.height`, inlined twice, is such a
//! body.

use flambeau_ir::{Continuation, Expr, Item, Named, Prim, Rewrite, Simple, Switch, Terminator, Variable};
use flambeau_types::{Operands, Step};
use rustc_hash::FxHashMap;

use crate::Simplifier;
use crate::edges::Target;
use crate::run::Params;

/// Longer bodies are not compared.
const LONG: usize = 48;

impl Simplifier<'_> {
    /// The steps of a simplified body, expressed over the variables in scope there, if all that it does is to pass
    /// values to `join`: the same steps pass the same values. `None`, too, if the body is long.
    pub(crate) fn steps(&self, join: Continuation, body: &Expr) -> Option<Box<[Step]>> {
        let mut recording = Recording {
            simplifier: self,
            steps: Vec::new(),
            vars: FxHashMap::default(),
            conts: FxHashMap::default(),
        };
        recording.cont(join);
        recording.run(body)?;
        Some(recording.steps.into_boxed_slice())
    }

    /// Binds the parameters of a join to the names of the values that the same steps passed before; returns whether
    /// there are such.
    pub(crate) fn are_given(&mut self, params: &Params, steps: &[Step]) -> bool {
        let Some(given) = self.env.given(steps) else { return false };
        if !self.allow(Rewrite::CommonJoin) {
            return false;
        }
        for (param, given) in params.iter().zip(given) {
            self.env.bind_alias(*param, given);
        }
        true
    }
}

struct Recording<'a, 's> {
    simplifier: &'a Simplifier<'s>,
    steps: Vec<Step>,
    /// Value numbers of what the body itself binds.
    vars: FxHashMap<Variable, u32>,
    conts: FxHashMap<Continuation, u32>,
}

impl Recording<'_, '_> {
    fn run(&mut self, expr: &Expr) -> Option<()> {
        for item in &expr.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, args, exn: None }, .. } => {
                    self.operation(*var, prim, args)?;
                }
                Item::LetCont { recursive: false, handlers } => {
                    for handler in handlers {
                        self.cont(handler.cont);
                        self.step(Step::Handler(handler.params.len()))?;
                        handler.params.iter().for_each(|param| self.var(*param));
                        self.run(&handler.body)?;
                    }
                }
                Item::Join { cont, params, body } => {
                    self.cont(*cont);
                    self.step(Step::Join(params.len()))?;
                    self.run(body)?;
                    params.iter().for_each(|param| self.var(*param));
                }
                Item::Let { .. } | Item::LetClosures { .. } | Item::LetCont { recursive: true, .. } => {
                    return None;
                }
            }
        }
        match &expr.terminator {
            Terminator::ApplyCont(jump) => self.jump(jump.cont, &jump.args),
            Terminator::Switch(switch) => self.switch(switch),
            _ => None,
        }
    }

    /// An operation that common subexpression elimination would find again by itself.
    fn operation(&mut self, var: Variable, prim: &Prim, args: &[Simple]) -> Option<()> {
        let (prim, args, memory) = self.simplifier.cse_key(prim, &Operands::from_slice(args))?;
        self.step(Step::Operation(prim, memory, args.len()))?;
        self.operands(&args)?;
        self.var(var);
        Some(())
    }

    /// A branch on a variable: so the steps contain one of this function, and are not found in others.
    fn switch(&mut self, switch: &Switch) -> Option<()> {
        switch.scrutinee.as_var()?;
        self.step(Step::Switch(switch.arms.len(), switch.default.is_some()))?;
        self.operands(&[switch.scrutinee])?;
        for (key, arm) in &switch.arms {
            self.step(Step::Arm(*key))?;
            self.jump(arm.cont, &arm.args)?;
        }
        switch.default.iter().try_for_each(|arm| self.jump(arm.cont, &arm.args))
    }

    fn jump(&mut self, cont: Continuation, args: &[Simple]) -> Option<()> {
        let to = match Target::of(cont) {
            Target::Continuation(cont) => cont,
            Target::Edge(edge) => {
                let edge = &self.simplifier.function.edges[edge];
                if !edge.items.is_empty() || !edge.extra.is_empty() {
                    return None;
                }
                edge.cont
            }
        };
        // No jump leaves the body except to the join.
        let number = *self.conts.get(&to)?;
        self.step(Step::Jump(number, args.len()))?;
        self.operands(args)
    }

    fn operands(&mut self, operands: &[Simple]) -> Option<()> {
        operands.iter().try_for_each(|operand| {
            let inner = operand.as_var().and_then(|var| self.vars.get(&var));
            let step = inner.map_or(Step::Outer(*operand), |number| Step::Inner(*number));
            self.step(step)
        })
    }

    fn step(&mut self, step: Step) -> Option<()> {
        self.steps.push(step);
        (self.steps.len() <= LONG).then_some(())
    }

    fn var(&mut self, var: Variable) {
        let number = self.vars.len() as u32;
        self.vars.insert(var, number);
    }

    fn cont(&mut self, cont: Continuation) {
        let number = self.conts.len() as u32;
        self.conts.insert(cont, number);
    }
}
