//! Attributes that could not be obeyed: reported once, at the user's source location, when all is done (features B9,
//! B18).
//!
//! What depends on how the program is built is no reason to warn: a unit whose `.cmx` is missing or opaque, `-g`, a
//! flag. Such calls are in the report. So an attribute never makes a build fail that another profile accepts
//! (users-ask, row 4).

use std::collections::BTreeSet;

use flambeau_ir::decision::{Reason, Warning};
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{CallKind, Dbg, Rewrites, Terminator, Unit};

/// The warnings on a unit, in the order of the source.
pub fn warnings(unit: &Unit, rewrites: &Rewrites) -> BTreeSet<(Dbg, Warning)> {
    let mut warnings: BTreeSet<(Dbg, Warning)> =
        rewrites.assignments.iter().map(|dbg| (*dbg, Warning::AssignmentToImmutable)).collect();
    let bodies = unit.codes.values().map(|code| &code.body).chain([&unit.entry.body]);
    for body in bodies {
        body.walk(&mut |expr| {
            let Terminator::Apply(apply) = &expr.terminator else { return };
            let Some(place) = unit.locs.own(apply.dbg) else { return };
            if apply.inlined == InlineAttribute::Always
                && let Some(why) = rewrites.unmet.get(&apply.dbg).and_then(words)
            {
                warnings.insert((place, Warning::InliningImpossible(why)));
            }
            let is_known = match &apply.kind {
                CallKind::Direct(_) => true,
                CallKind::DirectExternal(name) => unit.imports.get(name).is_some(),
                _ => false,
            };
            if apply.specialised == SpecialiseAttribute::Always && is_known {
                let why = "the [@specialised] attribute was not used on this function application: the function is \
                           not recursive, or no parameter that stays the same in its calls of itself is given a \
                           function that is known here";
                warnings.insert((place, Warning::InliningImpossible(why.into())));
            }
        });
    }
    warnings
}

/// Why a call was not inlined although an attribute wants it; `None` if that is no fault of the source.
fn words(reason: &Reason) -> Option<String> {
    let why = match reason {
        Reason::UnknownFunction => "the optimizer did not know what function was being applied".to_owned(),
        Reason::Recursive => "the call is in the function that it calls".to_owned(),
        Reason::TooLarge { size: Some(size), limit } => {
            format!("the function is too large: its size is {size}, at most {limit} can be inlined")
        }
        Reason::TooLarge { size: None, limit } => {
            format!("the function is too large: at most a size of {limit} can be inlined")
        }
        Reason::Arguments => "the arguments do not fit the function".to_owned(),
        _ => return None,
    };
    Some(format!("[@inlined] attribute was not used on this function application ({why})"))
}
