//! Functions that calls pass: what is polymorphic, and called at a type that the call says, is passed as a copy for
//! that type. So it is with functions that the callee only applies (`applied.rs`), and with those of modules that
//! functors are given.
//!
//! `module P = struct type t = int * int let compare = compare end` has a function that compares any values.
//! `Set.Make (P)` calls it with pairs only, wherever what it makes is called: most of that is never copied into the
//! unit. The copy is another closure than the original; but a functor that distinguishes functions of its argument by
//! their identity would have to be given two that are the same.

use flambeau_ir::{Apply, ArgType, CallKind, CodeId, SetOfClosures, Simple, Symbol};
use flambeau_types::Ty;

use super::COMPARISON;
use crate::Simplifier;

impl Simplifier<'_> {
    /// Replaces functions and modules that a call passes by those for the types at which they are called.
    pub(crate) fn pass_typed_functions(&mut self, apply: &mut Apply) {
        if apply.types.is_empty() || self.is_measuring() || self.rewrites.stubs_only {
            return;
        }
        for (index, ty) in apply.types.clone().iter().enumerate().take(apply.args.len()) {
            let function = apply.args[index];
            let typed = match ty {
                ArgType::Block(fields) => self.typed_module(apply, function, fields),
                ArgType::Function(params, _) => self
                    .gaining_closure(function, params)
                    .filter(|_| self.callee_only_applies(apply, index))
                    .and_then(|(code, types)| self.closure_of_copy(apply, code, types)),
                _ => None,
            };
            if let Some(typed) = typed {
                apply.args[index] = typed.into();
            }
        }
    }

    fn callee_only_applies(&mut self, apply: &Apply, index: usize) -> bool {
        let code = match &apply.kind {
            CallKind::Direct(code) => Some(*code),
            CallKind::DirectExternal(name) => self.imported_function(name, apply.args.len()),
            _ => None,
        };
        code.is_some_and(|code| self.only_applies(code, index))
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
        let (code, types) = self.gaining_closure(function, types)?;
        self.closure_of_copy(apply, code, types)
    }

    /// The function of a closure, and of what types its parameters are in a copy that is worth it.
    fn gaining_closure(&mut self, function: Simple, types: &[ArgType]) -> Option<(CodeId, Vec<ArgType>)> {
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
        (self.gain(code, &types, 0) >= COMPARISON).then_some((code, types))
    }

    fn closure_of_copy(&mut self, apply: &Apply, code: CodeId, types: Vec<ArgType>) -> Option<Symbol> {
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
