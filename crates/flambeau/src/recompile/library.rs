//! What a library (`.cmxa`) says of its units, as the OCaml side prints it (`ocaml/unit/unit_description.ml`).

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A library that is to be compiled again.
#[derive(Debug, PartialEq, Eq)]
pub struct Library {
    /// Of its file.
    pub name: String,
    /// In the order of the archive.
    pub units: Vec<Unit>,
    /// Arguments for the C linker of those who link it.
    pub c_libraries: Vec<String>,
    pub c_options: Vec<String>,
}

/// One of its units.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unit {
    pub name: String,
    /// The base name of its files, without extension.
    pub file: String,
    /// The units whose implementations it knows.
    pub uses: Vec<String>,
    /// Whether it is linked though nothing uses it.
    pub linked_always: bool,
}

impl Library {
    /// Reads a library, and finds the typed tree of each unit beside it.
    ///
    /// # Errors
    /// When the file can't be read, or a unit has no typed tree or is a pack.
    pub fn read(file: &Path) -> Result<Library> {
        let folder = file.parent().context("a library is a file")?;
        let text = description(file)?;
        let mut library = parse(&text).with_context(|| format!("reading {}", file.display()))?;
        library.name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for unit in &mut library.units {
            let there = |base: &String| folder.join(base).with_extension("cmt").exists();
            unit.file = file_names(&unit.name).into_iter().find(there).with_context(|| {
                format!(
                    "{} of {} has no typed tree: {}.cmt is not there (it is written by -bin-annot)",
                    unit.name,
                    file.display(),
                    folder.join(&unit.name).display()
                )
            })?;
        }
        Ok(library)
    }
}

/// What the OCaml side says of it.
fn description(file: &Path) -> Result<String> {
    let executable = std::env::current_exe().context("finding the path of flambeau itself")?;
    let output =
        Command::new(executable).arg("-flambeau-info").arg(file).env_remove("FLAMBEAU_FLAGS").output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The base names that the files of a unit may have.
fn file_names(unit: &str) -> [String; 2] {
    let mut letters = unit.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    [first.into_iter().chain(letters).collect(), unit.to_owned()]
}

fn parse(text: &str) -> Result<Library> {
    let mut library =
        Library { name: String::new(), units: Vec::new(), c_libraries: Vec::new(), c_options: Vec::new() };
    for line in text.lines() {
        let Some((key, value)) = line.split_once(": ") else { continue };
        match (key, library.units.last_mut()) {
            ("C libraries", _) => library.c_libraries = words(value),
            ("C options", _) => library.c_options = words(value),
            ("unit", _) => library.units.push(Unit { name: value.to_owned(), ..Unit::default() }),
            ("packs", Some(unit)) => bail!("{} is a pack, which has no typed tree of its own", unit.name),
            ("implementations", Some(unit)) => unit.uses = names(value),
            ("linked always", Some(unit)) => unit.linked_always = value == "true",
            _ => {}
        }
    }
    Ok(library)
}

fn words(value: &str) -> Vec<String> {
    if value == "none" { Vec::new() } else { value.split(' ').map(str::to_owned).collect() }
}

/// Names of units, some with a remark in parentheses.
fn names(value: &str) -> Vec<String> {
    let name = |entry: &str| entry.split(' ').next().unwrap_or_default().to_owned();
    if value == "none" { Vec::new() } else { value.split(", ").map(name).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_read() {
        let text = "file: l.cmxa\nunits: 2\nC libraries: -lz -lm\nC options: none\n\
                    unit: A\ninterfaces: Stdlib\nimplementations: none\nlinked always: true\n\
                    unit: B\ninterfaces: A, Stdlib\nimplementations: A (its description is not known), Stdlib\n\
                    linked always: false\n";
        let library = parse(text).unwrap();
        assert_eq!(library.c_libraries, ["-lz", "-lm"]);
        assert_eq!(library.c_options, Vec::<String>::new());
        let [a, b] = &library.units[..] else { panic!("two units, not {:?}", library.units) };
        assert_eq!((a.name.as_str(), a.linked_always, a.uses.len()), ("A", true, 0));
        assert_eq!((b.name.as_str(), b.linked_always), ("B", false));
        assert_eq!(b.uses, ["A", "Stdlib"]);
    }

    #[test]
    fn a_pack_is_refused() {
        let error = parse("unit: P\npacks: P, P.A\n").unwrap_err().to_string();
        assert!(error.contains("P is a pack"), "{error}");
    }

    #[test]
    fn files_begin_with_a_small_letter_or_as_the_unit_does() {
        assert_eq!(file_names("Lib__Util"), ["lib__Util", "Lib__Util"]);
    }
}
