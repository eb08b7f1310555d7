//! Random OCaml programs: well-typed, terminating, deterministic, and the same for `ocamlc` and the stock
//! `ocamlopt` wherever these two agree on what a program does. A seed and [`Options`] name a program for good.

pub mod damage;
mod exprs;
mod functions;
mod generator;
mod library;
mod literals;
mod modules;
mod options;
mod patterns;
mod prims;
mod program;
mod rng;
mod shapes;
pub mod shrink;
mod statements;
mod tree;
mod types;

pub use exprs::constructs;
pub use generator::Coverage;
pub use options::Options;
pub use program::{Program, RUNTIME, RUNTIME_FILE, Unit};
pub use rng::Rng;
pub use shapes::{COST, GENERAL_CODE, KERNEL, shape_names};
pub use tree::{Node, Part, Role};
pub use types::Ty;
