//! Copies of built source trees, in which some things are to be built again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process;

/// Copying a tree takes seconds; a slow disk gets some more.
const LIMIT: Duration = Duration::from_secs(600);
/// The folders of the source tree with the units of the native compiler.
pub const COMPILER: &[&str] =
    &["utils", "parsing", "typing", "bytecomp", "file_formats", "lambda", "middle_end", "asmcomp", "driver"];

/// A copy of the built tree, with its times, so that make does not build all of it again.
///
/// # Errors
///
/// Fails if the tree cannot be copied, or if an older copy cannot be removed.
pub fn copy_tree(tree: &Path, to: &Path) -> Result<PathBuf> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    let mut command = Command::new("cp");
    command.arg("-a").arg(tree).arg(to);
    process::run(&mut command, LIMIT)?.expect_success("copying the source tree")?;
    Ok(to.to_path_buf())
}

/// Takes the native code of OCaml's units out of folders and those below, and leaves that of C files alone.
///
/// # Errors
///
/// Fails if a folder cannot be read, or if there was no native code in any.
pub fn remove_native_code(tree: &Path, folders: &[&str]) -> Result<()> {
    let mut removed = 0;
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| tree.join(folder)).collect();
    while let Some(folder) = waiting.pop() {
        for file in files_of(&folder)? {
            if file.is_dir() {
                waiting.push(file);
            } else if file.extension().is_some_and(|extension| extension == "cmx") {
                fs::remove_file(&file)?;
                fs::remove_file(file.with_extension("o"))
                    .with_context(|| format!("no object file beside {}", file.display()))?;
                removed += 1;
            }
        }
        for name in ["stdlib.cmxa", "stdlib.a"] {
            let _ = fs::remove_file(folder.join(name));
        }
    }
    if removed == 0 {
        bail!("no native code in {folders:?}: nothing would be compiled");
    }
    Ok(())
}

/// Takes away an executable, or the native libraries in a folder.
///
/// # Errors
///
/// Fails if there is no such file, or if it cannot be removed.
pub fn remove_results(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return fs::remove_file(path).with_context(|| format!("no {}", path.display()));
    }
    for file in files_of(path)? {
        if file.extension().is_some_and(|extension| extension == "cmxa" || extension == "a") {
            fs::remove_file(&file)?;
        }
    }
    Ok(())
}

/// The files and folders in a folder, sorted.
///
/// # Errors
///
/// Fails if the folder cannot be read.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    Ok(files)
}
