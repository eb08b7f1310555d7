//! OCaml's Lambda as data: the request that the OCaml side sends for one compilation unit
//! (`docs/formats.md`), decoded in one pass into an arena.
//!
//! The arena is in postfix order: the nodes of a sub-term are contiguous and end with its root. So
//! "everything inside this term" is a range of indices.

pub mod coverage;
pub mod decode;
mod derive;
mod names;
pub mod numbers;
pub mod prim;
pub mod printer;
pub mod term;

pub use decode::{
    Approximation, EvaluationOrder, Import, Location, Number, Options, Request, decode, decode_import, number,
};
pub use flambeau_wire::{DecodeError, Reader};
pub use names::Names;
pub use prim::Primitive;
pub use term::{Constant, Ident, Node, NodeId, Term, ValueKind};
