val next : unit -> int64
val below : int -> int
val add : float -> unit
val total : unit -> float
val hash : string -> int32
val wide : unit -> nativeint
val seen : float ref

type gauge
val gauge : string -> gauge
val tick : gauge -> float -> unit
val show : gauge -> string
