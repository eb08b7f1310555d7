//! Ten slow programs (`tests/remarks`): the first remark of `flambeau report` names the cause and the remedy, and doing
//! what it says (`*.fast.ml`) makes the program at least 1.5 times faster. And the other forms of remarks.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

mod folder;
use folder::{Folder, check_contains, check_status, text};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/remarks")
}

/// A slow program and what its first line says of it.
struct Program {
    name: String,
    source: String,
    /// The name of the first remark.
    first: String,
    /// A part of its remedy.
    remedy: String,
}

fn programs() -> Vec<Program> {
    let mut names: Vec<String> = fs::read_dir(data())
        .expect("the programs are there")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter_map(|name| {
            name.strip_suffix(".ml").filter(|name| !name.ends_with(".fast")).map(str::to_owned)
        })
        .collect();
    names.sort();
    let program = |name: String| {
        let source = fs::read_to_string(data().join(format!("{name}.ml"))).expect("a source");
        let head = source.lines().next().and_then(|line| line.strip_prefix("(* ")?.strip_suffix(" *)"));
        let part = |key: &str| {
            let mut parts = head.into_iter().flat_map(|head| head.split("; "));
            parts.find_map(|part| part.strip_prefix(key)).expect("the first line says it").to_owned()
        };
        Program { first: part("first: "), remedy: part("remedy: "), source, name }
    };
    names.into_iter().map(program).collect()
}

/// The least processor time of some runs, in seconds, and what was printed: other work on the machine hardly counts.
fn measure(folder: &Folder, program: &str) -> (f64, String) {
    let script = format!("TIMEFORMAT=%U; time {}", folder.path(program).display());
    let run = || {
        let output = folder.command("bash", &[], &["-c", &script]);
        check_status(&output, 0);
        let time = text(&output.stderr).trim().parse::<f64>().expect("the time");
        (time.max(0.001), text(&output.stdout))
    };
    let runs: Vec<_> = (0..3).map(|_| run()).collect();
    runs.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b)).expect("it ran")
}

#[test]
fn the_first_remark_makes_slow_programs_fast() {
    let programs = programs();
    assert_eq!(programs.len(), 10);
    let folder = Folder::new(&[]);
    let tool = folder.tool();
    let mut failures = Vec::new();
    for Program { name, source, first, remedy } in programs {
        let fast = fs::read_to_string(data().join(format!("{name}.fast.ml"))).expect("the fast program");
        fs::write(folder.path(&format!("{name}.ml")), source).expect("written");
        fs::write(folder.path(&format!("{name}_fast.ml")), fast).expect("written");
        let slow = format!("{name}.ml");
        check_status(&folder.command(&tool, &[], &["-O3", "-g", "-inlining-report", "-o", &name, &slow]), 0);
        let fast = format!("{name}_fast");
        check_status(&folder.command(&tool, &[], &["-O3", "-g", "-o", &fast, &format!("{fast}.ml")]), 0);
        let report = format!("{name}.flambeau-report.json");
        let shown = text(&folder.command(&tool, &[], &["report", "--top", "1", &report]).stdout);
        let lines = text(&folder.command(&tool, &[], &["report", "--format", "lines", &report]).stdout);
        let line = lines.lines().next().unwrap_or_default();
        if !line.contains(&format!("[remains/{first},")) || !line.contains(&remedy) {
            failures.push(format!("{name}: the first remark is none of {first} with {remedy}: {line}"));
        }
        if !shown.contains("change: ") || !shown.contains(&remedy) || !shown.contains(&format!("{name}.ml:"))
        {
            failures.push(format!("{name}: not shown:\n{shown}"));
        }
        let ((before, expected), (after, printed)) = (measure(&folder, &name), measure(&folder, &fast));
        assert_eq!(expected, printed, "{name}");
        if before < 1.5 * after {
            failures.push(format!("{name}: {before} s before, {after} s after"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const SHAPES: &str = "let hot a x = let s = ref 0 in for i = 0 to Array.length a - 1 do if a.(i) = x then incr s done; !s\n\
    let cold x = (x, x)\n\
    let[@inline] area r = r *. r\n\
    let total l = List.fold_left (fun s r -> s +. area r) 0. l\n";

#[test]
fn remarks_are_printed_as_editors_read_them() {
    let folder = Folder::new(&[("shapes.ml", SHAPES)]);
    let output = folder.run(&["-O3", "-g", "-flambeau-remarks", "-c", "shapes.ml"]);
    check_status(&output, 0);
    let printed = text(&output.stderr);
    for line in printed.lines() {
        let parts: Vec<&str> = line.splitn(5, ':').collect();
        assert!(parts.len() == 5 && parts[0] == "shapes.ml" && parts[3] == " remark", "{line}");
        assert!(parts[1].parse::<u32>().is_ok() && parts[2].parse::<u32>().is_ok(), "{line}");
    }
    let first = printed.lines().next().expect("a remark");
    assert!(first.contains("compared by looking at what they are") && first.contains("loops 1"), "{printed}");
    assert!(!printed.contains("[done/") && printed.contains("annotate"), "{printed}");
    // No file is written, and the code is the same.
    assert!(!folder.exists("shapes.flambeau-report.json"));
    let with = fs::read(folder.path("shapes.o")).expect("an object");
    check_status(&folder.run(&["-O3", "-g", "-c", "shapes.ml"]), 0);
    assert!(with == fs::read(folder.path("shapes.o")).expect("an object"));
    let output = folder.run(&["-O3", "-g", "-flambeau-remarks=done", "-c", "shapes.ml"]);
    assert!(text(&output.stderr).lines().all(|line| line.contains("[done/")));
    assert!(!output.stderr.is_empty());
    let kinds = "the kinds of remarks are remains, missed, done;";
    for flag in ["-flambeau-remarks=nonsense", "-flambeau-remarks=done,nonsense", "-flambeau-remarks="] {
        let message = format!("option '{flag}': {kinds}");
        let output = folder.run(&[flag, "-c", "shapes.ml"]);
        check_status(&output, 2);
        check_contains(&output.stderr, &[&message]);
        let output = folder.run_with(&[("FLAMBEAU_FLAGS", flag)], &["-c", "shapes.ml"]);
        check_status(&output, 2);
        check_contains(&output.stderr, &[&message]);
    }
}

/// What is passed to C no attribute inlines, and what the standard library defines none on its definition.
#[test]
fn advice_is_what_can_be_done() {
    let source = "let own a n = if n > 1000 then List.length a + n else n\n\
        let[@inline never] use f a = f (own a) + f (own a)\n\
        let to_c n = for i = 1 to n do ignore (Sys.opaque_identity (Array.make 3 [ i ])) done\n\
        let to_library n = for i = 1 to n do ignore (Sys.opaque_identity (List.rev_append [ i ] [ n ])) done\n\
        let rec to_own l n = if n = 0 then l else to_own (n :: l) (n - 1)\n\
        let user n = for i = 1 to n do ignore (Sys.opaque_identity (to_own [ i ] n)) done\n";
    let folder = Folder::new(&[("advice.ml", source)]);
    let output = folder.command(&folder.tool(), &[], &["-O3", "-g", "-flambeau-remarks", "-c", "advice.ml"]);
    check_status(&output, 0);
    let printed = text(&output.stderr);
    let line = |part: &str| {
        printed.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no {part} in {printed}"))
    };
    assert!(!line("it is passed to the C function caml_make_vect").contains("change:"), "{printed}");
    let library = line("it is passed to Stdlib.List.rev_append, which is not inlined");
    assert!(library.contains("change: `(Stdlib.List.rev_append [@inlined])` at the call"), "{printed}");
    let own = line("it is passed to Advice.to_own, which is not inlined");
    assert!(
        own.contains("`[@inline]` on the definition of Advice.to_own, or `(Advice.to_own [@inlined])`"),
        "{own}"
    );
    // Without its body the function of the library can't be inlined.
    let output = folder.run(&["-O3", "-g", "-flambeau-no-library", "-flambeau-remarks", "-c", "advice.ml"]);
    let printed = text(&output.stderr);
    let library = printed.lines().find(|line| line.contains("it is passed to Stdlib.List.rev_append"));
    assert!(library.is_some_and(|line| !line.contains("change:")), "{printed}");
}

#[test]
fn reports_are_ranked_and_filtered() {
    let folder = Folder::new(&[("shapes.ml", SHAPES), ("other.ml", "let pair x = [| x; x |]\n")]);
    check_status(&folder.run(&["-O3", "-g", "-inlining-report", "-c", "shapes.ml", "other.ml"]), 0);
    let report = |arguments: &[&str]| {
        let output = folder.run(&[&["report", "."], arguments].concat());
        check_status(&output, 0);
        text(&output.stdout)
    };
    let all = report(&[]);
    let position = |part: &str| all.find(part).unwrap_or_else(|| panic!("no {part} in {all}"));
    assert!(
        position("What costs most") < position("shapes.ml:1:")
            && position("shapes.ml:1:") < position("By function")
    );
    assert!(all.contains("why: ") && all.contains("change: ") && all.contains("| let hot a"));
    let lines = |arguments: &[&str]| report(&[&["--format", "lines"], arguments].concat());
    assert!(lines(&["--file", "other"]).lines().all(|line| line.starts_with("other.ml:")));
    assert!(lines(&["--function", "cold"]).lines().all(|line| line.starts_with("shapes.ml:2:")));
    assert!(lines(&["--kind", "allocation"]).lines().all(|line| line.contains("[remains/allocation,")));
    assert!(lines(&["--kind", "done"]).lines().all(|line| line.contains("[done/")));
    assert_eq!(report(&["--file", "nowhere"]), "Nothing that costs much was found.\n");
}

#[test]
fn sarif_is_what_its_readers_expect() {
    let folder = Folder::new(&[("shapes.ml", SHAPES)]);
    check_status(&folder.run(&["-O3", "-g", "-inlining-report", "-c", "shapes.ml"]), 0);
    let output = folder.run(&["report", "--format", "sarif", "shapes.flambeau-report.json"]);
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules: Vec<&Value> =
        run["tool"]["driver"]["rules"].as_array().expect("rules").iter().map(|r| &r["id"]).collect();
    let results = run["results"].as_array().expect("results");
    assert!(!results.is_empty());
    for result in results {
        assert!(rules.contains(&&result["ruleId"]));
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert!(region["startLine"].as_u64().is_some_and(|line| line >= 1), "{result}");
        assert!(result["rank"].as_f64().is_some_and(|rank| (0.0..=100.0).contains(&rank)));
    }
}

/// The schema that is published describes what is written.
#[test]
fn reports_are_as_the_schema_says() {
    let folder = Folder::new(&[("shapes.ml", SHAPES)]);
    check_status(&folder.run(&["-O3", "-g", "-inlining-report", "-c", "shapes.ml"]), 0);
    let report: Value =
        serde_json::from_slice(&fs::read(folder.path("shapes.flambeau-report.json")).expect("a report"))
            .expect("JSON");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).expect("the schema")).expect("JSON");
    let errors = check(&schema, &schema, &report, "report");
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    // It is not satisfied by anything.
    assert!(!check(&schema, &schema, &serde_json::json!({ "format": "flambeau-report" }), "x").is_empty());
    let mut damaged = report;
    damaged["remarks"][0]["depth"] = "two".into();
    assert!(!check(&schema, &schema, &damaged, "x").is_empty());
}

/// What of a value is not as a schema says: the part of JSON Schema that ours uses.
fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return check(root, &root["$defs"][name.trim_start_matches("#/$defs/")], value, at);
    }
    let mut errors = Vec::new();
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        _ => false,
    };
    let allowed = match &schema["type"] {
        Value::Null => true,
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    };
    if !allowed {
        errors.push(format!("{at}: {value} is not of type {}", schema["type"]));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        errors.push(format!("{at}: {value} is none of {values:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap_or_default()).is_none() {
            errors.push(format!("{at}: no {name}"));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => errors.extend(check(root, schema, field, &format!("{at}.{name}"))),
            None => match &schema["additionalProperties"] {
                Value::Bool(false) => errors.push(format!("{at}: {name} is not described")),
                Value::Object(_) => {
                    errors.extend(check(
                        root,
                        &schema["additionalProperties"],
                        field,
                        &format!("{at}.{name}"),
                    ));
                }
                _ => {}
            },
        }
    }
    if schema["items"].is_object() {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            errors.extend(check(root, &schema["items"], item, &format!("{at}[{index}]")));
        }
    }
    errors
}

#[test]
fn reports_may_be_kept_in_a_folder() {
    let folder = Folder::new(&[("shapes.ml", SHAPES)]);
    fs::create_dir(folder.path("out")).expect("made");
    let kept = folder.path("kept");
    let kept = kept.to_str().expect("text");
    let arguments = ["-inlining-report-dir", kept, "-c", "-o", "out/shapes.cmx", "shapes.ml"];
    check_status(&folder.run(&arguments), 0);
    assert!(
        folder.exists("kept/out/shapes.flambeau-report.json")
            && folder.exists("kept/out/shapes.0.inlining.org")
    );
    assert!(!folder.exists("out/shapes.flambeau-report.json"));
    check_contains(&folder.run(&["report", "kept"]).stdout, &["What costs most"]);
}

/// `a` has what `b` inlines, copies and applies.
const COPIED: &[(&str, &str)] = &[
    (
        "a.ml",
        "let scaled f x =\n  let y = f x in\n  if y = 0. then [] else [ y; y *. 2. ]\n[@@inline]\n\
         module Make (K : sig type t val weight : t -> float end) = struct\n\
         let heavier a b = K.weight a > K.weight b\n\
         let best l =\n  List.fold_left (fun m k ->\n    match m with\n    | Some m when heavier m k -> Some m\n    \
         | _ -> Some k) None l\nend\n",
    ),
    (
        "b.ml",
        "let g x = A.scaled (fun x -> x +. 1.) x\n\
         module P = A.Make (struct type t = float * int let weight (w, _) = w end)\nlet b l = P.best l\n",
    ),
];

#[test]
fn code_of_other_units_keeps_its_locations_without_g() {
    let folder = Folder::new(COPIED);
    let lines = || {
        let output =
            folder.run(&["-O3", "-inlining-report", "-flambeau-remarks=remains,missed", "-c", "b.ml"]);
        check_status(&output, 0);
        text(&output.stderr)
    };
    check_status(&folder.run(&["-O3", "-g", "-c", "a.ml"]), 0);
    let with = lines();
    check_status(&folder.run(&["-O3", "-c", "a.ml"]), 0);
    let without = lines();
    // Of a functor's copy, of what was inlined, and none at the beginning of the file, where nothing is.
    check_contains(without.as_bytes(), &["a.ml:10:34: remark: a block is allocated", "a.ml:11:12: remark:"]);
    assert!(!without.contains("b.ml:1:1:"), "{without}");
    assert_eq!(with, without);
    let report = text(&folder.run(&["report", "."]).stdout);
    check_contains(
        report.as_bytes(),
        &["in code of A.scaled that was inlined there", "in A.Make.best.(fun)"],
    );
    // What is reported changes nothing: neither the code nor what a third unit can know.
    let read = || ["b.o", "b.cmx"].map(|name| fs::read(folder.path(name)).expect("compiled"));
    let reported = read();
    check_status(&folder.run(&["-O3", "-c", "b.ml"]), 0);
    assert!(reported == read());
}

#[test]
fn backtraces_show_inlined_code_of_units_compiled_without_g() {
    let folder = Folder::new(&[
        ("a.ml", "let get a i =\n  a.(i)\n"),
        (
            "b.ml",
            "let () = Printexc.record_backtrace true\nlet () =\n  \
             try ignore (Sys.opaque_identity (A.get [| 1 |] (int_of_string \"3\")))\n  \
             with _ -> Printexc.print_backtrace stdout\n",
        ),
    ]);
    check_status(&folder.run(&["-c", "a.ml"]), 0);
    check_status(&folder.run(&["-g", "-c", "b.ml"]), 0);
    let printed = folder.link_and_run(&["-g", "a.cmx", "b.cmx"]);
    assert_eq!(
        printed,
        "Raised by primitive operation at A.get in file \"a.ml\" (inlined), line 2, characters 2-7\n\
         Called from B in file \"b.ml\", line 3, characters 34-69\n"
    );
}

#[test]
fn frame_tables_name_other_units_only_with_g() {
    let folder = Folder::new(&[
        ("a.ml", "let apply f x = f x + 1\n"),
        ("b.ml", "let same f x = A.apply f x\n"),
        ("c.ml", "let[@zero_alloc assume] same f x = A.apply f x\n"),
    ]);
    check_status(&folder.run(&["-g", "-c", "a.ml"]), 0);
    let names_a = |flags: &[&str], source: &str| {
        check_status(&folder.run(&[flags, &["-c", source]].concat()), 0);
        let object = fs::read(folder.path(&source.replace(".ml", ".o"))).expect("compiled");
        object.windows(5).any(|window| window == b"a.ml\0")
    };
    assert!(names_a(&["-g"], "b.ml"));
    assert!(!names_a(&[], "b.ml"));
    // Promises and assumptions are known by locations.
    assert!(names_a(&[], "c.ml"));
}
