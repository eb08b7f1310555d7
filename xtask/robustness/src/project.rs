//! A dune project with all that a project may have beside OCaml code: a preprocessor made on the compiler's own
//! library, C stubs that call back, and a plugin that is loaded by natdynlink.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::lab::Lab;
use super::{Check, Verdict};
use xtask_support::checks::diff;
use xtask_support::ocaml::packages;
use xtask_support::{env, payload, process};

pub const CHECKS: &[Check] = &[Check { name: "dune-project", run: project }];

const LIMIT: Duration = Duration::from_secs(300);

/// What its program prints.
const EXPECTED: &str = "42 line 2\n6 6\n4 0,1,2,3\nexception through C\ntriple 21\nlength 7\n";

const PROGRAM: &str = "bin/main.exe";
const PLUGIN: &str = "plugin/plug.cmxs";

/// Built by stock and by flambeau it does the same.
fn project(lab: &Lab) -> Result<Verdict> {
    let Some(dune) = packages::dune()? else { return Ok(Verdict::Skipped("no dune on the PATH".into())) };
    if env::stand_in().is_some() {
        return Ok(Verdict::Skipped("a compiler that replaces flambeau makes no toolchain".into()));
    }
    process::run(lab.command(&lab.flambeau).arg("toolchain").arg(lab.file("toolchain")), LIMIT)?
        .expect_success("flambeau toolchain")?;
    let path = std::env::var("PATH").unwrap_or_default();
    let paths =
        [("stock", path.clone()), ("ours", format!("{}:{path}", lab.file("toolchain/bin").display()))];
    for (name, path) in &paths {
        let folder = lab.file(name);
        let mut copy = Command::new("cp");
        copy.arg("-r").arg(env::root().join("tests/robustness/dune_project")).arg(&folder);
        process::run(&mut copy, LIMIT)?.expect_success("cp")?;
        let mut command = lab.command(&dune);
        command
            .args(["build", "--root", ".", "--profile", "release", PROGRAM, PLUGIN])
            .current_dir(&folder)
            .env("PATH", path)
            .env("DUNE_CACHE", "disabled");
        process::run(&mut command, LIMIT)?.expect_success(&format!("dune build by {name}"))?;
        let built = folder.join("_build/default");
        let mut command = lab.command(built.join(PROGRAM));
        let printed = process::run(command.arg(built.join(PLUGIN)), LIMIT)?
            .expect_success(&format!("the program by {name}"))?
            .out();
        if printed != EXPECTED {
            bail!("{}", diff(&format!("output by {name}"), EXPECTED, &printed));
        }
    }
    let (ours, all) = payload::count(&lab.file("ours"))?;
    if ours == 0 || ours < all {
        bail!("flambeau made {ours} of the {all} .cmx files");
    }
    Ok(Verdict::Held)
}
