//! Functors applied to structures with fields that are computed at run time (features B7).
//!
//! What a functor makes is evaluated beside its application for static arguments ([`crate::instances`]). A structure
//! of which some fields are computed, `let zero = of_int n`, is not static, though its functions are. At a point that
//! is reached once at most, as the toplevel outside of loops is, its fields are stored in a preallocated block before
//! the application. That block is static, and as an argument it is what the structure is: functions of the instance
//! read the computed fields from it, after the application, without which nobody has them to call.

use flambeau_ir::prim::{Init, Mutability};
use flambeau_ir::{Apply, Dbg, Item, Machine, Prim, Rewrite, Simple, Static, StaticDef, Symbol};
use flambeau_types::{Operands, Ty};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::instances::DEPTH;

impl Simplifier<'_> {
    /// The arguments of a functor's application as static atoms, preallocated where fields are computed.
    pub(crate) fn preallocated_args(&mut self, apply: &Apply, out: &mut Vec<Item>) -> Option<Vec<Simple>> {
        let is_reached_once =
            self.function.current.is_none() && self.function.loops == 0 && !self.function.in_instance;
        let has_data = !self.rewrites.described && self.rewrites.machine == Machine::Native;
        if !is_reached_once || !has_data || self.is_measuring() {
            return None;
        }
        let is_known = |arg: &Simple| self.has_known_functions(&self.env.ty(*arg));
        if !apply.args.iter().all(is_known) {
            return None;
        }
        apply.args.iter().map(|arg| self.preallocated(*arg, DEPTH, apply.dbg, out)).collect()
    }

    /// Whether a value of that type is a static function, or a structure of which all fields are known to exist, and
    /// one of them is such a value.
    fn has_known_functions(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Is(Simple::Symbol(symbol)) => match self.env.ty((*symbol).into()) {
                Ty::Closure(_) => true,
                block => self.has_known_functions(&block),
            },
            Ty::Is(simple @ Simple::Var(_)) => self.has_known_functions(&self.env.ty(*simple)),
            Ty::Instance(..) => true,
            Ty::Elsewhere(callee) => !callee.needs_closure,
            _ => ty.as_block().is_some_and(|block| {
                block.exact && block.fields.iter().any(|field| self.has_known_functions(field))
            }),
        }
    }

    /// A static atom that is what a structure is, or an instance of it.
    fn preallocated(
        &mut self,
        structure: Simple,
        depth: u32,
        dbg: Dbg,
        out: &mut Vec<Item>,
    ) -> Option<Simple> {
        if let Some(known) = self.static_instance(structure, depth) {
            return Some(known);
        }
        let ty = self.env.ty(structure);
        let block = ty.as_block().filter(|block| block.exact && depth > 0)?.clone();
        let mut fields: SmallVec<[Simple; 8]> = SmallVec::new();
        for (index, ty) in (0..).zip(&block.fields) {
            fields.push(match self.static_instance_of(ty, depth - 1) {
                Some(known) => known,
                None => {
                    let load = Prim::BlockLoad { field: index, mutability: Mutability::Immutable };
                    let loaded = self.unit.new_value("field");
                    self.primitive(loaded, load, SmallVec::from_slice(&[structure]), None, dbg, out);
                    let computed = self.env.canonical(loaded.into());
                    let is_structure = depth > 1 && self.has_known_functions(&self.env.ty(computed));
                    if is_structure { self.preallocated(computed, depth - 1, dbg, out)? } else { computed }
                }
            });
        }
        self.preallocated_block(block.tag, &fields, dbg, out)
    }

    /// A preallocated block with these fields, which are stored here if an earlier round did not see to that.
    fn preallocated_block(
        &mut self,
        tag: u8,
        fields: &[Simple],
        dbg: Dbg,
        out: &mut Vec<Item>,
    ) -> Option<Simple> {
        // Expressed in names that are in scope everywhere in the unit.
        let known: SmallVec<[Ty; 2]> = fields.iter().map(|field| self.env.export(*field, 0)).collect();
        if let Some(symbol) = self.preallocated_before(tag, fields) {
            self.env.set_symbol(symbol, Ty::block(tag, known));
            return Some(symbol.into());
        }
        if !self.allow(Rewrite::ComputedFields) {
            return None;
        }
        let (symbol, size) = (self.fresh_symbol(), fields.len() as u32);
        let def = StaticDef::Preallocated { symbol, tag, size, private: size };
        self.unit.statics.push(Static { exported: false, def });
        self.env.set_symbol(symbol, Ty::block(tag, known));
        for (field, value) in (0..).zip(fields) {
            let store = Prim::BlockStore { field, pointer: true, init: Init::Root };
            let stored = self.unit.new_value("stored");
            self.primitive(stored, store, SmallVec::from_slice(&[symbol.into(), *value]), None, dbg, out);
        }
        Some(symbol.into())
    }

    /// A preallocated block that is known to hold these fields here.
    fn preallocated_before(&self, tag: u8, fields: &[Simple]) -> Option<Symbol> {
        let holds = |block: Symbol| {
            (0..).zip(fields).all(|(field, value)| {
                let load = Prim::BlockLoad { field, mutability: Mutability::Unknown };
                let key = self.cse_key(&load, &Operands::from_slice(&[block.into()]));
                key.and_then(|key| self.env.cse(&key)) == Some(self.env.canonical(*value))
            })
        };
        self.unit.statics.iter().find_map(|item| match item.def {
            StaticDef::Preallocated { symbol, tag: its_tag, size, .. }
                if its_tag == tag && size as usize == fields.len() && symbol != self.unit.module_symbol =>
            {
                holds(symbol).then_some(symbol)
            }
            _ => None,
        })
    }
}
