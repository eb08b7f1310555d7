//! What a request is about: one unit, or the units of a program that are to become one (`-flambeau-whole-program`).

use std::collections::BTreeMap;

use flambeau_convert::{Converted, convert as convert_unit};
use flambeau_ir::{Naming, Rewrites, Unit, merge};
use flambeau_lambda::{Approximation, Request, decode};

use crate::runner::{Failure, failure};

/// The IR of a request's unit or program. `prepare` is applied to each unit before it becomes a part of another.
///
/// # Errors
/// When a term or a part can't be read, or `prepare` fails.
pub fn convert(
    request: &Request,
    rewrites: &mut Rewrites,
    mut prepare: impl FnMut(&mut Unit) -> Result<(), Failure>,
) -> Result<Converted, Failure> {
    let mut bytecode_names = BTreeMap::new();
    let mut convert = |request: &Request| {
        let mut converted = convert_unit(request, rewrites).map_err(|error| failure(error.to_string()))?;
        prepare(&mut converted.unit)?;
        Ok(converted)
    };
    if request.parts.is_empty() {
        return convert(request);
    }
    let mut units = Vec::with_capacity(request.parts.len());
    for part in &request.parts {
        let converted = convert(&with_imports(part, request)?)?;
        bytecode_names.extend(converted.bytecode_names);
        units.push(converted.unit);
    }
    let options = &request.options;
    let naming = Naming::new(&options.symbol_prefix, &options.symbol_separator);
    Ok(Converted {
        unit: merge::merge(&options.unit_name, naming, units),
        exports: Approximation::Unknown,
        counters: vec![("program: units".into(), request.parts.len() as u64)],
        // The user read them when the units were compiled.
        warnings: Vec::new(),
        bytecode_names,
    })
}

/// A part, with what the program says of the units that it imports.
fn with_imports(part: &[u8], program: &Request) -> Result<Request, Failure> {
    let mut part = decode(part).map_err(|error| failure(format!("a unit of the program: {error}")))?;
    for import in &mut part.imports {
        if let Some(known) = program.imports.iter().find(|known| known.name == import.name) {
            import.approximation.clone_from(&known.approximation);
        }
    }
    Ok(part)
}
