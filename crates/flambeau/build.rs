//! Builds the OCaml side and has it linked into the executable: one object that holds our OCaml code, the
//! OCaml compiler's libraries and the OCaml runtime.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The folders of `ocaml/` that hold code for every version of OCaml.
const COMMON: &[&str] = &["wire", "boundary", "driver", "unit", "front", "back"];

/// Its base name differs from that of every OCaml module, as `-output-complete-obj` demands.
const OBJECT: &str = "flambeau_ocaml_side.o";

/// All warnings but those about fragile matches and the like, and all of them errors.
const WARNINGS: &[&str] = &["-w", "+a-4-9-40-41-42-44-45-48-70", "-warn-error", "+a", "-strict-sequence"];

fn main() {
    if let Err(error) = build() {
        eprintln!("error: the OCaml side of flambeau was not built: {error:#}");
        std::process::exit(1);
    }
}

fn build() -> Result<()> {
    println!("cargo:rerun-if-env-changed=FLAMBEAU_OCAMLFIND");
    println!("cargo:rerun-if-env-changed=PATH");
    let sources = PathBuf::from(env_var("CARGO_MANIFEST_DIR")?).join("../../ocaml").canonicalize()?;
    println!("cargo:rerun-if-changed={}", sources.display());

    let ocaml = Ocaml::find()?;
    let compat = ocaml.compat_folder(&sources)?;
    let work = PathBuf::from(env_var("OUT_DIR")?).join("ocaml");
    let mut folders: Vec<PathBuf> = COMMON.iter().map(|folder| sources.join(folder)).collect();
    folders.push(compat);
    let modules = copy_sources(&folders, &work)?;
    let object = ocaml.compile(&work, &modules)?;

    println!("cargo:rustc-link-arg={}", object.display());
    println!("cargo:rustc-link-arg=-lm");
    println!("cargo:rustc-link-arg=-ldl");
    // At a fixed address: else the loader writes, at each start, the places of a hundred thousand OCaml values.
    if env_var("CARGO_CFG_TARGET_OS")? == "linux" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    Ok(())
}

fn env_var(name: &str) -> Result<OsString> {
    env::var_os(name).with_context(|| format!("{name} is not set (build.rs is to be run by cargo)"))
}

/// Copies the sources, flat, so that nothing is ever written into the source tree. Gives their file names.
fn copy_sources(folders: &[PathBuf], work: &Path) -> Result<Vec<String>> {
    if work.exists() {
        fs::remove_dir_all(work).with_context(|| format!("removing {}", work.display()))?;
    }
    fs::create_dir_all(work).with_context(|| format!("making {}", work.display()))?;
    let mut names = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "ml") {
                continue;
            }
            let name =
                path.file_name().and_then(|name| name.to_str()).context("a strange file name")?.to_owned();
            let copy = work.join(&name);
            if copy.exists() {
                bail!("two modules are called {name}");
            }
            fs::copy(&path, &copy).with_context(|| format!("copying {}", path.display()))?;
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// An OCaml installation.
struct Ocaml {
    ocamlfind: OsString,
    version: String,
}

impl Ocaml {
    /// The one that `FLAMBEAU_OCAMLFIND` names, or that is on the PATH.
    fn find() -> Result<Ocaml> {
        let ocamlfind = env::var_os("FLAMBEAU_OCAMLFIND").unwrap_or_else(|| "ocamlfind".into());
        let mut ocaml = Ocaml { ocamlfind, version: String::new() };
        ocaml.version = ocaml.run(None, &["ocamlopt", "-version"]).context(
            "an OCaml compiler with ocamlfind is needed (on Debian: apt-get install ocaml-nox ocaml-findlib; \
             to choose another, set FLAMBEAU_OCAMLFIND to the path of its ocamlfind)",
        )?;
        ocaml
            .run(None, &["query", "compiler-libs.optcomp"])
            .context("the package compiler-libs.optcomp is needed (on Debian: apt-get install ocaml-nox)")?;
        Ok(ocaml)
    }

    /// The sources that depend on the version.
    fn compat_folder(&self, sources: &Path) -> Result<PathBuf> {
        let series: Vec<&str> = self.version.split('.').take(2).collect();
        let folder = sources.join("compat").join(series.join("."));
        if !folder.is_dir() {
            let mut supported: Vec<String> = fs::read_dir(sources.join("compat"))?
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .collect();
            supported.sort();
            bail!("OCaml {} is not supported (supported: {})", self.version, supported.join(", "));
        }
        Ok(folder)
    }

    /// Compiles the modules into one object.
    fn compile(&self, work: &Path, modules: &[String]) -> Result<PathBuf> {
        let mut sort = vec!["ocamldep", "-sort"];
        sort.extend(modules.iter().map(String::as_str));
        let order = self.run(Some(work), &sort)?;
        let mut arguments = vec!["ocamlopt", "-package", "compiler-libs.optcomp", "-linkpkg", "-g"];
        arguments.extend(WARNINGS);
        arguments.extend(["-output-complete-obj", "-o", OBJECT]);
        arguments.extend(order.split_whitespace());
        self.run(Some(work), &arguments)?;
        Ok(work.join(OBJECT))
    }

    /// Runs ocamlfind and gives what it prints.
    fn run(&self, folder: Option<&Path>, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.ocamlfind);
        command.args(arguments);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let program = self.ocamlfind.to_string_lossy();
        let output = command.output().with_context(|| format!("running {program}"))?;
        if !output.status.success() {
            bail!(
                "{program} {} failed:\n{}",
                arguments.first().unwrap_or(&""),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
