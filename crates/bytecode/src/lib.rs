//! From Flambeau's IR back to Lambda, of which OCaml's own `Bytegen` makes bytecode: what runs under `ocamlrun`, and
//! what
//! `js_of_ocaml` makes JavaScript of (`docs/design/bytecode.md`).
//!
//! Control and the placement of bindings are those of native code ([`flambeau_cmm::bytecode`]). What is left to do
//! here: functions are nested into one another, so that what they capture is a variable in scope; loops become `while`;
//! static data and functions that capture nothing become variables of the unit's straight line, at whose end its block
//! is made.

mod body;
mod closures;
mod counted;
mod encode;
mod entry;
mod loops;
mod mentions;
mod scopes;
mod statics;
mod substitution;
mod switch;
mod term;
mod unit;

pub use encode::encode;
pub use term::{Ident, Label, Program, Term, TermId};
pub use unit::translate;
