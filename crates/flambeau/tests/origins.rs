//! With which flags a unit was compiled: what that says of its functions in other units, and where it can be read
//! (features B11, G9).

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// flambda2-inlining, "Inlining predictably": `foo` comes to B with calls in it.
const UNITS: &[(&str, &str)] = &[
    (
        "c.ml",
        "let bar x =
           let y = x * 3 + (x lsr 2) in
           let z = (y * y) lxor (x + 17) in
           (z * 31 + y) land 0xffff",
    ),
    (
        "a.ml",
        "let foo x =
           let fox y = C.bar (y + x) lxor y in
           (Sys.opaque_identity fox) (C.bar x)
         [@@inline]",
    ),
    (
        "b.ml",
        "let direct x = C.bar x
         let baz x = A.foo x",
    ),
];

const WEAK: &[&str] = &["-flambda2-inline-small-function-size", "5", "-flambda2-inline-threshold", "0"];

const CALL: &str = "call external \"camlC__bar";

/// How many calls of `bar` are left in B, beside that in its own source.
fn calls_left(flags_of_a: &[&str], flags_of_b: &[&str]) -> usize {
    let folder = Folder::new(UNITS);
    folder.compile(&["-O3", "c.ml"]);
    folder.compile(&[flags_of_a, &["a.ml"]].concat());
    let ir = folder.compile(&[flags_of_b, &["b.ml"]].concat());
    assert!(!ir.contains("call external \"camlA"), "foo is inlined: {ir}");
    let direct = ir.split("code direct").nth(1).and_then(|rest| rest.split("\n}").next()).expect("direct");
    let direct = direct.matches(CALL).count();
    let is_weak = flags_of_b == WEAK;
    assert_eq!(direct, usize::from(is_weak), "{ir}");
    ir.matches(CALL).count() - direct
}

#[test]
fn code_of_a_unit_that_inlines_little_is_not_inlined_into_more_elsewhere() {
    // The call in `foo`, and the one in `fox`.
    assert_eq!(calls_left(WEAK, &["-O3"]), 2);
    assert_eq!(calls_left(&["-O3"], WEAK), 0);
    assert_eq!(calls_left(WEAK, WEAK), 2);
    assert_eq!(calls_left(&["-O3"], &["-O3"]), 0);
}

#[test]
fn arguments_come_along_through_a_third_unit() {
    let units = [UNITS, &[("d.ml", "let quux x = B.baz x + C.bar (x + 1)")]].concat();
    let folder = Folder::new(&units);
    folder.compile(&["-O3", "c.ml"]);
    folder.compile(&[WEAK, &["a.ml"]].concat());
    folder.compile(&["-O3", "b.ml"]);
    // `baz` makes a closure.
    let ir = folder.compile(&["-O3", "-flambeau-inline-nonleaf-threshold", "50", "d.ml"]);
    assert!(!ir.contains("call external \"camlB") && !ir.contains("call external \"camlA"), "{ir}");
    assert_eq!(ir.matches(CALL).count(), 2, "{ir}");
}

#[test]
fn depths_add_up_across_units() {
    let folder = Folder::new(&[
        ("a.ml", "let once f x = f x let twice f x = once f (once f x)"),
        ("b.ml", "let three x = (x * 3) lxor (x lsr 4) let g x = A.twice three x"),
    ]);
    let calls = |of_a: &str, of_b: &str| {
        folder.compile(&["-flambda2-inline-max-depth", of_a, "a.ml"]);
        let ir = folder.compile(&["-flambda2-inline-max-depth", of_b, "b.ml"]);
        let g = ir.split("code g_").nth(1).expect("g").split("\n}").next().expect("its body").to_owned();
        g.matches("call code").count()
    };
    // The calls of `f` came through `once`, in A, and through `twice`.
    assert_eq!((calls("2", "1"), calls("2", "2")), (2, 0));
    // What A says holds for them, too.
    assert_eq!((calls("1", "2"), calls("1", "9")), (2, 2));
}

#[test]
fn the_standard_library_sets_no_limit() {
    // Its functions are compiled for users with any parameters.
    let folder = Folder::new(&[(
        "t.ml",
        "let f x = (x * 3) lxor (x lsr 4) + (x * x) - (x lsr 2) + (x land 77) * (x lor 3)
         let g o = Option.map f o",
    )]);
    let output = folder.run(&["-O3", "-dflambeau", "-c", "t.ml"]);
    check_status(&output, 0);
    let ir = text(&output.stderr);
    let g = ir.split("code g_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("g");
    if !g.contains("Option") {
        assert!(!g.contains("call"), "{g}");
    }
}

#[test]
fn a_description_records_the_settings_of_the_optimiser() {
    let folder = Folder::new(&[("t.ml", "let f x = x + 1")]);
    check_status(&folder.flambeau(&["-O3", "-inline-call-cost", "7", "-c", "t.ml"]), 0);
    let cmx = std::fs::read(folder.path("t.cmx")).expect("a description");
    check_contains(
        &cmx,
        &["level", "argument:inline-call-cost", "threshold inline=10", "inline-call-cost=7"],
    );
    // What is reported beside the code is no part of it.
    check_status(&folder.flambeau(&["-O3", "-inline-call-cost", "7", "-inlining-report", "-c", "t.ml"]), 0);
    assert!(std::fs::read(folder.path("t.cmx")).expect("a description") == cmx);
}

#[test]
fn settings_of_the_environment_hold_and_are_recorded() {
    let folder = Folder::new(&[("t.ml", "let f x = x + 1")]);
    let settings = |variable: &str, flags: &[&str]| {
        let arguments = [flags, &["-config-var", "flambeau_settings"]].concat();
        let output = folder.run_with(&[("OCAMLPARAM", variable)], &arguments);
        check_status(&output, 0);
        text(&output.stdout)
    };
    assert_eq!(settings("", &[]), "level=1 policy=default");
    assert_eq!(
        settings("inline-call-cost=9,inline=bad,_", &["-O3", "-inline", "4"]),
        "level=3 policy=default argument:inline-call-cost=9 argument:inline=4"
    );
    assert_eq!(
        settings(":inline=0=1,1=5:_", &["-Oclassic"]),
        "level=1 policy=classic argument:inline@0=1 argument:inline@1=5"
    );
    // Settings that the environment puts after the command line take precedence over those on it.
    let flags = ["-inline-call-cost", "3", "-inlining-report", "-c", "t.ml"];
    let output = folder.run_with(&[("OCAMLPARAM", "inline-call-cost=8,_,inline-call-cost=7")], &flags);
    check_status(&output, 0);
    let read = |name: &str| std::fs::read(folder.path(name)).expect("a file");
    check_contains(&read("t.cmx"), &["inline-call-cost=7"]);
    check_contains(&read("t.flambeau-report.json"), &["OCAMLPARAM=inline-call-cost=8,_,inline-call-cost=7"]);
}
