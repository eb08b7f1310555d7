//! The command line: Flambeau's own flags and subcommands, and what happens when something goes wrong.

use std::fs;
use std::path::Path;
use std::process::Command;

mod folder;
use folder::{Folder, check_contains, check_status, text};

const HELLO: &[(&str, &str)] = &[("hello.ml", "let () = print_endline \"hello\"\n")];

#[test]
fn errors_of_the_program_are_those_of_ocamlopt() {
    let folder = Folder::new(&[("bad.ml", "let x : int = \"a\"\n")]);
    let output = folder.run(&["-c", "bad.ml"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["File \"bad.ml\", line 1, characters 14-17:", "Error: This expression"]);
}

#[test]
fn the_configuration_names_flambeau() {
    let folder = Folder::new(&[]);
    check_contains(&folder.run(&["-config"]).stdout, &["flambeau: true\n", "architecture: "]);
    let output = folder.run(&["-config-var", "flambeau_version"]);
    check_status(&output, 0);
    assert_eq!(text(&output.stdout), env!("CARGO_PKG_VERSION"));
    check_status(&folder.run(&["-config-var", "no_such_variable"]), 2);
}

#[test]
fn unknown_words_are_refused_as_ocamlopt_does() {
    let folder = Folder::new(&[]);
    let output = folder.run(&["no-such-thing"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["don't know what to do with no-such-thing", "Usage: ocamlopt"]);
    let output = folder.run_with(&[("FLAMBEAU_FLAGS", "-nonsense")], &["-version"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["FLAMBEAU_FLAGS", "-nonsense"]);
}

#[test]
fn attributes_that_the_stock_front_end_drops_arrive() {
    let source = "let rec f x = if x = 0 then 1 else f (x - 1)\n\
        let g y = (f [@unrolled 3]) y\n\
        let h k z = k z [@@specialise never]\n\
        let i () = (h [@specialised]) f 1\n";
    let folder = Folder::new(&[("attributes.ml", source)]);
    let output = folder.run(&["-c", "-w", "+a-70", "-dflambeau-raw", "attributes.ml"]);
    check_status(&output, 0);
    check_contains(&output.stderr, &["inlined unroll 3", "[specialise never]", "specialised always"]);
    assert!(!text(&output.stderr).contains("Warning 53"));
}

#[test]
fn a_program_of_one_file_can_be_run() {
    let folder = Folder::new(&[("exit.ml", "let () = print_string Sys.argv.(1); exit 7\n")]);
    let output = folder.run(&["run", "exit.ml", "-word"]);
    check_status(&output, 7);
    assert_eq!(text(&output.stdout), "-word");
    assert!(!folder.exists("exit.cmx"));
}

#[test]
fn a_toolchain_makes_ocamlfind_use_flambeau() {
    let folder = Folder::new(&[]);
    check_status(&folder.run(&["toolchain", "tools"]), 0);
    // A second time brings it up to date.
    check_status(&folder.run(&["toolchain", "tools"]), 0);
    let bin = folder.path("tools/bin");
    for tool in ["ocamlc", "ocamldep", "ocamlopt", "ocamlopt.opt"] {
        assert!(bin.join(tool).exists(), "no {tool}");
    }
    let answer = Command::new(bin.join("ocamlfind"))
        .args(["ocamlopt", "-config-var", "flambeau"])
        .output()
        .expect("ocamlfind runs");
    assert_eq!(text(&answer.stdout), "true");
    // Under the name of ocamlopt there are no commands of ours.
    let output = Command::new(bin.join("ocamlopt")).arg("toolchain").output().expect("ocamlopt runs");
    check_status(&output, 2);
}

#[test]
fn intermediate_code_is_read_back() {
    let folder = Folder::new(HELLO);
    let dump = folder.run(&["-c", "-dflambeau", "hello.ml"]);
    check_status(&dump, 0);
    fs::write(folder.path("hello.fl"), &dump.stderr).expect("a file can be written");
    let output = folder.run(&["opt", "hello.fl"]);
    check_status(&output, 0);
    assert_eq!(text(&output.stdout), text(&dump.stderr));
    let loops = "unit \"T\" prefix \"camlT\" module $camlT static exported $camlT = preallocated[0] size 1\n\
        static exported $f_closure = closures (f) code f (x) -> k [rec] { call code f (x) -> k }\n\
        entry -> k { k (0) }";
    fs::write(folder.path("loops.fl"), loops).expect("a file can be written");
    let output = folder.run(&["opt", "--pass", "contify", "--pass", "loopify", "--rewrites", "loops.fl"]);
    check_status(&output, 0);
    check_contains(&output.stdout, &["cont rec loop"]);
    check_contains(&output.stderr, &["1: loopify: tail calls of itself in camlT__f"]);
    let output = folder.run(&["opt", "--pass", "loopify", "--fuel", "0", "loops.fl"]);
    check_contains(&output.stdout, &["call code f"]);
    let output = folder.run(&["opt", "--pass", "nonsense", "hello.fl"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["nonsense"]);
    fs::write(folder.path("bad.fl"), "unit nonsense").expect("a file can be written");
    let output = folder.run(&["opt", "bad.fl"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["bad.fl"]);
}

/// A stock unit and one of ours, linked in both orders.
#[test]
fn objects_of_both_compilers_mix() {
    let library = "type t = { name : string; size : float }\nlet make ?(size = 1.5) name = { name; size }\n\
        let rec count = function [] -> 0 | _ :: l -> 1 + count l\nlet pair (a, b) = a ^ b\n";
    let client = "let () = Printf.printf \"%s %g %d %s\\n\" (Lib.make \"a\").name (Lib.make ~size:2. \"b\").size\n\
        (Lib.count [ 1; 2 ]) (Lib.pair (\"x\", \"y\"))\n";
    for ours_is_library in [true, false] {
        let folder = Folder::new(&[("lib.ml", library), ("client.ml", client)]);
        let stock = |arguments: &[&str]| {
            let output = Command::new("ocamlfind")
                .arg("ocamlopt")
                .args(arguments)
                .current_dir(folder.path(""))
                .output()
                .expect("ocamlfind runs");
            check_status(&output, 0);
        };
        let ours = |arguments: &[&str]| check_status(&folder.run(arguments), 0);
        if ours_is_library {
            ours(&["-c", "lib.ml"]);
            stock(&["lib.cmx", "client.ml", "-o", "client"]);
        } else {
            stock(&["-c", "lib.ml"]);
            ours(&["lib.cmx", "client.ml", "-o", "client"]);
        }
        let program = Command::new(Path::new(&folder.path("client"))).output().expect("the program runs");
        assert_eq!(text(&program.stdout), "a 2 2 xy\n");
    }
}
