(* Constants and blocks, defaults, strings. *)
type t = A | B | C | D of int | E of int * int | F
let f = function A -> 1 | B -> 2 | D x -> x | E (x, y) -> x + y | C | F -> 0
let g = function "a" | "abc" -> 1 | "b" -> 2 | _ -> 3
let h = function 'a' .. 'z' -> 1 | '0' -> 2 | _ -> 3
type u = K | L of int | M of int | N of int | O of int | P of int
let i = function L x -> x | K -> 0 | _ -> 5
