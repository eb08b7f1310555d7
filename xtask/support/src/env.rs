//! Where things are: the repository, the target folder, the compilers.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::ocaml::{self, bounds::Bounds};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let support = Path::new(env!("CARGO_MANIFEST_DIR"));
    let support = fs::canonicalize(support).unwrap_or_else(|_| support.to_path_buf());
    support.ancestors().nth(2).unwrap_or(&support).to_path_buf()
}

/// Cargo's target folder.
#[must_use]
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The target folder of all versions of OCaml together: where a version has its own, that is in it.
#[must_use]
pub fn shared_target() -> PathBuf {
    let own = target();
    match own.parent() {
        Some(shared) if ocaml::is_switched() => shared.to_path_buf(),
        _ => own,
    }
}

/// A folder below the target folder for what is costly to make again; made when it is missing.
///
/// It may be a link to that of another target folder: trees that know their own path are found by their true one.
///
/// # Errors
///
/// Fails if the folder cannot be made.
pub fn cache(name: &str) -> Result<PathBuf> {
    let folder = target().join("cache").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::canonicalize(&folder).with_context(|| format!("no {}", folder.display()))
}

/// The compiler that is named by `FLAMBEAU`, when one replaces our own.
pub fn stand_in() -> Option<PathBuf> {
    env::var_os("FLAMBEAU").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder that `flambeau toolchain` makes for what is under test.
#[must_use]
pub fn toolchain() -> PathBuf {
    target().join("toolchain")
}

/// The executable under test, with its library.
///
/// # Errors
///
/// Fails if there is no such file.
pub fn flambeau() -> Result<PathBuf> {
    let path = stand_in().unwrap_or_else(|| toolchain().join("bin/flambeau"));
    fs::canonicalize(&path).with_context(|| format!("no flambeau at {}", path.display()))
}

/// The executable called `name` that the PATH leads to.
#[must_use]
pub fn find(name: &str) -> Option<PathBuf> {
    let path: OsString = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The stock compilers that flambeau is compared with.
#[derive(Clone)]
pub struct Stock {
    /// Bytecode compiler.
    pub ocamlc: PathBuf,
    /// Native compiler.
    pub ocamlopt: PathBuf,
    /// What `ocamlopt -version` prints.
    pub version: String,
    /// The standard library's folder.
    pub library: PathBuf,
}

impl Stock {
    /// The linker's name of what a unit defines, up to the number that the compiler appends.
    ///
    /// # Errors
    ///
    /// Fails if the version of the compiler is not a version of OCaml.
    pub fn symbol(&self, unit: &str, name: &str) -> Result<String> {
        let separator = if Bounds::parse(">= 5.1")?.hold(&self.version)? { "." } else { "__" };
        Ok(format!("caml{unit}{separator}{name}"))
    }

    /// The compilers of the PATH; the native-code builds of them, which are faster, when they are there.
    ///
    /// # Errors
    ///
    /// Fails if there is no compiler on the PATH, or if it does not run.
    pub fn find() -> Result<Stock> {
        let tool = |name: &str| {
            find(&format!("{name}.opt"))
                .or_else(|| find(name))
                .with_context(|| format!("no {name} on the PATH: run `cargo xtask setup`"))
        };
        Stock::of(&tool("ocamlopt")?, &tool("ocamlc")?)
    }

    /// Two compilers of the same installation.
    ///
    /// # Errors
    ///
    /// Fails if `ocamlopt` cannot be asked for its version and its library.
    pub fn of(ocamlopt: &Path, ocamlc: &Path) -> Result<Stock> {
        let version = line_of(Command::new(ocamlopt).arg("-version"))?;
        let library = PathBuf::from(line_of(Command::new(ocamlopt).arg("-where"))?);
        Ok(Stock { ocamlc: ocamlc.to_path_buf(), ocamlopt: ocamlopt.to_path_buf(), version, library })
    }
}

/// The output of a command that prints one line.
///
/// # Errors
///
/// Fails if the command cannot be run, or if its exit code is not 0.
pub fn line_of(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// All files of a folder and of those below it; links are not followed.
///
/// # Errors
///
/// Fails if a folder cannot be read.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    Ok(files)
}
