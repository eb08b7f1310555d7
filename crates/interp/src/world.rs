//! All of the state but control: the heap, the outside, what was observed. Other interpreters (of Cmm, in
//! the tests of lowering) share it, and so agree with this one on all but control.

use std::cmp::Ordering;

use flambeau_ir::prim::{Comparison, IntCmp};
use flambeau_ir::{Dbg, FunctionSlot, Kind, Prim, SetOfClosures, StaticDef, Symbol, Unit};
use rustc_hash::FxHashMap;

use crate::external::size;
use crate::heap::{Heap, Shape, Value};
use crate::history::{History, Operand, Operation, OperationKind};
use crate::primitives::{bound_error, evaluate, index};
use crate::{Event, Leave, Options, Stats, Trap, bytes, primitives};

/// The exception that a signal handler raises.
const SIGNAL: Value = Value::Int(999);

/// Where a call is.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Its location.
    pub dbg: Dbg,
    /// Whether it is in tail position.
    pub tail: bool,
}

/// The state of a run.
#[derive(Debug)]
pub struct World {
    /// Objects.
    pub heap: Heap,
    /// What it took.
    pub stats: Stats,
    /// Each operation, if that was asked for.
    pub history: Option<History>,
    pub(crate) events: Vec<Event>,
    pub(crate) options: Options,
    pub(crate) symbols: FxHashMap<Symbol, Value>,
    /// What has a linker's name, of this unit or not.
    pub(crate) names: FxHashMap<String, Value>,
    /// Where the closure of each function slot is in its set.
    positions: FxHashMap<FunctionSlot, u32>,
    effects: usize,
    pub(crate) static_objects: usize,
}

impl World {
    /// The state at the beginning of a run: static data is allocated, and nothing has happened yet.
    pub fn new(unit: &Unit, options: &Options) -> World {
        let mut world = World {
            heap: Heap::default(),
            stats: Stats::default(),
            history: options.history.then(History::default),
            events: Vec::new(),
            options: *options,
            symbols: FxHashMap::default(),
            names: FxHashMap::default(),
            positions: FxHashMap::default(),
            effects: 0,
            static_objects: 0,
        };
        world.allocate_statics(unit);
        world.find_positions(unit);
        world.static_objects = world.heap.len();
        world.heap.words = 0;
        world
    }

    /// Dummies for closures have to know where those will be.
    fn find_positions(&mut self, unit: &Unit) {
        let mut note = |set: &SetOfClosures| {
            self.positions.extend(set.functions.iter().zip(0..).map(|((slot, _), at)| (*slot, at)));
        };
        for item in &unit.statics {
            if let StaticDef::Closures { set, .. } = &item.def {
                note(set);
            }
        }
        for body in unit.bodies() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    if let flambeau_ir::Item::LetClosures { set, .. } = item {
                        note(set);
                    }
                }
            });
        }
    }

    /// The events so far.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The value of a symbol.
    ///
    /// # Errors
    /// When the symbol is not defined.
    pub fn symbol(&self, symbol: Symbol) -> Result<Value, Trap> {
        self.symbols.get(&symbol).copied().ok_or(Trap::WrongShape)
    }

    /// The object with a linker's name, of this unit or not. There is one object for each name.
    pub fn named(&mut self, name: &str) -> Value {
        if let Some(value) = self.names.get(name) {
            return *value;
        }
        let value = self.heap.alloc(Shape::Foreign(name.to_owned()), true);
        self.names.insert(name.to_owned(), value);
        value
    }

    /// Records an operation. Raises if it is the interrupted one.
    fn record(
        &mut self,
        kind: Option<OperationKind>,
        operands: &[Value],
        dbg: Dbg,
        tail: bool,
    ) -> Result<(), Leave> {
        let id = dbg.0;
        self.heap.birth = (id, self.effects);
        if let Some(history) = &mut self.history {
            *history.counts.entry(id).or_default() += 1;
            if let Some(kind) = kind {
                let operands = operands.iter().map(|value| Operand::new(&self.heap, *value)).collect();
                history.operations.push(Operation { id, stamp: self.effects, kind, operands, tail });
            }
        }
        self.effects += usize::from(kind == Some(OperationKind::Effect));
        if kind == Some(OperationKind::Alloc) && self.options.interrupt == Some(id) {
            self.options.interrupt = None;
            if let Some(history) = &mut self.history {
                history.interrupted = true;
            }
            return Err(Leave::Raise(SIGNAL));
        }
        Ok(())
    }

    /// Executes a primitive.
    ///
    /// # Errors
    /// When it raises, or its behaviour is undefined.
    pub fn prim(&mut self, prim: &Prim, args: &[Value], dbg: Dbg) -> Result<Value, Leave> {
        self.stats.prims[prim.number()] += 1;
        match (prim, args) {
            (Prim::CCall(external), args) => {
                let value = self.call(&external.name, args, external.alloc, Site { dbg, tail: false })?;
                return self.in_kind(value, external.result.kind());
            }
            // It passes values to the handler, which is part of control.
            (Prim::ExnState, _) => return Ok(Value::UNIT),
            _ => self.record(OperationKind::of(prim.effects()), args, dbg, false)?,
        }
        match (prim, args) {
            (Prim::CheckBound { width }, [length, index]) => {
                let (length, index) = (primitives::index(*length)?, primitives::index(*index)?);
                if index < 0 || index > length - i64::from(*width) {
                    return Err(self.bound_error());
                }
                Ok(Value::UNIT)
            }
            (Prim::CheckZero { kind, if_known }, [divisor]) => {
                match crate::arith::integer(*kind, *divisor)? {
                    0 if *if_known => Err(Trap::DivisionByZero.into()),
                    0 => Err(Leave::Raise(self.named("caml_exn_Division_by_zero"))),
                    _ => Ok(Value::UNIT),
                }
            }
            _ => {
                let positions = &self.positions;
                let position = |slot| positions.get(&slot).copied().unwrap_or(0);
                Ok(evaluate(&mut self.heap, prim, args, position)?)
            }
        }
    }

    fn bound_error(&mut self) -> Leave {
        let invalid_argument = self.named("caml_exn_Invalid_argument");
        bound_error(&mut self.heap, invalid_argument)
    }

    /// Allocates a set of closures; gives the first of them.
    ///
    /// # Errors
    /// When the allocation is interrupted, and so raises.
    pub fn closures(&mut self, set: &SetOfClosures, values: &[Value], dbg: Dbg) -> Result<Value, Leave> {
        self.record(Some(OperationKind::Alloc), values, dbg, false)?;
        let slots = set.values.iter().zip(values).map(|((slot, _), value)| (*slot, *value)).collect();
        Ok(self.heap.alloc(Shape::Closures { functions: set.functions.to_vec(), slots }, false))
    }

    /// Calls an external function. Its result depends on what the events so far show, and on nothing else: two units
    /// that behave alike get the same results.
    ///
    /// # Errors
    /// When the function raises, or an argument is a poison.
    pub fn call(&mut self, name: &str, args: &[Value], may_raise: bool, site: Site) -> Result<Value, Leave> {
        let comparison = Comparison::named(name);
        // The result of comparing immediates does not depend on external functions.
        if let (Some(comparison), [Value::Int(x), Value::Int(y)]) = (comparison, args) {
            return Ok(Value::Int(outcome(comparison, x.cmp(y))));
        }
        if let Some(result) = self.on_bytes(name, args, site)? {
            return Ok(result);
        }
        if let Some(ordering) = self.order_of_strings(name, args) {
            return Ok(Value::Int(ordering));
        }
        self.stats.outside_calls += 1;
        self.record(Some(OperationKind::Effect), args, site.dbg, site.tail)?;
        let args_shown = args.iter().map(|arg| self.heap.show(*arg)).collect::<Result<_, _>>()?;
        self.events.push(Event { name: name.to_owned(), args: args_shown });
        self.heap.event = self.events.len();
        match (comparison, self.answer(name, args, may_raise)?) {
            (Some(comparison), Value::Int(n)) => Ok(Value::Int(outcome(comparison, n.cmp(&0)))),
            (Some(comparison), _) => Ok(Value::Int(outcome(comparison, Ordering::Less))),
            (None, answer) => Ok(answer),
        }
    }

    /// A function of the runtime that makes, fills or copies bytes, takes a number's bits for a float's, or formats an
    /// integer in decimal, which nobody outside sees.
    fn on_bytes(&mut self, name: &str, args: &[Value], site: Site) -> Result<Option<Value>, Leave> {
        Ok(Some(match (name, args) {
            ("caml_create_bytes", [length]) => {
                self.record(Some(OperationKind::Alloc), args, site.dbg, site.tail)?;
                self.heap.alloc(Shape::Bytes(vec![0; size(*length)?]), true)
            }
            ("caml_format_int", [format, Value::Int(n)])
                if bytes::contents(&self.heap, *format, false).is_ok_and(|format| format == b"%d") =>
            {
                self.record(Some(OperationKind::Alloc), args, site.dbg, site.tail)?;
                self.heap.alloc(Shape::Bytes(n.to_string().into_bytes()), true)
            }
            ("caml_int64_float_of_bits_unboxed", [Value::Int64(bits)]) => Value::Float(bits.cast_unsigned()),
            ("caml_fill_bytes", [to, at, length, character]) => {
                self.record(Some(OperationKind::Effect), args, site.dbg, site.tail)?;
                bytes::fill(&mut self.heap, *to, index(*at)?, size(*length)?, index(*character)?)?;
                Value::UNIT
            }
            ("caml_blit_bytes" | "caml_blit_string", [from, at, to, target, length]) => {
                self.record(Some(OperationKind::Effect), args, site.dbg, site.tail)?;
                bytes::copy(&mut self.heap, (*from, index(*at)?), (*to, index(*target)?), size(*length)?)?;
                Value::UNIT
            }
            _ => return Ok(None),
        }))
    }

    /// What a comparison of strings by the runtime gives, which nobody outside sees.
    fn order_of_strings(&self, name: &str, args: &[Value]) -> Option<i64> {
        let comparison = Comparison::of_strings(name)?;
        let [x, y] = args else { return None };
        let contents = |value: Value| bytes::contents(&self.heap, value, false).ok();
        Some(outcome(comparison, contents(*x)?.cmp(contents(*y)?)))
    }

    /// The answer of the outside, in the kind that was declared.
    fn in_kind(&mut self, value: Value, kind: Kind) -> Result<Value, Leave> {
        let n = if let Value::Int(n) = value { n } else { 3 };
        Ok(match kind {
            Kind::Value => value,
            Kind::NakedImmediate => Value::Int(n),
            Kind::NakedFloat => Value::Float((n as f64 / 2.0).to_bits()),
            Kind::NakedInt32 => Value::Int32(n as i32),
            Kind::NakedInt64 => Value::Int64(n),
            Kind::NakedNativeint => Value::Nativeint(n),
        })
    }
}

/// What a comparison gives.
fn outcome(comparison: Comparison, ordering: Ordering) -> i64 {
    let test = |op| match op {
        IntCmp::Eq => ordering.is_eq(),
        IntCmp::Ne => ordering.is_ne(),
        IntCmp::Lt | IntCmp::UnsignedLt => ordering.is_lt(),
        IntCmp::Le => ordering.is_le(),
        IntCmp::Gt => ordering.is_gt(),
        IntCmp::Ge => ordering.is_ge(),
    };
    match comparison {
        Comparison::ThreeWay => ordering as i64,
        Comparison::Test(op) => i64::from(test(op)),
    }
}
