(* ocaml: >= 4.14, which has tail_mod_cons *)
(* flags: -w -a *)
(* Functions that fill the tail of a block later: no copy of the block, no reading of the hole, through inlining and specialising. *)
let o = Sys.opaque_identity
let[@tail_mod_cons] rec map f = function [] -> [] | x :: r -> let y = f x in y :: map f r
let[@tail_mod_cons] rec append a b = match a with [] -> b | x :: r -> x :: append r b
let[@tail_mod_cons] rec range i j = if i > j then [] else i :: range (i + 1) j
let[@tail_mod_cons] rec filter f = function [] -> [] | x :: r -> if f x then x :: filter f r else (filter [@tailcall]) f r
let[@tail_mod_cons] rec interleave a b = match a, b with [], l | l, [] -> l | x :: r, y :: s -> x :: y :: interleave r s
type tree = Leaf | Node of int * tree * tree
let[@tail_mod_cons] rec right n = if n = 0 then Leaf else Node (n, Leaf, (right [@tailcall]) (n - 1))
let[@tail_mod_cons] rec mutual_a n = if n <= 0 then [] else `A n :: mutual_b (n - 1)
and[@tail_mod_cons] mutual_b n = if n <= 0 then [] else `B n :: mutual_a (n - 2)
let rec depth n = function Leaf -> n | Node (_, _, r) -> depth (n + 1) r
let () =
  let l = range 1 (o 300_000) in
  Printf.printf "%d\n" (List.length (map succ l));
  Printf.printf "%d\n" (List.fold_left ( + ) 0 (append (map (fun x -> x * 2) l) (filter (fun x -> x land 3 = 0) l)));
  Printf.printf "%s\n" (String.concat " " (List.map string_of_int (interleave [ 1; 3; 5; 7 ] [ 2; 4 ])));
  Printf.printf "%d\n" (depth 0 (right (o 100_000)));
  Printf.printf "%d\n" (List.length (mutual_a (o 100_001)));
  let shared = ref [] in
  let l = map (fun x -> if x = 3 then raise Exit else (shared := x :: !shared; x)) in
  (try ignore (l [ 1; 2; 3; 4 ]) with Exit -> Printf.printf "exit %d\n" (List.length !shared));
  let minor = map (fun x -> Gc.minor (); [ x; x ]) (range 1 20) in
  Printf.printf "%d\n" (List.length (List.concat minor))
