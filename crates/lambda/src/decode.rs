//! Decoding a request.

mod string_tests;
mod typed;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::derive::{Derivations, Types, decode_types};
use crate::numbers::*;
use crate::prim::Primitive;
use crate::term::{
    ArgType, Constant, Constants, Function, Ident, Inline, LocId, Node, NodeId, Nodes, SwitchNode, Term,
    ValueKind,
};
use flambeau_wire::{DecodeError, Reader};
use typed::variable_type;

/// What the OCaml side asks for: one unit to compile.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The options of the compilation.
    pub options: Options,
    /// Location `n` is at index `n - 1`.
    pub locations: Vec<Location>,
    /// Units and predefined exceptions that the term refers to.
    pub imports: Vec<Import>,
    /// The Lambda of the unit, in the store form of `Translmod.transl_store_implementation`; `()` for a program.
    pub term: Term,
    /// For a program: the requests of its units, not decoded, in the order in which they are initialised. What they say
    /// of imported units is their names and symbols alone.
    pub parts: Vec<Vec<u8>>,
}

impl Request {
    /// Forgets the code, which nothing needs once it is converted, and which takes as much memory as what it becomes.
    pub fn drop_code(&mut self) {
        (self.term, self.parts) = Default::default();
    }
}

/// Options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The module's name.
    pub unit_name: String,
    /// What its symbols begin with (`camlM`).
    pub symbol_prefix: String,
    /// The separator between the unit and a name in a symbol (`__` in `camlM__f_1`).
    pub symbol_separator: String,
    /// Domains run OCaml code at the same time (OCaml 5).
    pub several_domains: bool,
    /// In which order operands are evaluated.
    pub evaluation_order: EvaluationOrder,
    /// `-g`
    pub debug: bool,
    /// `-unsafe`
    pub unsafe_: bool,
    /// `-flambeau-verify`
    pub verify: bool,
    /// `-flambeau-fuel`
    pub fuel: Option<u64>,
    /// The dumps wanted, by the name of the stage.
    pub dumps: Vec<String>,
    /// `-flambeau-profile`
    pub profile: bool,
    /// The number of fields of the module block.
    pub module_size: u32,
    /// How many of these other units may read: the first ones.
    pub exported_fields: u32,
    /// The settings that are passed to the optimiser: names and values.
    pub settings: Vec<(String, String)>,
}

/// The order in which the stock native compiler of a version of OCaml evaluates what the language leaves open. It can
/// be observed, and programs depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvaluationOrder {
    /// Of OCaml 4.13: from right to left, but some primitives name their first operand first; a function comes before
    /// its arguments, unless it is known and has more or fewer of them than it takes.
    #[default]
    Quirks413,
    /// From right to left, and a function before its arguments, unless it is known (4.14 to 5.3).
    UnknownFunctionFirst,
    /// From right to left, and a function after its arguments (5.4).
    FunctionLast,
}

/// A source location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub char_start: u32,
    pub char_end: u32,
    pub start_bol: u32,
    pub end_bol: u32,
    pub end_line: u32,
    pub scope: String,
}

/// A unit or predefined exception that the term refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The module's or exception's name.
    pub name: String,
    /// The symbol of the module block, or of the exception.
    pub symbol: String,
    /// Whether it is a predefined exception.
    pub predefined: bool,
    /// What a stock unit's `.cmx` exports.
    pub approximation: Approximation,
    /// What a unit compiled by Flambeau exports: its payload, not decoded.
    pub payload: Option<Vec<u8>>,
}

/// `Clambda.value_approximation`, without the bodies of functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Approximation {
    /// Nothing is known.
    #[default]
    Unknown,
    /// A closure.
    Closure {
        /// The symbol of its code.
        code: String,
        /// Its arity, negative for tupled functions.
        arity: i64,
        /// Whether direct calls pass the closure.
        needs_closure: bool,
        /// The symbol of the closure itself, if it is static and known.
        symbol: Option<String>,
        /// The approximation of the result of a full application.
        result: Box<Approximation>,
    },
    /// A block with immutable fields.
    Block(Vec<Approximation>),
    /// An immediate.
    Immediate(i64),
    /// The address of a symbol.
    Symbol(String),
    /// The address of a symbol that is a boxed number.
    Number {
        /// The symbol.
        symbol: String,
        /// What is in the box.
        number: Number,
    },
    /// The contents of a field of a module block.
    GlobalField {
        /// The module block.
        symbol: String,
        /// Its field.
        field: u32,
    },
    /// A part of the result of a function that is applied at the toplevel to arguments that are known. Only units
    /// compiled by Flambeau export it.
    Applied {
        /// The symbol of the function's code.
        code: String,
        /// The approximations of the arguments; the parts of one application's result share them.
        args: Rc<[Approximation]>,
        /// The part: a field of the result, a field of that, and so on.
        path: Vec<u32>,
    },
}

/// A number that is boxed as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A double, by its bits.
    Float(u64),
    /// An int32.
    Int32(i32),
    /// An int64.
    Int64(i64),
    /// A nativeint.
    Nativeint(i64),
}

/// The magic and the version of the format.
const MAGIC: &[u8] = b"FLBQ";
const VERSION: u64 = 9;

/// Decodes a request.
///
/// # Errors
/// When the bytes are not a request of this version.
pub fn decode(bytes: &[u8]) -> Result<Request, DecodeError> {
    let r = &mut Reader::new(bytes);
    if r.take(MAGIC.len())? != MAGIC {
        return Err(r.error("not a request"));
    }
    if r.u64()? != VERSION {
        return Err(r.error("a request of another version"));
    }
    let options = options(r)?;
    let locations = r.list(location)?;
    let idents = r.list(|r| Ok((r.string()?, r.u32()?, variable_type(r)?)))?;
    let imports = r.list(import)?;
    let types = decode_types(r)?;
    let term = term(r, idents, types)?;
    let parts = r.list(|r| Ok(r.bytes()?.to_vec()))?;
    Ok(Request { options, locations, imports, term, parts })
}

fn options(r: &mut Reader) -> Result<Options, DecodeError> {
    Ok(Options {
        unit_name: r.string()?,
        symbol_prefix: r.string()?,
        symbol_separator: r.string()?,
        several_domains: r.bool()?,
        evaluation_order: evaluation_order(r)?,
        debug: r.bool()?,
        unsafe_: r.bool()?,
        verify: r.bool()?,
        fuel: r.option(Reader::u64)?,
        dumps: r.list(Reader::string)?,
        profile: r.bool()?,
        module_size: r.u32()?,
        exported_fields: r.u32()?,
        settings: r.list(|r| Ok((r.string()?, r.string()?)))?,
    })
}

fn evaluation_order(r: &mut Reader) -> Result<EvaluationOrder, DecodeError> {
    Ok(match r.byte()? {
        0 => EvaluationOrder::Quirks413,
        1 => EvaluationOrder::UnknownFunctionFirst,
        2 => EvaluationOrder::FunctionLast,
        _ => return Err(r.error("no such order of evaluation")),
    })
}

fn location(r: &mut Reader) -> Result<Location, DecodeError> {
    Ok(Location {
        file: r.string()?,
        line: r.u32()?,
        char_start: r.u32()?,
        char_end: r.u32()?,
        start_bol: r.u32()?,
        end_bol: r.u32()?,
        end_line: r.u32()?,
        scope: r.string()?,
    })
}

/// Decodes the description of an imported unit when it is the only contents of the bytes, and not part of a request.
///
/// # Errors
/// When the bytes are not such a description.
pub fn decode_import(bytes: &[u8]) -> Result<Import, DecodeError> {
    let r = &mut Reader::new(bytes);
    let import = import(r)?;
    if r.remaining() == 0 { Ok(import) } else { Err(r.error("more bytes than an imported unit has")) }
}

fn import(r: &mut Reader) -> Result<Import, DecodeError> {
    Ok(Import {
        name: r.string()?,
        symbol: r.string()?,
        predefined: r.bool()?,
        approximation: approximation(r)?,
        payload: r.option(|r| Ok(r.bytes()?.to_vec()))?,
    })
}

/// Decodes an approximation (also used by the payload).
///
/// # Errors
/// When the bytes are not an approximation.
pub fn approximation(r: &mut Reader) -> Result<Approximation, DecodeError> {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
        Ok(match r.byte()? {
            0 => Approximation::Unknown,
            1 => Approximation::Closure {
                code: r.string()?,
                arity: r.i64()?,
                needs_closure: r.bool()?,
                symbol: r.option(Reader::string)?,
                result: Box::new(approximation(r)?),
            },
            2 => Approximation::Block(r.list(approximation)?),
            3 => Approximation::Immediate(r.i64()?),
            4 => Approximation::Symbol(r.string()?),
            5 => Approximation::GlobalField { symbol: r.string()?, field: r.u32()? },
            8 => Approximation::Number { symbol: r.string()?, number: number(r)? },
            _ => return Err(r.error("no such approximation")),
        })
    })
}

/// Decodes a number, with the code of its kind before it.
///
/// # Errors
/// When the bytes are not a number.
pub fn number(r: &mut Reader) -> Result<Number, DecodeError> {
    Ok(match r.byte()? {
        1 => Number::Float(r.float_bits()?),
        2 => Number::Int32(i32::try_from(r.i64()?).map_err(|_| r.error("no int32"))?),
        3 => Number::Int64(r.i64()?),
        4 => Number::Nativeint(r.i64()?),
        _ => return Err(r.error("no such number")),
    })
}

fn term(r: &mut Reader, described: Vec<(String, u32, ArgType)>, types: Types) -> Result<Term, DecodeError> {
    let count = r.count()?;
    let (mut idents, mut ident_types) = (Vec::with_capacity(described.len()), BTreeMap::new());
    for (name, stamp, ty) in described {
        if ty != ArgType::Unknown {
            ident_types.insert(Ident(idents.len() as u32), ty);
        }
        idents.push((name, stamp));
    }
    let (nodes, first) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut builder = Builder {
        derivations: Derivations::new(types, &idents),
        term: Term { nodes, first, idents, ident_types },
        stack: Vec::new(),
    };
    for _ in 0..count {
        builder.node(r)?;
    }
    if builder.stack.len() != 1 {
        return Err(r.error("a term must have one root"));
    }
    let Builder { mut term, derivations, .. } = builder;
    derivations.bind(&mut term);
    Ok(term)
}

struct Builder {
    term: Term,
    stack: Vec<NodeId>,
    /// The functions that are derived from types.
    derivations: Derivations,
}

impl Builder {
    fn pop(&mut self, r: &Reader) -> Result<NodeId, DecodeError> {
        self.stack.pop().ok_or_else(|| r.error("operand missing"))
    }

    fn pop_many<C: FromIterator<NodeId>>(&mut self, r: &Reader, n: usize) -> Result<C, DecodeError> {
        let at = self.stack.len().checked_sub(n).ok_or_else(|| r.error("operands missing"))?;
        Ok(self.stack.drain(at..).collect())
    }

    fn ident(&self, r: &mut Reader) -> Result<Ident, DecodeError> {
        let id = r.u32()?;
        if id as usize >= self.term.idents.len() {
            return Err(r.error("no such identifier"));
        }
        Ok(Ident(id))
    }

    fn param(&self, r: &mut Reader) -> Result<(Ident, ValueKind), DecodeError> {
        Ok((self.ident(r)?, value_kind(r)?))
    }

    fn node(&mut self, r: &mut Reader) -> Result<(), DecodeError> {
        let node = self.read(r)?;
        let id = self.inner(node);
        self.stack.push(id);
        Ok(())
    }

    /// Adds a node whose operands are there, for the node behind it.
    fn inner(&mut self, node: Node) -> NodeId {
        let id = NodeId(self.term.nodes.len() as u32);
        // The lowest operand began this sub-term.
        let first = self.first_operand(&node).map_or(id.0, |n| self.term.first[n.0 as usize]);
        self.term.nodes.push(node);
        self.term.first.push(first);
        id
    }

    /// A primitive: its operands are popped.
    fn prim(&mut self, r: &mut Reader) -> Result<(Box<Primitive>, LocId, Nodes), DecodeError> {
        let prim = Box::new(Primitive::decode(r)?);
        let loc = loc(r)?;
        let n = r.u32()? as usize;
        Ok((prim, loc, self.pop_many(r, n)?))
    }

    fn apply(&mut self, r: &mut Reader) -> Result<Node, DecodeError> {
        let n = r.u32()? as usize;
        let loc = loc(r)?;
        let tailcall = tailcall(r)?;
        let (inlined, specialised) = (inline(r)?, specialise(r)?);
        let args = self.pop_many(r, n)?;
        let func = self.pop(r)?;
        Ok(Node::Apply { func, args, types: Vec::new(), loc, tailcall, inlined, specialised })
    }

    /// The operand that was pushed first.
    fn first_operand(&self, node: &Node) -> Option<NodeId> {
        match node {
            Node::Var(_) | Node::MutVar(_) | Node::Const(_) => None,
            // The functions that are derived stand behind their arguments.
            Node::Apply { func, args, .. } => args.first().copied().into_iter().chain([*func]).min(),
            Node::Function(f) => Some(f.body),
            Node::Let { def, .. } | Node::MutLet { def, .. } => Some(*def),
            Node::LetRec { defs, body } => Some(defs.first().map_or(*body, |d| d.1)),
            Node::Prim { args, .. } | Node::StaticRaise { args, .. } | Node::SymbolCall { args, .. } => {
                args.first().copied()
            }
            Node::Switch(s) => Some(s.scrutinee),
            Node::StringSwitch { scrutinee, .. } => Some(*scrutinee),
            Node::StaticCatch { body, .. } | Node::TryWith { body, .. } => Some(*body),
            Node::IfThenElse { cond, .. } | Node::While { cond, .. } => Some(*cond),
            Node::Sequence { first, .. } => Some(*first),
            Node::For { from, .. } => Some(*from),
            Node::Assign { value, .. } => Some(*value),
            Node::Send { method, .. } => Some(*method),
            Node::Event { body, .. } | Node::IfUsed { body, .. } => Some(*body),
        }
    }

    fn read(&mut self, r: &mut Reader) -> Result<Node, DecodeError> {
        Ok(match r.byte()? {
            node::Var => Node::Var(self.ident(r)?),
            node::MutVar => Node::MutVar(self.ident(r)?),
            node::Const => Node::Const(Box::new(constants(r)?)),
            node::Apply => self.apply(r)?,
            node::Function => {
                let tupled = r.bool()?;
                let params = r.list(|r| self.param(r))?;
                let result = value_kind(r)?;
                let (inline, specialise) = (inline(r)?, specialise(r)?);
                let local = local(r)?;
                let (is_functor, stub, no_poll, loc) = (r.bool()?, r.bool()?, r.bool()?, loc(r)?);
                let body = self.pop(r)?;
                Node::Function(Box::new(Function {
                    tupled,
                    params,
                    result,
                    inline,
                    specialise,
                    local,
                    is_functor,
                    stub,
                    no_poll,
                    loc,
                    body,
                }))
            }
            node::Let => {
                let strict = let_kind(r)?;
                let (kind, id) = (value_kind(r)?, self.ident(r)?);
                let (body, def) = (self.pop(r)?, self.pop(r)?);
                Node::Let { strict, kind, id, def, body }
            }
            node::MutLet => {
                let (kind, id) = (value_kind(r)?, self.ident(r)?);
                let (body, def) = (self.pop(r)?, self.pop(r)?);
                Node::MutLet { kind, id, def, body }
            }
            node::LetRec => {
                let ids = r.list(|r| self.ident(r))?;
                let body = self.pop(r)?;
                let defs: Vec<NodeId> = self.pop_many(r, ids.len())?;
                Node::LetRec { defs: ids.into_iter().zip(defs).collect(), body }
            }
            node::Prim => {
                let (prim, loc, args) = self.prim(r)?;
                self.primitive(prim, args, loc)
            }
            node::TypedPrim => self.typed_prim(r)?,
            node::TypedApply => self.typed_apply(r)?,
            node::Switch => self.switch(r)?,
            node::StringSwitch => {
                let loc = loc(r)?;
                let keys = r.list(|r| Ok(r.bytes()?.to_vec()))?;
                let default = if r.bool()? { Some(self.pop(r)?) } else { None };
                let arms: Vec<NodeId> = self.pop_many(r, keys.len())?;
                let arms = keys.into_iter().zip(arms).collect();
                Node::StringSwitch { scrutinee: self.pop(r)?, arms, default, loc }
            }
            node::StaticRaise => {
                let label = r.i64()?;
                let n = r.u32()? as usize;
                Node::StaticRaise { label, args: self.pop_many(r, n)? }
            }
            node::StaticCatch => {
                let label = r.i64()?;
                let params = r.list(|r| self.param(r))?;
                let (handler, body) = (self.pop(r)?, self.pop(r)?);
                Node::StaticCatch { body, label, params, handler }
            }
            node::TryWith => {
                let id = self.ident(r)?;
                let (handler, body) = (self.pop(r)?, self.pop(r)?);
                Node::TryWith { body, id, handler }
            }
            node::IfThenElse => {
                let (else_, then_, cond) = (self.pop(r)?, self.pop(r)?, self.pop(r)?);
                Node::IfThenElse { cond, then_, else_ }
            }
            node::Sequence => {
                let (second, first) = (self.pop(r)?, self.pop(r)?);
                Node::Sequence { first, second }
            }
            node::While => {
                let (body, cond) = (self.pop(r)?, self.pop(r)?);
                Node::While { cond, body }
            }
            node::For => {
                let (id, downto) = (self.ident(r)?, r.bool()?);
                let (body, to, from) = (self.pop(r)?, self.pop(r)?, self.pop(r)?);
                Node::For { id, from, to, downto, body }
            }
            node::Assign => Node::Assign { id: self.ident(r)?, value: self.pop(r)? },
            node::Send => {
                let kind = method_kind(r)?;
                let loc = loc(r)?;
                let n = r.u32()? as usize;
                let args = self.pop_many(r, n)?;
                let (object, method) = (self.pop(r)?, self.pop(r)?);
                Node::Send { kind, method, object, args, loc }
            }
            node::Event => Node::Event { loc: loc(r)?, body: self.pop(r)? },
            node::IfUsed => Node::IfUsed { id: self.ident(r)?, body: self.pop(r)? },
            node::SymbolCall => {
                let symbol = r.string()?;
                let (loc, inlined) = (loc(r)?, inline(r)?);
                let n = r.u32()? as usize;
                Node::SymbolCall { symbol, args: self.pop_many(r, n)?, loc, inlined }
            }
            code => return Err(r.error(format!("no node has the opcode {code}"))),
        })
    }

    fn switch(&mut self, r: &mut Reader) -> Result<Node, DecodeError> {
        let loc = loc(r)?;
        let num_consts = r.u32()?;
        let const_keys = r.list(Reader::i64)?;
        let num_blocks = r.u32()?;
        let block_keys = r.list(Reader::u32)?;
        let fail = if r.bool()? { Some(self.pop(r)?) } else { None };
        let blocks: Vec<NodeId> = self.pop_many(r, block_keys.len())?;
        let consts: Vec<NodeId> = self.pop_many(r, const_keys.len())?;
        Ok(Node::Switch(Box::new(SwitchNode {
            scrutinee: self.pop(r)?,
            num_consts,
            consts: const_keys.into_iter().zip(consts).collect(),
            num_blocks,
            blocks: block_keys.into_iter().zip(blocks).collect(),
            fail,
            loc,
        })))
    }
}

fn loc(r: &mut Reader) -> Result<LocId, DecodeError> {
    Ok(LocId(r.u32()?))
}

fn inline(r: &mut Reader) -> Result<Inline, DecodeError> {
    Ok(match r.byte()? {
        inline::Default => Inline::Default,
        inline::Always => Inline::Always,
        inline::Never => Inline::Never,
        inline::Hint => Inline::Hint,
        inline::Unroll => Inline::Unroll(r.u32()?),
        _ => return Err(r.error("no such inline attribute")),
    })
}

fn constants(r: &mut Reader) -> Result<Constants, DecodeError> {
    let count = r.count()?;
    let mut steps = Vec::with_capacity(count);
    let mut stack: Vec<u32> = Vec::new();
    for index in 0..count as u32 {
        let step = match r.byte()? {
            constant::Int => Constant::Int(r.i64()?),
            constant::Float => Constant::Float(r.float_bits()?),
            constant::Int32 => Constant::Int32(i32::try_from(r.i64()?).map_err(|_| r.error("no int32"))?),
            constant::Int64 => Constant::Int64(r.i64()?),
            constant::Nativeint => Constant::Nativeint(r.i64()?),
            constant::SharedString => Constant::String { contents: r.bytes()?.to_vec(), shared: true },
            constant::OwnString => Constant::String { contents: r.bytes()?.to_vec(), shared: false },
            constant::Block => {
                let tag = u8::try_from(r.u32()?).map_err(|_| r.error("no tag"))?;
                let n = r.u32()? as usize;
                let at = stack.len().checked_sub(n).ok_or_else(|| r.error("fields missing"))?;
                Constant::Block { tag, fields: stack.drain(at..).collect() }
            }
            constant::FloatArray => Constant::FloatArray(r.list(Reader::float_bits)?),
            _ => return Err(r.error("no such constant")),
        };
        steps.push(step);
        stack.push(index);
    }
    if stack.len() != 1 {
        return Err(r.error("a constant must have one root"));
    }
    Ok(Constants { steps })
}
