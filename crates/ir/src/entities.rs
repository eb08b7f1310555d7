//! Identifiers: `u32` newtypes into the dense tables of a [`Unit`](crate::Unit), one type for each
//! sort so that they can't be confused. `Display` is the syntax of the textual form without the name.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// A variable: bound by a `let`, a parameter of a continuation, or a parameter of a code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Variable(u32);
entity_impl!(Variable, "v");

/// A name known to the linker: static data or a module block, of this unit or of another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Symbol(u32);
entity_impl!(Symbol, "$");

/// A second-class continuation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Continuation(u32);
entity_impl!(Continuation, "k");

/// The code of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CodeId(u32);
entity_impl!(CodeId, "code");

/// The arguments of the inliner with which a unit was compiled that code comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Origin(u32);
entity_impl!(Origin, "origin");

/// One function of a set of closures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FunctionSlot(u32);
entity_impl!(FunctionSlot, "fs");

/// One captured value of a set of closures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ValueSlot(u32);
entity_impl!(ValueSlot, "vs");
