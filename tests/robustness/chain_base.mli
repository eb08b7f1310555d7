(* The first unit of three that are compiled by different compilers in all mixtures. *)

type shape = Dot | Line of int | Box of { width : float; height : float }

exception Bad of string * int

val area : shape -> float
val apply_twice : ('a -> 'a) -> 'a -> 'a
val sum7 : int -> int -> int -> int -> int -> int -> int -> int
val optional : ?step:int -> int -> int
val pairs : int * int -> int
val fail_at : int -> int -> 'a
val counter : int ref
val floats : float array
val constant : (string * int) list
val lazily : string Lazy.t

module type ORDER = sig
  type t

  val compare : t -> t -> int
  val show : t -> string
end

module Sorted (O : ORDER) : sig
  val sort : O.t list -> string
end

class shout : string -> object
  method say : string
  method louder : shout
end
