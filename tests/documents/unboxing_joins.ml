(* Unboxing in Flambda 2, "Overview": along control flow without loops, boxed numbers, variants and tuples. Closures: tests/fl/simplify/closures_are_unboxed.fl. *)

let float b x y = let z = if b then x +. y else x -. y in int_of_float (z *. 2.)
let int32 b x = let z = if b then Int32.add x 1l else Int32.sub x 1l in Int32.to_int (Int32.mul z 3l)
let int64 b x = let z = if b then Int64.add x 1L else Int64.sub x 1L in Int64.to_int (Int64.mul z 3L)
let nativeint b x = let z = if b then Nativeint.add x 1n else Nativeint.sub x 1n in Nativeint.to_int (Nativeint.mul z 3n)
(* expect float: no allocation *)
(* expect int32: no allocation *)
(* expect int64: no allocation *)
(* expect nativeint: no allocation *)

type v = A of int | B of int * int | C
let variant x y =
  let v = if x > 0 then A y else if x < 0 then B (x, y) else C in
  match v with
  | A n -> n
  | B (n, m) -> n * m
  | C -> 7
(* expect variant: no allocation, no block_load, no get_tag *)

let tuple b x y = let p, q = if b then (x, y) else (y, x) in p - q
(* expect tuple: no allocation *)
