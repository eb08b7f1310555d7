(* Manual 21.12: what has no effects may go, be moved and be duplicated; what allocates may go; all else stays. *)
external unknown : int -> int = "unknown_function"

let no_effects x y = ignore (x + y); ignore (x = y); ignore (fst (x, y)); x
let generative x = ignore (x, x); ignore [| x; 1 |]; ignore (fun y -> x + y); ignore (ref x); x
let reads r = ignore !r; 1
(* expect no_effects: returns x *)
(* expect generative: returns x *)
(* expect reads: returns 1 *)

(* Exceptions, and what may raise them. *)
let raises () = ignore (raise_notrace Exit); 1
let divides x = ignore (1 / x); 1
let by_constant x = ignore (x / 2); 1
let element a = ignore a.(3); 1
(* expect raises: 1 raise *)
(* expect divides: 1 check_zero *)
(* expect by_constant: returns 1 *)
(* expect element: 1 check_bound *)

(* Assignments, calls, C functions. *)
let assigns r = r := 1; 2
let external_call x = ignore (unknown x); 1
let unknown_call f = ignore (f 1); 1
(* expect assigns: 1 block_store_int *)
(* expect external_call: 1 c_call of unknown_function *)
(* expect unknown_call: 1 indirect call *)

(* What reads is not moved across what writes: the first value is returned. *)
let in_order r = let x = !r in r := x + 1; x
let twice r = let x = !r in r := 0; let y = !r in x + y
(* expect in_order: 1 block_load, 1 block_store_int *)
(* expect twice: 1 block_load, 1 block_store_int *)

(* What allocates is not duplicated. *)
let shared x = let p = (x, x) in Sys.opaque_identity (p == p, p, p)
(* expect shared: 2 make_blocks *)
