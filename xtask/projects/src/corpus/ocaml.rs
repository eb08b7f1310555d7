//! OCaml's own sources: each folder of the built tree with the flags of its Makefile, as far as they matter for native
//! code. What OCaml's build compiles to bytecode only (the debugger, some tools) is compiled all the same.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::command::{self, Unit};
use xtask_support::process;

const LIMIT: Duration = Duration::from_secs(600);

/// Folders that are compiled together, and those whose interfaces they need beside them.
struct Group {
    folders: &'static [&'static str],
    needs: &'static [&'static str],
}

/// The folders of the compiler, for all that is built on it.
const COMPILER: &[&str] = &[
    "utils",
    "parsing",
    "typing",
    "bytecomp",
    "file_formats",
    "lambda",
    "middle_end",
    "middle_end/closure",
    "middle_end/flambda",
    "middle_end/flambda/base_types",
    "asmcomp",
    "asmcomp/debug",
    "driver",
    "toplevel",
];

/// The folder of `asmcomp` with what depends on the machine that this is compiled for.
const MACHINE: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

const GROUPS: &[Group] = &[
    Group { folders: COMPILER, needs: &["otherlibs/dynlink"] },
    Group { folders: &["toplevel/native"], needs: &["otherlibs/dynlink"] },
    Group { folders: &["lex"], needs: &[] },
    Group { folders: &["ocamltest"], needs: &["otherlibs/unix", "otherlibs/systhreads", "otherlibs/str"] },
    Group { folders: &["tools"], needs: &["otherlibs/unix", "otherlibs/str", "otherlibs/dynlink"] },
    Group {
        folders: &["debugger"],
        needs: &["otherlibs/unix", "otherlibs/dynlink", "otherlibs/dynlink/byte"],
    },
    Group { folders: &["ocamldoc"], needs: &["otherlibs/unix", "otherlibs/str", "otherlibs/dynlink"] },
    Group { folders: &["otherlibs/unix"], needs: &[] },
    Group { folders: &["otherlibs/str"], needs: &[] },
    Group { folders: &["otherlibs/bigarray"], needs: &["otherlibs/unix"] },
    Group { folders: &["otherlibs/systhreads"], needs: &["otherlibs/unix"] },
    Group { folders: &["otherlibs/runtime_events"], needs: &["otherlibs/unix"] },
];

/// The units of the tree, each after those that it needs. Those whose interface was not compiled, because this build of
/// OCaml does not have them, are left out.
pub fn units(tree: &Path) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for group in GROUPS {
        let mut include = vec!["-nostdlib", "-I", "stdlib"];
        let needed = group.folders.iter().chain(group.needs).chain(COMPILER);
        // Not every version has all of them.
        for folder in needed.filter(|folder| tree.join(folder).is_dir()) {
            include.extend(["-I", folder]);
        }
        for source in sorted(tree, group.folders, &include)? {
            let mut words: Vec<String> = include.iter().map(|word| (*word).to_owned()).collect();
            words.push(source);
            units.extend(command::units(&tree.to_string_lossy(), &words));
        }
    }
    Ok(units)
}

/// The units of an unpacked tree that was not built, for which the interfaces of the installed compiler are put beside
/// their sources. What is generated, and what is missing of other units, is found where it is installed.
pub fn units_beside_installed(tree: &Path, library: &Path) -> Result<Vec<Unit>> {
    let installed = library.join("compiler-libs");
    add_machine(tree)?;
    for folder in COMPILER {
        let Ok(entries) = fs::read_dir(tree.join(folder)) else { continue };
        for entry in entries {
            let interface = entry?.path().with_extension("cmi");
            if let Some(name) = interface.file_name()
                && installed.join(name).exists()
            {
                fs::copy(installed.join(name), &interface)?;
            }
        }
    }
    let mut include: Vec<&str> = COMPILER
        .iter()
        .filter(|folder| tree.join(folder).is_dir())
        .flat_map(|folder| ["-I", folder])
        .collect();
    let sources = sorted(tree, COMPILER, &include)?;
    include.extend(["-I", "+compiler-libs"]);
    let words: Vec<String> = include.into_iter().map(str::to_owned).chain(sources).collect();
    Ok(command::units(&tree.to_string_lossy(), &words))
}

/// The sources of `asmcomp` for one machine, which the build links into the folder of the others.
fn add_machine(tree: &Path) -> Result<()> {
    let folder = tree.join("asmcomp");
    let machine = folder.join(MACHINE);
    for source in fs::read_dir(&machine).with_context(|| format!("no {}", machine.display()))? {
        let source = source?;
        let there = folder.join(source.file_name());
        // A link of a tree that was built leads to the source itself.
        if !there.exists() {
            fs::copy(source.path(), there)?;
        }
    }
    Ok(())
}

/// The sources of folders with compiled interfaces, in an order in which they can be compiled.
fn sorted(tree: &Path, folders: &[&str], include: &[&str]) -> Result<Vec<String>> {
    let mut sources = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(tree.join(folder)) else { continue };
        for entry in entries {
            let path = entry?.path();
            let is_source = path.extension().is_some_and(|end| end == "ml");
            if is_source
                && path.with_extension("cmi").exists()
                && let Some(name) = path.file_name()
            {
                sources.push(format!("{folder}/{}", name.to_string_lossy()));
            }
        }
    }
    sources.sort();
    let mut command = Command::new("ocamldep");
    command
        .arg("-sort")
        .args(include.iter().filter(|word| **word != "-nostdlib"))
        .args(&sources)
        .current_dir(tree);
    let order = process::run(&mut command, LIMIT)?.expect_success("ocamldep -sort")?.out();
    Ok(order.split_whitespace().map(str::to_owned).collect())
}
