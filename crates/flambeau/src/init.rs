//! `flambeau init`: writes what a dune project needs to be compiled by flambeau, optimised.
//!
//! Two things hold dune back: its profile `dev`, the default, compiles with `-opaque`, which hides each unit from all
//! others; and it optimises at the compiler's default level. Which compiler dune takes is a matter of the PATH, which
//! the workspace may set.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::toolchain;

/// The arguments of `flambeau init`.
#[derive(Args)]
pub struct InitArguments {
    /// The root of the project
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The toolchain folder, made if it is not there [default: that of this flambeau, or else one in the home folder]
    #[arg(long, value_name = "DIR")]
    toolchain: Option<PathBuf>,
}

/// `flambeau init`.
///
/// # Errors
/// When there is no dune project, or something can't be written.
pub fn run(arguments: &InitArguments) -> Result<()> {
    let project = Project::at(&arguments.folder)?;
    let bin = match &arguments.toolchain {
        Some(folder) => toolchain_in(folder)?,
        None => usual_toolchain()?,
    };
    project.write_workspace(&bin)?;
    project.write_flags()
}

/// The toolchain folder that this executable is in, or else one in the home folder, which is made: its `bin`.
pub fn usual_toolchain() -> Result<PathBuf> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    if let Some(bin) = own.parent().filter(|bin| bin.join("ocamlopt").exists() && bin.join("ocamlc").exists())
    {
        return Ok(bin.to_owned());
    }
    let home = std::env::var_os("HOME").context("HOME is not set: name a folder with --toolchain")?;
    let name = concat!("flambeau-toolchain-", env!("FLAMBEAU_OCAML_VERSION"));
    toolchain_in(&Path::new(&home).join(name))
}

fn toolchain_in(folder: &Path) -> Result<PathBuf> {
    toolchain::make(folder)?;
    let bin = folder.join("bin");
    bin.canonicalize().with_context(|| format!("finding {}", bin.display()))
}

/// A dune project.
pub struct Project {
    folder: PathBuf,
    /// The version of dune's language.
    language: String,
}

impl Project {
    /// The project with that root.
    ///
    /// # Errors
    /// When there is none.
    pub fn at(folder: &Path) -> Result<Project> {
        let file = folder.join("dune-project");
        let Ok(text) = fs::read_to_string(&file) else {
            bail!(
                "no dune-project in {}. With ocamlfind, ocamlbuild and make nothing is to be written: only the bin of a \
                 toolchain folder must be first on the PATH (flambeau toolchain DIR)",
                folder.display()
            )
        };
        let language = text.split("(lang dune").nth(1).and_then(|rest| rest.split(')').next());
        let language = language.unwrap_or("2.0").trim().to_owned();
        Ok(Project { folder: folder.to_owned(), language })
    }

    /// What the workspace says, if there is one.
    fn workspace(&self) -> Option<String> {
        fs::read_to_string(self.folder.join("dune-workspace")).ok()
    }

    /// Whether units are compiled as in a release: so that they see each other.
    pub fn is_release(&self) -> bool {
        self.workspace().is_some_and(|text| without_comments(&text).contains("(profile release)"))
    }

    /// The `bin` folders that the workspace puts on the PATH.
    pub fn paths(&self) -> Vec<PathBuf> {
        let text = without_comments(&self.workspace().unwrap_or_default());
        let Some(rest) = text.split("(PATH").nth(1) else { return Vec::new() };
        let words = rest.split(')').next().unwrap_or_default();
        words
            .split_whitespace()
            .map(|word| PathBuf::from(word.trim_matches('"')))
            .filter(|p| p.is_absolute())
            .collect()
    }

    /// Whether some `dune` file of the project, or its workspace, asks for an optimisation level.
    pub fn asks_for_level(&self) -> bool {
        let asks = |text: &str| {
            let text = without_comments(text);
            text.split(|c: char| c.is_whitespace() || "()".contains(c))
                .any(|word| word == "-O3" || word == "-O2")
        };
        self.workspace().is_some_and(|text| asks(&text))
            || dune_files(&self.folder).iter().any(|text| asks(text))
    }

    /// Lets the compiler in `bin` compile the project, as in a release.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write_workspace(&self, bin: &Path) -> Result<()> {
        let file = self.folder.join("dune-workspace");
        let context = format!("(context (default (paths (PATH \"{}\" :standard))))", bin.display());
        if self.is_release() && self.paths().iter().any(|path| path == bin) {
            println!("{} is as it should be", file.display());
            return Ok(());
        }
        if file.exists() {
            println!("{} is there already; what it needs:\n  (profile release)\n  {context}", file.display());
            return Ok(());
        }
        let text = format!(
            "(lang dune {})\n\
             ; Written by `flambeau init`. It names a folder of this machine: leave it out of version control.\n\
             ; In the profile dev, dune hides units from each other (-opaque).\n\
             (profile release)\n\
             ; The compiler is flambeau.\n\
             {context}\n",
            self.language
        );
        fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
        println!("{} written: flambeau compiles this project, as for a release", file.display());
        Ok(())
    }

    /// Has all units of the project optimised at `-O3`.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write_flags(&self) -> Result<()> {
        let file = self.folder.join("dune");
        let stanza = "(env (_ (ocamlopt_flags (:standard -O3))))";
        if self.asks_for_level() {
            println!("{}: the project sets an optimisation level already", self.folder.display());
            return Ok(());
        }
        let before = fs::read_to_string(&file).unwrap_or_default();
        if without_comments(&before).contains("(env") {
            println!(
                "{} has a stanza env already; what it needs: (ocamlopt_flags (:standard -O3))",
                file.display()
            );
            return Ok(());
        }
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let text =
            format!("{before}{gap}; Written by `flambeau init`; other compilers ignore -O3.\n{stanza}\n");
        fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
        println!("{} written: all units are optimised at -O3", file.display());
        Ok(())
    }
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split(';').next().unwrap_or_default().to_owned() + "\n").collect()
}

/// The `dune` files of a source tree.
fn dune_files(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_hidden = name.to_string_lossy().starts_with(['_', '.']);
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_hidden {
                folders.push(entry.path());
            } else if name == "dune" {
                texts.extend(fs::read_to_string(entry.path()));
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_enough_and_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        assert!(Project::at(folder.path()).is_err());
        fs::write(path("dune-project"), "(lang dune 2.8)\n").expect("written");
        fs::create_dir(path("lib")).expect("made");
        fs::write(path("lib/dune"), "(library (name x)) ; -O3 one day\n").expect("written");
        let project = Project::at(folder.path()).expect("a project");
        assert!(!project.is_release() && !project.asks_for_level() && project.paths().is_empty());
        let bin = Path::new("/opt/flambeau/bin");
        for _ in 0..2 {
            project.write_workspace(bin).expect("written");
            project.write_flags().expect("written");
        }
        assert!(project.is_release() && project.asks_for_level());
        assert_eq!(project.paths(), [bin]);
        let flags = fs::read_to_string(path("dune")).expect("there");
        assert_eq!(flags.matches("-O3))))").count(), 1);
        assert!(fs::read_to_string(path("dune-workspace")).expect("there").starts_with("(lang dune 2.8)\n"));
    }

    #[test]
    fn what_the_user_wrote_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [
            ("dune-project", "(lang dune 2.0)"),
            ("dune-workspace", "(lang dune 2.0)\n"),
            ("dune", "(env (dev))"),
        ];
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        let project = Project::at(folder.path()).expect("a project");
        project.write_workspace(Path::new("/bin")).expect("written, or said why not");
        project.write_flags().expect("written, or said why not");
        for (name, text) in files {
            assert_eq!(fs::read_to_string(folder.path().join(name)).expect("there"), text);
        }
    }
}
