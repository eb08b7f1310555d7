//! OCaml's own source tree, unpacked, configured and built: what its test suite and a build of the compiler
//! itself need.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::env::Stock;
use crate::ocaml::Environment;
use crate::{apt, env, process, queue, shell};

const LIMIT: Duration = Duration::from_secs(4 * 3600);

/// What a tree is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The usual compiler, and the tools of OCaml's test suite.
    Tested,
    /// The compiler with Flambda 1.
    Flambda1,
}

/// The tree of the stock compiler's version, as its authors and Debian left it, or built.
///
/// # Errors
///
/// Fails if the sources of this version cannot be had.
pub fn unpacked(stock: &Stock) -> Result<PathBuf> {
    if let Some(environment) = Environment::holding(stock)? {
        return Ok(environment.source());
    }
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
/// itself. That of the machine's own version is made once, below the target folder.
///
/// # Errors
///
/// Fails if the sources of this version cannot be had, or if the build fails.
pub fn built(stock: &Stock) -> Result<PathBuf> {
    let tree = unpacked(stock)?;
    if Environment::holding(stock)?.is_some() {
        return Ok(tree);
    }
    // The tree knows its own path: what was built elsewhere is of no use here.
    let stamp = tree.join(".built");
    let path = tree.to_string_lossy().into_owned();
    if fs::read_to_string(&stamp).is_ok_and(|built| built == path) {
        return Ok(tree);
    }
    println!("building OCaml {} (once; some minutes)", stock.version);
    build(&tree, Kind::Tested, None, &[])?;
    fs::write(&stamp, path).context("cannot write the stamp of a built tree")?;
    Ok(tree)
}

/// Configures and builds an unpacked tree, and installs it below `prefix` if there is one.
///
/// # Errors
///
/// Fails if a step of the build fails.
pub fn build(tree: &Path, kind: Kind, prefix: Option<&Path>, flags: &[&str]) -> Result<()> {
    let step = |program: &str, arguments: &[&str]| -> Result<()> {
        let mut command = Command::new("nice");
        command.arg(program).args(arguments).current_dir(tree);
        process::run(quiet(&mut command), LIMIT)?
            .expect_success(&format!("{program} {}", arguments.join(" ")))?;
        Ok(())
    };
    // Neither the compiler nor its tests take part in what the documentation generator does.
    let mut configure = vec!["--disable-ocamldoc"];
    configure.push(match kind {
        Kind::Tested => "--enable-ocamltest",
        Kind::Flambda1 => "--enable-flambda",
    });
    configure.extend(flags);
    let prefix_flag = prefix.map(|prefix| format!("--prefix={}", prefix.display()));
    configure.extend(prefix_flag.as_deref());
    step("./configure", &configure)?;
    let jobs = format!("-j{}", queue::workers(None));
    step("make", &[&jobs, "world.opt"])?;
    if kind == Kind::Tested {
        // Since 5.1, its folder has no Makefile of its own, and it is part of the above.
        if tree.join("ocamltest/Makefile").exists() {
            step("make", &["-C", "ocamltest", "all", "allopt"])?;
        }
        if !tree.join("ocamltest/ocamltest.opt").exists() {
            bail!("the build made no ocamltest in {}", tree.display());
        }
        step("make", &["-C", "testsuite", "lib", "tools"])?;
    }
    if prefix.is_some() {
        step("make", &["install"])?;
    }
    Ok(())
}

/// Takes out of a command's environment what a user's shell, or cargo, put into it for other compilations.
pub fn quiet(command: &mut Command) -> &mut Command {
    for variable in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CFLAGS", "LDFLAGS", "CC"] {
        command.env_remove(variable);
    }
    shell::clean(command)
}
