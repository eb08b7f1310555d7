//! `flambeau recompile`: libraries that another compiler made, once more, from the typed trees (`.cmt`) that are
//! installed beside them.
//!
//! The result is a folder that takes the place of the library's: all that is not native code is linked there. Units are
//! compiled in the order of what they use, several at once.

mod library;
mod order;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZero;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;

use library::{Library, Unit};

/// What `flambeau recompile` is told.
#[derive(Args)]
pub struct RecompileArguments {
    /// The folder for the result
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// How many compilations at once [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Libraries of one folder (.cmxa), those that others use first
    #[arg(required = true, value_name = "LIBRARIES")]
    libraries: Vec<PathBuf>,
    /// Flags for each compilation, such as -O3, and -I for what is not in the folder
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<OsString>,
}

/// The files that are made anew, or would not fit to what is.
const NATIVE: &[&str] = &["a", "cmx", "cmxa", "cmxs", "o"];

/// Compiles the libraries and puts them together.
///
/// # Errors
/// When a library has no typed trees, or a unit of one can't be compiled.
pub fn run(arguments: &RecompileArguments) -> Result<()> {
    let build = Build::new(arguments)?;
    let libraries: Vec<Library> =
        arguments.libraries.iter().map(|file| Library::read(file)).collect::<Result<_>>()?;
    build.link_what_stays()?;
    let units: Vec<&Unit> = libraries.iter().flat_map(|library| &library.units).collect();
    let jobs = arguments.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    order::in_order_of_use(&units, jobs, |unit| build.compile(unit))?;
    for library in &libraries {
        build.archive(library)?;
    }
    println!("{} units are compiled to {}", units.len(), build.to.display());
    Ok(())
}

/// The folders of the libraries and of the result, and what each compilation is told.
struct Build<'a> {
    executable: PathBuf,
    from: PathBuf,
    to: PathBuf,
    flags: &'a [OsString],
}

impl<'a> Build<'a> {
    fn new(arguments: &'a RecompileArguments) -> Result<Build<'a>> {
        let executable = std::env::current_exe().context("finding the path of flambeau itself")?;
        let folder_of = |file: &PathBuf| {
            let absolute = std::path::absolute(file)?;
            Ok(absolute.parent().map(Path::to_owned).unwrap_or_default())
        };
        let folders: Vec<PathBuf> = arguments.libraries.iter().map(folder_of).collect::<Result<_>>()?;
        let Some(from) = folders.first().filter(|first| folders.iter().all(|folder| folder == *first)) else {
            bail!("the libraries are in several folders: recompile those of each folder by themselves")
        };
        fs::create_dir_all(&arguments.to).with_context(|| format!("making {}", arguments.to.display()))?;
        let to =
            arguments.to.canonicalize().with_context(|| format!("finding {}", arguments.to.display()))?;
        if from.canonicalize().is_ok_and(|from| from == to) {
            bail!("{} is the folder of the libraries themselves", to.display());
        }
        Ok(Build { executable, from: from.clone(), to, flags: &arguments.flags })
    }

    /// Links the interfaces, the bytecode and what else is in the folder.
    fn link_what_stays(&self) -> Result<()> {
        let entries = fs::read_dir(&self.from).with_context(|| format!("reading {}", self.from.display()))?;
        for entry in entries {
            let path = entry?.path();
            let is_native =
                path.extension().and_then(OsStr::to_str).is_some_and(|extension| NATIVE.contains(&extension));
            let Some(name) = path.file_name().filter(|_| !is_native) else { continue };
            let link = self.to.join(name);
            if link.symlink_metadata().is_err() {
                symlink(&path, &link).with_context(|| format!("making {}", link.display()))?;
            }
        }
        Ok(())
    }

    fn compile(&self, unit: &Unit) -> Result<()> {
        let mut command = self.compiler();
        command.args(self.flags).args(["-c", "-I"]).arg(&self.to);
        if unit.linked_always {
            command.arg("-linkall");
        }
        command.arg("-o").arg(self.to.join(&unit.file).with_extension("cmx"));
        command.arg("-impl").arg(self.to.join(&unit.file).with_extension("cmt"));
        succeed(&mut command).with_context(|| format!("compiling {}", unit.name))
    }

    fn archive(&self, library: &Library) -> Result<()> {
        let mut command = self.compiler();
        command.arg("-a").arg("-o").arg(&library.name);
        for word in &library.c_libraries {
            command.arg("-cclib").arg(word);
        }
        for word in &library.c_options {
            command.arg("-ccopt").arg(word);
        }
        command.args(library.units.iter().map(|unit| Path::new(&unit.file).with_extension("cmx")));
        succeed(&mut command).with_context(|| format!("making {}", library.name))
    }

    /// This executable as ocamlopt, in the folder of the result.
    fn compiler(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.to);
        command
    }
}

/// Runs a command; what it printed is the error if it fails.
fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output().context("running flambeau")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_several_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = |libraries: &[&str], to: &str| RecompileArguments {
            to: folder.path().join(to),
            jobs: None,
            libraries: libraries.iter().map(|library| folder.path().join(library)).collect(),
            flags: Vec::new(),
        };
        let refused = |libraries: &[&str], to| {
            Build::new(&arguments(libraries, to)).err().map(|error| error.to_string())
        };
        assert_eq!(refused(&["a/x.cmxa", "a/y.cmxa"], "out"), None);
        assert!(refused(&["a/x.cmxa", "b/y.cmxa"], "out").unwrap().contains("several folders"));
        assert!(refused(&["out/x.cmxa"], "out").unwrap().contains("of the libraries themselves"));
    }
}
