//! Parameters that an iteration of a loop may leave unchanged.
//!
//! `loop (i + 1, best)` beside `loop (i + 1, i)`: as an argument of an exit, `best` would be moved to itself, and in a
//! loop with calls, where all that lives on is on the stack, loaded and stored each time. Such a parameter is a mutable
//! variable, declared before the loop, assigned by the jumps that change it and left alone by the others.
//!
//! Mostly the paths of an iteration meet before it ends: `join next (best') { … }  loop (i + 1, best')`. Then `best'`
//! is *another name* for the variable, assigned by the jumps to `next`, if no earlier name is read from there on. Of
//! two parameters of `next` only one can be, because they exist at the same time.

use flambeau_ir::{ContHandler, Continuation, Simple, Variable};

use crate::analysis::{Analysis, ContinuationInfo, HandlerId, HandlerInfo, Occurrences};
use crate::frames::Frame;
use crate::lowering::{Atom, Lowering, machtype};
use crate::tree::*;

/// How many names a variable may have: bounds the comparison of each with each.
const MAX_NAMES: usize = 16;

impl<'a> Lowering<'a> {
    /// Declares a variable for each parameter of a loop that some iteration leaves unchanged.
    pub fn declare_kept(&mut self, handlers: &[&'a ContHandler], frames: &mut Vec<Frame>) {
        for handler in handlers {
            for (index, param) in handler.params.iter().enumerate() {
                if let Some(names) = names_of_kept(&self.analysis, handler.cont, index) {
                    self.declare(*param, &names, frames);
                }
            }
        }
    }

    fn declare(&mut self, param: Variable, names: &[Variable], frames: &mut Vec<Frame>) {
        let unit = self.unit;
        let data = &unit.variables[param];
        let var = self.fresh(&data.name);
        let ty = machtype(data.kind);
        // Whatever enters the loop assigns it.
        let def = self.expr(if ty == Machtype::Float { Atom::Float(0) } else { self.unit_value() });
        frames.push(Frame::LetMut { var, ty, def });
        for name in names {
            self.env[*name] = Some(Atom::Var(var));
            self.kept[*name] = Some(var);
        }
        if names.len() > 1 {
            self.renamed.insert(var);
        }
    }

    /// The parameters that are passed: those that are no names of a mutable variable.
    pub fn passed(&self, params: &[Variable]) -> Vec<Variable> {
        params.iter().copied().filter(|param| self.kept[*param].is_none()).collect()
    }

    /// Before a jump: assigns what is to be assigned; returns the arguments to pass.
    pub fn assign_kept(&mut self, cont: Continuation, args: Vec<Atom>, frames: &mut Vec<Frame>) -> Vec<Atom> {
        let params = self.analysis.continuations[cont].params;
        if params.iter().all(|param| self.kept[*param].is_none()) {
            return args;
        }
        let mut passed = Vec::new();
        let mut assigned = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            match self.kept[*param] {
                Some(var) if arg == Atom::Var(var) => {}
                Some(var) => assigned.push((var, arg)),
                None => passed.push(arg),
            }
        }
        // All arguments are those of before the jump.
        let targets: Vec<_> = assigned.iter().map(|(var, _)| *var).collect();
        let values = assigned.iter_mut().skip(1).map(|(_, value)| value);
        for value in values.chain(&mut passed) {
            if let Atom::Var(var) = *value
                && targets.contains(&var)
            {
                let name = self.tree.vars[var.0 as usize].clone();
                let before = self.fresh(&name);
                let def = self.expr(*value);
                frames.push(Frame::Let { var: before, def });
                *value = Atom::Var(before);
            }
        }
        for (var, value) in assigned {
            let value = self.expr(value);
            frames.push(Frame::Seq { first: self.tree.push(Expr::Assign { var, value }) });
        }
        passed
    }
}

/// The names of a parameter of a loop, itself first, if some iteration leaves it unchanged.
fn names_of_kept(analysis: &Analysis, head: Continuation, index: usize) -> Option<Vec<Variable>> {
    let search = Search { analysis, head: &analysis.continuations[head], index };
    let names = search.all();
    if search.is_kept(&names) && search.are_apart(head, &names) {
        return Some(names);
    }
    let itself = vec![*search.head.params.get(index)?];
    search.is_kept(&itself).then_some(itself)
}

/// The search for the names of a parameter.
struct Search<'a> {
    analysis: &'a Analysis<'a>,
    head: &'a ContinuationInfo<'a>,
    index: usize,
}

impl<'a> Search<'a> {
    fn param(&self) -> Variable {
        self.head.params[self.index]
    }

    /// What the back edges pass for the parameter.
    fn of_turns(&self) -> impl Iterator<Item = Simple> + 'a {
        let (group, end, index) = (self.head.group, self.head.scope.start, self.index);
        let uses = self.head.uses.iter().zip(&self.head.args);
        uses.filter(move |(position, _)| (group..end).contains(position))
            .filter_map(move |(_, args)| args.and_then(|args| args.get(index).copied()))
    }

    /// The parameter, and those of continuations in the loop that are passed for it, one of each.
    fn all(&self) -> Vec<Variable> {
        let mut names = vec![self.param()];
        let mut work: Vec<_> = self.of_turns().collect();
        while let Some(arg) = work.pop() {
            let Some(var) = arg.as_var().filter(|var| !names.contains(var)) else { continue };
            let Some((cont, index)) = self.join_of(var) else { continue };
            let info = &self.analysis.continuations[cont];
            if info.params.iter().any(|param| names.contains(param)) {
                continue;
            }
            if names.len() == MAX_NAMES {
                break;
            }
            names.push(var);
            work.extend(info.args.iter().flatten().filter_map(|args| args.get(index)));
        }
        names
    }

    fn occurrences(&self, var: Variable) -> Option<&'a Occurrences> {
        self.analysis.occurrences_of(var)
    }

    /// The continuation where paths of an iteration meet whose parameter this is.
    fn join_of(&self, var: Variable) -> Option<(Continuation, usize)> {
        let (cont, index) = self.occurrences(var)?.param_of;
        let info = &self.analysis.continuations[cont];
        let is_join = info.inside.is_none()
            && !self.analysis.is_exn(cont)
            && Some(info.region) == self.head.inside
            && !info.crosses_region
            && info.uses.len() > 1;
        is_join.then_some((cont, index))
    }

    /// Whether the parameter itself is passed to the next iteration.
    fn is_kept(&self, names: &[Variable]) -> bool {
        let is_param = |arg: &Simple| arg.as_var() == Some(self.param());
        let reached = |name: &Variable| {
            let (cont, index) = self.join_of(*name)?;
            let info = &self.analysis.continuations[cont];
            let mut args = info.args.iter().flatten().filter_map(move |args| args.get(index));
            args.any(is_param).then_some(())
        };
        self.of_turns().any(|arg| is_param(&arg)) || names[1..].iter().any(|name| reached(name).is_some())
    }

    /// Whether no name is read once a later one has been assigned.
    fn are_apart(&self, head: Continuation, names: &[Variable]) -> bool {
        let joins: Vec<_> = names[1..].iter().filter_map(|name| self.occurrences(*name)).collect();
        let conts: Vec<_> = joins.iter().map(|join| join.param_of.0).collect();
        let inside = self.head.inside;
        names.iter().all(|name| {
            let Some(name) = self.occurrences(*name) else { return false };
            let stays = |cont: &Continuation| {
                *cont == head
                    || conts.contains(cont)
                    || Some(self.analysis.continuations[*cont].region) != inside
            };
            let (bound, _) = name.param_of;
            let later = |cont: &&Continuation| **cont != bound && (bound == head || self.sees(bound, **cont));
            !name.escapes
                && name.passed.iter().all(stays)
                && conts.iter().filter(later).all(|cont| name.at.iter().all(|at| self.is_before(*at, *cont)))
        })
    }

    /// Whether the parameters of a continuation may be in scope where another one is bound.
    fn sees(&self, bound: Continuation, other: Continuation) -> bool {
        let (info, other) = (&self.analysis.continuations[bound], &self.analysis.continuations[other]);
        match info.handler.and_then(|handler| self.analysis.handler(handler)) {
            Some(handler) => handler.range.contains(&other.group),
            None => other.group >= info.scope.end,
        }
    }

    /// Whether a program point is left for good once a continuation is entered, or not reached then: it is in the scope
    /// of the continuation, or before it in a handler around both, or on a path that bypasses a handler around it.
    fn is_before(&self, (position, handler): (u32, HandlerId), cont: Continuation) -> bool {
        let info = &self.analysis.continuations[cont];
        let is_around =
            self.analysis.handler(handler).is_none_or(|handler| handler.range.contains(&info.group));
        info.scope.contains(&position)
            || position < info.group && is_around
            || self.handlers_around(info).any(|handler| self.goes_past(position, handler))
    }

    /// The handlers in the loop that a continuation is bound in.
    fn handlers_around(&self, info: &ContinuationInfo) -> impl Iterator<Item = &'a HandlerInfo> {
        let (analysis, head) = (self.analysis, self.head.handler);
        let in_loop =
            move |handler: HandlerId| (Some(handler) != head).then(|| analysis.handler(handler)).flatten();
        std::iter::successors(in_loop(info.around), move |handler| in_loop(handler.around))
    }

    /// Whether a program point is where a handler may yet be entered, or in another one of its group.
    fn goes_past(&self, position: u32, handler: &HandlerInfo) -> bool {
        let info = &self.analysis.continuations[handler.cont];
        (info.group..info.scope.end).contains(&position) && !handler.range.contains(&position)
    }
}
