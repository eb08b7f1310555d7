//! Parameters replaced by parts: in the bodies of functions and at calls.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{
    ApplyCont, CallKind, Const, Continuation, Expr, Item, Named, Prim, Simple, Terminator, Unit, Variable,
};
use smallvec::{Array, SmallVec};

use super::{Analysis, Param, Part, variants};
use crate::parameters::demand::{Read, read, tested};

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
            expr.terminator.for_each_jump_mut(&mut |jump| self.jump(jump));
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
                            args.push(Const::Poison(self.analysis.kinds[param]).into());
                        }
                        _ => args.push(*arg),
                    }
                }
                apply.args = args;
                apply.types.clear();
            }
        });
    }

    /// The parameters of a function or continuation, of which that is the first.
    pub fn params<A: Array<Item = Variable>>(&self, first: Param, params: &SmallVec<A>) -> SmallVec<A> {
        let mut all = SmallVec::new();
        for (number, param) in (first..).zip(params) {
            match &self.replaced[number] {
                Some(parts) => all.extend(parts.iter().map(|(_, part)| *part)),
                None => all.push(*param),
            }
        }
        all
    }

    /// A jump to a continuation of which parameters may be replaced: what it passes as these is known.
    fn jump(&self, jump: &mut ApplyCont) {
        let Some(first) = self.analysis.conts[jump.cont] else { return };
        let mut args = SmallVec::new();
        for (param, arg) in (first as usize..).zip(&jump.args) {
            match &self.replaced[param] {
                Some(parts) => match self.known(param, *arg, parts) {
                    Some(known) => args.extend(known),
                    None => args.extend(parts.iter().map(|(part, _)| poison(*part))),
                },
                None if self.parts_of(*arg).is_some() => {
                    args.push(Const::Poison(self.analysis.kinds[param]).into());
                }
                None => args.push(*arg),
            }
        }
        jump.args = args;
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
        if let Some(known) = self.known(param, arg, parts) {
            return known;
        }
        let mutability = self.analysis.class(param).mutability.unwrap_or(Mutability::Unknown);
        let wanted: SmallVec<[_; 4]> = parts.iter().map(|(part, _)| (*part, mutability)).collect();
        read(unit, items, arg, &wanted, self.analysis.guarded[self.analysis.find(param)])
    }

    /// The parts of what is passed as a parameter, if they are known.
    fn known(&self, param: Param, arg: Simple, parts: &[(Part, Variable)]) -> Option<SmallVec<[Simple; 2]>> {
        let which = match variants::immediate(arg) {
            Some(number) => Some(Const::NakedImmediate(number).into()),
            None => variants::is_poison(arg).then(|| self.analysis.some_number(self.analysis.class(param))),
        };
        let of_constant = |part: Part| match part {
            Part::Which => which,
            // A constant has no field that somebody reads.
            _ => which.filter(|_| self.analysis.knows_all()).map(|_| poison(part)),
        };
        parts.iter().map(|(part, _)| of_constant(*part).or_else(|| self.part(arg, *part))).collect()
    }

    /// A part of what a call passes.
    fn part(&self, arg: Simple, part: Part) -> Option<Simple> {
        if let Some(own) = self.parts_of(arg) {
            return own.iter().find(|(p, _)| *p == part).map(|(_, var)| (*var).into());
        }
        let made = self.analysis.made.get(arg)?;
        // Of a constructor that has no such part nobody reads it.
        Some(made.part(part).unwrap_or(poison(part)))
    }

    /// What is read of a parameter that comes in parts.
    fn part_read(&self, read: &Read) -> Option<Simple> {
        let own = self.parts_of(read.atom)?;
        Some(match own.iter().find(|(part, _)| *part == read.part) {
            Some((_, value)) => (*value).into(),
            // It belongs to another constructor: this is never evaluated.
            None => poison(read.part),
        })
    }

    /// What comes of a test of a parameter that comes in parts.
    fn tested(&self, prim: &Prim, args: &[Simple]) -> Option<Named> {
        let (atom, test) = tested(prim, args)?;
        let parts = self.parts_of(atom)?;
        let only = self.analysis.only_tag(atom);
        Some(match parts.first() {
            Some((Part::Which, which)) => variants::outcome(test, (*which).into(), only),
            _ => Named::Simple(test.outcome(only.unwrap_or_default())),
        })
    }

    /// Rewrites an item; whether it stays.
    fn item(&self, item: &mut Item) -> bool {
        match item {
            Item::Let { named: Named::Simple(atom), .. } => return self.parts_of(*atom).is_none(),
            Item::Let { named, .. } => {
                let Named::Prim { prim, args, .. } = &*named else { return true };
                let read = || self.part_read(&Read::of(prim, args)?).map(Named::Simple);
                if let Some(known) = self.tested(prim, args).or_else(read) {
                    *named = known;
                }
            }
            Item::Join { cont, params, .. } => self.continuation(*cont, params),
            Item::LetCont { handlers, .. } => {
                handlers.iter_mut().for_each(|handler| self.continuation(handler.cont, &mut handler.params));
            }
            Item::LetClosures { .. } => {}
        }
        true
    }

    fn continuation(&self, cont: Continuation, params: &mut SmallVec<[Variable; 2]>) {
        if let Some(first) = self.analysis.conts[cont] {
            *params = self.params(first as usize, params);
        }
    }
}

/// The part of a constructor that does not have it.
fn poison(part: Part) -> Simple {
    Const::Poison(part.kind()).into()
}
