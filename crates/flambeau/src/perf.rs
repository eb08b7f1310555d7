//! Profiles by sampling: `flambeau profile run` runs a program under Linux's `perf`, and what that recorded weighs the
//! remarks of `flambeau report --profile` (features B16, G12). Nothing is built anew for it; lines need `-g`.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use addr2line::Loader;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use flambeau_report::samples::{Frame, Samples};
use rustc_hash::FxHashMap;

use crate::run::exit_code;

/// Where `flambeau profile run` puts what it recorded.
const FILE: &str = "flambeau.perf";
const NO_PERF: &str = "perf is not there: on Debian, `apt-get install linux-perf`";
/// A second, so often, what runs is noted.
const FREQUENCY: &str = "999";
/// So much of the stack is kept each time, in bytes: callers are found in it.
const STACK: &str = "dwarf,8192";
/// Callers further out are not asked for.
const DEEPEST: usize = 40;

/// The arguments of `flambeau profile`.
#[derive(Args, Debug)]
pub struct ProfileArguments {
    #[command(subcommand)]
    command: ProfileCommand,
}

#[derive(Subcommand, Debug)]
enum ProfileCommand {
    /// Run a program under perf and record where its time goes, for `flambeau report --profile`
    Run {
        /// The file for it
        #[arg(short, long, value_name = "FILE", default_value = FILE)]
        output: PathBuf,
        /// The program and its arguments
        #[arg(
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "PROGRAM ARGUMENTS"
        )]
        words: Vec<OsString>,
    },
}

/// `flambeau profile`: gives the program's exit status.
///
/// # Errors
/// If there is no perf, or it may not record.
pub fn run(arguments: &ProfileArguments) -> Result<ExitCode> {
    let ProfileCommand::Run { output, words } = &arguments.command;
    if output.exists() {
        std::fs::remove_file(output).with_context(|| format!("cannot replace {}", output.display()))?;
    }
    let status = Command::new("perf")
        .args(["record", "--quiet", "--event", "cpu-clock:u", "--freq", FREQUENCY, "--call-graph", STACK])
        .arg("--output")
        .arg(output)
        .arg("--")
        .args(words)
        .status()
        .context(NO_PERF)?;
    if !output.exists() {
        bail!(
            "perf recorded nothing: what it printed says why. If it may not: `sysctl kernel.perf_event_paranoid=1`"
        );
    }
    eprintln!("The profile is in {0}. To see it: flambeau report --profile {0} FILES", output.display());
    Ok(exit_code(status))
}

/// What perf recorded in a file.
///
/// # Errors
/// If there is no perf, or the file is not one of perf's.
pub fn read(file: &Path) -> Result<Samples> {
    let mut perf = Command::new("perf")
        .args([
            "script",
            "--no-demangle",
            "--fields",
            "ip,sym,symoff,dso",
            "--max-stack",
            &DEEPEST.to_string(),
        ])
        .arg("--input")
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context(NO_PERF)?;
    let mut reader = Reader::default();
    if let Some(output) = perf.stdout.take() {
        for line in BufReader::new(output).lines() {
            reader.line(&line.with_context(|| format!("{}: what perf says of it", file.display()))?);
        }
    }
    reader.end_of_stack();
    let status = perf.wait().context("waiting for perf")?;
    if !status.success() || reader.samples.stacks.is_empty() {
        bail!("{}: no profile that `flambeau profile run` (or perf record) wrote", file.display());
    }
    Ok(reader.samples)
}

/// Reads what `perf script` prints: a line for each frame, a blank one after each stack.
#[derive(Default)]
struct Reader {
    samples: Samples,
    stack: Vec<Frame>,
    /// By the name of the file.
    programs: FxHashMap<String, Option<Program>>,
}

/// A program or library that ran.
struct Program {
    loader: Loader,
    /// The lines of addresses, as far as they were asked for.
    places: FxHashMap<u64, Option<(String, u32)>>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return self.end_of_stack();
        }
        // The address of a caller is that after its call.
        let back = u64::from(!self.stack.is_empty());
        if let Some((address, function, program)) = frame(line) {
            let place = if is_ocaml(function) {
                self.program(program).and_then(|program| program.place(address - back.min(address), function))
            } else {
                None
            };
            self.stack.push(Frame { function: function.to_owned(), place });
        }
    }

    fn end_of_stack(&mut self) {
        // A function that calls itself is there once.
        self.stack.dedup();
        if !self.stack.is_empty() {
            *self.samples.stacks.entry(std::mem::take(&mut self.stack)).or_default() += 1;
        }
    }

    fn program(&mut self, name: &str) -> Option<&mut Program> {
        if !self.programs.contains_key(name) {
            let loader = Loader::new(name).ok();
            let program = loader.map(|loader| Program { loader, places: FxHashMap::default() });
            self.programs.insert(name.to_owned(), program);
        }
        self.programs.get_mut(name)?.as_mut()
    }
}

impl Program {
    /// The line of an instruction, by its address in the file.
    fn place(&mut self, address: u64, function: &str) -> Option<(String, u32)> {
        if let Some(known) = self.places.get(&address) {
            return known.clone();
        }
        // Unless perf counts addresses otherwise.
        let is_there = self.loader.find_symbol(address) == Some(function);
        let location = self.loader.find_location(address).ok().flatten().filter(|_| is_there);
        let place = location.and_then(|location| Some((location.file?.to_owned(), location.line?)));
        self.places.insert(address, place.clone());
        place
    }
}

/// The address, the function and the file of a line such as `4fd2a camlX__f_12+0x4a (/bin/x)`.
fn frame(line: &str) -> Option<(u64, &str, &str)> {
    let (address, rest) = line.trim().split_once(' ')?;
    let (function, file) = rest.trim().rsplit_once(" (")?;
    let function = function.rsplit_once("+0x").map_or(function, |(name, _)| name);
    Some((u64::from_str_radix(address, 16).ok()?, function, file.strip_suffix(')')?))
}

/// Whether a function is one that OCaml code is in: `caml` and the name of a unit. Those of the runtime go on in small
/// letters.
fn is_ocaml(function: &str) -> bool {
    function.strip_prefix("caml").is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read() {
        let line = "\t           420c0 camlPj__List__init_aux_135_d59+0x20 (/tmp/a (b)/pj.exe)";
        // The last parenthesis that follows a blank begins the file's name: one with such a folder is not found.
        assert_eq!(frame(line).map(|(address, ..)| address), Some(0x420c0));
        assert_eq!(frame("  10 main+0x1 (/x)"), Some((16, "main", "/x")));
        assert_eq!(frame("  10 [unknown] ([unknown])"), Some((16, "[unknown]", "[unknown]")));
        assert_eq!(frame("json 1234 5.2:"), None);
        assert!(is_ocaml("camlStdlib__List__map_1") && !is_ocaml("caml_modify") && !is_ocaml("main"));
    }

    #[test]
    fn stacks_are_counted() {
        let mut reader = Reader::default();
        let text = "\n 10 f+0x1 (/none)\n 20 g+0x1 (/none)\n 20 g+0x1 (/none)\n\n 10 f+0x4 (/none)\n 20 g+0x1 (/none)\n";
        text.lines().for_each(|line| reader.line(line));
        reader.end_of_stack();
        let frame = |function: &str| Frame { function: function.into(), place: None };
        assert_eq!(reader.samples.stacks.get(&vec![frame("f"), frame("g")]), Some(&2));
        assert_eq!(reader.samples.stacks.len(), 1);
    }
}
