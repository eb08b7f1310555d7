//! Units of as many lines as one likes, of five shapes that compilers find hard for different reasons.

use std::fmt::Write as _;

/// A shape of units.
pub struct Shape {
    /// Its name in the tables.
    pub name: &'static str,
    /// The unit of about so many lines.
    pub source: fn(usize) -> String,
}

/// The shapes. What takes more than linear time is found by one of them: passes over all functions, over one
/// function's code, over a value, over the depth of a term, over copies of code.
pub const SHAPES: &[Shape] = &[
    Shape { name: "many functions", source: ordinary },
    Shape { name: "one huge function", source: huge_function },
    Shape { name: "one huge constant", source: huge_constant },
    Shape { name: "deep nesting", source: deep_nesting },
    Shape { name: "many functor applications", source: functor_applications },
];

/// Ordinary code, with names of its own in each group, because OCaml's type checker takes quadratic time to distinguish
/// constructors of the same name: groups of 20 lines with functions, matches, loops, strings, floats and exceptions,
/// and a main program that calls a part of each. What it prints is settled by the bytecode compiler.
#[must_use]
pub fn ordinary(lines: usize) -> String {
    const GROUPS_IN_A_PART: usize = 50;
    let groups = lines / 20;
    let mut source = String::with_capacity(lines * 40);
    for i in 0..groups {
        let _ = write!(
            source,
            "type shape{i} = Dot{i} | Line{i} of int | Box{i} of {{ width{i} : int; height{i} : int }}
let area{i} = function
  | Dot{i} -> 0
  | Line{i} n -> n
  | Box{i} {{ width{i}; height{i} }} -> width{i} * height{i}
let rec sum{i} list acc =
  match list with
  | [] -> acc
  | shape :: rest -> sum{i} rest (acc + area{i} shape)
let name{i} n = if n > {i} then \"big\" ^ string_of_int n else \"small\"
let mean{i} a =
  let total = ref 0. in
  for k = 0 to Array.length a - 1 do
    total := !total +. a.(k)
  done;
  !total /. float_of_int (Array.length a)
let find{i} key table = try Hashtbl.find table key with Not_found -> {i}
let run{i} table =
  Hashtbl.replace table (name{i} {i}) (sum{i} [ Dot{i}; Line{i} {i}; Box{i} {{ width{i} = 2; height{i} = {i} }} ] 0);
  find{i} \"big7\" table + int_of_float (mean{i} [| 1.; float_of_int {i} |])
"
        );
    }
    // In parts, as ordinary code is: one function of thousands of lines is another check's subject.
    let parts = groups.div_ceil(GROUPS_IN_A_PART);
    for part in 0..parts {
        let _ = writeln!(source, "let part{part} table =");
        for i in part * GROUPS_IN_A_PART..groups.min((part + 1) * GROUPS_IN_A_PART) {
            let _ = writeln!(source, "  run{i} table +");
        }
        source.push_str("  0\n");
    }
    source.push_str("let () =\n  let table = Hashtbl.create 10 in\n  Printf.printf \"%d\\n\" (");
    for part in 0..parts {
        let _ = writeln!(source, "part{part} table +");
    }
    source.push_str("0)\n");
    source
}

/// A function without end: bindings that use earlier ones, branches, calls, loops.
fn huge_function(lines: usize) -> String {
    let mut source = String::from("let id = Sys.opaque_identity (fun (x : int) -> x)\nlet f x0 y =\n");
    for i in 0..lines.saturating_sub(4) {
        let next = i + 1;
        let _ = match i % 5 {
            0 => writeln!(source, "let x{next} = x{i} + {} in", i % 97),
            1 => writeln!(source, "let x{next} = if x{i} > {i} then x{i} * 3 else y + x{i} in"),
            2 => writeln!(source, "let x{next} = id x{i} lxor {i} in"),
            3 => {
                writeln!(source, "let x{next} = match x{i} land 3 with 0 -> {i} | 1 -> x{i} - 1 | _ -> y in")
            }
            _ => writeln!(source, "let x{next} = let p = (x{i}, y) in fst p + snd p in"),
        };
    }
    let last = lines.saturating_sub(4);
    let _ = writeln!(source, "x{last}\nlet () = print_int (f 1 2)");
    source
}

/// A list of records with strings, floats and lists in them.
fn huge_constant(lines: usize) -> String {
    let mut source = String::from(
        "type t = { name : string; weight : float; parts : (int * string) list }\nlet all = [\n",
    );
    for i in 0..lines.saturating_sub(4) {
        let _ = writeln!(
            source,
            "  {{ name = \"item {i}\"; weight = {i}.5; parts = [ ({i}, \"a\"); (2, \"b\") ] }};"
        );
    }
    source.push_str("]\nlet () = print_int (List.length all)\n");
    source
}

/// Branches, matches and bindings, each within the one before.
fn deep_nesting(lines: usize) -> String {
    let mut source = String::from("let id = Sys.opaque_identity (fun (x : int) -> x)\nlet f x =\n");
    // Every third line needs one more at the end.
    let depth = lines.saturating_sub(4) * 3 / 4;
    for i in 0..depth {
        let _ = match i % 3 {
            0 => writeln!(source, "if id x > {i} then begin"),
            1 => writeln!(source, "match id (x + {i}) with 0 -> {i} | x ->"),
            _ => writeln!(source, "let x = id (x - {}) in", i % 7),
        };
    }
    source.push_str("x\n");
    for i in 0..depth.div_ceil(3) {
        let _ = writeln!(source, "end else {i}");
    }
    source.push_str("let () = print_int (f 1)\n");
    source
}

/// A functor's applications to arguments of their own, each used.
fn functor_applications(lines: usize) -> String {
    let mut source = String::from(
        "module type Ordered = sig type t val compare : t -> t -> int val first : t end
module Make (O : Ordered) = struct
  type elt = O.t
  let rec insert x = function
    | [] -> [ x ]
    | y :: rest as all -> if O.compare x y <= 0 then x :: all else y :: insert x rest
  let sort list = List.fold_left (fun sorted x -> insert x sorted) [] list
  let least list = match sort list with [] -> O.first | x :: _ -> x
end
",
    );
    for i in 0..lines.saturating_sub(11) / 4 {
        let _ = write!(
            source,
            "module O{i} = struct type t = int let first = {i}
  let compare (a : int) b = compare (a lxor {i}) b end
module S{i} = Make (O{i})
let r{i} = S{i}.least [ {i}; 2; 1 ]
"
        );
    }
    source.push_str("let () = print_int r0\n");
    source
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn units_have_about_as_many_lines_as_asked_for() {
        for shape in SHAPES {
            for lines in [1000, 10_000] {
                let found = (shape.source)(lines).lines().count();
                assert!((lines * 9 / 10..=lines * 11 / 10).contains(&found), "{}: {found}", shape.name);
            }
        }
    }

    /// Where OCaml is installed: all of them are programs.
    #[test]
    fn units_are_well_typed() -> anyhow::Result<()> {
        let Some(ocamlc) = xtask_support::env::find("ocamlc") else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        for shape in SHAPES {
            fs::write(folder.path().join("unit.ml"), (shape.source)(200))?;
            let mut command = Command::new(&ocamlc);
            let output = command.args(["-w", "-a", "-c", "unit.ml"]).current_dir(folder.path()).output()?;
            assert!(output.status.success(), "{}: {}", shape.name, String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }
}
