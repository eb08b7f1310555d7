val incr_by : int -> int -> int
val scale : float -> float -> float
val const_pair : int * string
val const_fn : (int -> int) list
val opt : ?k:int -> int -> int
val compose : ('a -> 'b) -> ('c -> 'a) -> 'c -> 'b
val rec_sum : int list -> int
val local_clos : int -> int -> int
val pi2 : float
val big : int64
val counter : unit -> int
val arr : int array
val farr : float array
val cell : int ref
val swap : 'a * 'b -> 'b * 'a
val with_try : (unit -> int) -> int
val str : string
