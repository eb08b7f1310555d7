type t =
  | Num of int
  | Var of string
  | Add of t * t
  | Mul of t * t
  | If of t * t * t
  | Let of string * t * t

val size : t -> int
val simplify : t -> t
val eval : (string * int) list -> t -> int
val free : t -> string list
