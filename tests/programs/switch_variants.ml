(* flags: -w -a *)
(* Variants with constants and blocks, inline records, nested patterns, missing cases. *)
type t = A | B of int | C | D of int * string | E | F of { x : int; mutable y : float } | G of t | H of t * t | I of t list | J
type only_blocks = P of int | Q of string | R of float | S of (int * int)
type single = One of int * int
type deep = L | N of deep * int * deep
let rec show = function A -> "A" | B n -> "B" ^ string_of_int n | C -> "C" | D (n, s) -> Printf.sprintf "D%d%s" n s | E -> "E" | F { x; y } -> Printf.sprintf "F%d,%g" x y | G t -> "G(" ^ show t ^ ")" | H (a, b) -> show a ^ "*" ^ show b | I l -> String.concat "+" (List.map show l) | J -> "J"
let consts = function A -> 1 | C -> 2 | E -> 3 | _ -> 0
let blocks = function B _ -> 1 | D _ -> 2 | F _ -> 3 | G _ -> 4 | H _ -> 5 | I _ -> 6 | _ -> 0
let one = function E -> true | _ -> false
let oneb = function F _ -> true | _ -> false
let part t = match t with A | B _ -> 0 | C | D (0, _) -> 1 | D (n, "x") -> n | D _ -> -1 | G (B n) | G (G (B n)) -> n * 10 | G A -> 7 | H (A, x) | H (x, A) -> 20 + consts x | H (B a, B b) when a = b -> a | I [] -> 100 | I [ x ] -> consts x | I (B n :: _ :: _) -> n | _ -> 99
let ob = function P n -> n | Q s -> String.length s | R f -> truncate f | S (a, b) -> a + b
let sing (One (a, b)) = a - b
let rec ins k = function L -> N (L, k, L) | N (l, x, r) as t -> if k < x then N (ins k l, x, r) else if k > x then N (l, x, ins k r) else t
let rot = function N (N (a, x, b), y, c) -> N (a, x, N (b, y, c)) | t -> t
let rec elems = function L -> [] | N (l, x, r) -> elems l @ (x :: elems r)
let partial = function A -> 1 | B n -> n
let () =
  let vals = [ A; B 3; C; D (0, "q"); D (5, "x"); D (5, "z"); E; F { x = 1; y = 2.5 }; G A; G (B 4); G (G (B 5)); G C; H (A, C); H (E, A); H (B 2, B 2); H (B 2, B 3); I []; I [ C ]; I [ B 8; A ]; J ] in
  List.iter (fun v -> Printf.printf "%s %d %d %b %b %d %s\n" (show v) (consts v) (blocks v) (one v) (oneb v) (part v) (match partial v with n -> string_of_int n | exception Match_failure (f, l, c) -> Printf.sprintf "MF%d" l)) vals;
  List.iter (fun v -> Printf.printf "%d " (ob v)) [ P 1; Q "abc"; R 4.7; S (5, 6) ]; Printf.printf "%d\n" (sing (One (5, 3)));
  List.iter (Printf.printf "%d ") (elems (rot (List.fold_left (fun t k -> ins k t) L [ 5; 2; 8; 1; 9; 3; 5 ]))); print_newline ();
  (match F { x = 1; y = 1. } with F r -> r.y <- 9.; Printf.printf "%g\n" r.y | _ -> ())
