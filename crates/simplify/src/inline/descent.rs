//! Recursion over what is known: a function that calls itself for a part of its argument is unrolled where the argument
//! is known down to where the recursion ends, or is no longer known (`[a; b] @ l`, `List.map f [x; y]`).
//!
//! Each copy takes one block apart, so there are no more copies than there are known blocks. Stores may have made what
//! is static cyclic, and lists may be long: so at most as many are unrolled as calls are inlined inside each other.

use flambeau_ir::{Apply, CallKind, Code, CodeId, Item, Named, Prim, Simple, Terminator, Unit, Variable};
use flambeau_types::{Blocks, Ty};
use rustc_hash::FxHashMap;

use crate::{Simplifier, size};

/// Other units may unroll functions up to this size.
const LARGE: u32 = 40;

/// A parameter of a recursive function of which the one recursive call passes a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descent {
    param: usize,
    field: usize,
}

/// How a function descends, if it does.
pub(crate) fn descent(code: &Code, id: CodeId) -> Option<Descent> {
    if !code.recursive || code.attributes.stub {
        return None;
    }
    let mut loads: FxHashMap<Variable, Descent> = FxHashMap::default();
    let mut found = None;
    let mut calls = 0;
    // What binds a variable comes before its uses.
    code.body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let {
                var, named: Named::Prim { prim: Prim::BlockLoad { field, .. }, args, .. }, ..
            } = item
                && let Some(param) =
                    code.params.iter().position(|param| args.first() == Some(&(*param).into()))
            {
                loads.insert(*var, Descent { param, field: *field as usize });
            }
        }
        if let Terminator::Apply(apply) = &expr.terminator
            && apply.kind == CallKind::Direct(id)
        {
            calls += 1;
            let passed = apply.args.iter().enumerate().find_map(|(index, arg)| match arg {
                Simple::Var(var) => loads.get(var).filter(|load| load.param == index).copied(),
                Simple::Const(_) | Simple::Symbol(_) => None,
            });
            found = passed;
        }
    });
    found.filter(|_| calls == 1)
}

/// Whether other units may want to unroll a function.
pub(crate) fn descends_and_is_small(unit: &Unit, code: CodeId) -> bool {
    descent(&unit.codes[code], code).is_some() && size::whole(unit, code, LARGE).is_some()
}

impl Simplifier<'_> {
    /// Whether a call of a recursive function is for a value that is known as far down as the function goes, or as it
    /// may be unrolled.
    pub(super) fn descends_into_known(&mut self, apply: &Apply, code: CodeId) -> bool {
        let unit = &*self.unit;
        let known = self.global.descents.entry(code).or_insert_with(|| descent(&unit.codes[code], code));
        let Some(descent) = *known else { return false };
        let Some(&arg) = apply.args.get(descent.param) else { return false };
        let most = self.arguments_of(apply).max_depth.saturating_sub(u32::from(apply.depth));
        let mut ty = self.env.ty(arg);
        let mut blocks = 0;
        loop {
            if let Ty::Is(simple) = ty {
                ty = self.env.ty(simple);
            }
            let Ty::Variant(variant) = &ty else { return blocks > 0 };
            match &variant.blocks {
                Blocks::Known(known) if known.is_empty() => return true,
                Blocks::Known(known) if known.len() == 1 && variant.ints.is_empty() => {
                    let Some(field) = known[0].fields.get(descent.field) else { return blocks > 0 };
                    blocks += 1;
                    if blocks > most {
                        return false;
                    }
                    ty = field.clone();
                }
                Blocks::Known(_) | Blocks::Any => return blocks > 0,
            }
        }
    }
}
