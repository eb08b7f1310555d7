(* An access is a check for each dimension, the offset in memory order, and the access at that offset. *)
open Bigarray

let get (a : (float, float64_elt, c_layout) Array2.t) i j = a.{i, j}
let set (a : (int32, int32_elt, fortran_layout) Array3.t) i j k x = a.{i, j, k} <- x
let unsafe (a : (int, int_elt, c_layout) Array2.t) i j = Array2.unsafe_get a i j
let unsafe_first (a : (int, int_elt, c_layout) Array1.t) = Array1.unsafe_get a 0
let of_any_kind (a : (_, _, c_layout) Array1.t) i = a.{i}
