module Names : Map.S with type key = string

type t = int Names.t

val count : string list -> t
val most : t -> string * int
val merge : t -> t -> t
val rename : (string -> string) -> t -> t

module Cache : sig
  type 'a t

  val create : (string -> 'a) -> 'a t
  val find : 'a t -> string -> 'a
  val hits : 'a t -> int
end
