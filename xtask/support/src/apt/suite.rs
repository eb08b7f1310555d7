//! Sources of another Debian suite than the machine's, from the mirrors that the machine uses. What apt knows and has
//! installed stays as it is: these are settings and lists of their own.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{LIMIT, files_of_sources, install};
use crate::{env, process};

/// A suite whose lists of source packages are fetched.
pub struct Suite {
    name: String,
    settings: PathBuf,
}

impl Suite {
    /// Fetches the lists, unless that was done less than a day ago.
    ///
    /// # Errors
    ///
    /// Fails if there is no `apt-get`, or if it cannot fetch the lists.
    pub fn ready(name: &str) -> Result<Suite> {
        if env::find("apt-get").is_none() {
            bail!("the sources are in Debian's suite {name}, and there is no apt-get on the PATH");
        }
        install(&["dpkg-dev", "debian-archive-keyring"])?;
        let folder = env::cache("suites")?.join(name);
        fs::create_dir_all(folder.join("lists/partial"))?;
        let (list, settings) = (folder.join("suite.sources"), folder.join("apt.conf"));
        fs::write(&list, entries(name)?)?;
        let path = folder.display();
        // As root, apt would fetch as a user of its own, who may not write into our folder.
        fs::write(
            &settings,
            format!(
                "Dir::Etc::sourcelist \"{path}/suite.sources\";\nDir::Etc::sourceparts \"/dev/null\";\n\
                 Dir::State::lists \"{path}/lists\";\nDir::Cache \"{path}\";\nAPT::Sandbox::User \"root\";\n"
            ),
        )?;
        let suite = Suite { name: name.to_owned(), settings };
        let stamp = folder.join(".fetched");
        let is_fresh = fs::metadata(&stamp)
            .and_then(|data| data.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|age| age.as_secs() < 24 * 3600));
        if !is_fresh {
            process::run(suite.apt("apt-get").args(["--quiet=2", "update"]), LIMIT)?
                .expect_success(&format!("apt-get update for Debian's suite {name}"))?;
            fs::write(&stamp, "")?;
        }
        Ok(suite)
    }

    /// Fetches the archive of a package's authors into a folder: that of this version, however often Debian changed its
    /// own part.
    ///
    /// # Errors
    ///
    /// Fails if the suite does not have this version of the package, or if it cannot be fetched.
    pub fn archive(&self, package: &str, version: &str, folder: &Path) -> Result<PathBuf> {
        let known = process::run(self.apt("apt-cache").args(["showsrc", package]), LIMIT)?
            .expect_success(&format!("apt-cache showsrc {package}"))?
            .out();
        let versions = versions(&known, package);
        let Some(found) = versions.iter().find(|found| upstream(found) == version) else {
            bail!("Debian's suite {} has {package} {}, not {version}", self.name, versions.join(" and "));
        };
        self.fetch(&format!("{package}={found}"), folder)
    }

    /// Fetches the archive of a package's authors into a folder, of the newest version of the suite.
    ///
    /// # Errors
    ///
    /// Fails if the suite does not have the package, or if it cannot be fetched.
    pub fn newest_archive(&self, package: &str, folder: &Path) -> Result<PathBuf> {
        self.fetch(package, folder)
    }

    fn fetch(&self, wanted: &str, folder: &Path) -> Result<PathBuf> {
        let mut command = self.apt("apt-get");
        command.args(["--quiet=2", "source", "--tar-only", wanted]).current_dir(folder);
        process::run(&mut command, LIMIT)?.expect_success(&format!("apt-get source {wanted}"))?;
        fs::read_dir(folder)?
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.to_string_lossy().contains(".orig.tar."))
            .with_context(|| format!("apt-get source {wanted} fetched no archive"))
    }

    fn apt(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", &self.settings);
        command
    }
}

/// The versions of a source package in what `apt-cache showsrc` prints, which also lists packages whose binaries
/// have the name.
fn versions(known: &str, package: &str) -> Vec<String> {
    let field = |stanza: &str, name: &str| {
        stanza.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    };
    known
        .split("\n\n")
        .filter(|stanza| field(stanza, "Package:").as_deref() == Some(package))
        .filter_map(|stanza| field(stanza, "Version:"))
        .collect()
}

/// The authors' part of Debian's version number: without epoch and revision.
fn upstream(version: &str) -> &str {
    let version = version.split_once(':').map_or(version, |(_, rest)| rest);
    version.rsplit_once('-').map_or(version, |(upstream, _)| upstream)
}

/// The entries of another suite for apt: those of the machine's own suite, under the other's name.
fn entries(suite: &str) -> Result<String> {
    let own = codename(&fs::read_to_string("/etc/os-release")?).context("/etc/os-release names no suite")?;
    let mut result = String::new();
    for file in files_of_sources(Path::new("/etc/apt")) {
        let text = || fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()));
        if file.extension().is_some_and(|extension| extension == "sources") {
            result.push_str(&from_stanzas(&text()?, &own, suite));
        } else if file.extension().is_some_and(|extension| extension == "list") {
            result.push_str(&from_list(&text()?, &own, suite));
        }
    }
    if result.is_empty() {
        bail!("apt takes Debian's suite {own} from nowhere: no mirror to take {suite} from");
    }
    Ok(result)
}

fn codename(release: &str) -> Option<String> {
    let value = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?;
    Some(value.trim_matches('"').to_owned())
}

fn from_stanzas(stanzas: &str, own: &str, suite: &str) -> String {
    let mut result = String::new();
    for stanza in stanzas.split("\n\n") {
        let field = |name: &str| {
            stanza.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().split_whitespace()
        };
        let is_own = field("Types:").any(|kind| kind == "deb")
            && field("Suites:").any(|name| name == own)
            && field("Components:").any(|name| name == "main");
        if is_own {
            result.push_str("Types: deb-src\n");
            for line in
                stanza.lines().filter(|line| line.starts_with("URIs:") || line.starts_with("Signed-By:"))
            {
                result.push_str(line);
                result.push('\n');
            }
            let _ = write!(result, "Suites: {suite}\nComponents: main\n\n");
        }
    }
    result
}

fn from_list(list: &str, own: &str, suite: &str) -> String {
    let mut result = String::new();
    for line in list.lines() {
        let Some(rest) = line.trim().strip_prefix("deb ") else { continue };
        // Options between brackets may stand before the address.
        let (options, rest) = match rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            Some((options, rest)) => (options, rest),
            None => ("", rest),
        };
        let mut words = rest.split_whitespace();
        let (Some(address), Some(name)) = (words.next(), words.next()) else { continue };
        if name == own && words.any(|component| component == "main") {
            let _ = write!(result, "Types: deb-src\nURIs: {address}\nSuites: {suite}\nComponents: main\n");
            if let Some(key) = options.split_whitespace().find_map(|option| option.strip_prefix("signed-by="))
            {
                let _ = writeln!(result, "Signed-By: {key}");
            }
            result.push('\n');
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_suite_comes_from_the_same_mirror() {
        let stanzas = "Types: deb\n# a note\nURIs: u\nSuites: own own-updates\nComponents: main\nSigned-By: /k\n\n\
                       Types: deb\nURIs: v\nSuites: own-security\nComponents: main\n\n\
                       Types: deb-src\nURIs: u\nSuites: own\nComponents: main\n";
        assert_eq!(
            from_stanzas(stanzas, "own", "other"),
            "Types: deb-src\nURIs: u\nSigned-By: /k\nSuites: other\nComponents: main\n\n"
        );
        let list = "deb [arch=x signed-by=/k] u own main contrib\ndeb u own-updates main\ndeb v own stable\n# deb w own main\n";
        assert_eq!(
            from_list(list, "own", "other"),
            "Types: deb-src\nURIs: u\nSuites: other\nComponents: main\nSigned-By: /k\n\n"
        );
        assert_eq!(codename("A=1\nVERSION_CODENAME=own\n").as_deref(), Some("own"));
    }

    #[test]
    fn versions_are_those_of_the_source_package() {
        let known = "Package: ocaml\nVersion: 5.4.0-2\n\nPackage: other\nBinary: ocaml\nVersion: 1\n\n\
                     Package: ocaml\nVersion: 1:5.4.1-1+b1\n";
        let versions = versions(known, "ocaml");
        assert_eq!(versions, ["5.4.0-2", "1:5.4.1-1+b1"]);
        assert_eq!(versions.iter().map(|version| upstream(version)).collect::<Vec<_>>(), ["5.4.0", "5.4.1"]);
    }
}
