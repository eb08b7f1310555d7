//! Evaluation of terms.

use flambeau_ir::prim::Prim;
use flambeau_ir::stack::deep;
use flambeau_ir::term::StringSwitch;
use flambeau_ir::{
    Apply, CallKind, CodeId, Const, Continuation, ExnCont, Expr, FunctionKind, Item, Named, SetOfClosures,
    Simple, StaticDef, StaticField, Switch, Symbol, Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;

use crate::external::{Answer, World};
use crate::heap::{Heap, Object, Value};
use crate::primitives;
use crate::{Run, Stop, Trap};

/// Runs the entry code of a verified unit, for at most `fuel` steps (items and terminators).
pub fn run(unit: &Unit, fuel: u64) -> Run {
    let mut machine = Machine::new(unit, fuel);
    let stop = machine.run_entry();
    Run { events: machine.world.events, stop }
}

/// How the evaluation of a term ends.
enum Exit {
    /// A jump, to a continuation bound outside. Exception continuations too.
    Jump(Continuation, Vec<Value>),
    /// A call in tail position.
    TailCall(CodeId, Option<Value>, Vec<Value>),
}

/// Why evaluation stops.
enum Halt {
    Trap(Trap),
    OutOfFuel,
}

impl From<Trap> for Halt {
    fn from(trap: Trap) -> Self {
        Halt::Trap(trap)
    }
}

type Eval<T> = Result<T, Halt>;

/// How a function ends.
enum Outcome {
    Return(Value),
    Raise(Value),
}

struct Machine<'a> {
    unit: &'a Unit,
    heap: Heap,
    world: World,
    symbols: FxHashMap<Symbol, Value>,
    fuel: u64,
}

/// The variables of a function, and its own continuations.
#[derive(Default)]
struct Frame {
    vars: FxHashMap<Variable, Value>,
    /// The return and exception continuations; none in the entry code's frame before it is entered.
    ret: Option<Continuation>,
    exn: Option<Continuation>,
}

impl<'a> Machine<'a> {
    fn new(unit: &'a Unit, fuel: u64) -> Self {
        let mut machine = Machine {
            unit,
            heap: Heap::default(),
            world: World::default(),
            symbols: FxHashMap::default(),
            fuel,
        };
        machine.place_statics();
        machine
    }

    /// Static data: first every symbol gets its object, then the objects their contents.
    fn place_statics(&mut self) {
        let unit = self.unit;
        for item in &unit.statics {
            match &item.def {
                StaticDef::Closures { symbols, set } => {
                    let value = self.alloc_closures(set, |_| Value::Int(0));
                    let Value::Pointer(object, _) = value else { continue };
                    for (index, symbol) in symbols.iter().enumerate() {
                        self.symbols.insert(*symbol, Value::Pointer(object, index as u32));
                    }
                }
                StaticDef::Block { symbol, tag, fields } => {
                    let fields = vec![Value::Int(0); fields.len()];
                    self.define(*symbol, Object::Block { tag: *tag, fields });
                }
                StaticDef::Preallocated { symbol, tag, size } => {
                    let fields = vec![Value::Int(0); *size as usize];
                    self.define(*symbol, Object::Block { tag: *tag, fields });
                }
                StaticDef::Float { symbol, bits } => self.define(*symbol, Object::Boxed(Value::Float(*bits))),
                StaticDef::Int32 { symbol, value } => {
                    self.define(*symbol, Object::Boxed(Value::Int32(*value)))
                }
                StaticDef::Int64 { symbol, value } | StaticDef::Nativeint { symbol, value } => {
                    self.define(*symbol, Object::Boxed(Value::Int64(*value)));
                }
                StaticDef::String { symbol, contents } => {
                    self.define(*symbol, Object::Bytes(contents.clone()))
                }
                StaticDef::FloatArray { symbol, elements } => {
                    self.define(*symbol, Object::Floats(elements.clone()));
                }
            }
        }
        for (symbol, data) in &unit.symbols {
            if !data.is_local {
                self.define(symbol, Object::Foreign(data.linkage_name.clone()));
            }
        }
        for item in &unit.statics {
            match &item.def {
                StaticDef::Block { symbol, fields, .. } => {
                    let contents: Vec<Value> = fields.iter().map(|field| self.static_field(*field)).collect();
                    let block = self.symbols[symbol];
                    if let Ok(Object::Block { fields, .. }) = self.heap.get_mut(block) {
                        *fields = contents;
                    }
                }
                StaticDef::Closures { symbols, set } => {
                    let contents: Vec<_> =
                        set.values.iter().map(|(slot, v)| (*slot, self.constant_atom(*v))).collect();
                    let Some(first) = symbols.first() else { continue };
                    let closure = self.symbols[first];
                    if let Ok(Object::Closures { slots, .. }) = self.heap.get_mut(closure) {
                        slots.extend(contents);
                    }
                }
                _ => {}
            }
        }
    }

    fn define(&mut self, symbol: Symbol, object: Object) {
        let value = self.heap.alloc(object);
        self.symbols.insert(symbol, value);
    }

    fn static_field(&self, field: StaticField) -> Value {
        self.constant_atom(field.simple())
    }

    /// An atom of static data. A symbol without definition shows as a poison.
    fn constant_atom(&self, simple: Simple) -> Value {
        match simple {
            Simple::Const(c) => constant(c),
            Simple::Symbol(s) => {
                self.symbols.get(&s).copied().unwrap_or(Value::Poison(flambeau_ir::Kind::Value))
            }
            Simple::Var(_) => Value::Poison(flambeau_ir::Kind::Value),
        }
    }

    fn alloc_closures(&mut self, set: &SetOfClosures, mut atom: impl FnMut(Simple) -> Value) -> Value {
        self.heap.alloc(Object::Closures {
            functions: set.functions.to_vec(),
            slots: set.values.iter().map(|(slot, v)| (*slot, atom(*v))).collect(),
        })
    }

    fn run_entry(&mut self) -> Stop {
        let unit = self.unit;
        let mut frame = Frame { ret: Some(unit.entry.ret), exn: Some(unit.entry.exn), ..Frame::default() };
        let exit = self.expr(&mut frame, &unit.entry.body);
        let outcome = exit.and_then(|exit| self.finish(exit, &frame));
        match outcome {
            Ok(Outcome::Return(_)) => Stop::Return(self.heap.show(self.symbols[&unit.module_symbol])),
            Ok(Outcome::Raise(exn)) => Stop::Uncaught(self.heap.show(exn)),
            Err(Halt::Trap(trap)) => Stop::Trap(trap),
            Err(Halt::OutOfFuel) => Stop::OutOfFuel,
        }
    }

    /// Calls a function of the unit; tail calls loop.
    fn call(&mut self, code: CodeId, closure: Option<Value>, args: Vec<Value>) -> Eval<Outcome> {
        let unit = self.unit;
        let (mut code, mut closure, mut args) = (code, closure, args);
        loop {
            let function = &unit.codes[code];
            if function.params.len() != args.len() {
                return Err(Trap::WrongShape.into());
            }
            let mut frame = Frame { ret: Some(function.ret), exn: Some(function.exn), ..Frame::default() };
            frame.vars.extend(function.params.iter().copied().zip(args));
            frame
                .vars
                .insert(function.my_closure, closure.unwrap_or(Value::Poison(flambeau_ir::Kind::Value)));
            match self.expr(&mut frame, &function.body)? {
                Exit::TailCall(next, next_closure, next_args) => {
                    (code, closure, args) = (next, next_closure, next_args);
                }
                exit => return self.finish(exit, &frame),
            }
        }
    }

    /// The outcome of a function whose body has ended.
    fn finish(&mut self, exit: Exit, frame: &Frame) -> Eval<Outcome> {
        match exit {
            Exit::TailCall(code, closure, args) => self.call(code, closure, args),
            Exit::Jump(cont, args) => {
                let value = args.first().copied().unwrap_or(Value::Int(0));
                if Some(cont) == frame.ret {
                    Ok(Outcome::Return(value))
                } else if Some(cont) == frame.exn {
                    Ok(Outcome::Raise(value))
                } else {
                    Err(Trap::WrongShape.into())
                }
            }
        }
    }

    fn burn(&mut self) -> Eval<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Halt::OutOfFuel)?;
        Ok(())
    }

    fn expr(&mut self, frame: &mut Frame, expr: &'a Expr) -> Eval<Exit> {
        deep(|| self.items(frame, expr, 0))
    }

    /// Evaluates the run from an item on.
    fn items(&mut self, frame: &mut Frame, expr: &'a Expr, from: usize) -> Eval<Exit> {
        for (index, item) in expr.items.iter().enumerate().skip(from) {
            self.burn()?;
            match item {
                Item::Let { var, named, .. } => match self.named(frame, named)? {
                    Ok(value) => {
                        frame.vars.insert(*var, value);
                    }
                    Err(raise) => return Ok(raise),
                },
                Item::LetClosures { vars, set, .. } => {
                    let value = self.alloc_closures_in(frame, set)?;
                    let Value::Pointer(object, _) = value else { continue };
                    for (position, var) in vars.iter().enumerate() {
                        frame.vars.insert(*var, Value::Pointer(object, position as u32));
                    }
                }
                Item::Join { cont, params, body } => match self.expr(frame, body)? {
                    Exit::Jump(target, args) if target == *cont => bind(frame, params, &args)?,
                    exit => return Ok(exit),
                },
                Item::LetCont { handlers, .. } => {
                    let mut exit = deep(|| self.items(frame, expr, index + 1))?;
                    while let Exit::Jump(target, args) = &exit
                        && let Some(handler) = handlers.iter().find(|h| h.cont == *target)
                    {
                        self.burn()?;
                        bind(frame, &handler.params, args)?;
                        exit = self.expr(frame, &handler.body)?;
                    }
                    return Ok(exit);
                }
            }
        }
        self.burn()?;
        self.terminator(frame, &expr.terminator)
    }

    fn alloc_closures_in(&mut self, frame: &Frame, set: &SetOfClosures) -> Eval<Value> {
        let mut values = Vec::with_capacity(set.values.len());
        for (_, simple) in &set.values {
            values.push(self.atom(frame, *simple)?);
        }
        let mut values = values.into_iter();
        Ok(self.alloc_closures(set, |_| values.next().unwrap_or(Value::Int(0))))
    }

    fn atom(&self, frame: &Frame, simple: Simple) -> Eval<Value> {
        match simple {
            Simple::Const(c) => Ok(constant(c)),
            Simple::Symbol(s) => Ok(self.symbols[&s]),
            Simple::Var(v) => frame.vars.get(&v).copied().ok_or(Halt::Trap(Trap::WrongShape)),
        }
    }

    fn atoms(&self, frame: &Frame, simples: &[Simple]) -> Eval<Vec<Value>> {
        simples.iter().map(|simple| self.atom(frame, *simple)).collect()
    }

    /// A jump to an exception continuation.
    fn raise(&self, frame: &Frame, exn: &ExnCont, value: Value) -> Eval<Exit> {
        let mut args = vec![value];
        args.extend(self.atoms(frame, &exn.extra_args)?);
        Ok(Exit::Jump(exn.cont, args))
    }

    /// The value of a `let`, or the raise that takes its place.
    fn named(&mut self, frame: &Frame, named: &Named) -> Eval<Result<Value, Exit>> {
        let (prim, args, exn) = match named {
            Named::Simple(simple) => return Ok(Ok(self.atom(frame, *simple)?)),
            Named::Prim { prim, args, exn } => (prim, self.atoms(frame, args)?, exn),
        };
        let raised = match prim {
            Prim::CheckBound { width } => {
                let (length, index) = (integer(args[0])?, integer(args[1])?);
                let fits = index >= 0 && index <= length - i64::from(*width);
                (!fits).then_some("Invalid_argument")
            }
            Prim::CheckZero { kind } => {
                (crate::arith::integer(*kind, args[0])? == 0).then_some("Division_by_zero")
            }
            Prim::ExnState => None,
            Prim::CCall(external) => {
                return match self.world.call(&mut self.heap, &external.name, &args, external.alloc) {
                    Answer::Return(value) => Ok(Ok(self.in_kind(value, external.result.kind()))),
                    Answer::Raise(value) => match exn {
                        Some(exn) => Ok(Err(self.raise(frame, exn, value)?)),
                        None => Err(Trap::WrongShape.into()),
                    },
                };
            }
            _ => return Ok(Ok(primitives::evaluate(&mut self.heap, prim, &args)?)),
        };
        match (raised, exn) {
            (None, _) => Ok(Ok(Value::Int(0))),
            (Some(name), Some(exn)) => {
                let value = self.heap.alloc(Object::Foreign(name.to_owned()));
                Ok(Err(self.raise(frame, exn, value)?))
            }
            (Some(_), None) => Err(Trap::WrongShape.into()),
        }
    }

    /// The answer of the world, in the kind that was declared.
    fn in_kind(&mut self, value: Value, kind: flambeau_ir::Kind) -> Value {
        use flambeau_ir::Kind;
        let n = if let Value::Int(n) = value { n } else { 3 };
        match kind {
            Kind::Value => value,
            Kind::NakedImmediate => Value::Int(n),
            Kind::NakedFloat => Value::Float((n as f64).to_bits()),
            Kind::NakedInt32 => Value::Int32(n as i32),
            Kind::NakedInt64 | Kind::NakedNativeint => Value::Int64(n),
        }
    }

    fn terminator(&mut self, frame: &mut Frame, terminator: &'a Terminator) -> Eval<Exit> {
        match terminator {
            Terminator::ApplyCont(jump) => Ok(Exit::Jump(jump.cont, self.atoms(frame, &jump.args)?)),
            Terminator::Apply(apply) => self.apply(frame, apply),
            Terminator::Switch(switch) => self.switch(frame, switch),
            Terminator::StringSwitch(switch) => self.string_switch(frame, switch),
            Terminator::Raise { exn, handler, .. } => {
                let value = self.atom(frame, *exn)?;
                self.raise(frame, handler, value)
            }
            Terminator::Try { body, .. } => match self.expr(frame, body)? {
                // Under a handler no call is a tail call.
                Exit::TailCall(..) => Err(Trap::WrongShape.into()),
                exit => Ok(exit),
            },
            Terminator::Unreachable => Err(Trap::Unreachable.into()),
        }
    }

    fn switch(&mut self, frame: &Frame, switch: &Switch) -> Eval<Exit> {
        let value = integer(self.atom(frame, switch.scrutinee)?)?;
        let arm = switch.arms.iter().find(|(key, _)| *key == value).map(|(_, jump)| jump);
        let jump = arm.or(switch.default.as_ref()).ok_or(Trap::Unreachable)?;
        Ok(Exit::Jump(jump.cont, self.atoms(frame, &jump.args)?))
    }

    fn string_switch(&mut self, frame: &Frame, switch: &StringSwitch) -> Eval<Exit> {
        let value = self.atom(frame, switch.scrutinee)?;
        let Object::Bytes(bytes) = self.heap.get(value)? else { return Err(Trap::WrongShape.into()) };
        let arm = switch.arms.iter().find(|(key, _)| key == bytes).map(|(_, jump)| jump);
        let jump = arm.or(switch.default.as_ref()).ok_or(Trap::Unreachable)?;
        Ok(Exit::Jump(jump.cont, self.atoms(frame, &jump.args)?))
    }

    fn apply(&mut self, frame: &Frame, apply: &Apply) -> Eval<Exit> {
        let args = self.atoms(frame, &apply.args)?;
        let callee = apply.callee.map(|callee| self.atom(frame, callee)).transpose()?;
        let is_tail = Some(apply.ret) == frame.ret && Some(apply.exn.cont) == frame.exn;
        let outcome = match &apply.kind {
            CallKind::Direct(code) if is_tail => return Ok(Exit::TailCall(*code, callee, args)),
            CallKind::Direct(code) => self.nested_call(*code, callee, args)?,
            CallKind::Generic => self.generic(callee.ok_or(Trap::WrongShape)?, args)?,
            CallKind::DirectExternal(name) => self.outside(name, &args),
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => {
                let mut all = vec![callee.ok_or(Trap::WrongShape)?];
                all.extend(args);
                self.outside("send", &all)
            }
        };
        match outcome {
            Outcome::Return(value) => Ok(Exit::Jump(apply.ret, vec![value])),
            Outcome::Raise(value) => self.raise(frame, &apply.exn, value),
        }
    }

    fn nested_call(&mut self, code: CodeId, closure: Option<Value>, args: Vec<Value>) -> Eval<Outcome> {
        self.burn()?;
        deep(|| self.call(code, closure, args))
    }

    fn outside(&mut self, name: &str, args: &[Value]) -> Outcome {
        match self.world.call(&mut self.heap, name, args, true) {
            Answer::Return(value) => Outcome::Return(value),
            Answer::Raise(value) => Outcome::Raise(value),
        }
    }

    /// An application of whatever the callee is: exact, partial, over-application, tupled, foreign.
    fn generic(&mut self, callee: Value, args: Vec<Value>) -> Eval<Outcome> {
        let code = match (self.heap.get(callee)?, callee) {
            (Object::Closures { functions, .. }, Value::Pointer(_, position)) => {
                functions[position as usize].1
            }
            (Object::Block { tag: PARTIAL_TAG, fields }, _) => {
                let mut all = fields.clone();
                let callee = all.remove(0);
                all.extend(args);
                return self.generic(callee, all);
            }
            (Object::Foreign(name), _) => {
                let name = name.clone();
                return Ok(self.outside(&name, &args));
            }
            _ => return Err(Trap::WrongShape.into()),
        };
        let function = &self.unit.codes[code];
        let arity = if function.kind == FunctionKind::Tupled { 1 } else { function.params.len() };
        if args.len() < arity {
            let mut fields = vec![callee];
            fields.extend(args);
            return Ok(Outcome::Return(self.heap.alloc(Object::Block { tag: PARTIAL_TAG, fields })));
        }
        let (now, later) = args.split_at(arity);
        let now = match function.kind {
            FunctionKind::Curried => now.to_vec(),
            FunctionKind::Tupled => match self.heap.get(now[0])? {
                Object::Block { fields, .. } => fields.clone(),
                _ => return Err(Trap::WrongShape.into()),
            },
        };
        match self.nested_call(code, Some(callee), now)? {
            Outcome::Return(value) if !later.is_empty() => self.generic(value, later.to_vec()),
            outcome => Ok(outcome),
        }
    }
}

/// The tag under which the interpreter keeps partial applications: that of closures, which blocks of the IR
/// never have.
const PARTIAL_TAG: u8 = 247;

fn constant(c: Const) -> Value {
    match c {
        Const::Tagged(n) | Const::NakedImmediate(n) => Value::Int(n),
        Const::NakedFloat(bits) => Value::Float(bits),
        Const::NakedInt32(n) => Value::Int32(n),
        Const::NakedInt64(n) | Const::NakedNativeint(n) => Value::Int64(n),
        Const::Poison(kind) => Value::Poison(kind),
    }
}

fn integer(value: Value) -> Eval<i64> {
    Ok(crate::arith::integer(flambeau_ir::IntKind::Naked, value)?)
}

fn bind(frame: &mut Frame, params: &[Variable], args: &[Value]) -> Eval<()> {
    if params.len() != args.len() {
        return Err(Trap::WrongShape.into());
    }
    frame.vars.extend(params.iter().copied().zip(args.iter().copied()));
    Ok(())
}
