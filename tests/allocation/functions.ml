(* What functions that stay functions take, return and capture allocates nothing. *)

open Measure

(* Copies of recursive functions for what they are given (S10). *)
let rec apply_all f k = if k = 0 then 0 else f k + apply_all f (k - 1)
let rec combine f g k = if k = 0 then g 0 else f (combine f g (k - 1)) (g k)
let rec even_of f k = k = 0 || odd_of f (f k)
and odd_of f k = k <> 0 && even_of f (f k)
let rec count p = function [] -> 0 | x :: l -> if p x then 1 + count p l else count p l

let copy_for_closure n = for i = 1 to n do keep (apply_all (fun x -> x * i) 20) done
let copy_for_two_closures n = for i = 1 to n do keep (combine (fun a b -> a + (b * i)) (fun x -> x - i) 20) done
let copy_of_a_group n = for i = 1 to n do keep (even_of (fun x -> if i > 0 then x - 1 else x) 20) done
let copy_for_two_captured n =
  for i = 1 to n do
    let j = Sys.opaque_identity (i + 3) in
    keep (count (fun x -> x > i && x < j) [ 1; 2; 3 ])
  done

(* A copy whose closures keep the function that it is made for, which has captured two values: it takes that function,
   since closures of its parts would be larger. A function of two captured values, four closures of two: 25 words. *)
let rec repeat f k =
  if k = 0 then fun x -> x
  else
    let g = repeat f (k - 1) in
    fun x -> f (g x)

let copy_for_what_closures_keep n =
  for i = 1 to n do
    let j = Sys.opaque_identity (i + 3) in
    keep (repeat (fun x -> x + i - j) 4 i)
  done

(* Local functions that are not loops, and what they capture; what they take and give in parts. *)
let local_recursion n =
  for i = 1 to n do
    let rec tree depth x = if depth = 0 then x else tree (depth - 1) (x + i) + tree (depth - 1) (x - 1) in
    keep (tree 3 i)
  done

let local_group n =
  for i = 1 to n do
    let rec left x = if x <= 0 then i else 1 + right (x - 1) and right x = if x <= 0 then -i else 2 * left (x - 2) in
    keep (left 10 + right 9)
  done

let invariant_tuple n =
  let rec sum inv k =
    let a, b = inv in
    if k = 0 then a else b + sum inv (k - 1)
  in
  let total = ref 0 in
  for i = 1 to n do total := !total + sum (i, i + 1) 5 done;
  keep !total

let float_through_recursion n =
  let rec series x k = if k = 0 then x *. 0.25 else (x *. 0.5) +. series (x +. 1.0) (k - 1) in
  let total = ref 0.0 in
  for i = 1 to n do total := !total +. series (float_of_int i) 5 done;
  keep (!total > 1.0)

(* Functions that other units may call, which are not inlined here. *)
let[@inline never] quotient a b = (a / b, a mod b)
let[@inline never] half a = if a land 1 = 0 then Some (a / 2) else None
let[@inline never] distance (a, b) (c, d) = ((a - c) * (a - c)) + ((b - d) * (b - d))
let rec harmonic n = if n = 0 then 0. else (1. /. float_of_int n) +. harmonic (n - 1)
let[@inline never] lanes at (a, b) = (a + at, a lxor b)

let pair_returned n =
  let total = ref 0 in
  for i = 1 to n do
    let q, r = quotient i 7 in
    total := !total + (q * r)
  done;
  keep !total

let option_taken_apart n =
  let total = ref 0 in
  for i = 1 to n do
    match half i with Some h -> total := !total + h | None -> decr total
  done;
  keep !total

type mark = Point | Disc of int | Box of int * int

let[@inline never] mark i = match i land 3 with 0 -> Point | 1 -> Disc i | _ -> Box (i, i + 1)
let[@inline never] parsed i = if i land 7 = 0 then Error i else Ok (2 * i)
let[@inline never] measured i = (i, float_of_int i *. 0.5, Int64.of_int i)

let variant_returned n =
  let total = ref 0 in
  for i = 1 to n do
    (match mark i with Point -> incr total | Disc r -> total := !total - r | Box (a, b) -> total := !total + (a * b));
    match parsed i with Ok a -> total := !total + a | Error a -> total := !total - a
  done;
  keep (!total > 0)

let numbers_returned n =
  let total = ref 0 and floats = ref 0. in
  for i = 1 to n do
    let a, x, m = measured i in
    total := !total + a + Int64.to_int m;
    floats := !floats +. x
  done;
  keep (!total > 0 && !floats > 0.)

let pairs_passed n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + distance (i, i + 1) (i - 3, i * 2)
  done;
  keep !total

let float_returned n =
  let total = ref 0. in
  for i = 1 to n do
    total := !total +. harmonic (i land 7)
  done;
  keep (!total > 1.)

type tree = Leaf | Node of tree * int * tree
let rec tree low high =
  if low >= high then Leaf else let m = (low + high) / 2 in Node (tree low m, m, tree (m + 1) high)
let thousand = tree 0 iterations

(* A function of a tuple; constants of one constructor; what a call returned, handed on; and passed on. *)
let rec bezout (a, b) = if b = 0 then (a, 1, 0) else let g, x, y = bezout (b, a mod b) in (g, y, x - (a / b * y))
let bezout_sums n =
  let total = ref 0 in
  for i = 1 to n do
    let g, x, y = bezout (i * 12, i + 100) in
    total := !total + g + x + y
  done;
  keep (!total > 0)

let[@inline never] digit c = if c < '0' then Error "low" else if c > '9' then Error "high" else Ok (Char.code c - 48)
let digits n =
  let total = ref 0 in
  for i = 1 to n do
    (match digit (Char.unsafe_chr (40 + (i land 31))) with
    | Ok d -> total := !total + d
    | Error why -> total := !total + String.length why);
    match digit (Char.unsafe_chr (70 - (i land 31))) with Ok d -> total := !total * d | Error _ -> ()
  done;
  keep (!total > 0)
let same_constant n =
  for i = 1 to n do
    match digit (Sys.opaque_identity ' '), digit (Sys.opaque_identity '!') with
    | a, b -> if Sys.opaque_identity a != Sys.opaque_identity b then keep (Array.make 2000 i)
  done

let ( let* ) = Result.bind
let rec depth k = function
  | Leaf -> Ok k
  | Node (l, x, r) ->
    let* a = depth k l in
    let* b = depth k r in
    if abs (a - b) > 1 then Error x else Ok (1 + max a b)
let handed_on _ = match depth 0 (Sys.opaque_identity thousand) with Ok h -> keep h | Error x -> keep x

type corner = { left : int; up : int; far : int }
let[@inline never] corner x = if x land 1 = 0 then { left = x; up = x + 1; far = 7 } else { left = 1; up = x; far = x * 2 }
let[@inline never] moved p by = { p with up = p.up + by }
let[@inline never] spread p = if p.left > p.up then p.left * p.far else p.up - p.far
let passed_on n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + spread (moved (moved (corner i) 3) 4)
  done;
  keep !total

(* What a branch allocates again is not what is taken apart before it. *)
let seen = Sys.opaque_identity (Array.make 10 (-1))
let visited = ref []
let visit (x, y) d =
  if seen.(x) < 0 then begin
    seen.(x) <- d;
    visited := (x, y) :: !visited
  end
let visits n = for i = 0 to n - 1 do visit (i mod 10, i) 3 done

(* Other units may call these, too, with what has no such parts; they are read in branches only. *)
let rec through inv n = if n = 0 then fst inv else if n land 1 = 0 then snd inv + through inv (n - 1) else through inv (n - 1) - 1

let rec last acc l =
  match l with
  | [] -> ( match acc with None -> 0 | Some x -> x)
  | x :: l -> last (Some x) l + (match acc with None -> 1 | Some z -> z land 3)

let seven = Sys.opaque_identity [ 1; 2; 3; 4; 5; 6; 7 ]

let pair_through_recursion n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + through (i, i + 1) 3
  done;
  keep (!total > 0)

(* Variants that each call builds, of several constructors: which one, and the fields. *)

let bounds_of_a_tree _ =
  let rec ordered low high = function
    | Leaf -> true
    | Node (l, x, r) ->
      (match low with None -> true | Some y -> y < x)
      && (match high with None -> true | Some y -> x < y)
      && ordered low (Some x) l && ordered (Some x) high r
  in
  keep (ordered None None (Sys.opaque_identity thousand))

type outline = Dot | Disc of int | Box of int * int
let shapes_through_recursion n =
  let rec walk s n =
    if n = 0 then 0
    else
      match s with
      | Dot -> 1 + walk (Disc n) (n - 1)
      | Disc r -> r + walk (Box (r, n)) (n - 1)
      | Box (a, b) -> a * b + walk (if a land 3 = 0 then Dot else Disc b) (n - 1)
  in
  keep (walk Dot n)

(* Of what each iteration makes only the last is needed, whole. *)
let last_of_a_loop n =
  let rec last acc i = if i = 0 then acc else last (Some i) (i - 1) in
  keep (last None n)

let option_through_recursion n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + last None seven + last (Some i) seven
  done;
  keep (!total > 0)

(* A closure is its header, code and information, then what it has captured. *)
let[@inline never] captured_pair x y =
  let pair = (x, y) in
  ignore (Sys.opaque_identity 0);
  fun z -> fst pair + snd pair + z

let captured_parts n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + (Sys.opaque_identity (captured_pair i 2)) 3
  done;
  keep (!total > 0)

(* The inner closure, too, captures the part that it reads. *)
let[@inline never] captured_pair_again x y =
  let pair = (x, y) in
  fun z ->
    let add w = fst pair + w in
    (Sys.opaque_identity add) z + snd pair

let parts_captured_again n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + (Sys.opaque_identity (captured_pair_again i 2)) 3
  done;
  keep (!total > 0)

(* Lists that are known: their recursions are unrolled, and only the cells of the results are allocated. *)
let appended n =
  let last = Sys.opaque_identity [ 4 ] in
  for i = 1 to n do
    keep ([ i; i + 1 ] @ last)
  done

let mapped n =
  for i = 1 to n do
    keep (List.map (fun x -> x + i) [ i; 7 ])
  done

(* The closure captures what the recursion takes that it calls, and that has none. *)
let powers x y =
  let rec loop i acc = if i = 0 then acc else loop (i - 1) ((acc * x) + y) in
  fun n -> loop n 0

let closure_that_calls n =
  let total = ref 0 in
  for i = 1 to n do
    total := !total + (Sys.opaque_identity ((powers [@inlined never]) i 2)) 3
  done;
  keep (!total > 0)

(* Records that only this function sees: a cell and a record of one field are left of each. *)
type labelled = { weight : int; label : int * int; note : int option }

let fields_that_nobody_reads n =
  let rec build i acc =
    if i = 0 then acc
    else build (i - 1) ({ weight = i; label = (i, n); note = Some i } :: acc)
  in
  let rec copy = function [] -> [] | x :: l -> { x with weight = x.weight + 1 } :: copy l in
  let rec total = function [] -> 0 | x :: l -> x.weight + total l in
  keep (total (copy (build n [])))

let pair_through_a_loop n =
  let rec go i pair =
    if i = 0 then
      let a, b = pair in
      a land b
    else go (i - 1) (lanes i pair)
  in
  keep (go n (1, 2))

(* Of two functions one is chosen, in each iteration or from one to the next. *)
let chosen_functions n =
  let total = ref 0 and step = ref (fun x -> x + n) in
  for i = 1 to n do
    let f = if i land 1 = 0 then fun x -> x + i else fun x -> x * n in
    if i land 7 = 0 then step := (fun x -> x - i);
    total := !total + f 3 + f 4 + !step i
  done;
  keep (!total > 0)

exception Found of float

let caught_floats n =
  let total = ref 0.0 in
  for i = 1 to n do
    match if i land 1 = 0 then raise_notrace (Found (float_of_int i)) else 0.5 with
    | x -> total := !total +. x
    | exception Found x -> total := !total -. x
  done;
  keep (!total > 1.0)

let local_exceptions n =
  let total = ref 0 in
  for i = 1 to n do
    let exception Stop of int * int in
    try
      for k = 0 to 5 do
        if k * k > i land 15 then raise_notrace (Stop (k, i))
      done
    with Stop (k, i) -> total := !total + k + i
  done;
  keep (!total > 0)

(* `find_opt` is copied for the keys, and its option is not made where it is taken apart (B7). *)
module Table = Hashtbl.Make (struct type t = int let equal (x : int) y = x = y let hash x = x land max_int end)
let table = Table.create 64
let () = for i = 0 to 63 do Table.replace table i (i * i) done
let sum_of_found n =
  let s = ref 0 in
  for i = 0 to n do
    match Table.find_opt table (i land 127) with Some x -> s := !s + x | None -> ()
  done;
  keep !s

(* The first test of [number_at] is inlined, so that where it returns a constant may be reached without a call of it. *)
let number_at s i =
  if i < String.length s then match s.[i] with '0' .. '9' as c -> Some (Char.code c - 48, i + 1) | _ -> None else None

let number s =
  let rec go i acc = match number_at s i with Some (digit, next) -> go next ((acc * 10) + digit) | None -> acc in
  go 0 0

let numbers_at n =
  let total = ref 0 in
  for _ = 1 to n do
    total := !total + (Sys.opaque_identity number) "1234x"
  done;
  keep (!total > 0)

(* Each arm of [step] reads the state, after the test of the command: other units may call it with a record. *)
type command = Forward of int | Left | Right
type state = { x : int; y : int; dx : int; dy : int }

let step state command =
  match command with
  | Forward n -> { state with x = state.x + (n * state.dx); y = state.y + (n * state.dy) }
  | Left -> { state with dx = -state.dy; dy = state.dx }
  | Right -> { state with dx = state.dy; dy = -state.dx }

let commands = List.init iterations (fun i -> if i mod 3 = 0 then Forward i else if i mod 3 = 1 then Left else Right)

let folded_state _ =
  let state = List.fold_left step { x = 0; y = 0; dx = 1; dy = 0 } commands in
  keep (abs state.x + abs state.y > 0)

(* Functions of the library's sequences, copied for these functions: two cells and two closures each time. *)
let sequence n =
  let upto = Seq.unfold (fun i -> if i >= n then None else Some (i, i + 1)) 0 in
  keep (Seq.fold_left ( + ) 0 (Seq.map (fun x -> x * n) upto))

(* A parser by recursive descent, whose errors are calls that never return. *)
type token = Number of int | Open | Close

let tokens =
  Sys.opaque_identity
    (List.init iterations (fun _ -> Open) @ [ Number 3 ] @ List.init iterations (fun _ -> Close))

let rec parsed = function
  | Number n :: rest -> (n, rest)
  | Open :: rest -> (
      match parsed rest with n, Close :: rest -> (n + 1, rest) | _ -> failwith "unbalanced")
  | _ -> failwith "no expression"

let recursive_descent _ = let n, rest = (parsed [@inlined never]) tokens in keep (n > List.length rest)

let () =
  check "caught_floats" 0 caught_floats;
  check "sum_of_found" 0 sum_of_found;
  check "local_exceptions" 0 local_exceptions;
  check "chosen_functions" 0 chosen_functions;
  check "copy_for_closure" 0 copy_for_closure;
  check "copy_for_two_closures" 0 copy_for_two_closures;
  check "copy_of_a_group" 0 copy_of_a_group;
  check "copy_for_two_captured" 0 copy_for_two_captured;
  check "copy_for_what_closures_keep" (25 * iterations) copy_for_what_closures_keep;
  check "local_recursion" 0 local_recursion;
  check "local_group" 0 local_group;
  check "invariant_tuple" 0 invariant_tuple;
  check "float_through_recursion" 0 float_through_recursion;
  check "pair_returned" 0 pair_returned;
  check "option_taken_apart" 0 option_taken_apart;
  check "variant_returned" 0 variant_returned;
  check "numbers_returned" 0 numbers_returned;
  check "pairs_passed" 0 pairs_passed;
  check "float_returned" 0 float_returned;
  check "captured_parts" (5 * iterations) captured_parts;
  check "parts_captured_again" (9 * iterations) parts_captured_again;
  check "appended" (6 * iterations) appended;
  check "mapped" (6 * iterations) mapped;
  check "fields_that_nobody_reads" (10 * iterations) fields_that_nobody_reads;
  check "closure_that_calls" (5 * iterations) closure_that_calls;
  check "pair_through_a_loop" 0 pair_through_a_loop;
  check "pair_through_recursion" 0 pair_through_recursion;
  check "option_through_recursion" 0 option_through_recursion;
  check "bounds_of_a_tree" 0 bounds_of_a_tree;
  check "shapes_through_recursion" 0 shapes_through_recursion;
  check "last_of_a_loop" 2 last_of_a_loop;
  check "bezout_sums" 0 bezout_sums;
  check "digits" 0 digits;
  check "recursive_descent" 0 recursive_descent;
  check "same_constant" 0 same_constant;
  check "handed_on" 2 handed_on;
  check "passed_on" 0 passed_on;
  check "visits" 60 visits;
  check "numbers_at" 0 numbers_at;
  check "folded_state" 0 folded_state;
  check "sequence" ((16 * iterations) + 16) sequence
