(* Manual 21.8.2: what is bound at the toplevel is not captured by closures. *)

let counter = ref 0
let table : (int, int) Hashtbl.t = Hashtbl.create 16
let pair = (Sys.opaque_identity 1, 2)
let use () = incr counter; Hashtbl.length table + fst pair + snd pair
let makes_closure x = let z = x * x in fun y -> Hashtbl.add table z y; incr counter; fst pair
(* expect makes_closure: 1 closure, 1 capture *)
(* expect use: no allocation *)

(* Constants are known where they are used. *)
let limit = 12
let origin = (0., 0.)
let within x = x < limit
let is_origin p = p == origin
(* expect within: no block_load *)
(* expect is_origin: no block_load *)

module M = struct
  let state : int list ref = ref []
  let push x = state := x :: !state
  let later x = let z = x * x in fun () -> push z
end
(* expect later: 1 closure, 1 capture *)
