//! `flambeau toolchain DIR`: a folder whose `bin`, put first on the PATH, makes build tools use flambeau as
//! ocamlopt, with nothing else changed.
//!
//! The executable is copied there, with a library: so the folder depends on nothing that a clean build removes, and a
//! build tool that compares the compiler's file sees any change of what the compiler knows.
//!
//! * make finds `ocamlopt` on the PATH.
//! * dune takes the `ocamlopt` beside the `ocamlc` that it finds: so there are links to all the other tools.
//! * ocamlfind may have the path of `ocamlopt` in its configuration: so there is a wrapper that overrides it.
//! * ocamlbuild has the path of `ocamlopt` in it from when it was built: so there is a wrapper that passes ours.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::library;

/// The executable itself.
const OWN: &str = "flambeau";

/// The tools that flambeau replaces.
const OURS: &[&str] = &["ocamlopt", "ocamlopt.opt"];

/// The tools of OCaml that get no link.
const LEFT_OUT: &[&str] = &["ocamlopt.byte", "ocamlfind", "ocamlbuild", "ocamlbuild.native"];

/// Makes the folder, or brings it up to date.
///
/// # Errors
/// When something can't be written, or the OCaml on the PATH is not the version that flambeau was built with.
pub fn make(folder: &Path) -> Result<()> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("making {}", bin.display()))?;
    let bin = bin.canonicalize().with_context(|| format!("finding {}", bin.display()))?;

    let stock = find_on_path("ocamlc", &bin).context(
        "no ocamlc on the PATH: the OCaml that flambeau was built with must be installed (on Debian: \
         apt-get install ocaml-nox)",
    )?;
    check_version(&stock)?;
    // A folder of an earlier version has a link there.
    let own = bin.join(OWN);
    if own.is_symlink() {
        remove(&own)?;
    }
    library::install(&own, false)?;
    for name in OURS {
        link(Path::new(OWN), &bin.join(name))?;
    }
    let stock_folder = stock.parent().context("ocamlc is in no folder")?;
    link_tools(stock_folder, &bin)?;
    if let Some(ocamlfind) = find_on_path("ocamlfind", &bin) {
        write_ocamlfind_wrapper(&ocamlfind, &bin)?;
    }
    if let Some(ocamlbuild) = find_on_path("ocamlbuild", &bin) {
        write_ocamlbuild_wrapper(&ocamlbuild, &bin)?;
    }
    println!("To use it: export PATH=\"{}:$PATH\"", bin.display());
    println!(
        "In a dune project, `flambeau init` writes that down; `flambeau doctor` looks whether it is used."
    );
    Ok(())
}

/// What flambeau compiles is linked with the library of the OCaml that it was built with, and read by the tools of
/// that.
fn check_version(ocamlc: &Path) -> Result<()> {
    let version = |program: &Path| -> Result<String> {
        let output = Command::new(program)
            .arg("-version")
            .output()
            .with_context(|| format!("running {}", program.display()))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    let (ours, theirs) = (version(&own)?, version(ocamlc)?);
    if ours != theirs {
        bail!(
            "this flambeau was built for OCaml {ours}, but {} is of OCaml {theirs}: put OCaml {ours} first on the PATH, or \
             build flambeau with the other (FLAMBEAU_OCAMLFIND chooses it)",
            ocamlc.display()
        );
    }
    Ok(())
}

/// Links the tools of OCaml that are not ours.
fn link_tools(stock_folder: &Path, bin: &Path) -> Result<()> {
    let entries =
        fs::read_dir(stock_folder).with_context(|| format!("reading {}", stock_folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(text) = name.to_str() else { continue };
        let is_tool = text.starts_with("ocaml") && !OURS.contains(&text) && !LEFT_OUT.contains(&text);
        if is_tool && is_executable(&entry.path()) {
            link(&entry.path(), &bin.join(&name))?;
        }
    }
    Ok(())
}

/// Makes `new` a symbolic link to `target`, whatever it was before.
fn link(target: &Path, new: &Path) -> Result<()> {
    remove(new)?;
    symlink(target, new).with_context(|| format!("linking {} to {}", new.display(), target.display()))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The program of that name on the PATH, outside of `except`.
pub fn find_on_path(name: &str, except: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.canonicalize().is_ok_and(|folder| folder != except))
        .map(|folder| folder.join(name))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Writes an `ocamlfind` which calls the stock one with our ocamlopt.
fn write_ocamlfind_wrapper(ocamlfind: &Path, bin: &Path) -> Result<()> {
    let script = format!(
        "# Written by `flambeau toolchain`: ocamlfind with flambeau as ocamlopt.\n\
         OCAMLFIND_COMMANDS=\"ocamlopt={} ${{OCAMLFIND_COMMANDS:-}}\"\n\
         export OCAMLFIND_COMMANDS\n\
         exec {} \"$@\"\n",
        plain(&bin.join("ocamlopt"))?,
        quoted(ocamlfind)?,
    );
    write_script(&bin.join("ocamlfind"), &script)
}

/// Writes an `ocamlbuild` which calls the stock one with our ocamlopt; with `-use-ocamlfind` it calls the `ocamlfind`
/// on the PATH, which is ours too. What the user passes comes later and holds.
fn write_ocamlbuild_wrapper(ocamlbuild: &Path, bin: &Path) -> Result<()> {
    let script = format!(
        "# Written by `flambeau toolchain`: ocamlbuild with flambeau as ocamlopt.\n\
         case \" $* \" in\n\
         *' -use-ocamlfind '*) exec {0} \"$@\" ;;\n\
         *) exec {0} -ocamlopt {1} \"$@\" ;;\n\
         esac\n",
        quoted(ocamlbuild)?,
        quoted(&bin.join("ocamlopt"))?,
    );
    write_script(&bin.join("ocamlbuild"), &script)
}

/// Writes a script of the shell in place of what was there.
fn write_script(path: &Path, text: &str) -> Result<()> {
    remove(path)?;
    fs::write(path, format!("#!/bin/sh\n{text}")).with_context(|| format!("writing {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("making {} executable", path.display()))
}

/// A path that stands in double quotes and in a list separated by blanks.
fn plain(path: &Path) -> Result<&str> {
    match path.to_str() {
        Some(text) if !text.contains(|c: char| c.is_whitespace() || "\"$`\\=".contains(c)) => Ok(text),
        _ => bail!(
            "{}: ocamlfind can't be given a path with blanks or quotes; choose another folder",
            path.display()
        ),
    }
}

/// A path, quoted for the shell.
fn quoted(path: &Path) -> Result<String> {
    let text = path.to_str().with_context(|| format!("{} is not text", path.display()))?;
    Ok(format!("'{}'", text.replace('\'', "'\\''")))
}
