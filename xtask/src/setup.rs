//! `cargo xtask setup`: from a bare machine to a toolchain folder with a flambeau that knows the standard library.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{apt, env, process};

/// What building and using flambeau takes. OCaml's compiler as a library has another name since Debian 13, where the compiler
/// compresses its interfaces and needs zstd for it.
const PACKAGES: &[&[&str]] = &[
    &["ocaml"],
    &["libcompiler-libs-ocaml-dev", "ocaml-compiler-libs"],
    &["ocaml-findlib"],
    &["gcc"],
    &["binutils"],
    &["make"],
];

/// The executables by which we know that all of that is there, whoever installed it.
const TOOLS: &[&str] = &["ocamlopt", "ocamlc", "ocamlfind", "gcc", "as", "make"];

/// Installs what is missing, builds flambeau, and makes a toolchain folder with it.
pub fn run() -> Result<()> {
    tools()?;
    if let Some(compiler) = env::stand_in() {
        println!("testing {} (FLAMBEAU is set)", compiler.display());
        return Ok(());
    }
    process::run_visible(cargo().args(["build", "--release", "--package", "flambeau"]))?;
    let built = env::target().join("release/flambeau");
    process::run_visible(Command::new(built).arg("toolchain").arg(env::toolchain()))
        .context("cannot make a toolchain folder with flambeau")
}

/// Makes sure of the tools that are not ours.
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
pub fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(env::root());
    command
}
