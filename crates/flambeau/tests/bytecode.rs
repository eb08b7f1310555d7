//! `-flambeau-bytecode`: flambeau as `ocamlc`. That all test programs do what those of `ocamlc` do, `xtask`'s program
//! tests see; here it is about files, flags and failures.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A library with a functor, and a program that uses it.
const LIBRARY: &str = "let quotient a b = a / b
let rec sum = function [] -> 0 | x :: rest -> x + sum rest
module Make (X : sig type t val show : t -> string end) = struct
  let all list = String.concat \",\" (List.map X.show list)
end\n";
const PROGRAM: &str = "module M = Library.Make (struct type t = int let show = string_of_int end)
let () = Printf.printf \"%s %d\\n\" (M.all [1; 2]) (Library.sum [3; 4])
let () = match Library.quotient 1 (Sys.opaque_identity 0) with
  | _ -> () | exception Division_by_zero -> print_endline \"division\"\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("library.ml"), LIBRARY).expect("the library can be written");
    fs::write(folder.path().join("program.ml"), PROGRAM).expect("the program can be written");
    folder
}

fn run(command: &mut Command, folder: &Path) -> Output {
    command.current_dir(folder).env_remove("FLAMBEAU_FLAGS").output().expect("it can be run")
}

fn compile(folder: &Path, arguments: &[&str]) -> Output {
    run(Command::new(env!("CARGO_BIN_EXE_flambeau")).arg("-flambeau-bytecode").args(arguments), folder)
}

fn succeeds(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn units_libraries_and_programs_are_those_of_ocamlc() {
    let folder = folder();
    let at = folder.path();
    succeeds(compile(at, &["-flambeau-strict", "-g", "-c", "library.ml"]));
    succeeds(compile(at, &["-flambeau-strict", "-a", "-o", "library.cma", "library.cmo"]));
    succeeds(compile(at, &["-flambeau-strict", "-g", "-O3", "-c", "program.ml"]));
    succeeds(compile(at, &["-g", "-o", "ours", "library.cma", "program.cmo"]));
    // Their objects can be mixed.
    succeeds(run(Command::new("ocamlc").args(["-o", "theirs", "library.cma", "program.cmo"]), at));
    for program in ["./ours", "./theirs"] {
        assert_eq!(succeeds(run(&mut Command::new(at.join(program)), at)), "1,2 7\ndivision\n");
    }
}

#[test]
fn it_is_ocamlc_under_its_name() {
    let folder = folder();
    let at = folder.path();
    let ocamlc = at.join("ocamlc");
    symlink(env!("CARGO_BIN_EXE_flambeau"), &ocamlc).expect("a link can be made");
    succeeds(run(Command::new(&ocamlc).args(["-o", "program", "library.ml", "program.ml"]), at));
    assert_eq!(succeeds(run(&mut Command::new(at.join("program")), at)), "1,2 7\ndivision\n");
    let interface = succeeds(run(Command::new(&ocamlc).args(["-i", "library.ml"]), at));
    assert!(interface.starts_with("val quotient : int -> int -> int"), "{interface}");
}

#[test]
fn functors_are_applied_and_functions_inlined() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "module F (X : sig val n : int end) = struct let add x = x + X.n end
module M = F (struct let n = 40 end)
let answer x = M.add (x + 1)\n";
    fs::write(folder.path().join("m.ml"), source).expect("the source can be written");
    let output = compile(folder.path(), &["-flambeau-strict", "-dlambda", "-c", "m.ml"]);
    let lambda = String::from_utf8(output.stderr).expect("text");
    assert!(lambda.contains("(+ x/"), "{lambda}");
    assert!(lambda.contains(" 41)") && !lambda.contains("apply"), "{lambda}");
}

#[test]
fn backtraces_show_what_was_inlined() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "let get a i = a.(i) + 1\nlet () = print_int (get [| 1 |] (Sys.opaque_identity 5))\n";
    fs::write(folder.path().join("m.ml"), source).expect("the source can be written");
    succeeds(compile(folder.path(), &["-flambeau-strict", "-g", "-o", "m", "m.ml"]));
    let output = run(Command::new(folder.path().join("m")).env("OCAMLRUNPARAM", "b"), folder.path());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("index out of bounds") && errors.contains("line 1"), "{errors}");
}

#[test]
fn what_fails_is_compiled_by_the_stock_middle_end() {
    let folder = folder();
    let at = folder.path();
    for stage in ["simplify", "to lambda", "making the bytecode"] {
        let fail = |flags: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_flambeau"));
            command.arg("-flambeau-bytecode").args(flags).args(["-o", "program", "library.ml", "program.ml"]);
            run(command.env("FLAMBEAU_FAIL_IN", stage), at)
        };
        let output = fail(&["-flambeau-fallback"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stage}: {errors}");
        assert_eq!(errors.matches("is compiled by the stock middle end").count(), 2, "{stage}: {errors}");
        assert_eq!(succeeds(run(&mut Command::new(at.join("program")), at)), "1,2 7\ndivision\n");
        assert_eq!(fail(&["-flambeau-strict"]).status.code(), Some(2), "{stage}");
    }
}
