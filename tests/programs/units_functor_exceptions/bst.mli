module Make (I : Sig.ITEM) : sig
  type t
  exception Missing of I.t
  val empty : t
  val add : I.t -> t -> t
  val find : (I.t -> int) -> t -> I.t
  val show : t -> string
  val fold : ('a -> I.t -> 'a) -> 'a -> t -> 'a
end
module Ints : sig val of_list : int list -> string end
