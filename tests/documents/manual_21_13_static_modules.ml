(* Manual 21.13: a unit is bindings with effects between them, then its module block; the bindings are symbols. *)

let a = 1
let () = print_string "effect"
let b = (a, "b")
module Inner = struct
  let c = [ b; b ]
  let () = print_string "another"
  let d x = x :: c
end
let e () = snd b
let f x = Inner.d x
let g () = Inner.c
(* expect e: no block_load *)
(* expect f: no call, no block_load, 1 make_block *)
(* expect g: no block_load, no allocation *)
(* expect entry: no allocation *)
