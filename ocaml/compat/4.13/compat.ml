(** What depends on the version of OCaml: this file is for 4.13. *)

(** Versions of OCaml that this file is for. *)
let supported_prefix = "4.13."

open Cmm

(** A load. *)
let load chunk mutability address dbg = Cop (Cload (chunk, mutability), [ address ], dbg)

(** A store that is an assignment, not an initialisation. *)
let store chunk address value dbg =
  Cop (Cstore (chunk, Lambda.Assignment), [ address; value ], dbg)

(** A call of a C function. *)
let extcall ~name ~result ~args_types ~alloc args dbg =
  Cop (Cextcall (name, result, args_types, alloc), args, dbg)

let if_then_else ~dbg cond ifso ifnot = Cmm_helpers.mk_if_then_else dbg cond dbg ifso dbg ifnot

let static_catch ~recursive handlers body =
  let rec_flag = if recursive then Recursive else Nonrecursive in
  Ccatch (rec_flag, handlers, body)

let try_with body var handler dbg = Ctrywith (body, var, handler, dbg)

(** A function, as the back end wants it. *)
let function_ ~name ~params ~body ~dbg ~entry =
  let fun_codegen_options =
    if entry || not !Clflags.optimize_for_speed then [ Reduce_code_size ] else []
  in
  Cfunction { fun_name = name; fun_args = params; fun_body = body; fun_codegen_options; fun_dbg = dbg }

(** The stamp of a local identifier: 4.13 tells it only as part of the unique name. *)
let ident_stamp id =
  let name = Ident.name id and unique = Ident.unique_name id in
  let from = String.length name + 1 in
  if from >= String.length unique then 0
  else
    match int_of_string_opt (String.sub unique from (String.length unique - from)) with
    | Some stamp -> stamp
    | None -> 0
