//! `[@zero_alloc]`: about 250 functions with and without allocation of every kind, at several levels; each one that is
//! accepted is run under a counter of allocations. And what it says across units, and of attributes that mean nothing.

use std::fmt::Write;
use std::fs;
use std::path::Path;

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// A line of `tests/zero_alloc/functions.ml`.
enum Case {
    /// What it defines, and a call of it.
    Accepted { source: String, call: String },
    /// What it defines, and what the error says.
    Refused { source: String, error: String },
}

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/zero_alloc/functions.ml");
    let text = fs::read_to_string(file).expect("the cases can be read");
    let case = |line: &str| {
        let (source, comment) = line.rsplit_once(" (* ")?;
        let (kind, rest) = comment.strip_suffix(" *)")?.split_once(": ")?;
        let (source, rest) = (source.to_owned(), rest.to_owned());
        match kind {
            "run" => Some(Case::Accepted { source, call: rest }),
            "allocates" => Some(Case::Refused { source, error: rest }),
            _ => None,
        }
    };
    text.lines().filter_map(case).collect()
}

const LEVELS: [&[&str]; 2] = [&[], &["-O3"]];

/// Compiles and runs all that must be accepted, each in a module of its own. `counted` measures a closure against one
/// that does nothing. A function is called as the compiler knows it, and as one of which nothing is known.
fn program_of(accepted: &[(&str, &str)]) -> String {
    let mut program = String::from(
        "let words () = let minor, promoted, major = Gc.counters () in minor +. major -. promoted\n\
         let measure g = let before = words () in for _ = 1 to 10 do g () done; words () -. before\n\
         let counted name g =\n  \
           let nothing = measure (Sys.opaque_identity ignore) in\n  \
           let more = measure (Sys.opaque_identity g) -. nothing in\n  \
           if more <> 0. then Printf.printf \"%s: %g words\\n\" name more\n",
    );
    for (number, (source, call)) in accepted.iter().enumerate() {
        let _ = writeln!(program, "module C{number} = struct\n{source}\nend");
        let known = format!("counted \"{number}\" (fun () -> ignore (Sys.opaque_identity ({call})))");
        let _ = writeln!(program, "let () = let open C{number} in {known}");
        if call.starts_with("f ") {
            let _ =
                writeln!(program, "let () = let open C{number} in let f = Sys.opaque_identity f in {known}");
        }
    }
    program
}

#[test]
fn accepted_functions_do_not_allocate() {
    let cases = cases();
    let accepted: Vec<(&str, &str)> = cases
        .iter()
        .filter_map(|case| match case {
            Case::Accepted { source, call } => Some((source.as_str(), call.as_str())),
            Case::Refused { .. } => None,
        })
        .collect();
    assert!(accepted.len() > 100, "cases are missing");
    let folder = Folder::new(&[("all.ml", &program_of(&accepted))]);
    let tool = folder.tool();
    for level in LEVELS {
        let arguments = [level, &["-w", "-a", "-o", "all", "all.ml"][..]].concat();
        check_status(&folder.command(&tool, &[], &arguments), 0);
        let output = folder.command(folder.path("all").to_str().expect("text"), &[], &[]);
        check_status(&output, 0);
        assert_eq!(text(&output.stdout), "", "{level:?}");
    }
}

#[test]
fn functions_that_allocate_are_refused_with_the_reason() {
    let mut count = 0;
    let mut failures = Vec::new();
    let tools = Folder::new(&[]);
    let tool = tools.tool();
    for case in cases() {
        let Case::Refused { source, error } = case else { continue };
        count += 1;
        let folder = Folder::new(&[("case.ml", &source)]);
        for level in LEVELS {
            let output = folder.command(&tool, &[], &[level, &["-w", "-a", "-c", "case.ml"][..]].concat());
            let message = text(&output.stderr);
            if output.status.code() != Some(2)
                || !message.contains("[@zero_alloc]: ")
                || !message.contains(&error)
            {
                failures.push(format!("{level:?} {source}\n  expected: {error}\n{message}"));
            }
            if folder.exists("case.o") || folder.exists("case.cmx") {
                failures.push(format!("{level:?} {source}\n  was compiled"));
            }
        }
    }
    assert!(count > 90, "cases are missing");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A failure of ours must not let a promise pass unseen: the stock middle end's code is checked then.
#[test]
fn promises_hold_when_the_stock_middle_end_compiles() {
    let source = "let[@zero_alloc] f x = x + 1\nlet g x = (x, x)\nlet[@zero_alloc] h x = g x\n";
    let folder = Folder::new(&[("a.ml", source)]);
    let variables = &[("FLAMBEAU_FAIL_IN", "convert"), ("FLAMBEAU_FLAGS", "-flambeau-fallback")];
    let output = folder.run_with(variables, &["-g", "-c", "a.ml"]);
    check_status(&output, 2);
    check_contains(
        &output.stderr,
        &["line 3", "[@zero_alloc]: h may allocate", "which was inlined at a.ml, line 3"],
    );
    assert!(!text(&output.stderr).contains("f may allocate"));
    fs::write(folder.path("a.ml"), "let[@zero_alloc] f x = x + 1\n").expect("written");
    check_status(&folder.run_with(variables, &["-c", "a.ml"]), 0);
    assert!(folder.exists("a.o"));
}

#[test]
fn other_units_say_what_they_allocate() {
    let library = "let[@inline never] free x = x + 1\n\
        let[@inline never] pair x = (x, x)\n\
        let[@inline never] bad x = failwith (\"bad \" ^ x)\n\
        let[@inline never] check x = if x < 0 then bad \"x\" else x\n\
        let[@zero_alloc assume] [@inline never] trusted x = ref x\n\
        let[@zero_alloc assume] trusted_inline x = Some x\n";
    let good = "let[@zero_alloc] f x = Lib.free x + Lib.check x\n\
        let[@zero_alloc] g x = ignore (Sys.opaque_identity (Lib.trusted x)); if x = 7 then Lib.bad \"y\" else x\n\
        let[@zero_alloc] h x = Sys.opaque_identity (Lib.trusted_inline x)\n";
    let folder = Folder::new(&[
        ("lib.ml", library),
        ("good.ml", good),
        ("bad.ml", "let[@zero_alloc] f x = fst (Lib.pair x)\n"),
        ("strict.ml", "let[@zero_alloc strict] f x = Lib.check x\n"),
    ]);
    check_status(&folder.run(&["-c", "lib.ml", "good.ml"]), 0);
    let output = folder.run(&["-c", "bad.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["Lib.pair is called here, and may allocate"]);
    let output = folder.run(&["-c", "strict.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["Lib.check is called here", "strict"]);
    // Of an opaque unit nothing is known.
    check_status(&folder.run(&["-opaque", "-c", "lib.ml"]), 0);
    check_status(&folder.run(&["-c", "good.ml"]), 2);
    check_contains(&folder.run(&["info", "lib.cmx"]).stdout, &["opaque: yes"]);
}

/// What the library says of functions of the standard library is about the code of the stock object.
#[test]
fn the_standard_library_says_what_it_allocates() {
    let source = "let[@zero_alloc] f l = List.length l + List.nth l 0\n\
        let[@zero_alloc] g (l : int list) x = List.memq x l\n";
    let folder = Folder::new(&[("a.ml", source), ("b.ml", "let[@zero_alloc] f l = List.rev_append l l\n")]);
    let tool = folder.tool();
    check_status(&folder.command(&tool, &[], &["-flambeau-no-inline", "-c", "a.ml"]), 0);
    let output = folder.command(&tool, &[], &["-flambeau-no-inline", "-c", "b.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["List.rev_append is called here"]);
}

/// One error for each function, in the order of the source; and the names of C functions are whole.
#[test]
fn all_errors_of_a_unit_are_shown() {
    let source = "let[@zero_alloc] find x a = let rec go i = i < Array.length a && (a.(i) = x || go (i + 1)) in go 0\n\
        let[@zero_alloc] fine x = x + 1\n\
        let[@zero_alloc] pair x = (x, x)\n\
        let[@zero_alloc] pass g x = g x (x, x)\n";
    let folder = Folder::new(&[("a.ml", source)]);
    let check = |variables: &[(&str, &str)]| {
        let output = folder.run_with(variables, &["-O3", "-c", "a.ml"]);
        check_status(&output, 2);
        let message = text(&output.stderr);
        let errors: Vec<&str> = message.lines().filter(|line| line.starts_with("Error: ")).collect();
        let error = |name: &str| format!("Error: [@zero_alloc]: {name} may allocate");
        assert_eq!(errors, [error("find"), error("pair"), error("pass")], "{message}");
        let places = [1, 3, 4].map(|line| format!("File \"a.ml\", line {line}, characters 2"));
        check_contains(&output.stderr, &places.each_ref().map(String::as_str));
        check_contains(&output.stderr, &["it is passed to a function that is not known"]);
        assert!(!folder.exists("a.o") && !folder.exists("a.cmx"));
        output.stderr
    };
    let errors = check(&[]);
    let of_c = ["it is passed to the C function caml_equal", "the C function caml_equal is called here"];
    check_contains(&errors, &of_c);
    check(&[("FLAMBEAU_FAIL_IN", "convert"), ("FLAMBEAU_FLAGS", "-flambeau-fallback")]);
}

#[test]
fn a_whole_file_promises() {
    let source =
        "let f x = x + 1\nmodule M = struct let g x = (x, x) end\nlet h x = [ x ] [@@zero_alloc ignore]\n";
    let folder = Folder::new(&[("a.ml", &format!("[@@@zero_alloc all]\n{source}"))]);
    let output = folder.run(&["-c", "a.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["[@zero_alloc]: g may allocate"]);
    fs::write(folder.path("a.ml"), format!("[@@@zero_alloc all opt]\n{source}")).expect("written");
    check_status(&folder.run(&["-c", "a.ml"]), 0);
    check_status(&folder.run(&["-O3", "-c", "a.ml"]), 2);
    fs::write(
        folder.path("a.ml"),
        "[@@@zero_alloc all]\nlet f x = x + 1\nlet g l = fun [@zero_alloc ignore] x -> x :: l\n",
    )
    .expect("written");
    check_status(&folder.run(&["-w", "-a", "-c", "a.ml"]), 2);
}

#[test]
fn attributes_that_mean_nothing_are_warned_of() {
    for (source, warning) in [
        ("let[@zero_alloc srict] f x = (x, x)", "illegal payload for attribute 'zero_alloc'"),
        ("let[@zero_alloc 3] f x = (x, x)", "illegal payload for attribute 'zero_alloc'"),
        ("let f g x = (g [@zero_alloc]) x", "illegal payload for attribute 'zero_alloc'"),
        ("[@@@zero_alloc some]", "illegal payload for attribute 'zero_alloc'"),
        ("let x = (3, 4) [@@zero_alloc]", "the \"zero_alloc\" attribute cannot appear in this context"),
        ("type t = int [@@zero_alloc]", "the \"zero_alloc\" attribute cannot appear in this context"),
        ("let[@zero_aloc] f x = (x, x)", "the \"zero_aloc\" attribute cannot appear in this context"),
        (
            "module type T = sig val f : int -> int [@@zero_alloc] end",
            "\"zero_alloc\" attribute cannot appear",
        ),
    ] {
        let folder = Folder::new(&[("a.ml", source)]);
        let output = folder.run(&["-w", "+a-70-32", "-c", "a.ml"]);
        check_status(&output, 0);
        check_contains(&output.stderr, &[warning]);
        check_status(&folder.run(&["-w", "+a-70-32", "-warn-error", "+a", "-c", "a.ml"]), 2);
    }
}

/// Programs that were written for a compiler which checks other things are not refused.
/// What an interface promises is checked where the implementation is compiled, in its modules too.
#[test]
fn interfaces_promise() {
    let interface = "val f : int -> int * int [@@zero_alloc]\n\
        val g : int -> int [@@zero_alloc strict]\n\
        module M : sig val h : int -> int list [@@zero_alloc] end\n";
    let implementation = |f: &str, h: &str| {
        format!(
            "let f x = (x, x)\nlet f x = ignore (f x); {f}\nlet g x = x + 1\nmodule M = struct let h x = {h} end\n"
        )
    };
    let held = implementation("if x = 0 then (1, 2) else (3, 4)", "if x = 0 then [] else [ 1 ]");
    let folder = Folder::new(&[("a.mli", interface), ("a.ml", &held)]);
    let output = folder.run(&["-c", "a.mli", "a.ml"]);
    check_status(&output, 0);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    for (f, h, error) in [
        ("(x, x)", "[]", "Error: [@zero_alloc]: f may allocate"),
        ("(1, 2)", "[ x ]", "[@zero_alloc]: h may allocate"),
    ] {
        fs::write(folder.path("a.ml"), implementation(f, h)).expect("written");
        let output = folder.run(&["-c", "a.mli", "a.ml"]);
        check_status(&output, 2);
        // Where it is defined, and where it is promised.
        check_contains(&output.stderr, &[error, "File \"a.ml\", line", "the interface promises it here"]);
        check_contains(&output.stderr, &["File \"a.mli\", line"]);
    }
    // Nothing is checked of what is no function in the source, and it is said so.
    fs::write(folder.path("a.ml"), held.replace("let g x = x + 1", "let g = Sys.opaque_identity succ"))
        .expect("written");
    let output = folder.run(&["-c", "a.mli", "a.ml"]);
    check_status(&output, 0);
    check_contains(&output.stderr, &["a.mli", "Nothing is checked: 'g' is not defined"]);
}

#[test]
fn promises_may_be_left_unchecked() {
    let folder = Folder::new(&[("a.ml", "let[@zero_alloc] f x = (x, x)\n")]);
    check_status(&folder.run(&["-c", "a.ml"]), 2);
    check_status(&folder.run(&["-flambeau-no-zero-alloc", "-c", "a.ml"]), 0);
    check_status(&folder.run_with(&[("FLAMBEAU_FLAGS", "-flambeau-no-zero-alloc")], &["-c", "a.ml"]), 0);
}

/// Of two functions that come to the same code one is left out: not the promise of either.
#[test]
fn promises_are_checked_where_another_function_is_the_same() {
    let body = "x = if Sys.opaque_identity x = 3 then (x, x) else (x, 0)";
    let source = format!(
        "let[@inline never] g {body}\nlet[@zero_alloc] [@inline never] f {body}\n\
         let () = print_int (fst (f 3) + fst (g 3))"
    );
    let folder = Folder::new(&[("t.ml", &source), ("t.mli", "")]);
    let tool = folder.tool();
    check_status(&folder.command(&tool, &[], &["-c", "t.mli"]), 0);
    let output = folder.command(&tool, &[], &["-c", "t.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["f may allocate"]);
}
