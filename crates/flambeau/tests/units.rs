//! Inlining across units, as a build sees it: what is inlined, and what the object files then need.

use std::fs;

mod folder;
use folder::Folder;

/// `a` has functions, of which `b` and `c` call some; `c` sees `a` through `b` alone.
const UNITS: &[(&str, &str)] = &[
    (
        "a.ml",
        "let message = Sys.opaque_identity \"hi\"\n\
         let add x y = x + y\n\
         let greet () = print_string (if add 1 2 = 3 then \"three \" else \"no\"); print_endline message\n\
         let[@inline never] never x = x + 1\n\
         let rec fact n = if n = 0 then 1 else n * fact (n - 1)\n\
         let adder n = fun x -> x + n\n\
         let table = [| \"x\" |]\n\
         let const () = \"constant\"\n",
    ),
    (
        "b.ml",
        "let f x = A.add (A.never x) (A.fact x)\nlet g () = A.greet ()\nlet h n = A.adder n 1\nlet c () = A.const ()\n",
    ),
    ("c.ml", "let () = B.g (); Printf.printf \"%d %d %s\\n\" (B.f 3) (B.h 4) (B.c ())\n"),
];
const PRINTED: &str = "three hi\n10 5 constant\n";

#[test]
fn functions_of_other_units_are_inlined() {
    let folder = Folder::new(UNITS);
    folder.compile(&["a.ml"]);
    let b = folder.compile(&["b.ml"]);
    for gone in ["camlA__add_", "camlA__greet_", "camlA__adder_", "camlA__const_1\" ("] {
        assert!(!b.contains(&format!("call external \"{gone}")), "{gone} is called in:\n{b}");
    }
    for there in ["camlA__never_", "camlA__fact_"] {
        assert!(b.contains(&format!("call external \"{there}")), "{there} is not called in:\n{b}");
    }
    // What was inlined from `a` is inlined from `b` into `c`.
    let c = folder.compile(&["c.ml"]);
    assert!(!c.contains("external \"camlB__"), "{c}");
    assert!(c.contains("external \"camlA__never_"), "{c}");
    assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx", "c.cmx"]), PRINTED);
}

/// `a` returns closures, alone, in a tuple, and in a record: `b` knows what they run, and what they have captured.
const CLOSURES: &[(&str, &str)] = &[
    (
        "a.ml",
        "type ops = { get : int -> int; set : int -> int -> unit }\n\
         let[@inline never] adder n = let m = n * n in fun x -> x + m - n\n\
         let[@inline never] counter () = let n = ref 0 in (fun () -> incr n; !n), (fun () -> n := 0)\n\
         let[@inline never] ops n = let a = Array.make n 7 in { get = (fun i -> a.(i)); set = (fun i x -> a.(i) <- x) }\n",
    ),
    (
        "b.ml",
        "let sum k = let f = A.adder k in f 1 + f 2\n\
         let count k = let tick, reset = A.counter () in for i = 1 to k do ignore (tick ()); if i = 5 then reset () done; tick ()\n\
         let swap i j = let o = A.ops 10 in o.set i j; o.get i + o.get j\n\
         let () = Printf.printf \"%d %d %d\\n\" (sum 3) (count 9) (swap 2 5)\n",
    ),
];

#[test]
fn functions_that_need_their_closures_are_inlined() {
    for flags in [&[][..], &["-O3"]] {
        let folder = Folder::new(CLOSURES);
        folder.compile(&[flags, &["a.ml"]].concat());
        let b = folder.compile(&[flags, &["b.ml"]].concat());
        let calls = b.lines().filter(|line| line.contains("call external \"camlA"));
        for call in calls {
            let is_of_maker = ["adder", "counter", "ops"].iter().any(|maker| call.contains(maker));
            assert!(is_of_maker, "{flags:?}: {call}\n{b}");
        }
        assert!(!b.contains(" via "), "{b}");
        assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx"]), "15 5 12\n");
    }
}

/// `attempt` returns one of two blocks, and calls what it is given: that it is inlined for.
const GIVEN_FUNCTIONS: &[(&str, &str)] = &[
    (
        "a.ml",
        "type stats = { mutable failures : float; mutable last : string; mutable count : int }\n\
         exception Refused of string * int\n\
         let attempt stats f = try Ok (f ()) with Refused (why, n) ->\n\
           stats.failures <- stats.failures +. float n; stats.last <- why; stats.count <- stats.count + n; Error why\n",
    ),
    (
        "b.ml",
        "let stats = { A.failures = 0.; last = \"\"; count = 0 }\n\
         let div x y = A.attempt stats (fun () -> if y = 0 then raise (A.Refused (\"zero\", x)) else x / y)\n\
         let show = function Ok n -> string_of_int n | Error why -> why\n\
         let () = print_string (show (div 7 2)); print_string (show (div 5 0)); Printf.printf \" %g %d\\n\" stats.failures stats.count\n",
    ),
];

#[test]
fn what_is_given_a_function_returns_the_whole_at_the_highest_level() {
    let folder = Folder::new(GIVEN_FUNCTIONS);
    folder.compile(&["-O3", "a.ml"]);
    let b = folder.compile(&["-O3", "b.ml"]);
    assert!(!b.contains("call external \"camlA__attempt"), "{b}");
    assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx"]), "3zero 5 5\n");
}

/// `a` gives numbers, some of which are known only when it has been optimised.
const NUMBERS: &[(&str, &str)] = &[
    (
        "a.ml",
        "let twice = 4. *. 2.5\nlet small = 7l\nlet large = Int64.shift_left 1L 40\nlet native = 5n\nlet sum = List.length [ 1; 2 ]\n",
    ),
    (
        "b.ml",
        "let f x = x *. A.twice\nlet g x = Int32.add x A.small\nlet h x = Int64.add x A.large\nlet n x = Nativeint.mul x A.native\n\
         let () = Printf.printf \"%g %ld %Ld %nd %d %g\\n\" (f 2.) (g 1l) (h 1L) (n 3n) A.sum (Float.pi *. 2.)\n",
    ),
];

#[test]
fn numbers_of_other_units_are_known() {
    for stock in [false, true] {
        let folder = Folder::new(NUMBERS);
        if stock {
            let output = folder.command("ocamlfind", &[], &["ocamlopt", "-c", "a.ml"]);
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        } else {
            folder.compile(&["a.ml"]);
        }
        let b = folder.compile(&["b.ml"]);
        // The stock compiler exports what it evaluates; of the others Flambeau knows more. What is added to an int32 is
        // a word by then (`extensions`).
        let known: &[&str] =
            if stock { &["#7L", "#5n"] } else { &["#10.0", "#7L", "#1099511627776L", "#5n"] };
        for number in known {
            assert!(b.contains(number), "{number} is not known in:\n{b}");
        }
        assert!(b.contains("#6.283185307179586"), "Float.pi is not known in:\n{b}");
        assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx"]), "20 8 1099511627777 15 2 6.28319\n");
    }
}

#[test]
fn a_library_is_linked_for_what_was_inlined() {
    let folder = Folder::new(UNITS);
    folder.compile(&["a.ml", "b.ml"]);
    assert_eq!(folder.flambeau(&["-a", "a.cmx", "b.cmx", "-o", "lib.cmxa"]).status.code(), Some(0));
    let c = folder.compile(&["c.ml"]);
    assert!(!c.contains("external \"camlB__"), "{c}");
    assert_eq!(folder.link_and_run(&["lib.cmxa", "c.cmx"]), PRINTED);
    // The stock compiler links it too.
    let output = folder.command("ocamlfind", &[], &["ocamlopt", "lib.cmxa", "c.cmx", "-o", "stock"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let output = folder.command(folder.path("stock").to_str().expect("a name"), &[], &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), PRINTED);
}

#[test]
fn opaque_units_export_nothing() {
    let folder = Folder::new(UNITS);
    folder.compile(&["-opaque", "a.ml"]);
    let b = folder.compile(&["b.ml"]);
    assert!(b.contains("call ") && !b.contains("external \"camlA"), "{b}");
    folder.compile(&["c.ml"]);
    assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx", "c.cmx"]), PRINTED);
}

#[test]
fn without_cmx_nothing_is_known() {
    let folder = Folder::new(UNITS);
    folder.compile(&["a.ml"]);
    fs::rename(folder.path("a.cmx"), folder.path("hidden")).expect("a file");
    let b = folder.compile(&["b.ml"]);
    assert!(!b.contains("external \"camlA"), "{b}");
    fs::rename(folder.path("hidden"), folder.path("a.cmx")).expect("a file");
    folder.compile(&["c.ml"]);
    assert_eq!(folder.link_and_run(&["a.cmx", "b.cmx", "c.cmx"]), PRINTED);
}

/// Units that were compiled with another version of one of them than is there.
#[track_caller]
fn linker_refuses(folder: &Folder, units: [&str; 3]) {
    let output = folder.flambeau(&[&units[..], &["-o", "program"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("inconsistent assumptions"));
}

/// `top` sees `low` only through what it inlines of `high`.
const LEVELS: &[(&str, &str)] = &[
    ("low.ml", "let rec repeat f n x = if n = 0 then x else f (repeat f (n - 1) x)\n"),
    ("high.ml", "let thrice f x = Low.repeat f 3 x\n"),
    ("top.ml", "let () = print_int (High.thrice (fun x -> x + 2) 1)\n"),
];

#[test]
fn units_are_found_that_the_source_does_not_mention() {
    let folder = Folder::new(LEVELS);
    folder.compile(&["-O3", "low.ml", "high.ml"]);
    let top = folder.compile(&["-O3", "top.ml"]);
    assert!(!top.contains("external \"camlLow") && !top.contains("external \"camlHigh"), "{top}");
    assert_eq!(folder.link_and_run(&["low.cmx", "high.cmx", "top.cmx"]), "7");
    // The dependency is recorded for the linker.
    folder.compile(&["low.ml", "-inline", "0"]);
    linker_refuses(&folder, ["low.cmx", "high.cmx", "top.cmx"]);
}

#[test]
fn units_are_left_alone_that_are_not_those_an_imported_one_was_compiled_with() {
    let folder = Folder::new(LEVELS);
    folder.compile(&["-O3", "low.ml", "high.ml"]);
    for damage in [&b"Caml1999Y030"[..], b"", b"\x84\x95\xa6\xbe"] {
        fs::write(folder.path("low.cmx"), damage).expect("a file");
        let top = folder.compile(&["-O3", "top.ml"]);
        assert!(top.contains("external \"camlLow__repeat_"), "{top}");
    }
    fs::remove_file(folder.path("low.cmx")).expect("a file");
    let top = folder.compile(&["-O3", "top.ml"]);
    assert!(top.contains("external \"camlLow__repeat_"), "{top}");
}

#[test]
fn another_version_of_an_inlined_unit_is_refused() {
    let folder = Folder::new(UNITS);
    folder.compile(&["a.ml", "b.ml", "c.ml"]);
    // The interface stays, the code of a function changes.
    fs::write(folder.path("a.ml"), UNITS[0].1.replace("x + y", "x + y + 1")).expect("a file");
    folder.compile(&["a.ml"]);
    linker_refuses(&folder, ["a.cmx", "b.cmx", "c.cmx"]);
}

#[test]
fn nothing_is_inlined_if_that_is_asked() {
    let folder = Folder::new(UNITS);
    folder.compile(&["a.ml"]);
    let b = folder.compile(&["-flambeau-no-inline", "b.ml"]);
    assert!(b.contains("external \"camlA__add_"), "{b}");
}

#[test]
fn members_of_a_pack_are_inlined_in_each_other() {
    let folder = Folder::new(UNITS);
    folder.compile(&["-for-pack", "P", "a.ml"]);
    let b = folder.compile(&["-for-pack", "P", "b.ml"]);
    assert!(!b.contains("external \"camlP__A__add_"), "{b}");
    let output = folder.flambeau(&["-pack", "a.cmx", "b.cmx", "-o", "p.cmx"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    fs::write(folder.path("d.ml"), UNITS[2].1.replace("B.", "P.B.")).expect("a file");
    folder.compile(&["d.ml"]);
    assert_eq!(folder.link_and_run(&["p.cmx", "d.cmx"]), PRINTED);
}

#[test]
fn a_plugin_has_what_it_inlines() {
    let folder = Folder::new(UNITS);
    folder.compile(&["a.ml", "b.ml", "c.ml"]);
    let output = folder.flambeau(&["-shared", "b.cmx", "c.cmx", "-o", "plugin.cmxs"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    fs::write(
        folder.path("main.ml"),
        "let () = A.greet (); try Dynlink.loadfile \"./plugin.cmxs\" with Dynlink.Error e -> prerr_endline (Dynlink.error_message e); exit 1",
    )
    .expect("a file");
    folder.compile(&["-I", "+dynlink", "main.ml"]);
    let printed = folder.link_and_run(&["-I", "+dynlink", "-linkall", "dynlink.cmxa", "a.cmx", "main.cmx"]);
    assert_eq!(printed, format!("three hi\n{PRINTED}"));
}

#[test]
fn frames_of_inlined_functions_have_the_location_of_their_source() {
    let folder = Folder::new(&[
        ("a.ml", "let fail x =\n  if x > 0 then raise Exit else x\n"),
        (
            "b.ml",
            "let () =\n  Printexc.record_backtrace true;\n  try print_int (1 + A.fail (Sys.opaque_identity 1))\n  with Exit -> print_string (Printexc.get_backtrace ())\n",
        ),
    ]);
    folder.compile(&["-g", "a.ml", "b.ml"]);
    assert_eq!(
        folder.link_and_run(&["-g", "a.cmx", "b.cmx"]),
        "Raised at A.fail in file \"a.ml\" (inlined), line 2, characters 16-26\n\
         Called from B in file \"b.ml\", line 3, characters 21-51\n",
    );
}

#[test]
fn a_recursive_function_of_another_unit_is_unrolled_and_stays_there() {
    let folder = Folder::new(&[
        (
            "a.ml",
            "let rec map f = function [] -> [] | x :: l -> let y = f x in y :: map f l
             let rec lazily f s () = match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, s) -> Seq.Cons (f x, lazily f s)",
        ),
        (
            "b.ml",
            "let add k l = (A.map [@unrolled 2]) (fun x -> x + k) l
             let later k s = (A.lazily [@unrolled 2]) (fun x -> x * k) s ()
             let () = List.iter print_int (add 1 [1; 2; 3; 4]);
               Seq.iter print_int (fun () -> later 2 (List.to_seq [1; 2; 3]))",
        ),
    ]);
    for flags in [&[][..], &["-O3"], &["-O3", "-flambeau-policy", "benefit", "-inline", "100"]] {
        assert_eq!(
            folder.link_and_run(&[&["-flambeau-verify"], flags, &["a.ml", "b.ml"]].concat()),
            "2345246"
        );
    }
}
