//! `flambeau run [FLAGS] FILE.ml [ARGUMENTS]`: compiles a program of one file in a temporary folder and runs it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result};

/// The flags of the compiler, the source, and the arguments of the program: the source is the first word that ends in
/// `.ml`, or else the first that is no flag.
fn split(words: &[OsString]) -> Option<(&[OsString], &Path, &[OsString])> {
    let ends_in_ml = |word: &OsString| Path::new(word).extension().is_some_and(|extension| extension == "ml");
    let is_flag = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let at = words.iter().position(ends_in_ml).or_else(|| words.iter().position(|word| !is_flag(word)))?;
    Some((&words[..at], Path::new(&words[at]), &words[at + 1..]))
}

/// Compiles and runs; gives the program's exit status, or that of the compilation if it fails.
///
/// # Errors
/// When no word is a source, it can't be read, or the compiler or the program can't be run.
pub fn run(words: &[OsString]) -> Result<ExitCode> {
    let (flags, source, arguments) =
        split(words).context("no source: flambeau run [FLAGS] FILE.ml [ARGUMENTS]")?;
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
        .arg("-g")
        .args(flags)
        .arg("-o")
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
pub fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(code as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_before_the_source() {
        let parts = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            split(&words).map(|(flags, source, rest)| (flags.len(), source.to_owned(), rest.len()))
        };
        assert_eq!(parts("x.ml"), Some((0, "x.ml".into(), 0)));
        assert_eq!(parts("-O3 -I lib str.cmxa x.ml -v y.ml"), Some((4, "x.ml".into(), 2)));
        assert_eq!(parts("-O3 program 1 2"), Some((1, "program".into(), 2)));
        assert_eq!(parts("-O3"), None);
    }
}
