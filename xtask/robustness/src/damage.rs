//! Damaged `.cmx` files: refused with a clear error, never believed, and nothing half-written left.

use std::fs;

use anyhow::{Context, Result, bail};

use super::lab::{By, Lab};
use super::{Check, Verdict};
use xtask_support::env;
use xtask_support::payload::{MAGIC, layout};

pub const CHECKS: &[Check] = &[
    Check { name: "cmx-corrupt-payload", run: corrupt_payload },
    Check { name: "cmx-corrupt-description", run: corrupt_description },
    Check { name: "cmx-truncated", run: truncated },
    Check { name: "cmx-other-version", run: other_version },
    Check { name: "cmx-is-a-folder", run: folder },
    Check { name: "cmx-stale", run: stale },
    Check { name: "cmxa-damaged", run: library },
];

const LIBRARY: &str = "let twice f x = f (f x)\nlet one = 1.5\ntype t = A of int | B of string\n\
    let show = function A n -> string_of_int n | B s -> s\nlet rec len = function [] -> 0 | _ :: l -> 1 + len l\n";
const INTERFACE: &str = "val twice : ('a -> 'a) -> 'a -> 'a\nval one : float\ntype t = A of int | B of string\n\
    val show : t -> string\nval len : 'a list -> int\n";
const CLIENT: &str = "let () = print_endline (Lib.show (Lib.A (Lib.twice succ (Lib.len [1]))))\n";
const DAMAGE: &[&str] = &[
    "corrupt",
    "truncat",
    "damaged",
    "not a compilation unit description",
    "does not match its digest",
    "checksum",
    "inconsistent",
];

/// Compiles the library, and returns the bytes of its `.cmx`.
fn make_library(lab: &Lab) -> Result<Vec<u8>> {
    lab.write("lib.ml", LIBRARY)?;
    lab.write("client.ml", CLIENT)?;
    lab.compile(By::Flambeau, &["-c", "lib.ml"])?;
    // What the checks say about damaged files means something only if the undamaged one is fine.
    lab.compile(By::Flambeau, &["lib.cmx", "client.ml", "-o", "client.exe"])?;
    lab.expect_output("client.exe", "3\n")?;
    for name in ["client.o", "client.cmx", "client.cmi", "client.exe"] {
        fs::remove_file(lab.file(name)).with_context(|| format!("no {name}"))?;
    }
    lab.read("lib.cmx")
}

/// The client must not compile against this `.cmx`.
fn expect_refused(lab: &Lab, cmx: &[u8], causes: &[&str]) -> Result<()> {
    lab.write("lib.cmx", cmx)?;
    lab.expect_refusal(&["-c", "client.ml"], &["lib.cmx"], causes)?;
    lab.expect_absent(&["client.o", "client.cmx"])
}

fn corrupt_payload(lab: &Lab) -> Result<Verdict> {
    let good = make_library(lab)?;
    let payload = layout(&good)?.digest;
    if payload == good.len() {
        if env::stand_in().is_some() {
            return Ok(Verdict::Skipped("its .cmx files have no payload".into()));
        }
        bail!("lib.cmx has no payload");
    }
    let length = good.len() - payload;
    for at in [0, 1, length / 4, length / 2, length - 1] {
        for mask in [0x01, 0xFF] {
            let mut bad = good.clone();
            bad[payload + at] ^= mask;
            expect_refused(lab, &bad, DAMAGE)
                .with_context(|| format!("byte {at} of {length} of the payload, mask {mask:#x}"))?;
        }
    }
    // Without its payload a file of ours must not pass for one of the stock compiler's.
    expect_refused(lab, &good[..payload], DAMAGE).context("the payload taken away")?;
    let mut longer = good.clone();
    longer.extend_from_slice(b"more");
    expect_refused(lab, &longer, DAMAGE).context("four bytes more")?;
    Ok(Verdict::Held)
}

fn corrupt_description(lab: &Lab) -> Result<Verdict> {
    let good = make_library(lab)?;
    // Stock OCaml checks nothing in here but the shape of the header: so do we, at the least.
    let mut bad = good.clone();
    bad[MAGIC] ^= 0xFF;
    expect_refused(lab, &bad, DAMAGE)?;
    Ok(Verdict::Held)
}

fn truncated(lab: &Lab) -> Result<Verdict> {
    let good = make_library(lab)?;
    let layout = layout(&good)?;
    let mut lengths = vec![
        0,
        5,
        MAGIC,
        MAGIC + 10,
        layout.description / 2,
        layout.description - 1,
        layout.description,
        layout.digest - 1,
    ];
    if good.len() > layout.digest {
        lengths.extend([layout.digest, usize::midpoint(layout.digest, good.len()), good.len() - 1]);
    }
    for length in lengths {
        expect_refused(lab, &good[..length], DAMAGE)
            .with_context(|| format!("lib.cmx cut to {length} of {} bytes", good.len()))?;
        // The linker reads it too.
        if length < layout.digest {
            lab.expect_refusal(&["lib.cmx", "-o", "lib.exe"], &["lib.cmx"], DAMAGE)
                .with_context(|| format!("linking lib.cmx cut to {length} bytes"))?;
            lab.expect_absent(&["lib.exe"])?;
        }
    }
    Ok(Verdict::Held)
}

fn other_version(lab: &Lab) -> Result<Verdict> {
    let good = make_library(lab)?;
    let own: u32 = str::from_utf8(&good[MAGIC - 3..MAGIC])?.parse().context("the magic number's version")?;
    for version in [own - 1, own + 1] {
        let mut bad = good.clone();
        bad[MAGIC - 3..MAGIC].copy_from_slice(format!("{version:03}").as_bytes());
        let causes = &["version", "not a compilation unit description", "another OCaml"];
        expect_refused(lab, &bad, causes)?;
        lab.expect_refusal(&["lib.cmx", "-o", "lib.exe"], &["lib.cmx"], causes)?;
        lab.expect_absent(&["lib.exe"])?;
    }
    Ok(Verdict::Held)
}

fn folder(lab: &Lab) -> Result<Verdict> {
    make_library(lab)?;
    fs::remove_file(lab.file("lib.cmx"))?;
    fs::create_dir(lab.file("lib.cmx"))?;
    lab.expect_refusal(&["-c", "client.ml"], &["lib.cmx"], &["is a directory"])?;
    lab.expect_absent(&["client.o", "client.cmx"])?;
    Ok(Verdict::Held)
}

/// A library that was compiled again after its client: the link must be refused.
fn stale(lab: &Lab) -> Result<Verdict> {
    make_library(lab)?;
    // With an interface of its own, the library's implementation is all that changes.
    lab.write("lib.mli", INTERFACE)?;
    lab.compile(By::Flambeau, &["-c", "lib.mli", "lib.ml"])?;
    lab.compile(By::Flambeau, &["-c", "client.ml"])?;
    // Same type, other arity: a direct call to the old code would jump into the wrong one.
    let changed = LIBRARY.replace("let twice f x = f (f x)", "let twice f = let g x = f (f x) in g");
    lab.write("lib.ml", changed)?;
    lab.compile(By::Flambeau, &["-c", "lib.ml"])?;
    let arguments = &["lib.cmx", "client.cmx", "-o", "client.exe"];
    lab.expect_refusal(arguments, &["client.cmx", "lib"], &["inconsistent assumptions over implementation"])?;
    lab.expect_absent(&["client.exe"])?;
    Ok(Verdict::Held)
}

fn library(lab: &Lab) -> Result<Verdict> {
    make_library(lab)?;
    lab.compile(By::Flambeau, &["-a", "lib.cmx", "-o", "lib.cmxa"])?;
    lab.compile(By::Flambeau, &["-c", "client.ml"])?;
    let good = lab.read("lib.cmxa")?;
    for (what, bad) in [
        ("cut in the middle", good[..good.len() / 2].to_vec()),
        ("empty", vec![]),
        ("of another version", {
            let mut bad = good.clone();
            bad[MAGIC - 3..MAGIC].copy_from_slice(b"029");
            bad
        }),
    ] {
        lab.write("lib.cmxa", bad)?;
        let arguments = &["lib.cmxa", "client.cmx", "-o", "client.exe"];
        // The stock linker's words for what has another magic number: "not a compilation unit description".
        let causes = &["corrupt", "truncat", "not a compilation unit", "version", "end of file"];
        lab.expect_refusal(arguments, &["lib.cmxa"], causes).context(what)?;
        lab.expect_absent(&["client.exe"])?;
    }
    Ok(Verdict::Held)
}
