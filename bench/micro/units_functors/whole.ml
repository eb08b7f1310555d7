(* A unit that is a functor's argument as a whole. *)

type t = float

let zero = 0.
let add a b = a +. b
let of_int = float_of_int
let to_int = int_of_float
