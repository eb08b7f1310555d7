//! A command line of `ocamlopt`, taken apart into the units that it compiles.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The compilation of one unit, that can be repeated with other flags and another output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The folder that the command ran in.
    pub folder: String,
    /// The source, as the command names it.
    pub source: String,
    /// Where its results went, without the ends of their names.
    pub output: String,
    /// The other words that matter for what is compiled.
    pub arguments: Vec<String>,
    /// Whether the command has the flag `-impl` for the source.
    pub is_named_otherwise: bool,
}

/// The flags of `ocamlopt` that take a word, which is not a file to compile.
const WITH_WORD: &[&str] = &[
    "-I",
    "-cc",
    "-cclib",
    "-ccopt",
    "-color",
    "-dump-dir",
    "-error-style",
    "-for-pack",
    "-impl",
    "-inline",
    "-inline-alloc-cost",
    "-inline-branch-cost",
    "-inline-branch-factor",
    "-inline-call-cost",
    "-inline-indirect-cost",
    "-inline-lifting-benefit",
    "-inline-max-depth",
    "-inline-max-unroll",
    "-inline-prim-cost",
    "-inline-toplevel",
    "-intf",
    "-intf-suffix",
    "-o",
    "-open",
    "-pp",
    "-ppx",
    "-rounds",
    "-runtime-variant",
    "-save-ir-after",
    "-stop-after",
    "-w",
    "-warn-error",
    "-warn-help",
];

/// Flags that say how to optimise, what to show and what to put together: those are for the corpus to choose.
const DROPPED: &[&str] = &[
    "-c",
    "-g",
    "-O1",
    "-O2",
    "-O3",
    "-Oclassic",
    "-S",
    "-a",
    "-linkall",
    "-linkscan",
    "-opaque",
    "-shared",
    "-output-obj",
    "-output-complete-obj",
    "-verbose",
    "-annot",
    "-bin-annot",
    "-dtimings",
    "-dprofile",
];

/// Flags of the compiler that are dropped together with the word that follows them.
const DROPPED_WITH_WORD: &[&str] = &[
    "-o",
    "-cc",
    "-cclib",
    "-ccopt",
    "-rounds",
    "-inline",
    "-runtime-variant",
    "-save-ir-after",
    "-color",
    "-error-style",
];

/// Commands with these compile nothing.
const NO_COMPILATION: &[&str] = &["-i", "-pack", "-stop-after", "-args", "-args0", "-depend"];

/// The units that a command compiles, which ran in `folder`.
pub fn units(folder: &str, words: &[String]) -> Vec<Unit> {
    if words.iter().any(|word| NO_COMPILATION.contains(&word.as_str())) {
        return Vec::new();
    }
    let (mut sources, mut arguments, mut output) = (Vec::new(), Vec::new(), None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_WORD.contains(&word.as_str()) {
            let Some(value) = words.next() else { break };
            match word.as_str() {
                "-impl" => sources.push((value.clone(), true)),
                "-o" => output = Some(value),
                flag if DROPPED_WITH_WORD.contains(&flag) || flag == "-intf" => {}
                _ => arguments.extend([word.clone(), value.clone()]),
            }
        } else if word.starts_with('-') {
            if !DROPPED.contains(&word.as_str()) {
                arguments.push(word.clone());
            }
        } else if word.ends_with(".ml") {
            sources.push((word.clone(), false));
        }
    }
    // The name after `-o` is that of the unit only where there is no other one to make.
    let is_alone =
        sources.len() == 1 && output.is_some_and(|name| name.ends_with(".cmx") || name.ends_with(".o"));
    let results_of = |source: &str| without_end(output.filter(|_| is_alone).map_or(source, String::as_str));
    sources
        .into_iter()
        .map(|(source, is_named_otherwise)| Unit {
            folder: folder.to_owned(),
            output: results_of(&source),
            source,
            arguments: arguments.clone(),
            is_named_otherwise,
        })
        .collect()
}

/// A path without the end of its name.
fn without_end(path: &str) -> String {
    Path::new(path).with_extension("").to_string_lossy().into_owned()
}

impl Unit {
    /// The words that compile the unit with flags of ours, to `output`.
    pub fn words(&self, flags: &[&str], output: &str) -> Vec<String> {
        let mut words: Vec<String> = self.arguments.clone();
        words.extend(["-w", "-a"].map(str::to_owned));
        words.extend(flags.iter().map(|&flag| flag.to_owned()));
        words.extend(["-c".to_owned(), "-o".to_owned(), output.to_owned()]);
        if self.is_named_otherwise {
            words.push("-impl".to_owned());
        }
        words.push(self.source.clone());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<Unit> {
        units("/b", &line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_of_dune() {
        let found = split(
            "-w -40 -g -I lib/.x.objs/byte -intf-suffix .ml -no-alias-deps -open X -o lib/.x.objs/native/x__A.cmx -c -impl lib/a.ml",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].source.as_str(), found[0].output.as_str()),
            ("lib/a.ml", "lib/.x.objs/native/x__A")
        );
        assert_eq!(
            found[0].words(&["-O3"], "x.cmx").join(" "),
            "-w -40 -I lib/.x.objs/byte -intf-suffix .ml -no-alias-deps -open X -w -a -O3 -c -o x.cmx -impl lib/a.ml"
        );
    }

    #[test]
    fn a_command_that_links_compiles_each_of_its_sources() {
        let found = split("-I +str -o prog str.cmxa a.ml sub/b.ml c.mli d.o");
        let outputs: Vec<&str> = found.iter().map(|unit| unit.output.as_str()).collect();
        assert_eq!(outputs, ["a", "sub/b"]);
        assert_eq!(found[0].arguments, ["-I", "+str"]);
    }

    #[test]
    fn what_compiles_nothing_has_no_units() {
        assert_eq!(split("-i a.ml"), []);
        assert_eq!(split("-a -o x.cmxa a.cmx"), []);
        assert_eq!(split("-pp a.ml -o x.cmx b.cmx"), []);
    }
}
