//! OCaml's own source tree, unpacked, configured and built: what its test suite and a build of the compiler
//! itself need.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::env::Stock;
use crate::{apt, env, process, programs, queue};

const LIMIT: Duration = Duration::from_secs(4 * 3600);

/// The tree of the stock compiler's version, as its authors and Debian left it.
pub fn unpacked(stock: &Stock) -> Result<PathBuf> {
    let tree = apt::source("ocaml", &env::cache("sources")?)?;
    let version = fs::read_to_string(tree.join("VERSION"))?;
    if version.lines().next() != Some(stock.version.as_str()) {
        bail!(
            "apt-get source gives OCaml {}; the installed one is {}",
            version.lines().next().unwrap_or("?"),
            stock.version
        );
    }
    Ok(tree)
}

/// The tree of the stock compiler's version, with its bytecode and native compilers and its libraries built by
/// itself. Made once, below the target folder.
pub fn built(stock: &Stock) -> Result<PathBuf> {
    let tree = unpacked(stock)?;
    // The tree knows its own place: what was built elsewhere is of no use here.
    let stamp = tree.join(".built");
    let place = tree.to_string_lossy().into_owned();
    if fs::read_to_string(&stamp).is_ok_and(|built| built == place) {
        return Ok(tree);
    }
    println!("building OCaml {} (once; some minutes)", stock.version);
    let step = |program: &str, arguments: &[&str]| -> Result<()> {
        let mut command = Command::new("nice");
        command.arg(program).args(arguments).current_dir(&tree);
        process::run(quiet(&mut command), LIMIT)?
            .expect_success(&format!("{program} {}", arguments.join(" ")))?;
        Ok(())
    };
    // Neither the compiler nor its tests take part in what the documentation generator does.
    step("./configure", &["--disable-ocamldoc"])?;
    let jobs = format!("-j{}", queue::workers(None));
    step("make", &[&jobs, "world.opt"])?;
    step("make", &["-C", "ocamltest", "all", "allopt"])?;
    step("make", &["-C", "testsuite", "lib", "tools"])?;
    fs::write(&stamp, place).context("cannot write the stamp of a built tree")?;
    Ok(tree)
}

/// Takes out of a command's environment what a user's shell, or cargo, put into it for other compilations.
pub fn quiet(command: &mut Command) -> &mut Command {
    for variable in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CFLAGS", "LDFLAGS", "CC"] {
        command.env_remove(variable);
    }
    programs::clean(command)
}
