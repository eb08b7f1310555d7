//! Terms of derived functions, before they are written into the arena.

use crate::prim::{External, FieldMutability, FloatComparison, IntComparison, NativeRepr, Primitive};
use crate::term::{
    Constant, Constants, Ident, Inline, LetKind, LocId, Node, NodeId, Nodes, Specialise, SwitchNode,
    Tailcall, Term, ValueKind,
};

/// A term.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Var(Ident),
    Int(i64),
    Prim(Primitive, Vec<Tree>),
    Call(Ident, Vec<Tree>),
    If(Box<[Tree; 3]>),
    Let(Ident, ValueKind, Box<[Tree; 2]>),
    /// By the tag of a block; the last is for all other tags.
    Tags(Box<Tree>, Vec<(u8, Tree)>, Box<Tree>),
}

impl Tree {
    pub(super) fn if_(cond: Tree, then: Tree, otherwise: Tree) -> Tree {
        Tree::If(Box::new([cond, then, otherwise]))
    }

    pub(super) fn let_(id: Ident, kind: ValueKind, def: Tree, body: Tree) -> Tree {
        Tree::Let(id, kind, Box::new([def, body]))
    }

    pub(super) fn prim<const N: usize>(prim: Primitive, args: [Tree; N]) -> Tree {
        Tree::Prim(prim, args.into())
    }

    pub(super) fn is_int(&self) -> Tree {
        Tree::prim(Primitive::IsInt, [self.clone()])
    }

    pub(super) fn tag(&self) -> Tree {
        Tree::prim(Primitive::BlockTag, [self.clone()])
    }

    pub(super) fn field(&self, field: u32, mutable: bool) -> Tree {
        let mutability = if mutable { FieldMutability::Mutable } else { FieldMutability::Immutable };
        Tree::prim(Primitive::Field { field, mutability }, [self.clone()])
    }

    /// Whether two words are the same.
    pub(super) fn same(x: Tree, y: Tree) -> Tree {
        Tree::prim(Primitive::IntComp(IntComparison::Eq), [x, y])
    }

    pub(super) fn same_float(x: Tree, y: Tree) -> Tree {
        Tree::prim(Primitive::FloatComp(FloatComparison::Eq), [x, y])
    }

    /// A call of a function of the runtime that takes two values; `raises`: it may raise or allocate.
    pub(super) fn runtime(name: &str, raises: bool, args: [Tree; 2]) -> Tree {
        let external = External {
            name: name.to_owned(),
            native_name: name.to_owned(),
            arity: 2,
            alloc: raises,
            args: vec![NativeRepr::Value; 2],
            result: NativeRepr::Value,
        };
        Tree::prim(Primitive::CCall(Box::new(external)), args)
    }

    /// Writes it behind the nodes that there are.
    pub(super) fn write(&self, term: &mut Term) -> NodeId {
        let first = term.nodes.len() as u32;
        let node = match self {
            Tree::Var(id) => Node::Var(*id),
            Tree::Int(n) => Node::Const(Box::new(Constants { steps: vec![Constant::Int(*n)] })),
            Tree::Prim(prim, args) => {
                Node::Prim { args: write_all(args, term), prim: Box::new(prim.clone()), loc: LocId(0) }
            }
            Tree::Call(id, args) => {
                let func = Tree::Var(*id).write(term);
                call(func, write_all(args, term), LocId(0))
            }
            Tree::If(parts) => {
                let [cond, then_, else_] = parts.each_ref().map(|part| part.write(term));
                Node::IfThenElse { cond, then_, else_ }
            }
            Tree::Let(id, kind, parts) => {
                let [def, body] = parts.each_ref().map(|part| part.write(term));
                Node::Let { strict: LetKind::StrictOpt, kind: *kind, id: *id, def, body }
            }
            Tree::Tags(scrutinee, arms, default) => {
                let scrutinee = scrutinee.write(term);
                let blocks = arms.iter().map(|(tag, arm)| (u32::from(*tag), arm.write(term))).collect();
                Node::Switch(Box::new(SwitchNode {
                    scrutinee,
                    num_consts: 0,
                    consts: Vec::new(),
                    num_blocks: 256,
                    blocks,
                    fail: Some(default.write(term)),
                    loc: LocId(0),
                }))
            }
        };
        term.nodes.push(node);
        term.first.push(first);
        NodeId(term.nodes.len() as u32 - 1)
    }
}

fn write_all(trees: &[Tree], term: &mut Term) -> Nodes {
    trees.iter().map(|tree| tree.write(term)).collect()
}

/// A call without attributes.
pub(crate) fn call(func: NodeId, args: Nodes, loc: LocId) -> Node {
    let (inlined, specialised) = (Inline::Default, Specialise::Default);
    Node::Apply { func, args, types: Vec::new(), loc, tailcall: Tailcall::Default, inlined, specialised }
}
