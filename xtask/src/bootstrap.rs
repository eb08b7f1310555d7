//! What flambeau was compiled by changes nothing of what it makes: the flambeau under test, whose OCaml side another
//! flambeau compiled, compiles the compiler's libraries to the same objects as that one.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use regex::Regex;

use xtask_support::checks::Tally;
use xtask_support::{env, process, setup, shell};

const NAME: &str = "stability-bootstrap";
/// How long the libraries may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);
const LIBRARIES: &[&str] = &["ocamlcommon.cmxa", "ocamlbytecomp.cmxa", "ocamloptcomp.cmxa"];
/// The libraries have more units: fewer objects mean that nothing was compared.
const LEAST_OBJECTS: usize = 200;

/// Compares what the two compilers make.
///
/// # Errors
///
/// Fails if there is no OCaml.
pub fn checks(filter: Option<&Regex>) -> Result<Tally> {
    let mut tally = Tally::default();
    if filter.is_some_and(|filter| !filter.is_match(NAME)) {
        return Ok(tally);
    }
    let Some(bootstrap) = setup::bootstrap()?.filter(|_| env::stand_in().is_none()) else {
        println!("{NAME}: left out, the stock compiler compiled flambeau's OCaml side");
        return Ok(tally);
    };
    tally.record(NAME, compare(&bootstrap).map_err(|error| format!("{error:#}")));
    Ok(tally)
}

fn compare(bootstrap: &Path) -> Result<()> {
    let work = tempfile::Builder::new().prefix("flambeau-bootstrap-").tempdir()?;
    // One folder for both: its name is part of what debuggers read.
    let folder = work.path().join("libraries");
    let earlier = objects(bootstrap, &folder)?;
    let later = objects(&env::flambeau()?, &folder)?;
    if earlier.len() < LEAST_OBJECTS {
        bail!("only {} objects to compare", earlier.len());
    }
    let different: Vec<&str> = earlier
        .keys()
        .chain(later.keys())
        .filter(|name| earlier.get(*name) != later.get(*name))
        .map(String::as_str)
        .collect();
    match &different[..] {
        [] => Ok(()),
        names => bail!("not the same: {}", names[..names.len().min(10)].join(", ")),
    }
}

/// The contents of all objects and descriptions that a flambeau makes of the libraries.
fn objects(flambeau: &Path, folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let stock = env::Stock::find()?.library.join("compiler-libs");
    let mut command = Command::new(flambeau);
    shell::own_flags(shell::clean(&mut command)).args(["recompile", "--to"]).arg(folder);
    command.args(LIBRARIES.iter().map(|library| stock.join(library)));
    command.args(["--", "-g", "-O3", "-flambeau-whole-program"]);
    process::run(&mut command, LIMIT)?.expect_success("flambeau recompile")?;
    let mut objects = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().and_then(OsStr::to_str).is_some_and(|extension| ["o", "cmx"].contains(&extension))
        {
            let name = path.file_name().context("a file without name")?.to_string_lossy().into_owned();
            objects.insert(name, fs::read(&path)?);
        }
    }
    fs::remove_dir_all(folder)?;
    Ok(objects)
}
