//! The examples of the reference documents, and their claims as expectations of the resulting intermediate code:
//! `tests/documents`, whose README.md is the reference of the expectations.

#[path = "../folder/mod.rs"]
mod folder;

mod claims;
mod subject;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use claims::Expectation;
use flambeau_ir::Unit;
use flambeau_ir::parser::parse_unit;
use folder::{Folder, check_status, text};

/// A file of `tests/documents`.
struct Document {
    /// The flags of each compilation of the file.
    flags: Vec<Vec<String>>,
    /// Names and contents, in the order of compilation.
    files: Vec<(String, String)>,
}

impl Document {
    /// Reads the directives.
    fn parse(source: &str) -> Document {
        let mut document = Document { flags: Vec::new(), files: Vec::new() };
        let mut name = None;
        let mut contents = String::new();
        for line in source.lines() {
            let comment = line.strip_prefix("(* ").and_then(|rest| rest.strip_suffix(" *)"));
            if let Some(flags) = comment.and_then(|comment| comment.strip_prefix("flags:")) {
                document.flags.push(flags.split_whitespace().map(str::to_owned).collect());
            } else if let Some(next) = comment.and_then(|comment| comment.strip_prefix("file: ")) {
                // What stands before the first one is a comment on all.
                let before = std::mem::take(&mut contents);
                if let Some(name) = name.replace(next.to_owned()) {
                    document.files.push((name, before));
                }
            } else {
                contents.extend([line, "\n"]);
            }
        }
        document.files.push((name.unwrap_or_else(|| "t.ml".to_owned()), contents));
        if document.flags.is_empty() {
            document.flags = vec![Vec::new(), vec!["-O3".to_owned()]];
        }
        document
    }

    /// Compiles without descriptions of the standard library, and gives what does not hold.
    fn check(&self) -> Vec<String> {
        self.check_by(&|folder, arguments| folder.flambeau(arguments))
    }

    /// Compiles, and gives what does not hold.
    fn check_by(&self, compiler: &Compiler) -> Vec<String> {
        let mut failures = Vec::new();
        let mut expectations = 0;
        for flags in &self.flags {
            let files: Vec<_> = self.files.iter().map(|(n, c)| (n.as_str(), c.as_str())).collect();
            let folder = Folder::new(&files);
            for (name, contents) in &self.files {
                let expected = match Expectation::all(contents) {
                    Ok(expected) => expected,
                    Err(error) => return vec![error],
                };
                expectations += expected.len();
                let Some([raw, optimised]) = compile(compiler, &folder, flags, name) else { continue };
                for expectation in expected {
                    if let Err(why) = expectation.check(&raw, &optimised) {
                        failures.push(format!("{} {name}, {expectation}: {why}", flags.join(" ")));
                    }
                }
            }
        }
        if expectations == 0 {
            failures.push("nothing is expected".into());
        }
        failures
    }
}

/// Runs flambeau in a folder.
type Compiler<'c> = dyn Fn(&Folder, &[&str]) -> Output + 'c;

/// The intermediate code before and after optimisation; none of an interface.
fn compile(compiler: &Compiler, folder: &Folder, flags: &[String], name: &str) -> Option<[Unit; 2]> {
    let flags = flags.iter().map(String::as_str);
    let output = |dump: &'static str| {
        let arguments: Vec<&str> =
            flags.clone().chain(["-flambeau-verify", dump, "-w", "-a", "-c", name]).collect();
        let output = compiler(folder, &arguments);
        check_status(&output, 0);
        text(&output.stderr)
    };
    if name.ends_with(".mli") {
        output("-dflambeau");
        return None;
    }
    Some(["-dflambeau-raw", "-dflambeau"].map(|dump| {
        let ir = output(dump);
        parse_unit(&ir).unwrap_or_else(|error| panic!("{name}: {error}\n{ir}"))
    }))
}

fn documents() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/documents");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ml"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn what_the_documents_claim_holds() {
    let mut failures = Vec::new();
    let paths = documents();
    assert!(paths.len() > 10, "documents are missing");
    for path in paths {
        let source = fs::read_to_string(&path).expect("a document can be read");
        let name = path.file_name().expect("a name").to_string_lossy();
        failures.extend(Document::parse(&source).check().iter().map(|why| format!("{name}: {why}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The blocks `ocaml expect` of the guide: chapters, numbers of lines, and contents.
fn guide() -> Vec<(String, usize, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src");
    let chapters = fs::read_dir(folder).expect("the guide is there");
    let mut blocks = Vec::new();
    for chapter in chapters {
        let path = chapter.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut open: Option<(usize, String)> = None;
        for (number, line) in (1..).zip(fs::read_to_string(&path).expect("a chapter").lines()) {
            match &mut open {
                None if line == "```ocaml expect" => open = Some((number, String::new())),
                Some(_) if line == "```" => {
                    blocks.extend(open.take().map(|(number, block)| (name.clone(), number, block)));
                }
                Some((_, block)) => block.extend([line, "\n"]),
                None => {}
            }
        }
        assert!(open.is_none(), "{name}: a block is not closed");
    }
    blocks
}

#[test]
fn what_the_guide_claims_holds() {
    let blocks = guide();
    assert!(blocks.len() > 50, "examples are missing");
    let tools = Folder::new(&[]);
    let tool = tools.tool();
    let compiler = |folder: &Folder, arguments: &[&str]| folder.command(&tool, &[], arguments);
    let mut failures = Vec::new();
    for (name, number, block) in blocks {
        let found = Document::parse(&block).check_by(&compiler);
        failures.extend(found.iter().map(|why| format!("{name}:{number}: {why}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn expectations_that_do_not_hold_or_mean_nothing_are_refused() {
    let source = "let f x = (x, x)\nlet g x = f x\n";
    let refused = [
        ("(* expect f: no allocation *)", "1 allocation"),
        ("(* expect f: 2 make_blocks *)", "1 make_block"),
        ("(* expect f: returns 3 *)", "does more"),
        ("(* expect f: is gone *)", "is there"),
        ("(* expect h: no call *)", "there is no function h"),
        ("(* expect h: is gone *)", "there was no function h"),
        ("(* expect f: no magic *)", "`magic`"),
        ("(* expect f: *)", "nothing is claimed"),
        ("(* expect f no call *)", "`f no call`"),
        ("(* expected f: no call *)", "nothing is expected"),
        ("(* expect f: no call of h *)", "there was no function h"),
        ("(* expect f: no static float *)", "can't be counted"),
    ];
    for (expectation, why) in refused {
        let failures = Document::parse(&format!("(* flags: *)\n{source}{expectation}\n")).check();
        assert!(matches!(&failures[..], [failure] if failure.contains(why)), "{expectation}: {failures:?}");
    }
    let good = "(* expect f: 1 make_block, no call, 1 parameter *)\n(* expect g: no call of f *)\n";
    assert!(Document::parse(&format!("{source}{good}")).check().is_empty());
}
