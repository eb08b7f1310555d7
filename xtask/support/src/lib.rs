//! What all commands of `cargo xtask` stand on: where things are, running programs, OCaml's versions and source trees,
//! Debian's packages, work queues, caches.

pub mod apt;
pub mod cache;
pub mod checks;
pub mod env;
pub mod figures;
pub mod ocaml;
pub mod payload;
pub mod process;
pub mod queue;
pub mod setup;
pub mod shell;
pub mod source_tree;
pub mod trees;
