//! Profiles: what `-flambeau-profile-use` does (features B16).

use std::path::Path;

use flambeau_ir::{Heat, Unit};
use flambeau_profile::{Matched, Profile, heat};

/// Reads a profile.
///
/// # Errors
/// If the file can't be read, or is no profile: which file, and why.
pub fn read(file: &Path) -> Result<Profile, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Profile::read(&bytes).map_err(|error| format!("{}: {error}", file.display()))
}

/// Says of the code of a unit how often it ran, and warns the user if the profile is not of this source.
///
/// # Errors
/// If the file can't be read, or is no profile.
pub fn apply(unit: &mut Unit, file: &Path) -> Result<(), String> {
    let profile = read(file).map_err(|error| format!("-flambeau-profile-use: {error}"))?;
    match heat::apply(unit, &profile) {
        Some(matched) if matched.is_complete() => {}
        Some(matched) => eprintln!("{}", stale(&unit.name, file, &matched)),
        None => eprintln!(
            "Warning: the profile {} knows nothing of {}: compile it with -flambeau-profile-gen, run the program, and \
             let it end.",
            file.display(),
            unit.name
        ),
    }
    Ok(())
}

/// Whether the profile says that the program spends its time in code of the unit.
pub fn has_hot_code(unit: &Unit) -> bool {
    unit.codes.values().any(|code| code.attributes.heat == Heat::Hot)
        || unit.continuations.values().any(|cont| cont.heat == Heat::Hot)
}

/// How much of a profile is of other source.
fn stale(unit: &str, file: &Path, matched: &Matched) -> String {
    let Matched { functions, same, changed, gone } = matched;
    let parts =
        [(*changed, "with other branches"), (matched.unknown(), "not in the profile"), (*gone, "gone")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!(
        "Warning: the profile {} is of another {unit}: {same} of {functions} functions match ({}).",
        file.display(),
        parts.join(", ")
    )
}
