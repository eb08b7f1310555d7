//! Programs that are optimised as a whole when they are linked (`-flambeau-whole-program`, features E10).

use std::fs;

mod folder;
use folder::{Folder, check_contains, check_status, text};

const WHOLE: &str = "-flambeau-whole-program";

/// `a` exports more than `main` reads; `main` passes `a` to a functor as a whole, and calls a function that returns
/// pairs and is not inlined.
const UNITS: &[(&str, &str)] = &[
    (
        "a.ml",
        "type t = int\n\
         let calls = ref 0\n\
         let compare (x : t) (y : t) = incr calls; if x < y then -1 else if x > y then 1 else 0\n\
         let never_called x = print_endline (\"never called: \" ^ x)\n\
         let table = Array.init 10 (fun i -> i * i)\n\
         let[@inline never] divide x y = if y = 0 then (0, x) else (x / y, x mod y)\n\
         let () = print_endline \"a\"\n",
    ),
    (
        "b.ml",
        "let () = print_endline \"b\"\nlet twice f x = f (f x)\nlet unused = Hashtbl.create 1 |> fun t -> Hashtbl.replace t 1 2; t\n",
    ),
    (
        "main.ml",
        "module M = Map.Make (A)\n\
         module type S = sig val table : int array end\n\
         let packed = [ (module A : S) ]\n\
         let sum = ref 0\n\
         let () =\n\
        let m = List.fold_left (fun m x -> M.add x (x * x) m) M.empty [ 3; 1; 2 ] in\n\
        M.iter (fun k v -> Printf.printf \"%d:%d \" k v) m;\n\
        for i = 1 to 1000 do let q, r = A.divide (i * 7) (i mod 5) in sum := !sum + q - r done;\n\
        let before = Gc.minor_words () in\n\
        for i = 1 to 1000 do let q, r = A.divide (i * 7) (i mod 5) in sum := !sum + q - r done;\n\
        let words = int_of_float (Gc.minor_words () -. before) in\n\
        List.iter (fun (module X : S) -> sum := !sum + X.table.(3)) packed;\n\
        Printf.printf \"%d %b %d\\n\" !sum (!A.calls > 0) (B.twice succ 5);\n\
        if Array.length Sys.argv > 1 then Printf.printf \"%d words\\n\" words\n",
    ),
];
const PRINTED: &str = "a\nb\n1:1 2:4 3:9 1504709 true 7\n";

const FILES: [&str; 3] = ["a.ml", "b.ml", "main.ml"];

/// Compiles and links by one command; gives what the program prints.
#[track_caller]
fn build(folder: &Folder, flags: &[&str], files: &[&str]) -> String {
    let output = folder.run(&[flags, files, &["-o", "program"]].concat());
    check_status(&output, 0);
    assert_eq!(text(&output.stderr), "");
    run(folder, &[])
}

#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.command(folder.path("program").to_str().expect("a name"), &[], arguments);
    check_status(&output, 0);
    text(&output.stdout)
}

/// The names of the linker in the program.
fn names(folder: &Folder) -> String {
    text(&folder.command("nm", &[], &["program"]).stdout)
}

/// Words that the second loop of `main` allocates.
fn words(folder: &Folder) -> u32 {
    let printed = run(folder, &["words"]);
    let line = printed.lines().last().expect("a line");
    line.strip_suffix(" words").and_then(|words| words.parse().ok()).expect("a number of words")
}

#[test]
fn what_the_program_does_not_read_is_gone() {
    for flags in [&[][..], &["-O3"], &["-Oclassic"], &["-opaque"], &["-g", "-function-sections"]] {
        let folder = Folder::new(UNITS);
        assert_eq!(build(&folder, &[flags, &["-flambeau-verify"]].concat(), &FILES), PRINTED, "{flags:?}");
        assert!(names(&folder).contains("camlA__never_called_"));
        let unit_by_unit = words(&folder);

        assert_eq!(
            build(&folder, &[flags, &["-flambeau-verify", WHOLE]].concat(), &FILES),
            PRINTED,
            "{flags:?}"
        );
        let names = names(&folder);
        for gone in ["never_called", "camlB__twice", "camlA__entry", "camlMain__entry"] {
            assert!(!names.contains(gone), "{flags:?}: {gone} is in:\n{names}");
        }
        assert!(names.contains("camlFlambeau__program__entry"), "{flags:?}");
        let whole = words(&folder);
        assert!(whole <= unit_by_unit.min(10), "{flags:?}: {whole} words, {unit_by_unit} unit by unit");
    }
}

#[test]
fn a_library_brings_what_the_program_needs_of_it() {
    let folder = Folder::new(UNITS);
    fs::write(folder.path("c.ml"), "let () = print_endline \"not required\"\n").expect("a file");
    fs::write(folder.path("stubs.c"), "#include <caml/mlvalues.h>\nvalue stub(value x) { return x + 2; }\n")
        .expect("a file");
    fs::write(folder.path("d.ml"), "external stub : int -> int = \"stub\"\nlet () = print_int (stub 4)\n")
        .expect("a file");
    check_status(&folder.run(&["-c", "stubs.c"]), 0);
    check_status(&folder.command("ar", &[], &["rcs", "libstubs.a", "stubs.o"]), 0);
    let archive = ["-a", "a.ml", "b.ml", "c.ml", "d.ml", "-cclib", "-lstubs", "-ccopt", "-L$CAMLORIGIN"];
    check_status(&folder.run(&[&archive[..], &[WHOLE, "-o", "lib.cmxa"]].concat()), 0);

    assert_eq!(build(&folder, &[WHOLE], &["lib.cmxa", "main.ml"]), PRINTED);
    assert!(!names(&folder).contains("camlA__entry"));
    let all = build(&folder, &[WHOLE, "-linkall"], &["lib.cmxa", "main.ml"]);
    assert_eq!(all, PRINTED.replacen("b\n", "b\nnot required\n5", 1));
    assert!(!names(&folder).contains("camlA__entry"));
    // The stock linker reads the library as any other.
    let output = folder.command("ocamlopt", &[], &["lib.cmxa", "main.cmx", "-o", "program"]);
    check_status(&output, 0);
    assert_eq!(run(&folder, &[]), PRINTED);
}

#[test]
fn units_before_one_of_the_stock_compiler_keep_their_objects() {
    let folder = Folder::new(UNITS);
    check_status(&folder.run(&[WHOLE, "-c", "a.ml"]), 0);
    check_status(&folder.command("ocamlopt", &[], &["-c", "b.ml"]), 0);
    check_status(&folder.run(&[WHOLE, "-c", "main.ml"]), 0);
    let output = folder.run(&[WHOLE, "-verbose", "a.cmx", "b.cmx", "main.cmx", "-o", "program"]);
    check_status(&output, 0);
    check_contains(
        &output.stderr,
        &[
            "these units become one: Main\n",
            "do not become one with the rest of the program: A. Unit B, which was compiled without",
        ],
    );
    assert_eq!(run(&folder, &[]), PRINTED);
    let names = names(&folder);
    assert!(names.contains("camlA__entry") && names.contains("camlB__entry"));
    assert!(!names.contains("camlMain__entry"));
}

#[test]
fn programs_of_which_nothing_becomes_one_are_linked_as_they_are() {
    let folder = Folder::new(UNITS);
    check_status(&folder.run(&["-c", "a.ml", "b.ml", "main.ml"]), 0);
    let units = ["a.cmx", "b.cmx", "main.cmx", "-o", "program"];
    let output = folder.run(&[&[WHOLE][..], &units].concat());
    check_status(&output, 0);
    check_contains(&output.stderr, &["no units of the program become one", "unit Main was compiled without"]);
    assert_eq!(run(&folder, &[]), PRINTED);

    // A plugin may need any unit.
    check_status(&folder.run(&[WHOLE, "-c", "a.ml", "b.ml", "main.ml"]), 0);
    let output = folder.run(&[&[WHOLE, "-linkall", "dynlink.cmxa"][..], &units].concat());
    check_status(&output, 0);
    check_contains(&output.stderr, &["no units of the program become one", "may load code"]);
    assert_eq!(run(&folder, &[]), PRINTED);
}

/// What the linker of the stock compiler finds wrong, it finds wrong here, too.
#[test]
fn errors_of_linking_stay() {
    let folder = Folder::new(UNITS);
    check_status(&folder.run(&[WHOLE, "-c", "a.ml", "b.ml", "main.ml"]), 0);
    let output = folder.run(&[WHOLE, "a.cmx", "main.cmx", "-o", "program"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["B referenced from main.cmx"]);
    assert!(!folder.exists("program"));

    fs::write(folder.path("b.ml"), "let twice f x = f x\nlet more = 1\n").expect("a file");
    check_status(&folder.run(&[WHOLE, "-c", "b.ml"]), 0);
    let output = folder.run(&[WHOLE, "a.cmx", "b.cmx", "main.cmx", "-o", "program"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["inconsistent assumptions", "interface B"]);
    assert!(!folder.exists("program"));
}

#[test]
fn if_it_fails_the_program_is_linked_unit_by_unit() {
    let folder = Folder::new(UNITS);
    check_status(&folder.run(&[WHOLE, "-c", "a.ml", "b.ml", "main.ml"]), 0);
    let link = ["-flambeau-fallback", WHOLE, "a.cmx", "b.cmx", "main.cmx", "-o", "program"];
    let output = folder.run_with(&[("FLAMBEAU_FAIL_IN", "unread")], &link);
    check_status(&output, 0);
    check_contains(&output.stderr, &["the program is linked unit by unit", "pass unread"]);
    assert_eq!(run(&folder, &[]), PRINTED);
    let output =
        folder.run_with(&[("FLAMBEAU_FAIL_IN", "unread")], &[&["-flambeau-strict"], &link[1..]].concat());
    check_status(&output, 2);
    check_contains(&output.stderr, &["internal compiler error in unit Flambeau__program"]);
}

/// The same inputs make the same bytes, wherever the unit was kept in between.
#[test]
fn linking_twice_makes_the_same_program() {
    let folder = Folder::new(UNITS);
    build(&folder, &["-g", WHOLE], &FILES);
    let first = fs::read(folder.path("program")).expect("the program");
    build(&folder, &["-g", WHOLE], &FILES);
    assert!(first == fs::read(folder.path("program")).expect("the program"));
}

#[test]
fn backtraces_name_the_lines_of_each_unit() {
    let folder = Folder::new(&[
        ("a.ml", "let[@inline never] fail x =\n  if x > 2 then x + failwith \"too large\" else x\n"),
        ("main.ml", "let f x =\n  1 + A.fail x\nlet () = print_int (f (Array.length Sys.argv + 5))\n"),
    ]);
    check_status(&folder.run(&["-g", WHOLE, "-c", "a.ml", "main.ml"]), 0);
    // Without `-g`, as the stock linker needs none.
    check_status(&folder.run(&[WHOLE, "a.cmx", "main.cmx", "-o", "program"]), 0);
    let program = folder.path("program");
    let output = folder.command(program.to_str().expect("a name"), &[("OCAMLRUNPARAM", "b")], &[]);
    check_status(&output, 2);
    check_contains(
        &output.stderr,
        &[
            "Raised at Stdlib.failwith in file \"stdlib.ml\"",
            "from A.fail in file \"a.ml\", line 2",
            "from Main.f in file \"main.ml\" (inlined), line 2",
            "from Main in file \"main.ml\", line 3",
        ],
    );
}

/// The linker takes no unit of a library that is defined after it (`Asmlink`), nor do we.
#[test]
fn a_unit_may_have_the_name_of_one_in_a_library_that_is_not_needed() {
    let folder = Folder::new(&[
        ("theirs/same.ml", "let () = print_string \"of the library\"\nlet value = 1\n"),
        ("other.ml", "let value = 2\n"),
        ("same.ml", "let value = 3\n"),
        ("main.ml", "let () = print_int (Other.value + Same.value)\n"),
    ]);
    check_status(&folder.run(&[WHOLE, "-c", "other.ml", "theirs/same.ml"]), 0);
    check_status(&folder.run(&["-a", "other.cmx", "theirs/same.cmx", "-o", "library.cmxa"]), 0);
    assert_eq!(build(&folder, &[WHOLE, "library.cmxa"], &["same.ml", "main.ml"]), "5");
    assert!(names(&folder).contains("camlFlambeau__program"));
}

/// What the stock compiler made takes part if its typed tree is there, and is of the interface that is linked.
#[test]
fn units_of_the_stock_compiler_take_part_by_their_typed_trees() {
    let folder = Folder::new(UNITS);
    fs::write(folder.path("b.mli"), "val twice : ('a -> 'a) -> 'a -> 'a\n").expect("a file");
    let stock = |flags: &[&str]| {
        check_status(&folder.command("ocamlopt", &[], &[flags, &["b.mli", "b.ml"]].concat()), 0);
    };
    check_status(&folder.run(&[WHOLE, "-c", "a.ml"]), 0);
    stock(&["-c", "-bin-annot"]);
    check_status(&folder.run(&[WHOLE, "-c", "main.ml"]), 0);
    let link = || folder.run(&[WHOLE, "-verbose", "a.cmx", "b.cmx", "main.cmx", "-o", "program"]);
    let output = link();
    check_status(&output, 0);
    check_contains(&output.stderr, &["these units become one: A, B, Main\n"]);
    assert_eq!(run(&folder, &[]), PRINTED);
    assert!(!names(&folder).contains("camlB__entry"));

    fs::write(
        folder.path("b.mli"),
        "val twice : ('a -> 'a) -> 'a -> 'a\nval unused : (int, int) Hashtbl.t\n",
    )
    .expect("a file");
    stock(&["-c"]);
    check_status(&folder.run(&[WHOLE, "-c", "main.ml"]), 0);
    let output = link();
    check_status(&output, 0);
    check_contains(
        &output.stderr,
        &["unit B keeps its object", "is of another interface", "these units become one: Main\n"],
    );
    assert_eq!(run(&folder, &[]), PRINTED);
}

/// The standard library takes part if that is asked for, and with it the unit that is linked last, which flushes what
/// is printed.
#[test]
fn the_standard_library_can_take_part() {
    const STDLIB: &str = "-flambeau-whole-stdlib";
    let folder = Folder::new(UNITS);
    assert_eq!(build(&folder, &["-O3", WHOLE], &FILES), PRINTED);
    let size = || fs::metadata(folder.path("program")).expect("the program").len();
    let without = size();
    assert!(names(&folder).contains("camlStdlib__List__entry"));
    assert_eq!(build(&folder, &["-O3", "-flambeau-verify", WHOLE, STDLIB], &FILES), PRINTED);
    assert!(!names(&folder).contains("camlStdlib__List__entry"));
    assert!(size() * 3 < without * 2, "{} bytes, {without} with all of the library's units", size());

    // An object for a program in C has no last unit.
    let main = "#include <caml/callback.h>\nint main(int n, char **a) { caml_startup(a); caml_shutdown(); return 0; }\n";
    fs::write(folder.path("start.c"), main).expect("a file");
    let object = ["-O3", WHOLE, STDLIB, "-output-complete-obj", "-o", "whole.o"];
    check_status(&folder.run(&[&object[..], &FILES].concat()), 0);
    let library = text(&folder.command("ocamlopt", &[], &["-where"]).stdout);
    let link = ["-I", library.trim(), "start.c", "whole.o", "-o", "program", "-lm", "-ldl", "-lpthread"];
    check_status(&folder.command("gcc", &[], &link), 0);
    assert_eq!(run(&folder, &[]), PRINTED);
}
