//! Functions that the stock compiler would inline from its own units: the OCaml side translates what a stock `.cmx`
//! says of them (`ocaml/front/stock_bodies.ml`), and here they become functions that may be imported, like those of
//! units that Flambeau compiled.

use flambeau_convert::convert;
use flambeau_ir::{Imports, Rewrites, transfer};
use flambeau_lambda::decode;
use rustc_hash::FxHashMap;

/// What the payload of such a function begins with.
pub const MAGIC: &[u8] = b"FLBS";

/// Adds the function that a payload holds, behind its magic. `label`: the linker's name of its code.
///
/// # Errors
/// When the payload is not one that the OCaml side writes.
pub fn add(label: &str, request: &[u8], imports: &mut Imports) -> Result<(), String> {
    let request = decode(request).map_err(|error| error.to_string())?;
    let mut unit = convert(&request, &mut Rewrites::default()).map_err(|error| error.to_string())?.unit;
    let Some(code) = unit.codes.keys().next() else { return Err("no function".into()) };
    label.clone_into(&mut unit.codes[code].linkage_name);
    let exported = transfer::export(&unit, code, &FxHashMap::default(), &FxHashMap::default());
    imports.add(label, exported.map(|exported| (label.to_owned(), exported.bytes)), &[None]);
    Ok(())
}
