//! What `-flambeau-save-ir` writes reproduces the compilation: `flambeau opt` prints what the compilation came to, byte
//! by byte, with all that other units gave; and passes that are left out or dumped after.

mod folder;

use std::fs;
use std::path::Path;

use folder::{Folder, check_contains, check_status, text};

/// Compiles `m.ml` with these flags, and repeats that at a level from what was saved; gives both results and traces.
#[track_caller]
fn both(folder: &Folder, flags: &[&str], level: &str) -> [[String; 2]; 2] {
    let saving = ["-w", "-a", "-flambeau-save-ir", "-dflambeau", "-dflambeau-rewrites", "-c", "m.ml"];
    let compiled = folder.run(&[flags, &saving].concat());
    check_status(&compiled, 0);
    let dumps = text(&compiled.stderr);
    let (ir, rewrites) = dumps.split_once("\nrewrites:\n").expect("two dumps");
    let ir = ir.trim_start_matches("\nir:\n");
    let again = folder.run(&["opt", level, "--rewrites", "m.fl"]);
    check_status(&again, 0);
    // Those of the conversion are not done again, nor those of the way to Cmm.
    let by_passes = |line: &&str| !line.contains(": convert: ") && !line.contains(": to cmm: ");
    let rewrites = rewrites.lines().filter(by_passes);
    let rewrites = rewrites.map(|line| format!("{line}\n")).collect();
    [[ir.to_owned(), rewrites], [text(&again.stdout), text(&again.stderr)]]
}

#[track_caller]
fn reproduces(folder: &Folder, flags: &[&str], level: &str, what: &str) {
    let [[ir, rewrites], [ir_again, rewrites_again]] = both(folder, flags, level);
    assert!(rewrites == rewrites_again, "{what}: other rewrites:\n{rewrites_again}");
    assert!(ir == ir_again, "{what}: another result:\n{ir_again}");
}

#[test]
fn programs_are_reproduced() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/programs");
    let mut tested = 0;
    for entry in fs::read_dir(programs).expect("the folder of the programs") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "ml") {
            continue;
        }
        let folder = Folder::new(&[("m.ml", &fs::read_to_string(&path).expect("a program"))]);
        reproduces(&folder, &["-O3"], "-O3", &path.display().to_string());
        tested += 1;
    }
    assert!(tested > 40, "{tested} programs");
}

const SOURCE: &str = "let sum f l = List.fold_left (fun a x -> a + f x) 0 l\n\
                      let a = sum (fun x -> if x < 0 then failwith \"negative\" else x * 3) [1; 2; 3]\n\
                      let () = if a > 0 then print_endline (string_of_int a)";

#[test]
fn settings_are_those_of_the_compilation() {
    let folder = Folder::new(&[("m.ml", SOURCE)]);
    for (flags, level) in [
        (&[][..], "-O1"),
        (&["-g"], "-O1"),
        (&["-Oclassic"], "-O1"),
        (&["-O3", "-rounds", "5", "-unbox-closures"], "-O3"),
        (&["-inline", "200", "-flambeau-policy", "benefit"], "-O1"),
        (&["-O3", "-flambeau-no-inline", "-flambeau-skip", "motion"], "-O3"),
        (&["-flambeau-no-simplify"], "-O1"),
    ] {
        reproduces(&folder, flags, level, &format!("{flags:?}"));
    }
}

#[test]
fn functions_of_other_units_come_with_the_file() {
    let other = "let[@inline never] twice f x = f (f x)\n\
                 module Make (X : sig val n : int end) = struct let add x = x + X.n end\n\
                 let triple f x = twice f (f x)";
    let source = "module M = Other.Make (struct let n = 7 end)\nlet f x = Other.triple M.add x";
    let folder = Folder::new(&[("other.ml", other), ("m.ml", source)]);
    check_status(&folder.run(&["-O3", "-c", "other.ml"]), 0);
    reproduces(&folder, &["-O3"], "-O3", "another unit");
    let [[ir, _], _] = both(&folder, &["-O3"], "-O3");
    assert!(!ir.contains("external \"camlOther__triple"), "it is inlined:\n{ir}");
    for file in ["other.ml", "other.cmx", "other.cmi"] {
        fs::remove_file(folder.path(file)).expect("a file");
    }
    let again = folder.run(&["opt", "-O3", "m.fl"]);
    check_status(&again, 0);
    assert_eq!(text(&again.stdout), ir);
    // What is damaged is an error, not another result.
    let saved = fs::read_to_string(folder.path("m.fl")).expect("what was saved");
    let damaged = saved.replace("import \"", "import \"\\xff\\xff\\xff");
    fs::write(folder.path("m.fl"), damaged).expect("a file can be written");
    let output = folder.run(&["opt", "-O3", "m.fl"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["an imported unit"]);
}

#[test]
fn passes_are_dumped_after_and_left_out() {
    let folder = Folder::new(&[("m.ml", SOURCE)]);
    let dump = ["-O3", "-dflambeau-after", "simplify", "-dflambeau-after", "motion", "-c", "m.ml"];
    let output = folder.run(&dump);
    check_status(&output, 0);
    check_contains(&output.stderr, &["after simplify, 1 of 3:\nunit \"M\"", "after motion:\nunit \"M\""]);
    let one = folder.run(&["-O3", "-dflambeau-after", "motion", "-flambeau-save-ir", "-c", "m.ml"]);
    let last = folder.run(&["opt", "-O3", "m.fl"]);
    assert_eq!(text(&one.stderr), text(&last.stdout), "motion is the last pass");
    let again = folder.run(&["opt", "-O3", "--dump-after", "simplify", "--skip", "contify", "m.fl"]);
    check_status(&again, 0);
    check_contains(&again.stderr, &["// after simplify, 2 of 3\nunit \"M\""]);
    let traced = folder.run(&["-O3", "-flambeau-skip", "simplify", "-dflambeau-rewrites", "-c", "m.ml"]);
    check_status(&traced, 0);
    assert!(!text(&traced.stderr).contains(": simplify: "), "{}", text(&traced.stderr));
}

#[test]
fn unknown_passes_are_errors_that_name_all() {
    let folder = Folder::new(&[("m.ml", SOURCE)]);
    for flag in ["-flambeau-skip", "-dflambeau-after"] {
        let output = folder.run(&[flag, "simplifly", "-c", "m.ml"]);
        check_status(&output, 2);
        let all = format!("{flag}: there is no pass simplifly; the passes are contify, loopify, ");
        check_contains(&output.stderr, &[&all, ", motion, "]);
    }
    let output = folder.run(&["opt", "-O3", "--skip", "simplifly", "m.fl"]);
    check_status(&output, 2);
    check_contains(
        &output.stderr,
        &["contify, loopify, ", "divisions, remainders, extensions, decimal, motion"],
    );
}
