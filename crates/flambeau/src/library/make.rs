//! Making a library: what Flambeau knows of the functions of OCaml's standard library, from the sources that the
//! installation carries.
//!
//! Nothing of the stock library is replaced. Each unit is compiled once more, only for its payload: the body of each
//! function that other units may inline or copy, under the label that the stock object gives it. A body mentions only
//! what the stock `.cmx` describes (labels of functions that take as many arguments, and the module block), so that it
//! is valid in a program whose library the stock compiler compiled, and no object changes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

/// The flags of OCaml's own build that matter to what is compiled. Warnings do: the type checker makes identifiers
/// while it looks for some, and labels bear their stamps.
const FLAGS: &[&str] = &[
    "-c",
    "-g",
    "-nostdlib",
    "-absname",
    "-strict-sequence",
    "-principal",
    "-strict-formats",
    "-w",
    "+a-4-9-41-42-44-45-48-70",
];

/// What a description file ends in.
const EXTENSION: &str = "flambeau";

/// The descriptions, by the names of their units as files bear them, and the units that could not be described.
pub struct Descriptions {
    /// As `ocaml/unit/library.ml` reads them.
    pub by_unit: BTreeMap<String, Vec<u8>>,
    /// Names of sources.
    pub left_out: Vec<String>,
}

/// Describes the standard library of the installation.
///
/// # Errors
/// When its sources or `ar` are missing, or nothing can be written.
pub fn describe_stdlib() -> Result<Descriptions> {
    let work = tempfile::Builder::new().prefix("flambeau-library-").tempdir()?;
    Build::new(work.path())?.describe_units()
}

/// The folders of a build.
struct Build {
    /// The stock library.
    stock: PathBuf,
    /// Sources are copied there.
    sources: PathBuf,
    /// The descriptions so far: units come after those that they inline functions of.
    result: PathBuf,
}

/// A unit of the standard library.
struct Unit {
    /// The base name of its object: `stdlib__List`.
    object: String,
    /// The base name of its source: `list`.
    source: String,
}

impl Build {
    fn new(work: &Path) -> Result<Build> {
        let output = run_self(&["-where".as_ref()], work)?;
        let stock = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let build = Build { stock, sources: work.join("sources"), result: work.join("result") };
        fs::create_dir(&build.sources)?;
        fs::create_dir(&build.result)?;
        Ok(build)
    }

    /// The units of the stock archive, by its members.
    fn units(&self) -> Result<Vec<Unit>> {
        let archive = self.stock.join("stdlib.a");
        let output =
            Command::new("ar").arg("t").arg(&archive).output().context("cannot run ar (binutils)")?;
        if !output.status.success() {
            bail!("cannot read {}: {}", archive.display(), String::from_utf8_lossy(&output.stderr));
        }
        let members = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(members
            .lines()
            .filter_map(|member| member.strip_suffix(".o"))
            .map(|object| {
                let source = object.strip_prefix("stdlib__").unwrap_or(object);
                let mut letters = source.chars();
                let source = letters
                    .next()
                    .map(|first| first.to_lowercase().chain(letters).collect())
                    .unwrap_or_default();
                Unit { object: object.to_owned(), source }
            })
            .collect())
    }

    fn describe_units(&self) -> Result<Descriptions> {
        let units = self.units()?;
        let bar = ProgressBar::new(units.len() as u64);
        bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?);
        let mut descriptions = Descriptions { by_unit: BTreeMap::new(), left_out: Vec::new() };
        for unit in units {
            bar.set_message(unit.source.clone());
            match self.describe(&unit) {
                Ok(description) => drop(descriptions.by_unit.insert(unit.object, description)),
                Err(_) => descriptions.left_out.push(unit.source),
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        descriptions.left_out.sort();
        if descriptions.by_unit.is_empty() {
            bail!(
                "no unit of the standard library could be compiled from the sources in {}",
                self.stock.display()
            );
        }
        Ok(descriptions)
    }

    /// Describes one unit, in a folder of its own, against the stock `.cmi` and `.cmx` files.
    fn describe(&self, unit: &Unit) -> Result<Vec<u8>> {
        let folder = self.sources.join(&unit.object);
        fs::create_dir(&folder)?;
        for extension in ["ml", "mli"] {
            let name = format!("{}.{extension}", unit.source);
            let source = fs::read(self.stock.join(&name)).with_context(|| format!("no source {name}"))?;
            match str::from_utf8(&source) {
                Ok(text) if unit.source == "stdlib" => fs::write(folder.join(&name), with_prefixes(text))?,
                _ => fs::write(folder.join(&name), source)?,
            }
        }
        let stock_description = self.stock.join(format!("{}.cmx", unit.object));
        let output_name = format!("{}.cmx", unit.object);
        let source = format!("{}.ml", unit.source);
        let mut arguments: Vec<&OsStr> = FLAGS.iter().map(OsStr::new).collect();
        arguments.extend(["-I".as_ref(), self.stock.as_os_str()]);
        if unit.source == "stdlib" || unit.source.starts_with("camlinternalFormatBasics") {
            arguments.extend(["-nopervasives", "-no-alias-deps"].map(OsStr::new));
        }
        if unit.source.ends_with("Labels") || unit.source == "float" {
            arguments.extend(["-nolabels", "-no-alias-deps"].map(OsStr::new));
        }
        arguments.extend(["-flambeau-library".as_ref(), self.result.as_os_str()]);
        arguments.extend(["-flambeau-describe".as_ref(), stock_description.as_os_str()]);
        arguments.extend(["-o".as_ref(), OsStr::new(&output_name), OsStr::new(&source)]);
        run_self(&arguments, &folder)?;
        let name = format!("{}.{EXTENSION}", unit.object);
        let description = fs::read(folder.join(&name)).with_context(|| format!("no {name} was written"))?;
        fs::write(self.result.join(&name), &description)?;
        Ok(description)
    }
}

/// The source of `Stdlib` is installed without the prefix in `module List = Stdlib__List`: OCaml's build adds it.
fn with_prefixes(source: &str) -> String {
    let Some((before, aliases)) = source.split_once("(*MODULE_ALIASES*)\n") else { return source.to_owned() };
    let line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["module", name, "=", unit] => format!("module {name} = Stdlib__{unit}\n"),
        _ => format!("{line}\n"),
    };
    // The lines keep their numbers.
    format!("{before}\n{}", aliases.lines().map(line).collect::<String>())
}

/// Runs this executable as ocamlopt.
fn run_self(arguments: &[&OsStr], folder: &Path) -> Result<Output> {
    let executable = std::env::current_exe().context("finding the path of flambeau itself")?;
    let output = Command::new(executable)
        .args(arguments)
        .current_dir(folder)
        .env_remove("OCAMLPARAM")
        .env_remove("FLAMBEAU_FLAGS")
        .output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output)
}
