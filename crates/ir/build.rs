//! Names the form in which terms are written for other units: by a hash of the sources that it follows from.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::{env, fs, io};

const SOURCES: &[&str] = &[
    "consts.rs",
    "decision.rs",
    "entities.rs",
    "inlining.rs",
    "inlining/text.rs",
    "kind.rs",
    "loc.rs",
    "prim/mod.rs",
    "term.rs",
    "unit.rs",
    "transfer/mod.rs",
    "transfer/export.rs",
    "transfer/import.rs",
];

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    for source in SOURCES {
        println!("cargo:rerun-if-changed=src/{source}");
        let folder = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
        fs::read(format!("{folder}/src/{source}"))?.hash(&mut hasher);
    }
    println!("cargo:rustc-env=FLAMBEAU_TRANSFER_FORMAT={:016x}", hasher.finish());
    Ok(())
}
