//! The passes over the intermediate language, one file or folder each, and the schedule that they run in.
//!
//! A pass is a plain function over a unit which says whether it changed anything. Dumping, timing, verifying and
//! checking against the interpreter are the runner's business, never a pass's. Every rewrite that can be left out
//! asks [`Rewrites::allow`] first.

mod calls;
pub mod contify;
pub mod loopify;
mod recursion;
mod renumber;
pub mod scalar_replacement;

use flambeau_ir::{Rewrites, Unit};

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// For the command line, dumps and tests.
    pub name: &'static str,
    /// Applies it; whether anything changed.
    pub run: fn(&mut Unit, &mut Rewrites) -> bool,
}

/// All passes, by name: for `flambeau opt` and tests.
pub const PASSES: &[Pass] = &[
    Pass { name: "contify", run: contify::contify },
    Pass { name: "loopify", run: loopify::loopify },
    Pass { name: "scalar_replacement", run: scalar_replacement::scalar_replacement },
];
