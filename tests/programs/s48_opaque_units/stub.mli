val name : string
val limit : int
val scale : int -> int
type r = { a : int; b : float }
val default : r
