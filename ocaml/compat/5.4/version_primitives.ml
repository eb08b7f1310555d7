(** Primitives of Lambda that differ between versions, as [Primitives] writes the others: from 5.4 on, where any field
    may be atomic, and lazy blocks have a primitive of their own. *)

open Lambda
open Lambda_numbers

let runtime_function = Effects.runtime_function

(** The operands of a primitive as it is written. A lazy block may change its shape at any time, so that it is
    opaque. *)
let operands prim args =
  match prim with
  | Pperform -> args @ [ Effects.continuation ]
  | Pmakelazyblock tag -> [ Lprim (Pmakeblock (tag_of_lazy_tag tag, Mutable, None), args, Loc_unknown) ]
  | _ -> args

let evaluates_first = Effects.evaluates_first

(** Writes a primitive. *)
let write w prim =
  let open Byte_writer in
  let runtime_operation name ~arity = Lambda_codes.c_call w (Primitive.simple ~name ~arity ~alloc:false) in
  match prim with
  | Pfield (n, _, mutability) ->
      byte w Opcode.field;
      u w n;
      byte w (match mutability with Immutable -> Field_mutability.immutable | Mutable -> Field_mutability.mutable_)
  | Pmakelazyblock _ -> byte w Opcode.opaque
  | Patomic_load -> runtime_operation Atomic_load.of_value ~arity:2
  | Pdls_get -> runtime_operation Intrinsics.dls_get ~arity:1
  | Ppoll -> Lambda_codes.c_call w (Primitive.simple ~name:Intrinsics.poll ~arity:1 ~alloc:true)
  | prim -> Lambda_codes.unknown prim
