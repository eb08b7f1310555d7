//! Fuzzing of the IR: random units, whose behaviour every pass and the lowering to Cmm must preserve.
//!
//! A pass is a function with a name, which says whether it changed anything. To test one:
//!
//! ```
//! use flambeau_ir::{Rewrites, Unit};
//! use flambeau_irfuzz::{Pass, check};
//!
//! fn my_pass(_: &mut Unit, _: &mut Rewrites) -> bool { false }
//! println!("{}", check(&Pass { name: "my pass", run: my_pass }, 100));
//! ```
//!
//! `cargo xtask fuzz --ir N` runs the same for long. `docs/fuzzing.md` describes all kinds of fuzzing.

mod harness;
pub mod lowering;
pub mod planted;
mod run;
mod shrink;

pub use flambeau_passes::Pass;
pub use harness::{UnitOptions, all_passes, apply, check, test_pass};
pub use run::{Config, Found, Report, run};
pub use shrink::shrink;
