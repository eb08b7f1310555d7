type ops = { get : int -> int; set : int -> int -> unit; size : unit -> int }

val counter : unit -> (unit -> int) * (unit -> unit)
val adder : int -> int -> int
val scaler : float -> float -> float
val clamp : lo:int -> hi:int -> int -> int
val between : lo:float -> hi:float -> float -> float
val ops : int -> ops
val shared : int -> (int -> int) * (int -> int -> int) * (unit -> int)
val countdown : int -> (int -> bool) * (int -> bool)
val nested : int -> int -> int -> int
val checked : string -> int -> int -> int
val boxed : int64 -> int64 -> int64
val table : ops
val chosen : bool -> int -> int -> int
