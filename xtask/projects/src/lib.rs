//! The commands that work on code which nobody here wrote: OCaml's test suite and compiler, Debian's packages.

#![allow(clippy::cast_precision_loss, reason = "figures are counts far below 2^52")]

pub mod conformance;
pub mod corpus;
pub mod projects;
pub mod selfbuild;
