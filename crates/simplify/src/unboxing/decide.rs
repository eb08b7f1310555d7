//! Which parameters are passed unboxed.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{Kind, Prim, Rewrite, Simple, Subkind, Variable};
use flambeau_types::{Block, Blocks, Choice, Closure, Ty, Variant};

use super::{BoxedValue, Form, Parts, Tests, Unboxing, is_poison};
use crate::Simplifier;
use crate::analysis::LoopBox;
use crate::continuations::Use;

/// Blocks and variants of more fields than these, and closures of more values, are passed as they are.
const FIELDS: usize = 12;

impl Simplifier<'_> {
    /// Whether a parameter is to be unboxed whose uses are all known. What may raise can't be preceded by a computation
    /// of the parts: they are passed to a handler by name.
    pub(crate) fn unbox_at_join(
        &mut self,
        index: usize,
        param: Variable,
        ty: &Ty,
        uses: &[Use],
        is_handler: bool,
    ) -> Option<Unboxing> {
        if let Ty::OneOf(choice) = ty {
            return self.unbox_choice(index, param, choice, uses, is_handler);
        }
        let is_fresh = uses.iter().any(|u| self.is_fresh(u.args[index]));
        // A loop that this flows into and that passes parts needs their names, where it is possibly poison.
        let is_named =
            || uses.iter().all(|u| is_poison(u.args[index]) || has_names(&u.tys[index], &u.tests[index]));
        if !(is_fresh || self.function.analysis.may_be_poison(param) && is_named()) {
            return None;
        }
        let is_projected_from =
            self.function.analysis.is_projected_from(param) || matches!(ty, Ty::Variant(_) | Ty::Closure(_));
        // Where the box stays, loads for the parts at uses would only come earlier, and perhaps for nothing.
        let is_projected_from = is_projected_from
            && (matches!(ty, Ty::Closure(_)) || !self.function.analysis.stays_boxed(param) || is_named());
        let form = if is_projected_from && self.can_be_parted(ty, index, uses) && (!is_handler || is_named())
        {
            let rewrite =
                if is_handler { Rewrite::UnboxedHandlerParameter } else { Rewrite::UnboxedParameter };
            self.allow(rewrite).then(|| self.form(param, ty))??
        } else if is_handler {
            return None;
        } else {
            self.loads(param)?
        };
        let boxed = match form {
            Form::Number(..) if !is_handler && self.function.analysis.travels(param) => {
                BoxedValue::Available(self.part(param, Kind::Value))
            }
            Form::Block { .. } if !is_handler && self.function.analysis.is_made_behind_join(param) => {
                BoxedValue::Rebuilt
            }
            _ => BoxedValue::Passed,
        };
        Some(Unboxing { index, param, form, boxed, is_declared: false })
    }

    /// Whether a parameter that is one of several closures is to be passed as which one that is, and what they
    /// captured: where it is called. That does not depend on whether the closures are allocated for it, because calls
    /// become direct.
    fn unbox_choice(
        &mut self,
        index: usize,
        param: Variable,
        choice: &Choice,
        uses: &[Use],
        is_handler: bool,
    ) -> Option<Unboxing> {
        let knows = |u: &Use| {
            let (arg, at_use) = (u.args[index], &u.tys[index]);
            is_poison(arg) || self.known_at_uses(choice, at_use, (arg, &u.tests[index]), is_handler)
        };
        if !self.function.analysis.is_called(param) || !is_few(choice) || !uses.iter().all(knows) {
            return None;
        }
        let rewrite = if is_handler { Rewrite::UnboxedHandlerParameter } else { Rewrite::UnboxedParameter };
        let form = self.allow(rewrite).then(|| self.choice(param, choice, true))?;
        Some(Unboxing { index, param, form, boxed: BoxedValue::Passed, is_declared: false })
    }

    /// Whether it is known, of a value, which of the closures it is, and what that captured; by name, or by a load
    /// that meets no poison.
    pub(super) fn known_at_uses(
        &self,
        choice: &Choice,
        ty: &Ty,
        (arg, tests): (Simple, &Tests),
        by_name: bool,
    ) -> bool {
        match ty {
            Ty::Closure(closure) => {
                let fits =
                    choice.position(closure).is_some_and(|at| is_closure_of(closure, &choice.closures[at]));
                let is_solid = || !by_name && arg.as_var().is_none_or(|var| !self.may_be_poison(var));
                fits && (has_names(ty, tests) || is_solid())
            }
            Ty::OneOf(other) => {
                let mut pairs = choice.closures.iter().zip(&other.closures);
                choice.closures.len() == other.closures.len()
                    && pairs.all(|(closure, other)| is_closure_of(other, closure))
                    && has_names(ty, tests)
            }
            _ => false,
        }
    }

    /// Whether a parameter of a loop is to be unboxed, from what the inductive pre-pass says.
    pub(crate) fn unbox_in_loop(&mut self, index: usize, param: Variable, ty: &Ty) -> Option<Unboxing> {
        let loop_param = self.function.analysis.loop_param(param);
        if self.function.analysis.may_be_poison(param) && !loop_param.has_names {
            return None;
        }
        if let (Some(boxed), Some(web)) = (loop_param.boxed, loop_param.web)
            && self.may_part(web)
        {
            let boxed = match boxed {
                LoopBox::Rebuilt => BoxedValue::Rebuilt,
                LoopBox::Available => BoxedValue::Available(self.part(param, Kind::Value)),
            };
            let form = self.form(param, ty)?;
            return Some(Unboxing { index, param, form, boxed, is_declared: false });
        }
        if !loop_param.is_allocated {
            return None;
        }
        if let Some(unboxing) = self.unbox_declared(index, param, ty) {
            return Some(unboxing);
        }
        let form = match ty {
            Ty::Closure(_)
                if is_small(ty)
                    && loop_param.may_be_taken_apart()
                    && self.allow(Rewrite::UnboxedLoopClosure) =>
            {
                self.form(param, ty)?
            }
            Ty::OneOf(choice)
                if loop_param.has_names
                    && loop_param.may_be_taken_apart()
                    && loop_param.is_called
                    && is_few(choice)
                    && self.allow(Rewrite::UnboxedLoopClosure) =>
            {
                self.choice(param, choice, false)
            }
            _ => self.loads(param)?,
        };
        Some(Unboxing { index, param, form, boxed: BoxedValue::Passed, is_declared: false })
    }

    /// Whether a parameter of a loop is to be unboxed because the type checker says that it is a number: where the loop
    /// is entered with a box of which nothing is known, iterations allocate others, and nobody needs a box.
    fn unbox_declared(&mut self, index: usize, param: Variable, ty: &Ty) -> Option<Unboxing> {
        let Subkind::Boxed(kind) = self.unit.variables[param].subkind else { return None };
        if *ty != Ty::Unknown
            || !self.function.analysis.is_only_projected_from(param)
            || !self.allow(Rewrite::UnboxedLoopParameters)
        {
            return None;
        }
        let form = Form::Number(kind, self.part(param, kind.naked()));
        Some(Unboxing { index, param, form, boxed: BoxedValue::Passed, is_declared: true })
    }

    /// Asks, once for all parameters that values flow between: what one of them assumes of the others holds if these
    /// are passed unboxed, too.
    fn may_part(&mut self, web: Variable) -> bool {
        if let Some(allowed) = self.function.parted_webs.get(&web) {
            return *allowed;
        }
        let allowed = self.allow(Rewrite::UnboxedLoopParameters);
        self.function.parted_webs.insert(web, allowed);
        allowed
    }

    /// Whether an argument was allocated just to be passed, or will not be if it is not needed.
    fn is_fresh(&self, arg: Simple) -> bool {
        let is_unboxed = arg.as_var().is_some_and(|var| self.function.unboxed.contains(&var));
        is_unboxed
            || self.env.definition(arg).is_some_and(|d| d.prim.makes_immutable())
            || arg.as_var().is_some_and(|var| self.function.analysis.is_allocated(var))
    }

    /// Whether each use can pass the parts.
    fn can_be_parted(&self, ty: &Ty, index: usize, uses: &[Use]) -> bool {
        if !is_small(ty) {
            return false;
        }
        uses.iter().all(|u| {
            let (arg, at_use) = (u.args[index], &u.tys[index]);
            let fits = match (ty, at_use) {
                (Ty::Boxed(kind, _), Ty::Boxed(k, _)) => k == kind,
                (Ty::Variant(variant), Ty::Variant(at_use)) => is_case_of(at_use, variant),
                (Ty::Floats(fields), Ty::Floats(at_use)) => at_use.len() == fields.len(),
                (Ty::Closure(closure), Ty::Closure(at_use)) => is_closure_of(at_use, closure),
                _ => false,
            };
            // A load at the use, where the source has none, must not meet poison.
            let solid = arg.as_var().is_none_or(|var| !self.may_be_poison(var));
            is_poison(arg) || fits && (solid || has_names(at_use, &u.tests[index]))
        })
    }

    pub(crate) fn may_be_poison(&self, var: Variable) -> bool {
        self.function.possibly_poison.contains(&var) || self.function.analysis.may_be_poison(var)
    }

    /// Creates the variables for the parts.
    fn form(&mut self, param: Variable, ty: &Ty) -> Option<Form> {
        match ty {
            Ty::Boxed(kind, _) => Some(Form::Number(*kind, self.part(param, kind.naked()))),
            Ty::Variant(variant) => {
                let Blocks::Known(known) = &variant.blocks else { return None };
                if variant.ints.is_empty() && known.len() == 1 {
                    let fields = known[0].fields.iter().map(|_| self.part(param, Kind::Value)).collect();
                    let make = Prim::MakeBlock { tag: known[0].tag, mutability: Mutability::Immutable };
                    return Some(Form::Block { make, fields });
                }
                Some(Form::Variant(self.variant(param, variant, known)))
            }
            Ty::Floats(fields) => {
                let fields = fields.iter().map(|_| self.part(param, Kind::NakedFloat)).collect();
                let make = Prim::MakeFloatBlock { mutability: Mutability::Immutable };
                Some(Form::Block { make, fields })
            }
            Ty::Closure(closure) => {
                let values =
                    closure.values.iter().map(|(slot, _)| (*slot, self.part(param, Kind::Value))).collect();
                Some(Form::Closure { closure: (**closure).clone(), values })
            }
            _ => None,
        }
    }

    /// The parts of one of several closures. `known_at_uses`: each use knows which one it passes.
    fn choice(&mut self, param: Variable, choice: &Choice, known_at_uses: bool) -> Form {
        let values = choice.closures.iter().map(|closure| {
            closure.values.iter().map(|(slot, _)| (*slot, self.part(param, Kind::Value))).collect()
        });
        let values = values.collect();
        Form::Choice {
            choice: choice.clone(),
            which: self.part(param, Kind::NakedImmediate),
            values,
            known_at_uses,
        }
    }

    fn variant(&mut self, param: Variable, variant: &Variant, known: &[Block]) -> Parts {
        let has_ints = !variant.ints.is_empty();
        let only = variant.ints.as_one();
        let immediate = Kind::NakedImmediate;
        Parts {
            is_int: (has_ints && !known.is_empty()).then(|| self.part(param, immediate)),
            constant: (has_ints && only.is_none()).then(|| self.part(param, immediate)),
            only,
            tag: (known.len() > 1).then(|| self.part(param, immediate)),
            blocks: known
                .iter()
                .map(|b| (b.tag, b.fields.iter().map(|_| self.part(param, Kind::Value)).collect()))
                .collect(),
        }
    }

    /// Passing what the handler begins with loading: at a use that allocates a block just to pass it, nothing is
    /// loaded, and the others load no more than they did.
    fn loads(&mut self, param: Variable) -> Option<Form> {
        let loads = self.function.analysis.first_loads(param);
        if loads.is_empty() || loads.len() > FIELDS || !self.allow(Rewrite::LoadsAtUses) {
            return None;
        }
        let loads = loads.into_iter().map(|prim| {
            let kind = prim.signature().result;
            (prim, self.part(param, kind))
        });
        Some(Form::Loads(loads.collect()))
    }

    fn part(&mut self, param: Variable, kind: Kind) -> Variable {
        let name = self.unit.variables[param].name.clone();
        self.unit.new_variable(name, kind, Subkind::Any)
    }
}

/// Whether a value of the type has few enough parts to be passed unboxed.
pub(crate) fn is_small(ty: &Ty) -> bool {
    match ty {
        Ty::Variant(variant) => match &variant.blocks {
            Blocks::Known(known) => {
                !known.is_empty()
                    && known.iter().all(|b| b.exact)
                    && known.iter().map(|b| b.fields.len()).sum::<usize>() <= FIELDS
            }
            Blocks::Any => false,
        },
        Ty::Closure(closure) => (1..=FIELDS).contains(&closure.values.len()),
        Ty::Floats(fields) => fields.len() <= FIELDS,
        Ty::Boxed(..) => true,
        _ => false,
    }
}

/// Whether the closures have captured few enough values to be passed unboxed.
fn is_few(choice: &Choice) -> bool {
    choice.closures.iter().map(|closure| closure.values.len()).sum::<usize>() <= FIELDS
}

/// Whether the parts of a value of the type are known by name.
pub(super) fn has_names(ty: &Ty, tests: &Tests) -> bool {
    match ty {
        Ty::Boxed(_, contents) => is_name(contents),
        Ty::Variant(variant) => is_named(variant, tests),
        Ty::Floats(fields) => fields.iter().all(is_name),
        Ty::Closure(closure) => closure.values.iter().all(|(_, ty)| is_name(ty)),
        Ty::OneOf(choice) => {
            let mut values = choice.closures.iter().flat_map(|closure| &closure.values);
            is_name(&choice.which) && values.all(|(_, ty)| is_name(ty))
        }
        _ => false,
    }
}

fn is_name(ty: &Ty) -> bool {
    matches!(ty, Ty::Is(_))
}

/// Whether all blocks that a use may pass are among those of the parameter.
fn is_case_of(at_use: &Variant, variant: &Variant) -> bool {
    let (Blocks::Known(blocks), Blocks::Known(known)) = (&at_use.blocks, &variant.blocks) else {
        return false;
    };
    blocks.iter().all(|b| b.exact && known.iter().any(|k| k.tag == b.tag && k.fields.len() == b.fields.len()))
}

/// Whether the case of a variant, or a test that decides it, is known, and its fields have names.
fn is_named(variant: &Variant, tests: &Tests) -> bool {
    let Blocks::Known(blocks) = &variant.blocks else { return false };
    let named = |block: &Block| block.fields.iter().all(|f| matches!(f, Ty::Is(_)));
    match (variant.ints.is_empty(), &blocks[..]) {
        (false, []) => variant.ints.as_one().is_some() || tests.constant.is_some(),
        (true, [block]) => named(block),
        _ => {
            blocks.iter().all(named)
                && (variant.ints.is_empty() || tests.is_int.is_some())
                && (blocks.len() == 1 || tests.tag.is_some())
                && (variant.ints.is_empty() || variant.ints.as_one().is_some() || tests.constant.is_some())
        }
    }
}

fn is_closure_of(at_use: &Closure, closure: &Closure) -> bool {
    let slots = |c: &Closure| c.values.iter().map(|(slot, _)| *slot).collect::<Vec<_>>();
    at_use.slot == closure.slot && slots(at_use) == slots(closure)
}
