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
    for body in unit.bodies() {
        body.walk(&mut |expr| {
            let Terminator::Apply(apply) = &expr.terminator else { return };
            let Some(place) = unit.locs.own(apply.dbg) else { return };
            if apply.inlined == InlineAttribute::Always
                && let Some(why) = rewrites.unmet.get(&apply.dbg).and_then(words)
            {
                warnings.insert((place, Warning::InliningImpossible(why)));
            }
            if apply.specialised == SpecialiseAttribute::Always
                && let Some(why) = why_not_specialised(unit, &apply.kind)
            {
                let what = "the [@specialised] attribute was not used on this function application";
                warnings.insert((place, Warning::InliningImpossible(format!("{what}: {why}"))));
            }
        });
    }
    warnings
}

/// Why a call was not specialised although an attribute wants it; `None` if that is no fault of the source.
fn why_not_specialised(unit: &Unit, kind: &CallKind) -> Option<&'static str> {
    let is_recursive = match kind {
        CallKind::Direct(code) => unit.codes[*code].recursive,
        CallKind::DirectExternal(name) => {
            unit.imports.get(name)?;
            true
        }
        _ => return None,
    };
    Some(if is_recursive {
        "no parameter that stays the same in the function's calls of itself is given what is known here (a constant, a \
         function, or a record or tuple of functions), or the function is also used otherwise than called"
    } else {
        "the function is not recursive"
    })
}

/// Why a call was not inlined although an attribute wants it; `None` if that is no fault of the source.
fn words(reason: &Reason) -> Option<String> {
    let why = match reason {
        Reason::UnknownFunction => "the optimizer did not know what function was being applied".to_owned(),
        Reason::Captured => "bytecode can't read what the function has captured".to_owned(),
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
