(** Primitives of Lambda that differ between versions, as [Primitives] writes the others: from 5.0 on, with effects and
    atomics. *)

open Lambda

let unknown prim = Misc.fatal_errorf "flambeau does not know the primitive %a" Printlambda.primitive prim

(** The function of the runtime, with OCaml's own calling convention, that does what a primitive says. *)
let runtime_function = function
  | Prunstack -> Some "caml_runstack"
  | Pperform -> Some "caml_perform"
  | Presume -> Some "caml_resume"
  | Preperform -> Some "caml_reperform"
  | _ -> None

(* What [perform] captures: the fiber and the last of those between it and the handler. *)
let continuation =
  let zero = Lconst (Const_base (Const_int 0)) in
  Lprim (Pmakeblock (Obj.cont_tag, Mutable, None), [ zero; zero ], Loc_unknown)

(** The operands of a primitive as it is written. *)
let operands prim args = match prim with Pperform -> args @ [ continuation ] | _ -> args

(** Writes a primitive. *)
let write w prim =
  let open Byte_writer in
  let runtime_operation name ~arity = Lambda_codes.c_call w (Primitive.simple ~name ~arity ~alloc:false) in
  match prim with
  | Pfield (n, _, mutability) ->
      byte w 6; u w n; byte w (match mutability with Immutable -> 1 | Mutable -> 2)
  | Patomic_load { immediate_or_pointer = Pointer } -> runtime_operation Intrinsics.atomic_load ~arity:1
  | Patomic_load { immediate_or_pointer = Immediate } -> runtime_operation Intrinsics.atomic_load_immediate ~arity:1
  | Patomic_exchange -> runtime_operation "caml_atomic_exchange" ~arity:2
  | Patomic_cas -> runtime_operation "caml_atomic_cas" ~arity:3
  | Patomic_fetch_add -> runtime_operation "caml_atomic_fetch_add" ~arity:2
  | Pdls_get -> runtime_operation Intrinsics.dls_get ~arity:1
  | Ppoll -> Lambda_codes.c_call w (Primitive.simple ~name:Intrinsics.poll ~arity:1 ~alloc:true)
  | prim -> unknown prim
