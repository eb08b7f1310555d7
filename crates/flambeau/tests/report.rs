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

/// The last decision on the only call of `f`: its kind, and what the tree says of it.
fn decision_on_f(folder: &Folder, flags: &[&str]) -> (String, String) {
    folder.succeed(&[&["-c", "-inlining-report"], flags, &["unit.ml"]].concat());
    let report: serde_json::Value =
        serde_json::from_str(&folder.read("unit.flambeau-report.json")).expect("JSON");
    let decisions = report["decisions"].as_array().expect("an array");
    let is_f = |d: &&serde_json::Value| d["callee"].as_str().is_some_and(|name| name.contains("Unit__f_"));
    let decision = decisions.iter().rev().find(is_f).expect("a call of f");
    let tree = folder.succeed(&["report", "unit.flambeau-report.json"]);
    (decision["reason"]["kind"].as_str().expect("a kind").to_owned(), tree)
}

/// The number after a flag in a text.
#[track_caller]
fn number_after(text: &str, flag: &str) -> u32 {
    let rest = text.split_once(flag).unwrap_or_else(|| panic!("{flag} is not in:\n{text}")).1;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number after {flag} in:\n{text}"))
}

/// What a report says could have changed a decision does, and a bit less does not.
#[test]
fn what_is_proposed_helps() {
    let folder = Folder::new(&[(
        "unit.ml",
        "let f x y = if x then (y, y + 1, y * y, y land 7) else (y - 1, y, y lxor y, y / 3)\n\
         let g y = f true (y * 2)\n\
         let h = [| f |]\n",
    )]);
    let small = "-flambda2-inline-small-function-size";
    let large = "-flambda2-inline-large-function-size";
    let threshold = "-flambda2-inline-threshold";
    for (base, kind, flag, then) in [
        (vec![small, "0", threshold, "0"], "not_beneficial", threshold, "beneficial"),
        (vec![small, "0", large, "3"], "too_large", large, "beneficial"),
    ] {
        let (before, tree) = decision_on_f(&folder, &base);
        assert_eq!(before, kind, "{tree}");
        let number = number_after(
            &tree,
            &format!(
                "could change with: [@inlined] at the call | [@inline] on the definition of the function | {flag}"
            ),
        );
        let with =
            |number: u32| decision_on_f(&folder, &[&base[..], &[flag, &number.to_string()]].concat()).0;
        assert_eq!(with(number), then);
        assert_eq!(with(number - 1), kind);
    }
    // An attribute, as proposed too.
    let source = folder.read("unit.ml").replace("= f true", "= (f [@inlined]) true");
    fs::write(folder.path("unit.ml"), source).expect("written");
    assert_eq!(decision_on_f(&folder, &[small, "0", threshold, "0"]).0, "attribute_of_call");
}
