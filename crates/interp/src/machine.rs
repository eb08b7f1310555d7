//! Control: an explicit stack, so that neither loops nor recursion of the unit need any of ours.

use flambeau_ir::term::StringSwitch;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeId, Continuation, Dbg, ExnCont, Expr, FunctionKind, IntKind, Item,
    Kind, Named, SetOfClosures, Simple, Switch, Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::heap::{Shape, Value};
use crate::history::Operand;
use crate::statics::constant;
use crate::world::{Site, World};
use crate::{Leave, Options, Run, Stop, Trap};

/// Runs the entry code of a verified unit.
pub fn run(unit: &Unit, options: &Options) -> Run {
    let entry = &unit.entry;
    let mut machine = Machine::new(unit, options);
    machine.frame = Frame { ret: Some(entry.ret), exn: Some(entry.exn), ..Frame::default() };
    machine.run(run_of(&entry.body), true)
}

/// Runs one function of a verified unit, before the entry code and without closure.
pub fn run_code(unit: &Unit, code: CodeId, args: &[Value], options: &Options) -> Run {
    let mut machine = Machine::new(unit, options);
    let code = &unit.codes[code];
    match machine.enter(code, None, args.to_vec()) {
        Ok(rest) => machine.run(rest, false),
        Err(_) => machine.finish(Stop::Trap(Trap::WrongShape)),
    }
}

/// What remains of a run of items.
#[derive(Clone, Copy)]
struct Rest<'a> {
    items: &'a [Item],
    terminator: &'a Terminator,
}

fn run_of(expr: &Expr) -> Rest<'_> {
    Rest { items: &expr.items, terminator: &expr.terminator }
}

/// The code of a continuation, and under how many handlers of its function it is bound.
#[derive(Clone, Copy)]
struct Target<'a> {
    params: &'a [Variable],
    rest: Rest<'a>,
    handlers: usize,
}

type Args = SmallVec<[Value; 4]>;

/// A call of a function that has not returned yet.
#[derive(Default)]
struct Frame {
    vars: FxHashMap<Variable, Value>,
    /// None while a call is being prepared.
    ret: Option<Continuation>,
    exn: Option<Continuation>,
    /// The handlers around, with the extra arguments that were passed to them last.
    handlers: Vec<(Continuation, Args)>,
}

/// What waits for the result of a call.
enum Pending {
    /// The caller.
    Frame(Frame, Continuation),
    /// Further arguments.
    Args(Vec<Value>),
}

/// How the machine stops.
enum Halt {
    Leave(Leave),
    Done(Value),
    OutOfFuel,
}

impl From<Leave> for Halt {
    fn from(leave: Leave) -> Self {
        Halt::Leave(leave)
    }
}

impl From<Trap> for Halt {
    fn from(trap: Trap) -> Self {
        Halt::Leave(Leave::Trap(trap))
    }
}

type Step<'a> = Result<Rest<'a>, Halt>;

struct Machine<'a> {
    unit: &'a Unit,
    world: World,
    targets: FxHashMap<Continuation, Target<'a>>,
    frame: Frame,
    stack: Vec<Pending>,
}

impl<'a> Machine<'a> {
    fn new(unit: &'a Unit, options: &Options) -> Self {
        let mut targets = FxHashMap::default();
        for body in unit.bodies() {
            find_targets(body, &mut targets);
        }
        let world = World::new(unit, options);
        Machine { unit, world, targets, frame: Frame::default(), stack: Vec::new() }
    }

    /// `shows_module`: the module block counts as the result.
    fn run(mut self, start: Rest<'a>, shows_module: bool) -> Run {
        let mut rest = start;
        let stop = loop {
            let step = match self.step(rest) {
                Err(Halt::Leave(Leave::Raise(exn))) => self.raise(exn),
                step => step,
            };
            match step {
                Ok(next) => rest = next,
                Err(Halt::Done(value)) => {
                    self.outcome(Ok(value));
                    let result = if shows_module { self.world.visible_module(self.unit) } else { Ok(value) };
                    break match result.and_then(|value| self.world.heap.show(value)) {
                        Ok(shown) => Stop::Return(shown),
                        Err(trap) => Stop::Trap(trap),
                    };
                }
                Err(Halt::Leave(Leave::Raise(exn))) => {
                    self.outcome(Err(exn));
                    break match self.world.heap.show(exn) {
                        Ok(shown) => Stop::Uncaught(shown),
                        Err(trap) => Stop::Trap(trap),
                    };
                }
                Err(Halt::Leave(Leave::Trap(trap))) => break Stop::Trap(trap),
                Err(Halt::OutOfFuel) => break Stop::OutOfFuel,
            }
        };
        self.finish(stop)
    }

    fn outcome(&mut self, result: Result<Value, Value>) {
        let heap = &self.world.heap;
        if let Some(history) = &mut self.world.history {
            let operand = |value| Operand::new(heap, value);
            history.outcome = Some(result.map(operand).map_err(operand));
        }
    }

    fn finish(self, stop: Stop) -> Run {
        let World { mut stats, events, history, heap, static_objects, .. } = self.world;
        stats.objects = (heap.len() - static_objects) as u64;
        stats.words = heap.words;
        Run { events, stop, seen: heap.seen, stats, history }
    }

    // ---- values

    fn atom(&self, simple: Simple) -> Result<Value, Trap> {
        match simple {
            Simple::Const(c) => Ok(constant(c)),
            Simple::Symbol(symbol) => self.world.symbol(symbol),
            Simple::Var(v) => self.frame.vars.get(&v).copied().ok_or(Trap::WrongShape),
        }
    }

    fn atoms<'s>(&self, simples: impl IntoIterator<Item = &'s Simple>) -> Result<Args, Trap> {
        simples.into_iter().map(|simple| self.atom(*simple)).collect()
    }

    fn bind(&mut self, params: &[Variable], args: &[Value]) -> Result<(), Trap> {
        if params.len() != args.len() {
            return Err(Trap::WrongShape);
        }
        self.frame.vars.extend(params.iter().copied().zip(args.iter().copied()));
        Ok(())
    }

    // ---- transfers of control

    fn jump(&mut self, cont: Continuation, args: &[Value]) -> Step<'a> {
        if Some(cont) == self.frame.ret {
            return self.give(args.first().copied().ok_or(Trap::WrongShape)?);
        }
        let target = *self.targets.get(&cont).ok_or(Trap::WrongShape)?;
        self.frame.handlers.truncate(target.handlers);
        self.bind(target.params, args)?;
        Ok(target.rest)
    }

    /// Passes a result to the continuation that waits for it.
    fn give(&mut self, value: Value) -> Step<'a> {
        match self.stack.pop() {
            None => Err(Halt::Done(value)),
            Some(Pending::Frame(frame, ret)) => {
                self.frame = frame;
                self.jump(ret, &[value])
            }
            Some(Pending::Args(args)) => {
                self.frame = Frame::default();
                self.generic(value, args, Site { dbg: Dbg::NONE, tail: false })
            }
        }
    }

    /// Transfers control to the innermost handler, of this function or of a caller. An error is not caught.
    fn raise(&mut self, exn: Value) -> Step<'a> {
        self.world.stats.raises += 1;
        loop {
            if let Some((cont, extra)) = self.frame.handlers.pop() {
                let args: Args = [exn].into_iter().chain(extra).collect();
                return self.jump(cont, &args);
            }
            match self.stack.pop() {
                None => return Err(Leave::Raise(exn).into()),
                Some(Pending::Frame(frame, _)) => self.frame = frame,
                Some(Pending::Args(_)) => {}
            }
        }
    }

    /// A program point that may raise passes the extra arguments to the handler, which keeps them for signals.
    fn pass_state(&mut self, exn: &ExnCont) -> Result<(), Trap> {
        let extra = self.atoms(&exn.extra_args)?;
        let expected = self.frame.handlers.last().map(|(cont, _)| *cont).or(self.frame.exn);
        if expected != Some(exn.cont) {
            return Err(Trap::WrongShape);
        }
        if let Some((_, state)) = self.frame.handlers.last_mut() {
            *state = extra;
        }
        Ok(())
    }

    // ---- steps

    fn step(&mut self, rest: Rest<'a>) -> Step<'a> {
        if self.world.stats.steps == self.world.options.fuel {
            return Err(Halt::OutOfFuel);
        }
        self.world.stats.steps += 1;
        let Some((item, items)) = rest.items.split_first() else { return self.terminator(rest.terminator) };
        match item {
            Item::Let { var, named, dbg } => {
                let value = self.named(named, *dbg)?;
                self.frame.vars.insert(*var, value);
            }
            Item::LetClosures { vars, set, dbg } => self.closures(vars, set, *dbg)?,
            Item::Join { body, .. } => return Ok(run_of(body)),
            Item::LetCont { .. } => {}
        }
        Ok(Rest { items, ..rest })
    }

    fn named(&mut self, named: &Named, dbg: Dbg) -> Result<Value, Halt> {
        match named {
            Named::Simple(simple) => Ok(self.atom(*simple)?),
            Named::Prim { prim, args, exn } => {
                if let Some(exn) = exn {
                    self.pass_state(exn)?;
                }
                let args = self.atoms(args)?;
                Ok(self.world.prim(prim, &args, dbg)?)
            }
        }
    }

    fn closures(&mut self, vars: &[Variable], set: &SetOfClosures, dbg: Dbg) -> Result<(), Halt> {
        let values = self.atoms(set.values.iter().map(|(_, value)| value))?;
        if let Value::Pointer(object, _) = self.world.closures(set, &values, dbg)? {
            let closures = (0..).map(|position| Value::Pointer(object, position));
            self.frame.vars.extend(vars.iter().copied().zip(closures));
        }
        Ok(())
    }

    fn terminator(&mut self, terminator: &'a Terminator) -> Step<'a> {
        match terminator {
            Terminator::ApplyCont(jump) => self.apply_cont(jump),
            Terminator::Apply(apply) => self.apply(apply),
            Terminator::Switch(switch) => self.switch(switch),
            Terminator::StringSwitch(switch) => self.string_switch(switch),
            Terminator::Raise { exn, handler, .. } => {
                self.pass_state(handler)?;
                Err(Leave::Raise(self.atom(*exn)?).into())
            }
            Terminator::Try { body, handler } => {
                let extra = self.atoms(&handler.extra_args)?;
                self.frame.handlers.push((handler.cont, extra));
                Ok(run_of(body))
            }
            Terminator::Unreachable => Err(Trap::Unreachable.into()),
        }
    }

    fn apply_cont(&mut self, jump: &ApplyCont) -> Step<'a> {
        let args = self.atoms(&jump.args)?;
        self.jump(jump.cont, &args)
    }

    fn switch(&mut self, switch: &Switch) -> Step<'a> {
        let value = crate::arith::integer(IntKind::Naked, self.atom(switch.scrutinee)?)?;
        let arm = switch.arms.iter().find(|(key, _)| *key == value).map(|(_, jump)| jump);
        let is_case = switch.cases.is_none_or(|cases| (0..i64::from(cases)).contains(&value));
        self.apply_cont(arm.or(switch.default.as_ref().filter(|_| is_case)).ok_or(Trap::Unreachable)?)
    }

    fn string_switch(&mut self, switch: &StringSwitch) -> Step<'a> {
        let value = self.atom(switch.scrutinee)?;
        let Shape::Bytes(bytes) = self.world.heap.get(value)? else { return Err(Trap::WrongShape.into()) };
        let arm = switch.arms.iter().find(|(key, _)| key == bytes).map(|(_, jump)| jump);
        self.apply_cont(arm.or(switch.default.as_ref()).ok_or(Trap::Unreachable)?)
    }

    // ---- calls

    fn apply(&mut self, apply: &Apply) -> Step<'a> {
        self.pass_state(&apply.exn)?;
        let mut args = self.atoms(&apply.args)?.into_vec();
        let callee = apply.callee.map(|callee| self.atom(callee)).transpose()?;
        // A tail call leaves no frame behind.
        let tail = Some(apply.ret) == self.frame.ret && self.frame.handlers.is_empty();
        let caller = std::mem::take(&mut self.frame);
        if tail {
            // The table, not what it holds: `enter` clears it.
            self.frame.vars = caller.vars;
        } else {
            self.stack.push(Pending::Frame(caller, apply.ret));
            self.world.stats.depth = self.world.stats.depth.max(self.stack.len());
        }
        let site = Site { dbg: apply.dbg, tail };
        match &apply.kind {
            CallKind::Direct(code) => {
                self.world.stats.direct_calls += 1;
                self.enter(&self.unit.codes[*code], callee, args)
            }
            CallKind::Generic => {
                self.world.stats.generic_calls += 1;
                self.generic(callee.ok_or(Trap::WrongShape)?, args, site)
            }
            CallKind::DirectExternal(name) => self.outside(name, &args, site),
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => {
                args.insert(0, callee.ok_or(Trap::WrongShape)?);
                self.outside("send", &args, site)
            }
        }
    }

    fn enter(&mut self, code: &'a Code, closure: Option<Value>, args: Vec<Value>) -> Step<'a> {
        let mut vars = std::mem::take(&mut self.frame.vars);
        vars.clear();
        self.frame = Frame { vars, ret: Some(code.ret), exn: Some(code.exn), handlers: Vec::new() };
        self.frame.vars.insert(code.my_closure, closure.unwrap_or(Value::Poison(Kind::Value)));
        self.bind(&code.params, &args)?;
        Ok(run_of(&code.body))
    }

    fn outside(&mut self, name: &str, args: &[Value], site: Site) -> Step<'a> {
        let value = self.world.call(name, args, true, site)?;
        self.give(value)
    }

    /// An application of whatever the callee is: exact, partial, over-application, tupled, foreign. A
    /// function of the outside whose name begins with `callback` calls its first argument.
    fn generic(&mut self, callee: Value, args: Vec<Value>, site: Site) -> Step<'a> {
        let (mut callee, mut args) = (callee, args);
        let code = loop {
            match (self.world.heap.get(callee)?, callee) {
                (Shape::Closures { functions, .. }, Value::Pointer(_, position)) => {
                    break functions.get(position as usize).ok_or(Trap::WrongShape)?.1;
                }
                (Shape::Partial { callee: inner, args: first }, _) => {
                    args.splice(0..0, first.iter().copied());
                    callee = *inner;
                }
                (Shape::Foreign(name), _) => {
                    let name = name.clone();
                    let answer = self.world.call(&name, &args, true, site)?;
                    if !name.starts_with("callback") || args.len() < 2 {
                        return self.give(answer);
                    }
                    callee = args.remove(0);
                }
                _ => return Err(Trap::WrongShape.into()),
            }
        };
        let code = &self.unit.codes[code];
        let arity = if code.kind == FunctionKind::Tupled { 1 } else { code.params.len() };
        if args.len() < arity {
            let partial = self.world.heap.alloc(Shape::Partial { callee, args }, false);
            return self.give(partial);
        }
        let later = args.split_off(arity);
        if !later.is_empty() {
            self.stack.push(Pending::Args(later));
        }
        let args = match code.kind {
            FunctionKind::Curried => args,
            FunctionKind::Tupled => match self.world.heap.get(args[0])? {
                Shape::Block { fields, .. } => fields.clone(),
                _ => return Err(Trap::WrongShape.into()),
            },
        };
        self.enter(code, Some(callee), args)
    }
}

/// The continuations of a body, and under how many of its handlers each is bound.
fn find_targets<'a>(body: &'a Expr, targets: &mut FxHashMap<Continuation, Target<'a>>) {
    let mut work = vec![(body, 0)];
    while let Some((expr, handlers)) = work.pop() {
        for (index, item) in expr.items.iter().enumerate() {
            match item {
                Item::Let { .. } | Item::LetClosures { .. } => {}
                Item::Join { cont, params, body } => {
                    let rest = Rest { items: &expr.items[index + 1..], terminator: &expr.terminator };
                    targets.insert(*cont, Target { params, rest, handlers });
                    work.push((body, handlers));
                }
                Item::LetCont { handlers: group, .. } => {
                    for handler in group {
                        let target =
                            Target { params: &handler.params, rest: run_of(&handler.body), handlers };
                        targets.insert(handler.cont, target);
                        work.push((&handler.body, handlers));
                    }
                }
            }
        }
        if let Terminator::Try { body, .. } = &expr.terminator {
            work.push((body, handlers + 1));
        }
    }
}
