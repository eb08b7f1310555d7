//! Counting instructions by valgrind's callgrind, which counts them exactly, function by function, on any machine: that
//! is what figures stand on where `perf` counts nothing, or other programs run at the same time.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use xtask_support::process::Outcome;
use xtask_support::shell;
use xtask_support::{apt, env, process};

/// Instructions that were executed in one part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// All of them.
    pub total: f64,
    /// Those of OCaml code, without the runtime and libraries in C.
    pub ocaml: f64,
}

/// Makes sure that valgrind is there.
pub fn install() -> Result<()> {
    if env::find("valgrind").is_none() {
        apt::install(&["valgrind"])?;
    }
    Ok(())
}

/// Runs a program, with the arguments, and counts. `marks`: patterns of function names at whose calls the run is
/// divided into parts. There is one count for each part.
pub fn count(
    executable: &Path,
    arguments: &[&str],
    marks: &[&str],
    limit: Duration,
) -> Result<(Outcome, Vec<Counts>)> {
    let temporary = tempfile::Builder::new().prefix("flambeau-callgrind-").tempdir()?;
    let file = temporary.path().join("counts");
    let mut command = Command::new("valgrind");
    command.args(options(&file)).args(marks.iter().map(|mark| format!("--dump-before={mark}")));
    shell::clean(command.arg(executable).args(arguments));
    let outcome = process::run(&mut command, limit)?
        .expect_success(&format!("{} under valgrind", executable.display()))?;
    Ok((outcome, parts(&file)?))
}

/// The options that make valgrind count into `file`.
fn options(file: &Path) -> [String; 4] {
    [
        "--quiet".into(),
        "--tool=callgrind".into(),
        // Names are written out wherever they stand, so that each part is read on its own.
        "--compress-strings=no".into(),
        format!("--callgrind-out-file={}", file.display()),
    ]
}

/// The counts of a run, one for each part, in order: `FILE.1`, `FILE.2` and so on, and `FILE` for what remains.
fn parts(file: &Path) -> Result<Vec<Counts>> {
    let mut found = Vec::new();
    loop {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".{}", found.len() + 1));
        match fs::read_to_string(PathBuf::from(name)) {
            Ok(text) => found.push(read(&text)?),
            Err(_) => break,
        }
    }
    let last = fs::read_to_string(file).with_context(|| format!("callgrind wrote no {}", file.display()))?;
    found.push(read(&last)?);
    Ok(found)
}

/// Reads a file of callgrind's. A line of numbers is the cost of a line of code of the function named last, except
/// after `calls=`: there it is the cost of that call, callees included, which they have themselves.
fn read(text: &str) -> Result<Counts> {
    if !text.lines().any(|line| line.trim() == "events: Ir") {
        bail!("not a file of callgrind's instruction counts");
    }
    let mut counts = Counts::default();
    let mut is_ocaml = false;
    let mut of_call = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            is_ocaml = is_ocaml_code(name);
        } else if line.starts_with("calls=") {
            of_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let cost = line.split(' ').nth(1).and_then(|cost| cost.trim().parse::<f64>().ok());
            let cost = cost.with_context(|| format!("callgrind's line without a count: {line}"))?;
            if !of_call {
                counts.total += cost;
                counts.ocaml += if is_ocaml { cost } else { 0.0 };
            }
            of_call = false;
        }
    }
    Ok(counts)
}

/// Whether a symbol is of code that OCaml's back end made: `camlUnit__function_12`, or the code for applications that a
/// program is linked with.
fn is_ocaml_code(symbol: &str) -> bool {
    let Some(rest) = symbol.strip_prefix("caml") else { return false };
    rest.starts_with(|first: char| first.is_ascii_uppercase())
        || ["_apply", "_curry", "_tuplify", "_send"].iter().any(|start| rest.starts_with(start))
}

/// The environment of a shell script in which the variable PROGRAM runs `program` with counting, into files below
/// `folder`, one for each process.
pub fn script_program(program: &Path, folder: &Path) -> Result<PathBuf> {
    let wrapper = folder.join(program.file_name().unwrap_or(OsStr::new("program")));
    let file = folder.join("counts-%p");
    let text = format!(
        "#!/bin/sh\nexec valgrind {} '{}' \"$@\"\n",
        options(&file).map(|option| format!("'{option}'")).join(" "),
        program.display()
    );
    fs::write(&wrapper, text).with_context(|| format!("cannot write {}", wrapper.display()))?;
    fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(wrapper)
}

/// The counts of all processes that [`script_program`] started.
pub fn of_processes(folder: &Path) -> Result<Counts> {
    let mut sum = Counts::default();
    let mut processes = 0;
    for file in env::files_below(folder)? {
        let is_count = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("counts-"));
        if is_count {
            let counts = read(&fs::read_to_string(&file)?)?;
            sum = Counts { total: sum.total + counts.total, ocaml: sum.ocaml + counts.ocaml };
            processes += 1;
        }
    }
    if processes == 0 {
        bail!("no process was counted");
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str =
        "# callgrind format\nversion: 1\npart: 3\n\npositions: line\nevents: Ir\nsummary: 40\n\n
fn=camlMain__f_12
26 2\n+1 10\ncfn=caml_alloc\ncalls=1 0\n27 20\n27 3
fn=caml_alloc
0 20
fn=caml_apply2'2
* 5
totals: 40\n";

    #[test]
    fn costs_of_calls_are_those_of_the_callees() -> Result<()> {
        assert_eq!(read(SAMPLE)?, Counts { total: 40.0, ocaml: 20.0 });
        assert!(read("nothing").is_err());
        Ok(())
    }

    #[test]
    fn processes_are_added() -> Result<()> {
        let folder = tempfile::tempdir()?;
        assert!(of_processes(folder.path()).is_err());
        for process in [1, 2] {
            fs::write(folder.path().join(format!("counts-{process}")), SAMPLE)?;
        }
        fs::write(folder.path().join("program"), "#!/bin/sh\n")?;
        assert_eq!(of_processes(folder.path())?, Counts { total: 80.0, ocaml: 40.0 });
        Ok(())
    }
}
