//! Build systems that keep results: what a compilation depends on is what they can see, and two machines make the same.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::lab::Lab;
use super::{Check, Verdict};
use xtask_support::ocaml::packages;
use xtask_support::{env, process};

pub const CHECKS: &[Check] = &[Check { name: "cache-dune", run: dune }];

const LIMIT: Duration = Duration::from_secs(120);

/// A library and a program, which inline functions of the standard library and of each other.
const PROJECT: &[(&str, &str)] = &[
    ("dune-project", "(lang dune 2.0)\n"),
    ("lib/dune", "(library (name shapes))\n"),
    ("lib/sums.ml", "let total l = List.fold_left ( + ) 0 (List.map (fun x -> x * x) l)\n"),
    ("bin/dune", "(executable (name main) (libraries shapes))\n"),
    (
        "bin/main.ml",
        "let () = Printf.printf \"%d %s\\n\" (Shapes.Sums.total [ 1; 2; 3 ]) (Option.value ~default:\"none\" None)\n",
    ),
];

/// What such a build makes: the contents of its native files, by their names.
type Products = BTreeMap<PathBuf, Vec<u8>>;

/// A dune project is built in two folders, with a shared cache and with one each; then by another build of flambeau at
/// the same path. Nothing is stale, and everything equal.
fn dune(lab: &Lab) -> Result<Verdict> {
    let Some(dune) = packages::dune()? else { return Ok(Verdict::Skipped("no dune on the PATH".into())) };
    process::run(lab.command(&lab.flambeau).arg("toolchain").arg(lab.file("toolchain")), LIMIT)?
        .expect_success("flambeau toolchain")?;
    let build = |name: &str, cache: &str| build(lab, &dune, name, cache);

    let first = build("one", "shared")?;
    compare("from the shared cache in another folder", &first, &build("two", "shared")?)?;
    compare("built in another folder", &first, &build("three", "own")?)?;

    // Another build, for the file differs; and it has no library, so that it makes other code.
    let executable = lab.file("toolchain/bin/flambeau");
    fs::OpenOptions::new()
        .append(true)
        .open(&executable)?
        .write_all(b"another build")
        .with_context(|| format!("changing {}", executable.display()))?;
    let stale = build("two", "shared")?;
    compare("by another build, with and without a cache", &build("four", "empty")?, &stale)?;
    if stale == first {
        bail!("another build of flambeau, without a library, made the same code: the test sees nothing");
    }
    Ok(Verdict::Held)
}

/// Builds the project in a folder, with dune's cache in another and its sandbox on.
fn build(lab: &Lab, dune: &Path, name: &str, cache: &str) -> Result<Products> {
    let folder = lab.file(name);
    for (name, content) in PROJECT {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
        fs::write(&file, content)?;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = lab.command(dune);
    command
        .args(["build", "--root", ".", "--profile", "release", "bin/main.exe"])
        .current_dir(&folder)
        .env("PATH", format!("{}:{path}", lab.file("toolchain/bin").display()))
        .env("XDG_CACHE_HOME", lab.file(cache))
        .env("DUNE_CACHE", "enabled")
        .env("DUNE_CACHE_TRANSPORT", "direct")
        .env("DUNE_SANDBOX", "symlink");
    process::run(&mut command, LIMIT)?.expect_success(&format!("dune build in {name}"))?;
    products(lab, &folder.join("_build/default"))
}

/// The native files of a build, without what the assembler writes of the folder that it runs in.
fn products(lab: &Lab, build: &Path) -> Result<Products> {
    let mut products = Products::new();
    for file in env::files_below(build)? {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let content = match extension {
            "cmx" => fs::read(&file)?,
            "o" | "exe" => {
                let stripped = lab.file("stripped");
                process::run(
                    lab.command("objcopy")
                        .args(["--strip-debug", "-R", ".note.gnu.build-id"])
                        .arg(&file)
                        .arg(&stripped),
                    LIMIT,
                )?
                .expect_success("objcopy")?;
                fs::read(&stripped)?
            }
            _ => continue,
        };
        products.insert(file.strip_prefix(build)?.to_path_buf(), content);
    }
    if products.len() < 5 {
        bail!("{}: only {} native files", build.display(), products.len());
    }
    Ok(products)
}

/// Fails with the files that differ.
fn compare(what: &str, expected: &Products, found: &Products) -> Result<()> {
    let names = expected.keys().chain(found.keys());
    let different: Vec<_> = names
        .filter(|name| expected.get(*name) != found.get(*name))
        .map(|name| name.display().to_string())
        .collect();
    if different.is_empty() { Ok(()) } else { bail!("{what}: these differ: {}", different.join(", ")) }
}
