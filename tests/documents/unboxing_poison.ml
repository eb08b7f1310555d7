(* Unboxing in Flambda 2, "Poison values and aliases": the example, and what a second pass finds in the fields of the first one's. *)

type t = X of int | Y of int * int
let example b foo bar =
  let v = if b then X foo else Y (foo, bar) in
  match v with
  | X f -> f
  | Y (f, g) -> f * g
(* expect example: no allocation, no block_load *)

type u = P of (int * int) | Q of float
let fields_in_turn b x y =
  let v = if b then P (x, x + 1) else Q (y *. 2.) in
  match v with
  | P (a, b) -> a * b
  | Q f -> int_of_float f
(* expect fields_in_turn: no allocation, no block_load *)

(* Fields of several tags that hold the same are not taken for one variable. *)
let no_aliases c b foo bar =
  let v = if c then X foo else if b then Y (foo, bar) else Y (bar, foo) in
  match v with
  | X f -> f
  | Y (f, g) -> f - g
(* expect no_aliases: no allocation, no block_load *)
