//! `flambeau run FILE.ml [ARGUMENTS]`: compiles a program of one file in a temporary folder and runs it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result};

/// Compiles and runs; gives the program's exit status, or that of the compilation if it fails.
pub fn run(source: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    let folder = tempfile::tempdir().context("making a temporary folder")?;
    let name = source.file_name().with_context(|| format!("{} is not a file", source.display()))?;
    let copy = folder.path().join(name);
    let text = fs::read(source).with_context(|| format!("reading {}", source.display()))?;
    // Messages are to name the source as the command line does.
    let mut contents = format!("# 1 {:?}\n", source.display().to_string()).into_bytes();
    contents.extend(text);
    fs::write(&copy, contents).with_context(|| format!("writing {}", copy.display()))?;

    let program = folder.path().join("program");
    let flambeau = std::env::current_exe().context("finding the path of flambeau itself")?;
    let compilation = Command::new(&flambeau)
        .args(["-g", "-o"])
        .arg(&program)
        .arg(&copy)
        .status()
        .with_context(|| format!("running {}", flambeau.display()))?;
    if !compilation.success() {
        return Ok(exit_code(compilation));
    }
    let status = Command::new(&program).args(arguments).status().context("running the program")?;
    Ok(exit_code(status))
}

/// The exit status as the shell reports it: 128 plus the signal's number for a program that a signal ended.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(code as u8)
}
