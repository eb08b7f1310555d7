(** Makes terms of Cmm. *)

open Cmm

(** A store that is an assignment, not an initialisation. *)
let store chunk address value dbg = Cop (Cstore (chunk, Lambda.Assignment), [ address; value ], dbg)

(** A load of what may change, not as an atomic. *)
let load chunk address dbg = Cop (Cmm_load.plain chunk Asttypes.Mutable, [ address ], dbg)

(** A call of a C function. *)
let extcall ~name ~result ~args_types ~alloc args dbg =
  Cop (Cextcall (name, result, args_types, alloc), args, dbg)

let if_then_else ~dbg cond ifso ifnot = Cmm_helpers.mk_if_then_else dbg cond dbg ifso dbg ifnot

let static_catch ~recursive handlers body =
  let rec_flag = if recursive then Recursive else Nonrecursive in
  Ccatch (rec_flag, handlers, body)

let try_with body var handler dbg = Ctrywith (body, var, handler, dbg)

(** How the code of a function is generated. *)
let codegen_options ~entry = if entry || not !Clflags.optimize_for_speed then [ Reduce_code_size ] else []
