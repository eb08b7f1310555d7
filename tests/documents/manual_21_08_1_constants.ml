(* Manual 21.8.1: constants are static data, and shared. *)
(* file: t.mli *)
val float : unit -> float
val float_again : float -> float
val computed : unit -> float
val block : unit -> (int * string) list
val closure : unit -> int -> int
val capturing : unit -> int -> int
val nested : unit -> (int * float) option
(* file: t.ml *)
let float () = 42.0
let float_again x = if x = 0. then 42.0 else Sys.opaque_identity x
let computed () = 21.0 *. 2.0
let block () = [ (1, "a"); (2, "b") ]
(* expect float: no allocation *)
(* expect computed: no allocation, no fmul *)
(* expect block: no allocation *)
(* expect unit: 1 static float *)

(* Closures of constants, also what captures constants only once the simplifier has been there. *)
let closure () = fun x -> x + 1
let capturing () = let k = 3 * 4 in fun x -> x + k
let pack x y = (x, y)
let nested () = Some (pack (1 + 1) (float_of_int 42))
(* expect closure: no allocation *)
(* expect capturing: no allocation *)
(* expect nested: no allocation *)
