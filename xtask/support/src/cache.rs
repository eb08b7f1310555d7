//! Results that stay true as long as what they were made from stays the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// Names a result by all that it depends on.
pub struct Key(Sha256);

impl Key {
    /// `subject` keeps apart results of different kinds; it holds the version of their format.
    #[must_use]
    pub fn new(subject: &str) -> Key {
        Key(Sha256::new()).with(subject)
    }

    /// Adds a text or bytes. The length is written first, so that no two sequences of parts run together.
    #[must_use]
    pub fn with(mut self, part: impl AsRef<[u8]>) -> Key {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// Adds a tool, by its path, size and time: cheaper than its content, and a new build changes it.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file.
    pub fn with_tool(self, tool: &Path) -> Result<Key> {
        let data = fs::metadata(tool).with_context(|| format!("cannot look at {}", tool.display()))?;
        let time = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(self
            .with(tool.to_string_lossy().as_bytes())
            .with(data.len().to_le_bytes())
            .with(time.as_nanos().to_le_bytes()))
    }

    /// The name, in letters and digits.
    #[must_use]
    pub fn name(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The result of this key in `folder`, made by `make` when it is not there yet, and kept if `keep` says so.
///
/// # Errors
///
/// Fails if `make` fails, or if its result cannot be written.
pub fn remember<R: Serialize + DeserializeOwned>(
    folder: &Path,
    key: Key,
    keep: impl FnOnce(&R) -> bool,
    make: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let file: PathBuf = folder.join(format!("{}.json", key.name()));
    // A file that can't be read or understood is as good as none.
    if let Ok(text) = fs::read(&file)
        && let Ok(result) = serde_json::from_slice(&text)
    {
        return Ok(result);
    }
    let result = make()?;
    if !keep(&result) {
        return Ok(result);
    }
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut temporary, &result)?;
    temporary.persist(&file)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let a = Key::new("k").with("ab").with("c").name();
        let b = Key::new("k").with("a").with("bc").name();
        assert_ne!(a, b);
    }

    #[test]
    fn a_result_is_made_once() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let key = || Key::new("k").with("x");
        let get = |key, keep: bool, value: i32| remember(folder.path(), key, |_: &i32| keep, || Ok(value));
        assert_eq!(get(key(), false, 0)?, 0);
        assert_eq!(get(key(), true, 1)?, 1);
        assert_eq!(get(key(), true, 2)?, 1);
        assert_eq!(get(Key::new("k").with("y"), true, 3)?, 3);
        Ok(())
    }
}
