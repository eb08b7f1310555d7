module type Argument = sig val f : int -> int -> int val k : int end
module type Set = sig
  type t
  val empty : t
  val mem : int -> t -> bool
  val add : int -> t -> t
  val also : int -> int -> int list
end

module Make (X : Argument) = struct
  type t = int
  let empty = X.k
  let limit = X.f X.k 3
  let mem x t = X.f x t > limit
  let rec add x t = if X.f x t > 99 then add (x - 1) t else x + t
  let also x y = [ x; y ]
end
