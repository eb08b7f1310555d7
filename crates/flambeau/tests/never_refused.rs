//! A failure of ours refuses no program: the stock middle end compiles the unit, and one warning says so; with
//! `-flambeau-strict` it is an error that leaves nothing behind.

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// Each stage of both sides that can be made to fail, in their order. The last phrase is that at which the state of the
/// back end is fullest.
const STAGES: &[&str] = &[
    "encoding the request",
    "decoding the request",
    "reading payloads",
    "convert",
    "contify",
    "simplify",
    "motion",
    "payload",
    "verification",
    "to cmm",
    "encoding the reply",
    "reading the reply",
    "native code generation",
    "native code generation of camlM__entry",
    "making the object",
];

/// Constants, a table of jumps and frames, so that what the back end keeps of a unit is not empty; and a call that
/// stock can't inline, which is no fault of the program.
const SOURCE: &str = "\
    let table = [| 1.5; 2.5 |]\n\
    let name = function 0 -> \"a\" | 1 -> \"b\" | 2 -> \"c\" | 3 -> \"d\" | 4 -> \"e\" | _ -> \"z\"\n\
    let rec sum = function [] -> 0. | x :: rest -> x +. sum rest +. 3.25\n\
    let twice n = let rec go i s = if i = 0 then s else go (i - 1) (s ^ name i) in go n \"\"\n\
    let again n = (twice [@inlined]) n\n\
    let () = Printf.printf \"%s %s %g\\n\" (name 3) (again 2) (sum [ 1.; 2. ] +. table.(0))\n";

const PRINTED: &str = "d cb 11\n";

fn source() -> Folder {
    Folder::new(&[("m.ml", SOURCE)])
}

/// The variables of a compilation in which a stage fails.
fn failing(stage: &'static str) -> [(&'static str, &'static str); 2] {
    [("FLAMBEAU_FAIL_IN", stage), ("FLAMBEAU_FLAGS", "-flambeau-fallback")]
}

fn strictly_failing(stage: &'static str) -> [(&'static str, &'static str); 2] {
    [("FLAMBEAU_FAIL_IN", stage), ("FLAMBEAU_FLAGS", "-flambeau-strict")]
}

/// Fails unless one warning was printed, and nothing else, which says what the stage and the command are.
#[track_caller]
fn check_warning(stderr: &[u8], stage: &str) {
    let pass = stage.split(" of ").next().unwrap_or(stage);
    check_contains(
        stderr,
        &[
            "Warning: flambeau: unit M is compiled by the stock middle end",
            &format!("pass {pass}: "),
            "FLAMBEAU_FAIL_IN asks for it",
            "Please report it, with what this prints, in /",
            "m.ml' -flambeau-strict -flambeau-verify -dflambeau-raw -dflambeau-rewrites\n",
        ],
    );
    let printed = text(stderr);
    assert_eq!(printed.lines().count(), 3, "more than one warning:\n{printed}");
}

#[test]
fn every_stage_falls_back_to_the_stock_middle_end() {
    for stage in STAGES {
        let folder = source();
        let output = folder.run_with(&failing(stage), &["-w", "+55", "-warn-error", "+a", "-o", "m", "m.ml"]);
        check_status(&output, 0);
        check_warning(&output.stderr, stage);
        let program = folder.command(folder.path("m").to_str().expect("a name"), &[], &[]);
        assert_eq!(text(&program.stdout), PRINTED, "after a failure in {stage}");
    }
}

#[test]
fn a_strict_failure_of_any_stage_leaves_nothing() {
    for stage in STAGES {
        let folder = source();
        let output = folder.run_with(&strictly_failing(stage), &["-S", "-c", "m.ml"]);
        check_status(&output, 2);
        let pass = stage.split(" of ").next().unwrap_or(stage);
        check_contains(
            &output.stderr,
            &["internal compiler error in unit M, ", &format!("pass {pass}: "), "To reproduce, in /"],
        );
        assert!(!text(&output.stderr).contains("panicked"));
        for file in ["m.o", "m.cmx", "m.s"] {
            assert!(!folder.exists(file), "{file} was left after a failure in {stage}");
        }
    }
}

#[test]
fn a_unit_that_falls_back_is_what_the_other_flags_ask_for() {
    for stage in ["to cmm", "native code generation of camlM__entry"] {
        for flags in
            [&["-g"][..], &["-opaque"], &["-S"], &["-inlining-report"], &["-O3", "-unsafe"], &["-Oclassic"]]
        {
            let folder = source();
            let output = folder.run_with(&failing(stage), &[flags, &["-c", "-o", "m.cmx", "m.ml"]].concat());
            check_status(&output, 0);
            assert!(folder.exists("m.o") && folder.exists("m.cmx"), "with {flags:?}");
            assert_eq!(folder.exists("m.s"), flags == ["-S"]);
            assert_eq!(folder.link_and_run(&["m.cmx"]), PRINTED, "with {flags:?}");
        }
    }
}

#[test]
fn a_unit_that_falls_back_can_be_packed() {
    let folder = source();
    let unit = "native code generation of camlP__M__entry";
    check_status(&folder.run_with(&failing(unit), &["-for-pack", "P", "-c", "m.ml"]), 0);
    check_status(&folder.run(&["-pack", "-o", "p.cmx", "m.cmx"]), 0);
    assert_eq!(folder.link_and_run(&["p.cmx"]), PRINTED);
}

#[test]
fn a_unit_that_falls_back_can_be_in_an_object_for_c() {
    let folder = Folder::new(&[
        ("m.ml", SOURCE),
        (
            "main.c",
            "extern void caml_startup(char **), caml_shutdown(void);\nint main(int n, char **v) { caml_startup(v); caml_shutdown(); return n - 1; }\n",
        ),
    ]);
    check_status(&folder.run_with(&failing("to cmm"), &["-output-complete-obj", "-o", "all.o", "m.ml"]), 0);
    check_status(&folder.command("cc", &[], &["-o", "program", "main.c", "all.o", "-lm", "-ldl"]), 0);
    let program = folder.command(folder.path("program").to_str().expect("a name"), &[], &[]);
    assert_eq!(text(&program.stdout), PRINTED);
}

#[test]
fn units_that_fall_back_go_with_those_that_do_not() {
    let folder = Folder::new(&[
        (
            "a.ml",
            "let f x = if x = 0 then \"zero\" else string_of_int x\nmodule F (X : sig val n : int end) = struct let g () = f X.n end\n",
        ),
        ("b.ml", "module G = A.F (struct let n = 0 end)\nlet h () = G.g () ^ A.f 1\n"),
        ("c.ml", "let () = print_string (B.h ())\n"),
    ]);
    for failing_unit in ["a.ml", "b.ml", "c.ml"] {
        for unit in ["a.ml", "b.ml", "c.ml"] {
            let variables = failing("simplify");
            let variables = if unit == failing_unit { &variables[..] } else { &[] };
            check_status(&folder.run_with(variables, &["-O3", "-c", unit]), 0);
        }
        assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx", "c.cmx"]), "zero1");
    }
}

#[test]
fn what_was_dumped_before_a_failure_is_printed() {
    let folder = source();
    let all = folder.run(&["-dflambeau-rewrites", "-c", "m.ml"]);
    check_status(&all, 0);
    for (stage, fuel) in [("motion", "5"), ("to cmm", "5"), ("verification", "5"), ("payload", "5")] {
        let arguments = ["-flambeau-fuel", fuel, "-dflambeau-rewrites", "-c", "m.ml"];
        let output = folder.run_with(&strictly_failing(stage), &arguments);
        check_status(&output, 2);
        let rewrites: Vec<String> = text(&output.stderr)
            .lines()
            .take_while(|line| !line.starts_with("Fatal"))
            .map(Into::into)
            .collect();
        let first: Vec<String> = text(&all.stderr).lines().take(5).map(Into::into).collect();
        assert_eq!(rewrites, first, "the rewrites before a failure in {stage}");
    }
    let output = folder
        .run_with(&strictly_failing("convert"), &["-dflambeau-lambda", "-dflambeau-rewrites", "-c", "m.ml"]);
    check_contains(&output.stderr, &["lambda:\n", "rewrites:\n", "pass convert"]);
    let output =
        folder.run_with(&strictly_failing("to cmm"), &["-dflambeau-raw", "-dflambeau", "-c", "m.ml"]);
    check_contains(&output.stderr, &["raw:\n", "ir:\n", "pass to cmm"]);
}

#[test]
fn the_dumps_of_a_unit_that_falls_back_are_printed_once() {
    let folder = source();
    let output = folder.run_with(&failing("to cmm"), &["-dflambeau-raw", "-c", "m.ml"]);
    check_status(&output, 0);
    assert_eq!(
        text(&output.stderr).matches("unit \"M\"").count(),
        text(&folder.run(&["-dflambeau-raw", "-c", "m.ml"]).stderr).matches("unit \"M\"").count()
    );
    check_contains(&output.stderr, &["sum_85", "Warning: flambeau: unit M"]);
}

#[test]
fn bad_input_is_an_error_and_no_failure_of_ours() {
    let folder = source();
    let lenient = [("FLAMBEAU_FLAGS", "")];
    let output = folder.run_with(&lenient, &["-rounds", "-3", "-c", "m.ml"]);
    check_status(&output, 2);
    assert_eq!(
        text(&output.stderr),
        "File \"m.ml\", line 1:\nError: -rounds: -3 is no number of rounds, which are 2 to 8\n"
    );
    assert!(!folder.exists("m.o"));

    let folder = Folder::new(&[("a.ml", "let f x = x + 1\n"), ("b.ml", "let g x = A.f x\n")]);
    check_status(&folder.run(&["-c", "a.ml"]), 0);
    let mut description = std::fs::read(folder.path("a.cmx")).expect("a file");
    let last = description.len() - 20;
    description[last] ^= 1;
    std::fs::write(folder.path("a.cmx"), description).expect("a file");
    let output = folder.run_with(&lenient, &["-c", "b.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["a.cmx: corrupt Flambeau payload"]);
    assert!(!text(&output.stderr).contains("internal"));
    assert!(!folder.exists("b.o"));
}

#[test]
fn the_last_of_both_flags_holds() {
    for (flags, status) in [
        (&["-flambeau-strict", "-flambeau-fallback"][..], 0),
        (&["-flambeau-fallback", "-flambeau-strict"], 2),
        (&[], 0),
    ] {
        let folder = source();
        let variables = [("FLAMBEAU_FAIL_IN", "motion"), ("FLAMBEAU_FLAGS", "")];
        check_status(&folder.run_with(&variables, &[flags, &["-c", "m.ml"]].concat()), status);
    }
}
