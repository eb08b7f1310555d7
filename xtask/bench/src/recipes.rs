//! The projects of `bench/macro/projects.toml`: programs that people run, built from Debian's source packages by their
//! own build systems, once with the stock compiler on the PATH and once with flambeau's toolchain in front of it. Both
//! must print the same.

use std::env::{join_paths, split_paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use regex::Regex;
use serde::Deserialize;

use super::compilers::{self, Column, Maker};
use super::large::{cache_folder, shell};
use super::record::Figures;
use xtask_support::cache::Key;
use xtask_support::ocaml::packages;
use xtask_support::{env, payload, process};
use xtask_support::{setup, trees};

/// Building one project.
const LIMIT: Duration = Duration::from_secs(2 * 3600);
/// Where a built project says what it was built with.
const STAMP: &str = ".built-with";

/// How a project is built, and what its program then does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    pub name: String,
    /// What it does.
    pub does: String,
    /// Debian's source package.
    package: String,
    /// Debian's packages that it needs, beside OCaml.
    #[serde(default)]
    needs: Vec<String>,
    /// The commands that build it, as its authors give them.
    build: String,
    /// The executable that this makes, below the project's folder.
    pub program: String,
    /// Arguments with which the program does nothing: what they cost is its start.
    pub start: String,
    /// Makes the inputs, in a folder of their own. SOURCE is the folder of the project's sources.
    #[serde(default)]
    inputs: String,
    /// What is measured, in the folder where the project was built. INPUTS is the folder of the inputs, PROGRAM the
    /// program. What this prints must be the same by all compilers.
    pub work: String,
    /// Bounds of the executable's code and data, in parts of the stock compiler's.
    most_text: Option<f64>,
    most_data: Option<f64>,
    /// Object files whose code is bounded.
    #[serde(default)]
    units: Vec<Unit>,
}

/// An object file of a project.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unit {
    object: String,
    most_text: f64,
}

/// `projects.toml`.
#[derive(Deserialize)]
struct Table {
    project: Vec<Recipe>,
}

/// The recipes whose names match, and which the OCaml at work has the libraries for.
pub fn all(filter: Option<&Regex>) -> Result<Vec<Recipe>> {
    let file = env::root().join("bench/macro/projects.toml");
    let table: Table = crate::read_toml(&file)?;
    let mut recipes = table.project;
    recipes.retain(|recipe| filter.is_none_or(|filter| filter.is_match(&recipe.name)));
    let mut usable = Vec::new();
    for recipe in recipes {
        match packages::missing(recipe.needs.iter().map(String::as_str))? {
            None => usable.push(recipe),
            Some(reason) => println!("{}: left out: {reason}", recipe.name),
        }
    }
    Ok(usable)
}

impl Recipe {
    /// Installs what is needed, and unpacks the sources.
    pub fn prepare(&self) -> Result<PathBuf> {
        packages::install(&self.needs.iter().map(String::as_str).collect::<Vec<_>>())?;
        packages::source(&self.package)
    }

    /// The folder of the inputs, made unless that was done before.
    pub fn inputs(&self, source: &Path) -> Result<PathBuf> {
        let folder = cache_folder(&self.name)?.join("inputs");
        let stamp = cache_folder(&self.name)?.join(".inputs");
        if fs::read_to_string(&stamp).is_ok_and(|made| made == self.inputs) {
            return Ok(folder);
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let mut command = shell(&self.inputs, &folder);
        process::run(command.env("SOURCE", source), LIMIT)?.expect_success("making the inputs")?;
        fs::write(&stamp, &self.inputs)?;
        Ok(folder)
    }

    /// Builds the project in a folder with the compiler of a column, unless that was done before. How many of its units
    /// are that compiler's, and how many there are.
    pub fn build(&self, column: &Column, source: &Path, folder: &Path) -> Result<(usize, usize)> {
        let stamp = folder.join(STAMP);
        let wanted = Key::new("recipe 1")
            .with(&self.build)
            .with(column.flags.join(" "))
            .with([u8::from(column.no_library)])
            .with_tool(&column.compiler)?
            .name();
        if !fs::read_to_string(&stamp).is_ok_and(|built| built == wanted) {
            trees::copy_tree(source, folder)?;
            let mut command = shell(&self.build, folder);
            if column.maker == Maker::Flambeau {
                let bin = setup::make_toolchain(&cache_folder(&self.name)?.join("toolchain"))?;
                let old = std::env::var_os("PATH").unwrap_or_default();
                command.env("PATH", join_paths([bin].into_iter().chain(split_paths(&old)))?);
                let (level, mut flags) = level_of(&column.flags);
                if column.no_library {
                    flags.push_str(" -flambeau-no-library");
                }
                if env::stand_in().is_none() {
                    flags.push_str(" -flambeau-strict");
                }
                command.envs(level.map(|level| ("OCAMLPARAM", level))).env("FLAMBEAU_FLAGS", flags);
            }
            process::run(&mut command, LIMIT)?.expect_success(&self.build)?;
            fs::write(&stamp, wanted)?;
        }
        let (ours, all) = payload::count(folder)?;
        if column.maker == Maker::Flambeau && ours == 0 {
            bail!("flambeau made none of its {all} units");
        }
        Ok((if column.maker == Maker::Flambeau { ours } else { all }, all))
    }

    /// What of a build is above its bounds, beside the stock compiler's.
    pub fn above(
        &self,
        column: &Column,
        [stock, ours]: [&Figures; 2],
        folders: [&Path; 2],
    ) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut check = |what: &str, most: Option<f64>, stock: Option<f64>, ours: Option<f64>| {
            if let (Some(most), Some(stock), Some(ours)) = (most, stock, ours)
                && ours > most * stock
            {
                let ratio = ours / stock;
                found.push(format!("{} by {}: {what} {ratio:.2}, at most {most}", self.name, column.name));
            }
        };
        check("code", self.most_text, stock.text, ours.text);
        check("data", self.most_data, stock.data, ours.data);
        for unit in &self.units {
            let size = |folder: &Path| -> Result<f64> {
                Ok(compilers::text_size(&folder.join(&unit.object))? as f64)
            };
            let (stock, ours) = (size(folders[0])?, size(folders[1])?);
            println!("{}: code of {} by {}: {:.2}", self.name, unit.object, column.name, ours / stock);
            check(&format!("code of {}", unit.object), Some(unit.most_text), Some(stock), Some(ours));
        }
        Ok(found)
    }
}

/// The level of flags as a value of OCAMLPARAM, which reaches a compiler whose command line a build system writes, and
/// the flags for `FLAMBEAU_FLAGS`, which takes flambeau's own.
fn level_of(flags: &[String]) -> (Option<String>, String) {
    let is_level = |flag: &&String| ["-O2", "-O3", "-Oclassic"].contains(&flag.as_str());
    let level = flags.iter().find(is_level).map(|level| format!("_,{}=1", level.trim_start_matches('-')));
    let others: Vec<&str> = flags.iter().filter(|flag| !is_level(flag)).map(String::as_str).collect();
    (level, others.join(" "))
}

/// A command of a project's program under a name, with its environment.
pub fn script(script: &str, folder: &Path, program: &Path, inputs: Option<&Path>) -> Command {
    let mut command = shell(script, folder);
    command.env("PROGRAM", program).envs(inputs.map(|inputs| ("INPUTS", inputs)));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_recipes_are_understood() -> Result<()> {
        let recipes = all(None)?;
        assert!(recipes.iter().any(|recipe| recipe.name == "why3" && recipe.most_text.is_some()));
        for recipe in &recipes {
            assert!(recipe.work.contains("$PROGRAM"), "{} does not run its program", recipe.name);
            let has_inputs = !recipe.inputs.is_empty();
            assert!(has_inputs == recipe.work.contains("$INPUTS"), "the inputs of {}", recipe.name);
        }
        Ok(())
    }

    #[test]
    fn levels_go_by_ocamlparam() {
        let flags = ["-O3".to_owned(), "-flambeau-no-inline".to_owned()];
        assert_eq!(level_of(&flags), (Some("_,O3=1".into()), "-flambeau-no-inline".into()));
        assert_eq!(level_of(&[]), (None, String::new()));
    }
}
