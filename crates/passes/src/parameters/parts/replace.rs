//! Parameters replaced by parts: in the bodies of functions and at calls.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{CallKind, Const, Expr, Item, Named, Simple, Terminator, Unit, Variable};
use smallvec::SmallVec;

use super::{Analysis, Param, Part};
use crate::parameters::demand::{Read, Test, read, tested};

/// Gives calls and bodies the parts of the parameters that are replaced.
pub(super) struct Rewriting<'r> {
    pub analysis: &'r Analysis,
    /// By the number of a parameter, what it is replaced by.
    pub replaced: &'r [Option<Vec<(Part, Variable)>>],
}

impl Rewriting<'_> {
    /// What an atom is replaced by, if it is a parameter that is.
    fn parts_of(&self, atom: Simple) -> Option<&Vec<(Part, Variable)>> {
        self.replaced[self.analysis.param(atom)?].as_ref()
    }

    /// Rewrites a body.
    pub fn body(&self, unit: &mut Unit, body: &mut Expr) {
        body.walk_mut(&mut |expr| {
            expr.items.retain_mut(|item| self.item(item));
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && self.analysis.known[callee]
                && let Some(first) = self.analysis.first[callee]
            {
                let mut args = Vec::with_capacity(apply.args.len());
                for (param, arg) in (first as usize..).zip(&apply.args) {
                    match self.replaced.get(param) {
                        Some(Some(parts)) => {
                            args.extend(self.parts(unit, &mut expr.items, param, *arg, parts));
                        }
                        // It is not needed: else it would be in the class of what it is passed.
                        _ if self.parts_of(*arg).is_some() => {
                            args.push(Simple::Const(Const::Poison(self.analysis.kinds[param])));
                        }
                        _ => args.push(*arg),
                    }
                }
                apply.args = args;
                apply.types.clear();
            }
        });
    }

    /// The parts of what a call passes as a parameter.
    fn parts(
        &self,
        unit: &mut Unit,
        items: &mut Vec<Item>,
        param: Param,
        arg: Simple,
        parts: &[(Part, Variable)],
    ) -> SmallVec<[Simple; 2]> {
        if let Some(known) = parts.iter().map(|(part, _)| self.part(arg, *part)).collect() {
            return known;
        }
        let class = self.analysis.find(param);
        let mutability = self.analysis.classes[class].mutability.unwrap_or(Mutability::Unknown);
        let wanted: SmallVec<[_; 4]> = parts.iter().map(|(part, _)| (*part, mutability)).collect();
        read(unit, items, arg, &wanted, self.analysis.guarded[class])
    }

    /// A part of what a call passes.
    fn part(&self, arg: Simple, part: Part) -> Option<Simple> {
        if let Some(own) = self.parts_of(arg) {
            return own.iter().find(|(p, _)| *p == part).map(|(_, var)| (*var).into());
        }
        let made = self.analysis.made.get(arg)?;
        // Of a constructor that has no such part nobody reads it.
        Some(made.part(part).unwrap_or(Simple::Const(Const::Poison(part.kind()))))
    }

    /// What is read of a parameter that comes in parts.
    fn part_read(&self, read: &Read) -> Option<Simple> {
        let own = self.parts_of(read.atom)?;
        Some(match own.iter().find(|(part, _)| *part == read.part) {
            Some((_, value)) => (*value).into(),
            // It belongs to another constructor: this is never evaluated.
            None => Const::Poison(read.part.kind()).into(),
        })
    }

    /// Rewrites an item; whether it stays.
    fn item(&self, item: &mut Item) -> bool {
        let Item::Let { named, .. } = item else { return true };
        match named {
            Named::Simple(atom) => self.parts_of(*atom).is_none(),
            Named::Prim { prim, args, .. } => {
                let of_parts = |(atom, test): (Simple, Test)| {
                    self.parts_of(atom).map(|_| test.outcome(self.analysis.tag(atom)))
                };
                let known = match (tested(prim, args), Read::of(prim, args)) {
                    (Some(test), _) => of_parts(test),
                    (None, Some(read)) => self.part_read(&read),
                    (None, None) => None,
                };
                if let Some(known) = known {
                    *named = Named::Simple(known);
                }
                true
            }
        }
    }
}
