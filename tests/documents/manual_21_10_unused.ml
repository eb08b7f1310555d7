(* Manual 21.10: what is not used goes. *)
(* file: t.mli *)
val f : int -> int
val h : int -> int
(* file: t.ml *)
(* 21.10.1: bindings without effects. *)
let f x =
  let _p = (x, x + 1) in
  let _c = fun y -> x + y in
  let _s = x * 2 in
  x
(* expect f: returns x *)

(* 21.10.2: symbols. *)
let unused = (1, "two", [ 3. ])
let unused_function x = unused :: x
let used_by_it_alone x = unused_function x
(* expect unused_function: is gone *)
(* expect used_by_it_alone: is gone *)
(* expect unit: no static float, no static string, no static block *)

(* 21.10.4: captured variables, where closures need not be made. *)
let h x =
  let rec even n = if n = 0 then x else odd (n - 1)
  and odd n = if n = 0 then x + 1 else even (n - 1) in
  even 10
(* expect h: no allocation *)
