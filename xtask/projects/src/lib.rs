//! The commands that work on code which nobody here wrote: OCaml's test suite and compiler, Debian's packages.

pub mod conformance;
pub mod corpus;
pub mod projects;
pub mod selfbuild;
