//! Functions with default arguments: the front end makes a stub of them, which fills in the arguments, and an inner
//! function, whose parameters are new.

use flambeau_ir::{CallKind, Code, CodeId, Terminator, Unit};

/// What the front end adds to the name of a function.
const INNER: &str = "_inner";

/// Gives the parameters of inner functions the types of what their stubs pass: both are the same function of the
/// source, with the same type variables.
pub(crate) fn share_shapes(unit: &mut Unit) {
    let stubs: Vec<CodeId> = unit.codes.keys().filter(|code| unit.codes[*code].attributes.stub).collect();
    for stub in stubs {
        let mut shared = Vec::new();
        unit.codes[stub].body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(inner) = apply.kind
                && is_inner(unit, &unit.codes[stub], &unit.codes[inner])
            {
                let params = unit.codes[inner].params.iter();
                shared
                    .extend(params.zip(&apply.args).filter_map(|(param, arg)| Some((*param, arg.as_var()?))));
            }
        });
        for (param, arg) in shared {
            let shape = unit.variables[arg].shape.clone();
            unit.variables[param].shape = unit.variables[param].shape.take().or(shape);
        }
    }
}

fn is_inner(unit: &Unit, stub: &Code, inner: &Code) -> bool {
    let name = |code: &Code| unit.function_slots[code.function_slot].as_str();
    name(inner).strip_suffix(INNER) == Some(name(stub)) && inner.params.len() == stub.params.len()
}
