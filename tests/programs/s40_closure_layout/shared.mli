type t
val make : int -> string -> float -> t
val add : t -> int -> int
val show : t -> unit -> string
val both : t -> (int -> int) * (int -> int -> int)
val twist : (int -> int) -> int -> (int -> int) * (unit -> int)
