//! The configuration of ocamlfind for a version: the machine's own `ocamlfind` works for any, with a configuration for
//! it.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Environment, cache};

/// Packages that OCaml has long been without, or never had: what asks for them needs nothing.
const EMPTY: &[&str] = &["bytes", "seq", "uchar", "bigarray", "stdlib-shims"];

/// The libraries that OCaml installs. Since 5.0 it also installs what ocamlfind is to know of them.
const UNIX: &str = r#"requires = ""
directory = "^"
archive(byte) = "unix.cma"
archive(native) = "unix.cmxa"
plugin(byte) = "unix.cma"
plugin(native) = "unix.cmxs"
"#;

const STR: &str = r#"requires = ""
directory = "^"
archive(byte) = "str.cma"
archive(native) = "str.cmxa"
plugin(byte) = "str.cma"
plugin(native) = "str.cmxs"
"#;

const DYNLINK: &str = r#"requires = ""
directory = "^"
archive(byte) = "dynlink.cma"
archive(native) = "dynlink.cmxa"
"#;

const STDLIB: &str = r#"requires = ""
directory = "^"
"#;

const THREADS: &str = r#"requires = "threads.posix"
directory = "^"
type_of_threads = "posix"
package "posix" (
  requires = "unix"
  directory = "+threads"
  archive(byte) = "threads.cma"
  archive(native) = "threads.cmxa"
)
"#;

const COMPILER_LIBS: &str = r#"requires = ""
directory = "+compiler-libs"
package "common" (
  requires = "compiler-libs"
  archive(byte) = "ocamlcommon.cma"
  archive(native) = "ocamlcommon.cmxa"
)
package "bytecomp" (
  requires = "compiler-libs.common"
  archive(byte) = "ocamlbytecomp.cma"
  archive(native) = "ocamlbytecomp.cmxa"
)
package "optcomp" (
  requires = "compiler-libs.common"
  archive(byte) = "ocamloptcomp.cma"
  archive(native) = "ocamloptcomp.cmxa"
)
package "toplevel" (
  requires = "compiler-libs.bytecomp"
  archive(byte) = "ocamltoplevel.cma"
)
package "native-toplevel" (
  requires = "compiler-libs.optcomp dynlink"
  archive(native) = "ocamltoplevel.cmxa"
)
"#;

const OWN: &[(&str, &str)] = &[
    ("unix", UNIX),
    ("str", STR),
    ("dynlink", DYNLINK),
    ("stdlib", STDLIB),
    ("threads", THREADS),
    ("compiler-libs", COMPILER_LIBS),
];

/// Writes the configuration, the descriptions of packages that the version does not install itself, and the program
/// `ocamlfind`.
pub fn write(environment: &Environment) -> Result<()> {
    let folder = environment.folder.join("findlib");
    let packages = environment.folder.join("packages");
    let library = environment.prefix().join("lib/ocaml");
    for folder in [&folder, &packages] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    for path in [&environment.folder, &folder] {
        if path.to_string_lossy().contains([' ', ':', '"', '\'']) {
            bail!(
                "ocamlfind can't be configured with a path with blanks, colons or quotes: {}",
                path.display()
            );
        }
    }
    let empty = EMPTY.iter().map(|name| (*name, STDLIB));
    for (name, text) in OWN.iter().copied().chain(empty) {
        if !library.join(name).join("META").exists() {
            let text = format!("version = \"{}\"\n{text}", environment.version.number);
            fs::write(folder.join(format!("META.{name}")), text)?;
        }
    }
    let configuration = folder.join("findlib.conf");
    let text = format!(
        "path=\"{library}:{packages}:{own}\"\ndestdir=\"{packages}\"\nstdlib=\"{library}\"\nldconf=\"{ldconf}\"\n",
        library = library.display(),
        packages = packages.display(),
        own = folder.display(),
        ldconf = library.join("ld.conf").display(),
    );
    fs::write(&configuration, text)?;
    program(environment, &configuration)
}

/// Writes `ocamlfind`. Where the PATH leads to another version's tools it puts this one's before them, and only there:
/// a folder of tools in which flambeau is `ocamlopt` must stay at the front.
fn program(environment: &Environment, configuration: &Path) -> Result<()> {
    let path = environment.ocamlfind();
    let script = format!(
        "#!/bin/sh\n\
         # Written by `cargo xtask ocaml`: ocamlfind for OCaml {version}.\n\
         OCAMLFIND_CONF='{configuration}'\n\
         if [ \"$(ocamlc -version 2>/dev/null)\" != {version} ]; then PATH='{bin}':\"$PATH\"; fi\n\
         export OCAMLFIND_CONF PATH\n\
         exec '{ocamlfind}' \"$@\"\n",
        version = environment.version.number,
        configuration = configuration.display(),
        bin = environment.bin().display(),
        ocamlfind = machines_own()?.display(),
    );
    if fs::read_to_string(&path).is_ok_and(|written| written == script) {
        return Ok(());
    }
    fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// The `ocamlfind` of the PATH that is none of those written here.
fn machines_own() -> Result<PathBuf> {
    let ours = cache()?;
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join("ocamlfind"))
        .find(|file| file.is_file() && !file.starts_with(&ours))
        .context("no ocamlfind on the PATH (on Debian: apt-get install ocaml-findlib)")
}
