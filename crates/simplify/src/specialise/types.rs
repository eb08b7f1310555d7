//! Functions at the types of their arguments: comparisons of values of any type become those of the type that a call
//! says an argument has (`docs/design/types-of-the-source.md`), in what is inlined for the call, or in a copy of the
//! function for all calls that say the same.

use flambeau_ir::copy::Copier;
use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::prim::{Comparison, IntCmp};
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::transfer::own_name;
use flambeau_ir::{
    Apply, ArgType, CallKind, Code, CodeId, Dbg, ExnCont, Expr, IntKind, Item, Kind, Named, Prim, Rewrite,
    Simple, Subkind, Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Simplifier, size};

/// What a comparison of a known type is worth in the size of a copy.
const BENEFIT: u32 = 100;
/// Larger functions are not copied however often they compare: not all of it happens in one call.
const LARGEST_COPY: u32 = 135;

/// Through so many functions an argument is followed to where it is compared.
const DEEPEST: u32 = 3;

/// The functions that were copied for types.
#[derive(Default)]
pub struct TypedCopies {
    /// By the original, and what its parameters are in the copy.
    copies: FxHashMap<(CodeId, Vec<ArgType>), CodeId>,
    /// How often functions compare parameters, as far as that was asked for.
    compares: FxHashMap<(CodeId, usize), u32>,
}

impl Simplifier<'_> {
    /// Expresses the types of arguments over what is known here.
    pub(crate) fn know_types(&self, apply: &mut Apply) {
        for ty in &mut apply.types {
            *ty = ty.map(|function| self.env.canonical(function));
        }
    }

    /// Calls a copy of the function for the types of the arguments, if one is worth it.
    pub(crate) fn call_copy_for_types(&mut self, apply: &mut Apply) {
        if apply.types.is_empty() || self.is_measuring() {
            return;
        }
        let mut types = std::mem::take(&mut apply.types);
        types.resize(apply.args.len(), ArgType::Unknown);
        let Some(code) = self.called_for_types(apply) else { return };
        // Which parameters are compared.
        let types: Vec<ArgType> = types
            .into_iter()
            .enumerate()
            .map(|(index, ty)| if self.depends(code, index, ty) { ty } else { ArgType::Unknown })
            .collect();
        if types.iter().all(|ty| *ty == ArgType::Unknown) {
            return;
        }
        let key = (code, types);
        let copy = match self.global.typed_copies.copies.get(&key) {
            Some(copy) => *copy,
            None => {
                let Some(size) = self.size_of_typed_copy(apply, code, &key.1) else { return };
                if !self.allow(Rewrite::Specialisation) {
                    return;
                }
                self.global.specialisation_budget = self.global.specialisation_budget.saturating_sub(size);
                self.log_typed_copy(apply, code, &key.1, size);
                let copy = self.typed_copy(apply, code, &key.1);
                let Some(copy) = copy else { return };
                self.global.typed_copies.copies.insert(key, copy);
                self.simplify_callee(copy);
                copy
            }
        };
        apply.kind = CallKind::Direct(copy);
        apply.callee = None;
    }

    /// The function that a call calls directly, if it can be copied: it needs no closure, and is known.
    fn called_for_types(&mut self, apply: &Apply) -> Option<CodeId> {
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) if apply.callee.is_none() => self.imported(name, apply)?,
            _ => return None,
        };
        let in_stub = self.function.current.is_some_and(|current| self.unit.codes[current].attributes.stub);
        let data = &self.unit.codes[code];
        let stays = in_stub
            || self.rewrites.stubs_only
            || self.arguments().policy == Policy::Classic
            || data.attributes.stub
            || data.attributes.sole
            || data.attributes.inline == InlineAttribute::Always
            || data.attributes.specialise == SpecialiseAttribute::Never
            || apply.specialised == SpecialiseAttribute::Never
            || data.params.len() != apply.args.len();
        if stays || self.makes_sole_set(code) {
            return None;
        }
        self.simplify_callee(code);
        let ready = self.global.done.contains(&code) && !self.global.in_progress.contains(&code);
        (ready && !self.scan_closure(code)).then_some(code)
    }

    /// Whether what a function does is cheaper where a parameter is of a type.
    fn depends(&mut self, code: CodeId, index: usize, ty: ArgType) -> bool {
        let is_static = ty.functions().all(|function| matches!(function, Simple::Symbol(_)));
        ty != ArgType::Unknown && is_static && self.compares(code, index, 0) > 0
    }

    /// In how many places a function compares a parameter with values of any type; one, if only a function does that
    /// which it calls.
    fn compares(&mut self, code: CodeId, index: usize, depth: u32) -> u32 {
        if let Some(known) = self.global.typed_copies.compares.get(&(code, index)) {
            return *known;
        }
        let Some(param) = self.unit.codes[code].params.get(index).copied() else { return 0 };
        // Where it is met again on the way.
        self.global.typed_copies.compares.insert((code, index), 0);
        let is_param = |simple: &Simple| *simple == Simple::Var(param);
        let mut found = 0;
        let mut handed_on: Vec<(CallKind, usize, usize)> = Vec::new();
        self.unit.codes[code].body.walk(&mut |expr| {
            let compared = expr.items.iter().filter_map(comparison);
            found += compared.filter(|(_, args)| args.iter().any(is_param)).count() as u32;
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(_) | CallKind::DirectExternal(_) = apply.kind
            {
                let passed = (0..apply.args.len()).filter(|index| is_param(&apply.args[*index]));
                handed_on.extend(passed.map(|index| (apply.kind.clone(), apply.args.len(), index)));
            }
        });
        if found == 0 && depth < DEEPEST {
            let is_compared = handed_on.into_iter().any(|(kind, args, index)| {
                let called = match kind {
                    CallKind::Direct(code) => Some(code),
                    CallKind::DirectExternal(name) => self.imported_function(&name, args),
                    _ => None,
                };
                called.is_some_and(|called| self.compares(called, index, depth + 1) > 0)
            });
            found = u32::from(is_compared);
        }
        self.global.typed_copies.compares.insert((code, index), found);
        found
    }

    /// What a copy adds, if that is worth it.
    fn size_of_typed_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType]) -> Option<u32> {
        let typed = (0..types.len()).filter(|index| types[*index] != ArgType::Unknown);
        let compared = typed.map(|index| self.compares(code, index, 0)).max()?;
        let size = self.whole_size(code, LARGEST_COPY.min(compared.saturating_mul(BENEFIT)))?;
        let size = size.saturating_add(size::frames(self.unit, code));
        let fits = size <= self.global.specialisation_budget && apply.depth <= super::DEEPEST;
        (fits && self.grow_deeper(apply, size).is_ok()).then_some(size)
    }

    fn log_typed_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType], size: u32) {
        if self.rewrites.decisions.is_none() {
            return;
        }
        let params = self.unit.codes[code].params.iter().zip(types);
        let parameters = params
            .filter(|(_, ty)| **ty != ArgType::Unknown)
            .map(|(param, _)| self.unit.variables[*param].name.clone())
            .collect();
        self.log(apply, Some(code), Reason::Specialised { parameters, size });
    }

    /// A copy of a function that needs no closure, with comparisons of the types of its parameters.
    fn typed_copy(&mut self, apply: &Apply, code: CodeId, types: &[ArgType]) -> Option<CodeId> {
        let unit = &mut *self.unit;
        let data = unit.codes[code].clone();
        let mut copier = Copier::with_sets(
            &mut unit.variables,
            &mut unit.continuations,
            &unit.codes,
            &mut unit.function_slots,
            &mut unit.value_slots,
        );
        copier.deepen(apply.depth.saturating_add(1));
        let mut copy = copier.code(&data);
        for nested in copier.finish().ok()? {
            unit.codes.push(nested);
        }
        let known: FxHashMap<Variable, ArgType> = known_types(&copy.params, types).collect();
        for (param, ty) in &known {
            if *ty == ArgType::Immediate {
                unit.variables[*param].subkind = Subkind::Immediate;
            }
        }
        at_types(unit, &mut copy.body, &known);
        copy.function_slot = unit.function_slots.push(unit.function_slots[data.function_slot].clone());
        copy.linkage_name = own_name(&unit.naming, &data.linkage_name, copy.function_slot);
        self.note_sets(&copy.body);
        Some(self.unit.codes.push(copy))
    }

    /// For a body that is to replace a call: variables for the parameters whose types are known and matter, instead of
    /// the arguments.
    pub(crate) fn typed_params(&mut self, apply: &Apply, code: CodeId) -> Vec<(usize, ArgType)> {
        let types = apply.types.iter().copied().enumerate().filter(|(_, ty)| *ty != ArgType::Unknown);
        let types: Vec<(usize, ArgType)> = types.collect();
        if self.unit.codes[code].attributes.specialise == SpecialiseAttribute::Never {
            return Vec::new();
        }
        types.into_iter().filter(|(index, _)| self.compares(code, *index, 0) > 0).collect()
    }
}

/// Whether specialisation for the types of what is passed to it may bring something.
pub fn compares_parameters(code: &Code) -> bool {
    let mut compares = false;
    code.body.walk(&mut |expr| {
        let operands = expr.items.iter().filter_map(comparison).flat_map(|(_, args)| args);
        compares |= operands.filter_map(|arg| arg.as_var()).any(|var| code.params.contains(&var));
    });
    compares
}

fn known_types<'t>(
    params: &'t [Variable],
    types: &'t [ArgType],
) -> impl Iterator<Item = (Variable, ArgType)> + 't {
    params.iter().copied().zip(types.iter().copied()).filter(|(_, ty)| *ty != ArgType::Unknown)
}

/// The polymorphic comparison that an item is, with its operands.
fn comparison(item: &Item) -> Option<(Comparison, &[Simple])> {
    let Item::Let { named: Named::Prim { prim: Prim::CCall(external), args, exn: Some(_) }, .. } = item
    else {
        return None;
    };
    Some((external.comparison()?, args))
}

/// Makes the comparisons of variables those of their types, and hands the types on to calls. A comparison that has one
/// operand of a type has two.
pub(crate) fn at_types(unit: &mut Unit, body: &mut Expr, known: &FxHashMap<Variable, ArgType>) {
    let type_of = |simple: Simple| simple.as_var().and_then(|var| known.get(&var)).copied();
    // First the calls that there are: those of comparing functions are not to be specialised themselves.
    body.walk_mut(&mut |expr| {
        let Terminator::Apply(apply) = &mut expr.terminator else { return };
        let direct = matches!(apply.kind, CallKind::Direct(_) | CallKind::DirectExternal(_));
        if !direct || !apply.args.iter().any(|arg| type_of(*arg).is_some()) {
            return;
        }
        apply.types.resize(apply.args.len(), ArgType::Unknown);
        for (ty, arg) in apply.types.iter_mut().zip(&apply.args) {
            if *ty == ArgType::Unknown {
                *ty = type_of(*arg).unwrap_or_default();
            }
        }
    });
    body.walk_mut(&mut |expr| {
        let is_typed = |item: &Item| {
            comparison(item).is_some_and(|(_, args)| args.iter().any(|arg| type_of(*arg).is_some()))
        };
        if !expr.items.iter().any(is_typed) {
            return;
        }
        let mut items = Vec::with_capacity(expr.items.len() + 2);
        for item in expr.items.drain(..) {
            let ty = comparison(&item).and_then(|(_, args)| args.iter().find_map(|arg| type_of(*arg)));
            match ty {
                Some(ty) => compared_at(unit, item, ty, &mut items),
                None => items.push(item),
            }
        }
        expr.items = items;
    });
}

/// A comparison as that of a type.
fn compared_at(unit: &mut Unit, item: Item, ty: ArgType, items: &mut Vec<Item>) {
    let Some((comparison, _)) = comparison(&item) else { return items.push(item) };
    let (compare, equal) = match ty {
        ArgType::Immediate => return compare_immediates(unit, item, comparison, items),
        ArgType::Compared { compare, equal, total } => (total.then_some(compare), equal),
        ArgType::Unknown => return items.push(item),
    };
    // The function, and the test of its result, if that is not what is wanted.
    let (function, test) = match (comparison, ty) {
        (Comparison::ThreeWay, ArgType::Compared { compare, .. }) => (compare, None),
        (Comparison::Test(IntCmp::Eq), _) => (equal, None),
        (Comparison::Test(IntCmp::Ne), _) => (equal, Some(IntCmp::Eq)),
        (Comparison::Test(op), _) => match compare {
            Some(compare) => (compare, Some(op)),
            None => return items.push(item),
        },
        _ => return items.push(item),
    };
    let Item::Let { var, named: Named::Prim { args, exn: Some(exn), .. }, dbg } = item else { return };
    let result = if test.is_some() { unit.new_value("order") } else { var };
    items.push(call(unit, function, &args, result, *exn, dbg));
    if let Some(op) = test {
        let zero = Simple::tagged(0);
        tested(unit, var, Prim::IntCompare { op, kind: IntKind::Tagged }, &[result.into(), zero], dbg, items);
    }
}

fn compare_immediates(unit: &mut Unit, item: Item, comparison: Comparison, items: &mut Vec<Item>) {
    let Item::Let { var, named: Named::Prim { args, .. }, dbg } = item else { return };
    let kind = IntKind::Tagged;
    match comparison {
        Comparison::ThreeWay => {
            let named = Named::Prim { prim: Prim::IntCompare3 { kind }, args, exn: None };
            items.push(Item::Let { var, named, dbg });
        }
        Comparison::Test(op) => tested(unit, var, Prim::IntCompare { op, kind }, &args, dbg, items),
    }
}

/// Binds `var` to the truth value that a test gives, tagged.
fn tested(unit: &mut Unit, var: Variable, prim: Prim, args: &[Simple], dbg: Dbg, items: &mut Vec<Item>) {
    let naked = unit.new_variable("test", Kind::NakedImmediate, Subkind::Any);
    let named = Named::Prim { prim, args: SmallVec::from_slice(args), exn: None };
    items.push(Item::Let { var: naked, named, dbg });
    let named = Named::Prim { prim: Prim::Tag, args: SmallVec::from_slice(&[naked.into()]), exn: None };
    items.push(Item::Let { var, named, dbg });
}

/// A call whose result is bound to `result` in the rest of the run.
fn call(
    unit: &mut Unit,
    function: Simple,
    args: &[Simple],
    result: Variable,
    exn: ExnCont,
    dbg: Dbg,
) -> Item {
    let cont = unit.new_continuation("compared");
    let apply = Apply {
        callee: Some(function),
        kind: CallKind::Generic,
        args: args.to_vec(),
        types: Vec::new(),
        ret: cont,
        exn,
        dbg,
        inlined: InlineAttribute::Default,
        specialised: SpecialiseAttribute::Default,
        depth: 0,
        origin: None,
        heat: flambeau_ir::Heat::Unknown,
    };
    let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply)) };
    Item::Join { cont, params: SmallVec::from_slice(&[result]), body: Box::new(body) }
}
