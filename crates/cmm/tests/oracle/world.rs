//! Values, memory and primitives, the same for both interpreters.

use std::collections::HashMap;

use flambeau_ir::prim::{Coeffects, Effects, IntCmp, IntOp};
use flambeau_ir::{IntKind, Prim};

/// A machine word, or a pointer to a block: the operation that allocated it, and the number of effects before.
/// Neither depends on how allocations commute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    Int(i64),
    Pointer(u32, usize),
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    Read,
    Alloc,
    Effect,
}

impl EventKind {
    /// Whether the order of two events is observable.
    pub fn conflicts(self, other: EventKind) -> bool {
        self != other || self == EventKind::Effect
    }
}

/// Something that is not pure.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: u32,
    /// The number of effects before it.
    pub stamp: usize,
    pub kind: EventKind,
    pub operands: Vec<Word>,
    /// A call in tail position.
    pub tail: bool,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Value(Word),
    Raised(Word),
}

/// All that a run shows.
#[derive(Debug)]
pub struct Run {
    pub outcome: Outcome,
    pub events: Vec<Event>,
    /// How often each operation was executed.
    pub counts: HashMap<u32, usize>,
    /// The interrupted allocation was reached.
    pub interrupted: bool,
}

/// Memory and history.
#[derive(Default)]
pub struct World {
    blocks: HashMap<(u32, usize), Vec<Word>>,
    events: Vec<Event>,
    counts: HashMap<u32, usize>,
    effects: usize,
    interrupt: Option<u32>,
    interrupted: bool,
}

/// The exception that a signal handler raises.
const SIGNAL: Word = Word::Int(999);

impl World {
    /// Nothing happened yet. A signal handler raises at the allocation `interrupt`, once.
    pub fn new(interrupt: Option<u32>) -> Self {
        World { interrupt, ..World::default() }
    }

    pub fn finish(self, outcome: Outcome) -> Run {
        Run { outcome, events: self.events, counts: self.counts, interrupted: self.interrupted }
    }

    pub fn event(&mut self, id: u32, kind: EventKind, operands: &[Word], tail: bool) {
        self.events.push(Event { id, stamp: self.effects, kind, operands: operands.to_vec(), tail });
        if kind == EventKind::Effect {
            self.effects += 1;
        }
    }

    /// A call of something unknown: a value that depends on its arguments and on what happened before, or
    /// an exception.
    pub fn call(&mut self, id: u32, args: &[Word], tail: bool) -> Result<Word, Word> {
        *self.counts.entry(id).or_default() += 1;
        self.event(id, EventKind::Effect, args, tail);
        let mix = args.iter().fold(self.effects as i64, |mix, arg| match arg {
            Word::Int(n) => mix.wrapping_mul(31).wrapping_add(*n >> 1),
            Word::Pointer(id, stamp) => mix.wrapping_mul(37).wrapping_add(i64::from(*id) + *stamp as i64),
        });
        let word = Word::Int((mix.rem_euclid(7) << 1) | 1);
        if mix.rem_euclid(5) == 0 { Err(word) } else { Ok(word) }
    }

    /// A primitive: its result or an exception.
    pub fn prim(&mut self, prim: &Prim, args: &[Word], id: u32) -> Result<Word, Word> {
        if let Prim::CCall(_) = prim {
            return self.call(id, args, false);
        }
        *self.counts.entry(id).or_default() += 1;
        let kind = match prim.effects() {
            (Effects::None, Coeffects::None) => None,
            (Effects::None, Coeffects::Has) => Some(EventKind::Read),
            (Effects::Generative, _) => Some(EventKind::Alloc),
            (Effects::Arbitrary, _) => Some(EventKind::Effect),
        };
        let here = (id, self.effects);
        if let Some(kind) = kind {
            self.event(id, kind, args, false);
        }
        if kind == Some(EventKind::Alloc) && self.interrupt == Some(id) {
            self.interrupt = None;
            self.interrupted = true;
            return Err(SIGNAL);
        }
        let int = |index: usize| match args[index] {
            Word::Int(n) => n,
            pointer => panic!("{prim:?} of {pointer:?}"),
        };
        let unit = Ok(Word::Int(1));
        match prim {
            Prim::IntArith { op, kind } => {
                let untag = |n: i64| if *kind == IntKind::Tagged { n >> 1 } else { n };
                let (a, b) = (untag(int(0)), untag(int(1)));
                let result = match op {
                    IntOp::Add => a.wrapping_add(b),
                    IntOp::Sub => a.wrapping_sub(b),
                    IntOp::Mul => a.wrapping_mul(b),
                    IntOp::And => a & b,
                    IntOp::Or => a | b,
                    IntOp::Xor => a ^ b,
                };
                Ok(Word::Int(match kind {
                    IntKind::Tagged => (result << 1) | 1,
                    IntKind::Naked => (result << 1) >> 1,
                    _ => result,
                }))
            }
            Prim::IntDiv { .. } => Ok(Word::Int(int(0).wrapping_div(int(1)))),
            Prim::CheckZero { .. } => {
                if int(0) == 0 {
                    Err(Word::Int(77))
                } else {
                    unit
                }
            }
            Prim::IntCompare { op, .. } => {
                let (a, b) = (int(0), int(1));
                Ok(Word::Int(i64::from(match op {
                    IntCmp::Eq => a == b,
                    IntCmp::Ne => a != b,
                    IntCmp::Lt => a < b,
                    IntCmp::Le => a <= b,
                    IntCmp::Gt => a > b,
                    IntCmp::Ge => a >= b,
                    IntCmp::UnsignedLt => (a as u64) < b as u64,
                })))
            }
            Prim::Tag => Ok(Word::Int((int(0) << 1) | 1)),
            Prim::Untag => Ok(Word::Int(int(0) >> 1)),
            Prim::Box(_) | Prim::MakeBlock { .. } => {
                self.blocks.insert(here, args.to_vec());
                Ok(Word::Pointer(here.0, here.1))
            }
            Prim::Unbox(_) => Ok(self.block(args[0])[0]),
            Prim::BlockLoad { field, .. } => Ok(self.block(args[0])[*field as usize]),
            Prim::BlockStore { field, .. } => {
                self.block(args[0])[*field as usize] = args[1];
                unit
            }
            Prim::Opaque => Ok(args[0]),
            _ => panic!("{prim:?} is not generated"),
        }
    }

    fn block(&mut self, pointer: Word) -> &mut Vec<Word> {
        match pointer {
            Word::Pointer(id, stamp) => self.blocks.get_mut(&(id, stamp)).expect("the block is allocated"),
            Word::Int(n) => panic!("{n} is no pointer"),
        }
    }
}
