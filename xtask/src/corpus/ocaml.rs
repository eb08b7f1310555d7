//! OCaml's own sources: each folder of the built tree with the flags of its Makefile, as far as they matter for native code.
//! What OCaml's build compiles to bytecode only (the debugger, some tools) is compiled all the same.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::command::{self, Unit};
use crate::process;

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

/// The units of the tree, each after those that it needs. Those whose interface was not compiled, because this build of OCaml
/// does not have them, are left out.
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
