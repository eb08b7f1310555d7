//! The passes over the intermediate language, one file or folder each, and the schedule that they run in.
//!
//! A pass is a plain function over a unit which says whether it changed anything. Dumping, timing, verifying and
//! checking against the interpreter are the runner's business, never a pass's. Every rewrite that can be left out
//! asks [`Rewrites::allow`] first.

pub const PASSES: &[Pass] = &[
    Pass { name: "contify", run: contify::contify },
    Pass { name: "scalar_replacement", run: scalar_replacement::scalar_replacement },
    Pass { name: "simplify", run: simplify },
];

fn simplify(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    flambeau_simplify::simplify(unit, flambeau_simplify::Options::default(), rewrites)
}
