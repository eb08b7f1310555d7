module type KEY = sig
  type t
  val equal : t -> t -> bool
  val hash : t -> int
  val show : t -> string
end
module Number = struct
  type t = int
  let equal (a : int) b = a = b
  let hash n = n land max_int
  let show = string_of_int
end
module Name = struct
  type t = string
  let equal = String.equal
  let hash (s : string) = Hashtbl.hash s
  let show = String.escaped
  let first = String.make 1 'a'
end
module Nested = struct
  let calls = ref 0
  module Pair = struct
    type t = int * int
    let equal (a, b) (c, d) = incr calls; a = c && b = d
    let hash (a, b) = ((a * 31) + b) land max_int
    let show (a, b) = Printf.sprintf "%d/%d" a b
  end
  let count () = !calls
end
