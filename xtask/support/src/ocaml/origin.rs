//! Where the sources of a version of OCaml come from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::apt::suite::Suite;
use crate::{env, process};

const LIMIT: Duration = Duration::from_secs(1800);

/// An archive that has the sources as OCaml's authors released them.
pub enum Origin {
    /// The package `ocaml` of npm, of this version, which may be numbered otherwise than OCaml.
    Npm { version: &'static str },
    /// The source package of a suite of Debian, without Debian's patches.
    Debian { suite: &'static str },
}

impl Origin {
    /// Fetches the archive of OCaml's version `number` into a folder.
    fn fetch(&self, number: &str, folder: &Path) -> Result<PathBuf> {
        match self {
            Origin::Npm { version } => npm(version, folder),
            Origin::Debian { suite } => Suite::ready(suite)?.archive("ocaml", number, folder),
        }
    }
}

/// Unpacks the sources of a version to `tree`, which does not exist. The first origin that has them is taken.
pub fn unpack(number: &str, origins: &[Origin], tree: &Path) -> Result<()> {
    unpack_with(tree, |work| first(number, origins, work))?;
    let version = fs::read_to_string(tree.join("VERSION"))?;
    if version.lines().next() != Some(number) {
        bail!("{} holds OCaml {}, not {number}", tree.display(), version.lines().next().unwrap_or("?"));
    }
    Ok(())
}

/// The archive of the first origin that has one.
fn first(number: &str, origins: &[Origin], folder: &Path) -> Result<PathBuf> {
    let mut reasons = Vec::new();
    for origin in origins {
        match origin.fetch(number, folder) {
            Ok(archive) => return Ok(archive),
            Err(error) => reasons.push(format!("{error:#}")),
        }
    }
    bail!("the sources of OCaml {number} are not to be had:\n{}", reasons.join("\n"))
}

/// Unpacks to `tree`, which does not exist, the archive that `fetch` puts into a folder.
pub fn unpack_with(tree: &Path, fetch: impl FnOnce(&Path) -> Result<PathBuf>) -> Result<()> {
    let parent = tree.parent().context("a tree without a folder")?;
    fs::create_dir_all(parent)?;
    let work = tempfile::Builder::new().prefix("unpacking-").tempdir_in(parent)?;
    let archive = fetch(work.path())?;
    let unpacked = work.path().join("tree");
    fs::create_dir(&unpacked)?;
    let mut tar = Command::new("tar");
    tar.args(["--strip-components=1", "-xf"]).arg(&archive).arg("-C").arg(&unpacked);
    process::run(&mut tar, LIMIT)?.expect_success("tar")?;
    // In one step: an interrupted call leaves no half of a tree.
    fs::rename(&unpacked, tree).with_context(|| format!("cannot make {}", tree.display()))
}

fn npm(version: &str, folder: &Path) -> Result<PathBuf> {
    if env::find("npm").is_none() {
        bail!("no npm on the PATH (on Debian: apt-get install npm)");
    }
    let package = format!("ocaml@{version}");
    let mut command = Command::new("npm");
    command.args(["pack", "--silent", &package]).current_dir(folder);
    let printed = process::run(&mut command, LIMIT)?.expect_success(&format!("npm pack {package}"))?.out();
    let archive = folder.join(printed.lines().last().context("npm pack printed no name")?.trim());
    if !archive.is_file() {
        bail!("npm pack {package} made no {}", archive.display());
    }
    Ok(archive)
}
