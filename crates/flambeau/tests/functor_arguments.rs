//! What functors of other units are applied to, and what their functions capture (features B7, B13, D3).

mod folder;
use folder::Folder;

/// A functor whose functions make functions that capture the module of another functor.
const REACH: (&str, &str) = (
    "reach.ml",
    "module type Key = sig type t val equal : t -> t -> bool val hash : t -> int val show : t -> string end
     module Table (K : Key) = struct
       let create () = Array.make 8 []
       let rec among x = function [] -> false | y :: l -> K.equal x y || among x l
       let mem t x = among x t.(K.hash x land 7)
       let add t x = let i = K.hash x land 7 in t.(i) <- x :: t.(i)
       let rec count t i = if i = 8 then 0 else List.length t.(i) + count t (i + 1)
     end
     module Make (K : Key) = struct
       module H = Table (K)
       let all next x =
         let seen = H.create () in
         let rec visit x = if not (H.mem seen x) then begin H.add seen x; visit (next x) end in
         visit x;
         H.count seen 0
       let shown l = String.concat \" \" (List.map K.show l)
       let handed () = let later () = (H.create, H.add, H.mem) in later
     end",
);

fn body<'i>(ir: &'i str, name: &str) -> &'i str {
    let rest = ir.split(&format!("\ncode {name}_")).nth(1).expect("the function");
    rest.split("\n}").next().expect("its body")
}

#[test]
fn structures_of_other_units_are_arguments() {
    // Functions of the standard library have no bodies here.
    let keys = "module Number = struct type t = int let equal (a : int) b = a = b let hash n = n land max_int
                  let show n = string_of_int n end
                module Inner = struct module Deep = Number end
                module Late = struct include Number let show = Printf.sprintf \"%x\" end";
    let user = "module Ints = Reach.Make (Keys.Number)
         module Deep = Reach.Make (Keys.Inner.Deep)
         module Late = Reach.Make (Keys.Late)
         module Own = struct type t = string let equal (a : t) b = a = b let hash (s : t) = Hashtbl.hash s let show s = String.escaped s end
         module Own_again = struct include Own let hash s = String.length s end
         module Owns = Reach.Make (Own)
         module Again = Reach.Make (Own_again)
         let ints x = Ints.all (fun n -> n / 2) x
         let deep x = Deep.all (fun n -> n - n mod 5) x
         let owns x = Owns.all (fun s -> if s = \"\" then s else String.sub s 1 (String.length s - 1)) x
         let again x = Again.all (fun s -> if s = \"\" then s else String.sub s 1 (String.length s - 1)) x
         let late x = Late.all (fun n -> n / 2) x
         let () =
           Printf.printf \"%d %d %d %d %d \" (ints 100) (deep 13) (owns \"abc\") (again \"ab\") (late 8);
           let create, add, mem = Ints.handed () () in
           let h = create () in
           add h 5;
           Printf.printf \"%b %b %s %s %s\" (mem h 5) (mem h 13) (Ints.shown [1; 2]) (Owns.shown [\"\\n\"]) (Late.shown [255])";
    let folder = Folder::new(&[REACH, ("keys.ml", keys), ("user.ml", user)]);
    for level in ["-O1", "-O2", "-O3"] {
        folder.compile(&[level, "reach.ml", "keys.ml"]);
        let ir = folder.compile(&[level, "user.ml"]);
        for name in ["ints", "deep", "owns", "again"] {
            let body = body(&ir, name);
            assert!(!body.contains("camlReach__all_"), "{level} {name}: {body}");
        }
        let printed = folder.link_and_run(&[level, "reach.ml", "keys.ml", "user.ml"]);
        assert_eq!(printed, "8 2 4 3 5 true false 1 2 \\n ff", "{level}");
    }
}

#[test]
fn functors_of_several_arguments_are_applied_to_all_at_once() {
    let base = "let equal_number (a : int) b = a = b let hash n = n land max_int
                let equal_word (a : string) b = a = b let length s = String.length s let id s = s";
    let keys = "module type Key = sig type t val equal : t -> t -> bool val hash : t -> int val show : t -> string end
                module Number = struct type t = int let equal = Base.equal_number let hash = Base.hash let show = string_of_int end
                module Word = struct type t = string let equal = Base.equal_word let hash = Base.length let show = Base.id end
                module Pair (A : Key) (B : Key) = struct
                  type t = A.t * B.t
                  let equal (a, b) (c, d) = A.equal a c && B.equal b d
                  let hash (a, b) = A.hash a + 3 * B.hash b
                  let show (a, b) = A.show a ^ B.show b
                end";
    let user = "module Pairs = Reach.Make (Keys.Pair (Keys.Word) (Keys.Number))
                module First = Keys.Pair (Keys.Number)
                module Others = Reach.Make (First (Keys.Word))
                let pairs x = Pairs.all (fun (s, n) -> s, n / 2) x
                let others x = Others.all (fun (n, s) -> n / 3, s) x
                let () = Printf.printf \"%d %d %s\" (pairs (\"a\", 9)) (others (8, \"b\")) (Pairs.shown [\"c\", 1])";
    let folder = Folder::new(&[REACH, ("base.ml", base), ("keys.ml", keys), ("user.ml", user)]);
    for level in ["-O1", "-O2", "-O3"] {
        folder.compile(&[level, "base.ml", "reach.ml", "keys.ml"]);
        let ir = folder.compile(&[level, "-dflambeau-raw", "user.ml"]);
        let converted = ir.split("\nunit ").nth(1).expect("the unit as it was converted");
        // That of `First`.
        assert_eq!(converted.matches(" slot partial").count(), 1, "{level}: {converted}");
        let printed = folder.link_and_run(&[level, "base.ml", "reach.ml", "keys.ml", "user.ml"]);
        assert_eq!(printed, "5 3 c1", "{level}");
    }
}

#[test]
fn a_type_that_stands_for_a_tuple_says_what_the_parts_are() {
    let source = "module Pairs = struct
         type t = int * int
         let compare (a, b) (c, d) = match Stdlib.compare a c with 0 -> Stdlib.compare b d | order -> order
       end
       module M = Map.Make (Pairs)
       module Tree (K : sig type t val le : t -> t -> bool end) = struct
         let rec insert x = function [] -> [ x ] | y :: l -> if K.le x y then x :: y :: l else y :: insert x l
       end
       type 'a marked = 'a * int
       type order = float marked
       module T = Tree (struct type t = order let le (a, _) (b, _) = a <= b end)
       let find k m = M.find k m
       let insert x l = T.insert x l";
    let folder = Folder::new(&[("t.ml", source)]);
    for level in ["-O1", "-O3"] {
        let ir = folder.compile(&[level, "t.ml"]);
        let find = body(&ir, "find");
        assert!(!find.contains("caml_compare"), "{level}: {find}");
        let copies = || ir.split("\ncode insert_").skip(1).filter_map(|rest| rest.split("\n}").next());
        assert!(copies().any(|copy| copy.contains("fle (")), "{level}: {ir}");
    }
}
