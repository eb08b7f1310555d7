//! `cargo xtask ocaml VERSION`: an environment for each version of OCaml that Flambeau is tested with, made once and
//! kept outside of the repository. With `--ocaml VERSION` every other command works in one: `docs/versions.md`.
//!
//! A command does not ask which version it works with. `--ocaml` starts xtask again with a PATH that leads to the
//! version's tools, so that all that looks for a compiler finds that one, and with a target folder of the version's
//! own.

pub mod bounds;
mod build;
mod findlib;
pub mod flambda1;
mod origin;
pub mod packages;

use std::env;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::env::{self as folders, Stock};
use crate::{apt, setup};
use origin::Origin;

/// A version that can be prepared.
struct Version {
    number: &'static str,
    /// The suite of Debian whose packages are made for the series.
    suite: &'static str,
    /// Where its sources may come from; the first that gives them is enough.
    origins: &'static [Origin],
    /// For `configure`.
    flags: &'static [&'static str],
    /// Debian's packages that its build needs, beside those that flambeau's own build needs.
    packages: &'static [&'static str],
}

/// The newest release of each series that users have. 5.3 compresses its interfaces as Debian's does, by zstd; 5.4 does
/// without, as Debian's does.
const VERSIONS: &[Version] = &[
    Version {
        number: "4.13.1",
        suite: "bookworm",
        origins: &[Origin::Debian { suite: "bookworm" }],
        flags: &[],
        packages: &[],
    },
    // No suite has 4.14. Bookworm's packages, which are made for 4.13, are right for it.
    Version {
        number: "4.14.1",
        suite: "bookworm",
        origins: &[Origin::Npm { version: "4.14.1000" }],
        flags: &[],
        packages: &[],
    },
    Version {
        number: "5.3.0",
        suite: "trixie",
        origins: &[Origin::Npm { version: "5.3.0" }, Origin::Debian { suite: "trixie" }],
        flags: &[],
        packages: &["libzstd-dev"],
    },
    Version {
        number: "5.4.1",
        suite: "sid",
        origins: &[Origin::Debian { suite: "sid" }],
        flags: &["--without-zstd"],
        packages: &[],
    },
];

/// Set in a process that `--ocaml` started, to the version.
const MARK: &str = "FLAMBEAU_XTASK_OCAML";

/// The options of `cargo xtask ocaml`.
#[derive(Args)]
pub struct Options {
    /// The version, for example 5.3 or 5.3.0
    version: String,
    /// Build the same version with Flambda 1 too, which `bench` compares with
    #[arg(long)]
    flambda1: bool,
}

/// Prepares a version and shows where it is.
///
/// # Errors
///
/// Fails if the version is not known, or if it cannot be built.
pub fn run(options: &Options) -> Result<bool> {
    setup::tools()?;
    let stock = match Choice::of(&options.version)? {
        Choice::Own(stock) => {
            println!("OCaml {} is the machine's own: {}", stock.version, stock.ocamlopt.display());
            stock
        }
        Choice::Prepared(environment) => {
            environment.make()?;
            println!("OCaml {}: {}", environment.version.number, environment.folder.display());
            println!("  FLAMBEAU_OCAMLFIND={}", environment.ocamlfind().display());
            println!("  PATH={}:$PATH", environment.bin().display());
            environment.stock()?
        }
    };
    if options.flambda1 {
        println!("  Flambda 1: {}", flambda1::compiler(&stock)?.display());
    }
    Ok(true)
}

/// Starts xtask again, with the same arguments, where all tools are those of a version: returns only if there is
/// nothing to do, because it was started so already or the machine's own OCaml is of that version.
///
/// # Errors
///
/// Fails if the version is not known or cannot be built, or if xtask cannot be started again.
pub fn switch(version: &str) -> Result<()> {
    if env::var_os(MARK).is_some_and(|mark| mark == version) {
        return Ok(());
    }
    setup::tools()?;
    let Choice::Prepared(environment) = Choice::of(version)? else { return Ok(()) };
    environment.make()?;
    let old = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([environment.bin()].into_iter().chain(env::split_paths(&old)))?;
    let error = Command::new(env::current_exe()?)
        .args(env::args_os().skip(1))
        .env("PATH", path)
        .env("FLAMBEAU_OCAMLFIND", environment.ocamlfind())
        .env("CARGO_TARGET_DIR", folders::target().join(format!("ocaml-{}", environment.series())))
        .env(MARK, version)
        .exec();
    Err(error).context("cannot start xtask again")
}

/// Whether this process was started by [`switch`], with a target folder that is in the one of before.
#[must_use]
pub fn is_switched() -> bool {
    env::var_os(MARK).is_some()
}

/// Which OCaml a version given by the user is.
enum Choice {
    /// The one that the PATH leads to.
    Own(Stock),
    /// One that we make.
    Prepared(Environment),
}

impl Choice {
    fn of(wanted: &str) -> Result<Choice> {
        let own = Stock::find()?;
        if is_version(&own.version, wanted) {
            return Ok(match Environment::holding(&own)? {
                Some(environment) => Choice::Prepared(environment),
                None => Choice::Own(own),
            });
        }
        if let Some(version) = VERSIONS.iter().find(|version| is_version(version.number, wanted)) {
            Ok(Choice::Prepared(Environment::of(version)?))
        } else {
            let known: Vec<&str> = VERSIONS.iter().map(|version| version.number).collect();
            bail!(
                "OCaml {wanted} is not known: {} can be prepared, and {} is the machine's own",
                known.join(", "),
                own.version
            )
        }
    }
}

/// Whether a version is the one that a user wants, who may leave out its last number.
fn is_version(number: &str, wanted: &str) -> bool {
    let rest = number.strip_prefix(wanted);
    wanted.contains('.') && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The folder of a version: `source` is the built tree with OCaml's own tests, `install` what it installs, `findlib`
/// the configuration of ocamlfind for it, `packages` takes what `ocamlfind install` installs, and `flambda1` the build
/// with Flambda 1.
pub struct Environment {
    version: &'static Version,
    folder: PathBuf,
}

impl Environment {
    fn of(version: &'static Version) -> Result<Environment> {
        let folder = cache()?.join(version.number);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // What is built there holds its own path.
        let folder = fs::canonicalize(&folder).with_context(|| format!("no {}", folder.display()))?;
        Ok(Environment { version, folder })
    }

    /// The one that this process was started in by `--ocaml`; none where it works with the machine's own.
    ///
    /// # Errors
    ///
    /// Fails if the folder of the version cannot be made.
    pub fn current() -> Result<Option<Environment>> {
        let Some(mark) = env::var_os(MARK) else { return Ok(None) };
        let version = VERSIONS
            .iter()
            .find(|version| mark.to_str().is_some_and(|mark| is_version(version.number, mark)));
        version.map(Environment::of).transpose()
    }

    /// The one that a compiler belongs to, unless it is the machine's own.
    ///
    /// # Errors
    ///
    /// Fails if the folder of the version cannot be made.
    pub fn holding(stock: &Stock) -> Result<Option<Environment>> {
        let Some(version) = VERSIONS.iter().find(|version| version.number == stock.version) else {
            return Ok(None);
        };
        let environment = Environment::of(version)?;
        let is_inside = stock.ocamlopt.starts_with(&environment.folder);
        Ok(is_inside.then_some(environment))
    }

    /// The built source tree.
    #[must_use]
    pub fn source(&self) -> PathBuf {
        self.folder.join("source")
    }

    /// Where its build with Flambda 1 is kept.
    #[must_use]
    pub fn flambda1(&self) -> PathBuf {
        self.folder.join("flambda1")
    }

    /// Unpacks the sources once more, for a build of another kind.
    ///
    /// # Errors
    ///
    /// Fails if the sources cannot be had.
    pub fn unpack(&self, folder: &Path) -> Result<()> {
        origin::unpack(self.version.number, self.version.origins, folder)
    }

    /// The flags of `configure` that the version needs.
    #[must_use]
    pub fn configuration(&self) -> &'static [&'static str] {
        self.version.flags
    }

    /// `5.3` of `5.3.0`.
    fn series(&self) -> &str {
        self.version.number.rsplit_once('.').map_or(self.version.number, |(series, _)| series)
    }

    fn prefix(&self) -> PathBuf {
        self.folder.join("install")
    }

    fn bin(&self) -> PathBuf {
        self.prefix().join("bin")
    }

    fn ocamlfind(&self) -> PathBuf {
        self.bin().join("ocamlfind")
    }

    fn stock(&self) -> Result<Stock> {
        Stock::of(&self.bin().join("ocamlopt.opt"), &self.bin().join("ocamlc.opt"))
    }

    /// Makes what is missing. Whoever comes while another makes it waits.
    fn make(&self) -> Result<()> {
        let lock = File::create(self.folder.join(".lock"))?;
        lock.lock().context("cannot lock the folder of the version")?;
        apt::install(self.version.packages)?;
        build::make(self)?;
        findlib::write(self)
    }
}

/// The folder of all versions, which worktrees and target folders share.
fn cache() -> Result<PathBuf> {
    let cache = match env::var_os("XDG_CACHE_HOME").filter(|folder| Path::new(folder).is_absolute()) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env::var_os("HOME").context("neither HOME nor XDG_CACHE_HOME is set")?)
            .join(".cache"),
    };
    Ok(cache.join("flambeau/ocaml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_may_be_left_out() {
        assert!(is_version("5.3.0", "5.3.0") && is_version("5.3.0", "5.3") && !is_version("5.3.0", "5"));
        assert!(!is_version("5.30.0", "5.3") && !is_version("5.3.0", "5.3.1") && !is_version("5.3", "5.3.0"));
    }

    #[test]
    fn no_two_versions_are_called_the_same() {
        for version in VERSIONS {
            let series = version.number.rsplit_once('.').map_or("", |(series, _)| series);
            let same = VERSIONS.iter().filter(|other| is_version(other.number, series));
            assert_eq!(same.count(), 1, "{series}");
        }
    }
}
