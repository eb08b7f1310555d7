(** Primitives of Lambda that differ between versions, as [Primitives] writes the others: from 5.4 on, where any field may be
    atomic, and lazy blocks have a primitive of their own. *)

open Lambda

let unknown prim = Misc.fatal_errorf "flambeau does not know the primitive %a" Printlambda.primitive prim

(** The function of the runtime, with OCaml's own calling convention, that does what a primitive says. *)
let runtime_function = function
  | Prunstack -> Some "caml_runstack"
  | Pperform -> Some "caml_perform"
  | Presume -> Some "caml_resume"
  | Preperform -> Some "caml_reperform"
  | _ -> None

let block tag args = Lprim (Pmakeblock (tag, Mutable, None), args, Loc_unknown)

(* What [perform] captures: the fiber and the last of those between it and the handler. *)
let continuation =
  let zero = Lconst (Const_base (Const_int 0)) in
  block Obj.cont_tag [ zero; zero ]

(** The operands of a primitive as it is written. A lazy block may change its shape at any time, so that it is opaque. *)
let operands prim args =
  match prim with
  | Pperform -> args @ [ continuation ]
  | Pmakelazyblock tag -> [ block (tag_of_lazy_tag tag) args ]
  | _ -> args

(** Writes a primitive. *)
let write w prim =
  let open Byte_writer in
  let runtime_operation name ~arity = Lambda_codes.c_call w (Primitive.simple ~name ~arity ~alloc:false) in
  match prim with
  | Pfield (n, _, mutability) ->
      byte w 6; u w n; byte w (match mutability with Immutable -> 1 | Mutable -> 2)
  | Pmakelazyblock _ -> byte w Lambda_codes.opaque
  | Patomic_load -> runtime_operation Intrinsics.atomic_load ~arity:2
  | Pdls_get -> runtime_operation Intrinsics.dls_get ~arity:1
  | Ppoll -> Lambda_codes.c_call w (Primitive.simple ~name:Intrinsics.poll ~arity:1 ~alloc:true)
  | prim -> unknown prim
