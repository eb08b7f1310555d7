//! The programs of `bench/micro`, and what `settings.toml` knows of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use regex::Regex;
use serde::Deserialize;

use xtask_support::env;

/// The unit that measures, which every program is linked with.
pub const HARNESS: &str = "measure.ml";

/// A program of functions that are measured one by one.
pub struct Program {
    /// The name of its file without `.ml`, or of its folder.
    pub name: String,
    /// Its sources, in an order in which they can be compiled.
    pub sources: Vec<PathBuf>,
    pub settings: Settings,
}

/// What a program is compiled with, and bounds of its code in parts of the stock compiler's.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The program's.
    pub name: String,
    /// Flags for all compilers.
    #[serde(default)]
    pub flags: String,
    /// Bytes of code of its units.
    pub most_text: Option<f64>,
    /// Functions in its object files.
    pub most_functions: Option<f64>,
    /// Calls of unknown functions with several arguments.
    pub most_unknown: Option<f64>,
}

/// `settings.toml`.
#[derive(Deserialize)]
struct Table {
    program: Vec<Settings>,
}

/// The programs of the folder whose names match, in the order of their names.
pub fn programs(folder: &Path, filter: Option<&Regex>) -> Result<Vec<Program>> {
    let mut settings = settings(&folder.join("settings.toml"))?;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let is_program = path.extension().is_some_and(|extension| extension == "ml");
        if path.file_name().is_some_and(|name| name == HARNESS) || !(is_program || path.is_dir()) {
            continue;
        }
        let name = path.file_stem().context("a program without a name")?.to_string_lossy().into_owned();
        let sources = if is_program { vec![path] } else { sorted_units(&path)? };
        let at = settings.iter().position(|settings| settings.name == name);
        let settings = at.map(|at| settings.swap_remove(at)).unwrap_or_default();
        found.push(Program { name, sources, settings });
    }
    if let Some(unknown) = settings.first() {
        bail!("settings.toml has a program {:?}, which does not exist", unknown.name);
    }
    found.retain(|program| filter.is_none_or(|filter| filter.is_match(&program.name)));
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn settings(file: &Path) -> Result<Vec<Settings>> {
    let table: Table = crate::read_toml(file)?;
    Ok(table.program)
}

/// The units of a folder, each after those that it depends on.
fn sorted_units(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for file in env::files_below(folder)? {
        let name = file.file_name().context("a file without a name")?.to_owned();
        if file.extension().is_some_and(|extension| extension == "ml" || extension == "mli") {
            names.push(name);
        }
    }
    let mut command = Command::new("ocamldep");
    let order = env::line_of(command.arg("-sort").args(&names).current_dir(folder))?;
    Ok(order.split_whitespace().map(|name| folder.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_programs_are_found() -> Result<()> {
        if env::find("ocamldep").is_none() {
            return Ok(());
        }
        let programs = programs(&env::root().join("bench/micro"), None)?;
        let named = |name: &str| programs.iter().find(|program| program.name == name);
        let functors = named("functors").context("no functors")?;
        assert!(functors.sources.len() == 1 && functors.settings.most_unknown.is_some());
        let several = named("units_inlined").context("no units_inlined")?;
        let names: Vec<_> = several.sources.iter().filter_map(|source| source.file_name()).collect();
        assert_eq!(names, ["lib.mli", "lib.ml", "main.ml"]);
        assert!(named("measure").is_none());
        Ok(())
    }

    #[test]
    fn settings_name_what_exists() -> Result<()> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("a.ml"), "")?;
        let file = folder.path().join("settings.toml");
        fs::write(&file, "[[program]]\nname = \"a\"\nmost_text = 2.0\n")?;
        assert_eq!(programs(folder.path(), None)?.len(), 1);
        fs::write(&file, "[[program]]\nname = \"b\"\n")?;
        assert!(programs(folder.path(), None).is_err());
        fs::write(&file, "[[program]]\nname = \"a\"\nmost_txt = 2.0\n")?;
        assert!(programs(folder.path(), None).is_err());
        Ok(())
    }
}
