//! The nodes of Lambda.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::prim::{BigarrayKind, BigarrayLayout, Primitive};

/// An identifier: index into [`Term::idents`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ident(pub u32);

/// A node: index into [`Term::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A source location: 1-based index into the request's locations; 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LocId(pub u32);

/// Several nodes.
pub type Nodes = SmallVec<[NodeId; 2]>;

/// A Lambda term.
#[derive(Clone, Debug, Default)]
pub struct Term {
    /// The nodes in postfix order; the last is the root.
    pub nodes: Vec<Node>,
    /// For each node, the index of the first node of its sub-term.
    pub first: Vec<u32>,
    /// Name and stamp of each identifier.
    pub idents: Vec<(String, u32)>,
    /// The types of identifiers, over the type variables of the functions that they are in: only where such a variable
    /// stands in them.
    pub ident_types: BTreeMap<Ident, ArgType>,
}

impl Term {
    /// The root.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The indices of all nodes of the sub-term, itself included.
    #[must_use]
    pub fn range(&self, id: NodeId) -> std::ops::RangeInclusive<u32> {
        self.first[id.0 as usize]..=id.0
    }

    /// The identifier's name, without stamp.
    #[must_use]
    pub fn name(&self, ident: Ident) -> &str {
        &self.idents[ident.0 as usize].0
    }
}

/// `Lambda.value_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ValueKind {
    #[default]
    Generic,
    Float,
    Int,
    Nativeint,
    Int32,
    Int64,
}

/// `Lambda.structured_constant`.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    Int(i64),
    /// The bits.
    Float(u64),
    Int32(i32),
    Int64(i64),
    Nativeint(i64),
    /// `shared`: equal literals may be one (strings are immutable).
    String {
        contents: Vec<u8>,
        shared: bool,
    },
    /// Fields are indices of earlier steps: see [`Constants`].
    Block {
        tag: u8,
        fields: Vec<u32>,
    },
    /// The bits of the elements.
    FloatArray(Vec<u64>),
}

/// A structured constant, flat: blocks refer to earlier steps by index. The last step is the root.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Constants {
    /// In postfix order.
    pub steps: Vec<Constant>,
}

/// `Lambda.inline_attribute`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Inline {
    #[default]
    Default,
    Always,
    Never,
    Hint,
    Unroll(u32),
}

/// `Lambda.specialise_attribute`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Specialise {
    #[default]
    Default,
    Always,
    Never,
}

/// `Lambda.local_attribute`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Local {
    #[default]
    Default,
    Always,
    Never,
}

/// `Lambda.let_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LetKind {
    Strict,
    Alias,
    StrictOpt,
}

/// `Lambda.meth_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MethodKind {
    SelfMethod,
    Public,
    Cached,
}

/// `Lambda.tailcall_attribute`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tailcall {
    #[default]
    Default,
    Expected,
    NotExpected,
}

/// `Lambda.lfunction`, with its body as a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub tupled: bool,
    pub params: Vec<(Ident, ValueKind)>,
    pub result: ValueKind,
    pub inline: Inline,
    pub specialise: Specialise,
    pub local: Local,
    pub is_functor: bool,
    pub stub: bool,
    /// `[@poll error]`
    pub no_poll: bool,
    pub loc: LocId,
    pub body: NodeId,
}

/// The static type of an argument, where variables stand in the function's own type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgType {
    /// Nothing is known.
    Unknown,
    /// Its values are immediates.
    Immediate,
    /// Variables that hold functions which compare two of its values.
    Compared {
        /// As `caml_compare`.
        compare: NodeId,
        /// As `caml_equal`.
        equal: NodeId,
        /// Whether any two values are in the order that `compare` says.
        total: bool,
        /// What arrays of its values are.
        elements: Elements,
        /// What `caml_hash` finds in its values.
        hashed: Hashed,
    },
    /// Arrays of values of a type.
    Array(Box<ArgType>),
    /// Bigarrays of a kind and a layout, which are known.
    Bigarray(BigarrayKind, BigarrayLayout),
    /// Immediates, and blocks whose fields have these types, whatever their tags.
    Block(Vec<ArgType>),
    /// The `Block` around that is so many others further out than the innermost one.
    Enclosing(u32),
    /// Functions that are called with so many arguments, of these types, and return values of the last.
    Function(Vec<ArgType>, Box<ArgType>),
    /// Whatever this type variable of a function around is: in [`Term::ident_types`].
    Variable(u32),
}

/// What `caml_hash` finds in the values of a type: alternatives, told apart by whether they are immediates and by their
/// tags. None if it is not known, or too much to be hashed in place.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Hashed(pub Vec<HashedShape>);

/// What `caml_hash` finds in values that are all alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HashedShape {
    /// One leaf.
    Leaf(Leaf),
    /// Blocks of a tag, their fields, which are never assigned.
    Block(u8, Vec<HashedShape>),
}

/// What is mixed into a hash as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// An immediate.
    Immediate,
    /// A boxed float.
    Float,
    /// A string, or bytes.
    String,
    /// A boxed integer of 32 bits.
    Int32,
    /// A boxed integer of 64 bits.
    Int64,
    /// A boxed machine integer.
    Nativeint,
}

/// How arrays of values of a type represent these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    /// None is a float.
    Values,
    /// All are floats: the array is flat.
    Floats,
    /// All are floats, but the array may have been made of what is none, and hold boxes.
    MaybeBoxes,
}

/// `Lambda.lambda`.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    Var(Ident),
    MutVar(Ident),
    Const(Box<Constants>),
    Apply {
        func: NodeId,
        args: Nodes,
        /// What is known of the static types of the first arguments.
        types: Vec<ArgType>,
        loc: LocId,
        tailcall: Tailcall,
        inlined: Inline,
        specialised: Specialise,
    },
    Function(Box<Function>),
    Let {
        strict: LetKind,
        kind: ValueKind,
        id: Ident,
        def: NodeId,
        body: NodeId,
    },
    MutLet {
        kind: ValueKind,
        id: Ident,
        def: NodeId,
        body: NodeId,
    },
    LetRec {
        defs: Vec<(Ident, NodeId)>,
        body: NodeId,
    },
    Prim {
        prim: Box<Primitive>,
        args: Nodes,
        loc: LocId,
    },
    Switch(Box<SwitchNode>),
    StringSwitch {
        scrutinee: NodeId,
        arms: Vec<(Vec<u8>, NodeId)>,
        default: Option<NodeId>,
        loc: LocId,
    },
    StaticRaise {
        label: i64,
        args: Nodes,
    },
    StaticCatch {
        body: NodeId,
        label: i64,
        params: Vec<(Ident, ValueKind)>,
        handler: NodeId,
    },
    TryWith {
        body: NodeId,
        id: Ident,
        handler: NodeId,
    },
    IfThenElse {
        cond: NodeId,
        then_: NodeId,
        else_: NodeId,
    },
    Sequence {
        first: NodeId,
        second: NodeId,
    },
    While {
        cond: NodeId,
        body: NodeId,
    },
    For {
        id: Ident,
        from: NodeId,
        to: NodeId,
        downto: bool,
        body: NodeId,
    },
    Assign {
        id: Ident,
        value: NodeId,
    },
    Send {
        kind: MethodKind,
        method: NodeId,
        object: NodeId,
        args: Nodes,
        loc: LocId,
    },
    /// A call, in OCaml's own convention, of the code with that name of the linker, which another unit defines
    /// (`Udirect_apply` of Clambda) or the runtime (what the primitives of effects are). Unlike a C call it may be a
    /// tail call.
    SymbolCall {
        symbol: String,
        args: Nodes,
        loc: LocId,
        inlined: Inline,
    },
    Event {
        loc: LocId,
        body: NodeId,
    },
    IfUsed {
        id: Ident,
        body: NodeId,
    },
}

/// `Lambda.lambda_switch`.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchNode {
    pub scrutinee: NodeId,
    pub num_consts: u32,
    pub consts: Vec<(i64, NodeId)>,
    pub num_blocks: u32,
    pub blocks: Vec<(u32, NodeId)>,
    pub fail: Option<NodeId>,
    pub loc: LocId,
}
