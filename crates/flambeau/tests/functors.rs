//! Modules that functors of other units make (features B7, B13, D3).

mod folder;
use folder::{Folder, check_status, text};

/// A unit with functors: a tree, one with a state of its own, and one that applies the first.
const TREES: (&str, &str) = (
    "trees.ml",
    "module type Key = sig type t val compare : t -> t -> int end
     module Make (K : Key) = struct
       type t = Leaf | Node of t * K.t * t
       let empty = Leaf
       let rec mem x = function
         | Leaf -> false
         | Node (l, y, r) -> let c = K.compare x y in if c = 0 then true else mem x (if c < 0 then l else r)
       let rec add x = function
         | Leaf -> Node (Leaf, x, Leaf)
         | Node (l, y, r) as node ->
             let c = K.compare x y in
             if c = 0 then node else if c < 0 then Node (add x l, y, r) else Node (l, y, add x r)
       let of_list l = List.fold_left (fun t x -> add x t) empty l
       let rec count x = function
         | Leaf -> 0
         | Node (l, y, r) -> (if K.compare x y = 0 then 1 else 0) + count x l + count x r
       let rec size = function Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r
       let many l = if List.length l > 100 then invalid_arg \"many\" else size (of_list l) * 1000 + List.length l
     end
     module Counted (K : Key) = struct
       module Tree = Make (K)
       let count = ref 0
       let mem x t = incr count; Tree.mem x t
       let add = Tree.add
       let empty = Tree.empty
     end
     module Pairs (K : Key) = struct
       include Make (struct type t = K.t * K.t let compare (a, b) (c, d) = let e = K.compare a c in if e <> 0 then e else K.compare b d end)
       let pair x = (x, x)
     end
     module Wide (K : Key) = struct
       include Make (struct type t = K.t * int let compare (a, i) (b, j) = let c = K.compare a b in if c <> 0 then c else i - j end)
       let twice x = of_list [ (x, 0); (x, 1) ]
     end",
);

fn body<'i>(ir: &'i str, name: &str) -> &'i str {
    let rest = ir.split(&format!("\ncode {name}_")).nth(1).expect("the function");
    rest.split("\n}").next().expect("its body")
}

fn compile(source: &str) -> String {
    let folder = Folder::new(&[TREES, ("t.ml", source)]);
    folder.compile(&["-O3", "trees.ml"]);
    folder.compile(&["-O3", "t.ml"])
}

#[test]
fn functions_of_their_modules_know_the_argument() {
    let ir = compile(
        "module T = Trees.Make (struct type t = int let compare (x : int) y = compare x y end)
         let here x t = T.mem x t
         let more x t = T.count x t",
    );
    let here = body(&ir, "here");
    assert!(here.contains("cont rec") && !here.contains("call"), "{here}");
    let more = body(&ir, "more");
    assert!(more.contains("call code count_"), "{more}");
    let copy = ir.split("\ncode count_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the copy");
    assert!(copy.contains(".int") && !copy.contains("call comp"), "{copy}");
    // Functions that are not called are not copied, and the functor still allocates the module.
    assert!(!ir.contains("code many_") && ir.contains("call external \"camlTrees__Make"), "{ir}");
}

#[test]
fn units_and_modules_of_functors_are_arguments() {
    let folder = Folder::new(&[
        TREES,
        ("key.ml", "type t = string let compare a b = if String.length a < String.length b then -1 else compare a b"),
        ("t.ml",
         "module T = Trees.Make (Key)
          module P = Trees.Pairs (Key)
          let here x t = T.mem x t
          let there x t = P.mem (x, x) t
          let () =
            let t = T.of_list [\"a\"; \"bb\"; \"c\"] and p = P.add (\"a\", \"c\") P.empty in
            Printf.printf \"%b %b %b %d\" (here \"c\" t) (there \"a\" p) (P.mem (\"a\", \"c\") p) (T.many [\"x\"; \"x\"])"),
    ]);
    folder.compile(&["-O3", "trees.ml", "key.ml"]);
    let ir = folder.compile(&["-O3", "t.ml"]);
    for name in ["here", "there"] {
        let body = body(&ir, name);
        assert!(!body.contains("call field"), "{body}");
    }
    assert_eq!(folder.link_and_run(&["-O3", "trees.ml", "key.ml", "t.ml"]), "true false true 1002");
}

#[test]
fn a_functor_that_includes_what_another_makes_can_be_evaluated() {
    let source = "module T = Trees.Wide (struct type t = int let compare (x : int) y = compare x y end)
                  let here x t = T.mem x t
                  let () = Printf.printf \"%b %b\" (here (3, 1) (T.twice 3)) (here (3, 2) (T.twice 3))";
    let folder = Folder::new(&[TREES, ("t.ml", source)]);
    folder.compile(&["-O3", "trees.ml"]);
    let ir = folder.compile(&["-O3", "t.ml"]);
    let here = body(&ir, "here");
    assert!(!here.contains("call") && !ir.contains("camlTrees__mem_"), "{ir}");
    assert_eq!(folder.link_and_run(&["-O3", "trees.ml", "t.ml"]), "true false");
}

#[test]
fn what_depends_on_the_application_stays_with_it() {
    let folder = Folder::new(&[
        TREES,
        (
            "t.ml",
            "module Int = struct type t = int let compare (x : int) y = compare x y end
          module A = Trees.Counted (Int)
          module B = Trees.Counted (Int)
          let a x = A.mem x (A.add 1 A.empty)
          let () =
            let one = a 1 in
            let two = a 2 in
            let three = B.mem 3 B.empty in
            Printf.printf \"%b %b %b %d %d %b\" one two three !A.count !B.count (A.mem == A.mem)",
        ),
    ]);
    assert_eq!(folder.link_and_run(&["-O3", "trees.ml", "t.ml"]), "true false false 2 1 true");
}

#[test]
fn an_argument_of_run_time_leaves_the_call_alone() {
    let ir = compile(
        "let key = (module struct type t = int let compare x y = if Sys.word_size > 32 then x - y else y - x end : Trees.Key)
         module K = (val (Sys.opaque_identity key))
         module T = Trees.Make (K)
         let here x t = T.mem x t",
    );
    let here = body(&ir, "here");
    assert!(here.contains("call external \"camlTrees__mem_") && here.contains("via"), "{here}");
}

#[test]
fn large_functions_are_called_as_they_are() {
    let flags = ["-flambda2-inline-small-function-size", "1", "-flambeau-policy", "threshold"];
    let folder = Folder::new(&[
        TREES,
        (
            "t.ml",
            "module T = Trees.Make (Int)
                  let over l = T.many l
                  let () = print_int (over [3; 1; 2; 3])",
        ),
    ]);
    assert_eq!(folder.link_and_run(&[&flags[..], &["trees.ml", "t.ml"]].concat()), "3004");
}

#[test]
fn functions_of_other_units_are_known_arguments() {
    let folder = Folder::new(&[
        (
            "a.ml",
            "let double x = 2 * x
                  module M = struct let triple x = 3 * x end
                  let rec map f = function [] -> [] | x :: l -> let y = f x in y :: map f l",
        ),
        (
            "t.ml",
            "let doubled l = A.map A.double l
                  let () = List.iter print_int (doubled [1; 2; 3])
                  let () = List.iter print_int (A.map A.M.triple [1; 2])",
        ),
    ]);
    folder.compile(&["-O3", "a.ml"]);
    let ir = folder.compile(&["-O3", "t.ml"]);
    let copy = ir.split("\ncode map_").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the copy");
    assert!(copy.contains("mul.int") || copy.contains("add.int"), "{ir}");
    assert_eq!(folder.link_and_run(&["-O3", "a.ml", "t.ml"]), "24636");
}

/// A functor of the unit itself, too large to be doubled, applied twice.
#[test]
fn large_functors_of_the_unit_are_evaluated_beside_their_applications() {
    let steps: String = (0..8)
        .map(|n| {
            format!(
                "let step{n} l = List.fold_left (fun (a, b) x -> if K.compare x a > 0 then (x, b + {n}) else (a, b * 3)) (List.hd l, 0) (List.rev l)\n"
            )
        })
        .collect();
    let source = format!(
        "module Make (K : sig type t val compare : t -> t -> int end) = struct
           {steps}
           let less x y = K.compare x y < 0
         end
         module Ints = Make (struct type t = int let compare (x : int) y = compare x y end)
         module Floats = Make (struct type t = float let compare (x : float) y = compare x y end)
         let ints x y = Ints.less x y
         let floats x y = Floats.less x y
         let () = Printf.printf \"%b %b %d\" (ints 1 2) (floats 2. 1.) (snd (Ints.step3 [1; 2; 3]))"
    );
    let folder = Folder::new(&[("t.ml", &source)]);
    let beside = folder.compile(&["t.ml"]);
    assert!(beside.contains("call code Make_"), "{beside}");
    let inlined = folder.compile(&["-O3", "t.ml"]);
    assert!(!inlined.contains("call code Make_"), "{inlined}");
    for ir in [&beside, &inlined] {
        for name in ["ints", "floats"] {
            let body = body(ir, name);
            assert!(!body.contains("call"), "{body}");
        }
    }
    for flags in [&["t.ml"][..], &["-O3", "t.ml"]] {
        assert_eq!(folder.link_and_run(flags), "true false 27");
    }
}

/// Functors that apply others are copied with these as often as they are applied themselves: that is counted before
/// the first copy is made.
#[test]
fn functors_are_copied_as_far_as_all_copies_fit_the_unit() {
    let steps: String = (0..6)
        .map(|n| {
            format!("let step{n} x = state := X.make (!state + x); if !state > {n} then X.make x else {n}\n")
        })
        .collect();
    let source = |tables: &str| {
        format!(
            "module type S = sig val make : int -> int end
             module Node (X : S) = struct let state = ref (X.make 0) {steps} let make x = step0 x + step5 x end
             module Table (X : S) = struct module A = Node (X) module B = Node (A) module C = Node (B) include C end
             module Small (X : S) = struct let twice x = X.make (X.make x) end
             {tables}"
        )
    };
    let table = |n: u32| {
        format!(
            "module T{n} = Table (struct let make x = x + {n} + Sys.opaque_identity 0 end)
             module S{n} = Small (T{n})
             let () = Printf.printf \"%d \" (S{n}.twice {n})\n"
        )
    };
    let tables = |n: u32| source(&(0..n).map(table).collect::<String>());
    let (few, many) = (Folder::new(&[("t.ml", &tables(1))]), Folder::new(&[("t.ml", &tables(8))]));
    for level in [&[][..], &["-O3"]] {
        let copies = |folder: &Folder| {
            let ir = folder.compile(&[level, &["t.ml"]].concat());
            assert!(!ir.contains("call code Small_"), "{ir}");
            ir.matches("\ncode step3_").count()
        };
        // That of the functor itself, which other units may apply, and three in one table.
        assert_eq!(copies(&few), 4);
        assert!(copies(&many) < 4, "{}", copies(&many));
        let printed = many.link_and_run(&[level, &["t.ml"]].concat());
        assert_eq!(printed.split_whitespace().count(), 8, "{printed}");
    }
}

/// A unit that applies functors of another unit, in every form that the language has.
const MAKERS: (&str, &str) = (
    "makers.ml",
    "module Number = struct type t = int let compare (x : int) y = compare x y end
     module Word = struct type t = string let compare (x : string) y = compare x y end
     module T = Trees.Make (Number)
     module Sealed : sig type t val empty : t val add : string -> t -> t val mem : string -> t -> bool end = Trees.Make (Word)
     module Inside = struct module T = Trees.Make (struct type t = char let compare (x : char) y = compare x y end) let zero = 0 end
     include Trees.Make (struct type t = bool let compare (x : bool) y = compare x y end)
     module Pairs = Trees.Pairs (Number)
     module Counted = Trees.Counted (Number)
     module Of_pairs = Trees.Make (struct type t = int let compare x y = Pairs.count (x, y) Pairs.empty - Pairs.count (y, x) Pairs.empty + compare (x : int) y end)
     type settings = { first : int; second : int -> int }
     let keep settings = Sys.opaque_identity settings
     let settings = keep { first = 1; second = (fun x -> x + 1) }",
);

const USER: &str = "module Again = Passed.T
     let plain x t = Makers.T.mem x t
     let sealed x t = Makers.Sealed.mem x t
     let inside x t = Makers.Inside.T.mem x t
     let included x t = Makers.mem x t
     let pairs x y t = Makers.Pairs.mem (x, y) t
     let again x t = Again.mem x t
     let counted x t = Makers.Counted.mem x t
     let record x = Makers.settings.second x + Makers.settings.first
     let () =
       let t = Makers.T.(add 3 (add 5 empty)) in
       Printf.printf \"%b %b %b %b %d\\n\" (plain 3 t) (plain 4 t) (again 5 t) (again 6 t) (Makers.T.size t);
       Printf.printf \"%b %b\\n\" (sealed \"a\" Makers.Sealed.(add \"a\" empty)) (sealed \"b\" Makers.Sealed.empty);
       Printf.printf \"%b %b\\n\" (inside 'x' Makers.Inside.T.(add 'x' empty)) (inside 'y' Makers.Inside.T.empty);
       Printf.printf \"%b %b\\n\" (included true Makers.(add true empty)) (included true Makers.empty);
       Printf.printf \"%b %b\\n\" (pairs 1 2 Makers.Pairs.(add (pair 1) (add (1, 2) empty))) (pairs 1 3 Makers.Pairs.empty);
       Printf.printf \"%b\\n\" (counted 1 Makers.Counted.(add 1 empty));
       ignore (Makers.Counted.mem 2 Makers.Counted.empty);
       Printf.printf \"%d %d %b\\n\" !Makers.Counted.count (record 3) Makers.Of_pairs.(mem 1 (add 1 empty))\n";

const USER_PRINTED: &str =
    "true false true false 2\ntrue false\ntrue false\ntrue false\ntrue false\ntrue\n2 5 true\n";

#[test]
fn modules_that_another_unit_made_are_known() {
    let files = [TREES, MAKERS, ("passed.ml", "module T = Makers.T"), ("user.ml", USER)];
    let folder = Folder::new(&files);
    let names = files.map(|(name, _)| name);
    folder.compile(&["-O3", "trees.ml", "makers.ml", "passed.ml"]);
    let ir = folder.compile(&["-O3", "user.ml"]);
    let is_loop = |name: &str| {
        let body = body(&ir, name);
        assert!(body.contains("cont rec") && !body.contains(" call "), "{name}: {body}");
    };
    ["plain", "inside", "included", "again", "pairs"].into_iter().for_each(is_loop);
    // Comparisons of strings are too large to be inlined with the function, of which there is a copy.
    let sealed = body(&ir, "sealed");
    assert!(sealed.contains("call code mem_") && sealed.matches(" call ").count() == 1, "{sealed}");
    is_loop("mem");
    let counted = body(&ir, "counted");
    assert!(counted.contains("call external \"camlTrees__mem_") && counted.contains("via"), "{counted}");
    assert!(body(&ir, "record").contains("call field"), "{ir}");
    for level in ["-Oclassic", "-O2", "-O3"] {
        assert_eq!(folder.link_and_run(&[&[level][..], &names].concat()), USER_PRINTED, "{level}");
    }
}

#[test]
fn nothing_is_known_of_them_with_another_functor_than_they_were_made_with() {
    let folder = Folder::new(&[TREES, MAKERS, ("user.ml", "let plain x t = Makers.T.mem x t")]);
    folder.compile(&["-O3", "trees.ml", "makers.ml"]);
    // The interface stays, the code of the functor changes.
    std::fs::write(folder.path("trees.ml"), TREES.1.replace("c = 0 then true", "c = 1 then true"))
        .expect("a file");
    folder.compile(&["-O3", "trees.ml"]);
    let ir = folder.compile(&["-O3", "user.ml"]);
    assert!(body(&ir, "plain").contains("call field"), "{ir}");
}

/// In a chain of functor applications, each result is the argument of the next application: the size of what is
/// exported for all of them together must not grow with the square of the length.
#[test]
fn chains_of_applications_are_exported_in_linear_space() {
    let floors: String = (1..40).map(|k| format!("module M{k} : S = F (M{})\n", k - 1)).collect();
    let values = |text: &dyn Fn(u32) -> String| (0..12).map(text).collect::<Vec<_>>().join(" ");
    let source = format!(
        "module type S = sig {} end module F (X : S) = struct {} end module M0 : S = struct {} end {floors}",
        values(&|i| format!("val f{i} : int -> int")),
        values(&|i| format!("let f{i} x = X.f{i} (x + {i})")),
        values(&|i| format!("let f{i} x = x * {i}")),
    );
    let folder = Folder::new(&[("tower.ml", &source), ("t.ml", "let f x = Tower.M1.f2 x")]);
    folder.compile(&["-O3", "tower.ml"]);
    let size = std::fs::metadata(folder.path("tower.cmx")).expect("the file").len();
    assert!(size < 20_000, "{size} bytes");
    let ir = folder.compile(&["-O3", "t.ml"]);
    assert!(!body(&ir, "f").contains("call"), "{ir}");
}

#[test]
fn closed_functions_of_what_a_functor_gives_are_called_directly() {
    let ir = compile(
        "module Outer (K : Trees.Key) = struct
           module T = Trees.Make (K)
           let total t u = T.size t + T.size u
           let has x t = T.mem x t
         end [@@inline never]",
    );
    let total = body(&ir, "total");
    assert!(
        total.contains("external \"camlTrees__size_") && !total.contains("closure my_closure"),
        "{total}"
    );
    // A function that needs its closure is called with that of the module, which the functor allocates: the functor is
    // not inlined any more.
    let has = body(&ir, "has");
    assert!(has.contains("external \"camlTrees__mem_") && has.contains("via"), "{has}");
    assert!(body(&ir, "Outer").contains("[inlined never]"), "{ir}");
}

/// A functor whose functions are too large to be copied for its arguments, with state and with functions that return
/// closures.
const LARGE: (&str, &str) = (
    "large.ml",
    "module type Key = sig type t val compare : t -> t -> int end
     module Make (K : Key) = struct
       let calls = ref 0
       let rec insert x l =
         incr calls;
         match l with
         | [] -> [x]
         | [y] -> if K.compare x y < 0 then [x; y] else [y; x]
         | y :: z :: rest ->
             if K.compare x y < 0 then x :: l
             else if K.compare x z < 0 then y :: x :: z :: rest
             else if K.compare y z > 0 then insert y (insert x (z :: rest))
             else y :: z :: insert x rest
       let sort l = List.fold_left (fun sorted x -> insert x sorted) [] (List.rev (List.rev_append (List.rev l) []))
       let later x = let n = List.length (sort [x; x]) in fun y -> n + K.compare x y
       module Inner = struct let twice x l = insert x (insert x (insert x (insert x l))) end
     end
     module Ints = Make (struct type t = int let compare (x : int) y = compare x y end)
     module Sealed : sig type t = string val insert : t -> t list -> t list val calls : int ref end =
       struct type t = string include Make (struct type t = string let compare (x : string) y = compare x y end) end
     module Nested = struct let zero = 0 module Ints = Ints end
     let chosen : (module Key_insert.S) = if Array.length Sys.argv > 5 then (module Ints) else (module Nested.Ints)
     module Chosen = (val chosen)",
);

const KEY: (&str, &str) =
    ("key_insert.ml", "module type S = sig val insert : int -> int list -> int list end");

#[test]
fn functions_that_are_not_copied_are_called_directly() {
    let user = "module Words = Large.Make (String)
         let here x l = Words.insert x l
         let inner x l = Words.Inner.twice x l
         let there x l = Large.Ints.insert x l
         let sealed x l = Large.Sealed.insert x l
         let nested x l = Large.Nested.Ints.Inner.twice x l
         let over x y = Words.later x y
         let partial x = Words.insert x
         let chosen x l = Large.Chosen.insert x l
         let local n x l = let module L = Large.Make (struct type t = int let compare x y = compare (x mod n) (y mod n) end) in L.insert x l
         let () =
           let ints l = List.iter (Printf.printf \"%d \") l in
           print_string (String.concat \",\" (here \"b\" (inner \"a\" [\"c\"]) @ partial \"x\" [\"y\"] @ sealed \"s\" [\"r\"]));
           ints (there 3 [1; 2; 4; 9]); ints (nested 1 [5]); ints (chosen 2 [3]); ints (local 3 7 [9; 1]);
           Printf.printf \"%d %d %d %d\" (over \"a\" \"b\") !Words.calls !Large.Ints.calls !Large.Sealed.calls";
    let folder = Folder::new(&[KEY, LARGE, ("user.ml", user)]);
    let mut printed = Vec::new();
    for level in ["-O1", "-O2", "-O3", "-flambeau-no-inline"] {
        // However small what is copied may be: the question is what becomes of the others.
        let flags = [level, "-flambeau-functions-of-functors", "1"];
        folder.compile(&[&flags[..], &["key_insert.ml", "large.ml"]].concat());
        let ir = folder.compile(&[&flags[..], &["user.ml"]].concat());
        for name in ["here", "there", "sealed", "local", "over"] {
            let body = body(&ir, name);
            let direct = body.contains("call external \"camlLarge__") || body.contains("call code");
            assert!(direct && !body.contains("call field"), "{level} {name}: {body}");
        }
        printed.push(folder.link_and_run(&[&flags[..], &["key_insert.ml", "large.ml", "user.ml"]].concat()));
    }
    let expected = "a,a,a,a,b,c,x,y,r,s1 2 3 4 9 1 1 1 1 5 2 3 9 1 7 1 10 9 1";
    assert!(printed.iter().all(|printed| printed.starts_with(expected)), "{printed:?}");
    assert!(printed.windows(2).all(|two| two[0] == two[1]), "{printed:?}");
}

/// Where the unit that applies a functor inlines it, its module has closures of copied functions.
#[test]
fn what_was_inlined_elsewhere_is_not_called_as_the_functor_has_it() {
    let made = "module Small (K : Trees.Key) = struct
           let count = ref 0
           let mem x l = incr count; List.exists (fun y -> K.compare x y = 0) l
         end
         module One = Small (struct type t = int let compare x y = incr (Sys.opaque_identity (ref 0)); compare x y end)
         module Two = Small (String)
         module T = Trees.Make (String)";
    let user = "let one x l = Made.One.mem x l
         let two x l = Made.Two.mem x l
         let t x t = Made.T.many [x; t]
         let () =
           let first = one 1 [2; 1] in
           let second = two \"a\" [] in
           Printf.printf \"%b %b %d %d %d\" first second !Made.One.count !Made.Two.count (t \"a\" \"b\")";
    let folder = Folder::new(&[TREES, ("made.ml", made), ("user.ml", user)]);
    for flags in [&["-O1"][..], &["-O2"], &["-O3"], &["-O3", "-flambeau-functions-of-functors", "1"]] {
        let files = ["trees.ml", "made.ml", "user.ml"];
        assert_eq!(folder.link_and_run(&[flags, &files].concat()), "true false 1 1 2002");
    }
}

/// The functions that a specialised instance passes on stay alive with it, although nobody calls them: all the
/// functions of a tree for one call (a unit of two lines had 11 kB of code, the stock compiler's has 100 bytes).
#[test]
fn functions_that_hand_modules_on_are_called_as_they_are() {
    let folder = Folder::new(&[
        TREES,
        (
            "bags.ml",
            "module type Tree = sig type elt type t val empty : t val add : elt -> t -> t val orders : elt -> elt -> elt -> int list end
             module Of (K : Trees.Key) (T : Tree with type elt = K.t) = struct
               let rec fold f acc = function [] -> acc | x :: l -> f x (fold f acc l)
               let all l = let module U = (val Sys.opaque_identity (module T : Tree with type elt = K.t and type t = T.t)) in
                 fold (fun x t -> U.add x t) U.empty l
               let first = function [] -> T.empty | x :: _ -> T.add x T.empty
             end
             module Make (K : Trees.Key) = struct
               module T = struct
                 type elt = K.t
                 include Trees.Make (K)
                 let orders x y z =
                   let c = K.compare in
                   if c x y < c y z then [c x z; c y x; c z x; c z y; c x y + c y z; c x z * c y x; c z x - c z y; c x y lxor c y z]
                   else if c x z < c z x then [c x x; c y y; c z z; c x y; c x z; c y x; c y z; c z x; c z y] else []
               end
               module B = Of (K) (T)
             end",
        ),
        ("v.ml", "include Bags.Make (struct type t = string let compare (a : t) b = compare a b end)"),
        (
            "t.ml",
            "let all l x = V.T.mem x (V.B.all l)
             let first l x = V.T.mem x (V.B.first l)
             let () = Printf.printf \"%b %b %b\" (all [\"a\"; \"b\"] \"b\") (all [\"a\"] \"b\") (first [\"a\"; \"b\"] \"b\")",
        ),
    ]);
    folder.compile(&["-O3", "trees.ml", "bags.ml", "v.ml"]);
    let ir = folder.compile(&["-O3", "t.ml"]);
    assert!(!ir.contains("code orders_"), "{ir}");
    assert!(body(&ir, "all").contains("call external \"camlBags__all_"), "{ir}");
    // A function that only reads the module is specialised as before.
    assert!(!body(&ir, "first").contains("camlBags__first_"), "{ir}");
    let files = ["-O3", "trees.ml", "bags.ml", "v.ml", "t.ml"];
    assert_eq!(folder.link_and_run(&files), "true false false");
}

/// A function of a functor of the library that calls a small function of the argument in its loops is copied without
/// `-O3`, too; where that calls something itself, it is not.
#[test]
fn small_functions_of_the_argument_make_larger_copies() {
    let compiled = |source: &str| {
        let folder = Folder::new(&[("t.ml", source)]);
        let output = folder.command(&folder.tool(), &[], &["-flambeau-verify", "-dflambeau", "-c", "t.ml"]);
        check_status(&output, 0);
        text(&output.stderr)
    };
    let is_called = |compare: &str| {
        let order = format!("struct type t = int let compare a b = {compare} end");
        let ir = compiled(&format!("module M = Map.Make ({order})\nlet u k m = M.add k 1 m"));
        ir.lines().any(|line| line.contains("call external") && line.contains("add"))
    };
    assert!(!is_called("Int.compare a b"));
    assert!(is_called("Sys.opaque_identity compare a b"));
    let ir = compiled("module S = Set.Make (Int)\nlet f a b = S.union a b, S.inter a b, S.diff a b");
    assert_eq!(ir.matches(" slot split").count(), 1, "copied once for all that call it: {ir}");
}

/// A functor that is passed to a functor is evaluated with that, but what is called when the program runs gets the
/// functor itself, and not a copy with all that it makes.
#[test]
fn functors_as_arguments_stay_where_they_are() {
    let folder = Folder::new(&[
        TREES,
        ("sized.mli", "module Make (_ : Trees.Key with type t = int) : sig val size : int -> int end"),
        (
            "sized.ml",
            "module Inner (K : Trees.Key with type t = int) = struct
               module T = Trees.Make (K)
               let size n = T.many (List.init n (fun i -> i * i mod 7))
             end
             module Make (K : Trees.Key with type t = int) : sig val size : int -> int end = struct
               module M = Inner (K)
               let size n = M.size n + M.size (n + 1)
             end",
        ),
        (
            "apply.ml",
            "module Make (K : Trees.Key with type t = int)
               (F : functor (_ : Trees.Key with type t = int) -> sig val size : int -> int end) = struct
               module T = F (K)
               let sizes l = List.map T.size l
             end",
        ),
        (
            "t.ml",
            "let sizes =
               let module Apply = Apply.Make (Int) in
               let module M = Apply (Sized.Make) in
               let module N = Apply (Sized.Make) in
               (M.sizes, N.sizes)",
        ),
    ]);
    let [.., ir] = ["trees.ml", "sized.mli", "sized.ml", "apply.ml", "t.ml"]
        .map(|source| folder.compile(&["-O2", source]));
    // As where the functor is applied directly: it is called, and a copy of it would come with all that it makes.
    assert!(ir.contains("call external \"camlSized__Make") && !ir.contains("camlTrees__many"), "{ir}");
}

/// As dune compiles the main module of a program: nothing of it is exported. So the functor that is applied once is
/// inlined in the other one, whose functions then call what is in a block of closures.
#[test]
fn functors_of_functors_are_known_where_nothing_is_exported() {
    let folder = Folder::new(&[("t.mli", ""), ("t.ml", NESTED)]);
    check_status(&folder.flambeau(&["-c", "t.mli"]), 0);
    let ir = folder.compile(&["-O3", "t.ml"]);
    assert!(!ir.contains("call code Use"), "{ir}");
    assert!(!ir.contains("call field (x, y)"), "{ir}");
    assert_eq!(folder.link_and_run(&["-O3", "t.ml"]), "56");
}

const NESTED: &str = "module type O = sig type t val compare : t -> t -> int end
     module Listed (E : O with type t = int) = struct
       let rec add x = function [] -> [ x ] | y :: rest as l -> if E.compare x y <= 0 then x :: l else y :: add x rest
       let least = function [] -> 0 | x :: _ -> x
     end
     module Fill (B : sig val add : int -> int list -> int list val least : int list -> int end) = struct
       let rec drain f acc = function [] -> acc | x :: l -> drain f (f x acc) l
       let fold items = B.least (drain B.add [] items)
     end
     module Use (Make : module type of Listed) = struct
       module B = Make (struct type t = int let compare (x : int) y = compare x y end)
       module F = Fill (B)
       let run items = print_int (F.fold items + B.least (B.add 3 []))
     end
     module A = Use (Listed) module C = Use (functor (E : O with type t = int) -> Listed (struct include E let compare x y = E.compare y x end))
     let () = A.run [ 4; 2; 3 ]; C.run [ 1; 3; 2 ]";
