//! The library of descriptions: what Flambeau knows of the functions of installed units that the stock compiler
//! compiled.
//!
//! It is part of the executable, behind the program: whoever copies, caches or compares the executable has the library
//! with it, and a compilation has no input that a build system can't see. An executable fresh from the linker has none
//! (`flambeau toolchain` and `flambeau stdlib` make one), so that a library never belongs to another build.
//!
//! ```text
//! program │ descriptions, one after another │ index │ length of the index │ length from the descriptions on │ MAGIC
//! ```
//!
//! The contents are not trusted: the index has a checksum of each description. It is a CRC, since each compilation
//! computes it for each unit that it takes something of.

pub mod in_place;
mod make;
pub mod stock_object;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// The end of an executable with a library.
const MAGIC: &[u8; 16] = b"FLAMBEAU LIBRARY";

/// The length of what follows the index.
const TRAILER: u64 = 8 + 8 + MAGIC.len() as u64;

/// Where each description is, by the name of its unit.
type Index = BTreeMap<String, Place>;

/// Where a description is, and what its bytes come to.
#[derive(Serialize, Deserialize)]
struct Place {
    /// Its beginning, counted from that of the library.
    offset: u64,
    length: u64,
    checksum: u32,
}

/// A library in an executable.
pub struct Library {
    file: File,
    /// The length of the program before it.
    start: u64,
    index: Index,
}

impl Library {
    /// The library of the executable that is running, if it has one.
    ///
    /// # Errors
    /// When it can't be read or is damaged.
    pub fn of_this_executable() -> Result<Option<Library>> {
        Library::of(&std::env::current_exe().context("finding the path of flambeau itself")?)
    }

    /// The library in an executable, if it has one.
    ///
    /// # Errors
    /// When it can't be read or is damaged.
    pub fn of(executable: &Path) -> Result<Option<Library>> {
        Library::read(executable).with_context(|| format!("reading the library in {}", executable.display()))
    }

    fn read(executable: &Path) -> Result<Option<Library>> {
        let mut file = File::open(executable)?;
        let end = file.metadata()?.len();
        if end < TRAILER {
            return Ok(None);
        }
        let trailer = read_at(&mut file, end - TRAILER, TRAILER)?;
        let Some(lengths) = trailer.strip_suffix(MAGIC) else { return Ok(None) };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let (index_length, length) = (number(&lengths[..8]), number(&lengths[8..]));
        let index_start = (end - TRAILER).checked_sub(index_length);
        let (Some(start), Some(index_start)) = (end.checked_sub(length), index_start) else {
            bail!("its lengths are those of no library");
        };
        let index = postcard::from_bytes(&read_at(&mut file, index_start, index_length)?)
            .context("its index is damaged")?;
        Ok(Some(Library { file, start, index }))
    }

    /// The description of a unit, if there is one.
    ///
    /// # Errors
    /// When it can't be read, or is damaged.
    pub fn description(&mut self, unit: &str) -> Result<Option<Vec<u8>>> {
        let Some(Place { offset, length, checksum }) = self.index.get(unit) else { return Ok(None) };
        let within = offset.checked_add(*length).and_then(|end| end.checked_add(self.start));
        if within.is_none_or(|end| self.file.metadata().map_or(true, |file| end > file.len())) {
            bail!("the library's index is damaged: the description of {unit} would be outside of the file");
        }
        let description = read_at(&mut self.file, self.start + offset, *length)?;
        if crc32fast::hash(&description) != *checksum {
            bail!("{unit}: the checksum of its description is wrong");
        }
        Ok(Some(description))
    }

    /// The units that it describes: the base names of their files.
    pub fn units(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }
}

fn read_at(file: &mut File, start: u64, length: u64) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; usize::try_from(length)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Writes `target`: the program that is running, with its library, or with a new library if it has none. `afresh`: with
/// a new library in any case. A `target` that has the same program and a library is left alone.
///
/// # Errors
/// When no library can be made, or the file can't be written.
pub fn install(target: &Path, afresh: bool) -> Result<()> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    let program = program_of(&own)?;
    let is_complete = |file: &Path| Library::of(file).is_ok_and(|library| library.is_some());
    if !afresh && is_complete(target) && program_of(target).is_ok_and(|other| other == program) {
        return Ok(());
    }
    let bytes = if !afresh && is_complete(&own) {
        fs::read(&own).with_context(|| format!("reading {}", own.display()))?
    } else {
        with_library(program)?
    };
    write_executable(target, &bytes).with_context(|| format!("writing {}", target.display()))
}

/// The program with a new library.
fn with_library(mut program: Vec<u8>) -> Result<Vec<u8>> {
    let descriptions = make::describe_stdlib()?;
    let left_out = match &descriptions.left_out[..] {
        [] => "none".to_owned(),
        units => units.join(", "),
    };
    println!("{} units of the standard library described; left out: {left_out}", descriptions.by_unit.len());
    add_to(&mut program, &descriptions.by_unit)?;
    Ok(program)
}

/// Writes a file atomically, also where the file is being executed.
fn write_executable(target: &Path, bytes: &[u8]) -> Result<()> {
    let folder = target.parent().context("it is in no folder")?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o755))?;
    file.persist(target)?;
    Ok(())
}

/// The bytes of an executable without the library that it may have.
fn program_of(executable: &Path) -> Result<Vec<u8>> {
    let library = Library::of(executable)?;
    let mut bytes = fs::read(executable).with_context(|| format!("reading {}", executable.display()))?;
    if let Some(library) = library {
        bytes.truncate(usize::try_from(library.start)?);
    }
    Ok(bytes)
}

/// Adds a library with these descriptions, by the names of their units, to the bytes of a program that has none.
fn add_to(program: &mut Vec<u8>, descriptions: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    let start = program.len();
    let mut index = Index::new();
    for (unit, description) in descriptions {
        let offset = (program.len() - start) as u64;
        let (length, checksum) = (description.len() as u64, crc32fast::hash(description));
        index.insert(unit.clone(), Place { offset, length, checksum });
        program.extend_from_slice(description);
    }
    let index = postcard::to_allocvec(&index).context("writing the library's index")?;
    program.extend_from_slice(&index);
    program.extend_from_slice(&(index.len() as u64).to_le_bytes());
    let length = (program.len() - start) as u64 + 8 + MAGIC.len() as u64;
    program.extend_from_slice(&length.to_le_bytes());
    program.extend_from_slice(MAGIC);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), bytes).expect("a file can be written");
        file
    }

    fn two_units() -> BTreeMap<String, Vec<u8>> {
        BTreeMap::from([("List".into(), b"of lists".to_vec()), ("Map".into(), b"of maps".to_vec())])
    }

    #[test]
    fn what_was_added_is_read_and_taken_off_again() {
        let mut bytes = b"program".to_vec();
        add_to(&mut bytes, &two_units()).expect("an index");
        let file = executable(&bytes);
        let mut library = Library::of(file.path()).expect("a good library").expect("a library");
        assert_eq!(library.units().collect::<Vec<_>>(), ["List", "Map"]);
        assert_eq!(library.description("Map").expect("good"), Some(b"of maps".to_vec()));
        assert_eq!(library.description("List").expect("good"), Some(b"of lists".to_vec()));
        assert_eq!(library.description("Set").expect("good"), None);
        assert_eq!(program_of(file.path()).expect("good"), b"program");
    }

    #[test]
    fn a_program_alone_has_no_library() {
        for program in [&b""[..], b"program", b"a program that is longer than the end of a library"] {
            let file = executable(program);
            assert!(Library::of(file.path()).expect("good").is_none());
            assert_eq!(program_of(file.path()).expect("good"), program);
        }
    }

    #[test]
    fn a_damaged_description_is_an_error_whatever_the_damage() {
        let mut bytes = b"program".to_vec();
        add_to(&mut bytes, &two_units()).expect("an index");
        let good = two_units();
        for position in 7..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x80;
            let file = executable(&damaged);
            if let Ok(Some(mut library)) = Library::of(file.path()) {
                for unit in ["List", "Map"] {
                    // A damaged name is that of another unit.
                    if let Ok(Some(description)) = library.description(unit) {
                        assert_eq!(Some(&description), good.get(unit), "byte {position}");
                    }
                }
            }
        }
        bytes[8] ^= 1;
        let file = executable(&bytes);
        let mut library = Library::of(file.path()).expect("a good index").expect("a library");
        let error = library.description("List").expect_err("a byte is another one");
        assert!(error.to_string().contains("List: the checksum of its description is wrong"), "{error:#}");
    }
}
