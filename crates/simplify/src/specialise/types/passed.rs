//! Modules that functors are given: of functions in them that are polymorphic, and that the functor sees at a type, it
//! is given copies for that type.
//!
//! `module P = struct type t = int * int let compare = compare end` has a function that compares any values.
//! `Set.Make (P)` calls it with pairs only, wherever what it makes is called: most of that is never copied into the
//! unit. The copy is another closure than the original; but a functor that distinguishes functions of its argument by
//! their identity would have to be given two that are the same.

use flambeau_ir::{Apply, ArgType, SetOfClosures, Simple, Symbol};
use flambeau_types::Ty;

use super::COMPARISON;
use crate::Simplifier;

impl Simplifier<'_> {
    /// Replaces modules that a call passes by those with functions for the types at which they are called.
    pub(crate) fn pass_typed_functions(&mut self, apply: &mut Apply) {
        if apply.types.is_empty() || self.is_measuring() || self.rewrites.stubs_only {
            return;
        }
        for index in 0..apply.args.len() {
            if let Some(ArgType::Block(fields)) = apply.types.get(index)
                && let Some(module) = self.typed_module(apply, apply.args[index], &fields.clone())
            {
                apply.args[index] = module.into();
            }
        }
    }

    /// A static module with functions for types, if one gains.
    fn typed_module(&mut self, apply: &Apply, module: Simple, types: &[ArgType]) -> Option<Symbol> {
        let ty = self.env.ty(module);
        let block = ty.as_block().filter(|block| block.exact && block.fields.len() == types.len())?;
        let mut changed = false;
        let mut fields = Vec::with_capacity(types.len());
        for (field, ty) in block.fields.clone().iter().zip(types) {
            let Ty::Is(field) = field else { return None };
            let field = self.env.canonical(*field);
            let copy = match ty {
                ArgType::Function(params, _) => self.typed_closure(apply, field, params),
                _ => None,
            };
            changed |= copy.is_some();
            fields.push(copy.map_or(field, Simple::Symbol));
        }
        let tag = block.tag;
        if changed { self.static_block(tag, &fields) } else { None }
    }

    /// The closure of a copy of a function for the types of its parameters, if that is worth it.
    pub(super) fn typed_closure(
        &mut self,
        apply: &Apply,
        function: Simple,
        types: &[ArgType],
    ) -> Option<Symbol> {
        let Ty::Closure(closure) = self.env.ty(function) else { return None };
        let code = closure.code()?;
        self.simplify_callee(code);
        let is_ready = self.global.done.contains(&code) && !self.global.in_progress.contains(&code);
        let data = &self.unit.codes[code];
        if !is_ready
            || data.params.len() != types.len()
            || self.makes_sole_set(code)
            || self.scan_closure(code)
        {
            return None;
        }
        let types = self.types_of_copy(code, types.to_vec())?;
        if self.gain(code, &types, 0) < COMPARISON {
            return None;
        }
        let key = (code, types);
        if let Some(known) = self.global.typed_copies.closures.get(&key) {
            return Some(*known);
        }
        let copy = match self.global.typed_copies.copies.get(&key) {
            Some(copy) => *copy,
            None => self.paid_copy(apply, code, &key.1)?,
        };
        let functions = [(self.unit.codes[copy].function_slot, copy)].into_iter().collect();
        let symbol = *self.static_closures(SetOfClosures { functions, values: Vec::new() }).first()?;
        self.global.typed_copies.closures.insert(key, symbol);
        Some(symbol)
    }
}
