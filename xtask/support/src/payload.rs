//! The parts of a `.cmx` file: magic number, marshalled description, digest of both, and then our payload.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::env;

/// Length of the magic number, whose last three digits are the version of the format.
pub const MAGIC: usize = 12;
/// Length of the digest.
const DIGEST: usize = 16;

/// Where the parts end.
pub struct Layout {
    /// The end of the marshalled description.
    pub description: usize,
    /// The end of the digest: here starts the payload.
    pub digest: usize,
}

/// Finds the parts, by the lengths in the header of OCaml's marshalled data.
///
/// # Errors
///
/// Fails if the file is not a `.cmx`, or ends before its digest.
pub fn layout(cmx: &[u8]) -> Result<Layout> {
    let header = cmx.get(MAGIC..).context("a .cmx without a description")?;
    let number = |from: usize, to: usize| -> Result<usize> {
        let bytes = header.get(from..to).context("a short header")?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    let length = match number(0, 4)? {
        0x8495_A6BE => 20 + number(4, 8)?,
        0x8495_A6BF => 32 + number(8, 16)?,
        other => bail!("{other:#x} is not the start of marshalled data"),
    };
    let description = MAGIC + length;
    let digest = description + DIGEST;
    if cmx.len() < digest {
        bail!("a .cmx of {} bytes without its digest", cmx.len());
    }
    Ok(Layout { description, digest })
}

/// Whether a `.cmx` has our payload.
///
/// # Errors
///
/// Fails if the file is not a `.cmx`, or ends before its digest.
pub fn is_there(cmx: &[u8]) -> Result<bool> {
    Ok(layout(cmx)?.digest < cmx.len())
}

/// How many of the `.cmx` files below a folder have flambeau's payload, and how many there are.
///
/// # Errors
///
/// Fails if a folder or a file cannot be read, or if a `.cmx` is damaged.
pub fn count(folder: &Path) -> Result<(usize, usize)> {
    let (mut ours, mut all) = (0, 0);
    for file in env::files_below(folder)? {
        if file.extension().is_some_and(|extension| extension == "cmx") {
            all += 1;
            if is_there(&fs::read(&file)?).with_context(|| file.display().to_string())? {
                ours += 1;
            }
        }
    }
    Ok((ours, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_begins_after_the_digest() -> Result<()> {
        let mut cmx = b"Caml1999Y030".to_vec();
        cmx.extend([0x84, 0x95, 0xA6, 0xBE, 0, 0, 0, 3]);
        cmx.extend([0; 12]);
        cmx.extend([1, 2, 3]);
        cmx.extend([9; DIGEST]);
        assert!(!is_there(&cmx)?);
        cmx.push(7);
        assert!(is_there(&cmx)?);
        assert_eq!(layout(&cmx)?.digest, cmx.len() - 1);
        assert!(layout(&cmx[..40]).is_err());
        assert!(layout(b"Caml1999Y030 nothing that is marshalled").is_err());
        Ok(())
    }
}
