//! An interpreter of the IR: simple and obviously right rather than fast.
//!
//! It is the oracle for passes: a unit before a pass and after it must give the same [`Run`], unless the
//! first meets undefined behaviour ([`Stop::Trap`]) or runs out of fuel. What a unit does is observed
//! through its calls of functions that are not its own: each is an event with its name and the
//! structure of its arguments, and each gives a result (or raises) by a rule of its own that depends
//! only on the events so far.

mod arith;
mod external;
mod heap;
mod machine;
mod primitives;

pub use machine::run;

/// What can be observed of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// In order.
    pub events: Vec<Event>,
    /// How it ended.
    pub stop: Stop,
}

/// A call of a function which is not the unit's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Who is called.
    pub name: String,
    /// The structure of the arguments.
    pub args: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The entry code returned: the structure of the module block.
    Return(String),
    /// An exception was not caught.
    Uncaught(String),
    /// Undefined behaviour: all later behaviour is allowed.
    Trap(Trap),
    /// No fuel was left.
    OutOfFuel,
}

/// Undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trap {
    /// A poison was looked at.
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
