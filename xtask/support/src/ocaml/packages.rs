//! Debian's packages beside a version of OCaml: those that hold OCaml code are for the machine's own OCaml, and are of
//! no use to another, but for dune, which is built for it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{Environment, origin};
use crate::apt::suite::Suite;
use crate::{apt, env, process, source_tree};

/// The suite whose dune works with all the versions.
const DUNE: &str = "trixie";
const LIMIT: Duration = Duration::from_secs(3600);

/// The sources of a package: for another version of OCaml those of the suite that has it, which are made for it.
///
/// # Errors
///
/// Fails if the sources cannot be had.
pub fn source(name: &str) -> Result<PathBuf> {
    let folder = env::cache("sources")?;
    let Some(environment) = Environment::current()? else { return apt::source(name, &folder) };
    let tree = folder.join(name).join("source");
    if !tree.exists() {
        origin::unpack_with(&tree, |work| {
            Suite::ready(environment.version.suite)?.newest_archive(name, work)
        })?;
    }
    Ok(tree)
}

/// Why packages can't be installed for the OCaml that the commands work with.
///
/// # Errors
///
/// Fails if the folder of the version cannot be made.
pub fn missing<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Option<String>> {
    if Environment::current()?.is_none() {
        return Ok(None);
    }
    let foreign: Vec<&str> =
        names.into_iter().filter(|name| is_of_ocaml(name) && *name != "ocaml-dune").collect();
    Ok((!foreign.is_empty()).then(|| format!("{} only for the machine's own OCaml", foreign.join(" "))))
}

/// Installs packages for the OCaml that the commands work with.
///
/// # Errors
///
/// Fails if a package is only for the machine's own OCaml, or if it cannot be installed.
pub fn install(names: &[&str]) -> Result<()> {
    let Some(environment) = Environment::current()? else { return apt::install(names) };
    if let Some(reason) = missing(names.iter().copied())? {
        bail!("there is {reason}");
    }
    let (of_ocaml, others): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| is_of_ocaml(name));
    apt::install(&others)?;
    if of_ocaml.is_empty() { Ok(()) } else { build_dune(&environment) }
}

/// The dune for the OCaml that the commands work with; that of the machine need not be there.
///
/// # Errors
///
/// Fails if dune cannot be built for another version of OCaml.
pub fn dune() -> Result<Option<PathBuf>> {
    if Environment::current()?.is_some() {
        install(&["ocaml-dune"])?;
    }
    Ok(env::find("dune"))
}

/// Installs what the build of a package needs, if it is for the OCaml that the commands work with: for another, what
/// can't be built without is left out of the build.
///
/// # Errors
///
/// Fails if a package cannot be installed.
pub fn build_dependencies(name: &str) -> Result<()> {
    if Environment::current()?.is_none() { apt::build_dependencies(name) } else { install(&["ocaml-dune"]) }
}

/// Whether a package holds compiled OCaml code, or a tool that was made for the machine's OCaml.
fn is_of_ocaml(name: &str) -> bool {
    name.starts_with("ocaml")
        || name.ends_with("-ocaml-dev")
        || name.ends_with("-ocaml")
        || TOOLS.contains(&name)
}

const TOOLS: &[&str] = &["cppo", "menhir", "camlp4", "camlp5"];

/// Builds dune, of which one executable is enough, among the tools of the version. It works beside any OCaml, but its
/// sources are not for newer ones: where the machine has an OCaml, that builds it.
fn build_dune(environment: &Environment) -> Result<()> {
    let installed = environment.bin().join("dune");
    let lock = File::create(environment.folder.join(".dune.lock"))?;
    lock.lock().context("cannot lock the build of dune")?;
    if installed.exists() {
        return Ok(());
    }
    println!("building dune for OCaml {} (once)", environment.version.number);
    let tree = environment.folder.join("dune");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    origin::unpack_with(&tree, |work| Suite::ready(DUNE)?.newest_archive("ocaml-dune", work))?;
    let mut command = Command::new("nice");
    command.args(["ocaml", "boot/bootstrap.ml"]).current_dir(&tree);
    if let Some(path) = path_without(&environment.bin())? {
        command.env("PATH", path);
    }
    process::run(source_tree::quiet(&mut command), LIMIT)?.expect_success("building dune")?;
    let copy = installed.with_extension("part");
    fs::copy(tree.join("_boot/dune.exe"), &copy).context("no dune was built")?;
    fs::rename(&copy, &installed)?;
    fs::remove_dir_all(&tree)?;
    Ok(())
}

/// The PATH without a folder, if there is an `ocaml` on it.
fn path_without(folder: &Path) -> Result<Option<OsString>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let others: Vec<PathBuf> = std::env::split_paths(&path).filter(|other| other != folder).collect();
    if !others.iter().any(|other| other.join("ocaml").is_file()) {
        return Ok(None);
    }
    Ok(Some(std::env::join_paths(others)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_ocaml_are_known_by_their_names() {
        for name in ["libnum-ocaml-dev", "ocamlbuild", "ocaml-dune", "cppo"] {
            assert!(is_of_ocaml(name), "{name}");
        }
        for name in ["libgmp-dev", "valgrind", "libgtk2.0-dev"] {
            assert!(!is_of_ocaml(name), "{name}");
        }
    }
}
