type 'a t

exception Empty

val create : unit -> 'a t
val push : 'a t -> 'a -> unit
val pop : 'a t -> 'a
val pop_opt : 'a t -> 'a option
val length : 'a t -> int
val iter : ('a -> unit) -> 'a t -> unit
val drain : ('b -> 'a -> 'b) -> 'b -> 'a t -> 'b
