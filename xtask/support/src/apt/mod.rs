//! Debian's packages and their sources.

pub mod suite;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::{env, process};

/// The file of ours that gives the sources of the packages that the machine already takes from its mirrors.
const OURS: &str = "/etc/apt/sources.list.d/flambeau-sources";
const LIMIT: Duration = Duration::from_secs(1800);

/// Those of `packages` that are not installed.
#[must_use]
pub fn missing<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    packages
        .iter()
        .copied()
        .filter(|package| {
            let status = Command::new("dpkg-query")
                .args(["--show", "--showformat=${db:Status-Status}", package])
                .output();
            !status.is_ok_and(|output| output.status.success() && output.stdout == b"installed")
        })
        .collect()
}

/// The packages that this release of Debian has: of each of `wanted`, the first name that it knows.
///
/// # Errors
///
/// Fails if `apt-get update` fails, or if Debian has none of the names of a package.
pub fn choose<'a>(wanted: &[&[&'a str]]) -> Result<Vec<&'a str>> {
    let known = |names: &[&'a str]| names.iter().copied().find(|name| is_known(name));
    // A fresh machine knows none.
    if wanted.iter().any(|names| known(names).is_none()) {
        apt_get(&["update"])?;
    }
    wanted
        .iter()
        .map(|names| known(names).with_context(|| format!("Debian has no package {}", names.join(" or "))))
        .collect()
}

/// Whether apt's lists have a package of this name that can be installed.
fn is_known(package: &str) -> bool {
    let output = Command::new("apt-cache").args(["show", "--no-all-versions", package]).output();
    output.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"Package:"))
}

/// Installs those of `packages` that are not there yet.
///
/// # Errors
///
/// Fails if `apt-get` cannot install a package, even with new lists.
pub fn install(packages: &[&str]) -> Result<()> {
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    println!("installing {}", missing.join(" "));
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(&missing);
    // The lists of a fresh machine are empty or old: fetch them only when they are at fault.
    if apt_get(&arguments).is_err() {
        apt_get(&["update"])?;
        apt_get(&arguments)
            .with_context(|| format!("install these packages by hand: {}", missing.join(" ")))?;
    }
    Ok(())
}

/// The words for apt-get that install what the build of a source package needs, but for its tests and its
/// documentation. Nothing may be removed for it.
fn words_of_build_dependencies(name: &str) -> [&str; 7] {
    [
        "build-dep",
        "--yes",
        "--no-remove",
        "--no-install-recommends",
        "--arch-only",
        "--build-profiles=nocheck,nodoc",
        name,
    ]
}

/// Whether all that the build of a source package needs is there. A simulation, which needs neither root's rights nor
/// that nobody else installs anything.
///
/// # Errors
///
/// Fails if `apt-get` cannot be run.
pub fn has_build_dependencies(name: &str) -> Result<bool> {
    let mut command = Command::new("apt-get");
    command.arg("--simulate").args(words_of_build_dependencies(name));
    let simulation = process::run(&mut command, LIMIT)?;
    Ok(simulation.exit.is_success() && !simulation.out().lines().any(|line| line.starts_with("Inst ")))
}

/// Installs what the build of a source package needs.
///
/// # Errors
///
/// Fails if `apt-get` cannot install what is missing, even with new lists.
pub fn build_dependencies(name: &str) -> Result<()> {
    if has_build_dependencies(name)? {
        return Ok(());
    }
    let words = words_of_build_dependencies(name);
    if apt_get(&words).is_err() {
        allow_sources()?;
        apt_get(&["update"])?;
        apt_get(&words).with_context(|| format!("what the build of {name} needs is not to be had"))?;
    }
    Ok(())
}

/// Unpacks the source package `name` below `folder` with Debian's patches, and returns the unpacked folder.
/// A folder that an earlier call made is used again.
///
/// # Errors
///
/// Fails if `apt-get` does not have the source package, or if it cannot be unpacked.
pub fn source(name: &str, folder: &Path) -> Result<PathBuf> {
    let target = folder.join(name);
    let done = target.join(".unpacked");
    if let Ok(unpacked) = fs::read_to_string(&done) {
        return Ok(target.join(unpacked.trim()));
    }
    install(&["dpkg-dev"])?;
    // What an interrupted call left behind would be taken for the package's own files.
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    fs::create_dir_all(&target)?;
    if fetch(name, &[], &target).is_err() {
        allow_sources()?;
        apt_get(&["update"])?;
        // Some mirrors have the archives of a package's authors and not Debian's patches.
        if let Err(error) = fetch(name, &[], &target) {
            fetch_archive(name, &target).map_err(|_| error)?;
        }
    }
    let unpacked = fs::read_dir(&target)?
        .filter_map(Result::ok)
        .find(|entry| entry.path().is_dir())
        .with_context(|| format!("apt-get source {name} unpacked nothing"))?
        .file_name();
    fs::write(&done, unpacked.to_string_lossy().as_bytes())?;
    Ok(target.join(unpacked))
}

/// Has apt fetch a source package into a folder, and unpack it unless the options say otherwise.
fn fetch(name: &str, options: &[&str], target: &Path) -> Result<()> {
    process::run(
        Command::new("apt-get")
            // As root, apt fetches as a user of its own, who may not write into our folder.
            .args(["-o", "APT::Sandbox::User=root", "source"])
            .args(options)
            .arg(name)
            .current_dir(target),
        LIMIT,
    )?
    .expect_success(&format!("apt-get source {name}"))?;
    Ok(())
}

/// Fetches and unpacks the archive of a package's authors alone.
fn fetch_archive(name: &str, target: &Path) -> Result<()> {
    fetch(name, &["--tar-only"], target)?;
    let archive = fs::read_dir(target)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().contains(".orig.tar."))
        .with_context(|| format!("apt-get source --tar-only {name} fetched nothing"))?;
    process::run(Command::new("tar").arg("-xf").arg(archive).current_dir(target), LIMIT)?
        .expect_success("tar")?;
    Ok(())
}

/// Makes apt know the source packages of every archive that it takes Debian's binary packages from.
fn allow_sources() -> Result<()> {
    let files = files_of_sources(Path::new("/etc/apt"));
    for extension in ["list", "sources"] {
        let ours = format!("{OURS}.{extension}");
        let mut text = String::new();
        for file in &files {
            if file.extension().is_some_and(|found| found == extension) && file.as_path() != Path::new(&ours)
            {
                let content =
                    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
                text.push_str(&if extension == "list" {
                    sources_of_list(&content)
                } else {
                    sources_of_stanzas(&content)
                });
            }
        }
        if !text.is_empty() {
            write_as_root(Path::new(&ours), &text)?;
        }
    }
    Ok(())
}

/// The files that list apt's sources, in `apt`, its folder of settings. Newer installations have no `sources.list`.
fn files_of_sources(apt: &Path) -> Vec<PathBuf> {
    let list = apt.join("sources.list");
    let mut files: Vec<_> = fs::read_dir(apt.join("sources.list.d"))
        .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
        .unwrap_or_default();
    if list.exists() {
        files.push(list);
    }
    files.sort();
    files
}

/// The lines of the old one-line format, for sources.
fn sources_of_list(list: &str) -> String {
    list.lines()
        .filter_map(|line| line.trim_start().strip_prefix("deb "))
        .map(|rest| format!("deb-src {rest}\n"))
        .collect()
}

/// The stanzas of the newer format, for sources; none for those that give sources already.
fn sources_of_stanzas(stanzas: &str) -> String {
    let mut result = String::new();
    for stanza in stanzas.split("\n\n") {
        let lines: Vec<&str> =
            stanza.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
        let types = lines.iter().find_map(|line| line.strip_prefix("Types:")).unwrap_or_default();
        let has = |wanted: &str| types.split_whitespace().any(|kind| kind == wanted);
        if !has("deb") || has("deb-src") {
            continue;
        }
        for line in lines {
            // A source package is for every architecture.
            if line.starts_with("Types:") {
                result.push_str("Types: deb-src\n");
            } else if !line.starts_with("Architectures:") {
                result.push_str(line);
                result.push('\n');
            }
        }
        result.push('\n');
    }
    result
}

fn write_as_root(file: &Path, text: &str) -> Result<()> {
    println!("writing {}", file.display());
    if fs::write(file, text).is_ok() {
        return Ok(());
    }
    let mut temporary = tempfile::NamedTempFile::new()?;
    std::io::Write::write_all(&mut temporary, text.as_bytes())?;
    let mut command = as_root("install")?;
    command.args(["-m", "644"]).arg(temporary.path()).arg(file);
    process::run_visible(&mut command)
}

/// A command with root's rights: as it is, or through sudo.
fn as_root(program: &str) -> Result<Command> {
    if rustix::process::geteuid().is_root() {
        return Ok(Command::new(program));
    }
    if env::find("sudo").is_none() {
        bail!(
            "{program} needs root's rights: run this as root, install sudo, or install the packages by hand"
        );
    }
    let mut command = Command::new("sudo");
    command.arg(program);
    Ok(command)
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = as_root("env")?;
    // Who else installs something is waited for.
    command
        .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2", "-oDPkg::Lock::Timeout=600"])
        .args(arguments);
    process::run(&mut command, LIMIT)?.expect_success(&format!("apt-get {}", arguments.join(" ")))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_may_have_no_sources_list() {
        let apt = tempfile::tempdir().unwrap();
        assert!(files_of_sources(apt.path()).is_empty());
        let stanzas = apt.path().join("sources.list.d").join("debian.sources");
        fs::create_dir(stanzas.parent().unwrap()).unwrap();
        fs::write(&stanzas, "").unwrap();
        assert_eq!(files_of_sources(apt.path()), std::slice::from_ref(&stanzas));
        let list = apt.path().join("sources.list");
        fs::write(&list, "").unwrap();
        assert_eq!(files_of_sources(apt.path()), [list, stanzas]);
    }

    #[test]
    fn one_line_entries_become_source_entries() {
        let list = "# deb x y\ndeb [signed-by=/k] scheme:/place suite main\ndeb-src a b\n";
        assert_eq!(sources_of_list(list), "deb-src [signed-by=/k] scheme:/place suite main\n");
    }

    #[test]
    fn stanzas_become_source_stanzas() {
        let stanzas = "# note\nTypes: deb\nURIs: u\nSuites: s\nArchitectures: amd64\n\nTypes: deb-src\nURIs: v\n\nTypes: deb deb-src\nURIs: w\n";
        assert_eq!(sources_of_stanzas(stanzas), "Types: deb-src\nURIs: u\nSuites: s\n\n");
    }
}
