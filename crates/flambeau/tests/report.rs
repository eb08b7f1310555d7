//! `-inlining-report` and `flambeau report`, from the command line.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with sources, in which flambeau is run, without a rebuilt standard library.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        for (name, contents) in files {
            fs::write(folder.path(name), contents).expect("a file can be written");
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_flambeau"))
            .args(arguments)
            .env("FLAMBEAU_STDLIB", "")
            .current_dir(self.0.path())
            .output()
            .expect("flambeau runs")
    }

    /// What it prints when it does what it should.
    #[track_caller]
    fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What it says when it does not.
    #[track_caller]
    fn fail(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        message
    }

    /// The names of all files, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[track_caller]
fn check_contains(text: &str, needles: &[&str]) {
    for needle in needles {
        assert!(text.contains(needle), "{needle:?} is not in:\n{text}");
    }
}

const REPORT: &str = "shapes.flambeau-report.json";
const SHAPES: &[(&str, &str)] = &[(
    "shapes.ml",
    "let square x = x *. x\n\
     let norm x y = sqrt (square x +. square y)\n\
     let pair u v x y = if compare u v = 0 then None else Some (norm x y)\n\
     let call f x = f (List.length x)\n",
)];

#[test]
fn the_flag_makes_the_files() {
    let folder = Folder::new(SHAPES);
    folder.succeed(&["-c", "-O3", "shapes.ml"]);
    assert_eq!(folder.names(), ["shapes.cmi", "shapes.cmx", "shapes.ml", "shapes.o"]);
    let before = fs::read(folder.path("shapes.o")).expect("an object");

    folder.succeed(&["-c", "-O3", "-inlining-report", "shapes.ml"]);
    let names = folder.names();
    let expected = ["shapes.cmi", "shapes.cmx", REPORT, "shapes.ml", "shapes.o"];
    let others: Vec<&String> = names.iter().filter(|name| !name.ends_with(".inlining.org")).collect();
    assert_eq!(others, expected);
    let report: serde_json::Value = serde_json::from_str(&folder.read(REPORT)).expect("JSON");
    assert_eq!(report["build"]["level"], 3);
    assert_eq!(report["build"]["source"], "shapes.ml");
    assert_eq!(report["sources"][0]["text"], SHAPES[0].1);
    // One for each round, from 0 on.
    let rounds = report["summary"]["rounds"].as_u64().expect("a number");
    assert_eq!(names.len() as u64 - others.len() as u64, rounds);
    assert!(rounds >= 2, "-O3 has several");
    for round in 0..rounds {
        check_contains(
            &folder.read(&format!("shapes.{round}.inlining.org")),
            &["#+TITLE: Inlining decisions"],
        );
    }
    check_contains(
        &folder.read("shapes.0.inlining.org"),
        &[
            "* Definition of Shapes.norm at shapes.ml, line 2, ",
            "** Application of Shapes.square at shapes.ml, line 2, characters 21-29\n",
            "   This call was inlined, because the function is small (size ",
        ],
    );
    // To look changes nothing.
    assert_eq!(fs::read(folder.path("shapes.o")).expect("an object"), before);
}

#[test]
fn the_files_stand_beside_the_output() {
    let folder = Folder::new(SHAPES);
    fs::create_dir(folder.path("out")).expect("a folder");
    folder.succeed(&["-c", "-inlining-report", "shapes.ml", "-o", "out/forms.cmx"]);
    assert!(folder.path("out/forms.flambeau-report.json").is_file());
    assert!(!folder.path(REPORT).exists());
    // All below a folder.
    check_contains(&folder.succeed(&["report", "."]), &["Forms", "shapes.ml, -O1"]);
}

#[test]
fn a_report_is_shown() {
    let folder = Folder::new(SHAPES);
    folder.succeed(&["-c", "-O3", "-g", "-inlining-report", "shapes.ml"]);
    let tree = folder.succeed(&["report", REPORT]);
    check_contains(
        &tree,
        &[
            "Shapes shapes.ml, -O3",
            "├─ Shapes.norm shapes.ml:2\n│  ├─ shapes.ml:2:21 Shapes.square inlined: small, size ",
            "shapes.ml:4:17 Stdlib.List.length not inlined: no body offered\n",
            "an unknown function not inlined: known at run time only\n",
            "1 of functions whose unit offers no body: Stdlib.List 1",
            "1 indirect call",
            "1 allocation, 1 boxing, 1 polymorphic compare",
        ],
    );
    assert!(!tree.contains('\x1b'), "no colours where nobody looks");

    folder.succeed(&["report", "--format", "html", "-o", "page.html", REPORT]);
    check_contains(
        &folder.read("page.html"),
        &[
            "<!DOCTYPE html>",
            "</a>square x +. <a",
            "no body offered",
            "polymorphic compare: caml_compare",
            "Shapes.pair",
        ],
    );
    assert_eq!(folder.succeed(&["report", "--format", "json", REPORT]), folder.read(REPORT));
    let several = folder.succeed(&["report", "--format", "json", REPORT, REPORT]);
    let several: serde_json::Value = serde_json::from_str(&several).expect("JSON");
    assert_eq!(several.as_array().map(Vec::len), Some(2));
    assert!(folder.names().iter().all(|name| !name.ends_with(".tmp")));
}

/// What an opaque unit costs is told (features B18).
#[test]
fn calls_lost_to_opaque_units_are_counted() {
    let folder = Folder::new(&[
        ("other.ml", "let f x = x + 1 module M = struct let g x = f (f x) end\n"),
        ("user.ml", "let h x = Other.f x + Other.M.g x\n"),
    ]);
    let calls = |flags: &[&str]| {
        folder.succeed(&[flags, &["-c", "other.ml"]].concat());
        folder.succeed(&["-c", "-inlining-report", "user.ml"]);
        let report: serde_json::Value =
            serde_json::from_str(&folder.read("user.flambeau-report.json")).expect("JSON");
        report["summary"]["opaque_calls_by_unit"].clone()
    };
    assert_eq!(calls(&["-opaque"]), serde_json::json!({"Other": 2}));
    let tree = folder.succeed(&["report", "user.flambeau-report.json"]);
    check_contains(&tree, &["2 indirect calls of functions of units that are opaque", ": Other 2"]);
    assert_eq!(calls(&[]), serde_json::json!({}));
}

#[test]
fn two_builds_are_compared() {
    let folder = Folder::new(SHAPES);
    for (name, flags) in [("a", "-O3"), ("b", "-O3"), ("c", "-flambeau-no-simplify")] {
        fs::create_dir(folder.path(name)).expect("a folder");
        let output = format!("{name}/shapes.cmx");
        folder.succeed(&["-c", flags, "-inlining-report", "shapes.ml", "-o", &output]);
    }
    check_contains(&folder.succeed(&["report", "diff", "a", "b"]), &["No difference"]);
    let file = format!("c/{REPORT}");
    let text = folder.succeed(&["report", "diff", "a", &file]);
    check_contains(
        &text,
        &["Shapes\n", "  call of Shapes.square in Shapes.norm\n    - shapes.ml:2: inlined: "],
    );
    check_contains(&text, &["    + no such call\n", "  Shapes.norm has\n    - 1 boxing\n    + 2 boxings"]);
    let json = folder.succeed(&["report", "diff", "a", &file, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["units"][0]["unit"], "Shapes");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new(&[
        ("a.flambeau-report.json", "{\"format\": \"flambeau-report\", \"version\": 1, \"unit\": 3}"),
        ("b.flambeau-report.json", "{\"format\": \"flambeau-report\", \"version\": 77}"),
        ("c.json", "[1, 2]"),
        ("d.json", "\u{0}"),
    ]);
    for (file, cause) in [
        ("a.flambeau-report.json", "a damaged report"),
        ("b.flambeau-report.json", "version 77"),
        ("c.json", "no report of Flambeau"),
        ("d.json", "no report of Flambeau"),
        ("e.json", "No such file"),
    ] {
        check_contains(&folder.fail(&["report", file]), &[&format!("flambeau: {file}: "), cause]);
        check_contains(&folder.fail(&["report", "diff", file, "c.json"]), &[&format!("flambeau: {file}: ")]);
    }
    // Below a folder, too.
    check_contains(&folder.fail(&["report", "."]), &["./a.flambeau-report.json: a damaged report"]);
    check_contains(&folder.fail(&["report"]), &["required"]);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new(SHAPES);
    // A folder in the place of the file.
    fs::create_dir(folder.path(REPORT)).expect("a folder");
    let message = folder.fail(&["-c", "-inlining-report", "shapes.ml"]);
    check_contains(&message, &["cannot write shapes.flambeau-report.json"]);
    let names = folder.names();
    let expected = ["shapes.cmi", REPORT, "shapes.ml"];
    let others: Vec<&String> = names.iter().filter(|name| !name.ends_with(".inlining.org")).collect();
    assert_eq!(others, expected, "nothing half-written");

    fs::remove_dir(folder.path(REPORT)).expect("it is empty");
    folder.succeed(&["-c", "-inlining-report", "shapes.ml"]);
    let message = folder.fail(&["report", "-o", "missing/page.html", REPORT]);
    check_contains(&message, &["cannot write missing/page.html"]);
}
