module Make (K : Keys.KEY) : sig
  type t
  exception Cycle of K.t
  val of_list : (K.t * K.t) list -> t
  val reach : t -> K.t -> K.t list
  val order : t -> K.t list
  val components : t -> string
  val handed : t -> (K.t -> K.t -> bool) * (module Keys.KEY with type t = K.t)
end
