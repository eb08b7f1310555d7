//! Flambeau's intermediate language.
//!
//! Continuation-passing style with second-class continuations, explicit sets of closures, and a kind
//! on every variable. This header is the language reference; the modules hold the types.
//!
//! # Terms
//!
//! An [`Expr`] is a run of [`Item`]s followed by one [`Terminator`]. The scope of what an item binds is
//! the remainder of its run. Continuations are bound in one of two ways, which mean the same
//! (`let_cont` of the literature) and differ only in which of the two sub-terms is the nested one:
//!
//! * [`Item::Join`] `k (params) { body }`: *the remainder of the run is the handler of `k`*, and the
//!   nested `body` is where `k` may be used. The params are in scope in the remainder, `k` is not.
//!   A sequence of calls is therefore flat, however long it is.
//! * [`Item::LetCont`]: the handlers are nested, and the continuations are in scope in the remainder
//!   of the run (and, when recursive, in the handlers). Loops are recursive groups; the arms of a
//!   switch are one non-recursive group.
//!
//! Variables bound inside a nested term are not in scope outside it. Every variable, continuation, code
//! identifier, function slot and value slot is bound exactly once in a unit.
//!
//! # Evaluation
//!
//! Items are evaluated in order. Primitives evaluate no sub-terms: operands are [`Simple`]s. So all
//! evaluation order of the source is explicit in the order of items.
//!
//! # Exceptions
//!
//! [`Terminator::Try`] runs its body under a handler: an *exception continuation*, bound by an
//! `Item::Join` or `Item::LetCont` outside the body with `is_exn` set. Its first parameter is the
//! exception; the others are *extra arguments*. Leaving the body through any continuation that is
//! bound outside it pops the handler. An exception continuation is the handler of exactly one `Try`.
//!
//! Every call, raise and primitive that may raise names its exception continuation ([`ExnCont`]): always
//! that of the innermost enclosing `Try`, or else the function's own (`exn_cont`, which takes the
//! exception alone), with the values of the extra arguments at that point. So a handler's knowledge of
//! variables that the body changes is in SSA form like all else. An asynchronous exception (signal,
//! out of memory) may surface at any allocation or poll; so that the handler then sees the current
//! values too, conversion marks each change of a variable that a handler needs with
//! [`Prim::ExnState`], a primitive that "may raise" with the new values.
//!
//! # Functions
//!
//! A [`Code`] is closed: its body reaches its environment only through projections from `my_closure`. A
//! closure is a function slot of a [`SetOfClosures`]. Calls ([`Apply`]) carry what is known of the callee
//! in their [`CallKind`].
//!
//! # Undefined behaviour
//!
//! [`Terminator::Unreachable`] is never executed. A switch without default is only reached with one of
//! its values. Reading a [`Const::Poison`] yields an arbitrary value of its kind; it is an immediate
//! where the kind is `Value`, so that the GC may see it.

pub mod alpha;
mod arg_type;
mod call_graph;
pub mod consts;
pub mod copy;
pub mod decision;
pub mod entities;
pub mod fuel;
pub mod heat;
pub mod imports;
pub mod inlining;
pub mod kind;
mod lexer;
pub mod loc;
pub mod machine;
pub mod merge;
pub mod naming;
pub mod parser;
pub mod prim;
mod prim_syntax;
pub mod printer;
pub mod remap;
pub mod renumber;
mod repeated;
pub mod rewrite;
pub mod runtime_functions;
pub mod saved;
pub mod stack;
pub mod statics;
pub mod tags;
pub mod term;
pub mod transfer;
pub mod unit;
pub mod verify;
pub mod visit;

pub use arg_type::{ArgType, Elements, Hashed, HashedShape, Leaf};
pub use call_graph::CallGraph;
pub use consts::{Const, Simple};
pub use entities::{CodeId, Continuation, FunctionSlot, Origin, Symbol, ValueSlot, Variable};
pub use fuel::{Fuel, Rewrites};
pub use heat::Heat;
pub use imports::Imports;
pub use kind::{BoxedKind, IntKind, Kind, Subkind};
pub use loc::{Added, Dbg, Inlined, Loc, LocTable};
pub use machine::Machine;
pub use naming::Naming;

pub use prim::Prim;
pub use prim_syntax::MNEMONICS;
pub use rewrite::Rewrite;
pub use statics::{Static, StaticDef, StaticField};
pub use term::{
    Apply, ApplyCont, CallKind, ContHandler, ExnCont, Expr, Item, Named, SetOfClosures, Switch, Terminator,
};
pub use unit::{
    Code, CodeAttributes, ContinuationData, FreshSymbols, FunctionKind, SymbolData, Unit, VariableData,
};
