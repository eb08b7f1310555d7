//! Functions that the stock compiler would inline from its own units: the OCaml side translates what a stock `.cmx`
//! says of them (`ocaml/front/stock_bodies.ml`), and here they become functions that may be imported, like those of
//! units that Flambeau compiled.

use flambeau_convert::convert;
use flambeau_ir::{CallKind, Imports, Rewrites, Terminator, transfer};
use flambeau_lambda::decode;
use rustc_hash::FxHashMap;

/// What the payload of such a function begins with.
pub const MAGIC: &[u8] = b"FLBS";

/// Adds the function that a payload holds, behind its magic. `label`: the linker's name of its code.
///
/// # Errors
/// When the payload is not one that the OCaml side writes.
pub fn add(label: &str, payload: &[u8], imports: &mut Imports) -> Result<(), String> {
    let Some((recursive, request)) = payload.split_first() else { return Err("no function".into()) };
    let request = decode(request).map_err(|error| error.to_string())?;
    let mut unit = convert(&request, &mut Rewrites::default()).map_err(|error| error.to_string())?.unit;
    let Some(code) = unit.codes.keys().next() else { return Err("no function".into()) };
    let data = &mut unit.codes[code];
    label.clone_into(&mut data.linkage_name);
    data.recursive = *recursive != 0;
    // What calls itself is copied as a whole where it is specialised.
    data.body.walk_mut(&mut |expr| {
        if let Terminator::Apply(apply) = &mut expr.terminator
            && matches!(&apply.kind, CallKind::DirectExternal(called) if called == label)
        {
            apply.kind = CallKind::Direct(code);
        }
    });
    let exported = transfer::export(&unit, code, &FxHashMap::default(), &FxHashMap::default(), &|_, _| None);
    imports.add(label, exported.map(|exported| (label.to_owned(), exported.bytes)), &[None]);
    Ok(())
}
