//! `cargo xtask install --prefix DIR`: an installed tree that depends on nothing of the checkout.
//!
//! | below DIR | |
//! |---|---|
//! | `bin/flambeau` | the executable, with what it knows of the standard library |
//! | `lib/flambeau/bin` | the toolchain folder, for the PATH of build tools |
//! | `share/man/man1` | the manual page |
//! | `share/bash-completion`, `share/zsh`, `share/fish` | completions of shells |
//! | `share/doc/flambeau` | README, guide, reference, licence |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use xtask_support::{env, process, setup};

const LIMIT: Duration = Duration::from_secs(600);

/// What is printed by the executable itself, and the file for it.
const PRINTED: &[(&[&str], &str)] = &[
    (&["man"], "share/man/man1/flambeau.1"),
    (&["completion", "bash"], "share/bash-completion/completions/flambeau"),
    (&["completion", "zsh"], "share/zsh/site-functions/_flambeau"),
    (&["completion", "fish"], "share/fish/vendor_completions.d/flambeau.fish"),
];

/// The documents for users: files and folders of the repository.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "docs/flags.md",
    "docs/inlining.md",
    "docs/reports.md",
    "docs/zero-alloc.md",
    "docs/guide",
];

/// The options of `cargo xtask install`.
#[derive(Args)]
pub struct Options {
    /// The folder that gets bin, lib and share
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
}

/// Builds and installs.
///
/// # Errors
///
/// Fails if flambeau can't be built, or a file can't be written.
pub fn run(options: &Options) -> Result<()> {
    setup::run()?;
    let prefix = std::path::absolute(&options.prefix)?;
    fs::create_dir_all(prefix.join("bin")).with_context(|| format!("cannot make {}", prefix.display()))?;
    let toolchain = prefix.join("lib/flambeau");
    let mut make = Command::new(env::flambeau()?);
    process::run(make.arg("toolchain").arg(&toolchain), LIMIT)?.expect_success("flambeau toolchain")?;
    let flambeau = prefix.join("bin/flambeau");
    let _ = fs::remove_file(&flambeau);
    std::os::unix::fs::symlink("../lib/flambeau/bin/flambeau", &flambeau)
        .with_context(|| format!("cannot make {}", flambeau.display()))?;
    for (arguments, file) in PRINTED {
        let printed = process::run(Command::new(&flambeau).args(*arguments), LIMIT)?
            .expect_success(&format!("flambeau {}", arguments.join(" ")))?;
        write(&prefix.join(file), printed.out().as_bytes())?;
    }
    for document in DOCUMENTS {
        install_document(&env::root().join(document), &prefix.join("share/doc/flambeau"))?;
    }
    println!(
        "Installed in {0}. For the compiler alone:\n  export PATH=\"{0}/bin:$PATH\"\n\
         for all build tools:\n  export PATH=\"{0}/lib/flambeau/bin:$PATH\"\nThen: flambeau help; man -M {0}/share/man flambeau",
        prefix.display()
    );
    Ok(())
}

/// Copies a file or a folder of the repository, under its name there.
fn install_document(source: &Path, folder: &Path) -> Result<()> {
    let files = if source.is_dir() { env::files_below(source)? } else { vec![source.to_owned()] };
    for file in files {
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        write(&folder.join(file.strip_prefix(env::root())?), &bytes)?;
    }
    Ok(())
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}
