//! `flambeau doctor`: what keeps a project or an installation from being optimised, and what to do about it.
//!
//! Each check is a function from what is there to [`Finding`]s; `--fix` does what a finding offers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Args;

use crate::init::{self, Project};
use crate::{library, toolchain};

/// The arguments of `flambeau doctor`.
#[derive(Args)]
pub struct DoctorArguments {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Do what can be done
    #[arg(long)]
    fix: bool,
}

/// Something that holds a project back.
struct Finding {
    /// What was found.
    what: String,
    /// What it costs.
    cost: &'static str,
    /// What to do, for people.
    cure: String,
    /// What `--fix` does.
    fix: Option<Fix>,
}

/// What can be done without asking further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fix {
    /// The library is made, again if need be, and added to this executable.
    Library,
    /// The workspace of dune is written.
    Workspace,
    /// The flags are written into the `dune` file.
    Flags,
    /// A toolchain folder is made, or brought up to date.
    Toolchain,
}

/// How many names of units are shown.
const SHOWN: usize = 3;
/// How many files are described by one process.
const AT_ONCE: usize = 500;

/// `flambeau doctor`: the status is 1 if something is left that holds the project back.
///
/// # Errors
/// When a process can't be run, or a fix fails.
pub fn run(arguments: &DoctorArguments) -> Result<ExitCode> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    let folder = arguments.folder.as_path();
    println!(
        "flambeau {} for OCaml {}: {}",
        env!("CARGO_PKG_VERSION"),
        env!("FLAMBEAU_OCAML_VERSION"),
        own.display()
    );
    let project = Project::at(folder).ok();
    let mut findings = installation(&own)?;
    findings.extend(compiler_of(folder, project.as_ref()));
    findings.extend(project.iter().flat_map(dune));
    findings.extend(units(&own, folder)?);
    if findings.is_empty() {
        println!("Nothing holds {} back.", folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    let mut left = false;
    let mut done = Vec::new();
    for finding in &findings {
        println!("\n- {}\n  {}\n  What to do: {}", finding.what, finding.cost, finding.cure);
        match finding.fix.filter(|_| arguments.fix) {
            None => left = true,
            Some(fix) if done.contains(&fix) => {}
            Some(fix) => {
                apply(fix, &own, folder)?;
                done.push(fix);
            }
        }
    }
    if !arguments.fix && findings.iter().any(|finding| finding.fix.is_some()) {
        println!("\n`flambeau doctor --fix` does what it can of this.");
    } else if !done.is_empty() {
        println!("\nNow build again: the units of before are as they were.");
    }
    Ok(ExitCode::from(u8::from(left)))
}

fn apply(fix: Fix, own: &Path, folder: &Path) -> Result<()> {
    print!("  Fixed: ");
    match fix {
        Fix::Library => {
            library::install(own, true)?;
            println!("the library is in {}", own.display());
            Ok(())
        }
        Fix::Workspace => Project::at(folder)?.write_workspace(&init::usual_toolchain()?),
        Fix::Flags => Project::at(folder)?.write_flags(),
        Fix::Toolchain => init::usual_toolchain().map(|bin| println!("made {}", bin.display())),
    }
}

/// What a compiler says of itself; none if it is not ours.
fn variable(compiler: &mut Command, name: &str) -> Option<String> {
    let output =
        compiler.args(["-config-var", name]).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

// ---- the installation ----

fn installation(own: &Path) -> Result<Vec<Finding>> {
    let described = variable(&mut Command::new(own), "flambeau_library").context("flambeau can't be run")?;
    let settings = variable(&mut Command::new(own), "flambeau_settings").unwrap_or_default();
    println!("library of descriptions: {described}\nsettings: {settings}");
    let mut findings: Vec<Finding> = library_finding(&described).into_iter().collect();
    if settings.split(' ').any(|setting| setting == "inline=no" || setting == "simplify=no") {
        findings.push(Finding {
            what: format!("the environment turns optimisations off ({settings})"),
            cost: "Every compilation is slower code for it.",
            cure: "look at FLAMBEAU_FLAGS and OCAMLPARAM".into(),
            fix: None,
        });
    }
    Ok(findings)
}

/// `described`: what `-config` says of the library.
fn library_finding(described: &str) -> Option<Finding> {
    let numbers: Vec<usize> = described.split(' ').filter_map(|word| word.parse().ok()).collect();
    let what = match numbers[..] {
        [units, matching] if units == matching => return None,
        [units, matching] => {
            format!(
                "of {units} units that this executable describes, {} are not as installed",
                units - matching
            )
        }
        _ => "this executable knows nothing of OCaml's standard library".to_owned(),
    };
    Some(Finding {
        what,
        cost: "Functions of the standard library are not inlined, and those that take functions not specialised.",
        cure: "flambeau stdlib --force".into(),
        fix: Some(Fix::Library),
    })
}

// ---- which compiler is used ----

fn compiler_of(folder: &Path, project: Option<&Project>) -> Vec<Finding> {
    let is_ours = |program: &Path| variable(&mut Command::new(program), "flambeau").is_some();
    let mut findings = Vec::new();
    let in_workspace = project.map(Project::paths).unwrap_or_default();
    if in_workspace.iter().any(|bin| is_ours(&bin.join("ocamlopt"))) {
        return findings;
    }
    let none = Path::new("");
    if !toolchain::find_on_path("ocamlopt", none).is_some_and(|ocamlopt| is_ours(&ocamlopt)) {
        findings.push(Finding {
            what: "the ocamlopt that build tools find on the PATH is not flambeau".into(),
            cost: "They compile with the stock compiler.",
            cure: match project {
                Some(_) => "flambeau init, or a toolchain folder's bin first on the PATH".into(),
                None => "put the bin of a toolchain folder first on the PATH (flambeau toolchain DIR)".into(),
            },
            fix: Some(if project.is_some() { Fix::Workspace } else { Fix::Toolchain }),
        });
    }
    let uses_ocamlbuild = ["_tags", "myocamlbuild.ml"].iter().any(|name| folder.join(name).exists());
    let ocamlbuild = toolchain::find_on_path("ocamlbuild", none).filter(|_| uses_ocamlbuild);
    let wrapped = |path: &Path| {
        fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!") && contains(&bytes, b"flambeau"))
    };
    if ocamlbuild.is_some_and(|path| !wrapped(&path)) {
        findings.push(Finding {
            what: "ocamlbuild has the absolute path of the stock ocamlopt in it".into(),
            cost: "Whatever is on the PATH, it compiles with the stock compiler.",
            cure: "a toolchain folder has an ocamlbuild that passes flambeau: put its bin first on the PATH; or \
                   ocamlbuild -use-ocamlfind; or ocamlbuild -ocamlopt flambeau"
                .into(),
            fix: Some(Fix::Toolchain),
        });
    }
    findings
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

// ---- dune ----

fn dune(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !project.is_release() {
        findings.push(Finding {
            what: "dune builds in its profile dev, unless it is called with --profile release".into(),
            cost: "In the profile dev units are compiled with -opaque: nothing is inlined from one into another.",
            cure: "(profile release) in dune-workspace, which `flambeau init` writes".into(),
            fix: Some(Fix::Workspace),
        });
    }
    if !project.asks_for_level() {
        findings.push(Finding {
            what: "no dune file asks for -O3".into(),
            cost: "Units are optimised at the default level.",
            cure: "(env (_ (ocamlopt_flags (:standard -O3)))) in the root's dune file, which `flambeau init` writes".into(),
            fix: Some(Fix::Flags),
        });
    }
    findings
}

// ---- units ----

/// What is known of a compiled unit.
#[derive(Debug, PartialEq, Eq)]
enum Made {
    /// By us, at this level.
    Ours(u32),
    /// By another build of ours, whose functions can't be read.
    OtherBuild,
    ByStock,
    Opaque,
}

fn units(own: &Path, folder: &Path) -> Result<Vec<Finding>> {
    let files = descriptions_below(folder);
    let mut made = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let output =
            Command::new(own).arg("-flambeau-info").args(some).env_remove("FLAMBEAU_FLAGS").output()?;
        made.extend(parse(&String::from_utf8_lossy(&output.stdout)));
    }
    if !files.is_empty() {
        println!("{} compiled units below {}", files.len(), folder.display());
    }
    Ok(about_units(&made))
}

/// The `.cmx` files of a tree; links are not followed.
fn descriptions_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cmx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What `-flambeau-info` printed.
fn parse(text: &str) -> Vec<(String, Made)> {
    let field = |block: &str, name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::to_owned)
    };
    let mut made = Vec::new();
    for block in text.split("file: ").skip(1) {
        let name = block.lines().next().unwrap_or_default().to_owned();
        let compiler = field(block, "compiler").unwrap_or_default();
        let level = field(block, "settings").and_then(|settings| {
            settings.split(' ').find_map(|setting| setting.strip_prefix("level=")?.parse().ok())
        });
        let what = match (compiler.as_str(), level) {
            _ if field(block, "opaque").as_deref() == Some("yes") => Made::Opaque,
            (compiler, Some(level))
                if compiler.starts_with("flambeau") && !block.contains("another build") =>
            {
                Made::Ours(level)
            }
            (compiler, _) if compiler.starts_with("flambeau") => Made::OtherBuild,
            _ => Made::ByStock,
        };
        made.push((name, what));
    }
    made
}

fn about_units(made: &[(String, Made)]) -> Vec<Finding> {
    let finding = |is: &dyn Fn(&Made) -> bool, how: &str, cost, cure: &str| {
        let names: Vec<&str> =
            made.iter().filter(|(_, made)| is(made)).map(|(name, _)| name.as_str()).collect();
        let more = names.len().saturating_sub(SHOWN);
        let dots = if more > 0 { format!(", and {more} more") } else { String::new() };
        (!names.is_empty()).then(|| Finding {
            what: format!(
                "{} of {} units {how}: {}{dots}",
                names.len(),
                made.len(),
                names[..names.len().min(SHOWN)].join(", ")
            ),
            cost,
            cure: cure.into(),
            fix: None,
        })
    };
    [
        finding(
            &|made| *made == Made::Opaque,
            "are opaque",
            "Nothing of them is inlined into others; calls of their functions are indirect.",
            "compile without -opaque (dune: the profile release)",
        ),
        finding(
            &|made| *made == Made::ByStock,
            "were compiled by the stock compiler",
            "They are not optimised, and of their functions only small ones without local functions are inlined.",
            "build them again with flambeau (dune does, if the PATH changed; else remove what was built)",
        ),
        finding(
            &|made| *made == Made::OtherBuild,
            "were compiled by another build of flambeau",
            "Their functions are not inlined into others.",
            "build them again",
        ),
        finding(
            &|made| matches!(made, Made::Ours(0..=2)),
            "were compiled without -O3",
            "Less is inlined, specialised and unrolled.",
            "-O3 (dune: ocamlopt_flags; any build: FLAMBEAU_FLAGS=-O3)",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_apart() {
        let text = "file: a.cmx\nunit: A\ncompiler: flambeau 0.1.0\nsettings: level=3 policy=default\n\
                    functions that others may inline: 3 (20 bytes)\n\
                    file: b.cmx\nunit: B\ncompiler: stock ocamlopt 4.13.1\nopaque: no\ndescribed: no\n\
                    file: c.cmx\nunit: C\ncompiler: unknown\nopaque: yes\n\
                    file: d.cmx\nunit: D\ncompiler: flambeau 0.1.0\nsettings: level=3\nfunctions: 1, written by \
                    another build of flambeau: ignored\n\
                    file: e.cmx\nunit: E\ncompiler: flambeau 0.1.0\nsettings: level=1\n";
        let made = parse(text);
        let kinds: Vec<&Made> = made.iter().map(|(_, made)| made).collect();
        assert_eq!(kinds, [&Made::Ours(3), &Made::ByStock, &Made::Opaque, &Made::OtherBuild, &Made::Ours(1)]);
        let found: Vec<String> = about_units(&made).into_iter().map(|finding| finding.what).collect();
        assert_eq!(found.len(), 4);
        assert_eq!(found[1], "1 of 5 units were compiled by the stock compiler: b.cmx");
    }

    #[test]
    fn a_library_of_another_installation_is_found() {
        assert!(library_finding("61 units, 61 as installed in /usr/lib/ocaml").is_none());
        let other = library_finding("61 units, 0 as installed in /usr/lib/ocaml").expect("found");
        assert!(other.what.contains("61 are not as installed"), "{}", other.what);
        assert_eq!(library_finding("none (flambeau stdlib adds it)").expect("found").fix, Some(Fix::Library));
    }
}
