//! Flambda 1: OCaml's own optimising middle-end of the same version, which no Debian package has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::env::{self, Stock};
use crate::{apt, process, queue, source_tree};

const LIMIT: Duration = Duration::from_secs(4 * 3600);

/// Its `ocamlopt.opt`, installed below the target folder, if that was built before.
pub fn built(stock: &Stock) -> Result<Option<PathBuf>> {
    let place = env::cache("flambda1")?;
    let is_built = fs::read_to_string(stamp(&place)).is_ok_and(|built| built == identity(stock, &place));
    Ok(is_built.then(|| executable(&place)))
}

fn executable(place: &Path) -> PathBuf {
    place.join("install/bin/ocamlopt.opt")
}

fn stamp(place: &Path) -> PathBuf {
    place.join(".installed")
}

/// What the stamp holds. The compiler knows its own place: one that was moved doesn't find its library.
fn identity(stock: &Stock, place: &Path) -> String {
    format!("{} {}", stock.version, place.join("install").display())
}

/// Its `ocamlopt.opt`. Built at the first use.
pub fn compiler(stock: &Stock) -> Result<PathBuf> {
    if let Some(compiler) = built(stock)? {
        return Ok(compiler);
    }
    let place = env::cache("flambda1")?;
    let prefix = place.join("install");
    let compiler = executable(&place);
    println!("building OCaml {} with Flambda 1 (once; some minutes)", stock.version);
    // A tree of its own: that of the other commands is built without Flambda.
    let tree = apt::source("ocaml", &place)?;
    let version = fs::read_to_string(tree.join("VERSION"))?;
    if version.lines().next() != Some(stock.version.as_str()) {
        bail!("apt-get source does not give OCaml {}", stock.version);
    }
    let step = |program: &str, arguments: &[&str]| -> Result<()> {
        let mut command = Command::new("nice");
        command.arg(program).args(arguments).current_dir(&tree);
        process::run(source_tree::quiet(&mut command), LIMIT)?
            .expect_success(&format!("{program} {}", arguments.join(" ")))?;
        Ok(())
    };
    let prefix_flag = format!("--prefix={}", prefix.display());
    step("./configure", &["--enable-flambda", "--disable-ocamldoc", &prefix_flag])?;
    step("make", &[&format!("-j{}", queue::workers(None)), "world.opt"])?;
    step("make", &["install"])?;
    if env::line_of(Command::new(&compiler).args(["-config-var", "flambda"]))? != "true" {
        bail!("{} is not Flambda", compiler.display());
    }
    fs::write(stamp(&place), identity(stock, &place)).context("cannot write the stamp of Flambda 1")?;
    Ok(compiler)
}
