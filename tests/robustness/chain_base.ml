type shape = Dot | Line of int | Box of { width : float; height : float }

exception Bad of string * int

let area = function
  | Dot -> 0.
  | Line n -> float_of_int n
  | Box { width; height } -> width *. height

let apply_twice f x = f (f x)
let sum7 a b c d e f g = a + (2 * b) + (3 * c) + (4 * d) + (5 * e) + (6 * f) + (7 * g)
let optional ?(step = 3) n = n + step
let pairs (a, b) = (10 * a) + b
let counter = ref 0
let fail_at n limit = incr counter; if n > limit then raise (Bad ("over", n)) else raise Not_found
let floats = [| 0.5; 1.5 |]
let constant = [ ("one", 1); ("two", 2) ]
let lazily = lazy (incr counter; "forced")

module type ORDER = sig
  type t

  val compare : t -> t -> int
  val show : t -> string
end

module Sorted (O : ORDER) = struct
  let sort list = String.concat "<" (List.map O.show (List.sort O.compare list))
end

class shout text =
  object (self)
    method say = text ^ "!"
    method louder = new shout self#say
  end
