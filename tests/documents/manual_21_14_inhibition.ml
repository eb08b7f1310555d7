(* Manual 21.14: Sys.opaque_identity keeps what is measured. *)

let compute n = n * n + 1
let goes () = ignore (compute 3); ignore (compute 4 + compute 5)
let folded () = compute 3
(* expect goes: returns 0 *)
(* expect folded: returns 10 *)

let kept () = Sys.opaque_identity (compute (Sys.opaque_identity 3))
let bench () = for _ = 1 to 100 do ignore (Sys.opaque_identity (compute (Sys.opaque_identity 3))) done
(* expect kept: 2 opaques, 1 mul *)
(* expect bench: 2 opaques, 1 mul, 1 loop *)

let block x = fst (Sys.opaque_identity (x, 1))
let callee f x = (Sys.opaque_identity f) x
let known x = (Sys.opaque_identity compute) x
(* expect block: 1 make_block, 1 block_load *)
(* expect known: 1 indirect call *)
