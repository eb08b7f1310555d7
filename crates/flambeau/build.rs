//! Builds the OCaml side and has it linked into the executable: one object that holds our OCaml code and the OCaml
//! compiler's libraries, and the OCaml runtime.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The folders of `ocaml/` that hold code for every version of OCaml.
const COMMON: &[&str] = &["wire", "boundary", "driver", "unit", "front", "back", "bytecode"];

/// Its base name differs from that of every OCaml module, as `-output-obj` demands.
const OBJECT: &str = "flambeau_ocaml_side.o";

/// The variable that names a flambeau to compile the OCaml side by, with the compiler's libraries, in place of stock
/// `ocamlopt`: what comes out compiles faster (`docs/design/time.md`).
const BOOTSTRAP: &str = "FLAMBEAU_BOOTSTRAP";

/// The compiler's libraries, in the order in which they are linked.
const COMPILER_LIBRARIES: &[&str] = &["ocamlcommon.cmxa", "ocamlbytecomp.cmxa", "ocamloptcomp.cmxa"];

/// What an earlier flambeau is told: half of the compiler's libraries are functions that we never call.
/// The type checker's values are marshalled: a `.cmi` file has to be the one that stock writes.
const OPTIMISED: &[&str] = &["-O3", "-flambeau-whole-program", "-flambeau-keep-sharing"];

/// Where those are that an earlier flambeau compiled.
const LIBRARIES: &str = "compiler-libs";

/// All warnings but those about fragile matches and the like, and all of them errors.
const WARNINGS: &[&str] = &["-w", "+a-4-9-40-41-42-44-45-48-70", "-warn-error", "+a", "-strict-sequence"];

fn main() {
    if let Err(error) = build() {
        eprintln!("error: the OCaml side of flambeau was not built: {error:#}");
        std::process::exit(1);
    }
}

fn build() -> Result<()> {
    println!("cargo:rerun-if-env-changed=FLAMBEAU_OCAMLFIND");
    println!("cargo:rerun-if-env-changed={BOOTSTRAP}");
    println!("cargo:rerun-if-env-changed=PATH");
    let sources = PathBuf::from(env_var("CARGO_MANIFEST_DIR")?).join("../../ocaml").canonicalize()?;
    println!("cargo:rerun-if-changed={}", sources.display());

    let ocaml = Ocaml::find()?;
    let work = PathBuf::from(env_var("OUT_DIR")?).join("ocaml");
    let mut files = Vec::new();
    for folder in COMMON {
        files.extend(modules_in(&sources.join(folder))?);
    }
    files.extend(compat::modules(&sources.join("compat"), &ocaml.version)?);
    files.extend(architecture_modules(&sources.join("architecture"), &ocaml)?);
    let modules = copy_sources(&files, &work)?;
    let order = ocaml.order(&work, &modules)?;
    match bootstrap()? {
        None => ocaml.compile(&work, &order)?,
        Some(flambeau) => Bootstrap { flambeau, ocaml: &ocaml }.compile(&work, &order)?,
    }
    let object = work.join(OBJECT);
    println!("cargo:rustc-env=FLAMBEAU_OCAML_VERSION={}", ocaml.version);

    println!("cargo:rustc-link-arg={}", object.display());
    for library in ocaml.libraries()? {
        println!("cargo:rustc-link-arg={library}");
    }
    // Linked at a fixed address: else the loader relocates a hundred thousand OCaml values at each start.
    if env_var("CARGO_CFG_TARGET_OS")? == "linux" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    Ok(())
}

fn env_var(name: &str) -> Result<OsString> {
    env::var_os(name).with_context(|| format!("{name} is not set (build.rs is to be run by cargo)"))
}

/// The OCaml files of a folder.
fn modules_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ml") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The modules that depend on the processor, and of these those that depend on the version of OCaml, too.
fn architecture_modules(folder: &Path, ocaml: &Ocaml) -> Result<Vec<PathBuf>> {
    let own = folder.join(ocaml.run(None, &["ocamlopt", "-config-var", "architecture"])?);
    if !own.is_dir() {
        return modules_in(&folder.join("other"));
    }
    let mut files = modules_in(&own)?;
    files.extend(compat::modules(&own.join("compat"), &ocaml.version)?);
    Ok(files)
}

/// Copies the sources, flat, so that nothing is ever written into the source tree. Gives their file names.
fn copy_sources(files: &[PathBuf], work: &Path) -> Result<Vec<String>> {
    if work.exists() {
        fs::remove_dir_all(work).with_context(|| format!("removing {}", work.display()))?;
    }
    fs::create_dir_all(work).with_context(|| format!("making {}", work.display()))?;
    let mut names = Vec::new();
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).context("a strange file name")?.to_owned();
        let copy = work.join(&name);
        if copy.exists() {
            bail!("two modules are called {name}");
        }
        fs::copy(path, &copy).with_context(|| format!("copying {}", path.display()))?;
        names.push(name);
    }
    names.sort();
    Ok(names)
}

/// The modules that depend on the version of OCaml: `ocaml/compat` has a folder for each version in which some of them
/// changed, and each module is taken from the newest one that is not newer than the compiler.
mod compat {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::{Path, PathBuf};

    use anyhow::{Context, Result, bail};

    /// Major and minor number.
    type Series = (u32, u32);

    /// The first that is supported, and those that are not though later ones are: 5.0 to 5.2 were not tested.
    const FIRST: Series = (4, 13);
    const LEFT_OUT: [Series; 3] = [(5, 0), (5, 1), (5, 2)];

    fn series(version: &str) -> Option<Series> {
        let mut numbers = version.split(['.', '~', '+']).map(|number| number.parse().ok());
        Some((numbers.next()??, numbers.next()??))
    }

    /// The file of each module.
    pub fn modules(folder: &Path, version: &str) -> Result<Vec<PathBuf>> {
        let wanted = series(version).with_context(|| format!("a strange version of OCaml: {version}"))?;
        if wanted < FIRST || LEFT_OUT.contains(&wanted) {
            bail!("OCaml {version} is not supported: 4.13, 4.14, 5.3, 5.4 are");
        }
        let mut layers = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(layer) = series(name) else {
                bail!("{} has the name of no version of OCaml", path.display())
            };
            layers.push((layer, path));
        }
        layers.sort();
        let mut modules = BTreeMap::new();
        for (_, path) in layers.iter().filter(|(layer, _)| *layer <= wanted) {
            for file in super::modules_in(path)? {
                modules.insert(file.file_name().map(ToOwned::to_owned), file);
            }
        }
        Ok(modules.into_values().collect())
    }
}

/// An OCaml installation.
struct Ocaml {
    ocamlfind: OsString,
    version: String,
}

impl Ocaml {
    /// The one that `FLAMBEAU_OCAMLFIND` names, or that is on the PATH.
    fn find() -> Result<Ocaml> {
        let ocamlfind = env::var_os("FLAMBEAU_OCAMLFIND").unwrap_or_else(|| "ocamlfind".into());
        let mut ocaml = Ocaml { ocamlfind, version: String::new() };
        ocaml.version = ocaml.run(None, &["ocamlopt", "-version"]).context(
            "an OCaml compiler with ocamlfind is needed (on Debian: apt-get install ocaml-nox ocaml-findlib; \
             to choose another, set FLAMBEAU_OCAMLFIND to the path of its ocamlfind)",
        )?;
        ocaml
            .run(None, &["query", "compiler-libs.optcomp"])
            .context("the package compiler-libs.optcomp is needed (on Debian: apt-get install ocaml-nox)")?;
        Ok(ocaml)
    }

    /// The modules, each after those that it uses.
    fn order(&self, work: &Path, modules: &[String]) -> Result<Vec<String>> {
        let mut sort = vec!["ocamldep", "-sort"];
        sort.extend(modules.iter().map(String::as_str));
        Ok(self.run(Some(work), &sort)?.split_whitespace().map(str::to_owned).collect())
    }

    /// Compiles the modules into one object.
    fn compile(&self, work: &Path, modules: &[String]) -> Result<()> {
        let mut arguments =
            vec!["ocamlopt", "-package", "compiler-libs.optcomp,compiler-libs.bytecomp", "-linkpkg", "-g"];
        arguments.extend(WARNINGS);
        arguments.extend(["-output-obj", "-o", OBJECT]);
        arguments.extend(modules.iter().map(String::as_str));
        self.run(Some(work), &arguments)?;
        Ok(())
    }

    /// What the object is linked with: the runtime and the libraries of C that it wants. They are not part of the
    /// object, or the static form of each would be needed (`ld -r` takes no other).
    ///
    /// # Errors
    /// When this OCaml wants code that we do not make.
    fn libraries(&self) -> Result<Vec<String>> {
        let configuration = self.run(None, &["ocamlopt", "-config"])?;
        let setting = |name: &str| {
            configuration.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        if setting("tsan") == Some("true") {
            bail!(
                "this OCaml was configured with --enable-tsan: ThreadSanitizer needs code that records each access to \
                 memory, which flambeau does not make; use an OCaml without it"
            );
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        let folder =
            PathBuf::from(setting("standard_library").context("ocamlopt -config has no standard_library")?);
        let mut libraries = Vec::new();
        // Compressed files of the front end, from 5.1 on.
        let compression = folder.join("libcomprmarsh.a");
        if compression.exists() {
            libraries.push(compression.display().to_string());
            let wanted = setting("compression_c_libraries").or(setting("bytecomp_c_libraries"));
            libraries.extend(words(wanted.unwrap_or_default()));
        }
        libraries.push(folder.join("libasmrun.a").display().to_string());
        libraries.extend(words(setting("native_c_libraries").unwrap_or_default()));
        libraries.extend(["-lm".into(), "-ldl".into()]);
        Ok(libraries)
    }

    /// Runs ocamlfind and gives what it prints.
    fn run(&self, folder: Option<&Path>, arguments: &[&str]) -> Result<String> {
        run(&self.ocamlfind, folder, arguments)
    }
}

/// Runs a program and gives what it prints.
fn run(program: &OsStr, folder: Option<&Path>, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let program = program.to_string_lossy();
    let output = command.output().with_context(|| format!("running {program}"))?;
    if !output.status.success() {
        bail!(
            "{program} {} failed:\n{}",
            arguments.first().unwrap_or(&""),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The flambeau that [`BOOTSTRAP`] names, from the root of the repository on.
fn bootstrap() -> Result<Option<OsString>> {
    let Some(name) = env::var_os(BOOTSTRAP).filter(|value| !value.is_empty()) else { return Ok(None) };
    let root = PathBuf::from(env_var("CARGO_MANIFEST_DIR")?).join("../..");
    let flambeau = root.join(&name);
    let flambeau = flambeau.canonicalize().with_context(|| format!("{BOOTSTRAP}={}", flambeau.display()))?;
    println!("cargo:rerun-if-changed={}", flambeau.display());
    Ok(Some(flambeau.into()))
}

/// The OCaml side compiled by an earlier flambeau.
struct Bootstrap<'a> {
    flambeau: OsString,
    ocaml: &'a Ocaml,
}

impl Bootstrap<'_> {
    /// Compiles the compiler's libraries from their typed trees, and the modules into one object. Without `-g`:
    /// locations of calls are data that the runtime would read at each start.
    fn compile(&self, work: &Path, modules: &[String]) -> Result<()> {
        let version = run(&self.flambeau, None, &["-version"])?;
        if version != self.ocaml.version {
            bail!("{BOOTSTRAP} is a flambeau of OCaml {version}, not of {}", self.ocaml.version);
        }
        let stock = PathBuf::from(self.ocaml.run(None, &["query", "compiler-libs"])?);
        let stock: Vec<String> =
            COMPILER_LIBRARIES.iter().map(|name| stock.join(name).display().to_string()).collect();
        let mut arguments = vec!["recompile", "--to", LIBRARIES];
        arguments.extend(stock.iter().map(String::as_str));
        arguments.push("--");
        arguments.extend(OPTIMISED);
        run(&self.flambeau, Some(work), &arguments)?;

        let mut arguments = vec!["-I", LIBRARIES];
        arguments.extend(OPTIMISED);
        arguments.extend(COMPILER_LIBRARIES);
        arguments.extend(WARNINGS);
        arguments.extend(["-output-obj", "-o", OBJECT]);
        arguments.extend(modules.iter().map(String::as_str));
        run(&self.flambeau, Some(work), &arguments)?;
        Ok(())
    }
}
