//! Flambda 1: OCaml's own optimising middle-end of the same version, which no Debian package has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt;
use crate::env::{self, Stock};
use crate::ocaml::Environment;
use crate::source_tree::{self, Kind};

/// Where the build of this version is kept, with its sources.
struct Installation {
    folder: PathBuf,
    environment: Option<Environment>,
}

impl Installation {
    fn of(stock: &Stock) -> Result<Installation> {
        let environment = Environment::holding(stock)?;
        let folder = match &environment {
            Some(environment) => environment.flambda1(),
            None => env::cache("flambda1")?,
        };
        Ok(Installation { folder, environment })
    }

    fn prefix(&self) -> PathBuf {
        self.folder.join("install")
    }

    fn executable(&self) -> PathBuf {
        self.prefix().join("bin/ocamlopt.opt")
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join(".installed")
    }

    /// What the stamp holds. The compiler knows its own path: one that was moved doesn't find its library.
    fn identity(&self, stock: &Stock) -> String {
        format!("{} {}", stock.version, self.prefix().display())
    }

    fn is_built(&self, stock: &Stock) -> bool {
        fs::read_to_string(self.stamp()).is_ok_and(|built| built == self.identity(stock))
    }

    /// A tree of its own: that of the other commands is built without Flambda.
    fn unpack(&self, stock: &Stock) -> Result<PathBuf> {
        let Some(environment) = &self.environment else {
            let tree = apt::source("ocaml", &self.folder)?;
            if version_of(&tree)? != stock.version {
                bail!("apt-get source does not give OCaml {}", stock.version);
            }
            return Ok(tree);
        };
        let tree = self.folder.join("source");
        if tree.exists() {
            fs::remove_dir_all(&tree)?;
        }
        environment.unpack(&tree)?;
        Ok(tree)
    }
}

fn version_of(tree: &Path) -> Result<String> {
    let text = fs::read_to_string(tree.join("VERSION"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Its `ocamlopt.opt`, if that was built before.
///
/// # Errors
///
/// Fails if the folder of the cache cannot be made.
pub fn built(stock: &Stock) -> Result<Option<PathBuf>> {
    let installation = Installation::of(stock)?;
    Ok(installation.is_built(stock).then(|| installation.executable()))
}

/// Its `ocamlopt.opt`. Built at the first use.
///
/// # Errors
///
/// Fails if the sources cannot be had, or if the build fails.
pub fn compiler(stock: &Stock) -> Result<PathBuf> {
    let installation = Installation::of(stock)?;
    let compiler = installation.executable();
    if installation.is_built(stock) {
        return Ok(compiler);
    }
    println!("building OCaml {} with Flambda 1 (once; some minutes)", stock.version);
    let tree = installation.unpack(stock)?;
    let flags = installation.environment.as_ref().map_or(&[][..], Environment::configuration);
    source_tree::build(&tree, Kind::Flambda1, Some(&installation.prefix()), flags)?;
    if env::line_of(Command::new(&compiler).args(["-config-var", "flambda"]))? != "true" {
        bail!("{} is not Flambda", compiler.display());
    }
    fs::write(installation.stamp(), installation.identity(stock))
        .context("cannot write the stamp of Flambda 1")?;
    Ok(compiler)
}
