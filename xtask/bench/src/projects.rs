//! The projects of `--macro`, and how each is prepared.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::large::{cache_folder, native_commands, shell};
use xtask_support::env::Stock;
use xtask_support::ocaml::packages;
use xtask_support::trees;
use xtask_support::{process, source_tree};

const LIMIT: Duration = Duration::from_secs(2 * 3600);
/// Where a prepared project keeps its commands.
const PREPARED: &str = ".commands.json";

/// A program of many units.
pub struct Project {
    pub name: &'static str,
    /// The folder in which it was built by the stock compiler.
    pub tree: PathBuf,
    /// What compiles it, in this order: scripts for the tree's root, with COMPILER and FLAGS in the environment.
    pub commands: Vec<String>,
    /// The executable that they make.
    pub executable: &'static str,
    /// A script for the tree's root that makes it work, with PROGRAM in the environment.
    pub work: String,
}

/// What took long to find out.
#[derive(Serialize, Deserialize)]
struct Prepared {
    commands: Vec<String>,
    work: String,
}

/// Prepares a project in its folder of the cache, unless that was done before by the same compiler.
fn prepared(
    stock: &Stock,
    name: &'static str,
    executable: &'static str,
    prepare: impl FnOnce(&Path) -> Result<Prepared>,
) -> Result<Project> {
    let folder = cache_folder(name)?;
    let file = folder.join(format!("{}{PREPARED}", stock.version));
    let tree = folder.join("tree");
    let known = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let Prepared { commands, work } = if let Some(prepared) = known {
        prepared
    } else {
        println!("{name}: building it once with the stock compiler (some minutes)");
        fs::create_dir_all(&folder)?;
        let made = prepare(&tree).with_context(|| format!("preparing {name}"))?;
        fs::write(&file, serde_json::to_vec_pretty(&made)?)?;
        made
    };
    Ok(Project { name, tree, commands, executable, work })
}

/// What builds camlp4.
const OCAMLBUILD: &[&str] = &["ocamlbuild"];

/// Prepares a project at its first use.
type Prepare = fn(&Stock) -> Result<Project>;

/// The projects whose name matches, prepared.
pub fn all(stock: &Stock, filter: Option<&Regex>) -> Result<Vec<Project>> {
    let mut known: Vec<(&str, Prepare)> = vec![("ocamlopt", ocamlopt), ("menhir", menhir)];
    match packages::missing(OCAMLBUILD.iter().copied())? {
        None => known.push(("camlp4", camlp4)),
        Some(reason) => println!("camlp4: left out: {reason}"),
    }
    known
        .iter()
        .filter(|(name, _)| filter.is_none_or(|filter| filter.is_match(name)))
        .map(|(_, prepare)| prepare(stock))
        .collect()
}

/// Runs a step of a build; what it printed.
fn step(tree: &Path, script: &str) -> Result<String> {
    let mut command = shell(script, tree);
    Ok(process::run(&mut command, LIMIT)?.expect_success(script)?.all_output())
}

fn none() -> Result<Regex> {
    Ok(Regex::new("^$")?)
}

/// OCaml's native compiler, which compiles OCaml's standard library as far as to assembly code.
fn ocamlopt(stock: &Stock) -> Result<Project> {
    prepared(stock, "ocamlopt", "ocamlopt.opt", |tree| {
        let built = source_tree::built(stock)?;
        trees::copy_tree(&built, tree)?;
        // All compilers' programs read the same units of the library, and write the same.
        let library = tree.with_file_name("library");
        trees::copy_tree(&built.join("stdlib"), &library)?;
        trees::remove_native_code(tree, trees::COMPILER)?;
        for name in ["ocamlopt.opt", "compilerlibs"] {
            trees::remove_results(&tree.join(name))?;
        }
        // Only what make would do is wanted.
        let of_compiler = step(
            tree,
            "make -n V=1 CAMLOPT='ocamlopt -g -nostdlib -I stdlib -I otherlibs/dynlink' ocamlopt.opt",
        )?;
        trees::remove_native_code(tree, &["stdlib"])?;
        let of_library = step(tree, "make -n -C stdlib V=1 CAMLOPT=ocamlopt allopt")?;
        let mut commands = native_commands(&of_library, Some("stdlib"), &none()?)?;
        let units = commands
            .iter()
            .filter(|command| command.contains(" -c "))
            .map(|command| {
                let arguments = command.rsplit("$FLAGS").next().unwrap_or_default();
                format!("\"$PROGRAM\" {arguments} -stop-after scheduling")
            })
            .collect::<Vec<_>>()
            .join(" &&\n");
        commands.extend(native_commands(&of_compiler, None, &none()?)?);
        Ok(Prepared { commands, work: format!("cd '{}' &&\n{units}", library.display()) })
    })
}

/// Menhir, which makes the parser of OCaml's own grammar.
fn menhir(stock: &Stock) -> Result<Project> {
    packages::install(&["ocaml-dune"])?;
    prepared(stock, "menhir", "_build/default/src/stage2/main.exe", |tree| {
        let source = packages::source("menhir")?;
        trees::copy_tree(&source, tree)?;
        step(tree, "dune build --profile release src/stage2/main.exe")?;
        let log = fs::read_to_string(tree.join("_build/log"))?;
        // The first stage makes the parser of the second one, and is no part of it.
        let commands = native_commands(&log, None, &Regex::new("stage1")?)?;
        let grammar = source_tree::built(stock)?.join("parsing/parser.mly");
        fs::copy(&grammar, tree.join("grammar.mly"))
            .with_context(|| format!("cannot copy {}", grammar.display()))?;
        Ok(Prepared { commands, work: "\"$PROGRAM\" --table grammar.mly && cksum < grammar.ml".into() })
    })
}

/// Camlp4, which parses and prints the 23,000 lines of its own library.
fn camlp4(stock: &Stock) -> Result<Project> {
    packages::install(OCAMLBUILD)?;
    prepared(stock, "camlp4", "_build/camlp4/camlp4print.native", |tree| {
        let source = packages::source("camlp4")?;
        trees::copy_tree(&source, tree)?;
        step(tree, "./configure && make native")?;
        let log = fs::read_to_string(tree.join("_build/_log"))?;
        // Of the many executables, one is enough: with the printer of OCaml linked into it.
        let others = Regex::new(r"-o camlp4/(mk)?camlp4(prof|boot|r|rf|of|oof|orf)?\.native")?;
        let mut commands = native_commands(&log, Some("_build"), &others)?;
        for command in &mut commands {
            if command.contains("-o camlp4/camlp4o.native") {
                *command = command
                    .replace("Camlp4AutoPrinter.cmx", "Camlp4OCamlPrinter.cmx")
                    .replace("camlp4o.native", "camlp4print.native");
            }
        }
        // The link stands before the printers are compiled.
        commands.sort_by_key(|command| command.contains("camlp4print.native"));
        Ok(Prepared {
            commands,
            work: "\"$PROGRAM\" camlp4/boot/Camlp4.ml > printed.ml && cksum < printed.ml".into(),
        })
    })
}
