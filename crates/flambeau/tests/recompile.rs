//! `flambeau recompile`: a library that the stock compiler made is compiled once more from its typed trees.

use std::fs;

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// What is found by its type alone is in a module that is not opened, a type that can be extended is extended
/// elsewhere, a pattern opens a module, and operators bind three.
const LIBRARY: &[(&str, &str)] = &[
    (
        "shapes.ml",
        "type t = { width : int; name : string }\ntype kind = Wide | Narrow\ntype problem = ..\ntype problem += Too_wide of int\nlet make width name = { width; name }\n",
    ),
    (
        "measure.mli",
        "val sum : Shapes.t list -> int\nval kind : Shapes.t -> Shapes.kind\nval product : int -> (int * int) -> int -> int\nval explain : Shapes.problem -> string\nval narrow : Shapes.problem\n",
    ),
    (
        "measure.ml",
        "let width : Shapes.t -> int = fun { width; _ } -> width\n\
         let sum shapes = List.fold_left (fun sum (shape : Shapes.t) -> sum + shape.width) 0 shapes\n\
         let kind shape : Shapes.kind = if width shape > 3 then Wide else Narrow\n\
         let ( let* ) x f = f x\n\
         let ( and* ) x y = (x, y)\n\
         let product a b c =\n\
         \x20 let* x = a and* y, z = b and* w = c in\n\
         \x20 x * y * z * w\n\
         type Shapes.problem += Too_narrow\n\
         let narrow = Too_narrow\n\
         let explain = function Shapes.(Too_wide n) -> string_of_int n | Too_narrow -> \"narrow\" | _ -> \"\"\n",
    ),
    ("start.ml", "let () = print_string \"started \"\n"),
];

const PROGRAM: &str = "let shapes = [ Shapes.make 2 \"a\"; Shapes.make 5 \"b\" ]\n\
    let kinds = List.map Measure.kind shapes = [ Shapes.Narrow; Shapes.Wide ]\n\
    let () = Printf.printf \"%d %b %d\\n\" (Measure.sum shapes) kinds (Measure.product 2 (3, 4) 5)\n\
    let () = print_string (Measure.explain (Shapes.Too_wide 7) ^ Measure.explain Measure.narrow)\n";

/// Makes the library by the stock compiler, in `lib`.
fn stock_library(folder: &Folder) {
    fs::create_dir(folder.path("lib")).expect("made");
    for (name, source) in LIBRARY {
        fs::write(folder.path("lib").join(name), source).expect("written");
        let file = format!("lib/{name}");
        check_status(
            &folder.command("ocamlopt", &[], &["-bin-annot", "-w", "-a", "-I", "lib", "-c", &file]),
            0,
        );
    }
    let units = ["lib/shapes.cmx", "lib/measure.cmx", "lib/start.cmx"];
    let archive = ["-a", "-linkall", "-cclib", "-lm", "-o", "lib/shapes.cmxa"];
    check_status(&folder.command("ocamlopt", &[], &[&archive[..], &units].concat()), 0);
    for (name, _) in LIBRARY {
        fs::remove_file(folder.path("lib").join(name)).expect("removed");
    }
}

#[test]
fn a_library_of_the_stock_compiler_is_compiled_once_more() {
    let folder = Folder::new(&[("program.ml", PROGRAM)]);
    stock_library(&folder);
    let output = folder.run(&["recompile", "--to", "new", "lib/shapes.cmxa", "--", "-O3"]);
    check_status(&output, 0);
    check_contains(&output.stdout, &["3 units are compiled to"]);
    let output = folder.run(&["info", "new/measure.cmx", "new/shapes.cmxa"]);
    check_contains(
        &output.stdout,
        &["compiler: flambeau", "level=3", "C libraries: -lm", "linked always: true"],
    );
    for library in ["lib", "new"] {
        let program = format!("./{library}.exe");
        let link = ["-I", library, "shapes.cmxa", "program.ml", "-o", &program];
        check_status(&folder.run(&link), 0);
        let output = folder.command(folder.path(&program).to_str().expect("text"), &[], &[]);
        assert_eq!(text(&output.stdout), "started 7 true 120\n7narrow", "{library}");
    }
}

#[test]
fn what_cannot_be_compiled_once_more_is_named() {
    let folder = Folder::new(&[]);
    stock_library(&folder);
    let refused = |expected: &[&str]| {
        let output = folder.run(&["recompile", "--to", "new", "lib/shapes.cmxa"]);
        check_status(&output, 2);
        check_contains(&output.stderr, expected);
    };
    fs::write(folder.path("lib/start.cmt"), "nonsense").expect("written");
    refused(&["compiling Start", "start.cmt", "damaged, or of another version of OCaml"]);
    fs::copy(folder.path("lib/measure.cmti"), folder.path("lib/start.cmt")).expect("copied");
    refused(&["compiling Start", "is of an interface"]);
    fs::remove_file(folder.path("lib/start.cmt")).expect("removed");
    refused(&["Start of lib/shapes.cmxa has no typed tree", "-bin-annot"]);
    fs::write(folder.path("lib/shapes.cmxa"), "nonsense").expect("written");
    refused(&["shapes.cmxa"]);
}
