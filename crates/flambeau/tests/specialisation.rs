//! Specialisation across units, and what it may cost (features C1).

mod folder;
use folder::{Folder, check_status, text};

/// How often a function of that name is defined in a unit.
fn copies(ir: &str, name: &str) -> usize {
    ir.matches(&format!("\ncode {name}_")).count()
}

fn user(library: &str, source: &str) -> String {
    let folder = Folder::new(&[("lib.ml", library), ("t.ml", source)]);
    folder.compile(&["-O3", "lib.ml"]);
    folder.compile(&["-O3", "t.ml"])
}

const MUTUAL: &str = "let rec even f n = if n <= 0 then 0 else f n + odd f (n - 1)
     and odd f n = if n <= 0 then 1 else f (n + 1) * even f (n - 2)";

#[test]
fn functions_of_another_unit_that_call_each_other_are_copied_together() {
    // The smaller one is inlined in the other, unless it calls itself.
    let ir = user(MUTUAL, "let u n = Lib.odd (fun x -> x + 3) n");
    assert_eq!((copies(&ir, "even"), copies(&ir, "odd")), (0, 1), "{ir}");
    assert!(!ir.contains("call external"), "{ir}");
    let apart = MUTUAL.replace("f n +", "f n + even f (n - 4) +") + " + odd f (n - 3)";
    let ir = user(&apart, "let u n = Lib.even (fun x -> x + 3) n");
    assert_eq!((copies(&ir, "even"), copies(&ir, "odd")), (1, 1), "{ir}");
    assert!(!ir.contains("call external"), "{ir}");
    // What the functions capture is captured once.
    let ir = user(&apart, "let u k n = Lib.odd (fun x -> x + k) n");
    assert_eq!((copies(&ir, "even"), copies(&ir, "odd")), (1, 1), "{ir}");
    assert!(!ir.contains("call external"), "{ir}");
}

#[test]
fn they_do_what_they_did() {
    let source = "let rec fact n = if n = 0 then 1 else n * fact (n - 1)
         let () = Printf.printf \"%d %d %d\" (Lib.even (fun x -> x + 3) 9) (Lib.odd (fun x -> x - fact 3) 8)
           (List.fold_left (fun a k -> a + Lib.even (fun x -> x * k) k) 0 [1; 2; 3; 4; 5])";
    let folder = Folder::new(&[("lib.ml", MUTUAL), ("t.ml", source)]);
    let expected = folder.link_and_run(&["-Oclassic", "lib.ml", "t.ml"]);
    for level in ["-O1", "-O2", "-O3"] {
        assert_eq!(folder.link_and_run(&[level, "lib.ml", "t.ml"]), expected, "{level}");
    }
}

/// Each function builds a new closure from its argument for the next call, so that no two calls have the same argument.
#[test]
fn functions_that_are_made_in_copies_have_an_end() {
    let library = "let rec a f g n = if n = 0 then f n else g (b (fun x -> f (x + 1)) g (n - 1))
         and b f g n = if n = 0 then f n else g (c (fun x -> f (x * 2)) g (n - 1))
         and c f g n = if n = 0 then f n else g (a (fun x -> f (x - 3)) g (n - 1)) + b f g (n - 1)";
    let ir = user(library, "let u n = Lib.a (fun x -> x + 3) (fun x -> x land 1023) n");
    assert!(copies(&ir, "a") + copies(&ir, "b") + copies(&ir, "c") <= 6, "{ir}");
}

/// Folds over two kinds of nodes, one of them in a closure that it allocates, as in a library of session types.
#[test]
fn folds_through_closures_have_an_end() {
    let library = "type t = { subs : u list; name : int } and u = { trans : t list; id : int }
         let rec fold_t f acc t = let acc = List.fold_left (fold_u f) acc t.subs in f acc t.name
         and fold_u f acc u = let acc = List.fold_left (fun acc t -> fold_t f acc t) acc u.trans in f acc u.id";
    let source = (0..8).fold(String::new(), |text, n| {
        format!("{text}let u{n} k t = Lib.fold_t (fun acc x -> acc + x * k + {n}) 0 t\n")
    });
    let ir = user(library, &source);
    assert!(
        copies(&ir, "fold_t") + copies(&ir, "fold_u") <= 16,
        "{} {}",
        copies(&ir, "fold_t"),
        copies(&ir, "fold_u")
    );
}

/// However much was specialised before, an attribute is obeyed, and small functions are inlined.
#[test]
fn neighbours_are_not_starved() {
    let library = format!("{MUTUAL}\nlet rec iter f = function [] -> () | x :: l -> f x; iter f l");
    let mut source = String::new();
    for n in 0..60 {
        source += &format!("let u{n} n = Lib.even (fun x -> x + {n}) n + Lib.odd (fun x -> x * {n} - n) n\n");
    }
    source += "let small x = x * 7 + (x lsr 3) * 5 - (x lxor 12) + (x * x) / (x + 1) + (x mod 5)
         let last x = small (x + 1)
         let wanted k l = (Lib.iter [@specialised]) (fun x -> k := x) l";
    let folder = Folder::new(&[("lib.ml", &library), ("t.ml", &source)]);
    folder.compile(&["-O3", "lib.ml"]);
    let output = folder.flambeau(&["-O3", "-w", "+55", "-dflambeau", "-c", "t.ml"]);
    check_status(&output, 0);
    let ir = text(&output.stderr);
    assert!(!ir.contains("Warning 55"), "{ir}");
    let last =
        ir.split("\ncode last_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the function");
    assert!(!last.contains("call"), "{last}");
}

/// A merge sort as that of the standard library: not recursive itself, its loops call what it is given, and it is too
/// large to be inlined for less.
const SORT: &str = "let rec rev_append a b = match a with [] -> b | x :: a -> rev_append a (x :: b)
     let sort cmp l =
       let rec merge l1 l2 accu = match l1, l2 with
         | [], l | l, [] -> rev_append accu l
         | h1 :: t1, h2 :: t2 -> if cmp h1 h2 <= 0 then merge t1 l2 (h1 :: accu) else merge l1 t2 (h2 :: accu) in
       let rec split n l accu = if n = 0 then accu, l else match l with
         | [] -> accu, [] | x :: l -> split (n - 1) l (x :: accu) in
       let rec sort n l = match n, l with
         | 0, _ -> []
         | 1, x :: _ -> [x]
         | 2, x :: y :: _ -> if cmp x y <= 0 then [x; y] else [y; x]
         | 3, x :: y :: z :: _ ->
           if cmp x y <= 0 then if cmp y z <= 0 then [x; y; z] else if cmp x z <= 0 then [x; z; y] else [z; x; y]
           else if cmp x z <= 0 then [y; x; z] else if cmp y z <= 0 then [y; z; x] else [z; y; x]
         | n, l -> let m = n / 2 in let a, b = split m l [] in
           let s = sort m (rev_append a []) in let t = sort (n - m) b in merge s t [] in
       sort (List.length l) l";

/// Enough other code that the unit may grow by a sort.
fn with_other_code(source: &str) -> String {
    (0..40).fold(source.to_owned(), |text, n| {
        format!("{text}\nlet other{n} a i = a.(i) <- a.(i + {n}) * a.(i * {n}); a.(a.(i) + 1) <- a.(i - {n}) / (i + 7); a")
    })
}

#[test]
fn sorts_are_inlined_for_small_comparisons() {
    let small = "let u l = sort (fun (a : int) b -> compare b a) l let w l = sort (fun (a, _) (b, _) -> Int.compare a b) l";
    let ir =
        Folder::new(&[("t.ml", &with_other_code(&format!("{SORT}\n{small}")))]).compile(&["-O3", "t.ml"]);
    assert!(copies(&ir, "sort") > 2 && ir.matches("call cmp").count() == 7, "{ir}");
    // A comparison that itself calls is most of the time: nothing is gained.
    let large = "let rec f a b = if a > 10 then 1 + f (a - 1) b else a - b let u l = sort f l let w l = sort (fun a b -> f b a) l";
    let ir =
        Folder::new(&[("t.ml", &with_other_code(&format!("{SORT}\n{large}")))]).compile(&["-O3", "t.ml"]);
    assert!(copies(&ir, "merge") <= 1 && copies(&ir, "sort") <= 2, "{ir}");
    assert_eq!(ir.matches("call cmp").count(), 7, "{ir}");
}

/// Where code may grow much, in a unit that is hardly more than the sort, too.
#[test]
fn a_small_unit_has_its_sort_inlined_at_o3() {
    let folder =
        Folder::new(&[("t.ml", &format!("{SORT}\nlet u l = sort (fun (a : int) b -> compare b a) l"))]);
    let passes_on = |flags: &[&str]| folder.compile(flags).contains("($fun_c1_closure, l) -> return");
    assert!(passes_on(&["t.ml"]) && !passes_on(&["-O3", "t.ml"]));
}

#[test]
fn inlined_sorts_sort() {
    let sorts = "let u k l = sort (fun (a : int) b -> compare (a * k land 15) (b * k land 15)) l
         let w l = sort (fun (a : int) b -> compare b a) l";
    let main = "let () = List.iter (fun k -> List.iter (Printf.printf \"%d \") (T.u k (T.w (List.init 50 (fun i -> i * 37 mod 53)))))
           [1; 3; -1; 0]";
    let folder = Folder::new(&[("t.ml", &with_other_code(&format!("{SORT}\n{sorts}"))), ("m.ml", main)]);
    let expected = folder.link_and_run(&["-Oclassic", "t.ml", "m.ml"]);
    for level in ["-O2", "-O3"] {
        assert_eq!(folder.link_and_run(&[level, "t.ml", "m.ml"]), expected, "{level}");
    }
}

/// With descriptions of the standard library: its sorts are copied, too.
#[test]
fn sorts_of_the_library_are_inlined() {
    for source in [
        "let u (l : (int * int) list) = List.sort (fun (a, _) (b, _) -> Int.compare a b) l",
        "let u (a : int array) = Array.stable_sort (fun a b -> b - a) a",
    ] {
        let folder = Folder::new(&[("t.ml", &with_other_code(source))]);
        let tool = folder.tool();
        let output = folder.command(&tool, &[], &["-O3", "-flambeau-verify", "-dflambeau", "-c", "t.ml"]);
        check_status(&output, 0);
        let ir = text(&output.stderr);
        let is_called = |line: &str| line.contains("call ") && line.contains("stable_sort");
        assert!(!ir.lines().any(is_called) && !ir.contains("call cmp"), "{ir}");
    }
}

/// By default a small unit has a short sort inlined, but no long one.
#[test]
fn a_small_unit_has_a_short_sort_inlined() {
    let sort = "let u (a : int array) = Array.sort (fun a b -> b - a) a";
    let longer = "let u (a : int array) = Array.stable_sort (fun a b -> b - a) a";
    for (source, inlined) in [(sort, true), (longer, false)] {
        let folder = Folder::new(&[("t.ml", source)]);
        let tool = folder.tool();
        let output = folder.command(&tool, &[], &["-flambeau-verify", "-dflambeau", "-c", "t.ml"]);
        check_status(&output, 0);
        let ir = text(&output.stderr);
        let is_called = |line: &str| line.contains("call ") && line.contains("sort");
        assert_eq!(ir.lines().any(is_called), !inlined, "{ir}");
    }
}

/// The front end makes two functions of one with default arguments: the types of a call are those of both.
#[test]
fn functions_with_default_arguments_are_specialised_for_types() {
    let source = "let rec find x = function [] -> None | (k, v) :: l -> if compare k x = 0 then Some v else find x l
                  let memo ?(table = []) f =
                    let table = ref table in
                    let rec self x =
                      match find x !table with
                      | Some y -> y
                      | None -> let y = f self x in table := (x, y) :: !table; y in
                    self
                  let u a b =
                    memo (fun self (i, j) -> if i = 0 || j = 0 then 1 else self (i - 1, j) + self (i, j - 1)) (a, b)";
    for level in ["-O1", "-O3"] {
        let folder = Folder::new(&[("t.ml", source), ("m.ml", "let () = print_int (T.u 5 4)")]);
        let ir = folder.compile(&[level, "t.ml"]);
        // What finds pairs is inlined in its only use, and compares numbers; the other is for other units.
        assert_eq!(copies(&ir, "find"), 2, "{level}: {ir}");
        assert_eq!(ir.matches("c_call[\"caml_compare\"").count(), 1, "{level}: {ir}");
        assert_eq!(folder.link_and_run(&[level, "t.ml", "m.ml"]), "126");
    }
}
