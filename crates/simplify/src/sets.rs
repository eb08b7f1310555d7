//! The sets of closures of a unit, by their codes.

use std::iter::successors;

use flambeau_ir::{CodeId, SetOfClosures, Unit};
use rustc_hash::FxHashMap;

use crate::Functions;

/// A function, the one that allocates its set, and so on. A function that is only called directly may allocate its own
/// set, or one around it, once more: where the same comes again this ends, by Brent's algorithm.
pub fn outwards(
    from: Option<CodeId>,
    within: impl Fn(CodeId) -> Option<CodeId>,
) -> impl Iterator<Item = CodeId> {
    let (mut mark, mut steps, mut most) = (from, 0_u32, 1);
    successors(from, move |code| {
        let next = within(*code).filter(|next| Some(*next) != mark)?;
        steps += 1;
        if steps == most {
            (mark, steps, most) = (Some(next), 0, 2 * most);
        }
        Some(next)
    })
}

/// What is known of the sets that bind each code.
#[derive(Default)]
pub struct Sets(FxHashMap<CodeId, Bound>);

#[derive(Default)]
struct Bound {
    /// How many sets bind it.
    by: u32,
    /// Whether one of them captures something.
    captures: bool,
    functions: Functions,
    /// The function that allocates the set.
    within: Option<CodeId>,
}

impl Sets {
    /// Records the sets that a unit has at the beginning of a round.
    pub fn note_unit(&mut self, unit: &Unit) {
        unit.for_each_set(&mut |within, set| self.note(set, within));
    }

    /// Records a set, and the function that allocates it.
    pub fn note(&mut self, set: &SetOfClosures, within: Option<CodeId>) {
        let functions = Functions::from(&set.functions[..]);
        for (_, code) in &set.functions {
            let bound = self.0.entry(*code).or_default();
            bound.by += 1;
            bound.captures |= !set.values.is_empty();
            bound.functions = Functions::clone(&functions);
            bound.within = within;
        }
    }

    /// How many sets bind a code. Of one that two bind it is not known what it captures.
    pub fn binders(&self, code: CodeId) -> u32 {
        self.0.get(&code).map_or(0, |bound| bound.by)
    }

    /// Whether a code captures nothing: it can be simplified wherever its set is bound. Where it is only called
    /// directly there may be no set any more.
    pub fn is_closed(&self, code: CodeId) -> bool {
        self.0.get(&code).is_none_or(|bound| !bound.captures)
    }

    /// The outermost of the functors in whose body a code is, as far as that is known.
    pub fn functor(&self, code: CodeId, unit: &Unit) -> Option<CodeId> {
        outwards(Some(code), |code| self.within(code))
            .filter(|code| unit.codes[*code].attributes.is_functor)
            .last()
    }

    /// The function that allocates the set of a code, if one does.
    pub fn within(&self, code: CodeId) -> Option<CodeId> {
        self.0.get(&code)?.within
    }

    /// The functions of the set that a code is of.
    pub fn functions(&self, code: CodeId) -> Option<&Functions> {
        self.0.get(&code).map(|bound| &bound.functions)
    }
}

#[cfg(test)]
mod tests {
    use flambeau_ir::CodeId;

    use super::outwards;

    #[test]
    fn what_is_around_itself_ends() {
        let code = CodeId::from_u32;
        let around = |n: u32| {
            outwards(Some(code(n)), |of| {
                [None, Some(code(0)), Some(code(1)), Some(code(4)), Some(code(3))][of.as_u32() as usize]
            })
        };
        assert_eq!(around(2).collect::<Vec<_>>(), [code(2), code(1), code(0)]);
        assert!(around(3).take(9).count() < 9 && around(3).any(|of| of == code(4)));
        assert_eq!(outwards(Some(code(0)), Some).count(), 1);
    }
}
