//! The walk over terms. A term is converted in one of three positions: *tail* (its value is passed to a
//! continuation), *value* (its value is needed as an atom), *effect* (its value is dropped).

use std::rc::Rc;

use flambeau_ir::prim::{Init, Mutability};
use flambeau_ir::stack::deep;
use flambeau_ir::{Machine, Prim, Rewrite, Simple, Terminator};
use flambeau_lambda::prim::FieldMutability;
use flambeau_lambda::term::{Ident, LocId, Node, NodeId};
use flambeau_lambda::{Primitive, ValueKind};

use crate::builder::{Converter, Result, Target};
use crate::env::{Binding, Field, Info, MutableRepr, Val};

impl<'a> Converter<'a> {
    /// The node, for as long as the request lives.
    pub fn node(&self, id: NodeId) -> &'a Node {
        self.term.node(id)
    }

    /// Converts a term in tail position: appends to the run and gives its terminator.
    pub fn tail(&mut self, node: NodeId, target: &Target) -> Result<Terminator> {
        Ok(self.tail_with_info(node, target)?.0)
    }

    /// Converts a term in tail position; gives the terminator, and what is known of the value that the target gets.
    pub fn tail_with_info(&mut self, node: NodeId, target: &Target) -> Result<(Terminator, Info)> {
        deep(|| self.tail_loop(node, target))
    }

    fn tail_loop(&mut self, mut node: NodeId, target: &Target) -> Result<(Terminator, Info)> {
        loop {
            match self.binding_step(node)? {
                Some(body) => node = body,
                None => return self.tail_node(node, target),
            }
        }
    }

    /// A lazy value about to be forced. The GC replaces a forward block by its contents, in roots too: so earlier tests
    /// of the same variable say nothing now (soundness row 15).
    pub fn forced(&mut self, value: Val) -> Val {
        let simple = self.prim("lazy", Prim::Opaque, &[value.simple], LocId(0));
        Val { simple, info: Info::Unknown }
    }

    /// If the term is a binding construct, converts the binding and gives the body.
    fn binding_step(&mut self, node: NodeId) -> Result<Option<NodeId>> {
        Ok(match self.node(node) {
            Node::Let { kind, id, def, body, .. } => {
                let value = self.value_named(*def, *id)?;
                self.bind(*id, *kind, value);
                Some(*body)
            }
            Node::MutLet { kind, id, def, body } => {
                let value = self.value(*def)?;
                let repr = MutableRepr::of(*kind);
                let simple = self.in_repr(&value, repr);
                self.env[id.0 as usize] = Binding::Mutable(simple, repr);
                Some(*body)
            }
            Node::LetRec { defs, body } => {
                self.let_rec(defs)?;
                Some(*body)
            }
            Node::Sequence { first, second } => {
                self.effect(*first)?;
                Some(*second)
            }
            Node::Event { body, .. } | Node::IfUsed { body, .. } => Some(*body),
            _ => None,
        })
    }

    /// A term in tail position which is not a binding construct.
    fn tail_node(&mut self, node: NodeId, target: &Target) -> Result<(Terminator, Info)> {
        let terminator = match self.node(node) {
            Node::Apply { .. } => return self.application(node, target),
            Node::Send { .. } => self.tail_send(node, target),
            Node::SymbolCall { symbol, args, loc, inlined } => {
                self.call_of_symbol(symbol, args, *loc, *inlined, target)
            }
            Node::IfThenElse { cond, then_, else_ } => self.tail_if(*cond, *then_, *else_, target),
            Node::Switch(switch) => self.tail_switch(switch, target),
            Node::StringSwitch { scrutinee, arms, default, loc } => {
                self.tail_string_switch(*scrutinee, arms, *default, *loc, target)
            }
            Node::StaticRaise { label, args } => self.static_raise(*label, args),
            Node::StaticCatch { body, label, params, handler } => {
                self.tail_static_catch(*body, *label, params, *handler, target)
            }
            Node::TryWith { body, id, handler } => self.tail_try(*body, *id, *handler, target),
            Node::Prim { prim, args, loc } => match (&**prim, args.as_slice()) {
                (Primitive::Raise(kind), [exn]) => self.raise(*kind, *exn, *loc),
                (Primitive::SeqAnd | Primitive::SeqOr, [first, second]) => {
                    let is_and = **prim == Primitive::SeqAnd;
                    self.tail_sequential(is_and, *first, *second, target)
                }
                _ => return self.tail_value(node, target),
            },
            _ => return self.tail_value(node, target),
        };
        Ok((terminator?, Info::Unknown))
    }

    fn tail_value(&mut self, node: NodeId, target: &Target) -> Result<(Terminator, Info)> {
        if target.takes_value {
            let value = self.value(node)?;
            Ok((self.jump(target, value.simple), value.portable_info()))
        } else {
            self.effect(node)?;
            Ok((self.jump(target, Simple::UNIT), Info::Unknown))
        }
    }

    /// Converts a term whose value is needed.
    pub fn value(&mut self, node: NodeId) -> Result<Val> {
        deep(|| self.value_loop(node, None))
    }

    /// Converts a term whose value is bound to a variable: a function takes its name.
    pub fn value_named(&mut self, node: NodeId, ident: Ident) -> Result<Val> {
        deep(|| self.value_loop(node, Some(ident)))
    }

    fn value_loop(&mut self, mut node: NodeId, ident: Option<Ident>) -> Result<Val> {
        while let Some(body) = self.binding_step(node)? {
            node = body;
        }
        match self.node(node) {
            Node::Var(id) => self.variable(*id),
            Node::MutVar(id) => self.mutable_variable(*id),
            Node::Const(constants) => Ok(self.constant(constants)),
            Node::Function(function) => self.function(node, function, ident),
            Node::Prim { prim, .. } if is_control(prim) => self.value_through_join(node),
            Node::Prim { prim, args, loc } => self.primitive(prim, args, *loc),
            Node::Apply { .. } => {
                let mut info = Info::Unknown;
                let result = self.join("after", node, true, |this, target| {
                    let (terminator, result) = this.application(node, target)?;
                    info = result;
                    Ok(terminator)
                })?;
                self.after_application(node)?;
                Ok(Val { simple: result.map_or(Simple::UNIT, Simple::Var), info })
            }
            Node::Assign { .. } | Node::While { .. } | Node::For { .. } => {
                self.effect(node)?;
                Ok(Val::unknown(Simple::UNIT))
            }
            _ => self.value_through_join(node),
        }
    }

    fn value_through_join(&mut self, node: NodeId) -> Result<Val> {
        let result = self.join("after", node, true, |this, target| Ok(this.tail_node(node, target)?.0))?;
        Ok(Val::unknown(result.map_or(Simple::UNIT, Simple::Var)))
    }

    /// Converts a term whose value is dropped.
    pub fn effect(&mut self, node: NodeId) -> Result<()> {
        deep(|| self.effect_loop(node))
    }

    fn effect_loop(&mut self, mut node: NodeId) -> Result<()> {
        while let Some(body) = self.binding_step(node)? {
            node = body;
        }
        match self.node(node) {
            Node::Var(_) | Node::MutVar(_) | Node::Const(_) | Node::Function(_) => Ok(()),
            Node::Assign { id, value } => self.assign(*id, *value),
            Node::While { cond, body } => self.while_loop(node, *cond, *body),
            Node::For { id, from, to, downto, body } => self.for_loop(*id, *from, *to, *downto, *body),
            Node::Prim { prim, args, loc } if !is_control(prim) => self.primitive(prim, args, *loc).map(drop),
            _ => self
                .join("after", node, takes_result(self.node(node)), |this, target| {
                    Ok(this.tail_node(node, target)?.0)
                })
                .and_then(|_| self.after_application(node)),
        }
    }

    pub fn variable(&mut self, id: Ident) -> Result<Val> {
        match &self.env[id.0 as usize] {
            Binding::Immutable(value) => Ok(value.clone()),
            Binding::Mutable(..) => self.mutable_variable(id),
            Binding::Unbound => {
                self.malformed(format!("unbound variable {}/{}", self.term.name(id), self.stamp(id)))
            }
        }
    }

    fn stamp(&self, id: Ident) -> u32 {
        self.term.idents[id.0 as usize].1
    }

    fn mutable_variable(&mut self, id: Ident) -> Result<Val> {
        match self.env[id.0 as usize] {
            Binding::Mutable(simple, MutableRepr::Value(_)) => Ok(Val::unknown(simple)),
            Binding::Mutable(simple, MutableRepr::Naked(boxed)) => Ok(self.boxed(simple, boxed, LocId(0))),
            _ => self.malformed(format!("unbound mutable variable {}", self.term.name(id))),
        }
    }

    /// `Lassign`. If a handler takes the variable, the new value is passed to it at once (see `Prim::ExnState`).
    fn assign(&mut self, id: Ident, value: NodeId) -> Result<()> {
        let value = self.value(value)?;
        let Binding::Mutable(_, repr) = self.env[id.0 as usize] else {
            return self.malformed(format!("assignment of {}, which is not mutable", self.term.name(id)));
        };
        let simple = self.in_repr(&value, repr);
        self.set_value(id, simple);
        if self.handler.mutables.contains(&id) {
            self.raising_prim("state", Prim::ExnState, &[], LocId(0));
        }
        Ok(())
    }

    /// Counts the stores to each field of the unit's module block: a field that is stored to twice is
    /// never replaced by what it holds.
    pub fn count_module_stores(&mut self) {
        for node in &self.term.nodes {
            if let Node::Prim { prim, args, .. } = node
                && let Primitive::SetField { field, .. } = **prim
                && args.first().is_some_and(|block| self.is_own_module(*block))
                && let Some(module_field) = self.module_fields.get_mut(field as usize)
            {
                module_field.stores += 1;
            }
        }
    }

    /// Whether the term is the unit's own module block.
    pub fn is_own_module(&self, node: NodeId) -> bool {
        matches!(self.node(node), Node::Prim { prim, .. }
            if matches!(**prim, Primitive::GetGlobal(g)
                if self.globals.get(g as usize).is_some_and(|(s, _)| *s == self.unit.module_symbol)))
    }

    /// A store to a field of the unit's module block. In the straight line of the toplevel the value of the field is
    /// known from here on.
    pub fn store_module_field(&mut self, field: u32, pointer: bool, value: NodeId, loc: LocId) -> Result<()> {
        let value = self.value(value)?;
        let block = Simple::Symbol(self.unit.module_symbol);
        let prim = Prim::BlockStore { field, pointer, init: Init::Root };
        self.prim("store", prim, &[block, value.simple], loc);
        if self.straight
            && let Some(module_field) = self.module_fields.get_mut(field as usize)
            && module_field.stores == 1
        {
            module_field.field = value.as_field();
        }
        Ok(())
    }

    /// A field of a block whose contents may be known.
    pub fn load_field(
        &mut self,
        block: NodeId,
        field: u32,
        declared: FieldMutability,
        loc: LocId,
    ) -> Result<Val> {
        let known = if self.is_own_module(block) {
            self.module_fields.get(field as usize).map(|f| f.field.clone())
        } else {
            None
        };
        let mutability = self.field_mutability(block, field, declared);
        let block = self.value(block)?;
        let known = known.or_else(|| block.info.field(field));
        let Field { simple, info } = known.unwrap_or_default();
        if let Some(simple) = simple
            && self.rewrites.allow_in_unit(Rewrite::ConvertedField(field))
        {
            return Ok(Val { simple, info });
        }
        let prim = Prim::BlockLoad { field, mutability };
        Ok(Val { simple: self.prim("field", prim, &[block.simple], loc), info })
    }

    /// Whether a field can change once it is read: as the front end declares it. A field of a module block is stored to
    /// once, before anything that refers to it runs. The code of the toplevel reads it back each time all the same, or
    /// hundreds of values would be live in it.
    fn field_mutability(&self, block: NodeId, field: u32, declared: FieldMutability) -> Mutability {
        let is_module = matches!(self.node(block), Node::Prim { prim, .. }
            if matches!(**prim, Primitive::GetGlobal(_)));
        let stored_again =
            self.is_own_module(block) && self.module_fields.get(field as usize).is_none_or(|f| f.stores != 1);
        if is_module {
            // In bytecode a field of another unit is read as fast as a variable.
            let is_elsewhere = self.rewrites.machine == Machine::Bytecode && !self.is_own_module(block);
            let is_final = is_elsewhere || self.in_function && !stored_again;
            return if is_final { Mutability::Immutable } else { Mutability::Unknown };
        }
        match declared {
            FieldMutability::Unknown => Mutability::Unknown,
            FieldMutability::Immutable => Mutability::Declared,
            FieldMutability::Mutable => Mutability::Mutable,
        }
    }

    /// What is known of a block with these fields.
    pub fn block_info(fields: &[Val]) -> Info {
        let fields: Rc<[Field]> = fields.iter().map(Val::as_field).collect();
        let useful = |f: &Field| f.simple.is_some() || !matches!(f.info, Info::Unknown);
        if fields.iter().any(useful) { Info::Block(fields) } else { Info::Unknown }
    }

    /// The kind of a parameter, as a hint.
    pub fn bind_param(&mut self, id: Ident, kind: ValueKind) -> flambeau_ir::Variable {
        let var =
            self.unit.new_variable(self.term.name(id), flambeau_ir::Kind::Value, crate::env::subkind(kind));
        self.unit.variables[var].shape = self.shape_of(id);
        self.env[id.0 as usize] = Binding::Immutable(Val::unknown(var));
        var
    }
}

/// Primitives that are control flow.
fn is_control(prim: &Primitive) -> bool {
    matches!(prim, Primitive::Raise(_) | Primitive::SeqAnd | Primitive::SeqOr)
}

/// Whether the continuation of a dropped value must take it all the same: the results of calls have a parameter.
fn takes_result(node: &Node) -> bool {
    matches!(node, Node::Apply { .. } | Node::Send { .. } | Node::SymbolCall { .. })
}
