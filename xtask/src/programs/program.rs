//! The test programs: their files, and the directives at their heads.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xtask_support::cache::Key;
use xtask_support::ocaml::bounds::Bounds;

/// Directives stand within this many lines from the top, perhaps after the words that say what is tested.
const HEAD_LINES: usize = 20;

/// A program of `tests/programs`.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    /// The folder that its files are in.
    pub folder: PathBuf,
    /// All files that its compilation may read, relative to `folder`, sorted.
    pub files: Vec<String>,
    /// What to give to the compiler, in this order.
    pub order: Vec<String>,
    pub directives: Directives,
}

/// The directives of a program's first lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Directives {
    pub flags: Vec<String>,
    pub packages: Vec<String>,
    /// The program of `ocamlc` behaves in another way.
    pub no_bytecode: bool,
    /// No bytecode of the program is reliable, that of `ocamlc` neither.
    pub unstable_bytecode: bool,
    pub exit: i32,
    pub stderr: bool,
    pub backtrace: bool,
    /// The versions of OCaml that have what the program uses.
    pub versions: Bounds,
}

impl Directives {
    /// Reads the directives at the head of a source file, each a comment that fills a line. They belong in the
    /// main file of a folder; in another file they would be easy to overlook, so they count there too.
    pub fn read(source: &str, into: &mut Directives) -> Result<()> {
        for line in source.lines().take(HEAD_LINES) {
            let Some((name, value)) = line
                .trim()
                .strip_prefix("(*")
                .and_then(|rest| rest.strip_suffix("*)"))
                .and_then(|comment| comment.split_once(':'))
            else {
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            let words = value.split_whitespace().map(str::to_owned);
            // The reason may follow: `bytecode: no, it allocates where native code does not`.
            let choice = value.split(',').next().unwrap_or(value).trim();
            match (name, choice) {
                ("flags", _) => into.flags.extend(words),
                ("packages", _) => into.packages.extend(words),
                ("bytecode", "no") => into.no_bytecode = true,
                ("bytecode", "unstable") => into.unstable_bytecode = true,
                ("stderr", "yes") => into.stderr = true,
                ("backtrace", "yes") => into.backtrace = true,
                ("ocaml", bounds) => into.versions.extend(Bounds::parse(bounds)?),
                ("exit", code) => into.exit = code.parse().context("the exit directive")?,
                // A misspelt value would silently weaken the test; other comments are prose.
                ("bytecode" | "stderr" | "backtrace", _) => bail!("unknown directive: {line}"),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Program {
    /// A program that is one file.
    pub fn single(file: &Path) -> Result<Program> {
        let name = stem(file);
        let folder = file.parent().context("a file without a folder")?;
        let order = vec![format!("{name}.ml")];
        Program::new(name, folder, order.clone(), order)
    }

    /// A program that is a folder with a file `order`.
    fn folder(folder: &Path) -> Result<Program> {
        let order: Vec<String> = fs::read_to_string(folder.join("order"))?
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect();
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                files.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        files.sort();
        Program::new(stem(folder), folder, files, order)
    }

    fn new(name: String, folder: &Path, files: Vec<String>, order: Vec<String>) -> Result<Program> {
        let mut directives = Directives::default();
        for file in order.iter().filter(|file| file.ends_with(".ml")) {
            let path = folder.join(file);
            let source = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            Directives::read(&String::from_utf8_lossy(&source), &mut directives)
                .with_context(|| path.display().to_string())?;
        }
        Ok(Program { name, folder: folder.to_path_buf(), files, order, directives })
    }

    /// The programs of a folder, by name.
    pub fn all(folder: &Path) -> Result<Vec<Program>> {
        let mut programs = Vec::new();
        let entries = fs::read_dir(folder)
            .with_context(|| format!("cannot read the programs in {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.join("order").is_file() {
                programs.push(Program::folder(&path)?);
            } else if path.is_dir() {
                bail!("{}: a program's folder needs an `order`", path.display());
            } else if path.extension().is_some_and(|extension| extension == "ml") {
                programs.push(Program::single(&path)?);
            }
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(programs)
    }

    /// Adds the program's sources to a key of the cache.
    pub fn key(&self, mut key: Key) -> Result<Key> {
        for file in &self.files {
            key = key.with(file).with(fs::read(self.folder.join(file))?);
        }
        for file in &self.order {
            key = key.with(file);
        }
        Ok(key)
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(source: &str) -> Result<Directives> {
        let mut result = Directives::default();
        Directives::read(source, &mut result)?;
        Ok(result)
    }

    #[test]
    fn directives_stand_at_the_head() -> Result<()> {
        let read = directives(
            "(* flags: -w -a *)\n(* a note: exit early,\n   at once *)\n(* exit: 2 *)\nlet x = 1\n",
        )?;
        assert_eq!(read.flags, ["-w", "-a"]);
        assert_eq!((read.exit, read.stderr), (2, false));
        let read = directives("(* bytecode: unstable, it crashes *)\n")?;
        assert!(read.unstable_bytecode && !read.no_bytecode);
        let read = directives("(* ocaml: < 5.0, Stream is gone *)\n")?;
        assert!(read.versions.hold("4.14.1")? && !read.versions.hold("5.3.0")?);
        let late = format!("{}(* exit: 2 *)\n", "\n".repeat(HEAD_LINES));
        assert_eq!(directives(&late)?, Directives::default());
        Ok(())
    }

    #[test]
    fn misspelt_directives_are_refused() {
        assert!(directives("(* bytecode: none *)\n").is_err());
        assert!(directives("(* exit: two *)\n").is_err());
        assert!(directives("(* ocaml: 5 *)\n").is_err());
    }
}
