type c = { re : float; im : float }
val add : c -> c -> c
val scale : ?by:float -> c -> c
val norm2 : c -> float
exception Negative of int
val check : int -> int
val first : 'a list -> 'a
val get : 'a array -> int -> 'a
val set_float : float array -> int -> float -> unit
val equal : 'a -> 'a -> bool
val tick : unit -> int
val twice : ('a -> 'a) -> 'a -> 'a
val compose : ('b -> 'c) -> ('a -> 'b) -> 'a -> 'c
val stays : int -> int
val always : int -> int
val describe : int -> string
val noisy : int -> int -> int
val pair : int * int -> int
val later : (unit -> int) ref
val call_later : unit -> int
val origin : c
val name : string
val pick : int -> string
val guarded : (unit -> int) -> int
val swap64 : int64 -> int64
module type Ordered = sig type t val compare : t -> t -> int end
module Max (O : Ordered) : sig val max : O.t -> O.t -> O.t val count : unit -> int end
