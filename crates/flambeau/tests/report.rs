//! `-inlining-report` and `flambeau report`, from the command line.

mod folder;

use std::fs;

use folder::{Folder, check_contains, check_status, text};

/// What flambeau prints when it does what it should.
#[track_caller]
fn succeed(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.flambeau(arguments);
    check_status(&output, 0);
    text(&output.stdout)
}

/// What it says when it does not.
#[track_caller]
fn fail(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.flambeau(arguments);
    check_status(&output, 2);
    text(&output.stderr)
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of all files, sorted.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).expect("the folder is there");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const REPORT: &str = "shapes.flambeau-report.json";
const SHAPES: &[(&str, &str)] = &[(
    "shapes.ml",
    "let square x = x *. x\n\
     let norm x y = sqrt (square x +. square y)\n\
     let pair u v x y = if compare u v = 0 then None else Some (norm x y)\n\
     let call f x = f (Hashtbl.stats x)\n",
)];

#[test]
fn the_flag_makes_the_files() {
    let folder = Folder::new(SHAPES);
    succeed(&folder, &["-c", "-O3", "shapes.ml"]);
    assert_eq!(names(&folder), ["shapes.cmi", "shapes.cmx", "shapes.ml", "shapes.o"]);
    let before = fs::read(folder.path("shapes.o")).expect("an object");

    succeed(&folder, &["-c", "-O3", "-inlining-report", "shapes.ml"]);
    let names = names(&folder);
    let expected = ["shapes.cmi", "shapes.cmx", REPORT, "shapes.ml", "shapes.o"];
    let others: Vec<&String> = names.iter().filter(|name| !name.ends_with(".inlining.org")).collect();
    assert_eq!(others, expected);
    let report: serde_json::Value = serde_json::from_str(&read(&folder, REPORT)).expect("JSON");
    assert_eq!(report["build"]["level"], 3);
    assert_eq!(report["build"]["source"], "shapes.ml");
    assert_eq!(report["sources"][0]["text"], SHAPES[0].1);
    // One for each round, from 0 on.
    let rounds = report["summary"]["rounds"].as_u64().expect("a number");
    assert_eq!(names.len() as u64 - others.len() as u64, rounds);
    assert!(rounds >= 2, "-O3 has several");
    for round in 0..rounds {
        check_contains(
            read(&folder, &format!("shapes.{round}.inlining.org")).as_bytes(),
            &["#+TITLE: Inlining decisions"],
        );
    }
    check_contains(
        read(&folder, "shapes.0.inlining.org").as_bytes(),
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
    succeed(&folder, &["-c", "-inlining-report", "shapes.ml", "-o", "out/forms.cmx"]);
    assert!(folder.path("out/forms.flambeau-report.json").is_file());
    assert!(!folder.path(REPORT).exists());
    // All below a folder.
    check_contains(
        succeed(&folder, &["report", "--format", "tree", "."]).as_bytes(),
        &["Forms", "shapes.ml, -O1"],
    );
}

#[test]
fn a_report_is_shown() {
    let folder = Folder::new(SHAPES);
    succeed(&folder, &["-c", "-O3", "-g", "-inlining-report", "shapes.ml"]);
    let tree = succeed(&folder, &["report", "--format", "tree", REPORT]);
    check_contains(
        tree.as_bytes(),
        &[
            "Shapes shapes.ml, -O3",
            "├─ Shapes.norm shapes.ml:2\n│  ├─ shapes.ml:2:21 Shapes.square inlined: small, size ",
            "shapes.ml:4:17 Stdlib.Hashtbl.stats not inlined: body not available\n",
            "an unknown function not inlined: not known at compile time\n",
            "1 of functions whose body is not available: Stdlib.Hashtbl 1",
            "1 indirect call",
            "1 allocation, 1 boxing, 1 polymorphic compare",
        ],
    );
    assert!(!tree.contains('\x1b'), "no colours where nobody looks");

    succeed(&folder, &["report", "--format", "html", "-o", "page.html", REPORT]);
    check_contains(
        read(&folder, "page.html").as_bytes(),
        &[
            "<!DOCTYPE html>",
            "</a>square x +. <a",
            "body not available",
            "polymorphic compare: caml_compare",
            "Shapes.pair",
        ],
    );
    assert_eq!(succeed(&folder, &["report", "--format", "json", REPORT]), read(&folder, REPORT));
    let several = succeed(&folder, &["report", "--format", "json", REPORT, REPORT]);
    let several: serde_json::Value = serde_json::from_str(&several).expect("JSON");
    assert_eq!(several.as_array().map(Vec::len), Some(2));
    assert!(names(&folder).iter().all(|name| !name.ends_with(".tmp")));
}

/// The calls that are not direct because a unit is opaque are reported (features B18).
#[test]
fn calls_lost_to_opaque_units_are_counted() {
    let folder = Folder::new(&[
        ("other.ml", "let f x = x + 1 module M = struct let g x = f (f x) end\n"),
        ("user.ml", "let h x = Other.f x + Other.M.g x\n"),
    ]);
    let calls = |flags: &[&str]| {
        succeed(&folder, &[flags, &["-c", "other.ml"]].concat());
        succeed(&folder, &["-c", "-inlining-report", "user.ml"]);
        let report: serde_json::Value =
            serde_json::from_str(&read(&folder, "user.flambeau-report.json")).expect("JSON");
        report["summary"]["opaque_calls_by_unit"].clone()
    };
    assert_eq!(calls(&["-opaque"]), serde_json::json!({"Other": 2}));
    let tree = succeed(&folder, &["report", "--format", "tree", "user.flambeau-report.json"]);
    check_contains(
        tree.as_bytes(),
        &[
            "(2 of functions whose body is not available)",
            "2 indirect calls of functions of units that are opaque",
            ": Other 2",
        ],
    );
    assert_eq!(calls(&[]), serde_json::json!({}));
}

#[test]
fn two_builds_are_compared() {
    let folder = Folder::new(SHAPES);
    for (name, flags) in [("a", "-O3"), ("b", "-O3"), ("c", "-flambeau-no-simplify")] {
        fs::create_dir(folder.path(name)).expect("a folder");
        let output = format!("{name}/shapes.cmx");
        succeed(&folder, &["-c", flags, "-inlining-report", "shapes.ml", "-o", &output]);
    }
    check_contains(succeed(&folder, &["report", "diff", "a", "b"]).as_bytes(), &["No difference"]);
    let file = format!("c/{REPORT}");
    let text = succeed(&folder, &["report", "diff", "a", &file]);
    check_contains(
        text.as_bytes(),
        &["Shapes\n", "  call of Shapes.square in Shapes.norm\n    - shapes.ml:2: inlined: "],
    );
    check_contains(
        text.as_bytes(),
        &["    + no such call\n", "  Shapes.norm has\n    - 1 boxing\n    + 2 boxings"],
    );
    let json = succeed(&folder, &["report", "diff", "a", &file, "--format", "json"]);
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
        check_contains(fail(&folder, &["report", file]).as_bytes(), &[&format!("flambeau: {file}: "), cause]);
        check_contains(
            fail(&folder, &["report", "diff", file, "c.json"]).as_bytes(),
            &[&format!("flambeau: {file}: ")],
        );
    }
    // Below a folder, too.
    check_contains(
        fail(&folder, &["report", "."]).as_bytes(),
        &["./a.flambeau-report.json: a damaged report"],
    );
    check_contains(fail(&folder, &["report"]).as_bytes(), &["required"]);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new(SHAPES);
    // There is a folder with the name of the file.
    fs::create_dir(folder.path(REPORT)).expect("a folder");
    let message = fail(&folder, &["-c", "-inlining-report", "shapes.ml"]);
    check_contains(message.as_bytes(), &["cannot write shapes.flambeau-report.json"]);
    let names = names(&folder);
    let expected = ["shapes.cmi", REPORT, "shapes.ml"];
    let others: Vec<&String> = names.iter().filter(|name| !name.ends_with(".inlining.org")).collect();
    assert_eq!(others, expected, "nothing half-written");

    fs::remove_dir(folder.path(REPORT)).expect("it is empty");
    succeed(&folder, &["-c", "-inlining-report", "shapes.ml"]);
    let message = fail(&folder, &["report", "-o", "missing/page.html", REPORT]);
    check_contains(message.as_bytes(), &["cannot write missing/page.html"]);
}

/// The last decision on the only call of `f`: its kind, and what the tree says of it.
fn decision_on_f(folder: &Folder, flags: &[&str]) -> (String, String) {
    succeed(folder, &[&["-c", "-inlining-report"], flags, &["unit.ml"]].concat());
    let report: serde_json::Value =
        serde_json::from_str(&read(folder, "unit.flambeau-report.json")).expect("JSON");
    let decisions = report["decisions"].as_array().expect("an array");
    let is_f = |d: &&serde_json::Value| d["callee"].as_str().is_some_and(|name| name.contains("Unit__f_"));
    let decision = decisions.iter().rev().find(is_f).expect("a call of f");
    let tree = succeed(folder, &["report", "--format", "tree", "unit.flambeau-report.json"]);
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
    for (base, kind, flag) in [
        (vec![small, "0", threshold, "0"], "not_beneficial", threshold),
        (vec![small, "0", large, "3"], "too_large", large),
    ] {
        check_proposal(&folder, &base, kind, flag);
    }
    // An attribute, as proposed too.
    let source = read(&folder, "unit.ml").replace("= f true", "= (f [@inlined]) true");
    fs::write(folder.path("unit.ml"), source).expect("written");
    assert_eq!(decision_on_f(&folder, &[small, "0", threshold, "0"]).0, "attribute_of_call");
}

/// A loop with an unknown function in it is not worth inlining for its call; one in which a known one is called is.
#[test]
fn small_functions_that_loop_are_inlined_where_that_gains_something() {
    let with_call = |call: &str| {
        Folder::new(&[(
            "unit.ml",
            &format!(
                "let rec f h acc = function [] -> acc | x :: l -> f h (h acc x) l\n\
                 let g h l = {call}\n\
                 let all () = [| f |]\n"
            ),
        )])
    };
    check_proposal(&with_call("f h 0 l"), &[], "outweighs_call", "-flambeau-inline-nonleaf-threshold");
    assert_eq!(decision_on_f(&with_call("f (fun a x -> (a * 7) + x) 0 l"), &[]).0, "calls_in_loops");
}

/// A call in a call is not worth its code; a function that may do without is a good one to inline.
#[test]
fn small_functions_that_call_are_inlined_where_they_may_not_call() {
    let with_body = |body: &str| {
        Folder::new(&[(
            "unit.ml",
            &format!("let f h x y = {body}\nlet g h x y = f h x (y lxor x)\nlet all () = [| f |]\n"),
        )])
    };
    check_proposal(
        &with_body("let z = (x * y) + (x land 5) in h (z * 3) (y - x) (x lor z)"),
        &[],
        "outweighs_call",
        "-flambeau-inline-nonleaf-threshold",
    );
    let both_branches = with_body("if x < 0 then h x y (x * y) else h y x (x - y)");
    assert_eq!(decision_on_f(&both_branches, &[]).0, "outweighs_call");
    let one_branch = with_body("if x < 0 then h x y (x + y) else (y * x) + (x land 5)");
    assert_eq!(decision_on_f(&one_branch, &[]).0, "small");
}

/// What a function captures need not exist as a closure, nor as a block, where it is inlined.
#[test]
fn small_functions_that_call_are_inlined_for_what_they_capture() {
    let with = |f: &str, call: &str| {
        Folder::new(&[(
            "unit.ml",
            &format!(
                "type r = {{ mutable v : int; mutable w : int }}\n\
                 {f} s.v <- h s.v x; s.w <- h s.w s.v {call}; s\n"
            ),
        )])
    };
    let captures = with("let all h g s n = let f x =", "in for i = 1 to n do f i; g i done; f (n + 1)");
    assert_eq!(decision_on_f(&captures, &["-O3"]).0, "beneficial");
    let passed = with(
        "let f h s x =",
        "let list = [f] let all h g s n = for i = 1 to n do f h s i; g i done; f h s (n + 1)",
    );
    assert_eq!(decision_on_f(&passed, &["-O3"]).0, "outweighs_call");
}

/// A call of which the beginning of the callee is inlined is reported so, once, and not where the limit is below its
/// size.
#[test]
fn beginnings_are_inlined_where_the_whole_is_not() {
    let folder = Folder::new(&[(
        "unit.ml",
        "let f h x =\n\
           if x > 0 then x\n\
           else h (h (h (h (h (h (h (h (h (h (x + 1) + 2) + 3) + 4) + 5) + 6) + 7) + 8) + 9) + 10)\n\
         let g h x = f h (x * 3) + 1\n\
         let all () = [| f |]\n",
    )]);
    let (kind, tree) = decision_on_f(&folder, &["-g"]);
    assert_eq!(kind, "entered");
    assert_eq!(tree.matches("Unit.f inlined: first test, size ").count(), 1, "{tree}");
    let size = number_after(&tree, "first test, size");
    let flag = "-flambeau-inline-guard-size";
    let kind_at = |limit: u32| decision_on_f(&folder, &["-g", flag, &limit.to_string()]).0;
    assert_eq!(kind_at(size), "entered");
    assert_eq!(kind_at(size - 1), "not_beneficial");
}

#[track_caller]
fn check_proposal(folder: &Folder, base: &[&str], kind: &str, flag: &str) {
    let (before, tree) = decision_on_f(folder, base);
    assert_eq!(before, kind, "{tree}");
    let number = number_after(
        &tree,
        &format!(
            "could change with: [@inlined] at the call | [@inline] on the definition of the function | {flag}"
        ),
    );
    let with = |number: u32| decision_on_f(folder, &[base, &[flag, &number.to_string()]].concat()).0;
    assert_eq!(with(number), "beneficial");
    assert_eq!(with(number - 1), kind);
}
