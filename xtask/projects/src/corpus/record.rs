//! Building a package with its own build system and the stock compiler, while every compilation is recorded: in which
//! folder it ran, with which words.

use std::env::{join_paths, split_paths};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::command::{self, Unit};
use super::ocaml;
use super::packages::{Origin, Package};
use xtask_support::env::{self, Stock};
use xtask_support::ocaml::packages;
use xtask_support::{process, source_tree};

/// What the build of one package may take.
const LIMIT: Duration = Duration::from_secs(2 * 3600);

/// A package that was built, and what its build compiled, in its order.
pub struct Recorded {
    /// The tree that it was built in.
    pub tree: PathBuf,
    /// What was compiled.
    pub units: Vec<Unit>,
}

/// The file in a package's folder that holds its units, once it was built.
const UNITS: &str = "units.json";

/// Builds a package, or gives what an earlier call recorded.
pub fn recorded(package: &Package, stock: &Stock) -> Result<Recorded> {
    let work = env::cache("corpus")?.join(package.name);
    let tree = work.join("tree");
    if let Ok(text) = fs::read(work.join(UNITS)) {
        return Ok(Recorded { tree, units: serde_json::from_slice(&text)? });
    }
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    let records = work.join("records");
    fs::create_dir_all(&records)?;
    let units = match &package.origin {
        Origin::Ocaml => {
            copy(&source_tree::built(stock)?, &tree)?;
            ocaml::units(&tree)?
        }
        Origin::OcamlInstalled => {
            copy(&source_tree::unpacked(stock)?, &tree)?;
            ocaml::units_beside_installed(&tree, &stock.library)?
        }
        Origin::Debian(steps) => {
            packages::build_dependencies(package.name)?;
            copy(&packages::source(package.name)?, &tree)?;
            build(&tree, steps, &toolchain(&work, &records, stock)?)?;
            read_records(&records)?
        }
    };
    if units.is_empty() {
        bail!("the build compiled nothing with ocamlopt");
    }
    fs::write(work.join(UNITS), serde_json::to_vec(&units)?)?;
    Ok(Recorded { tree, units })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut command = Command::new("cp");
    process::run(command.arg("-a").arg(from).arg(to), LIMIT)?.expect_success("copying the sources")?;
    Ok(())
}

/// Builds in `tree`. What a build compiled before it failed is as good as the rest, so that a build which wants what is
/// not here (to make its documentation, say) is no failure.
fn build(tree: &Path, steps: &[&str], bin: &Path) -> Result<()> {
    let steps = if steps.is_empty() { usual_steps(tree) } else { steps };
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = join_paths([bin.to_path_buf()].into_iter().chain(split_paths(&old)))?;
    for step in steps {
        let mut command = Command::new("nice");
        command.args(["sh", "-c", step]).current_dir(tree);
        source_tree::quiet(&mut command)
            .env("PATH", &path)
            .env("OCAMLFIND_COMMANDS", format!("ocamlopt={}", bin.join("ocamlopt").display()))
            .env("DUNE_CACHE", "disabled")
            .env("DEB_BUILD_OPTIONS", "nocheck nodoc")
            .env("DEB_BUILD_PROFILES", "nocheck nodoc");
        let outcome = process::run(&mut command, LIMIT)?;
        fs::write(tree.with_extension("log"), outcome.all_output())?;
        if !outcome.exit.is_success() {
            println!("  {step}: {}; see {}", outcome.exit, tree.with_extension("log").display());
            break;
        }
    }
    Ok(())
}

/// How a tree says that it is built. Some mirrors have the archives of a package's authors without Debian's rules.
fn usual_steps(tree: &Path) -> &'static [&'static str] {
    let has = |name: &str| tree.join(name).exists();
    if has("debian/rules") {
        &["debian/rules build"]
    } else if has("dune-project") {
        &["dune build --profile release @install"]
    } else if has("configure") {
        &["./configure", "make"]
    } else {
        &["make"]
    }
}

/// A folder of tools in which `ocamlopt` is the stock one, and records what it compiles.
fn toolchain(work: &Path, records: &Path, stock: &Stock) -> Result<PathBuf> {
    let folder = work.join("toolchain");
    let mut command = Command::new(env::flambeau()?);
    process::run(command.arg("toolchain").arg(&folder), LIMIT)?.expect_success("flambeau toolchain")?;
    let bin = folder.join("bin");
    let recorder = recorder(&stock.ocamlopt, records);
    for name in ["ocamlopt", "ocamlopt.opt"] {
        write_script(&bin.join(name), &recorder)?;
    }
    if let Some(ocamlbuild) = env::find("ocamlbuild") {
        wrap_ocamlbuild(&ocamlbuild, &bin)?;
    }
    Ok(bin)
}

/// Ocamlbuild holds the path of the compiler, and gets another one. That one also replaces `ocamlfind ocamlopt`,
/// which a project's plugin may have chosen: such commands have flags of ocamlfind. With `-use-ocamlfind` it runs the
/// toolchain's ocamlfind, to which a path would be no command.
fn wrap_ocamlbuild(ocamlbuild: &Path, bin: &Path) -> Result<()> {
    let (compiler, bin) = (bin.join("ocamlopt-of-ocamlbuild"), bin.display().to_string());
    let script = format!(
        "#!/bin/sh\n\
         case \" $* \" in\n\
         *' -package '*|*' -linkpkg '*|*' -syntax '*|*' -predicates '*) exec '{bin}/ocamlfind' ocamlopt \"$@\" ;;\n\
         *) exec '{bin}/ocamlopt.opt' \"$@\" ;;\n\
         esac\n"
    );
    write_script(&compiler, &script)?;
    let script = format!(
        "#!/bin/sh\n\
         case \" $* \" in\n\
         *' -use-ocamlfind '*) exec '{ocamlbuild}' \"$@\" ;;\n\
         *) exec '{ocamlbuild}' -ocamlopt '{compiler}' \"$@\" ;;\n\
         esac\n",
        ocamlbuild = ocamlbuild.display(),
        compiler = compiler.display()
    );
    write_script(&Path::new(&bin).join("ocamlbuild"), &script)
}

/// The script that replaces `ocamlopt`. A record is a folder and words, each ended by a zero byte; its name
/// begins with the time at which the compilation ended, so that their order is one in which they can be repeated.
/// Sources that the build made may be gone at its end: a copy of them is beside the record.
fn recorder(ocamlopt: &Path, records: &Path) -> String {
    format!(
        "#!/bin/sh\n\
         # Written by `cargo xtask corpus`.\n\
         '{ocamlopt}' \"$@\"\n\
         status=$?\n\
         case \" $* \" in\n\
         *.ml\\ *|*.ml-gen\\ *)\n\
         if [ $status -eq 0 ]; then\n\
         record='{records}'/$(date +%s%N)-$$\n\
         for word in \"$@\"; do\n\
         case $word in *.ml|*.ml-gen) mkdir -p \"$record.sources\"; cp \"$word\" \"$record.sources/\" ;; esac\n\
         done\n\
         printf '%s\\0' \"$PWD\" \"$@\" > \"$record.part\" && mv \"$record.part\" \"$record.command\"\n\
         fi ;;\n\
         esac\n\
         exit $status\n",
        ocamlopt = ocamlopt.display(),
        records = records.display(),
    )
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    // It may be a link to the true one.
    let _ = fs::remove_file(path);
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// The units of all records, in the order in which they were compiled; of a unit that was compiled more than once, the
/// last.
fn read_records(folder: &Path) -> Result<Vec<Unit>> {
    let mut files: Vec<PathBuf> = env::files_below(folder)?
        .into_iter()
        .filter(|file| file.extension().is_some_and(|end| end == "command"))
        .collect();
    files.sort();
    let mut units: Vec<Unit> = Vec::new();
    for file in files {
        let text = String::from_utf8_lossy(&fs::read(&file)?).into_owned();
        let mut words = text.split_terminator('\0').map(str::to_owned);
        let Some(ran_in) = words.next() else { continue };
        for unit in command::units(&ran_in, &words.collect::<Vec<_>>()) {
            restore(&unit, &file.with_extension("sources"))?;
            let is_same = |other: &Unit| other.folder == unit.folder && other.output == unit.output;
            units.retain(|other| !is_same(other));
            units.push(unit);
        }
    }
    Ok(units)
}

/// Puts a source back that the build removed after it was compiled.
fn restore(unit: &Unit, sources: &Path) -> Result<()> {
    let source = Path::new(&unit.folder).join(&unit.source);
    let Some(name) = source.file_name() else { return Ok(()) };
    let copy = sources.join(name);
    let is_gone = !source.exists() && source.parent().is_some_and(Path::is_dir);
    if is_gone && copy.exists() {
        fs::copy(copy, &source)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debians_rules_come_before_those_of_the_authors() -> Result<()> {
        let tree = tempfile::tempdir()?;
        assert_eq!(usual_steps(tree.path()), ["make"]);
        fs::write(tree.path().join("configure"), "")?;
        assert_eq!(usual_steps(tree.path()), ["./configure", "make"]);
        fs::create_dir(tree.path().join("debian"))?;
        fs::write(tree.path().join("debian/rules"), "")?;
        assert_eq!(usual_steps(tree.path()), ["debian/rules build"]);
        Ok(())
    }
}
