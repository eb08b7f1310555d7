//! Profiles by counting: programs are compiled with counters, run, and compiled for what was counted.

use std::fs;
use std::path::Path;
use std::process::Output;

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// `rare` and one arm of `step` never run; `often` runs in a loop.
const SOURCE: &str = "\
let rare x = Printf.printf \"%d is rare\\n\" x; List.length (List.init x (fun i -> i))
let often x = if x land 3 = 0 then x / 2 else x + 1
let step x = if x < 0 then rare x + rare (x + 1) else often x
let run n =
  let sum = ref 0 in
  for i = 0 to n do sum := !sum + step i done;
  !sum
let () = print_int (run 100_000); print_newline ()
let () = if Array.length Sys.argv > 1 then failwith \"stopped\"
let never = if Array.length Sys.argv > 2 then rare 3 else 0
";

const PROFILE: &str = "flambeau.profile";

/// Compiles with counters and runs it.
fn count(folder: &Folder) -> Output {
    check_status(
        &folder.flambeau(&["-flambeau-verify", "-flambeau-profile-gen", "p.ml", "-o", "counted"]),
        0,
    );
    let output = folder.command(folder.path("counted").to_str().expect("a name"), &[], &[]);
    check_status(&output, 0);
    output
}

fn counted() -> Folder {
    let folder = Folder::new(&[("p.ml", SOURCE)]);
    assert_eq!(text(&count(&folder).stdout), "4375100000\n");
    folder
}

/// The lines of the intermediate code that contain a word.
fn lines<'c>(code: &'c str, word: &str) -> Vec<&'c str> {
    code.lines().filter(|line| line.contains(word)).collect()
}

#[test]
fn what_ran_is_known_and_what_never_ran_is_not_inlined() {
    let folder = counted();
    let used = folder.compile(&["-O3", "-flambeau-profile-use", PROFILE, "p.ml"]);
    assert!(lines(&used, "call code rare").iter().all(|line| line.ends_with("heat never")), "{used}");
    assert!(!lines(&used, "call code rare").is_empty(), "{used}");
    assert!(lines(&used, "call code often").is_empty(), "{used}");
    assert!(lines(&used, "code rare").iter().any(|line| line.contains("heat never")), "{used}");
    assert!(lines(&used, "cont rec ").iter().any(|line| line.contains("heat hot")), "{used}");
    let without = folder.compile(&["-O3", "p.ml"]);
    assert!(!without.contains("heat") && !without.contains("profile_count"), "{without}");
}

#[test]
fn counters_are_added_however_a_program_ends_and_however_often_it_runs() {
    let folder = counted();
    let once = fs::read(folder.path(PROFILE)).expect("a profile");
    let program = folder.path("counted");
    let program = program.to_str().expect("a name");
    let stopped = folder.command(program, &[], &["stop"]);
    check_status(&stopped, 2);
    check_contains(&stopped.stderr, &["stopped"]);
    let twice = fs::read(folder.path(PROFILE)).expect("a profile");
    assert_eq!(twice.len(), 2 * once.len());
    check_status(&folder.command(program, &[("FLAMBEAU_PROFILE_FILE", "other")], &[]), 0);
    assert_eq!(fs::read(folder.path("other")).expect("a profile"), once);
    let nowhere = folder.command(program, &[("FLAMBEAU_PROFILE_FILE", "none/there")], &[]);
    check_status(&nowhere, 0);
    check_contains(&nowhere.stderr, &["flambeau: can't write the profile: none/there: No such file"]);
}

#[test]
fn a_profile_of_other_source_is_used_as_far_as_it_goes() {
    let folder = counted();
    let changed =
        SOURCE.replace("else x + 1", "else if x > 7 then x + 1 else x + 2").replace("x / 2", "x * 3")
            + "let added x = x + 1\n";
    fs::write(folder.path("p.ml"), &changed).expect("it can be written");
    let output = folder.flambeau(&["-flambeau-profile-use", PROFILE, "-c", "p.ml"]);
    check_status(&output, 0);
    let warning = "Warning: the profile flambeau.profile is of another P: 5 of 7 functions match (1 with other \
                   branches, 1 not in the profile).\n";
    assert_eq!(text(&output.stderr), warning);

    fs::write(folder.path("q.ml"), "let () = print_int 3\n").expect("it can be written");
    let output = folder.flambeau(&["-flambeau-profile-use", PROFILE, "-c", "q.ml"]);
    check_status(&output, 0);
    check_contains(&output.stderr, &["the profile flambeau.profile knows nothing of Q"]);
}

#[test]
fn a_file_that_is_no_profile_is_an_error_with_its_cause() {
    let folder = counted();
    let whole = fs::read(folder.path(PROFILE)).expect("a profile");
    fs::write(folder.path("cut"), &whole[..whole.len() - 8]).expect("it can be written");
    fs::write(folder.path("text"), "hello").expect("it can be written");
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    fs::write(folder.path("damaged"), &damaged).expect("it can be written");
    for (file, cause) in [
        ("cut", "cut: cut off, in the record at byte 0"),
        ("text", "text: not a profile that flambeau wrote, in the record at byte 0"),
        ("damaged", "damaged: damaged table, in the record at byte 0"),
        ("missing", "missing: No such file or directory"),
    ] {
        let output = folder.flambeau(&["-flambeau-fallback", "-flambeau-profile-use", file, "-c", "p.ml"]);
        check_status(&output, 2);
        check_contains(&output.stderr, &[&format!("Error: -flambeau-profile-use: {cause}")]);
        assert!(!folder.exists("p.cmx"));
    }
}

#[test]
fn what_is_inlined_elsewhere_counts_for_its_own_unit() {
    let folder = Folder::new(&[
        (
            "lib.ml",
            "let pick x = if x land 1 = 0 then x else -x\nlet unused x = if x > 3 then pick x else 0\n",
        ),
        ("p.ml", "let () = let s = ref 0 in for i = 1 to 1000 do s := !s + Lib.pick i done; print_int !s\n"),
    ]);
    let flags = ["-O3", "-flambeau-verify", "-flambeau-profile-gen"];
    assert_eq!(folder.link_and_run(&[&flags[..], &["lib.ml", "p.ml"]].concat()), "500");
    let use_ = ["-O3", "-flambeau-profile-use", PROFILE];
    let used = folder.compile(&[&use_[..], &["lib.ml"]].concat());
    assert!(lines(&used, "code pick").iter().any(|line| line.contains("heat hot")), "{used}");
    assert!(lines(&used, "code unused").iter().any(|line| line.contains("heat never")), "{used}");
    assert_eq!(folder.link_and_run(&[&use_[..], &["lib.ml", "p.ml"]].concat()), "500");
}

#[test]
fn units_that_hide_the_standard_library_are_counted() {
    let source = "module Stdlib = struct let at_exit = 3 let open_out_gen = 4 end\nlet at_exit = Stdlib.at_exit\n\
                  let f x = if x > 3 then 1 else at_exit\nlet () = print_int (f 4)\n";
    let folder = Folder::new(&[("p.ml", source)]);
    assert_eq!(text(&count(&folder).stdout), "1");
    assert!(folder.exists(PROFILE));
}

#[test]
fn programs_print_the_same_with_counters_and_for_them() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    for name in [
        "real_interpreter",
        "exceptions_functors",
        "tail_positions",
        "switch_strings",
        "while_complex",
        "gadt_interpreter",
        "stdlib_containers",
        "real_json",
        "objects_inheritance",
        "uncaught_exception",
        "exit_codes",
    ] {
        let source = fs::read_to_string(programs.join(format!("{name}.ml"))).expect("a program");
        let folder = Folder::new(&[("p.ml", &source)]);
        let run = |flags: &[&str]| {
            check_status(&folder.flambeau(&[flags, &["-w", "-a", "p.ml", "-o", "program"]].concat()), 0);
            let output = folder.command(folder.path("program").to_str().expect("a name"), &[], &[]);
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        for level in ["-O1", "-O3", "-Oclassic"] {
            let _ = fs::remove_file(folder.path(PROFILE));
            let plain = run(&[level]);
            assert_eq!(run(&[level, "-flambeau-verify", "-flambeau-profile-gen"]), plain, "{name} {level}");
            let used = run(&[level, "-flambeau-verify", "-flambeau-profile-use", PROFILE]);
            assert_eq!(used, plain, "{name} {level}");
        }
    }
}

#[test]
fn hot_units_have_the_rounds_of_o3_and_arms_in_the_order_of_their_heat() {
    // What never runs returns, too; it is too large to be a part of the condition.
    let source = "\
let[@inline never] far x = x * 7
let[@inline never] near x = x lxor 5
let[@inline never] f x = if x > 1_000_000 then far (x + 1) else near (x + 2)
let () = let s = ref 0 in for i = 1 to 100_000 do s := !s + f i done; print_int !s
";
    let folder = Folder::new(&[("p.ml", source)]);
    count(&folder);
    let condition = |flags: &[&str]| {
        let output = folder.flambeau(&[&["-O2", "-dcmm", "-inlining-report", "-c", "p.ml"], flags].concat());
        check_status(&output, 0);
        let cmm = text(&output.stderr);
        let f = cmm.split("(function").find(|part| part.contains("} camlP__f_")).expect("f");
        f[f.find("(if (").expect("a conditional")..].chars().take(8).collect::<String>()
    };
    assert_eq!(condition(&[]), "(if (> x");
    assert!(!folder.exists("p.2.inlining.org"));
    assert_eq!(condition(&["-flambeau-profile-use", PROFILE]), "(if (<= ");
    assert!(folder.exists("p.2.inlining.org"));
    // What the user says holds.
    fs::remove_file(folder.path("p.2.inlining.org")).expect("it is there");
    condition(&["-flambeau-profile-use", PROFILE, "-rounds", "2"]);
    assert!(!folder.exists("p.2.inlining.org"));
}

#[test]
fn what_was_saved_with_a_profile_is_reproduced() {
    let folder = counted();
    let output = folder.flambeau(&[
        "-O2",
        "-flambeau-profile-use",
        PROFILE,
        "-flambeau-save-ir",
        "-dflambeau",
        "-c",
        "p.ml",
    ]);
    check_status(&output, 0);
    let again = folder.run(&["opt", "-O2", "p.fl"]);
    check_status(&again, 0);
    assert_eq!(text(&again.stdout), text(&output.stderr));
}
