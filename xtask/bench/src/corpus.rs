//! The benchmark programs of `bench/programs`, and the groups of `bench/groups.toml` that they belong to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use regex::Regex;
use serde::Deserialize;

/// A program in one file.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name, without `.ml`.
    pub name: String,
    /// Its group's name.
    pub group: String,
    /// The OCaml source.
    pub source: PathBuf,
    /// What it must print.
    pub expected: String,
    /// A C program of the same algorithm, for some.
    pub in_c: Option<PathBuf>,
}

/// `groups.toml`.
#[derive(Deserialize)]
struct Table {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    programs: Vec<String>,
}

/// The programs of the folder `bench` whose names match, in the order of the groups.
pub fn programs(bench: &Path, filter: Option<&Regex>) -> Result<Vec<Program>> {
    let file = bench.join("groups.toml");
    let table: Table = crate::read_toml(&file)?;
    let mut all = Vec::new();
    for group in table.group {
        for name in group.programs {
            all.push(Program::load(bench, name, &group.name)?);
        }
    }
    all_are_named(&bench.join("programs"), &all)?;
    all.retain(|program| filter.is_none_or(|filter| filter.is_match(&program.name)));
    Ok(all)
}

impl Program {
    fn load(bench: &Path, name: String, group: &str) -> Result<Program> {
        let source = bench.join("programs").join(format!("{name}.ml"));
        let expected = source.with_extension("expected");
        let in_c = bench.join("c").join(format!("{name}.c"));
        Ok(Program {
            expected: fs::read_to_string(&expected)
                .with_context(|| format!("cannot read {}", expected.display()))?,
            in_c: in_c.is_file().then_some(in_c),
            source,
            group: group.to_owned(),
            name,
        })
    }
}

/// An error unless the table names each program of the folder, and names it once: a program in no group would
/// never be run, and nobody would notice.
fn all_are_named(folder: &Path, programs: &[Program]) -> Result<()> {
    let mut named = BTreeSet::new();
    for program in programs {
        if !named.insert(program.name.as_str()) {
            bail!("bench/groups.toml names {} twice", program.name);
        }
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.extension().is_some_and(|extension| extension == "ml") && !named.contains(name.as_ref()) {
            bail!("bench/groups.toml does not name {name}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_all_programs() -> Result<()> {
        let all = programs(&xtask_support::env::root().join("bench"), None)?;
        assert!(all.len() >= 49);
        assert!(all.iter().filter(|program| program.in_c.is_some()).count() >= 9);
        assert!(all.iter().all(|program| !program.expected.is_empty()));
        Ok(())
    }

    #[test]
    fn a_program_without_a_group_is_an_error() -> Result<()> {
        let bench = tempfile::tempdir()?;
        let folder = bench.path().join("programs");
        fs::create_dir(&folder)?;
        for name in ["a", "b"] {
            fs::write(folder.join(format!("{name}.ml")), "")?;
            fs::write(folder.join(format!("{name}.expected")), "")?;
        }
        let write = |names: &str| {
            fs::write(
                bench.path().join("groups.toml"),
                format!("[[group]]\nname = \"g\"\nprograms = [{names}]\n"),
            )
        };
        write("\"a\", \"b\"")?;
        assert_eq!(programs(bench.path(), None)?.len(), 2);
        write("\"a\"")?;
        assert!(programs(bench.path(), None).is_err());
        write("\"a\", \"b\", \"a\"")?;
        assert!(programs(bench.path(), None).is_err());
        Ok(())
    }
}
