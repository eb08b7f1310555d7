//! Saved units (`-flambeau-save-ir`): what a compilation gives to its passes, in one file, from which `flambeau opt`
//! does what the compilation did, to the byte.

use std::cell::RefCell;
use std::rc::Rc;

use flambeau_ir::imports::Record;
use flambeau_ir::saved::Context;
use flambeau_ir::{Unit, printer};
use flambeau_lambda::{Approximation, Import, Request, decode_import};
use flambeau_unit::encode_import;

use crate::other_units;

/// The units that were found for names of the linker: the name, and the unit as in a request.
type Found = Rc<RefCell<Vec<(String, Vec<u8>)>>>;

/// A unit that is being saved. Which functions of other units belong to it is known when all passes have run.
pub struct Saving {
    unit: String,
    settings: Vec<(String, String)>,
    imports: Vec<Import>,
    asked: Record,
    found: Found,
}

impl Saving {
    /// Begins to save what the passes are given, before any of them has run. `imports`: the units that the source
    /// mentions, as they came; `find_unit`: what finds others. `converted`: how many rewrites conversion has done.
    pub fn begin(
        unit: &mut Unit,
        settings: &[(String, String)],
        converted: u64,
        imports: Vec<Import>,
        find_unit: fn(&str) -> Vec<u8>,
    ) -> Saving {
        let (asked, found) = (Record::default(), Found::default());
        let recorded = found.clone();
        let find = move |name: &str| {
            let bytes = find_unit(name);
            if !bytes.is_empty() {
                recorded.borrow_mut().push((name.to_owned(), bytes.clone()));
            }
            bytes
        };
        unit.imports.set_library(other_units::library(find, false));
        unit.imports.record_to(asked.clone());
        let text = printer::print_unit_with(unit, printer::Options { locations: true, numbered: true });
        let settings = settings.iter().filter(|(name, _)| decides(name)).cloned();
        let settings = settings.chain([("converted".to_owned(), converted.to_string())]).collect();
        Saving { unit: text, settings, imports, asked, found }
    }

    /// The text of the file.
    pub fn finish(self) -> String {
        let asked = self.asked.borrow();
        let encode = |import: &Import| encode_import(import, |code| asked.contains(code));
        let says_something =
            |import: &&Import| import.payload.is_some() || import.approximation != Approximation::Unknown;
        let found = self.found.borrow();
        let context = Context {
            settings: self.settings,
            imports: self.imports.iter().filter(says_something).map(encode).collect(),
            library: found
                .iter()
                .map(|(name, bytes)| {
                    let fewer = decode_import(bytes).map(|import| encode(&import));
                    (name.clone(), fewer.unwrap_or_else(|_| bytes.clone()))
                })
                .collect(),
        };
        self.unit + &printer::print_context(&context)
    }
}

/// Whether a setting decides what passes do; the others ask for output beside the code, or have done their part when
/// passes begin.
fn decides(setting: &str) -> bool {
    !matches!(
        setting,
        "source"
            | "trace"
            | "report"
            | "remarks"
            | "stock-function"
            | "export"
            | "profile-gen"
            | "profile-use"
    )
}

/// The settings of a request, as a saved unit has them.
pub fn settings(request: &Request) -> Vec<(String, String)> {
    let options = &request.options;
    let flags = [
        ("debug", options.debug),
        ("several-domains", options.several_domains),
        ("described", other_units::stock_unit(request).is_some()),
    ];
    let flags =
        flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| (name.to_owned(), "yes".to_owned()));
    options.settings.iter().cloned().chain(flags).collect()
}

/// Gives a unit that was saved what other units gave it.
///
/// # Errors
/// When something of another unit can't be read.
pub fn restore(unit: &mut Unit, context: Context) -> Result<(), String> {
    let imports: Result<Vec<Import>, _> = context.imports.iter().map(|bytes| decode_import(bytes)).collect();
    let mut imports = imports.map_err(|error| format!("an imported unit: {error}"))?;
    (unit.imports, unit.origins) = other_units::read_payloads(&mut imports)?;
    let library = context.library;
    let find = move |name: &str| {
        let found = library.iter().find(|(known, _)| known == name);
        found.map(|(_, bytes)| bytes.clone()).unwrap_or_default()
    };
    unit.imports.set_library(other_units::library(find, false));
    Ok(())
}
