(* Unboxing in Flambda 2, "Decision procedure": where a use is the return of a call, the parts are taken in a continuation of their own. *)

let[@inline never] call x = (Sys.opaque_identity x, x + 1)
let example b x =
  let p, q = if b then (x, x) else call x in
  p * q
(* expect example: no make_block, no block_load *)

let[@inline never] number x = Sys.opaque_identity (x +. 1.)
let of_number b x =
  let z = if b then x +. 2. else number x in
  int_of_float (z *. z)
(* expect of_number: no allocation *)
