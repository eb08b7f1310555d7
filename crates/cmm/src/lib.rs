//! From Flambeau's IR to Cmm.
//!
//! The Cmm of this crate ([`tree`]) is that of the OCaml compiler with high-level operations in place of
//! machine detail: headers, closure information words, generic applications and the expansion of
//! primitives are the business of the OCaml side, through `Cmm_helpers`.

pub mod encode;
pub mod tree;
