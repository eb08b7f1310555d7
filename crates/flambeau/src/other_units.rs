//! What goes from unit to unit: payloads of imported units are read, and what is told of this one is put together.

use flambeau_ir::{Imports, Rewrites, Unit, transfer};
use flambeau_lambda::{Approximation, Import, Request};
use flambeau_simplify::export::{Visible, inlinable};
use flambeau_unit::{Functions, Payload};
use rustc_hash::FxHashSet;

/// Puts what units of ours tell in the place of what their stock part tells. Gives their functions.
///
/// # Errors
/// When a payload is damaged.
pub fn read_payloads(imports: &mut [Import]) -> Result<Imports, String> {
    let mut functions = Imports::default();
    for import in imports {
        if let Some(bytes) = import.payload.take() {
            let payload = Payload::decode(&bytes)
                .map_err(|error| format!("the payload of unit {}: {error}", import.name))?;
            // A payload that goes with a stock `.cmx` leaves it to that.
            if payload.exports != Approximation::Unknown {
                import.approximation = payload.exports;
            }
            add_closures(&import.approximation, &mut functions);
            add_fields(&import.symbol, &import.approximation, &mut functions);
            if payload.functions.format == transfer::FORMAT {
                functions.add(&import.name, payload.functions.codes);
            }
        }
    }
    Ok(functions)
}

/// Tells what the closures of a unit are.
fn add_closures(exports: &Approximation, imports: &mut Imports) {
    let mut pending = vec![exports];
    while let Some(approximation) = pending.pop() {
        match approximation {
            Approximation::Closure { code, arity, needs_closure: false, symbol: Some(symbol), .. } => {
                if let Ok(arity @ 1..) = usize::try_from(*arity) {
                    imports.add_closure(symbol, code, arity);
                }
            }
            Approximation::Block(fields) => pending.extend(fields),
            _ => {}
        }
    }
}

/// Tells what the closures in the fields of a unit are.
fn add_fields(module: &str, exports: &Approximation, imports: &mut Imports) {
    let Approximation::Block(fields) = exports else { return };
    for (index, field) in (0..).zip(fields) {
        if let Approximation::Closure { code, arity, needs_closure: false, .. } = field
            && let Ok(arity @ 1..) = usize::try_from(*arity)
        {
            imports.add_field(module, index, code, arity);
        }
    }
}

/// Fails if functions of other units could not be read.
///
/// # Errors
/// Then.
pub fn check(imports: &Imports) -> Result<(), String> {
    match imports.damaged() {
        [] => Ok(()),
        [damage, ..] => Err(format!("the payload of unit {}: {}", damage.unit, damage.cause)),
    }
}

/// The payload of a unit that was optimised.
pub fn payload(request: &Request, unit: &mut Unit, exports: Approximation, rewrites: &Rewrites) -> Vec<u8> {
    let mut roots = Vec::new();
    for_each_name(&exports, &mut |name, names_what| {
        if names_what != Names::Data {
            roots.push(name.to_owned());
        }
    });
    let visible = visible(request);
    let exports = if let Visible::All = visible { exports } else { Approximation::Unknown };
    let codes = inlinable(unit, rewrites, roots, &visible);
    Payload::new(exports, Functions { format: transfer::FORMAT.into(), codes }).encode()
}

/// If the object takes the place of a stock one, then what it defines under the names of that.
fn visible(request: &Request) -> Visible {
    let options = &request.options;
    let own = request.imports.iter().find(|import| import.symbol == options.symbol_prefix);
    match own.map(|import| &import.approximation) {
        None | Some(Approximation::Unknown) => Visible::All,
        Some(promised) => {
            let mut names = FxHashSet::default();
            names.insert(options.symbol_prefix.clone());
            for_each_name(promised, &mut |name, names_what| {
                // The stock object's function may take its closure where ours does not, and calls in code that goes
                // elsewhere are made as ours are.
                if names_what != (Names::Code { needs_closure: true }) {
                    names.insert(name.to_owned());
                }
            });
            Visible::Only(names)
        }
    }
}

/// What a name of the linker is the name of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Code { needs_closure: bool },
    Data,
}

/// Each name of the linker in an approximation.
fn for_each_name(approximation: &Approximation, f: &mut impl FnMut(&str, Names)) {
    let mut pending = vec![approximation];
    while let Some(approximation) = pending.pop() {
        match approximation {
            Approximation::Closure { code, symbol, result, needs_closure, .. } => {
                f(code, Names::Code { needs_closure: *needs_closure });
                symbol.iter().for_each(|symbol| f(symbol, Names::Data));
                pending.push(result);
            }
            Approximation::Block(fields) => pending.extend(fields),
            Approximation::Symbol(symbol) => f(symbol, Names::Data),
            Approximation::Unknown | Approximation::Immediate(_) | Approximation::GlobalField { .. } => {}
        }
    }
}
