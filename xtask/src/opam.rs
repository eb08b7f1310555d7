//! What of an opam file the other commands need: its version, and the commands that build and install.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// An opam package.
#[derive(Debug, PartialEq, Eq)]
pub struct Package {
    pub version: String,
    /// The commands that build the package, each in words.
    pub build: Vec<Vec<String>>,
    /// The commands that install the package, each in words.
    pub install: Vec<Vec<String>>,
}

impl Package {
    /// Reads a package's file.
    pub fn read(file: &Path) -> Result<Package> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Package::parse(&text).with_context(|| format!("cannot understand {}", file.display()))
    }

    fn parse(text: &str) -> Result<Package> {
        let version = text
            .lines()
            .find_map(|line| line.strip_prefix("version:"))
            .context("no version")?
            .trim()
            .trim_matches('"')
            .to_owned();
        Ok(Package { version, build: commands(text, "build")?, install: commands(text, "install")? })
    }
}

/// The commands of a field, each a line with its words between quotes. Filters are not understood.
fn commands(text: &str, field: &str) -> Result<Vec<Vec<String>>> {
    let start = format!("{field}: [");
    let mut lines = text.lines().skip_while(|line| *line != start).skip(1);
    let mut found = Vec::new();
    loop {
        let line =
            lines.next().with_context(|| format!("the field {field} has no end, or is missing"))?.trim();
        if line == "]" {
            return Ok(found);
        }
        if line.starts_with('#') {
            continue;
        }
        let Some(words) = line.strip_prefix("[\"").and_then(|line| line.strip_suffix("\"]")) else {
            bail!("not a command: {line}");
        };
        found.push(words.split("\" \"").map(str::to_owned).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() -> Result<()> {
        let text = "version: \"1.2\"\nbuild: [\n  [\"a\" \"b c\"]\n  # why\n  [\"d\"]\n]\ninstall: [\n]\n";
        let package = Package::parse(text)?;
        assert_eq!((package.version.as_str(), package.install.len()), ("1.2", 0));
        assert_eq!(package.build, [vec!["a", "b c"], vec!["d"]]);
        assert!(Package::parse("version: \"1\"\nbuild: [\n  [\"a\"] {os}\n]\ninstall: [\n]\n").is_err());
        assert!(Package::parse("version: \"1\"\nbuild: [\n").is_err());
        Ok(())
    }

    #[test]
    fn the_package_has_the_version_of_the_workspace() -> Result<()> {
        let package = Package::read(&xtask_support::env::root().join("flambeau.opam"))?;
        assert_eq!(package.version, env!("CARGO_PKG_VERSION"));
        assert!(!package.build.is_empty() && !package.install.is_empty());
        Ok(())
    }
}
