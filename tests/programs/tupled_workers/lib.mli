val opened : int * string list * int -> string * int
val closed : int -> int
