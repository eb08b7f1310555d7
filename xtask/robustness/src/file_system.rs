//! Output folders that can't be written, and disks that are full.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::lab::{By, Lab, refusal};
use super::{Check, Verdict};
use xtask_support::process::{self, Outcome};

pub const CHECKS: &[Check] = &[
    Check { name: "output-folder-missing", run: missing_folder },
    Check { name: "output-folder-is-a-file", run: folder_is_a_file },
    Check { name: "output-folder-read-only", run: read_only },
    Check { name: "output-file-is-a-folder", run: file_is_a_folder },
    Check { name: "source-missing", run: missing_source },
    Check { name: "source-unreadable", run: unreadable_source },
    Check { name: "assembler-missing", run: missing_assembler },
    Check { name: "disk-full", run: full_disk },
    Check { name: "disk-full-temporary", run: full_temporary_disk },
];

const SOURCE: &str = "let f x = x + 1\nlet () = Printf.printf \"%d\\n\" (f 1)\n";
const LIMIT: Duration = Duration::from_secs(60);

/// A small file system in memory, mounted on a folder of the laboratory's for as long as this lives.
struct Mount(PathBuf);

impl Mount {
    /// Nothing when this user may not mount.
    fn new(lab: &Lab, name: &str, options: &str) -> Result<Option<Mount>> {
        let folder = lab.file(name);
        fs::create_dir(&folder)?;
        let outcome = process::run(
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&folder),
            LIMIT,
        )?;
        Ok(outcome.exit.is_success().then_some(Mount(folder)))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, so that a straggler that has a file open can't keep it there.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn no_mount() -> Verdict {
    Verdict::Skipped("this user may not mount a file system".into())
}

fn missing_folder(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    let arguments = &["-c", "x.ml", "-o", "no/such/x.cmx"];
    lab.expect_refusal(arguments, &["no/such/x"], &["no such file"])?;
    lab.expect_refusal(&["x.ml", "-o", "no/such/x.exe"], &["no/such/x.exe"], &["no such file"])?;
    Ok(Verdict::Held)
}

fn folder_is_a_file(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    lab.write("file", "")?;
    let arguments = &["-c", "x.ml", "-o", "file/x.cmx"];
    lab.expect_refusal(arguments, &["file/x"], &["not a directory"])?;
    Ok(Verdict::Held)
}

fn file_is_a_folder(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    for name in ["x.cmx", "x.o"] {
        fs::create_dir(lab.file(name))?;
        lab.expect_refusal(&["-c", "x.ml"], &[name], &["is a directory"])
            .with_context(|| format!("{name} is a folder"))?;
        fs::remove_dir(lab.file(name))?;
        lab.expect_absent(&["x.o", "x.cmx"])?;
    }
    Ok(Verdict::Held)
}

fn read_only(lab: &Lab) -> Result<Verdict> {
    let Some(_mount) = Mount::new(lab, "ro", "size=64k,ro")? else {
        return Ok(no_mount());
    };
    lab.write("x.ml", SOURCE)?;
    let cause = &["read-only file system"];
    lab.expect_refusal(&["-c", "x.ml", "-o", "ro/x.cmx"], &["ro/x"], cause)?;
    // With the interface already there, the first file to be written is another one.
    lab.write("x.mli", "val f : int -> int\n")?;
    lab.compile(By::Flambeau, &["-c", "x.mli"])?;
    lab.expect_refusal(&["-c", "x.ml", "-o", "ro/x.cmx"], &["ro/x"], cause)?;
    lab.expect_refusal(&["x.ml", "-o", "ro/x.exe"], &["ro/x.exe"], cause)?;
    Ok(Verdict::Held)
}

fn missing_source(lab: &Lab) -> Result<Verdict> {
    lab.expect_refusal(&["-c", "nowhere.ml"], &["nowhere.ml"], &["no such file"])?;
    lab.expect_refusal(&["nowhere.cmx", "-o", "x.exe"], &["nowhere.cmx"], &["no such file", "cannot find"])?;
    Ok(Verdict::Held)
}

fn unreadable_source(lab: &Lab) -> Result<Verdict> {
    fs::create_dir(lab.file("x.ml"))?;
    lab.expect_refusal(&["-c", "x.ml"], &["x.ml"], &["is a directory"])?;
    lab.expect_absent(&["x.o", "x.cmx", "x.cmi"])?;
    Ok(Verdict::Held)
}

/// No assembler and no C compiler on the PATH: where the assembler is wanted, that it can't be run is said; Flambeau's
/// own needs none.
fn missing_assembler(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    let compile = |flags: &[&str]| {
        let mut command = lab.command(&lab.flambeau);
        command.args(flags).args(["-c", "x.ml"]).env("PATH", lab.folder());
        process::run(&mut command, LIMIT)
    };
    refusal(&compile(&[EXTERNAL])?, &["as"], &["assembler error", "not found"])?;
    lab.expect_absent(&["x.o", "x.cmx"])?;
    expect_object(lab, &compile(&[])?)
}

/// Assembles as the stock compiler does: by a text in a temporary file, and `as`.
const EXTERNAL: &str = "-flambeau-external-assembler";

/// Flambeau's own assembler needs neither.
fn expect_object(lab: &Lab, outcome: &Outcome) -> Result<Verdict> {
    if !outcome.exit.is_success() {
        bail!("refused: {}", outcome.err());
    }
    if !lab.has("x.o") || !lab.has("x.cmx") {
        bail!("x.o or x.cmx was not made");
    }
    Ok(Verdict::Held)
}

/// The disk fills up at every point of the compilation, one after another: each time a little more room is left.
fn full_disk(lab: &Lab) -> Result<Verdict> {
    const PAGE: usize = 4096;
    let Some(mount) = Mount::new(lab, "disk", "size=256k")? else {
        return Ok(no_mount());
    };
    // Big enough that the object code takes several pages; the interface and the .cmx some of their own.
    let mut source = String::new();
    for i in 0..60 {
        let _ = writeln!(
            source,
            "let f{i} x y = if x > {i} then String.concat \"s{i}\" [x |> string_of_int; y] else y"
        );
    }
    lab.write("x.ml", source)?;
    let outputs = ["disk/x.o", "disk/x.cmx", "disk/x.cmi"];
    let filler = mount.0.join("filler");
    let (mut refused, mut accepted) = (0, 0);
    for pages in 0..60 {
        for output in outputs {
            let _ = fs::remove_file(lab.file(output));
        }
        let _ = fs::remove_file(&filler);
        // Fill the disk up, then take back the pages that stay free.
        let mut full = vec![0; 256 * 1024];
        while fs::write(&filler, &full).is_err() {
            if full.len() < PAGE {
                bail!("the small file system takes no file at all");
            }
            full.truncate(full.len() - PAGE);
        }
        full.truncate(full.len().saturating_sub(pages * PAGE));
        fs::write(&filler, &full)?;
        let outcome = lab.try_compile(By::Flambeau, &["-c", "x.ml", "-o", "disk/x.cmx"])?;
        if outcome.exit.is_success() {
            for output in outputs {
                if !lab.has(output) {
                    bail!("success with {pages} free pages, but no {output}");
                }
            }
            accepted += 1;
            // The point of success is found; one more to be sure of it.
            if accepted == 2 {
                break;
            }
        } else {
            refused += 1;
            refusal(&outcome, &["disk/x"], &["no space left on device"])
                .with_context(|| format!("{pages} free pages"))?;
            lab.expect_absent(&["disk/x.o", "disk/x.cmx"]).with_context(|| format!("{pages} free pages"))?;
        }
    }
    if refused == 0 || accepted == 0 {
        bail!("the disk was never full or never free: {refused} refused, {accepted} accepted");
    }
    Ok(Verdict::Measured(format!("full at {refused} points, each reported clearly")))
}

/// The disk that holds the folder of temporary files is full: the text for `as` is refused, an object needs none.
fn full_temporary_disk(lab: &Lab) -> Result<Verdict> {
    let Some(mount) = Mount::new(lab, "tmp", "size=4k")? else {
        return Ok(no_mount());
    };
    lab.write("x.ml", SOURCE)?;
    fs::write(mount.0.join("filler"), [0; 4096])?;
    let compile = |flags: &[&str]| {
        let mut command = lab.command(&lab.flambeau);
        command.args(flags).args(["-c", "x.ml"]).env("TMPDIR", &mount.0);
        process::run(&mut command, LIMIT)
    };
    refusal(&compile(&[EXTERNAL])?, &["tmp"], &["no space left on device"])?;
    lab.expect_absent(&["x.o", "x.cmx"])?;
    expect_object(lab, &compile(&[])?)
}
