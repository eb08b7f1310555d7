//! The units of a project: small modules of eight kinds, each of which uses some earlier ones.

use std::fmt::Write as _;

/// A kind of unit, from the files of `templates/`. In them `NUMBER` stands for the number of the unit.
struct Kind {
    implementation: &'static str,
    interface: &'static str,
    /// An expression of type `int` that uses a unit of the kind, `UNIT`, and the variable `n`.
    usage: &'static str,
}

macro_rules! kind {
    ($name:literal, $usage:literal) => {
        Kind {
            implementation: include_str!(concat!("templates/", $name, ".ml")),
            interface: include_str!(concat!("templates/", $name, ".mli")),
            usage: $usage,
        }
    };
}

const KINDS: [Kind; 8] = [
    kind!("records", "UNIT.(total [ make \"a\" n; scale 3 (make ~kind:(Weighted 1.5) \"b\" n) ])"),
    kind!("trees", "UNIT.(eval [ (\"x\", n) ] (simplify (If (Var \"x\", Add (Var \"x\", Num 3), Num 1))))"),
    kind!(
        "functor",
        "(let module Ints = UNIT.Make (Int) in Ints.length (Ints.add n (Ints.of_list [ 1; 2; 3 ])))"
    ),
    kind!("maps", "snd UNIT.(most (merge (count [ \"a\"; \"b\"; \"a\" ]) (count [ string_of_int n ])))"),
    kind!("queues", "UNIT.(let q = create () in push q n; push q 2; push q 3; drain ( + ) (pop q) q)"),
    kind!("vectors", "int_of_float UNIT.(dot (make (n land 15)) (make 5) +. mean (make 3))"),
    kind!("texts", "UNIT.(hash (join \"-\" (words (describe \"a unit\" n))))"),
    kind!("parsers", "(match UNIT.(parse sum) \"(1+2)*3+4\" with Some result -> result + n | None -> 0)"),
];

fn kind(unit: usize) -> &'static Kind {
    &KINDS[unit % KINDS.len()]
}

/// The earlier units that a unit uses.
fn uses(unit: usize) -> Vec<usize> {
    let mut all = vec![unit.wrapping_sub(1), unit / 2, unit / 3, unit * 7 / 11];
    all.retain(|other| *other < unit);
    all.truncate(1 + unit % 4);
    all.sort_unstable();
    all.dedup();
    all
}

/// What follows the kind's own text in each unit: `step`, which leads through units of half the number, and `run`.
/// One of three applies a functor at its toplevel, if there is one before it.
fn ending(unit: usize) -> String {
    let mut text = String::new();
    let maker = (0..unit).rev().find(|other| other % KINDS.len() == 2);
    let mut sum = format!("({})", kind(unit).usage.replace("UNIT.", ""));
    if let (0, Some(maker)) = (unit % 3, maker) {
        let _ = write!(
            text,
            "\nmodule Pairs = U{maker}.Make (struct
  type t = int * string

  let compare (a, b) (c, d) = match Int.compare a c with 0 -> String.compare b d | order -> order
end)
"
        );
        sum.push_str(" + Pairs.(length (add (n, \"a\") (of_list [ (1, \"b\"); (2, \"c\") ])))");
    }
    let before = if unit == 0 { "n".to_owned() } else { format!("U{}.step (n / 2)", unit / 2) };
    let _ = writeln!(
        text,
        "\nlet step n = if n <= 0 then {unit} else ({sum} + {before}) land 0xfffff\n\nlet run n ="
    );
    for other in uses(unit) {
        let _ =
            writeln!(text, "  let a{other} = {} in", kind(other).usage.replace("UNIT", &format!("U{other}")));
    }
    text.push_str("  step n");
    for other in uses(unit) {
        let _ = write!(text, " + a{other}");
    }
    text.push('\n');
    text
}

/// The text of a unit.
pub fn implementation(unit: usize) -> String {
    kind(unit).implementation.replace("NUMBER", &unit.to_string()) + &ending(unit)
}

/// Its interface, of two units in three.
pub fn interface(unit: usize) -> Option<String> {
    (unit % 3 != 1)
        .then(|| format!("{}\nval step : int -> int\nval run : int -> int\n", kind(unit).interface))
}

/// The unit that runs all others and prints something of each.
pub fn main(count: usize) -> String {
    let mut text = String::from("let show = List.iter (Printf.printf \"%x\\n\")\n");
    for unit in 0..count {
        let _ = writeln!(text, "let () = show [ U{unit}.run 3; U{unit}.run {unit} ]");
    }
    text
}

/// A unit that mentions so many others, and does nothing with what it finds there.
pub fn mentions(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|unit| format!("U{unit}.run")).collect();
    format!("let all : (int -> int) list = [ {} ]\n", names.join("; "))
}

/// A unit that calls a function of each of so many others: each may be inlined.
pub fn calls(count: usize) -> String {
    let calls: Vec<String> = (0..count).map(|unit| format!("U{unit}.run n")).collect();
    format!("let all n = {}\n", calls.join(" + "))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn units_are_small_and_use_earlier_ones() {
        for unit in 0..100 {
            let lines = implementation(unit).lines().count();
            assert!((30..=80).contains(&lines), "{lines} lines in unit {unit}");
            assert!(uses(unit).iter().all(|other| *other < unit));
            assert_eq!(uses(unit).is_empty(), unit == 0);
        }
    }

    /// Where OCaml is installed: with all kinds, with and without an interface, with and without a functor's result.
    #[test]
    fn units_are_well_typed() -> anyhow::Result<()> {
        let Some(ocamlc) = xtask_support::env::find("ocamlc") else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        let mut files = Vec::new();
        let mut write = |name: String, text: String| {
            fs::write(folder.path().join(&name), text)?;
            files.push(name);
            anyhow::Ok(())
        };
        for unit in 0..24 {
            if let Some(text) = interface(unit) {
                write(format!("u{unit}.mli"), text)?;
            }
            write(format!("u{unit}.ml"), implementation(unit))?;
        }
        write("main.ml".into(), main(24))?;
        write("mentions.ml".into(), mentions(24))?;
        write("calls.ml".into(), calls(24))?;
        let output = Command::new(&ocamlc).arg("-c").args(files).current_dir(folder.path()).output()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }
}
