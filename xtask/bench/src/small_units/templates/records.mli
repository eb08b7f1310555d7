type kind = Plain | Weighted of float | Tagged of { tag : string; level : int }
type t = { name : string; mutable count : int; kind : kind }

exception Empty of string

val make : ?kind:kind -> string -> int -> t
val weight : t -> float
val scale : int -> t -> t
val total : t list -> int
val heaviest : t list -> t
val pp : Format.formatter -> t -> unit
