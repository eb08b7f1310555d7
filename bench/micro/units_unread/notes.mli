val add : int -> string -> unit
val total : unit -> int
val rename : unit -> unit
