module type KEY = sig
  type t
  val equal : t -> t -> bool
  val hash : t -> int
  val show : t -> string
end
module Number : KEY with type t = int
module Name : sig include KEY with type t = string val first : t end
module Nested : sig
  module Pair : KEY with type t = int * int
  val count : unit -> int
end
