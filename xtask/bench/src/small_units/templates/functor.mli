module type ORDERED = sig
  type t

  val compare : t -> t -> int
end

module Make (O : ORDERED) : sig
  type t

  val empty : t
  val add : O.t -> t -> t
  val mem : O.t -> t -> bool
  val union : t -> t -> t
  val of_list : O.t list -> t
  val fold : (O.t -> 'a -> 'a) -> t -> 'a -> 'a
  val length : t -> int
end
