//! Which parameters are replaced by their parts, and why not: what calls pass has the parts or they can be read of it,
//! something is allocated no more, and no function has too many parameters afterwards.

use cranelift_entity::SecondaryMap;
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{CodeId, Rewrite, Rewrites, Subkind, Unit};

use super::{Analysis, Class, Param, Part};
use crate::parameters::demand::first_reads;

/// How parts are read before a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Guard {
    /// The function would certainly read them.
    Certain,
    /// It is tested whether there is a block.
    Tested,
}

impl Analysis {
    /// Which classes are replaced, by the numbers of their first parameters: those that disappear before those that
    /// are passed as parts, which may take their positions.
    pub(super) fn choose(&mut self, unit: &Unit, rewrites: &mut Rewrites) -> Vec<bool> {
        let mut chosen = vec![false; self.classes.len()];
        self.guarded = vec![false; self.classes.len()];
        let mut counts = Counts::of(unit);
        let roots = self.roots();
        for disappears in [true, false] {
            for &root in &roots {
                if self.needed[root] == disappears {
                    continue;
                }
                let class = &self.classes[root];
                let guard = if disappears { self.unneeded(class) } else { self.replaceable(unit, class) };
                let Some(guard) = guard.filter(|_| self.fits(unit, class, &counts)) else { continue };
                let (code, variable) = self.params[root];
                if !rewrites.allow(Rewrite::ParameterParts(variable), unit, Some(code)) {
                    continue;
                }
                chosen[root] = true;
                self.guarded[root] = guard == Guard::Tested;
                self.count(class, &mut counts);
            }
        }
        chosen
    }

    /// A class that is not needed disappears if no function of it would get a worker, for which that is no reason.
    fn unneeded(&self, class: &Class) -> Option<Guard> {
        class.members.iter().all(|member| !self.divisible[self.params[*member].0]).then_some(Guard::Certain)
    }

    /// How calls read the parts of a class where they do not allocate it, if all calls pass what has the parts or can
    /// read them, and some would allocate it no more.
    pub(super) fn replaceable(&self, unit: &Unit, class: &Class) -> Option<Guard> {
        let allocates = class.is_joined
            || self.is_exported(class)
            || class.made.iter().any(|made| made.as_var().is_some());
        if class.refused || !allocates || !self.has_parts(class) {
            return None;
        }
        let mut unknown = class.members.iter().filter(|member| self.unknown[**member]);
        unknown
            .try_fold(Guard::Certain, |guard, member| Some(guard.max(self.readable(unit, class, *member)?)))
    }

    /// Whether a class is of exported functions, whose callers in other units may have the parts.
    fn is_exported(&self, class: &Class) -> bool {
        self.functions(class).all(|code| self.exported[code])
            && !class.parts.is_empty()
            && !class.parts.iter().any(|part| matches!(part, Part::Which | Part::Captured(_)))
    }

    /// Whether what calls pass for a class that is known is of the same constructor, if it is asked which, or has all
    /// parts that are read of it.
    fn has_parts(&self, class: &Class) -> bool {
        let mut made = class.made.iter().filter_map(|made| self.made.get(*made));
        if !class.is_tested {
            return made.all(|made| made.has_all(&class.parts));
        }
        let tag = self.constructor(class);
        tag.is_some() && made.all(|made| made.tag == tag)
    }

    /// The tag of what calls pass for a class, where that is the same in all.
    fn constructor(&self, class: &Class) -> Option<u8> {
        self.made.get(*class.made.first()?)?.tag
    }

    /// How callers may read the parts of what they pass as a parameter, if they may.
    fn readable(&self, unit: &Unit, class: &Class, param: Param) -> Option<Guard> {
        if class.is_tested {
            return None;
        }
        let (code, variable) = self.params[param];
        let first = first_reads(&unit.codes[code].body);
        let first: Vec<_> = first.iter().filter(|read| self.param(read.atom) == Some(param)).collect();
        let is_certain = |part: &Part| first.iter().any(|read| read.part == *part && read.is_certain);
        let guard = if class.parts.iter().all(is_certain) { Guard::Certain } else { Guard::Tested };
        let is_number = |part: &Part| match part {
            Part::Number(kind) => unit.variables[variable].subkind == Subkind::Boxed(*kind),
            _ => false,
        };
        if class.parts.iter().all(is_number) {
            return Some(guard);
        }
        let changing = first.iter().filter(|read| read.mutability.may_change()).count();
        let is_readable = class.parts.iter().all(|part| first.iter().any(|read| read.part == *part))
            && !class.parts.iter().any(|part| matches!(part, Part::Captured(_)))
            && (class.changing == 0 || class.changing == changing && !class.is_passed_on);
        is_readable.then_some(guard)
    }

    /// Whether each function has a parameter left, and none too many.
    pub(super) fn fits(&self, unit: &Unit, class: &Class, counts: &Counts) -> bool {
        self.functions(class).all(|code| {
            let members = self.functions(class).filter(|other| *other == code).count();
            let (before, count) = (unit.codes[code].params.len(), counts.0[code]);
            let after = count - members + members * class.parts.len();
            after >= 1
                && (after <= count || after <= MOST_PARAMETERS && after <= before + MOST_NEW_PARAMETERS)
        })
    }

    /// The functions of the parameters in a class, once for each.
    fn functions(&self, class: &Class) -> impl Iterator<Item = CodeId> {
        class.members.iter().filter_map(|member| self.params.get(*member)).map(|(code, _)| *code)
    }

    /// Counts the parameters that functions have when those of a class are replaced.
    pub(super) fn count(&self, class: &Class, counts: &mut Counts) {
        for code in self.functions(class) {
            counts.0[code] = counts.0[code] + class.parts.len() - 1;
        }
    }
}

/// How many parameters functions have.
pub(super) struct Counts(SecondaryMap<CodeId, usize>);

impl Counts {
    pub(super) fn of(unit: &Unit) -> Counts {
        let mut counts = SecondaryMap::new();
        unit.codes.iter().for_each(|(id, code)| counts[id] = code.params.len());
        Counts(counts)
    }
}
