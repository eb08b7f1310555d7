//! `let rec`, in all its shapes (digest part 2; soundness row 41).
//!
//! Right-hand sides which are functions form one set of closures. The others are classified by size,
//! as the stock compiler does: what has a known size gets a dummy block first, which is overwritten
//! once the value is computed; the rest (which the type checker made sure does not use the variables)
//! is computed before. The order: dummies, the rest in order, the set of closures (which captures
//! dummies), then the sized values in order. Nothing is known of a dummy until the end.
//!
//! A definition of unknown size may mention the variables all the same, where the type checker sees that it does not
//! inspect them (ocaml#7718): then they must be values that the GC may see.

use flambeau_ir::prim::{External, NativeRepr};
use flambeau_ir::{FunctionSlot, Prim, Simple};
use flambeau_lambda::prim::{ArrayKind, RecordRepresentation};
use flambeau_lambda::term::{Ident, LocId, Node, NodeId};
use flambeau_lambda::{Primitive, ValueKind};
use rustc_hash::FxHashMap;

use crate::builder::{Converter, Result};
use crate::env::Val;
use crate::functions::Definition;

/// What the right-hand side of a recursive definition allocates.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Size {
    /// Not known, or nothing: the definition does not use the variables that it defines.
    NonRecursive,
    /// A block of values.
    Block(u32),
    /// A block of doubles.
    FloatBlock(u32),
    /// A closure, inside other constructs.
    Closure(FunctionSlot),
}

impl<'a> Converter<'a> {
    /// Binds the variables of a `let rec`.
    pub fn let_rec(&mut self, defs: &'a [(Ident, NodeId)]) -> Result<()> {
        let mut functions = Vec::new();
        let mut others = Vec::new();
        for (id, node) in defs {
            if let Node::Function(function) = self.node(self.skip_events(*node)) {
                let node = self.skip_events(*node);
                functions.push(Definition { ident: Some(*id), node, function });
            } else {
                let size = self.size(&mut FxHashMap::default(), *node);
                others.push((*id, *node, size));
            }
        }
        let early: Vec<NodeId> = others
            .iter()
            .filter(|(_, _, size)| *size == Size::NonRecursive)
            .map(|(_, node, _)| *node)
            .collect();
        if functions.iter().any(|f| f.ident.is_some_and(|id| self.mentioned(id, &early))) {
            // These functions are referred to before their set of closures is allocated, so they get dummies too.
            for definition in functions.drain(..) {
                let Some(id) = definition.ident else { continue };
                let slot = self.slot_of(definition.node, self.term.name(id));
                others.push((id, definition.node, Size::Closure(slot)));
            }
        }
        for (id, _, size) in &others {
            let dummy = self.dummy(*size).unwrap_or(Simple::UNIT);
            self.bind(*id, ValueKind::Generic, Val::unknown(dummy));
        }
        for (id, node, size) in &others {
            if *size == Size::NonRecursive {
                let value = self.value_named(*node, *id)?;
                self.bind(*id, ValueKind::Generic, value);
            }
        }
        if !functions.is_empty() {
            let values = self.closures(&functions)?;
            for (definition, value) in functions.iter().zip(values) {
                let Some(id) = definition.ident else { continue };
                self.bind(id, ValueKind::Generic, value);
            }
        }
        for (id, node, size) in &others {
            if *size != Size::NonRecursive {
                let value = self.value(*node)?;
                let dummy = self.dummy_of(*id)?;
                let prim = external("caml_update_dummy", 2, false, true);
                self.raising_prim("update", prim, &[dummy, value.simple], LocId(0));
            }
        }
        Ok(())
    }

    /// Whether a variable occurs in one of these terms.
    fn mentioned(&self, id: Ident, nodes: &[NodeId]) -> bool {
        nodes.iter().any(|node| {
            let range = self.term.range(*node);
            let nodes = &self.term.nodes[*range.start() as usize..=*range.end() as usize];
            nodes.iter().any(|node| matches!(node, Node::Var(other) if *other == id))
        })
    }

    /// The dummy block that a recursive variable is bound to until its definition is evaluated.
    fn dummy_of(&mut self, id: Ident) -> Result<Simple> {
        match &self.env[id.0 as usize] {
            crate::env::Binding::Immutable(value) => Ok(value.simple),
            _ => self.malformed("a recursive definition lost its dummy"),
        }
    }

    fn skip_events(&self, mut node: NodeId) -> NodeId {
        while let Node::Event { body, .. } = self.node(node) {
            node = *body;
        }
        node
    }

    /// Allocates a dummy block, which will be overwritten.
    fn dummy(&mut self, size: Size) -> Option<Simple> {
        let alloc = |this: &mut Self, name: &str, size: u32| {
            let prim = external(name, 1, true, false);
            this.raising_prim("dummy", prim, &[Simple::tagged(i64::from(size))], LocId(0))
        };
        match size {
            Size::NonRecursive => None,
            Size::Block(size) => Some(alloc(self, "caml_alloc_dummy", size)),
            Size::FloatBlock(size) => Some(alloc(self, "caml_alloc_dummy_float", size)),
            Size::Closure(function) => {
                Some(self.prim("dummy", Prim::AllocDummyClosure { function }, &[], LocId(0)))
            }
        }
    }

    /// The size of what a right-hand side allocates. `local`: the sizes of variables bound inside it.
    fn size(&mut self, local: &mut FxHashMap<Ident, Size>, node: NodeId) -> Size {
        let mut node = node;
        loop {
            match self.node(node) {
                Node::Event { body, .. } | Node::Sequence { second: body, .. } => node = *body,
                Node::Let { id, def, body, .. } => {
                    let size = self.size(local, *def);
                    local.insert(*id, size);
                    node = *body;
                }
                Node::MutLet { body, .. } => node = *body,
                Node::LetRec { defs, body } => {
                    for (id, def) in defs {
                        let size = self.size(local, *def);
                        local.insert(*id, size);
                    }
                    node = *body;
                }
                Node::Var(id) => return local.get(id).copied().unwrap_or(Size::NonRecursive),
                Node::Function(_) => {
                    let slot = self.slot_of(node, "recursive");
                    return Size::Closure(slot);
                }
                Node::Prim { prim, args, .. } => return primitive_size(prim, args.len() as u32),
                _ => return Size::NonRecursive,
            }
        }
    }
}

fn primitive_size(prim: &Primitive, args: u32) -> Size {
    match prim {
        Primitive::MakeBlock { .. } if args > 0 => Size::Block(args),
        Primitive::MakeArray { kind: ArrayKind::Addr | ArrayKind::Int, .. } if args > 0 => Size::Block(args),
        Primitive::MakeArray { kind: ArrayKind::Float, .. } if args > 0 => Size::FloatBlock(args),
        Primitive::DupRecord { repr, size } => match repr {
            RecordRepresentation::Regular | RecordRepresentation::Inlined => Size::Block(*size),
            RecordRepresentation::Extension => Size::Block(*size + 1),
            RecordRepresentation::Float => Size::FloatBlock(*size),
            RecordRepresentation::Unboxed => Size::NonRecursive,
        },
        _ => Size::NonRecursive,
    }
}

/// A C function of the runtime on values.
pub(crate) fn external(name: &str, arity: usize, alloc: bool, no_result: bool) -> Prim {
    Prim::CCall(Box::new(External {
        name: name.to_owned(),
        args: vec![NativeRepr::Value; arity],
        result: NativeRepr::Value,
        no_result,
        alloc,
        tested: false,
    }))
}
