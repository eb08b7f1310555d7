//! What calls are.

use cranelift_entity::PrimaryMap;
use flambeau_ir::{Code, FunctionKind, Kind, Variable, VariableData};

/// Whether a generic call with so many arguments, of a closure of that code, runs the code with just them. A call that
/// contradicts the code's kinds goes the generic way (soundness row 44).
pub(crate) fn takes_values(
    variables: &PrimaryMap<Variable, VariableData>,
    code: &Code,
    arguments: usize,
) -> bool {
    let is_value = |param: &Variable| variables[*param].kind == Kind::Value;
    code.kind == FunctionKind::Curried
        && code.params.len() == arguments
        && code.params.iter().all(is_value)
        && code.result == Kind::Value
}
