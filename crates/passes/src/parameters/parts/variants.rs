//! Variants whose constructor is not the same in all calls come as a number that says which one it is, and as the
//! fields of all of them, a field of each sharing its parameter with that of the others.
//!
//! All that flows into such a class must be known: blocks that are allocated in the unit and constructors without
//! arguments. So parameters of continuations are members, too: `f (if c then Some x else acc)`. Nothing is read
//! earlier than it would have been, and no box is made: what was allocated is not.
//!
//! The number of a constructor without arguments is its immediate, that of a block the complement of its tag: a test
//! needs no table, and nothing of it depends on which constructors there are.

use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::{
    ApplyCont, Const, Continuation, IntKind, Named, Prim, Rewrite, Rewrites, Simple, Unit, Variable,
};

use super::choose::Counts;
use super::{Analysis, Class, Part, Scope};
use crate::parameters::demand::Test;

/// The number of a constructor without arguments that an atom is.
pub(super) fn immediate(atom: Simple) -> Option<i64> {
    match atom {
        Simple::Const(Const::Tagged(number)) if number >= 0 => Some(number),
        _ => None,
    }
}

/// Whether an atom is a value that is never looked at.
pub(super) fn is_poison(atom: Simple) -> bool {
    matches!(atom, Simple::Const(Const::Poison(_)))
}

/// The number of a constructor with arguments.
pub(in crate::parameters) fn number_of_block(tag: u8) -> Simple {
    Const::NakedImmediate(!i64::from(tag)).into()
}

/// What comes of a test of a value of which `which` says which constructor it is; its blocks have the tag `only`, if
/// they have but one.
pub(super) fn outcome(test: Test, which: Simple, only: Option<i64>) -> Named {
    let compare = |op, number: i64| Named::Prim {
        prim: Prim::IntCompare { op, kind: IntKind::Naked },
        args: [which, Const::NakedImmediate(number).into()].into_iter().collect(),
        exn: None,
    };
    match (test, only) {
        (Test::IsImmediate, _) => compare(IntCmp::Ge, 0),
        // The number of no constructor is negative, but that of a block.
        (Test::Is(number) | Test::IsNot(number), _) if number < 0 => {
            Named::Simple(Const::NakedImmediate(i64::from(matches!(test, Test::IsNot(_)))).into())
        }
        (Test::Is(number), _) => compare(IntCmp::Eq, number),
        (Test::IsNot(number), _) => compare(IntCmp::Ne, number),
        (Test::Immediate, _) => Named::Simple(which),
        (Test::Tag, Some(tag)) => Named::Simple(Const::NakedImmediate(tag).into()),
        (Test::Tag, None) => Named::Prim {
            prim: Prim::IntArith { op: IntOp::Xor, kind: IntKind::Naked },
            args: [which, Const::NakedImmediate(-1).into()].into_iter().collect(),
            exn: None,
        },
    }
}

impl Analysis {
    /// Whether all that comes as a class that is replaced is known.
    pub(super) fn knows_all(&self) -> bool {
        self.scope == Scope::Continuations
    }

    /// A continuation is bound: its parameters are members of classes.
    pub(super) fn continuation(&mut self, unit: &Unit, cont: Continuation, params: &[Variable]) {
        if self.scope == Scope::Functions || unit.continuations[cont].is_exn {
            return;
        }
        self.conts[cont] = Some(self.classes.len() as u32);
        for param in params {
            self.of_conts.push(*param);
            self.add(unit, *param, false, false);
        }
    }

    /// A jump passes its arguments.
    pub(super) fn jump(&mut self, jump: &ApplyCont) {
        match self.conts[jump.cont] {
            Some(first) => {
                (first as usize..).zip(&jump.args).for_each(|(param, arg)| self.passes(param, *arg));
            }
            None => jump.args.iter().for_each(|arg| self.refuse(*arg)),
        }
    }

    /// A call returns to a continuation, with a result of which nothing is known.
    pub(super) fn returns_to(&mut self, cont: Continuation) {
        if let Some(first) = self.conts[cont] {
            // It takes the result alone.
            self.classes[first as usize].refused = true;
        }
    }

    /// Which classes are replaced whose constructors are all known, by the numbers of their first parameters.
    pub(super) fn choose_variants(&mut self, unit: &Unit, rewrites: &mut Rewrites) -> Vec<bool> {
        let mut chosen = vec![false; self.classes.len()];
        self.guarded = vec![false; self.classes.len()];
        let mut counts = Counts::of(unit);
        for root in self.roots() {
            if !self.is_known_variant(&self.classes[root]) {
                continue;
            }
            if self.has_several(&self.classes[root]) {
                self.classes[root].parts.insert(0, Part::Which);
            }
            let class = &self.classes[root];
            let Some((code, variable)) = class.members.iter().find_map(|member| self.params.get(*member))
            else {
                continue;
            };
            if self.fits(unit, class, &counts)
                && rewrites.allow(Rewrite::ParameterVariant(*variable), unit, Some(*code))
            {
                chosen[root] = true;
                self.count(class, &mut counts);
            }
        }
        chosen
    }

    /// Whether all that comes as a class is known by its parts, and something is allocated for that alone.
    fn is_known_variant(&self, class: &Class) -> bool {
        let has_tags = || class.made.iter().all(|made| self.tag_of(*made).is_some());
        let has_parts = || {
            class.made.iter().all(|made| self.made.get(*made).is_some_and(|made| made.has_all(&class.parts)))
        };
        !class.refused
            && class.members.iter().all(|member| self.needed[*member] && !self.unknown[*member])
            && class.made.iter().any(|made| self.made.is_only_passed(*made))
            && if class.is_tested { has_tags() } else { !class.has_immediates && has_parts() }
    }

    /// The number of some constructor of a class: nobody looks at it, but it may be branched on where nobody needs the
    /// outcome.
    pub(super) fn some_number(&self, class: &Class) -> Simple {
        let tag = class.made.first().and_then(|made| self.tag_of(*made));
        number_of_block(tag.unwrap_or_default())
    }

    fn tag_of(&self, made: Simple) -> Option<u8> {
        self.made.get(made)?.tag
    }

    /// Whether what comes as a class is asked which constructor it is, and may be one of several.
    fn has_several(&self, class: &Class) -> bool {
        class.is_tested && (class.has_immediates || self.tag_of_all(class).is_none())
    }

    /// The tag of all blocks that come as a class.
    pub(super) fn tag_of_all(&self, class: &Class) -> Option<i64> {
        let tag = self.tag_of(*class.made.first()?)?;
        class.made.iter().all(|made| self.tag_of(*made) == Some(tag)).then_some(i64::from(tag))
    }
}
