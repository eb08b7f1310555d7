//! Functions that are not the unit's own: events, with results by rule.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::Event;
use crate::heap::{Heap, Object, Value};

/// What an external function does.
pub(crate) enum Answer {
    Return(Value),
    Raise(Value),
}

/// The world outside: it remembers the events.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub events: Vec<Event>,
}

impl World {
    /// Calls a function of the outside. The answer depends on what the events so far show, and on nothing
    /// else: two units that behave alike get the same answers.
    pub fn call(&mut self, heap: &mut Heap, name: &str, args: &[Value], may_raise: bool) -> Answer {
        let event = Event { name: name.to_owned(), args: args.iter().map(|arg| heap.show(*arg)).collect() };
        let mut hasher = FxHasher::default();
        (&event.name, &event.args, self.events.len()).hash(&mut hasher);
        let hash = hasher.finish() >> 17;
        self.events.push(event);
        let small = Value::Int((hash >> 8) as i64 % 5);
        match hash % 8 {
            0 if may_raise => {
                let fields = vec![Value::Int(1000 + small_int(small)), small];
                Answer::Raise(heap.alloc(Object::Block { tag: 0, fields }))
            }
            1 => Answer::Return(heap.alloc(Object::Block { tag: 0, fields: vec![small, Value::Int(7)] })),
            2 => Answer::Return(
                args.iter().copied().find(|a| matches!(a, Value::Pointer(..))).unwrap_or(small),
            ),
            _ => Answer::Return(small),
        }
    }
}

fn small_int(value: Value) -> i64 {
    if let Value::Int(n) = value { n } else { 0 }
}
