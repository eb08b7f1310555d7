//! From Flambeau's IR to Cmm.
//!
//! The Cmm of this crate ([`tree`]) is that of the OCaml compiler with high-level operations in place of
//! machine detail: headers, closure information words, generic applications and the expansion of
//! primitives are the business of the OCaml side, through `Cmm_helpers`.
//!
//! [`lower`] translates one to the other in three steps: control, the placement of bindings, live ranges.
//! docs/to-cmm.md says how, the headers of `control.rs`, `placement.rs` and `ranges.rs` say why.

mod analysis;
pub mod bytecode;
pub mod codes;
mod control;
pub mod encode;
mod exn;
mod frames;
mod functions;
mod kept;
mod layout;
mod lowering;
mod operands;
mod operations;
mod placement;
pub mod printer;
mod ranges;
pub mod same;
mod switch;
pub mod tree;

pub use functions::lower;
pub use layout::CapturedPlaces;
pub use printer::print;
