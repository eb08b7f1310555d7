//! The inliner, as users see it: policies, flags, attributes, warnings (features B4–B7, B9, B10, B18).

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// How many calls of a function there are in intermediate code.
fn calls(ir: &str, of: &str) -> usize {
    ir.lines().filter(|line| line.contains(&format!("call code {of}"))).count()
}

/// `big` is too large to be inlined without a look, and comes to nothing if its first argument is known.
const CONTEXT: &[(&str, &str)] = &[(
    "t.ml",
    "let big b x =
       if b then x
       else begin
         let y = x * 3 + (x lsr 2) in
         let z = (y * y) lxor (x + 17) in
         let u = (z * 31 + y) land 0xffff in
         let v = (u * 37 + z) lxor (y lsl 3) in
         let w = (v * 41 + u) land 0xffffff in
         w + v + u + z + y
       end
     let known x = big true x
     let unknown b x = big b x
",
)];

#[test]
fn a_decision_is_taken_at_the_call() {
    let folder = Folder::new(CONTEXT);
    for policy in ["default", "threshold", "benefit"] {
        let ir = folder.compile(&["-O3", "-flambeau-policy", policy, "t.ml"]);
        let known = ir.split("code known").nth(1).and_then(|rest| rest.split("code ").next()).expect("known");
        assert!(!known.contains("call"), "{policy}: {known}");
    }
    // Classic decides at the definition.
    let ir = folder.compile(&["-Oclassic", "t.ml"]);
    assert_eq!(calls(&ir, "big"), 2, "{ir}");
}

#[test]
fn what_a_body_comes_to_is_seen_through_its_joins() {
    let print = (0..12).map(|n| format!("print_string \"{n}\"; ")).collect::<String>();
    let source = format!(
        "let pick c a b =
           let n = if Sys.opaque_identity c then a else b in
           if n < 3 then n else begin print_int n; {print} n * 7 end
         let near c = pick c 1 2
         let far c = pick c 3 4"
    );
    let folder = Folder::new(&[("p.ml", &source)]);
    let ir = folder.compile(&["-O3", "p.ml"]);
    let body = |name: &str| ir.split(name).nth(1).and_then(|rest| rest.split("code ").next());
    assert!(!body("code near").expect("near").contains("call"), "either is less than 3: {ir}");
    assert_eq!(calls(&ir, "pick"), 1, "neither is: {ir}");
}

#[test]
fn classic_goes_by_size_alone() {
    let folder = Folder::new(CONTEXT);
    let ir = folder.compile(&["-Oclassic", "-inline", "100", "t.ml"]);
    assert_eq!(calls(&ir, "big"), 0, "{ir}");
}

#[test]
fn flags_of_both_documents_hold() {
    let folder = Folder::new(CONTEXT);
    let calls_with = |flags: &[&str]| calls(&folder.compile(&[flags, &["t.ml"]].concat()), "big");
    assert_eq!(calls_with(&[]), 1);
    assert_eq!(calls_with(&["-flambda2-inline-large-function-size", "1"]), 2);
    assert_eq!(calls_with(&["-flambda2-inline-small-function-size", "200"]), 0);
    assert_eq!(calls_with(&["-inline", "1000"]), 0);
    assert_eq!(calls_with(&["-inline", "0=0,1=1000"]), 0);
    assert_eq!(calls_with(&["-flambeau-policy", "benefit", "-inline", "0"]), 2);
    assert_eq!(calls_with(&["-flambda2-inline-large-function-size", "10"]), 2);
}

#[test]
fn the_first_level_is_that_without_a_flag() {
    let folder = Folder::new(CONTEXT);
    let plain = folder.compile(&["t.ml"]);
    assert_ne!(folder.compile(&["-Oclassic", "t.ml"]), plain);
    for flags in [&["-O1"][..], &["-O3", "-O1"], &["-Oclassic", "-O1"]] {
        assert_eq!(folder.compile(&[flags, &["t.ml"]].concat()), plain, "{flags:?}");
    }
}

#[test]
fn bad_flags_are_refused() {
    let folder = Folder::new(CONTEXT);
    let output = folder.run(&["-flambda2-inline-threshold", "many", "-c", "t.ml"]);
    check_status(&output, 2);
    check_contains(
        &output.stderr,
        &["option '-flambda2-inline-threshold' needs a number of at least 0, not 'many'.\n"],
    );
    let output = folder.run(&["-flambeau-policy", "best", "-c", "t.ml"]);
    check_status(&output, 2);
    assert!(!folder.exists("t.cmx"));
}

/// Flambda takes any number of rounds, so what is beyond ours is no error.
#[test]
fn rounds_that_are_not_run_are_warned_of() {
    let folder = Folder::new(CONTEXT);
    for (rounds, run) in [("0", "2"), ("1", "2"), ("99", "8")] {
        let output = folder.run(&["-rounds", rounds, "-c", "t.ml"]);
        check_status(&output, 0);
        let expected = format!(
            "Warning: flambeau: option '-rounds' takes 2 to 8, not {rounds}: the simplifier runs {run} times\n"
        );
        assert_eq!(text(&output.stderr), expected);
        assert!(
            folder
                .compile(&["-rounds", rounds, "t.ml"])
                .ends_with(&folder.compile(&["-rounds", run, "t.ml"]))
        );
    }
    assert_eq!(text(&folder.run(&["-rounds", "8", "-c", "t.ml"]).stderr), "");
}

#[test]
fn functors_at_the_toplevel_are_inlined_unless_a_flag_forbids_it() {
    let folder = Folder::new(&[(
        "t.ml",
        "module F (X : sig val f : int -> int end) = struct let rec g n = if n = 0 then 0 else X.f n + g (n - 1) end
         module M = F (struct let f x = x + 1 end)
         let () = print_int (M.g 3)",
    )]);
    assert_eq!(calls(&folder.compile(&["t.ml"]), "F"), 0);
    let flags = ["-no-flambeau-toplevel-functors", "-flambda2-inline-large-function-size", "1"];
    assert_eq!(calls(&folder.compile(&[&flags[..], &["t.ml"]].concat()), "F"), 1);
}

/// Manual 21.3.
const FACT: &[(&str, &str)] = &[(
    "t.ml",
    "let rec fact x = if x = 0 then 1 else x * fact (x - 1)
     let n () = (fact [@unrolled 3]) 4
     let m () = (fact [@unrolled 0]) 4
     let all () = (fact [@unrolled 9]) 4
     let () = Printf.printf \"%d %d %d\" (n ()) (m ()) (all ())",
)];

#[test]
fn recursive_functions_are_unrolled_as_far_as_the_attribute_says() {
    let folder = Folder::new(FACT);
    let ir = folder.compile(&["t.ml"]);
    let body = |name: &str| {
        let rest = ir.split(&format!("code {name}_")).nth(1).expect("the function");
        rest.split("\n}").next().expect("its body").to_owned()
    };
    // 4 * (3 * (2 * fact 1))
    assert!(body("n").contains("(1)"), "{}", body("n"));
    assert_eq!(calls(&body("n"), "fact"), 1);
    assert!(body("m").contains("(4)"), "{}", body("m"));
    assert_eq!(calls(&body("all"), "fact"), 0, "{}", body("all"));
    assert_eq!(folder.link_and_run(&["t.ml"]), "24 24 24");
}

#[test]
fn recursive_functions_are_unrolled_if_a_flag_says_so() {
    let folder = Folder::new(&[(
        "t.ml",
        "let rec fact x = if x = 0 then 1 else x * fact (x - 1)
         let n () = fact 2
         let () = print_int (n ())",
    )]);
    let flags = ["-flambeau-policy", "benefit", "-inline", "100"];
    // In `n` and where that was inlined; `fact` itself is a loop with an accumulator.
    assert_eq!(calls(&folder.compile(&[&flags[..], &["t.ml"]].concat()), "fact"), 2);
    let ir = folder.compile(&[&flags[..], &["-inline-max-unroll", "2", "t.ml"]].concat());
    assert!(ir.contains("call code fact") && !ir.contains("(2)"), "{ir}");
    assert_eq!(folder.link_and_run(&[&flags[..], &["-inline-max-unroll", "2", "t.ml"]].concat()), "2");
}

#[test]
fn an_attribute_that_cannot_be_obeyed_is_reported_once() {
    let folder = Folder::new(&[(
        "t.ml",
        "let f = (fun x -> x + 1) [@inline never]
         let g x = (f [@inlined]) x
         let r = ref f
         let i x = (!r [@inlined]) x
         let i' x = (!r [@inlined hint]) x
         let j x = i x + i x
         let rec k x = if x = 0 then 0 else 1 + (k [@inlined]) (x - 1)
         let l x = (f [@specialised]) x
         let two x y = x + y
         let m x = (two [@inlined]) x
",
    )]);
    let output = folder.run(&["-c", "t.ml"]);
    check_status(&output, 0);
    let warnings = text(&output.stderr);
    assert_eq!(warnings.matches("Warning 55").count(), 4, "{warnings}");
    check_contains(
        &output.stderr,
        &[
            "line 4,",
            "the optimizer did not know what function was being applied",
            "line 7,",
            "the call is in the function that it calls",
            "line 8,",
            "the [@specialised] attribute was not used",
            "line 10,",
            "[@inlined] attributes may not be used on partial applications",
        ],
    );
    // A level, or the flags with which other units were built, change nothing.
    assert_eq!(text(&folder.run(&["-O3", "-g", "-c", "t.ml"]).stderr), warnings);
    assert_eq!(text(&folder.run(&["-w", "-55", "-c", "t.ml"]).stderr), "");
}

#[test]
fn a_missing_body_is_no_reason_to_warn() {
    let folder = Folder::new(&[("a.ml", "let f x = x + 1"), ("b.ml", "let g x = (A.f [@inlined]) x")]);
    check_status(&folder.run(&["-opaque", "-c", "a.ml"]), 0);
    for flags in [&["-warn-error", "+55", "-c", "b.ml"][..], &["-opaque", "-warn-error", "+55", "-c", "b.ml"]]
    {
        let output = folder.run(flags);
        check_status(&output, 0);
        assert_eq!(text(&output.stderr), "");
    }
}

#[test]
fn assignments_to_immutable_values_are_reported() {
    let folder = Folder::new(&[(
        "t.ml",
        "let p = (1, 2)
         let () = Obj.set_field (Obj.repr p) 0 (Obj.repr 3)
         let q = [| 1; 2 |]
         let () = q.(0) <- 5
         let s = ref 0
         let () = s := 2
         let set v = Obj.set_field (Obj.repr v) 0 (Obj.repr 3)
         let () = set p
         let () = set (Sys.opaque_identity p)
",
    )]);
    let output = folder.run(&["-c", "t.ml"]);
    check_status(&output, 0);
    let warnings = text(&output.stderr);
    // In an inlined function it is the location of the call that is reported.
    assert_eq!(warnings.matches("Warning 59").count(), 2, "{warnings}");
    check_contains(&output.stderr, &["line 2,", "line 8,"]);
}

#[test]
fn what_inlining_exposes_is_inlined_as_deep_as_the_flag_says() {
    let folder = Folder::new(&[(
        "t.ml",
        "let three x = (x * 3) lxor (x lsr 4)
         let once f x = f x
         let twice f x = once f (once f x)
         let g x = twice three x",
    )]);
    let calls = |depth: &str| {
        let ir = folder.compile(&["-O3", "-flambda2-inline-max-depth", depth, "t.ml"]);
        let g = ir.split("code g_").nth(1).expect("g").split("\n}").next().expect("its body").to_owned();
        g.matches("call code").count()
    };
    // The calls of `f` came through `once` and `twice`.
    assert_eq!((calls("1"), calls("2")), (2, 0));
}

/// A closure that a recursive function allocates calls the function, too: such calls are unrolled as the function's own
/// calls are, and not without an end.
#[test]
fn closures_of_recursive_functions_are_not_unrolled_for_ever() {
    let folder = Folder::new(&[(
        "t.ml",
        "let[@inline] rec twice n x = print_int n; fun v -> if n <= 0 then v + x else twice (n - 1) x (twice (n - 1) v x)
         let m x = twice 2 x 1
         let () = print_int (m 5)",
    )]);
    for flags in [&[][..], &["-O3"], &["-Oclassic"]] {
        let ir = folder.compile(&[flags, &["t.ml"]].concat());
        assert!(ir.len() < 20_000, "{flags:?}: {}", ir.len());
    }
    assert_eq!(folder.link_and_run(&["-O3", "t.ml"]), "210010017");
}

#[test]
fn what_is_inlined_inside_a_function_counts() {
    // Manual 21.3.2; the example of the design notes.
    let folder = Folder::new(&[(
        "t.ml",
        "let map_tuple f (x, y, z) = (f x, f y, f z)
         let succ x = x + 1
         let succ_tuple t = map_tuple succ t",
    )]);
    let costs = ["-inline-call-cost", "4", "-inline-indirect-cost", "0"];
    let others = ["-inline-prim-cost", "0", "-inline-alloc-cost", "0", "-flambeau-policy", "benefit"];
    let ir =
        |depth: &str| folder.compile(&[&costs[..], &others, &["-inline-max-depth", depth, "t.ml"]].concat());
    assert_eq!(calls(&ir("0"), "map_tuple"), 1);
    let ir = ir("1");
    assert_eq!((calls(&ir, "map_tuple"), calls(&ir, "succ")), (0, 0), "{ir}");
}

#[test]
fn functions_that_are_swapped_are_known() {
    let folder = Folder::new(&[(
        "t.ml",
        "let rec iter_swap f g l =
           match l with
           | [] -> ()
           | 0 :: t -> iter_swap g f t
           | h :: t -> f h; iter_swap f g t
         let sum = ref 0
         let run k l = iter_swap (fun x -> sum := !sum + x) (fun x -> sum := !sum * k) l
         let () = run 10 [1; 2; 0; 3; 0; 4]; print_int !sum",
    )]);
    let ir = folder.compile(&["t.ml"]);
    let run = ir.split("code run_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("run");
    assert!(!run.contains("call"), "{run}");
    assert_eq!(folder.link_and_run(&["t.ml"]), "34");
}

#[test]
fn a_functor_is_worth_what_the_flag_says() {
    let folder = Folder::new(&[(
        "t.ml",
        "module F (X : sig val f : int -> int end) = struct let rec g n = if n = 0 then 0 else X.f n + g (n - 1) end
         module M = F (struct let f x = x + 1 end)
         let () = print_int (M.g 3)",
    )]);
    let calls_with = |benefit: &str| {
        let flags =
            ["-flambeau-policy", "benefit", "-inline-lifting-benefit", benefit, "-inline-call-cost", "0"];
        calls(
            &folder.compile(
                &[&flags[..], &["-inline-prim-cost", "0", "-inline-alloc-cost", "0", "t.ml"]].concat(),
            ),
            "F",
        )
    };
    assert_eq!((calls_with("0"), calls_with("1300")), (1, 0));
}

/// However many there are: a wrapper that stays a call allocates the options.
#[test]
fn stubs_have_no_quota() {
    let calls = |count: u32, text: &dyn Fn(u32) -> String| (0..count).map(text).collect::<String>();
    let source = format!(
        "let area ?(width = 2) ?height:(h = 5) ~scale n =
           if n > 1000 then List.length [width; h; scale] + List.length [n] * scale else width * h + scale
         let cells = Array.make 400 0
         {}
         let inside n =
           {} ()
         let () = {} ()",
        calls(150, &|i| format!("let () = cells.({i}) <- area ~width:{i} ~scale:1 {i}\n")),
        calls(60, &|i| format!("cells.({i}) <- area ~height:(n + {i}) ~scale:n n;\n")),
        calls(60, &|i| format!("cells.({i}) <- area ~width:{i} ~height:{i} ~scale:3 {i};\n")),
    );
    let folder = Folder::new(&[("t.ml", &source)]);
    for level in ["-Oclassic", "-O1", "-O3"] {
        let ir = folder.compile(&[level, "t.ml"]);
        // Blocks of one field: the lists have two.
        let is_some = |line: &&str| line.contains("make_block[0] (") && !line.contains(',');
        let some = |body: &str| body.lines().filter(is_some).count();
        let inside = ir.split("\ncode inside_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("it");
        let entry = ir.split("\nentry ").nth(1).expect("the entry");
        assert_eq!((some(inside), some(entry)), (0, 0), "{level}: {ir}");
    }
}

/// Twenty functions of which each is wanted in the next twice: a million calls, if there were no end.
#[test]
fn attributes_have_an_end() {
    let functions: String =
        (1..21).map(|n| format!("let[@inline] f{n} x = f{} x + f{} (x + {n})\n", n - 1, n - 1)).collect();
    let source = format!(
        "let[@inline] f0 x = if x > 3 then x * 2 else x + 1\n{functions}let () = print_int (f20 1 land 0)"
    );
    let folder = Folder::new(&[("t.ml", &source)]);
    let output = folder.flambeau(&["-O3", "-c", "t.ml"]);
    check_status(&output, 0);
    let size = std::fs::metadata(folder.path("t.o")).expect("an object").len();
    assert!(size < 2_000_000, "{size}");
    assert_eq!(folder.link_and_run(&["-O3", "t.ml"]), "0");
}

/// Functions that call each other through a known record are not recursive by themselves (OCaml's
/// `Btype.unmark_class_type` had 31 kB).
#[test]
fn a_call_through_a_table_of_functions_has_an_end() {
    let call = |field: &str, n: u32| format!("(if n > {n} then it.{field} it (n - {n}) else {n})");
    let function = |name: &str| {
        let calls: Vec<String> =
            ["a", "b", "c", "d"].iter().zip(1..).map(|(field, n)| call(field, n)).collect();
        format!("let {name} it n = {}", calls.join(" lxor "))
    };
    let functions: Vec<String> = ["a", "b", "c", "d"].iter().map(|name| function(name)).collect();
    let source = format!(
        "type it = {{ a : it -> int -> int; b : it -> int -> int; c : it -> int -> int; d : it -> int -> int }}
         {}
         let table = {{ a; b; c; d }}
         let run n = table.a table n
         let () = print_int (run 9)",
        functions.join("\n")
    );
    let folder = Folder::new(&[("t.ml", &source)]);
    let ir = folder.compile(&["-O3", "t.ml"]);
    let body =
        ir.split("\ncode run_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the function");
    assert!(body.lines().count() < 1_500, "{}", body.lines().count());
}

/// A class whose record nothing can ever set is not asked for: that of the objects that a function makes, where several
/// domains may run at the same time (OCaml 5).
#[test]
fn classes_without_a_record_are_not_asked_for() {
    let folder = Folder::new(&[(
        "t.ml",
        "let counter n = object val mutable c = n method next = c <- c + 1; c end\n\
         class step = object method skip x = x + 1 end\n\
         let f n = (counter n)#next\nlet g (o : step) x = o#skip x\n",
    )]);
    let asked = |flags: &[&str]| {
        let output = folder.run(&[flags, &["-c", "-flambeau-verify", "-dflambeau-raw", "t.ml"]].concat());
        let ir = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.success(), "{ir}");
        ir.matches("= is_instance").count()
    };
    let is_before_domains = folder.run(&["-version"]).stdout.starts_with(b"4.");
    assert_eq!(asked(&[]), if is_before_domains { 2 } else { 1 });
}

/// `index` is measured at the type of one of its calls before it is simplified for all of them.
#[test]
fn what_is_measured_is_forgotten() {
    let folder =
        Folder::new(&[("m.ml", include_str!("../../../tests/regress/measured_before_simplified.ml"))]);
    let flags = ["-O3", "-flambeau-policy", "benefit", "-flambeau-verify", "-flambeau-strict"];
    check_status(&folder.command(&folder.tool(), &[], &[&flags[..], &["m.ml", "-o", "program"]].concat()), 0);
    let printed = folder.command(folder.path("program").to_str().expect("a name"), &[], &[]);
    assert_eq!(text(&printed.stdout), "1 11\n?0\n+73\n-72\n+59\n");
}

/// A function that calls what it is given may be too large for its benefit once others are inlined in it; what it was
/// before is inlined then, so that `-O3` is not worse than the default (features B4).
#[test]
fn a_function_that_grew_is_inlined_as_it_was_for_what_it_is_given() {
    let source = "type vm = { stack : int array; mutable sp : int }
        exception Error of string
        let push vm x =
          if vm.sp >= Array.length vm.stack then raise (Error \"overflow\");
          vm.stack.(vm.sp) <- x;
          vm.sp <- vm.sp + 1
        let pop vm =
          if vm.sp = 0 then raise (Error \"underflow\");
          vm.sp <- vm.sp - 1;
          vm.stack.(vm.sp)
        let binop vm f = let b = pop vm in let a = pop vm in push vm (f a b)
        let step vm = function
          | 0 -> binop vm (fun a b -> a + b)
          | 1 -> binop vm (fun a b -> a - b)
          | _ -> binop vm (fun a b -> (a * b) land 0xfffff)";
    let folder = Folder::new(&[("vm.ml", source)]);
    for level in ["-O2", "-O3"] {
        let ir = folder.compile(&[level, "vm.ml"]);
        assert_eq!(calls(&ir, "binop"), 0, "{level}: {ir}");
    }
}
