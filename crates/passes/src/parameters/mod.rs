//! Functions of which all calls are known take what they use (features C1, E5, E7, E8): what their closure captures is
//! passed as parameters, so that no closure is allocated ([`captured`], lambda lifting); a parameter that every call
//! allocates only to be projected from is passed as its fields, and an unused one not at all ([`parts`], argument
//! promotion); a boxed number is returned as the number ([`results`]), or goes through as one ([`numbers`]). Of a block
//! that is made to be captured the parts are ([`environments`]).
//!
//! On entry and on exit the unit is well-formed. Time is linear in the unit, but for the search for the parts that
//! functions which call each other have in common, which is nearly so. See `docs/passes/parameters.md`.

mod boxes;
mod build;
mod candidates;
mod captured;
mod copies;
mod demand;
mod environments;
mod foreign;
mod kept;
pub(crate) mod known;
mod made;
mod numbers;
mod parts;
mod results;
mod returned;
mod shapes;
mod surrogates;
pub(crate) mod workers;

use flambeau_ir::{Rewrites, Unit};

use crate::unread::slots;

/// Rewrites the parameters of functions, and the calls of these.
pub fn parameters(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    // Before functions are lifted, which then take the parts of what they have captured; and of what they leave.
    let outer = !rewrites.boxed_captures && environments::environments(unit, rewrites);
    let split = surrogates::surrogates(unit, rewrites);
    let lifted = captured::captured(unit, rewrites);
    let numeric = numbers::numbers(unit, rewrites);
    let taken_apart = parts::parts(unit, rewrites);
    // A function that still stores parts is taken for one that returns them.
    let unread = slots::stores(unit, rewrites);
    let unboxed = results::results(unit, rewrites);
    // What a function returns by parts and a call passes on is made by the function that calls both now.
    if unboxed {
        parts::parts(unit, rewrites);
    }
    let captured = !rewrites.boxed_captures && environments::environments(unit, rewrites);
    let marked = foreign::mark(unit);
    outer || split || unread || lifted || numeric || taken_apart || unboxed || captured || marked
}
