//! `cargo xtask projects`: real projects from Debian's source packages, built by both compilers with their own
//! build systems and nothing changed but the PATH; their own tests must pass.

use std::env::{join_paths, split_paths};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use regex::Regex;

use xtask_support::checks::Tally;
use xtask_support::figures::ratio;
use xtask_support::ocaml::packages;
use xtask_support::payload;
use xtask_support::process::{self, Outcome};
use xtask_support::shell;
use xtask_support::{env, setup};

/// Building one project, or running its tests.
const LIMIT: Duration = Duration::from_secs(2 * 3600);
/// All projects together have at least so many lines, or the list above has lost its point.
const LEAST_LINES: usize = 20_000;

/// A project, by the name of its source package.
struct Project {
    package: &'static str,
    /// Debian's packages that it needs, beside OCaml.
    needs: &'static [&'static str],
    build: &'static [&'static str],
    test: &'static str,
    /// What its tests print when they have run: tests that are left out must not pass for good ones.
    sign: &'static str,
    /// Where the build logs its commands.
    log: Log,
}

/// Where to find the commands that a build ran, and in which folder it ran them.
#[derive(Clone, Copy)]
enum Log {
    /// Dune's own log; each command says its folder.
    Dune,
    /// Printed by make; in this folder.
    Printed(&'static str),
}

/// Where a copy of a project keeps the log of its build.
const COMMANDS: &str = ".commands-of-the-build";

/// One for each build system: dune, ocamlbuild under make, and configure with ocamlfind under make.
const PROJECTS: &[Project] = &[
    Project {
        package: "ocamlgraph",
        needs: &["ocaml-dune", "libgraphics-ocaml-dev"],
        build: &["dune build -p ocamlgraph @install"],
        test: "dune runtest -p ocamlgraph",
        sign: "check: all tests succeeded",
        log: Log::Dune,
    },
    Project {
        package: "menhir",
        needs: &["ocaml-dune"],
        build: &["dune build --profile release src/stage2/main.exe lib sdk"],
        // Menhir compiles its own grammar by two stages of itself, to the same parser.
        test: "dune build --profile release @src/stage3/bootstrap",
        sign: "Bootstrap check: done.",
        log: Log::Dune,
    },
    Project {
        package: "ocaml-batteries",
        needs: &["ocamlbuild", "libounit-ocaml-dev", "libnum-ocaml-dev", "libcamlp-streams-ocaml-dev"],
        build: &["make all"],
        test: "make test-native",
        sign: "\nOK",
        log: Log::Printed("_build"),
    },
    Project {
        package: "ocaml-zarith",
        needs: &["libgmp-dev"],
        build: &["./configure", "make"],
        test: "make tests",
        sign: "pi: passed",
        log: Log::Printed("."),
    },
];

/// The options of `cargo xtask projects`.
#[derive(Args)]
pub struct Options {
    /// Only the projects whose package's name matches
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// Leave the compilation times out, which takes compiling each unit again
    #[arg(long)]
    no_times: bool,
}

/// Builds and tests all chosen projects; whether all went well.
///
/// # Errors
///
/// Fails if the set-up fails, or if the sources of a project, or the packages that it needs, cannot be had.
pub fn run(options: &Options) -> Result<bool> {
    setup::run()?;
    let mut tally = Tally::default();
    let toolchain = toolchain(&mut tally)?;
    let mut lines = 0;
    for project in PROJECTS {
        if options.filter.as_ref().is_some_and(|filter| !filter.is_match(project.package)) {
            continue;
        }
        if let Some(reason) = packages::missing(project.needs.iter().copied())? {
            tally.skipped.push(format!("{}: {reason}", project.package));
            continue;
        }
        packages::install(project.needs)?;
        let source = packages::source(project.package)?;
        let count = lines_of(&source)?;
        lines += count;
        println!("{}: {count} lines", project.package);
        let mut times = Vec::new();
        for (name, folder) in [("stock", None), ("flambeau", toolchain.as_deref())] {
            let copy = ProjectCopy::new(project, &source, name, folder)?;
            match copy.build_and_test(project, name == "flambeau", &mut tally) {
                Ok(tests) => println!("  {name:<9} {tests}"),
                Err(error) => {
                    tally.fail(format!("{} by {name}", project.package), format!("{error:#}"));
                    break;
                }
            }
            if !options.no_times {
                match copy.compile_again(project) {
                    Ok(time) => times.push(time),
                    Err(error) => tally
                        .fail(format!("{} by {name}, compiled again", project.package), format!("{error:#}")),
                }
            }
        }
        if let [(theirs, units), (ours, _)] = times[..] {
            println!(
                "  compiling {units} units: stock {:.1} s, flambeau {:.1} s, ratio {}",
                theirs.as_secs_f64(),
                ours.as_secs_f64(),
                ratio(ours.as_secs_f64(), theirs.as_secs_f64())
            );
        }
    }
    if options.filter.is_none() && tally.skipped.is_empty() && lines < LEAST_LINES {
        tally.fail("size", format!("{lines} lines; {LEAST_LINES} are wanted"));
    }
    if lines == 0 {
        tally.fail("nothing was built", "no project matches the filter");
    }
    println!("{lines} lines in all");
    tally.print();
    Ok(tally.is_good())
}

/// The folder of tools that leads to flambeau. A stand-in that can't make one is used as it is on the PATH: then
/// this only tests this command itself.
fn toolchain(tally: &mut Tally) -> Result<Option<PathBuf>> {
    match setup::make_toolchain(&env::cache("projects")?.join("toolchain")) {
        Ok(bin) => Ok(Some(bin)),
        Err(_) if env::stand_in().is_some() => {
            tally.skipped.push(format!(
                "flambeau's toolchain: {} makes none, so the projects were built by the stock compiler twice",
                env::flambeau()?.display()
            ));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A copy of a project's sources, with the PATH of one compiler.
struct ProjectCopy {
    folder: PathBuf,
    path: OsString,
    /// Whether the PATH leads to our toolchain.
    ours: bool,
}

impl ProjectCopy {
    fn new(project: &Project, source: &Path, name: &str, bin: Option<&Path>) -> Result<ProjectCopy> {
        let folder = env::cache("projects")?.join(name).join(project.package);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(folder.parent().context("a path without a folder")?)?;
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(source).arg(&folder);
        process::run(&mut copy, LIMIT)?.expect_success("copying the sources")?;
        let old = std::env::var_os("PATH").unwrap_or_default();
        let path = join_paths(bin.map(Path::to_path_buf).into_iter().chain(split_paths(&old)))?;
        Ok(ProjectCopy { folder, path, ours: bin.is_some() })
    }

    fn shell(&self, script: &str) -> Result<Outcome> {
        let mut command = Command::new("nice");
        command.args(["sh", "-c", script]).current_dir(&self.folder);
        for variable in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DESTDIR"] {
            command.env_remove(variable);
        }
        shell::clean(&mut command)
            .env("PATH", &self.path)
            // What another compiler made must not come out of a store.
            .env("DUNE_CACHE", "disabled");
        process::run(&mut command, LIMIT)
    }

    /// Builds the project, and runs its tests; two checks, and a third that flambeau did take part.
    fn build_and_test(&self, project: &Project, by_flambeau: bool, tally: &mut Tally) -> Result<String> {
        let mut printed = String::new();
        for step in project.build {
            printed.push_str(&self.shell(step)?.expect_success(step)?.all_output());
        }
        // Dune begins its log anew when it runs the tests.
        let logged = match project.log {
            Log::Dune => fs::read_to_string(self.folder.join("_build/log"))?,
            Log::Printed(_) => printed,
        };
        fs::write(self.folder.join(COMMANDS), &logged)?;
        tally.pass();
        if by_flambeau && self.ours {
            let (ours, all) = payload::count(&self.folder)?;
            // An opaque unit exports nothing about itself, so it has no payload.
            let opaque =
                compilations(&logged)?.iter().filter(|command| command.contains(" -opaque ")).count();
            if ours == 0 || ours + opaque < all {
                bail!("flambeau made {ours} of the {all} .cmx files; {opaque} are opaque");
            }
            tally.pass();
        }
        let tests = self.shell(project.test)?.expect_success(project.test)?;
        if !tests.all_output().contains(project.sign) {
            bail!(
                "{} did not print {:?}:\n{}",
                project.test,
                project.sign,
                process::tail(&tests.all_output(), 20)
            );
        }
        tally.pass();
        Ok(format!("built, tests passed in {:.1} s", tests.cpu.as_secs_f64()))
    }

    /// Runs the native compilations of the build once more, one by one; how long they took, and how many.
    fn compile_again(&self, project: &Project) -> Result<(Duration, usize)> {
        let folder = match project.log {
            Log::Dune => ".",
            Log::Printed(folder) => folder,
        };
        let commands = compilations(&fs::read_to_string(self.folder.join(COMMANDS))?)?;
        if commands.is_empty() {
            bail!("the log of the build has no native compilation");
        }
        let mut time = Duration::ZERO;
        for command in &commands {
            let outcome = self.shell(&format!("cd {folder} && {command}"))?.expect_success(command)?;
            time += outcome.cpu;
        }
        Ok((time, commands.len()))
    }
}

/// The commands of a log that compile one OCaml unit to native code.
fn compilations(log: &str) -> Result<Vec<String>> {
    let compiler = Regex::new(r"(^|[ /])ocamlopt(\.opt)?( .*)? -c ")?;
    Ok(log
        .lines()
        .map(|line| line.strip_prefix("$ ").unwrap_or(line).trim())
        .filter(|line| compiler.is_match(line) && !line.contains(".mli"))
        // Dune marks the commands that failed; a build that went well has none that count.
        .filter(|line| line.starts_with('(') || !line.contains('#'))
        .map(str::to_owned)
        .collect())
}

/// The lines of OCaml in a project's sources.
fn lines_of(folder: &Path) -> Result<usize> {
    let mut lines = 0;
    for file in env::files_below(folder)? {
        let is_ocaml = file.extension().is_some_and(|extension| {
            ["ml", "mli", "mll", "mly", "mlv"].iter().any(|ocaml| extension == *ocaml)
        });
        if is_ocaml {
            lines += fs::read(&file)?.iter().filter(|byte| **byte == b'\n').count();
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_compilations_are_found_in_logs() -> Result<()> {
        let log = "$ (cd _build/default && /usr/bin/ocamlopt.opt -w -40 -g -I x -o a.cmx -c -impl a.ml)
$ (cd _build/default && /usr/bin/ocamlc.opt -w -40 -o a.cmo -c -impl a.ml)
$ (cd _build/default && /usr/bin/ocamlopt.opt -w -40 -g -a -o a.cmxa a.cmx)
ocamlfind ocamlopt -c -g -I src -o src/b.cmx src/b.ml
ocamlfind ocamlopt -c -g -I src -o src/b.cmi src/b.mli
ocamlfind ocamlopt -c -g -I src -o src/b.cmx src/b.ml # cached
";
        let found = compilations(log)?;
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("-impl a.ml") && found[1].contains("src/b.ml"));
        Ok(())
    }
}
