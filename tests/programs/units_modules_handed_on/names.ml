module T = struct type t = string let compare a b = String.compare b a end
include Ident.Make (T)
module Ints = Ident.Make (Int)
