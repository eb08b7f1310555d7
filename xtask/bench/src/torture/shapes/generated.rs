//! Programs that programs write: parsers with tables and of functions, and what Coq extracts.

use std::fmt::Write as _;

/// As `ocamlyacc` makes them: tables in strings, the stack of values untyped, one array of `size` actions, and a
/// lexer in one match.
pub fn parser_with_tables(size: usize) -> String {
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
pub fn parser_of_functions(states: usize) -> String {
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

/// As Coq extracts programs: inductive types, curried fixpoints, matches in matches, `Obj.magic` everywhere,
/// numerals of Church.
pub fn extracted(size: usize) -> String {
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
