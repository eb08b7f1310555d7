//! `flambeau stdlib`: OCaml's standard library, compiled again by us from the sources that the installation
//! carries, for use by default.
//!
//! The result takes the place of the stock library *under the same `.cmx` files*: the archive describes the same
//! units with the same digests, and each object defines every label that the stock `.cmx` promises. So whatever
//! the stock compiler compiled against the stock library links with ours, and what we compile links with the
//! stock one. A unit whose object can't keep the promises (or whose source is not installed) keeps its stock
//! object.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

/// Names the folder of rebuilt libraries, in place of the one in the user's cache; empty: none is used.
const FOLDER_VARIABLE: &str = "FLAMBEAU_STDLIB";

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

/// The folder of rebuilt libraries for this executable, whether it exists or not.
pub fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE) {
        return (!folder.is_empty()).then(|| folder.into());
    }
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")))?;
    // Another build of the executable may make other objects.
    let executable = std::env::current_exe().ok()?;
    let metadata = fs::metadata(&executable).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut hasher = DefaultHasher::new();
    (executable, metadata.len(), modified.as_nanos()).hash(&mut hasher);
    Some(cache.join("flambeau").join(format!("stdlib-{:016x}", hasher.finish())))
}

/// Rebuilds the standard library, unless it is there.
///
/// # Errors
/// When the sources or tools are missing, or nothing can be written.
pub fn rebuild(force: bool) -> Result<()> {
    let target = folder().context("no folder for the library: set HOME or FLAMBEAU_STDLIB")?;
    if target.join("stdlib.cmxa").exists() {
        if !force {
            println!("The standard library is up to date: {}", target.display());
            return Ok(());
        }
        fs::remove_dir_all(&target).with_context(|| format!("cannot remove {}", target.display()))?;
    }
    let parent = target.parent().context("the library's folder has no parent")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    let work = tempfile::Builder::new().prefix("stdlib-").tempdir_in(parent)?;
    let build = Build::new(work.path())?;
    let (rebuilt, kept) = build.compile_units()?;
    build.archive(&rebuilt)?;
    let result = work.path().join("result");
    // Another process may have been faster.
    if fs::rename(&result, &target).is_err() && !target.join("stdlib.cmxa").exists() {
        bail!("cannot move the library to {}", target.display());
    }
    println!("The standard library is in {}", target.display());
    println!("{} units rebuilt; stock objects kept for: {}", rebuilt.len(), kept_list(&kept));
    Ok(())
}

fn kept_list(kept: &[String]) -> String {
    if kept.is_empty() { "none".into() } else { kept.join(", ") }
}

/// The folders of a rebuilding.
struct Build {
    /// The stock library.
    stock: PathBuf,
    /// Sources are copied there, and objects made.
    objects: PathBuf,
    /// The archive and its description.
    result: PathBuf,
}

/// A unit of the standard library.
#[derive(Clone)]
struct Unit {
    /// The base name of its object: `stdlib__List`.
    object: String,
    /// The base name of its source: `list`.
    source: String,
}

impl Build {
    fn new(work: &Path) -> Result<Build> {
        let output = run_self(&["-where".as_ref()], work, Path::new(""))?;
        let stock = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let build = Build { stock, objects: work.join("objects"), result: work.join("result") };
        fs::create_dir(&build.objects)?;
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

    /// Compiles what can be compiled; gives the units rebuilt and those whose stock object is kept.
    fn compile_units(&self) -> Result<(Vec<Unit>, Vec<String>)> {
        let units = self.units()?;
        let bar = ProgressBar::new(units.len() as u64);
        bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?);
        let (mut rebuilt, mut kept) = (Vec::new(), Vec::new());
        // In the order of the archive, in which units come after those that they inline functions of.
        for unit in units {
            bar.set_message(unit.source.clone());
            match self.compile(&unit) {
                Ok(()) => rebuilt.push(unit),
                Err(_) => kept.push(unit.source),
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        kept.sort();
        if rebuilt.is_empty() {
            bail!(
                "no unit of the standard library could be compiled from the sources in {}",
                self.stock.display()
            );
        }
        Ok((rebuilt, kept))
    }

    /// Compiles one unit in a folder of its own, against the stock `.cmi` and `.cmx` files.
    fn compile(&self, unit: &Unit) -> Result<()> {
        let place = self.objects.join(format!("{}.dir", unit.object));
        fs::create_dir(&place)?;
        for extension in ["ml", "mli"] {
            let name = format!("{}.{extension}", unit.source);
            let source = fs::read(self.stock.join(&name)).with_context(|| format!("no source {name}"))?;
            match str::from_utf8(&source) {
                Ok(text) if unit.source == "stdlib" => fs::write(place.join(&name), with_prefixes(text))?,
                _ => fs::write(place.join(&name), source)?,
            }
        }
        let output_name = format!("{}.cmx", unit.object);
        let companion = format!("{}.flambeau", unit.object);
        let stock_description = self.stock.join(&output_name);
        let source = format!("{}.ml", unit.source);
        let mut arguments: Vec<&OsStr> = FLAGS.iter().map(OsStr::new).collect();
        arguments.extend(["-I".as_ref(), self.stock.as_os_str()]);
        if unit.source == "stdlib" || unit.source.starts_with("camlinternalFormatBasics") {
            arguments.extend(["-nopervasives", "-no-alias-deps"].map(OsStr::new));
        }
        if unit.source.ends_with("Labels") || unit.source == "float" {
            arguments.push("-nolabels".as_ref());
        }
        arguments.extend(["-flambeau-stands-for".as_ref(), stock_description.as_os_str()]);
        arguments.extend(["-o".as_ref(), OsStr::new(&output_name), OsStr::new(&source)]);
        let outcome = run_self(&arguments, &place, &self.result);
        // What other units may inline is good with the stock object too.
        if place.join(&companion).exists() {
            fs::rename(place.join(&companion), self.result.join(&companion))?;
        }
        outcome?;
        for extension in ["cmx", "o"] {
            let name = format!("{}.{extension}", unit.object);
            fs::rename(place.join(&name), self.objects.join(&name))?;
        }
        Ok(())
    }

    /// Makes the archive: the stock one, with our objects in place of its own.
    fn archive(&self, rebuilt: &[Unit]) -> Result<()> {
        let archive = self.result.join("stdlib.a");
        fs::copy(self.stock.join("stdlib.a"), &archive)?;
        let objects = rebuilt.iter().map(|unit| self.objects.join(format!("{}.o", unit.object)));
        let output = Command::new("ar").arg("r").arg(&archive).args(objects).output()?;
        if !output.status.success() {
            bail!("ar failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        let library = self.stock.join("stdlib.cmxa");
        let description = self.result.join("stdlib.cmxa");
        let arguments = [
            "-flambeau-adopt-library".as_ref(),
            library.as_os_str(),
            self.objects.as_os_str(),
            description.as_os_str(),
        ];
        run_self(&arguments, &self.objects, Path::new("")).map(drop)
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

/// Runs this executable as ocamlopt. Functions are inlined from the library in `library`.
fn run_self(arguments: &[&OsStr], folder: &Path, library: &Path) -> Result<Output> {
    let executable = std::env::current_exe().context("cannot find this executable")?;
    let output = Command::new(executable)
        .args(arguments)
        .current_dir(folder)
        .env_remove("OCAMLPARAM")
        .env_remove("FLAMBEAU_FLAGS")
        .env(FOLDER_VARIABLE, library)
        .output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output)
}
