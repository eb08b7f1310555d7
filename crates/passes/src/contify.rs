//! Contification: a local function whose calls all return to one point becomes a continuation, and its calls jumps;
//! with calls of itself, a loop (features C4). `docs/passes/contify.md` shows it.
//!
//! # What becomes a continuation
//!
//! All functions of a set of closures, or none. The set is bound by [`flambeau_ir::Item::LetClosures`], or is static
//! and not exported; and
//!
//! * its closures are only called, with exactly the arguments that the function takes, and projected from. What else
//!   is done with one may keep it, so that it needs its closure (*escape*);
//! * all calls from outside of the set are in one function, the *home* (for a set that is not static: the function
//!   that binds it), and have one return continuation and one exception continuation with the same extra arguments;
//! * all calls from inside of the set are tail calls of their function.
//!
//! So the functions return only to that continuation, and raise only to that handler, which then stand for their own.
//!
//! # Where it is moved
//!
//! To a point from which the calls can be reached, and where these are in scope: what the set captures, the return
//! continuation (which may be bound later: `let rec loop … in let r = loop 0 in …`), the handler's `try` (soundness
//! row 6) and its extra arguments. Each of these is in scope from some point on, and all of them are at the calls, so
//! these scopes are nested; the point is where the innermost of them begins. Only the return continuation can
//! have several scopes, if it is a loop: the handlers of its group and what follows them; all calls must be in one.
//!
//! # How it is done
//!
//! Bodies are moved, not copied, so nothing is renamed but the return and exception continuations. Projections of
//! captured values become the values. A function may itself be in one that becomes a continuation. A function which
//! is captured by one that becomes a continuation (an inner loop which continues with the outer one) no longer is
//! captured, and is considered in the next round.

mod analysis;
mod rewrite;

use flambeau_ir::{Rewrites, Unit};

use analysis::Analysis;

/// One round for each nesting of loops which continue with the loop around them; more are left for the next run.
const MAX_ROUNDS: usize = 4;

/// Makes local functions continuations. On entry and on exit the unit is well-formed; the functions are removed.
pub fn contify(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let mut analysis = Analysis::new(unit);
        if !analysis.choose(unit, rewrites) {
            break;
        }
        rewrite::rewrite(unit, &analysis);
        changed = true;
    }
    changed
}
