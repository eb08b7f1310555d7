(** Makes terms of Cmm. *)

open Cmm

(** A store that is an assignment, not an initialisation. *)
let store chunk address value dbg = Cop (Cstore (chunk, Lambda.Assignment), [ address; value ], dbg)

(** A load of what may change, not as an atomic. *)
let load chunk address dbg = Cop (Cmm_load.plain chunk Asttypes.Mutable, [ address ], dbg)

(** A call of a C function. *)
let extcall ~name ~result ~args_types ~alloc args dbg =
  Cop (Cextcall (name, result, args_types, alloc), args, dbg)

(* The negation of a condition, if it costs nothing. *)
let negated = function
  | Cop (Ccmpi test, args, dbg) -> Some (Cop (Ccmpi (negate_integer_comparison test), args, dbg))
  | Cop (Ccmpa test, args, dbg) -> Some (Cop (Ccmpa (negate_integer_comparison test), args, dbg))
  | Cop (Ccmpf test, args, dbg) -> Some (Cop (Ccmpf (negate_float_comparison test), args, dbg))
  | _ -> None

(** A conditional. [swapped]: its arms are to be laid out in the other order, if that costs nothing. *)
let if_then_else ?(swapped = false) ~dbg cond ifso ifnot =
  match if swapped then negated cond else None with
  | Some cond -> Cmm_helpers.mk_if_then_else dbg cond dbg ifnot dbg ifso
  | None -> Cmm_helpers.mk_if_then_else dbg cond dbg ifso dbg ifnot

let static_catch ~recursive handlers body =
  let rec_flag = if recursive then Recursive else Nonrecursive in
  Ccatch (rec_flag, handlers, body)

let try_with body var handler dbg = Ctrywith (body, var, handler, dbg)

(** How the code of a function is generated. *)
let codegen_options ~entry = if entry || not !Clflags.optimize_for_speed then [ Reduce_code_size ] else []
