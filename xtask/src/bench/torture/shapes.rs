//! Units that are hard on compilers, of the kinds that people report: what programs write, and what writers of
//! benchmarks of inliners fear.

use std::fmt::Write as _;

/// A kind of unit.
pub struct Shape {
    /// Its name in the tables.
    pub name: &'static str,
    /// The unit of that size, whatever the size counts there.
    pub source: fn(usize) -> String,
    /// The size that is measured.
    pub full: usize,
    /// That of the quick version.
    pub quick: usize,
}

/// All kinds. Each prints something that depends on all that it computes.
pub const SHAPES: &[Shape] = &[
    Shape { name: "parser with tables", source: parser_with_tables, full: 1500, quick: 300 },
    Shape { name: "parser of functions", source: parser_of_functions, full: 400, quick: 100 },
    Shape { name: "extracted code", source: extracted, full: 150, quick: 40 },
    Shape { name: "recursive group", source: recursive_group, full: 2000, quick: 500 },
    Shape { name: "group that passes functions", source: group_with_functions, full: 500, quick: 150 },
    Shape { name: "chain of lets", source: chain_of_lets, full: 20_000, quick: 4000 },
    Shape { name: "tower of functors", source: tower_of_functors, full: 40, quick: 40 },
    Shape { name: "wide functors", source: wide_functors, full: 400, quick: 100 },
    Shape { name: "optional arguments", source: optional_arguments, full: 400, quick: 100 },
    Shape { name: "huge constants", source: huge_constants, full: 5000, quick: 1000 },
    Shape { name: "class of many methods", source: many_methods, full: 600, quick: 150 },
    Shape { name: "nested closures", source: nested_closures, full: 150, quick: 100 },
    Shape { name: "doubling", source: doubling, full: 400, quick: 100 },
    Shape { name: "doubling, [@inline]", source: doubling_inline, full: 400, quick: 100 },
    Shape { name: "functions of functions", source: functions_of_functions, full: 300, quick: 80 },
    Shape { name: "monads", source: monads, full: 2000, quick: 400 },
    Shape { name: "loops and references", source: loops_and_references, full: 1000, quick: 250 },
    Shape { name: "joins of variants", source: joins_of_variants, full: 1500, quick: 400 },
];

/// Adds a line. Writing to a string does not fail.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {{
        let _ = writeln!($text, $($arguments)*);
    }};
}

/// As `ocamlyacc` makes them: tables in strings, the stack of values untyped, one array of `size` actions, and a
/// lexer in one match.
fn parser_with_tables(size: usize) -> String {
    let mut text = String::from("type token =\n");
    let tokens = size / 8 + 2;
    for i in 0..tokens {
        match i % 3 {
            0 => line!(text, "  | T{i}"),
            1 => line!(text, "  | T{i} of int"),
            _ => line!(text, "  | T{i} of string"),
        }
    }
    line!(
        text,
        "type tree = Leaf of int | Word of string | Node of string * tree list | Pair of tree * tree | Empty"
    );
    line!(text, "type env = {{ stack : Obj.t array; mutable top : int }}");
    line!(text, "let peek env n = Obj.magic (Array.get env.stack (env.top - n))");
    line!(text, "let table = \"{}\"", "\\000\\017\\255a0\\n".repeat(size));
    line!(text, "let number_of_token = function");
    for i in 0..tokens {
        line!(text, "  | T{i}{} -> {}", if i % 3 == 0 { "" } else { " _" }, 257 + i);
    }
    line!(text, "let value_of_token = function");
    for i in 0..tokens {
        match i % 3 {
            0 => line!(text, "  | T{i} -> Obj.repr ()"),
            _ => line!(text, "  | T{i} v -> Obj.repr v"),
        }
    }
    line!(text, "let actions : (env -> Obj.t) array = [|\n  (fun _ -> failwith \"parser\");");
    for i in 0..size {
        let action = match i % 6 {
            0 => format!("let a = (peek env 2 : tree) in let b = (peek env 0 : tree) in Obj.repr (Node (\"rule{i}\", [a; b]))"),
            1 => format!("let a = (peek env 0 : int) in Obj.repr (if a > {i} then Leaf (a - {i}) else Empty)"),
            2 => "let a = (peek env 1 : string) in Obj.repr (Word (a ^ \"x\"))".to_owned(),
            3 => "let a = (peek env 3 : tree) in let b = (peek env 1 : tree list) in
        Obj.repr (match a, b with
          | Node (n, l), [] -> Node (n, List.rev l)
          | Pair (x, y), [ z ] -> Node (\"pair\", [ x; y; z ])
          | (Leaf _ | Word _), c :: _ -> Pair (a, c)
          | t, _ -> t)"
                .to_owned(),
            4 => "let a = (peek env 1 : tree list) in let b = (peek env 0 : tree) in Obj.repr (b :: a)".to_owned(),
            _ => format!("let a = (peek env 4 : int * tree) in let b = (peek env 2 : tree option) in
        Obj.repr (match b with None -> snd a | Some (Leaf n) when n = fst a + {i} -> Leaf n | Some t -> Pair (snd a, t))"),
        };
        line!(text, "  (fun env ->\n    {action});");
    }
    line!(text, "|]");
    // The same actions as one huge match, as other generators have it.
    line!(text, "let reduce n (a : tree) (b : tree) (v : int) = match n with");
    for i in 0..size {
        match i % 4 {
            0 => line!(text, "  | {i} -> Node (\"r{i}\", [ a; b; Leaf (v + {i}) ])"),
            1 => line!(text, "  | {i} -> (match a with Leaf n -> Leaf (n + v) | Pair (x, _) -> x | _ -> b)"),
            2 => line!(text, "  | {i} -> if v > {i} then Pair (a, b) else Pair (b, a)"),
            _ => line!(
                text,
                "  | {i} -> (match a, b with Word x, Word y -> Word (x ^ y) | Empty, t | t, Empty -> t | _ -> Leaf {i})"
            ),
        }
    }
    line!(text, "  | _ -> Empty");
    line!(text, "let rec size = function Leaf _ | Word _ | Empty -> 1 | Node (_, l) -> List.fold_left (fun n t -> n + size t) 1 l
  | Pair (a, b) -> size a + size b
let () =
  let tree = ref Empty in
  for i = 0 to {size} do
    tree := reduce i !tree (Leaf i) (i * Char.code table.[i]);
    if size !tree > 100 then tree := Empty
  done;
  let env = {{ stack = Array.make 10 (Obj.repr 0); top = 5 }} in
  Printf.printf \"%d %d %d %d\\n\" (size !tree) (number_of_token (T1 3)) (Obj.magic (value_of_token (T1 3)) : int)
    (size (Obj.magic (actions.(2) env) : tree))");
    text
}

/// As `menhir` makes them: a function for each state, all mutually recursive, that matches the token.
fn parser_of_functions(states: usize) -> String {
    let mut text = String::from("type token = A | B of int | C of string | D | E | F of float | G | EOF\n");
    line!(text, "exception Error");
    line!(text, "type value = Int of int | Str of string | Flt of float | Cons of value * value | Nil");
    line!(text, "type stack = Bottom | Cell of stack * int * value");
    line!(text, "type env = {{ lexer : unit -> token; mutable token : token; mutable steps : int }}");
    line!(text, "let discard env = env.steps <- env.steps + 1; env.token <- env.lexer (); env.token");
    let next = |i: usize, k: usize| (i * 7 + k * 13 + 1) % states;
    for i in 0..states {
        let keyword = if i == 0 { "let rec" } else { "and" };
        line!(
            text,
            "{keyword} run{i} (env : env) (stack : stack) (v : value) : value = match env.token with"
        );
        line!(text, "  | A -> let _ = discard env in run{} env (Cell (stack, {i}, v)) Nil", next(i, 1));
        line!(
            text,
            "  | B n -> let _ = discard env in run{} env (Cell (stack, {i}, v)) (Int (n + {i}))",
            next(i, 2)
        );
        line!(
            text,
            "  | C s when i{} s -> let _ = discard env in run{} env stack (Cons (Str s, v))",
            i % 3,
            next(i, 3)
        );
        line!(text, "  | D | E -> reduce{i} env stack v");
        line!(text, "  | F x -> let _ = discard env in goto{i} env stack (Cons (Flt x, v)) {}", i % 5);
        line!(text, "  | EOF -> v\n  | _ -> raise Error");
        line!(text, "and reduce{i} env stack v = match stack with");
        line!(text, "  | Cell (rest, {}, w) -> goto{} env rest (Cons (v, w)) {i}", i % 7, next(i, 4));
        line!(
            text,
            "  | Cell (Cell (rest, s, x), _, w) -> goto{} env rest (Cons (x, Cons (v, w))) s",
            next(i, 5)
        );
        line!(
            text,
            "  | Cell (Bottom, s, w) -> let _ = discard env in goto{} env Bottom w s\n  | Bottom -> let _ = discard env in run{} env Bottom v",
            next(i, 6),
            next(i, 7)
        );
        line!(text, "and goto{i} env stack v s = match s with");
        for k in 0..5 {
            line!(text, "  | {k} -> run{} env stack (Cons (v, Int {i}))", next(i, 8 + k));
        }
        line!(text, "  | _ -> run{} env stack v", next(i, 14));
    }
    line!(
        text,
        "and i0 s = String.length s > 3\nand i1 s = s = \"abc\"\nand i2 _ = true
let rec weight = function Int n -> n land 255 | Str s -> String.length s | Flt x -> int_of_float x | Nil -> 1
  | Cons (a, b) -> (weight a * 3 + weight b) land 0xffff
let () =
  let tokens = [| A; B 3; C \"abc\"; F 1.5; D; B 7; E; A; C \"wxyz\"; D |] in
  let n = ref 0 in
  let lexer () = incr n; if !n > 40 then EOF else tokens.(!n mod 10) in
  let env = {{ lexer; token = A; steps = 0 }} in
  match run0 env Bottom Nil with
  | v -> Printf.printf \"%d %d\\n\" (weight v) env.steps
  | exception Error -> Printf.printf \"error %d\\n\" env.steps"
    );
    text
}

/// As Coq extracts programs: inductive types, curried fixpoints, matches in matches, `Obj.magic` at every turn,
/// numerals of Church.
fn extracted(size: usize) -> String {
    let mut text = String::from(
        "type __ = Obj.t
let __ = let rec f _ = Obj.repr f in Obj.repr f
type nat = O | S of nat
type bool_ = True | False
type ('a, 'b) prod = Pair of 'a * 'b
type 'a list_ = Nil | Cons of 'a * 'a list_
type 'a sig0 = 'a
type ('a, 'p) sigT = ExistT of 'a * 'p
type positive = XI of positive | XO of positive | XH
type z = Z0 | Zpos of positive | Zneg of positive
type sumbool = Left | Right
let negb = function True -> False | False -> True
let fst_ = function Pair (x, _) -> x
let snd_ = function Pair (_, y) -> y
let rec add n m = match n with O -> m | S p -> S (add p m)
let rec mul n m = match n with O -> O | S p -> add m (mul p m)
let rec app l m = match l with Nil -> m | Cons (a, l1) -> Cons (a, app l1 m)
let rec succ = function XI p -> XO (succ p) | XO p -> XI p | XH -> XO XH
let rec padd x y = match x with
  | XI p -> (match y with XI q -> XO (padd_carry p q) | XO q -> XI (padd p q) | XH -> XO (succ p))
  | XO p -> (match y with XI q -> XI (padd p q) | XO q -> XO (padd p q) | XH -> XI p)
  | XH -> (match y with XI q -> XO (succ q) | XO q -> XI q | XH -> XO XH)
and padd_carry x y = match x with
  | XI p -> (match y with XI q -> XI (padd_carry p q) | XO q -> XO (padd_carry p q) | XH -> XI (succ p))
  | XO p -> (match y with XI q -> XO (padd_carry p q) | XO q -> XI (padd p q) | XH -> XO (succ p))
  | XH -> (match y with XI q -> XI (succ q) | XO q -> XO (succ q) | XH -> XI XH)
let solution_left _ x _ = x
let eq_rect _ f _ = f
let nat_rect f f0 = let rec f1 = function O -> f | S n0 -> f0 n0 (f1 n0) in f1
let list_rect f f0 = let rec f1 = function Nil -> f | Cons (y, l0) -> f0 y l0 (f1 l0) in f1
let church_zero _ x = x
let church_succ n f x = f (n f x)
let church_add n m f x = n f (m f x)
let church_mul n m f = n (m f)
let rec to_int = function O -> 0 | S n -> 1 + to_int n
let rec of_int n = if n <= 0 then O else S (of_int (n - 1))
let rec pos = function XI p -> 2 * pos p + 1 | XO p -> 2 * pos p | XH -> 1
",
    );
    for i in 0..size {
        // The decision of an equality, the constructors of both sides matched one in the other.
        line!(
            text,
            "type t{i} = A{i} | B{i} of nat | C{i} of t{i} * nat | D{i} of positive * t{i} | E{i} of t{i} * t{i}"
        );
        line!(
            text,
            "let rec t{i}_rect f f0 f1 f2 f3 = function
| A{i} -> f
| B{i} n -> f0 n
| C{i} (t0, n) -> f1 t0 (t{i}_rect f f0 f1 f2 f3 t0) n
| D{i} (p, t0) -> f2 p t0 (t{i}_rect f f0 f1 f2 f3 t0)
| E{i} (t0, t1) -> f3 t0 (t{i}_rect f f0 f1 f2 f3 t0) t1 (t{i}_rect f f0 f1 f2 f3 t1)"
        );
        line!(text, "let rec nat_dec{i} n x0 = match n with
| O -> (match x0 with O -> Left | S _ -> Right)
| S n0 -> (match x0 with O -> Right | S n1 -> (match Obj.magic nat_dec{i} n0 n1 with Left -> eq_rect __ Left __ | Right -> Right))");
        line!(
            text,
            "let rec pos_dec{i} p x0 = match p with
| XI p0 -> (match x0 with XI p1 -> (match pos_dec{i} p0 p1 with Left -> Left | Right -> Right) | _ -> Right)
| XO p0 -> (match x0 with XO p1 -> (match pos_dec{i} p0 p1 with Left -> Left | Right -> Right) | _ -> Right)
| XH -> (match x0 with XH -> Left | _ -> Right)"
        );
        line!(text, "let rec dec{i} x y = match x with
| A{i} -> (match y with A{i} -> Left | B{i} _ -> Right | C{i} (_, _) -> Right | D{i} (_, _) -> Right | E{i} (_, _) -> Right)
| B{i} n -> (match y with
  | B{i} n0 -> (match nat_dec{i} n n0 with Left -> eq_rect __ (Obj.magic (fun _ -> Left)) __ __ | Right -> Right)
  | A{i} -> Right | C{i} (_, _) -> Right | D{i} (_, _) -> Right | E{i} (_, _) -> Right)
| C{i} (t0, n) -> (match y with
  | C{i} (t1, n0) -> (match Obj.magic dec{i} t0 t1 with
    | Left -> solution_left t0 (fun _ -> match nat_dec{i} n n0 with
      | Left -> solution_left n (fun _ -> Left) n0 __ | Right -> Right) t1 __
    | Right -> Right)
  | _ -> Right)
| D{i} (p, t0) -> (match y with
  | D{i} (p0, t1) -> (match pos_dec{i} p p0 with
    | Left -> (match dec{i} t0 t1 with Left -> Left | Right -> Right)
    | Right -> Right)
  | _ -> Right)
| E{i} (a, b) -> (match y with
  | E{i} (a0, b0) -> (match dec{i} a a0 with
    | Left -> solution_left a (fun _ -> match dec{i} b b0 with
      | Left -> solution_left b (fun _ -> Left) b0 __ | Right -> Right) a0 __
    | Right -> Right)
  | _ -> Right)");
        line!(
            text,
            "let size{i} t = t{i}_rect O (fun n -> S n) (fun _ r n -> S (add r n)) (fun _ _ r -> S r) (fun _ r _ r0 -> S (add r r0)) t"
        );
        line!(
            text,
            "let eval{i} = Obj.magic (fun n -> nat_rect (fun x -> Obj.magic x) (fun _ h x -> Obj.magic h (S (Obj.magic x))) n)"
        );
        line!(
            text,
            "let church{i} = Obj.magic (church_mul (church_add (church_succ church_zero) (church_succ (church_succ church_zero))) (Obj.magic (church_succ (church_succ church_zero))))"
        );
        line!(text, "let run{i} k =
  let t = E{i} (C{i} (B{i} (of_int k), of_int {}), D{i} (padd (XI (XO XH)) (succ XH), A{i})) in
  let d = match dec{i} t t with Left -> 1 | Right -> 0 in
  let u = match dec{i} t (E{i} (t, A{i})) with Left -> 1 | Right -> 0 in
  d + u + to_int (size{i} t) + to_int (Obj.magic (eval{i} (of_int k) O)) + (Obj.magic church{i} (fun x -> x + 1) 0 : int)
  + to_int (list_rect O (fun x _ r -> add x r) (app (Cons (of_int k, Nil)) (Cons (S O, Nil)))) + pos (padd (XI XH) (XO XH))", i % 5);
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (0");
    for i in 0..size {
        line!(text, "  + run{i} {}", i % 4);
    }
    line!(text, ")");
    text
}

/// `size` functions that call each other.
fn recursive_group(size: usize) -> String {
    let mut text = String::from("");
    for i in 0..size {
        let keyword = if i == 0 { "let rec" } else { "and" };
        let to = |k: usize| (i * 7 + k * 31 + 1) % size;
        line!(text, "{keyword} f{i} n acc = if n <= 0 then acc + {i}
  else if n land 1 = 0 then f{} (n - 1) (acc lxor n)
  else let x = f{} (n / 2) 1 + f{} (n - 2) acc in
    match x land 3 with 0 -> x | 1 -> f{} (n - 3) x | 2 -> (try f{} (n - 4) (x / n) with Not_found -> 0) | _ -> acc", to(1), to(2), to(3), to(4), to(5));
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (f0 20 1)");
    text
}

/// The same with functions that are passed along, known at some calls.
fn group_with_functions(size: usize) -> String {
    let mut text = String::from("");
    for i in 0..size {
        let keyword = if i == 0 { "let rec" } else { "and" };
        let to = |k: usize| (i * 7 + k * 31 + 1) % size;
        line!(
            text,
            "{keyword} f{i} g n = if n <= 0 then g n {i}
  else if n land 1 = 0 then g n (f{} g (n - 1))
  else f{} (fun x y -> x + y * {i}) (n / 2) + f{} g (n - 2)",
            to(1),
            to(2),
            to(3)
        );
    }
    for i in 0..size {
        line!(text, "let r{i} = f{i} (fun x y -> (x * {i}) lxor y) (Sys.opaque_identity 5)");
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (r0 lxor r1)");
    text
}

/// Bindings one after the other, as of unrolled code: arithmetic, tuples, references, floats, calls, a few branches.
fn chain_of_lets(size: usize) -> String {
    let mut text = String::from(
        "let id = Sys.opaque_identity (fun (x : int) -> x)
let small x y = if x > y then x - y else y
let f x0 y =
",
    );
    for i in 0..size {
        let next = i + 1;
        match (i % 60, i % 6) {
            (15, _) => line!(text, "let x{next} = small x{i} {i} in"),
            (45, _) => line!(text, "let x{next} = if x{i} land 1 = 0 then x{i} + 1 else {i} in"),
            (_, 0) => line!(text, "let x{next} = x{i} * 3 + {i} in"),
            (_, 1) => line!(text, "let r = ref x{i} in r := !r lxor {i}; let x{next} = !r in"),
            (_, 2) => line!(text, "let x{next} = id x{i} in"),
            (_, 3) => line!(text, "let x{next} = x{i} land 0xffff + String.length \"{i}\" in"),
            (_, 4) => line!(text, "let x{next} = int_of_float (float_of_int x{i} *. y) in"),
            _ => line!(text, "let x{next} = match (x{i}, {i}) with a, b -> a + b in"),
        }
    }
    line!(text, "x{size}\nlet () = Printf.printf \"%d\\n\" (f 1 1.5)");
    text
}

/// A functor applied to its result, so often; and a functor of that tower, applied again.
fn tower_of_functors(height: usize) -> String {
    let mut text = String::from(
        "module type S = sig type t val zero : t val add : t -> t -> t val show : t -> string val all : t list end
module Twice (A : S) (B : S) : S = struct
  type t = A.t * B.t
  let zero = (A.zero, B.zero)
  let add (a, b) (c, d) = (A.add a c, B.add b d)
  let show (a, b) = Printf.sprintf \"(%d,%d)\" (String.length (A.show a)) (String.length (B.show b))
  let all = match A.all, B.all with a :: _, b :: _ -> [ (a, b); add (a, b) (a, b) ] | _ -> []
end
module Next (A : S) : S = struct
  module P = Twice (A) (A)
  type t = Nil | Cons of A.t * t | Both of P.t
  let zero = Nil
  let rec add a b = match a, b with
    | Nil, x | x, Nil -> x
    | Cons (x, r), Cons (y, s) -> Cons (A.add x y, add r s)
    | Both p, Both q -> Both (P.add p q)
    | x, _ -> x
  let rec show = function Nil -> \"\" | Cons (x, r) -> String.sub (A.show x ^ show r) 0 1 | Both p -> P.show p
  let all = List.map (fun x -> Cons (x, Nil)) A.all @ List.map (fun p -> Both p) P.all
end
module Int = struct type t = int let zero = 0 let add = ( + ) let show = string_of_int let all = [ 1; 2; 3 ] end
module L0 = Next (Int)
",
    );
    for i in 1..height {
        line!(
            text,
            "module L{i} = Next (struct include L{} let all = match all with a :: b :: _ -> [ a; add a b ] | l -> l end)",
            i - 1
        );
    }
    for i in 0..height {
        line!(text, "module M{i} (X : S) = struct module Y = Twice (X) (L{i}) include Next (Y) end");
        line!(text, "module N{i} = M{i} (L{})", (i * 7) % height);
        line!(
            text,
            "let () = Printf.printf \"%s %d\\n\" (L{i}.show (List.fold_left L{i}.add L{i}.zero L{i}.all)) (List.length N{i}.all)"
        );
    }
    text
}

/// Functors of many arguments and of large bodies, each applied to results of others.
fn wide_functors(count: usize) -> String {
    let mut text = String::from(
        "module type S = sig type t val make : int -> t val value : t -> int val combine : t -> t -> t end\n",
    );
    line!(
        text,
        "module Base = struct type t = int let make n = n let value n = n let combine a b = a lxor b end"
    );
    let parameters: String = (0..8).fold(String::new(), |mut all, k| {
        let _ = write!(all, "(P{k} : S) ");
        all
    });
    line!(text, "module Wide {parameters}= struct");
    line!(text, "  type t = {{ a : P0.t; b : P1.t; c : P2.t; d : P3.t list }}");
    line!(
        text,
        "  let make n = {{ a = P0.make n; b = P1.make (n + 1); c = P2.make (n * 2); d = List.map P3.make [ n; n + 1 ] }}"
    );
    line!(
        text,
        "  let value t = P0.value t.a + P1.value t.b * P2.value t.c + List.fold_left (fun n d -> n + P3.value d) 0 t.d land 0xff"
    );
    line!(
        text,
        "  let combine t u = {{ a = P0.combine t.a u.a; b = P1.combine t.b u.b; c = t.c; d = List.map2 P3.combine t.d u.d }}"
    );
    for k in 0..30 {
        let p = 4 + k % 4;
        line!(
            text,
            "  let f{k} n = let x = P{p}.make n in if P{p}.value x > {k} then P{p}.combine x (P{p}.make {k}) else x"
        );
    }
    line!(text, "end");
    let argument = |i: usize, k: usize| {
        let back = (i * 3 + k * 5) % 7 + 1;
        if back > i { "Base".to_owned() } else { format!("W{}", i - back) }
    };
    for i in 0..count {
        // Values grow with the depth: most arguments are the base, two are results.
        let arguments: String = (0..8).fold(String::new(), |mut all, k| {
            let name = if k == i % 4 || k == 4 + i % 4 { argument(i % 12, k) } else { "Base".into() };
            let _ = write!(all, "({name}) ");
            all
        });
        line!(text, "module W{i} = Wide {arguments}");
        line!(text, "let r{i} = W{i}.value (W{i}.combine (W{i}.make {i}) (W{i}.make 2))");
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (0");
    for i in 0..count {
        line!(text, "  + r{i}");
    }
    line!(text, ")");
    text
}

/// Functions with optional arguments, which are wrappers to be inlined, that are recursive, through each other and
/// through their defaults.
fn optional_arguments(count: usize) -> String {
    let mut text = String::from(
        "let rec odd ?(x = odd ()) () = x + 1\nlet _ = odd\nlet rec dead ?(x = dead ()) ?(y = dead ~x ()) () = x + y\nlet _ = dead\n",
    );
    for i in 0..count {
        let keyword = if i % 10 == 0 { "let rec" } else { "and" };
        let first = i - i % 10;
        let to = |k: usize| first + (i + k) % 10.min(count - first).max(1);
        line!(
            text,
            "{keyword} f{i} ?(a = {i}) ?(b = a + 1) ?(c = \"x\") ?d n =
  if n <= 0 then a + b + String.length c + (match d with None -> 0 | Some d -> d)
  else if n land 1 = 0 then f{} ~a:(a + 1) ?d (n - 1) + f{} ~b n
  else f{} ~c:(c ^ \"y\") ~d:n (n - 2) + f{} (n - 3)",
            to(1),
            if to(2) == i { to(1) } else { to(2) }.max(first),
            to(3),
            to(4)
        );
    }
    // A loop without end is not compiled away: the programs only build these, and run what ends.
    line!(text, "let g ?(a = 1) ?(b = 2) ?(c = 3) ?(d = 4) ?(e = 5) n = a + b * c - d * e + n");
    line!(text, "let () = Printf.printf \"%d\\n\" (g 0");
    for i in 0..count {
        match i % 4 {
            0 => line!(text, "  + g ~a:{i} {i}"),
            1 => line!(text, "  + g ~b:{i} ~e:2 {i}"),
            2 => line!(text, "  + f{i} 0"),
            _ => line!(text, "  + f{i} ~d:{i} (-1)"),
        }
    }
    line!(text, ")");
    text
}

/// Constants of all kinds, nested and flat, and functions that match on them.
fn huge_constants(size: usize) -> String {
    let mut text = String::from("type r = { a : int; b : float; c : string; d : r option; e : int array }\n");
    line!(text, "type k = {}", (0..50).map(|i| format!("K{i}")).collect::<Vec<_>>().join(" | "));
    line!(text, "let records = [");
    for i in 0..size {
        line!(
            text,
            "  {{ a = {i}; b = {i}.25; c = \"item {i}\"; d = Some {{ a = 1; b = 2.; c = \"\"; d = None; e = [||] }}; e = [| {i}; 2; 3 |] }};"
        );
    }
    line!(text, "]\nlet floats = [|");
    for i in 0..size {
        line!(text, "  {i}.5; {}e-3; 0x1.8p{};", i * 7, i % 100);
    }
    line!(text, "|]\nlet pairs = [|");
    for i in 0..size {
        line!(text, "  (K{}, \"key{i}\", {i}L, Some [ {i}; {} ]);", i % 50, i + 1);
    }
    line!(text, "|]\nlet find = function");
    for i in 0..size {
        line!(text, "  | \"key{i}\" -> Some ({i}, \"value {i}\")");
    }
    line!(text, "  | _ -> None\nlet table = function");
    for i in 0..size {
        line!(text, "  | {i} -> \"row {}\"", i % 10);
    }
    line!(text, "  | _ -> \"\"
let () =
  Printf.printf \"%d %f %d %s\\n\" (List.fold_left (fun n r -> n + r.a + Array.length r.e) 0 records)
    (Array.fold_left (+.) 0. floats)
    (Array.fold_left (fun n (_, k, i, _) -> match find k with Some (j, _) -> n + j + Int64.to_int i | None -> n) 0 pairs)
    (table {})", size / 2);
    text
}

/// A class with so many methods (the type checker takes quadratic time for them), one that inherits it, and objects that call them.
fn many_methods(count: usize) -> String {
    let mut text =
        String::from("class big = object (self)\n  val mutable n = 0\n  val mutable log : int list = []\n");
    for i in 0..count {
        match i % 4 {
            0 => line!(
                text,
                "  method m{i} x = n <- n + x; if n > {i} then self#m{} (x - 1) else n",
                if i == 0 { 1 } else { i - 1 }
            ),
            1 => line!(text, "  method m{i} x = x * {i} + n"),
            2 => line!(text, "  method m{i} x = log <- x :: log; List.length log + {i}"),
            _ => line!(
                text,
                "  method m{i} x = let f y = self#m{} (y + 1) in if x > 100 then 0 else f x",
                i - 2
            ),
        }
    }
    line!(text, "end\nclass bigger = object\n  inherit big as super");
    for i in (0..count).step_by(5) {
        line!(text, "  method! m{i} x = super#m{i} (x + 1) land 0xffff");
    }
    line!(text, "end\nlet () =\n  let a = new big and b = new bigger in\n  let sum = ref 0 in");
    for i in 0..count {
        line!(text, "  sum := (!sum + a#m{i} 1 + b#m{i} 2) land 0xffffff;");
    }
    line!(text, "  Printf.printf \"%d\\n\" !sum");
    text
}

/// Closures in closures, each using variables of all those around it; curried functions, loops in them, and many
/// functions that are nested less deeply.
fn nested_closures(depth: usize) -> String {
    let mut text = String::from("let apply f x = f x\nlet f x0 =\n");
    for i in 0..depth {
        let next = i + 1;
        match i % 4 {
            0 => line!(text, "(fun x{next} -> x{next} + x{} +", i / 2),
            1 => line!(
                text,
                "(let rec g{i} n = if n <= 0 then x{i} else g{i} (n - 1) + x{} in fun x{next} -> g{i} (x{next} land 3) +",
                i / 3
            ),
            2 => line!(
                text,
                "(fun x{next} -> List.length (List.map (fun y -> y + x{i} + x{next}) [ 1; 2; {i} ]) + apply (fun z -> z + x{next}) x0 +"
            ),
            _ => line!(text, "(let h a b = a + b * x{i} in fun x{next} -> h x{next} x0 + apply (h 1) 2 +"),
        }
    }
    line!(text, "x{depth}");
    for i in (0..depth).rev() {
        line!(text, ") (x0 + {i})");
    }
    // Wide, not deep.
    line!(text, "let k a =");
    for i in 0..depth * 4 {
        line!(text, "let c{i} = fun x -> fun y -> fun z -> a + x * {i} + y - z in");
    }
    line!(text, "fun b -> 0");
    for i in 0..depth * 4 {
        line!(text, "+ c{i} b {i} a");
    }
    line!(
        text,
        "let () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity 3)) (k (Sys.opaque_identity 3) 4)"
    );
    text
}

/// Each function calls the one before it twice: inlined without thought, the last would be of 2^`count` pieces.
fn doubling(count: usize) -> String {
    doubled(count, |_| "")
}

/// The same, and all but each sixth are to be inlined (the stock compiler obeys, at the cost that it has).
fn doubling_inline(count: usize) -> String {
    doubled(count, |i| if i % 6 == 0 { "[@inline never]" } else { "[@inline]" })
}

fn doubled(count: usize, attribute: impl Fn(usize) -> &'static str) -> String {
    let mut text = String::from(
        "let id = Sys.opaque_identity (fun (x : int) -> x)\nlet f0 x y = if x > y then id x else y + x\n",
    );
    for i in 1..count {
        let (attribute, before) = (attribute(i), i - 1);
        // Each sixth stops the program's own growth: it is to end.
        if i % 6 == 0 {
            line!(text, "let{attribute} f{i} x y = if x = y then f{before} x (y + {i}) else f0 y x");
        } else {
            line!(text, "let{attribute} f{i} x y = f{before} (x + {i}) y - f{before} y (x * {i})");
        }
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (f{} (Sys.opaque_identity 1) 2)", count - 1);
    text
}

/// Functions that apply functions, to functions.
fn functions_of_functions(count: usize) -> String {
    let mut text = String::from(
        "let twice f x = f (f x)
let compose f g x = f (g x)
let flip f x y = f y x
let rec iterate n f x = if n = 0 then x else iterate (n - 1) f (f x)
let curry f x y = f (x, y)
let rec fix f x = f (fix f) x
",
    );
    for i in 0..count {
        line!(text, "let t{i} = twice (twice (compose (fun x -> x + {i}) (twice (fun x -> x lxor {i}))))");
        line!(text, "let u{i} x = twice twice (compose (fun y -> y + x) (flip (fun a b -> a - b) {i})) x");
        line!(
            text,
            "let v{i} n = fix (fun self k -> if k <= 0 then n else self (k - 1) + {i}) 3 + iterate 3 (compose (( + ) n) (( * ) 2)) {i}"
        );
        line!(
            text,
            "let w{i} l = List.fold_left (curry (fun (a, b) -> a + t{i} b)) 0 (List.map (compose u{i} v{i}) (List.filter (fun x -> x <> {i}) l))"
        );
        if i > 0 {
            line!(text, "let z{i} f x = twice (fun k -> f (w{i} [ k; x ])) (z{} f x land 0xff)", i - 1);
        } else {
            line!(text, "let z0 f x = f x");
        }
    }
    line!(
        text,
        "let () = Printf.printf \"%d\\n\" (z{} (fun x -> x land 0xffff) (Sys.opaque_identity 1))",
        count - 1
    );
    text
}

/// Long chains of binds, of a monad of states and errors: each continuation a closure in the one before.
fn monads(size: usize) -> String {
    let mut text = String::from(
        "type ('a, 's) m = 's -> ('a * 's, string) result
let return x : ('a, 's) m = fun s -> Ok (x, s)
let ( >>= ) (m : ('a, 's) m) (f : 'a -> ('b, 's) m) : ('b, 's) m = fun s -> match m s with Ok (x, s) -> f x s | Error _ as e -> e
let get : ('s, 's) m = fun s -> Ok (s, s)
let put s : (unit, 's) m = fun _ -> Ok ((), s)
let fail text : ('a, 's) m = fun _ -> Error text
",
    );
    // Chains as people write them, and one that is long.
    for i in 0..size / 10 {
        line!(text, "let chain{i} x =");
        for k in 0..10 {
            match k % 4 {
                0 => line!(text, "  get >>= fun s{k} ->"),
                1 => line!(text, "  put (s{} + x + {i}) >>= fun () ->", k - 1),
                2 => line!(
                    text,
                    "  (if x > {} then fail \"large\" else return (x + {k})) >>= fun y{k} ->",
                    1000 + i
                ),
                _ => line!(text, "  return (y{} * 2) >>= fun z{k} ->", k - 1),
            }
        }
        line!(text, "  return (y2 + z3 + s8)");
    }
    line!(text, "let long x =");
    for i in 0..size / 5 {
        line!(text, "  get >>= fun s -> put (s + {i}) >>= fun () ->");
    }
    line!(
        text,
        "  return x\nlet () = match (long 1 >>= chain0 >>= chain1) 1 with Ok (a, b) -> Printf.printf \"%d %d\\n\" a b | Error e -> print_endline e"
    );
    text
}

/// Nests of loops over references, floats and arrays, all live at once, with handlers and ways out.
fn loops_and_references(size: usize) -> String {
    let mut text = String::from("exception Out of int\n");
    for part in 0..(size / 50).max(1) {
        line!(text, "let f{part} (a : int array) n =");
        for k in 0..12 {
            line!(text, "  let i{k} = ref {k} and x{k} = ref {k}.5 in");
        }
        line!(text, "  (try");
        for i in 0..50 {
            let (k, l) = (i % 12, (i * 5 + 1) % 12);
            match i % 5 {
                0 => line!(
                    text,
                    "  for j = 0 to n do i{k} := !i{k} + a.(j land 7); x{k} := !x{k} +. float_of_int j done;"
                ),
                1 => line!(
                    text,
                    "  while !i{k} > {i} do i{k} := !i{k} / 2; if !i{l} < 0 then raise (Out !i{k}) done;"
                ),
                2 => line!(
                    text,
                    "  (try i{k} := a.(!i{l} land 15) + i{k}.contents with Invalid_argument _ -> i{l} := !i{k} + 1);"
                ),
                3 => line!(
                    text,
                    "  for j = 1 to 3 do for k = 1 to 3 do x{k} := !x{l} *. 0.5 +. float_of_int (j * k); if !x{k} > 1e9 then i{k} := 0 done done;"
                ),
                _ => line!(
                    text,
                    "  if !i{k} > !i{l} then (i{k} := !i{l}; x{l} := !x{k}) else i{l} := !i{k} land 0xff;"
                ),
            }
        }
        line!(text, "  with Out n -> i0 := n);");
        let ints: String = (1..12).fold("!i0".to_owned(), |mut all, k| {
            let _ = write!(all, " + !i{k}");
            all
        });
        let floats: String = (1..12).fold("!x0".to_owned(), |mut all, k| {
            let _ = write!(all, " +. !x{k}");
            all
        });
        line!(text, "  ({ints}, {floats})");
    }
    line!(
        text,
        "let () = let a, b = f0 [| 1; 2; 3; 4; 5; 6; 7; 8 |] (Sys.opaque_identity 9) in Printf.printf \"%d %h\\n\" a b"
    );
    text
}

/// Values made in the arms of one match and taken apart by the next, again and again: all that is known at the joins
/// is worth passing on.
fn joins_of_variants(size: usize) -> String {
    let mut text = String::from(
        "type v = I of int | F of float | P of v * v | N | R of { a : int; b : float; c : v }\n",
    );
    line!(text, "let id = Sys.opaque_identity (fun (x : v) -> x)");
    line!(
        text,
        "let rec n = function I n -> n | F x -> int_of_float x | P (a, b) -> n a + n b | N -> 0 | R {{ a; _ }} -> a"
    );
    line!(text, "let f x0 k =");
    for i in 0..size {
        let next = i + 1;
        match i % 5 {
            0 => line!(
                text,
                "let x{next} = match x{i} with I n -> F (float_of_int n) | F x -> I (int_of_float x) | P (a, _) -> a | N -> I k | R r -> r.c in"
            ),
            1 => line!(
                text,
                "let x{next} = if k > {i} then P (x{i}, x{i}) else match x{i} with R r -> P (r.c, N) | y -> R {{ a = {i}; b = 1.5; c = y }} in"
            ),
            2 => line!(
                text,
                "let x{next} = match x{i} with P (I a, I b) -> I (a + b) | P (F a, _) -> F (a +. 1.) | P (_, b) -> b | R r -> R {{ r with a = r.a + 1 }} | y -> y in"
            ),
            3 => line!(
                text,
                "let x{next} = match x{i}, k land 3 with (I a, 0) -> I (a + {i}) | (F a, 1) -> F (a *. 2.) | (N, _) -> id N | (y, 2) -> P (y, I {i}) | (y, _) -> y in"
            ),
            _ => line!(
                text,
                "let x{next} = match x{i} with R {{ a; b; c }} when a > {i} -> P (c, F b) | P (a, b) when a == b -> a | y -> y in"
            ),
        }
    }
    line!(text, "n x{size}\nlet () = Printf.printf \"%d %d\\n\" (f (I 3) (Sys.opaque_identity 5)) (f N 2)");
    text
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// Where OCaml is installed: all of them are programs.
    #[test]
    fn units_are_well_typed() -> anyhow::Result<()> {
        let Some(ocamlc) = crate::env::find("ocamlc") else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        for shape in SHAPES {
            fs::write(folder.path().join("unit.ml"), (shape.source)(20))?;
            let mut command = Command::new(&ocamlc);
            let output = command.args(["-w", "-a", "-c", "unit.ml"]).current_dir(folder.path()).output()?;
            assert!(output.status.success(), "{}: {}", shape.name, String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }
}
