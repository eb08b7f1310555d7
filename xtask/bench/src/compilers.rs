//! The compilers that are compared, and how each compiles and links a program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, SectionKind};
use serde::{Deserialize, Serialize};

use xtask_support::env::{self, Stock};
use xtask_support::process;
use xtask_support::shell;

/// Compiling one program takes a second at the most; a busy machine gets some more.
const LIMIT: Duration = Duration::from_secs(120);

/// What kind of compiler a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Maker {
    Stock,
    Flambda1,
    Flambeau,
    /// Of the same algorithm in C.
    C,
}

/// A compiler with its flags: a column of the tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Names maker and flags, so that the same name stands for the same thing in every record.
    pub name: String,
    pub maker: Maker,
    pub compiler: PathBuf,
    pub flags: Vec<String>,
    /// Whether a flambeau is to do without its library of descriptions.
    #[serde(default)]
    pub no_library: bool,
}

/// What one compilation cost.
pub struct Compilation {
    /// Processor time in seconds, without linking.
    pub seconds: f64,
    /// The middle-end's part of it.
    pub middle: Option<f64>,
    /// Peak memory in bytes.
    pub memory: u64,
}

impl Column {
    /// A compiler with flags, which stand between blanks.
    pub fn new(maker: Maker, compiler: PathBuf, flags: &str) -> Column {
        let name = match maker {
            Maker::Stock => "stock",
            Maker::Flambda1 => "flambda1",
            Maker::Flambeau => "flambeau",
            Maker::C => "gcc",
        };
        let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        let name = [name].into_iter().chain(flags.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        Column { name, maker, compiler, flags, no_library: false }
    }

    /// This column with the stock compiler's standard library.
    fn without_library(&self) -> Column {
        Column { name: format!("{}, no library", self.name), no_library: true, ..self.clone() }
    }

    /// The columns of a run, the stock compiler's first. `no_library`: each of flambeau's also without its
    /// library.
    pub fn all(
        stock: &Stock,
        stock_flags: &str,
        flambda1: Option<PathBuf>,
        ours: &[String],
        no_library: bool,
    ) -> Result<Vec<Column>> {
        let mut columns = vec![Column::new(Maker::Stock, stock.ocamlopt.clone(), stock_flags)];
        columns.extend(flambda1.map(|compiler| Column::new(Maker::Flambda1, compiler, "-O3")));
        let flambeau = env::flambeau()?;
        let default = [String::new()];
        for flags in if ours.is_empty() { &default } else { ours } {
            let column = Column::new(Maker::Flambeau, flambeau.clone(), flags);
            if columns.contains(&column) {
                bail!("the flags {flags:?} are given twice");
            }
            let without_library = no_library.then(|| column.without_library());
            columns.push(column);
            columns.extend(without_library);
        }
        if let Some(gcc) = env::find("gcc") {
            columns.push(Column::new(Maker::C, gcc, "-O2"));
        }
        Ok(columns)
    }

    /// The compiler in a folder, with its flags.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.compiler);
        clean(&mut command).current_dir(folder).args(&self.flags);
        if self.no_library {
            command.arg("-flambeau-no-library");
        }
        command
    }

    /// Compiles `NAME.ml` or `NAME.c` of a folder to `NAME.o`.
    pub fn compile(&self, folder: &Path, name: &str) -> Result<Compilation> {
        let mut command = self.command(folder);
        // Another compiler that stands in for ours does not know our flags.
        let profile = self.maker == Maker::Flambeau && env::stand_in().is_none();
        if profile {
            command.arg("-flambeau-profile");
        }
        let extension = if self.maker == Maker::C { "c" } else { "ml" };
        command.args(["-c", &format!("{name}.{extension}")]);
        let outcome = process::run(&mut command, LIMIT)?.expect_success("it does not compile")?;
        Ok(Compilation {
            seconds: outcome.cpu.as_secs_f64(),
            middle: if profile { Some(middle_end(&outcome.out())?) } else { None },
            memory: outcome.memory,
        })
    }

    /// Makes the executable `NAME.exe` of a program that is compiled.
    pub fn link(&self, folder: &Path, name: &str) -> Result<PathBuf> {
        let executable = format!("{name}.exe");
        let mut command = self.command(folder);
        match self.maker {
            Maker::C => command.args([&format!("{name}.o"), "-lm"]),
            Maker::Stock | Maker::Flambda1 | Maker::Flambeau => command.arg(format!("{name}.cmx")),
        };
        command.args(["-o", &executable]);
        process::run(&mut command, LIMIT)?.expect_success("it does not link")?;
        Ok(folder.join(executable))
    }
}

/// Takes out of a command's environment what would change what a compiler does, or what it compiles with.
pub fn clean(command: &mut Command) -> &mut Command {
    shell::own_flags(shell::clean(command))
}

/// The time of all stages, from what `-flambeau-profile` prints, in seconds.
fn middle_end(printed: &str) -> Result<f64> {
    let mut sum = None;
    for line in printed.lines() {
        if let Some((_, microseconds)) = line.rsplit_once(": microseconds") {
            let microseconds: f64 =
                microseconds.trim().parse().with_context(|| format!("a counter without number: {line}"))?;
            sum = Some(sum.unwrap_or(0.0) + microseconds);
        }
    }
    sum.map(|sum| sum / 1e6).context("-flambeau-profile printed no times")
}

/// The bytes of code in an object file or executable: all its sections of code, because each function may have its own.
pub fn text_size(file: &Path) -> Result<u64> {
    size_of(file, SectionKind::Text)
}

/// The bytes of initialised data, which OCaml's tables of frames are part of.
pub fn data_size(file: &Path) -> Result<u64> {
    size_of(file, SectionKind::Data)
}

fn size_of(file: &Path, kind: SectionKind) -> Result<u64> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let object = object::File::parse(&*bytes).with_context(|| format!("{}", file.display()))?;
    Ok(object.sections().filter(|section| section.kind() == kind).map(|section| section.size()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_makers_and_flags() {
        let column = Column::new(Maker::Flambeau, PathBuf::from("x"), " -O3  -inline 5 ");
        assert_eq!(column.name, "flambeau -O3 -inline 5");
        assert_eq!(column.flags, ["-O3", "-inline", "5"]);
        assert_eq!(Column::new(Maker::Stock, PathBuf::from("x"), "").name, "stock");
        assert_eq!(column.without_library().name, "flambeau -O3 -inline 5, no library");
    }

    #[test]
    fn times_of_stages_are_added() -> Result<()> {
        let printed = "Sha256\n  reading payloads: microseconds                      3\n  \
                       convert: microseconds      652\n  convert: functions   30\n";
        assert!((middle_end(printed)? - 655e-6).abs() < 1e-12);
        assert!(middle_end("Sha256\n").is_err());
        assert!(middle_end("convert: microseconds many\n").is_err());
        Ok(())
    }

    #[test]
    fn code_of_an_object_is_counted() -> Result<()> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("f.c"), "int f(int x) { return x + 1; }\nint data[1000] = {1};\n")?;
        let gcc = Column::new(Maker::C, PathBuf::from("gcc"), "-O2 -ffunction-sections");
        let compilation = gcc.compile(folder.path(), "f")?;
        assert!(compilation.middle.is_none() && compilation.memory > 0);
        let size = text_size(&folder.path().join("f.o"))?;
        assert!((1..200).contains(&size), "{size}");
        assert!(data_size(&folder.path().join("f.o"))? >= 4000);
        assert!(text_size(&folder.path().join("f.c")).is_err());
        Ok(())
    }
}
