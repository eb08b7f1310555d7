//! `cargo xtask dist`: the release archive, from which flambeau is built without a network: the sources of the last
//! commit and of every crate that they need, with a checksum for each file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::opam;
use xtask_support::{env, process, setup};

const LIMIT: Duration = Duration::from_secs(3600);
/// The sums of all files of the archive.
const SUMS: &str = "SHA256SUMS";
/// Crates that hold nothing but what the linkers of other systems need: their sources must be there, or cargo refuses
/// the lock file.
const IMPORT_LIBRARIES: &[&str] = &["windows_", "winapi-"];

/// The options of `cargo xtask dist`.
#[derive(Args)]
pub struct Options {
    /// Build from the archive in an empty folder with the network cut off, as opam would, and compile a program with
    /// the result
    #[arg(long)]
    check: bool,
}

/// Makes the archive; whether it can be built from, if that was asked for.
pub fn run(options: &Options) -> Result<bool> {
    let name = format!("flambeau-{}", env!("CARGO_PKG_VERSION"));
    let folder = env::target().join("dist");
    fs::create_dir_all(&folder)?;
    let work = tempfile::Builder::new().prefix("making-").tempdir_in(&folder)?;
    let tree = work.path().join(&name);
    fs::create_dir(&tree)?;
    commit(&tree)?;
    vendor(&tree)?;
    write_sums(&tree)?;
    let archive = folder.join(format!("{name}.tar.gz"));
    pack(work.path(), &name, &archive)?;
    let sum = sum_of(&archive)?;
    fs::write(folder.join(format!("{name}.tar.gz.sha256")), format!("{sum}  {name}.tar.gz\n"))?;
    println!("{} ({} KB)\nsha256 {sum}", archive.display(), fs::metadata(&archive)?.len() / 1024);
    if options.check {
        check(&archive, &name)?;
    }
    Ok(true)
}

/// The files of the last commit.
fn commit(tree: &Path) -> Result<()> {
    let changed = env::line_of(git().args(["status", "--porcelain", "--untracked-files=no"]))?;
    if !changed.is_empty() {
        println!("the archive is of the last commit, without these changes:\n{changed}");
    }
    let packed = tree.with_extension("tar");
    let mut archive = git();
    archive.args(["archive", "--format=tar", "--output"]).arg(&packed).arg("HEAD");
    process::run(&mut archive, LIMIT)?.expect_success("git archive")?;
    let mut unpack = Command::new("tar");
    process::run(unpack.arg("-xf").arg(&packed).arg("-C").arg(tree), LIMIT)?.expect_success("tar")?;
    Ok(fs::remove_file(packed)?)
}

fn git() -> Command {
    let mut command = Command::new("git");
    command.current_dir(env::root());
    command
}

/// Puts the crates of the lock file into the tree, and configures cargo to use them.
fn vendor(tree: &Path) -> Result<()> {
    let mut command = setup::cargo();
    command.args(["vendor", "--locked", "--versioned-dirs", "vendor"]).current_dir(tree);
    let settings = process::run(&mut command, LIMIT)?.expect_success("cargo vendor")?.out();
    for entry in fs::read_dir(tree.join("vendor"))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if IMPORT_LIBRARIES.iter().any(|prefix| name.starts_with(prefix)) {
            remove_libraries(&entry.path())?;
        }
    }
    let file = tree.join(".cargo/config.toml");
    let own = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(fs::write(&file, format!("{own}\n# The crates are part of this archive.\n{settings}"))?)
}

/// Takes the libraries for the linkers of another system out of a crate, and out of the list of its files.
fn remove_libraries(folder: &Path) -> Result<()> {
    let list = folder.join(".cargo-checksum.json");
    let text = fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let mut value: Value = serde_json::from_slice(&text)?;
    let files = value.get_mut("files").and_then(Value::as_object_mut).context("a crate without files")?;
    let is_library = |name: &str| name.ends_with(".a") || name.ends_with(".lib");
    for name in files.keys().filter(|name| is_library(name)) {
        fs::remove_file(folder.join(name))?;
    }
    files.retain(|name, _| !is_library(name));
    Ok(fs::write(&list, serde_json::to_vec(&value)?)?)
}

/// Writes the sum of every file, for `sha256sum --check`.
fn write_sums(tree: &Path) -> Result<()> {
    let mut sums = BTreeMap::new();
    for file in env::files_below(tree)? {
        let name = file.strip_prefix(tree)?.to_string_lossy().into_owned();
        sums.insert(name, sum_of(&file)?);
    }
    let lines: Vec<String> = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    Ok(fs::write(tree.join(SUMS), lines.concat())?)
}

fn sum_of(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Packs a folder so that the same files always make the same archive.
fn pack(parent: &Path, name: &str, archive: &Path) -> Result<()> {
    let time = env::line_of(git().args(["log", "-1", "--format=%ct"]))?;
    let mut command = Command::new("tar");
    command
        .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw"])
        .arg(format!("--mtime=@{time}"))
        .args(["--use-compress-program", "gzip -n -9", "-cf"])
        .arg(archive)
        .arg(name)
        .current_dir(parent);
    process::run(&mut command, LIMIT)?.expect_success("tar")?;
    Ok(())
}

/// Unpacks the archive in an empty folder, and does there what the opam package does, without a network and without
/// what cargo has fetched before.
fn check(archive: &Path, name: &str) -> Result<()> {
    let temporary = tempfile::Builder::new().prefix("flambeau-dist-").tempdir()?;
    let mut unpack = Command::new("tar");
    process::run(unpack.arg("-xf").arg(archive).arg("-C").arg(temporary.path()), LIMIT)?
        .expect_success("tar")?;
    let tree = temporary.path().join(name);
    let offline = |words: &[String], folder: &Path| -> Result<String> {
        let mut command = Command::new("unshare");
        command.args(["--net", "--map-root-user", "nice"]).args(words).current_dir(folder);
        for (variable, _) in std::env::vars_os() {
            let is_cargos = variable.to_string_lossy().starts_with("CARGO");
            if is_cargos || variable == "FLAMBEAU" || variable == "RUSTC" {
                command.env_remove(variable);
            }
        }
        command.env("CARGO_HOME", temporary.path().join("cargo"));
        Ok(process::run(&mut command, LIMIT)?.expect_success(&words.join(" "))?.out())
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    offline(&words(&format!("sha256sum --check --quiet {SUMS}")), &tree)?;
    let package = opam::Package::read(&tree.join("flambeau.opam"))?;
    if package.version != env!("CARGO_PKG_VERSION") {
        bail!("flambeau.opam is for version {}", package.version);
    }
    let bin = temporary.path().join("bin");
    fs::create_dir(&bin)?;
    for step in package.build.iter().chain(&package.install) {
        let step: Vec<String> =
            step.iter().map(|word| word.replace("%{bin}%", &bin.to_string_lossy())).collect();
        println!("offline: {}", step.join(" "));
        offline(&step, &tree)?;
    }
    let hello = temporary.path().join("hello");
    fs::create_dir(&hello)?;
    fs::write(hello.join("hello.ml"), "let () = List.iter print_endline [ \"hello\" ]\n")?;
    let flambeau: PathBuf = bin.join("flambeau");
    offline(&words(&format!("{} -O3 -o hello hello.ml", flambeau.display())), &hello)?;
    let printed = offline(&words("./hello"), &hello)?;
    if printed != "hello\n" {
        bail!("the program that the result compiled printed {printed:?}");
    }
    println!("built without a network from {}, and the result compiles", archive.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_without_its_libraries_is_whole() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["lib.rs", "x.a", "y.lib"] {
            fs::write(folder.path().join(name), "")?;
        }
        let list = folder.path().join(".cargo-checksum.json");
        fs::write(&list, r#"{"files":{"lib.rs":"0","x.a":"1","y.lib":"2"},"package":"3"}"#)?;
        remove_libraries(folder.path())?;
        assert_eq!(fs::read_to_string(&list)?, r#"{"files":{"lib.rs":"0"},"package":"3"}"#);
        assert!(folder.path().join("lib.rs").exists() && !folder.path().join("x.a").exists());
        Ok(())
    }

    #[test]
    fn sums_are_of_all_files() -> Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("b"))?;
        fs::write(folder.path().join("b/c"), "")?;
        fs::write(folder.path().join("a"), "x")?;
        write_sums(folder.path())?;
        let text = fs::read_to_string(folder.path().join(SUMS))?;
        let names: Vec<_> = text.lines().filter_map(|line| line.split("  ").nth(1)).collect();
        assert_eq!(names, ["a", "b/c"]);
        assert!(text.lines().all(|line| line.len() > 66));
        Ok(())
    }
}
