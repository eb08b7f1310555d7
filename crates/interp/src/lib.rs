//! An interpreter of the IR, simple and obviously right rather than fast, and a generator of terms for it.
//!
//! It is the oracle for passes: a unit before a pass and after it must behave alike ([`check_pass`]), unless the
//! first meets undefined behaviour ([`Stop::Trap`]) or runs out of fuel. What a unit does is observed
//! through its calls of functions that are not its own: each is an event with its name and the
//! structure of its arguments, and each gives a result (or raises) by a rule of its own that depends
//! only on the events so far. Under [`Options::history`] every operation that is not pure is observed too,
//! for the tests of lowering, which may not reorder as passes may.
//!
//! `docs/interp.md` says how each construct is defined, and how to add one.

mod arith;
mod bytes;
pub mod check;
pub mod coverage;
mod external;
pub mod generate;
pub mod heap;
pub mod history;
mod machine;
mod primitives;
mod statics;
pub mod world;

use flambeau_ir::Prim;

pub use check::{Difference, Verdict, check_pass};
pub use heap::Value;
pub use machine::{run, run_code};
pub use world::World;

/// What an operation on two integers gives; nothing if it traps. For tests of rules of algebra.
#[must_use]
pub fn compute(prim: &Prim, a: i64, b: i64) -> Option<i64> {
    let (kind, result) = match prim {
        Prim::IntArith { op, kind } => {
            (*kind, arith::arith(*op, *kind, arith::make(*kind, a), arith::make(*kind, b)))
        }
        Prim::IntShift { op, kind } => {
            (*kind, arith::shift(*op, *kind, arith::make(*kind, a), Value::Int(b)))
        }
        Prim::IntDiv { kind } | Prim::IntMod { kind } => {
            let is_quotient = matches!(prim, Prim::IntDiv { .. });
            (*kind, arith::divide(is_quotient, *kind, arith::make(*kind, a), arith::make(*kind, b)))
        }
        _ => return None,
    };
    result.and_then(|value| arith::integer(kind, value)).ok()
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many items and terminators may be evaluated.
    pub fuel: u64,
    /// Whether to record each operation that is not pure.
    pub history: bool,
    /// A signal handler raises at the first allocation with this source location.
    pub interrupt: Option<u32>,
    /// Whether the outside assigns field 0 of mutable blocks that it has seen, where that holds an
    /// integer: finds loads that are forwarded across calls. Not for units whose mutable records
    /// have an immutable first field.
    pub meddle: bool,
    /// How many events there were before the first of this run, for the outside: its answers depend on their number.
    pub earlier: usize,
    /// One call of the outside in so many raises, if it may at all; 0 for none.
    pub raise_one_in: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fuel: 1_000_000,
            history: false,
            interrupt: None,
            meddle: false,
            earlier: 0,
            raise_one_in: 8,
        }
    }
}

/// All that is known of a run. What has to agree is [`Run::behaviour`].
#[derive(Clone, Debug)]
pub struct Run {
    /// The events in order.
    pub events: Vec<Event>,
    /// How it ended.
    pub stop: Stop,
    /// The immutable blocks and boxed numbers that the outside has seen, in order, each with the number of the event.
    pub seen: Vec<(usize, usize)>,
    /// What it took.
    pub stats: Stats,
    /// Each operation, if that was asked for.
    pub history: Option<history::History>,
}

impl Run {
    /// What an observer sees.
    #[must_use]
    pub fn behaviour(&self) -> (&[Event], &Stop) {
        (&self.events, &self.stop)
    }
}

/// A call of a function which is not the unit's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Who is called.
    pub name: String,
    /// The structure of the arguments.
    pub args: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It returned. For the entry code: the structure of the module block.
    Return(String),
    /// An exception was not caught.
    Uncaught(String),
    /// Undefined behaviour: all other behaviour is allowed.
    Trap(Trap),
    /// No fuel was left.
    OutOfFuel,
}

/// Undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trap {
    /// A poison was inspected: branched on, dereferenced or passed to an external function.
    Poison,
    /// `unreachable` was reached, or a switch without an arm for its value.
    Unreachable,
    /// A field, element or byte out of bounds.
    OutOfBounds,
    /// An operation on a value of another shape.
    WrongShape,
    /// A division by zero that no check preceded.
    DivisionByZero,
}

/// Why an operation gives no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The operation raises this exception.
    Raise(Value),
    /// The operation is undefined.
    Trap(Trap),
}

impl From<Trap> for Leave {
    fn from(trap: Trap) -> Self {
        Leave::Trap(trap)
    }
}

/// What a run took.
#[derive(Clone, Debug)]
pub struct Stats {
    /// Items and terminators.
    pub steps: u64,
    /// Calls of code of the unit whose code is known.
    pub direct_calls: u64,
    /// Applications of unknown functions.
    pub generic_calls: u64,
    /// Calls of the outside.
    pub outside_calls: u64,
    /// Exceptions.
    pub raises: u64,
    /// Objects allocated.
    pub objects: u64,
    /// Words allocated.
    pub words: u64,
    /// Frames on the stack, at most.
    pub depth: usize,
    /// How often each primitive was executed, in the order of [`flambeau_ir::Prim::NAMES`].
    pub prims: [u64; flambeau_ir::Prim::NAMES.len()],
}

impl Default for Stats {
    fn default() -> Self {
        Stats {
            steps: 0,
            direct_calls: 0,
            generic_calls: 0,
            outside_calls: 0,
            raises: 0,
            objects: 0,
            words: 0,
            depth: 0,
            prims: [0; flambeau_ir::Prim::NAMES.len()],
        }
    }
}
