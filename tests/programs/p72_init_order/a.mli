val get : unit -> int
val set : int -> unit
val log : string -> unit
val dump : unit -> string
val v : int
