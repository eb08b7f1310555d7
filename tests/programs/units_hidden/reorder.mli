val z : string
val f : int -> int
module N : sig val b : int end
val a : float
type t = private { x : int; y : string }
val mk : int -> t
class c : object method m : int end
exception E of int
