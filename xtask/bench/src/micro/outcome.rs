//! What one compiler makes of one program: words and instructions of each row, and the size of the code.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use serde::{Deserialize, Serialize};

use super::corpus::{HARNESS, Program};
use crate::callgrind;
use crate::compilers::{self, Column};
use xtask_support::process;
use xtask_support::shell;

/// Compiling a program, or one run of it: each takes a second, or some under valgrind.
const LIMIT: Duration = Duration::from_secs(120);

/// The functions of the harness that begin and end what is counted of a row.
const MARKS: [&str; 2] = ["camlMeasure__start_*", "camlMeasure__stop_*"];

/// A program by a compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub rows: Vec<Row>,
    pub code: Code,
}

/// A function that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    /// Words that it allocated.
    pub words: f64,
    /// The digest of its result.
    pub digest: String,
    /// The words that Flambda 2 is said to allocate.
    pub flambda2: Option<f64>,
    /// Instructions, of OCaml code and of the runtime, when they were counted.
    pub instructions: Option<f64>,
}

/// The code of a program's units, without the harness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Code {
    /// Bytes.
    pub text: f64,
    /// Functions.
    pub functions: f64,
    /// Instructions that call `caml_apply2`, `caml_apply3` and so on: calls of unknown functions.
    pub unknown: f64,
}

/// Compiles a program in a folder of its own, and measures its rows.
pub fn measure(program: &Program, column: &Column, harness: &Path, instructions: bool) -> Result<Outcome> {
    let temporary = tempfile::Builder::new().prefix("flambeau-micro-").tempdir()?;
    let folder = temporary.path();
    fs::copy(harness, folder.join(HARNESS))?;
    run(column.command(folder).args(["-opaque", "-c", HARNESS]), "the harness does not compile")?;
    let flags: Vec<&str> = program.settings.flags.split_whitespace().collect();
    let mut code = Code::default();
    let mut linked = vec!["measure.cmx".to_owned()];
    for source in &program.sources {
        let name = source.file_name().context("a source without a name")?.to_string_lossy();
        fs::copy(source, folder.join(&*name))?;
        run(column.command(folder).args(&flags).args(["-w", "-a", "-c", &name]), &name)?;
        if let Some(unit) = name.strip_suffix(".ml") {
            code.add(&fs::read(folder.join(format!("{unit}.o")))?)?;
            linked.push(format!("{unit}.cmx"));
        }
    }
    let executable = folder.join("program.exe");
    run(column.command(folder).args(&linked).args(["-o", "program.exe"]), "it does not link")?;
    let printed = run(compilers::clean(&mut Command::new(&executable)), "it does not run")?;
    let mut rows = printed.lines().map(Row::read).collect::<Result<Vec<Row>>>()?;
    if rows.is_empty() {
        bail!("it has no rows");
    }
    if instructions {
        add_instructions(&executable, &mut rows)?;
    }
    Ok(Outcome { rows, code })
}

/// Runs a command; its standard output.
fn run(command: &mut Command, what: &str) -> Result<String> {
    Ok(process::run(shell::clean(command), LIMIT)?.expect_success(what)?.out())
}

/// Counts the instructions of each row. What is not run between marks has none.
fn add_instructions(executable: &Path, rows: &mut [Row]) -> Result<()> {
    let (outcome, parts) = callgrind::count(executable, &["mark"], &MARKS, LIMIT)?;
    // Each row makes two parts: what comes before it, and itself.
    let names = outcome.out();
    let names: Vec<&str> = names.lines().collect();
    if parts.len() != 2 * names.len() + 1 || names.first() != Some(&"") {
        bail!("{} rows, and {} parts of the run", names.len(), parts.len());
    }
    let own = parts[1].total;
    for (name, part) in names.iter().zip(parts.iter().skip(1).step_by(2)) {
        for row in rows.iter_mut().filter(|row| row.name == *name) {
            row.instructions = Some((part.total - own).max(0.0));
        }
    }
    Ok(())
}

impl Row {
    /// A line of the harness: name, words, digest, and the words of Flambda 2 where they are known.
    fn read(line: &str) -> Result<Row> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[name, words, digest, flambda2] = &fields[..] else {
            bail!("not a line of the harness: {line:?}");
        };
        let number = |text: &str| -> Result<f64> {
            text.parse().with_context(|| format!("not a number of words: {line:?}"))
        };
        Ok(Row {
            name: name.to_owned(),
            words: number(words)?,
            digest: digest.to_owned(),
            flambda2: if flambda2.is_empty() { None } else { Some(number(flambda2)?) },
            instructions: None,
        })
    }
}

impl Code {
    /// Adds what an object file holds.
    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let file = object::File::parse(bytes)?;
        for section in file.sections() {
            if section.kind() != object::SectionKind::Text {
                continue;
            }
            self.text += section.size() as f64;
            for (_, relocation) in section.relocations() {
                let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                let name = file.symbol_by_index(symbol)?.name()?;
                let arity = name.strip_prefix("caml_apply");
                let is_unknown = arity.is_some_and(|arity| arity.bytes().all(|byte| byte.is_ascii_digit()));
                self.unknown += f64::from(u8::from(is_unknown));
            }
        }
        self.functions += file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text).count() as f64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_harness() -> Result<()> {
        let row = Row::read("a loop\t3002\tabc\t12")?;
        assert_eq!((row.words, row.flambda2), (3002.0, Some(12.0)));
        assert_eq!(Row::read("a loop\t0\tabc\t")?.flambda2, None);
        assert!(Row::read("a loop\t0").is_err());
        assert!(Row::read("a loop\tmany\tabc\t").is_err());
        Ok(())
    }

    /// With the stock compiler, where OCaml is installed.
    #[test]
    fn a_program_is_measured() -> Result<()> {
        let Ok(stock) = xtask_support::env::Stock::find() else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        let source = folder.path().join("p.ml");
        let text = "let f g x y = [ g x y; g y x ]
let () = Measure.row \"pairs\" (fun n -> for i = 1 to n do ignore (Sys.opaque_identity (i, i)) done)\n";
        fs::write(&source, text)?;
        let program = Program {
            name: "p".into(),
            sources: vec![source],
            settings: super::super::corpus::Settings::default(),
        };
        let column = Column::new(compilers::Maker::Stock, stock.ocamlopt, "");
        let harness = xtask_support::env::root().join("bench/micro").join(HARNESS);
        let outcome = measure(&program, &column, &harness, false)?;
        assert_eq!(outcome.rows.len(), 1);
        assert!((outcome.rows[0].words - 3000.0).abs() < 0.5);
        assert!(outcome.code.text > 50.0 && outcome.code.functions >= 2.0);
        // One of them is that of the harness, which is opaque.
        assert!((outcome.code.unknown - 3.0).abs() < 0.5);
        Ok(())
    }
}
