(* Manual 21.8.1, notes about float arrays. *)
(* file: t.mli *)
val a : float array
val b : float array
val small : unit -> float array
val large : unit -> float array
val large_again : unit -> float array
(* file: t.ml *)
(* At the toplevel each is data of its own. *)
let a = [| 42.0; 43.0 |]
let b = [| 42.0; 43.0 |]
(* expect entry: no allocation *)

(* Elsewhere each evaluation makes one: up to four elements are written one by one. *)
let small () = [| 42.0; 43.0; 44.0; 45.0 |]
(* expect small: 1 make_array, no duplicate *)

(* More are copied from an array that is shared. *)
let large () = [| 1.0; 2.0; 3.0; 4.0; 5.0 |]
let large_again () = [| 1.0; 2.0; 3.0; 4.0; 5.0 |]
(* expect large: 1 duplicate, no make_array *)
(* expect large_again: 1 duplicate, no make_array *)
(* expect unit: 3 static float_arrays *)
