//! `cargo xtask selfbuild`: OCaml's native compiler and its standard library, compiled by the stock compiler and by
//! flambeau. Each of the two compilers that come out compiles the standard library: to the same bytes, or one of
//! them was compiled wrongly.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;

use xtask_support::env::{self, Stock};
use xtask_support::figures::ratio;
use xtask_support::{payload, process, queue, setup, source_tree, trees};

const LIMIT: Duration = Duration::from_secs(4 * 3600);
/// The name of our build.
const OURS: &str = "flambeau";
/// The standard library has more units than this: fewer objects mean that nothing was compared.
const LEAST_OBJECTS: usize = 50;

/// The options of `cargo xtask selfbuild`.
#[derive(Args)]
pub struct Options {
    /// How many compilations at once [default: one a processor]
    #[arg(long)]
    jobs: Option<usize>,
}

/// What came of one compiler.
struct Build {
    /// Time to compile OCaml's native compiler.
    compile: Duration,
    /// Time that the result takes to compile the standard library.
    library: Duration,
    /// The object code that it made.
    objects: BTreeMap<String, Vec<u8>>,
}

/// Makes both builds and compares what they do; whether it is the same.
///
/// # Errors
///
/// Fails if OCaml's sources cannot be had, or if a build fails.
pub fn run(options: &Options) -> Result<bool> {
    setup::run()?;
    let stock = Stock::find()?;
    let flambeau = env::flambeau()?;
    let tree = source_tree::built(&stock)?;
    let work = env::cache("selfbuild")?;
    let jobs = queue::workers(options.jobs);
    let theirs = build(&tree, &work, "stock", &stock.ocamlopt, jobs)?;
    let ours = build(&tree, &work, OURS, &flambeau, jobs)?;
    let seconds = |duration: Duration| duration.as_secs_f64();
    for (what, stock, flambeau) in [
        ("compiling the compiler", theirs.compile, ours.compile),
        ("the result compiles the library", theirs.library, ours.library),
    ] {
        println!(
            "{what:<32} stock {:>7.1} s   flambeau {:>7.1} s   ratio {}",
            seconds(stock),
            seconds(flambeau),
            ratio(seconds(flambeau), seconds(stock))
        );
    }
    let differences = compare(&theirs.objects, &ours.objects)?;
    for difference in &differences {
        println!("DIFFERENT {difference}");
    }
    println!("{} object files, {} different", theirs.objects.len(), differences.len());
    Ok(differences.is_empty())
}

/// Compiles the compiler by `compiler`, and the standard library by the result.
fn build(tree: &Path, work: &Path, name: &str, compiler: &Path, jobs: usize) -> Result<Build> {
    println!("{name}: compiling OCaml's native compiler");
    let copy = trees::copy_tree(tree, &work.join(name))?;
    trees::remove_native_code(&copy, &["stdlib"])?;
    trees::remove_native_code(&copy, trees::COMPILER)?;
    for name in ["ocamlopt.opt", "compilerlibs"] {
        trees::remove_results(&copy.join(name))?;
    }
    let native = format!("CAMLOPT={}", compiler.display());
    let mut compile = make(&copy.join("stdlib"), &[&native, "allopt"], jobs)?;
    let native = format!("{native} -g -nostdlib -I stdlib -I otherlibs/dynlink");
    compile += make(&copy, &[&native, "ocamlopt.opt"], jobs)?;
    let made: Vec<(usize, usize)> = trees::COMPILER
        .iter()
        .chain(&["stdlib"])
        .map(|folder| payload::count(&copy.join(folder)))
        .collect::<Result<_>>()?;
    let ours: usize = made.iter().map(|(ours, _)| ours).sum();
    let all: usize = made.iter().map(|(_, all)| all).sum();
    println!("{name}: flambeau made {ours} of the {all} units");
    let wanted = if name == OURS { all } else { 0 };
    if ours != wanted && env::stand_in().is_none() {
        bail!("{wanted} of them should be flambeau's");
    }
    // Both compile the library in one folder: its name may be part of the code.
    println!("{name}: the result compiles the standard library");
    let last = trees::copy_tree(tree, &work.join("library"))?;
    trees::remove_native_code(&last, &["stdlib"])?;
    let native = format!("CAMLOPT={}", copy.join("ocamlopt.opt").display());
    let library = make(&last.join("stdlib"), &[&native, "allopt"], jobs)?;
    let mut objects = BTreeMap::new();
    for file in trees::files_of(&last.join("stdlib"))? {
        let contents = match file.extension().and_then(OsStr::to_str) {
            Some("o") => fs::read(&file)?,
            Some("cmx") => description(&last, &file)?.into_bytes(),
            _ => continue,
        };
        objects.insert(file_name(&file), contents);
    }
    Ok(Build { compile, library, objects })
}

/// What a `.cmx` says. Its bytes may be others: they show which equal strings are one string in the memory of
/// the compiler that wrote them, and that is an optimiser's free choice. So are the digests of those bytes.
fn description(tree: &Path, cmx: &Path) -> Result<String> {
    let mut command = Command::new(tree.join("tools/ocamlobjinfo.opt"));
    let text =
        process::run(source_tree::quiet(command.arg(cmx)), LIMIT)?.expect_success("ocamlobjinfo")?.out();
    Ok(without_implementation_digests(&text))
}

/// Takes out what is said about the bytes of implementations; the digests of interfaces stay.
fn without_implementation_digests(text: &str) -> String {
    let mut implementations = false;
    let mut kept = String::new();
    for line in text.lines() {
        let is_title = line.ends_with(':');
        if is_title {
            implementations = line.starts_with("Implementations imported");
        }
        kept.push_str(if line.starts_with("CRC of implementation") {
            "CRC"
        } else if implementations && !is_title {
            line.split_whitespace().last().unwrap_or(line)
        } else {
            line
        });
        kept.push('\n');
    }
    kept
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Runs make, and returns the processor time of all that it ran.
fn make(folder: &Path, arguments: &[&str], jobs: usize) -> Result<Duration> {
    let mut command = Command::new("nice");
    command.args(["make", &format!("-j{jobs}")]).args(arguments).current_dir(folder);
    let outcome = process::run(source_tree::quiet(&mut command), LIMIT)?
        .expect_success(&format!("make {}", arguments.join(" ")))?;
    Ok(outcome.cpu)
}

/// The names of the files that are not the same.
fn compare(theirs: &BTreeMap<String, Vec<u8>>, ours: &BTreeMap<String, Vec<u8>>) -> Result<Vec<String>> {
    if theirs.len() < LEAST_OBJECTS {
        bail!("only {} files of object code to compare", theirs.len());
    }
    let mut names: Vec<&String> = theirs.keys().chain(ours.keys()).collect();
    names.sort();
    names.dedup();
    Ok(names.into_iter().filter(|name| theirs.get(*name) != ours.get(*name)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digests_of_implementations_are_left_out() {
        let text = "Name: A\nCRC of implementation: 12\nInterfaces imported:\n\t34\tB\n\
                    Implementations imported:\n\t56\tC\nClambda approximation:\n  (7 8)\n";
        assert_eq!(
            without_implementation_digests(text),
            "Name: A\nCRC\nInterfaces imported:\n\t34\tB\n\
             Implementations imported:\nC\nClambda approximation:\n  (7 8)\n"
        );
    }

    #[test]
    fn a_changed_and_a_missing_file_are_differences() -> Result<()> {
        let all: BTreeMap<String, Vec<u8>> =
            (0..LEAST_OBJECTS).map(|i| (format!("{i:03}.o"), vec![1, 2])).collect();
        let mut other = all.clone();
        assert_eq!(compare(&all, &other)?, Vec::<String>::new());
        other.insert("001.o".into(), vec![1, 3]);
        other.remove("002.o");
        other.insert("999.o".into(), vec![]);
        assert_eq!(compare(&all, &other)?, ["001.o", "002.o", "999.o"]);
        assert!(compare(&BTreeMap::new(), &BTreeMap::new()).is_err());
        Ok(())
    }
}
