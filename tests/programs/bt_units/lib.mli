val check : int -> int
val via : (int -> int) -> int -> int
module Make (X : sig val n : int end) : sig val go : int -> int end
