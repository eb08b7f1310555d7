(* Recursive functions that end at once in most of their calls: what they decide first stands where they are called
   (docs/passes/split.md). What they return, store and raise, and in which order, is as before. *)

type tree = Leaf | Node of tree * int * tree

let rec build lo hi =
  if lo > hi then Leaf
  else
    let middle = (lo + hi) / 2 in
    Node (build lo (middle - 1), middle, build (middle + 1) hi)

let log = Buffer.create 100
let leaves = ref 0

(* Stores where it ends, in the order of the source. *)
let rec visit depth = function
  | Leaf -> leaves := (!leaves * 3 + depth) land 0xffff
  | Node (left, x, right) ->
    visit (depth + 1) left;
    if x land 7 = 0 then Buffer.add_string log (string_of_int x);
    visit (depth + 1) right

(* Evaluates its arguments from right to left. *)
let trace = ref []
let note x = trace := x :: !trace; x
let rec tak x y z =
  if y >= x then note z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)

(* Naked numbers, and a comparison that is false for what is no number. *)
let rec fib n = if n < 2. then n else fib (n -. 1.) +. fib (n -. 2.)
let rec halves x = if not (x > 1.) then x else halves (x /. 2.) +. halves (x /. 4.)

(* Calls under handlers: the exception comes from below, and what the handler sees is what was assigned last. *)
exception Odd of int
let rec sum n =
  if n < 3 then n
  else begin
    let state = ref 0 in
    try
      state := sum (n - 1);
      state := !state + sum (n - 2);
      if n land 15 = 11 then raise (Odd !state);
      !state land 0xfff
    with Odd below -> (below + !state + n) land 0xfff
  end

(* Both parts under a handler of the caller. *)
let rec deep n = if n <= 0 then raise_notrace Exit else deep (n - 1) + deep (n - 2)
let rec safe n = if n <= 0 then 1 else (try deep n with Exit -> safe (n - 1)) + safe (n - 3)

(* Captures what is around it; ends with what it has captured. *)
let count limit text =
  let rec go i j = if i >= limit then String.length text else go (i + j) (j + 1) + go (i + 2 * j) (j + 1) in
  go 0 1

(* The same block comes back where nothing was to be done. *)
let rec mirror t = match t with Leaf -> t | Node (l, x, r) -> Node (mirror r, x, mirror l)
let rec same a b = a == b || (match a, b with
  | Node (l, x, r), Node (l', x', r') -> x = x' && same l l' && same r r'
  | _ -> false)

(* Mutual recursion, and a call through a variable. *)
let rec left n = if n < 1 then 1 else right (n - 1) + left (n - 2) + left (n - 3)
and right n = if n < 2 then 2 else left (n - 1) + right (n - 2) + right (n - 4)
let through = ref left

(* Deeper than registers hold; as deep as the stack allows. *)
let rec many a b c d e f g h n =
  if n = 0 then a + b + c + d + e + f + g + h
  else many b c d e f g h a (n - 1) - many h g f e d c b a (n - 1)
let rec chain n = if n = 0 then 0 else 1 + chain (n - 1) + chain 0

let () =
  let t = build 1 100 in
  visit 0 t;
  Printf.printf "%s %d\n" (Buffer.contents log) !leaves;
  Printf.printf "%d" (tak 7 4 2);
  List.iter (Printf.printf " %d") !trace;
  Printf.printf "\n%g %g %g\n" (fib 15.) (halves 100.) (halves nan);
  Printf.printf "%d %d %d\n" (sum 20) (safe 8) (count 30 "text");
  Printf.printf "%b %b %b\n" (same t (mirror (mirror t))) (same t (mirror t)) (mirror Leaf == Leaf);
  Printf.printf "%d %d %d\n" (left 12) (right 12) (!through 10);
  Printf.printf "%d %d\n" (many 1 2 3 4 5 6 7 8 5) (chain 20000)
