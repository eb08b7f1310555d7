//! `cargo xtask setup`: from a bare machine to a toolchain folder with a flambeau that knows the standard library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::env::Stock;
use crate::{apt, env, process, shell};

/// What building and using flambeau takes. OCaml's compiler as a library has another name since Debian 13, where the
/// compiler compresses its interfaces and needs zstd for it.
const PACKAGES: &[&[&str]] = &[
    &["ocaml"],
    &["libcompiler-libs-ocaml-dev", "ocaml-compiler-libs"],
    &["ocaml-findlib"],
    &["gcc"],
    &["binutils"],
    &["make"],
];

/// The variable by which `crates/flambeau/build.rs` is told of the flambeau that compiles the OCaml side; if the user
/// sets it, to nothing for the stock compiler, no other is built.
pub const BOOTSTRAP: &str = "FLAMBEAU_BOOTSTRAP";

/// How long `flambeau toolchain` may take, which looks through the standard library.
const TOOLCHAIN_LIMIT: Duration = Duration::from_secs(600);

/// The executables by which we know that all of that is there, whoever installed it.
const TOOLS: &[&str] = &["ocamlopt", "ocamlc", "ocamlfind", "gcc", "as", "make"];

/// How flambeau is built: the profiles of that name in `Cargo.toml`. What flambeau makes is the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As users get it.
    Release,
    /// Without link-time optimisation, which takes minutes.
    Quick,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Quick => "quick",
        }
    }
}

/// Installs what is missing, builds flambeau as users get it, and makes a toolchain folder with it.
///
/// # Errors
///
/// Fails if tools are missing and cannot be installed, or if flambeau cannot be built.
pub fn run() -> Result<()> {
    run_with(Profile::Release)
}

/// As [`run`], built by a profile.
///
/// # Errors
///
/// As those of [`run`].
pub fn run_with(profile: Profile) -> Result<()> {
    tools()?;
    if let Some(compiler) = env::stand_in() {
        println!("testing {} (FLAMBEAU is set)", compiler.display());
        return Ok(());
    }
    let earlier = match std::env::var_os(BOOTSTRAP) {
        Some(chosen) => PathBuf::from(chosen),
        None => first_stage()?,
    };
    install_toolchain(&build(profile, &earlier)?, &env::toolchain())
}

/// Builds flambeau, its OCaml side by an earlier flambeau, or by the stock compiler if that is an empty path.
fn build(profile: Profile, earlier: &Path) -> Result<PathBuf> {
    let target = match profile {
        Profile::Release => env::target(),
        // All versions of OCaml share the Rust part there; each executable replaces the one before.
        Profile::Quick => env::shared_target(),
    };
    let mut build = cargo();
    build.args(["build", "--package", "flambeau", "--profile", profile.name()]);
    process::run_visible(build.env(BOOTSTRAP, earlier).env("CARGO_TARGET_DIR", &target))?;
    Ok(target.join(profile.name()).join("flambeau"))
}

/// A flambeau whose OCaml side the stock compiler compiled, to compile that of the one under test.
fn first_stage() -> Result<PathBuf> {
    let toolchain = first_stage_toolchain(&Stock::find()?.version);
    install_toolchain(&build(Profile::Quick, Path::new(""))?, &toolchain)?;
    Ok(toolchain.join("bin/flambeau"))
}

/// The flambeau that compiled the OCaml side of the one under test, if one did.
///
/// # Errors
///
/// Fails if there is no OCaml.
pub fn bootstrap() -> Result<Option<PathBuf>> {
    match std::env::var_os(BOOTSTRAP) {
        Some(path) if path.is_empty() => Ok(None),
        Some(path) => Ok(Some(env::root().join(path))),
        None => {
            let flambeau = first_stage_toolchain(&Stock::find()?.version).join("bin/flambeau");
            Ok(Some(flambeau).filter(|flambeau| flambeau.exists()))
        }
    }
}

fn first_stage_toolchain(version: &str) -> PathBuf {
    env::shared_target().join("first-stage").join(version)
}

fn install_toolchain(flambeau: &Path, folder: &Path) -> Result<()> {
    process::run_visible(Command::new(flambeau).arg("toolchain").arg(folder))
        .context("cannot make a toolchain folder with flambeau")
}

/// Makes flambeau's folder of tools; the folder for the PATH.
///
/// # Errors
///
/// Fails if there is no flambeau, or if `flambeau toolchain` fails.
pub fn make_toolchain(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut command = Command::new(env::flambeau()?);
    command.arg("toolchain").arg(folder);
    process::run(shell::clean(&mut command), TOOLCHAIN_LIMIT)?.expect_success("flambeau toolchain")?;
    Ok(folder.join("bin"))
}

/// Makes sure of the tools that are not ours.
///
/// # Errors
///
/// Fails if a tool is missing and cannot be installed.
pub fn tools() -> Result<()> {
    if all_there() {
        return Ok(());
    }
    if env::find("apt-get").is_none() {
        bail!(
            "needed on the PATH: {}, and OCaml's compiler-libs (Debian: {})",
            TOOLS.join(", "),
            PACKAGES.iter().map(|names| names.join(" or ")).collect::<Vec<_>>().join(", ")
        );
    }
    let packages = apt::choose(PACKAGES)?;
    apt::install(&packages)?;
    if !all_there() {
        bail!(
            "after installing {} these are still not all there: {}, compiler-libs",
            packages.join(" "),
            TOOLS.join(", ")
        );
    }
    Ok(())
}

fn all_there() -> bool {
    let library = || {
        let mut query = Command::new("ocamlfind");
        query.args(["query", "compiler-libs.optcomp"]);
        env::line_of(&mut query).is_ok_and(|folder| Path::new(&folder).is_dir())
    };
    TOOLS.iter().all(|tool| env::find(tool).is_some()) && library()
}

/// Cargo, in the repository's root.
#[must_use]
pub fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(env::root());
    command
}
