//! What a function, with those nested in it, does with functions that it is passed.

use flambeau_ir::{CallKind, CodeId, Item, Named, Prim, Simple, Terminator, Unit, Variable};
use smallvec::SmallVec;

use super::nested::Nested;

/// How some values are used.
#[derive(Clone, Copy, Default)]
pub struct Uses {
    /// One of them, or what is loaded from one, is called.
    called: bool,
    /// That in a nested function.
    called_in_nested: bool,
    /// A nested function does something else with one that it has captured.
    in_nested: bool,
    /// Something else is done with one, here or in a nested function.
    otherwise: bool,
}

impl Uses {
    /// How a function uses `variables`, besides passing them to calls of its `own` group.
    pub fn of(unit: &Unit, code: CodeId, variables: &[Variable], own: impl Fn(&CallKind) -> bool) -> Uses {
        let nested = Nested::of(unit, code);
        let is_one =
            |simple: Simple| nested.outermost(simple).as_var().is_some_and(|var| variables.contains(&var));
        let mut uses = Uses::default();
        let mut loaded: SmallVec<[Variable; 4]> = SmallVec::new();
        for &at in &nested.codes {
            let mut otherwise = false;
            unit.codes[at].body.walk(&mut |expr| {
                for item in &expr.items {
                    match item {
                        Item::LetClosures { .. } => {}
                        Item::Let { var, named: Named::Prim { prim, args, .. }, .. }
                            if is_one(args.first().copied().unwrap_or(Simple::UNIT)) =>
                        {
                            match prim {
                                Prim::BlockLoad { .. } => loaded.push(*var),
                                Prim::ProjectValueSlot { .. } => {}
                                _ => otherwise = true,
                            }
                        }
                        item => item.for_each_simple(&mut |simple| otherwise |= is_one(simple)),
                    }
                }
                match &expr.terminator {
                    Terminator::Apply(apply) => {
                        let callee = apply.callee.map(|callee| nested.outermost(callee));
                        let is_called = callee.is_some_and(|callee| {
                            is_one(callee) || callee.as_var().is_some_and(|var| loaded.contains(&var))
                        });
                        uses.called |= apply.kind == CallKind::Generic && is_called;
                        uses.called_in_nested |= at != code && is_called;
                        if !own(&apply.kind) {
                            apply.args.iter().for_each(|arg| otherwise |= is_one(*arg));
                        }
                        apply.for_each_comparator(&mut |function| otherwise |= is_one(function));
                        apply.exn.for_each_simple(&mut |arg| otherwise |= is_one(arg));
                    }
                    other => other.for_each_simple(&mut |simple| otherwise |= is_one(simple)),
                }
            });
            uses.otherwise |= otherwise;
            uses.in_nested |= otherwise && at != code;
        }
        uses
    }

    /// Whether there is something to gain where it is known which functions they are.
    pub fn gain(self) -> bool {
        self.called || self.in_nested
    }

    /// Whether nothing else is done with them than to call them, and to capture them for nested functions that pass
    /// them on.
    pub fn called_here_alone(self) -> bool {
        !self.otherwise && !self.called_in_nested
    }
}
