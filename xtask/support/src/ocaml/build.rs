//! Building and installing a version of OCaml.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Environment;
use crate::source_tree::{self, Kind};

/// Changes whenever a tree is built differently.
const FORMAT: &str = "1";

/// Builds and installs, unless that was done with the same commands and in the same folder.
pub fn make(environment: &Environment) -> Result<()> {
    let (tree, prefix) = (environment.source(), environment.prefix());
    let stamp = environment.folder.join(".installed");
    let identity =
        format!("{FORMAT} {} {}", environment.folder.display(), environment.version.flags.join(" "));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == identity) {
        return Ok(());
    }
    println!("building OCaml {} (once; some minutes)", environment.version.number);
    remove(&tree)?;
    remove(&prefix)?;
    environment.unpack(&tree)?;
    source_tree::build(&tree, Kind::Tested, Some(&prefix), environment.configuration())
        .with_context(|| format!("OCaml {} in {}", environment.version.number, tree.display()))?;
    fs::write(&stamp, identity).context("cannot write the stamp of an installed OCaml")
}

/// What an interrupted or an older call left behind.
fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
