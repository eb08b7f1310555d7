//! The abstract domain of the simplifier: what is known of variables, and the environment that holds it.
//!
//! A [`Ty`] is a set of values. Types may speak of variables: a block knows the *names* of its fields, so that a load
//! from it is that name ([`Ty::Is`]).
//!
//! Knowledge is scoped. An [`Env`] is one table with a trail: leaving a branch undoes what was learnt in it, and
//! nothing is ever cloned. What a branch knows of a continuation's arguments is [`exported`](Env::export) to the scope
//! of the continuation's definition, where only variables that are bound before it may be named.

mod env;
mod int_set;
mod join;
pub mod machine;
mod meet;
mod ty;
mod widen;

pub use env::{Bounds, Definition, Direction, Env, Mark, Operands, Relations, Step, Term, length_of_made};
pub use int_set::IntSet;
pub use join::join;
pub use meet::meet;
pub use ty::{Block, Blocks, Choice, Closure, Elements, Ty, Variant};
