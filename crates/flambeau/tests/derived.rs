//! Comparisons and hashes at random types, against the runtime's: programs like `tests/programs/compare_derived.ml`,
//! with its values and checks, at types that are drawn anew.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use flambeau_fuzzgen::Rng;

/// A type, and a function of `()` that draws its values.
#[derive(Clone)]
struct Type {
    name: String,
    values: String,
}

fn named(name: &str, values: &str) -> Type {
    Type { name: name.to_owned(), values: values.to_owned() }
}

/// Types without parts, the usual ones more often.
const LEAVES: &[(&str, &str)] = &[
    ("int", "int"),
    ("int", "int"),
    ("string", "string"),
    ("float", "float"),
    ("bool", "bool"),
    ("char", "char"),
    ("unit", "unit"),
    ("int32", "int32"),
    ("int64", "int64"),
    ("nativeint", "nativeint"),
    ("bytes", "bytes"),
    ("shape", "shape"),
    ("row", "row"),
    ("point", "point"),
    ("exn", "exn"),
    ("(int -> int)", "func"),
    ("Abstract.t", "Abstract.gen"),
];

struct Generator {
    rng: Rng,
    declared: Vec<Type>,
    program: String,
}

impl Generator {
    fn ty(&mut self, depth: usize) -> Type {
        if depth == 0 || self.rng.below(5) == 0 {
            if !self.declared.is_empty() && self.rng.below(3) == 0 {
                return self.rng.pick(&self.declared).clone();
            }
            let (name, values) = *self.rng.pick(LEAVES);
            return named(name, values);
        }
        let one = self.ty(depth - 1);
        let of_one = |name: &str, values: &str| {
            named(&format!("({}) {name}", one.name), &format!("({values} {})", one.values))
        };
        match self.rng.below(9) {
            0 => of_one("option", "option"),
            1 => of_one("list", "list"),
            2 => of_one("array", "array"),
            3 => of_one("ref", "reference"),
            4 => of_one("tree", "tree"),
            5 => {
                let two = self.ty(depth - 1);
                named(
                    &format!("({}, {}) result", one.name, two.name),
                    &format!("(result {} {})", one.values, two.values),
                )
            }
            6 => {
                let (two, three) = (self.ty(depth - 1), self.ty(depth - 1));
                named(
                    &format!("(({}) * ({}) * ({}))", one.name, two.name, three.name),
                    &format!("(triple {} {} {})", one.values, two.values, three.values),
                )
            }
            _ => {
                let two = self.ty(depth - 1);
                named(
                    &format!("(({}) * ({}))", one.name, two.name),
                    &format!("(pair {} {})", one.values, two.values),
                )
            }
        }
    }

    /// Fields, and what draws each at one level less.
    fn fields(&mut self, itself: &Type, recursive: bool) -> Vec<Type> {
        let count = 1 + self.rng.below(3);
        (0..count)
            .map(|_| match self.rng.below(4) {
                0 if recursive => itself.clone(),
                1 if recursive => {
                    named(&format!("{} list", itself.name), &format!("(list {})", itself.values))
                }
                _ => self.ty(1),
            })
            .collect()
    }

    /// A variant, which may contain itself; its first constructors do not.
    fn variant(&mut self) {
        let number = self.declared.len();
        let itself = named(&format!("v{number}"), &format!("(v{number}_to (depth - 1))"));
        let (plain, all) = (2, 2 + self.rng.below(5));
        let mut constructors = String::new();
        let mut arms = String::new();
        for at in 0..all {
            if self.rng.below(3) == 0 {
                write!(constructors, " | C{number}_{at}").expect("a string");
                writeln!(arms, "  | {at} -> C{number}_{at}").expect("a string");
                continue;
            }
            let fields = self.fields(&itself, at >= plain);
            let types: Vec<String> = fields.iter().map(|field| format!("({})", field.name)).collect();
            write!(constructors, " | C{number}_{at} of {}", types.join(" * ")).expect("a string");
            let values: Vec<String> = fields.iter().map(|field| format!("{} ()", field.values)).collect();
            writeln!(arms, "  | {at} -> C{number}_{at} ({})", values.join(", ")).expect("a string");
        }
        writeln!(
            self.program,
            "type v{number} ={constructors}\n\
             let rec v{number}_to depth () =\n  \
             match below (if depth <= 0 then {plain} else {all}) with\n{arms}  | _ -> assert false\n\
             let _ = v{number}_to\n"
        )
        .expect("a string");
        self.declared.push(named(&itself.name, &format!("(v{number}_to 2)")));
    }

    fn record(&mut self) {
        let number = self.declared.len();
        let itself = named(&format!("r{number}"), "");
        let fields = self.fields(&itself, false);
        let mut labels = String::new();
        let mut values = String::new();
        for (at, field) in fields.iter().enumerate() {
            let mutable = if self.rng.below(3) == 0 { "mutable " } else { "" };
            write!(labels, "{mutable}l{number}_{at} : {}; ", field.name).expect("a string");
            write!(values, "l{number}_{at} = {} (); ", field.values).expect("a string");
        }
        let unboxed = if fields.len() == 1 && !labels.starts_with("mutable") && self.rng.below(2) == 0 {
            " [@@unboxed]"
        } else {
            ""
        };
        writeln!(self.program, "type r{number} = {{ {labels}}}{unboxed}\nlet r{number} () = {{ {values}}}\n")
            .expect("a string");
        self.declared.push(named(&itself.name, &itself.name));
    }

    fn run(&mut self) {
        let Type { name, values } = self.ty(3);
        writeln!(
            self.program,
            "let () =\n  run {name:?} {values}\n    {{ order = (fun (x : {name}) y -> compare x y);\n      \
             equal = (fun (x : {name}) y -> x = y);\n      differ = (fun (x : {name}) y -> x <> y);\n      \
             less = (fun (x : {name}) y -> x < y);\n      less_equal = (fun (x : {name}) y -> x <= y);\n      \
             greater = (fun (x : {name}) y -> x > y);\n      greater_equal = (fun (x : {name}) y -> x >= y);\n      \
             negative = (fun (x : {name}) y -> compare x y < 0) }}\n\n\
             let () =\n  hashes {name:?} {values} (fun (x : {name}) -> hash_of x)\n    \
             (fun (x : {name}) -> hash_few x)\n"
        )
        .expect("a string");
    }
}

/// Hashes of values at the types of calls, and those that the runtime computes.
const HASHES: &str = "
let[@inline never] hash_of x = Hashtbl.hash x
let[@inline never] hash_few x = Hashtbl.hash_param 3 5 x

let hashes name values of_value few =
  for _ = 1 to 100 do
    let x = values () in
    incr checks;
    if of_value x <> (Sys.opaque_identity Hashtbl.hash) x || few x <> (Sys.opaque_identity Hashtbl.hash_param) 3 5 x
    then begin
      incr wrong;
      Printf.printf \"hashes at %s\\n\" name
    end
  done

";

/// A program that prints how many checks it made, and how many went wrong.
fn program(seed: u64) -> String {
    const FIXED: &str = include_str!("../../../tests/programs/compare_derived.ml");
    let (values, _) = FIXED.split_once("\nlet () =\n  run ").expect("checks behind the values");
    let mut generator = Generator { rng: Rng::new(seed), declared: Vec::new(), program: values.to_owned() };
    generator.program.push_str(HASHES);
    for _ in 0..10 {
        if generator.rng.below(3) == 0 { generator.record() } else { generator.variant() }
    }
    (0..25).for_each(|_| generator.run());
    generator.program.push_str("let () = Printf.printf \"%d %d\" !checks !wrong\n");
    generator.program
}

#[test]
fn comparisons_and_hashes_at_random_types_are_the_runtime_s() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // To search for more: so many programs.
    let programs = std::env::var("DERIVED_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    for seed in 0..programs {
        let source = folder.path().join("random_types.ml");
        std::fs::write(&source, program(seed)).expect("the source can be written");
        let level = if seed % 2 == 0 { "-O3" } else { "-O1" };
        let output = Command::new(env!("CARGO_BIN_EXE_flambeau"))
            .args([
                "-w",
                "-a",
                level,
                "-flambeau-verify",
                "-flambeau-strict",
                "random_types.ml",
                "-o",
                "random_types",
            ])
            .current_dir(folder.path())
            .output()
            .expect("flambeau runs");
        assert!(output.status.success(), "program {seed}: {}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(Path::new(folder.path()).join("random_types")).output().expect("it runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let (checks, wrong) =
            printed.trim().rsplit_once(' ').unwrap_or_else(|| panic!("program {seed}: {printed}"));
        assert!(wrong == "0", "program {seed} at {level}: {printed}");
        let checks: u32 = checks.parse().unwrap_or_else(|_| panic!("program {seed}: {printed}"));
        assert!(checks > 100_000, "program {seed}: {checks} checks");
    }
}
