//! Reports as files: `BASENAME.flambeau-report.json`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::model::{FORMAT, Report, VERSION};

/// The suffix of the names of files with reports.
pub const SUFFIX: &str = ".flambeau-report.json";

/// Why a report could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct Error {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it, and what to do.
    pub cause: Cause,
}

/// What can be wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// The system reported an error.
    #[error("{0}")]
    System(io::Error),
    /// The file is not JSON, or no report of Flambeau.
    #[error("this is no report of Flambeau: {0}; compile with -inlining-report to get one")]
    Foreign(String),
    /// The report has another version of the format.
    #[error("a report of version {0}, where this flambeau reads version {VERSION}: compile the unit again")]
    Version(u64),
    /// The contents are inconsistent.
    #[error("a damaged report ({0}): compile the unit again")]
    Damaged(String),
    /// The folder contains no report.
    #[error("there is no *{SUFFIX} in this folder; compile with -inlining-report to get some")]
    None,
}

/// The beginning of a report.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

/// A report as text.
///
/// # Errors
/// Never for reports from [`Report::new`].
pub fn write(report: &Report) -> Result<String, impl fmt::Display + use<>> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

/// A report from the bytes of a file.
///
/// # Errors
/// When they are none, or are damaged.
pub fn read(bytes: &[u8]) -> Result<Report, Cause> {
    let head: Head = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => Cause::Damaged(error.to_string()),
        _ => Cause::Foreign(error.to_string()),
    })?;
    if head.format != FORMAT {
        return Err(Cause::Foreign(format!("its format is {:?}", head.format)));
    }
    if head.version != u64::from(VERSION) {
        return Err(Cause::Version(head.version));
    }
    serde_json::from_slice(bytes).map_err(|error| Cause::Damaged(error.to_string()))
}

/// The reports of files, and of all files below folders, in the order of their names.
///
/// # Errors
/// When one can't be read, or a folder has none.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Report>, Error> {
    let mut reports = Vec::new();
    for path in paths {
        for file in files(path)? {
            reports.push(load_file(&file)?);
        }
    }
    Ok(reports)
}

fn load_file(path: &Path) -> Result<Report, Error> {
    let failed = |cause| Error { path: path.to_owned(), cause };
    let bytes = std::fs::read(path).map_err(|error| failed(Cause::System(error)))?;
    read(&bytes).map_err(failed)
}

/// The file, or those below the folder whose names say that they are reports.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error| Error { path: folder.clone(), cause: Cause::System(error) };
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // Links to folders are not followed: they may lead back.
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().ends_with(SUFFIX) {
                files.push(entry.path());
            }
        }
    }
    if files.is_empty() {
        return Err(Error { path: path.to_owned(), cause: Cause::None });
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        read(bytes).map(|_| ()).expect_err("refused").to_string()
    }

    #[test]
    fn what_is_no_report_is_refused() {
        assert!(refusal(b"hello").contains("no report of Flambeau"));
        assert!(refusal(b"{\"a\": 1}").contains("no report of Flambeau"));
        assert!(refusal(b"\xff\xfe").contains("no report of Flambeau"));
        assert!(refusal(b"{\"format\": \"other\", \"version\": 1}").contains("its format is \"other\""));
        assert!(refusal(b"{\"format\": \"flambeau-report\", \"version\": 9}").contains("version 9"));
        assert!(refusal(b"{\"format\": \"flambeau-report\", \"version\": 1}").contains("missing field"));
        assert!(refusal(b"{\"format\": \"flambeau-report\", \"vers").contains("damaged"));
    }

    #[test]
    fn folders_without_reports_are_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = load(&[folder.path().to_owned()]).expect_err("refused").to_string();
        assert!(error.contains("there is no *.flambeau-report.json in this folder"), "{error}");
        let error = load(&[folder.path().join("missing")]).expect_err("refused").to_string();
        assert!(error.contains("missing: No such file"), "{error}");
    }
}
