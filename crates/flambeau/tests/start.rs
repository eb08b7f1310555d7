//! The first minutes of a user: help, mistyped words, flags from the environment, and what `init`, `doctor` and `info`
//! say and write.

use std::fs;

mod folder;
use folder::{Folder, check_contains, check_status, text};

const PROJECT: &[(&str, &str)] =
    &[("dune-project", "(lang dune 2.0)\n"), ("a.ml", "let f x = x + 1\n"), ("b.ml", "let g y = A.f y\n")];

#[test]
fn help_begins_with_what_one_does() {
    let folder = Folder::new(&[]);
    for arguments in [&["help"][..], &["-h"]] {
        let output = folder.run(arguments);
        check_status(&output, 0);
        let printed = text(&output.stdout);
        let compile = printed.find("flambeau -o hello hello.ml").expect("how to compile");
        assert!(compile < printed.find("Commands:").expect("the commands"), "{printed}");
    }
    let version = folder.run(&["-V"]);
    check_contains(&version.stdout, &["flambeau ", env!("CARGO_PKG_VERSION"), "(OCaml "]);
}

#[test]
fn mistyped_words_are_answered_in_a_few_lines() {
    let folder = Folder::new(&[]);
    for (arguments, hint) in [
        (&["tolchain", "x"][..], "Did you mean toolchain?"),
        (&["-flambeau-polcy", "x"], "Did you mean -flambeau-policy?"),
        (&["x.mk"], "know what to do with x.mk"),
    ] {
        let output = folder.run(arguments);
        check_status(&output, 2);
        check_contains(&output.stderr, &[hint]);
        assert!(text(&output.stderr).lines().count() < 8, "{}", text(&output.stderr));
    }
}

#[test]
fn the_environment_takes_any_flag_and_the_configuration_shows_it() {
    let folder = Folder::new(&[("x.ml", "let x = y\n")]);
    let settings = |variables: &[(&str, &str)]| {
        text(&folder.run_with(variables, &["-config-var", "flambeau_settings"]).stdout)
    };
    assert!(settings(&[("FLAMBEAU_FLAGS", "-O3")]).contains("level=3"));
    assert!(settings(&[("OCAMLPARAM", "_,O3=1")]).contains("level=3"));
    assert!(settings(&[("OCAMLPARAM", "O3=1,_")]).contains("level=3"));
    let output = folder.run_with(&[("FLAMBEAU_FLAGS", "-w -a -inline 7 -i")], &["x.ml"]);
    check_contains(&output.stderr, &["Unbound value"]);
    for (flags, message) in [
        ("-nonsense", "FLAMBEAU_FLAGS: unknown option '-nonsense'"),
        ("x.ml", "unexpected argument 'x.ml'.\n"),
    ] {
        let output = folder.run_with(&[("FLAMBEAU_FLAGS", flags)], &["-c", "x.ml"]);
        check_status(&output, 2);
        check_contains(&output.stderr, &[message]);
        assert!(text(&output.stderr).lines().count() < 4);
    }
}

#[test]
fn the_configuration_says_what_is_known_of_the_standard_library() {
    let folder = Folder::new(&[]);
    let library = |variables: &[(&str, &str)]| {
        text(&folder.run_with(variables, &["-config-var", "flambeau_library"]).stdout)
    };
    // The executable of the tests is fresh from the linker.
    assert!(library(&[]).contains("none (flambeau stdlib adds it)"));
    assert!(library(&[("FLAMBEAU_FLAGS", "-flambeau-no-library")]).contains("none (-flambeau-no-library)"));
    check_status(&folder.run(&["toolchain", "tools"]), 0);
    let own = folder.path("tools/bin/flambeau");
    let output = folder.command(own.to_str().expect("text"), &[], &["-config-var", "flambeau_library"]);
    let words: Vec<String> = text(&output.stdout).split(' ').map(str::to_owned).collect();
    assert_eq!((words[0].as_str(), words[1].as_str()), (words[2].as_str(), "units,"), "{words:?}");
}

#[test]
fn a_program_is_run_with_flags() {
    let folder = Folder::new(&[(
        "x.ml",
        "let () = print_string (String.concat \" \" (Array.to_list Sys.argv |> List.tl))",
    )]);
    let output = folder.run(&["run", "-O3", "-w", "+a", "x.ml", "-O2", "y.ml"]);
    check_status(&output, 0);
    assert_eq!(text(&output.stdout), "-O2 y.ml");
    check_status(&folder.run(&["run", "-nonsense", "x.ml"]), 2);
    check_status(&folder.run(&["run", "-O3"]), 2);
}

#[test]
fn descriptions_of_units_are_shown() {
    let folder = Folder::new(PROJECT);
    check_status(&folder.run(&["-O3", "-c", "a.ml"]), 0);
    check_status(&folder.run(&["-opaque", "-c", "b.ml"]), 0);
    check_status(&folder.run(&["-a", "a.cmx", "b.cmx", "-o", "l.cmxa"]), 0);
    let output = folder.run(&["info", "a.cmx", "b.cmx", "l.cmxa"]);
    check_status(&output, 0);
    let printed = text(&output.stdout);
    let files: Vec<&str> = printed.split("file: ").skip(1).collect();
    let version = concat!("compiler: flambeau ", env!("CARGO_PKG_VERSION"));
    let expected: [&[&str]; 3] = [
        &["a.cmx\nunit: A\n", version, "settings: level=3", "functions that others may inline: 1 ("],
        &["b.cmx\nunit: B\n", "opaque: yes"],
        &["l.cmxa\nunits: 2\n", "unit: A\ninterfaces: A,", "unit: B\n", "implementations: A\n"],
    ];
    for (file, expected) in files.iter().zip(expected) {
        check_contains(file.as_bytes(), expected);
    }
    fs::write(folder.path("c.cmx"), "nonsense").expect("written");
    let output = folder.run(&["info", "c.cmx"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["c.cmx"]);
}

/// What is said of a project before and after `doctor --fix`, with units compiled as dune does in its profiles.
#[test]
fn a_project_is_cured() {
    let folder = Folder::new(PROJECT);
    check_status(&folder.run(&["toolchain", "tools"]), 0);
    let tool = |arguments: &[&str]| {
        folder.command(folder.path("tools/bin/flambeau").to_str().expect("text"), &[], arguments)
    };
    check_status(&tool(&["-opaque", "-c", "a.ml", "b.ml"]), 0);
    let before = tool(&["doctor"]);
    check_status(&before, 1);
    check_contains(
        &before.stdout,
        &[
            "profile dev",
            "no dune file asks for -O3",
            "2 of 2 units are opaque: ./a.cmx, ./b.cmx",
            "doctor --fix",
        ],
    );
    check_status(&tool(&["doctor", "--fix"]), 1);
    assert!(
        text(&fs::read(folder.path("dune")).expect("written")).contains("(ocamlopt_flags (:standard -O3))")
    );
    check_status(&tool(&["-O3", "-c", "a.ml", "b.ml"]), 0);
    let after = tool(&["doctor"]);
    check_status(&after, 0);
    check_contains(&after.stdout, &["Nothing holds . back."]);
    // Once written, it is left alone.
    let again = tool(&["init"]);
    check_status(&again, 0);
    check_contains(&again.stdout, &["is as it should be", "sets an optimisation level already"]);
    let nowhere = folder.run(&["init", "tools"]);
    check_status(&nowhere, 2);
    check_contains(&nowhere.stderr, &["no dune-project in tools"]);
}

#[test]
fn shells_and_man_read_what_is_printed() {
    let folder = Folder::new(&[]);
    let page = folder.run(&["man"]);
    check_status(&page, 0);
    check_contains(&page.stdout, &[".TH FLAMBEAU 1", ".SS doctor", "flambeau\\-policy"]);
    let script = folder.run(&["completion", "bash"]);
    fs::write(folder.path("completion"), &script.stdout).expect("written");
    let complete = |words: &str, at: usize| {
        let script = format!(
            "source ./completion; COMP_WORDS=({words}); COMP_CWORD={at}; _flambeau; echo ${{COMPREPLY[*]}}"
        );
        text(&folder.command("bash", &[], &["-c", &script]).stdout)
    };
    assert_eq!(complete("flambeau too", 1).trim(), "toolchain");
    assert!(complete("flambeau report --f", 2).contains("--format"));
    assert!(complete("flambeau -c -flambeau-pol", 2).contains("-flambeau-policy"));
}

#[test]
fn who_has_read_enough_may_close_the_pipe() {
    let folder = Folder::new(&[("read.sh", "(sleep 0.3; \"$1\" man 2> errors) | true\ncat errors\n")]);
    let output = folder.command("sh", &[], &["read.sh", env!("CARGO_BIN_EXE_flambeau")]);
    assert_eq!(text(&output.stdout), "");
    check_status(&output, 0);
}
