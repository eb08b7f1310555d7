//! What the arguments of a jump decide.

use flambeau_ir::{ApplyCont, Const, Item, Named, Prim, Simple, Switch, Symbol, Variable};
use flambeau_simplify::fold::fold;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What is known of a value.
#[derive(Clone, Copy)]
enum Known {
    Const(Const),
    Block(u8),
}

/// What is known of values where a jump is evaluated.
pub(super) struct Values<'a> {
    statics: &'a FxHashMap<Symbol, u8>,
    blocks: &'a FxHashMap<Variable, u8>,
    known: FxHashMap<Variable, Known>,
}

impl<'a> Values<'a> {
    /// Of static blocks, and blocks made in the function, with their tags.
    pub(super) fn new(statics: &'a FxHashMap<Symbol, u8>, blocks: &'a FxHashMap<Variable, u8>) -> Values<'a> {
        Values { statics, blocks, known: FxHashMap::default() }
    }

    /// Whether nothing else is known.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The parameters are what a jump passes.
    pub(super) fn bind(&mut self, params: &[Variable], args: &[Simple]) {
        let values: SmallVec<[Option<Known>; 4]> = args.iter().map(|arg| self.value(*arg)).collect();
        for (param, value) in params.iter().zip(values) {
            if let Some(value) = value {
                self.known.insert(*param, value);
            }
        }
    }

    /// Evaluates the bindings of a run, as far as is known.
    pub(super) fn evaluate(&mut self, items: &[Item]) {
        for item in items {
            let Item::Let { var, named, .. } = item else { continue };
            let value = match named {
                Named::Simple(simple) => self.value(*simple),
                Named::Prim { prim, args, .. } => {
                    let args: Option<SmallVec<[Known; 2]>> =
                        args.iter().map(|arg| self.value(*arg)).collect();
                    args.and_then(|args| result(prim, &args)).map(Known::Const)
                }
            };
            if let Some(value) = value {
                self.known.insert(*var, value);
            }
        }
    }

    /// The jump that a switch takes, where that is known.
    pub(super) fn taken<'s>(&self, switch: &'s Switch) -> Option<&'s ApplyCont> {
        let Some(Known::Const(Const::NakedImmediate(n))) = self.value(switch.scrutinee) else {
            return None;
        };
        switch.arms.iter().find(|(value, _)| *value == n).map(|(_, jump)| jump).or(switch.default.as_ref())
    }

    fn value(&self, simple: Simple) -> Option<Known> {
        match simple {
            Simple::Const(Const::Poison(_)) => None,
            Simple::Const(c) => Some(Known::Const(c)),
            Simple::Symbol(symbol) => self.statics.get(&symbol).map(|tag| Known::Block(*tag)),
            Simple::Var(var) => {
                self.known.get(&var).copied().or_else(|| self.blocks.get(&var).map(|tag| Known::Block(*tag)))
            }
        }
    }
}

fn result(prim: &Prim, args: &[Known]) -> Option<Const> {
    let boolean = |b: bool| Some(Const::NakedImmediate(i64::from(b)));
    match (prim, args) {
        (Prim::IsInt, [Known::Block(_)]) => boolean(false),
        (Prim::GetTag, [Known::Block(tag)]) => Some(Const::NakedImmediate(i64::from(*tag))),
        (
            Prim::PhysEqual { negated },
            [Known::Block(_), Known::Const(_)] | [Known::Const(_), Known::Block(_)],
        ) => boolean(*negated),
        _ => {
            let constants: Option<SmallVec<[Const; 2]>> =
                args.iter().map(|arg| if let Known::Const(c) = arg { Some(*c) } else { None }).collect();
            fold(prim, &constants?)
        }
    }
}
